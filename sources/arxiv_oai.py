"""arXiv's records by OAI-PMH: the licence of a paper, and lists of papers by day.

The day of a record is that of the last change of what is said of a paper, never that of its
submission; ``created`` is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.arxiv_site import SITE, Listed, split_name, unlisted
from sources.http import Claim, Client, Keep, Response

ADDRESS = "https://oaipmh.arxiv.org/oai"
MOST_PAGES = 200
"""Of the records of one day."""

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_ARXIV = "{http://arxiv.org/OAI/arXiv/}"


class _Page(NamedTuple):
    records: list[Listed]
    deleted: int
    unread: int
    """Records that are neither deleted nor to be read."""
    token: str | None
    error: str | None
    said: str


def record(client: Client, identifier: str) -> Outcome[Listed | None]:
    """Return what is said of a paper, its licence above all.

    Returns:
        The record; None if there is none (yet); or a failure, of kind GONE for one that was
        deleted.
    """
    params = {
        "verb": "GetRecord",
        "identifier": f"oai:arXiv.org:{identifier}",
        "metadataPrefix": "arXiv",
    }
    page = _ask(client, params, Keep.TODAY)
    if isinstance(page, Failed):
        return page if page.kind is Kind.GONE else unlisted(page)
    if page.value.error == "idDoesNotExist":
        return ok(None)
    if page.value.error is not None:
        return _not(f"arXiv's OAI: {page.value.error} {page.value.said}", identifier)
    if page.value.deleted:
        return Failed.of(Stage.FETCH, Kind.GONE, "its record is deleted", subject=identifier)
    same = [each for each in page.value.records if each.identifier == identifier]
    return ok(same[0] if same else None)


def records(client: Client, day: dt.date) -> Iterator[Outcome[Listed]]:
    """Yield the papers whose records changed on a day, deleted ones left out.

    Records that cannot be read are told as one failure of each page, which ends nothing.
    A token for the next page that has expired makes the day begin again, once.
    """
    seen: set[str] = set()
    for keep in (Keep.TODAY, Keep.NOT):
        expired = False
        for outcome in _pages(client, day, keep):
            if isinstance(outcome, Failed):
                yield outcome
                return
            if outcome.value.error == "badResumptionToken":
                expired = True
                break
            for listed in outcome.value.records:
                if listed.identifier not in seen:
                    seen.add(listed.identifier)
                    yield ok(listed)
            if outcome.value.unread:
                message = (
                    f"records of the list of {day} that cannot be read: {outcome.value.unread}"
                )
                yield _not(message, ADDRESS)
        if not expired:
            return
    message = f"tokens for the list of {day} expire as soon as they are given; run again later"
    yield Failed.of(Stage.FETCH, Kind.NETWORK, message, subject=ADDRESS)


def _pages(client: Client, day: dt.date, keep: Keep) -> Iterator[Outcome[_Page]]:
    params = {
        "verb": "ListRecords",
        "metadataPrefix": "arXiv",
        "from": day.isoformat(),
        "until": day.isoformat(),
    }
    for _ in range(MOST_PAGES):
        page = _ask(client, params, keep)
        if isinstance(page, Failed):
            yield unlisted(page)
            return
        error = page.value.error
        if error == "noRecordsMatch":
            return
        if error not in (None, "badResumptionToken"):
            yield unlisted(_not(f"arXiv's OAI: {error} {page.value.said}", ADDRESS))
            return
        yield page
        if page.value.token is None:
            return
        params = {"verb": "ListRecords", "resumptionToken": page.value.token}
    yield unlisted(_not(f"the list of {day} has more than {MOST_PAGES} pages", ADDRESS))


def _not(message: str, subject: str) -> Failed:
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=subject)


def _ask(client: Client, params: dict[str, str], keep: Keep) -> Outcome[_Page]:
    got = client.get(SITE, ADDRESS, params=params, claims=(Claim.XML,), keep=keep)
    if isinstance(got, Failed):
        return got
    page = _read(got.value)
    if isinstance(page, Failed) and got.value.from_cache:
        return _ask(client, params, Keep.NOT)
    return page


def _read(response: Response) -> Outcome[_Page]:
    try:
        root = ElementTree.fromstring(response.body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as raised:
        return _not(f"not XML that can be read: {raised}", response.url)
    if root.tag != f"{_OAI}OAI-PMH":
        return _not("no answer of OAI-PMH", response.url)
    error = root.find(f"{_OAI}error")
    found = list(root.iter(f"{_OAI}record"))
    deleted = sum(_is_deleted(each) for each in found)
    token = (root.findtext(f".//{_OAI}resumptionToken") or "").strip()
    records = [listed for each in found if (listed := _listed(each)) is not None]
    return ok(
        _Page(
            records=records,
            deleted=deleted,
            unread=max(0, len(found) - deleted - len(records)),
            token=token or None,
            error=None if error is None else error.get("code", ""),
            said="" if error is None else (error.text or "").strip(),
        )
    )


def _is_deleted(record: Element) -> bool:
    header = record.find(f"{_OAI}header")
    return header is not None and header.get("status") == "deleted"


def _listed(record: Element) -> Listed | None:
    """Read a record; None if it is deleted, or has nothing that can be read."""
    paper = record.find(f"{_OAI}metadata/{_ARXIV}arXiv")
    named = split_name((paper.findtext(f"{_ARXIV}id") or "").strip()) if paper is not None else None
    if paper is None or named is None:
        return None
    try:
        created = dt.date.fromisoformat((paper.findtext(f"{_ARXIV}created") or "").strip())
    except ValueError:
        return None
    licence = (paper.findtext(f"{_ARXIV}license") or "").strip()
    return Listed(
        identifier=named[0],
        # only papers that were changed say when
        version=1 if paper.find(f"{_ARXIV}updated") is None else None,
        created=created,
        authors=tuple(_names(paper)),
        categories=tuple((paper.findtext(f"{_ARXIV}categories") or "").split()),
        comment=paper.findtext(f"{_ARXIV}comments") or "",
        licence=licence or None,
    )


def _names(paper: Element) -> Iterator[str]:
    for author in paper.iterfind(f"{_ARXIV}authors/{_ARXIV}author"):
        parts = (author.findtext(f"{_ARXIV}{part}") or "" for part in ("forenames", "keyname"))
        name = " ".join(part.strip() for part in parts if part.strip())
        if name:
            yield name
