"""A loopback stand-in of the Hugging Face hub: one data set at one commit, files by name."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def hub(repository: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the files of a folder; yields the address and the paths that were asked for."""
    asked: list[str] = []
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())

    def entry(name: str) -> dict:
        data = (folder / name).read_bytes()
        oid = hashlib.sha1(data).hexdigest()  # noqa: S324
        return {"type": "file", "path": name, "size": len(data), "oid": oid}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self._answer(body=True)

        def do_HEAD(self):
            self._answer(body=False)

        def log_message(self, *args):
            pass

        def _answer(self, *, body: bool):
            path = unquote(self.path.split("?")[0])
            asked.append(path)
            if path.startswith(f"/api/datasets/{repository}/revision/"):
                siblings = [{"rfilename": name} for name in names]
                info = {"id": repository, "sha": COMMIT, "siblings": siblings, "private": False}
                data, status = json.dumps(info).encode(), 200
            elif path.startswith(f"/api/datasets/{repository}/tree/{COMMIT}"):
                data, status = json.dumps([entry(name) for name in names]).encode(), 200
            else:
                name = path.removeprefix(f"/datasets/{repository}/resolve/{COMMIT}/")
                status = 200 if name in names else 404
                data = (folder / name).read_bytes() if status == 200 else b"{}"
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Type", "application/json")
            self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')  # noqa: S324
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if body:
                self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
