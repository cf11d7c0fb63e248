"""The whole road of an answer for tests: reading, repairs and a real sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

from benchmark.outcome import Failed, Ok, Outcome
from benchmark.protocols import Language, Renderer, Scenario
from benchmark.records import Answer, Picture
from renderers import sandbox
from renderers.graphviz import GraphvizRenderer
from renderers.job import Limits
from renderers.lilypond import LilypondRenderer
from renderers.tex import TexRenderer
from renderers.web import WebRenderer
from scenarios.languages.graphviz import Graphviz
from scenarios.languages.lilypond import Lilypond
from scenarios.languages.web import Web
from scenarios.latex import Latex
from scenarios.roundtrip import render_answer
from tests.scenarios.containers import ready
from tests.scenarios.reading import read


@dataclass
class Road:
    """A reader and its renderer."""

    reader: Scenario | Language
    renderer: Renderer

    def read(self, text: str) -> Answer:
        return read(self.reader, text)

    def take(self, text: str) -> Outcome[tuple[Answer, Picture]]:
        outcome = self.reader.read(text)
        if isinstance(outcome, Failed):
            return outcome
        return render_answer(self.reader, self.renderer, outcome.value)

    def answer(self, text: str) -> tuple[Answer, Picture]:
        outcome = self.take(text)
        assert isinstance(outcome, Ok), outcome
        return outcome.value

    def picture(self, text: str) -> Picture:
        return self.answer(text)[1]

    def failure(self, text: str) -> Failed:
        outcome = self.take(text)
        assert isinstance(outcome, Failed), outcome.value
        assert "root:" not in outcome.message + outcome.detail
        return outcome

    def run(self, *command: str, **options) -> sandbox.Execution:
        """Run a command of the test's own in a sandbox like those of answers."""
        outcome = self.renderer.pool.run(command, options.pop("files", {}), **options)
        assert isinstance(outcome, Ok), outcome
        return outcome.value


class QuickLilypond(LilypondRenderer):
    """Gives up sooner, so that the tests of what never ends are short."""

    limits = Limits(seconds=15, memory_mb=512)


class QuickWeb(WebRenderer):
    """As above."""

    page_limits = Limits(seconds=12, memory_mb=1024, cpus=2, pids=400, work_mb=256)


HURRY = 8
"""Seconds for what never ends; what does end needs less on a busy machine."""


class HurriedLilypond(LilypondRenderer):
    """For scores that never end."""

    limits = Limits(seconds=HURRY, memory_mb=1024)


class HurriedWeb(QuickWeb):
    """For pages and sites that never end."""

    limits = Limits(seconds=HURRY, memory_mb=1024)
    page_limits = Limits(seconds=6, memory_mb=1024, cpus=2, pids=400, work_mb=256)


def road(area: str, *, hurried: bool = False) -> Iterator[Road]:
    """Yield the road of latex, lilypond, web or graphviz with its renderer open."""
    seconds = HURRY if hurried else 25
    reader, renderer = {
        "latex": lambda: (Latex(), TexRenderer(workers=1, limits=Limits(seconds=seconds))),
        "lilypond": lambda: (
            Lilypond(),
            (HurriedLilypond if hurried else QuickLilypond)(workers=1),
        ),
        "web": lambda: (Web(), (HurriedWeb if hurried else QuickWeb)(workers=1)),
        "graphviz": lambda: (Graphviz(), GraphvizRenderer(workers=1)),
    }[area]()
    for opened in ready(renderer):
        yield Road(reader, opened)


def hurried_roads() -> Iterator[Callable[[str], Road]]:
    """Yield what gives the road of an area for what never ends, opened when first asked for."""
    with ExitStack() as stack:
        yield cache(lambda area: stack.enter_context(contextmanager(road)(area, hurried=True)))


def road_for(request, area: str, kinds: str) -> Road:
    """Return the module's road of an area, or its hurried one for what may never end."""
    if "timeout" in kinds:
        return request.getfixturevalue("hurried")(area)
    return request.getfixturevalue(area)


def expect(outcome, kinds: str) -> None:
    """Assert that an outcome is one of the kinds, and shows no line of a file of passwords."""
    if isinstance(outcome, Failed):
        assert outcome.kind in kinds.split(), outcome
        assert "root:" not in outcome.message + outcome.detail
    else:
        assert isinstance(outcome, Ok)
        assert "rendered" in kinds.split(), outcome.value[1].flags
        assert "root:" not in outcome.value[1].log
