"""The command line as a user meets it, in processes of its own."""

import os
import subprocess
import sys

import pytest

from tests.flows.test_evaluate import PROJECT


def rerender(*arguments, store=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"RERENDER_STORE": str(store or "/nonexistent")} | environment,
    )


def test_help_loads_nothing_heavy():
    code = (
        "import sys, flows.cli\n"
        "heavy = {'prefect', 'torch', 'inspect_ai', 'docker', 'numpy', 'pydantic', 'playwright'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PROJECT, check=True
    )
    assert done.stdout.strip() == "[]"


def test_help_names_every_command():
    done = rerender("--help")
    assert done.returncode == 0
    for command in (
        "demo",
        "refresh",
        "evaluate",
        "report",
        "try",
        "doctor",
        "weights",
        "list",
        "stats",
    ):
        assert command in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "modles"], "choose one of scenarios, models"),
        (["refresh", "--source", "bundeld"], "did you mean bundled"),
        (["evaluate", "nothing", "-m", "oracle"], "no snapshot is called 'nothing'"),
        (["report", "nothing"], "no run is called 'nothing'"),
        (["try", "latex", "missing.tex"], "missing.tex does not exist"),
        (["try", "latx", "README.md"], "neither a scenario nor a renderer"),
        (["evaluate"], "there is no snapshot yet"),
        (["bogus"], "No such command 'bogus'"),
        (["demo", "--limit", "0"], "greater than or equal to 1"),
        (["--nope"], "No such option: --nope"),
    ],
)
def test_a_mistake_is_told_in_two_lines_at_most(arguments, message, tmp_path):
    done = rerender(*arguments, store=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2


@pytest.mark.parametrize("command", [("list", "runs"), ("stats", "nothing")])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("RERENDER_BATCH", "0", "RERENDER_BATCH: Input should be greater"),
        ("RERENDER_MIRRORS", "{", '"mirrors"'),
        ("RERENDER_MIRRORS", '{"a.example": "ftp://b"}', "RERENDER_MIRRORS: the mirror of a.exam"),
    ],
)
def test_a_bad_setting_is_named(tmp_path, command, name, value, message):
    done = rerender(*command, store=tmp_path, **{name: value})
    assert done.returncode == 2
    assert message in done.stderr
    assert "defect" not in done.stderr


def test_debug_shows_the_traceback(tmp_path):
    done = rerender("--debug", "report", "nothing", store=tmp_path)
    assert done.returncode == 2
    assert "Traceback" in done.stderr


@pytest.mark.parametrize("what", ["scenarios", "models", "metrics", "sources", "renderers"])
def test_plug_ins_are_listed(what, tmp_path):
    done = rerender("list", what, store=tmp_path, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    expected = {
        "scenarios": "mindmap",
        "models": "provider/model",
        "metrics": "nted_accuracy",
        "sources": "bundled",
        "renderers": "lilypond",
    }
    assert expected[what] in done.stdout


def test_an_empty_store_is_listed_too(tmp_path):
    for what in ("snapshots", "runs"):
        assert rerender("list", what, store=tmp_path).returncode == 0
