"""The source of a paper as arXiv sends it: told by its bytes, never by its name or type."""

from __future__ import annotations

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.archive import GZIP, ZIP, unpack
from sources.arxiv_site import SITE, Listed, stopping
from sources.http import MEGABYTE, Claim, Client, Keep
from sources.latex_files import SINGLE, TEX

ADDRESS = "https://export.arxiv.org/src/"
MOST_BYTES = 50 * MEGABYTE
_KEPT = frozenset({Claim.GZIP, Claim.TAR, Claim.ZIP, Claim.PDF})
"""What is kept: a page that stands in a source's place for an hour would stay there for ever."""
_PRINTED = (b"%PDF", b"%!PS")
_USTAR = slice(257, 262)
_STUB_BYTES = 2_000
"""A source that tells of a withdrawal is no longer than that."""


def fetch(client: Client, paper: Listed) -> Outcome[dict[str, bytes]]:
    """Return the files of a paper's latest version.

    Returns:
        The files by path; or a failure: NO_SOURCE (only a PDF), WITHDRAWN (a stub, or nothing in
        place of a later version: an earlier one is not taken instead), NOT_AS_CLAIMED (a page in
        its place, bytes of no kind), those of the client and of ``sources.archive.unpack``. One
        that is not final ends the source.
    """
    keep = Keep.TODAY if paper.version is None else Keep.FOR_EVER
    got = client.get(SITE, ADDRESS + paper.name, most=MOST_BYTES, keep=keep, kept=_KEPT)
    if isinstance(got, Failed):
        if got.kind is Kind.GONE and paper.version != 1:
            return _failed(Kind.WITHDRAWN, "its latest version has no source", paper)
        return stopping(got).model_copy(update={"subject": paper.address})
    files = open_source(got.value.body)
    if isinstance(files, Failed):
        return files.model_copy(update={"subject": paper.address})
    return files


def open_source(body: bytes) -> Outcome[dict[str, bytes]]:
    """Return the files that a source holds, whatever arXiv or the way has wrapped it in."""
    is_archive = body.startswith((GZIP, ZIP)) or body[_USTAR] == b"ustar"
    opened = unpack(body, single_name=SINGLE) if is_archive else _plain(body)
    if isinstance(opened, Failed):
        return opened
    files = {path: data for path, data in opened.value.items() if data}
    if len(files) == 1:
        data = next(iter(files.values()))
        if data.startswith(_PRINTED):
            return Failed.of(Stage.FILTER, Kind.NO_SOURCE, "only a PDF was submitted")
    if _is_withdrawal(files):
        return Failed.of(Stage.FILTER, Kind.WITHDRAWN, "in place of the source it says withdrawn")
    if not any(path.lower().endswith(TEX) for path in files):
        listed = ", ".join(sorted(files)[:5]) or "nothing"
        return Failed.of(Stage.FILTER, Kind.NO_SOURCE, f"no LaTeX in the source, but {listed}")
    return ok(files)


def _plain(body: bytes) -> Outcome[dict[str, bytes]]:
    """Return a single file that came without any wrapping."""
    if not body.startswith(_PRINTED) and (b"\0" in body or body.lstrip()[:1] in (b"<", b"")):
        message = "neither an archive nor LaTeX: a page of HTML, or bytes of no kind"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message)
    return ok({SINGLE: body})


def _is_withdrawal(files: dict[str, bytes]) -> bool:
    """Tell whether files only say that the paper was withdrawn."""
    if not files or sum(map(len, files.values())) > _STUB_BYTES:
        return False
    named = any("withdrawn" in path.lower() for path in files)
    texts = [data.lower() for data in files.values()]
    told = any(b"withdrawn" in text for text in texts)
    return named or (told and not any(rb"\documentclass" in text for text in texts))


def _failed(kind: Kind, message: str, paper: Listed) -> Failed:
    return Failed.of(Stage.FILTER, kind, message, subject=paper.address)
