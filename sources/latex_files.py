r"""The files of a paper: read as text, which includes which, and which of them is the main one.

The main file is, in this order: what arXiv's own ``00README`` names; of the files with a document
class the only one that has a ``.bbl`` of its name; the only one that no other includes; the one
that includes the most. Where that leaves several, the paper is not taken.
"""

from __future__ import annotations

import itertools
import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.latex_tokens import Scan, Token, scan

TEX = (".tex", ".ltx", ".latex")
MOST_CHARACTERS = 2_000_000
"""Of one file of LaTeX; the longest papers have a quarter of that."""
MOST_OF_ALL = 5_000_000
"""Of all files of LaTeX that are looked at in a paper: tokens take hundreds of bytes each."""
MOST_FILES = 400
"""Files of LaTeX that are looked at to find the main one."""
MOST_INCLUDES = 1_000
"""Of one file; a paper has tens."""
_README_BYTES = 20_000

_DECLARED = re.compile(rb"\\usepackage\s*\[([a-z0-9-]+)\]\s*\{inputenc\}")
_CODECS = {
    "latin1": "latin-1", "latin2": "iso8859-2", "latin3": "iso8859-3", "latin5": "iso8859-9",
    "latin9": "iso8859-15", "latin10": "iso8859-16", "ansinew": "cp1252", "cp1250": "cp1250",
    "cp1251": "cp1251", "cp1252": "cp1252", "cp437": "cp437", "cp850": "cp850", "cp866": "cp866",
    "koi8-r": "koi8-r", "applemac": "mac-roman",
}  # fmt: skip
"""Options of LaTeX's inputenc and what Python calls them."""

_ONE = frozenset({"input", "include", "subfile", "InputIfFileExists", "subfileinclude"})
_TWO = frozenset({"import", "subimport", "includefrom", "subincludefrom", "inputfrom"})
_RELATIVE = frozenset({"subimport", "subincludefrom"})
INCLUDES = _ONE | _TWO
"""Commands that read another file."""
_PLAIN_NAME = re.compile(r"[ \t]+([^\s{}\\%$]{1,200})")
_BRACED = re.compile(r"\s*\{([^{}]{0,300})\}")
_CLASS = re.compile(r"\s*(?:\[[^\]]{0,1000}\]\s*)?\{([^{}]{0,200})\}")
_NO_PAPER = frozenset({"standalone", "subfiles", "letter", "beamer"})


@dataclass(frozen=True)
class Text:
    """A file of LaTeX."""

    path: str
    encoding: str
    scan: Scan

    @cached_property
    def includes(self) -> tuple[tuple[Token, str, str], ...]:
        r"""The commands that read a file, each with folder and name as written."""
        return tuple(itertools.islice(_includes(self.scan), MOST_INCLUDES))

    @cached_property
    def document_class(self) -> str | None:
        """Its document class, if it has one."""
        for token in self.scan.tokens:
            if token.kind == "macro" and token.text in ("documentclass", "documentstyle"):
                found = _CLASS.match(self.scan.text, token.end)
                return found[1].strip() if found else ""
        return None


@dataclass(frozen=True)
class Main:
    """The main file, how it was found, and what else it could have been."""

    path: str
    by: str
    others: tuple[str, ...] = ()


@dataclass
class Files:
    """The files of a paper by their paths, read as text when they are asked for."""

    content: Mapping[str, bytes]
    _read: dict[str, Outcome[Text]] = field(default_factory=dict)

    def text(self, path: str) -> Outcome[Text]:
        """Return a file as text; UNSUITABLE if it is binary, TOO_LARGE if it is very long."""
        if path not in self._read:
            self._read[path] = _text(path, self.content[path], self)
        return self._read[path]

    @cached_property
    def declared(self) -> bytes:
        """What the first file that says its encoding says: files without a preamble have that."""
        for path in sorted(filter(_is_tex, self.content)):
            if found := _DECLARED.search(self.content[path]):
                return found[0]
        return b""

    def find(self, folder: str, name: str, *, suffixes: tuple[str, ...] = ("", *TEX)) -> str | None:
        """Return the path of a file that an include names; None: not there, or outside."""
        name = name.strip().strip('"')
        if name.startswith(("/", "|", "~")) or "\\" in name or not name:
            return None
        while True:
            path = posixpath.normpath(posixpath.join(folder, name))
            for suffix in suffixes:
                if path + suffix in self.content:
                    return path + suffix
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def included(self, text: Text, folder: str) -> Iterator[tuple[Token, str, str]]:
        """Yield the commands of a file that read another: token, path, folder of its own names.

        A name is looked for in `folder` and in the folders that this is in: TeX runs in one of
        them, arXiv's always in the outermost.
        """
        for token, directory, name in text.includes:
            base = folder
            if directory:
                start = posixpath.dirname(text.path) if token.text in _RELATIVE else ""
                base = posixpath.normpath(posixpath.join(start, directory)).strip("/")
            path = self.find("" if base == "." else base, name)
            if path is not None:
                yield token, path, base


def decode(data: bytes, declared: Callable[[], bytes] = bytes) -> tuple[str, str]:
    """Return bytes of LaTeX as text, and the encoding.

    It is UTF-8 if it can be read so; else what the file (or `declared`, another one) says to
    inputenc; else Windows' Western encoding, of which Latin-1 is a part.
    """
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        found = _DECLARED.search(data) or _DECLARED.search(declared())
    codec = _CODECS.get(found[1].decode(), "cp1252") if found else "cp1252"
    try:
        return data.decode(codec), codec
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _text(path: str, data: bytes, files: Files) -> Outcome[Text]:
    if b"\0" in data:
        return _not(f"{path} is no text")
    if len(data) > MOST_CHARACTERS:
        message = f"{path} has {len(data)} bytes, more than {MOST_CHARACTERS}"
        return Failed.of(Stage.FILTER, Kind.TOO_LARGE, message)
    text, encoding = decode(data, lambda: files.declared)
    return ok(Text(path, encoding, scan(text)))


def _not(message: str) -> Failed:
    return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)


def _includes(found: Scan) -> Iterator[tuple[Token, str, str]]:
    for token in found.tokens:
        if token.kind != "macro" or token.text not in INCLUDES:
            continue
        first = _BRACED.match(found.text, token.end)
        if token.text in _TWO:
            second = _BRACED.match(found.text, first.end()) if first else None
            if first and second:
                yield token, first[1].strip() or ".", second[1]
        elif first or (first := _PLAIN_NAME.match(found.text, token.end)):
            yield token, "", first[1]


def find_main(files: Files) -> Outcome[Main]:
    """Return the main file of a paper.

    Returns:
        The file; or a failure of kind UNSUITABLE (plain TeX, several that could be it), TOO_LARGE
        (more LaTeX than is looked through), or that of a file that cannot be read where it is the
        only one.
    """
    named = [path for path in _named(files.content) if path in files.content]
    if named:
        return ok(Main(named[0], "00README", tuple(named[1:])))
    paths = sorted(path for path in files.content if _is_tex(path))
    if len(paths) > MOST_FILES:
        return _not(f"{len(paths)} files of LaTeX, more than {MOST_FILES}")
    lengths = [len(files.content[path]) for path in paths]
    if sum(length for length in lengths if length <= MOST_CHARACTERS) > MOST_OF_ALL:
        message = f"its files of LaTeX have more than {MOST_OF_ALL} bytes"
        return Failed.of(Stage.FILTER, Kind.TOO_LARGE, message)
    texts: dict[str, Text] = {}
    failure: Failed | None = None
    for path in paths:
        text = files.text(path)
        if isinstance(text, Failed):
            failure = failure or text
        else:
            texts[path] = text.value
    classed = [path for path, text in texts.items() if text.document_class is not None]
    if not classed:
        return failure or _not("no file has a document class: plain TeX, or no TeX at all")
    return _choose(files, texts, classed)


def _is_tex(path: str) -> bool:
    """Tell whether a file may be part of a paper: not hidden, not in arXiv's ancillary folder."""
    parts = path.split("/")
    return (
        not any(part.startswith(".") for part in parts)
        and parts[0] != "anc"
        and (path.lower().endswith(TEX) or path == SINGLE)
    )


SINGLE = "main.tex"
"""What the file is called where a source is a single file without a name."""


def _choose(files: Files, texts: Mapping[str, Text], classed: list[str]) -> Outcome[Main]:
    """Choose among several files with a document class, or what includes those."""
    reads = {path: _read_by(files, text) for path, text in texts.items()}
    below = {path: _below(reads, path) for path in texts}
    roots = _roots(below)
    papers = [path for path in roots if (below[path] | {path}) & set(classed)]
    # of files that include each other, those with the class
    cyclic = set(papers) & set(classed)
    papers = [path for path in papers if path in classed or not below[path] & cyclic]
    candidates = sorted({*papers, *classed})
    with_bbl = [path for path in candidates if _stem(path) + ".bbl" in files.content]
    if len(with_bbl) == 1:
        others = tuple(path for path in candidates if path != with_bbl[0] and path in roots)
        return ok(Main(with_bbl[0], ".bbl", others))
    if len(papers) > 1:
        proper = [path for path in papers if texts[path].document_class not in _NO_PAPER]
        papers = proper or papers
    if len(papers) == 1:
        others = tuple(path for path in roots if path != papers[0] and path in classed)
        return ok(Main(papers[0], "document class", others))
    papers.sort(key=lambda path: -len(below[path]))
    if len(papers) > 1 and len(below[papers[0]]) > len(below[papers[1]]):
        return ok(Main(papers[0], "includes the most", tuple(papers[1:])))
    names = ", ".join(sorted(papers)[:5]) or "each includes another"
    return _not(f"several files could be the main one: {names}")


def _roots(below: Mapping[str, set[str]]) -> list[str]:
    """Return the files that no other includes, but for those that they include themselves."""
    above: dict[str, set[str]] = {path: set() for path in below}
    for path, reached in below.items():
        for inner in reached & above.keys():
            above[inner].add(path)
    return [path for path in below if above[path] <= below[path] | {path}]


def _stem(path: str) -> str:
    return posixpath.splitext(path)[0]


def _read_by(files: Files, text: Text) -> set[str]:
    """Return the files that a file reads itself."""
    found = files.included(text, posixpath.dirname(text.path))
    return {path for _, path, _ in found if path != text.path}


def _below(reads: Mapping[str, set[str]], path: str) -> set[str]:
    """Return all files that a file reads, directly or not; itself only if it does so in turn."""
    reached: set[str] = set()
    waiting = [path]
    while waiting:
        new = reads.get(waiting.pop(), set()) - reached
        reached |= new
        waiting.extend(new)
    return reached


def _named(content: Mapping[str, bytes]) -> list[str]:
    """Return the main files that arXiv's 00README names, in its order."""
    for path in sorted(content):
        if not path.upper().startswith("00README"):
            continue
        data = content[path][:_README_BYTES].decode("utf-8", "replace")
        if path.lower().endswith(".json"):
            named = _usages(_json(data))
        elif path.lower().endswith((".yaml", ".yml")):
            named = _usages(_yaml(data))
        else:
            lines = (line.split() for line in data.splitlines())
            named = [words[0] for words in lines if words[1:2] == ["toplevelfile"]]
        if named:
            return named
    return []


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _yaml(text: str) -> object:
    import yaml  # noqa: PLC0415 - few papers have one

    try:
        # texts only: what else YAML knows (merging above all) multiplies what a few lines say
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes no objects
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _usages(readme: object) -> list[str]:
    sources = readme.get("sources") if isinstance(readme, dict) else None
    listed = sources if isinstance(sources, list) else []
    toplevel = (
        each.get("filename")
        for each in listed
        if isinstance(each, dict) and each.get("usage", "toplevel") == "toplevel"
    )
    return [name for name in toplevel if isinstance(name, str)]
