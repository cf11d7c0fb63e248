"""A budget for asking models: tokens and money; when it is used up, the asking stops.

What has been answered is kept, and a later run with a larger budget goes on from there. Requests
that are on their way when the budget ends are still paid for, so it may be exceeded by what
``model_concurrency`` requests cost.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Usage
from vlms.prices import Price, price


class BudgetError(ValueError):
    """A budget that cannot be kept; the text says what to do."""


@dataclass(frozen=True)
class Spent:
    """What the answers of one model have taken."""

    answers: int = 0
    usage: Usage = field(default_factory=Usage)

    def plus(self, usage: Usage) -> Spent:
        """Return it with another answer."""
        both = (self.usage, usage)
        total = Usage(
            input_tokens=sum(one.input_tokens for one in both),
            output_tokens=sum(one.output_tokens for one in both),
            reasoning_tokens=sum(one.reasoning_tokens for one in both),
        )
        return Spent(self.answers + 1, total)


@dataclass
class Budget:
    """What may be spent, and what has been; safe for threads."""

    most_tokens: int | None = None
    most_cost: float | None = None
    """US dollars."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    tokens: int = 0
    judge_tokens: int = 0
    """Those among them that a judge took."""
    cost: float = 0.0
    spent: dict[str, Spent] = field(default_factory=dict)
    """By model, in the order in which they first answered."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def spend(self, model: str, usage: Usage, *, judging: bool = False) -> None:
        """Count what an answer or a judgment took: tokens that went in and came out."""
        known = self.prices.get(model)
        took = usage.input_tokens + usage.output_tokens
        with self._lock:
            self.tokens += took
            self.judge_tokens += took if judging else 0
            self.cost += 0.0 if known is None else known.of(usage)
            self.spent[model] = self.spent.get(model, Spent()).plus(usage)

    def ledger(self) -> dict[str, Spent]:
        """Return what each model has taken so far."""
        with self._lock:
            return dict(self.spent)

    def ended(self) -> Failed | None:
        """Return why nobody is asked any more, or None."""
        with self._lock:
            if self.most_tokens is not None and self.tokens >= self.most_tokens:
                spent, option = f"{self.tokens:,} of {self.most_tokens:,} tokens", "--max-tokens"
                spent += f", {self.judge_tokens:,} by the judge" if self.judge_tokens else ""
            elif self.most_cost is not None and self.cost >= self.most_cost:
                spent, option = f"${self.cost:.2f} of ${self.most_cost:.2f}", "--max-cost"
            else:
                return None
        message = (
            f"the budget is used up ({spent}); what is done is kept, a larger {option} goes on"
        )
        return Failed.of(Stage.QUERY, Kind.QUOTA, message)


def budget(
    models: Sequence[str],
    *,
    most_tokens: int | None,
    most_cost: float | None,
    own_prices: Mapping[str, tuple[float, float]],
) -> Budget:
    """Return the budget of an evaluation.

    Args:
        models: who is asked, a judge among them; baselines cost nothing.
        most_tokens: of input and output, all models together.
        most_cost: US dollars, all models together.
        own_prices: the user's own prices by model.

    Raises:
        BudgetError: money is limited and the price of a model is not known.
    """
    found = {model: price(model, own_prices) for model in models if "/" in model}
    unknown = [model for model, known in found.items() if known is None]
    if most_cost is not None and unknown:
        raise BudgetError(
            f"the price of {', '.join(unknown)} is not known, so --max-cost cannot be kept: give "
            f"--max-tokens, or RERENDER_PRICES='{{\"{unknown[0]}\": [1.0, 4.0]}}' (dollars for a "
            f"million tokens of input and output)"
        )
    known = {model: one for model, one in found.items() if one is not None}
    return Budget(most_tokens, most_cost, known)
