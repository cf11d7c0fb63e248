"""Hard cases by the whole road (reading, repairs, sandbox), the hostile ones first.

They belong to the shared test data and are skipped where that is absent; hostile inputs of our own
are in ``test_hostile_inputs``.

A rule that has no other home: graphs are compared as DOT draws them. A ``strict`` graph has each
edge once, with the attributes that were written last; without ``strict`` every statement is an edge
of its own, so the edges of two graphs are compared as multisets (case dot-018).
"""

from __future__ import annotations

import itertools
import json
import re
import socket
import tempfile
import time
from pathlib import Path

import pytest

from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Answer, Picture
from flows import trial
from renderers import canvas, sandbox
from renderers.hardening import hardening
from renderers.job import ENVIRONMENT, LIMITS, WORK, Stop
from renderers.pooled import LOG_CHARACTERS
from renderers.web_site import COMMAND, ORIGIN
from scenarios.languages.dot_tokens import TokenKind, tokenize
from scenarios.languages.graphviz import Graphviz
from scenarios.languages.lilypond import Lilypond
from scenarios.languages.web import Web
from tests.cases import case_input, hard_case, hard_cases, input_file
from tests.engine import containers, eventually
from tests.pictures import flagged, pixels
from tests.roads import (
    HurriedLilypond,
    QuickWeb,
    Road,
    expect,
    hurried_roads,
    road,
    road_for,
)
from tests.scenarios.containers import ready

AREAS = ("latex", "lilypond", "web", "graphviz")
LEFT = (WORK, "/tmp")  # noqa: S108 - inside the container
"""The only folders in which a job can leave anything."""


@pytest.fixture(scope="module")
def latex():
    yield from road("latex")


@pytest.fixture(scope="module")
def lilypond():
    yield from road("lilypond")


@pytest.fixture(scope="module")
def web():
    yield from road("web")


@pytest.fixture(scope="module")
def graphviz():
    yield from road("graphviz")


@pytest.fixture(scope="module")
def hurried():
    yield from hurried_roads()


def lines(picture: Picture) -> int:
    """Count the lines of text: bands of rows with ink."""
    inked = (pixels(picture) < canvas.VISIBLE).any(axis=(1, 2))
    return sum(1 for ink, _ in itertools.groupby(inked.tolist()) if ink)


def edges(dot: str) -> list[tuple[str, str]]:
    """Return the edges between two plain names, as they are written."""
    tokens = tokenize(dot)
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return [(a.text, b.text) for a, arrow, b in triples if arrow.kind is TokenKind.ARROW]


SECURITY = {
    "latex-016": "resource_limit",
    "latex-018": "resource_limit timeout",
    "latex-019": "unsafe_input",
    "latex-021": "rendered",
    "latex-022": "compile_error",
    "latex-024": "rendered",
    "latex-025": "unsafe_input",
    "ly-007": "rendered",
    "ly-009": "rendered",
    "ly-010": "rendered",
    "ly-012": "timeout resource_limit",
    "ly-013": "resource_limit",
    "ly-016": "timeout resource_limit",
    "web-012": "rendered",
    "web-013": "unsafe_input",
    "web-015": "timeout",
    "web-021": "rendered",
    "web-022": "rendered",
    "web-028": "resource_limit timeout",
    "web-030": "rendered",
    "web-031": "unsafe_input",
    "dot-009": "resource_limit",
    "dot-010": "resource_limit rendered",
    "dot-016": "compile_error",
}
"""What may come of each hostile case."""


def area_of(identifier: str) -> str:
    prefix = identifier.partition("-")[0]
    return {"ly": "lilypond", "dot": "graphviz"}.get(prefix, prefix)


def test_every_hostile_case_is_here():
    hostile = {
        case["id"] for area in (*AREAS, "parse") for case in hard_cases(area) if case["security"]
    }
    assert hostile in (set(), set(SECURITY))


@pytest.mark.parametrize("identifier", SECURITY)
def test_hostile_case(identifier, request, tmp_path):
    path = input_file(hard_case(identifier), tmp_path)
    if identifier == "web-013":  # an archive, which `rerender try` unpacks
        outcome = trial.run("web", path, None, tmp_path / "pictures").failure
    else:
        road = road_for(request, area_of(identifier), SECURITY[identifier])
        outcome = road.take(path.read_text(encoding="utf-8"))
    expect(outcome, SECURITY[identifier])


class TestLatex:
    def test_preamble_fits_the_commands_of_the_algorithm(self, latex):
        text = case_input("latex-007")
        answer, picture = latex.answer(text)
        assert answer.structure.options["packages"]
        assert picture.flags == ()
        without = latex.picture(text.replace(r"\KwData{$n$}", r"\DontPrintSemicolon"))
        assert lines(picture) == lines(without) + 1

    def test_upper_case_statements_are_numbered_lines(self, latex):
        text = case_input("latex-009")
        picture = latex.picture(text)
        assert picture.flags == ()
        statement = r"\STATE $i \gets 0$"
        assert statement in text
        assert lines(picture) >= 3
        assert lines(latex.picture(text.replace(statement, ""))) == lines(picture) - 1
        assert latex.picture(text.replace("[1]", "")).width < picture.width, "no numbers"

    def test_missing_package_is_named_and_nothing_waits_for_input(self, latex):
        failure = latex.failure(case_input("latex-012"))
        assert failure.kind is Kind.MISSING_RESOURCE
        assert "nosuchpkgzz" in failure.message
        asking = latex.failure("\\typein[\\name]{Who are you?} Hello \\name")
        assert asking.kind is Kind.COMPILE_ERROR
        assert latex.run("sh", "-c", "read -r line || echo closed").stdout.strip() == "closed"

    def test_a_typo_ends_at_the_first_error(self, latex):
        text = case_input("latex-015")
        line = 1 + text[: text.index("[ex4]")].count("\n")
        failure = latex.failure(text)
        assert failure.kind is Kind.COMPILE_ERROR
        assert re.match(rf"\S+\.tex:{line}: Missing number", failure.message), failure

    def test_a_package_written_by_one_job_is_not_loaded_by_the_next(self, latex):
        text = "\\documentclass{article}\\usepackage{amsmath}\\begin{document}x\\end{document}"
        before = latex.picture(text)
        hijack = latex.picture(case_input("latex-024"))
        after = latex.picture(text)
        assert after.png == before.png == hijack.png
        assert "HIJACKED" not in after.log
        look = "ls /work; for f in /opt/rerender/*; do echo x >>$f && echo writable; done"
        assert latex.run("sh", "-c", look).stdout.strip() == ""
        assert hardening(LIMITS)["read_only"] is True

    def test_a_macro_on_the_line_of_the_packages_stays(self, latex):
        text = case_input("latex-031")
        macro = r"\newcommand{\R}{\mathbb{R}}"
        assert macro in text
        expanded = text.replace(macro, "").replace(r"\in\R", r"\in\mathbb{R}")
        assert latex.picture(text).png == latex.picture(expanded).png


class TestLilypond:
    def test_a_command_changes_nothing_outside(self, lilypond):
        text = case_input("ly-007")
        line = next(line for line in text.splitlines() if "system" in line)
        first, second = lilypond.picture(text), lilypond.picture(text)
        assert first.png == second.png == lilypond.picture(text.replace(line, "")).png
        for folder in (Path(tempfile.gettempdir()), Path.cwd()):
            assert not (folder / "pwned.txt").exists()
        assert lilypond.run("find", *LEFT, "-type", "f").stdout == ""

    @pytest.mark.parametrize("identifier", ["ly-009", "ly-010"])
    def test_nothing_of_the_host_is_within_reach(self, lilypond, identifier, tmp_path, monkeypatch):
        text = case_input(identifier)
        secret = tmp_path / "secret.txt"
        secret.write_text("the-hosts-own-secret", encoding="utf-8")
        monkeypatch.setenv("RERENDER_TEST_TOKEN", "the-hosts-own-secret")
        picture = lilypond.picture(text)
        assert socket.gethostname() not in picture.log
        outside = lilypond.take(text.replace("/etc/passwd", str(secret)))
        log = outside.detail if isinstance(outside, Failed) else outside.value[1].log
        assert "the-hosts-own-secret" not in log
        seen = lilypond.run("sh", "-c", f"env; cat {secret} /etc/hostname /proc/self/mountinfo")
        assert "the-hosts-own-secret" not in seen.log
        assert socket.gethostname() not in seen.log
        names = {line.partition("=")[0] for line in lilypond.run("env").stdout.split("\n") if line}
        assert names <= {*ENVIRONMENT, "PWD"}

    def test_no_folder_of_the_host_is_mounted(self):
        host = hardening(LIMITS)
        assert not {"binds", "mounts", "volumes", "volumes_from", "devices"} & host.keys()
        assert host["network_mode"] == "none"
        assert set(host["tmpfs"]) == set(LEFT)

    def test_a_fork_bomb_stays_in_its_container(self, lilypond, monkeypatch):
        label = f"hard-cases/{id(monkeypatch)}"  # of another host: never taken for stale
        monkeypatch.setattr(sandbox, "owner", lambda: label)
        harmless = '\\version "2.24.0"\n{ c\'1 }'
        for renderer in ready(HurriedLilypond(workers=1)):
            road = Road(Lilypond(), renderer)
            before = road.picture(harmless)
            assert containers(label)
            failure = road.failure(case_input("ly-012"))
            assert failure.kind in (Kind.TIMEOUT, Kind.RESOURCE_LIMIT)
            forks = "n=0; while [ $n -lt 200 ]; do sleep 9 & n=$((n + 1)); done"
            assert road.run("sh", "-c", forks).stopped is Stop.PROCESSES
            assert road.picture(harmless).png == before.png
        eventually(lambda: not containers(label), "containers are left")
        monkeypatch.undo()
        assert lilypond.picture(harmless).png == before.png


class TestWeb:
    def test_a_style_sheet_below_an_underscore_is_applied(self, web):
        picture = web.picture(case_input("web-003"))
        assert picture.flags == ()
        assert (pixels(picture) == (255, 0, 0)).all(axis=2).any()

    def test_a_destination_of_the_sites_own_is_not_emptied(self, web):
        items = json.loads(case_input("web-012"))
        files = {f"source/{item['filename']}": item["content"].encode() for item in items}
        build = "mkdir in other && mv source in && echo kept >other/file && cd in && "
        done = web.run(
            "sh", "-c", build + " ".join(COMMAND),
            files=files, collect=("in/site", "other"), environment={"RERENDER_ORIGIN": ORIGIN},
        )  # fmt: skip
        assert done.files["in/site/index.html"] == b"x"
        other = {name: data for name, data in done.files.items() if name.startswith("other")}
        assert other == {"other/file": b"kept\n"}

    def test_a_font_out_of_reach_gives_the_fallback(self, web):
        picture = web.picture(case_input("web-018"))
        assert flagged(picture, "blocked_requests=1 (fonts.example)")
        named = "<style>body{font-family:serif}</style><h1>Text</h1>"
        assert picture.png == web.picture(named).png
        assert picture.png != web.picture(named.replace("serif", "monospace")).png

    def test_a_host_that_never_answers_holds_nothing(self, web):
        picture = web.picture(case_input("web-019"))
        assert flagged(picture, "blocked_requests=1 (slow.example)")
        assert not flagged(picture, "not fully loaded")
        assert picture.png == web.picture("<img src=nowhere.png><h1>hi</h1>").png

    def test_random_numbers_and_the_clock_are_the_same_each_time(self, web):
        text = case_input("web-027")
        assert "Math.random()" in text
        pictures = {web.picture(text).png, web.picture(text).png}
        for renderer in ready(QuickWeb(workers=1)):
            pictures.add(Road(Web(), renderer).picture(text).png)
        assert len(pictures) == 1
        assert pictures != {web.picture("<h1>0</h1>").png}

    def test_a_flood_of_messages_is_capped(self, web):
        picture = web.picture(case_input("web-030"))
        assert len(picture.log) <= LOG_CHARACTERS
        assert picture.png == web.picture("<p>hi").png
        thrown = "<p>hi<script>for(let i=0;i<500;i++)setTimeout(()=>{throw 'e'.repeat(9999)})"
        assert len(web.picture(thrown).log) <= LOG_CHARACTERS

    def test_half_a_surrogate_pair_is_replaced_and_recorded(self, web):
        answer, picture = web.answer(case_input("parse-016"))
        assert answer.structure.text == "<p>\ufffd</p>"
        assert any("surrogate" in repair for repair in answer.repairs)
        assert picture.png == web.picture("<meta charset=utf-8><p>\ufffd</p>").png
        assert Answer.model_validate_json(answer.model_dump_json()) == answer
        assert web.picture("<meta charset=utf-8><p>\ud83d</p>").png == picture.png


class TestGraphviz:
    def test_a_label_without_quotes_keeps_its_edge(self, graphviz):
        answer, picture = graphviz.answer(case_input("dot-001"))
        assert "unquoted attribute values quoted" in answer.repairs
        assert edges(answer.structure.text) == [("a", "b")]
        quoted = 'digraph g { a [label="y: (2, 2)", shape=box]; a -> b }'
        assert picture.png == graphviz.picture(quoted).png

    def test_of_two_graphs_one_is_read_and_one_is_drawn(self, graphviz):
        """The reader decides (the last graph), so the renderer's rule (the first) never does."""
        answer, picture = graphviz.answer(case_input("dot-012"))
        assert any("multiple_graphs" in flag.message for flag in answer.flags)
        assert edges(answer.structure.text) == [("c", "d")]
        assert picture.png == graphviz.picture("digraph B { c -> d }").png
        assert picture.flags == ()
        assert canvas.encode(pixels(picture)) == picture.png, "one picture and nothing behind it"

    def test_strict_draws_an_edge_once(self, graphviz):
        """The rule of comparison stands in the module's docstring."""
        text = case_input("dot-018")
        once = graphviz.picture(text)
        assert once.png == graphviz.picture('digraph g { a -> b [label="2"] }').png
        assert edges(text) == [("a", "b")] * 3
        assert graphviz.picture(text.removeprefix("strict ")).width > once.width

    def test_endless_repetition_is_truncated_in_linear_time(self, tmp_path):
        text = case_input("parse-022", tmp_path)
        failure = Graphviz().read(text, truncated=True)
        assert isinstance(failure, Failed)
        assert (failure.stage, failure.kind) == (Stage.PARSE, Kind.TRUNCATED)
        assert "degenerate_repetition" in failure.message
        # a quadratic reader would take 64 times as long for 8 times the text
        assert reading_time(text + "A -> B;\n" * 140_000) < 32 * reading_time(text)


def reading_time(text: str) -> float:
    """Return the least processor time, in seconds, of three readings."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        Graphviz().read(text, truncated=True)
        times.append(time.process_time() - begun)
    return min(times)
