"""A loopback stand-in of GitHub for Mutopia's repository: commits, a tree, comparisons, raw files.

Its pieces were written for these tests; real ones can be put beside them.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.servers.site import Answer, Asked, StandIn, json_answer, serving

REPOSITORY = "MutopiaProject/MutopiaProject"
FIRST, SECOND, NEXT = dt.date(2026, 11, 3), dt.date(2026, 11, 20), dt.date(2026, 11, 29)

HEADER = """\
\\header {{
  title = "{title}"
  mutopiatitle = "{title}"
  mutopiacomposer = "ExampleA"
  composer = "Ada Example"
  style = "Classical"
  source = "{edition}"
  license = "{licence}"
  maintainer = "Tim Typesetter"
  footer = "Mutopia-{day:%Y/%m/%d}-{number}"
}}
"""


def header(
    title: str,
    day: dt.date = FIRST,
    licence: str = "Public Domain",
    edition: str = "Leipzig, 1880",
    number: int = 7,
) -> str:
    return HEADER.format(title=title, day=day, licence=licence, edition=edition, number=number)


def score(music: str) -> str:
    return f"\\score {{ {music} \\layout {{ }} \\midi {{ \\tempo 4 = 90 }} }}\n"


MELODY = '\\new Staff \\relative c\' { \\time 3/4 c4 d e | f g a | g2. | e2( f4 | g2.) \\bar "|." }'
PIANO = (
    "\\new PianoStaff << \\new Staff { \\time 4/4 c''1 | d''1 | e''1 } "
    "\\new Staff { \\clef bass c1 | g1 | c1 } >>"
)
SONG = (
    '<< \\new Staff \\new Voice = "v" \\relative c\' { \\time 2/4 \\partial 4 c4 | d e | f g | a2 }'
    " "
    '\\new Lyrics \\lyricsto "v" { Sing a lit -- tle song now } >>'
)
V = '\\version "2.24.0"\n'
OLD = '\\version "2.18.2"\n'

PIECES = {
    "ftp/ExampleA/O1/melody/melody.ly": V + header("A melody") + score(MELODY),
    "ftp/ExampleA/O2/piano/piano.ly": V
    + header("For the piano", SECOND, "Creative Commons Attribution-ShareAlike 4.0")
    + score(PIANO),
    "ftp/ExampleB/O3/song/song.ly": V
    + header("A song", SECOND, "Creative Commons Attribution 3.0")
    + score(SONG),
    "ftp/ExampleB/O4/two/two.ly": V
    + header("In two files", FIRST)
    + '\\include "two-lys/part.ly"\n'
    + score("\\new Staff \\part"),
    "ftp/ExampleB/O4/two/two-lys/part.ly": "part = { c'1 | d'1 | e'1 | f'1 }\n",
    "ftp/ExampleC/O5/rights/rights.ly": V
    + header("Not for sale", licence="Creative Commons Attribution-NonCommercial 4.0")
    + score(MELODY),
    "ftp/ExampleC/O6/nolicence/nolicence.ly": V
    + header("Nobody knows", licence="free for friends")
    + score(MELODY),
    "ftp/ExampleC/O7/scheme/scheme.ly": V
    + header("With a program")
    + "f = #(define-music-function (m) (ly:music?) m)\n"
    + score("{ \\f c'1 d'1 }"),
    "ftp/ExampleC/O8/lost/lost.ly": V
    + header("Incomplete")
    + '\\include "nowhere.ly"\n'
    + score("\\nowhere"),
    "ftp/ExampleC/O9/free/free.ly": V
    + header("Without bars")
    + score("{ \\cadenzaOn c'1 d'2 e'1 }"),
    "ftp/README": "not a score\n",
}


def commit_of(day: dt.date) -> str:
    return hashlib.sha1(str(day).encode()).hexdigest()  # noqa: S324


@dataclass
class Mutopia:
    """The repository as it is on a day."""

    site: StandIn
    pieces: dict[str, str]
    days: dict[str, dt.date] = field(default_factory=dict)
    """When each file was committed."""
    truncated: bool = False

    @property
    def mirrors(self) -> dict[str, str]:
        """For RERENDER_MIRRORS."""
        hosts = ("api.github.com", "raw.githubusercontent.com")
        return dict.fromkeys(hosts, self.site.address)

    def add(self, path: str, text: str, day: dt.date) -> None:
        """Commit a file on a day."""
        self.pieces[path] = text
        self.days[path] = day

    def next_day(self) -> str:
        """Publish one more piece; returns the id that its material has."""
        text = V + header("Of today", NEXT, number=8) + score(MELODY)
        self.add("ftp/ExampleD/O1/today/today.ly", text, NEXT)
        return "music/ExampleD/O1/today/today"

    @property
    def commits(self) -> list[dt.date]:
        """The days with a commit, newest first."""
        return sorted(set(self.days.values()), reverse=True)


@contextmanager
def mutopia(pieces: dict[str, str] | None = None) -> Iterator[Mutopia]:
    """Serve a repository; by default one with a few good pieces and several others."""
    with serving() as site:
        repository = Mutopia(site, {})
        for path, text in (PIECES if pieces is None else pieces).items():
            repository.add(path, text, SECOND if "Attribution" in text else FIRST)
        api, raw = f"/repos/{REPOSITORY}", f"/{REPOSITORY}/"
        site.on(f"{api}/commits", lambda asked: _commits(repository, asked))
        site.under(f"{api}/git/trees/", lambda asked: _tree(repository, asked))
        site.under(f"{api}/compare/", lambda asked: _compare(repository, asked))
        site.under(raw, lambda asked: _raw(repository, asked))
        yield repository


def _commits(repository: Mutopia, asked: Asked) -> Answer:
    path = asked.query.get("path")
    if path is not None:
        day = repository.days[path]
        commit = {"committer": {"date": f"{day}T12:00:00Z"}}
        return json_answer([{"sha": commit_of(day), "commit": commit}])
    until = asked.query.get("until", "9999")
    days = [day for day in repository.commits if f"{day}T12:00:00Z" <= until]
    return json_answer([{"sha": commit_of(day)} for day in days[:1]])


def _tree(repository: Mutopia, asked: Asked) -> Answer:
    entries = [{"path": path, "type": "blob", "mode": "100644"} for path in repository.pieces]
    entries.append({"path": "ftp", "type": "tree", "mode": "040000"})
    return json_answer({"tree": entries, "truncated": repository.truncated})


def _compare(repository: Mutopia, asked: Asked) -> Answer:
    before = asked.path.rpartition("/")[2].partition("...")[0]
    day = next(day for day in repository.commits if commit_of(day) == before)
    files = [
        {"filename": path, "status": "added"}
        for path, committed in repository.days.items()
        if committed > day
    ]
    return json_answer({"status": "ahead", "files": files[:300]})


def _raw(repository: Mutopia, asked: Asked) -> Answer:
    path = asked.path.split("/", 4)[4]
    if path not in repository.pieces:
        return Answer(404, b"404: Not Found", {"Content-Type": "text/plain"})
    text = repository.pieces[path].encode()
    return Answer(body=text, headers={"Content-Type": "text/plain; charset=utf-8"})
