"""``debian:trixie-slim``: pulled, or made with mmdebstrap where no image registry answers.

What apt needs to work here (sources, proxies, certificates) is read from the host's own apt and
carried into the image, so that ``docker build`` reaches the packages that the host reaches. No
address is written into this repository, and passwords (``auth.conf``) are never carried.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from setup.console import STATE, SetupError, log_file, run_logged, say, step, succeeds
from setup.system import as_root, can_install, install, os_release

IMAGE = "debian:trixie-slim"
SUITE = "trixie"

_PULL_SECONDS = 300
_CARRIED = re.compile(r"Acquire::(https?|Check-Valid-Until|Check-Date|Retries|ForceIPv[46])\b")
_HOST_FILES = re.compile(r"::(CaInfo|SslCert|SslKey|Proxy-Auto-Detect)\b")
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def prepare() -> None:
    """Have the base image.

    Raises:
        SetupError: no registry answers and the image cannot be made here.
    """
    log = log_file("base")
    if succeeds(["docker", "image", "inspect", "--format", "{{.Id}}", IMAGE], log):
        return
    say(f"base image: asking a registry for {IMAGE}")
    if succeeds(["timeout", str(_PULL_SECONDS), "docker", "pull", "--quiet", IMAGE], log):
        return
    if not shutil.which("mmdebstrap") and can_install():
        install("mmdebstrap")
    if not shutil.which("mmdebstrap") or as_root() is None:
        raise SetupError(
            f"The base image {IMAGE} could not be pulled, and mmdebstrap cannot make it here.",
            f"Run `docker pull {IMAGE}` where a registry answers, then run the same command again.",
            log=log,
        )
    _make(log)


def _make(log: Path) -> None:
    sources = carried_sources(_index_targets(), os_release().get("VERSION_CODENAME", SUITE))
    options = carried_options(_lines(["apt-config", "dump", "--no-empty"]))
    STATE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=STATE) as folder:
        archive, source_list = Path(folder, "base.tar"), Path(folder, "sources.list")
        option_file = Path(folder, "apt.conf")
        source_list.write_text("".join(f"{line}\n" for line in sources))
        option_file.write_text("".join(f"{line}\n" for line in options))
        command = [
            *(as_root() or []), "mmdebstrap", "--variant=minbase", f"--aptopt={option_file}",
            '--aptopt=Acquire::Languages "none"', "--dpkgopt=force-unsafe-io",
            "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/share/locale/*", *_certificates(sources),
            SUITE, str(archive), *([str(source_list)] if sources else []),
        ]  # fmt: skip
        failure = (
            "No image registry answers, and making the base image with mmdebstrap failed.",
            "Check that `apt-get update` works on this machine, then run the same command again.",
        )
        with step("base image: no registry answers, making it with mmdebstrap", log):
            run_logged(command, log, failure=failure)
            run_logged(["docker", "import", str(archive), IMAGE], log, failure=failure)


def carried_sources(targets: Iterable[str], codename: str) -> list[str]:
    """Rewrite the host's own Debian sources for the suite of the image.

    Args:
        targets: lines ``origin|uri|suite|component`` of ``apt-get indextargets``.
        codename: the host's suite, for instance ``bookworm``.

    Returns:
        Lines for a sources.list; third-party archives, and everything on a host that is not
        Debian, are left out. An empty list lets mmdebstrap use its defaults.
    """
    lines = set()
    for target in targets:
        origin, uri, suite, component = target.split("|")
        branch = suite.removeprefix(codename)
        if origin == "Debian" and component == "main" and branch in {"", "-security", "-updates"}:
            lines.add(f"deb {uri} {SUITE}{branch} main")
    return sorted(lines)


def carried_options(dump: Iterable[str]) -> list[str]:
    """Choose the options of the host's apt that decide how it reaches its sources.

    Args:
        dump: lines of ``apt-config dump``.

    Returns:
        Proxies, retries and validity checks; not the options that name files of the host.
    """
    return [line for line in dump if _CARRIED.match(line) and not _HOST_FILES.search(line)]


def _index_targets() -> list[str]:
    form = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    return _lines(["apt-get", "indextargets", "--format", form, "Created-By: Packages"])


def _certificates(sources: Iterable[str]) -> list[str]:
    """Carry the certificates that this machine trusts, where a source is reached by https."""
    if not any(" https:" in line for line in sources) or not Path(_CERTIFICATES).is_file():
        return []
    return [
        "--include=ca-certificates",
        f"--customize-hook=upload {_CERTIFICATES} {_CERTIFICATES}",
    ]


def _lines(command: list[str]) -> list[str]:
    if not shutil.which(command[0]):
        return []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()
