"""Styles: what every choice does to the DOT, and that the drawings are pictures of the tree."""

from __future__ import annotations

import itertools
import typing

import pytest
from pydantic import ValidationError

from benchmark.outcome import Ok
from benchmark.records import Structure
from renderers.graphviz import GraphvizRenderer
from scenarios import tree_styles
from scenarios.mindmap import Mindmap, draw
from scenarios.tree_drawing import DEFAULT, node_boxes, redraw, to_dot
from scenarios.tree_styles import Edges, Hue, Level, Style
from scenarios.trees import Node, to_json

TREE = Node(
    "根 root", (Node("A", (Node("a1"), Node("😀 a2"))), Node('B "&lt;\\N'), Node("长" * 40))
)

PLAIN = """\
digraph mindmap {
graph [layout=dot rankdir=LR ranksep=0.55 nodesep=0.14 ordering=out bgcolor="white" pad=0.2 dpi=96 \
root=n0]
node [fontname="Noto Sans CJK SC" fontsize=13 margin="0.14,0.06" height=0.3 width=0.3]
edge [arrowhead=none]
n0 [shape=box style="rounded,filled" fillcolor="#26323f" color="#26323f" fontcolor="white" \
fontsize=18 margin="0.25,0.14" penwidth=1.5 label="R"]
n1 [shape=box style="rounded,filled" fillcolor="#dbe8f6" color="#2563a8" fontsize=15 label="A"]
n0 -> n1 [color="#2563a8" penwidth=2.2 tailport=e headport=w]
n2 [shape=box style="rounded" color="#2563a8" label="B"]
n1 -> n2 [color="#2563a8" penwidth=1.6 tailport=e headport=w]
n3 [shape=box penwidth=0 label="C"]
n2 -> n3 [color="#2563a8" penwidth=1.1 tailport=e headport=w]
n4 [shape=box style="rounded,filled" fillcolor="#f8e3d6" color="#b3541e" fontsize=15 label="D"]
n0 -> n4 [color="#b3541e" penwidth=2.2 tailport=e headport=w]
}
"""


@pytest.fixture(scope="module")
def renderer():
    with GraphvizRenderer(workers=1) as renderer:
        yield renderer


def structure(style: Style, tree: Node = TREE) -> Structure:
    return redraw(draw(tree), style).structure


def test_the_default_is_written_as_it_always_was():
    tree = Node("R", (Node("A", (Node("B", (Node("C"),)),)), Node("D")))
    assert to_dot(tree) == to_dot(tree, Style()) == PLAIN


def test_a_style_survives_json():
    style = Style(
        engine="twopi",
        hues=(Hue(dark="#112233", light="#ddeeff"),),
        levels=(Level(shape="egg", fill="dark"), Level(shape="plain")),
        edges=Edges(arrow="vee", colour="#000000"),
        backdrop={"pattern": "dots", "noise": 3},
    )
    assert Style.model_validate(style.model_dump(mode="json")) == style
    assert Style.model_validate({}) == DEFAULT


@pytest.mark.parametrize(
    "value",
    [
        {"engine": "fdp"}, {"font": 'x" evil="1'}, {"levels": []}, {"hues": []}, {"colour": 1},
        {"root": {"dark": "red", "light": "#ffffff"}}, {"columns": 2}, {"font_size": 500},
        {"levels": [{"shape": "box] evil"}]}, {"edges": {"arrow": "none evil=1"}},
    ],
)  # fmt: skip
def test_what_is_no_style_is_refused(value):
    with pytest.raises(ValidationError):
        Style.model_validate(value)


def test_each_choice_changes_the_drawing():
    changes: list[dict] = [
        {"engine": "neato"}, {"direction": "RL"}, {"hue_by": "level"}, {"hue_by": "node"},
        {"font": "DejaVu Sans"}, {"font_size": 12}, {"margin": (0.2, 0.1)}, {"rank_gap": 0.7},
        {"node_gap": 0.3}, {"columns": 12}, {"levels": (Level(outlines=2),)},
        {"edges": Edges(ports=False)}, {"edges": Edges(splines="ortho")},
        {"edges": Edges(line="tapered")}, {"edges": Edges(arrow_size=0.5)},
        {"hues": (Hue(dark="#000000", light="#ffffff"),)}, {"edges": Edges(widths=(1.0,))},
    ]  # fmt: skip
    texts = {to_dot(TREE, Style(**change)) for change in changes}
    assert len(texts | {to_dot(TREE)}) == len(changes) + 1


def test_hues_go_in_turn():
    hues = tuple(Hue(dark=f"#00000{n}", light="#ffffff") for n in range(3))
    tree = Node("r", (Node("a", (Node("b", (Node("c"),)),)), Node("d"), Node("e"), Node("f")))
    level = Level()
    for by, expected in {"branch": "000120", "level": "012000", "node": "012012"}.items():
        dot = to_dot(tree, Style(hues=hues, hue_by=by, levels=(level,)))
        edges = [line for line in dot.splitlines() if " -> " in line]
        seen = "".join(line.partition('color="#00000')[2][0] for line in edges)
        assert seen == expected, by


def test_a_backdrop_is_an_option_of_the_renderer():
    answer = draw(TREE)
    papered = redraw(answer, Style(backdrop={"pattern": "dots"}))
    assert papered.structure.options == {"backdrop": {"pattern": "dots"}}
    assert papered.structure.files == answer.structure.files
    assert redraw(papered, Style()) == answer


def test_redrawing_keeps_tree_and_text():
    answer = draw(TREE, repairs=("one",))
    redrawn = redraw(answer, Style(engine="circo"))
    assert (redrawn.tree, redrawn.text, redrawn.repairs) == (answer.tree, answer.text, ("one",))
    assert redrawn.structure.text == to_dot(TREE, Style(engine="circo"))
    with pytest.raises(ValueError, match="no tree"):
        redraw(answer.model_copy(update={"tree": None}), Style())


def test_the_blank_answer_is_drawn_in_every_style():
    scenario = Mindmap()
    blank = scenario.read(scenario.blank())
    assert isinstance(blank, Ok)
    assert redraw(blank.value, Style(engine="sfdp")).tree == to_json(Node(""))


def test_boxes_are_in_the_order_of_the_walk():
    boxes = {f"n{number}": (number, 0, number + 1, 1) for number in range(6)}
    assert node_boxes(boxes, TREE) == [[number, 0, number + 1, 1] for number in range(6)]
    with pytest.raises(KeyError):
        node_boxes({}, TREE)


class TestPictures:
    @pytest.mark.parametrize("engine", typing.get_args(tree_styles.Engine))
    def test_engines(self, renderer, engine):
        (outcome,) = renderer.draw_many([structure(Style(engine=engine))])
        assert isinstance(outcome, Ok), outcome
        assert outcome.value.picture.flags == ()
        boxes = node_boxes(outcome.value.boxes, TREE)
        assert len(boxes) == 6
        assert not any(_overlap(one, two) for one, two in itertools.combinations(boxes, 2))

    def test_trees_grow_where_they_are_told(self, renderer):
        outcomes = renderer.draw_many(
            [structure(Style(direction=way)) for way in ("LR", "RL", "TB", "BT")]
        )
        roots = [node_boxes(outcome.value.boxes, TREE)[0] for outcome in outcomes]
        right, left, down, up = roots
        assert (right[0] < 100, left[2] > 900) == (True, True)
        assert (down[1] < 100, up[3] > 900) == (True, True)

    def test_everything_that_can_be_chosen_is_known_to_graphviz(self, renderer):
        """An unknown shape, font, arrow or line would be told in the log."""
        choices = [Level(shape=shape) for shape in typing.get_args(tree_styles.Shape)]
        styles = [Style(levels=(level,)) for level in choices]
        styles += [Style(font=font) for font in typing.get_args(tree_styles.Font)]
        styles += [Style(edges=Edges(arrow=a)) for a in typing.get_args(tree_styles.Arrow)]
        styles += [Style(edges=Edges(splines=s)) for s in typing.get_args(tree_styles.Splines)]
        styles += [
            Style(edges=Edges(line=line)) for line in ("solid", "dashed", "dotted", "tapered")
        ]
        small = Node("root 根", (Node("a"), Node("b")))
        outcomes = renderer.draw_many([structure(style, small) for style in styles])
        logs = {outcome.value.picture.log for outcome in outcomes}
        assert logs == {""}
        pictures = [outcome.value.picture.png for outcome in outcomes]
        shapes = pictures[: len(choices)]
        assert len(set(shapes)) == len(shapes)
        fonts = pictures[len(shapes) : len(shapes) + len(typing.get_args(tree_styles.Font))]
        assert len(set(fonts)) >= len(fonts) - 2  # SC and TC share most of their letters


def _overlap(one: list[int], two: list[int]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
