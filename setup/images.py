"""The images of ``containers``, each built only when no image carries its folder's digest."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from renderers.image_digest import (
    BASE,
    CONTAINERS,
    LABEL,
    NAMES,
    folder_digest,
    reference,
    repository,
)
from setup import base
from setup.console import SetupError, log_file, run_logged, step

PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")

_AT_ONCE = 2
"""Builds at the same time: one unpacks while another downloads."""


def prepare() -> None:
    """Have the four images, current, each under its own tag and as ``latest``.

    Raises:
        SetupError: an image could not be built.
    """
    present = _tagged()
    wanted = [name for name in NAMES if reference(name) not in present]
    if wanted:
        if reference(BASE) not in present:
            base.prepare()
            _build(BASE)
        with ThreadPoolExecutor(_AT_ONCE) as builders:
            list(builders.map(_build, wanted))
    for name in set(NAMES) - set(wanted):
        latest = f"{repository(name)}:latest"
        if present.get(latest) != present[reference(name)]:
            tag = ["docker", "tag", reference(name), latest]
            run_logged(tag, log_file("tag"), failure=(f"`{' '.join(tag)}` failed.",))


def _tagged() -> dict[str, str]:
    """Identifiers of the images that carry a digest, by ``repository:tag``."""
    form = "{{.Repository}}:{{.Tag}}\t{{.ID}}"
    listing = ["docker", "images", "--filter", f"label={LABEL}", "--format", form]
    told = subprocess.run(listing, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        raise SetupError("The engine does not list its images:", told.stderr.strip()[:300])
    pairs = (line.partition("\t") for line in told.stdout.splitlines())
    return {name.removeprefix("localhost/"): identifier for name, _, identifier in pairs}


def _build(name: str) -> None:
    log = log_file(f"image-{name}")
    command = [
        "docker", "build", "--network", "host", "--label", f"{LABEL}={folder_digest(name)}",
        "--tag", reference(name), "--tag", f"{repository(name)}:latest",
    ]  # fmt: skip
    if name != BASE:
        command += ["--build-arg", f"BASE={reference(BASE)}"]
    for variable in PROXIES:
        if os.environ.get(variable):
            command += ["--build-arg", variable]
    failure = (
        f"Building the image {repository(name)} failed.",
        "See the log; when a download failed, run the same command again.",
    )
    with step(f"image {repository(name)}", log):
        run_logged([*command, str(CONTAINERS / name)], log, failure=failure)
