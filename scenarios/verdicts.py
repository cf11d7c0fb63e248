"""Yes, no or "that cannot be said", read from an answer in English or Chinese.

A word is a verdict by where it stands: flowcharts are full of branches called Yes and No, "no" and
"是" begin other words and phrases ("no arrow", "是否"), and what holds under a condition ("if the
answer is yes, …") is no verdict.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

from scenarios.reasoning import strip_reasoning

Verdict = Literal["yes", "no", "unknown"]

_READ = 30_000
"""Characters at each end of an answer that are read; of a longer one not what lies between."""

_CLAUSE = 60
"""Characters before a declared verdict in which a condition is looked for."""

_CONTRACTIONS = (
    (re.compile(r"['’`´]"), "'"),
    (re.compile(r"\b(is|are|was|do|does|did|would|could|should)n'?t\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\bca(?:n'?t|nnot)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\b(it|this|that|answer|statement|claim)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"[*_`#>\"'“”‘’「」『』\[\]()（）{}|]+"), " "),
    (re.compile(r"[^\S\n]+"), " "),
    (re.compile(r" ?\n[ \n]*"), "\n"),
)
"""Spelling, marks of emphasis and white space that make no difference, with what they become."""

_UNSURE = (
    r"unknown|uncertain|undetermined|indeterminate|unclear|undecidable|not necessarily"
    r"|not (?:sure|certain|clear)|(?:do|does) not (?:know|say|specify|tell)"
    r"|no way (?:to know|to tell|of knowing)"
    r"|can not (?:be )?(?:determined?|decided?|tell|told|say|said|know|known|verify|verified"
    r"|answer|answered|judged?|confirm|confirmed)"
    r"|(?:unable|impossible|not possible) to (?:determine|decide|tell|say|know|verify|answer|judge"
    r"|confirm)"
    r"|(?:not enough|insufficient|no) information"
)
_NO_ADJECTIVES = r"false|incorrect|wrong|untrue|inaccurate|invalid"
_YES_ADJECTIVES = r"true|correct|accurate|valid"
_NEGATED = r"(?P<negated>not (?:(?:entirely|quite|fully|completely|strictly|exactly) )?)?"
_ADJECTIVE = (
    rf"(?:(?P<unknown>{_UNSURE})|{_NEGATED}(?:(?P<no>{_NO_ADJECTIVES})|(?P<yes>{_YES_ADJECTIVES})))"
    r"\b(?! (?:or|and|answer|response|option)\b)"
)
_OTHER = r"(?! ?/)(?! or\b)(?! ?(?:,|and|\n) ?(?:yes|no) ?(?:[.,;!?\n]|\Z))"
"""What follows is not the other word: "yes or no", "yes/no", "yes and no"."""
_NO = (
    r"(?:no|nope)\b(?! (?!it\b|its|this|that|the\b|there|because|since|as\b|according|based|in\b"
    r"|if\b|from\b|not\b|a\b|an\b|according|when|while|after|before|although|though|but|or\b)\w)"
)
"""Not the "no" of "no arrow", "no doubt"."""
_YES = r"(?:yes|yeah|yep)\b(?! (?:branch|path|arrow|label|side|edge|option)\b)"
_WORD = (
    rf"(?:(?P<unknown>{_UNSURE})\b|{_NEGATED}"
    rf"(?:(?P<no>{_NO}|(?:{_NO_ADJECTIVES})\b)|(?P<yes>{_YES}|(?:{_YES_ADJECTIVES})\b))"
    rf"(?! (?:answer|response|option)\b){_OTHER})"
)
_FILLER = r"(?:(?:sure|certainly|well|ok|okay|absolutely|indeed|definitely)\W{1,4})?"
_FIRST = re.compile(
    rf"\W{{0,20}}{_FILLER}(?:{_WORD}"
    r"|(?P<never>(?:of course|certainly|definitely|absolutely) not\b|not at all\b)"
    r"|(?P<flat>right|[yn])\W{0,5}\Z|it does(?P<nay> not)?(?: hold)? ?(?:[.,;!\n]|\Z))",
    re.IGNORECASE,
)
_ADVERB = r"(?:(?:therefore|thus|hence|indeed|clearly|actually|definitely|also|then|just) )?"
_DECLARED = re.compile(
    r"\b(?:answer|response|conclusion|verdict|result)\b ?"
    rf"(?:(?:is|was|(?:would|should|must) be)\b|:|=|-|—|–|(?=can)) ?:?\s{{0,8}}{_ADVERB}{_WORD}",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:statement|claim|assertion|proposition|description|it|this|that)\b ?"
    rf"(?:(?:is\b|:|(?=can)) ?{_ADVERB}{_ADJECTIVE}"
    rf"|{_ADVERB}(?:(?P<fails>(?:does not|can not) hold)|(?P<holds>holds|does hold))\b)",
    re.IGNORECASE,
)
_LAST = re.compile(rf"[.?!:\n]\s{{0,8}}{_WORD}\W{{0,5}}\Z", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|when|whether|unless|once|until|while)\b[^.;\n]*\Z", re.IGNORECASE)
_AFTERWARDS = re.compile(rf"[\s,.;:—–-]{{1,4}}(?:(?:it|this|that) )?(?:{_UNSURE})\b", re.IGNORECASE)
_UNSURE_WORDS = re.compile(rf"\b(?:{_UNSURE})\b", re.IGNORECASE)
_PLAIN_WORDS = re.compile(
    r"\b(?:(?P<no>no|nope)|(?P<yes>yes|yeah|yep))\b(?=\s{0,4}(?:[.,;:!?\n]|because|since|\Z))",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:(?:labell?ed|marked|branch|path|arrow|says|reads|not)\b[^.,;\n]*"
    r"|(?:yes|no) (?:and|n?or) )\Z",
    re.IGNORECASE,
)
"""What a plain word after it is: the name of a branch, denied, or one of both."""
_BOTH = re.compile(r"\W{0,20}(?:yes|no) ?(?:/|,|and|\n) ?(?:yes|no)\W{0,5}\Z", re.IGNORECASE)

_ZH_UNSURE = (
    "(?:无法|不能|难以|没法|不可)(?:确定|判断|得知|回答|确认)|不确定|不知道|不清楚|不明确|未知"
    "|看不出|不一定|(?:没有|缺乏)足够的?信息|信息不足"
)
_ZH_NO_ADJECTIVES = "不(?:完全|太|够)?(?:成立|正确|准确|对|属实|符合?)|有误|错误|错|假"
_ZH_YES_ADJECTIVES = "成立|正确|准确|无误|属实|对|真"
_ZH_NO = rf"{_ZH_NO_ADJECTIVES}|不是|否定|否|没有|不会|不能|不存在|不可以|不"
_ZH_YES = rf"{_ZH_YES_ADJECTIVES}|是|肯定|有|存在|会|能|可以|符合"
_ZH_END = r"的?(?=[\s,。:;!.、?]|因为|\Z)(?!,?(?:则|时|就|的话|后))"
"""What follows a verdict: "是" is one, "是否", "有一条", "错误处理" and "是，则" are not."""
_ZH_ANY = rf"(?:(?P<unknown>{_ZH_UNSURE})|(?:(?P<no>{_ZH_NO})|(?P<yes>{_ZH_YES})){_ZH_END})"
_ZH_ADJECTIVE = (
    rf"(?:(?P<unknown>{_ZH_UNSURE})"
    rf"|(?:(?P<no>{_ZH_NO_ADJECTIVES})|(?P<yes>{_ZH_YES_ADJECTIVES})){_ZH_END})"
)
_ZH_FIRST = re.compile(rf"[\s,。:;!.、]{{0,20}}{_ZH_ANY}")
_ZH_DECLARED = re.compile(
    r"(?:答案|结论|回答|结果|判断|答) ?(?:应该|应当|应)?(?P<negated>不)?(?:是|为|:)"
    rf"[\s:]{{0,8}}{_ZH_ANY}"
)
_ZH_STATED = re.compile(
    r"(?:(?:陈述|说法|命题|描述|论断|表述|叙述|因此|所以|故|综上),?\s{0,2}(?:是(?!否)|为|并|也|显然)?"
    rf"|[,。;?!\n:])\s{{0,4}}{_ZH_ADJECTIVE}"
)
_ZH_LAST = re.compile(rf"[。?!:\n]\s{{0,8}}{_ZH_ANY}[\s。.!]{{0,5}}\Z")
_ZH_CONDITION = re.compile(r"(?:如果|若|当|假如|一旦)[^。;\n]*\Z")
_ZH_AFTERWARDS = re.compile(rf"[\s,。.;:]{{1,4}}(?:{_ZH_UNSURE})")
_ZH_UNSURE_WORDS = re.compile(_ZH_UNSURE)

_ENGLISH = (_FIRST, (_DECLARED, _STATED, _LAST), _CONDITION, _AFTERWARDS, _UNSURE_WORDS)
_CHINESE = (
    *(_ZH_FIRST, (_ZH_DECLARED, _ZH_STATED, _ZH_LAST)),
    *(_ZH_CONDITION, _ZH_AFTERWARDS, _ZH_UNSURE_WORDS),
)


def read_verdict(text: str, language: Literal["en", "zh"] = "en") -> Verdict | None:
    """Return the verdict of an answer to a yes-or-no question, or None where there is none.

    In this order: the word that the text begins with (also "true", "incorrect" and the like),
    unless both words stand there ("yes and no") or it goes on with "it cannot be determined", which
    is ``unknown``; the last declared answer ("the answer is …", "the statement does not hold", a
    word alone at the end); "it cannot be determined" or the like anywhere, which is ``unknown``;
    the only one of yes and no that ends a clause. Denied words are turned round ("not true" is no).
    So "No, … might answer yes" is no, and a text that mentions both without declaring either is
    None. With ``language="zh"`` Chinese and English words are both read. Bounded; never raises.
    """
    body = strip_reasoning(text)
    if body is None:
        return None
    if len(body) > 2 * _READ:
        body = f"{body[:_READ]}\n{body[-_READ:]}"
    plain = unicodedata.normalize("NFKC", body)
    for spelling, same in _CONTRACTIONS:
        plain = spelling.sub(same, plain)
    if _BOTH.match(plain):
        return None
    tongues = (_ENGLISH,) if language == "en" else (_CHINESE, _ENGLISH)
    for first, _, _, afterwards, _ in tongues:
        found = first.match(plain)
        if found is not None:
            return "unknown" if afterwards.match(plain, found.end()) else _verdict(found)
    declared = [
        match
        for _, patterns, condition, _, _ in tongues
        for pattern in patterns
        for match in _unconditional(pattern, plain, condition)
    ]
    if declared:
        return _verdict(max(declared, key=re.Match.end))
    if any(unsure.search(plain) for _, _, _, _, unsure in tongues):
        return "unknown"
    return _only_word(plain)


def _unconditional(
    pattern: re.Pattern[str], text: str, condition: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Yield what is declared outright, not under a condition."""
    for found in pattern.finditer(text):
        if not condition.search(text[max(0, found.start() - _CLAUSE) : found.start()]):
            yield found


def _only_word(text: str) -> Verdict | None:
    found = {
        _verdict(match)
        for match in _PLAIN_WORDS.finditer(text)
        if not _NAMED.search(text[max(0, match.start() - _CLAUSE) : match.start()])
    }
    return found.pop() if len(found) == 1 else None


def _verdict(found: re.Match[str]) -> Verdict:
    groups = {name for name, value in found.groupdict().items() if value}
    if "unknown" in groups:
        return "unknown"
    flat = found["flat"].lower() if "flat" in groups else ""
    no = bool(groups & {"no", "never", "nay", "fails"}) or flat == "n"
    return "no" if no is not ("negated" in groups) else "yes"
