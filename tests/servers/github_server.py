"""A loopback stand-in of GitHub: repository search, commits, and archives on a second host.

Its answers have GitHub's shapes: the search heeds ``created``, ``size`` and ``language``, counts
all and shows 1,000; archives are redirected to codeload and have one folder around all files.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import itertools
import json
import re
import sys
import tarfile
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

API, CODELOAD = "api.github.com", "codeload.github.com"
HUGE = 12
"""Megabytes of an archive that is too large."""

_QUERY = re.compile(r"github\.io in:name size:<=(\d+) created:(\S+)\.\.(\S+) language:(\w+)")
_REPOSITORY = re.compile(
    r"/(?:repos/([^/]+/[^/]+)|repositories/(\d+))/(commits|tarball)(?:/(\w+))?"
)


@dataclass
class Repo:
    """A repository as the test wants it."""

    full_name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    language: str = "HTML"
    created: str = "2026-11-10T12:00:00Z"
    pushed: str = ""
    licence: str | None = "MIT"
    size: int = 40
    fork: bool = False
    archived: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""
    """gone, moved, empty, truncated, cut, huge, html, loose (files beside the folder)."""

    @property
    def owner(self) -> str:
        return self.full_name.partition("/")[0]

    @property
    def id(self) -> int:
        return zlib.crc32(self.full_name.encode())

    @property
    def commit(self) -> str:
        content = json.dumps([self.full_name, self.pushed, sorted(map(str, self.files))])
        return hashlib.sha1(content.encode()).hexdigest()  # noqa: S324

    def item(self) -> dict:
        licence = {"key": self.licence.lower(), "spdx_id": self.licence} if self.licence else None
        return {
            "id": self.id,
            "full_name": self.full_name,
            "name": self.full_name.partition("/")[2],
            "owner": {"login": self.owner, "id": zlib.crc32(self.owner.encode()), "type": "User"},
            "html_url": f"https://github.com/{self.full_name}",
            "default_branch": "main",
            "size": self.size,
            "language": self.language,
            "fork": self.fork,
            "archived": self.archived,
            "created_at": self.created,
            "updated_at": self.pushed or self.created,
            "pushed_at": self.pushed or self.created,
            "license": licence,
        }

    def archive(self) -> bytes:
        top = f"{self.full_name.replace('/', '-')}-{self.commit[:7]}"
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT,
                          pax_headers={"comment": self.commit}) as archive:  # fmt: skip
            folder = tarfile.TarInfo(f"{top}/")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
            for name, data in self.files.items():
                info = tarfile.TarInfo(name if self.trouble == "loose" else f"{top}/{name}")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
            for name, target in self.links.items():
                info = tarfile.TarInfo(f"{top}/{name}")
                info.type, info.linkname = tarfile.SYMTYPE, target
                archive.addfile(info)
        return buffer.getvalue()


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    host: str
    path: str
    query: dict[str, str]
    authorization: str | None


@dataclass
class Canned:
    """An answer that is given once, or always, in the place of the right one."""

    prefix: str
    status: int
    body: dict
    headers: dict[str, str] = field(default_factory=dict)
    always: bool = True


class GitHub:
    """The state of the stand-in; tests change it between requests."""

    def __init__(self, repositories: list[Repo], tomorrow: list[Repo]) -> None:
        self.repositories = repositories
        self.tomorrow = tomorrow
        self.asked: list[Asked] = []
        self.canned: list[Canned] = []
        self.incomplete = 0
        """So many of the next searches run out of time."""
        self.hidden: set[str] = set()
        """Counted by the search but not shown."""
        self.heedless = False
        """The search does not heed the window."""
        self.mirrors: dict[str, str] = {}
        self._lock = threading.Lock()

    def next_day(self) -> None:
        """Publish what is made on the next day."""
        self.repositories.extend(self.tomorrow)
        self.tomorrow = []

    def paths(self, part: str = "") -> list[str]:
        """The paths that were asked for and hold a text."""
        return [asked.path for asked in self.asked if part in asked.path]

    def note(self, asked: Asked) -> Canned | None:
        with self._lock:
            self.asked.append(asked)
            for canned in self.canned:
                if asked.path.startswith(canned.prefix):
                    if not canned.always:
                        self.canned.remove(canned)
                    return canned
        return None

    def search(self, query: Mapping[str, str]) -> tuple[int, dict]:
        per_page, page = min(int(query["per_page"]), 100), int(query.get("page", 1))
        asked = _QUERY.fullmatch(query["q"])
        if asked is None:
            return 422, {"message": "Validation Failed", "errors": [], "status": "422"}
        if (page - 1) * per_page >= 1000:
            message = "Only the first 1000 search results are available"
            return 422, {"message": message, "status": "422"}
        most, *window = asked.groups()
        start, end = (dt.datetime.fromisoformat(edge) for edge in window[:2])
        found = [
            repo.item()
            for repo in self.repositories
            if repo.language.lower() == window[2]
            and repo.size <= int(most)
            and (self.heedless or start <= dt.datetime.fromisoformat(repo.created) <= end)
        ]
        with self._lock:
            incomplete = self.incomplete > 0
            self.incomplete -= incomplete
        shown = [item for item in found if item["full_name"] not in self.hidden]
        rows = itertools.islice(shown, (page - 1) * per_page, min(page * per_page, 1000))
        return 200, {
            "total_count": len(found),
            "incomplete_results": incomplete,
            "items": list(rows),
        }

    def find(self, full_name: str | None, number: str | None) -> Repo | None:
        for repo in self.repositories:
            if repo.full_name == full_name or str(repo.id) == number:
                return repo
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    github: GitHub
    host: str

    def do_GET(self):
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        asked = Asked(self.host, address.path, query, self.headers.get("Authorization"))
        canned = self.github.note(asked)
        if canned:
            self._send(canned.status, canned.body, canned.headers)
        elif self.host == CODELOAD:
            self._archive(address.path)
        elif address.path == "/search/repositories":
            self._send(*self.github.search(query))
        elif found := _REPOSITORY.fullmatch(address.path):
            self._repository(address.query, *found.groups())
        else:
            self._send(404, {"message": "Not Found"})

    def log_message(self, *args):
        pass

    def _repository(self, query, full_name, number, what, commit):
        repo = self.github.find(full_name, number)
        if repo is None or repo.trouble == "gone":
            self._send(404, {"message": "Not Found", "status": "404"})
        elif repo.trouble == "moved" and full_name:
            tail = f"/{commit}" if commit else ""
            target = f"https://{API}/repositories/{repo.id}/{what}{tail}?{query}"
            self._send(301, {"message": "Moved Permanently", "url": target}, {"Location": target})
        elif what == "commits":
            if repo.trouble == "empty":
                self._send(409, {"message": "Git Repository is empty.", "status": "409"})
            else:
                self._send(200, [{"sha": repo.commit, "commit": {"message": "x"}}])
        else:
            target = f"https://{CODELOAD}/{repo.full_name}/legacy.tar.gz/{commit}"
            self._send(302, None, {"Location": target})

    def _archive(self, path):
        _, owner, name, kind, commit = path.split("/")
        repo = self.github.find(f"{owner}/{name}", None)
        if repo is None or kind != "legacy.tar.gz" or commit != repo.commit:
            self._send(404, {"message": "Not Found"})
        elif repo.trouble == "huge":
            self._huge()
        elif repo.trouble == "html":
            self._send_bytes(200, b"<!DOCTYPE html><title>Sign in</title>", {})
        else:
            data = repo.archive()
            if repo.trouble == "cut":
                data = data[: len(data) // 2]
            self._send_bytes(200, data, {}, cut=repo.trouble == "truncated")

    def _huge(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/x-gzip")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for number in range(HUGE):
                self.wfile.write((b"\x1f\x8b\x08" if number == 0 else b"") + bytes(1_000_000))
        except OSError:
            pass  # the client has seen enough
        self.close_connection = True

    def _send(self, status, body, headers: Mapping[str, str] | None = None):
        data = b"" if body is None else json.dumps(body).encode()
        tag = f'W/"{hashlib.sha1(data).hexdigest()}"'  # noqa: S324
        sent = {"Content-Type": "application/json; charset=utf-8", **(headers or {})}
        if status == 200:
            sent["ETag"] = tag
            if self.headers.get("If-None-Match") == tag:
                status, data = 304, b""
        self._send_bytes(status, data, sent)

    def _send_bytes(self, status, data, headers, *, cut=False):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self.close_connection = True


@contextmanager
def github(repositories: list[Repo], tomorrow: list[Repo] | None = None) -> Iterator[GitHub]:
    """Serve repositories; ``mirrors`` of what is yielded is for ``RERENDER_MIRRORS``."""
    state = GitHub(list(repositories), list(tomorrow or []))
    with ExitStack() as open_servers:
        for host in (API, CODELOAD):
            handler = type("Handler", (_Handler,), {"github": state, "host": host})
            state.mirrors[host] = open_servers.enter_context(_serving(handler))
        yield state


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def _serving(handler: type[_Handler]) -> Iterator[str]:
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def limited(prefix: str, *, primary: bool, status: int = 403) -> Canned:
    """The answer after too many requests: of the hour (primary) or of the moment (secondary)."""
    if primary:
        reset = int(dt.datetime.now(dt.UTC).timestamp()) + 3_000
        headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{reset}"}
        return Canned(
            prefix, status, {"message": "API rate limit exceeded for 192.0.2.1."}, headers
        )
    message = "You have exceeded a secondary rate limit. Please wait a few minutes."
    return Canned(prefix, status, {"message": message}, {"retry-after": "3000"})
