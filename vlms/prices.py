"""What models cost: US dollars for a million tokens.

Only list prices of the makers' own interfaces, for requests of ordinary length (Gemini 2.5 Pro: of
at most 200,000 tokens) without caching or batches, as lists of 2026 quote the makers' pages. They
change; ``RERENDER_PRICES`` comes first. A model that is not in the table has an unknown price, and
that is what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.records import Usage

DATED = "2026-10"
"""The month of the newest list that was read."""

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens; tokens of reasoning are among those of the output."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """Return the cost of some tokens in US dollars."""
        spent = usage.input_tokens * self.input + usage.output_tokens * self.output
        return spent / MILLION


_PRICES: Mapping[str, Price] = {
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-5": Price(1.25, 10.00),
    "gpt-5.1": Price(1.25, 10.00),
    "gpt-5.4": Price(2.50, 15.00),
    "gpt-5-mini": Price(0.25, 2.00),
    "gpt-5-nano": Price(0.05, 0.40),
    "o3": Price(2.00, 8.00),
    "o4-mini": Price(1.10, 4.40),
    "claude-opus-4-1": Price(15.00, 75.00),
    "claude-opus-4-0": Price(15.00, 75.00),
    "claude-opus-4-5": Price(5.00, 25.00),
    "claude-opus-4-6": Price(5.00, 25.00),
    "claude-opus-4-7": Price(5.00, 25.00),
    "claude-opus-5": Price(5.00, 25.00),
    "claude-sonnet-5": Price(2.00, 10.00),
    "claude-sonnet-4-0": Price(3.00, 15.00),
    "claude-sonnet-4-5": Price(3.00, 15.00),
    "claude-haiku-4-5": Price(1.00, 5.00),
    "claude-3-5-haiku": Price(0.80, 4.00),
    "gemini-2.5-pro": Price(1.25, 10.00),
    "gemini-2.5-flash": Price(0.30, 2.50),
    "gemini-2.5-flash-lite": Price(0.10, 0.40),
    "gemini-2.0-flash": Price(0.10, 0.40),
}

_DATE = re.compile(r"(?:-latest|-preview|-\d{8}|-\d{4}-\d{2}-\d{2}|-\d{3})+$")


def price(name: str, own: Mapping[str, tuple[float, float]] | None = None) -> Price | None:
    """Return the price of a model; None where it is not known.

    Args:
        name: as models are named here, e.g. ``openai/gpt-4o-2024-08-06``; what a third party
            (a cloud, a router) charges is not known, so the provider must be the maker.
        own: prices of the user's by whole names: input and output.
    """
    if own and name in own:
        return Price(*own[name])
    provider, _, model = name.partition("/")
    if MAKERS.get(provider) is None or not model.startswith(MAKERS[provider]):
        return None
    return _PRICES.get(model) or _PRICES.get(_DATE.sub("", model))


MAKERS: Mapping[str, tuple[str, ...]] = {
    "openai": ("gpt-", "o3", "o4"),
    "anthropic": ("claude-",),
    "google": ("gemini-",),
}
"""Providers that sell their own models, by how those are called."""
