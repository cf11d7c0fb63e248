"""The leaderboard as a folder of web pages: pictures side by side, no server, nothing from outside.

Answers are hostile. Everything that a model, an author or a tool wrote is escaped by the templates;
only ``http`` and ``https`` addresses become links; and each page forbids, by its content security
policy, any script and style but our own (named by their digests), any request, form and frame.

A report is written beside its place and moved there when it is complete, so that a killed run
leaves the old report or none, never half of one. The same input gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from benchmark.records import Digest, Instance, digest_bytes
from reports import flowce_text, views
from reports.gallery import Shown, hang
from reports.leaderboard import to_csv
from reports.records import Leaderboard, Table
from reports.results import Fate, Result
from reports.terminal import bounds, cost, footnotes, judge_cost, judge_tokens, score
from reports.text import printable

TEMPLATES = Path(__file__).parent / "templates"
INSTANCES_PER_PAGE = 100
MARK = ".rerender-report"
"""A file in every report; only a folder that has it is ever replaced."""


class SiteError(RuntimeError):
    """A report that cannot be written where it should be; the text says what to do."""


def write_site(
    board: Leaderboard,
    results: Sequence[Result],
    load: Callable[[Digest], bytes],
    folder: Path,
    *,
    prompt: Callable[[Instance], str] | None = None,
) -> Path:
    """Write the report.

    Args:
        board: the leaderboard made from the results.
        results: as given to ``leaderboard``.
        load: returns a blob; raises ``BlobMissing`` or ``BlobDamaged``, which the report shows.
        folder: where the report shall be; an older report there is replaced.
        prompt: returns what the models were asked about an instance, if that is to be shown.

    Returns:
        The path of ``index.html``.

    Raises:
        SiteError: the folder holds something that is not a report.
        OSError: the disk is full, or the place cannot be written to.
    """
    folder = folder.absolute()
    if (
        folder.exists()
        and not (folder / MARK).is_file()
        and (not folder.is_dir() or any(folder.iterdir()))
    ):
        raise SiteError(f"{folder} is not a report and is left alone; choose another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        _Site(board, results, load, made, prompt).write()
        made.chmod(0o755)
        _move(made, folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder / "index.html"


def _move(made: Path, folder: Path) -> None:
    """Put a complete report in its place; the old one is out of the way for an instant."""
    if not folder.exists():
        made.rename(folder)
        return
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as aside:
        folder.rename(Path(aside) / "old")
        made.rename(folder)


class _Site:
    """One report while it is being written."""

    def __init__(
        self,
        board: Leaderboard,
        results: Sequence[Result],
        load: Callable[[Digest], bytes],
        folder: Path,
        prompt: Callable[[Instance], str] | None,
    ) -> None:
        self.board = board
        self.results = results
        self.load = load
        self.folder = folder
        self.prompt = prompt
        self.templates = _environment()

    def write(self) -> None:
        """Write all files; the index last."""
        gallery = hang(_pictures(self.results), self.load, self.folder)
        shelf = views.Shelf(gallery, self.load, self._keep, self.prompt)
        wholes = [table for table in self.board.tables if table.subset is None]
        slugs = _slugs([table.scenario for table in wholes])
        showcases: list[tuple[Table, views.Item]] = []
        for table in wholes:
            items = [shelf.item(group, table.metrics) for group in self._instances(table)]
            self._scenario(table, items, slugs)
            best = views.showcase(items, table.metrics[0].name if table.metrics else "")
            if best is not None:
                showcases.append((table, best))
        (self.folder / "leaderboard.json").write_text(
            self.board.model_dump_json(indent=1) + "\n", encoding="utf-8"
        )
        (self.folder / "leaderboard.csv").write_text(to_csv(self.board), encoding="utf-8")
        if self.board.flowce is not None:
            for name, form in (("csv", flowce_text.to_csv), ("md", flowce_text.to_markdown)):
                text = form(self.board.flowce)
                (self.folder / f"flowce.{name}").write_text(text, encoding="utf-8")
        (self.folder / MARK).write_text("", encoding="utf-8")
        subsets = {
            table.scenario: [
                part
                for part in self.board.tables
                if part.scenario == table.scenario and part.subset is not None
            ]
            for table in wholes
        }
        self._page(
            "index.html", "index", wholes=wholes, slugs=slugs, subsets=subsets, shown=showcases
        )

    def _instances(self, table: Table) -> Iterator[list[Result]]:
        """Yield the results of each instance of a scenario, models by rank."""
        rank = {row.model: place for place, row in enumerate(table.rows)}
        groups: dict[str, list[Result]] = {}
        for result in self.results:
            if result.instance.scenario == table.scenario:
                groups.setdefault(result.instance.id, []).append(result)
        for group in groups.values():
            yield sorted(group, key=lambda result: rank[result.model])

    def _scenario(self, table: Table, items: Sequence[views.Item], slugs: dict[str, str]) -> None:
        """Write the pages of one scenario, a hundred instances each."""
        slug = slugs[table.scenario]
        starts = range(0, len(items), INSTANCES_PER_PAGE)
        names = [
            f"{slug}.html" if not start else f"{slug}.{n}.html" for n, start in enumerate(starts, 1)
        ]
        for name, start in zip(names, starts, strict=True):
            shown = items[start : start + INSTANCES_PER_PAGE]
            kinds = {
                kind for item in shown for entry in item.entries for kind in entry.kinds.split()
            }
            self._page(
                name,
                "scenario",
                table=table,
                items=shown,
                first=start + 1,
                pages=names if len(names) > 1 else [],
                subsets=sorted({item.instance.subset for item in shown}),
                kinds=sorted(kinds),
            )

    def _page(self, name: str, template: str, **values: Any) -> None:  # noqa: ANN401
        text = self.templates.get_template(f"{template}.html").render(
            board=self.board, facts=views.facts(self.board.tables), page=name, **values
        )
        (self.folder / name).write_text(printable(text), encoding="utf-8")

    def _keep(self, text: str) -> str:
        """Keep a long text as a file and return its path within the report."""
        data = text.encode()
        path = f"texts/{digest_bytes(data)[:20]}.txt"
        (self.folder / "texts").mkdir(exist_ok=True)
        (self.folder / path).write_bytes(data)
        return path


def _pictures(results: Sequence[Result]) -> Iterator[Digest]:
    for result in results:
        yield result.instance.image
        if result.instance.reference is not None:
            yield result.instance.reference
        if result.rendered is not None and result.rendered.image is not None:
            yield result.rendered.image


def _slugs(names: Sequence[str]) -> dict[str, str]:
    """Return a file name for each scenario: plain, distinct, and not the index."""
    slugs: dict[str, str] = {}
    for name in names:
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "scenario"
        while slug in slugs.values() or slug == "index":
            slug += "_"
        slugs[name] = slug
    return slugs


def _environment() -> Environment:
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    policy = "; ".join(
        (
            "default-src 'none'",
            "img-src 'self' file:",
            f"style-src '{_source_digest(style)}'",
            f"script-src '{_source_digest(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Our own files, so they may stand unescaped; nothing else is ever marked safe.
    templates.globals |= {
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "policy": policy,
        "bar": views.bar,
        "rendered_bar": views.rendered_bar,
        "outcome_parts": views.outcome_parts,
        "footnotes": footnotes,
        "cost": cost,
        "judge_cost": judge_cost,
        "judge_tokens": judge_tokens,
        "flowce_counts": flowce_text.counts,
        "flowce_notes": flowce_text.notes,
        "reach": flowce_text.reach,
        "fates": list(Fate),
    }
    templates.filters |= {
        "score": score,
        "points": flowce_text.score,
        "thousands": "{:,}".format,
    }
    templates.tests |= {"picture": lambda value: isinstance(value, Shown)}
    templates.globals["bounds"] = bounds
    return templates


def _source_digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
