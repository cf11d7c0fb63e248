"""Summarization: a reference summary from the graph: begin, steps, branches, loops, ends."""

from __future__ import annotations

from collections.abc import Iterator

from benchmark.chance import Chance
from scenarios.flowce.asking import Asking, Kind, Maker, Question
from scenarios.flowce.chart import Chart
from scenarios.flowce.wording import ask, join

MOST_NODES = 40
"""A longer chart would have no summary but a list."""


def summary(asking: Asking) -> Question | None:
    """Ask what the chart describes."""
    chart = asking.chart
    if not chart.is_directed or not 2 < len(chart.nodes) <= MOST_NODES:
        return None
    begins = [node for node in range(len(chart.nodes)) if not chart.before(node)]
    reached = {*begins, *(node for begin in begins for node in chart.reach[begin])}
    if len(reached) < len(chart.nodes) or not all(node.text for node in chart.nodes):
        return None
    gap = "" if asking.language == "zh" else " "
    told = gap.join(_Summary(asking, begins).sentences())
    return asking.ask([told])


class _Summary:
    """Tells of each step once, along the arrows; of a chart always in the same words."""

    def __init__(self, asking: Asking, begins: list[int]) -> None:
        self.chart: Chart = asking.chart
        self.language = asking.language
        self.chance = Chance("summary", *(node.text for node in asking.chart.nodes))
        self.begins = begins
        self.told: set[int] = set()

    def sentences(self) -> Iterator[str]:
        yield self.say("begins", a=self.texts(self.begins, "or"))
        if self.chart.lanes:
            yield self.say(
                "lanes", a=join([f"“{lane}”" for lane in self.chart.lanes], self.language)
            )
        waiting = self.begins[::-1]
        self.told |= set(waiting)
        while waiting:
            node = waiting.pop()
            run = self.run(node)
            yield from self.steps(node, run)
            last = run[-1] if run else node
            yield from self.where_it_leads(last, named=bool(run))
            fresh = [one for one in self.chart.after(last) if one not in self.told]
            self.told |= set(fresh)
            waiting += fresh[::-1]
        if self.chart.ends:
            yield self.say("ends", a=self.texts(self.chart.ends, "or"))

    def run(self, node: int) -> list[int]:
        """Return the steps that follow a step one by one and were not told of, and note them."""
        found: list[int] = []
        while self.goes_on(node) and self.chart.after(node)[0] not in self.told:
            node = self.chart.after(node)[0]
            self.told.add(node)
            found.append(node)
        return found

    def goes_on(self, node: int) -> bool:
        """Tell whether one step follows a step, and nothing is written at the arrow."""
        bare = not any(arrow.label for arrow in self.chart.leaving[node])
        return bare and len(self.chart.after(node)) == 1

    def steps(self, node: int, run: list[int]) -> Iterator[str]:
        """Tell of steps in a row."""
        if run:
            section = "first" if self.begins == [node] else "after"
            yield self.say(section, a=self.text(node), b=self.texts(run, "then"))

    def where_it_leads(self, node: int, *, named: bool) -> Iterator[str]:
        """Tell of the branches behind a step, or of the step known already that it leads to.

        Args:
            node: the step.
            named: whether the last sentence ended with it.
        """
        after = self.chart.after(node)
        if self.goes_on(node):
            section = "back" if node in self.chart.reach[after[0]] else "meets"
            yield self.say(section, a=self.text(node), b=self.text(after[0]))
        elif after:
            yield self.branches(node, named=named)

    def branches(self, node: int, *, named: bool) -> str:
        arrows = self.chart.leaving[node]
        if node in self.chart.forks and not any(arrow.label for arrow in arrows):
            return self.say("fork", a=self.text(node), b=self.texts(self.chart.after(node), "and"))
        parts = []
        for arrow in arrows:
            back = arrow.target in self.told and node in self.chart.reach[arrow.target]
            section = f"{'arm' if arrow.label else 'way'}{' back' if back else ''}"
            parts.append(self.say(section, label=arrow.label, b=self.text(arrow.target)))
        section = "there" if named else "decision"
        return self.say(section, a=self.text(node), b=join(parts, self.language, "clauses"))

    def text(self, node: int) -> str:
        return f"“{self.chart.text(node)}”"

    def texts(self, nodes: list[int], last: str) -> str:
        return join([self.text(node) for node in nodes], self.language, last)

    def say(self, section: str, **values: str) -> str:
        return ask(f"summary {section}", self.language, self.chance, **values)


MAKERS: dict[Kind, Maker] = {Kind.SUMMARY: summary}
