"""What the layers of an LPIPS network make of pictures, kept for the references.

A reference is compared with the answers of every model, and its features take half of the time of
a comparison, so those of the last references are kept.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from metrics.network import as_batch
from metrics.pictures import RGB

if TYPE_CHECKING:
    from torch import Tensor

KEPT_BYTES = 1 << 30
"""Of features, for each network; a picture of 256 × 256 takes 32 MB of VGG's."""

Features = tuple["Tensor", ...]
"""One tensor (N, channels, height, width) of each layer, of unit length along the channels."""


def features_of(model: Any, images: Sequence[RGB]) -> Features:  # noqa: ANN401 - an untyped module
    """Return the features of pictures of one size."""
    from lpips import normalize_tensor

    outputs = model.net(model.scaling_layer(as_batch(images) * 2.0 - 1.0))
    return tuple(normalize_tensor(layer) for layer in outputs)


class References:
    """Features of the references that were compared with last; safe for threads.

    `bytes` is what they take now.
    """

    def __init__(self, limit: int = KEPT_BYTES) -> None:
        """Keep at most `limit` bytes."""
        self._limit = limit
        self.bytes = 0
        self._kept: OrderedDict[bytes, Features] = OrderedDict()
        self._lock = Lock()

    def features(self, model: Any, images: Sequence[RGB]) -> Features:  # noqa: ANN401
        """Return ``features_of`` for references of one size, from memory where they are known."""
        import torch

        keys = [_key(image) for image in images]
        found = {key: known for key in keys if (known := self._find(key)) is not None}
        new = {key: n for n, key in enumerate(keys) if key not in found}
        if new:
            made = features_of(model, [images[n] for n in new.values()])
            for position, key in enumerate(new):
                found[key] = tuple(_row(layer, position) for layer in made)
                self._keep(key, found[key])
        if len(keys) == 1:
            return found[keys[0]]
        return tuple(torch.cat(layer) for layer in zip(*(found[key] for key in keys), strict=True))

    def _find(self, key: bytes) -> Features | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: bytes, features: Features) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = features
                self.bytes += _size(features)
            while self.bytes > self._limit:
                _, oldest = self._kept.popitem(last=False)
                self.bytes -= _size(oldest)


def references_of(model: Any) -> References:  # noqa: ANN401 - an untyped module
    """Return what is kept for a network; it goes when the network goes."""
    with _lock:
        if model not in _references:
            _references[model] = References()
        return _references[model]


_references: WeakKeyDictionary[Any, References] = WeakKeyDictionary()
_lock = Lock()


def _key(image: RGB) -> bytes:
    return hashlib.sha256(repr(image.shape).encode() + image.tobytes()).digest()


def _row(layer: Tensor, position: int) -> Tensor:
    """Return one picture's part as a tensor of its own, so that the others' can be freed."""
    return layer if len(layer) == 1 else layer[position : position + 1].clone()


def _size(features: Features) -> int:
    return sum(layer.element_size() * layer.nelement() for layer in features)
