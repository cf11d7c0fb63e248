r"""Edit similarity of two texts, token by token.

Tokens are, without white space: a LaTeX or LilyPond command (``\frac``), a run of letters and
digits of one word, and every other character by itself; a Chinese, Japanese or Korean character is
a word.
"""

from __future__ import annotations

import re

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric

_IDEOGRAPH = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"\\[A-Za-z]+|[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}])\w)+|[^\w\s]")


def tokens(text: str) -> list[str]:
    r"""Return the tokens of a text in order.

    >>> tokens(r"\frac{a1}{b}")
    ['\\frac', '{', 'a1', '}', '{', 'b', '}']
    """
    return _TOKEN.findall(text)


def edit(prediction: str, reference: str) -> float:
    """Return the token-level Levenshtein similarity to the whole reference, 0 to 1.

    ``1 − distance / max(tokens of prediction, tokens of reference)`` with unit costs; 1 for two
    texts without tokens.

    Source: Image2Struct (arXiv 2410.22456), section 4.2 (Levenshtein edit distance between
    structures), on tokens as in HELM.
    """
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(tokens(prediction), tokens(reference)))


def edit_helm(prediction: str, reference: str) -> float:
    """Return the similarity to the reference cut to the prediction's number of characters.

    HELM's released code cuts the reference first, so a short answer that is a prefix of the truth
    scores 1; a text without tokens scores 0, also against another one. Only the tokens differ:
    HELM uses NLTK's Treebank words, this function ``tokens``.

    Source: stanford-crfm/helm, behaviour of ``compute_edit_sim``.
    """
    cut = reference[: len(prediction)]
    return edit(prediction, cut) if tokens(prediction) and tokens(cut) else 0.0


METRIC = FunctionMetric(
    name="edit",
    version="1",
    needs=Needs.TEXTS,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=edit,
)
