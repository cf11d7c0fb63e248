"""What the container engine holds of one process, and waiting until it holds it no more."""

from __future__ import annotations

import time
from collections.abc import Callable

import docker

from renderers.hardening import OWNER

SETTLED = 60
"""Seconds that the engine may take to remove what has ended."""


def containers(label: str, image: str | None = None) -> set[str]:
    """Return the identifiers of an owner's containers (of one image), running or not."""
    client = docker.from_env()
    try:
        filters = {"label": f"{OWNER}={label}", **({"ancestor": image} if image else {})}
        return {found["Id"] for found in client.api.containers(all=True, filters=filters)}
    finally:
        client.close()


def eventually(condition: Callable[[], bool], message: str = "", seconds: float = SETTLED) -> None:
    """Wait until a condition holds, or fail."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, message
        time.sleep(0.1)
