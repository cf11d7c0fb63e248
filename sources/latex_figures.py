r"""Figures that show picture files: the truth of one, and the files that go with it.

Files are looked for as pdfTeX does (the order of suffixes is that of TeX Live 2024), but in the
paper's archive alone. In a truth they have short names that say nothing (``figure1.png``), since a
model is told the names. The suffix is that of the content, which is told by its first bytes.
"""

from __future__ import annotations

import io
import itertools
import posixpath
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Digest, digest_bytes
from sources.latex_definitions import Arguments
from sources.latex_dependence import READS, depends
from sources.latex_tokens import Scan, Token, scan

MOST_FILES = 6
"""Of one figure; each is named to the models."""
MOST_FILE_BYTES = 3_000_000
MOST_BYTES = 8_000_000
"""Of all files of one figure."""
MOST_PIXELS = 25_000_000
"""Of one file."""
MOST_SHOWN = 24
"""Pictures that a figure shows, each file as often as it is shown."""
MOST_GRAPHICS_PATHS = 20

PACKAGES = {"wrapfigure": "wrapfig", "SCfigure": "sidecap", "SCfigure*": "sidecap"}
"""Packages of environments that the renderer's standard document does not have."""

_SUFFIXES = (
    "", ".pdf", ".png", ".jpg", ".jpeg", ".PDF", ".PNG", ".JPG", ".JPEG", ".eps", ".ps",
)  # fmt: skip
_BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg", b"%PDF-": "pdf"}
_POSTSCRIPT = (b"%!PS", b"\xc5\xd0\xd3\xc6")
_CONVERTED = "-eps-converted-to.pdf"
"""What the end of a PDF's name is that LaTeX once made of an EPS file, and finds again."""
_CAPTIONS = frozenset({"caption", "captionof", "subcaption"})
_LONGEST_CAPTION = 4_000
_LONGEST_OPTIONS = 500
_LONGEST_NAME = 300
_DRAWS = re.compile(
    r"\\begin\s*\{(tikzpicture|tikzcd\*?|pgfpicture|axis|forest|picture|pspicture\*?)\}|\\(tikz)\b"
)
_PATH = re.compile(r"\{([^{}\\]{1,200})\}")
_BEFORE = re.compile(r"(\n)[ \t]*\Z")
_AFTER = re.compile(r"[ \t]*%?[ \t]*\n")
_UNREADABLE = (OSError, ValueError, SyntaxError, EOFError, OverflowError, struct.error, zlib.error)

Edit = tuple[int, int, str]
"""Where a text is replaced, from and to, and by what."""


@dataclass(frozen=True)
class Shown:
    """A file that a figure shows."""

    path: str
    """Its name in the truth."""
    member: str
    """Its path in the paper's archive."""
    data: bytes = field(repr=False)

    @property
    def digest(self) -> Digest:
        """The sha256 of the file."""
        return digest_bytes(self.data)


@dataclass(frozen=True)
class Figure:
    """The truth of a figure, but for definitions, and what it shows."""

    text: str
    plain: str
    """The text without anything that is no code."""
    files: tuple[Shown, ...]
    captions_left_out: int


@dataclass(frozen=True)
class Search:
    """Where pictures are looked for: the files of a paper, seen from a place in it."""

    content: Mapping[str, bytes]
    folder: str
    """The folder of names; those around it are looked in as well, since TeX runs in one of them."""
    paths: tuple[str, ...] = ()
    r"""What ``\graphicspath`` says there."""

    def find(self, name: str) -> Outcome[str]:
        """Return the path of the file that a name means, or a failure of kind UNSUITABLE."""
        if "\\" in name or "#" in name or not name or len(name) > _LONGEST_NAME:
            return _not(f"it names a picture by a command, or not at all ({name[:60]!r})")
        if name.startswith(("/", "~", "|")):
            return _not(f"it shows a file outside of the paper ({name[:60]!r})")
        for suffix, folder, path in itertools.product(
            _SUFFIXES, self._folders(), ("", *self.paths)
        ):
            member = posixpath.normpath(posixpath.join(folder, path, name)) + suffix
            if member in self.content:
                converted = posixpath.splitext(member)[0] + _CONVERTED
                is_eps = member.lower().endswith(".eps") and converted in self.content
                return ok(converted if is_eps else member)
        return _not(f"it shows a file that is not among the paper's ({name[:60]!r})")

    def _folders(self) -> list[str]:
        folders = [self.folder]
        while folders[-1]:
            folders.append(posixpath.dirname(folders[-1]))
        return folders


def graphics_paths(text: str) -> tuple[str, ...]:
    r"""Return the folders that the argument of ``\graphicspath`` lists."""
    found = itertools.islice(_PATH.finditer(text), MOST_GRAPHICS_PATHS)
    return tuple(match[1].strip() for match in found)


def cut_figure(text: str, search: Search) -> Outcome[Figure]:
    """Make the truth of a figure out of its text.

    Captions that depend on the paper are left out; whatever else does is a reason not to take it.

    Args:
        text: the environment, without comments and labels.
        search: where its pictures are looked for.

    Returns:
        The figure; or a failure of stage filter, UNSUITABLE or TOO_LARGE.
    """
    whole = scan(text)
    pointing = list(_pointing_captions(whole))
    found = scan(_edited(text, pointing)) if pointing else whole
    plain = found.plain(0, len(found.text))
    if reason := depends(plain, READS - {"includegraphics"}):
        return _not(f"it {reason}")
    if draws := _DRAWS.search(plain):
        return _not(f"it holds a drawing ({draws[1] or draws[2]}) beside a picture file")
    shown = [token for token in found.tokens if _is(token, "includegraphics")]
    if not shown:
        return _not("the pictures are in the caption that is left out")
    if len(shown) == 1 and not any(_is(token, *_CAPTIONS) for token in found.tokens):
        return _not("it shows a single picture and has no caption of its own")
    return _with_files(found, shown, search, len(pointing))


def _with_files(
    found: Scan, shown: list[Token], search: Search, captions_left_out: int
) -> Outcome[Figure]:
    """Give the pictures their short names."""
    named = _named(found, shown, search)
    if isinstance(named, Failed):
        return named
    edits, files = named.value
    if (size := sum(len(each.data) for each in files)) > MOST_BYTES:
        return _too_large(f"its pictures have {size} bytes, more than {MOST_BYTES}")
    # the command of the old package `subfigure`; the renderer's has an environment of that name
    edits += [
        (token.start, token.end, r"\subfloat") for token in found.tokens if _is(token, "subfigure")
    ]
    text = _edited(found.text, sorted(edits))
    plain = scan(text).plain(0, len(text))
    return ok(Figure(text, plain, files, captions_left_out))


def _named(
    found: Scan, shown: list[Token], search: Search
) -> Outcome[tuple[list[Edit], tuple[Shown, ...]]]:
    """Return the files that commands show, and the edits that write their short names."""
    if len(shown) > MOST_SHOWN:
        return _not(f"it shows {len(shown)} pictures, more than {MOST_SHOWN}")
    files: dict[str, Shown] = {}
    edits: list[Edit] = []
    for token in shown:
        place = _name_of(found, token)
        if place is None:
            return _not("it names a picture in no plain way")
        start, end = place
        file = _file(_plain_name(found.text[start:end]), search, files)
        if isinstance(file, Failed):
            return file
        files[file.value.member] = file.value
        edits.append((start, end, file.value.path))
    if len(files) > MOST_FILES:
        return _not(f"it shows {len(files)} files, more than {MOST_FILES}")
    return ok((edits, tuple(files.values())))


def _file(name: str, search: Search, known: Mapping[str, Shown]) -> Outcome[Shown]:
    """Return the file that a name means, under the short name that it has or gets."""
    member = search.find(name)
    if isinstance(member, Failed):
        return member
    if member.value in known:
        return ok(known[member.value])
    return _take(member.value, search.content[member.value], len(known) + 1)


def _is(token: Token, *names: str) -> bool:
    return token.kind == "macro" and token.text in names


def _name_of(found: Scan, token: Token) -> tuple[int, int] | None:
    """Return where the name stands that a command shows the picture of."""
    arguments = Arguments(found, token.end)
    arguments.star()
    arguments.optional(_LONGEST_OPTIONS)
    arguments.optional(_LONGEST_OPTIONS)
    name = arguments.group()
    return None if name is None else (arguments.place - 1 - len(name), arguments.place - 1)


def _plain_name(written: str) -> str:
    r"""Return a name without what protects its blanks and dots: ``"a b".png``, ``{a.b}.png``."""
    return " ".join(re.sub(r'["{}]', "", written).split())


def _pointing_captions(found: Scan) -> Iterator[Edit]:
    """Yield the captions that depend on the paper, as edits that take them out."""
    last = 0
    for token in found.tokens:
        if token.start < last or not _is(token, *_CAPTIONS):
            continue
        arguments = Arguments(found, token.end)
        arguments.star()
        if token.text == "captionof":
            arguments.group()
        arguments.optional(_LONGEST_CAPTION)
        if arguments.group() is not None and depends(found.plain(token.start, arguments.place)):
            last = arguments.place
            yield _line_around(found.text, token.start, last)


def _line_around(text: str, start: int, end: int) -> Edit:
    """Return the edit that takes out a part, with its line where it stands alone."""
    before, after = _BEFORE.search(text, max(0, start - 200), start), _AFTER.match(text, end)
    return (before.end(1), after.end(), "") if before and after else (start, end, "")


def _edited(text: str, edits: list[Edit]) -> str:
    pieces, place = [], 0
    for start, end, new in edits:
        pieces += [text[place:start], new]
        place = end
    return "".join([*pieces, text[place:]])


def _take(member: str, data: bytes, number: int) -> Outcome[Shown]:
    """Look at a file by its first bytes; PDF is not opened before the sandbox does it."""
    kind = next((each for sign, each in _BEGINNINGS.items() if data.startswith(sign)), None)
    if kind is None:
        postscript = data.startswith(_POSTSCRIPT)
        what = "PostScript, which pdfTeX does not take" if postscript else "no PNG, JPEG or PDF"
        return _not(f"{member[:100]} is {what}")
    if len(data) > MOST_FILE_BYTES:
        return _too_large(f"{member[:100]} has {len(data)} bytes, more than {MOST_FILE_BYTES}")
    fault = None if kind == "pdf" else _fault(kind, data)
    if fault is not None:
        message = f"{member[:100]} {fault.message}"
        return fault.model_copy(update={"message": message})
    return ok(Shown(f"figure{number}.{kind}", member, data))


def _fault(kind: str, data: bytes) -> Failed | None:
    """Tell what is wrong with a PNG or JPEG; pdfTeX looks at no pixel and would show a hole."""
    from PIL.JpegImagePlugin import JpegImageFile  # noqa: PLC0415 - heavy
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415

    # the readers themselves: `Image.open` would warn of sizes, which are judged here
    try:
        with (PngImageFile if kind == "png" else JpegImageFile)(io.BytesIO(data)) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                return _too_large(f"has {width} × {height} pixels, more than {MOST_PIXELS}")
            image.load()
    except _UNREADABLE:
        return _not("cannot be read as the picture that it seems to be")
    return None


def _not(message: str) -> Failed:
    return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)


def _too_large(message: str) -> Failed:
    return Failed.of(Stage.FILTER, Kind.TOO_LARGE, message)
