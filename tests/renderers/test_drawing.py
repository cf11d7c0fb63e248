"""Where nodes are: the published boxes, our own pictures' pixels, one by one and in a batch."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Structure
from renderers import canvas
from renderers.graph_layout import SCALE, Area, Layout, read_layout
from renderers.graphviz import GraphvizRenderer

HEAD = b"graph 0,0,200,100;;\n"


@pytest.fixture(scope="module")
def renderer():
    with GraphvizRenderer(workers=1) as renderer:
        yield renderer


def graph(text: str, **options) -> Structure:
    return Structure(files={"g.dot": text.encode()}, entry="g.dot", options=options)


def drawn(outcome):
    assert isinstance(outcome, Ok), outcome
    return outcome.value


class TestPublished:
    def test_boxes_equal_the_published_ones(self, renderer, shared):
        graphs = sorted((shared / "golden" / "mindbench" / "synth").glob("*__graph__*.gv"))
        assert len(graphs) == 12
        nodes = 0
        for path in graphs:
            structure = Structure(files={"map.gv": path.read_bytes()}, entry="map.gv")
            boxes = drawn(renderer.find_layout(structure)).boxes()
            published = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            expected = {one["label"]: tuple(map(int, one["xyxy"].split(","))) for one in published}
            assert boxes == expected, path.name
            nodes += len(boxes)
        assert nodes == 243

    def test_a_graph_without_layout_has_no_boxes(self, renderer):
        for text in ("digraph { a -> b }", "digraph {", "no graph"):
            outcome = renderer.find_layout(graph(text))
            assert isinstance(outcome, Failed)
            assert outcome.kind is Kind.COMPILE_ERROR


class TestReading:
    def test_lines(self):
        layout = read_layout(HEAD + b"node 100,50;1;0.5;2:n0\nnode 0,0;1;0.5;4:a\nb;\n")
        areas = {"n0": Area(64, 32, 136, 68), "a\nb;": Area(-36, -18, 36, 18)}
        assert layout == Layout(Area(0, 0, 200, 100), (4, 4), areas)
        assert layout.boxes() == {"n0": (319, 319, 679, 679), "a\nb;": (0, 819, 179, 999)}

    def test_a_name_cannot_forge_a_node(self):
        name = b"x\nnode 1,1;1;1;1:y\n"
        printed = HEAD + b"node 100,50;1;0.5;%d:%s\n" % (len(name), name)
        assert list(read_layout(printed).nodes) == [name.decode()]

    def test_pads(self):
        for text, pad in ((b"", (4, 4)), (b"0.2", (14.4, 14.4)), (b"0.5,1", (36, 72))):
            assert read_layout(b"graph 0,0,9,9;%s;\n" % text).pad == pytest.approx(pad)

    @pytest.mark.parametrize(
        "printed",
        [
            b"", b"graph ;;\n", b"graph 0,0,0,0;;\n", b"graph 5,5,1,1;;\n", b"graph a,b,c,d;;\n",
            b"graph 1..2,0,5,5;;\n", b"graph 0,0,1e999,5;;\n",
        ],
    )  # fmt: skip
    def test_what_is_no_layout(self, printed):
        assert read_layout(printed) is None


def test_the_corner_is_where_content_begins():
    array = np.full((40, 50, 3), 255, np.uint8)
    assert canvas.corner(array) == (0, 0)
    array[12, 7] = array[30, 22] = 0
    assert canvas.corner(array) == (7, 12)
    cropped = drawn(canvas.crop(array))
    assert (cropped[canvas.MARGIN, canvas.MARGIN] == 0).all()


def test_finish_is_given_the_cropped_array_and_the_corner():
    array = np.full((40, 50, 3), 255, np.uint8)
    array[12:20, 7:30] = 90
    seen = []

    def finish(finished, corner):
        seen.append((finished.shape, corner))
        return b"made by finish"

    picture = drawn(canvas.picture([canvas.encode(array)], finish=finish))
    assert seen == [((8 + 2 * canvas.MARGIN, 23 + 2 * canvas.MARGIN, 3), (7, 12))]
    assert (picture.png, picture.width) == (b"made by finish", 23 + 2 * canvas.MARGIN)
    assert drawn(canvas.size(canvas.encode(array))) == (50, 40)
    assert isinstance(canvas.size(b"no picture"), Failed)


STYLES = {
    "LR": "rankdir=LR",
    "TB": "rankdir=TB pad=0.5",
    "neato": "layout=neato overlap=false",
    "circo": "layout=circo",
    "wide pad": 'layout=twopi pad="1,0.1" overlap=false',
}


class TestOwnPictures:
    @pytest.mark.parametrize("name", STYLES)
    def test_pixels(self, renderer, name):
        """Corners are where the colour of a filled box begins, to within two units.

        The picture is so large that a pixel, hence a blended edge, is less than a unit.
        """
        colours = {f"n{i}": (250 - 25 * i, 20 + 20 * i, 10 + 3 * i) for i in range(9)}
        nodes = "".join(
            f'n{i} [fillcolor="#{r:02x}{g:02x}{b:02x}" label="{"word " * (1 + i % 4)}"]'
            for i, (r, g, b) in enumerate(colours.values())
        )
        edges = "".join(f"n{(i - 1) // 2} -> n{i} [arrowhead=none]" for i in range(1, 9))
        text = (
            f"digraph {{ graph [dpi=96 {STYLES[name]}] "
            f"node [shape=box style=filled penwidth=0 fontsize=72] {nodes} {edges} }}"
        )
        drawing = drawn(renderer.draw(graph(text)))
        array = drawn(canvas.decode(drawing.picture.png)).astype(int)
        height, width = array.shape[:2]
        assert set(drawing.boxes) == set(colours)
        for node, colour in colours.items():
            rows, columns = np.nonzero((array == colour).all(2))
            seen = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
            units = seen * SCALE / [width, height, width, height]
            assert np.abs(units - drawing.boxes[node]).max() <= 2, (node, units)

    def test_drawing_changes_no_picture(self, renderer):
        for text in ("digraph { a -> b -> c }", 'graph { dpi=30; a [label="中文 😀"] }'):
            one = drawn(renderer.render(graph(text)))
            assert drawn(renderer.draw(graph(text))).picture.png == one.png

    def test_failures_are_those_of_render(self, renderer):
        for structure in (graph("digraph {"), graph("digraph { }"), graph("", layout="x")):
            outcome = renderer.draw(structure)
            assert isinstance(outcome, Failed)
            assert outcome.kind is renderer.render(structure).kind

    def test_a_backdrop_leaves_size_and_boxes(self, renderer):
        text = "digraph { a -> b }"
        plain = drawn(renderer.draw(graph(text)))
        option = {"pattern": "grid", "colour": "#eeeeff", "noise": 4, "seed": 1}
        papered = drawn(renderer.draw(graph(text, backdrop=option)))
        assert papered.boxes == plain.boxes
        assert papered.picture.png != plain.picture.png
        assert (papered.picture.width, papered.picture.height) == (
            plain.picture.width, plain.picture.height,
        )  # fmt: skip
        assert papered.picture.png == drawn(renderer.render(graph(text, backdrop=option))).png

    def test_an_empty_graph_is_empty_on_every_backdrop(self, renderer):
        outcome = renderer.render(graph("digraph { }", backdrop={"pattern": "dots", "noise": 9}))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.EMPTY_RENDER
        refused = renderer.render(graph("digraph { a }", backdrop={"pattern": "photo"}))
        assert isinstance(refused, Failed)
        assert refused.kind is Kind.UNSUPPORTED


class TestBatch:
    def test_equal_to_one_by_one(self, renderer):
        tree = " ".join(f"n{(i - 1) // 3} -> n{i};" for i in range(1, 14))
        structures = [
            graph(f"digraph {{ layout={engine} overlap=false {tree} }}", **options)
            for engine in ("dot", "neato", "sfdp", "sfdp", "twopi", "circo")
            for options in ({}, {"backdrop": {"noise": 3, "seed": 5}})
        ]
        structures += [graph("digraph { a -> b }", layout="circo")]
        for structure, outcome in zip(structures, renderer.draw_many(structures), strict=True):
            alone = drawn(renderer.draw(structure))
            assert drawn(outcome).picture.png == alone.picture.png
            assert drawn(outcome).boxes == alone.boxes

    def test_one_that_fails_costs_no_other_its_picture(self, renderer):
        texts = ["digraph { a }", "digraph {", "digraph { }", "digraph { b }"]
        outcomes = renderer.draw_many([graph(text) for text in texts])
        assert [isinstance(outcome, Ok) for outcome in outcomes] == [True, False, False, True]
        assert [outcome.kind for outcome in outcomes[1:3]] == ["compile_error", "empty_render"]
        assert list(drawn(outcomes[3]).boxes) == ["b"]

    def test_nothing_is_nothing(self, renderer):
        assert renderer.draw_many([]) == []
