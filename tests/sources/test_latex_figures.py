r"""Figures that show picture files: which are taken, with which files, and why the rest is not."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from benchmark.outcome import Failed, Kind, Ok
from sources import latex_figures
from sources.latex_files import Files, Main
from sources.latex_snippets import Paper, read
from sources.latex_truths import MOST_OF_A_SORT, Choice, Truth, choose


def picture(kind: str = "PNG", colour: str = "navy") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (12, 8), colour).save(buffer, kind)
    return buffer.getvalue()


PNG, JPEG, PDF = picture("PNG"), picture("JPEG"), b"%PDF-1.5\n%%EOF\n"


def paper(body: str, files: dict[str, bytes], preamble: str = "", main: str = "main.tex") -> Paper:
    text = f"\\documentclass{{article}}{preamble}\\begin{{document}}{body}\\end{{document}}"
    found = read(Files({main: text.encode(), **files}), Main(main, "test"))
    assert isinstance(found, Ok), found
    return found.value


def chosen(body: str, files: dict[str, bytes], preamble: str = "", **options: str) -> list[Choice]:
    found = choose(paper(body, files, preamble, **options))
    return [choice for choice in found if choice.sort == "figure"]


def one(body: str, files: dict[str, bytes], preamble: str = "", **options: str) -> Truth:
    (choice,) = chosen(body, files, preamble, **options)
    assert isinstance(choice.outcome, Ok), choice.outcome
    return choice.outcome.value


def reason(body: str, files: dict[str, bytes], preamble: str = "", **options: str) -> Failed:
    (choice,) = chosen(body, files, preamble, **options)
    assert isinstance(choice.outcome, Failed), choice.outcome
    return choice.outcome


def figure(*names: str, caption: str = "Two things.", environment: str = "figure") -> str:
    shown = "\n".join(f"  \\includegraphics[width=3cm]{{{name}}}" for name in names)
    return f"\\begin{{{environment}}}\n{shown}\n  \\caption{{{caption}}}\n\\end{{{environment}}}"


def members(truth: Truth) -> dict[str, str]:
    return {each.path: each.member for each in truth.files}


def test_a_figure_is_taken_with_its_files_under_short_names():
    body = figure("figs/private_name.jpeg", "curve.png", "figs/private_name.jpeg")
    files = {"figs/private_name.jpeg": JPEG, "curve.png": PNG, "unused.png": PNG}
    truth = one(body, files)
    assert truth.text == figure("figure1.jpg", "figure2.png", "figure1.jpg")
    assert members(truth) == {"figure1.jpg": "figs/private_name.jpeg", "figure2.png": "curve.png"}
    assert [each.data for each in truth.files] == [JPEG, PNG]


@pytest.mark.parametrize(
    ("environment", "before"),
    [
        ("figure*", ""),
        ("sidewaysfigure", ""),
        ("SCfigure", "\\usepackage{sidecap}\n"),
        ("wrapfigure", "\\usepackage{wrapfig}\n"),
    ],
)
def test_relatives_of_the_environment(environment, before):
    body = figure("a.png", environment=environment)
    if environment == "wrapfigure":
        body = body.replace("{wrapfigure}\n", "{wrapfigure}{r}{0.4\\textwidth}\n", 1)
    assert one(body, {"a.png": PNG}).text == before + body.replace("a.png", "figure1.png")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["x.png", "x.pdf", "x.jpg"], "x.pdf"),
        (["x.png", "x.jpg"], "x.png"),
        (["x.jpeg", "x.jpg"], "x.jpg"),
        (["x.PNG"], "x.PNG"),
        (["one/x.jpg", "two/x.jpg"], "two/x.jpg"),
        (["one/x.png", "two/x.jpg"], "one/x.png"),
        (["x.jpg", "two/x.jpg"], "x.jpg"),
        (["x.eps", "x-eps-converted-to.pdf"], "x-eps-converted-to.pdf"),
        (["three/x.jpg"], None),
    ],
)
def test_files_are_looked_for_as_pdftex_does(files, found):
    data = {"png": PNG, "jpg": JPEG, "pdf": PDF, "eps": b"%!PS", "peg": JPEG}
    content = {name: data[name[-3:].lower()] for name in files}
    preamble = r"\graphicspath{{three/}}\graphicspath{{two/}{one/}}"
    if found is None:
        assert "not among the paper's" in reason(figure("x"), content, preamble).message
    else:
        assert [*members(one(figure("x"), content, preamble)).values()] == [found]


@pytest.mark.parametrize(
    ("written", "member"),
    [
        ('"a b".png', "a b.png"),
        ("{a.b}.png", "a.b.png"),
        ("{a.b}", "a.b.png"),
        (" a.png ", "a.png"),
        ("./figs/../a.png", "a.png"),
    ],
)
def test_names_are_read_however_they_are_written(written, member):
    assert members(one(figure(written), {member: PNG})) == {"figure1.png": member}


def test_names_start_from_the_folder_of_what_includes_them():
    section = figure("a.png").encode()
    files = {"parts/a.png": PNG, "parts/text.tex": section}
    assert members(one(r"\subimport{parts/}{text}", files)) == {"figure1.png": "parts/a.png"}
    in_folder = one(figure("../a.png"), {"a.png": PNG}, main="paper/main.tex")
    assert members(in_folder) == {"figure1.png": "a.png"}


@pytest.mark.parametrize("name", ["/etc/passwd.png", "~/a.png", "../a.png", "|id", "a/../../a.png"])
def test_names_that_leave_the_paper_are_refused(name):
    failure = reason(figure(name), {"a.png": PNG, "etc/passwd.png": PNG})
    assert failure.kind is Kind.UNSUITABLE
    assert "outside of the paper" in failure.message or "not among" in failure.message


def test_what_a_file_is_called_is_what_it_is():
    assert one(figure("a.png"), {"a.png": JPEG}).text == figure("figure1.jpg")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<svg/>", "no PNG, JPEG or PDF"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "PostScript"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "cannot be read"),
        (b"\xff\xd8\xff", "cannot be read"),
        (PNG[:-30], "cannot be read"),
        (JPEG[:-40], "cannot be read"),
        (b"version https://git-lfs.github.com/spec/v1\n", "no PNG, JPEG or PDF"),
    ],
)
def test_what_is_no_picture_is_not_taken(data, said):
    failure = reason(figure("a.png"), {"a.png": data})
    assert (failure.kind, said in failure.message) == (Kind.UNSUITABLE, True), failure.message


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def test_limits(monkeypatch):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    huge = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b""))
    failure = reason(figure("a"), {"a.png": huge})
    assert (failure.kind, "pixels" in failure.message) == (Kind.TOO_LARGE, True)
    monkeypatch.setattr(latex_figures, "MOST_FILE_BYTES", len(PDF) - 1)
    failure = reason(figure("a"), {"a.pdf": PDF})
    assert (failure.kind, "more than" in failure.message) == (Kind.TOO_LARGE, True)
    monkeypatch.undo()
    monkeypatch.setattr(latex_figures, "MOST_BYTES", 2 * len(PDF) - 1)
    assert reason(figure("a", "b"), {"a.pdf": PDF, "b.pdf": PDF}).kind is Kind.TOO_LARGE
    many = [f"{n}.png" for n in range(latex_figures.MOST_FILES + 1)]
    assert "files, more than" in reason(figure(*many), dict.fromkeys(many, PNG)).message
    shown = ["a"] * (latex_figures.MOST_SHOWN + 1)
    assert "pictures, more than" in reason(figure(*shown), {"a.png": PNG}).message


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (r"\begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture}", "a drawing (tikzpicture)"),
        (r"\tikz \draw (0,0) -- (1,1);", "a drawing (tikz)"),
        (r"\input{plot.pgf}", r"reads a file (\input)"),
        (r"\animategraphics{12}{frame}{0}{9}", r"reads a file (\animategraphics)"),
        (r"\begin{overpic}[width=3cm]{a.png}\end{overpic}", "reads a file (overpic)"),
        (r"\includesvg{a}", r"reads a file (\includesvg)"),
        (r"\epsfig{file=a.eps}", r"reads a file (\epsfig)"),
        (r"Taken from \cite{x}.", r"refers or cites (\cite)"),
        (r"\immediate\write18{id}", "more than setting text"),
        (r"\includegraphics{\folder/a.png}", "by a command"),
        (r"\includegraphics", "in no plain way"),
        (r"\shown{a.png}", r"its \shown reads a file (\includegraphics)"),
    ],
)
def test_what_cannot_be_taken_is_dropped_with_a_reason(more, said):
    body = figure("a.png").replace("  \\caption", f"  {more}\n  \\caption")
    preamble = r"\newcommand{\shown}[1]{\includegraphics{#1}}\newcommand{\folder}{figs}"
    assert said in reason(body, {"a.png": PNG, "plot.pgf": b"x"}, preamble).message


@pytest.mark.parametrize(
    "body",
    [
        r"\begin{figure}\begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture}\end{figure}",
        r"\begin{figure}\begin{tabular}{ll} a & b \\ c & d \end{tabular}\caption{c}\end{figure}",
        r"\begin{table}\includegraphics{a.png}\begin{tabular}{l} a \end{tabular}\end{table}",
        r"\includegraphics{a.png}",
    ],
)
def test_what_shows_no_file_in_a_figure_is_passed_over(body):
    assert chosen(body, {"a.png": PNG}) == []


def test_files_that_only_a_drawing_reads_are_a_reason():
    body = (
        r"\begin{figure}\begin{overpic}{a.png}\put(1,2){Here}\end{overpic}\caption{c}\end{figure}"
    )
    assert reason(body, {"a.png": PNG}).message == "it reads a file (overpic)"


def test_a_single_picture_without_a_caption_says_nothing():
    body = "\\begin{figure}\n\\centering\\includegraphics[width=3cm]{a.png}\n\\end{figure}"
    assert "single picture" in reason(body, {"a.png": PNG}).message
    cited = figure("a.png", caption=r"From \cite{x}.")
    assert "single picture" in reason(cited, {"a.png": PNG}).message


def test_captions_that_depend_on_the_paper_are_left_out():
    files = {"a.png": PNG, "b.png": JPEG}
    panel = "\\begin{subfigure}{3cm}\n\\includegraphics{%s}\n\\caption{%s}\n\\end{subfigure}"
    body = (
        "\\begin{figure}\n" + panel % ("a.png", "One.") + panel % ("b.png", r"As in \ref{x}.")
        + "\n\\caption[Short]{Both, see~\\cite{y} and {\\bf more}.}\n\\label{fig}\n\\end{figure}"
    )  # fmt: skip
    truth = one(body, files)
    assert truth.captions_left_out == 2
    assert truth.text == (
        "\\begin{figure}\n" + panel % ("figure1.png", "One.")
        + "\\begin{subfigure}{3cm}\n\\includegraphics{figure2.jpg}\n\\end{subfigure}"
        + "\n\\end{figure}"
    )  # fmt: skip


def test_commands_of_the_old_package_become_those_of_the_renderers():
    body = (
        r"\begin{figure}\subfigure[One]{\includegraphics{a.png}}\subfigure{\includegraphics{b.png}}"
        r"\end{figure}"
    )
    text = one(body, {"a.png": PNG, "b.png": JPEG}).text
    assert text == body.replace(r"\subfigure", r"\subfloat").replace(
        "a.png", "figure1.png"
    ).replace("b.png", "figure2.jpg")


def test_definitions_come_along_and_comments_do_not():
    preamble = r"\newcommand{\speed}{3\,m/s}\newlength{\wide}\setlength{\wide}{2cm}"
    own = "\n  % as \\cite{x} says, and not {b.png}\n  \\caption"
    plain = figure("a.png", caption=r"At \speed.").replace("width=3cm", r"width=\wide")
    truth = one(plain.replace("\n  \\caption", own), {"a.png": PNG}, preamble)
    assert truth.text.splitlines()[:3] == [
        r"\newcommand{\speed}{3\,m/s}", r"\newlength{\wide}", r"\setlength{\wide}{2cm}",
    ]  # fmt: skip
    assert truth.text.endswith(plain.replace("a.png", "figure1.png"))


def test_equal_words_with_other_pictures_are_another_figure():
    files = {f"{colour}.png": picture("PNG", colour) for colour in ("red", "green", "blue")}
    found = chosen("".join(figure(name) for name in files), files)
    truths = [choice.outcome.value for choice in found if isinstance(choice.outcome, Ok)]
    assert len(truths) == MOST_OF_A_SORT
    assert len({truth.text for truth in truths}) == 1
    assert len({truth.name for truth in truths}) == len(truths)
    assert len({truth.files[0].data for truth in truths}) == len(truths)
    same = {"a.png": PNG, "copy.png": PNG}
    kinds = [
        each.outcome.kind
        for each in chosen(figure("a.png") + figure("copy.png"), same)
        if isinstance(each.outcome, Failed)
    ]
    assert kinds == [Kind.DUPLICATE]


@pytest.mark.parametrize(
    "body",
    [
        "\\begin{figure}" * 1_500 + "\\includegraphics{a.png}" * 10_000 + "\\end{figure}" * 1_500,
        figure(*["a.png"] * 20) * 400,
        "\\begin{figure}" + "\\caption{\\cite{x}}" * 150 + " \n" * 500_000 + "\\end{figure}",
        "\\begin{figure}\\includegraphics[" + "[" * 3_000 + "\\end{figure}",
        "\\begin{figure}\\includegraphics{" + "../" * 100 + "a.png}\\caption{c}\\end{figure}",
        "\\graphicspath{" + "{a/}" * 100_000 + "}" + figure("b.png"),
        "\\graphicspath{{a/}}" * 20_000 + figure("b.png"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_hostile_figures_end(body):
    for choice in chosen(body, {"a.png": PNG}):
        if isinstance(choice.outcome, Ok):
            assert len(choice.outcome.value.files) == 1
