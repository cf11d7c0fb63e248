r"""Which pieces of a paper are taken, and the truth that is made of each.

A truth is what an answer would have to write: the piece without comments and labels, and before it
the paper's own definitions that it uses. What depends on the rest of the paper is not taken
(``latex_dependence``). Where a table or an algorithm as a whole cannot be taken (its caption
cites), the part of it that can is; a figure is then taken without the caption (``latex_figures``).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from sources.latex_dependence import depends, reads_files
from sources.latex_figures import PACKAGES, Search, Shown, cut_figure
from sources.latex_macros import Definition, Definitions, preamble
from sources.latex_snippets import Paper, Piece, Sort

SORTS: tuple[Sort, ...] = ("plot", "algorithm", "table", "figure", "equation")
"""The sorts that the scenario `latex` has subsets for, from the rarest on."""
MOST_OF_A_SORT = 2
"""Taken of one paper, so that no paper outweighs others (Image2Struct has such a limit, too)."""
MOST_TRIED = 50
"""Pieces of a sort that are looked at in one paper to find those."""
LENGTHS: dict[Sort, tuple[int, int]] = {
    "equation": (25, 1_500),
    "table": (40, 6_000),
    "algorithm": (60, 5_000),
    "plot": (60, 12_000),
    "figure": (20, 4_000),
}
"""Least and most characters between begin and end, blanks not counted: shorter pieces show next to
nothing, longer ones do not fit one answer or one page."""
MOST_BLANKS = 3
"""Times the most characters: so long a piece may be with its blanks."""
MOST_NESTED = 40
"""Groups and environments within each other; TeX itself ends at 255."""

STANDARD_LIBRARIES = frozenset(
    {
        "angles", "arrows", "arrows.meta", "automata", "backgrounds", "calc", "chains",
        "decorations.markings", "decorations.pathmorphing", "decorations.pathreplacing", "fit",
        "intersections", "matrix", "mindmap", "patterns", "positioning", "quotes", "shadows",
        "shapes.geometric", "shapes.misc", "shapes.multipart", "trees",
        "fillbetween", "groupplots", "polar", "statistics",
    }
)  # fmt: skip
"""Libraries of TikZ and PGFPlots that the renderer's standard document loads."""

_LABEL = re.compile(r"(?<!\\)((?:\\\\)*)\\label\s*\{[^{}]*\}")
_MARK = "\0"
"""Stands for a label; no file of text has it."""
_COMMAND_AT_END = re.compile(r"\\[a-zA-Z]+\Z")


@dataclass(frozen=True)
class Truth:
    """A truth and where it comes from."""

    piece: Piece
    text: str
    definitions: tuple[Definition, ...]
    files: tuple[Shown, ...] = ()
    """What comes with it: the pictures of a figure."""
    captions_left_out: int = 0

    @property
    def digest(self) -> str:
        """The sha256 of the text in UTF-8."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def name(self) -> str:
        """What tells it from others: the digest of its text, or of text and files."""
        if not self.files:
            return self.digest
        parts = [self.digest, *(each.digest for each in self.files)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def words(self) -> str:
        """The text without blanks, with the digests of the files: the same for equal pieces."""
        return "".join([*self.text.split(), *(each.digest for each in self.files)])


@dataclass(frozen=True)
class Choice:
    """What became of one piece (with the parts of it that were tried): a truth or a reason."""

    sort: Sort
    piece: Piece
    outcome: Outcome[Truth]


def choose(paper: Paper) -> Iterator[Choice]:
    """Yield what is taken of a paper, a piece of each sort in turn, with the reasons for the rest.

    Which of many pieces of a sort are taken is chance, but the same chance each time: they are
    tried in the order of digests of their text.
    """
    taken: set[str] = set()
    turns = [_of_sort(paper, sort, taken) for sort in SORTS]
    while turns:
        for turn in list(turns):
            for choice in turn:
                yield choice
                if isinstance(choice.outcome, Ok):
                    break
            else:
                turns.remove(turn)


def _of_sort(paper: Paper, sort: Sort, taken: set[str]) -> Iterator[Choice]:
    found = 0
    for pieces in _by_chance(_wholes(paper.pieces, sort))[:MOST_TRIED]:
        if found == MOST_OF_A_SORT:
            return
        outcome = _first_fit(pieces, paper)
        if isinstance(outcome, Ok):
            words = outcome.value.words
            if words in taken:
                message = "the paper has the same piece twice"
                outcome = Failed.of(Stage.FILTER, Kind.DUPLICATE, message)
            else:
                taken.add(words)
                found += 1
        yield Choice(sort, pieces[0], outcome)


def _wholes(pieces: Sequence[Piece], sort: Sort) -> list[list[Piece]]:
    """Return the outermost pieces of a sort, each followed by the pieces of the sort in it."""
    around = {"figure", sort}
    own = [piece for piece in pieces if piece.sort == sort and set(piece.inside) <= around]
    own.sort(key=lambda piece: (piece.text.path, piece.start, -piece.end))
    wholes: list[list[Piece]] = []
    for piece in own:
        whole = wholes[-1][0] if wholes else None
        if whole and whole.text.path == piece.text.path and piece.end <= whole.end:
            wholes[-1].append(piece)
        else:
            wholes.append([piece])
    if sort == "figure":  # of a drawing, a table or an algorithm in a figure other sorts are made
        return [pieces for pieces in wholes if _shows_files(pieces[0])]
    return wholes


def _shows_files(piece: Piece) -> bool:
    return reads_files(piece.text.scan.plain(*piece.inner))


def _by_chance(wholes: list[list[Piece]]) -> list[list[Piece]]:
    def chance(pieces: list[Piece]) -> str:
        piece = pieces[0]
        text = piece.text.scan.text[piece.start : piece.end]
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

    return sorted(wholes, key=chance)


def _first_fit(pieces: Sequence[Piece], paper: Paper) -> Outcome[Truth]:
    first: Outcome[Truth] | None = None
    for piece in pieces[:10]:
        outcome = make(piece, paper)
        if isinstance(outcome, Ok):
            return outcome
        first = first or outcome
    return first or _not("there is nothing in it")


def make(piece: Piece, paper: Paper) -> Outcome[Truth]:
    """Make the truth of a piece, or say why it is not taken (kind UNSUITABLE, TOO_LARGE)."""
    reason = _unfit(piece)
    if reason:
        return _not(reason)
    text = _written(piece)
    reason = _too_small(piece.sort, text)
    if reason:
        return _not(reason)
    if piece.sort == "figure":
        return _figure(piece, text, paper)
    plain = f"\\begin{{{piece.environment}}}{piece.text.scan.plain(*piece.inner)}"
    reason = depends(plain)
    if reason:
        return _not(f"it {reason}")
    needed = _needed(paper.definitions, plain, piece.order)
    if isinstance(needed, Failed):
        return needed
    before = [preamble(needed.value)] if needed.value else []
    if piece.sort == "plot":
        before = [*_libraries(paper.definitions), *before]
    return ok(Truth(piece, "\n".join([*before, text]), tuple(needed.value)))


def _figure(piece: Piece, text: str, paper: Paper) -> Outcome[Truth]:
    """Make the truth of a figure, with the files that it shows."""
    paths = [each for order, each in paper.graphics_paths if order <= piece.order][-1:]
    search = Search(paper.content, piece.folder, *paths)
    cut = cut_figure(text, search)
    if isinstance(cut, Failed):
        return cut
    figure = cut.value
    needed = _needed(paper.definitions, figure.plain, piece.order)
    if isinstance(needed, Failed):
        return needed
    package = PACKAGES.get(piece.environment)
    before = [f"\\usepackage{{{package}}}"] if package else []
    before += [preamble(needed.value)] if needed.value else []
    lines = "\n".join([*before, figure.text])
    return ok(Truth(piece, lines, tuple(needed.value), figure.files, figure.captions_left_out))


def _needed(definitions: Definitions, plain: str, order: int) -> Outcome[list[Definition]]:
    """Return the definitions that a piece needs, all of which can be set by themselves."""
    needed = definitions.needed(plain, order)
    if isinstance(needed, Failed):
        return needed
    for definition in needed.value:
        reason = depends(definition.text)
        if reason:
            return _not(f"its {definition.keys[0]} {reason}")
    return needed


def _not(message: str) -> Failed:
    return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)


def _written(piece: Piece) -> str:
    """Return a piece without comments and labels, its lines ended in one way."""
    code = piece.text.scan.code
    if piece.environment in ("\\[", "$$"):
        text = code(piece.start, piece.end)
    else:
        begin, end = (f"\\{step}{{{piece.environment}}}" for step in ("begin", "end"))
        text = f"{begin}{code(*piece.inner)}{end}"
    text = _without_labels(text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _without_labels(text: str) -> str:
    """Take out labels with the blanks before them, and lines that hold nothing else."""
    lines = []
    for line in _LABEL.sub(rf"\1{_MARK}", text).split("\n"):
        first, *rest = line.split(_MARK)
        if rest and not line.replace(_MARK, "").strip(" \t"):
            continue
        for part in rest:
            before = first.rstrip(" \t")
            # a blank that is a command, or that ends one, stays
            is_cut = (len(before) - len(before.rstrip("\\"))) % 2 == 1
            joins = part[:1].isalpha() and _COMMAND_AT_END.search(before[-100:])
            first = f"{before} {part}" if is_cut or joins else before + part
        lines.append(first)
    return "\n".join(lines)


def _unfit(piece: Piece) -> str | None:
    """Return why a piece is not taken by itself, whatever it needs."""
    if not piece.sound:
        return "its groups do not close"
    least, most = LENGTHS[piece.sort]
    code = piece.text.scan.code(*piece.inner)
    length = len("".join(code.split()))
    if not least <= length <= most:
        bound = f"fewer than {least}" if length < least else f"more than {most}"
        return f"it has {bound} characters"
    if len(code) > most * MOST_BLANKS:
        return "it is nearly all blanks"
    if _deepest(piece) > MOST_NESTED:
        return f"it nests more than {MOST_NESTED} groups"
    return None


def _too_small(sort: Sort, text: str) -> str | None:
    if sort == "table" and (text.count("&") < 2 or text.count("\\\\") < 1):
        return "it has fewer than two rows or columns"
    if sort == "algorithm" and text.count("\n") < 4:
        return "it has fewer than four lines"
    return None


def _deepest(piece: Piece) -> int:
    tokens = piece.text.scan.tokens
    depth = deepest = 0
    for token in tokens[bisect_left(tokens, piece.start, key=lambda token: token.start) :]:
        if token.start >= piece.end:
            break
        depth += {"open": 1, "begin": 1, "close": -1, "end": -1}.get(token.kind, 0)
        deepest = max(deepest, depth)
    return deepest


def _libraries(definitions: Definitions) -> list[str]:
    """Return the commands for libraries that the standard document does not load."""
    lines = []
    for command in definitions.libraries:
        name = command[command.index("{") + 1 : -1]
        if re.fullmatch(r"[\w.-]{1,60}", name) and not _is_standard(name):
            lines.append(command)
    return lines[:20]


def _is_standard(name: str) -> bool:
    return name.removeprefix("pgfplots.") in STANDARD_LIBRARIES or name in ("external", "")
