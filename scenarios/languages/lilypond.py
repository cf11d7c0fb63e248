"""LilyPond: a score as its source text."""

from __future__ import annotations

import re

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Answer, Structure
from scenarios.languages.lilypond_source import (
    Version,
    add_layout,
    close_cut_off,
    find_versions,
    mask,
    open_brackets,
    trim_prose,
)
from scenarios.parsing import Extracted, cut_off_flag, extract

INSTALLED: Version = (2, 24, 4)
"""The LilyPond in the container image ``rerender-lilypond``."""

ENTRY = "score.ly"
CONVERT_FROM = "convert_from"
"""Renderer option: the version to run convert-ly from, as ``"2.18.2"``."""

TAGS = ("lilypond", "ly", "lily")

_OTHER_TAGS = {
    "abc": "ABC",
    "musicxml": "MusicXML",
    "mei": "MEI",
    "kern": "Humdrum",
    "humdrum": "Humdrum",
}
_OTHER_NOTATIONS = (
    ("ABC", re.compile(r"^X:\s*\d[^\n]*\n(?:[A-Za-z]:[^\n]*\n|%[^\n]*\n){0,40}K:", re.MULTILINE)),
    ("MusicXML", re.compile(r"<score-(?:partwise|timewise)\b")),
    ("MEI", re.compile(r"<mei\b")),
    ("Humdrum", re.compile(r"^\*\*kern\b", re.MULTILINE)),
    ("LaTeX", re.compile(r"^\\documentclass\b", re.MULTILINE)),
)


class Lilypond:
    r"""How LilyPond is read and repaired.

    The repairs never touch the music: a ``\version`` newer than the installed one is lowered, an
    older one (before the installed minor version) makes the renderer run convert-ly, a cut-off
    score is closed, a score that only asks for MIDI gets ``\layout { }``. A score without
    ``\version`` is tried as it is.
    """

    name = "lilypond"
    version = "1"
    renderer = "lilypond"

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer or a bare source.

        Returns:
            The score as one file, or a failure of stage parse: unsupported (another notation),
            parse_error (no LilyPond in it), and what ``scenarios.parsing.extract`` returns.
        """
        outcome = extract(text, TAGS, truncated=truncated)
        if isinstance(outcome, Failed):
            return outcome
        extracted = outcome.value
        notation = _other_notation(extracted)
        if notation:
            return _failed(Kind.UNSUPPORTED, f"the answer is {notation}, not LilyPond")
        source = extracted.text
        repairs = list(extracted.repairs)
        if not extracted.fenced:
            source = trim_prose(source)
            if source.strip() != extracted.text.strip():
                repairs.append("prose around the code dropped")
        if "{" not in mask(source) and "\\" not in mask(source):
            return _failed(Kind.PARSE_ERROR, "the answer holds no LilyPond code")
        return _answer(source, repairs, extracted, truncated=truncated)

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        r"""Return the score as it was written where convert-ly did not help, else None.

        A score may declare an old version and still be written in the newer syntax.
        """
        structure = answer.structure
        if failure.kind is not Kind.COMPILE_ERROR or CONVERT_FROM not in structure.options:
            return None
        options = {key: value for key, value in structure.options.items() if key != CONVERT_FROM}
        return answer.repaired(
            structure.model_copy(update={"options": options}), "compiled without convert-ly"
        )


def _answer(
    source: str, repairs: list[str], extracted: Extracted, *, truncated: bool
) -> Outcome[Answer]:
    flags = list(extracted.flags)
    source, closed = _close(source, extracted, truncated=truncated)
    if closed:
        repairs.append("brackets of the cut-off score closed")
        flags = [flag for flag in flags if flag.kind is not Kind.TRUNCATED]
        flags.append(cut_off_flag())
    with_layout = add_layout(source)
    if with_layout:
        source = with_layout
        repairs.append("\\layout { } added to a score that only asks for MIDI")
    source, options, version_repair = _fit_version(source)
    if version_repair:
        repairs.append(version_repair)
    structure = Structure(files={ENTRY: _encode(source)}, entry=ENTRY, options={**options})
    return ok(Answer(structure=structure, text=source, repairs=tuple(repairs), flags=tuple(flags)))


def _close(source: str, extracted: Extracted, *, truncated: bool) -> tuple[str, bool]:
    """Close a score that was cut off; a complete answer with unmatched brackets stays as it is."""
    cut = any(flag.kind is Kind.TRUNCATED for flag in extracted.flags)
    unclosed = extracted.fenced and "closing fence supplied" in extracted.repairs
    if not (cut or unclosed or (truncated and not extracted.fenced)):
        return source, False
    if open_brackets(source) == [] and not cut:
        return source, False
    closed = close_cut_off(source)
    return (source, False) if closed is None else (closed, True)


def _fit_version(source: str) -> tuple[str, dict[str, str], str | None]:
    """Lower a version that is too new; return the option for convert-ly when it is older."""
    declared = find_versions(source)
    installed = ".".join(map(str, INSTALLED))
    too_new = [one for one in declared if one.version > INSTALLED]
    for one in reversed(too_new):
        source = f'{source[: one.start]}"{installed}"{source[one.end :]}'
    if too_new:
        written = ".".join(map(str, too_new[0].version))
        return source, {}, f"\\version lowered from {written} to {installed}"
    if declared and declared[0].version[:2] < INSTALLED[:2]:
        written = ".".join(map(str, declared[0].version))
        return source, {CONVERT_FROM: written}, f"convert-ly from {written}"
    return source, {}, None


def _other_notation(extracted: Extracted) -> str | None:
    if extracted.language in _OTHER_TAGS:
        return _OTHER_TAGS[extracted.language]
    matches = (name for name, pattern in _OTHER_NOTATIONS if pattern.search(extracted.text))
    return next(matches, None)


def _encode(text: str) -> bytes:
    return (text.rstrip() + "\n").encode("utf-8", "replace")


def _failed(kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.PARSE, kind, message)
