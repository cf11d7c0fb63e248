"""A small plug-in, as a foreign package would bring one: graphs of two nodes, drawn by Graphviz.

It is for tests of whole runs in processes of their own; ``install`` puts it where they find it.
"""

from __future__ import annotations

from pathlib import Path

from benchmark.outcome import Failed, Kind, Stage, ok
from benchmark.protocols import Fit, Needs
from benchmark.records import Answer, Material, Structure
from metrics.metric import FunctionMetric
from tests.flows.toy import PROVENANCE

PIECES = 8
ENTRY_POINTS = """
[rerender.scenarios]
dots = tests.flows.dots:Dots
[rerender.sources]
dots = tests.flows.dots:Source
[rerender.metrics]
dots_same = tests.flows.dots:METRIC
"""


class Dots:
    name, version, subsets, renderer = "dots", "1", ("dots",), "graphviz"
    metrics, fit = ("dots_same",), Fit.PAD

    def prompt(self, instance):
        return "Write this graph in the DOT language."

    def blank(self):
        return "digraph {}"

    def read(self, text, *, truncated=False):
        if not text:
            return Failed.of(Stage.PARSE, Kind.NO_ANSWER, "empty")
        structure = Structure(files={"graph.dot": text.encode()}, entry="graph.dot")
        return ok(Answer(structure=structure, text=text))

    def repair(self, answer, failure):
        return None


class Source:
    name, scenarios, about = "dots", ("dots",), "Made for tests."

    def collect(self, *, since=None, limit=None):
        for number in range(limit or PIECES):
            yield ok(
                Material(
                    id=f"dots/{number}",
                    scenario="dots",
                    subset="dots",
                    truth=f"digraph {{ a -> b{number} }}",
                    provenance=PROVENANCE,
                )
            )


METRIC = FunctionMetric("dots_same", "1", Needs.TEXTS, (0.0, 1.0), True, lambda p, r: float(p == r))


def install(folder: Path) -> None:
    """Make a folder that, on the path of a process, makes it know this plug-in."""
    described = folder / "dots-1.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: dots\nVersion: 1\n")
    (described / "entry_points.txt").write_text(ENTRY_POINTS)
