"""A loopback stand-in of arXiv: its query interface, its OAI records and its sources."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from xml.sax.saxutils import escape

from tests.servers.arxiv_papers import Paper, new_paper, papers_of
from tests.servers.site import Answer, Asked, StandIn, html, serving, typed, xml

HOSTS = ("export.arxiv.org", "oaipmh.arxiv.org", "arxiv.org")
QUERY, OAI, SOURCES = "/api/query", "/oai", "/src/"
_SEARCH = re.compile(r"cat:(\S+) AND submittedDate:\[(\d{12}) TO (\d{12})\]")
MOST = 30_000


class ArxivServer:
    """What the stand-in knows, and how it is made to fail."""

    def __init__(self, site: StandIn, papers: Sequence[Paper], day: dt.date) -> None:
        self.site = site
        self.papers = list(papers)
        self.day = day
        self.page = 2
        """Records on a page of OAI."""
        self.empty_pages = 0
        """How many pages of results come empty, with the total in place."""
        self.expired_tokens = 0
        """How many tokens are refused."""
        self.pretended_total: int | None = None
        """A total that whole days have in place of the real one."""
        site.on(QUERY, self.query)
        site.on(OAI, self.oai)
        site.under(SOURCES, self.source)

    @property
    def mirrors(self) -> str:
        """The value of RERENDER_MIRRORS."""
        return json.dumps(dict.fromkeys(HOSTS, self.site.address))

    def next_day(self) -> Paper:
        """Add a paper of two days later (by default: of tomorrow); ask with `since` that day.

        Lists are kept until midnight, as arXiv asks; so the new paper has to be of a day that no
        list was asked for yet.
        """
        paper = new_paper(self.day + dt.timedelta(days=2))
        self.papers.append(paper)
        return paper

    def query(self, asked: Asked) -> Answer:
        found = _SEARCH.fullmatch(asked.query.get("search_query", ""))
        if found is None:
            return error_feed("search_query", "malformed query")
        category, first, last = found.groups()
        span = [dt.datetime.strptime(each, "%Y%m%d%H%M") for each in (first, last)]
        papers = [
            paper
            for paper in self.papers
            if span[0] <= paper.submitted.replace(second=0) <= span[1]
            and any(_is_of(each, category) for each in paper.categories)
        ]
        papers.sort(key=lambda paper: paper.submitted, reverse=True)
        start, size = int(asked.query["start"]), int(asked.query["max_results"])
        total = len(papers)
        if self.pretended_total is not None and span[1] - span[0] > dt.timedelta(hours=12):
            total = self.pretended_total
        if start >= MOST:
            return error_feed("start", "too many", 400)
        page = papers[start : start + size]
        if self.empty_pages and page:
            self.empty_pages -= 1
            page = []
        return feed(page, total, start)

    def oai(self, asked: Asked) -> Answer:
        if asked.query["verb"] == "GetRecord":
            wanted = asked.query["identifier"].removeprefix("oai:arXiv.org:")
            found = [paper for paper in self.papers if paper.identifier == wanted]
            if not found:
                return oai_error("idDoesNotExist", "no such paper")
            return oai(f"<GetRecord>{record(found[0])}</GetRecord>")
        start = 0
        if "resumptionToken" in asked.query:
            if self.expired_tokens:
                self.expired_tokens -= 1
                return oai_error("badResumptionToken", "expired")
            day, start = asked.query["resumptionToken"].split("/")
            start = int(start)
        else:
            day = asked.query["from"]
        papers = [paper for paper in self.papers if paper.recorded.isoformat() == day]
        if not papers:
            return oai_error("noRecordsMatch", "")
        records = "".join(record(paper) for paper in papers[start : start + self.page])
        after = start + self.page
        token = f"{day}/{after}" if after < len(papers) else ""
        return oai(
            f"<ListRecords>{records}<resumptionToken>{token}</resumptionToken></ListRecords>"
        )

    def source(self, asked: Asked) -> Answer:
        name = asked.path.removeprefix(SOURCES)
        identifier, _, version = name.partition("v")
        for paper in self.papers:
            if paper.identifier != identifier:
                continue
            wanted = int(version) if version else paper.version
            body = paper.source if wanted == paper.version else paper.earlier.get(wanted)
            if body is not None:
                return typed(body, "application/x-eprint-tar")
        return html("<!DOCTYPE html><html><body>No source for this paper</body></html>", 404)


def _is_of(category: str, wanted: str) -> bool:
    return category.startswith(wanted[:-1]) if wanted.endswith(".*") else category == wanted


def feed(papers: Sequence[Paper], total: int, start: int = 0) -> Answer:
    """Answer with a page of results."""
    return _feed("".join(entry(paper) for paper in papers), total, start)


def entry(paper: Paper) -> str:
    """Tell of a paper in Atom."""
    authors = "".join(f"<author><name>{escape(name)}</name></author>" for name in paper.authors)
    terms = "".join(f'<category term="{term}"/>' for term in paper.categories)
    comment = f"<arxiv:comment>{escape(paper.comment)}</arxiv:comment>" if paper.comment else ""
    return (
        f"<entry><id>http://arxiv.org/abs/{paper.name}</id><title>{escape(paper.title)}</title>"
        f"<published>{paper.submitted:%Y-%m-%dT%H:%M:%SZ}</published>"
        f"<updated>{paper.submitted:%Y-%m-%dT%H:%M:%SZ}</updated><summary>We invent.</summary>"
        f'{authors}<link href="https://arxiv.org/abs/{paper.name}" rel="alternate"/>'
        f'<arxiv:primary_category term="{paper.categories[0]}"/>{terms}{comment}</entry>'
    )


def error_feed(argument: str, told: str, status: int = 200) -> Answer:
    """Answer with an error, which looks like one result."""
    text = (
        f"<entry><id>https://arxiv.org/api/errors#{argument}</id><title>Error</title>"
        f"<summary>{escape(told)}</summary><updated>2026-01-01T00:00:00Z</updated></entry>"
    )
    return _feed(text, 1, 0, status)


def _feed(entries: str, total: int, start: int, status: int = 200) -> Answer:
    return xml(
        "<?xml version='1.0' encoding='UTF-8'?>"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">'
        f"<id>https://arxiv.org/api/x</id><title>arXiv Query</title>"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>",
        status,
    )


def record(paper: Paper) -> str:
    """Tell of a paper in OAI."""
    status = ' status="deleted"' if paper.deleted else ""
    header = (
        f"<header{status}><identifier>oai:arXiv.org:{paper.identifier}</identifier>"
        f"<datestamp>{paper.recorded}</datestamp></header>"
    )
    if paper.deleted:
        return f"<record>{header}</record>"
    authors = "".join(
        f"<author><keyname>{escape(name.rpartition(' ')[2])}</keyname>"
        f"<forenames>{escape(name.rpartition(' ')[0])}</forenames></author>"
        for name in paper.authors
    )
    updated = f"<updated>{paper.recorded}</updated>" if paper.version > 1 else ""
    licence = f"<license>{paper.licence}</license>" if paper.licence else ""
    comments = f"<comments>{escape(paper.comment)}</comments>" if paper.comment else ""
    return (
        f'<record>{header}<metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/">'
        f"<id>{paper.identifier}</id><created>{paper.submitted:%Y-%m-%d}</created>{updated}"
        f"<authors>{authors}</authors><title>{escape(paper.title)}</title>"
        f"<categories>{' '.join(paper.categories)}</categories>{comments}{licence}"
        "<abstract>We invent.</abstract></arXiv></metadata></record>"
    )


def oai(inner: str) -> Answer:
    """Answer with OAI-PMH."""
    return xml(
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{inner}</OAI-PMH>'
    )


def oai_error(code: str, told: str) -> Answer:
    """Answer with an error of OAI-PMH, which has status 200."""
    return oai(f'<error code="{code}">{escape(told)}</error>')


@contextmanager
def arxiv_server(
    papers: Sequence[Paper] | None = None, day: dt.date | None = None
) -> Iterator[ArxivServer]:
    """Serve papers; by default those that ``papers_of`` has for yesterday and the day before."""
    day = day or dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1)
    with serving() as site:
        yield ArxivServer(site, papers_of(day) if papers is None else papers, day)
