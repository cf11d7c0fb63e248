"""Synthetic maps: the same bytes for ever, within their bounds, of text that is named."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmark import registry
from benchmark.chance import Chance
from benchmark.outcome import Ok
from benchmark.records import digest_json
from scenarios.tree_styles import Style
from scenarios.trees import Node, from_json
from sources.corpus import load
from sources.synthetic_mindmaps import SyntheticMindmaps, make_map
from sources.synthetic_styles import CIRCO_NODES, random_style
from tests.contracts.source_contract import SourceContract

MAPS = [make_map(language, 0, number) for language in ("en", "zh") for number in range(150)]


class TestContract(SourceContract):
    source = SyntheticMindmaps()


def digest(seed: int) -> str:
    made = [make_map(language, seed, number) for language in ("en", "zh") for number in range(20)]
    parts = {"id", "subset", "truth", "attributes"}
    return digest_json([one.model_dump(mode="json", include=parts) for one in made])


def tree_of(material) -> Node:
    tree = from_json(json.loads(material.truth))
    assert isinstance(tree, Ok)
    return tree.value


def test_the_bytes_are_those_that_were_written_down():
    """Whoever changes a map raises ``VERSION`` and writes the new digest here."""
    assert digest(1) == "be1aafaee09df8975c7117d194eee98493b0e33aa74920a26fa77b3e120c18c7"


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_the_hash_seed_changes_nothing(hash_seed):
    program = "from tests.sources.test_synthetic_mindmaps import digest; print(digest(2))"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": hash_seed, "PATH": ""}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert told.stdout.strip() == digest(2)


def test_every_map_is_its_own():
    truths = {make_map("en", seed, number).truth for seed in (0, 1) for number in range(40)}
    assert len(truths) == 80


def test_trees_have_their_bounds_and_use_them():
    sizes, depths, breadths = Counter(), Counter(), Counter()
    for material in MAPS:
        nodes = list(tree_of(material).walk())
        sizes[len(nodes)] += 1
        depths[max(depth for depth, _ in nodes) + 1] += 1
        breadths[max(len(node.children) for _, node in nodes)] += 1
        assert material.attributes["nodes"] == len(nodes)
    assert min(sizes) <= 7
    assert 5 <= min(sizes) <= max(sizes) <= 60
    assert max(sizes) >= 58
    assert {2, 3, 4, 5, 6, 7} == set(depths)
    assert {2, 3, 4, 5, 6, 7, 8, 9} <= set(breadths)


def test_texts_are_unique_in_a_map_and_of_its_language():
    wide = Counter()
    for material in MAPS:
        texts = [node.text for _, node in tree_of(material).walk()]
        assert len(set(texts)) == len(texts)
        wide[material.subset] += sum(any("一" <= c <= "鿿" for c in text) for text in texts)
        wide[material.subset, "all"] += len(texts)
    assert wide["en"] == 0
    assert wide["zh"] > 0.95 * wide["zh", "all"]


def test_every_truth_is_a_perfect_answer():
    scenario = registry.scenarios.get("mindmap")
    for material in MAPS:
        read = scenario.read(material.truth)
        assert isinstance(read, Ok)
        assert (read.value.repairs, read.value.flags) == ((), ())
        assert read.value.tree == json.loads(material.truth)


def test_styles_are_styles_and_vary():
    styles = [Style.model_validate(material.attributes["style"]) for material in MAPS]
    for material, style in zip(MAPS, styles, strict=True):
        assert json.loads(json.dumps(material.attributes["style"])) == material.attributes["style"]
        if style.engine == "circo":
            assert material.attributes["nodes"] <= CIRCO_NODES
        if material.subset == "zh":
            assert "CJK" in style.font
    assert {style.engine for style in styles} == {"dot", "neato", "twopi", "circo", "sfdp"}
    assert {style.direction for style in styles} == {"LR", "RL", "TB", "BT"}
    assert len({level.shape for style in styles for level in style.levels}) >= 20
    assert len({style.font for style in styles}) >= 15
    assert len({style.edges.arrow for style in styles}) >= 12
    assert len({style.root.dark for style in styles}) > 100
    papered = sum("pattern" in style.backdrop for style in styles)
    noisy = sum("noise" in style.backdrop for style in styles)
    assert 90 < papered < 180
    assert 80 < noisy < 160


def test_colours_are_readable():
    """White on dark, black on light, lines on white: at least 3 to 1, as WCAG 2 measures it."""
    for number in range(300):
        style = Style.model_validate(random_style(Chance("colours", number), "en", 20))
        for hue in (style.root, *style.hues):
            assert (1.05 / (_light(hue.dark) + 0.05)) >= 3
            assert ((_light(hue.light) + 0.05) / 0.05) >= 7


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_corpus_names_its_works_and_is_long_enough(language):
    corpus = load(language)
    assert all(any(year in work for year in "0123456789先魏晋唐宋") for work in corpus.works)
    assert sum(map(len, corpus.passages)) > (1500 if language == "en" else 2000)
    assert len(set(corpus.topics)) == len(corpus.topics) > 80
