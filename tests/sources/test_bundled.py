import re
from collections import Counter

import pytest

from benchmark import registry
from benchmark.outcome import Ok
from sources.bundled import WRITTEN, Bundled

MATERIAL = [outcome.value for outcome in Bundled().collect()]


def test_there_is_enough_of_each_kind():
    scenarios = Counter(material.scenario for material in MATERIAL)
    assert scenarios["webpage"] >= 12
    assert scenarios["latex"] >= 24
    assert scenarios["music"] >= 10
    assert scenarios["mindmap"] >= 12
    subsets = Counter((material.scenario, material.subset) for material in MATERIAL)
    for name in Bundled.scenarios:
        for subset in set(registry.scenarios.get(name).subsets) - {"wild", "scan"}:  # pictures only
            assert subsets[name, subset] >= 2, (name, subset)
    assert subsets["latex", "figure"] >= 3
    assert all(subsets["latex", s] >= 6 for s in ("equation", "table", "algorithm", "plot"))


def test_every_piece_is_ours_and_has_its_own_name():
    assert len({material.id for material in MATERIAL}) == len(MATERIAL)
    assert {material.provenance.licence for material in MATERIAL} == {"CC0-1.0"}


@pytest.mark.parametrize("material", MATERIAL, ids=lambda material: material.id)
def test_every_truth_is_a_perfect_answer(material):
    read = registry.scenarios.get(material.scenario).read(material.truth)
    assert isinstance(read, Ok), read
    assert read.value.flags == ()
    assert set(read.value.repairs) <= {"preamble supplied"}


def test_pages_have_sites_of_every_sort():
    pages = [material for material in MATERIAL if material.scenario == "webpage"]
    assert sum("_layouts/" in page.truth for page in pages) >= 2, "Jekyll"
    assert sum("_data/" in page.truth for page in pages) >= 1
    assert sum("_posts/" in page.truth for page in pages) >= 1
    assert sum(".scss" in page.truth for page in pages) >= 1
    assert sum(bool(page.assets) for page in pages) >= 2, "with pictures"


def test_figures_come_with_the_pictures_that_they_show():
    figures = [material for material in MATERIAL if material.subset == "figure"]
    for figure in figures:
        shown = re.findall(r"\\includegraphics\[.*?\]\{(.*?)\}", figure.truth)
        assert sorted(shown) == sorted(figure.assets)
    assert not any(m.assets for m in MATERIAL if m.scenario == "latex" and m not in figures)


def test_maps_are_small_and_large():
    sizes = [m.truth.count('"text"') for m in MATERIAL if m.scenario == "mindmap"]
    assert min(sizes) >= 5
    assert 50 <= max(sizes) <= 80


def test_a_limit_is_shared_among_the_subsets():
    few = [outcome.value for outcome in Bundled().collect(limit=4)]
    assert Counter(m.scenario for m in few) == dict.fromkeys(Bundled.scenarios, 4)
    assert len({m.subset for m in few if m.scenario == "latex"}) == 4


def test_since_leaves_out_what_is_older():
    assert list(Bundled().collect(since=WRITTEN.replace(year=WRITTEN.year + 1))) == []
    assert len(list(Bundled().collect(since=WRITTEN))) == len(MATERIAL)
