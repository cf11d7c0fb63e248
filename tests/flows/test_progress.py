import io

import pytest
from rich.console import Console

from flows import progress
from flows.progress import Bars, current, observed_by


def shown(terminal, **options):
    console = Console(file=io.StringIO(), width=100, force_terminal=terminal, **options)
    with Bars(console) as bars, observed_by(bars):
        current().expect("render", 4)
        for result in ("done", "failed", "cached", "infra"):
            current().advance("render", result)
        assert not bars.all_cached()
    return console.file.getvalue()


def test_a_pipe_gets_lines_with_the_counts():
    text = shown(False)
    assert text == "render 4/4: 1 done, 1 failed, 1 cached, 1 infra failures\n"


def test_a_pipe_hears_of_long_work_while_it_lasts(monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0)
    assert len(shown(False).splitlines()) == 5


def test_a_terminal_gets_bars():
    text = shown(True)
    assert "render" in text
    assert "4/4" in text
    assert "1 failed" in text


@pytest.mark.parametrize(("results", "expected"), [(["cached"] * 3, True), ([], False)])
def test_all_cached_means_that_there_was_work(results, expected):
    with Bars(Console(file=io.StringIO())) as bars:
        bars.expect("score", len(results))
        for result in results:
            bars.advance("score", result)
        assert bars.all_cached() is expected


def test_nobody_needs_to_look():
    silent = current()
    silent.expect("render", 1)
    silent.advance("render", "done")
    assert current() is silent
