"""Graphviz in its container: absurd graphs, partial pictures, foreign files, real graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark.outcome import Kind
from benchmark.records import Structure
from renderers import canvas
from renderers.graphviz import LAYOUTS, MAX_NODES, GraphvizRenderer
from renderers.sandbox import Limits
from tests.cases import SHARED, case_params, input_text
from tests.contracts.renderer_contract import RendererContract, fail, render
from tests.renderers.hostile_logs import read_in_time
from tests.roads import HURRY

READ_ELSEWHERE = {"dot-004", "dot-006", "dot-013"}
"""Names that were split silently, curly quotes and Mermaid are found when the text is read."""


def graph(text: str, **options) -> Structure:
    return Structure(files={"g.dot": text.encode()}, entry="g.dot", options=options)


def web(nodes: int, each: int) -> str:
    """A sparse graph whose layout takes far too long."""
    edges = (f"n{i} -> n{(i * 7 + k * 13) % nodes};" for i in range(nodes) for k in range(each))
    return "digraph g {" + "\n".join(edges) + "}"


class HurriedRenderer(GraphvizRenderer):
    """For a layout that never ends."""

    limits = Limits(seconds=HURRY, memory_mb=512)


class TestGraphvizContract(RendererContract):
    factory = GraphvizRenderer
    hurried = HurriedRenderer
    good = graph('digraph g { a [label="Start"]; a -> b -> c; a -> c }')
    broken = graph("digraph g { a -> -> b }")
    empty = graph("digraph g { }")
    endless = graph(web(1200, 4))


@pytest.fixture(scope="module")
def renderer():
    with GraphvizRenderer() as renderer:
        yield renderer


EXPECTED = {
    "dot-001": "compile_error",
    "dot-003": "compile_error",
    "dot-007": "partial:compile_error",
    "dot-009": "resource_limit",
    "dot-010": "clamped",
    "dot-012": "partial:unsupported",
    "dot-015": "compile_error",
    "dot-016": "compile_error",
    "dot-018": "rendered",
    "dot-019": "empty_render",
}


@pytest.mark.parametrize("case", case_params("graphviz"))
def test_hard_cases(renderer, case, tmp_path):
    if case["input_kind"] == "completion" or case["id"] in READ_ELSEWHERE:
        pytest.skip("belongs to the reading and repair of answers")
    text = input_text(case, tmp_path)
    expected = EXPECTED[case["id"]]
    if expected == "rendered":
        assert render(renderer, graph(text)).flags == ()
    elif expected == "clamped":
        picture = render(renderer, graph(text))
        assert picture.width * picture.height <= canvas.MAX_PIXELS
    elif expected.startswith("partial:"):
        kinds = [flag.kind for flag in render(renderer, graph(text)).flags]
        assert kinds == [expected.partition(":")[2]]
    else:
        assert fail(renderer, graph(text)).kind == expected


def test_no_log_stops_the_process():
    pieces = ("\n", "1 ", "is too large for ", "Error: ", "Warning: No such file ", '"', "\t")
    logs = [piece * (300_000 // len(piece)) for piece in pieces]
    logs += ["Warning: No such file" + '"' * 300_000, " \n" * 150_000]
    read_in_time("graphviz", "graphviz._read_errors(log)", logs)


def test_files_outside_the_job_are_not_opened(renderer):
    dot = render(renderer, graph("digraph { a }")).png
    inside = Structure(
        files={"g.dot": b'digraph { a [image="img/in.png"] }', "img/in.png": dot}, entry="g.dot"
    )
    assert render(renderer, inside).flags == ()
    assert render(renderer, inside).width > render(renderer, graph("digraph { a }")).width
    for path in ("/usr/share/pixmaps/x.png", "../../etc/passwd", "/etc/passwd", "none.png"):
        for attribute in ("image", "shape=epsf, shapefile"):
            flags = render(renderer, graph(f'digraph {{ b; a [{attribute}="{path}"] }}')).flags
            assert [flag.kind for flag in flags][:1] == [Kind.MISSING_RESOURCE], path


def test_imagepath_opens_no_other_folder(renderer):
    text = 'digraph { imagepath="/usr/share"; a [image="pixmaps/debian-logo.png"] }'
    kinds = [flag.kind for flag in render(renderer, graph(text)).flags]
    assert kinds == [Kind.MISSING_RESOURCE]


def test_an_entry_that_looks_like_an_option_is_a_file(renderer):
    structure = Structure(files={"-Tsvg": b"digraph { a }"}, entry="-Tsvg")
    assert render(renderer, structure).png == render(renderer, graph("digraph { a }")).png


def test_too_many_nodes_are_refused_before_the_layout(renderer):
    text = "graph {" + ";".join(f"n{i}" for i in range(MAX_NODES + 1)) + "}"
    failure = fail(renderer, graph(text))
    assert failure.kind is Kind.RESOURCE_LIMIT
    assert str(MAX_NODES + 1) in failure.message


def test_a_picture_that_is_too_large_is_refused(renderer):
    failure = fail(renderer, graph('digraph { size="400,400!"; a -> b }'))
    assert failure.kind is Kind.RESOURCE_LIMIT


def test_the_first_of_several_graphs_is_drawn(renderer):
    first = render(renderer, graph("digraph A { a -> b }"))
    several = render(renderer, graph("digraph A { a -> b }\ndigraph B { c -> d }\ndigraph C { e }"))
    assert several.png == first.png
    assert "first of 3" in several.flags[0].message


def test_a_crash_is_the_authors_fault(renderer):
    nested = "digraph { a [label=<" + "<b>" * 20_000 + "x" + "</b>" * 20_000 + ">] }"
    outcome = renderer.render(graph(nested))
    kinds = (
        [flag.kind for flag in outcome.value.flags] if outcome.outcome == "ok" else [outcome.kind]
    )
    assert kinds
    assert kinds[0] in (Kind.COMPILE_ERROR, Kind.RESOURCE_LIMIT, Kind.TIMEOUT)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(renderer, layout):
    picture = render(renderer, graph("graph { a -- b -- c -- d -- a; a -- c }", layout=layout))
    assert picture.flags == ()


def test_layouts_differ_and_unknown_ones_are_refused(renderer):
    text = "graph { a -- b -- c -- d -- a; a -- c }"
    assert render(renderer, graph(text)).png != render(renderer, graph(text, layout="circo")).png
    assert fail(renderer, graph(text, layout="dot -Tsvg")).kind is Kind.UNSUPPORTED


@pytest.mark.parametrize("text", ["中文思维导图", "日本語", "한국어", "Grüße", "Привет", "😀"])
def test_every_script_has_its_own_glyphs(renderer, text):
    """A missing font draws the same box for every character."""
    picture = render(renderer, graph(f'graph {{ node [shape=none]; a [label="{text}"] }}'))
    boxes = "\U000f0000" * len(text)
    missing = render(renderer, graph(f'graph {{ node [shape=none]; a [label="{boxes}"] }}'))
    assert picture.png != missing.png
    swapped = render(renderer, graph(f'graph {{ node [shape=none]; a [label="{text[::-1]}"] }}'))
    assert len(text) == 1 or swapped.png != picture.png


def test_emoji_have_colour(renderer):
    array = canvas.decode(render(renderer, graph('graph { a [label="😀"] }')).png).value.astype(int)
    assert (abs(array[..., 0] - array[..., 2]) > 60).any()


GRAPHS = sorted(
    path for pattern in ("*.dot", "*.gv") for path in (SHARED / "real" / "dot").glob(pattern)
)
FAILS = {
    "20240606150142_92059b71-ab11-421f-b7d0-a52dac6461a9.gv": Kind.RESOURCE_LIMIT,  # 32767 wide
    "20240606150142_b1e355f0-1ca1-4e94-85c9-d9c5af1a8266.gv": Kind.RESOURCE_LIMIT,  # 57 Mpixel
    "b15_crashes_dot.dot": Kind.COMPILE_ERROR,  # ends with signal 11
}


@pytest.mark.skipif(not GRAPHS, reason="no shared/real/dot beside the checkout")
@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.name)
def test_real_graphs(path: Path):
    with WithTime() as renderer:
        structure = Structure(files={path.name: path.read_bytes()}, entry=path.name)
        if path.name in FAILS:
            assert fail(renderer, structure).kind is FAILS[path.name]
        else:
            assert render(renderer, structure).flags == ()


class WithTime(GraphvizRenderer):
    """Has the patience that the largest real graph needs on a busy machine."""

    limits = Limits(seconds=120, memory_mb=1024)
