"""Mind maps: the tree of a picture, drawn again by the code that drew the picture."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmark.outcome import Failed, Ok, Outcome, ok
from benchmark.protocols import Fit
from benchmark.records import Answer, Flag, Instance, Structure
from scenarios.parsing import Json, cut_off_flag, extract, read_json
from scenarios.tree_drawing import to_dot
from scenarios.tree_outlines import read_outline
from scenarios.tree_tokens import has_tokens, read_tokens
from scenarios.trees import Node, from_json, to_json, to_outline

ENTRY = "mindmap.dot"

TAGS = ("json", "json5", "jsonc")

_PROMPTS = Path(__file__).parent / "prompts"
_JSON = re.compile(r"\A\s*+[\[{]|\{\s*+[\"'“]|\[\s*+[{\"]")


class Mindmap:
    """The model is shown a mind map and writes its tree as JSON.

    The answer's tree is drawn to DOT with the same layout, fonts and colours as the truth, so the
    pictures differ only where the trees do. Accepted beside the JSON form that the prompt asks
    for: other usual JSON forms (``scenarios.trees``), MindBench's token sequence, outlines.
    """

    name = "mindmap"
    version = "1"
    subsets = ("en", "zh")
    renderer = "graphviz"
    metrics = (
        *("nted_accuracy", "field_f1", "nted_accuracy_donut", "field_f1_donut", "edit"),
        *("pixel", "ssim", "lpips", "cis", "ems"),
    )
    fit = Fit.PAD

    def prompt(self, instance: Instance) -> str:
        """Return the prompt in the language of the map."""
        language = "zh" if instance.subset == "zh" else "en"
        return (_PROMPTS / f"mindmap.{language}.txt").read_text(encoding="utf-8")

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
