"""A second reading of a flowchart, to check questions by: matrices and lists of whole ways.

Nothing here is shared with ``scenarios.flowce``: ways are found by closing the matrix of arrows and
by writing all of them down, places by rays.
"""

from __future__ import annotations

import ast
import operator
import re

import numpy as np

from scenarios.graphs import Graph, to_json

QUOTED = re.compile("“([^”]*)”")
WAYS = 20_000


class Unknown(Exception):
    """More ways than can be written down."""


class Walk:
    def __init__(self, graph: Graph, boxes=None) -> None:
        record = to_json(graph)
        self.nodes = record["nodes"]
        self.ids = [node["id"] for node in self.nodes]
        self.edges = [
            (self.ids.index(e["source"]), self.ids.index(e["target"]), e["label"])
            for e in record["edges"]
        ]
        self.directed = all(e["directed"] for e in record["edges"])
        self.boxes = boxes
        size = len(self.nodes)
        self.counts = np.zeros((size, size), int)
        for source, target, _ in self.edges:
            self.counts[source, target] += 1
        self.closed = self.close(self.counts > 0)

    @staticmethod
    def close(matrix: np.ndarray) -> np.ndarray:
        """Warshall: where one comes to by one arrow or more."""
        closed = matrix.copy()
        for k in range(len(closed)):
            closed |= np.outer(closed[:, k], closed[k])
        return closed

    def without(self, via: int) -> np.ndarray:
        matrix = self.counts > 0
        matrix[via], matrix[:, via] = False, False
        return self.close(matrix)

    def find(self, text: str) -> int:
        """The one node of a text, told apart from all others without case and space."""
        folded = text.lower().replace(" ", "")
        found = [
            i for i, n in enumerate(self.nodes) if n["text"].lower().replace(" ", "") == folded
        ]
        assert len(found) == 1, f"{text!r} names {len(found)} nodes"
        assert self.nodes[found[0]]["text"] == text
        return found[0]

    def text(self, node: int) -> str:
        return self.nodes[node]["text"]

    def next(self, node: int) -> set[int]:
        return set(np.flatnonzero(self.counts[node]).tolist())

    def previous(self, node: int) -> set[int]:
        return set(np.flatnonzero(self.counts[:, node]).tolist())

    @property
    def start(self) -> int:
        others = self.counts - np.diag(np.diag(self.counts))
        (start,) = np.flatnonzero(others.sum(axis=0) == 0)
        return int(start)

    @property
    def ends(self) -> set[int]:
        return set(np.flatnonzero(self.counts.sum(axis=1) == 0).tolist())

    def arm(self, node: int, label: str) -> int:
        (target,) = [t for s, t, own in self.edges if s == node and own == label]
        return target

    def left_out(self, node: int, forks: bool) -> bool:
        """Whether a run that ends leaves a node out; `forks`: several bare arrows are all taken."""
        budget = [WAYS]

        def escapes(at: int, passed: frozenset[int]) -> bool:
            budget[0] -= 1
            if budget[0] < 0:
                raise Unknown
            if at == node or at in passed:
                return False
            further = self.next(at)
            if not further:
                return True
            bare = any(s == at and not label for s, _, label in self.edges)
            every = forks and bare and self.nodes[at]["type"] != "decision"
            ways = (escapes(one, passed | {at}) for one in sorted(further))
            return all(ways) if every else any(ways)

        return escapes(self.start, frozenset())

    def simple_ways(self, begin: int, end: int) -> list[list[int]]:
        """All ways from one node to another without a node twice, found from the end backwards."""
        ways, open_ways, budget = [], [[end]], WAYS
        while open_ways:
            way = open_ways.pop(0)
            for one in sorted(self.previous(way[0])):
                budget -= 1
                if budget < 0:
                    raise Unknown
                if one == begin:
                    ways.append([begin, *way])
                elif one not in way and self.closed[begin, one]:
                    open_ways.append([one, *way])
        return ways

    def meeting(self, node: int) -> int:
        """The immediate postdominator, by the classic flow of sets."""
        everything = set(range(len(self.nodes)))
        after = {i: {i} if i in self.ends else everything for i in everything}
        changed = True
        while changed:
            changed = False
            for i in everything - self.ends:
                found = {i} | set.intersection(*(after[j] for j in self.next(i)))
                if found != after[i]:
                    after[i], changed = found, True
        strict = after[node] - {node}
        (first,) = [one for one in strict if strict <= after[one]]
        return first

    def follow(self, begin: int, answers: list[tuple[str, str]]) -> int:
        """Follow arrows, with the answers in their order, to an end."""
        given, node = list(answers), begin
        while self.next(node):
            if len([1 for s, _, _ in self.edges if s == node]) == 1:
                (node,) = self.next(node)
            else:
                text, label = given.pop(0)
                assert self.text(node) == text
                node = self.arm(node, label)
        assert not given
        return node

    def compute(self, begin: int, end: int, values: dict[str, int]) -> dict[str, int]:
        """Carry out assignments from one node to another one."""
        node, values = begin, dict(values)
        while True:
            (statement,) = ast.parse(self.text(node)).body
            values[statement.targets[0].id] = evaluate(statement.value, values)
            if node == end:
                return values
            (node,) = self.next(node)

    def holds(self, node: int, values: dict[str, int]) -> bool:
        text = re.sub(r"[?？]$", "", self.text(node)).strip()
        for sign, written in (("≠", "!="), ("≤", "<="), ("≥", ">=")):
            text = text.replace(sign, written)
        text = re.sub(r"(?<![=!<>])=(?!=)", "==", text)
        return bool(evaluate(ast.parse(text, mode="eval").body, values))

    def ray(self, node: int, side: str) -> set[int]:
        """What rays from a node's side meet first, from every place along it."""
        box = self.boxes[node]
        along, out = (0, 1) if side in ("above", "below") else (1, 0)
        ahead = side in ("below", "right")
        met = set()
        for place in range(box[along] + 1, box[along + 2]):
            hits = [
                ((b[out] if ahead else -b[out + 2]), i)
                for i, b in enumerate(self.boxes)
                if i != node
                and b[along] < place < b[along + 2]
                and ((b[out] > box[out]) if ahead else (b[out + 2] < box[out + 2]))
            ]
            if hits:
                met.add(min(hits)[1])
        return met

    def extreme(self, side: str) -> int:
        """The node whose middle is outermost; no other one is beside it."""
        out = 1 if side in ("above", "below") else 0
        sign = 1 if side in ("below", "right") else -1
        middles = [sign * (b[out] + b[out + 2]) for b in self.boxes]
        found = middles.index(max(middles))
        mine = self.boxes[found]
        for i, other in enumerate(self.boxes):
            assert i == found or other[out + 2] < mine[out] or other[out] > mine[out + 2]
        return found


def evaluate(node: ast.expr, values: dict[str, int]):
    signs = {
        ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
        ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
        ast.Gt: operator.gt, ast.GtE: operator.ge,
    }  # fmt: skip
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp):
        return signs[type(node.op)](evaluate(node.left, values), evaluate(node.right, values))
    assert isinstance(node, ast.Compare)
    (sign,), (right,) = node.ops, node.comparators
    return signs[type(sign)](evaluate(node.left, values), evaluate(right, values))
