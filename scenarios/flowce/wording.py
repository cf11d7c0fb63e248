"""Wordings of questions about flowcharts: text files with several for each kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from benchmark.chance import Chance
from scenarios.mindbench.phrasing import Language, read_sections

FILE = "flowce_questions"

_PLACE = re.compile(r"\{([a-z]+)\}")


def wordings(section: str, language: Language) -> tuple[str, ...]:
    """Return all wordings of a section.

    Raises:
        KeyError: there is no such section.
    """
    return tuple(line for line in read_sections(FILE, language)[section].split("\n") if line)


def ask(section: str, language: Language, chance: Chance, **values: str) -> str:
    """Return one of the wordings of a section, with `values` in their places."""
    return fill(chance.choice(wordings(section, language)), values)


def fill(wording: str, values: Mapping[str, str]) -> str:
    """Return a wording with values in its places; what stands in a value is left as it is."""
    return _PLACE.sub(lambda place: values[place[1]], wording)


def enumerate_texts(texts: Sequence[str], language: Language) -> str:
    """Return texts as a reader writes them: one as it is, several in quotes with an `and`."""
    if len(texts) == 1:
        return texts[0]
    return join([f"“{text}”" for text in texts], language)


def join(parts: Sequence[str], language: Language, section: str = "and") -> str:
    """Return parts as one enumeration.

    Args:
        parts: one at least.
        language: of the words between them.
        section: how two parts are joined: its first line, and how the last one is, its second.
    """
    between, last = wordings(section, language)
    joined = parts[0]
    for number, part in enumerate(parts[1:], 2):
        joined = fill(last if number == len(parts) else between, {"a": joined, "b": part})
    return joined
