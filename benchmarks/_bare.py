"""One long-lived container without hardening or limits, in the place of a pool of fresh ones."""

from __future__ import annotations

import io
import queue
import secrets
import shlex
import subprocess
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any, Self
from unittest import mock

from benchmark.outcome import Outcome, ok
from benchmark.protocols import Renderer
from renderers.job import ENVIRONMENT, Execution, Limits
from renderers.sandbox import Pool

DOCKER = "docker"
UNLIMITED = Limits(seconds=3600)

_LOOP = """\
while read -r size; do
  folder=$(mktemp -d)
  ( cd $folder && eval "$(head -c $size)" )
  rm -rf $folder
done
"""
_JOB = """\
head -c {size} | tar -x
env -i {environment} {command} </dev/null >$folder.out 2>$folder.err
status=$?
set --
for file in {patterns}; do [ ! -e "$file" ] || set -- "$@" "$file"; done
tar -cf $folder.tar -T /dev/null -- "$@"
wc -c <$folder.out; wc -c <$folder.err; wc -c <$folder.tar; echo $status
cat $folder.out $folder.err $folder.tar
rm -f $folder.out $folder.err $folder.tar
"""


class BareContainer(Pool):
    """A container and shells in it that run jobs one after the other."""

    def __init__(self, image: str) -> None:
        super().__init__(image, limits=UNLIMITED)
        self._name = f"rerender-bare-{secrets.token_hex(8)}"
        # the container ends with its input, and so with this process, however that ends
        command = [DOCKER, "run", "--interactive", "--rm", "--name", self._name, image, "cat"]
        self._main = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        _pipe(self._main.stdin).write(b"ready\n")
        _pipe(self._main.stdin).flush()
        _pipe(self._main.stdout).readline()
        self._shells = [self._main]
        self._idle: queue.LifoQueue[subprocess.Popen[bytes]] = queue.LifoQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for shell in reversed(self._shells):
            _pipe(shell.stdin).close()
            shell.wait()
            _pipe(shell.stdout).close()

    def run(
        self,
        command: Sequence[str],
        files: Mapping[str, bytes],
        *,
        collect: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,  # noqa: ARG002 - the interface of a pool
    ) -> Outcome[Execution]:
        """Run a job as ``Pool.run`` does, in the shell of an idle core."""
        shell = self._shell()
        begun = time.monotonic()
        stdin, stdout = _pipe(shell.stdin), _pipe(shell.stdout)
        archive = _pack(files)
        variables = {**ENVIRONMENT, **(environment or {})}
        script = _JOB.format(
            size=len(archive), command=shlex.join(command), patterns=" ".join(collect) or '""',
            environment=shlex.join(f"{name}={value}" for name, value in variables.items()),
        ).encode()  # fmt: skip
        stdin.write(b"%d\n%s%s" % (len(script), script, archive))
        stdin.flush()
        out, err, size, status = (int(stdout.readline()) for _ in range(4))
        texts = [stdout.read(length).decode("utf-8", "replace") for length in (out, err)]
        outputs = _unpack(stdout.read(size))
        self._idle.put(shell)
        seconds = time.monotonic() - begun
        return ok(Execution(status, texts[0], texts[1], outputs, seconds, stopped=None))

    def close(self) -> None:
        """Do nothing: the renderer closes its pool, this container is removed on exit."""

    @contextmanager
    def in_place_of_pool(self, renderer: Renderer) -> Iterator[None]:
        """Let a renderer run its jobs here."""
        with mock.patch.object(renderer, "_pool", self):
            yield

    @contextmanager
    def in_place_of_browsers(self) -> Iterator[None]:
        """Let browsers that are started from now on run here."""

        def command(*_: object, **__: object) -> list[str]:
            return [DOCKER, "exec", "--interactive", self._name]

        with mock.patch("renderers.web_browser.browser_command", command):
            yield

    def _shell(self) -> subprocess.Popen[bytes]:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            command = [DOCKER, "exec", "--interactive", self._name, "sh", "-c", _LOOP]
            shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._shells.append(shell)
            return shell


def _pipe(stream: IO[Any] | None) -> IO[Any]:
    if stream is None:
        raise ValueError("the shell was started without pipes")
    return stream


def _pack(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def _unpack(data: bytes) -> dict[str, bytes]:
    files = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content:
                files[member.name] = content.read()
    return files
