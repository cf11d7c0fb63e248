"""Graphviz: a graph in the DOT language."""

from __future__ import annotations

import re
from typing import NamedTuple

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Answer, Flag, Structure
from scenarios.languages.dot_repairs import (
    Edit,
    apply_edits,
    find_hyphenated,
    fit_header,
    quote_values,
    straighten_quotes,
)
from scenarios.languages.dot_tokens import Token, TokenKind, tokenize
from scenarios.parsing import SNIPPET_SHARE, Extracted, cut_off_flag, extract

ENTRY = "graph.dot"
TAGS = ("dot", "graphviz", "gv")

_OTHER_TAGS = {"mermaid": "Mermaid", "plantuml": "PlantUML", "puml": "PlantUML", "d2": "D2"}
_MERMAID = (
    "flowchart|sequenceDiagram|classDiagram|stateDiagram(?:-v2)?|erDiagram|gantt|mindmap|journey"
)
_OTHER_NOTATIONS = (
    ("Mermaid", re.compile(rf"\s*+(?:%%[^\n]*+\s*+)*+(?:{_MERMAID})\b(?!\s*+\{{)")),
    ("Mermaid", re.compile(r"\s*+graph\s++(?:TD|TB|BT|RL|LR)\b(?!\s*+\{)")),
    ("PlantUML", re.compile(r"\s*+@start\w++")),
    ("Python", re.compile(r"\s*+(?:import|from)\s++\w++")),
)
_OPERATORS = frozenset({TokenKind.ARROW, TokenKind.LINE})
_MOST_NAMES_SHOWN = 5


class _Graph(NamedTuple):
    """One graph of an answer: its tokens from the header to the closing brace."""

    tokens: list[Token]
    open_braces: int

    @property
    def length(self) -> int:
        return self.tokens[-1].end - self.tokens[0].start


class Graphviz:
    """How DOT is read.

    What DOT rejects and can mean only one thing is repaired and recorded: curly quotes, a header
    that does not fit the edge operators, unquoted attribute values. Names with hyphens, which DOT
    splits without an error, are flagged, and quoted where only one reading exists. Of several
    graphs the last that is at least half as long as the longest is read, and that is flagged.
    """

    name = "graphviz"
    version = "1"
    renderer = "graphviz"

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer or a bare source.

        Returns:
            The graph as one file, or a failure of stage parse: unsupported (another notation),
            parse_error (no graph in it), and what ``scenarios.parsing.extract`` returns.
        """
        outcome = extract(text, TAGS, truncated=truncated)
        return outcome if isinstance(outcome, Failed) else self.read_extracted(outcome.value)

    def read_extracted(self, extracted: Extracted) -> Outcome[Answer]:
        """Read what was found in an answer already; as `read`."""
        notation = _other_notation(extracted)
        if notation:
            return _failed(Kind.UNSUPPORTED, f"the answer is {notation}, not DOT")
        tokens = tokenize(extracted.text)
        graphs = _find_graphs(tokens)
        if not graphs:
            return _failed(Kind.PARSE_ERROR, "the answer holds no DOT graph")
        graph = _choose(graphs)
        flags = list(extracted.flags)
        if len(graphs) > 1:
            flags.append(_suspicious(f"multiple_graphs: {len(graphs)} graphs, one was read"))
        if not extracted.fenced and sum(len(one.tokens) for one in graphs) < len(tokens):
            repairs = (*extracted.repairs, "prose around the code dropped")
            extracted = extracted.model_copy(update={"repairs": repairs})
        return _answer(graph, extracted, flags)

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:  # noqa: ARG002 - contract
        """Return None: what can be repaired is repaired when the answer is read."""
        return None


def _find_graphs(tokens: list[Token]) -> list[_Graph]:
    """Return every graph: a header followed by a brace, up to the brace that closes it."""
    graphs = []
    number = 0
    while number < len(tokens):
        brace = _header_end(tokens, number)
        if brace is None:
            number += 1
            continue
        stop, depth = brace + 1, 1
        while stop < len(tokens) and depth:
            sign = tokens[stop].text if tokens[stop].kind is TokenKind.SIGN else ""
            depth += {"{": 1, "}": -1}.get(sign, 0)
            stop += 1
        graphs.append(_Graph(tokens[number:stop], depth))
        number = stop
    return graphs


def _header_end(tokens: list[Token], number: int) -> int | None:
    """Return the number of the brace that opens the graph whose header begins here.

    A header is ``graph`` or ``digraph``, perhaps after ``strict``, and at most one name (which may
    be written with hyphens).
    """
    if tokens[number].text.lower() == "strict":
        number += 1
    if number >= len(tokens) or tokens[number].text.lower() not in ("graph", "digraph"):
        return None
    number += 1
    first = number
    while number < len(tokens) and tokens[number].text != "{":
        if number > first and tokens[number].start != tokens[number - 1].end:
            return None
        number += 1
    return number if number < len(tokens) else None


def _choose(graphs: list[_Graph]) -> _Graph:
    least = SNIPPET_SHARE * max(graph.length for graph in graphs)
    return next(graph for graph in reversed(graphs) if graph.length >= least)


def _answer(graph: _Graph, extracted: Extracted, flags: list[Flag]) -> Outcome[Answer]:
    first, last = graph.tokens[0], graph.tokens[-1]
    text = extracted.text[first.start : last.end]
    repairs = list(extracted.repairs)
    cut = any(flag.kind is Kind.TRUNCATED for flag in flags)
    unclosed = extracted.fenced and "closing fence supplied" in extracted.repairs
    if graph.open_braces and (cut or unclosed):
        text = _close(extracted.text, graph)
        repairs.append("braces of the cut-off graph closed")
        flags = [*(flag for flag in flags if flag.kind is not Kind.TRUNCATED), cut_off_flag()]
    text, made, found = _mend(text, tokenize(text))
    structure = Structure(files={ENTRY: (text + "\n").encode("utf-8", "replace")}, entry=ENTRY)
    return ok(
        Answer(
            structure=structure,
            text=text,
            repairs=(*repairs, *made),
            flags=(*flags, *found),
        )
    )


def _close(text: str, graph: _Graph) -> str:
    """Drop the last, unfinished statement of a cut-off graph and close its braces."""
    kept, brackets, braces, end_braces = graph.tokens[0].start, 0, 0, 0
    for token in graph.tokens:
        sign = token.text if token.kind is TokenKind.SIGN else ""
        brackets += {"[": 1, "]": -1}.get(sign, 0)
        braces += {"{": 1, "}": -1}.get(sign, 0)
        ends = sign in ("{", "}", ";", "]") or "\n" in text[token.end : token.end + 2]
        if ends and brackets <= 0 and token.closed and token.kind not in _OPERATORS:
            kept, end_braces = token.end, braces
    return text[graph.tokens[0].start : kept] + "\n" + "}" * end_braces


def _mend(text: str, tokens: list[Token]) -> tuple[str, list[str], list[Flag]]:
    """Make the repairs; return the text, what was done and what is suspicious."""
    repairs: list[str] = []

    def make(edits: list[Edit], repair: str) -> None:
        nonlocal text, tokens
        if edits:
            text = apply_edits(text, edits)
            tokens = tokenize(text)
            repairs.append(repair)

    make(straighten_quotes(tokens), "curly quotes replaced by straight ones")
    hyphenated, flags = _quote_hyphenated(tokens)
    make(hyphenated, "names with hyphens quoted")
    make(quote_values(text, tokens), "unquoted attribute values quoted")
    make(*fit_header(tokens))
    return text, repairs, flags


def _quote_hyphenated(tokens: list[Token]) -> tuple[list[Edit], list[Flag]]:
    found = find_hyphenated(tokens)
    if not found:
        return [], []
    clear = all(one.clear for one in found)
    names = sorted({one.name for one in found})
    shown = ", ".join(names[:_MOST_NAMES_SHOWN])
    read = "read as one name each" if clear else "DOT splits them at the hyphen"
    flag = _suspicious(f"suspicious: unquoted names with hyphens ({shown}); {read}")
    edits = [Edit(one.start, one.end, f'"{one.name}"') for one in found] if clear else []
    return edits, [flag]


def _other_notation(extracted: Extracted) -> str | None:
    if extracted.language in _OTHER_TAGS:
        return _OTHER_TAGS[extracted.language]
    matches = (name for name, pattern in _OTHER_NOTATIONS if pattern.match(extracted.text))
    return next(matches, None)


def _suspicious(message: str) -> Flag:
    return Flag(kind=Kind.PARSE_ERROR, message=message)


def _failed(kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.PARSE, kind, message)
