"""A classifier of offensive English that runs offline: the model of ``alt-profanity-check``.

The package ships a bag of words and five linear classifiers, trained on 200,000 comments and
tweets that people labelled, as pickles for scikit-learn. Pickles can run anything, so these are
read by a reader that knows arrays of numbers, plain containers and the names of the classes that
the files hold, of which it makes empty boxes. What is computed from the numbers is computed here:
TF-IDF with unit length, the linear classifiers, their logistic calibration, the mean.
"""

from __future__ import annotations

import io
import math
import pickle
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

PACKAGE = "profanity_check"
MOST_BYTES = 20_000_000
"""Of a file of the package; it has under one million."""

TELLING = 1.5
"""Mean weight of a word that speaks clearly for offence ("ugly" has 2.0, "bad" 0.4)."""


DAMAGED = (
    *(AttributeError, EOFError, LookupError, MemoryError, OverflowError, RecursionError),
    *(TypeError, ValueError, struct.error),
)
"""What the reading of a damaged or forged pickle raises, besides its own error."""


class ModelMissing(RuntimeError):
    """The classifier is not installed, or not as it should be."""


@dataclass(frozen=True)
class Model:
    """A calibrated linear classifier of bags of words; `k` classifiers of `n` words.

    Attributes:
        vocabulary: word to column.
        idf: shape (n,), inverse document frequencies.
        weights: shape (k, n).
        intercepts: shape (k,).
        slopes: shape (k,), of the logistic calibration.
        offsets: shape (k,), of the logistic calibration.
    """

    vocabulary: dict[str, int]
    idf: NDArray[np.float64]
    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    slopes: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def telling(self, words: Iterable[str]) -> set[str]:
        """Return the words that speak clearly for offence, each by itself."""
        known = {word: self.vocabulary[word] for word in words if word in self.vocabulary}
        return {word for word, column in known.items() if self.weights[:, column].mean() >= TELLING}

    def score(self, words: Sequence[str]) -> float:
        """Return how likely words in lower case are offensive, 0 to 1; few words say little."""
        counts = Counter(self.vocabulary[word] for word in words if word in self.vocabulary)
        columns = np.fromiter(counts.keys(), dtype=np.intp, count=len(counts))
        values = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
        values = values * self.idf[columns]
        length = math.sqrt(float(values @ values))
        if length:
            values = values / length
        margins = self.weights[:, columns] @ values + self.intercepts
        return float(np.mean(1 / (1 + np.exp(self.slopes * margins + self.offsets))))


@cache
def load() -> Model:
    """Read the model that the installed package ships.

    Raises:
        ModelMissing: it is absent, or the files hold something else than is known of them.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing(f"the package alt-profanity-check is not installed ({PACKAGE})")
    folder = Path(spec.submodule_search_locations[0]) / "data"
    vectorizer, classifier = (_read(folder / f"{name}.joblib") for name in ("vectorizer", "model"))
    try:
        return _assemble(vectorizer, classifier)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelMissing(f"alt-profanity-check holds another kind of model: {error}") from error


def _assemble(vectorizer: Any, classifier: Any) -> Model:  # noqa: ANN401 - boxes of any content
    if vectorizer.ngram_range != (1, 1) or not vectorizer.lowercase or vectorizer.sublinear_tf:
        raise ValueError("its words are counted in another way")
    parts = classifier.calibrated_classifiers_
    model = Model(
        vocabulary={str(word): int(column) for word, column in vectorizer.vocabulary_.items()},
        idf=np.asarray(vectorizer._tfidf.idf_, dtype=np.float64),
        weights=np.vstack([part.estimator.coef_ for part in parts]).astype(np.float64),
        intercepts=np.array([float(part.estimator.intercept_[0]) for part in parts]),
        slopes=np.array([float(part.calibrators[0].a_) for part in parts]),
        offsets=np.array([float(part.calibrators[0].b_) for part in parts]),
    )
    if model.weights.shape != (len(parts), len(model.vocabulary)) or len(model.idf) != len(
        model.vocabulary
    ):
        raise ValueError("its words and weights are not of one number")
    return model


def _read(path: Path) -> Any:  # noqa: ANN401 - what the file holds
    try:
        data = path.read_bytes()
        if len(data) > MOST_BYTES:
            raise ModelMissing(f"{path.name} has {len(data)} bytes (at most {MOST_BYTES})")
        return read_pickle(data)
    except OSError as error:
        raise ModelMissing(f"alt-profanity-check lacks {path.name}: {error}") from error
    except pickle.UnpicklingError as error:
        raise ModelMissing(f"alt-profanity-check's {path.name} is not read: {error}") from error


def read_pickle(data: bytes) -> Any:  # noqa: ANN401 - what the file holds
    """Read numbers, texts, containers, arrays and boxes from a pickle as joblib writes it.

    Raises:
        pickle.UnpicklingError: it is damaged, or names anything else.
    """
    try:
        return _Reader(io.BytesIO(data)).load()
    except pickle.UnpicklingError:
        raise
    except DAMAGED as error:
        raise pickle.UnpicklingError(f"damaged: {error!r}") from error


class _Box:
    """Stands for an object of a class that is not imported; holds its attributes."""


class _Mark:
    """Stands for a class that is only named."""


class _Array:
    """Announces that the bytes of an array follow, as joblib's NumpyArrayWrapper does."""

    shape: tuple[int, ...]
    order: str
    dtype: np.dtype[Any]
    numpy_array_alignment_bytes: int | None

    def read(self, file: IO[bytes]) -> NDArray[Any]:
        if self.dtype.kind not in "fiu" or len(self.shape) > 2:
            raise pickle.UnpicklingError(f"an array of {self.dtype}, shape {self.shape}")
        if getattr(self, "numpy_array_alignment_bytes", None) is not None:
            file.read(file.read(1)[0])
        count = math.prod(self.shape)
        data = file.read(count * self.dtype.itemsize)
        flat = np.frombuffer(data, dtype=self.dtype, count=count)
        return flat.reshape(self.shape, order="F" if self.order == "F" else "C")


def _scalar(dtype: np.dtype[Any], data: bytes) -> float:
    if dtype.kind not in "fiu":
        raise pickle.UnpicklingError(f"a number of type {dtype}")
    return float(np.frombuffer(data, dtype=dtype, count=1)[0])


_KNOWN: dict[tuple[str, str], Any] = {
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _Array,
    ("numpy", "dtype"): np.dtype,
    ("numpy", "ndarray"): _Mark,
    ("numpy", "float64"): _Mark,
    ("numpy._core.multiarray", "scalar"): _scalar,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("sklearn.calibration", "CalibratedClassifierCV"): _Box,
    ("sklearn.calibration", "_CalibratedClassifier"): _Box,
    ("sklearn.calibration", "_SigmoidCalibration"): _Box,
    ("sklearn.feature_extraction.text", "TfidfTransformer"): _Box,
    ("sklearn.feature_extraction.text", "TfidfVectorizer"): _Box,
    ("sklearn.svm._classes", "LinearSVC"): _Box,
}


_Unpickler: Any = pickle._Unpickler
"""The reader that is written in Python, which can be extended."""


class _Reader(_Unpickler):  # type: ignore[misc] # it has no types
    """Reads a pickle without importing or calling anything but what is known."""

    dispatch: ClassVar[dict[int, Callable[..., None]]] = dict(_Unpickler.dispatch)

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file)
        self._rest = file

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401 - a class or function
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it names {module}.{name}")
        return _KNOWN[module, name]

    def load_build(self) -> None:
        super().load_build()
        if isinstance(self.stack[-1], _Array):
            self.stack[-1] = self.stack[-1].read(self._rest)

    dispatch[pickle.BUILD[0]] = load_build
