"""Pictures of noise for the tests of networks."""

from __future__ import annotations

import numpy as np


def noise(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)
