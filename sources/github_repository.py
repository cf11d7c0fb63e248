"""The files of a repository at one commit, by its archive: no clone, no history, no submodules."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.archive import Limits, unpack
from sources.github_api import API, Repository
from sources.http import MEGABYTE, Claim, Client, Keep, Site

ARCHIVE_BYTES = 10 * MEGABYTE
"""Largest archive, packed; what is searched for has at most a tenth."""
LIMITS = Limits(files=2_000, file_bytes=5 * MEGABYTE, total_bytes=20 * MEGABYTE)
"""Of the unpacked archive: what a renderer takes, see ``renderers.bundle.CAPS``."""

LATER = dt.timedelta(days=1)
"""Added to the time of the last push, since the clocks of authors are not GitHub's."""

_POINTER = b"version https://git-lfs.github.com/spec/v1"
_EMPTY = 409
"""GitHub's status for the commits of a repository that has none."""


class _Commit(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    sha: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]


_COMMITS = TypeAdapter(list[_Commit])


@dataclass(frozen=True)
class Checkout:
    """What a repository holds at a commit."""

    commit: str
    address: str
    """Where the archive comes from."""
    files: dict[str, bytes]
    """By their paths in the repository."""
    links: tuple[str, ...]
    """Symbolic links, which are left out."""


def download(client: Client, site: Site, repository: Repository) -> Outcome[Checkout]:
    """Download the newest commit of the default branch.

    Both answers are kept for ever: the archive names its commit, and the question for the commit
    the last push, so whoever pushes again makes it a new question.

    Returns:
        The files, or a failure whose subject is the repository: NO_SOURCE (no commit),
        MISSING_RESOURCE (parts that no archive holds: submodules, files in Git LFS), those of
        ``sources.archive.unpack``, NOT_AS_CLAIMED, and those of the client.
    """
    commit = _newest(client, site, repository)
    if isinstance(commit, Failed):
        return _of(repository, commit)
    address = f"{API}/repos/{repository.full_name}/tarball/{commit.value}"
    archive = client.get(site, address, claims={Claim.GZIP}, most=ARCHIVE_BYTES, keep=Keep.FOR_EVER)
    if isinstance(archive, Failed):
        return _of(repository, archive)
    links: list[str] = []
    files = unpack(archive.value.body, LIMITS, skipped=links)
    if isinstance(files, Failed):
        return _of(repository, files)
    inner = _without_top(files.value)
    if inner is None:
        message = "the archive is not one folder, as GitHub's are"
        return _failed(repository, Kind.NOT_AS_CLAIMED, message)
    lacking = _lacking(inner)
    if lacking:
        return _failed(repository, Kind.MISSING_RESOURCE, lacking)
    inner_links = tuple(sorted(link.partition("/")[2] for link in links))
    return ok(Checkout(commit.value, address, inner, inner_links))


def _newest(client: Client, site: Site, repository: Repository) -> Outcome[str]:
    """Ask for the newest commit of the default branch as of the last push."""
    params: dict[str, str | int] = {"per_page": 1}
    if repository.pushed_at is not None:
        until = repository.pushed_at.astimezone(dt.UTC) + LATER
        params["until"] = f"{until:%Y-%m-%dT%H:%M:%SZ}"
    answer = client.get(
        site,
        f"{API}/repos/{repository.full_name}/commits",
        params=params,
        claims={Claim.JSON},
        keep=Keep.FOR_EVER if "until" in params else Keep.CHECKED,
        accept={_EMPTY},
    )
    if isinstance(answer, Failed):
        return answer
    if answer.value.status == _EMPTY:
        return _failed(repository, Kind.NO_SOURCE, "the repository is empty")
    try:
        commits = _COMMITS.validate_json(answer.value.body)
    except ValidationError:
        return _failed(repository, Kind.NOT_AS_CLAIMED, "GitHub sent no list of commits")
    if not commits:
        return _failed(repository, Kind.NO_SOURCE, "no commit is as old as its last push")
    return ok(commits[0].sha)


def _without_top(files: dict[str, bytes]) -> dict[str, bytes] | None:
    """Take the files out of the one folder that GitHub puts around them, whatever its name."""
    tops = {name.partition("/")[0] for name in files if "/" in name}
    if len(tops) > 1 or any("/" not in name for name in files):
        return None
    return {name.partition("/")[2]: data for name, data in files.items()}


def _lacking(files: dict[str, bytes]) -> str:
    """Say which parts of a repository its archive does not hold, or return an empty string."""
    if ".gitmodules" in files:
        return "it has submodules, which GitHub's archives leave out"
    pointers = sorted(name for name, data in files.items() if data.startswith(_POINTER))
    if pointers:
        return f"{len(pointers)} files lie in Git LFS, among them {pointers[0]}"
    return ""


def _of(repository: Repository, failure: Failed) -> Failed:
    """Name the repository as what a failure happened to; the message keeps the address."""
    told = failure.message
    if failure.subject and failure.subject not in told:
        told = f"{told} ({failure.subject})"
    return _failed(repository, failure.kind, told, failure.detail)


def _failed(repository: Repository, kind: Kind, message: str, detail: str = "") -> Failed:
    return Failed.of(Stage.FETCH, kind, message, detail, subject=repository.page)
