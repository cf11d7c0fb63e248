"""Pictures as the image metrics see them: 8-bit RGB arrays, decided in this one place.

Every image metric passes both its arguments through ``as_rgb``, so that a range, a colour mode or
an alpha channel is never guessed twice.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from PIL import Image

RGB = npt.NDArray[np.uint8]
"""A picture: uint8, shape (height, width, 3)."""

MAX_PIXELS = 100_000_000
"""Pictures with more pixels are refused from their header alone (a page of 10,000 × 10,000)."""


class PictureError(ValueError):
    """Pictures that cannot be compared: wrong dtype, shape or range; the text says which."""


class PictureTooLargeError(PictureError):
    """A picture with more than ``MAX_PIXELS`` pixels; nothing of it was decoded."""


def as_rgb(image: npt.ArrayLike) -> RGB:
    """Return a picture as uint8 (H, W, 3).

    Args:
        image: uint8 with levels 0 to 255, bool, or float with levels 0.0 to 1.0 (rounded to 8
            bits); of shape (H, W), (H, W, 1), (H, W, 3), or (H, W, 4) with alpha last, which is
            composited on white.

    Raises:
        PictureError: another dtype or shape, no pixels, or floats outside [0, 1].
    """
    array = np.asarray(image)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or array.size == 0:
        raise PictureError(
            f"a picture has shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4), not {array.shape}"
        )
    levels = _eight_bits(array)
    if levels.shape[2] == 4:
        return _on_white(levels)
    if levels.shape[2] == 1:
        return np.repeat(levels, 3, axis=2)
    return levels


def as_pair(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> tuple[RGB, RGB]:
    """Return both pictures as uint8 (H, W, 3) of one size.

    Raises:
        PictureError: as ``as_rgb``, or the sizes differ (bringing them together is the business
            of ``renderers.canvas``).
    """
    pair = as_rgb(prediction), as_rgb(reference)
    if pair[0].shape != pair[1].shape:
        sizes = " and ".join(f"{array.shape[1]}×{array.shape[0]}" for array in pair)
        raise PictureError(f"the two pictures differ in size: {sizes}")
    return pair


def frozen(image: RGB) -> RGB:
    """Return a contiguous view that cannot be written to.

    Compiled kernels are specialised for what may be written and what may not; with this, pictures
    from everywhere are of one kind, and a kernel is compiled once.
    """
    view = np.ascontiguousarray(image).view()
    view.setflags(write=False)
    return view


def from_pil(image: Image.Image) -> RGB:
    """Return a PIL image of any mode as uint8 (H, W, 3), alpha composited on white.

    Integer greys of more than 8 bits have the range 0 to 65,535 and float greys 0 to 255, as
    Pillow writes them; a palette's transparent colour counts as alpha.
    """
    if image.mode.startswith("I") or image.mode == "F":
        step = 1.0 if image.mode == "F" else 257.0
        grey = np.clip(np.asarray(image, dtype=np.float64) / step, 0.0, 255.0)
        return as_rgb(np.rint(grey).astype(np.uint8))
    if image.has_transparency_data:
        return as_rgb(np.asarray(image.convert("RGBA")))
    return as_rgb(np.asarray(image.convert("RGB")))


def read(path: Path) -> RGB:
    """Read a picture file as uint8 (H, W, 3).

    Raises:
        PictureTooLargeError: the header announces more than ``MAX_PIXELS`` pixels.
        PictureError: not a picture, or a broken one.
        OSError: the file cannot be opened.
    """
    import warnings

    from PIL import Image, UnidentifiedImageError

    with path.open("rb") as file, warnings.catch_warnings():
        # Pillow's own bomb check stays on; ours comes first and is stricter.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            with Image.open(file) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise _too_large(path, image.size)
                image.load()
                return from_pil(image)
        except Image.DecompressionBombError as error:
            raise _too_large(path, None) from error
        except (UnidentifiedImageError, SyntaxError, OSError) as error:
            raise PictureError(f"{path} is not a readable picture: {error}") from error


def _too_large(path: Path, size: tuple[int, int] | None) -> PictureTooLargeError:
    shown = f"{size[0]}×{size[1]} pixels" if size else "far too many pixels"
    return PictureTooLargeError(f"{path} has {shown}; the limit is {MAX_PIXELS:,}")


def _eight_bits(array: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if not np.issubdtype(array.dtype, np.floating):
        raise PictureError(f"a picture is uint8, bool or float, not {array.dtype}")
    if not (array.min() >= 0.0 and array.max() <= 1.0):  # NaN fails both
        raise PictureError("a float picture has levels between 0.0 and 1.0")
    return np.rint(array.astype(np.float64) * 255.0).astype(np.uint8)


def _on_white(levels: npt.NDArray[np.uint8]) -> RGB:
    alpha = levels[:, :, 3:].astype(np.uint32)
    colour = levels[:, :, :3].astype(np.uint32)
    # Rounded division by 255 in integers: the same on every processor.
    blended = (colour * alpha + 255 * (255 - alpha) + 127) // 255
    return blended.astype(np.uint8)
