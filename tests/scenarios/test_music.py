"""The music scenario and its bundled pieces."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from renderers.lilypond import LilypondRenderer
from scenarios.music import Music
from tests.contracts.scenario_contract import ScenarioContract
from tests.scenarios import reading
from tests.scenarios.containers import ready, rendered

PIECES = sorted((Path(__file__).parents[2] / "sources" / "material" / "music").glob("*/*.ly"))
SCENARIO = Music()
read = partial(reading.read, SCENARIO)


@pytest.fixture(scope="module")
def renderer():
    yield from ready(LilypondRenderer())


class TestContract(ScenarioContract):
    scenario = SCENARIO
    sample = '\\version "2.24.0"\n\\relative c\' { c4 d e f }'


def test_every_subset_has_bundled_pieces():
    subsets = [path.parent.name for path in PIECES]
    assert set(subsets) == set(SCENARIO.subsets) - {"scan"}
    assert all(subsets.count(subset) >= 2 for subset in set(subsets))
    assert len(PIECES) >= 10


@pytest.mark.parametrize("path", PIECES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_bundled_piece_renders_cleanly(path, renderer):
    truth = path.read_text(encoding="utf-8")
    answer, picture = rendered(SCENARIO, renderer, read(truth))
    assert answer.repairs == ()
    assert answer.flags == picture.flags == ()
    assert picture.pages == 1
    assert "warning" not in picture.log.lower()
    fenced = read(f"Here is the music:\n\n```lilypond\n{truth}```\n")
    assert fenced.structure.digest == answer.structure.digest


def test_blank_renders_and_is_small(renderer):
    answer, picture = rendered(SCENARIO, renderer, read(SCENARIO.blank()))
    assert answer.flags == picture.flags == ()
    assert picture.width < 300
