"""A refresh over all sources, from loopback stand-ins of the sites to a snapshot that is evaluated.

Everything is real but the sites: the command line, Prefect, the containers.
"""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from benchmark.snapshot import load
from benchmark.store import Store
from tests.cases import SHARED
from tests.servers.all_sites import SOURCES, all_sites

PROJECT = Path(__file__).resolve().parents[2]
LIMIT = "2"

pytestmark = pytest.mark.timeout(900)


class Home:
    """A user's machine: a store, a cache, a Prefect server, and `rerender`."""

    def __init__(self, folder, sites, prefect):
        self.store = folder / "store"
        self.environment = {
            **os.environ,
            **sites.environment,
            "PREFECT_API_URL": prefect,
            "RERENDER_STORE": str(self.store),
            "RERENDER_HTTP_CACHE": str(folder / "http"),
            "COLUMNS": "160",
        }

    def command(self, *arguments):
        return [sys.executable, "-m", "flows.cli", *arguments]

    def rerender(self, *arguments):
        done = subprocess.run(
            self.command(*arguments), cwd=PROJECT, env=self.environment, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refresh(self, name):
        told = self.rerender("refresh", "--source", "all", "--limit", LIMIT, "--name", name)
        return told, load(Store(str(self.store)), name)

    def references(self):
        """Count the references that were finished so far."""
        journals = (self.store / "journals" / "render").glob("references__*/*.jsonl")
        return sum(path.read_bytes().count(b"\n") for path in journals)


@pytest.fixture(scope="module")
def sites():
    with all_sites(SHARED if SHARED.is_dir() else None) as served:
        yield served


@pytest.fixture(scope="module")
def home(tmp_path_factory, sites, prefect):
    return Home(tmp_path_factory.mktemp("home"), sites, prefect)


@pytest.fixture(scope="module")
def killed(home):
    """Begin a refresh and kill it with all that it started, once some references are done."""
    command = home.command("refresh", "--source", "all", "--limit", LIMIT, "--name", "first")
    process = subprocess.Popen(
        command, cwd=PROJECT, env=home.environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    end = time.monotonic() + 300
    while home.references() < 2 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert process.poll() is None, "it was killed before it was done"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = home.references()
    assert done >= 2
    return done


@pytest.fixture(scope="module")
def first(home, killed):
    return home.refresh("first")


class TestRefresh:
    def test_goes_on_where_it_was_killed(self, sites, home, killed, first):
        assert Counter(sites.downloads()).most_common(1)[0][1] == 1, "nothing is fetched twice"
        assert home.references() >= killed

    def test_takes_something_of_every_source(self, first):
        _, frozen = first
        kept = Counter(one.provenance.source for one in frozen.instances)
        assert sorted(kept) == sorted(SOURCES)
        assert max(kept.values()) <= int(LIMIT)

    def test_prints_the_funnel(self, first):
        told, frozen = first
        assert "Funnel" in told
        assert {row.source for row in frozen.funnel} == set(SOURCES)
        for row in frozen.funnel:
            assert row.source in told
            assert row.found >= row.fetched >= row.rendered >= row.kept > 0
        assert sum(sum(row.reasons.values()) for row in frozen.funnel) == len(frozen.rejected) > 0

    def test_every_instance_says_where_it_is_from_and_how_hard_it_is(self, first):
        _, frozen = first
        for one in frozen.instances:
            assert one.provenance.url.startswith("https://")
            assert one.provenance.recipe
            assert one.attributes["phash"]
            if one.truth is not None:
                assert one.attributes["difficulty"] in ("easy", "medium", "hard")

    def test_a_scan_is_a_picture_without_truth(self, first):
        _, frozen = first
        scans = [one for one in frozen.instances if one.provenance.source == "imslp"]
        assert scans
        for scan in scans:
            assert scan.truth is None
            assert "edit" not in scan.metrics

    def test_can_be_evaluated_and_exported(self, home, first, tmp_path):
        told = home.rerender("evaluate", "first", "-m", "oracle", "-m", "blank", "--name", "run")
        assert "next: rerender report run" in told
        report = home.rerender("report", "run", "--output", str(tmp_path / "report"))
        assert "oracle" in report
        exported = home.rerender("export", "first", str(tmp_path / "export"))
        assert "as recipe" in exported

    def test_the_next_day_fetches_only_what_is_new(self, sites, home, first):
        before = Counter(sites.downloads())
        sites.next_day()
        _, second = home.refresh("second")
        new = Counter(sites.downloads()) - before
        assert 1 <= len(new) <= len(SOURCES), new
        assert max(new.values()) == 1
        assert any("noa.github.io" in path for path in new)
        was = {one.id for one in first[1].instances}
        assert len({one.provenance.source for one in second.instances if one.id not in was}) >= 3
