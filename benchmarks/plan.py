"""What a large evaluation takes, computed from measured rates: the table of docs/scaling.md.

``python -m benchmarks.plan --instances 30000 --models 14`` prints it for other numbers too. Rates
are those of benchmarks/README.md and docs/scaling.md, measured on a machine of 2 cores; that work
spreads evenly over more cores is an assumption.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from rich.console import Console
from rich.table import Table

CORES = 2
"""Of the machine that the rates were measured on."""
RENDERS_PER_MINUTE = {"web": 50.0, "tex": 34.0, "lilypond": 28.0, "graphviz": 132.0}
PICTURE_BYTES = {"web": 128_000, "tex": 39_000, "lilypond": 33_000, "graphviz": 100_000}
"""Mean of the bundled material: the picture of a right answer, and as much for its reference."""
PAIRS_PER_SECOND = 200 / 245.0
"""All metrics of pictures, with the networks on the processor."""
LINE_BYTES = {"query": 1_690, "render": 1_563, "score": 1_002, "run": 927}
"""Mean of a pair in each journal and in the run's document; the model was the oracle."""
INSTANCE_BYTES = 1_303 + 756 + 637
"""Truth, assets and line of the manifest, besides the picture."""
TASK_RUN_BYTES = 20_000
TASK_RUNS_PER_SECOND = {"one by one": 23.0, "in batches": 333.0}
"""What the server's recorder writes, as Prefect sets it, and as `rerender up` does."""
TASK_SECONDS = 0.005
PAGES_PER_BROWSER = 50
BATCHES_AT_ONCE = 4
STAGES = ("query", "render", "score")


def _evenly() -> dict[str, float]:
    return dict.fromkeys(RENDERS_PER_MINUTE, 1 / len(RENDERS_PER_MINUTE))


@dataclass(frozen=True)
class Load:
    """What is to be evaluated, and with what.

    Attributes:
        mix: renderer to share of the instances; shares sum to 1.
        cores: that render and score, on all machines together.
        concurrency: requests in flight per model.
        request_seconds, input_tokens, output_tokens: of a request; assumed, not measured.
    """

    instances: int = 30_000
    models: int = 14
    batch: int = 32
    cores: int = 2
    concurrency: int = 8
    request_seconds: float = 10.0
    input_tokens: int = 1_500
    output_tokens: int = 800
    mix: dict[str, float] = field(default_factory=_evenly)

    @property
    def pairs(self) -> int:
        """Answers: each model on each instance."""
        return self.instances * self.models


@dataclass(frozen=True)
class Plan:
    """What it takes; sizes in bytes, times in seconds."""

    batches: int
    task_runs: int
    database: float
    recorder: dict[str, float]
    submission: float
    in_flight: int
    containers: dict[str, int]
    tokens: tuple[int, int]
    references: float
    query: float
    render: float
    score: float
    blobs: float
    journals: float
    document: float


def plan(load: Load) -> Plan:
    """Compute what a load takes.

    Raises:
        ValueError: the shares do not sum to 1, or name a renderer that was not measured.
    """
    if set(load.mix) - set(RENDERS_PER_MINUTE) or not math.isclose(sum(load.mix.values()), 1):
        known = ", ".join(RENDERS_PER_MINUTE)
        raise ValueError(f"the shares of {known} must sum to 1")
    counts = {name: load.instances * share for name, share in load.mix.items()}
    batches = load.models * sum(math.ceil(count / load.batch) for count in counts.values())
    task_runs = batches * len(STAGES)
    once = sum(60 * count / RENDERS_PER_MINUTE[name] for name, count in counts.items())
    references = once * CORES / load.cores
    pictures = sum(count * PICTURE_BYTES[name] for name, count in counts.items())
    in_flight = load.concurrency * min(load.models, BATCHES_AT_ONCE)
    per_pair = LINE_BYTES["query"] + LINE_BYTES["render"] + LINE_BYTES["score"]
    return Plan(
        batches=batches,
        task_runs=task_runs,
        database=task_runs * TASK_RUN_BYTES,
        recorder={how: task_runs / rate for how, rate in TASK_RUNS_PER_SECOND.items()},
        submission=task_runs * TASK_SECONDS,
        in_flight=in_flight,
        containers={name: _containers(name, count, load) for name, count in counts.items()},
        tokens=(load.pairs * load.input_tokens, load.pairs * load.output_tokens),
        references=references,
        query=load.pairs * load.request_seconds / in_flight,
        render=references * load.models,
        score=load.pairs / PAIRS_PER_SECOND * CORES / load.cores,
        blobs=pictures * (load.models + 1) + load.instances * INSTANCE_BYTES,
        journals=float(load.pairs * per_pair),
        document=float(load.pairs * LINE_BYTES["run"]),
    )


def _containers(name: str, count: float, load: Load) -> int:
    """Return the containers that references and answers start."""
    renders = count * (load.models + 1)
    return math.ceil(renders / PAGES_PER_BROWSER if name == "web" else renders)


def table(load: Load, made: Plan) -> Table:
    """Return the plan as a table."""
    shown = Table("what", "how much", title=f"{load.instances:,} instances × {load.models} models")
    started = ", ".join(f"{name} {count:,}" for name, count in made.containers.items())
    rows = (
        ("answers", f"{load.pairs:,}"),
        ("batches, task runs", f"{made.batches:,}, {made.task_runs:,}"),
        ("Prefect's database", _bytes(made.database)),
        ("submitting the task runs", _time(made.submission)),
        *((f"recording them {how}", _time(took)) for how, took in made.recorder.items()),
        ("containers started", f"{sum(made.containers.values()):,} ({started})"),
        ("tokens in, out", f"{made.tokens[0] / 1e6:,.0f} M, {made.tokens[1] / 1e6:,.0f} M"),
        (f"references, {load.cores} cores", _time(made.references)),
        (f"query, {made.in_flight} requests in flight", _time(made.query)),
        (f"render, {load.cores} cores", _time(made.render)),
        (f"score, {load.cores} cores", _time(made.score)),
        ("store: pictures and truths", _bytes(made.blobs)),
        ("store: journals", _bytes(made.journals)),
        ("store: the run's document", _bytes(made.document)),
    )
    for row in rows:
        shown.add_row(*row)
    return shown


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


def _bytes(count: float) -> str:
    return f"{count / 1e6:,.0f} MB" if count < 1e9 else f"{count / 1e9:,.1f} GB"


def read(arguments: Sequence[str]) -> Load:
    """Return the load that a command line asks for; leaves with a message where it is wrong."""
    parser = argparse.ArgumentParser("python -m benchmarks.plan", description=__doc__)
    for each in fields(Load):
        if each.name != "mix":
            name = f"--{each.name.replace('_', '-')}"
            parser.add_argument(name, type=type(each.default), default=each.default)
    parser.add_argument(
        "--mix", nargs="+", metavar="RENDERER=SHARE", default=[], help="e.g. web=0.6 tex=0.4"
    )
    asked = vars(parser.parse_args(arguments))
    pairs = [each.partition("=") for each in asked.pop("mix")]
    try:
        mix = {name: float(share) for name, _, share in pairs} or _evenly()
        if min(asked.values()) <= 0:
            raise ValueError("every number must be greater than 0")
        load = Load(**asked, mix=mix)
        plan(load)
    except ValueError as error:
        parser.error(str(error))
    return load


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    load = read(arguments)
    Console().print(table(load, plan(load)))


if __name__ == "__main__":
    main(sys.argv[1:])
