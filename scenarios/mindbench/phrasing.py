"""Prompts of the tasks: text files with several phrasings for each kind of question."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

from benchmark.chance import Chance

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_FOLDER = Path(__file__).parent.parent / "prompts"
_HEADING = re.compile(r"\[([a-z_ ]+)\]")
_PLACE = re.compile(r"\{(label|other|level|box|other_box)\}")


def language_of(subset: str) -> Language:
    """Return the language of a subset; whatever is not Chinese is asked about in English."""
    return "zh" if subset == "zh" else "en"


def phrasings(kind: str, language: Language) -> tuple[str, ...]:
    """Return all phrasings of one kind of question.

    Raises:
        KeyError: there is no such kind.
    """
    return tuple(line for line in read_sections("mindbench", language)[kind].split("\n") if line)


def ask(kind: str, language: Language, chance: Chance, **values: str) -> str:
    """Return a question: one of the phrasings of its kind, with `values` in their places."""
    chosen = chance.choice(phrasings(kind, language))
    return _PLACE.sub(lambda place: values[place[1]], chosen)


def how_to_answer(form: str, language: Language) -> str:
    """Return what is said about the form of an answer (``json``, ``tokens``, or a ``Form``).

    Raises:
        KeyError: there is no such form.
    """
    return read_sections("mindbench", language)[f"answer {form}"]


def what_boxes_are(language: Language) -> str:
    """Return the sentence that says how boxes are written."""
    return read_sections("mindbench", language)["boxes"]


@cache
def read_sections(name: str, language: Language) -> dict[str, str]:
    """Return the sections of a file of prompts, by their headings.

    Args:
        name: of the file, without language and ending.
        language: of the prompts.
    """
    text = (_FOLDER / f"{name}.{language}.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    lines: list[str] = []  # what stands above the first heading is for readers of the file
    for line in text.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            lines = sections.setdefault(heading[1], [])
        else:
            lines.append(line)
    return {name: "\n".join(lines).strip() for name, lines in sections.items()}
