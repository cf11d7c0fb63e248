"""A loopback stand-in of IMSLP: its list, its MediaWiki API, and the way to a file.

That way is as the real one: a disclaimer for who has no cookie, a chain of redirects that sets one
and ends on another host, a countdown for guests, and a page that offers a subscription when the
day's downloads are used up; all pages with status 200.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl

from tests.renderers.pdfs import pdf
from tests.servers.site import Answer, Asked, StandIn, html, json_answer, redirect, serving, typed

FIRST, SECOND, NEXT = dt.date(2026, 11, 4), dt.date(2026, 11, 21), dt.date(2026, 11, 29)
NAME, PASSWORD = "reader", "secret"
PAGE_OF_LIST = 2

DISCLAIMER = "<!DOCTYPE html><html><body>IMSLP makes no guarantee. I accept</body></html>"
COUNTDOWN = "<!DOCTYPE html><html>Your download will continue in 15 seconds</html>"
SUBSCRIBE = "<!DOCTYPE html><html>Download limit reached. Subscribe to go on.</html>"


def systems(count: int = 4) -> bytes:
    """Draw systems of one staff each, as the operators of a PDF: lines, bars and heads of notes."""
    parts = []
    for system in range(count):
        bottom = 720 - 150 * system
        parts += [f"40 {bottom + 8 * line} 515 1 re f" for line in range(5)]
        parts += [f"{40 + 128 * bar} {bottom} 2 33 re f" for bar in range(5)]
        parts += [f"{60 + 30 * note} {bottom + 4 * (note % 7)} 9 7 re f" for note in range(15)]
    return "\n".join(parts).encode()


def score() -> bytes:
    """Three pages of music."""
    return pdf(pages=3, box=(595, 842), content=systems())


@dataclass(frozen=True)
class File:
    """A file of a work."""

    name: str
    rights: str = "Public Domain"
    uploaded: dt.date = FIRST
    body: bytes = field(default_factory=score)
    size: int | None = None
    """As the API says, where it is not that of the body."""

    @property
    def path(self) -> str:
        digest = hashlib.md5(self.name.encode()).hexdigest()  # noqa: S324
        return f"/images/{digest[0]}/{digest[:2]}/{self.name}"


WORKS: dict[str, list[File]] = {
    "Sonata in X (Example, Ada)": [File("PMLP1-sonata.pdf"), File("PMLP1-parts.zip")],
    "Songs (Example, Ada)": [
        File("PMLP2-songs.pdf", "Creative Commons Attribution 4.0", SECOND),
        File("PMLP2-new.pdf", "Public Domain - Non-PD US", SECOND),
    ],
    "Trio (Sample, Bo)": [
        File("PMLP3-trio.pdf", uploaded=SECOND),
        File("PMLP3-cut.pdf", body=pdf(pages=2)[:-200], size=len(pdf(pages=2))),
        File("PMLP3-big.pdf", size=60_000_000),
        File("PMLP3-mxl.pdf", body=b"PK\x03\x04" + b"\x00" * 60),
    ],
    "Etude (Sample, Bo)": [File("PMLP4-mine.pdf", "Performance Restricted")],
    "Waltz (Sample, Bo)": [File("PMLP5-nc.pdf", "Creative Commons Attribution Non-commercial 3.0")],
}


def wikitext(files: list[File]) -> str:
    entries = [
        "{{#fte:imslpfile\n"
        f"|File Name 1={each.name}\n|File Description 1=Complete score\n|Page Count 1=3\n"
        f"|Editor={{{{LinkEd|Bo|Editor}}}}\n|Publisher Information={{{{P|Peters|city=X}}}}\n"
        f"|Copyright={each.rights}\n|Date Submitted={each.uploaded}\n}}}}\n"
        for each in files
    ]
    return "{{#fte:imslppage\n| *****FILES***** =\n" + "".join(entries) + "}}\n"


@dataclass
class Imslp:
    """The site as it is on a day."""

    site: StandIn
    works: dict[str, list[File]]
    countdown: int = 0
    """How many requests for a file get the countdown."""
    used_up: bool = False
    refuses: bool = False
    """Whether it refuses the account."""

    @property
    def mirrors(self) -> dict[str, str]:
        """For RERENDER_MIRRORS."""
        return dict.fromkeys(("imslp.org", "ks.imslp.info"), self.site.address)

    def next_day(self) -> str:
        """Upload one more file; returns how the id of its material begins."""
        self.works["Today (Example, Ada)"] = [File("PMLP6-today.pdf", uploaded=NEXT)]
        return "music/PMLP6-today/"

    def change(self, name: str, **changes) -> None:
        """Change a file."""
        for files in self.works.values():
            files[:] = [replace(f, **changes) if f.name == name else f for f in files]

    def files(self) -> dict[str, File]:
        return {each.name: each for files in self.works.values() for each in files}

    @property
    def downloads(self) -> list[str]:
        """The files that were asked for, by name."""
        return [
            each.path.rpartition("/")[2]
            for each in self.site.asked
            if each.path.startswith("/images/")
        ]


@contextmanager
def imslp(works: dict[str, list[File]] | None = None) -> Iterator[Imslp]:
    """Serve a site; by default with a few good files and several others."""
    with serving() as site:
        given = WORKS if works is None else works
        there = Imslp(site, {title: list(files) for title, files in given.items()})
        site.on("/imslpscripts/API.ISCR.php", lambda asked: _list(there, asked))
        site.on("/api.php", lambda asked: _api(there, asked))
        site.on("/api.php", lambda asked: _login(there, asked), method="POST")
        site.under("/images/", lambda asked: _file(there, asked))
        site.under("/wiki/Special:IMSLPDisclaimerAccept/", _accepted)
        site.under("/files/", lambda asked: _served(there, asked))
        yield there


def _list(there: Imslp, asked: Asked) -> Answer:
    arguments = dict(each.partition("=")[::2] for each in asked.target.partition("?")[2].split("/"))
    start = int(arguments["start"])
    titles = list(there.works)[start : start + PAGE_OF_LIST]
    entries = {
        str(number): {
            "id": title,
            "type": "2",
            "intvals": {"worktitle": title.partition(" (")[0]},
            "permlink": f"https://imslp.org/wiki/{title.replace(' ', '_')}",
        }
        for number, title in enumerate(titles)
    }
    more = start + len(titles) < len(there.works)
    about = {"start": start, "limit": 1000, "moreresultsavailable": more, "apiversion": 3}
    return json_answer({**entries, "metadata": about})


def _api(there: Imslp, asked: Asked) -> Answer:
    query = asked.query
    if query.get("meta") == "tokens":
        return json_answer({"query": {"tokens": {"logintoken": "abc+\\"}}})
    if query.get("action") == "parse":
        if query["page"] not in there.works:
            return json_answer({"error": {"code": "missingtitle", "info": "no such page"}})
        return json_answer({"parse": {"wikitext": {"*": wikitext(there.works[query["page"]])}}})
    if query.get("generator") == "allimages":
        return _recent(there, query["gaistart"][:10])
    name = query["titles"].removeprefix("File:")
    file = there.files().get(name)
    if file is None:
        return json_answer({"query": {"pages": {"-1": {"title": name, "missing": ""}}}})
    info = {
        "timestamp": f"{file.uploaded}T10:10:10Z",
        "size": len(file.body) if file.size is None else file.size,
        "url": f"//imslp.org{file.path}",
        "sha1": hashlib.sha1(file.body + name.encode()).hexdigest(),  # noqa: S324
        "mime": "application/pdf",
    }
    return json_answer({"query": {"pages": {"7": {"title": query["titles"], "imageinfo": [info]}}}})


def _recent(there: Imslp, since: str) -> Answer:
    pages = {
        str(number): {"title": f"File:{each.name}", "fileusage": [{"ns": 0, "title": title}]}
        for number, (title, each) in enumerate(
            (title, each) for title, files in there.works.items() for each in files
        )
        if str(each.uploaded) >= since
    }
    return json_answer({"query": {"pages": pages}} if pages else {"batchcomplete": ""})


def _login(there: Imslp, asked: Asked) -> Answer:
    form = dict(parse_qsl(asked.body.decode()))
    right = (form["lgname"], form["lgpassword"], form["lgtoken"]) == (NAME, PASSWORD, "abc+\\")
    result = "Success" if right and not there.refuses else "Failed"
    answer = json_answer({"login": {"result": result, "lgusername": form["lgname"]}})
    return replace(answer, cookies=("imslp_session=s1; Path=/",))


def _file(there: Imslp, asked: Asked) -> Answer:
    cookies = asked.headers.get("cookie", "")
    if "imslpdisclaimeraccepted=yes" not in cookies or "imslp_session=s1" not in cookies:
        return html(DISCLAIMER)
    if there.used_up:
        return html(SUBSCRIBE)
    if there.countdown:
        there.countdown -= 1
        return html(COUNTDOWN)
    name = asked.path.rpartition("/")[2]
    return redirect(f"https://imslp.org/wiki/Special:IMSLPDisclaimerAccept/{name}")


def _accepted(asked: Asked) -> Answer:
    name = asked.path.rpartition("/")[2]
    return redirect(f"https://ks.imslp.info/files/{name}", "imslpdisclaimer=1; Path=/")


def _served(there: Imslp, asked: Asked) -> Answer:
    file = there.files()[asked.path.rpartition("/")[2]]
    return typed(file.body, "application/pdf")
