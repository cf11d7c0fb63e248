"""`rerender weights`: what can be had and compiled before the first run needs it."""

from __future__ import annotations

from pydantic import JsonValue
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn


def fetch_weights(console: Console) -> bool:
    """Get the metric networks' weights and compile the metric kernels, with progress shown.

    Returns:
        Whether LPIPS can run. CIS needs weights that are not to be had everywhere; without them
        it is missing from leaderboards, with the reason.
    """
    from metrics import weights

    columns = (TextColumn("{task.description:<28}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        tasks = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total or None)
            progress.update(tasks[name], completed=done, total=total or None)

        weights.fetch(show)
    found = weights.status()
    for weight in found:
        mark = "[green]ok[/green]  " if weight.present else "[yellow]none[/yellow]"
        console.print(f"{mark} {weight.name}: {escape(weight.message)}", soft_wrap=True)
    with console.status("compiling metric kernels"):
        warm_kernels()
    return any(weight.present for weight in found if weight.name == "vgg16")


def warm_kernels() -> None:
    """Compile the numba kernels into their on-disk cache (seconds once, nothing after)."""
    from metrics.ems import warm
    from metrics.graph import graph_edit_similarity
    from metrics.tree import nted_accuracy

    warm()
    branches: list[JsonValue] = [{"text": text, "children": []} for text in ("one", "two", "three")]
    nted_accuracy({"text": "a", "children": branches[:2]}, {"text": "b", "children": branches})
    nodes: list[JsonValue] = [{"id": text, "text": text} for text in ("one", "two")]
    edges: list[JsonValue] = [{"source": "one", "target": "two"}]
    graph_edit_similarity({"nodes": nodes, "edges": []}, {"nodes": nodes, "edges": edges})
