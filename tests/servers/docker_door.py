"""A door in front of the container engine that a test shuts and opens: a stopped engine, to who
comes through it, while the real one goes on for everybody else."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

CHUNK = 65536


class DockerDoor:
    """Passes bytes on between a socket of its own and the engine's; a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = urlsplit(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
        self._listener: socket.socket | None = None
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    @property
    def host(self) -> str:
        """What `DOCKER_HOST` is set to."""
        return f"unix://{self.path}"

    def open(self) -> None:
        """Listen; from now on the engine answers."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def shut(self) -> None:
        """Break every connection and listen no more."""
        with self._lock:
            listener, self._listener = self._listener, None
            broken, self._open = self._open, set()
        if listener is not None:
            self.path.unlink(missing_ok=True)
            for each in (listener, *broken):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *error: object) -> None:
        self.shut()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            engine = self._connect()
            with self._lock:
                if self._listener is not listener:
                    client.close()
                    engine.close()
                    return
                self._open |= {client, engine}
            for pair in ((client, engine), (engine, client)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _connect(self) -> socket.socket:
        if self._engine.scheme == "unix":
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(self._engine.path)
            return engine
        return socket.create_connection((self._engine.hostname, self._engine.port or 2375))

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        """Pass bytes on until one side ends, then end the other's half, as the engine does."""
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
