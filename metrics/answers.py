"""Partial credit for answers that name several things or places: set F1 and box overlap.

MindBench (arXiv 2407.02842) counts an answer as right or wrong as a whole: a list that lacks one of
nine nodes, or a box that is off by one, is worth nothing. These two say how nearly it was right.

An answer is compared as ``{"items": [{"text": …, "box": [x1, y1, x2, y2]}, …]}``, each item with a
text, a box or both; any other value holds no items. An answer without items says that there is
nothing, and equals only another one that does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric

Box = tuple[float, float, float, float]

FARTHEST = 1e9
"""The largest coordinate; what is farther out, or no number, is no box."""


def answer_f1(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the F1 of the texts that two answers name, in [0, 1].

    The order does not count; a text that is named twice must be found twice. Two answers without
    any text are equal (1.0), unless only one of them names a box. F1 is that of Dice:
    2 |P ∩ R| / (|P| + |R|).

    >>> answer_f1({"items": [{"text": "a"}, {"text": "c"}]}, {"items": [{"text": "a"}]})
    0.6666666666666666
    """
    found = Counter(text for text, _ in _items(prediction) if text is not None)
    wanted = Counter(text for text, _ in _items(reference) if text is not None)
    total = found.total() + wanted.total()
    if total == 0:
        return float(bool(_items(prediction)) == bool(_items(reference)))
    return 2 * (found & wanted).total() / total


def answer_iou(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return how well the boxes of two answers overlap, in [0, 1].

    Boxes with the same text belong together (all boxes without a text have the same one), in the
    order in which they are named. Where the reference names no text, it was not asked for one: the
    texts of the prediction do not count. The value is the sum of the intersections over unions of
    such pairs, divided by the larger number of boxes, so that a box too many or too few counts as
    no overlap. Two answers without any box are equal (1.0), unless only one of them names a text.

    >>> answer_iou({"items": [{"box": [0, 0, 10, 10]}]}, {"items": [{"box": [0, 0, 10, 20]}]})
    0.5
    >>> reference = {"items": [{"box": [0, 0, 9, 9]}]}
    >>> answer_iou({"items": [{"text": "a", "box": [0, 0, 9, 9]}]}, reference)
    1.0
    """
    given, true = _items(prediction), _items(reference)
    if all(text is None for text, _ in true):
        given = [(None, box) for _, box in given]
    found, wanted = _boxes(given), _boxes(true)
    number = max(sum(map(len, found.values())), sum(map(len, wanted.values())))
    if number == 0:
        return float(bool(_items(prediction)) == bool(true))
    pairs = [
        pair for text, boxes in wanted.items() for pair in zip(found[text], boxes, strict=False)
    ]
    return sum(iou(*pair) for pair in pairs) / number


def iou(one: Box, other: Box) -> float:
    """Return the intersection over union of two boxes (x1, y1, x2, y2), in [0, 1].

    Equal boxes give 1, also where they have no area.

    >>> iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    if one == other:
        return 1.0
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    union = _area(one) + _area(other) - width * height
    return width * height / union if union > 0 else 0.0


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _items(value: Any) -> list[tuple[str | None, Box | None]]:  # noqa: ANN401
    entries = value.get("items") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return []
    items = [(_text(entry), _box(entry)) for entry in entries if isinstance(entry, dict)]
    return [item for item in items if item != (None, None)]


def _boxes(items: list[tuple[str | None, Box | None]]) -> defaultdict[str | None, list[Box]]:
    boxes: defaultdict[str | None, list[Box]] = defaultdict(list)
    for text, box in items:
        if box is not None:
            boxes[text].append(box)
    return boxes


def _text(entry: dict[str, Any]) -> str | None:
    text = entry.get("text")
    return text if isinstance(text, str) else None


def _box(entry: dict[str, Any]) -> Box | None:
    box = entry.get("box")
    if not isinstance(box, list) or len(box) != 4:
        return None
    if not all(isinstance(number, int | float) and abs(number) <= FARTHEST for number in box):
        return None
    x1, y1, x2, y2 = (float(number) for number in box)
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


METRIC_F1 = FunctionMetric(
    name="answer_f1",
    version="2",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=answer_f1,
)

METRIC_IOU = FunctionMetric(
    name="answer_iou",
    version="2",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=answer_iou,
)
