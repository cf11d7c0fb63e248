"""A loopback stand-in of the Hugging Face hub: data sets at one commit, files whole or in part.

It answers what ``huggingface_hub`` and ``datasets`` ask: which commit a branch is, the tree, what
is at some paths, and files. Errors are those of the hub: 401 for an unknown data set, 404 with
``X-Error-Code`` for an unknown revision or file, 503 while ``Hub.down``.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NEXT_COMMIT = "89abcdef0123456789abcdef0123456789abcdef"

_API = re.compile(r"/api/datasets/([^/]+/[^/]+)/(revision|tree|paths-info)/([^/]+)(?:/(.*))?")
_FILE = re.compile(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.*)")
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass
class Hub:
    """What is served, and what was asked."""

    sets: dict[str, Path]
    """Folders by owner and name."""
    asked: list[str] = field(default_factory=list)
    commit: str = COMMIT
    """What ``main`` is; older commits stay."""
    down: bool = False
    address: str = ""

    def files(self, repository: str) -> dict[str, Path]:
        """Return the files of a data set by name."""
        folder = self.sets[repository]
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path for path in paths}

    def tree(self, repository: str, below: str, *, recursive: bool) -> list[dict] | None:
        """Return what lies in a folder; None where there is no such folder."""
        start = f"{below}/" if below else ""
        found: dict[str, dict] = {}
        for name, path in self.files(repository).items():
            if not name.startswith(start):
                continue
            parts = name[len(start) :].split("/")
            for depth in range(1, len(parts) if recursive else min(len(parts), 2)):
                folder = start + "/".join(parts[:depth])
                found[folder] = {"type": "directory", "path": folder, "oid": "0" * 40, "size": 0}
            if recursive or len(parts) == 1:
                found[name] = entry(name, path)
        return list(found.values()) or None


def entry(name: str, path: Path) -> dict:
    """Describe a file as the hub does."""
    data = path.read_bytes()
    oid = hashlib.sha1(data).hexdigest()  # noqa: S324
    return {"type": "file", "path": name, "size": len(data), "oid": oid}


class Handler(BaseHTTPRequestHandler):
    """Answers for the hub that its subclass holds."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_GET(self):
        self._answer()

    def do_HEAD(self):
        self._answer()

    def do_POST(self):
        self._answer()

    def log_message(self, *args):
        pass

    def _answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path, _, query = self.path.partition("?")
        path = unquote(path)
        self.hub.asked.append(path)
        api, file = _API.fullmatch(path), _FILE.fullmatch(path)
        found = api or file
        if self.hub.down:
            self._send(503, b"{}")
        elif found is None or found[1] not in self.hub.sets:
            self._send(401, b"{}", {"X-Error-Code": "RepoNotFound"})
        elif api:
            recursive = parse_qs(query).get("recursive", ["false"])[0].lower() in ("true", "1")
            self._api(api[1], api[2], api[3], api[4] or "", body, recursive=recursive)
        else:
            self._file(found[1], found[2], found[3])

    def _api(self, repository, verb, revision, below, body, *, recursive):
        if revision not in ("main", COMMIT, self.hub.commit):
            self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
        elif verb == "revision":
            commit = self.hub.commit if revision == "main" else revision
            siblings = [{"rfilename": name} for name in self.hub.files(repository)]
            info = {"id": repository, "sha": commit, "siblings": siblings, "private": False}
            self._send(200, json.dumps(info).encode())
        elif verb == "tree":
            found = self.hub.tree(repository, below, recursive=recursive)
            if found is None:
                self._send(404, b"{}", {"X-Error-Code": "EntryNotFound"})
            else:
                self._send(200, json.dumps(found).encode())
        else:
            wanted = set(parse_qs(body).get("paths", []))
            everything = self.hub.tree(repository, "", recursive=True) or []
            found = [one for one in everything if one["path"] in wanted]
            self._send(200, json.dumps(found).encode())

    def _file(self, repository, revision, name):
        path = self.hub.files(repository).get(name)
        if path is None:
            self._send(404, b"{}", {"X-Error-Code": "EntryNotFound"})
            return
        data = path.read_bytes()
        headers = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": revision}  # noqa: S324
        part = _RANGE.fullmatch(self.headers.get("Range") or "")
        if part is None:
            self._send(200, data, headers)
            return
        start, end = int(part[1]), min(int(part[2] or len(data) - 1), len(data) - 1)
        headers["Content-Range"] = f"bytes {start}-{end}/{len(data)}"
        self._send(206, data[start : end + 1], headers)

    def _send(self, status: int, data: bytes, headers: dict[str, str] | None = None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def hub_of(sets: dict[str, Path]) -> Iterator[Hub]:
    """Serve the files of folders as data sets."""
    served = Hub(sets)
    handler = type("OwnHandler", (Handler,), {"hub": served})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
