"""Every site that the sources name is known before anybody asks it."""

import ast
from pathlib import Path

import sources
from benchmark.settings import Settings
from sources.known_sites import known_sites


def named_in_code():
    """Return the names that sources give to sites, read from their code."""
    for path in Path(sources.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Site":
                given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "name")]
                yield from (each.value for each in given if isinstance(each, ast.Constant))


def test_all_sites_that_sources_name_are_known():
    named = set(named_in_code())
    assert {"arxiv", "imslp", "github"} <= named, "the search itself works"
    assert {site.name for site in known_sites(Settings())} == named


def test_one_name_stands_for_one_pace():
    sites = known_sites(Settings())
    assert len({site.name for site in sites}) == len(sites)
    assert all(site.interval > 0 for site in sites)
