r"""A LilyPond file: what its names stand for, and the score in it that is printed."""

from __future__ import annotations

from dataclasses import dataclass, field

from sources.score_music import Reader
from sources.score_node import Node
from sources.score_tokens import Kind, Token, Unreadable, matching, tokenize
from sources.score_words import is_plain_scheme

_BLOCKS = (r"\header", r"\paper", r"\layout", r"\midi", r"\with")
_DROPPED = (r"\markup", r"\markuplist", r"\pageBreak", r"\pointAndClickOff", r"\pointAndClickOn")
LIBRARY = ("english.ly", "deutsch.ly", "italiano.ly", "nederlands.ly", "espanol.ly", "suomi.ly",
           "svenska.ly", "norsk.ly", "portugues.ly", "catalan.ly")  # fmt: skip

FOR_SOUND = ("articulate.ly", "swing.ly", "midi.ly")
"""Files of LilyPond's own that only change how a score is played."""


@dataclass
class ScoreFile:
    """A file as it was understood."""

    tokens: list[Token]
    names: dict[str, Node]
    spans: dict[str, tuple[int, int]]
    """Where each name is given its meaning, the name and = included."""
    unknown: dict[str, str]
    """Names that stand for something that is not understood, with the reason."""
    music: Node | None = None
    """The music of the first score that is printed."""
    language: str = ""
    reasons: list[str] = field(default_factory=list)
    """Why scores were passed over."""


def read_file(source: str) -> ScoreFile:
    """Read a file.

    Raises:
        Unreadable: it holds no score that is understood; the text says why.
    """
    tokens = tokenize(source)
    reader = Reader(tokens)
    file = ScoreFile(tokens, reader.names, {}, {})
    _read_items(file, reader, len(tokens))
    if file.music is None:
        raise Unreadable(file.reasons[0] if file.reasons else "no score in it")
    return file


def _read_items(file: ScoreFile, reader: Reader, end: int) -> None:
    while reader.at < end:
        text, kind = reader.text(), reader.kind()
        named = kind in (Kind.WORD, Kind.STRING) and reader.text(1) == "="
        if named:
            _read_name(file, reader)
        elif text in _BLOCKS or text == r"\markuplist":
            _skip_block(reader)
        elif text in (r"\version", r"\include", r"\language"):
            _read_directive(file, reader)
        elif text in (r"\book", r"\bookpart"):
            reader.at += 1
            closes = matching(reader.tokens, reader.at)
            reader.at += 1
            _read_items(file, reader, closes)
            reader.at = closes + 1
        elif text == r"\score":
            _read_score(file, reader)
        elif kind is Kind.SCHEME or text in _DROPPED:
            _skip_item(reader)
        else:
            _read_bare(file, reader)


def _read_directive(file: ScoreFile, reader: Reader) -> None:
    what, value = reader.text(), reader.text(1).strip('"')
    reader.at += 2
    if what == r"\include":
        if value in FOR_SOUND:
            return
        if value not in LIBRARY:
            raise Unreadable(f"it needs the file {value[:80]!r}")
        value = value.removesuffix(".ly")
    if what != r"\version":
        reader.set_language(value)
        if file.music is None:
            if file.names and value != (file.language or "nederlands"):
                raise Unreadable("notes that are called by two languages")
            file.language = value


def _skip_block(reader: Reader) -> None:
    reader.at += 1
    if reader.text() == "{":
        reader.at = matching(reader.tokens, reader.at) + 1


def _skip_item(reader: Reader) -> None:
    if reader.text() == r"\markup":
        try:
            reader.markup()
        except Unreadable:
            reader.at += 1
        return
    reader.at += 1


def _read_name(file: ScoreFile, reader: Reader) -> None:
    begin, name = reader.at, reader.text().strip('"')
    reader.at += 2
    try:
        file.names[name] = _read_meaning(reader)
        file.unknown.pop(name, None)
        file.spans[name] = (begin, reader.at)
    except Unreadable as reason:
        file.names.pop(name, None)
        file.unknown[name] = str(reason)
        reader.restart(begin + 2)
        if reader.kind() is Kind.SCHEME:
            reader.at += 1
        else:
            _skip_meaning(reader)


def _read_meaning(reader: Reader) -> Node:
    """Read what a name stands for: music, lyrics, or what belongs to a note."""
    begin, text, kind = reader.at, reader.text(), reader.kind()
    if text in _BLOCKS:
        raise reader.refuse("a block with a name")
    if kind is Kind.SCHEME:
        if not is_plain_scheme(text):
            raise reader.refuse("Scheme of the piece's own")
        reader.at += 1
        return Node("post", begin, reader.at)
    if text == r"\markup" or kind is Kind.STRING:
        reader.value()
        return Node("post", begin, reader.at)
    after = kind is Kind.COMMAND and reader.is_after_note(text[1:])
    if after or text in ("-", "^", "_") or (kind is Kind.SIGN and text[:1] in ("-", "^", "_")):
        reader.after()
        return Node("post", begin, reader.at)
    return reader.music()


def _skip_meaning(reader: Reader) -> None:
    """Go to the next item at the top of the file that begins a line."""
    depth, first = 0, True
    while reader.at < len(reader.tokens):
        text, token = reader.text(), reader.tokens[reader.at]
        begins = "\n" in token.gap and not first
        names = reader.kind() in (Kind.WORD, Kind.STRING) and reader.text(1) == "="
        tops = names or text in (r"\score", r"\header", r"\book", r"\layout", r"\paper", r"\midi")
        if depth <= 0 and begins and tops:
            return
        depth += text in ("{", "<<")
        depth -= text in ("}", ">>")
        first = False
        reader.at += 1


def _read_score(file: ScoreFile, reader: Reader) -> None:
    opens = reader.at + 1
    closes = matching(reader.tokens, opens)
    inside = {token.text for token in reader.tokens[opens:closes]}
    heard_only = r"\midi" in inside and r"\layout" not in inside
    if file.music is None and not heard_only:
        reader.at = opens + 1
        while reader.text() in _BLOCKS:
            _skip_block(reader)
        _try_music(file, reader)
    reader.at = closes + 1


def _read_bare(file: ScoreFile, reader: Reader) -> None:
    begin = reader.at
    if file.music is None:
        _try_music(file, reader)
    if reader.at == begin:
        reader.at += 1
        _skip_meaning(reader)


def _try_music(file: ScoreFile, reader: Reader) -> None:
    begin = reader.at
    try:
        file.music = reader.music()
    except Unreadable as reason:
        file.reasons.append(_explained(str(reason), file))
        reader.restart(begin)


def _explained(reason: str, file: ScoreFile) -> str:
    """Say why a name is not followed, where it was given a meaning that was not understood."""
    for name, why in file.unknown.items():
        if f"\\{name} is not followed" in reason:
            return why
    return reason
