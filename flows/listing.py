"""`rerender list`: what there is, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from benchmark import registry, snapshot
from benchmark.settings import Settings
from benchmark.store import Store


def _scenarios(_: Settings) -> Table:
    table = Table("scenario", "family", "version", "subsets", "renderer", "fit", "metrics")
    for name in registry.scenarios.names():
        each = registry.scenarios.get(name)
        table.add_row(
            name,
            getattr(each, "family", ""),
            each.version,
            ", ".join(each.subsets),
            each.renderer or "none",
            str(each.fit),
            ", ".join(each.metrics),
        )
    return table


def _models(_: Settings) -> Table:
    table = Table("model", "what it is")
    for name in registry.models.names():
        factory = registry.models.get(name)
        about = (factory.__doc__ or "").strip().splitlines()
        shown = "provider/model" if name == registry.PROVIDER_MODEL else name
        table.add_row(shown, about[0] if about else "")
    return table


def _metrics(_: Settings) -> Table:
    table = Table("metric", "version", "compares", "range", "better")
    for name in registry.metrics.names():
        each = registry.metrics.get(name)
        low, high = each.range
        better = "higher" if each.higher_is_better else "lower"
        table.add_row(name, each.version, str(each.needs), f"{low:g} to {high:g}", better)
    return table


def _sources(_: Settings) -> Table:
    table = Table("source", "scenarios")
    for name in registry.sources.names():
        table.add_row(name, ", ".join(registry.sources.get(name).scenarios))
    return table


def _renderers(_: Settings) -> Table:
    table = Table("renderer", "version")
    for name in registry.renderers.names():
        table.add_row(name, registry.renderers.get(name)().version)
    return table


def _snapshots(settings: Settings) -> Table:
    table = Table("snapshot", "newest material", "instances", "rejected", "by scenario")
    store = Store(settings.store)
    for name in snapshot.names(store):
        each = snapshot.load(store, name)
        counts = Counter(instance.scenario for instance in each.instances)
        table.add_row(
            name,
            str(each.created),
            str(len(each.instances)),
            str(len(each.rejected)),
            ", ".join(f"{scenario} {count}" for scenario, count in counts.items()),
        )
    return table


def _runs(settings: Settings) -> Table:
    from flows import runs

    table = Table("run", "snapshot", "models", "scenarios", "pairs")
    store = Store(settings.store)
    for name in runs.names(store):
        each = runs.load(store, name)
        table.add_row(
            name,
            each.snapshot,
            ", ".join(each.models),
            ", ".join(each.scenarios),
            str(len(each.entries)),
        )
    return table


LISTS: dict[str, Callable[[Settings], Table]] = {
    "scenarios": _scenarios,
    "models": _models,
    "metrics": _metrics,
    "sources": _sources,
    "renderers": _renderers,
    "snapshots": _snapshots,
    "runs": _runs,
}


def show(what: str, settings: Settings, console: Console) -> None:
    """Print a table; where there is no terminal, a line each with tabs between the columns."""
    table = LISTS[what](settings)
    if console.is_terminal:
        table.columns[0].no_wrap = True  # the name is there to be copied
        console.print(table)
        return
    columns = [list(column.cells) for column in table.columns]
    for row in zip(*columns, strict=True):
        console.print("\t".join(str(cell) for cell in row), soft_wrap=True, markup=False)
