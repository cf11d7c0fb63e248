r"""DOT read as a flowchart: what Graphviz makes of a text, without drawing it.

The grammar is that of graphviz.org/doc/info/lang.html: default attributes by scope, edges in chains
and between sets (``a -> {b c}``), subgraphs that are opened again, ports, ``strict``, ``key``. What
Graphviz rejects is a failure here. Three rules make a graph of what is drawn:

* A node's type is its shape's, see ``TYPES``; its text is what can be read in it.
* An edge's direction is where its head is: ``dir=back`` turns it, ``dir=none``, ``dir=both`` and
  ``arrowhead=none`` leave it without one. Its label is whatever stands at it (``label``,
  ``xlabel``, ``taillabel``, ``headlabel``).
* What is invisible (``style=invis``) is not there, nor is an edge of an invisible node.

``scenarios.languages.graphviz`` repairs what models get wrong before this module reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product

from benchmark.limits import GRAPH_DEPTH, GRAPH_EDGES, GRAPH_NODES
from benchmark.outcome import Outcome, ok
from scenarios.dot_cursor import HTML, Cursor, Fault
from scenarios.graph_labels import html_text, plain_text, record_text
from scenarios.graphs import Edge, Graph, Node, NodeType, find_excess, too_large
from scenarios.languages.dot_tokens import ID_KINDS, TokenKind
from scenarios.trees import normalise_text

TYPES: dict[str, NodeType] = {
    **dict.fromkeys(
        ("ellipse", "oval", "circle", "doublecircle", "egg", "mcircle"), NodeType.TERMINAL
    ),
    **dict.fromkeys(("box", "rect", "rectangle", "square", "record", "mrecord"), NodeType.PROCESS),
    **dict.fromkeys(("diamond", "mdiamond"), NodeType.DECISION),
    "parallelogram": NodeType.INPUT_OUTPUT,
}
"""What a shape stands for; all others are ``NodeType.OTHER``. A rounded box is a box."""

_KNOWN = frozenset(
    (
        *("label", "shape", "style", "dir", "arrowhead", "arrowtail", "xlabel", "headlabel"),
        *("taillabel", "sides", "skew", "distortion", "orientation", "key"),
    )
)
Attributes = dict[str, str]


@dataclass(eq=False)
class _Subgraph:
    """A subgraph: the nodes in it and its label, which a frame shows; at first its parent's."""

    name: str
    parent: _Subgraph | None = None
    members: dict[str, None] = field(default_factory=dict)
    label: str | None = None

    @property
    def is_frame(self) -> bool:
        return self.name.startswith("cluster")


@dataclass
class _Scope:
    """What holds between two braces, and the edge statement that the braces are a part of."""

    subgraph: _Subgraph
    nodes: Attributes
    edges: Attributes
    chain: list[str | _Subgraph] = field(default_factory=list)


@dataclass
class _Node:
    attributes: Attributes
    frame: _Subgraph | None = None


@dataclass
class _Edge:
    source: str
    target: str
    attributes: Attributes


def read(text: str) -> Outcome[Graph]:
    """Read the first graph of a DOT text.

    Returns:
        The graph, or a failure of stage parse: parse_error with the line (what Graphviz rejects, or
        subgraphs deeper than ``benchmark.limits.GRAPH_DEPTH``), resource_limit (more nodes, edges
        or text than ``benchmark.limits`` has).
    """
    try:
        graph = _Parser(text).parse()
    except Fault as fault:
        return fault.failed
    return find_excess(graph.nodes, graph.edges) or ok(graph)


def frames_are_plain(text: str) -> bool:
    """Tell whether each frame has a title of its own, and none lies in another one.

    Only then does ``Node.group`` say all that the picture shows of frames. False where the text
    cannot be read.
    """
    parser = _Parser(text)
    try:
        parser.parse()
    except Fault:
        return False
    frames = parser.frames()
    titles = [frame.label or "" for frame in frames]
    inside = any(_is_inside(one, other) for one in frames for other in frames)
    return not inside and all(titles) and len(set(titles)) == len(titles)


class _Parser(Cursor):
    """Reads tokens in order; the stack of scopes stands in for recursion."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._strict = False
        self._directed = True
        self._name = ""
        self._nodes: dict[str, _Node] = {}
        self._edges: list[_Edge] = []
        self._by_key: dict[tuple[str, ...], _Edge] = {}
        self._subgraphs: dict[str, _Subgraph] = {}

    def parse(self) -> Graph:
        self._header()
        root = _Subgraph("")
        scopes = [_Scope(root, {}, {})]
        while scopes:
            self._statement(scopes)
        return self._freeze()

    def frames(self) -> list[_Subgraph]:
        """Return the frames that something lies in."""
        return [one for one in self._subgraphs.values() if one.is_frame and one.members]

    def _header(self) -> None:
        self._strict = self.take_word("strict")
        if self.take_word("graph"):
            self._directed = False
        elif not self.take_word("digraph"):
            raise self.fault("expected graph or digraph")
        if self.kind() in ID_KINDS:
            self._name = self.identifier()
        self.expect("{")

    def _statement(self, scopes: list[_Scope]) -> None:
        """Read one statement, or the end of a subgraph with what may follow it."""
        scope = scopes[-1]
        if self.take(";"):
            return
        if self.take("}"):
            scopes.pop()
            if scopes:
                scopes[-1].chain.append(scope.subgraph)
                self._after_endpoint(scopes)
            return
        word = self.word()
        if word in ("node", "edge", "graph"):
            self.place += 1
            self._defaults(scope, word)
        elif word == "subgraph" or self.sign() == "{":
            self._open(scopes)
        elif self.kind() in ID_KINDS:
            name = self.identifier()
            if self.take("="):
                self._assign(scope, name, self.value())
                return
            self._node_endpoint(scope, name)
            self._after_endpoint(scopes)
        else:
            raise self.fault("expected a statement")

    def _defaults(self, scope: _Scope, word: str) -> None:
        if self.sign() != "[":
            raise self.fault(f"expected [ after {word}")
        attributes = self._attributes()
        if word == "graph":
            for name, value in attributes.items():
                self._assign(scope, name, value)
        else:
            target = scope.nodes if word == "node" else scope.edges
            target.update(attributes)

    def _assign(self, scope: _Scope, name: str, value: str) -> None:
        """Set an attribute of the graph or subgraph; only the label of a frame matters."""
        if name == "label":
            scope.subgraph.label = value

    def _open(self, scopes: list[_Scope]) -> None:
        """Open a subgraph, perhaps again; it inherits the defaults that hold now."""
        scope = scopes[-1]
        if len(scopes) > GRAPH_DEPTH:
            raise self.fault(f"subgraphs are deeper than {GRAPH_DEPTH} levels")
        name = ""
        if self.take_word("subgraph") and self.kind() in ID_KINDS:
            name = self.identifier()
        self.expect("{")
        inner = self._subgraphs.get(name) if name else None
        if inner is None:
            inner = _Subgraph(name, scope.subgraph, label=scope.subgraph.label)
            if name:
                self._subgraphs[name] = inner
        scopes.append(_Scope(inner, dict(scope.nodes), dict(scope.edges)))

    def _after_endpoint(self, scopes: list[_Scope]) -> None:
        """Read what follows an end of an edge: another edge, attributes, or nothing."""
        scope = scopes[-1]
        while self.kind() in (TokenKind.ARROW, TokenKind.LINE):
            if (self.kind() is TokenKind.ARROW) != self._directed:
                raise self.fault(f"{self.here()} is no edge of this kind of graph")
            self.place += 1
            if self.word() == "subgraph" or self.sign() == "{":
                self._open(scopes)
                return
            if self.kind() not in ID_KINDS or self.word() in ("node", "edge", "graph"):
                raise self.fault("expected the end of an edge")
            self._node_endpoint(scope, self.identifier())
        attributes = self._attributes()
        chain, scope.chain = scope.chain, []
        if len(chain) > 1:
            self._connect(scope, chain, attributes)
        elif isinstance(chain[0], str):
            self._nodes[chain[0]].attributes.update(attributes)

    def _node_endpoint(self, scope: _Scope, name: str) -> None:
        if self.take(":"):
            self.identifier()
            if self.take(":"):
                self.identifier()
        self._mention(scope, name)
        scope.chain.append(name)

    def _mention(self, scope: _Scope, name: str) -> None:
        node = self._nodes.get(name)
        if node is None:
            if len(self._nodes) == GRAPH_NODES:
                raise Fault(too_large(f"the graph has more than {GRAPH_NODES} nodes"))
            node = self._nodes[name] = _Node(dict(scope.nodes))
        above: _Subgraph | None = scope.subgraph
        frame: _Subgraph | None = None
        while above is not None:
            if frame is None and above.is_frame:
                frame = above
            above.members[name] = None
            above = above.parent
        if frame is not None and (node.frame is None or _is_inside(frame, node.frame)):
            node.frame = frame

    def _connect(self, scope: _Scope, chain: list[str | _Subgraph], attributes: Attributes) -> None:
        ends = [[end] if isinstance(end, str) else list(end.members) for end in chain]
        for sources, targets in pairwise(ends):
            if len(self._edges) + len(sources) * len(targets) > GRAPH_EDGES:
                raise Fault(too_large(f"the graph has more than {GRAPH_EDGES} edges"))
            for source, target in product(sources, targets):
                self._edge(source, target, scope, attributes)

    def _edge(self, source: str, target: str, scope: _Scope, attributes: Attributes) -> None:
        """Make an edge, or find it: in a strict graph there is one, else one for each key."""
        ends = (source, target) if self._directed else tuple(sorted((source, target)))
        key = None if self._strict else attributes.get("key", scope.edges.get("key"))
        if self._strict or key is not None:
            known = self._by_key.get((*ends, key or ""))
            if known is not None:
                known.attributes.update(attributes)
                return
        edge = _Edge(source, target, {**scope.edges, **attributes})
        self._edges.append(edge)
        if self._strict or key is not None:
            self._by_key[*ends, key or ""] = edge

    def _attributes(self) -> Attributes:
        """Read lists of attributes, if there are any."""
        found: Attributes = {}
        while self.take("["):
            while not self.take("]"):
                name = self.identifier()
                value = self.value() if self.take("=") else "true"
                if name in _KNOWN:
                    found[name] = value
                if not self.take(","):
                    self.take(";")
        return found

    def _freeze(self) -> Graph:
        seen = {name for name, node in self._nodes.items() if not _is_hidden(node.attributes)}
        nodes = [self._node(name, node) for name, node in self._nodes.items() if name in seen]
        edges = [
            self._freeze_edge(edge)
            for edge in self._edges
            if edge.source in seen and edge.target in seen and not _is_hidden(edge.attributes)
        ]
        return Graph(tuple(nodes), tuple(edges))

    def _node(self, name: str, node: _Node) -> Node:
        label = node.attributes.get("label", r"\N")
        shape = node.attributes.get("shape", "ellipse").lower()
        names = {"N": name, "G": self._name}
        if shape == "point":
            text = ""  # it is drawn without its label
        elif shape in ("record", "mrecord") and not label.startswith(HTML):
            text = normalise_text(record_text(label, names))
        else:
            text = _read_label(label, names)
        return Node(name, text, _type(shape, node.attributes), self._group(node.frame))

    def _group(self, frame: _Subgraph | None) -> str | None:
        if frame is None:
            return None
        label = frame.label
        return (_read_label(label, {"G": frame.name}) if label else "") or frame.name

    def _freeze_edge(self, edge: _Edge) -> Edge:
        arrow = "->" if self._directed else "--"
        names = {
            "E": f"{edge.source}{arrow}{edge.target}",
            "T": edge.source,
            "H": edge.target,
            "G": self._name,
        }
        places = ("taillabel", "label", "xlabel", "headlabel")
        labels = [_read_label(edge.attributes.get(place, ""), names) for place in places]
        label = " ".join(one for one in labels if one)
        ahead, behind = _heads(edge.attributes, directed=self._directed)
        if behind and not ahead:
            return Edge(edge.target, edge.source, label)
        return Edge(edge.source, edge.target, label, directed=ahead and not behind)


def _is_inside(inner: _Subgraph, outer: _Subgraph) -> bool:
    above = inner.parent
    while above is not None and above is not outer:
        above = above.parent
    return above is outer


def _is_hidden(attributes: Attributes) -> bool:
    styles = attributes.get("style", "").lower().split(",")
    return any(style.strip() in ("invis", "invisible") for style in styles)


def _type(shape: str, attributes: Attributes) -> NodeType:
    if shape == "polygon" and attributes.get("sides", "4") == "4":
        if _is_set(attributes, "distortion") or _is_set(attributes, "orientation"):
            return NodeType.OTHER
        return NodeType.INPUT_OUTPUT if _is_set(attributes, "skew") else NodeType.PROCESS
    return TYPES.get(shape, NodeType.OTHER)


def _is_set(attributes: Attributes, name: str) -> bool:
    """Tell whether a number is given, and not 0."""
    return bool(attributes.get(name, "0").strip("+-0. "))


def _read_label(label: str, names: dict[str, str]) -> str:
    if label.startswith(HTML):
        return normalise_text(html_text(label[1:]))
    return normalise_text(plain_text(label, names))


def _heads(attributes: Attributes, *, directed: bool) -> tuple[bool, bool]:
    """Tell whether an edge has a head at its target, and whether it has one at its source."""
    way = attributes.get("dir", "forward" if directed else "none").lower()
    ahead = way in ("forward", "both") and attributes.get("arrowhead", "normal") != "none"
    behind = way in ("back", "both") and attributes.get("arrowtail", "normal") != "none"
    return ahead, behind
