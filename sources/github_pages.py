"""The source `github-pages`: web sites of GitHub users, as in Image2Struct (arXiv 2410.22456)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material, Provenance, digest_bytes, digest_json
from benchmark.settings import Settings
from sources import licences
from sources.github_api import Repository, core_site, search_site, with_advice
from sources.github_repository import Checkout, download
from sources.github_search import SIZE_KB, Search
from sources.http import Client
from sources.webpage_files import SiteFiles, shown_before, sort_files, unsuitable
from sources.webpage_filter import check_bounds, measure
from sources.webpage_needs import check_needs, needs_jekyll

LANGUAGES = ("html", "css", "javascript")
"""The subsets: the main language, as GitHub counts it."""

ABOUT = (
    "Web sites from the repositories of GitHub Pages, the newest first, one of each owner. Each "
    "keeps the licence of its author; without one that lets everybody pass it on, a published "
    "snapshot says how to fetch it again."
)


class GithubPages:
    """The source `github-pages`."""

    name = "github-pages"
    scenarios = ("webpage",)
    about = ABOUT
    live = True

    def __init__(self, *, today: dt.date | None = None) -> None:
        """Choose the last day that is searched; None: today (UTC)."""
        self._today = today

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield sites made from a day on, the newest of each subset in turns.

        Args:
            since: the day (UTC) from which repositories were made; their last change may be later.
            limit: at most so many sites.

        Yields:
            Material of scenario `webpage`, whose truth is the list of the site's text files and
            whose assets are its pictures, films, fonts and sounds. Attributes: `repository`,
            `commit`, `language`, `jekyll` (built by it, or finished), `files`, `lines` (of pages,
            scripts and style sheets), `assets`, `bytes` (of text), `folder`.
            Failures name the repository. One that is ours (a token that is refused, a quota that
            is used up, a site that does not answer) comes once and is the last.
        """
        settings = Settings()
        today = self._today or dt.datetime.now(dt.UTC).date()
        with Client(settings) as client:
            turns = _Turns(client, settings, since, today)
            left = limit
            while turns.more and (left is None or left > 0):
                outcome = turns.take()
                if isinstance(outcome, Ok):
                    left = None if left is None else left - 1
                    yield outcome
                elif isinstance(outcome, Failed):
                    yield with_advice(outcome, settings)
                    if not outcome.final:
                        return


class _Turns:
    """Takes turns between the subsets: each gives one site, then the next one is asked."""

    def __init__(
        self, client: Client, settings: Settings, since: dt.date | None, today: dt.date
    ) -> None:
        self._client = client
        self._core = core_site(settings)
        self._since = since
        site = search_site(settings)
        self._waiting = [
            (language, Search(client, site, language).find(since, today)) for language in LANGUAGES
        ]
        self._repositories: set[int] = set()
        self._owners: set[int] = set()
        self._doubt: Failed | None = None
        self._cleared: list[Failed] = []

    @property
    def more(self) -> bool:
        """Whether there may be something left to take."""
        return bool(self._waiting or self._cleared or self._doubt)

    def take(self) -> Outcome[Material] | None:
        """Look at one more repository; None where nothing came of it that is to be told."""
        if self._cleared:
            return self._cleared.pop()
        if not self._waiting:
            return self._doubt
        language, found = self._waiting[0]
        outcome = next(found, None)
        if outcome is None:
            self._waiting.pop(0)
            return None
        if isinstance(outcome, Failed):
            return outcome
        if outcome.value.id in self._repositories:
            return None
        self._repositories.add(outcome.value.id)
        made = self._unwanted(outcome.value) or self._make(language, outcome.value)
        if isinstance(made, Ok):
            self._owners.add(outcome.value.owner.id)
            self._waiting.append(self._waiting.pop(0))
        return made

    def _make(self, language: str, repository: Repository) -> Outcome[Material] | None:
        checkout = download(self._client, self._core, repository)
        if isinstance(checkout, Failed) and checkout.kind is Kind.NETWORK:
            return self._wait_and_see(checkout)
        if self._doubt and (isinstance(checkout, Ok) or checkout.final):
            message = f"{self._doubt.message}; others are sent, so it is this repository's fault"
            told = self._doubt.model_copy(update={"kind": Kind.NO_SOURCE, "message": message})
            self._doubt, self._cleared = None, [told]
        if isinstance(checkout, Failed):
            return checkout
        site = _choose(checkout.value)
        if isinstance(site, Failed):
            return site.model_copy(update={"subject": repository.page})
        return ok(_material(language, repository, checkout.value, site.value))

    def _wait_and_see(self, failure: Failed) -> Failed | None:
        """Tell a site that is down from one repository that it cannot send.

        The first that is not sent is put aside. If the next one is not sent either, the site is
        down; if it is, the first would only stand in the way of each later run.
        """
        if self._doubt:
            return failure
        self._doubt = failure
        return None

    def _unwanted(self, repository: Repository) -> Failed | None:
        """Drop what its listing already speaks against."""
        since = self._since
        reasons = {
            "it is a fork": repository.fork,
            "it is archived": repository.archived,
            "it is disabled": repository.disabled,
            "it is empty": repository.size == 0,
        }
        if since is not None and repository.created < since:
            return _dropped(repository, Kind.OUT_OF_DATE, f"made on {repository.created}")
        if repository.size > SIZE_KB:
            message = f"{repository.size} kilobytes, more than {SIZE_KB}"
            return _dropped(repository, Kind.TOO_LARGE, message)
        for reason, is_so in reasons.items():
            if is_so:
                return _dropped(repository, Kind.UNSUITABLE, reason)
        if repository.owner.id in self._owners:
            message = f"there is a site of {repository.owner.login} already"
            return _dropped(repository, Kind.OWNER_LIMIT, message)
        return None


def _choose(checkout: Checkout) -> Outcome[SiteFiles]:
    """Find the site in a repository and hold it against the rules."""
    site = sort_files(checkout.files)
    if isinstance(site, Failed):
        return site
    linked = shown_before(site.value, checkout.links)
    if linked:
        return unsuitable(f"{linked}, which it shows first, is a symbolic link")
    return check_bounds(site.value) or check_needs(site.value)


def _material(
    language: str, repository: Repository, checkout: Checkout, site: SiteFiles
) -> Material:
    measures = measure(site)
    licence = repository.spdx
    attributes: dict[str, JsonValue] = {
        "repository": repository.full_name,
        "commit": checkout.commit,
        "language": language,
        "jekyll": needs_jekyll(site),
        "files": len(site.texts),
        "lines": measures.code_lines + measures.style_lines,
        "assets": len(site.assets),
        "bytes": measures.text_bytes,
        "folder": site.folder,
    }
    return Material(
        id=f"webpage/{language}/{repository.full_name}",
        scenario="webpage",
        subset=language,
        truth=site.truth,
        assets=dict(site.assets),
        provenance=Provenance(
            source=GithubPages.name,
            author=repository.owner.login,
            licence=licence,
            created=repository.created,
            url=repository.page,
            made=_made(language, checkout, site),
            publishable=licences.publishable(licence),
            recipe=_recipe(checkout, site),
        ),
        attributes=attributes,
    )


def _made(language: str, checkout: Checkout, site: SiteFiles) -> str:
    told = [
        f"found by GitHub's search for user pages in {language}; the newest commit of the default "
        "branch when it was fetched",
        *site.changes,
    ]
    if site.left_out:
        told.append(f"{len(site.left_out)} files without a part in the page left out")
    if checkout.links:
        told.append(f"{len(checkout.links)} symbolic links left out")
    return "; ".join(told)


def _recipe(checkout: Checkout, site: SiteFiles) -> dict[str, JsonValue]:
    """Say how the same content is fetched again; GitHub may pack the same files otherwise."""
    content = {path: digest_bytes(data) for path, data in site.assets.items()}
    content |= {path: digest_bytes(text.encode()) for path, text in site.texts.items()}
    names: list[JsonValue] = [*sorted(content)]
    changes: list[JsonValue] = [*site.changes]
    return {
        "address": checkout.address,
        "commit": checkout.commit,
        "folder": site.folder,
        "files": names,
        "changes": changes,
        "sha256": digest_json(content),
    }


def _dropped(repository: Repository, kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.FILTER, kind, message, subject=repository.page)
