"""What may be spent on asking models, and what happens when it is spent."""

import pytest

from benchmark.outcome import Kind
from benchmark.records import Usage
from flows.budget import Budget, BudgetError, budget
from vlms.prices import Price, price

MILLION = Usage(input_tokens=1_000_000, output_tokens=1_000_000)


def test_tokens_of_all_models_count_together():
    spent = Budget(most_tokens=10)
    spent.spend("a", Usage(input_tokens=4, output_tokens=2, reasoning_tokens=1))
    assert spent.ended() is None
    spent.spend("b", Usage(input_tokens=3, output_tokens=1))
    ended = spent.ended()
    assert ended.kind is Kind.QUOTA
    assert not ended.final, "another run may go on"
    assert "10 of 10 tokens" in ended.message
    assert "--max-tokens" in ended.message


def test_money_is_counted_by_the_price_of_each_model():
    spent = Budget(most_cost=6.0, prices={"a": Price(1.0, 4.0)})
    spent.spend("a", MILLION)
    assert spent.cost == 5.0
    assert spent.ended() is None
    spent.spend("a", Usage(input_tokens=1_000_000))
    assert "$6.00 of $6.00" in spent.ended().message


def test_without_a_bound_it_never_ends():
    spent = Budget()
    spent.spend("a", MILLION)
    assert spent.ended() is None


def test_money_cannot_be_bounded_where_a_price_is_unknown():
    asked = {"most_tokens": None, "own_prices": {}}
    with pytest.raises(BudgetError, match="price of local/nobody is not known"):
        budget(["oracle", "openai/gpt-4o", "local/nobody"], most_cost=1.0, **asked)
    assert budget(["local/nobody"], most_cost=None, **asked).ended() is None
    own = {"most_tokens": None, "own_prices": {"local/nobody": (0.0, 0.5)}}
    assert budget(["local/nobody"], most_cost=1.0, **own).prices == {
        "local/nobody": Price(0.0, 0.5)
    }


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("openai/gpt-4o", True),
        ("openai/gpt-4o-2024-08-06", True),
        ("anthropic/claude-sonnet-4-5-20250929", True),
        ("google/gemini-2.5-pro", True),
        ("openrouter/openai/gpt-4o", False),
        ("azureai/gpt-4o", False),
        ("openai/gpt-4o-something-else", False),
        ("openai/claude-sonnet-4-5", False),
        ("oracle", False),
    ],
)
def test_only_a_makers_own_list_price_is_known(name, known):
    assert (price(name) is not None) is known


def test_your_own_price_comes_first():
    assert price("openai/gpt-4o", {"openai/gpt-4o": (7.0, 8.0)}) == Price(7.0, 8.0)
