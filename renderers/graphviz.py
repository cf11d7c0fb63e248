"""Graphs: DOT to a picture.

What is rendered: the first graph of the file, at 96 dots per inch whatever ``dpi`` it asks for; a
further graph is reported as a flag. Pictures that are too large (an absurd ``size``) and graphs
with too many nodes or edges are refused.

What counts as rendered: Graphviz may report an error and still draw the rest (an HTML-like label
that is not well formed), so a visible picture is a result even with status 1, with each error kept
as a flag. Without anything visible the first error is the failure, or ``empty_render`` if there was
none (an empty graph: status 0 and a picture without ink).

A graph may name image files. Graphviz is told that it serves strangers (``SERVER_NAME``), so it
opens such files in the folders of the job only; it looks for the last part of the path in each of
them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Flag, Picture, Structure
from renderers.bundle import Bundle, check_structure
from renderers.job import WORK
from renderers.pooled import PooledRenderer, judge
from renderers.sandbox import Limits

LAYOUTS = ("dot", "neato", "twopi", "circo", "fdp", "sfdp")
RESOLUTION = 96

MAX_NODES = 2000
MAX_EDGES = 5000

_PNG = "rerender-graph.png"

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
exec "$@" >/dev/null
"""
# Names in the graph end up in the log, newlines included: each pattern is linear in the text.
_COUNTS = re.compile(r"^ *\d+ +\d+ (?!total$)", re.MULTILINE)

_ERROR = re.compile(r"^Error: (?:\./)?(?P<what>\S.{0,399})")
_MISSING = re.compile(
    r'^Warning: (?:No such file\W{1,9}|No or improper \w{1,40}=)"(?P<file>[^"]{1,300})"'
    r"|^Warning: shapefile not set or not found for epsf (?P<node>node .{1,300})"
)
_SCALED = re.compile(r"is too large for \S{1,40} bitmaps\. Scaling by")


class GraphvizRenderer(PooledRenderer):
    """Renders DOT.

    Options of a structure: ``layout``, one of ``LAYOUTS`` (a graph's own ``layout`` attribute
    comes first, as in Graphviz).
    """

    name = "graphviz"
    version = "1"
    limits = Limits(seconds=20, memory_mb=1024)

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render the first graph; see the module for what counts as rendered."""
        checked = check_structure(structure)
        if isinstance(checked, Failed):
            return checked
        bundle = checked.value
        layout = structure.options.get("layout", LAYOUTS[0])
        if layout not in LAYOUTS:
            message = f"layout {layout!r} is none of {', '.join(LAYOUTS)}"
            return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
        entry = f"./{bundle.entry}"
        command = ["sh", "-c", _SCRIPT, "sh", entry, *_command(str(layout), entry)]
        executed = self.pool.run(
            command, bundle.files, collect=[_PNG], environment=_environment(bundle)
        )
        if isinstance(executed, Failed):
            return executed
        pages = [data for name, data in executed.value.files.items() if name not in bundle.files]
        return judge(executed.value, pages, self.limits, _read_errors)


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
