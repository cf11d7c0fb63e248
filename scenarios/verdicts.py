"""Yes or no, read from an answer in English or Chinese."""

from __future__ import annotations

import re
from typing import Literal

from scenarios.reasoning import strip_reasoning

Verdict = Literal["yes", "no"]

_MARKUP = re.compile(r"[*_`#>\"'“”‘’「」\[\]()（）{}|]+")
_ENGLISH = re.compile(r"\b(yes|no|yeah|yep|nope)\b", re.IGNORECASE)
_ENGLISH_FIRST = re.compile(r"\W{0,20}\b(yes|no|yeah|yep|nope)\b", re.IGNORECASE)
_ENGLISH_DECLARED = re.compile(
    r"\b(?:answer|conclusion|verdict)\b\s{0,4}(?:is\b|:|：|=)[\s:：]{0,8}(yes|no)\b",
    re.IGNORECASE,
)
_CHINESE_NO = "不是|不对|不正确|不会|不存在|不能|没有|否|错误|错|不"
_CHINESE_YES = "是的|是|对的|对|正确|有|存在|会|能"
_CHINESE_FIRST = re.compile(rf"[\s,，。:：;；!！.、]{{0,20}}(?:({_CHINESE_NO})|({_CHINESE_YES}))")
_CHINESE_DECLARED = re.compile(
    rf"(?:答案|结论|回答|答)\s{{0,4}}(?:应该|应当)?\s{{0,4}}(?:是|为|:|：)?[\s:：]{{0,8}}"
    rf"(?:({_CHINESE_NO})|({_CHINESE_YES}))"
)
_NO_WORDS = frozenset({"no", "nope"})


def read_yes_no(text: str, language: Literal["en", "zh"] = "en") -> Verdict | None:
    """Return the verdict of an answer to a yes-or-no question, or None where there is none.

    In this order: a declared answer ("the answer is …", the last one counts, but only where the
    text does not begin with a verdict); the word that the text begins with; the only verdict word
    that occurs at all. So "No, … might answer yes" is no, and a text that mentions both without
    declaring either is None. With ``language="zh"`` Chinese and English words are both read.
    Linear; never raises.
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
    first = _ENGLISH_FIRST.match(text)
    if first:
        return _verdict(first[1])
    declared = _ENGLISH_DECLARED.findall(text)
    if declared:
        return _verdict(declared[-1])
    found = {_verdict(word) for word in _ENGLISH.findall(text)}
    return found.pop() if len(found) == 1 else None


def _read_chinese(text: str) -> Verdict | None:
    first = _CHINESE_FIRST.match(text)
    if first:
        return "no" if first[1] else "yes"
    declared = _CHINESE_DECLARED.findall(text)
    if declared:
        return "no" if declared[-1][0] else "yes"
    return None


def _verdict(word: str) -> Verdict:
    return "no" if word.lower() in _NO_WORDS else "yes"
