"""All that hardens a container and says whose it is, without talking to the engine.

The same limits serve both ways to start a container: the engine's interface, for jobs, and the
command line, for a browser that is driven over its standard input and output.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from renderers.job import LIMITS, WORK, Limits

USER = "65534:65534"
HOSTNAME = "sandbox"
OWNER = "org.rerender.owner"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY")


def hardening(limits: Limits) -> dict[str, Any]:
    """All that hardens a container, in the words of the engine's interface."""
    memory = limits.memory_mb << 20
    tmpfs = f"rw,noexec,nosuid,nodev,size={limits.work_mb}m,mode=1777,uid=65534,gid=65534"
    return {
        "auto_remove": True,
        "network_mode": "none",
        "ipc_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "tmpfs": {WORK: tmpfs, "/tmp": tmpfs},  # noqa: S108 - inside the container
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(limits.cpus * 1e9),
        "pids_limit": limits.pids,
        "oom_score_adj": 500,
        "log_config": {"type": "none"},
    }


def ulimits(limits: Limits) -> list[dict[str, Any]]:
    """Limits of each process: no core files, and no file larger than the work folder."""
    values = {"core": 0, "nofile": 4096, "fsize": limits.work_mb << 20}
    return [{"Name": name, "Soft": value, "Hard": value} for name, value in values.items()]


def browser_command(
    image: str, *, name: str, limits: Limits = LIMITS, runtime: str | None = None
) -> list[str]:
    """Return the ``docker run`` command line of a browser's container, hardened like a job's.

    The command to run in the container is to be appended. Standard input and output are attached;
    end the container with ``stop_container(name)``.
    """
    host = hardening(limits)
    flags = [
        "--rm", "--interactive", "--pull", "never", "--name", name, "--user", USER,
        "--workdir", WORK, "--hostname", HOSTNAME, "--label", f"{OWNER}={owner()}",
        "--network", host["network_mode"], "--ipc", "private", "--read-only", "--init",
        "--cap-drop", *host["cap_drop"], "--security-opt", *host["security_opt"],
        "--memory", str(host["mem_limit"]), "--memory-swap", str(host["memswap_limit"]),
        "--cpus", f"{limits.cpus:g}", "--pids-limit", str(host["pids_limit"]),
        "--shm-size", f"{limits.work_mb}m", "--oom-score-adj", str(host["oom_score_adj"]),
        "--log-driver", host["log_config"]["type"],
    ]  # fmt: skip
    for path, mount in host["tmpfs"].items():
        flags += ["--tmpfs", f"{path}:{mount}"]
    for limit in ulimits(limits):
        flags += ["--ulimit", f"{limit['Name']}={limit['Soft']}:{limit['Hard']}"]
    for variable in PROXIES:  # the command line would copy them from its configuration
        flags += ["--env", f"{variable}=", "--env", f"{variable.lower()}="]
    if runtime:
        flags += ["--runtime", runtime]
    return ["docker", "run", *flags, image]


def owner(pid: int | None = None) -> str:
    """Name a process so that another one with its number is not mistaken for it."""
    pid = pid or os.getpid()
    try:
        started = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    except OSError:
        started = "0"  # no /proc (macOS), or no such process
    return f"{socket.gethostname()}/{pid}/{started}"


def is_stale(label: str) -> bool:
    """Tell whether the process that an owner's label names lived on this host and is gone."""
    host, _, process = label.partition("/")
    pid = process.partition("/")[0]
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return owner(int(pid)) != label
