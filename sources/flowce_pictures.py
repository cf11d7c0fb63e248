"""FlowCE's pictures: only links were published, on some 190 hosts, and some of them are dead.

A picture that is not to be had is missing (``picture_missing``): the infrastructure's failure, told
with the reason, asked for again by the next refresh, and never a wrong answer of anybody; what
there is is frozen without it. What comes is known by its first bytes to be a picture and is decoded
later, within the limits of ``renderers.canvas``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import digest_bytes
from benchmark.store import Store
from sources import http_claim
from sources.flowce_files import picture_number
from sources.http import MEGABYTE, Claim, Client, Keep, Site
from sources.http_address import shown_as_given
from sources.own_files import read_file, walk
from sources.robots import Robots

PICTURE_BYTES = 20 * MEGABYTE
FILES = 50_000
"""Files of a local folder that are looked at."""
INTERVAL = 2.0
"""Seconds between two requests to one host."""
SILENT_HOSTS = 12
"""After so many hosts in a row that do not answer, it is the network: nothing more is asked, and
what was not asked for is no missing picture but a failure (``network``) that keeps a refresh from
freezing."""
DIGESTS = "pins/360AILAB-NLP__FlowCE.pictures.json"
"""Where the store keeps what each link showed at first."""

_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp", ""})
_OURS = frozenset({Kind.DISK_FULL, Kind.INTERNAL_ERROR})
"""Failures of this machine, which are not about the picture."""


class Pictures(Protocol):
    """Where pictures come from."""

    def get(self, path: str, link: str | None) -> Outcome[bytes]:
        """Return a picture by its published path and its link (None: none was published)."""


class LocalPictures:
    """Pictures in a folder, by their numbers, whatever they are (``reasoning/84.jpg``, ``84.png``).

    Folders below it are looked into; where a number lies in several, the one of the published
    folder's name is taken.
    """

    def __init__(self, folder: Path) -> None:
        """Look through the folder once."""
        self._folder = folder
        self._found: dict[str, list[Path]] = defaultdict(list)
        for count, (file, _) in enumerate(walk(folder)):
            if count >= FILES:
                break
            if file.suffix.lower() in _ENDINGS:
                self._found[picture_number(file.name)].append(file)

    def get(self, path: str, link: str | None) -> Outcome[bytes]:  # noqa: ARG002 - contract
        """Return the picture with the number of a path."""
        files = self._found.get(picture_number(path), [])
        if len(files) > 1:
            folder = path.split("/")[-2].lower() if "/" in path else ""
            files = [file for file in files if file.parent.name.lower() == folder] or files
        if len(files) != 1:
            known = f"{len(files)} files of that name" if files else "no such file"
            return missing(path, f"{self._folder} holds {known}")
        data = read_file(files[0], str(files[0]), PICTURE_BYTES)
        if isinstance(data, Failed):
            return missing(path, data.message)
        if len(data.value) > PICTURE_BYTES:
            return missing(path, f"{files[0]} has more than {PICTURE_BYTES} bytes")
        if not http_claim.is_one_of(data.value, (Claim.IMAGE,)):
            return missing(path, f"{files[0]} is {http_claim.describe(data.value)}, no picture")
        return data


class LinkedPictures:
    """Pictures downloaded from their links, as far as their hosts let programs have them.

    A host that does not answer is not asked again in the same refresh, and after several in a row
    none is. What was got is kept and never asked for again. A link that shows another picture than
    at first (a stand-in of the host, a newer drawing) is missing too, since the question is about
    the first.
    """

    def __init__(self, client: Client, first: Mapping[str, str]) -> None:
        """Ask through a client; `first` are the digests of what links showed at first."""
        self._client = client
        self._robots = Robots(client)
        self._silent: dict[str, Failed] = {}
        self._in_a_row = 0
        self.digests = dict(first)
        """The sha256 of each picture that was ever got, by its link."""

    def get(self, path: str, link: str | None) -> Outcome[bytes]:
        """Return the picture of a link; ``network`` once it is plain that there is none."""
        if link is None:
            return missing(path, "no link was published")
        if self._in_a_row >= SILENT_HOSTS:
            told = f"not asked: {self._in_a_row} hosts in a row did not answer; is there a network?"
            return Failed.of(Stage.FETCH, Kind.NETWORK, told)
        url = _as_https(link)
        answer = self._ask(url)
        if isinstance(answer, Failed):
            told = f"{shown_as_given(url)}: {answer.message}"
            return answer if answer.kind in _OURS else missing(path, told)
        digest = digest_bytes(answer.value)
        if self.digests.setdefault(link, digest) != digest:
            told = f"{shown_as_given(url)} shows another picture than at first"
            return missing(path, f"{told} ({DIGESTS} of the store says which it was)")
        return answer

    def _ask(self, url: str) -> Outcome[bytes]:
        host = _host(url)
        if host is None:
            return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, "this is no https address")
        if host in self._silent:
            return self._silent[host]
        answer = self._download(_site(host), url)
        if isinstance(answer, Failed) and not answer.final and answer.kind not in _OURS:
            told = f"{host} did not answer before in this refresh ({answer.kind})"
            self._silent[host] = Failed.of(Stage.FETCH, answer.kind, told)
            self._in_a_row += 1
        else:
            self._in_a_row = 0
        return answer

    def _download(self, site: Site, url: str) -> Outcome[bytes]:
        allowed = self._robots.site(site, url)
        if isinstance(allowed, Failed):
            return allowed
        answer = self._client.get(
            allowed.value, url, claims=(Claim.IMAGE,), most=PICTURE_BYTES, keep=Keep.FOR_EVER
        )
        return answer if isinstance(answer, Failed) else ok(answer.value.body)


def missing(path: str, reason: str) -> Failed:
    """Return the failure of a picture that is not to be had."""
    return Failed.of(Stage.FETCH, Kind.PICTURE_MISSING, f"picture is missing: {path}: {reason}")


def read_digests(store: Store) -> Outcome[dict[str, str]]:
    """Return what links showed at first, as far as the store knows.

    A file that cannot be read is never replaced: what it was meant to tell would be lost.
    """
    try:
        known = json.loads(store.read_document(DIGESTS))
    except FileNotFoundError:
        return ok({})
    except ValueError:
        known = None
    if isinstance(known, dict) and all(isinstance(digest, str) for digest in known.values()):
        return ok(known)
    message = f"{DIGESTS} of the store holds no digests by link; mend or remove it"
    return Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message, subject=DIGESTS)


def write_digests(store: Store, digests: Mapping[str, str]) -> None:
    """Keep what links showed at first."""
    store.write_document(DIGESTS, json.dumps(digests, indent=1, sort_keys=True) + "\n")


def _as_https(link: str) -> str:
    return f"https:{link[5:]}" if link[:5].lower() == "http:" else link


def _host(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    usable = parts.scheme == "https" and parts.hostname and port is None and "@" not in parts.netloc
    return parts.hostname.lower() if usable and parts.hostname else None


def _site(host: str) -> Site:
    """Return the site of a host, which may send us to its own name with or without ``www.``."""
    site = Site.of_host(host, INTERVAL)
    other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    return Site(site.name, site.hosts | {other}, site.interval)
