"""Information extraction as FlowCE scores it, and plain precision, recall and F1 beside it.

FlowCE (arXiv 2406.10057, section 3.3): of a label with n texts and a prediction, i predicted texts
exist in the label and t do not. Each of the t multiplies the effective factor by delta, and each of
the i is worth the initial score s times that factor:

    effective factor = delta^t          Score = s · delta^t · i / (s · n)   (in percent)

with s = 2 and delta = 0.8 (section 4.1); s cancels. Where the paper is silent, this is decided:

* texts are compared after ``normalise``;
* texts are counted with multiplicity: of three predicted "Yes" where the label has two, two exist
  in the label and one does not, so i ≤ n and the score lies in 0..100;
* a label without texts: 100 of a prediction without texts, else 0.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric

DELTA = 0.8
"""What each wrong text multiplies the effective factor by."""

INITIAL_SCORE = 2.0
"""What each right text is worth before that; it cancels."""

BINS = 10
"""Bars of ``factor_histogram``, each a tenth wide."""

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣", "-"))
_QUOTES = frozenset("\"'“”„‟«»″‘’‚‛′`´「」『』")
_ENDING = ".,;:!?。、"
_PASSES = 4
"""More than any text needs until another pass changes nothing."""


@dataclass(frozen=True)
class Matches:
    """Numbers of texts of one question."""

    found: int
    """Predicted texts that exist in the label (i)."""
    wrong: int
    """Predicted texts that do not (t)."""
    wanted: int
    """Texts of the label (n)."""

    @property
    def factor(self) -> float:
        """The effective factor, in (0, 1]."""
        return DELTA**self.wrong

    @property
    def score(self) -> float:
        """FlowCE's score, in [0, 100]."""
        if self.wanted == 0:
            return 0.0 if self.wrong else 100.0
        share = (INITIAL_SCORE * self.found) / (INITIAL_SCORE * self.wanted)
        return 100.0 * share * self.factor

    @property
    def precision(self) -> float:
        """The share of predicted texts that are in the label; of none 0, unless none is wanted."""
        return _share(self.found, self.found + self.wrong, of_none=self.wanted == 0)

    @property
    def recall(self) -> float:
        """The share of the label's texts that were predicted; of none 0, unless none was."""
        return _share(self.found, self.wanted, of_none=self.wrong == 0)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 2i / (i + t + n); 1 where both are empty."""
        return _share(2 * self.found, self.found + self.wrong + self.wanted, of_none=True)


def normalise(text: str) -> str:
    """Return a text in the form in which it is compared.

    What does not count: upper and lower case, all white space (labels have it or not:
    "Phase 1(N= 887)"), invisible signs, full-width and other compatibility forms (NFKC), quotation
    marks, the kind of a dash, punctuation at the end. A text of such signs alone keeps them.

    >>> normalise("“Reach the  threshold？”"), normalise("?")
    ('reachthethreshold', '?')
    """
    for _ in range(_PASSES):
        known, text = text, _pass(text)
        if text == known:
            break
    return text


def _pass(text: str) -> str:
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    visible = "".join(sign for sign in composed if not _is_invisible(sign)).translate(_DASHES)
    plain = "".join(sign for sign in visible if sign not in _QUOTES)
    return plain.rstrip(_ENDING) or plain or visible


def _is_invisible(sign: str) -> bool:
    return sign.isspace() or unicodedata.category(sign) in {"Cc", "Cf"}


def match(prediction: Any, reference: Any) -> Matches:  # noqa: ANN401 - JSON values
    """Count the texts of a prediction and a label (JSON arrays of texts) that match.

    What is no text in an array is left out; a value that is no array holds no texts.
    """
    predicted, wanted = Counter(_texts(prediction)), Counter(_texts(reference))
    found = (predicted & wanted).total()
    return Matches(found, predicted.total() - found, wanted.total())


def effective_factor(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return 0.8 to the power of the number of wrong texts, in [0, 1].

    >>> effective_factor(["Start", "Stop"], ["START", "End"])
    0.8
    """
    return match(prediction, reference).factor


def effective_factor_score(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return FlowCE's score of extracted texts, in [0, 100].

    >>> effective_factor_score(["Start", "Stop"], ["START", "End"])
    40.0
    """
    return match(prediction, reference).score


def extraction_precision(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the share of predicted texts that are right, in [0, 1]."""
    return match(prediction, reference).precision


def extraction_recall(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the share of the label's texts that were found, in [0, 1]."""
    return match(prediction, reference).recall


def extraction_f1(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the F1 of extracted texts, in [0, 1].

    >>> extraction_f1(["Start", "Stop"], ["START", "End"])
    0.5
    """
    return match(prediction, reference).f1


@dataclass(frozen=True)
class Histogram:
    """How effective factors are distributed: a subplot of FlowCE's figure 11.

    Attributes:
        edges: ``BINS`` + 1 limits from 0 to 1; a bar holds its lower limit, the last one both.
        counts: numbers of answers, a bar each.
        mean: of all factors; None of none.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    mean: float | None

    @property
    def n(self) -> int:
        """The number of answers."""
        return sum(self.counts)


def factor_histogram(factors: Iterable[float]) -> Histogram:
    """Count effective factors by tenths.

    Raises:
        ValueError: a factor lies outside of [0, 1].
    """
    values = list(factors)
    counts = [0] * BINS
    for value in values:
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"an effective factor lies in [0, 1], not {value!r}")
        counts[min(int(value * BINS), BINS - 1)] += 1
    edges = tuple(number / BINS for number in range(BINS + 1))
    return Histogram(edges, tuple(counts), sum(values) / len(values) if values else None)


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    """Return the texts of a JSON array in the form in which they are compared."""
    entries = value if isinstance(value, list) else []
    return [text for entry in entries if isinstance(entry, str) and (text := normalise(entry))]


def _share(part: int, whole: int, *, of_none: bool) -> float:
    return part / whole if whole else float(of_none)


def _metric(
    name: str, function: Callable[[Any, Any], float], highest: float = 1.0
) -> FunctionMetric:
    return FunctionMetric(
        name=name,
        version="1",
        needs=Needs.TREES,
        range=(0.0, highest),
        higher_is_better=True,
        function=function,
    )


SCORE = _metric("effective_factor_score", effective_factor_score, 100.0)
FACTOR = _metric("effective_factor", effective_factor)
PRECISION = _metric("extraction_precision", extraction_precision)
RECALL = _metric("extraction_recall", extraction_recall)
F1 = _metric("extraction_f1", extraction_f1)
