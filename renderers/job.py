"""What one job sends into a sandbox and what comes back; knows nothing of the engine.

A sandbox waits in ``WAITING``: a shell that reads the size of a script and runs it. The host then
writes the script and a tar of the input files to the same pipe. The script unpacks the files, runs
the command with an empty environment, ends whatever the command left running, and replaces itself
by a tar of the outputs. So a job costs one pipe and no ``exec``.

Standard output carries, in this order: a random marker when the command starts, what the command
wrote, a line that starts with the marker and holds the exit status and the kernel's counts, the
tar. All but the first is untrusted: a job can write to the shell's pipes, and so can forge its own
result, which it may choose freely anyway, but nothing beyond it. Without the first, the command
never ran; without the end of the tar, the sandbox was lost on the way: both are nobody's result.
"""

from __future__ import annotations

import io
import re
import secrets
import shlex
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchmark.outcome import Failed, Kind, Stage
from renderers.bundle import path_fault

WAITING = ("/bin/sh", "-c", 'read -r size && eval "$(head -c "$size")"')
WORK = "/work"
EPOCH = 1_735_689_600
"""Modification time of every input file and the clock of tools that ask SOURCE_DATE_EPOCH."""

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",  # noqa: S108 - inside the container
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "SOURCE_DATE_EPOCH": str(EPOCH),
}

MAX_FILES = 2000
"""A job that leaves more to collect, folders counted, is told so and gets none of them."""
FLOOD = 64
"""A job that writes this many times its log's cap is stopped; less is discarded quietly."""

_PATTERN = re.compile(r"[\w.*?][\w.*?/+=@-]*")

_SCRIPT = """\
head -c {size} | tar -x -f - -C {work} || exit 125
cd {work} || exit 125
printf %s {marker}
timeout -s KILL {seconds} env -i {environment} {command} </dev/null
status=$?
kill -s KILL -- -1 2>/dev/null
oom=0 forks=0
for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
  [ -r $file ] || continue
  while read -r key value; do [ "$key" != oom_kill ] || oom=$value; done <$file
done
for file in /sys/fs/cgroup/pids.events /sys/fs/cgroup/pids/pids.events; do
  [ -r $file ] || continue
  while read -r key value; do [ "$key" != max ] || forks=$value; done <$file
done
set --
for file in {patterns}; do
  [ ! -e "$file" ] || [ -h "$file" ] || set -- "$@" "$file"
done
printf '\\n%s %s %s %s\\n' {marker} $status "$oom" "$forks"
exec tar -c -f - --hard-dereference --no-unquote -T /dev/null -- "$@" 2>/dev/null
"""


class Stop(StrEnum):
    """Why a job was stopped, or could not go on, by its sandbox rather than by itself."""

    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    FILES = "files"
    PROCESSES = "processes"


@dataclass(frozen=True)
class Limits:
    """What one job may use."""

    seconds: float = 20
    """Wall-clock time."""
    memory_mb: int = 1024
    """Memory of all processes and of what lies in the work folder; there is no swap."""
    cpus: float = 1
    pids: int = 64
    """Processes and threads at the same time."""
    work_mb: int = 128
    """Room in the work folder and, again, in /tmp; also the largest file."""
    output_mb: int = 64
    """Bytes of the collected files together."""
    log_kb: int = 256
    """Kept bytes of standard output and of standard error, each."""


LIMITS = Limits()


@dataclass(frozen=True)
class Execution:
    """What a command did in its sandbox."""

    exit_code: int | None
    """None when the job was stopped before the command ended."""
    stdout: str
    stderr: str
    files: dict[str, bytes]
    seconds: float
    stopped: Stop | None
    dropped: int = 0
    """Outputs that were not brought back: links, devices, names that lead out of the folder."""

    @property
    def log(self) -> str:
        """Both streams as one text, after a line about outputs that were left out, if any were."""
        left_out = f"{self.dropped} outputs left out: links, devices or unsafe names"
        texts = (left_out if self.dropped else "", self.stdout.strip(), self.stderr.strip())
        return "\n".join(text for text in texts if text)


@dataclass(frozen=True)
class Job:
    """A command, its input files and the names of its outputs."""

    command: Sequence[str]
    files: Mapping[str, bytes]
    collect: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    marker: str = field(default_factory=lambda: secrets.token_hex(16))

    def __post_init__(self) -> None:
        for pattern in self.collect:
            if not _PATTERN.fullmatch(pattern) or ".." in pattern:
                raise ValueError(f"not a pattern of output names: {pattern!r}")

    def payload(self, limits: Limits) -> bytes:
        """Return all that goes to the waiting shell's standard input."""
        archive = _pack(self.files)
        variables = {**ENVIRONMENT, **self.environment}
        script = _SCRIPT.format(
            size=len(archive),
            work=WORK,
            seconds=limits.seconds + 5,  # only if the host is gone; it stops jobs itself
            environment=shlex.join(f"{name}={value}" for name, value in variables.items()),
            command=shlex.join(self.command),
            patterns=" ".join(self.collect) or '""',
            marker=self.marker,
        ).encode()
        return b"%d\n%s%s" % (len(script), script, archive)


def stopped_failure(execution: Execution, limits: Limits = LIMITS) -> Failed | None:
    """Turn the limit that ended a job into a failure; None when no limit did.

    Args:
        execution: what the job did.
        limits: that it ran under, for the message.
    """
    kind, message = {
        Stop.TIMEOUT: (Kind.TIMEOUT, f"not finished after {limits.seconds:g} s"),
        Stop.MEMORY: (Kind.RESOURCE_LIMIT, f"memory: needed more than {limits.memory_mb} MB"),
        Stop.PROCESSES: (Kind.RESOURCE_LIMIT, f"processes: started more than {limits.pids}"),
        Stop.OUTPUT: (
            Kind.RESOURCE_LIMIT,
            f"output: wrote more than {limits.output_mb} MB, or filled {limits.work_mb} MB on disk",
        ),
        Stop.FILES: (Kind.RESOURCE_LIMIT, f"files: left more than {MAX_FILES} to collect"),
        None: (Kind.COMPILE_ERROR, ""),
    }[execution.stopped]
    return Failed.of(Stage.RENDER, kind, message, execution.log[-4000:]) if message else None


def _pack(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files.items():
            fault = path_fault(path)
            if fault:
                raise ValueError(f"path {path!r}: {fault}; check files with renderers.bundle first")
            member = tarfile.TarInfo(path)
            member.size, member.mode, member.mtime = len(data), 0o644, EPOCH
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()
