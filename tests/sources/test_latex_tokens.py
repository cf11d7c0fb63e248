r"""What is code in LaTeX, and that hostile text ends like any other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.latex_tokens import scan


def names(text: str) -> list[str]:
    return [token.text for token in scan(text).tokens if token.kind != "paragraph"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"a \b % \c", ["b"]),
        ("\\b % \\c\n\\d", ["b", "d"]),
        (r"50\% \b", ["%", "b"]),
        ("\\begin{verbatim}\\b{%\\end{verbatim}\\d", ["verbatim", "verbatim", "d"]),
        ("\\begin{lstlisting}[a=b]\n$\\b\n\\end{lstlisting}\\d", ["lstlisting", "lstlisting", "d"]),
        (r"\begin{minted}{tex}\b\end{minted}\d", ["minted", "minted", "d"]),
        ("\\begin{comment}\\b\n\\end{comment} \\c\n\\d", ["d"]),
        (r"\verb|\b{| \d", ["verb", "d"]),
        (r"\verb*+\b%+ \d", ["verb", "d"]),
        (r"\lstinline[language=C]!a%\b! \d", ["lstinline", "d"]),
        (r"\url{http://a/%7Eb} \d", ["url", "d"]),
        (r"\path|a%b| \d", ["path", "d"]),
        (r"\path[a] (0,0) \b -- (1,1) node[above]", ["path", "b"]),
        (r"\path(0,0) \b -- (1,1)", ["path", "b"]),
        (r"\def\url#1{\texttt{#1}}", ["def", "url", "{", "texttt", "{", "}", "}"]),
        (r"\newcommand{\url}[1]{\b}", ["newcommand", "{", "url", "}", "{", "b", "}"]),
        (r"\renewcommand{\verb}{\b}", ["renewcommand", "{", "verb", "}", "{", "b", "}"]),
        (r"\iffalse \b \fi \d", ["d"]),
        (r"\iffalse \ifx\a\c \b \else \e \fi \fi \d", ["d"]),
        (r"\iffalse \b \else \c \fi \d", ["c", "d"]),
        (r"\iftrue \b \else \c \fi \d", ["b", "d"]),
        (r"\iftrue \ifx 1 2 \b \else \e \fi \else \c \fi \d", ["ifx", "b", "else", "e", "fi", "d"]),
        (r"\iffalse a \iff b \ifthenelse \fi \d", ["d"]),
        ("\\iffalse % \\fi\n\\b\\fi \\d", ["d"]),
        ("\\end{document} \\b", ["document"]),
        (r"\begin {align*} \end {align*}", ["align*", "align*"]),
        ("\\", []),
        ("", []),
    ],
)
def test_only_what_is_code_gives_tokens(text, found):
    assert names(text) == found


def test_dollars_are_told_apart_by_what_is_open():
    assert names("$a$$b$") == ["$", "$", "$", "$"]
    assert names("$$a$$") == ["$$", "$$"]
    assert names("$a\n\n$$b$$") == ["$", "$$", "$$"]


def test_comments_go_and_the_text_prints_the_same():
    text = "a % one\n% whole line\n\\foo% joined\nbar\n  % indented\n\\verb|%| \\iffalse x\\fi b\n"
    assert scan(text).code(0, len(text)) == "a \n\\foo%\nbar\n\\verb|%|  b\n"


@pytest.mark.parametrize(
    "dead",
    [
        "% one\n% two\n",
        "\\iffalse\nx\n\\fi \n",
        "  \\begin{comment}\nx \\cite{y}\n\\end{comment}\n",
        "\\iffalse x\\else\n",
        "\\iftrue\r\n",
    ],
)
def test_what_goes_leaves_no_empty_line_which_would_end_a_paragraph(dead):
    text = f"a\n{dead}b"
    assert scan(text).code(0, len(text)) == "a\nb"


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "}" * 50_000,
        "\\begin{a}" * 20_000,
        "\\begin" * 20_000,
        "\\begin{" * 20_000,
        "\\end{document" * 20_000,
        "\\verb|" * 20_000,
        "\\url{" * 20_000,
        "\\iffalse" * 20_000,
        "\\iftrue\\else" * 20_000,
        "\\a" + " " * 300_000,
        "\n " * 50_000,
        "$" * 20_000,
        "x" * 1_900_000,
        "%" * 500_000,
        "\x00\x01\udcff" * 10_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_text_is_read_to_its_end(text):
    found = scan(text)
    assert all(token.end <= len(text) for token in found.tokens)
    assert found.code(0, len(text)) is not None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*"{}$%\\\n a[]&", "\\begin{x}", "\\iffalse", "\\fi", "\\verb|"])))
def test_tokens_lie_in_order_and_say_what_stands_there(pieces):
    text = "".join(pieces)
    found = scan(text)
    place = 0
    for token in found.tokens:
        assert place <= token.start <= token.end <= len(text)
        place = token.start
        if token.kind == "macro":
            assert text.startswith("\\" + token.text, token.start)
    for start, end in found.closing.items():
        assert (text[start], text[end - 1]) == ("{", "}")
    assert all(0 <= dead.start <= dead.end <= len(text) for dead in found.dead)
