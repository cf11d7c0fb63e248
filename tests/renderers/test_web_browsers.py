"""Browsers and their drivers: replaced when they end, and gone with the process they serve."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import docker
import pytest

from benchmark.outcome import Failed, Kind, Ok
from renderers import web_browser, web_driver, web_page
from renderers.hardening import OWNER, owner
from renderers.image_digest import reference
from renderers.web_browser import DRIVER_LOSSES, PAGES, browser_client_missing
from renderers.web_site import Site
from tests.contracts.renderer_contract import fail, render
from tests.engine import containers, eventually
from tests.renderers.web_sites import QuickRenderer, page
from tests.roads import HurriedWeb


class TestBrowsers:
    def test_a_browser_is_replaced_after_its_pages(self):
        with QuickRenderer(workers=1) as renderer:
            render(renderer, page("<p>x"))
            first = containers(owner())
            worker = renderer.browsers._idle[0]  # its age is all that can be set from outside
            worker.pages = PAGES - 1
            render(renderer, page("<p>x"))
            render(renderer, page("<p>x"))
            assert containers(owner()) != first

    def test_a_browser_that_was_killed_is_replaced(self):
        with QuickRenderer(workers=1) as renderer:
            before = render(renderer, page("<p>x"))
            client = docker.from_env()
            client.api.kill(renderer.browsers._idle[0].name)
            client.close()
            assert render(renderer, page("<p>x")).png == before.png

    def test_the_container_is_hardened(self):
        with QuickRenderer(workers=1) as renderer:
            render(renderer, page("<p>x"))
            client = docker.from_env()
            found = client.api.inspect_container(renderer.browsers._idle[0].name)
            client.close()
        host = found["HostConfig"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"]
        assert host["CapDrop"] == ["ALL"]
        assert "no-new-privileges" in host["SecurityOpt"][0]
        assert not host["Privileged"]
        assert not host["Binds"]
        assert host["Memory"] == host["MemorySwap"] == 1024 << 20
        assert host["PidsLimit"] == 400
        assert found["Config"]["User"] == "65534:65534"

    def test_a_browser_that_does_not_start_costs_no_other_its_driver(self, monkeypatch):
        with QuickRenderer(workers=2) as renderer:
            render(renderer, page("<p>x"))
            neighbour = renderer.browsers._idle.pop()
            monkeypatch.setattr(web_browser, "INSIDE", "exit 1")
            failure = fail(renderer, page("<p>x"))
            assert failure.kind is Kind.SANDBOX_LOST
            assert neighbour.browser.is_connected()
            assert not neighbour.driver.lost

    @pytest.mark.parametrize("times", [2, 3])
    def test_a_driver_that_ends_is_not_the_pages_fault(self, monkeypatch, times):
        monkeypatch.setattr(web_page, "WIND_SECONDS", 2)
        slow = "<p>x<script>for (let i = 0; i < 5000; i++) setInterval(() => 0)</script>"
        with QuickRenderer(workers=1) as renderer, ThreadPoolExecutor(1) as threads:
            job = threads.submit(renderer.render, page(slow))
            killed: set[int] = set()
            while len(killed) < times:
                assert not job.done(), job.result()
                for worker in list(renderer.browsers._alive.values()):
                    pid = worker.driver.process.get_pid()
                    if worker.pages and pid not in killed:
                        killed.add(pid)
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.05)
            outcome = job.result()
            if times < DRIVER_LOSSES:
                assert isinstance(outcome, Ok), outcome
            else:
                assert isinstance(outcome, Failed)
                assert outcome.kind is Kind.SANDBOX_LOST

    def test_a_driver_that_hangs_is_replaced(self, monkeypatch):
        monkeypatch.setattr(web_browser, "CLOSE_SECONDS", 1)
        monkeypatch.setattr(web_driver, "STOP_SECONDS", 1)
        with HurriedWeb(workers=1) as renderer:
            render(renderer, page("<p>x"))
            driver = renderer.browsers._idle[0].driver
            os.kill(driver.process.get_pid(), signal.SIGSTOP)
            render(renderer, page("<p>x"))
            assert driver.lost
            assert driver.process.get_returncode() == -signal.SIGKILL

    def test_a_driver_that_never_answers_hangs_nobody(self, monkeypatch, tmp_path):
        node = tmp_path / "node"
        node.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 600\n")
        node.chmod(0o755)
        monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
        monkeypatch.setattr(web_driver, "START_SECONDS", 1)
        with QuickRenderer(workers=1) as renderer:
            failure = fail(renderer, page("<p>x"))
        assert failure.kind is Kind.SANDBOX_LOST
        assert "did not answer" in failure.message
        for pid in (tmp_path / "pids").read_text().split():
            with pytest.raises(ProcessLookupError):
                os.kill(int(pid), 0)

    def test_the_command_that_starts_browsers_is_missing(self, monkeypatch, tmp_path):
        assert browser_client_missing() is None
        monkeypatch.setenv("PATH", str(tmp_path))
        assert "`docker`" in (browser_client_missing() or "")
        with QuickRenderer(workers=1) as renderer:
            failure = fail(renderer, page("<p>x"))
        assert failure.kind is Kind.ENGINE_UNAVAILABLE
        assert "not on PATH" in failure.message

    def test_what_a_dead_process_left_is_cleared_away(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        client = docker.from_env()
        try:
            left = client.api.create_container(
                reference("web"), ["true"], labels={OWNER: f"{socket.gethostname()}/{gone.pid}/1"}
            )["Id"]
            with QuickRenderer(workers=1) as renderer:
                render(renderer, page("<p>x"))
            with pytest.raises(docker.errors.NotFound):
                client.api.inspect_container(left)
        finally:
            with suppress(docker.errors.NotFound):
                client.api.remove_container(left, force=True)
            client.close()

    def test_a_closed_renderer_starts_nothing(self):
        renderer = QuickRenderer(workers=1)
        with renderer:
            browsers, pool = renderer.browsers, renderer.pool
        for part in ("browsers", "pool"):
            with pytest.raises(RuntimeError, match="the renderer is closed"):
                getattr(renderer, part)
        outcome = browsers.shoot(Site({"index.html": b"<p>x"}, "index.html"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.SANDBOX_LOST
        with renderer:
            assert renderer.pool is not pool
            assert renderer.browsers is not browsers

    def test_closing_ends_pages_under_way(self):
        with ThreadPoolExecutor(1) as threads:
            with QuickRenderer(workers=1) as renderer:
                job = threads.submit(renderer.render, page("<script>while (true) {}</script>"))
                while not any(one.pages for one in list(renderer.browsers._alive.values())):
                    time.sleep(0.05)
            outcome = job.result()
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.SANDBOX_LOST

    def test_a_killed_process_leaves_no_browser(self, tmp_path):
        program = (
            "from renderers.web import WebRenderer\nfrom benchmark.records import Structure\n"
            "r = WebRenderer(workers=1)\n"
            "r.render(Structure(files={'index.html': b'<p>x'}, entry='index.html'))\n"
            "print('ready', flush=True)\nimport time; time.sleep(600)\n"
        )
        root = Path(__file__).resolve().parents[2]
        process = subprocess.Popen(
            [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert containers_of(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        eventually(lambda: not containers_of(process.pid), "the browser outlived its process")


def containers_of(pid: int) -> list[str]:
    client = docker.from_env()
    try:
        found = client.api.containers(all=True, filters={"label": OWNER})
        return [one["Id"] for one in found if f"/{pid}/" in one["Labels"][OWNER]]
    finally:
        client.close()
