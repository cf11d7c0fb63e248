"""LilyPond in its container: hostile Scheme, partial pictures, old versions, real scores."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmark.outcome import Kind, Ok
from benchmark.records import Structure
from renderers.job import Limits
from renderers.lilypond import INSTALLED, LilypondRenderer, pages_in_order
from tests.cases import SHARED, case_params
from tests.contracts.renderer_contract import RendererContract, fail, render
from tests.renderers.hostile_logs import read_in_time
from tests.roads import HurriedLilypond

READ_ELSEWHERE = {"ly-003"}
"""The version line is lowered by the language's repair, not by the renderer."""

HEAD = '\\version "2.24.0"\n'


def score(text: str, **options) -> Structure:
    return Structure(files={"score.ly": text.encode()}, entry="score.ly", options=options)


SPIN = score(HEAD + "#(let spin () (spin))\n{ c'1 }")


class TestLilypondContract(RendererContract):
    factory = LilypondRenderer
    hurried = HurriedLilypond
    good = score(HEAD + "{ c'4 d' e' f' g'1 }")
    broken = score("X:1\nT:Tune\nK:C\nC D E F|")
    empty = score(HEAD + '\\markup { " " }')
    endless = SPIN


@pytest.fixture(scope="module")
def renderer():
    with LilypondRenderer() as renderer:
        yield renderer


@pytest.fixture(scope="module")
def hurried():
    with HurriedLilypond() as renderer:
        yield renderer


EXPECTED = {
    "ly-001": "rendered",
    "ly-004": "partial:compile_error",
    "ly-007": "rendered",
    "ly-009": "rendered",
    "ly-010": "rendered",
    "ly-012": "timeout resource_limit",
    "ly-013": "resource_limit",
    "ly-015": "empty_render",
    "ly-016": "timeout resource_limit",
    "ly-018": "timeout",
    "ly-021": "partial:missing_resource",
}


@pytest.mark.parametrize("case", case_params("lilypond"))
def test_hard_cases(renderer, hurried, case):
    if case["input_kind"] != "lilypond" or case["id"] in READ_ELSEWHERE:
        pytest.skip("belongs to the reading and repair of answers")
    expected = EXPECTED[case["id"]]
    if expected == "rendered":
        assert render(renderer, score(case["input"])).flags == ()
    elif expected.startswith("partial:"):
        kinds = [flag.kind for flag in render(renderer, score(case["input"])).flags]
        assert kinds
        assert kinds[0] == expected.partition(":")[2]
    else:
        chosen = hurried if "timeout" in expected else renderer
        assert fail(chosen, score(case["input"])).kind in expected.split()


def test_endless_pages_by_scheme_are_not_decoded(renderer):
    copies = (
        '#(define (copy n) (system* "/bin/cp" "in.png" (format #f "x-page~a.png" n)))\n'
        "#(for-each copy (iota 60 1))\n"
    )
    made = score(HEAD + copies + "{ c'1 }")
    picture = render(renderer, score(HEAD + "{ c'1 }")).png
    failure = fail(renderer, made.model_copy(update={"files": {**made.files, "in.png": picture}}))
    assert failure.kind is Kind.RESOURCE_LIMIT
    assert failure.message.startswith("pages: 61")


def test_no_log_stops_the_process():
    lines = ("error: ", "a:1:", "a" * 99 + ":1", "fatal error: error writing ", ".png")
    logs = [line * (300_000 // len(line)) for line in lines]
    logs += [f"{line}\n" * (300_000 // len(line)) for line in lines]
    read_in_time("lilypond", "lilypond._read_errors(log)", logs)


def test_every_page_is_in_the_picture(renderer):
    one = render(renderer, score(HEAD + "{ c'1 \\break c' }"))
    many = render(renderer, score(HEAD + "{ \\repeat unfold 40 { c'1 \\break } }"))
    assert (one.pages, many.pages) == (1, 3)
    assert many.height > 15 * one.height / 2


def test_pages_and_books_come_in_reading_order():
    names = ["p-page1", "p-page2", "p-page10", "p-1-page1", "p-1-page2", "p-2"]
    files = {f"{name}.png": name.encode() for name in sorted(names)}
    assert pages_in_order({**files, "input.png": b"x"}, {"input.png"}) == [
        name.encode() for name in names
    ]


def test_scheme_finds_no_secret_and_no_way_out(renderer, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-of-the-host")
    spy = (
        "#(for-each (lambda (line) (ly:message \"ENV ~a\" line)) (environ))\n"
        "#(ly:message \"NET ~a\" (false-if-exception (connect (socket PF_INET SOCK_STREAM 0)"
        " AF_INET (inet-pton AF_INET \"1.1.1.1\") 53)))\n"
        "#(ly:message \"ETC ~a\" (false-if-exception (open-output-file \"/etc/x\")))\n"
        "#(ly:message \"UID ~a\" (getuid))\n"
    )  # fmt: skip
    log = render(renderer, score(HEAD + spy + "{ c'1 }")).log
    assert "UID 65534" in log
    assert "NET #f" in log
    assert "ETC #f" in log
    assert "PATH=" in log
    assert "secret" not in log
    assert "KEY" not in log


def test_an_entry_that_looks_like_an_option_is_a_file(renderer):
    structure = Structure(
        files={"-e(exit 5).ly": (HEAD + "{ c'1 }").encode()}, entry="-e(exit 5).ly"
    )
    assert render(renderer, structure).flags == ()


def test_includes_of_the_bundle_are_found(renderer):
    files = {"main.ly": (HEAD + '\\include "parts/a.ily"\n{ \\tune }').encode(),
             "parts/a.ily": b"tune = { c'4 d' e' f' }"}  # fmt: skip
    included = render(renderer, Structure(files=files, entry="main.ly"))
    assert included.png == render(renderer, score(HEAD + "{ c'4 d' e' f' }")).png


def test_pictures_among_the_inputs_are_not_pages(renderer):
    plain = render(renderer, score(HEAD + "{ c'1 }"))
    files = {"score.ly": (HEAD + "{ c'1 }").encode(), "rerender-page-1.png": plain.png}
    assert render(renderer, Structure(files=files, entry="score.ly")).pages == 1


def test_tagline_only_where_the_source_sets_it(renderer):
    plain = render(renderer, score(HEAD + "{ c'1 }"))
    assert plain.height < 150
    header = render(renderer, score(HEAD + '\\header { copyright = "" } { c\'1 }'))
    assert header.png == plain.png
    own = render(renderer, score(HEAD + '\\header { tagline = "Engraved by me" } { c\'1 }'))
    assert own.height > 10 * plain.height


def test_embedded_postscript_is_reported_not_dropped_silently(renderer):
    text = HEAD + '{ c\'1 } \\markup \\postscript "0 0 moveto 9 9 lineto stroke"'
    assert [flag.kind for flag in render(renderer, score(text)).flags] == [Kind.UNSUPPORTED]


def test_errors_name_the_place(renderer):
    partial = render(renderer, score(HEAD + "{ c'4 \\nonsense d' }"))
    assert partial.flags[0].message == "score.ly:2:7: unknown escaped string: `\\nonsense'"
    failure = fail(renderer, TestLilypondContract.broken)
    assert failure.message.startswith("score.ly:1")
    assert failure.detail


OLD = (
    "\\version \"2.10.0\"\n\\relative c' { c4 d \\override Staff.TimeSignature #'style = #'() e f }"
)


def test_old_syntax_is_brought_up_in_the_container(renderer):
    converted = render(renderer, score(OLD, convert_from="2.10.0"))
    new = "\\relative c' { c4 d \\override Staff.TimeSignature.style = #'() e f }"
    assert converted.png == render(renderer, score(HEAD + new)).png
    assert "convert-ly" in converted.log
    assert converted.flags == ()


def test_included_files_are_brought_up_too(renderer):
    part = "tune = \\relative c' { c4 d \\override Staff.TimeSignature #'style = #'() e f }"
    main = '\\version "2.10.0"\n\\include "part.ly"\n{ \\tune }'
    files = {"main.ly": main.encode(), "part.ly": part.encode()}
    structure = Structure(files=files, entry="main.ly", options={"convert_from": "2.10.0"})
    assert (
        render(renderer, structure).png == render(renderer, score(OLD, convert_from="2.10.0")).png
    )


@pytest.mark.parametrize("version", ["2.10; id", "", 2.1, "$(id)", "--help"])
def test_versions_are_checked(renderer, version):
    assert fail(renderer, score(OLD, convert_from=version)).kind is Kind.UNSUPPORTED


def test_the_image_has_the_version_and_the_bytecode_that_we_count_on(renderer):
    script = "lilypond --version | head -n 1; ls /usr/lib/*/lilypond/*/ccache/lily/lily-library.go"
    outcome = renderer.pool.run(["sh", "-c", script], {})
    assert isinstance(outcome, Ok)
    assert f"LilyPond {INSTALLED} " in outcome.value.stdout
    assert f"/lilypond/{INSTALLED}/ccache/" in outcome.value.stdout


SCORES = sorted((SHARED / "real" / "ly").glob("*.ly"))
WITHOUT_INCLUDE = {"no2.ly": "header.ly", "no10.ly": "header.ly"}
"""Parts of a set whose common header is not beside them."""


class WithTime(LilypondRenderer):
    """Has the patience that a long score needs on a busy machine."""

    limits = Limits(seconds=120, memory_mb=1024)


@pytest.fixture(scope="module")
def patient():
    with WithTime() as renderer:
        yield renderer


@pytest.mark.skipif(not SCORES, reason="no shared/real/ly beside the checkout")
@pytest.mark.parametrize("path", SCORES, ids=lambda path: path.name)
def test_real_scores_render(patient, path: Path):
    text = path.read_text("utf-8", "replace")
    declared = re.search(r'\\version\s+"([\d.]+)"', text)
    options = {"convert_from": declared[1]} if declared else {}
    picture = render(patient, score(text, **options))
    assert picture.width > 900
    missing = WITHOUT_INCLUDE.get(path.name)
    if missing:
        assert [flag.kind for flag in picture.flags] == [Kind.MISSING_RESOURCE]
        assert missing in picture.flags[0].message
    else:
        assert picture.flags == ()


@pytest.mark.skipif(not SCORES, reason="no shared/real/ly beside the checkout")
def test_a_real_score_of_several_files(patient, shared):
    folder = shared / "real" / "ly" / "multi_kv487-lys"
    files = {path.name: path.read_bytes() for path in folder.glob("*.ly")}
    structure = Structure(files=files, entry="no1.ly", options={"convert_from": "1.9.8"})
    flags = render(patient, structure).flags
    assert flags  # the footer is joined with a "+" that convert-ly leaves as it is
    assert all(flag.message.startswith("header.ly:") for flag in flags)
