"""Take the pictures of Prefect's interface that README and docs show: ``make screenshots``.

A station of its own is started in a temporary folder, and its worker runs the weekly deployment on
the bundled material. Then Chromium, in the container in which web pages are rendered, opens the
interface. The container has no network: what its page asks the station for is fetched here and
handed in, and what it asks anybody else for is refused.
"""

from __future__ import annotations

import base64
import io
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from PIL import Image
from playwright.sync_api import BrowserContext, Page, Route, sync_playwright

from benchmark.settings import PROJECT, Settings
from flows import station
from flows.station import Station
from renderers.image_digest import reference
from renderers.sandbox import Limits, browser_command, stop_container
from renderers.web_browser import BRIDGE, FLAGS, INSIDE

DOCS = Path(__file__).parent
SIZE = {"width": 1680, "height": 900}
COLOURS = 128
"""Of the palette of a picture: text stays sharp and the file small."""
RUN_SECONDS = 900
SETTLE_SECONDS = 120
LIMITS = Limits(seconds=600, memory_mb=2048, cpus=2, pids=400, work_mb=512)


def main() -> None:
    """Start a station, let it work, take the pictures, end it."""
    with tempfile.TemporaryDirectory(prefix="rerender-screenshots-") as folder:
        os.environ |= {
            "RERENDER_PREFECT_HOME": f"{folder}/prefect",
            "RERENDER_STORE": f"{folder}/store",
            "RERENDER_REPORTS": f"{folder}/reports",
            "RERENDER_MODELS": '["oracle", "blank"]',
            "RERENDER_PREFECT_PORT": os.environ.get("RERENDER_PREFECT_PORT", "4209"),
        }
        settings = Settings()
        _rerender("up", "--detach")
        try:
            found = station.connect(settings)
            assert found is not None, "the station is up"  # noqa: S101 - narrows the type
            _work()
            _photograph(found, settings)
        finally:
            _rerender("down")


def _rerender(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "flows.cli", *arguments], cwd=PROJECT, check=True)


def _work() -> None:
    """Let the worker run the weekly deployment."""
    from prefect.deployments import run_deployment

    asked = {"request": {"limit": 2, "only_new": False, "days": None}}
    ended = run_deployment("benchmark/benchmark", parameters=asked, timeout=RUN_SECONDS)
    if ended.state is None or not ended.state.is_completed():
        raise RuntimeError(f"the run did not complete: {ended.state}")


def _photograph(found: Station, settings: Settings) -> None:
    """Take the pictures of the schedule, and of what the latest evaluation shows."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowFilter, FlowFilterName
    from prefect.client.schemas.sorting import FlowRunSort

    named = FlowFilter(name=FlowFilterName(any_=["evaluate"]))
    with get_client(sync_client=True) as client:
        weekly = client.read_deployment_by_name("benchmark/benchmark").id
        run = client.read_flow_runs(flow_filter=named, sort=FlowRunSort.START_TIME_DESC)[0].id
    pages = {
        "prefect-deployments": (f"deployments/deployment/{weekly}", "Upcoming", "Scheduled for"),
        "prefect-run": (f"runs/flow-run/{run}", "Artifacts", "progress-score"),
    }
    with _browser(found, settings) as context:
        for name, (path, tab, shown) in pages.items():
            page = context.new_page()
            page.goto(f"{found.address}/{path}")
            page.get_by_text(tab, exact=True).locator("visible=true").last.click()
            _take(page, shown, name)


@contextmanager
def _browser(found: Station, settings: Settings) -> Iterator[BrowserContext]:
    """Yield a browser without network whose pages see the station, signed in."""
    name = f"rerender-screenshots-{secrets.token_hex(8)}"
    command = browser_command(reference("web"), name=name, limits=LIMITS)
    key = base64.b64encode(station.sign_in(settings).encode()).decode()
    with (
        sync_playwright() as playwright,
        httpx.Client(headers={"Authorization": f"Basic {key}"}, timeout=60) as client,
    ):
        browser = playwright.chromium.launch(
            executable_path="/bin/sh",
            args=["-c", BRIDGE, "sh", *command, "/bin/sh", "-c", INSIDE, "sh", *FLAGS],
            ignore_default_args=True,
            timeout=60_000,
        )
        try:
            context = browser.new_context(viewport=SIZE, service_workers="block")
            context.set_default_timeout(SETTLE_SECONDS * 1000)
            context.add_init_script(f"localStorage.setItem('prefect-password', {json.dumps(key)})")
            context.route("**/*", lambda route: _fetch(route, client, found))
            context.route_web_socket("**/*", lambda _: None)  # nothing is told, nobody is waiting
            yield context
        finally:
            browser.close()
            stop_container(name)


def _fetch(route: Route, client: httpx.Client, found: Station) -> None:
    """Answer a page's request to the station; refuse every other."""
    request = route.request
    if urlsplit(request.url).netloc != urlsplit(found.address).netloc:
        route.abort()
        return
    kept = ("content-type", "accept")
    answer = client.request(
        request.method,
        request.url,
        content=request.post_data_buffer,
        headers={name: value for name, value in request.headers.items() if name in kept},
    )
    dropped = ("content-encoding", "content-length", "transfer-encoding")
    headers = {name: value for name, value in answer.headers.items() if name not in dropped}
    route.fulfill(status=answer.status_code, headers=headers, body=answer.content)


def _take(page: Page, shown: str, name: str) -> None:
    """Wait until a page shows a text and stands still, and keep its picture."""
    page.locator(f"text={shown} >> visible=true").first.wait_for()
    end, before = time.monotonic() + SETTLE_SECONDS, b""
    while (picture := page.screenshot()) != before and time.monotonic() < end:
        before = picture
        page.wait_for_timeout(1500)
    small = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=0)
    small.save(DOCS / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
