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
from benchmark.outcome import Outcome, ok
from scenarios import mermaid_tokens as tokens
from scenarios.graph_labels import mermaid_text
from scenarios.graphs import Edge, Graph, Node, NodeType, find_excess, too_large
from scenarios.mermaid_scanner import Fault, Scanner
from scenarios.mermaid_shapes import BRACKETS, NAMES
from scenarios.trees import normalise_text

DIRECTIONS = {"TD": "TB", "TB": "TB", "BT": "BT", "RL": "RL", "LR": "LR"} | {
    "v": "TB", "^": "BT", "<": "RL", ">": "LR",
}  # fmt: skip

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
    return bool(tokens.IS_FLOWCHART.match(text))


def read(text: str) -> Outcome[Chart]:
    """Read a flowchart.

    Returns:
        The chart, or a failure of stage parse: parse_error with the line (what is not understood),
        resource_limit (more nodes, edges or text than ``benchmark.limits`` has).
    """
    try:
        chart = _Parser(text).parse()
    except Fault as fault:
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


class _Parser(Scanner):
    """Reads statement by statement; a list of the open subgraphs stands in for recursion."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes: dict[str, _Draft] = {}
        self._edges: list[Edge] = []
        self._subgraphs: dict[str, _Subgraph] = {}
        self._open: list[_Subgraph] = []
        self._link_names: set[str] = set()
        self._repairs: dict[str, None] = {}

    def parse(self) -> Chart:
        direction = self._header()
        while True:
            self.skip(tokens.GAP)
            if self.take(tokens.DIRECTIVE):
                continue
            if self.place == len(self.text):
                break
            self._statement()
        if self._open:
            raise self.fault(f"the subgraph of line {self._open[-1].line} has no end")
        return Chart(self._freeze(), direction, tuple(self._repairs))

    def _header(self) -> str:
        self.take(tokens.FRONT_MATTER)
        while self.skip(tokens.SPACE) or self.take(tokens.DIRECTIVE):
            pass
        header = self.take(tokens.HEADER)
        if header is None:
            raise self.fault("expected flowchart or graph")
        return DIRECTIONS[header[1] or "TB"]

    def _statement(self) -> None:
        if self.take(tokens.SUBGRAPH):
            self._begin_subgraph()
        elif self.take(tokens.END):
            if not self._open:
                raise self.fault("end without a subgraph")
            self._open.pop()
        elif (
            self.take(tokens.DIRECTION)
            or self.take(tokens.DESCRIPTION)
            or self._take_link_properties()
        ):
            pass
        elif tokens.LOOKS.match(self.text, self.place) and not self._is_link_next():
            self.place = self.line_end()
        else:
            self._chain()
        self._end_statement()

    def _is_link_next(self) -> bool:
        """Tell whether a word such as ``class`` is a node here, since a link follows it."""
        word = tokens.ID.match(self.text, self.place)
        blank = tokens.BLANK.match(self.text, word.end()) if word else None
        place = blank.end() if blank else self.place
        return any(
            one.match(self.text, place) for one in (tokens.LINK, tokens.OPEN_LINK, tokens.INVISIBLE)
        )

    def _take_link_properties(self) -> bool:
        """Pass over ``e1@{ animate: true }``, where a link has that name."""
        word = tokens.ID.match(self.text, self.place)
        if not word or word[0] not in self._link_names:
            return False
        if not self.text.startswith("@{", word.end()):
            return False
        self.place = word.end() + 2
        self._properties(word[0])
        return True

    def _begin_subgraph(self) -> None:
        line = self.line()
        self.take(tokens.BLANK)
        titled = self.take(tokens.TITLED)
        if titled:
            title = titled[2] if titled[2] is not None else titled[3]
            name = titled[1] or title
        else:
            plain = self.take(tokens.TITLE)
            name = title = (plain[1] or plain[2] or "").strip() if plain else ""
        if len(self._open) == GRAPH_DEPTH:
            raise self.fault(f"subgraphs are deeper than {GRAPH_DEPTH} levels")
        parent = self._open[-1] if self._open else None
        opened = _Subgraph(_clean(title) or name, parent, line)
        self._subgraphs.setdefault(name, opened)
        self._open.append(opened)

    def _chain(self) -> None:
        """Read nodes, and links to further nodes, as long as there are any."""
        sources = self._endpoints()
        while (link := self._link()) is not None:
            self.skip(tokens.SPACE)
            targets = self._endpoints()
            if len(self._edges) + len(sources) * len(targets) > GRAPH_EDGES:
                raise Fault(too_large(f"the graph has more than {GRAPH_EDGES} edges"))
            if link.visible:
                self._edges += [_edge(*ends, link) for ends in product(sources, targets)]
            sources = targets

    def _endpoints(self) -> list[str]:
        names = [self._node()]
        while True:
            place = self.place
            self.skip(tokens.SPACE)
            if not self.text.startswith("&", self.place):
                self.place = place
                return names
            self.place += 1
            self.skip(tokens.SPACE)
            names.append(self._node())

    def _node(self) -> str:
        found = self.take(tokens.ID)
        if found is None:
            raise self.fault("expected a node")
        name = found[0]
        if name == "end":
            self._repairs["end read as the name of a node"] = None
        if name not in self._nodes and name not in self._subgraphs:
            if len(self._nodes) == GRAPH_NODES:
                raise Fault(too_large(f"the graph has more than {GRAPH_NODES} nodes"))
            self._nodes[name] = _Draft()
        self._put(name)
        self._shape(name)
        while self.text.startswith("@{", self.place):
            self.place += 2
            self._properties(name)
        self.take(tokens.CLASS)
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
            if self.text.startswith(opening, self.place):
                self.place += len(opening)
                text, kind = self._label(closings)
                if name in self._nodes:
                    self._nodes[name].text = text
                    self._nodes[name].type = kind
                return

    def _label(self, closings: tuple[tuple[str, NodeType], ...]) -> tuple[str, NodeType]:
        start = self.place
        self.skip_space()
        quoted = self.take(tokens.QUOTED)
        if quoted:
            self.skip_space()
            for closing, kind in closings:
                if self.text.startswith(closing, self.place):
                    self.place += len(closing)
                    return _clean(quoted[1]), kind
        return self._bare_label(start, closings)

    def _bare_label(
        self, start: int, closings: tuple[tuple[str, NodeType], ...]
    ) -> tuple[str, NodeType]:
        """Read a label without quotes, up to what closes it outside of brackets in the label."""
        waiting: list[str] = []
        place = start
        while place < len(self.text):
            sign = self.text[place]
            if not waiting:
                for closing, kind in closings:
                    if self.text.startswith(closing, place):
                        self.place = place + len(closing)
                        return _clean(self.text[start:place]), kind
            if waiting and sign == waiting[-1]:
                waiting.pop()
            elif sign in _PAIRS:
                waiting.append(_PAIRS[sign])
                self._repairs["brackets in labels without quotes"] = None
            place += 1
        self.place = start
        raise self.fault("a label is not closed")

    def _properties(self, name: str) -> None:
        """Read what stands between ``@{`` and ``}``; a link's properties say nothing here."""
        start = self.place
        while not self.text.startswith("}", self.place):
            found = self.take(tokens.PROPERTIES)
            if found is None:
                self.skip_space()
                if self.text.startswith("}", self.place):
                    break
                raise self.fault("expected name: value or }")
            value = next((one for one in found.groups()[1:] if one is not None), "").strip()
            draft = self._nodes.get(name)
            if draft is None:
                continue
            if found[1] == "label":
                draft.text = _clean(value)
            elif found[1] == "shape":
                if value not in NAMES:
                    self.place = start
                    raise self.fault(f"no shape is called {value[:40]!r}")
                draft.type = NAMES[value]
            elif found[1] in ("icon", "img"):
                draft.type = NodeType.OTHER
        self.place += 1

    def _link(self) -> _Link | None:
        """Read a link, perhaps on the next line, with its label; None where there is none."""
        start = self.place
        self.skip(tokens.SPACE)
        named = self.take(tokens.LINK_NAME)
        if named:
            self._link_names.add(named[0][:-1])
        if self.take(tokens.INVISIBLE):
            return _Link("", behind=False, ahead=False, visible=False)
        whole = self.take(tokens.LINK)
        if whole:
            ahead = next((end for end in whole.groups()[1:] if end), "") in ("x", "o", ">")
            self.skip_blank()
            piped = self.take(tokens.PIPED)
            if piped is None and self.text.startswith("|", self.place):
                raise self.fault("the label of a link is not closed")
            label = next((one for one in piped.groups() if one is not None), "") if piped else ""
            return _Link(_clean(label), behind=bool(whole[1]), ahead=ahead)
        begun = self.take(tokens.OPEN_LINK)
        if begun is None:
            self.place = start
            return None
        return self._labelled_link(begun)

    def _labelled_link(self, begun: re.Match[str]) -> _Link:
        """Read the rest of a link whose label stands within: ``-- text -->``."""
        self.skip_blank()
        quoted = self.take(tokens.QUOTED)
        end = tokens.LINK_ENDS[begun[2]].search(self.text, self.place, self.line_end())
        if end is None:
            raise self.fault("a link is not complete")
        label = quoted[1] if quoted else self.text[self.place : end.start()]
        self.place = end.end()
        return _Link(_clean(label), behind=bool(begun[1]), ahead=end[1] in ("x", "o", ">"))

    def _end_statement(self) -> None:
        self.skip_blank()
        if self.place == len(self.text) or self.text[self.place] in ";\n":
            return
        if self.text.startswith("%%", self.place):
            return
        raise self.fault("expected the end of the statement")

    def _freeze(self) -> Graph:
        nodes = []
        for name, draft in self._nodes.items():
            if name in self._subgraphs and draft.text is not None:
                raise self.fault(f"{name[:40]!r} names both a node and a subgraph")
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
            raise self.fault(f"a link ends at the empty subgraph {name[:40]!r}")
        self._repairs["links of subgraphs read as links of their nodes"] = None
        return members[-1 if last else 0]


def _edge(source: str, target: str, link: _Link) -> Edge:
    if link.behind and not link.ahead:
        return Edge(target, source, link.label)
    return Edge(source, target, link.label, directed=link.ahead and not link.behind)


def _clean(label: str) -> str:
    return normalise_text(mermaid_text(label))
