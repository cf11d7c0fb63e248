"""Training cut-offs: found by any usual spelling of a name, unknown stays unknown."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlms.cutoffs import CHECKED, CUTOFFS, cutoff, find

KNOWN = {
    "openai/gpt-4o-2024-08-06": dt.date(2023, 10, 1),
    "openai/gpt-4o": dt.date(2023, 10, 1),
    "openai/gpt-4.1-mini": dt.date(2024, 6, 1),
    "openai/gpt-5-2025-08-07": dt.date(2024, 9, 30),
    "openai/gpt-5.6-sol": dt.date(2026, 2, 16),
    "anthropic/claude-opus-4-5-20251101": dt.date(2025, 8, 31),
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0": dt.date(2025, 7, 31),
    "vertex/claude-haiku-4-5@20251001": dt.date(2025, 7, 31),
    "openrouter/anthropic/claude-opus-4.7": dt.date(2026, 1, 31),
    "anthropic/claude-3-opus-latest": dt.date(2023, 8, 31),
    "google/gemini-2.5-pro": dt.date(2025, 1, 31),
    "google/gemini-2.5-flash-lite-preview-09-2025": dt.date(2025, 1, 31),
    "google/gemini-2.0-flash-001": dt.date(2024, 8, 31),
    "google/gemini-3-pro-preview": dt.date(2025, 1, 31),
    "together/meta-llama/Llama-3.2-90B-Vision-Instruct": dt.date(2023, 12, 31),
    "hf/meta-llama/Llama-4-Scout-17B-16E-Instruct": dt.date(2024, 8, 31),
}


@pytest.mark.parametrize(("name", "day"), KNOWN.items())
def test_the_makers_day_is_found_by_any_spelling(name, day):
    assert cutoff(name) == day


@pytest.mark.parametrize(
    "name",
    ["", "oracle", "blank", "ocr", "openai/gpt-4o-realtime", "openai/gpt-5.1", "openai/gpt-6",
     "openai/gpt-5-mini", "anthropic/claude-opus-6", "qwen/qwen2.5-vl-72b-instruct",
     "mistral/pixtral-large-2411", "my-gpt-4o", "google/gemini-9-pro", "ollama/llama3.2-vision"],
)  # fmt: skip
def test_unknown_stays_unknown(name):
    assert cutoff(name) is None


def test_every_row_names_a_page_and_a_day_that_has_been():
    for row in CUTOFFS:
        assert row.source.startswith("https://")
        assert dt.date(2020, 1, 1) < row.day < CHECKED
        re.compile(row.model)


def test_no_name_has_two_rows():
    for name in KNOWN:
        found = find(name)
        assert found is not None
        others = [row for row in CUTOFFS if row is not found]
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower().rpartition("/")[2])
        assert not any(re.fullmatch(row.model, plain) for row in others)


@given(st.text(max_size=60))
@settings(derandomize=True, deadline=None)
def test_any_name_has_an_answer(name):
    assert cutoff(name) == cutoff(name.upper().lower())
