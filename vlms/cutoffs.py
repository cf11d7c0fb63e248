"""Until when models were trained, as their makers publish it.

Only what is in a maker's own model card or documentation; where that names two days (reliable
knowledge, training data) the later one, where it names a month its last day, so that material is
called new to a model only when it surely is. A model that is not in the table, or whose maker says
nothing (Qwen, Mistral, Pixtral and others), is unknown, and stays so: a model's own word about
itself is no source. The training of a later snapshot under the same name may have gone further.

The days of Meta's models, of GPT-4o and of Gemini 2.0 and 3 were read on the makers' own pages,
the others in lists that quote those pages (August 2026).
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

CHECKED = dt.date(2026, 11, 30)
"""When the table was last looked over."""

_OPENAI = "https://developers.openai.com/api/docs/models/"
_ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/models/overview"
_GOOGLE = "https://ai.google.dev/gemini-api/docs/models/"
_META = "https://github.com/meta-llama/llama-models/blob/main/models/"


@dataclass(frozen=True)
class Cutoff:
    """The end of a model's training data."""

    model: str
    """Pattern of the names, in lower case with dashes, without provider and date."""
    day: dt.date
    """The last day; the end of the month where only that was published."""
    source: str
    """Page of the maker."""


CUTOFFS = (
    Cutoff("gpt-4-turbo", dt.date(2023, 12, 1), f"{_OPENAI}gpt-4-turbo"),
    Cutoff("gpt-4o(?:-mini)?", dt.date(2023, 10, 1), f"{_OPENAI}gpt-4o"),
    Cutoff("gpt-4-1(?:-mini|-nano)?", dt.date(2024, 6, 1), f"{_OPENAI}gpt-4.1"),
    Cutoff("o3", dt.date(2024, 6, 1), f"{_OPENAI}o3"),
    Cutoff("gpt-5", dt.date(2024, 9, 30), f"{_OPENAI}gpt-5"),
    Cutoff("gpt-5-6-(?:sol|terra|luna)", dt.date(2026, 2, 16), f"{_OPENAI}gpt-5.6-sol"),
    Cutoff("claude-(?:3-opus|opus-3)", dt.date(2023, 8, 31), _ANTHROPIC),
    Cutoff("claude-(?:sonnet|haiku)-4-5", dt.date(2025, 7, 31), _ANTHROPIC),
    Cutoff("claude-opus-4-[56]", dt.date(2025, 8, 31), _ANTHROPIC),
    Cutoff("claude-sonnet-4-6", dt.date(2026, 1, 31), _ANTHROPIC),
    Cutoff("claude-opus-4-[78]", dt.date(2026, 1, 31), _ANTHROPIC),
    Cutoff("claude-(?:sonnet|fable)-5", dt.date(2026, 1, 31), _ANTHROPIC),
    Cutoff("claude-opus-5", dt.date(2026, 5, 31), _ANTHROPIC),
    Cutoff("gemini-2-0-flash", dt.date(2024, 8, 31), f"{_GOOGLE}gemini-2.0-flash"),
    Cutoff("gemini-2-5-(?:pro|flash)", dt.date(2025, 1, 31), f"{_GOOGLE}gemini-2.5-pro"),
    Cutoff("gemini-2-5-flash-lite", dt.date(2025, 1, 31), f"{_GOOGLE}gemini-2.5-flash-lite"),
    Cutoff("gemini-3-pro", dt.date(2025, 1, 31), f"{_GOOGLE}gemini-3-pro-preview"),
    Cutoff("gemini-3-1-pro", dt.date(2025, 1, 31), f"{_GOOGLE}gemini-3.1-pro-preview"),
    Cutoff(
        "llama-3-2-(?:11b|90b)-vision(?:-instruct)?",
        dt.date(2023, 12, 31),
        f"{_META}llama3_2/MODEL_CARD_VISION.md",
    ),
    Cutoff(
        "llama-4-(?:scout|maverick)(?:-17b-(?:16|128)e)?(?:-instruct)?(?:-fp8)?",
        dt.date(2024, 8, 31),
        f"{_META}llama4/MODEL_CARD.md",
    ),
)
"""In the order of makers; no two patterns match one name."""

_SUFFIX = re.compile(
    r"(?:-latest|-preview|-v[0-9](?:-[0-9])?|-(?:19|20)[0-9]{6}|-20[0-9]{2}-[0-9]{2}-[0-9]{2}"
    r"|-[0-9]{2}-[0-9]{2}|-[0-9]{2}-20[0-9]{2}|-00[0-9])+$"
)
"""What providers add to a name: a date, a version, ``-latest``."""


def find(name: str) -> Cutoff | None:
    """Return what is published of a model's training data.

    Args:
        name: as models are named here and by providers, e.g. ``openai/gpt-4o-2024-08-06``,
            ``bedrock/anthropic.claude-opus-4-5-20251101-v1:0``,
            ``together/meta-llama/Llama-4-Scout-17B-16E-Instruct``.

    Returns:
        None where nothing is known.
    """
    last = name.lower().rpartition("/")[2]
    last = re.sub(r"^(?:[a-z]{2,6}\.)?(?:anthropic|meta|openai|google)\.", "", last)
    plain = re.sub(r"[^a-z0-9]+", "-", last).strip("-")
    names = (plain, _SUFFIX.sub("", plain))
    for cutoff in CUTOFFS:
        if any(re.fullmatch(cutoff.model, each) for each in names):
            return cutoff
    return None


def cutoff(name: str) -> dt.date | None:
    """Return the last day of a model's training data; None where its maker has published none."""
    found = find(name)
    return None if found is None else found.day
