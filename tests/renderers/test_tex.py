"""The LaTeX renderer: its confinement first, then what is a picture and what is a failure."""

from __future__ import annotations

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Structure
from renderers import canvas, tex_document, tex_log
from renderers.image_digest import CONTAINERS
from renderers.sandbox import Limits
from renderers.tex import MOST_PAGES, TexRenderer
from scenarios.languages import tex_packages
from tests.contracts.renderer_contract import RendererContract, fail, render
from tests.renderers.hostile_logs import read_in_time
from tests.roads import HURRY

RED_DOT = (
    "89504e470d0a1a0a0000000d4948445200000004000000040802000000269309290000001049444154789c63fc"
    "cf80004c0c44710033d101073a843eb80000000049454e44ae426082"
)


def snippet(text: str, **options) -> Structure:
    options = {"form": "snippet", **options}
    return Structure(files={"answer.tex": text.encode()}, entry="answer.tex", options=options)


def document(text: str, head: str = "", **options) -> Structure:
    source = f"\\documentclass{{article}}{head}\n\\begin{{document}}\n{text}\n\\end{{document}}\n"
    return snippet(source, form="document", **options)


class TestContract(RendererContract):
    factory = TexRenderer
    hurried = staticmethod(lambda: TexRenderer(limits=Limits(seconds=HURRY)))
    good = snippet(r"$\sum_{i=1}^{n} i = \frac{n(n+1)}{2}$")
    broken = snippet(r"\undefined")
    empty = snippet(r"$\phantom{x^2}$")
    endless = snippet(r"\loop\iftrue\repeat")


@pytest.fixture(scope="module")
def renderer():
    with TexRenderer() as renderer:
        found = renderer.image_digest()
        assert isinstance(found, Ok), found
        yield renderer


def stored(outcome: Ok | Failed) -> str:
    """All text that a result would leave in the store."""
    if isinstance(outcome, Failed):
        return outcome.message + outcome.detail
    return outcome.value.log + "".join(flag.message for flag in outcome.value.flags)


class TestConfinement:
    @pytest.mark.parametrize(
        "text",
        [
            r"\input{/etc/passwd}",
            r"\verbatiminput{/etc/passwd} shown",
            r"\lstinputlisting{/etc/passwd} shown",
            r"\includegraphics{/etc/hostname.png} shown",
            r"\openin5=/etc/passwd \ifeof5 closed\else\read5 to\x \x\fi",
            r"\pdffiledump offset 0 length 9{/etc/passwd} shown",
            r"\input{../etc/passwd}",
            r"\input{.profile} shown",
            r"\newwrite\w\immediate\openout\w=/tmp/out \immediate\write\w{x} shown",
        ],
    )
    def test_nothing_outside_the_folder_is_read_or_written(self, renderer, text):
        outcome = renderer.render(snippet(text))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSAFE_INPUT, outcome
        assert "root:" not in stored(outcome)

    def test_the_unicode_engine_is_confined_alike(self, renderer):
        for text in (r"结 \input{/etc/passwd}", r"结 \XeTeXpicfile /etc/passwd.png shown"):
            outcome = renderer.render(snippet(text, engine="xelatex"))
            assert isinstance(outcome, Failed), outcome.value.log
            assert outcome.kind is Kind.UNSAFE_INPUT, outcome
            assert "root:" not in stored(outcome)

    @pytest.mark.parametrize("command", ["touch made.txt", "echo pwned > answer.tex"])
    @pytest.mark.parametrize("engine", ["pdflatex", "xelatex"])
    def test_no_command_is_run(self, renderer, command, engine):
        text = (
            rf"\immediate\write18{{{command}}}\IfFileExists{{made.txt}}{{WRONG\undefined}}{{fine}}"
        )
        picture = render(renderer, snippet(text, engine=engine))
        assert picture.png == render(renderer, snippet("fine", engine=engine)).png

    def test_piped_input_is_an_error(self, renderer):
        failure = fail(renderer, snippet(r'\input{|"id"} done'))
        assert failure.kind is Kind.COMPILE_ERROR
        assert "uid=" not in stored(failure)

    def test_no_lua(self, renderer):
        failure = fail(renderer, document(r"\directlua{tex.print(1)}"))
        assert failure.kind is Kind.UNSAFE_INPUT
        assert "Lua" in failure.message
        assert fail(renderer, snippet("x", engine="lualatex")).kind is Kind.UNSUPPORTED

    def test_a_job_leaves_nothing_for_the_next(self, renderer):
        text = "\\begin{filecontents*}[overwrite]{amsmath.sty}\n\\ProvidesPackage{amsmath}"
        hijack = document("x", "\\usepackage{amsmath}")
        first = renderer.render(
            hijack.with_text(f"{text}\\typeout{{HIJACKED}}\n\\end{{filecontents*}}\n{hijack.text}")
        )
        assert isinstance(first, Ok)
        second = render(renderer, document("$\\dfrac12$", "\\usepackage{amsmath}"))
        assert "HIJACKED" not in second.log

    def test_a_hostile_entry_is_no_command(self, renderer):
        for entry, kind in (("a}#^^5cb.tex", Kind.UNSUPPORTED), ("\\b.tex", Kind.UNSAFE_INPUT)):
            structure = Structure(files={entry: b"x"}, entry=entry, options={})
            assert fail(renderer, structure).kind is kind

    def test_a_file_in_the_bundle_is_not_taken_for_output(self, renderer):
        structure = snippet("% nothing")
        files = {**structure.files, "rerender-document.pdf": b"%PDF-1.4"}
        files["rerender-page-1.png"] = bytes.fromhex(RED_DOT)
        failure = fail(renderer, structure.model_copy(update={"files": files}))
        assert failure.kind is Kind.EMPTY_RENDER


class TestLimits:
    def test_endless_pages_end_at_the_page_limit(self, renderer):
        failure = fail(renderer, document(r"\loop\null\vfill\eject\iftrue\repeat"))
        assert failure.kind is Kind.RESOURCE_LIMIT
        assert f"{MOST_PAGES} pages" in failure.message

    def test_tex_memory(self, renderer):
        failure = fail(renderer, document(r"\def\a#1{\a{#1#1}}\a{x}"))
        assert failure.kind is Kind.RESOURCE_LIMIT
        assert "main memory size" in failure.message

    def test_huge_paper(self, renderer):
        head = r"\usepackage[paperwidth=150in,paperheight=150in]{geometry}"
        failure = fail(renderer, document("x", head))
        assert failure.kind is Kind.RESOURCE_LIMIT
        assert "pixels" in failure.message


class TestFailures:
    def test_first_error_in_one_line(self, renderer):
        failure = fail(renderer, snippet("fine\n\n\\foo{x}\n\\bar"))
        assert failure.message == "answer.tex:3: Undefined control sequence \\foo"
        assert "l.3 \\foo" in failure.detail

    def test_line_of_a_document(self, renderer):
        failure = fail(renderer, document("a & b"))
        assert failure.message == "answer.tex:3: Misplaced alignment tab character &."

    @pytest.mark.parametrize(
        ("structure", "name"),
        [
            (document("x", r"\usepackage{nosuchpkgzz}"), "nosuchpkgzz.sty"),
            (snippet(r"\includegraphics{figures/curve.png}"), "figures/curve.png"),
            (snippet(r"\input{chapter}"), "chapter.tex"),
            (document("x", r"\usepackage{tikz}\usetikzlibrary{nosuch}"), "nosuch"),
        ],
    )
    def test_missing_files_are_named(self, renderer, structure, name):
        failure = fail(renderer, structure)
        assert failure.kind is Kind.MISSING_RESOURCE, failure
        assert name in failure.message

    def test_packages_that_run_commands(self, renderer):
        text = "\\begin{minted}{python}\nx = 1\n\\end{minted}"
        failure = fail(renderer, document(text, "\\usepackage{minted}"))
        assert failure.kind is Kind.UNSUPPORTED
        assert "minted" in failure.message

    def test_lost_characters_are_no_success(self, renderer):
        failure = fail(renderer, snippet("准确率 95\\%"))
        assert failure.kind is Kind.UNSUPPORTED
        assert "准 (U+51C6)" in failure.message
        lost = fail(renderer, snippet("smile 😀 on", engine="xelatex"))
        assert lost.kind is Kind.UNSUPPORTED
        assert "U+1F600" in lost.message

    def test_nothing_set(self, renderer):
        assert fail(renderer, snippet("% nothing to show")).kind is Kind.EMPTY_RENDER


class TestPictures:
    def test_chinese(self, renderer):
        chinese = render(renderer, snippet("准确率 95\\% $x^2$", engine="xelatex"))
        latin = render(renderer, snippet("95\\% $x^2$", engine="xelatex"))
        assert chinese.width > latin.width + 60

    def test_all_pages_are_stacked(self, renderer):
        picture = render(renderer, snippet(r"one \newpage two \newpage three"))
        one = render(renderer, snippet("one"))
        assert picture.pages == 3
        assert picture.height > 3 * (one.height - 2 * canvas.MARGIN)
        assert picture.flags == (), "nothing is lost, so there is nothing to flag"

    def test_a_clipped_line_is_flagged(self, renderer):
        picture = render(renderer, snippet(r"\mbox{" + "very long " * 30 + "}"))
        assert "paper's edge" in picture.flags[0].message

    def test_files_beside_the_entry(self, renderer):
        structure = snippet(r"\includegraphics[width=1cm]{page-1.png} \input{part}")
        files = {**structure.files, "page-1.png": bytes.fromhex(RED_DOT), "part.tex": b"end"}
        picture = render(renderer, structure.model_copy(update={"files": files}))
        array = canvas.decode(picture.png).value
        assert ((array[:, :, 0] > 200) & (array[:, :, 1] < 60)).sum() > 2000

    def test_tables_that_need_a_second_run(self, renderer):
        rows = r"a & b \\ \multicolumn{2}{c}{a rather long line across both} \\"
        text = rf"\begin{{longtable}}{{ll}}{rows}\end{{longtable}}"
        picture = render(renderer, snippet(text))
        assert "Rerun" not in picture.log

    def test_todays_date_is_pinned(self, renderer):
        assert (
            render(renderer, document(r"\today")).png
            == render(renderer, document("January 1, 2025")).png
        )

    def test_additions_to_the_preamble(self, renderer):
        text = r"\begin{tikzpicture}\node[draw,cloud]{A};\end{tikzpicture}\R"
        picture = render(
            renderer,
            snippet(
                text,
                packages=["algorithm2e", "tikz-cd"],
                libraries=["shapes.symbols"],
                plot_libraries=["ternary"],
                preamble=r"\newcommand{\R}{$\mathbb{R}$}",
            ),
        )
        assert picture.flags == ()

    def test_papers_with_their_own_class(self, renderer, shared):
        folder = shared / "real" / "tex" / "tree_emcee"
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        structure = Structure(files=files, entry="ms.tex", options={"form": "document"})
        outcome = renderer.render(structure)
        if isinstance(outcome, Failed):
            assert outcome.kind in (Kind.MISSING_RESOURCE, Kind.RESOURCE_LIMIT), outcome
            assert "aastex.cls" not in outcome.message

    def test_drawings_that_people_made(self, renderer, shared):
        for path in sorted((shared / "real" / "tex" / "tikz").glob("*o*.tex")):
            structure = snippet(path.read_text("utf-8"), form="document")
            assert render(renderer, structure).pages == 1


class TestPreamble:
    def test_image_holds_what_pylatex_writes(self):
        dumped = (CONTAINERS / "tex" / "preamble.tex").read_text("utf-8")
        assert dumped == tex_document.standard_preamble()

    def test_documents_begin_with_the_standard_preamble(self):
        text = tex_document.build("a.tex", packages=["algorithm2e"], libraries=["er"])
        assert text.startswith(tex_document.standard_preamble())
        assert "\\usepackage{algorithm2e}" in text.split("\\begin{document}")[0]
        assert "\\input{a.tex}" in text.split("\\begin{document}")[1]

    def test_language_knows_the_standard_packages(self):
        fonts = {"fontenc", "inputenc", "lmodern", "textcomp", "geometry"}
        assert {name for name, _ in tex_document.PACKAGES} | fonts == tex_packages.STANDARD

    def test_dumped_format_and_plain_engine_agree(self, renderer):
        text = r"\[ \int_0^1 x\,dx = \qty{0.5}{\metre} \] \begin{tikzpicture}\draw (0,0)--(1,1);"
        text += r"\end{tikzpicture}"
        whole = tex_document.build("part.tex").replace("\\documentclass", " \\documentclass", 1)
        plain = snippet(whole, form="document")
        files = {**plain.files, "part.tex": text.encode()}
        plain = plain.model_copy(update={"files": files})
        assert render(renderer, plain).png == render(renderer, snippet(text)).png


HOSTILE_LINES = (
    "! ==> x",
    "a.tex:1: ==> x",
    "a:1 " * 20,
    "Missing character: There is no x",
    "Missing character: There is no x" + " in font x" * 25,
    "Overfull \\hbox (...pt too wide)",
    "Overfull \\hbox (1" + "0" * 40 + "pt too wide)",
    "pdflatex: Not reading from /" + " Not reading from /" * 12,
)
"""Each is repeated to 1 MB, as many lines and as one."""

HOSTILE_MESSAGES = (
    "File `", "Font =", "Font " + "=" * 5000, "Package a Error: ", "Unicode character ",
    "TeX capacity exceeded, sorry [", "Unable to load picture or PDF file '", " " * 5000 + "x",
    "did not find the tikz library ''", "\\a", "Undefined control sequence",
)  # fmt: skip

READ_ALL = (
    "tex_log.refused_path(log); tex_log.error(log, 1); tex_log.lost_characters(log, 'pdflatex');"
    " tex_log.flags(log); tex_log.warnings(log)"
)


class TestLog:
    def test_no_transcript_stops_the_process(self):
        logs = []
        for line in HOSTILE_LINES:
            logs += [f"{line}\n" * (1_000_000 // len(line)), line * (1_000_000 // len(line))]
        for message in HOSTILE_MESSAGES:
            repeated = message * (500_000 // len(message))
            logs += [f"! {repeated}\n{repeated}", f"! {message}\n" * (500_000 // len(message))]
        read_in_time("tex_log", READ_ALL, logs)

    def test_a_long_transcript_is_cut_between_lines(self):
        lines = [b"line %d" % number for number in range(400_000)]
        log = tex_log.read(b"\n".join(lines))
        assert len(log) < 1_400_000
        assert log.startswith("line 0\nline 1\n")
        assert log.endswith("\nline 399999")
        assert set(log.encode().splitlines()) < set(lines)
        assert tex_log.was_cut(b"\n".join(lines))
        assert tex_log.read(b"short\xff") == "short\ufffd"

    def test_a_cut_transcript_is_flagged(self):
        assert [flag.kind for flag in tex_log.flags("", was_cut=True)] == [Kind.RESOURCE_LIMIT]

    def test_real_error_comes_before_the_end_of_the_run(self):
        log = "! ==> Fatal error\na.tex:4: Emergency stop.\n! Missing $ inserted.\nb.tex:9: x\n"
        assert tex_log.error(log, 1).message == "b.tex:9: Missing $ inserted."
        assert tex_log.error(log.partition("! Missing")[0], 1).message.startswith("a.tex:4: ==>")

    def test_error_without_a_file(self):
        log = (
            "This is pdfTeX\n\n! LaTeX Error: File `x.sty' not found.\n\nType X to quit\n"
            "./a.tex:7: Emergency stop.\n<read *>\n"
        )
        assert tex_log.error(log, 1).message == "a.tex:7: file x.sty not found"

    def test_status_without_an_error(self):
        failure = tex_log.error("This is pdfTeX\n", 137)
        assert failure.kind is Kind.COMPILE_ERROR
        assert "137" in failure.message

    def test_message_over_two_lines(self):
        log = (
            "./a.tex:3: Package amsmath Error: Erroneous nesting of equation structures;\n"
            "(amsmath)                trying to recover with `aligned'.\n"
        )
        assert tex_log.error(log, 1).message.endswith(
            "structures; trying to recover with `aligned'."
        )

    def test_swallowed_text_is_not_lost(self):
        stray = "Missing character: There is no ; in font nullfont!\n"
        assert tex_log.lost_characters(stray, "pdflatex") is None
        assert tex_log.lost_characters(stray.replace("nullfont", "cmr10"), "pdflatex")

    def test_dev_null_is_harmless(self):
        refused = "pdflatex: Not reading from {} (openin_any = p; no  extended check)."
        assert tex_log.refused_path(refused.format("/dev/null.tex")) is None
        for path in ("/dev/sda", "a/../../b", "..", ".bashrc", "~/x", "/dev/null/../x"):
            assert tex_log.refused_path(refused.format(path)), path
