"""Web pages and Jekyll sites in their containers: the contract and the hard cases."""

from __future__ import annotations

import json

import pytest

from benchmark.outcome import Failed, Ok
from benchmark.records import Structure
from tests.cases import case_params
from tests.contracts.renderer_contract import RendererContract, render
from tests.pictures import flagged, has_colour
from tests.renderers.web_sites import JEKYLL, QuickRenderer, page, site
from tests.roads import HurriedWeb

READ_ELSEWHERE = {"web-013", "web-031", "web-033"}
"""The reader refuses these before anything is rendered (tests/scenarios/test_webpage.py)."""


class TestWebContract(RendererContract):
    factory = QuickRenderer
    hurried = HurriedWeb
    good = page('<link rel=stylesheet href="a.css"><h1>Hello</h1>', a_dot_css="h1 { color: red }")
    broken = page("---\n---\n<p>{{1..3},{7..9}}</p>")
    empty = page("<p style='color: white'>unseen</p>")
    endless = page("<h1>loop</h1><script>while (true) {}</script>")


class TestJekyllContract(RendererContract):
    factory = QuickRenderer
    hurried = HurriedWeb
    good = JEKYLL
    broken = site(
        index_dot_html="---\n---\n<p>x", s_dot_scss="---\n---\nh1 { color: $undefined; }\n"
    )
    empty = page("---\n---\n<!-- {{ site.time }} -->")
    endless = page("---\n---\n{% for i in (1..900000000) %}{{ i }}{% endfor %}")


EXPECTED = {
    "web-001": "compile_error: Variable '{{1..3}'",
    "web-003": "rendered",
    "web-004": "rendered",
    "web-006": "flagged: plug-in 'jekyll-feed-zz'",
    "web-007": "flagged: Layout 'default'",
    "web-009": "compile_error: _posts/2024-01-02-a.md",
    "web-010": "flagged: yaml_error",
    "web-012": "rendered",
    "web-015": "timeout: ",
    "web-016": "rendered",
    "web-018": "flagged: blocked_requests=1 (fonts.example)",
    "web-019": "flagged: blocked_requests=1 (slow.example)",
    "web-021": "rendered",
    "web-022": "rendered",
    "web-024": "flagged: blocked_navigations (http://evil.example/x)",
    "web-025": "flagged: blocked_navigations",
    "web-027": "rendered",
    "web-028": "resource_limit timeout: ",
    "web-030": "rendered",
    "web-034": "rendered",
    "web-036": "compile_error: _data/x.yml",
}
SAME_AS = {
    "web-006": "<h1>ok</h1>",
    "web-007": "<p>hi</p>",
    "web-010": "<p>hi</p>",
    "web-012": "x",
    "web-016": "<h1>before</h1><p>after</p>",
    "web-019": "<img src=none.png><h1>hi</h1>",
    "web-021": "<h1>a</h1>",
    "web-022": "<h1>a</h1><iframe src=none width=700 height=300></iframe>",
    "web-024": "<h1>a</h1>",
    "web-025": "<h1>x</h1>",
    "web-030": "<p>hi",
    "web-034": "<h1>Home</h1>",
}
"""Harmless pages that must look the same as the hostile ones."""


def of_case(case) -> Structure:
    if case["input_kind"] == "html":
        return page(case["input"])
    files = {item["filename"]: item["content"].encode() for item in json.loads(case["input"])}
    entry = next((name for name in ("index.html", "index.md") if name in files), None)
    return Structure(files=files, entry=entry or next(iter(files)))


@pytest.mark.parametrize("case", case_params("web"))
def test_a_hard_case_ends_as_expected(web, hurried_web, case):
    if case["id"] in READ_ELSEWHERE:
        pytest.skip("refused by the reader, tested there")
    kinds, _, text = EXPECTED[case["id"]].partition(": ")
    chosen = hurried_web if "timeout" in kinds else web
    outcome = chosen.render(of_case(case))
    if kinds in ("rendered", "flagged"):
        assert isinstance(outcome, Ok), outcome
        picture = outcome.value
        assert (picture.width, picture.height) == (1920, 1080)
        assert (kinds == "flagged") == bool(picture.flags), picture.flags
        assert not text or flagged(picture, text)
        if case["id"] in SAME_AS:
            assert picture.png == render(web, page(SAME_AS[case["id"]])).png
    else:
        assert isinstance(outcome, Failed), outcome
        assert outcome.kind in kinds.split()
        assert text in outcome.message
    if "timeout" in kinds:
        assert render(chosen, page("<p>next")).png == render(chosen, page("<p>next")).png


def test_hard_cases_are_all_here():
    known = {param.values[0].get("id") for param in case_params("web")} - {None}
    assert known <= set(EXPECTED) | READ_ELSEWHERE


def test_files_of_folders_with_underscores_are_served_without_jekyll(web):
    structure = page("<link rel=stylesheet href=_next/app.css><h1>x</h1>")
    files = {**structure.files, "_next/app.css": b"h1 { background: rgb(1, 2, 3) }"}
    assert has_colour(render(web, structure.model_copy(update={"files": files})), (1, 2, 3))


def test_liquid_braces_without_front_matter_stay_as_they_are(web):
    braces = render(web, page("<p>{{1..3},{7..9}}</p>"))
    escaped = render(web, page("<p>&#123;&#123;1..3},{7..9}}</p>"))
    assert braces.png == escaped.png
    assert braces.flags == ()
