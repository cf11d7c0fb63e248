"""What comes back from a sandbox, read as the hostile input that it is; knows no engine.

See ``renderers.job`` for what a job writes and in which order.
"""

from __future__ import annotations

import io
import re
import socket
import tarfile
import time
from dataclasses import dataclass, field

from renderers.bundle import normalise, path_fault
from renderers.job import FLOOD, MAX_FILES, Execution, Limits, Stop

START_SECONDS = 60
"""How long a waiting sandbox may take to receive its job and, again, to begin it."""

_RECEIVE = 1 << 16
_HEADER = re.compile(rb"(\d{1,3}) (\d{1,20}) (\d{1,20})\n")
_FILE_TOO_LARGE = 153
_FRAME = 8


class Result:
    """Collects what the engine sends of a job's two streams, within the job's limits."""

    def __init__(self, marker: str, limits: Limits) -> None:
        self._start = marker.encode()
        self._marker = f"\n{marker} ".encode()
        self._limits = limits
        self._frames = bytearray()
        self._pending = bytearray()
        self._archive: bytearray | None = None
        self._logs = {1: bytearray(), 2: bytearray()}
        self._written = 0
        self.begun = False
        self.flooded = False

    def feed(self, data: bytes) -> None:
        """Take bytes in the engine's framing (stream, three zeros, big-endian size, payload)."""
        self._frames += data
        while len(self._frames) >= _FRAME:
            end = _FRAME + int.from_bytes(self._frames[4:_FRAME], "big")
            if len(self._frames) < end:
                return
            stream, payload = self._frames[0], bytes(self._frames[_FRAME:end])
            del self._frames[:end]
            if stream == 1:
                self._take_output(payload)
            else:
                self._log(2, payload)

    def execution(self, seconds: float, stopped: Stop | None) -> Execution | None:
        """Return what the job did, or None when its sandbox ended without a whole result."""
        archive = bytes(self._archive or b"")
        header = _HEADER.match(archive)
        contents = _unpack(archive[header.end() :] if header else b"")
        if stopped is None and (header is None or contents.cut):
            return None
        if self._archive is None:
            self._log(1, bytes(self._pending))
        exit_code, oom, forks = map(int, header.groups()) if header else (None, 0, 0)
        stdout, stderr = (log.decode("utf-8", "replace") for log in self._logs.values())
        if stopped is None and exit_code:
            stopped = _reason(exit_code, bool(oom), bool(forks), stderr)
        elif stopped is None and oom:
            stopped = Stop.MEMORY
        if stopped is None and contents.crowded:
            stopped = Stop.FILES
        files, dropped = contents.files, contents.dropped
        return Execution(exit_code, stdout, stderr, files, seconds, stopped, dropped)

    def _take_output(self, payload: bytes) -> None:
        if self._archive is not None:
            self._archive += payload
            if len(self._archive) > self._limits.output_mb << 20:
                self.flooded = True
            return
        self._pending += payload
        if not self.begun:  # nothing can write before it, so it comes first
            if len(self._pending) < len(self._start):
                return
            del self._pending[: len(self._start)]
            self.begun = True
        position = self._pending.find(self._marker)
        if position >= 0:
            self._archive = self._pending[position + len(self._marker) :]
            self._log(1, bytes(self._pending[:position]))
        else:  # the marker may have come in part only
            keep = max(0, len(self._pending) - len(self._marker) + 1)
            self._log(1, bytes(self._pending[:keep]))
            del self._pending[:keep]

    def _log(self, stream: int, payload: bytes) -> None:
        cap = self._limits.log_kb << 10
        self._written += len(payload)
        log = self._logs[stream]
        log += payload[: max(0, cap - len(log))]
        if self._written > cap * FLOOD:
            self.flooded = True


def exchange(
    channel: socket.socket, payload: bytes, result: Result, seconds: float
) -> tuple[float, Stop | None]:
    """Send a job, receive until its sandbox ends or meets a limit.

    The job's time starts when its command does: an engine that stalls before is no fault of the
    job's, and looks like a sandbox that ended without a result.

    Args:
        channel: connected to a waiting sandbox.
        payload: of the job.
        result: is fed with what comes back.
        seconds: that the command may take.

    Returns:
        The seconds that it took, and the limit that the job met before its end, if any.
    """
    begun = time.monotonic()
    try:
        channel.settimeout(START_SECONDS)
        channel.sendall(payload)
        begun = time.monotonic()
        while not result.begun and _receive(channel, result, begun + START_SECONDS):
            pass
        begun = time.monotonic()
        stopped = _finish(channel, result, begun + seconds)
    except OSError:
        stopped = None  # the engine stalled, or it or somebody else closed the connection
    return time.monotonic() - begun, stopped


def _finish(channel: socket.socket, result: Result, deadline: float) -> Stop | None:
    try:
        while not result.flooded:
            if not _receive(channel, result, deadline):
                return None
    except TimeoutError:
        return Stop.TIMEOUT
    return Stop.OUTPUT


def _receive(channel: socket.socket, result: Result, deadline: float) -> bool:
    """Take what comes next; False at the end, TimeoutError past the deadline."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    channel.settimeout(left)
    data = channel.recv(_RECEIVE)
    result.feed(data)
    return bool(data)


def _reason(exit_code: int, oom: bool, forks: bool, stderr: str) -> Stop | None:
    """Tell which limit made a command fail, if one did."""
    if oom:
        return Stop.MEMORY
    if forks:
        return Stop.PROCESSES
    if exit_code == _FILE_TOO_LARGE or "No space left on device" in stderr:
        return Stop.OUTPUT
    return None


@dataclass
class _Contents:
    """What an untrusted tar holds."""

    files: dict[str, bytes] = field(default_factory=dict)
    dropped: int = 0
    crowded: bool = False
    """Whether there are more than `MAX_FILES` members; there are no files then."""
    cut: bool = False
    """Whether the data end before the tar does, as when the sandbox dies while it sends."""


def _unpack(archive: bytes) -> _Contents:
    """Read the regular files of an untrusted tar; links, devices and odd names are left out."""
    contents, buffer = _Contents(), io.BytesIO(archive)
    try:
        with tarfile.open(fileobj=buffer, mode="r:") as members:
            for count, member in enumerate(members):
                if count >= MAX_FILES:
                    return _Contents(crowded=True)
                if member.size < 0:  # forged: would lead back to where the reader has been
                    return contents
                if member.isreg() and not member.issparse() and not path_fault(member.name):
                    content = members.extractfile(member)
                    contents.files[normalise(member.name)] = content.read() if content else b""
                elif not member.isdir():
                    contents.dropped += 1
    except (tarfile.TarError, EOFError, ArithmeticError, LookupError, ValueError, RecursionError):
        pass  # cut off, or forged: what was whole so far is all there is
    # a tar ends with two blocks of zeros, and the reader stops after the first
    contents.cut = buffer.tell() >= len(archive)
    return contents
