r"""What TeX's transcript says, as a typed failure with one readable line.

TeX runs with ``-file-line-error`` and unbroken lines, so the first error is the first line of the
form ``file:line: message``, ``! message`` or ``!pdfTeX error: message``; it ends the run
(``-halt-on-error``).

Whoever wrote the document can write anything into the transcript, at any length. So a long one is
cut before it is looked at, and every pattern here is linear in the text: what repeats without a
bound is followed by what it cannot contain, and is tried once a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Flag

DETAIL_CHARACTERS = 4000
MESSAGE_CHARACTERS = 1000
"""What is looked at of one message."""

BEGINNING_BYTES, END_BYTES = 1 << 20, 1 << 18
"""What is read of a long transcript; that of a usual document has 20 to 100 kB."""

PAGE_MARGIN_POINTS = 72.27
"""What a line may stick out to the right of the standard text before the paper ends."""

_ERROR = re.compile(
    r"^(?:(?:\./)?(?P<file>[^\s:][^:\n]*):(?P<line>\d+): |!(?: |pdfTeX error: ))(?P<text>.+)$", re.M
)
_NOT_FIRST = re.compile(r"\s*==>|Emergency stop")
_PLACE = re.compile(r"^(?:\./)?([^\s:][^:\n]*:\d+: )", re.M)
_CONTINUED = re.compile(r"\n(?:[ \t]{10,}|\(\w+\)[ \t]{4,})(\S[^\n]*)")
_CONTEXT_COMMAND = re.compile(r"\\[a-zA-Z@]+\Z")
_REFUSED = re.compile(
    r"^[\w-]+: Not (?P<what>reading from|writing to) (?P<path>.+?) \(open(?:in|out)_any", re.M
)
_HARMLESS = re.compile(
    r"/dev/null(?:\.tex)?\Z|/System/Library/Fonts/(?:Menlo|PingFang)\.ttc(?:\.tex)?\Z"
)  # standalone, beamer and ctex ask whether these exist
_OUTSIDE = re.compile(r"/|~|\.\.(?:/|\Z)|.*/\.\.(?:/|\Z)|(?:.*/)?\.[^/.]")
_LOST = re.compile(
    r"^Missing character: There is no (?P<character>.{0,40}?) "
    r"(?:\(U\+(?P<code>[0-9A-F]{1,6})\) )?in font (?P<font>[^\n!]{0,200})!",
    re.M,
)
_UNICODE = re.compile(r"Unicode character (?P<character>.{0,40}?) ?\(U\+(?P<code>[0-9A-F]{1,6})\)")
_UNLOADED = re.compile(r"Unable to load picture or PDF file '(?P<path>[^']*)'")
_DAMAGED = re.compile(
    r"\(file (?P<path>[^)\n]{1,300})\): (?P<what>(?:reading|libpng|writepng|xpdf)[^\n]*)"
)
_CAPACITY = re.compile(r"TeX capacity exceeded, sorry \[(?P<what>[^\]]*)\]")
_PAGES = re.compile(r"Page limit: (?P<what>more than \d+ pages)")
_MISSING = re.compile(
    r"File `(?P<file>[^|'][^']*?)(?:\(\.tex\))?' not found|I can't find file `(?P<main>[^|'][^']*)'"
    r"|did not find the tikz library '(?P<library>[^']+)'"
    r"|[Tt]he font \"(?P<font>[^\"]+)\" cannot be found"
    r"|Font [^\s=]*=(?P<metric>\S+) .{0,200}not loadable"
)
_OVERFULL = re.compile(r"^Overfull \\hbox \((?P<points>\d{1,6}(?:\.\d{1,6})?)pt too wide\)", re.M)
_WARNING = re.compile(
    r"^(?:Overfull|LaTeX Warning|Package \w+ Warning|Missing character)[^\n]*", re.M
)
_EXPECTED = re.compile(r"Shell escape feature is not enabled|running in backwards compatibility")
_COMMANDS = re.compile(
    r"Package (?P<package>[\w-]+) Error: .{0,400}?(?:shell.?escape|executable is unavail)"
)
_LUA = re.compile(r"\\(?:directlua|latelua|luaexec|luadirect)\b")


def read(transcript: bytes) -> str:
    """Decode a transcript, a long one without its middle; whole lines are left out.

    ``was_cut`` tells whether something is missing.
    """
    if was_cut(transcript):
        beginning, end = transcript[:BEGINNING_BYTES], transcript[-END_BYTES:]
        whole_lines = beginning[: beginning.rfind(b"\n") + 1]
        transcript = whole_lines + end[end.find(b"\n") + 1 :]
    return transcript.decode("utf-8", "replace")


def was_cut(transcript: bytes) -> bool:
    """Tell whether ``read`` leaves the middle of a transcript out."""
    return len(transcript) > BEGINNING_BYTES + END_BYTES


def refused_path(streams: str) -> Failed | None:
    """Tell whether TeX refused to read or write a file outside the work folder."""
    for match in _REFUSED.finditer(streams):
        if _OUTSIDE.match(match["path"]) and not _HARMLESS.match(match["path"]):
            action = "read" if match["what"].startswith("reading") else "write"
            message = f"the text tries to {action} a file outside its folder: {match['path']}"
            return _failed(Kind.UNSAFE_INPUT, message)
    return None


def error(log: str, status: int) -> Failed:
    """Return the first error of a run that failed.

    Args:
        log: TeX's transcript.
        status: exit status, for a run that left no error in it.
    """
    found = _first_error(log)
    if found is None:
        return _failed(Kind.COMPILE_ERROR, f"TeX ended with status {status}", log)
    kind, message = _judge(_text(log, found))
    return _failed(kind, f"{_place(log, found)}{message}", _excerpt(log))


def lost_characters(log: str, engine: str) -> Failed | None:
    """Tell whether characters vanished: TeX notes it in the transcript and goes on.

    What TikZ swallows on purpose (stray text in a picture, set in ``nullfont``) is not counted.
    """
    for match in _LOST.finditer(log):
        if match["font"] == "nullfont":
            continue
        character, code = match["character"], match["code"]
        if code is None and len(character) == 1:
            code = f"{ord(character):04X}"
        name = f"{character} (U+{code})" if code else character
        message = f"no character {name} in the font {match['font']} of {engine}"
        return _failed(Kind.UNSUPPORTED, message, _excerpt(log))
    return None


def flags(log: str, *, was_cut: bool = False) -> tuple[Flag, ...]:
    """Return what a picture's reader must know.

    Args:
        log: TeX's transcript; a line may be so long that the paper's edge cut it.
        was_cut: the transcript's middle is missing, so that characters may be lost unnoticed.
    """
    found = []
    widest = max((float(match["points"]) for match in _OVERFULL.finditer(log)), default=0.0)
    if widest > PAGE_MARGIN_POINTS:
        message = f"a line sticks out by {widest:.0f} pt and may be cut by the paper's edge"
        found.append(Flag(kind=Kind.IMAGE_TOO_LARGE, message=message))
    if was_cut:
        message = "transcript: too long, its middle was not searched for lost characters"
        found.append(Flag(kind=Kind.RESOURCE_LIMIT, message=message))
    return tuple(found)


def warnings(log: str) -> str:
    """Return the transcript's warnings, one a line, as the excerpt kept with a picture."""
    lines = (match[0] for match in _WARNING.finditer(log))
    return "\n".join(line for line in lines if not _EXPECTED.search(line))[:DETAIL_CHARACTERS]


def _first_error(log: str) -> re.Match[str] | None:
    """Find the first error, a real one before those that only say that the run ends."""
    later = None
    for match in _ERROR.finditer(log):
        if not _NOT_FIRST.match(match["text"]):
            return match
        later = later or match
    return later


def _text(log: str, found: re.Match[str]) -> str:
    """Return an error's message, with its second line if it has one."""
    text = found["text"][:MESSAGE_CHARACTERS].strip()
    if (more := _CONTINUED.match(log, found.end())) is not None:
        text = f"{text} {more[1].strip()}"
    if text.startswith("Undefined control sequence"):
        text = f"Undefined control sequence {_command_before_break(log, found.end())}".strip()
    return text[:MESSAGE_CHARACTERS]


def _place(log: str, found: re.Match[str]) -> str:
    """Return ``file:line: `` of an error, or of the next line that names a place, or nothing."""
    if found["file"]:
        return f"{found['file']}:{found['line']}: "
    match = _PLACE.search(log, found.end())
    return match[1] if match else ""


def _command_before_break(log: str, position: int) -> str:
    r"""Return the command that TeX read last: it ends the first line of the error's context."""
    first_line = log[position:].lstrip("\n").partition("\n")[0]
    match = _CONTEXT_COMMAND.search(first_line.rstrip())
    return match[0] if match else ""


def _judge(text: str) -> tuple[Kind, str]:
    for pattern, judge in _JUDGES:
        if match := pattern.search(text):
            return judge(match)
    return Kind.COMPILE_ERROR, text


def _pages(match: re.Match[str]) -> tuple[Kind, str]:
    return Kind.RESOURCE_LIMIT, f"pages: {match['what']}"


def _capacity(match: re.Match[str]) -> tuple[Kind, str]:
    return Kind.RESOURCE_LIMIT, f"TeX capacity exceeded: {match['what']}"


def _no_character(match: re.Match[str]) -> tuple[Kind, str]:
    message = f"no character {match['character']} (U+{match['code']}) in pdfTeX's fonts"
    return Kind.UNSUPPORTED, message


def _unloaded(match: re.Match[str]) -> tuple[Kind, str]:
    outside = _OUTSIDE.match(match["path"]) is not None
    kind = Kind.UNSAFE_INPUT if outside else Kind.MISSING_RESOURCE
    return kind, f"picture {match['path']} cannot be read"


def _damaged(match: re.Match[str]) -> tuple[Kind, str]:
    path = match["path"].removeprefix("./")
    return Kind.MISSING_RESOURCE, f"picture {path} cannot be read ({match['what']})"


def _missing(match: re.Match[str]) -> tuple[Kind, str]:
    missing = next(name for name in match.groups() if name)
    what = "TikZ library" if match["library"] else "font" if match["font"] else "file"
    return Kind.MISSING_RESOURCE, f"{what} {missing} not found"


def _commands(match: re.Match[str]) -> tuple[Kind, str]:
    return Kind.UNSUPPORTED, f"package {match['package']} runs commands, which the sandbox refuses"


def _lua(match: re.Match[str]) -> tuple[Kind, str]:
    return Kind.UNSAFE_INPUT, f"{match[0]}: no Lua is run"


_JUDGES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[Kind, str]]], ...] = (
    (_PAGES, _pages),
    (_CAPACITY, _capacity),
    (_UNICODE, _no_character),
    (_UNLOADED, _unloaded),
    (_DAMAGED, _damaged),
    (_MISSING, _missing),
    (_COMMANDS, _commands),
    (_LUA, _lua),
)
"""What makes an error something else than one of compilation."""


def _excerpt(log: str) -> str:
    """Return the transcript from its first error on."""
    match = _ERROR.search(log)
    return log[match.start() if match else 0 :][:DETAIL_CHARACTERS].strip()


def _failed(kind: Kind, message: str, detail: str = "") -> Failed:
    return Failed.of(Stage.RENDER, kind, message, detail[:DETAIL_CHARACTERS])
