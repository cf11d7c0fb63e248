r"""The definitions of a paper, and which of them a piece of it needs to be set by itself.

Found are commands, environments, column types, colours, lengths, styles of TikZ and PGFPlots, and
keywords of algorithm2e. Nothing is expanded: a piece takes along what it uses, what that uses in
turn, and no more, as each was defined last before the piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.latex_definitions import READERS, Arguments
from sources.latex_tokens import Scan, Token

MOST_DEFINITIONS = 5_000
"""Of a paper; further ones are not looked at."""
MOST_CARRIED = 40
MOST_CARRIED_CHARACTERS = 4_000

_CONTROL = re.compile(r"\\([a-zA-Z@]+|[^a-zA-Z])")
_WORD = re.compile(r"[A-Za-z][\w.-]*")
_ENVIRONMENT = re.compile(r"\\begin\s*\{([^{}]{1,80})\}")
_COLUMNS = re.compile(
    r"\\begin\s*\{(?:tabular\*?|tabularx|tabulary|longtable|array)\}((?:\s*(?:\[[^\[\]]*\]"
    r"|\{(?:[^{}]|\{[^{}]*\})*\})){1,3})|\\multicolumn\s*\{[^{}]*\}(\s*\{(?:[^{}]|\{[^{}]*\})*\})"
)
_LIBRARIES = ("usetikzlibrary", "usepgfplotslibrary")
DEFINING = frozenset({*READERS, *_LIBRARIES})
"""The commands that ``define`` understands."""
_ALIAS = re.compile(r"\s*\\(begin|end)\s*\{([a-zA-Z]+\*?)\}\s*")

_CLASHES = frozenset(
    {
        "bm", "cancel", "ding", "mathscr", "nicefrac", "coloneq", "coloneqq", "eqqcolon", "dcases",
        "diagbox", "makecell", "thead", "num", "qty", "unit", "ang", "si", "SI", "sout", "uline",
        "checkmark", "square", "mathfrak", "mathbb", "vcentcolon", "second",
    }
)  # fmt: skip
"""Commands that packages of the renderer's standard document define and papers define as well."""


@dataclass(frozen=True)
class Definition:
    """A definition: by which keys a piece shows that it needs it, and what it says."""

    keys: tuple[str, ...]
    r"""``\name``, ``{environment}``, ``column X``, ``word name``, ``tikz`` or ``pgfplots``."""
    text: str
    order: int
    path: str
    start: int
    end: int


@dataclass
class Definitions:
    """All definitions of a paper, in the order of reading."""

    count: int = 0
    libraries: dict[str, None] = field(default_factory=dict)
    """Libraries of TikZ and PGFPlots that the paper loads, as whole commands."""
    aliases: dict[str, tuple[str, str]] = field(default_factory=dict)
    r"""Commands that only begin or end an environment (``\be``): its name, ``begin`` or ``end``."""
    _by_key: dict[str, list[Definition]] = field(default_factory=dict)

    def add(self, definition: Definition) -> None:
        """Take in a definition, which is the next in the order of reading."""
        self.count += 1
        known = [key for key in definition.keys if key in self._by_key]
        if known and definition.text.startswith(r"\providecommand"):
            return
        if known and definition.text.startswith(r"\renew") and not self._is_foreign(known[0]):
            text = definition.text.replace(r"\renew", r"\new", 1)
            definition = replace(definition, text=text)
        for key in definition.keys:
            self._by_key.setdefault(key, []).append(definition)

    def _is_foreign(self, key: str) -> bool:
        """Tell whether the paper redefines what LaTeX or a package defines."""
        return any(each.text.startswith(r"\renew") for each in self._by_key[key])

    def needed(self, text: str, order: int) -> Outcome[list[Definition]]:
        """Return what a piece of the paper needs, in the order of reading.

        Args:
            text: the piece, without comments.
            order: its place in the order of reading.
        """
        found: dict[tuple[str, int], Definition] = {}
        waiting, characters = [text], 0
        while waiting:
            for key in self._used(waiting.pop()):
                for definition in self._in_force(key, order):
                    place = (definition.path, definition.start)
                    if place in found:
                        continue
                    found[place] = definition
                    waiting.append(definition.text)
                    characters += len(definition.text)
                    if len(found) > MOST_CARRIED or characters > MOST_CARRIED_CHARACTERS:
                        message = (
                            f"it needs more than {MOST_CARRIED} definitions of the paper, or more "
                            f"than {MOST_CARRIED_CHARACTERS} characters of them"
                        )
                        return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)
        return ok(sorted(found.values(), key=lambda definition: definition.order))

    def _in_force(self, key: str, order: int) -> list[Definition]:
        before = [each for each in self._by_key[key] if each.order <= order]
        return before if key in ("tikz", "pgfplots") or key[:5] == "sets " else before[-1:]

    def _used(self, text: str) -> Iterator[str]:
        """Yield the keys of definitions that a text shows."""
        named = {f"\\{name}" for name in _CONTROL.findall(text)}
        # outside of packages a name ends before an at sign
        named |= {name.partition("@")[0] for name in named if name not in self._by_key}
        keys = named | {f"{{{name}}}" for name in _ENVIRONMENT.findall(text)}
        keys |= {f"sets {name}" for name in named}
        keys |= {f"word {word}" for word in _WORD.findall(text)}
        for match in _COLUMNS.finditer(text):
            keys |= {f"column {letter}" for letter in match[1] or match[2]}
        if r"\begin{tikzpicture}" in text:
            keys.add("tikz")
            spaced = (key for key in self._by_key if key.startswith("word ") and " " in key[5:])
            keys |= {key for key in spaced if key[5:] in text or key[5:].startswith("every ")}
        if r"\addplot" in text or "axis}" in text:
            keys.add("pgfplots")
        return (key for key in sorted(keys) if key in self._by_key)


def preamble(definitions: list[Definition]) -> str:
    """Return definitions as lines to put before a piece."""
    lines = []
    for definition in definitions:
        name = definition.keys[0].removeprefix("\\")
        if definition.text.startswith(r"\newcommand") and name in _CLASHES:
            lines.append(f"\\let\\{name}\\relax")
        lines.append(definition.text)
    if any(re.search(r"\\[a-zA-Z]*@", line) for line in lines):
        lines = [r"\makeatletter", *lines, r"\makeatother"]
    return "\n".join(lines)


def define(known: Definitions, scan: Scan, token: Token, path: str, order: int) -> int | None:
    """Take in what a command defines.

    Returns:
        Where the definition ends; None if the command defines nothing.
    """
    arguments = Arguments(scan, token.end)
    if token.text in _LIBRARIES:
        inner = arguments.group()
        for name in (inner or "").split(","):
            known.libraries[f"\\{token.text}{{{name.strip()}}}"] = None
        return arguments.place
    reader = READERS.get(token.text)
    read = reader(arguments) if reader and known.count < MOST_DEFINITIONS else None
    if read is None:
        return None
    keys, text = read
    end = arguments.place
    written = text or scan.code(token.start, end)
    if token.text == "edef":
        return end  # its meaning depends on what was in force where it stands
    if len(keys) == 1 and keys[0][0] == "\\":
        _note_alias(known, keys[0], scan.text[token.start : end])
    known.add(Definition(keys, _one_newline(written), order, path, token.start, end))
    return end


def _one_newline(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _note_alias(known: Definitions, name: str, written: str) -> None:
    r"""Note a command that stands for nothing but ``\begin{…}`` or ``\end{…}``."""
    known.aliases.pop(name[1:], None)
    if not written.endswith("}") or len(written) > 200:
        return
    body = re.fullmatch(r"\\\w+\*?\s*(?:\{\\\w+\}|\\\w+)\s*\{(.*)\}", written, re.DOTALL)
    found = _ALIAS.fullmatch(body[1]) if body else None
    if found:
        known.aliases[name[1:]] = (found[1], found[2])
