"""The tools that sources find in ``benchmark.workbench``, out of a workshop's renderers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmark import workbench
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Structure
from benchmark.workbench import Updated
from flows.workshop import Workshop
from renderers import lilypond_update
from renderers import pdf as poppler
from renderers.pooled import PooledRenderer
from renderers.sandbox import Pool

_SCORE = "score.ly"


class Tools(workbench.Workbench):
    """Tools in the sandboxes that references are rendered in; safe to call from several threads."""

    def __init__(self, workshop: Workshop) -> None:
        """Remember the workshop; no sandbox is started before a tool is used."""
        self._workshop = workshop

    def draw_pages(self, pdf: bytes, pages: Sequence[int], dpi: int) -> Outcome[list[bytes]]:
        """As ``renderers.pdf.draw_pages``."""
        pool = self._pool("tex")
        return pool if isinstance(pool, Failed) else poppler.draw_pages(pool.value, pdf, pages, dpi)

    def count_pages(self, pdf: bytes) -> Outcome[int]:
        """As ``renderers.pdf.count_pages``."""
        pool = self._pool("tex")
        return pool if isinstance(pool, Failed) else poppler.count_pages(pool.value, pdf)

    def update_lilypond(self, source: str) -> Outcome[Updated]:
        """As ``renderers.lilypond_update.update``."""
        pool = self._pool("lilypond")
        return pool if isinstance(pool, Failed) else lilypond_update.update(pool.value, source)

    def draw_lilypond(self, source: str) -> Outcome[bytes]:
        """Draw a score by the renderer of references, which must be a clean success."""
        structure = Structure(files={_SCORE: source.encode("utf-8", "replace")}, entry=_SCORE)
        drawn = self._workshop.renderer("lilypond").render(structure)
        if isinstance(drawn, Failed):
            return drawn.model_copy(update={"stage": Stage.FETCH})
        for flag in drawn.value.flags:
            return Failed.of(Stage.FETCH, flag.kind, flag.message, drawn.value.log)
        return ok(drawn.value.png)

    def _pool(self, renderer: str) -> Outcome[Pool]:
        """Return the sandboxes of a renderer."""
        found = self._workshop.renderer(renderer)
        if not isinstance(found, PooledRenderer):
            message = f"the renderer {renderer} that is registered has no sandboxes of ours"
            return Failed.of(Stage.FETCH, Kind.ENGINE_UNAVAILABLE, message)
        return ok(found.pool)


@contextmanager
def laid_ready(workshop: Workshop) -> Iterator[None]:
    """Lay the tools ready for a block: enter it around whatever runs a source."""
    with workbench.laid(Tools(workshop)):
        yield
