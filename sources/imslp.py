"""IMSLP: scans of printed music, one system of one page of a file; the truth is not known.

Off by default: its files lie at addresses that its robots.txt asks robots to leave alone, behind a
notice that a person must accept. Nothing is asked for before a user has set an account and has
accepted the site's terms; see docs/sources.md.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
from collections.abc import Iterator

from pydantic import JsonValue

from benchmark import workbench
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance, digest_bytes
from benchmark.settings import Settings
from sources import score_page
from sources.http import Client
from sources.http_pace import CLOCK, Clock
from sources.imslp_page import FileEntry, read_entries
from sources.imslp_site import HOST, ImslpSite, Upload
from sources.score_page import Grey, Page

DPI = 200
MOST_TRIED = 6
"""Pages of a file that are looked at."""
LEAST_SYSTEMS = 2
"""On a page of music; a title or a single line of an example has fewer."""

METRICS = ("pixel", "ssim", "lpips", "cis", "ems")
"""Those of the scenario that compare pictures."""

_SUBSETS = {1: "melody", 2: "piano"}
_SLUG = re.compile(r"[^A-Za-z0-9._-]+")
OFF = (
    "IMSLP is off: set imslp_username, imslp_password and imslp_accept_terms to download scores. "
    "Its robots.txt excludes the files and a person must accept its terms; see docs/sources.md"
)


class Imslp:
    """The source `imslp`."""

    name = "imslp"
    scenarios = ("music",)
    live = True
    about = (
        "Single systems cut out of scans of printed music at IMSLP, each under the rights that its "
        "page states. They are pictures without ground truth, so only metrics that compare "
        "pictures score them."
    )

    def __init__(self, client: Client | None = None, clock: Clock = CLOCK) -> None:
        """Use a client and a clock of one's own, or those of the process."""
        self._client = client
        self._clock = clock

    @property
    def off(self) -> str | None:
        """Why the source is not asked unless it is named: it is not set up."""
        return OFF if _account(Settings()) is None else None

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield one system of each file that was uploaded on or after `since`.

        Without an account and accepted terms there is one failure (FORBIDDEN) and no request.
        """
        if limit is not None and limit <= 0:
            return
        settings = Settings()
        account = _account(settings)
        if account is None:
            yield Failed.of(Stage.FETCH, Kind.FORBIDDEN, OFF, subject=HOST)
            return
        with self._client or Client(settings) as client:
            site = ImslpSite(client, self._clock)
            refused = site.log_in(*account)
            if refused:
                yield refused
                return
            yield from _collect(site, since, limit)


def _account(settings: Settings) -> tuple[str, str] | None:
    """Return name and password, where the user has an account and accepts the terms."""
    name, password = settings.imslp_username, settings.imslp_password
    if not name or password is None or not settings.imslp_accept_terms:
        return None
    return name, password.get_secret_value()


def _collect(
    site: ImslpSite, since: dt.date | None, limit: int | None
) -> Iterator[Outcome[Material]]:
    kept = 0
    for outcome in _materials(site, since):
        yield outcome
        kept += not isinstance(outcome, Failed)
        stopped = isinstance(outcome, Failed) and not outcome.final
        if stopped or (limit is not None and kept >= limit):
            return


def _materials(site: ImslpSite, since: dt.date | None) -> Iterator[Outcome[Material]]:
    seen: set[str] = set()
    for work in site.works() if since is None else site.recent_works(since):
        if isinstance(work, Failed):
            yield work
            return
        text = site.text(work.value)
        if isinstance(text, Failed):
            yield text
            continue
        for entry in read_entries(text.value):
            if entry.name in seen:
                continue
            seen.add(entry.name)
            outcome = _material(site, work.value, entry, since)
            if isinstance(outcome, Failed):
                subject = outcome.subject or f"File:{entry.name}"
                outcome = outcome.model_copy(update={"subject": subject})
            yield outcome


def _material(
    site: ImslpSite, work: str, entry: FileEntry, since: dt.date | None
) -> Outcome[Material]:
    unwanted = _rights(entry)
    if unwanted:
        return unwanted
    upload = site.upload(entry.name)
    if isinstance(upload, Failed):
        return upload
    uploaded = upload.value.uploaded
    if since is not None and uploaded < since:
        message = f"uploaded on {uploaded}, before {since}"
        return Failed.of(Stage.FILTER, Kind.OUT_OF_DATE, message)
    pdf = site.pdf(upload.value)
    if isinstance(pdf, Failed):
        return pdf
    chosen = _choose(pdf.value, upload.value)
    if isinstance(chosen, Failed):
        return chosen
    return ok(_describe(work, entry, upload.value, pdf.value, *chosen.value))


def _rights(entry: FileEntry) -> Failed | None:
    """Refuse what is not free everywhere that IMSLP names, and what is no scan."""
    if not entry.name.lower().endswith(".pdf"):
        return Failed.of(Stage.FILTER, Kind.UNSUITABLE, "no PDF")
    if entry.is_excluded:
        message = f"not free in a country that IMSLP names: {entry.copyright}"
        return Failed.of(Stage.FILTER, Kind.NO_LICENCE, message)
    if entry.licence is None:
        message = f"no licence that is known: {entry.copyright or 'none stated'}"
        return Failed.of(Stage.FILTER, Kind.NO_LICENCE, message)
    return None


def _choose(pdf: bytes, upload: Upload) -> Outcome[tuple[int, Page, int]]:
    """Return a page of music and which of its systems is taken; the same for the same file."""
    tools = workbench.current()
    count = tools.count_pages(pdf)
    if isinstance(count, Failed):
        return count
    pages = sorted(range(1, count.value + 1), key=lambda page: _lot(upload, page))
    for number in pages[:MOST_TRIED]:
        drawn = tools.draw_pages(pdf, [number], DPI)
        if isinstance(drawn, Failed):
            return drawn
        grey = score_page.read_grey(drawn.value[0])
        if isinstance(grey, Failed):
            return grey
        page = score_page.find_systems(grey.value)
        enough = len(page.systems) >= LEAST_SYSTEMS
        if enough and page.share >= score_page.LEAST_SHARE:
            return ok((number, page, int(_lot(upload, number)[:8], 16) % len(page.systems)))
    message = f"no sheet music: no staves on {min(count.value, MOST_TRIED)} pages of {count.value}"
    return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)


def _lot(upload: Upload, page: int) -> str:
    return digest_bytes(f"{upload.sha1 or upload.name} {page}".encode())


def _describe(
    work: str, entry: FileEntry, upload: Upload, pdf: bytes, number: int, page: Page, index: int
) -> Material:
    system = page.systems[index]
    recipe: dict[str, JsonValue] = {
        "work": work,
        "file": upload.name,
        "url": upload.url,
        "sha1": hashlib.sha1(pdf, usedforsecurity=False).hexdigest(),
        "sha256": digest_bytes(pdf),
        "page": number,
        "system": index + 1,
        "dpi": DPI,
    }
    attributes: dict[str, JsonValue] = {
        "title": work,
        "description": entry.description,
        "publisher": entry.publisher,
        "editor": entry.editor,
        "rights": entry.copyright,
        "staves": len(system.staves),
        "systems_on_page": len(page.systems),
        "turned": page.turned,
        "staff_space": system.staves[0].space,
    }
    slug = _slug(upload.name.rpartition(".")[0])
    composer = work.rpartition("(")[2].rstrip(")") if work.endswith(")") else "unknown composer"
    return Material(
        id=f"music/{slug}/page-{number}-system-{index + 1}",
        scenario="music",
        subset=_SUBSETS.get(len(system.staves), "voices"),
        truth=None,
        picture=_png(score_page.cut_system(page, index)),
        metrics=METRICS,
        provenance=Provenance(
            source=Imslp.name,
            author=f"{composer}; {entry.publisher or entry.editor or 'unknown publisher'}"[:300],
            licence=entry.licence or "",
            created=upload.uploaded,
            url=f"{HOST}/wiki/{work.replace(' ', '_')}",
            publishable=entry.may_pass_on,
            recipe=recipe,
            made=f"system {index + 1} of page {number}, found by its staves and cut out",
        ),
        attributes=attributes,
    )


def _slug(name: str) -> str:
    """Return a file's name in plain letters; with a digest where others may give the same."""
    plain = name.replace(" ", "_")  # one character to MediaWiki
    slug = _SLUG.sub("-", plain).strip("-")
    return slug if slug == plain else f"{slug}-{digest_bytes(plain.encode())[:8]}".strip("-")


def _png(grey: Grey) -> bytes:
    from PIL import Image  # noqa: PLC0415

    buffer = io.BytesIO()
    Image.fromarray(grey).save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()
