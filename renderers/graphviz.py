"""Graphs: DOT to a picture.

What is rendered: the first graph of the file, at 96 dots per inch whatever ``dpi`` it asks for; a
further graph is reported as a flag. Pictures that are too large (an absurd ``size``) and graphs
with too many nodes or edges are refused.

What counts as rendered: Graphviz may report an error and still draw the rest (an HTML-like label
that is not well formed), so a visible picture is a result even with status 1, with each error kept
as a flag. Without anything visible the first error is the failure, or ``empty_render`` if there was
none (an empty graph: status 0 and a picture without ink).

`GraphvizRenderer.draw` gives where the nodes lie as well. A picture may lie on a backdrop, which
`renderers.backdrop` makes; whether anything is visible is decided before that.

A graph may name image files. Graphviz is told that it serves strangers (``SERVER_NAME``), so it
opens such files in the folders of the job only; it looks for the last part of the path in each of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Flag, Picture, Structure
from renderers import canvas
from renderers.backdrop import Backdrop, encode, read_backdrop
from renderers.bundle import Bundle, check_structure
from renderers.graph_layout import PROGRAM, RESOLUTION, Box, Layout, read_layout
from renderers.job import WORK, Execution
from renderers.pooled import PooledRenderer, judge
from renderers.sandbox import Limits, stopped_failure

LAYOUTS = ("dot", "neato", "twopi", "circo", "fdp", "sfdp")

MAX_NODES = 2000
MAX_EDGES = 5000

_PNG = "rerender-graph.png"
_LAYOUT = "rerender-graph.gv"
_PLACES = "rerender-graph.places"

BATCH_SECONDS = 4.0
"""Time that a batch has for each of its graphs, on top of the limit for one graph."""

# $1 is the DOT file, the rest the command line of the layout program. gc prints a line with the
# numbers of nodes and edges for each graph; what it cannot read, the layout program reports.
_SCRIPT = f"""\
gc -n -e "$1" 2>/dev/null | head -n 20 | tee .rerender-counts
read -r nodes edges name <.rerender-counts
[ "${{nodes:-0}}" -le {MAX_NODES} ] && [ "${{edges:-0}}" -le {MAX_EDGES} ] || {{
  echo "Error: graph: $nodes nodes and $edges edges, more than {MAX_NODES} or {MAX_EDGES}" >&2
  exit 1
}}
shift 1
"""
_RENDER = f"""{_SCRIPT}\
exec "$@" >/dev/null
"""
_DRAW = f"""{_SCRIPT}\
"$@" >/dev/null
status=$?
[ ! -f {_LAYOUT} ] || gvpr '{PROGRAM}' {_LAYOUT} >{_PLACES} 2>/dev/null
exit $status
"""

_FIND = f"gvpr '{PROGRAM}' \"$1\" >{_PLACES}"

# $1 is the layout program's choice of layout, $2 ... are the folders of the graphs.
_BATCH = f"""\
layout=$1
shift 1
for folder in "$@"; do
  dot "-K$layout" -Tpng -Gdpi={RESOLUTION} -o $folder/{_PNG} -Tdot -o $folder/{_LAYOUT} \
    $folder/graph.dot >/dev/null || exit
  gvpr '{PROGRAM}' $folder/{_LAYOUT} >$folder/{_PLACES} || exit
  rm $folder/{_LAYOUT}
done
"""
# Names in the graph end up in the log, newlines included: each pattern is linear in the text.
_COUNTS = re.compile(r"^ *\d+ +\d+ (?!total$)", re.MULTILINE)

_ERROR = re.compile(r"^Error: (?:\./)?(?P<what>\S.{0,399})")
_MISSING = re.compile(
    r'^Warning: (?:No such file\W{1,9}|No or improper \w{1,40}=)"(?P<file>[^"]{1,300})"'
    r"|^Warning: shapefile not set or not found for epsf (?P<node>node .{1,300})"
)
_SCALED = re.compile(r"is too large for \S{1,40} bitmaps\. Scaling by")


@dataclass(frozen=True)
class Drawing:
    """A picture and where the nodes of the graph are in it."""

    picture: Picture
    boxes: dict[str, Box]
    """By the names of the nodes: left, top, right, bottom, each 0 to 999 of the picture's width or
    height; see ``renderers.graph_layout.Layout.boxes``."""


class _Finish:
    """Makes the file of a picture, on its backdrop, and notes where its content began."""

    def __init__(self, backdrop: Backdrop | None) -> None:
        self._backdrop = backdrop
        self.corner = (0, 0)

    def __call__(self, array: canvas.Array, corner: tuple[int, int]) -> bytes:
        self.corner = corner
        return encode(array, self._backdrop) if self._backdrop else canvas.encode(array)


@dataclass(frozen=True)
class _Wish:
    """A structure that was checked."""

    bundle: Bundle
    layout: str
    backdrop: Backdrop | None


class GraphvizRenderer(PooledRenderer):
    """Renders DOT.

    Options of a structure: ``layout``, one of ``LAYOUTS`` (a graph's own ``layout`` attribute
    comes first, as in Graphviz); ``backdrop``, see ``renderers.backdrop.Backdrop``.
    """

    name = "graphviz"
    version = "1"
    limits = Limits(seconds=20, memory_mb=1024)

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render the first graph; see the module for what counts as rendered."""
        wish = _check(structure)
        if isinstance(wish, Failed):
            return wish
        executed = self._run(wish.value, _RENDER, [_PNG])
        if isinstance(executed, Failed):
            return executed
        return self._judge(wish.value, executed.value, _Finish(wish.value.backdrop))

    def draw(self, structure: Structure) -> Outcome[Drawing]:
        """Render the first graph as `render` does, to the same picture, and find its nodes.

        Returns:
            The picture with a box for each node that was laid out (boxes of a picture that a
            ``viewport`` or a rotation changed are not right, and our own graphs have neither), or
            `render`'s failure, or ``COMPILE_ERROR`` for a picture without a layout.
        """
        wish = _check(structure)
        if isinstance(wish, Failed):
            return wish
        executed = self._run(wish.value, _DRAW, [_PNG, _PLACES])
        if isinstance(executed, Failed):
            return executed
        return self._find_nodes(wish.value, executed.value)

    def draw_many(self, structures: Sequence[Structure]) -> list[Outcome[Drawing]]:
        """Draw graphs that we made ourselves, all in one container.

        Only for DOT from ``scenarios.tree_drawing`` and the like: one graph can harm the next. What
        the batch did not draw without a word is drawn once more by `draw`, so that every outcome
        is what `draw` gives.

        Returns:
            An outcome for each structure, in order.
        """
        outcomes: list[Outcome[Drawing] | None] = [None] * len(structures)
        groups: dict[str, dict[int, _Wish]] = {}
        for number, structure in enumerate(structures):
            wish = _check(structure)
            if isinstance(wish, Ok) and len(structure.files) == 1:
                groups.setdefault(wish.value.layout, {})[number] = wish.value
        for layout, wishes in groups.items():
            for number, outcome in self._draw_batch(layout, wishes):
                outcomes[number] = outcome
        return [
            outcome if outcome is not None else self.draw(structure)
            for outcome, structure in zip(outcomes, structures, strict=True)
        ]

    def find_layout(self, structure: Structure) -> Outcome[Layout]:
        """Read the layout that a graph brings along (``bb``, ``pos``, …), as ``-Tdot`` writes it.

        Nothing is laid out or drawn, so the fonts that it was made with are not needed. MindBench
        publishes its synthetic maps in this form.

        Returns:
            The layout of the first graph, or a failure: that of a limit, or ``COMPILE_ERROR`` for
            a graph that cannot be read or has no layout.
        """
        checked = check_structure(structure)
        if isinstance(checked, Failed):
            return checked
        bundle = checked.value
        command = ["sh", "-c", _FIND, "sh", f"./{bundle.entry}"]
        executed = self.pool.run(command, bundle.files, collect=[_PLACES])
        if isinstance(executed, Failed):
            return executed
        stopped = stopped_failure(executed.value, self.limits)
        if stopped:
            return stopped
        layout = read_layout(executed.value.files.get(_PLACES, b""))
        if layout is None:
            message = "the file holds no graph with a layout"
            return Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, message, executed.value.log)
        return ok(layout)

    def _draw_batch(
        self, layout: str, wishes: dict[int, _Wish]
    ) -> Iterator[tuple[int, Outcome[Drawing]]]:
        """Yield what came out clean."""
        files = {f"{n}/graph.dot": w.bundle.files[w.bundle.entry] for n, w in wishes.items()}
        limits = replace(self.limits, seconds=self.limits.seconds + BATCH_SECONDS * len(wishes))
        command = ["sh", "-c", _BATCH, "sh", layout, *map(str, wishes)]
        collect = [f"*/{_PNG}", f"*/{_PLACES}"]
        environment = _environment(Bundle(files))
        executed = self.pool.run(
            command, files, collect=collect, limits=limits, environment=environment
        )
        if isinstance(executed, Failed):
            if not executed.final:  # nor would any graph of the batch find an engine
                yield from ((number, executed) for number in wishes)
            return
        made = executed.value
        silent = made.exit_code == 0 and made.stopped is None and not made.log
        for number, wish in wishes.items() if silent else ():
            own = {name: made.files.get(f"{number}/{name}", b"") for name in (_PNG, _PLACES)}
            seconds = made.seconds / len(wishes)
            drawing = self._find_nodes(wish, replace(made, files=own, seconds=seconds))
            if isinstance(drawing, Ok):
                yield number, drawing

    def _run(self, wish: _Wish, script: str, collect: Sequence[str]) -> Outcome[Execution]:
        entry = f"./{wish.bundle.entry}"
        command = ["sh", "-c", script, "sh", entry, *_command(wish.layout, entry)]
        if _LAYOUT in script:
            command[-1:] = ["-Tdot", "-o", _LAYOUT, entry]
        return self.pool.run(
            command, wish.bundle.files, collect=collect, environment=_environment(wish.bundle)
        )

    def _judge(self, wish: _Wish, execution: Execution, finish: _Finish) -> Outcome[Picture]:
        files = execution.files
        pages = [files[_PNG]] if _PNG in files and _PNG not in wish.bundle.files else []
        return judge(execution, pages, self.limits, _read_errors, finish)

    def _find_nodes(self, wish: _Wish, execution: Execution) -> Outcome[Drawing]:
        """Bring the layout's boxes into the picture, which shows a cut of what Graphviz drew."""
        finish = _Finish(wish.backdrop)
        picture = self._judge(wish, execution, finish)
        if isinstance(picture, Failed):
            return picture
        size = canvas.size(execution.files[_PNG])
        layout = read_layout(execution.files.get(_PLACES, b""))
        if layout is None or isinstance(size, Failed):
            message = "the graph was drawn, but its layout cannot be read"
            return Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, message, picture.value.log)
        corner = (finish.corner[0] - canvas.MARGIN, finish.corner[1] - canvas.MARGIN)
        shown = (picture.value.width, picture.value.height)
        return ok(Drawing(picture.value, layout.boxes(layout.seen(size.value, corner, shown))))


def _check(structure: Structure) -> Outcome[_Wish]:
    checked = check_structure(structure)
    if isinstance(checked, Failed):
        return checked
    layout = structure.options.get("layout", LAYOUTS[0])
    if layout not in LAYOUTS:
        message = f"layout {layout!r} is none of {', '.join(LAYOUTS)}"
        return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
    backdrop = read_backdrop(structure.options.get("backdrop"))
    if isinstance(backdrop, Failed):
        return backdrop
    return ok(_Wish(checked.value, str(layout), backdrop.value))


def _command(layout: str, entry: str) -> list[str]:
    # -Gdpi wins over the graph's own; fonts are left to the graph, and to the image by default
    return ["dot", f"-K{layout}", "-Tpng", f"-Gdpi={RESOLUTION}", "-o", _PNG, entry]


def _environment(bundle: Bundle) -> dict[str, str]:
    """Let image files be found in every folder of the job, and nowhere else."""
    folders = {str(PurePosixPath(WORK, path).parent) for path in bundle.files}
    return {"SERVER_NAME": "sandbox", "GV_FILE_PATH": ":".join(sorted({WORK, *folders}))}


def _read_errors(log: str) -> Sequence[Flag]:
    flags = []
    for line in log.splitlines():
        if found := _ERROR.match(line):
            what = found["what"]
            kind = Kind.RESOURCE_LIMIT if what.startswith("graph: ") else Kind.COMPILE_ERROR
            flags.append(Flag(kind=kind, message=what))
        elif found := _MISSING.match(line):
            message = f"cannot draw the file {found['file'] or 'of ' + found['node']}"
            flags.append(Flag(kind=Kind.MISSING_RESOURCE, message=message))
        elif _SCALED.search(line):
            message = "picture: too large, scaled down by Graphviz"
            flags.append(Flag(kind=Kind.RESOURCE_LIMIT, message=message))
    graphs = len(_COUNTS.findall(log))
    if graphs > 1:
        message = f"multiple_graphs: only the first of {graphs} is rendered"
        flags.append(Flag(kind=Kind.UNSUPPORTED, message=message))
    return flags
