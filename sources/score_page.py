"""Staves on a printed page: where they are, which belong to one system, and the cut around one.

A staff is five long dark rows at equal distances, and no sixth: that tells it from text, tables and
photographs. A page may be turned by up to two degrees and noisy. Pictures are grey arrays, uint8,
shape (H, W), 0 is black.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok

if TYPE_CHECKING:
    from numpy.typing import NDArray

Grey = np.ndarray[tuple[int, int], np.dtype[np.uint8]]

MOST_PIXELS = 50_000_000
WIDE_TURNS = (-2.0, -1.6, -1.2, -0.8, -0.4, 0.0, 0.4, 0.8, 1.2, 1.6, 2.0)
FINE_TURNS = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
"""Degrees by which a page may be turned: first roughly, then around the best of these."""

LONG = 0.12
"""Share of the width that a line of a staff takes at least."""

WIDEST_SPACE = 0.018
"""Of the page's width: staff spaces are about 1.75 mm of 210; rows of tables are wider."""

LEAST_SHARE = 0.06
"""Share of a page that its staves cover if it is a page of music, and no title."""

MOST_LINES = 1_000
"""Long rows of ink on a page; one of music has a few hundred, and more are a pattern."""

_DENSITY = 0.72
"""Share of dark pixels around a pixel of a line; noise makes holes."""


@dataclass(frozen=True)
class Staff:
    """Five lines; rows and columns in pixels."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def space(self) -> float:
        """Distance of two lines."""
        return (self.bottom - self.top) / 4


@dataclass(frozen=True)
class System:
    """Staves that are read at the same time, from above."""

    staves: tuple[Staff, ...]

    @property
    def top(self) -> int:
        """Row of the first line."""
        return self.staves[0].top

    @property
    def bottom(self) -> int:
        """Row of the last line."""
        return self.staves[-1].bottom

    @property
    def left(self) -> int:
        """First column of a line."""
        return min(staff.left for staff in self.staves)

    @property
    def right(self) -> int:
        """Last column of a line."""
        return max(staff.right for staff in self.staves)


@dataclass(frozen=True)
class Page:
    """A page that was turned upright, and the systems on it from above."""

    grey: Grey
    systems: tuple[System, ...]
    turned: float
    """Degrees."""

    @property
    def share(self) -> float:
        """Share of the page that staves cover, from 0 to 1."""
        height, width = self.grey.shape
        staves = [staff for system in self.systems for staff in system.staves]
        area = sum((each.bottom - each.top) * (each.right - each.left) for each in staves)
        return area / (height * width)


def read_grey(data: bytes) -> Outcome[Grey]:
    """Decode a picture that the tools drew; larger than ``MOST_PIXELS`` is a failure."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415

    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
            if image.width * image.height > MOST_PIXELS:
                message = f"a page of {image.width} x {image.height} pixels"
                return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, message)
            return ok(np.asarray(image.convert("L"), dtype=np.uint8))
    except (OSError, ValueError, SyntaxError, UnidentifiedImageError) as error:
        return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, f"a page is no picture: {error}")


def find_systems(grey: Grey, *, whole_page: bool = True) -> Page:
    """Find the systems of a page.

    Args:
        grey: the page.
        whole_page: whether it is a page, so that its width says how wide staff spaces can be; not
            so for pictures that are cropped to their content.
    """
    turned = 0.0
    if whole_page:
        turned = _skew(grey)
        grey = _turn(grey, turned)
    widest = WIDEST_SPACE * grey.shape[1] if whole_page else 60.0
    staves: list[Staff] = []
    for threshold in _thresholds(grey):
        for staff in _staves(grey < threshold, widest):
            if not any(staff.top < each.bottom and each.top < staff.bottom for each in staves):
                staves.append(staff)
    staves.sort(key=lambda staff: staff.top)
    return Page(grey, _systems(grey < _thresholds(grey)[1], staves), turned)


def cut_system(page: Page, index: int) -> Grey:
    """Return a system with what belongs to it, cropped to its content with a margin.

    Between two systems the cut runs through the middle of the widest blank band.
    """
    system = page.systems[index]
    space = system.staves[0].space
    ink = page.grey < _thresholds(page.grey)[1]
    rows = ink[:, system.left : system.right].sum(axis=1)
    above = page.systems[index - 1].bottom if index else max(0, system.top - int(8 * space))
    last = index + 1 == len(page.systems)
    most = min(ink.shape[0], system.bottom + int(8 * space))
    below = most if last else page.systems[index + 1].top
    top = _blank_row(rows, above, system.top) if index else above
    bottom = below if last else _blank_row(rows, system.bottom, below)
    left = max(0, system.left - int(9 * space))
    right = min(ink.shape[1], system.right + int(3 * space))
    inside = ink[top:bottom, left:right]
    return _crop(page.grey[top:bottom, left:right], inside, round(space))


def _thresholds(grey: Grey) -> tuple[int, int]:
    """Return two grey values below which a pixel is ink.

    The first parts dark from light best (Otsu 1979); up to the second, halfway from there to the
    paper, fine lines count that are drawn half grey on two rows.
    """
    counts = np.bincount(grey.ravel(), minlength=256).astype(np.float64)
    total, weighted = counts.cumsum(), (counts * np.arange(256)).cumsum()
    dark, light = total, total[-1] - total
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = weighted / dark - (weighted[-1] - weighted) / light
        between = np.nan_to_num(dark * light * apart**2)
    best = int(between.argmax()) + 1
    above = counts[best:]
    paper = best + int((above * np.arange(above.size)).sum() / max(above.sum(), 1))
    return best, (best + paper) // 2


def _skew(grey: Grey) -> float:
    """Return the turn in degrees after which rows differ most: lines lie along them."""
    step = max(1, grey.shape[1] // 800)
    small = grey[:, ::step] < _thresholds(grey)[1]
    rows, columns = np.nonzero(small)
    away = step * (columns - small.shape[1] / 2)

    def spread(degrees: float) -> float:
        shift = np.rint(np.tan(np.radians(degrees)) * away).astype(np.int64)
        counts = np.bincount(np.clip(rows + shift, 0, small.shape[0] - 1))
        return float((counts.astype(np.float64) ** 2).sum())

    turned = 0.0
    for turns in (WIDE_TURNS, FINE_TURNS):
        tried = [float(turned + turn) for turn in sorted(turns, key=abs)]
        turned = max(tried, key=spread)  # of equals the smallest turn
    return round(turned, 1)


def _turn(grey: Grey, degrees: float) -> Grey:
    if abs(degrees) < 0.05:
        return grey
    from PIL import Image  # noqa: PLC0415

    # rows of the picture go down, so that a turn against the clock is minus the slope found
    image = Image.fromarray(grey).rotate(-degrees, Image.Resampling.BICUBIC, fillcolor=255)
    return np.asarray(image, dtype=np.uint8)


@dataclass(frozen=True)
class _Line:
    row: float
    thickness: int
    left: int
    right: int
    dark: int
    """Columns where it is dense."""


def _staves(ink: NDArray[np.bool_], widest: float) -> list[Staff]:
    lines = _lines(ink)
    rows = np.array([line.row for line in lines])
    staves: list[Staff] = []
    taken = -1.0
    for first, line in enumerate(lines):
        if line.row <= taken:
            continue
        for second in range(first + 1, min(first + 4, len(lines))):
            found = _five(lines, rows, first, lines[second].row - line.row)
            if found and 3.5 <= found[0] <= widest and _is_staff(lines, rows, found):
                members = found[1]
                left = int(np.median([each.left for each in members]))
                right = int(np.median([each.right for each in members]))
                top, bottom = round(members[0].row), round(members[-1].row)
                staves.append(Staff(top, bottom, left, right))
                taken = members[-1].row + found[0] / 2
                break
    return staves


def _five(
    lines: list[_Line], rows: NDArray[np.float64], first: int, space: float
) -> tuple[float, list[_Line]] | None:
    """Return five lines at equal distances, and the distance."""
    members = [lines[first]]
    for step in range(1, 5):
        near = int(np.abs(rows - (lines[first].row + step * space)).argmin())
        if abs(rows[near] - (members[-1].row + space)) > max(1.2, 0.16 * space):
            return None
        members.append(lines[near])
    distance = (members[-1].row - members[0].row) / 4
    return distance, members


def _is_staff(
    lines: list[_Line], rows: NDArray[np.float64], found: tuple[float, list[_Line]]
) -> bool:
    """Five lines, thin, of equal length, and no sixth above or below."""
    space, members = found
    length = float(np.median([each.right - each.left for each in members]))
    if any(each.thickness > max(3.0, 0.5 * space) for each in members):
        return False
    if any(abs(each.right - each.left - length) > 0.25 * length for each in members):
        return False
    for sixth in (members[0].row - space, members[-1].row + space):
        near = lines[int(np.abs(rows - sixth).argmin())]
        beside = abs(near.row - sixth) <= max(1.2, 0.16 * space)
        if beside and near not in members and near.right - near.left > 0.7 * length:
            return False
    return True


def _lines(ink: NDArray[np.bool_]) -> list[_Line]:
    """Find long thin rows of ink."""
    from scipy.ndimage import uniform_filter1d  # noqa: PLC0415

    width = ink.shape[1]
    window = max(15, width // 40)
    thick = ink.copy()
    thick[1:] |= ink[:-1]  # a line that is not quite level leaves one row for the next
    share: NDArray[np.float32] = uniform_filter1d(thick.astype(np.float32), window, axis=1)
    dense: NDArray[np.bool_] = np.greater_equal(share, _DENSITY)
    dense[1:] &= ink[1:].any(axis=1, keepdims=True)
    profile = dense.sum(axis=1)
    found: list[_Line] = []
    bands = _bands(profile >= LONG * width)
    for begin, end in bands if len(bands) <= MOST_LINES else ():
        # beams that touch a line are shorter than it
        main = profile[begin:end] >= 0.6 * profile[begin:end].max()
        for first, last in _bands(main):
            rows = slice(begin + first, begin + last)
            weights = profile[rows].astype(np.float64)
            row = float((np.arange(rows.start, rows.stop) * weights).sum() / weights.sum())
            columns = np.flatnonzero(dense[rows.start + int(weights.argmax())])
            ends = int(columns[0]), int(columns[-1])
            found.append(_Line(row, last - first - 1, *ends, int(weights.max())))
    near = 0.08 * width
    return [
        line
        for line in found  # beams are shorter than the lines that they lie on
        if line.dark >= 0.6 * max(each.dark for each in found if abs(each.row - line.row) < near)
    ]


def _bands(rows: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where rows hold, as begin and end (excluded)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], rows.astype(np.int8), [0]))))
    return [(int(begin), int(end)) for begin, end in zip(edges[::2], edges[1::2], strict=True)]


def _systems(ink: NDArray[np.bool_], staves: list[Staff]) -> tuple[System, ...]:
    groups: list[list[Staff]] = []
    for staff in staves:
        if groups and _joined(ink, groups[-1][-1], staff):
            groups[-1].append(staff)
        else:
            groups.append([staff])
    return tuple(System(tuple(group)) for group in groups)


def _joined(ink: NDArray[np.bool_], above: Staff, below: Staff) -> bool:
    """Whether a line runs down from one staff to the next at their left ends."""
    space = above.space
    left = max(0, int(min(above.left, below.left) - 2.5 * space))
    right = int(max(above.left, below.left) + 2.5 * space)
    gap = ink[above.bottom : below.top, left:right]
    if not gap.size or below.top - above.bottom > 40 * space:
        return False
    wide = gap.copy()
    wide[:, 1:] |= gap[:, :-1]
    wide[:, :-1] |= gap[:, 1:]
    return bool(wide.mean(axis=0).max() >= 0.88)


def _blank_row(rows: NDArray[np.int64], above: int, below: int) -> int:
    """Return the middle of the widest band with the least ink between two rows."""
    from scipy.ndimage import uniform_filter1d  # noqa: PLC0415

    if below <= above:
        return below
    between = uniform_filter1d(rows[above:below].astype(np.float64), 5)  # evens out noise
    bands = _bands(between <= between.min() + 0.03 * (between.max() - between.min()) + 0.5)
    begin, end = max(bands, key=lambda band: band[1] - band[0])
    return above + (begin + end) // 2


def _crop(grey: Grey, ink: NDArray[np.bool_], margin: int) -> Grey:
    from scipy.ndimage import uniform_filter  # noqa: PLC0415

    # single dark pixels are dirt
    solid = uniform_filter(ink.astype(np.float32), 3) > 0.3
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    if not rows.size:
        return grey
    top, bottom = max(0, rows[0] - margin), rows[-1] + margin + 1
    left, right = max(0, columns[0] - margin), columns[-1] + margin + 1
    return grey[top:bottom, left:right]
