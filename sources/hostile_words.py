"""Words that are hostile wherever they stand, found in texts of many languages.

The list (``hostile_words.txt``) is short on purpose: what it names has no innocent use that is
known to its authors, so that one word is enough. What offends only in context is the classifier's
(``sources.toxicity_model``), which knows English alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("hostile_words.txt")

DISGUISES = str.maketrans({"@": "a", "$": "s", "0": "o", "1": "i", "!": "i", "3": "e"})
"""Marks that stand for letters inside of a word."""

SHORTEST, LONGEST = 4, 12
"""Characters of the beginnings of words in the list."""

_WORD = re.compile(r"\w+")
_DISGUISED = re.compile(r"(?<![a-z@$!013])[a-z][a-z@$!013]*+")
_SENTENCE_END = ".!?…\n"
_SHORTENED = re.compile(r"\b[A-Z][a-z]{0,2}\.$")
"""An initial or a title (``S.``, ``Dr.``) that ends no sentence."""
_CLOSING = " \t\"'”’»)]}"


@dataclass(frozen=True)
class Hostile:
    """A word that was found: its language (ISO 639-1) and the word as it was written."""

    language: str
    word: str

    def __str__(self) -> str:
        """Name it without repeating it."""
        return f"{self.word[0]}{'·' * (len(self.word) - 1)} ({self.language})"


def hostile_words(text: str) -> Iterator[Hostile]:
    """Yield the hostile words of a text: single words in their order, then phrases.

    Not taken for hostile: in English, a word with a capital inside of a sentence, since people are
    called so.
    """
    text = unicodedata.normalize("NFKC", text)
    plain = text.lower()
    same_places = len(plain) == len(text)  # a few letters are longer in lower case
    words = _words()
    for found in _WORD.finditer(plain):
        language = words.language_of(found[0])
        if language == "en" and same_places and is_name(text, found.start(), found.end()):
            continue
        if language is not None:
            yield Hostile(language, found[0])
    for found in _DISGUISED.finditer(plain):
        meant = found[0].translate(DISGUISES)
        if meant != found[0] and words.language_of(meant) == "en":
            yield Hostile("en", found[0])
    for found in words.phrases.finditer(plain):
        yield Hostile(str(found.lastgroup), found[0])


def is_name(text: str, start: int, end: int) -> bool:
    """Tell whether a word is written as names are: a capital, then small, inside of a sentence."""
    word = text[start:end]
    if not (word[:1].isupper() and word[1:].islower()):
        return False
    before = start - 1
    while before >= 0 and text[before] in _CLOSING and start - before < 20:
        before -= 1
    if before < 0 or text[before] not in _SENTENCE_END:
        return before >= 0
    return _SHORTENED.search(text[max(0, before - 4) : before + 1]) is not None


@dataclass(frozen=True)
class _Words:
    """The list, made ready: whole words, beginnings of words, phrases with a group a language."""

    whole: dict[str, str]
    beginnings: dict[str, str]
    phrases: re.Pattern[str]

    def language_of(self, word: str) -> str | None:
        """Return the language in which a word is hostile."""
        if word in self.whole:
            return self.whole[word]
        for length in range(SHORTEST, len(word) + 1):
            if word[:length] in self.beginnings:
                return self.beginnings[word[:length]]
            if length == LONGEST:
                break
        return None


@cache
def _words() -> _Words:
    whole: dict[str, str] = {}
    beginnings: dict[str, str] = {}
    phrases = []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        language, anywhere = line[:2], line[2] == "~"
        longer = []
        for word in unicodedata.normalize("NFKC", line[3:]).split():
            if word.endswith("*"):
                beginnings[word[:-1]] = language
            elif anywhere or not word.isalpha():
                longer.append(re.escape(word).replace("_", r"\s"))
            else:
                whole[word] = language
        if longer:
            choices = "|".join(longer)
            within = choices if anywhere else rf"(?<!\w)(?:{choices})(?!\w)"
            phrases.append(f"(?P<{language}>{within})")
    return _Words(whole, beginnings, re.compile("|".join(phrases)))
