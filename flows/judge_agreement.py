"""`rerender judge-agreement`: points of people and of a judge, read from a file and a run.

A file is CSV, tab-separated (``.tsv``) or JSON lines (``.jsonl``), with these columns (fields):

* ``human``: points of a person, or the mean of several people's;
* ``judge``: points of the judge, unless they come from a run;
* ``dimension``: optional; what is given apart (RS, LR, SM, or any other text);
* ``instance``: what was answered; optional, but needed with a run. Pairs of equal instance are
  drawn together when intervals are made;
* ``model``: who answered; needed with a run.

Other columns are left alone. A line that cannot be used is an error that names it: an agreement
over whatever could be read would be a number of something else.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from benchmark.records import Record
from flows.judging import UnusableInput
from metrics.agreement import MOST_POINTS, Agreement, agreement
from reports.results import Result

MOST_ROWS = 20_000
MOST_BYTES = 50_000_000
SHOWN = 5
"""Bad lines that are told; of the others only their number."""

ALL = "all"


@dataclass(frozen=True)
class Pair:
    """Points of a person and of a judge for one answer."""

    human: float
    judge: float
    dimension: str
    group: str


@dataclass(frozen=True)
class Line:
    """One line of a file as it was read."""

    number: int
    human: float
    judge: float | None
    dimension: str
    instance: str
    model: str


class Group(Record):
    """The agreement of some pairs."""

    dimension: str
    n: int = Field(ge=0, description="pairs")
    instances: int = Field(ge=0, description="what is drawn together when intervals are made")
    unjudged: int = Field(default=0, ge=0, description="human points without a judge's")
    measures: tuple[Agreement, ...]


def read_lines(path: Path) -> list[Line]:
    """Read a file of points.

    Raises:
        UnusableInput: it is too large, has no column ``human``, or some lines cannot be used.
        OSError: it cannot be opened.
    """
    if path.stat().st_size > MOST_BYTES:
        raise UnusableInput(f"{path.name} has more than {MOST_BYTES:,} bytes")
    lines: list[Line] = []
    bad: list[str] = []
    for number, row in _rows(path):
        if number > MOST_ROWS + 1:
            raise UnusableInput(f"{path.name} has more than {MOST_ROWS:,} lines")
        read = _line(number, row)
        if isinstance(read, Line):
            lines.append(read)
        else:
            bad.append(read)
    if bad:
        more = f"; and {len(bad) - SHOWN} more lines" if len(bad) > SHOWN else ""
        raise UnusableInput(f"{path.name}: {'; '.join(bad[:SHOWN])}{more}")
    if not lines:
        raise UnusableInput(f"{path.name} holds no points")
    return lines


def pair_up(lines: Sequence[Line], judged: Mapping[tuple[str, str], float] | None) -> list[Group]:
    """Return the agreement of all lines and, where there are several, of each dimension.

    Args:
        lines: as read.
        judged: a run's points by instance and model; None: the lines' own.

    Raises:
        UnusableInput: a line names no points of a judge, or with a run no instance and model; or
            no line is judged.
    """
    lacking = [line.number for line in lines if _lacks(line, judged is not None)]
    if lacking:
        what = "judge" if judged is None else "instance and model"
        shown = ", ".join(map(str, lacking[:SHOWN])) + (", …" if len(lacking) > SHOWN else "")
        raise UnusableInput(f"no {what} in line {shown}")
    dimensions = list(dict.fromkeys(line.dimension for line in lines))
    groups = [_group(ALL, lines, judged)]
    if len(dimensions) > 1:
        groups += [
            _group(name or "(none)", [line for line in lines if line.dimension == name], judged)
            for name in dimensions
        ]
    if not groups[0].n:
        raise UnusableInput("the run holds no judgment of any answer that the file names")
    return groups


def judgments(results: Iterable[Result]) -> dict[tuple[str, str], float]:
    """Return a run's points by instance and model."""
    return {
        (result.instance.id, result.model): score.value
        for result in results
        for score in result.scores
        if score.judgment is not None and score.value is not None
    }


def _group(
    name: str, lines: Sequence[Line], judged: Mapping[tuple[str, str], float] | None
) -> Group:
    pairs = [pair for pair in (_pair(line, judged) for line in lines) if pair is not None]
    return Group(
        dimension=name,
        n=len(pairs),
        instances=len({pair.group for pair in pairs}),
        unjudged=len(lines) - len(pairs),
        measures=agreement(
            [pair.human for pair in pairs],
            [pair.judge for pair in pairs],
            [pair.group for pair in pairs],
        ),
    )


def _pair(line: Line, judged: Mapping[tuple[str, str], float] | None) -> Pair | None:
    points = line.judge if judged is None else judged.get((line.instance, line.model))
    if points is None:
        return None
    return Pair(line.human, points, line.dimension, line.instance or f"line {line.number}")


def _lacks(line: Line, from_run: bool) -> bool:
    return not (line.instance and line.model) if from_run else line.judge is None


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file with the number of their (last) line.

    Raises:
        UnusableInput: the file is not UTF-8, has no head, or a line of JSON is no object.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if path.suffix.lower() == ".jsonl":
                yield from _objects(path, file)
                return
            reader = csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            if "human" not in (reader.fieldnames or ()):
                raise UnusableInput(f"{path.name} has no column human in its first line")
            for row in reader:
                yield reader.line_num, row
    except UnicodeDecodeError:
        raise UnusableInput(f"{path.name} is not UTF-8") from None
    except csv.Error as error:
        raise UnusableInput(f"{path.name} is not readable as a table: {error}") from None


def _objects(path: Path, file: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, text in enumerate(file, 1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise UnusableInput(f"{path.name}: line {number} is not JSON") from None
        if not isinstance(value, dict):
            raise UnusableInput(f"{path.name}: line {number} is no JSON object")
        yield number, value


def _line(number: int, row: Mapping[str, Any]) -> Line | str:
    """Return a line, or what is wrong with it."""
    human, judge = _points(row.get("human")), _points(row.get("judge"))
    for name, points in (("human", human), ("judge", judge)):
        if isinstance(points, str):
            return f"line {number}: {name} is {points}, not a number of points"
    if human is None:
        return f"line {number}: no points in human"
    if isinstance(human, str) or isinstance(judge, str):
        return f"line {number}: not a number"
    texts = {name: str(row.get(name) or "").strip() for name in ("dimension", "instance", "model")}
    return Line(number=number, human=human, judge=judge, **texts)


def _points(value: object) -> float | str | None:
    """Return a number, None for an empty field, or what stands there instead."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return "no text or number"
    try:
        points = float(value)
    except (ValueError, OverflowError):
        return repr(value)[:40]
    return points if abs(points) <= MOST_POINTS else repr(value)[:40]
