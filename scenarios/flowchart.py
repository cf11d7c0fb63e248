"""Flowcharts: the graph of a picture, written as DOT or Mermaid and drawn again by Graphviz."""

from __future__ import annotations

from pydantic import JsonValue

from benchmark.chance import Chance
from benchmark.outcome import Failed, Kind, Ok, Outcome, ok
from benchmark.protocols import Fit
from benchmark.records import Answer, Flag, Instance, Structure
from scenarios import graphs_dot, graphs_mermaid
from scenarios.graph_drawing import to_dot
from scenarios.graphs import from_json, to_json, to_text
from scenarios.languages.graphviz import ENTRY, Graphviz
from scenarios.mindbench.phrasing import language_of, read_sections
from scenarios.parsing import Extracted, cut_off_flag, extract

DOT_TAGS = ("dot", "graphviz", "gv")
MERMAID_TAGS = ("mermaid", "mmd", "flowchart")

_BLANK = """\
digraph {
    a [label="", shape=box]
}
"""


class Flowchart:
    """The model is shown a flowchart and writes its graph.

    An answer in DOT is drawn as it is written (after ``scenarios.languages.graphviz`` has repaired
    it), so what was seen of layout, shapes and colours counts in the comparison of pictures. An
    answer in Mermaid is drawn from its graph, plainly. The graph is compared in either case.
    """

    name = "flowchart"
    version = "1"
    subsets = ("en", "zh")
    renderer = "graphviz"
    metrics: tuple[str, ...] = (
        *("node_f1", "edge_f1", "edge_label_f1", "node_type_accuracy", "graph_edit_similarity"),
        *("pixel", "ssim", "lpips", "cis", "ems"),
    )
    fit = Fit.PAD

    def __init__(self) -> None:
        self._dot = Graphviz()

    def prompt(self, instance: Instance) -> str:
        """Return the prompt in the language of the chart.

        The question is one of several phrasings, always the same one for an instance; the notation
        asked for is that of the attribute ``form``: ``dot`` (the default) or ``mermaid``. Answers
        in the other one are read as well.
        """
        sections = read_sections("flowchart", language_of(instance.subset))
        question = Chance("flowchart", instance.id).choice(sections["full"].split("\n"))
        form = instance.attributes.get("form", "dot")
        return f"{question}\n\n{sections[f'answer {form}']}"

    def blank(self) -> str:
        """Return a graph of one box without text: an empty graph has no picture."""
        return _BLANK

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read a graph in either notation.

        Returns:
            An answer with the DOT to draw in ``structure``, the graph in canonical JSON in ``tree``
            and a line for each node and edge in ``text``; or a failure of stage parse.
        """
        outcome = extract(text, DOT_TAGS + MERMAID_TAGS, truncated=truncated)
        if isinstance(outcome, Failed):
            return outcome
        extracted = outcome.value
        if extracted.language in MERMAID_TAGS or graphs_mermaid.is_mermaid(extracted.text):
            return _read_mermaid(extracted)
        answer = self._dot.read_extracted(extracted)
        if isinstance(answer, Failed):
            return answer
        graph = graphs_dot.read(answer.value.text)
        if isinstance(graph, Failed):
            return graph
        update = {"text": to_text(graph.value), "tree": to_json(graph.value)}
        return ok(answer.value.model_copy(update=update))

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:  # noqa: ARG002 - contract
        """Return None: what can be repaired is repaired when the answer is read."""
        return None

    def describe(self, answer: Answer) -> dict[str, JsonValue]:
        """Return the numbers of nodes and edges of a chart."""
        graph = from_json(answer.tree)
        if isinstance(graph, Failed):
            return {}
        return {"nodes": len(graph.value.nodes), "edges": len(graph.value.edges)}


def _read_mermaid(extracted: Extracted) -> Outcome[Answer]:
    """Read Mermaid; of an answer that was cut off, what stands before its last line."""
    flags, repairs = list(extracted.flags), list(extracted.repairs)
    cut = "closing fence supplied" in repairs or cut_off_flag() in flags
    chart = graphs_mermaid.read(extracted.text)
    if isinstance(chart, Failed) and cut and chart.kind is Kind.PARSE_ERROR:
        whole = graphs_mermaid.read(_close(extracted.text))
        if isinstance(whole, Ok):
            chart = whole
            repairs.append("the last line of the cut-off chart dropped, its subgraphs closed")
            flags = [*(flag for flag in flags if flag != cut_off_flag()), cut_off_flag()]
    if isinstance(chart, Failed):
        return chart
    graph = chart.value.graph
    dot = to_dot(graph, chart.value.direction)
    return ok(
        Answer(
            structure=Structure(files={ENTRY: dot.encode("utf-8", "replace")}, entry=ENTRY),
            text=to_text(graph),
            tree=to_json(graph),
            repairs=(*repairs, *chart.value.repairs),
            flags=_once(flags),
        )
    )


def _close(text: str) -> str:
    """Drop the last line and end the subgraphs that are open before it."""
    lines = text.split("\n")[:-1]
    words = [line.split(maxsplit=1)[0] if line.strip() else "" for line in lines]
    open_subgraphs = words.count("subgraph") - words.count("end")
    return "\n".join([*lines, *["end"] * max(0, open_subgraphs)])


def _once(flags: list[Flag]) -> tuple[Flag, ...]:
    return tuple(dict.fromkeys(flags))
