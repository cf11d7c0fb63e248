r"""The main file of a paper, what it includes, and how its bytes become text."""

from __future__ import annotations

import json

import pytest

from benchmark.outcome import Failed, Kind, Ok
from sources.latex_files import MOST_CHARACTERS, Files, decode, find_main
from sources.latex_snippets import read

DOCUMENT = b"\\documentclass{article}\\begin{document}x\\end{document}"
NAMES_B = json.dumps({"sources": [{"filename": "b.tex", "usage": "toplevel"}]}).encode()


def reading_order(files: dict[str, bytes]) -> list[str]:
    found = Files(files)
    main = find_main(found)
    assert isinstance(main, Ok), main
    paper = read(found, main.value)
    assert isinstance(paper, Ok), paper
    return paper.value.read


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"only.tex": DOCUMENT, "fig.png": b""}, "only.tex"),
        ({"paper.ltx": DOCUMENT}, "paper.ltx"),
        ({"a.tex": DOCUMENT, "b.tex": DOCUMENT, "00README.json": NAMES_B}, "b.tex"),
        (
            {
                "a.tex": DOCUMENT,
                "b.tex": DOCUMENT,
                "00README.yaml": b"sources:\n- filename: b.tex\n  usage: toplevel\n",
            },
            "b.tex",
        ),
        ({"a.tex": DOCUMENT, "b.tex": DOCUMENT, "00README.XXX": b"b.tex toplevelfile\n"}, "b.tex"),
        ({"a.tex": DOCUMENT, "00README.json": b"[" * 100_000}, "a.tex"),
        ({"a.tex": DOCUMENT, "00README.yaml": b"[" * 100_000}, "a.tex"),
        ({"a.tex": DOCUMENT, "00README.json": NAMES_B}, "a.tex"),
        ({"a.tex": DOCUMENT, "b.tex": DOCUMENT, "b.bbl": b""}, "b.tex"),
        (
            {
                "a.tex": b"\\documentclass[b]{subfiles}\\begin{document}x\\end{document}",
                "b.tex": b"\\documentclass{article}\\begin{document}\\subfile{a}\\end{document}",
            },
            "b.tex",
        ),
        (
            {
                "pre.tex": b"\\documentclass{article}",
                "z.tex": b"\\input{pre}\\begin{document}x\\end{document}",
            },
            "z.tex",
        ),
        (
            {
                "paper.ltx": b"\\documentclass{a}\n\\begin{document}\\input{sec}\\end{document}",
                "sec.tex": b"text",
                "fig.tex": b"\\documentclass{standalone}\\begin{document}f\\end{document}",
            },
            "paper.ltx",
        ),
        ({"a.tex": DOCUMENT, "c.tex": b"%\\documentclass{article}"}, "a.tex"),
        ({"a.tex": DOCUMENT, "anc/b.tex": DOCUMENT, ".c/b.tex": DOCUMENT}, "a.tex"),
    ],
)
def test_main_file(files, main):
    found = find_main(Files(files))
    assert isinstance(found, Ok), found
    assert found.value.path == main


def test_the_alternatives_are_told():
    found = find_main(Files({"a.tex": DOCUMENT, "b.tex": DOCUMENT, "b.bbl": b""}))
    assert isinstance(found, Ok)
    assert (found.value.by, found.value.others) == (".bbl", ("a.tex",))


@pytest.mark.parametrize(
    "files",
    [
        {"a.tex": DOCUMENT, "b.tex": DOCUMENT},
        {"a.tex": b"\\magnification=1200 plain\\bye"},
        {"a.tex": b"\\documentclass{article}\\input{b}", "b.tex": b"\\documentclass{a}\\input{a}"},
        {f"{number}.tex": DOCUMENT for number in range(500)},
        {"a.tex": b"\\documentclass{article}\0\0"},
        {},
    ],
)
def test_what_has_no_main_file_says_so(files):
    found = find_main(Files(files))
    assert isinstance(found, Failed)
    assert found.kind is Kind.UNSUITABLE


def test_a_line_of_very_many_bytes_is_too_large():
    found = find_main(Files({"a.tex": DOCUMENT + b"x" * MOST_CHARACTERS}))
    assert isinstance(found, Failed)
    assert found.kind is Kind.TOO_LARGE


def test_very_many_files_are_too_large_together():
    many = {f"f{n}.tex": b"x" * (MOST_CHARACTERS - 1) for n in range(3)}
    found = find_main(Files({"a.tex": DOCUMENT, **many}))
    assert isinstance(found, Failed)
    assert found.kind is Kind.TOO_LARGE


@pytest.mark.parametrize(
    "name",
    [
        "[x]",
        "{<<: {x: y}}",
        "2026-11-01",
        "*a8",
    ],
)
def test_a_readme_that_names_no_file_is_passed_over(name):
    each = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    lines = ["a0: &a0 x", *each, "sources:", f"- filename: {name}"]
    files = {"00README.yaml": "\n".join(lines).encode(), "a.tex": DOCUMENT}
    found = find_main(Files(files))
    assert isinstance(found, Ok)
    assert found.value.path == "a.tex"


def test_blanks_before_a_class_that_is_missing_end():
    found = find_main(Files({"a.tex": b"\\documentclass" + b" " * 100_000}))
    assert isinstance(found, Ok)


def test_every_way_of_including_is_followed():
    begin = b"\\documentclass{article}\\usepackage{own}\n\\begin{document}"
    body = (
        rb"\input{a}\input b \include{c.tex}\import{d/}{e}\subimport{./f}{g}\subfile{h}"
        b"% \\input{commented}\n\\input{missing}\\input{../outside}\\input{/etc/passwd}\\input{|ls}"
    )
    names = ["a", "b", "c", "d/e", "f/g", "h", "commented", "outside"]
    files = {f"{name}.tex": b"words" for name in names} | {"own.sty": b"\\def\\x{y}"}
    order = reading_order({"main.tex": begin + body + b"\\end{document}", **files})
    assert order == [
        "main.tex",
        "own.sty",
        "a.tex",
        "b.tex",
        "c.tex",
        "d/e.tex",
        "f/g.tex",
        "h.tex",
    ]


def test_names_are_looked_for_in_the_folders_around_a_file():
    files = {
        "paper/main.tex": b"\\documentclass{a}\\begin{document}\\input{sec/one}\\end{document}",
        "paper/sec/one.tex": b"\\input{sec/two}\\input{three}",
        "paper/sec/two.tex": b"words",
        "three.tex": b"words",
    }
    assert reading_order(files) == list(files)


def test_the_document_may_begin_in_an_included_file():
    files = {
        "main.tex": b"\\documentclass{article}\\input{body}",
        "body.tex": b"\\begin{document}x\\end{document}",
    }
    assert reading_order(files) == ["main.tex", "body.tex"]


def test_the_documents_of_subfiles_end_without_ending_the_paper():
    files = {
        "main.tex": rb"\documentclass{article}\begin{document}\subfile{a}\subfile{b}\end{document}",
        "a.tex": rb"\documentclass[main]{subfiles}\begin{document}x\end{document}\input{c}",
        "b.tex": rb"\documentclass[main]{subfiles}\begin{document}x\end{document}",
        "c.tex": b"words",
    }
    assert reading_order(files) == ["main.tex", "a.tex", "b.tex"]


def test_a_file_without_preamble_has_the_encoding_of_the_paper():
    files = Files(
        {
            "a.tex": "\u0141\xf3d\u017a".encode("iso8859-2"),
            "main.tex": rb"\documentclass{article}\usepackage[latin2]{inputenc}\input{a}",
        }
    )
    found = files.text("a.tex")
    assert isinstance(found, Ok)
    assert (found.value.scan.text, found.value.encoding) == ("\u0141\xf3d\u017a", "iso8859-2")


def test_cycles_and_depth_end():
    files = {f"f{n}.tex": b"\\input{f%d}\\input{main}" % (n + 1) for n in range(100)}
    files["main.tex"] = b"\\documentclass{article}\\begin{document}\\input{f0}"
    assert len(reading_order(files)) == 16


def test_files_that_include_very_much_end():
    many = b"\\input{a}" * 10_000
    files = {"main.tex": b"\\documentclass{article}\\begin{document}" + many, "a.tex": many}
    assert reading_order(files) == ["main.tex", "a.tex"]


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("caf\xe9".encode(), "caf\xe9", "utf-8"),
        (b"\xef\xbb\xbfcaf\xc3\xa9", "caf\xe9", "utf-8"),
        (b"caf\xe9 na\xefve", "caf\xe9 na\xefve", "cp1252"),
        (b"\\usepackage[latin1]{inputenc} \xe9", "\\usepackage[latin1]{inputenc} \xe9", "latin-1"),
        (b"\\usepackage[latin2]{inputenc} \xb1", "\\usepackage[latin2]{inputenc} ą", "iso8859-2"),
        (b"\\usepackage[koi8-r]{inputenc} \xc1", "\\usepackage[koi8-r]{inputenc} а", "koi8-r"),
        (b"\x81\xff", "\x81\xff", "latin-1"),
    ],
)
def test_encodings(data, text, encoding):
    assert decode(data) == (text, encoding)
