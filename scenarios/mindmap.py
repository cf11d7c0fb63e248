"""Mind maps: the tree of a picture, drawn again by the code that drew the picture."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pydantic import JsonValue

from benchmark.chance import Chance
from benchmark.outcome import Failed, Ok, Outcome, ok
from benchmark.protocols import Fit
from benchmark.records import Answer, Flag, Instance, Structure
from scenarios.mindbench.phrasing import ask, how_to_answer, language_of
from scenarios.parsing import Json, cut_off_flag, extract, read_json
from scenarios.tree_drawing import redraw, to_dot
from scenarios.tree_outlines import read_outline
from scenarios.tree_styles import Style
from scenarios.tree_tokens import has_tokens, read_tokens
from scenarios.trees import Node, from_json, to_json, to_outline

ENTRY = "mindmap.dot"

TAGS = ("json", "json5", "jsonc")

_JSON = re.compile(r"\A\s*+[\[{]|\{\s*+[\"'“]|\[\s*+[{\"]")


class Mindmap:
    """The model is shown a mind map and writes its tree as JSON.

    The answer's tree is drawn to DOT with the same layout, fonts and colours as the truth, so the
    pictures differ only where the trees do. Accepted beside the JSON form that the prompt asks
    for: other usual JSON forms (``scenarios.trees``), MindBench's token sequence, outlines.
    """

    name = "mindmap"
    family = "mindbench"
    version = "1"
    subsets = ("en", "zh")
    renderer = "graphviz"
    metrics: tuple[str, ...] = (
        *("nted_accuracy", "field_f1", "nted_accuracy_donut", "field_f1_donut", "edit"),
        *("pixel", "ssim", "lpips", "cis", "ems"),
    )
    fit = Fit.PAD
    dressed_by = ("style",)

    def prompt(self, instance: Instance) -> str:
        """Return the prompt in the language of the map.

        The question is the instance's own (attribute ``question``), or one of several phrasings,
        always the same one for an instance. The form asked for is that of the attribute ``form``:
        ``json`` (the default) or ``tokens``.
        """
        language = language_of(instance.subset)
        form = instance.attributes.get("form", "json")
        question = instance.attributes.get("question")
        if question is None:
            question = ask("full", language, Chance("full", instance.id))
        return f"{question}\n\n{how_to_answer(str(form), language)}"

    def blank(self) -> str:
        """Return a tree of one root without text."""
        return json.dumps({"text": "", "children": []})

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read a tree.

        Returns:
            An answer with the normalised tree in ``tree``, its outline in ``text`` and the DOT to
            draw in ``structure``; or a failure of stage parse.
        """
        outcome = extract(text, TAGS, truncated=truncated)
        if isinstance(outcome, Failed):
            return outcome
        extracted = outcome.value
        repairs, flags = list(extracted.repairs), list(extracted.flags)
        if has_tokens(extracted.text):
            read = _from_value(read_tokens(extracted.text), repairs, flags)
        elif _JSON.search(extracted.text):
            read = _from_value(read_json(extracted.text), repairs, flags)
        else:
            read = read_outline(extracted.text)
            repairs.append("outline read as a tree")
        if isinstance(read, Failed):
            return read
        return ok(draw(read.value, tuple(repairs), _without_doubles(flags)))

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:  # noqa: ARG002 - contract
        """Return None: what is drawn is our own DOT."""
        return None

    def dress(self, answer: Answer, attributes: Mapping[str, JsonValue]) -> Answer:
        """Return the answer drawn in the style of the instance, if it has one.

        Raises:
            ValidationError: the attribute ``style`` is no style.
        """
        style = attributes.get("style")
        return answer if style is None else redraw(answer, Style.model_validate(style))

    def describe(self, answer: Answer) -> dict[str, JsonValue]:
        """Return the numbers of nodes and of levels of a map."""
        tree = from_json(answer.tree)
        depths = [] if isinstance(tree, Failed) else [depth for depth, _ in tree.value.walk()]
        return {"nodes": len(depths), "depth": max(depths) + 1} if depths else {}


def draw(tree: Node, repairs: tuple[str, ...] = (), flags: tuple[Flag, ...] = ()) -> Answer:
    """Return the answer that stands for a tree."""
    structure = Structure(files={ENTRY: to_dot(tree).encode()}, entry=ENTRY)
    return Answer(
        structure=structure,
        text=to_outline(tree),
        tree=to_json(tree),
        repairs=repairs,
        flags=flags,
    )


def _from_value(outcome: Outcome[Json], repairs: list[str], flags: list[Flag]) -> Outcome[Node]:
    """Turn JSON into a tree and add what was repaired and flagged on the way."""
    if isinstance(outcome, Failed):
        return outcome
    repairs += outcome.value.repairs
    flags += outcome.value.flags
    tree = from_json(outcome.value.value)
    if isinstance(tree, Ok) and not tree.value.text and len(tree.value.children) > 1:
        repairs.append("several roots joined under one without text")
    return tree


def _without_doubles(flags: list[Flag]) -> tuple[Flag, ...]:
    """Keep one flag of each kind of message; a cut-off answer is said to be cut off once."""
    cut = [flag for flag in flags if flag.kind == cut_off_flag().kind]
    return tuple(dict.fromkeys([flag for flag in flags if flag not in cut] + cut[:1]))
