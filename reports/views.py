"""What the templates show: records turned into texts, shares of bars and safe links."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.outcome import Ok
from benchmark.records import Digest, Instance
from benchmark.store import BlobDamaged, BlobMissing
from metrics.interval import Interval
from reports.gallery import Shown, Unavailable
from reports.records import MetricNote, Row, Table
from reports.results import Fate, Result
from reports.text import printable

Gallery = dict[Digest, Shown | Unavailable]

INLINE_CHARACTERS = 20_000
"""Longer texts are cut in the page; the whole stands in a file beside it."""


def web_address(url: str | None) -> str | None:
    """Return an address that may be linked, else None: material may name ``javascript:``."""
    return url if url and re.match(r"https?://[^\s]+\Z", url, re.IGNORECASE) else None


@dataclass(frozen=True)
class Bar:
    """A value and its interval as shares of a bar, in percent."""

    value: float
    low: float | None
    high: float | None


def bar(
    value: float | None,
    low: float | None,
    high: float | None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Bar | None:
    """Return where a value lies between bounds; None for a missing value or endless bounds."""
    least, most = bounds
    width = most - least
    if value is None or not 0 < width < float("inf"):
        return None

    def share(number: float) -> float:
        return round(100 * min(1.0, max(0.0, (number - least) / width)), 2)

    if low is None or high is None:
        return Bar(share(value), None, None)
    return Bar(share(value), share(low), share(high))


def rendered_bar(interval: Interval) -> Bar | None:
    """Return the bar of a rendering success rate."""
    return bar(interval.mean, interval.low, interval.high)


@dataclass(frozen=True)
class Part:
    """One outcome as a part of a stacked bar, in percent."""

    fate: Fate
    count: int
    start: float
    width: float


def outcome_parts(row: Row) -> list[Part]:
    """Return the parts of a row's outcomes, in the order of ``Fate``, empty ones left out."""
    parts, start = [], 0.0
    for fate in Fate:
        count = int(getattr(row, fate.value))
        if count:
            width = 100 * count / row.n
            parts.append(Part(fate, count, round(start, 3), round(width, 3)))
            start += width
    return parts


@dataclass(frozen=True)
class Text:
    """A text that a model or an author wrote; `file` holds the whole where it was cut."""

    shown: str
    characters: int
    file: str | None = None


@dataclass(frozen=True)
class Value:
    """One score beneath a picture."""

    metric: str
    value: float | None
    reason: str
    bar: Bar | None
    judge: str = ""
    """Who gave it, where a judge did."""


@dataclass(frozen=True)
class Entry:
    """One model's answer to one instance."""

    model: str
    fate: Fate
    picture: Shown | Unavailable | None
    read: Text | None
    """The answer as it was read, where it has no picture."""
    values: list[Value]
    result: Result
    answer: Text | None
    reasoning: Text | None

    @property
    def kinds(self) -> str:
        """The failure's kind, or the kinds of the flags, for the filter."""
        if self.result.failure is not None:
            return str(self.result.failure.kind)
        rendered = self.result.rendered
        return (
            " ".join(dict.fromkeys(str(flag.kind) for flag in rendered.flags)) if rendered else ""
        )

    @property
    def notes(self) -> list[str]:
        """What the provider or we changed on the way."""
        completion = self.result.completion
        return list(completion.value.notes) if isinstance(completion, Ok) else []


@dataclass(frozen=True)
class Item:
    """One instance with all models' answers."""

    instance: Instance
    reference: Shown | Unavailable
    """What pictures of answers are compared with."""
    shown: Shown | Unavailable | None
    """What the models were shown, where that is another picture."""
    address: str | None
    prompt: Text | None
    truth: Text | None
    entries: list[Entry]

    @property
    def means(self) -> str:
        """Mean of each metric over the models that have a value, as JSON, to sort by."""
        found: dict[str, list[float]] = {}
        for entry in self.entries:
            for value in entry.values:
                if value.value is not None:
                    found.setdefault(value.metric, []).append(value.value)
        means = {name: round(sum(values) / len(values), 6) for name, values in found.items()}
        return json.dumps(means, sort_keys=True)


class Shelf:
    """Turns results into items; keeps long texts as files."""

    def __init__(
        self,
        gallery: Gallery,
        load: Callable[[Digest], bytes],
        keep: Callable[[str], str],
        prompt: Callable[[Instance], str] | None,
    ) -> None:
        """Build from pictures, a loader of truths, a keeper of long texts, and the prompts."""
        self._gallery = gallery
        self._load = load
        self._keep = keep
        self._prompt = prompt

    def item(self, results: Sequence[Result], metrics: Sequence[MetricNote]) -> Item:
        """Return the item of one instance from its results."""
        instance = results[0].instance
        return Item(
            instance=instance,
            reference=self._gallery[instance.compared],
            shown=None if instance.reference is None else self._gallery[instance.image],
            address=web_address(instance.provenance.url),
            prompt=None if self._prompt is None else self._text(self._prompt(instance)),
            truth=self._truth(instance),
            entries=[self._entry(result, metrics) for result in results],
        )

    def _entry(self, result: Result, metrics: Sequence[MetricNote]) -> Entry:
        completion = result.completion.value if isinstance(result.completion, Ok) else None
        rendered = result.rendered
        image = None if rendered is None else rendered.image
        return Entry(
            model=result.model,
            fate=result.fate,
            picture=None if image is None else self._gallery[image],
            read=self._text(rendered.text) if rendered is not None and image is None else None,
            values=_values(result, metrics),
            result=result,
            answer=None if completion is None else self._text(completion.text),
            reasoning=self._text(completion.reasoning)
            if completion is not None and completion.reasoning
            else None,
        )

    def _truth(self, instance: Instance) -> Text | None:
        if instance.truth is None:
            return None
        try:
            return self._text(self._load(instance.truth).decode("utf-8", "replace"))
        except (BlobMissing, BlobDamaged) as error:
            return self._text(f"({error})")

    def _text(self, text: str) -> Text:
        whole = printable(text)
        if len(whole) <= INLINE_CHARACTERS:
            return Text(whole, len(whole))
        return Text(whole[:INLINE_CHARACTERS], len(whole), self._keep(whole))


def _values(result: Result, metrics: Sequence[MetricNote]) -> list[Value]:
    """Return the scores of an answer in the order of the metrics; none for a failure."""
    if result.rendered is None:
        return []
    by_name = {score.metric: score for score in result.scores}
    values = []
    for metric in metrics:
        if not result.instance.scored_by(metric.name):
            continue
        score = by_name.get(metric.name)
        value = None if score is None else score.value
        reason = "not scored yet" if score is None else score.reason
        place = bar(value, None, None, metric.range)
        judge = "" if score is None or score.judgment is None else score.judgment.judge
        values.append(Value(metric.name, value, "" if value is not None else reason, place, judge))
    return values


def showcase(items: Sequence[Item], metric: str) -> Item | None:
    """Return the instance that shows most: most pictures, then the widest spread of a metric.

    Of equal ones the first, so that the choice is reproducible.
    """

    def worth(item: Item) -> tuple[int, float]:
        values = [v.value for e in item.entries for v in e.values if v.metric == metric]
        known = [value for value in values if value is not None]
        pictures = sum(isinstance(entry.picture, Shown) for entry in item.entries)
        return pictures, max(known) - min(known) if known else 0.0

    shown = [item for item in items if isinstance(item.reference, Shown)]
    return max(shown, key=worth, default=None)


def facts(tables: Sequence[Table]) -> dict[str, Any]:
    """Return the numbers of the page's head."""
    wholes = [table for table in tables if table.subset is None]
    return {
        "scenarios": len(wholes),
        "instances": sum(table.n for table in wholes),
        "documents": sum(table.documents for table in wholes),
    }
