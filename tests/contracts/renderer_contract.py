"""The suite that every renderer passes: subclass ``RendererContract`` and describe four inputs.

A renderer's test module holds one subclass whose name starts with ``Test``::

    class TestTexContract(RendererContract):
        factory = TexRenderer
        hurried = staticmethod(lambda: TexRenderer(limits=Limits(seconds=8)))
        good = Structure(files={"a.tex": rb"..."}, entry="a.tex")
        broken = ...
        empty = ...
        endless = ...
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest

from benchmark.outcome import Blame, Failed, Kind, Ok
from benchmark.protocols import Renderer
from benchmark.records import Picture, Structure
from renderers import canvas
from renderers.bundle import CAPS
from renderers.hardening import owner
from tests.engine import containers, eventually


def render(renderer: Renderer, structure: Structure) -> Picture:
    """Render what must succeed."""
    outcome = renderer.render(structure)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def fail(renderer: Renderer, structure: Structure) -> Failed:
    """Render what must fail, with a message of one readable line."""
    outcome = renderer.render(structure)
    assert isinstance(outcome, Failed), outcome.value.flags
    assert outcome.message
    assert "\n" not in outcome.message
    return outcome


class RendererContract:
    """What any renderer promises."""

    factory: ClassVar[Callable[[], Renderer]]
    hurried: ClassVar[Callable[[], Renderer]]
    """One that gives up soon: for what never ends."""
    good: ClassVar[Structure]
    """Renders without flags."""
    broken: ClassVar[Structure]
    """Does not compile, and nothing is drawn; ``broken_kind`` says how that fails."""
    broken_kind: ClassVar[Kind] = Kind.COMPILE_ERROR
    empty: ClassVar[Structure]
    """The tool succeeds, but nothing is visible."""
    endless: ClassVar[Structure]
    """Would run for ever, or nearly."""

    @pytest.fixture(scope="class")
    def renderer(self, request):
        with type(self).factory() as renderer:
            found = renderer.image_digest()
            assert isinstance(found, Ok), found  # make test builds the images first
            yield renderer

    def test_keeps_the_protocol(self, renderer):
        assert isinstance(renderer, Renderer)
        assert renderer.name
        assert renderer.version

    def test_image_digest_identifies_the_image(self, renderer):
        outcome = renderer.image_digest()
        assert isinstance(outcome, Ok)
        assert len(outcome.value) == 64
        assert int(outcome.value, 16)
        assert renderer.image_digest() == outcome

    def test_picture_is_an_rgb_png_of_the_size_it_says(self, renderer):
        picture = render(renderer, self.good)
        array = canvas.decode(picture.png)
        assert isinstance(array, Ok)
        assert array.value.shape == (picture.height, picture.width, 3)
        assert (array.value < 128).any()
        assert canvas.encode(array.value) == picture.png
        assert picture.flags == ()
        assert picture.pages >= 1
        assert picture.seconds > 0

    def test_two_renders_are_equal_to_the_byte(self, renderer):
        with type(self).factory() as another:
            assert render(renderer, self.good).png == render(another, self.good).png

    def test_threads_do_not_disturb_each_other(self, renderer):
        with ThreadPoolExecutor(3) as threads:
            jobs = [threads.submit(renderer.render, self.good) for _ in range(2)]
            failing = threads.submit(renderer.render, self.broken)
            pictures = [job.result() for job in jobs]
        assert all(isinstance(outcome, Ok) for outcome in pictures)
        assert pictures[0].value.png == pictures[1].value.png
        assert isinstance(failing.result(), Failed)

    def test_what_does_not_compile_is_the_authors_fault(self, renderer):
        failure = fail(renderer, self.broken)
        assert failure.kind is self.broken_kind
        assert failure.blame is Blame.MODEL

    def test_nothing_visible_is_a_failure_and_not_a_white_picture(self, renderer):
        assert fail(renderer, self.empty).kind is Kind.EMPTY_RENDER

    def test_endless_work_is_ended_and_the_renderer_goes_on(self):
        with type(self).hurried() as renderer:
            failure = fail(renderer, self.endless)
            assert failure.kind in (Kind.TIMEOUT, Kind.RESOURCE_LIMIT)
            assert render(renderer, self.good).png

    @pytest.mark.parametrize(
        "path", ["../escape", "/etc/cron.d/x", "a/../../x", "C:\\x", "nul", "a\0b"]
    )
    def test_unsafe_paths_are_refused(self, renderer, path):
        files = {**self.good.files, path: b"x"}
        failure = fail(renderer, self.good.model_copy(update={"files": files}))
        assert failure.kind is Kind.UNSAFE_INPUT

    def test_too_much_input_is_refused(self, renderer):
        files = {**self.good.files, "large.bin": bytes(CAPS.file_bytes + 1)}
        failure = fail(renderer, self.good.model_copy(update={"files": files}))
        assert failure.kind is Kind.RESOURCE_LIMIT

    @pytest.mark.parametrize("entry", ["missing", "../escape", ""])
    def test_entry_must_be_one_of_the_files(self, renderer, entry):
        failure = fail(renderer, self.good.model_copy(update={"entry": entry}))
        assert failure.kind in (Kind.UNSAFE_INPUT, Kind.MISSING_RESOURCE)

    def test_engine_that_does_not_answer_is_our_fault(self, monkeypatch, tmp_path):
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
        with type(self).factory() as renderer:
            failure = fail(renderer, self.good)
        assert failure.kind is Kind.ENGINE_UNAVAILABLE
        assert failure.blame is Blame.INFRA
        assert not failure.final

    def test_nothing_is_left_behind(self):
        before, threads = containers(owner()), threading.active_count()
        with type(self).factory() as renderer:
            render(renderer, self.good)
            during = containers(owner())
        eventually(
            lambda: (
                not (containers(owner()) & during) - before and threading.active_count() <= threads
            ),
            "containers or threads are left",
        )
