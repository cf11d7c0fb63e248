"""The offline judge: how alike two texts are by their words alone, without any model.

It stands in for a judge model where none may be asked (tests, the demo, a machine without a
network) and knows nothing of meaning: a right answer in other words scores low, and a wrong one in
the reference's words scores high. Its numbers are not comparable with those of a judge model, so it
is named wherever they show (``NAME``).

Both texts are normalised (Unicode NFKC, case folded) and cut into tokens: runs of letters and
digits, and each Chinese character, kana and Hangul syllable by itself. Punctuation does not count.
With p and r tokens in prediction and reference, c tokens in both (each as often as it occurs in
both), and a longest common subsequence of l tokens,

    similarity = (2c / (p + r) + 2l / (p + r)) / 2

the mean of the token F1 of SQuAD (Rajpurkar et al., arXiv 1606.05250) and the F1 of ROUGE-L (Lin,
2004). The first asks which words are there, the second whether they stand in the same order ("a is
above b" is not "b is above a"). The value is 1 exactly where the tokens are equal.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter

NAME = "offline: lexical"
"""What the board says where others name a judge model."""

TOKENS = 20_000
"""Tokens of a text that are looked at; the rest of a longer one is left out."""

_ALONE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")


def similarity(prediction: str, reference: str) -> float:
    """Return how alike two texts are, in [0, 1].

    Texts without any token are equal if they are the same text, outer white space aside.

    >>> similarity("Node A is above B.", "node A is above b")
    1.0
    >>> similarity("b is above a", "a is above b")
    0.75
    >>> similarity("the end", "restart")
    0.0
    """
    found, wanted = tokens(prediction), tokens(reference)
    if not found and not wanted:
        return float(prediction.strip() == reference.strip())
    from rapidfuzz.distance import LCSseq

    total = len(found) + len(wanted)
    common = (Counter(found) & Counter(wanted)).total()
    return (common + LCSseq.similarity(found, wanted)) / total


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in order, at most ``TOKENS``."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [found[0] for found in itertools.islice(_TOKEN.finditer(folded), TOKENS)]
