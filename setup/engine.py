"""A container engine: the one that answers, or Docker installed and started here."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from setup.console import SetupError, log_file, run_logged, say, step, succeeds
from setup.system import as_root, can_install, install

DAEMON_LOG = Path("/var/log/dockerd-rerender.log")
PID_FILES = (Path("/var/run/docker.pid"), Path("/var/run/docker/containerd/containerd.pid"))
CGROUPS = Path("/sys/fs/cgroup")
CHROOT_MOUNT = "/run/rerender-root"

_START_SECONDS = 30
_ATTEMPTS: tuple[tuple[str, ...], ...] = (
    (),
    (),
    # The sandboxes have no network and builds use the host's, so nothing is lost without these.
    ("--iptables=false", "--ip6tables=false", "--bridge=none"),
)


@dataclass(frozen=True)
class Engine:
    """An engine that answers."""

    version: str
    runtime: str
    storage: str


def prepare() -> Engine:
    """Find an engine that answers; otherwise install and start Docker where we may.

    Raises:
        SetupError: there is none and we cannot make one, or may not use it.
    """
    engine = ask()
    if engine:
        return engine
    if os.environ.get("DOCKER_HOST") or not can_install():
        raise SetupError(*no_engine())
    if not (shutil.which("docker") and _daemon()):
        install(*_packages())
    log = log_file("engine")
    with step("starting the Docker engine", log):
        _start(log)
    engine = ask()
    if engine is None:
        raise SetupError(
            "The Docker engine runs, but this user may not use it.",
            "Run `sudo usermod -aG docker $USER`, log in again, then run the same command again.",
        )
    if engine.storage == "vfs":
        say("note: no overlay file system here, so Docker uses vfs: slow, and about 10 GB of disk")
    return engine


def ask() -> Engine | None:
    """What the engine that the docker command reaches says of itself; None without an answer."""
    form = "{{.ServerVersion}}\t{{.DefaultRuntime}}\t{{.Driver}}"
    try:
        told = subprocess.run(
            ["docker", "info", "--format", form],
            capture_output=True, text=True, check=False, timeout=30, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    fields = told.stdout.strip().split("\t")
    if told.returncode != 0 or len(fields) != len(form.split("\t")) or not fields[0]:
        return None
    return Engine(*fields)


def no_engine() -> tuple[str, str]:
    """The two lines for a person without an engine."""
    host = os.environ.get("DOCKER_HOST")
    where = f"at DOCKER_HOST={host}" if host else "here, and we may not install one"
    return (
        f"No container engine answers {where}. Start Docker Desktop; or rootless Docker: "
        "`dockerd-rootless-setuptool.sh install`, then "
        "`export DOCKER_HOST=unix://$XDG_RUNTIME_DIR/docker.sock`;",
        "or Podman (with podman-docker): `systemctl --user start podman.socket`, then "
        "`export DOCKER_HOST=unix://$XDG_RUNTIME_DIR/podman/podman.sock`. Then run this again.",
    )


def _packages() -> list[str]:
    wanted = ["docker.io", "iptables"]
    known = subprocess.run(
        ["apt-cache", "show", "docker-cli"], capture_output=True, check=False
    ).returncode
    if known == 0:  # since Debian 13 the command is a package of its own
        wanted.append("docker-cli")
    if Path("/sys/module/apparmor/parameters/enabled").is_file():
        wanted.append("apparmor")  # the engine loads its profile with apparmor_parser
    return wanted


def _daemon() -> str | None:
    return shutil.which("dockerd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def _start(log: Path) -> None:
    root = as_root() or []
    if Path("/run/systemd/system").is_dir():
        command = [*root, "systemctl", "start", "docker"]
        advice = "See `journalctl -u docker`, then run the same command again."
        run_logged(command, log, failure=("systemd could not start docker.", advice))
        return
    _mount_cgroups(root, log)
    for attempt, flags in enumerate(_ATTEMPTS):
        if attempt:
            say(f"  it did not start; trying again {' '.join(flags)}".rstrip())
        _clear_pid_files(root, log)
        if _launch(root, flags):
            return
    raise SetupError(
        "The Docker engine did not start.",
        f"See {DAEMON_LOG} for the reason, or start an engine by hand, then run this again.",
        log=DAEMON_LOG,
    )


def _launch(root: list[str], flags: tuple[str, ...]) -> bool:
    """Start the daemon, apart from our terminal and pipes, and wait until it answers."""
    mountinfo = Path("/proc/self/mountinfo").read_text()
    command = [*root, *own_root(mountinfo), _daemon() or "dockerd", *flags]
    with _open_daemon_log() as stream:
        daemon = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream,
            start_new_session=True, cwd="/",
        )  # fmt: skip
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and daemon.poll() is None:
        if _answers(root):
            return True
        time.sleep(0.3)
    daemon.terminate()
    return False


def _answers(root: list[str]) -> bool:
    probe = [*root, "docker", "info"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _open_daemon_log() -> TextIO:
    try:
        return DAEMON_LOG.open("a")
    except OSError:  # sudo starts the daemon, but the log is opened by us
        return log_file("dockerd").open("a")


def own_root(mountinfo: str) -> list[str]:
    """Words that give the daemon a root that is a mount point, where ours is none (a chroot).

    The engine unpacks layers and starts containers behind pivot_root, which needs one.

    Args:
        mountinfo: what ``/proc/self/mountinfo`` says.
    """
    if any(line.split()[4] == "/" for line in mountinfo.splitlines()):
        return []
    say("  this is a chroot: the engine gets a mount of it as its root")
    script = (
        'mkdir -p "$0" && mount --rbind / "$0" && mount --make-rprivate "$0" '
        '&& exec chroot "$0" "$@"'
    )
    return ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", script, CHROOT_MOUNT]


def _mount_cgroups(root: list[str], log: Path) -> None:
    """Mount the control groups where nobody did (a bare chroot); the limits need them."""
    if any(CGROUPS.iterdir()):
        return
    say("  mounting the control groups")
    if not succeeds([*root, "mount", "-t", "cgroup2", "cgroup2", str(CGROUPS)], log):
        install("cgroupfs-mount")
        succeeds([*root, "cgroupfs-mount"], log)


def _clear_pid_files(root: list[str], log: Path) -> None:
    """Remove what a killed daemon left: its number may by now be another process's."""
    for path in PID_FILES:
        try:
            name = Path(f"/proc/{int(path.read_text())}/comm").read_text().strip()
        except (OSError, ValueError):
            name = ""
        if path.exists() and name not in {"dockerd", "containerd"}:
            succeeds([*root, "rm", "--force", str(path)], log)
