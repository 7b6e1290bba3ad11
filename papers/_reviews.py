"""Reviews of several product domains as bags of words, and naive Bayes without refitting."""

import gzip
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WORDS = 5000  # the most frequent ones of all reviews; chosen without looking at a label


@dataclass(frozen=True, eq=False, kw_only=True)
class Reviews:
    """Counts of words, labels (1: positive) and the source of each review."""

    X: Any
    y: Ints
    source: Ints
    names: tuple[str, ...]

    @property
    def K(self) -> int:  # noqa: N802  (the paper's symbol)
        """Number of sources."""
        return len(self.names)

    def of(self, source: int) -> Ints:
        """Return the rows of one source."""
        return np.flatnonzero(self.source == source)

    def only(self, sources: list[int]) -> "Reviews":
        """Return the reviews of some sources, renumbered in the order given."""
        rows = np.concatenate([self.of(k) for k in sources])
        new = np.concatenate([np.full(len(self.of(k)), i) for i, k in enumerate(sources)])
        names = tuple(self.names[k] for k in sources)
        return Reviews(X=self.X[rows], y=self.y[rows], source=new, names=names)

    def take(self, rows: Ints) -> "Reviews":
        """Return some of the reviews."""
        return replace(self, X=self.X[rows], y=self.y[rows], source=self.source[rows])

    def sample(self, sizes: list[int], rng: np.random.Generator, *, again: bool) -> "Reviews":
        """
        Draw reviews of every source.

        ``again`` says whether one may be drawn twice, as G13 do.
        """
        drawn = [rng.choice(self.of(k), size, replace=again) for k, size in enumerate(sizes)]
        return self.take(np.concatenate(drawn))


def texts(path: Path, most: int | None = None) -> tuple[list[str], Ints, list[str]]:
    """Read texts, labels and domains, one review per line, at most some of each domain."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    if most is not None:
        by_domain: dict[str, list[dict[str, Any]]] = {}
        for i in np.random.default_rng(0).permutation(len(rows)):
            by_domain.setdefault(rows[i]["domain"], []).append(rows[i])
        rows = [row for chosen in by_domain.values() for row in chosen[:most]]
    return (
        [row["text"] for row in rows],
        np.array([row["target"] for row in rows]),
        [row["domain"] for row in rows],
    )


def load(path: Path) -> Reviews:
    """Count the words of a file of reviews."""
    from sklearn.feature_extraction.text import CountVectorizer

    words, y, domains = texts(path)
    X = CountVectorizer(max_features=WORDS, token_pattern=r"(?u)\b\w+\b|[!?]").fit_transform(words)
    names, source = np.unique(domains, return_inverse=True)
    return Reviews(
        X=sparse.csr_matrix(X, dtype=float), y=y, source=source, names=tuple(names.tolist())
    )


def presence(reviews: Reviews) -> Reviews:
    """Return the same reviews with every word counted once at most."""
    X = reviews.X.copy()
    X.data = np.ones_like(X.data)
    return replace(reviews, X=X)


def fold_errors(reviews: Reviews, folds: Ints, K: int) -> Floats:
    """
    Return the 0-1 loss of multinomial naive Bayes on every review, trained on the other folds.

    The counts of a training set are those of all folds less those of one: exactly what refitting
    gives.
    """
    cell = folds * 2 + reviews.y
    counts = _sum_by(cell, reviews.X, 2 * K).reshape(K, 2, -1)
    seen = np.bincount(cell, minlength=2 * K).reshape(K, 2)
    weights, offset = _log_odds(counts.sum(axis=0) - counts, seen.sum(axis=0) - seen)
    scores = np.asarray(reviews.X @ weights.T)[np.arange(len(folds)), folds] + offset[folds]
    wrong: Floats = np.not_equal(scores > 0, reviews.y).astype(float)
    return wrong


def out_of_source(train: Reviews, test: Reviews) -> float:
    """Return the error on another source of naive Bayes trained on all of ``train``."""
    counts = _sum_by(train.y, train.X, 2)[None]
    weights, offset = _log_odds(counts, np.bincount(train.y, minlength=2)[None])
    return float(np.mean(((test.X @ weights[0] + offset[0]) > 0) != test.y))


def _sum_by(cell: Ints, X: Any, cells: int) -> Floats:
    chosen = sparse.csr_matrix(
        (np.ones(len(cell)), (cell, np.arange(len(cell)))), shape=(cells, len(cell))
    )
    total: Floats = (chosen @ X).toarray()
    return total


def _log_odds(counts: Floats, seen: NDArray[Any]) -> tuple[Floats, Floats]:
    """Weights and offset of the linear rule, with one added to every count."""
    smoothed = counts + 1
    likelihood = np.log(smoothed / smoothed.sum(axis=-1, keepdims=True))
    with np.errstate(divide="ignore"):
        prior = np.log(seen)
    return likelihood[:, 1] - likelihood[:, 0], prior[:, 1] - prior[:, 0]


def made_reviews(
    K: int, M: int, rng: np.random.Generator, *, words: int = 200, length: int = 15
) -> Reviews:
    """
    Draw K new sources of a world without end: each has its own frequencies of words for each label.

    The two labels share a base; labels tilt it, and every source tilts it again in its own way, and
    has its own share of positive reviews.
    """
    base = _label_tilts(words)
    tilt = base + rng.normal(scale=0.35, size=(K, 2, words))
    p = np.exp(tilt)
    p /= p.sum(axis=-1, keepdims=True)
    share = rng.beta(8, 8, size=K)
    source = np.repeat(np.arange(K), M)
    y = (rng.random(K * M) < share[source]).astype(np.int64)
    X = rng.multinomial(length, p[source, y]).astype(float)
    return Reviews(X=sparse.csr_matrix(X), y=y, source=source, names=tuple(map(str, range(K))))


def _label_tilts(words: int) -> Floats:
    """Return the log frequencies of the two labels in the made world, the same in every draw."""
    rng = np.random.default_rng(13)
    shared = rng.normal(size=words)
    return shared + np.array([[-0.5], [0.5]]) * rng.normal(scale=0.35, size=words)
