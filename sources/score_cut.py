r"""The first bars of a score as LilyPond source of their own: a picture of one or two systems.

Whole files are too long to show a model, and LilyPond's own ways to skip music leave the source as
it is. So the source itself is cut, at the end of a bar, by following its music
(``sources.score_music``): runs and parallel music are shortened, names that are used by what is
left keep their meaning, lyrics end with the notes, everything else goes: headers, page layout,
sound, comments, line breaks. What cannot be cut exactly is refused, never approximated: an event or
a tuplet across the cut, notes that are relative to notes that are gone, a name that would have to
be cut in two places, a bar check that is not where a bar ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sources.score_bars import find_bar_ends
from sources.score_file import ScoreFile
from sources.score_lyrics import cut_syllables, cut_time
from sources.score_node import NONE, Node, walk
from sources.score_syllables import Syllables
from sources.score_tokens import Kind, Unreadable, matching
from sources.score_words import (
    BACKWARD_PAIRS,
    HAIRPIN_ENDS,
    HAIRPINS,
    LEADING_ON,
)
from sources.score_write import Cut, write


def bar_ends(file: ScoreFile) -> list[Fraction]:
    """Return where the bars of a file's score end, in whole notes.

    Raises:
        Unreadable: they cannot be counted.
    """
    if file.music is None:
        raise Unreadable("no score in it")
    return find_bar_ends(file.music, file.names)


def cut(file: ScoreFile, limit: Fraction) -> str:
    """Return source of the score up to a time.

    Args:
        file: as ``read_file`` gave it; it is not changed.
        limit: the end of a bar, in whole notes from the beginning.

    Raises:
        Unreadable: it cannot be cut exactly there; the text says why.
    """
    if file.music is None:
        raise Unreadable("no score in it")
    cutting = Cut(file)
    _cut(cutting, file.music, limit)
    _check_relative(cutting)
    for begin, end in _spans(cutting):
        _close_spanners(cutting, begin, end)
    return write(cutting, _spans(cutting))


def _cut(cutting: Cut, node: Node, limit: Fraction) -> None:
    """Cut a piece of music to a time within it."""
    if node.kind == "run":
        _cut_run(cutting, node, limit)
    elif node.kind == "name":
        _use(cutting, node, limit)
    elif node.kind == "repeat":
        _cut_repeat(cutting, node, limit)
    elif node.kind == "words":
        _cut_words(cutting, node, limit)
    elif node.kind == "syllables":
        _cut_lyrics(cutting, _opening(node), "time", limit)
    elif node.kind in ("event", "rest", "skip") and node.length > limit:
        _shorten(cutting, node, limit)
    elif node.kind == "break" or _is_for_sound(cutting, node):
        cutting.drop(node.begin, node.end)
    elif node.kind == "scaled":
        if node.length > limit:
            raise Unreadable("a tuplet lasts beyond the bar")
        _use_names(cutting, node)
    else:
        for child in node.children:
            _cut(cutting, child, limit)
        _use_names(cutting, node)


def _cut_run(cutting: Cut, node: Node, limit: Fraction) -> None:
    time, last = NONE, None
    for child in node.children:
        if time >= limit:
            cutting.drop(child.begin, child.end)
            continue
        _cut(cutting, child, limit - time)
        time += child.length
        last = child
    if last is not None and time >= limit:
        _drop_ties(cutting, last)


def _drop_ties(cutting: Cut, node: Node) -> None:
    """Ties and slides on the last notes lead nowhere."""
    if node.kind == "event":
        for at in range(node.begin, node.end):
            if cutting.file.tokens[at].text in LEADING_ON:
                cutting.gone.add(at)
    elif node.kind in ("run", "inner", "scaled"):
        heard = [
            child for child in node.children if child.length and child.begin not in cutting.gone
        ]
        if heard:
            _drop_ties(cutting, heard[-1])
    elif node.kind == "parallel":
        for child in node.children:
            _drop_ties(cutting, child)


def _shorten(cutting: Cut, node: Node, limit: Fraction) -> None:
    """Rests and skips of several bars become shorter; notes do not."""
    base, _, factor = node.written.partition("*")
    if node.kind == "event" or not factor:
        raise Unreadable("a note lasts beyond the bar")
    times = limit / (node.length / Fraction(factor))
    if node.kind == "rest" and times.denominator != 1:
        raise Unreadable("a rest lasts beyond the bar")
    if node.place >= 0:
        raise Unreadable("a rest lasts beyond the bar, as long as the one before it")
    for at in range(node.begin, node.end):
        if cutting.file.tokens[at].text == "*":
            after = 3 if cutting.file.tokens[at + 2].text == "/" else 1
            cutting.drop(at + 1, at + 1 + after)
            cutting.changed[at] = f"*{times}"
            cutting.changed[node.begin] = cutting.file.tokens[node.begin].text
            return
    raise Unreadable(f"a duration {base} that is not followed")


def _use(cutting: Cut, node: Node, limit: Fraction) -> None:
    """Note how much of a name is heard; it must be the same wherever it is used."""
    meaning = cutting.file.names[node.word]
    if meaning.kind == "syllables":
        _use_words(cutting, node.word, "time", limit)
        return
    heard = limit if node.length > limit else None
    if cutting.limits.get(node.word, heard) != heard:
        raise Unreadable(f"\\{node.word} would have to end in two places")
    if node.word not in cutting.limits:
        cutting.limits[node.word] = heard
        _cut(cutting, meaning, limit if heard is not None else meaning.length + 1)


def _use_names(cutting: Cut, node: Node) -> None:
    """Keep the meaning of whatever the tokens of a piece of music name."""
    for at in range(node.begin, node.end):
        token = cutting.file.tokens[at]
        name = token.text[1:]
        known = token.kind is Kind.COMMAND and at not in cutting.gone
        if known and name in cutting.file.names and name not in cutting.limits:
            meaning = cutting.file.names[name]
            inside = any(each.begin <= at < each.end for each in _names_within(node))
            if meaning.kind == "post" or (node.kind in ("scaled", "grace", "event") and inside):
                cutting.limits[name] = None
                _use_names(cutting, meaning)


def _names_within(node: Node) -> Iterator[Node]:
    return (each for each in walk(node) if each.kind == "name" or each is node)


def _cut_repeat(cutting: Cut, node: Node, limit: Fraction) -> None:
    body, begin = node.children[0], node.begin
    if limit >= node.length:
        _cut(cutting, body, body.length + 1)
        for group in node.groups:
            for ending in group:
                _cut(cutting, ending, ending.length + 1)
        return
    if node.word == "volta":
        cutting.drop(begin, body.begin)
        cutting.drop(body.end, node.end)
        _cut(cutting, body, limit if limit < body.length else body.length + 1)
        return
    times, rest = divmod(limit, body.length) if body.length else (Fraction(0), limit)
    if rest and times:
        raise Unreadable("music that is repeated lasts beyond the bar")
    if times:
        cutting.changed[begin + 2] = str(int(times))
        _cut(cutting, body, body.length + 1)
        return
    if node.word == "tremolo":
        raise Unreadable("a tremolo lasts beyond the bar")
    cutting.drop(begin, body.begin)
    _cut(cutting, body, rest)


def _opening(node: Node) -> int:
    return node.place if node.place >= 0 else node.begin


def _cut_words(cutting: Cut, node: Node, limit: Fraction) -> None:
    del limit  # the notes decide
    count = _count_notes(cutting, node.word)
    inner = node.children[0]
    if inner.kind == "syllables":
        _cut_lyrics(cutting, _opening(inner), "notes", Fraction(count))
    else:
        _use_words(cutting, inner.word, "notes", Fraction(count))


def _use_words(cutting: Cut, name: str, how: str, limit: Fraction) -> None:
    if cutting.words.setdefault(name, (how, limit)) != (how, limit):
        raise Unreadable(f"\\{name} would have to end in two places")
    if name in cutting.limits:
        return
    cutting.limits[name] = limit
    meaning = cutting.file.names[name]
    inner = next((each for each in walk(meaning) if each.kind == "syllables"), None)
    if inner is None:
        raise Unreadable(f"\\{name} is no lyrics")
    _cut_lyrics(cutting, _opening(inner), how, limit)


def _cut_lyrics(cutting: Cut, opens: int, how: str, limit: Fraction) -> None:
    tokens = cutting.file.tokens
    closes = matching(tokens, opens)
    pieces = [each.gap + each.text for each in tokens[opens + 1 : closes]]
    text = "".join(pieces)
    left = cut_time(text, limit) if how == "time" else cut_syllables(text, int(limit))
    if left is None:
        raise Unreadable("lyrics that hold more than words")
    cutting.drop(opens + 1, closes)
    cutting.changed[opens] = "{ " + left


def _count_notes(cutting: Cut, context: str) -> int:
    """Count the notes of a voice that take a syllable."""
    root = cutting.file.music
    voice = next((each for each in walk(root) if each.context == context), None) if root else None
    if voice is None:
        raise Unreadable(f"lyrics for {context}, which is not there")
    counter = Syllables(cutting.file.tokens, cutting.file.names, cutting.gone, cutting.changed)
    counter.count(voice)
    return counter.found


# what is left


def _check_relative(cutting: Cut) -> None:
    """Refuse notes that are relative to notes that are gone, and repeat them."""
    for root in [cutting.file.music, *(cutting.file.names[name] for name in cutting.limits)]:
        scopes = [each for each in walk(root) if each.word == "relative"] if root else []
        for scope in scopes:
            gone = False
            for event in _own_events(scope):
                left = event.begin not in cutting.gone
                if left and gone:
                    raise Unreadable("notes that are relative to notes beyond the bar")
                gone = gone or not left
        leaning = False
        for event in walk(root) if root else ():
            if event.kind == "event":
                if event.leans and leaning and event.begin not in cutting.gone:
                    raise Unreadable("a chord that repeats one beyond the bar")
                leaning = event.begin in cutting.gone


def _own_events(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.word in ("relative", "fixed", "absolute"):
            continue
        if child.kind in ("event", "name"):
            yield child
        yield from _own_events(child)
    for group in node.groups:
        for child in group:
            yield child
            yield from _own_events(child)


def _spans(cutting: Cut) -> list[tuple[int, int]]:
    """The tokens of the names that are used, in the order of the file, then the score."""
    spans = [cutting.file.spans[name] for name in cutting.limits]
    music = cutting.file.music
    if music is None:
        raise Unreadable("no score in it")
    return [*sorted(spans), (music.begin, music.end)]


def _close_spanners(cutting: Cut, begin: int, end: int) -> None:
    """Take away slurs, beams and hairpins that begin and are not ended any more."""
    open_at: dict[str, list[int]] = {}
    hairpin: int | None = None
    for at in range(begin, end):
        if at in cutting.gone:
            continue
        text = cutting.file.tokens[at].text
        if text in HAIRPIN_ENDS:
            hairpin = None
        if text in HAIRPINS:
            hairpin = at
        if text in BACKWARD_PAIRS:
            open_at.setdefault(BACKWARD_PAIRS[text], []).append(at)
        elif open_at.get(text):
            open_at[text].pop()
    left = [at for places in open_at.values() for at in places]
    for at in [*left, *([] if hairpin is None else [hairpin])]:
        cutting.gone.add(at)
        if cutting.file.tokens[at - 1].text in ("-", "^", "_"):
            cutting.gone.add(at - 1)


def _is_for_sound(cutting: Cut, node: Node) -> bool:
    if node.kind != "command" or node.word not in ("set", "unset"):
        return False
    texts = [token.text for token in cutting.file.tokens[node.begin : node.end]]
    return any(text.startswith("midi") or text == "tempoWholesPerMinute" for text in texts)
