"""A PostgreSQL server on loopback, of its own folder and user, gone with its block."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from flows.lifeline import unmarked

PATIENCE = 180
PASSWORD = "pass/word?:@%"  # noqa: S105 - what an address must quote


class PostgresServer:
    """Runs as long as its block, as Debian's user `postgres` where we are root."""

    def __init__(self, programs: Path) -> None:
        """Remember the folder of `initdb` and `postgres`."""
        self._programs = programs
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    def __enter__(self) -> Self:
        # the user `postgres` cannot come to a folder that is private to this process
        shared = unmarked(os.environ).get("TMPDIR", "/tmp")  # noqa: S108 - a folder of its own in it
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-", dir=shared))
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:  # the server refuses to run as root
            for path in (self._folder, secret):
                shutil.chown(path, "postgres", "postgres")
        data = self._folder / "data"
        subprocess.run(
            [self._programs / "initdb", "--pgdata", data, "--username", "prefect",
             "--auth", "scram-sha-256", "--pwfile", secret, "--encoding", "UTF8", "--no-locale",
             "--no-sync"],
            check=True, capture_output=True, cwd=self._folder, **self._as_who(),
        )  # fmt: skip
        self._log = (self._folder / "log").open("wb")
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", data, "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
             "-c", "fsync=off"],
            stdout=self._log, stderr=self._log, cwd=self._folder, **self._as_who(),
        )  # fmt: skip
        self._wait()
        return self

    def __exit__(self, *error: object) -> None:
        self._process.send_signal(signal.SIGINT)  # ends without waiting for clients
        self._process.wait(timeout=PATIENCE)
        self._log.close()
        shutil.rmtree(self._folder)

    @property
    def address(self) -> str:
        """Where it is, with user and password, as Prefect takes it."""
        return (
            f"postgresql+asyncpg://prefect:{quote(PASSWORD, safe='')}"
            f"@127.0.0.1:{self.port}/postgres"
        )

    async def ask(self, query: str) -> list[Any]:
        """Return the rows of a query."""
        import asyncpg

        connection = await asyncpg.connect(
            host="127.0.0.1", port=self.port, user="prefect", password=PASSWORD,
            database="postgres",
        )  # fmt: skip
        try:
            return list(await connection.fetch(query))
        finally:
            await connection.close()

    def _as_who(self) -> dict[str, Any]:
        if os.geteuid() != 0:
            return {"env": os.environ | {"USER": getpass.getuser()}}
        return {"user": "postgres", "group": "postgres", "extra_groups": []}

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self._process.poll() is None, (self._folder / "log").read_text()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise AssertionError("PostgreSQL does not answer")
