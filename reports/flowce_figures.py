"""FlowCE's figures 10 and 11 (arXiv 2406.10057): what models tend to say, and how freely.

Figure 10 sets the verdicts that a model gives beside the true ones; figure 11 shows how the
effective factors of its answers are distributed (0.8 to the power of the number of wrong texts).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from benchmark.records import Instance
from metrics.effective_factor import factor_histogram
from metrics.interval import mean_interval
from metrics.verdicts import distribution
from reports.aggregate import Rules
from reports.flowce_records import Factors, Verdicts
from reports.results import Fate, Result, document, models_of, score_of

FACTOR = "effective_factor"

Truth = Callable[[Instance], JsonValue]
"""Returns the tree of an instance's truth; None where it cannot be read."""


def verdicts(results: Sequence[Result], truth: Truth) -> tuple[Verdicts, ...]:
    """Count each model's verdicts on the statements of some results."""
    return tuple(
        _verdicts(model, [result for result in results if result.model == model], truth)
        for model in models_of(results)
    )


def factors(results: Sequence[Result], how: Rules) -> tuple[Factors, ...]:
    """Return each model's distribution of effective factors, as they were scored."""
    return tuple(
        _factors(model, [result for result in results if result.model == model], how)
        for model in models_of(results)
    )


def _verdicts(model: str, own: Sequence[Result], truth: Truth) -> Verdicts:
    pairs = []
    for result in own:
        true = truth(result.instance)
        said = None if result.rendered is None else result.rendered.tree
        if true in ("yes", "no") and (said is not None or result.fate is Fate.FAILED):
            pairs.append((said, true))
    found = distribution(pairs)
    return Verdicts(
        model=model,
        n=found.n,
        left_out=len(own) - found.n,
        counts={truth: dict(said) for truth, said in found.counts.items()},
        accuracy=found.accuracy,
    )


def _factors(model: str, own: Sequence[Result], how: Rules) -> Factors:
    scored = [(score_of(result, FACTOR), document(result.instance)) for result in own]
    known = [(s.value, source) for s, source in scored if s is not None and s.value is not None]
    values = [value for value, _ in known]
    found = factor_histogram(values)
    failed = sum(result.fate is Fate.FAILED for result in own)
    return Factors(
        model=model,
        n=found.n,
        failed=failed,
        left_out=len(own) - found.n - failed,
        edges=found.edges,
        counts=found.counts,
        mean=mean_interval(
            values, [source for _, source in known], seed=how.seed, confidence=how.confidence
        ),
    )
