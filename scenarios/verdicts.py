"""Yes, no or "that cannot be said", read from an answer in English or Chinese."""

from __future__ import annotations

import re
from typing import Literal

from scenarios.reasoning import strip_reasoning

Verdict = Literal["yes", "no", "unknown"]

_MARKUP = re.compile(r"[*_`#>\"'“”‘’「」\[\]()（）{}|]+")
_UNSURE = (
    r"unknown|uncertain|undetermined|indeterminate|unclear|not\s(?:sure|certain|clear)"
    r"|(?:do|does)\s?n[o ]?t\sknow|no\sway\sto\s(?:know|tell)"
    r"|can\s?(?:not|t)\s(?:be\s)?(?:determined?|decided?|tell|told|say|said|know|known)"
    r"|(?:unable|impossible|not\spossible)\sto\s(?:determine|decide|tell|say|know)"
    r"|(?:(?:not|isn\s?t)\senough|insufficient|no)\sinformation"
)
_NO = r"no|nope|false|incorrect|not\s(?:true|correct)"
_YES = r"yes|yeah|yep|true|correct"
_ANY = rf"(?:(?P<unknown>{_UNSURE})|(?P<no>{_NO})|(?P<yes>{_YES}))\b"
_FIRST = re.compile(rf"\W{{0,20}}\b(?:it\s(?:is\s)?)?{_ANY}", re.IGNORECASE)
_DECLARED = re.compile(
    r"\b(?:answer|conclusion|verdict|statement|claim)\b\s{0,4}(?:is\b|:|：|=|(?=can))"
    rf"[\s:：]{{0,8}}{_ANY}",
    re.IGNORECASE,
)
_UNSURE_WORDS = re.compile(rf"\b(?:{_UNSURE})\b", re.IGNORECASE)
_PLAIN_WORDS = re.compile(r"\b(?:(?P<no>no|nope)|(?P<yes>yes|yeah|yep))\b", re.IGNORECASE)

_CHINESE_UNSURE = (
    "(?:无法|不能|难以|没法)(?:确定|判断|得知|回答)|不确定|不知道|不清楚|不明确|未知|看不出"
)
_CHINESE_ANY = (
    rf"(?:(?P<unknown>{_CHINESE_UNSURE})"
    "|(?P<no>不是|不对|不正确|不会|不存在|不能|不成立|没有|否|错误|错|不)"
    "|(?P<yes>是的|是|对的|对|正确|有|存在|会|能|成立))"
)
_CHINESE_FIRST = re.compile(rf"[\s,，。:：;；!！.、]{{0,20}}{_CHINESE_ANY}")
_CHINESE_DECLARED = re.compile(
    r"(?:答案|结论|回答|答)\s{0,4}(?:应该|应当)?\s{0,4}(?:是|为|:|：)?[\s:：]{0,8}" + _CHINESE_ANY
)
_CHINESE_UNSURE_WORDS = re.compile(_CHINESE_UNSURE)


def read_verdict(text: str, language: Literal["en", "zh"] = "en") -> Verdict | None:
    """Return the verdict of an answer to a yes-or-no question, or None where there is none.

    In this order: the word that the text begins with (also "true" and "false"); a declared answer
    ("the answer is …", the last one counts); "it cannot be determined" or the like anywhere, which
    is ``unknown``; the only one of yes and no that occurs at all. So "No, … might answer yes" is
    no, and a text that mentions both without declaring either is None. With ``language="zh"``
    Chinese and English words are both read. Linear; never raises.
    """
    body = strip_reasoning(text)
    if body is None:
        return None
    plain = _MARKUP.sub(" ", body)
    readers = [_read_english] if language == "en" else [_read_chinese, _read_english]
    for reader in readers:
        verdict = reader(plain)
        if verdict is not None:
            return verdict
    return None


def _read_english(text: str) -> Verdict | None:
    leading = _leading(text, _FIRST, _DECLARED)
    if leading is not None:
        return leading
    if _UNSURE_WORDS.search(text):
        return "unknown"
    found = {_verdict(match) for match in _PLAIN_WORDS.finditer(text)}
    return found.pop() if len(found) == 1 else None


def _read_chinese(text: str) -> Verdict | None:
    leading = _leading(text, _CHINESE_FIRST, _CHINESE_DECLARED)
    if leading is not None:
        return leading
    return "unknown" if _CHINESE_UNSURE_WORDS.search(text) else None


def _leading(text: str, first: re.Pattern[str], declared: re.Pattern[str]) -> Verdict | None:
    """Return the verdict that a text begins with, else the last one that it declares."""
    found = first.match(text)
    if found is None:
        for found in declared.finditer(text):  # noqa: B007 - the last one is wanted
            pass
    return None if found is None else _verdict(found)


def _verdict(found: re.Match[str]) -> Verdict:
    named = found.lastgroup
    return "unknown" if named == "unknown" else "no" if named == "no" else "yes"
