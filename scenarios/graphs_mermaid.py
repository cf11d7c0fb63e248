"""Mermaid's flowcharts read as graphs: one pass over the text, no recursion.

Read is what mermaid.js.org/syntax/flowchart.html describes: nodes in all brackets and in
``@{ shape: … }``, links of all kinds with their labels, chains, ``&``, subgraphs. What only decides
how the chart looks is passed over (``classDef``, ``style``, ``click``, comments, front matter).
What is not understood is a failure with its line. Three liberties are taken, each recorded as a
repair: brackets in labels without quotes are read where they pair up, ``end`` is a node's name
where only a node can stand, and a link to a subgraph is one to its first node (from it: from its
last one).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product

from benchmark.limits import GRAPH_DEPTH, GRAPH_EDGES, GRAPH_NODES
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from scenarios.graph_labels import mermaid_text
from scenarios.graphs import Edge, Graph, Node, NodeType, find_excess, too_large
from scenarios.mermaid_shapes import BRACKETS, NAMES
from scenarios.trees import normalise_text

DIRECTIONS = {"TD": "TB", "TB": "TB", "BT": "BT", "RL": "RL", "LR": "LR"} | {
    "v": "TB", "^": "BT", "<": "RL", ">": "LR",
}  # fmt: skip

_HEADER = re.compile(
    r"(?:flowchart(?:-elk|-v2)?|graph)(?:[ \t]++(TD|TB|BT|RL|LR|[v^<>]))?(?![\w-])"
)
_IS_FLOWCHART = re.compile(
    r"\s*+(?:---\s*\n(?:(?!---)[^\n]*+\n)*+---\s*+)?(?:%%[^\n]*+\s*+)*+"
    r"(?:flowchart(?:-elk|-v2)?\b(?!\s*+\{)|graph\s++(?:TD|TB|BT|RL|LR)\b(?!\s*+\{)"
    r"|graph[ \t]*+(?:;|\n)(?!\s*+\{))"
)
_FRONT_MATTER = re.compile(r"\s*+---[ \t]*+\n(?:(?!---)[^\n]*+\n)*+---[ \t]*+(?:\n|\Z)")
_DIRECTIVE = re.compile(r"%%\{(?:[^}]++|\}(?!%%))*+\}%%")
_COMMENT = re.compile(r"%%[^\n]*+")
_BLANK = re.compile(r"[ \t]++")
_GAP = re.compile(r"(?:[ \t;\n]++|%%[^\n]*+)++")
_SPACE = re.compile(r"(?:\s++|%%[^\n]*+)++")
_ID = re.compile(r"(?:[^\s\[\](){}<>|;&@:,\"`~=-]|-(?![->.)\s])|=(?![=\s])|:(?!::))++")
_CLASS = re.compile(r":::[\w-]++(?:,[\w-]++)*+")
_LINK = re.compile(r"([xo<]?)(?:--+([-xo>])|==+([=xo>])|-?\.+-([xo>]?))")
_INVISIBLE = re.compile(r"~~~+")
_OPEN_LINK = re.compile(r"([xo<]?)(--|==|-\.)(?![-=>.])")
_LINK_ENDS = {
    "--": re.compile(r"--+([-xo>])"),
    "==": re.compile(r"==+([=xo>])"),
    "-.": re.compile(r"(?:-|(?<!\.))\.++-([xo>]?)"),
}
_LINK_NAME = re.compile(r"[\w-]++@(?=[xo<]?(?:--|==|-\.|-?\.+-|~~~))")
_QUOTED = re.compile(r'"([^"]*+)"')
_PIPED = re.compile(r'\|\s*+(?:"([^"]*+)"\s*+|([^|]*+))\|')
_LOOKS = re.compile(r"(?:classDef|class|style|linkStyle|click|accTitle|accDescr)(?=[ \t:{])")
_DESCRIPTION = re.compile(r"accDescr[ \t]*+\{[^}]*+\}")
_SUBGRAPH = re.compile(r"subgraph(?=[\s;])")
_END = re.compile(r"end(?=[ \t]*+(?:[;\n]|%%|\Z))")
_DIRECTION = re.compile(r"direction[ \t]++(?:TB|TD|BT|RL|LR)(?=[ \t]*+(?:[;\n]|\Z))")
_TITLED = re.compile(r"([^\s\[\"]++)?[ \t]*+\[[ \t]*+(?:\"([^\"]*+)\"|([^\]\"\n]*+))[ \t]*+\]")
_TITLE = re.compile(r'"([^"]*+)"|([^\n;]*+)')
_PROPERTIES = re.compile(
    r"""\s*+([\w-]++)\s*+:\s*+(?:"((?:[^"\\]++|\\.)*+)"|'([^']*+)'|([^,}\n]*+))[ \t]*+"""
    r"(?:,|\n|(?=\s*+\}))"
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Chart:
    """A flowchart as it was read."""

    graph: Graph
    direction: str = "TB"
    """Where it grows to, as DOT's ``rankdir`` has it."""
    repairs: tuple[str, ...] = ()


def is_mermaid(text: str) -> bool:
    """Tell whether a text begins as a flowchart of Mermaid and not as a graph in DOT."""
    return bool(_IS_FLOWCHART.match(text))


def read(text: str) -> Outcome[Chart]:
    """Read a flowchart.

    Returns:
        The chart, or a failure of stage parse: parse_error with the line (what is not understood),
        resource_limit (more nodes, edges or text than ``benchmark.limits`` has).
    """
    try:
        chart = _Parser(text).parse()
    except _Fault as fault:
        return fault.failed
    return find_excess(chart.graph.nodes, chart.graph.edges) or ok(chart)


@dataclass
class _Draft:
    text: str | None = None
    type: NodeType = NodeType.PROCESS
    group: _Subgraph | None = None


@dataclass(eq=False)
class _Subgraph:
    title: str
    parent: _Subgraph | None
    line: int
    members: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Link:
    """A link: its label and whether there is a head behind (at the source) and ahead."""

    label: str
    behind: bool
    ahead: bool
    visible: bool = True


class _Fault(Exception):
    """Carries a failure out of the parser."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.message)
        self.failed = failed


class _Parser:
    """Reads statement by statement; a list of the open subgraphs stands in for recursion."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._place = 0
        self._nodes: dict[str, _Draft] = {}
        self._edges: list[Edge] = []
        self._subgraphs: dict[str, _Subgraph] = {}
        self._open: list[_Subgraph] = []
        self._link_names: set[str] = set()
        self._repairs: dict[str, None] = {}

    def parse(self) -> Chart:
        direction = self._header()
        while True:
            self._skip(_GAP)
            if self._take(_DIRECTIVE):
                continue
            if self._place == len(self._text):
                break
            self._statement()
        if self._open:
            raise self._fault(f"the subgraph of line {self._open[-1].line} has no end")
        return Chart(self._freeze(), direction, tuple(self._repairs))

    def _header(self) -> str:
        self._take(_FRONT_MATTER)
        while self._skip(_SPACE) or self._take(_DIRECTIVE):
            pass
        header = self._take(_HEADER)
        if header is None:
            raise self._fault("expected flowchart or graph")
        return DIRECTIONS[header[1] or "TB"]

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Skip what a pattern of gaps matches, but no directive, which begins as a comment does."""
        start = self._place
        while found := pattern.match(self._text, self._place):
            directive = self._text.find("%%{", self._place, found.end())
            self._place = found.end() if directive < 0 else directive
            if directive >= 0 and not self._take(_DIRECTIVE):
                raise self._fault("a directive is not closed")
        return self._place > start

    def _statement(self) -> None:
        if self._take(_SUBGRAPH):
            self._begin_subgraph()
        elif self._take(_END):
            if not self._open:
                raise self._fault("end without a subgraph")
            self._open.pop()
        elif self._take(_DIRECTION) or self._take(_DESCRIPTION) or self._take_link_properties():
            pass
        elif _LOOKS.match(self._text, self._place) and not self._is_link_next():
            self._place = self._line_end()
        else:
            self._chain()
        self._end_statement()

    def _is_link_next(self) -> bool:
        """Tell whether a word such as ``class`` is a node here, since a link follows it."""
        word = _ID.match(self._text, self._place)
        blank = _BLANK.match(self._text, word.end()) if word else None
        place = blank.end() if blank else self._place
        return any(one.match(self._text, place) for one in (_LINK, _OPEN_LINK, _INVISIBLE))

    def _take_link_properties(self) -> bool:
        """Pass over ``e1@{ animate: true }``, where a link has that name."""
        word = _ID.match(self._text, self._place)
        if not word or word[0] not in self._link_names:
            return False
        if not self._text.startswith("@{", word.end()):
            return False
        self._place = word.end() + 2
        self._properties(word[0])
        return True

    def _begin_subgraph(self) -> None:
        line = self._line()
        self._take(_BLANK)
        titled = self._take(_TITLED)
        if titled:
            title = titled[2] if titled[2] is not None else titled[3]
            name = titled[1] or title
        else:
            plain = self._take(_TITLE)
            name = title = (plain[1] or plain[2] or "").strip() if plain else ""
        if len(self._open) == GRAPH_DEPTH:
            raise self._fault(f"subgraphs are deeper than {GRAPH_DEPTH} levels")
        parent = self._open[-1] if self._open else None
        opened = _Subgraph(_clean(title) or name, parent, line)
        self._subgraphs.setdefault(name, opened)
        self._open.append(opened)

    def _chain(self) -> None:
        """Read nodes, and links to further nodes, as long as there are any."""
        sources = self._endpoints()
        while (link := self._link()) is not None:
            self._skip(_SPACE)
            targets = self._endpoints()
            if len(self._edges) + len(sources) * len(targets) > GRAPH_EDGES:
                raise _Fault(too_large(f"the graph has more than {GRAPH_EDGES} edges"))
            if link.visible:
                self._edges += [_edge(*ends, link) for ends in product(sources, targets)]
            sources = targets

    def _endpoints(self) -> list[str]:
        names = [self._node()]
        while True:
            place = self._place
            self._skip(_SPACE)
            if not self._text.startswith("&", self._place):
                self._place = place
                return names
            self._place += 1
            self._skip(_SPACE)
            names.append(self._node())

    def _node(self) -> str:
        found = self._take(_ID)
        if found is None:
            raise self._fault("expected a node")
        name = found[0]
        if name == "end":
            self._repairs["end read as the name of a node"] = None
        if name not in self._nodes and name not in self._subgraphs:
            if len(self._nodes) == GRAPH_NODES:
                raise _Fault(too_large(f"the graph has more than {GRAPH_NODES} nodes"))
            self._nodes[name] = _Draft()
        self._put(name)
        self._shape(name)
        while self._text.startswith("@{", self._place):
            self._place += 2
            self._properties(name)
        self._take(_CLASS)
        return name

    def _put(self, name: str) -> None:
        """Put a node into the innermost open subgraph, unless it is in another one already."""
        draft = self._nodes.get(name)
        if draft is None or not self._open:
            return
        inner = self._open[-1]
        if draft.group is inner or (draft.group is not None and draft.group not in self._open):
            return
        draft.group = inner
        for subgraph in self._open:
            subgraph.members[name] = None

    def _shape(self, name: str) -> None:
        """Read the brackets behind a name, if there are any."""
        for opening, closings in BRACKETS:
            if self._text.startswith(opening, self._place):
                self._place += len(opening)
                text, kind = self._label(closings)
                if name in self._nodes:
                    self._nodes[name].text = text
                    self._nodes[name].type = kind
                return

    def _label(self, closings: tuple[tuple[str, NodeType], ...]) -> tuple[str, NodeType]:
        start = self._place
        self._skip_space()
        quoted = self._take(_QUOTED)
        if quoted:
            self._skip_space()
            for closing, kind in closings:
                if self._text.startswith(closing, self._place):
                    self._place += len(closing)
                    return _clean(quoted[1]), kind
        return self._bare_label(start, closings)

    def _bare_label(
        self, start: int, closings: tuple[tuple[str, NodeType], ...]
    ) -> tuple[str, NodeType]:
        """Read a label without quotes, up to what closes it outside of brackets in the label."""
        waiting: list[str] = []
        place = start
        while place < len(self._text):
            sign = self._text[place]
            if not waiting:
                for closing, kind in closings:
                    if self._text.startswith(closing, place):
                        self._place = place + len(closing)
                        return _clean(self._text[start:place]), kind
            if waiting and sign == waiting[-1]:
                waiting.pop()
            elif sign in _PAIRS:
                waiting.append(_PAIRS[sign])
                self._repairs["brackets in labels without quotes"] = None
            place += 1
        self._place = start
        raise self._fault("a label is not closed")

    def _properties(self, name: str) -> None:
        """Read what stands between ``@{`` and ``}``; a link's properties say nothing here."""
        start = self._place
        while not self._text.startswith("}", self._place):
            found = self._take(_PROPERTIES)
            if found is None:
                self._skip_space()
                if self._text.startswith("}", self._place):
                    break
                raise self._fault("expected name: value or }")
            value = next((one for one in found.groups()[1:] if one is not None), "").strip()
            draft = self._nodes.get(name)
            if draft is None:
                continue
            if found[1] == "label":
                draft.text = _clean(value)
            elif found[1] == "shape":
                if value not in NAMES:
                    self._place = start
                    raise self._fault(f"no shape is called {value[:40]!r}")
                draft.type = NAMES[value]
            elif found[1] in ("icon", "img"):
                draft.type = NodeType.OTHER
        self._place += 1

    def _link(self) -> _Link | None:
        """Read a link, perhaps on the next line, with its label; None where there is none."""
        start = self._place
        self._skip(_SPACE)
        named = self._take(_LINK_NAME)
        if named:
            self._link_names.add(named[0][:-1])
        if self._take(_INVISIBLE):
            return _Link("", behind=False, ahead=False, visible=False)
        whole = self._take(_LINK)
        if whole:
            ahead = next((end for end in whole.groups()[1:] if end), "") in ("x", "o", ">")
            self._skip_blank()
            piped = self._take(_PIPED)
            if piped is None and self._text.startswith("|", self._place):
                raise self._fault("the label of a link is not closed")
            label = next((one for one in piped.groups() if one is not None), "") if piped else ""
            return _Link(_clean(label), behind=bool(whole[1]), ahead=ahead)
        begun = self._take(_OPEN_LINK)
        if begun is None:
            self._place = start
            return None
        return self._labelled_link(begun)

    def _labelled_link(self, begun: re.Match[str]) -> _Link:
        """Read the rest of a link whose label stands within: ``-- text -->``."""
        self._skip_blank()
        quoted = self._take(_QUOTED)
        end = _LINK_ENDS[begun[2]].search(self._text, self._place, self._line_end())
        if end is None:
            raise self._fault("a link is not complete")
        label = quoted[1] if quoted else self._text[self._place : end.start()]
        self._place = end.end()
        return _Link(_clean(label), behind=bool(begun[1]), ahead=end[1] in ("x", "o", ">"))

    def _end_statement(self) -> None:
        self._skip_blank()
        if self._place == len(self._text) or self._text[self._place] in ";\n":
            return
        if self._text.startswith("%%", self._place):
            return
        raise self._fault("expected the end of the statement")

    def _freeze(self) -> Graph:
        nodes = []
        for name, draft in self._nodes.items():
            if name in self._subgraphs and draft.text is not None:
                raise self._fault(f"{name[:40]!r} names both a node and a subgraph")
            text = normalise_text(name) if draft.text is None else draft.text
            if name not in self._subgraphs:
                group = None if draft.group is None else draft.group.title
                nodes.append(Node(name, text, draft.type, group))
        edges = [
            Edge(
                self._inside(edge.source, last=True),
                self._inside(edge.target, last=False),
                edge.label,
                edge.directed,
            )
            for edge in self._edges
        ]
        return Graph(tuple(nodes), tuple(edges))

    def _inside(self, name: str, *, last: bool) -> str:
        """Return a node, or the first or last one of a subgraph of that name."""
        subgraph = self._subgraphs.get(name)
        if subgraph is None:
            return name
        members = [one for one in subgraph.members if one not in self._subgraphs]
        if not members:
            raise self._fault(f"a link ends at the empty subgraph {name[:40]!r}")
        self._repairs["links of subgraphs read as links of their nodes"] = None
        return members[-1 if last else 0]

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._place)
        if found:
            self._place = found.end()
        return found

    def _skip_blank(self) -> None:
        self._take(_BLANK)

    def _skip_space(self) -> None:
        while self._place < len(self._text) and self._text[self._place].isspace():
            self._place += 1

    def _line_end(self) -> int:
        end = self._text.find("\n", self._place)
        return len(self._text) if end < 0 else end

    def _line(self) -> int:
        return self._text.count("\n", 0, self._place) + 1

    def _fault(self, message: str) -> _Fault:
        rest = self._text[self._place : self._line_end()][:40]
        shown = repr(rest) if rest else "the end"
        message = f"Mermaid, line {self._line()}: {message} at {shown}"
        return _Fault(Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message))


def _edge(source: str, target: str, link: _Link) -> Edge:
    if link.behind and not link.ahead:
        return Edge(target, source, link.label)
    return Edge(source, target, link.label, directed=link.ahead and not link.behind)


def _clean(label: str) -> str:
    return normalise_text(mermaid_text(label))
