"""Every site at once: the loopback stand-ins of all sources, and what asks them instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from tests.servers import github_content
from tests.servers.arxiv_papers import real_papers
from tests.servers.arxiv_server import ArxivServer, arxiv_server
from tests.servers.github_server import GitHub, Repo, github
from tests.servers.imslp_server import NAME, PASSWORD, Imslp, imslp
from tests.servers.map_sites_server import BIGGERPLATE, CDN, MapSites, map_sites
from tests.servers.mutopia_server import REPOSITORY, Mutopia, mutopia
from tests.servers.site import Answer, Asked, serving

SOURCES = ("arxiv", "biggerplate", "github-pages", "imslp", "mutopia", "xmind-share", "zhixi")
"""The sources that read sites, by name."""

API = "api.github.com"


@dataclass
class Sites:
    """The stand-ins."""

    github: GitHub
    arxiv: ArxivServer
    maps: MapSites
    mutopia: Mutopia
    imslp: Imslp
    mirrors: dict[str, str] = field(default_factory=dict)

    def next_day(self) -> None:
        """Publish one more piece on every site."""
        for site in (self.github, self.arxiv, self.maps, self.mutopia, self.imslp):
            site.next_day()

    def downloads(self) -> list[str]:
        """Return the addresses of material (not of lists) that were asked for, in any order."""
        maps = [path for path in self.maps.sent if path.endswith((".xmind", ".mmap"))]
        papers = [asked.path for asked in self.arxiv.site.asked if asked.path.startswith("/src/")]
        scores = [asked.path for asked in self.mutopia.site.asked if asked.path.endswith(".ly")]
        return [*self.github.paths("tar.gz"), *papers, *maps, *scores, *self.imslp.downloads]

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which `rerender` asks the stand-ins in the place of the sites."""
        return {
            "RERENDER_MIRRORS": json.dumps(self.mirrors),
            "RERENDER_ARXIV_CATEGORIES": '["cs.*", "math.*"]',
            "RERENDER_IMSLP_USERNAME": NAME,
            "RERENDER_IMSLP_PASSWORD": PASSWORD,
            "RERENDER_IMSLP_ACCEPT_TERMS": "true",
        }


def show_real_files(sites: Sites, shared: Path) -> None:
    """Put files that people made among what the sites have, where a refresh meets them first."""
    real = shared / "real"
    sites.arxiv.papers = [*real_papers(shared, sites.arxiv.day), *sites.arxiv.papers]
    folder = real / "jekyll" / "image2struct_valid_repo"
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    sites.github.repositories.append(
        Repo("real/real.github.io", files, created="2026-11-26T08:00:00Z")
    )
    for name in ("HeidenroesleinM.ly", "bwv-938.ly", "carcassi-op60-11.ly"):
        text = (real / "ly" / name).read_text(encoding="utf-8", errors="replace")
        sites.mutopia.add(f"ftp/Real/{name}", text, sites.mutopia.commits[0])
    answers = sites.maps.answers
    for address, path in (
        (f"{CDN}/maps/Tea01.xmind", real / "xmind" / "xmind_pro.xmind"),
        (f"{BIGGERPLATE}/files/changed3.mmap", real / "mmap" / "wise_process.mmap"),
    ):
        answers[address] = replace(answers[address], body=path.read_bytes())


@contextmanager
def all_sites(shared: Path | None = None) -> Iterator[Sites]:
    """Serve every site with its default content, and with real files where they are at hand."""
    with ExitStack() as stack:
        hub = github(github_content.repositories(), github_content.tomorrow())
        sites = Sites(
            github=stack.enter_context(hub),
            arxiv=stack.enter_context(arxiv_server()),
            maps=stack.enter_context(map_sites()),
            mutopia=stack.enter_context(mutopia()),
            imslp=stack.enter_context(imslp()),
        )
        for mirrors in (
            sites.mutopia.mirrors,
            sites.github.mirrors,
            sites.maps.mirrors,
            sites.imslp.mirrors,
            json.loads(sites.arxiv.mirrors),
        ):
            sites.mirrors |= mirrors
        sites.mirrors[API] = stack.enter_context(_one_api(sites))
        if shared is not None:
            show_real_files(sites, shared)
        yield sites


@contextmanager
def _one_api(sites: Sites) -> Iterator[str]:
    """Serve GitHub's API for both who are on it: web pages and Mutopia's repository."""
    pages, scores = sites.github.mirrors[API], sites.mutopia.mirrors[API]

    def passed_on(asked: Asked) -> Answer:
        home = scores if asked.path.startswith(f"/repos/{REPOSITORY}") else pages
        sent = {"Authorization": value} if (value := asked.headers.get("authorization")) else {}
        answer = httpx.get(f"{home}{asked.target}", headers=sent, trust_env=False)
        kept = {name.title(): value for name, value in answer.headers.items() if name in KEPT}
        return Answer(answer.status_code, answer.content, kept)

    with serving() as api:
        api.under("/", passed_on)
        yield api.address


KEPT = {
    "content-type", "location", "etag", "last-modified", "retry-after", "link",
    "x-ratelimit-remaining", "x-ratelimit-reset",
}  # fmt: skip
