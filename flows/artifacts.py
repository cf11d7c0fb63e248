"""What Prefect's interface shows of a run: progress, spending, failures, examples, leaderboard.

The texts and tables are made by plain functions; ``publish_…``, ``Progress`` and ``Spending`` hand
them to the server that the run is known to.
"""

from __future__ import annotations

import base64
import io
import json
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast
from uuid import UUID

import numpy as np
from PIL import Image
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import ArtifactUpdate

from benchmark.funnel import Funnel
from benchmark.outcome import Failed, Stage
from benchmark.records import Digest
from benchmark.snapshot import Rejected
from flows.batches import Tally
from flows.budget import Budget
from renderers import canvas
from reports.records import Leaderboard
from reports.results import Result
from reports.terminal import bounds, cost, score

Cells = list[dict[str, str | int]]
Load = Callable[[Digest], bytes]

SIDE = 280
"""Pixels of the longer side of an example."""
EXAMPLES = 6
REASONS = 12
"""Rejected pieces and failures that are told one by one."""


class Progress:
    """One progress artifact for each stage, and what is spent, moved on batch by batch."""

    def __init__(self, totals: Mapping[Stage, int], budget: Budget) -> None:
        """Make the artifacts; `totals` are instances by stage."""
        self._spending = Spending(budget)
        self._totals = dict(totals)
        self._through = dict.fromkeys(totals, 0)
        self._tallies = {stage: Tally() for stage in totals}
        self._artifacts = {stage: _begun(stage) for stage in totals}

    def note(self, stage: Stage, instances: int, tally: Tally) -> None:
        """Count a batch of so many instances that has ended.

        A tally of scores counts each metric of each instance.
        """
        self._through[stage] += instances
        self._tallies[stage] = self._tallies[stage].plus(tally)
        known, total = self._tallies[stage], self._totals[stage]
        update_progress_artifact(
            self._artifacts[stage],
            progress=100.0 * self._through[stage] / max(1, total),
            description=f"{stage}: {self._through[stage]} of {total} instances; {known.done} "
            f"{'scores ' if stage is Stage.SCORE else ''}done, {known.failed} failed by the "
            f"model, {known.infra} to run again",
        )
        if stage is Stage.QUERY:
            self._spending.show()


class Spending:
    """A table of the tokens and the money that each model takes, against the budget."""

    def __init__(self, budget: Budget) -> None:
        """Remember the budget; there is no table before a model has taken tokens."""
        self._budget = budget
        self._artifact: UUID | None = None

    def show(self) -> None:
        """Bring the table up to date."""
        cells, told = spending_cells(self._budget), spending_text(self._budget)
        if not cells:
            return
        if self._artifact is None:
            made = create_table_artifact(cells, key="spending", description=told)
            self._artifact = cast("UUID", made)
            return
        change = ArtifactUpdate(data=json.dumps(cells), description=told)
        with get_client(sync_client=True) as client:
            client.update_artifact(self._artifact, change)


def _begun(stage: Stage) -> UUID:
    made = create_progress_artifact(0.0, key=f"progress-{stage}", description=str(stage))
    return cast("UUID", made)  # outside of asynchronous code it is no coroutine


def publish_funnel(snapshot: str, rows: Sequence[Funnel], rejected: Sequence[Rejected]) -> None:
    """Show what became of everything that the sources of a refresh offered."""
    create_table_artifact(funnel_cells(rows), key="funnel", description=f"snapshot {snapshot}")
    if rejected:
        create_table_artifact(
            rejected_cells(rejected),
            key="rejected",
            description=f"{len(rejected)} rejected, by reason, with the first of each",
        )


def publish_run(run: str, results: Sequence[Result], load: Load) -> None:
    """Show the failures and some examples of an evaluation."""
    failures = failure_cells(results)
    if failures:
        create_table_artifact(failures, key="failures", description=f"run {run}")
    create_markdown_artifact(examples(results, load), key="examples", description=f"run {run}")


def spending_cells(budget: Budget) -> Cells:
    """Return what each model that takes tokens has taken in this run; baselines take none."""
    cells: Cells = []
    for model, spent in budget.ledger().items():
        usage, known = spent.usage, budget.prices.get(model)
        if usage.input_tokens + usage.output_tokens == 0:
            continue
        cells.append(
            {
                "model": model,
                "answers": spent.answers,
                "input tokens": usage.input_tokens,
                "output tokens": usage.output_tokens,
                "of these reasoning": usage.reasoning_tokens,
                "cost": "unknown" if known is None else f"${known.of(usage):,.4f}",
            }
        )
    return cells


def spending_text(budget: Budget) -> str:
    """Return what is spent in this run of what may be; answers of earlier runs cost nothing now."""
    unknown = [
        model
        for model, spent in budget.ledger().items()
        if model not in budget.prices and spent.usage.input_tokens + spent.usage.output_tokens
    ]
    tokens = f"{budget.tokens:,} tokens"
    if budget.most_tokens is not None:
        tokens += f" of {budget.most_tokens:,}"
    cost = f"${budget.cost:,.2f}"
    if budget.most_cost is not None:
        cost += f" of ${budget.most_cost:,.2f}"
    if unknown:
        cost += f" and what {', '.join(unknown)} cost{'s' if len(unknown) == 1 else ''}: unknown"
    return f"spent in this run: {tokens}; {cost}"


def publish_board(board: Leaderboard, page: Path, address: str | None) -> None:
    """Show the leaderboard, and where the whole report is.

    Args:
        board: what is shown.
        page: the report's file on the machine that made it.
        address: where the report is published; None if it is in no published folder.
    """
    create_table_artifact(board_cells(board), key="leaderboard", description=board.title)
    about = f"{board.title} ({board.snapshot}): pictures side by side, every failure, all numbers"
    if address is not None:
        create_link_artifact(address, link_text=board.title, key="report", description=about)
        return
    create_markdown_artifact(
        f"`{page}` on `{socket.gethostname()}`\n\nWith RERENDER_REPORT_URL set to the address that "
        "the folder of reports is published at, this is a link.",
        key="report",
        description=about,
    )


def funnel_cells(rows: Sequence[Funnel]) -> Cells:
    """Return the funnel, a row for each source."""
    return [
        {
            "source": row.source,
            "found": row.found,
            "fetched": row.fetched,
            "rendered": row.rendered,
            "kept": row.kept,
            "lost": ", ".join(f"{n} {kind}" for kind, n in row.reasons.items()) or "nothing",
        }
        for row in rows
    ]


def rejected_cells(rejected: Sequence[Rejected]) -> Cells:
    """Return reasons with their numbers, the most frequent first, each with an example."""
    kinds = Counter(str(one.failure.kind) for one in rejected)
    first = {str(one.failure.kind): one for one in reversed(rejected)}
    return [
        {"reason": kind, "count": n, "of": first[kind].id, "example": first[kind].failure.message}
        for kind, n in kinds.most_common(REASONS)
    ]


def failure_cells(results: Sequence[Result]) -> Cells:
    """Return kinds of failures by model and blame, each with the message of one."""
    counts: Counter[tuple[str, str, str]] = Counter()
    messages: dict[tuple[str, str, str], str] = {}
    for result in results:
        failure = result.failure or result.unscored
        if failure is not None:
            key = result.model, str(failure.blame), str(failure.kind)
            counts[key] += 1
            messages.setdefault(key, failure.message)
    return [
        {"model": model, "blame": blame, "kind": kind, "count": n, "example": messages[key]}
        for key, n in counts.most_common()
        for model, blame, kind in [key]
    ]


def board_cells(board: Leaderboard) -> Cells:
    """Return the overall table; no number stands without its n, failures and interval."""
    return [
        {
            "model": row.model + (" (baseline)" if row.baseline else ""),
            "mean win rate": f"{score(row.win_rate)} "
            f"({bounds(row.win_rate_low, row.win_rate_high)})",
            "rendered": f"{score(row.rendered.mean)} "
            f"({bounds(row.rendered.low, row.rendered.high)})",
            "n": row.n,
            "failed": row.failed,
            "infra": row.infra,
            "input tokens": row.usage.input_tokens,
            "output tokens": row.usage.output_tokens,
            "cost": cost(row),
        }
        for row in board.overall
    ]


def examples(results: Iterable[Result], load: Load) -> str:
    """Return a table in Markdown: reference, rendering and difference, one of each scenario."""
    lines = ["| instance | model | reference | rendering | difference |", "| --- " * 5 + "|"]
    shown: set[str] = set()
    for result in results:
        pictures = _pictures(result, load) if result.instance.scenario not in shown else None
        if pictures is None or len(shown) >= EXAMPLES:
            continue
        shown.add(result.instance.scenario)
        cells = " | ".join(f"![]({_uri(picture)})" for picture in pictures)
        lines.append(f"| `{result.instance.id}` | {result.model} | {cells} |")
    return "\n".join(lines) if shown else "No picture came of any answer."


def _pictures(result: Result, load: Load) -> list[np.ndarray] | None:
    rendered = result.rendered
    if rendered is None or rendered.image is None:
        return None
    found = [canvas.decode(load(each)) for each in (result.instance.compared, rendered.image)]
    arrays = [_small(each.value) for each in found if not isinstance(each, Failed)]
    if len(arrays) < len(found):
        return None
    reference, rendering = arrays
    height = max(each.shape[0] for each in arrays)
    width = max(each.shape[1] for each in arrays)
    padded = [_padded(each, height, width).astype(np.int16) for each in arrays]
    difference = (255 - np.abs(padded[0] - padded[1])).astype(np.uint8)
    return [reference, rendering, difference]


def _small(picture: np.ndarray) -> np.ndarray:
    image = Image.fromarray(picture)
    image.thumbnail((SIDE, SIDE))
    return np.asarray(image)


def _padded(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    page = np.full((height, width, 3), 255, np.uint8)
    page[: picture.shape[0], : picture.shape[1]] = picture
    return page


def _uri(picture: np.ndarray) -> str:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
