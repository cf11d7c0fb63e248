"""`rerender doctor`: each part that a run needs, one line each, with the fix."""

from __future__ import annotations

import os
import shutil
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmark.outcome import Failed

SETUP = "make setup"
KEYS = {
    "OpenAI": ("OPENAI_API_KEY",),
    "Anthropic": ("ANTHROPIC_API_KEY",),
    "Google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
LEAST_FREE_GB = 5.0
DOCKER_ROOT = Path("/var/lib/docker")

_API_SECONDS = 3.0


@dataclass(frozen=True)
class Check:
    """What was found of one part.

    Attributes:
        name: the part.
        ok: True; False when runs fail without it; None when they only lack something.
        message: what was found, one line.
        fix: what to do, or nothing.
    """

    name: str
    ok: bool | None
    message: str
    fix: str = ""


NO_IMAGES = Check(
    "images", False, "not looked for, since no engine answers", "mend the engine first"
)


def checks() -> list[Check]:
    """Check the engine, its images, the metrics' weights, disk, keys and Prefect's server."""
    from benchmark.settings import Settings

    settings = Settings()
    engine = check_engine(settings.container_runtime)
    images = check_images() if engine.ok is not False else [NO_IMAGES]
    return [
        engine,
        check_client(),
        *images,
        *check_weights(),
        *check_disk(settings.store),
        *check_store(settings.store),
        *check_keys(),
        *check_prefect(),
    ]


def check_engine(runtime: str | None) -> Check:
    """Check that the container engine answers, has the runtime and can enforce the limits.

    Args:
        runtime: the OCI runtime that the settings ask for; None for the engine's own.
    """
    from renderers import sandbox

    status = sandbox.engine_status()
    if isinstance(status, Failed):
        return Check("engine", False, _one_line(status.message), f"start Docker, or {SETUP}")
    engine = status.value
    if runtime and runtime not in engine.runtimes:
        known = ", ".join(engine.runtimes)
        message = f"{engine.version} has no runtime {runtime} (it has {known})"
        return Check("engine", False, message, "install it, or unset RERENDER_CONTAINER_RUNTIME")
    message = f"{engine.version}, runtime {runtime or engine.runtime}"
    if engine.missing:
        message += f"; cannot limit {', '.join(engine.missing)}"
        return Check("engine", None, message, "enable these control groups on the host")
    return Check("engine", True, message)


def check_client() -> Check:
    """Check that the command which starts browsers is there."""
    from renderers.web_browser import browser_client_missing

    missing = browser_client_missing()
    if missing:
        return Check("docker command", False, missing, "install Docker's command line client")
    return Check("docker command", True, "starts the browsers of web pages")


def check_images() -> list[Check]:
    """Check that each image is present and made from the folder of this checkout."""
    from renderers import sandbox
    from renderers.image_digest import NAMES, repository

    found = []
    for name in NAMES:
        status = sandbox.image_status(name)
        label = f"image {name}"
        if isinstance(status, Failed):
            found.append(Check(label, False, _one_line(status.message), SETUP))
        elif status.value.state == "present":
            digest = (status.value.digest or "")[:12]
            found.append(Check(label, True, f"{repository(name)} is current ({digest})"))
        elif status.value.state == "stale":
            message = f"{repository(name)} is older than containers/{name}"
            found.append(Check(label, False, message, SETUP))
        else:
            found.append(Check(label, False, f"{repository(name)} is missing", SETUP))
    return found


def check_weights() -> list[Check]:
    """Check the networks that LPIPS and CIS need; without them these metrics are missing."""
    from metrics import weights

    return [
        Check(f"weights {found.name}", found.present or None, found.message)
        for found in weights.status()
    ]


def check_disk(store: str) -> list[Check]:
    """Check the space that is free where results and images are kept.

    Args:
        store: a folder, which may not exist yet, or an fsspec URL, which is not checked.
    """
    places = {"engine": DOCKER_ROOT}
    if not urlsplit(store).scheme:
        places["store"] = Path(store)
    found = []
    for name, place in sorted(places.items(), reverse=True):
        folder = next((p for p in (place, *place.parents) if os.access(p, os.R_OK)), None)
        if folder is None or (name == "engine" and not place.exists()):
            continue  # another machine's engine, or one in a virtual machine
        free = shutil.disk_usage(folder).free / 1e9
        enough = free >= LEAST_FREE_GB
        fix = "free some; `docker system prune` removes unused images"
        message = f"{free:.0f} GB free at {place}"
        found.append(Check(f"disk {name}", enough or None, message, "" if enough else fix))
    return found


def check_store(store: str) -> list[Check]:
    """Check that an object store answers and lets us in; a folder needs no such check.

    Args:
        store: a folder or an address of an object store; no password is ever part of it.
    """
    if not urlsplit(store).scheme:
        return []
    from benchmark.store import Store, StoreError

    try:
        count = len(Store(store).documents("snapshots"))
    except StoreError as error:
        return [Check("store", False, _one_line(str(error)), "see docs/operations.md")]
    return [Check("store", True, f"{store} answers, with {count} snapshots")]


def check_keys() -> list[Check]:
    """Check which providers' keys are set, without showing them; all are optional."""
    found = []
    for provider, names in KEYS.items():
        present = [name for name in names if os.environ.get(name)]
        if present:
            found.append(Check(f"key {provider}", True, f"{present[0]} is set"))
        else:
            wanted = " or ".join(names)
            fix = f"export {names[0]}=… to ask {provider}'s models"
            found.append(Check(f"key {provider}", None, f"{wanted} is not set", fix))
    return found


def check_prefect() -> list[Check]:
    """Check that the Prefect server answers, if runs are to be recorded by one."""
    url = os.environ.get("PREFECT_API_URL")
    if not url:
        return []
    shown = _without_password(url)
    fix = "start it (prefect server start), or unset PREFECT_API_URL"
    if urlsplit(url).scheme not in {"http", "https"}:
        return [Check("prefect", False, f"PREFECT_API_URL={shown} is no http address", fix)]
    try:
        with urllib.request.urlopen(f"{shown.rstrip('/')}/health", timeout=_API_SECONDS):  # noqa: S310
            return [Check("prefect", True, f"{shown} answers")]
    except urllib.error.HTTPError as error:
        # it lives, but wants a key, or is not Prefect
        return [Check("prefect", None, f"{shown} answers with HTTP {error.code}", fix)]
    except OSError as error:
        return [Check("prefect", False, f"{shown} does not answer ({_one_line(str(error))})", fix)]


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _one_line(message: str) -> str:
    return " ".join(message.split())[:200]
