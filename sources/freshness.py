"""Freshness: how old material was on a day, and whether a model can have been trained on it.

A model that was trained on data up to a day may have seen all that was public before it. Material
made later is new to it; nothing is known where a maker has published no day (``vlms.cutoffs``).
"""

from __future__ import annotations

import datetime as dt


def freshness(created: dt.date, on: dt.date) -> int:
    """Return the days from the making of a material to a day; negative if it was made later."""
    return (on - created).days


def after_cutoff(created: dt.date, cutoff: dt.date | None) -> bool | None:
    """Tell whether material was made after a model's training data ends.

    Args:
        created: when the material was made; what was made on the last day itself may be known.
        cutoff: the last day of the training data; None: unknown.

    Returns:
        None where the cut-off is unknown.
    """
    return None if cutoff is None else created > cutoff
