"""Mutopia: music that people typeset with LilyPond and gave away; the truth is known.

Every piece has a licence of its own in its header. A piece gives one instance: its first bars, one
or two systems, cut out of the source (``sources.score_cut``) and drawn before they are accepted.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from pydantic import JsonValue

from benchmark import workbench
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance, digest_bytes
from benchmark.settings import Settings
from benchmark.workbench import Updated
from sources import score_cut, score_header, score_includes, score_page
from sources.http import Client
from sources.mutopia_listing import FOLDER, REPOSITORY, Listing
from sources.score_file import ScoreFile, read_file
from sources.score_tokens import Unreadable, tokenize

MOST_BARS = 8
MOST_DRAWINGS = 4
MOST_SYSTEMS = 2
LEAST_BARS = 2

_SUBSETS = (
    ("chords", re.compile(r"ChordNames|\\chords\b")),
    ("lyrics", re.compile(r"\\(?:lyricmode|addlyrics|lyricsto \S{1,40})\s{0,9}\{\s{0,9}[^\s}]")),
    ("piano", re.compile(r"\bPianoStaff\b|\bGrandStaff\b")),
)
_STAVES = re.compile(r"\\(?:new|context)\s{1,20}(?:Staff|TabStaff)\b")
_VOICES = re.compile(r"\\(?:voiceTwo|voiceThree)\b|\\\\")


@dataclass(frozen=True)
class _Piece:
    """A piece that may be used: where it is, what its header says, and its whole source."""

    path: str
    address: str
    commit: str
    sha256: str
    fields: dict[str, str]
    licence: str
    created: dt.date
    text: str
    files: int

    @property
    def id(self) -> str:
        return "music/" + self.path.removeprefix(FOLDER).removesuffix(".ly")


@dataclass(frozen=True)
class _Excerpt:
    truth: str
    bars: int
    systems: int


class Mutopia:
    """The source `mutopia`."""

    name = "mutopia"
    scenarios = ("music",)
    live = True
    about = (
        "The first bars of pieces of the Mutopia Project, which people typeset with LilyPond from "
        "editions in the public domain; each under the licence that its header names. Brought up "
        "to date by convert-ly and cut by Rerender."
    )

    def __init__(self, client: Client | None = None) -> None:
        """Use a client of one's own, or make one for each collection."""
        self._client = client

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield excerpts of pieces that were published on or after `since`.

        Pieces are fetched one by one as they are asked for. A drop of kind UNSUITABLE says what in
        the source could not be followed; see docs/sources.md.
        """
        if limit is not None and limit <= 0:
            return
        settings = Settings()
        if self._client is not None:
            yield from self._collect(Listing(self._client, settings), since, limit)
            return
        with Client(settings) as client:
            yield from self._collect(Listing(client, settings), since, limit)

    def _collect(
        self, listing: Listing, since: dt.date | None, limit: int | None
    ) -> Iterator[Outcome[Material]]:
        commit = listing.newest()
        if isinstance(commit, Failed):
            yield commit
            return
        paths = listing.paths(commit.value, since)
        if isinstance(paths, Failed):
            yield paths
            return
        kept = 0
        for path in paths.value:
            outcome = _material(listing, commit.value, path, since)
            if isinstance(outcome, Failed):
                subject = outcome.subject or listing.address(commit.value, path)
                outcome = outcome.model_copy(update={"subject": subject})
            yield outcome
            kept += not isinstance(outcome, Failed)
            stopped = isinstance(outcome, Failed) and not outcome.final
            if stopped or (limit is not None and kept >= limit):
                return


def _material(listing: Listing, commit: str, path: str, since: dt.date | None) -> Outcome[Material]:
    piece = _piece(listing, commit, path, since)
    if isinstance(piece, Failed):
        return piece
    updated = workbench.current().update_lilypond(piece.value.text)
    if isinstance(updated, Failed):
        return updated
    try:
        file = read_file(updated.value.source)
        ends = score_cut.bar_ends(file)
    except Unreadable as reason:
        return _unsuitable(str(reason))
    excerpt = _excerpt(file, ends)
    if isinstance(excerpt, Failed):
        return excerpt
    return ok(_describe(piece.value, updated.value, excerpt.value))


def _piece(listing: Listing, commit: str, path: str, since: dt.date | None) -> Outcome[_Piece]:
    """Fetch a piece with its parts; its header decides whether it may be used."""
    got = listing.text(commit, path)
    if isinstance(got, Failed):
        return got
    joined = score_includes.join(path, got.value, lambda part: listing.text(commit, part))
    if isinstance(joined, Failed):
        return joined
    source = digest_bytes(got.value.encode()), *joined.value
    return _judge(listing, commit, path, source, since)


def _judge(
    listing: Listing,
    commit: str,
    path: str,
    source: tuple[str, str, int],
    since: dt.date | None,
) -> Outcome[_Piece]:
    digest, text, files = source
    try:
        fields = score_header.read_fields(tokenize(text))
    except Unreadable as reason:
        return _unsuitable(str(reason))
    licence = _licence(fields)
    if isinstance(licence, Failed):
        return licence
    created = _created(listing, commit, path, fields)
    if isinstance(created, Failed):
        return created
    if since is not None and created.value < since:
        return _filtered(Kind.OUT_OF_DATE, f"published on {created.value}, before {since}")
    address = listing.address(commit, path)
    named = licence.value, created.value
    return ok(_Piece(path, address, commit, digest, fields, *named, text, files))


def _licence(fields: dict[str, str]) -> Outcome[str]:
    """Return the licence of a piece that may be used."""
    if not any(name.startswith("mutopia") for name in fields):
        return _unsuitable("a part of another file: it has no header of a piece")
    licence = score_header.licence(fields)
    if licence is None:
        return _filtered(Kind.NO_LICENCE, "its header names no licence that is known")
    return ok(licence)


def _created(listing: Listing, commit: str, path: str, fields: dict[str, str]) -> Outcome[dt.date]:
    """Return when a piece was published; before Mutopia's imprint is added, when it came in."""
    created = score_header.published(fields)
    return ok(created) if created is not None else listing.first_day(commit, path)


def _excerpt(file: ScoreFile, ends: list[Fraction]) -> Outcome[_Excerpt]:
    """Cut as many bars as give one or two systems, drawing it to see."""
    reason: Failed = _unsuitable("its bars cannot be counted")
    drawings, most = 0, MOST_BARS
    for bars in range(min(MOST_BARS, len(ends)), LEAST_BARS - 1, -1):
        if bars > most:
            continue
        try:
            truth = score_cut.cut(file, ends[bars - 1])
        except Unreadable as why:
            reason = _unsuitable(str(why))
            continue
        if drawings >= MOST_DRAWINGS:
            break
        drawings += 1
        drawn = workbench.current().draw_lilypond(truth)
        if isinstance(drawn, Failed):
            return drawn
        grey = score_page.read_grey(drawn.value)
        if isinstance(grey, Failed):
            return grey
        systems = len(score_page.find_systems(grey.value, whole_page=False).systems)
        if 1 <= systems <= MOST_SYSTEMS:
            return ok(_Excerpt(truth, bars, systems))
        most = bars * MOST_SYSTEMS // max(systems, MOST_SYSTEMS)
        reason = _unsuitable(f"{bars} bars give {systems} systems")
    return reason


def _describe(piece: _Piece, updated: Updated, excerpt: _Excerpt) -> Material:
    fields = piece.fields
    recipe: dict[str, JsonValue] = {
        "repository": REPOSITORY,
        "commit": piece.commit,
        "path": piece.path,
        "url": piece.address,
        "sha256": piece.sha256,
        "bars": excerpt.bars,
    }
    attributes: dict[str, JsonValue] = {
        "title": fields.get("mutopiatitle") or fields.get("title", ""),
        "composer": fields.get("composer") or fields.get("mutopiacomposer", ""),
        "instrument": fields.get("mutopiainstrument", ""),
        "style": fields.get("style", ""),
        "composed": fields.get("date", ""),
        "edition": fields.get("source", ""),
        "bars": excerpt.bars,
        "systems": excerpt.systems,
        "staves": max(1, len(_STAVES.findall(excerpt.truth))),
        "lines": excerpt.truth.count("\n"),
        "files": piece.files,
        "dated_by": "imprint" if score_header.published(fields) else "commit",
        "lilypond": updated.version or "",
        "convert_ly": updated.log,
    }
    composer = fields.get("composer") or fields.get("mutopiacomposer") or "unknown composer"
    typeset = fields.get("maintainer") or "an unnamed contributor"
    return Material(
        id=piece.id,
        scenario="music",
        subset=_subset(excerpt.truth),
        truth=excerpt.truth,
        provenance=Provenance(
            source=Mutopia.name,
            author=f"{composer}; typeset by {typeset} for the Mutopia Project",
            licence=piece.licence,
            created=piece.created,
            url=f"https://github.com/{REPOSITORY}/blob/{piece.commit}/{piece.path}",
            publishable=score_header.may_pass_on(fields, piece.licence),
            recipe=recipe,
            made=f"the first {excerpt.bars} bars, without headers, page layout and sound",
        ),
        attributes=attributes,
    )


def _subset(truth: str) -> str:
    for subset, pattern in _SUBSETS:
        if pattern.search(truth):
            return subset
    several = len(_STAVES.findall(truth)) > 1 or _VOICES.search(truth)
    return "voices" if several else "melody"


def _unsuitable(message: str) -> Failed:
    return _filtered(Kind.UNSUITABLE, message)


def _filtered(kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.FILTER, kind, message)
