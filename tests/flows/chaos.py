"""What the chaos test evaluates, and a process that begets evaluations to be killed.

The scenarios are the real ones with their real renderers, but with metrics that need no network of
weights. A start costs seconds of imports, so ``python -m tests.flows.chaos`` imports once and forks
a process for each command line that it reads: a process of its own session, with everything that
`rerender` itself has.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sys

from benchmark import registry
from benchmark.outcome import ok
from benchmark.records import Material, Provenance
from scenarios.flowchart import Flowchart
from scenarios.latex import Latex
from scenarios.webpage import Webpage

PROVENANCE = Provenance(
    source="chaos", author="tests", licence="CC0-1.0", created=dt.date(2026, 1, 1)
)
EACH = {"chaos-latex": 6, "chaos-chart": 6, "chaos-page": 2}


class Formulae(Latex):
    name, metrics = "chaos-latex", ("pixel", "edit")


class Charts(Flowchart):
    name, metrics = "chaos-chart", ("node_f1", "edge_f1", "pixel")


class Pages(Webpage):
    name, metrics = "chaos-page", ("pixel", "edit")


def text_of(scenario: str, number: int, *, answer: bool) -> str:
    """Return a truth, or what the stand-in model writes, which differs from it."""
    more = number + 10 if answer else number
    return {
        "chaos-latex": rf"\[ x^{{{more}}} + \frac{{1}}{{{number}}} \]",
        "chaos-chart": f'digraph {{ a [label="step {number}"]; b [label="end {more}"]; a -> b }}',
        "chaos-page": f"<!DOCTYPE html><title>{number}</title><h1>Page {more}</h1>",
    }[scenario]


class Source:
    name, scenarios, about = "chaos", tuple(EACH), "Made for tests."

    def collect(self, *, since=None, limit=None):
        subsets = {"chaos-latex": "equation", "chaos-chart": "en", "chaos-page": "html"}
        for scenario, count in EACH.items():
            for number in range(1, count + 1):
                truth = text_of(scenario, number, answer=False)
                yield ok(
                    Material(
                        id=f"{scenario}/{number}",
                        scenario=scenario,
                        subset=subsets[scenario],
                        truth=truth,
                        provenance=PROVENANCE,
                    )
                )


def register() -> None:
    """Register everything of this module, once."""
    if "chaos" in registry.sources:
        return
    for scenario in (Formulae(), Charts(), Pages()):
        registry.scenarios.register(scenario.name, scenario)
    registry.sources.register("chaos", Source())


def beget() -> None:
    """Fork a process for each command line on standard input; tell its number and its end."""
    from flows import cli
    from flows.console import quieten_prefect

    quieten_prefect(debug=False)
    register()
    _warm_up()
    for line in sys.stdin:
        told = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            sys.stdout.write(f"{os.getpid()}\n")
            sys.stdout.flush()
            _redirect(told["log"])
            os.environ |= told["environment"]
            sys.argv[1:] = told["arguments"]
            cli.main()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _warm_up() -> None:
    """Import what an evaluation imports."""
    import docker  # noqa: F401
    import inspect_ai.model  # noqa: F401
    import openai  # noqa: F401
    import playwright.async_api  # noqa: F401
    import prefect  # noqa: F401

    import flows.evaluate
    import flows.refresh
    import flows.report  # noqa: F401

    for renderer in ("tex", "graphviz", "web"):
        registry.renderers.get(renderer)
    for metric in ("pixel", "edit", "node_f1", "edge_f1"):
        registry.metrics.get(metric)


def _redirect(log: str) -> None:
    for number, opened in (
        (0, os.open(os.devnull, os.O_RDONLY)),
        (1, os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)),
    ):
        os.dup2(opened, number)
    os.dup2(1, 2)


if __name__ == "__main__":
    beget()
