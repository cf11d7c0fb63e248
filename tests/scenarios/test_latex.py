"""The LaTeX scenario: hard cases by the whole road, security first, and the bundled pieces."""

from __future__ import annotations

from functools import partial

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Asset, Picture
from flows.road import with_assets
from renderers import canvas
from renderers.tex import TexRenderer
from scenarios.latex import Latex
from scenarios.roundtrip import render_answer
from sources.bundled import FOLDER, Bundled
from tests.cases import case_input, case_params, hard_cases
from tests.contracts.scenario_contract import ScenarioContract, instance
from tests.scenarios import reading
from tests.scenarios.containers import ready, rendered

SCENARIO = Latex()
read = partial(reading.read, SCENARIO)
PIECES = sorted((FOLDER / "latex").glob("*/*.tex"))
FIGURES = [
    outcome.value
    for outcome in Bundled().collect()
    if outcome.value.scenario == "latex" and outcome.value.subset == "figure"
]

FAILURES = {
    "latex-010": (Kind.COMPILE_ERROR, "Dimension too large"),
    "latex-012": (Kind.MISSING_RESOURCE, "nosuchpkgzz"),
    "latex-015": (Kind.COMPILE_ERROR, "Missing number"),
    "latex-016": (Kind.RESOURCE_LIMIT, "main memory"),
    "latex-018": (Kind.RESOURCE_LIMIT, "pages"),
    "latex-019": (Kind.UNSAFE_INPUT, "/etc/passwd"),
    "latex-022": (Kind.COMPILE_ERROR, "|id"),
    "latex-025": (Kind.UNSAFE_INPUT, "Lua"),
    "latex-027": (Kind.EMPTY_RENDER, "no page"),
    "latex-028": (Kind.EMPTY_RENDER, "nothing is visible"),
}
"""What the failing cases fail with."""

REPAIRS = {
    "latex-001": "formula set as display mathematics",
    "latex-003": "outer mathematics mode dropped",
    "latex-004": "special characters in prose escaped",
    "latex-006": "set with XeLaTeX, which has the characters",
    "latex-013": "open environments and groups closed",
    "latex-030": "TikZ libraries loaded: shapes.symbols, positioning",
    "latex-034": "blank lines in displayed mathematics removed",
    "latex-036": "documentstyle rewritten to documentclass",
}
"""Repairs that the rendered cases must record."""


@pytest.fixture(scope="module")
def renderer():
    yield from ready(TexRenderer())


def text_of(renderer, text: str) -> Picture:
    return rendered(SCENARIO, renderer, read(text))[1]


class TestContract(ScenarioContract):
    scenario = SCENARIO
    sample = (
        "\\documentclass{article}\n\\pagestyle{empty}\n\\begin{document}\n\\[ x^2 \\]\n"
        "\\end{document}\n"
    )


class TestHardCases:
    def test_all_are_here(self):
        assert len(hard_cases("latex")) in (0, 24)

    @pytest.mark.parametrize(
        "case", sorted(case_params("latex"), key=lambda param: not param.values[0].get("security"))
    )
    def test_case(self, renderer, case):
        answer = read(case["input"])
        outcome = render_answer(SCENARIO, renderer, answer)
        if case["id"] in FAILURES:
            kind, words = FAILURES[case["id"]]
            assert isinstance(outcome, Failed), outcome.value[0].repairs
            assert (outcome.kind, words in outcome.message) == (kind, True), outcome
            assert "root:" not in outcome.message + outcome.detail
            return
        assert isinstance(outcome, Ok), outcome
        repaired, picture = outcome.value
        assert REPAIRS.get(case["id"], "") in (*repaired.repairs, "")
        if picture.pages == 1:
            assert picture.flags == ()
        assert "root:" not in picture.log

    def test_bare_formula_has_one_repair_and_looks_as_displayed(self, renderer):
        answer, picture = rendered(SCENARIO, renderer, read(case_input("latex-001")))
        assert len(answer.repairs) == 2
        assert picture.png == text_of(renderer, "\\[E = mc^2 + \\frac{a}{b}\\]").png

    def test_currency_is_prose(self, renderer):
        picture = text_of(renderer, case_input("latex-004"))
        escaped = "Tickets: \\$12 for a child and \\$20 for an adult, file sales\\_2024."
        assert picture.png == text_of(renderer, escaped).png

    def test_shell_escape_only_prints(self, renderer):
        assert text_of(renderer, case_input("latex-021")).png == text_of(renderer, " done").png

    def test_cut_off_is_flagged(self):
        flags = read(case_input("latex-013")).flags
        assert [flag.kind for flag in flags] == [Kind.TRUNCATED]

    def test_b_is_right_of_a(self, renderer):
        picture = text_of(renderer, case_input("latex-030"))
        assert picture.width > 1.5 * picture.height

    def test_all_three_pages(self, renderer):
        picture = text_of(renderer, case_input("latex-033"))
        assert picture.pages == 3
        assert picture.height > 3500


class TestPrompts:
    @pytest.mark.parametrize("subset", SCENARIO.subsets)
    def test_says_what_the_renderer_accepts(self, subset):
        prompt = SCENARIO.prompt(instance(SCENARIO, subset))
        assert "{" + "subject}" not in prompt
        assert "{items}" not in prompt
        assert "{files}" not in prompt
        for words in ("snippet", "document", "one code block", "no files", "amsmath"):
            assert words in prompt

    def test_each_subset_has_its_own(self):
        prompts = {SCENARIO.prompt(instance(SCENARIO, subset)) for subset in SCENARIO.subsets}
        assert len(prompts) == len(SCENARIO.subsets)

    def test_names_the_files_that_come_with_a_figure(self):
        alone = instance(SCENARIO, "figure")
        assets = tuple(Asset(path=f"figure{n}.png", digest="0" * 64) for n in (1, 2))
        prompt = SCENARIO.prompt(alone.model_copy(update={"assets": assets}))
        assert "figure1.png, figure2.png" in prompt
        assert "no files" not in prompt
        assert "{paths}" not in prompt


class TestBlank:
    def test_renders_nearly_nothing(self, renderer):
        answer, picture = rendered(SCENARIO, renderer, read(SCENARIO.blank()))
        assert answer.text == "."
        array = canvas.decode(picture.png).value
        assert 0 < (array < canvas.VISIBLE).any(axis=2).sum() < 50


class TestBundledPieces:
    def test_at_least_six_of_each_subset(self):
        others = {"wild", "figure"}  # found as pictures, never bundled; kept in folders
        for subset in set(SCENARIO.subsets) - others:
            assert len([path for path in PIECES if path.parent.name == subset]) >= 6

    @pytest.mark.parametrize("path", PIECES, ids=lambda path: path.stem)
    def test_renders_as_written(self, renderer, path):
        answer = read(path.read_text("utf-8"))
        assert answer.repairs == ("preamble supplied",)
        rendered_answer, picture = rendered(SCENARIO, renderer, answer)
        assert rendered_answer == answer
        assert picture.pages == 1
        assert picture.flags == ()
        assert "Overfull" not in picture.log

    @pytest.mark.parametrize("material", FIGURES, ids=lambda material: material.id)
    def test_figures_render_with_their_files(self, renderer, material):
        assert len(FIGURES) >= 3
        answer = read(material.truth)
        assert answer.repairs == ("preamble supplied",)
        whole = with_assets(answer, material.assets)
        rendered_answer, picture = rendered(SCENARIO, renderer, whole)
        assert rendered_answer == whole
        assert (picture.pages, picture.flags) == (1, ())
        assert "Overfull" not in picture.log
        bare = render_answer(SCENARIO, renderer, answer)
        assert isinstance(bare, Failed)
        assert bare.kind is Kind.MISSING_RESOURCE

    def test_a_blank_answer_to_a_figure_is_blank(self, renderer):
        blank = read(SCENARIO.blank())
        with_files = with_assets(blank, FIGURES[0].assets)
        pictures = [rendered(SCENARIO, renderer, answer)[1] for answer in (blank, with_files)]
        assert pictures[0].png == pictures[1].png

    def test_comments_do_not_matter(self, renderer):
        text = PIECES[0].read_text("utf-8")
        bare = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
        assert text != bare
        assert read(text).text == read(bare).text
        assert text_of(renderer, text).png == text_of(renderer, bare).png
