"""What sources need of the sandboxes, which they do not know: tools for hostile documents.

Sources never import renderers. Whoever runs a source (``flows.refresh``) lays the tools ready; a
source asks for them here when it needs one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from benchmark.outcome import Failed, Kind, Outcome, Stage


@dataclass(frozen=True)
class Updated:
    """LilyPond source that fits the installed version."""

    source: str
    version: str | None
    """What the source declared before; None: nothing, so that it was left as it is."""
    log: str
    """What convert-ly said; empty if there was nothing to do."""


class Workbench(Protocol):
    """Tools that run in sandboxes; safe to call from several threads at once."""

    def draw_pages(self, pdf: bytes, pages: Sequence[int], dpi: int) -> Outcome[list[bytes]]:
        """Draw pages of a PDF (numbers from 1) as PNG, at a resolution in dots per inch."""

    def count_pages(self, pdf: bytes) -> Outcome[int]:
        """Count the pages of a PDF."""

    def update_lilypond(self, source: str) -> Outcome[Updated]:
        r"""Bring LilyPond source from its ``\version`` to the installed one (convert-ly)."""

    def draw_lilypond(self, source: str) -> Outcome[bytes]:
        """Draw LilyPond source as references are drawn; any error of its is a failure."""


class _Bare:
    """The workbench where none was laid ready: every tool says so."""

    def draw_pages(
        self,
        pdf: bytes,  # noqa: ARG002
        pages: Sequence[int],  # noqa: ARG002
        dpi: int,  # noqa: ARG002
    ) -> Outcome[list[bytes]]:
        return _none()

    def count_pages(self, pdf: bytes) -> Outcome[int]:  # noqa: ARG002
        return _none()

    def update_lilypond(self, source: str) -> Outcome[Updated]:  # noqa: ARG002
        return _none()

    def draw_lilypond(self, source: str) -> Outcome[bytes]:  # noqa: ARG002
        return _none()


def _none() -> Failed:
    message = "no sandbox is at hand here; collect through `rerender refresh`"
    return Failed.of(Stage.FETCH, Kind.ENGINE_UNAVAILABLE, message)


_laid: list[Workbench] = []


def current() -> Workbench:
    """Return the tools that were laid ready last."""
    return _laid[-1] if _laid else _Bare()


@contextmanager
def laid(workbench: Workbench) -> Iterator[None]:
    """Lay tools ready for a block, for all threads of the process."""
    _laid.append(workbench)
    try:
        yield
    finally:
        _laid.remove(workbench)
