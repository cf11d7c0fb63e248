r"""Sheet music: LilyPond source to a picture of all its pages.

What is rendered: every page of every book in the file, stacked and cropped to the music; the line
that LilyPond advertises itself with is left out unless the source sets a ``tagline``.

What counts as rendered: LilyPond goes on after most errors, and its exit status says only whether
it met one. A visible picture is therefore a result even with status 1, but each error is kept as a
flag (``compile_error``; ``missing_resource`` for files that were not found), so it is not a clean
success. Without anything visible the first error is the failure, or ``empty_render`` if there was
none (a score with nothing but a ``\midi`` block).

LilyPond runs any Scheme that the source holds, and filters for it can be passed by. The container
is what makes that harmless.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Flag, Picture, Structure
from renderers.bundle import Bundle, check_structure
from renderers.pooled import PooledRenderer, judge
from renderers.sandbox import Limits

INSTALLED = "2.24.4"
"""Version of LilyPond in the image."""

RESOLUTION = 120
"""Dots per inch: the staff of a score at the usual size is 33 pixels high."""

_OUTPUT = "rerender-page"
_SETTINGS = "rerender-settings"
_BYTECODE = ":".join(
    f"/usr/lib/{machine}-linux-gnu/lilypond/{INSTALLED}/ccache" for machine in ("x86_64", "aarch64")
)
"""Where Debian puts LilyPond's compiled Scheme; left to itself its LilyPond looks elsewhere and
interprets all of it, which takes 2.5 s instead of 0.6 s."""

_NO_TAGLINE = f'\\version "{INSTALLED}"\n\\header {{ tagline = ##f }}\n'.encode()

_ERROR = re.compile(
    r"^(?:\./)?(?P<place>[^\s:]{1,240}:\d{1,9}(?::\d{1,9})?: )?"
    r"(?:fatal )?error: (?P<what>(?!failed files:).{1,400})"
)  # the source can make LilyPond print lines of any length
_TOO_LARGE = re.compile(r"fatal error: error writing \S{1,240}\.png")
_NOT_FOUND = re.compile(r"cannot find file|file not found|cannot open file", re.IGNORECASE)
_NOT_DRAWN = "embedded-ps only supported"
_PAGE = re.compile(r"(.*?)(?:-(\d+))?(?:-page(\d+))?\.png")
_VERSION = re.compile(r"\d+(\.\d+){1,2}")


class LilypondRenderer(PooledRenderer):
    """Renders LilyPond source.

    Options of a structure: ``convert_from`` (a version such as ``"2.18.2"``): the source is
    brought up from that version by ``convert-ly`` in the same container first.
    """

    name = "lilypond"
    version = "1"
    limits = Limits(seconds=30, memory_mb=1024)

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render all pages; see the module for what counts as rendered."""
        checked = check_structure(structure)
        if isinstance(checked, Failed):
            return checked
        bundle = checked.value
        command = _command(f"./{bundle.entry}")
        convert_from = structure.options.get("convert_from")
        if convert_from is not None:
            if not isinstance(convert_from, str) or not _VERSION.fullmatch(convert_from):
                message = f"option convert_from is no version: {convert_from!r}"
                return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
            command = ["sh", "-c", _converting(bundle, convert_from, command)]
        executed = self.pool.run(
            command,
            {**bundle.files, _SETTINGS: _NO_TAGLINE},
            collect=["*.png"],
            environment={"GUILE_LOAD_COMPILED_PATH": _BYTECODE},
        )
        if isinstance(executed, Failed):
            return executed
        pages = pages_in_order(executed.value.files, set(bundle.files))
        return judge(executed.value, pages, self.limits, _read_errors)


def _command(entry: str) -> list[str]:
    """LilyPond with its Cairo output: no PostScript interpreter runs, and equal bytes come out."""
    return [
        "lilypond", "--png", "-dbackend=cairo", f"-dresolution={RESOLUTION}",
        "-dno-point-and-click", f"-dinclude-settings={_SETTINGS}", "-o", _OUTPUT, entry,
    ]  # fmt: skip


def _converting(bundle: Bundle, version: str, command: Sequence[str]) -> str:
    """Return a script that brings every source file up to date and then runs the command.

    An included file that declares its own version is brought up from that one.
    """
    lines = []
    for path, data in bundle.files.items():
        is_entry = path == bundle.entry
        if is_entry or PurePosixPath(path).suffix in (".ly", ".ily", ".lyi"):
            options = [f"--from={version}"] if is_entry or b"\\version" not in data else []
            line = shlex.join(["convert-ly", "--edit", *options, f"./{path}"]) + " >&2"
            if is_entry:  # LilyPond itself reports an included file that stays as it was
                line += f" || echo {shlex.quote(f'{path}:1: error: convert-ly failed')} >&2"
            lines.append(line)
    return "\n".join([*lines, f"exec {shlex.join(command)}"])


def pages_in_order(files: Mapping[str, bytes], inputs: set[str]) -> list[bytes]:
    """Return the pages that LilyPond wrote in reading order, the inputs left out.

    The first book is called ``x`` or ``x-page1``, ``x-page2``; the next ``x-1``, ``x-1-page1``.
    """

    def order(name: str) -> tuple[str, int, int]:
        found = _PAGE.fullmatch(name)
        return (found[1], int(found[2] or 0), int(found[3] or 0)) if found else (name, 0, 0)

    return [files[name] for name in sorted(files.keys() - inputs, key=order)]


def _read_errors(log: str) -> Sequence[Flag]:
    flags = []
    for line in log.splitlines():
        found = _ERROR.match(line)
        if _TOO_LARGE.search(line):
            message = "picture: the paper is too large to draw"
            flags.append(Flag(kind=Kind.RESOURCE_LIMIT, message=message))
        elif found:
            missing = _NOT_FOUND.search(found["what"])
            kind = Kind.MISSING_RESOURCE if missing else Kind.COMPILE_ERROR
            flags.append(Flag(kind=kind, message=(found["place"] or "") + found["what"]))
        elif _NOT_DRAWN in line:
            message = "embedded PostScript is not drawn"
            flags.append(Flag(kind=Kind.UNSUPPORTED, message=message))
    return flags
