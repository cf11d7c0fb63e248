"""The source github-pages against a stand-in: contract, downloads, refusals, a second run."""

from __future__ import annotations

import datetime as dt
import io
import json
import subprocess
import sys
import tarfile

import pytest

from benchmark.outcome import Blame, Failed, Kind, Ok, Stage
from benchmark.settings import Settings
from sources.github_api import search_site
from sources.github_pages import GithubPages
from sources.github_repository import LIMITS
from tests.contracts.source_contract import SourceContract
from tests.servers import github_content as content
from tests.servers.github_server import CODELOAD, Canned, Repo, github, limited

SINCE, TODAY = dt.date(2026, 11, 1), dt.date(2026, 11, 30)


@pytest.fixture
def hub(monkeypatch, tmp_path):
    with github(content.repositories(), content.tomorrow()) as state:
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(state.mirrors))
        monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
        monkeypatch.setenv("RERENDER_HTTP_RETRIES", "1")
        monkeypatch.delenv("RERENDER_GITHUB_TOKEN", raising=False)
        yield state


def collect(**options):
    return list(GithubPages(today=TODAY).collect(**{"since": SINCE, **options}))


def materials(**options):
    return [outcome.value for outcome in collect(**options) if isinstance(outcome, Ok)]


def ids(**options):
    return [material.id for material in materials(**options)]


def only(hub, **fields):
    """Serve one repository and return what becomes of it."""
    hub.repositories = [Repo("zoe/zoe.github.io", **{"files": content.PLAIN, **fields})]
    (outcome,) = collect()
    return outcome


class TestContract(SourceContract):
    source = GithubPages(today=TODAY)

    @pytest.fixture(autouse=True, scope="class")
    def _hub(self, tmp_path_factory):
        with github(content.repositories()) as state, pytest.MonkeyPatch.context() as patch:
            patch.setenv("RERENDER_MIRRORS", json.dumps(state.mirrors))
            patch.setenv("RERENDER_HTTP_CACHE", str(tmp_path_factory.mktemp("http")))
            patch.delenv("RERENDER_GITHUB_TOKEN", raising=False)
            yield


class TestMaterial:
    def test_subsets_take_turns_and_the_newest_come_first(self, hub):
        assert ids() == [
            "webpage/html/ada-q/ada-q.github.io",
            "webpage/css/cleo/cleo.github.io",
            "webpage/javascript/dan/dan.github.io",
            "webpage/html/ben/ben.github.io",
        ]

    def test_it_says_where_it_is_from_and_how_it_is_fetched_again(self, hub):
        material = materials(limit=1)[0]
        provenance, repo = material.provenance, hub.repositories[0]
        assert provenance.author == "ada-q"
        assert provenance.url == "https://github.com/ada-q/ada-q.github.io"
        assert provenance.created == dt.date(2026, 11, 20)
        assert provenance.recipe["commit"] == repo.commit
        assert provenance.recipe["address"].endswith(f"/tarball/{repo.commit}")
        assert provenance.recipe["files"] == ["boat.png", "css/site.css", "index.html"]
        assert len(provenance.recipe["sha256"]) == 64
        assert material.assets == {"boat.png": content.PLAIN["boat.png"]}
        size = sum(len(content.PLAIN[name]) for name in ("css/site.css", "index.html"))
        assert material.attributes == {
            "repository": repo.full_name, "commit": repo.commit, "language": "html",
            "jekyll": False, "files": 2, "lines": 23, "assets": 1, "bytes": size, "folder": "",
        }  # fmt: skip

    def test_the_day_is_that_of_creation_not_of_the_last_change(self, hub):
        outcome = only(hub, created="2026-11-02T01:00:00Z", pushed="2026-11-29T01:00:00Z")
        assert outcome.value.provenance.created == dt.date(2026, 11, 2)

    @pytest.mark.parametrize(
        ("said", "licence", "publishable"),
        [
            ("MIT", "MIT", True),
            ("GPL-3.0", "GPL-3.0-only", True),
            ("NOASSERTION", "LicenseRef-unknown", False),
            (None, "LicenseRef-unknown", False),
        ],
    )
    def test_the_licence_is_the_one_that_github_found(self, hub, said, licence, publishable):
        provenance = only(hub, licence=said).value.provenance
        assert (provenance.licence, provenance.publishable) == (licence, publishable)

    def test_links_are_left_out_and_counted(self, hub):
        links = {"latest.html": "/etc/passwd", "css/old.css": "site.css"}
        material = only(hub, links=links).value
        assert "2 symbolic links left out" in material.provenance.made
        assert "latest.html" not in material.truth

    @pytest.mark.parametrize("folder", ["", "docs/"])
    def test_a_page_is_not_taken_for_the_one_that_a_link_would_show(self, hub, folder):
        files = {f"{folder}{name}": data for name, data in content.PLAIN.items()}
        files[f"{folder}readme.md"] = files.pop(f"{folder}index.html")
        dropped = only(hub, files=files, links={f"{folder}index.html": "site/index.html"})
        assert dropped.kind is Kind.UNSUITABLE
        assert f"{folder}index.html" in dropped.message

    def test_a_site_in_docs_says_so(self, hub):
        files = {f"docs/{name}": data for name, data in content.PLAIN.items()}
        material = only(hub, files=files).value
        assert material.attributes["folder"] == material.provenance.recipe["folder"] == "docs"
        assert set(material.assets) == {"boat.png"}


class TestDrops:
    def test_each_bad_repository_says_why(self, hub):
        told = {
            outcome.subject.rpartition("/")[2].partition(".")[0]: (
                outcome.stage, outcome.kind, outcome.message)
            for outcome in collect()
            if isinstance(outcome, Failed)
        }  # fmt: skip
        wanted = {
            "second": (Stage.FILTER, Kind.OWNER_LIMIT, "there is a site of ada-q already"),
            "eve": (Stage.FILTER, Kind.MISSING_RESOURCE, "cdn.example.org"),
            "fay": (Stage.FILTER, Kind.UNSUITABLE, "a fork"),
            "gus": (Stage.FILTER, Kind.UNSUITABLE, "archived"),
            "hal": (Stage.FILTER, Kind.UNSUITABLE, "10 code files, more than 5"),
            "ida": (Stage.FILTER, Kind.MISSING_RESOURCE, "'somebody/theme'"),
            "jon": (Stage.FETCH, Kind.MISSING_RESOURCE, "Git LFS, among them boat.png"),
            "kim": (Stage.FILTER, Kind.UNSUITABLE, "nothing but a read-me"),
            "lea": (Stage.FETCH, Kind.GONE, "404"),
            "max": (Stage.FETCH, Kind.PARSE_ERROR, "truncated"),
        }
        assert set(told) == set(wanted)
        for name, (stage, kind, said) in wanted.items():
            assert told[name][:2] == (stage, kind), name
            assert said in told[name][2]

    def test_nothing_is_downloaded_of_what_the_listing_speaks_against(self, hub):
        collect()
        for name in ("second.github.io", "fay", "gus"):
            assert not [path for path in hub.paths(name) if "search" not in path]

    @pytest.mark.parametrize(
        ("fields", "kind", "said"),
        [
            ({"size": 0}, Kind.UNSUITABLE, "empty"),
            ({"trouble": "empty"}, Kind.NO_SOURCE, "empty"),
            ({"trouble": "huge"}, Kind.TOO_LARGE, "10,000,000"),
            ({"trouble": "html"}, Kind.NOT_AS_CLAIMED, "instead of gzip"),
            ({"trouble": "loose"}, Kind.NOT_AS_CLAIMED, "not one folder"),
            ({"files": {**content.PLAIN, ".gitmodules": b"[submodule]"}},
             Kind.MISSING_RESOURCE, "submodules"),
            ({"files": {**content.PLAIN, "../../evil": b"x"}}, Kind.UNSAFE_INPUT, "leaves"),
            ({"files": {**content.PLAIN, "a.bin": bytes(LIMITS.file_bytes + 1)}},
             Kind.RESOURCE_LIMIT, "unpacks to more"),
            ({"files": {f"{n}.txt": b"" for n in range(LIMITS.files)}},
             Kind.RESOURCE_LIMIT, "entries"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_had_is_a_value(self, hub, fields, kind, said):
        failure = only(hub, **fields)
        assert (failure.kind, said in failure.message) == (kind, True), failure
        assert failure.subject == "https://github.com/zoe/zoe.github.io"
        assert failure.final

    def test_an_older_repository_that_is_listed_all_the_same_is_out_of_date(self, hub):
        hub.heedless = True
        hub.repositories = [
            Repo("zoe/zoe.github.io", content.PLAIN, created="2020-01-01T00:00:00Z")
        ]
        assert {outcome.kind for outcome in collect()} == {Kind.OUT_OF_DATE}

    def test_an_owner_whose_site_was_dropped_has_another_chance(self, hub):
        hub.repositories = [
            Repo("zoe/new.github.io", content.REMOTE, created="2026-11-12T00:00:00Z"),
            Repo("zoe/old.github.io", content.PLAIN, created="2026-11-11T00:00:00Z"),
            Repo("zoe/odd.github.io", content.PLAIN, "CSS", created="2026-11-13T00:00:00Z"),
        ]
        outcomes = collect()
        assert [o.value.id for o in outcomes if isinstance(o, Ok)] == [
            "webpage/html/zoe/old.github.io"
        ]
        assert outcomes[-1].kind is Kind.OWNER_LIMIT


class TestGithubItself:
    def test_a_renamed_repository_is_followed(self, hub):
        assert only(hub, trouble="moved").value.attributes["commit"] == hub.repositories[0].commit

    def test_archives_come_from_the_host_that_github_leads_to(self, hub):
        only(hub)
        assert [asked.host for asked in hub.asked].count(CODELOAD) == 1

    def test_without_a_token_none_is_sent(self, hub, monkeypatch):
        for empty in ("", "  "):
            monkeypatch.setenv("RERENDER_GITHUB_TOKEN", empty)
            only(hub)
        assert {asked.authorization for asked in hub.asked} == {None}

    def test_a_token_is_sent_to_the_interface(self, hub, monkeypatch):
        monkeypatch.setenv("RERENDER_GITHUB_TOKEN", "ghp_example")
        only(hub)
        sent = {(asked.host == CODELOAD, asked.authorization) for asked in hub.asked}
        assert sent == {(False, "Bearer ghp_example"), (True, None)}

    def test_a_token_makes_the_pace_quicker_as_github_allows(self, monkeypatch):
        monkeypatch.setenv("RERENDER_GITHUB_TOKEN", "")
        assert search_site(Settings()).interval >= 60 / 10
        monkeypatch.setenv("RERENDER_GITHUB_TOKEN", "ghp_example")
        assert 60 / 10 > search_site(Settings()).interval >= 60 / 30

    def test_a_token_that_is_refused_ends_it_at_once(self, hub, monkeypatch):
        monkeypatch.setenv("RERENDER_GITHUB_TOKEN", "ghp_old")
        hub.canned = [Canned("/", 401, {"message": "Bad credentials"})]
        (failure,) = collect()
        assert failure.kind is Kind.UNAUTHORIZED
        assert "RERENDER_GITHUB_TOKEN" in failure.message
        assert "ghp_old" not in failure.model_dump_json()
        assert len(hub.asked) == 1

    @pytest.mark.parametrize("status", [403, 429])
    @pytest.mark.parametrize("primary", [True, False])
    @pytest.mark.parametrize("prefix", ["/search", "/repos/"])
    def test_a_limit_ends_it_and_says_until_when(self, hub, prefix, primary, status):
        hub.canned = [limited(prefix, primary=primary, status=status)]
        *_, failure = collect()
        assert (failure.kind, failure.blame) == (Kind.RATE_LIMITED, Blame.INFRA)
        assert "wait until" in failure.message
        assert "RERENDER_GITHUB_TOKEN" in failure.message
        assert len(hub.paths(prefix)) in {1, 2, 3, 4}

    def test_a_repository_that_is_forbidden_ends_nothing(self, hub):
        hub.canned = [Canned("/repos/ada-q", 403, {"message": "Repository access blocked"})]
        outcomes = collect()
        blocked = [o for o in outcomes if isinstance(o, Failed) and o.kind is Kind.FORBIDDEN]
        assert [failure.subject for failure in blocked] == [
            "https://github.com/ada-q/ada-q.github.io", "https://github.com/ada-q/second.github.io"
        ]  # fmt: skip
        assert len(outcomes) == 14

    @pytest.mark.parametrize(
        "fault", [Canned("/repos/", 503, {}), Canned("/repos/", 502, {"message": "oops"})]
    )
    def test_a_server_that_fails_ends_it_with_one_value(self, hub, fault):
        hub.canned = [fault]
        (failure,) = collect()
        assert (failure.kind, failure.final) == (Kind.NETWORK, False)

    def test_one_repository_that_cannot_be_sent_is_told_and_stops_nothing(self, hub):
        hub.canned = [Canned("/repos/ada-q/ada-q", 500, {"message": "oops"})]
        outcomes = collect()
        assert len(outcomes) == 14
        (told,) = [o for o in outcomes if isinstance(o, Failed) and o.kind is Kind.NO_SOURCE]
        assert told.subject == "https://github.com/ada-q/ada-q.github.io"
        assert "status 500" in told.message
        assert "webpage/html/ada-q/second.github.io" in [
            outcome.value.id for outcome in outcomes if isinstance(outcome, Ok)
        ]

    def test_a_body_that_breaks_off_is_not_taken_for_the_archive(self, hub):
        failure = only(hub, trouble="truncated")
        assert not failure.final
        hub.repositories[0].trouble = ""
        assert isinstance(collect()[0], Ok)

    @pytest.mark.parametrize("body", [{"message": "x"}, [{"sha": "HEAD"}], [{"sha": "../.."}]])
    def test_an_answer_about_commits_that_names_none_is_a_value(self, hub, body):
        hub.canned = [Canned("/repos/", 200, body)]
        assert only(hub).kind is Kind.NOT_AS_CLAIMED

    def test_no_commit_before_the_last_push_is_no_source(self, hub):
        hub.canned = [Canned("/repos/", 200, [])]
        assert only(hub).kind is Kind.NO_SOURCE


class TestAgain:
    def test_a_second_run_asks_for_listings_only(self, hub):
        first = collect()
        hub.asked.clear()
        hub.repositories = [repo for repo in hub.repositories if repo.trouble != "gone"]
        assert ids() == [outcome.value.id for outcome in first if isinstance(outcome, Ok)]
        assert set(hub.paths()) == {"/search/repositories"}

    def test_the_next_day_only_what_is_new_is_downloaded(self, hub):
        before = ids()
        hub.next_day()
        hub.asked.clear()
        assert sorted(set(ids()) - set(before)) == ["webpage/html/noa/noa.github.io"]
        assert {path.split("/")[1] for path in hub.paths("tar")} == {"repos", "noa"}
        assert all("noa" in path for path in hub.paths("tar"))

    def test_what_was_pushed_again_is_downloaded_again(self, hub):
        old = only(hub).value
        hub.repositories[0].pushed = "2026-11-29T00:00:00Z"
        (new,) = materials()
        assert old.attributes["commit"] != new.attributes["commit"] == hub.repositories[0].commit

    def test_a_run_that_was_killed_downloads_nothing_twice(self, hub):
        script = (
            "import datetime as dt, sys\n"
            "from sources.github_pages import GithubPages\n"
            "source = GithubPages(today=dt.date(2026, 11, 30))\n"
            "running = source.collect(since=dt.date(2026, 11, 1))\n"
            "print(next(running).value.id, next(running).value.id, flush=True)\n"
            "sys.stdin.read()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as killed:
            taken = killed.stdout.readline().split()
            killed.kill()
        done = hub.paths("tar.gz")
        assert len(done) == len(taken) == 2
        assert ids()[:2] == taken
        assert all(hub.paths("tar.gz").count(path) == 1 for path in done)

    def test_a_limit_downloads_no_more_than_it_needs(self, hub):
        assert len(ids(limit=2)) == 2
        assert len(hub.paths("tar.gz")) == 2

    def test_nothing_is_asked_for_before_it_is_wanted(self, hub):
        GithubPages(today=TODAY).collect(since=SINCE)
        assert list(GithubPages().collect(limit=0)) == []
        assert hub.asked == []


class TestRealRepositories:
    def test_archives_of_sites_that_people_made(self, hub, shared):
        hub.repositories = [
            Repo(f"{folder.name}/{folder.name}.github.io", {
                path.relative_to(folder).as_posix(): path.read_bytes()
                for path in sorted(folder.rglob("*")) if path.is_file()
            })
            for folder in sorted((shared / "real" / "jekyll").iterdir())
        ]  # fmt: skip
        kept = {material.attributes["repository"].partition("/")[0] for material in materials()}
        assert kept == {"cayman", "image2struct_valid_repo", "mdn_balls", "mdn_letter",
                        "mdn_typeset"}  # fmt: skip


def test_the_stand_in_packs_as_git_does():
    repo = Repo("a/a.github.io", content.PLAIN)
    with tarfile.open(fileobj=io.BytesIO(repo.archive())) as archive:
        assert archive.pax_headers["comment"] == repo.commit
        assert archive.getnames()[0] == f"a-a.github.io-{repo.commit[:7]}"
