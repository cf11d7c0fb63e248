"""An S3 server on loopback: moto's, which answers as Amazon's does, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple, Self

PATIENCE = 180


class Asked(NamedTuple):
    """A request that the server answered."""

    method: str
    path: str
    status: int


class S3Server:
    """Runs as long as its block; what is put into it is kept in its memory."""

    def __enter__(self) -> Self:
        self._log = tempfile.NamedTemporaryFile(suffix=".log")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
            stdout=self._log, stderr=self._log,
        )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not (found := re.search(r"Running on (http://\S+)", self._text())):
            assert self._process.poll() is None, self._text()
            assert time.monotonic() < end, self._text()
            time.sleep(0.1)
        self.address = found[1]
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        self._log.close()

    @property
    def environment(self) -> dict[str, str]:
        """What a client is told of it, in Amazon's own variables."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": "someone",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def make_bucket(self) -> str:
        """Make a bucket and return the address of a folder in it."""
        import boto3

        name = f"b{uuid.uuid4().hex[:12]}"
        client = boto3.client(
            "s3", endpoint_url=self.address, region_name="us-east-1",
            aws_access_key_id="someone", aws_secret_access_key="secret",  # noqa: S106
        )  # fmt: skip
        client.create_bucket(Bucket=name)
        return f"s3://{name}/benchmark/store"

    def asked(self) -> list[Asked]:
        """Return the requests so far, in their order."""
        found = re.findall(r'"([A-Z]+) (\S+) HTTP/[\d.]+" (\d+)', self._text())
        return [Asked(method, path, int(status)) for method, path, status in found]

    def _text(self) -> str:
        return Path(self._log.name).read_text(errors="replace")
