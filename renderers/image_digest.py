"""The identity of a container image: a digest of the files that it is built from.

One rule, used by the set-up scripts (``python3 renderers/image_digest.py NAME``), which build an
image only when no image carries its digest, and by the sandbox and the doctor, which tell whether
the image that is present is current. Only the standard library is used: this runs before anything
is installed.
"""

import hashlib
import sys
from pathlib import Path

CONTAINERS = Path(__file__).resolve().parent.parent / "containers"
BASE = "base"
NAMES = ("tex", "web", "lilypond", "graphviz")
"""The four images, the slowest to build first."""

LABEL = "org.rerender.digest"
_TAG_LENGTH = 12


def folder_digest(name: str, containers: Path = CONTAINERS) -> str:
    """Digest of all that decides an image's content: its folder and the base's.

    Args:
        name: a folder of ``containers``, for instance ``"tex"``, or ``"base"`` itself.
        containers: where the folders are.

    Returns:
        64 hexadecimal digits: sha256 over the sorted relative paths, executable bits and contents
        of the files of ``base`` and of the folder.

    Raises:
        FileNotFoundError: the folder has no Dockerfile.
    """
    digest = hashlib.sha256()
    for folder in dict.fromkeys((BASE, name)):
        if not (containers / folder / "Dockerfile").is_file():
            raise FileNotFoundError(f"{containers / folder} has no Dockerfile")
        for path in sorted(p for p in (containers / folder).rglob("*") if p.is_file()):
            content = path.read_bytes()
            executable = bool(path.stat().st_mode & 0o100)
            relative = path.relative_to(containers).as_posix()
            digest.update(f"{relative}\0{executable:d}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def repository(name: str) -> str:
    """Name of the image without its tag: ``rerender-tex``."""
    return f"rerender-{name}"


def reference(name: str, containers: Path = CONTAINERS) -> str:
    """Name and tag of the image that the folder describes now: ``rerender-tex:0123456789ab``."""
    return f"{repository(name)}:{folder_digest(name, containers)[:_TAG_LENGTH]}"


def main(names: list[str]) -> None:
    """Write ``NAME REFERENCE DIGEST`` lines for the names, or for all four images."""
    for name in names or NAMES:
        sys.stdout.write(f"{name} {reference(name)} {folder_digest(name)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
