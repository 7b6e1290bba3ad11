"""
Populations of the benchmark: how data sets are drawn, and which pairs of learners meet on them.

Formulas are those of the study of intervals for one learner (Schulz-Kümpel et al., arXiv
2409.18836), an exact null whose labels are coin flips, and some of our own. Tables are read from a
folder and stand for populations: their rows are drawn with replacement.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse, short_repr
from evenfold.core.rng import stream

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
_EDGES_FROM = 4000  # examples from which the bins of trees are cut, apart from all data sets

CLASS_PAIRS = (
    ("logistic", "ridge"),
    ("logistic", "tree"),
    ("tree", "forest"),
    ("forest", "boosting"),
    ("ridge", "forest"),
    ("knn", "bayes"),
    ("bayes", "logistic"),
    ("svm", "logistic"),
    ("lda", "bayes"),
    ("tree", "knn"),
)
NUMBER_PAIRS = (
    ("linear", "ridge"),
    ("ridge", "lasso"),
    ("linear", "tree"),
    ("tree", "forest"),
    ("forest", "boosting"),
    ("ridge", "forest"),
    ("knn", "ridge"),
    ("mean", "ridge"),
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BenchPopulation:
    """
    A population of the benchmark.

    Attributes
    ----------
    key : str
        Its name in the results.
    draw : callable
        From a generator and a number of examples to features (m, p) and targets (m,).
    classes : bool
        Whether targets are classes 0 and 1; otherwise they are numbers.
    pairs : tuple of pairs
        Learners that are compared, the baseline first.
    singles : tuple of str
        Learners whose own interval is measured.
    equal : tuple of pairs
        Pairs whose true difference is 0 at every size.
    equal_in : tuple of str
        Measures in which they are equal; all if it is empty.
    bins : int
        Number of bins into which trees cut a feature.
    """

    key: str
    draw: Draw
    classes: bool = True
    pairs: tuple[tuple[str, str], ...] = CLASS_PAIRS
    singles: tuple[str, ...] = ()
    equal: tuple[tuple[str, str], ...] = ()
    equal_in: tuple[str, ...] = ()
    bins: int = 16

    def is_equal(self, pair: tuple[str, ...], measure: str) -> bool:
        """Say whether the true difference of a pair is 0 at every size."""
        return pair in self.equal and (not self.equal_in or measure in self.equal_in)

    def edges(self) -> Floats:
        """Return where trees cut features: quantiles of examples that are in no data set."""
        X, _ = self.draw(stream(0, "bench", self.key, "edges"), _EDGES_FROM)
        levels = np.arange(1, self.bins) / self.bins
        return np.quantile(X, levels, axis=0).T

    def sample(
        self, n: int, fresh: int, sets: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """
        Draw ``sets`` data sets of n examples, each followed by ``fresh`` others.

        Returns X (sets, n + fresh, p) and y (sets, n + fresh).
        """
        X, y = self.draw(rng, sets * (n + fresh))
        return X.reshape(sets, n + fresh, -1), y.reshape(sets, n + fresh)


# Formulas ---------------------------------------------------------------------------------------


def _bates(rng: np.random.Generator, m: int, *, p: int, classes: bool) -> tuple[Floats, Floats]:
    """
    Draw p standard normal features, of which five have slope 1.

    The targets are logistic classes, or numbers with unit noise.
    """
    X = rng.normal(size=(m, p))
    signal = X[:, :5].sum(axis=1)
    if classes:
        return X, (rng.random(m) < 1 / (1 + np.exp(-signal))).astype(float)
    return X, signal + rng.normal(size=m)


def _friedman(rng: np.random.Generator, m: int) -> tuple[Floats, Floats]:
    """Draw ten uniform features and Friedman's first function of five, with unit noise."""
    X = rng.random((m, 10))
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
    )
    return (X - 0.5) * np.sqrt(12), y + rng.normal(size=m)


def _chen(rng: np.random.Generator, m: int, *, signal: bool) -> tuple[Floats, Floats]:
    """
    Draw six hidden variables, each seen ten times with growing noise.

    With ``signal`` the target depends on three of them, without it on three others.
    """
    hidden = rng.random((6, m))
    a, b, c = hidden[:3] if signal else rng.normal(0.2, 1.0, size=(3, m))
    steps = 4 / (1 + np.exp(-20 * (b - 0.5)))
    y = 0.25 * np.exp(4 * a) + steps + 3 * c + rng.normal(0.0, 0.2, size=m)
    noise = 0.01 + 0.5 * np.arange(10) / 9
    X = hidden[..., None] + noise * rng.normal(0.3, 1.0, size=(6, m, 10))
    return (X.transpose(1, 0, 2).reshape(m, 60) - 0.5) * 2, y


def _coin(rng: np.random.Generator, m: int) -> tuple[Floats, Floats]:
    """Draw labels by coin and five unrelated features: every classifier has an error of 0.5."""
    return rng.normal(size=(m, 5)), (rng.random(m) < 0.5).astype(float)


def _gaussians(
    rng: np.random.Generator, m: int, *, p: int, shift: float, share: float
) -> tuple[Floats, Floats]:
    """Draw two unit Gaussians, ``shift`` apart in every coordinate."""
    y = (rng.random(m) < share).astype(float)
    return rng.normal(size=(m, p)) + shift * y[:, None], y


def _xor(rng: np.random.Generator, m: int) -> tuple[Floats, Floats]:
    """Draw classes by the sign of x1·x2, with a tenth of the labels wrong."""
    X = rng.normal(size=(m, 4))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(m) < 0.1)).astype(float)


def _rings(rng: np.random.Generator, m: int) -> tuple[Floats, Floats]:
    """Draw classes by the distance from the origin, with a tenth of the labels wrong."""
    X = rng.normal(size=(m, 3))
    return X, (((X**2).sum(axis=1) > 2.4) ^ (rng.random(m) < 0.1)).astype(float)


def _sparse(rng: np.random.Generator, m: int, *, outliers: float) -> tuple[Floats, Floats]:
    """Draw a linear target: five of twenty slopes are .3; a share of the noise is 10 times wide."""
    X = rng.normal(size=(m, 20))
    wide = np.where(rng.random(m) < outliers, 10.0, 1.0)
    return X, 0.3 * X[:, :5].sum(axis=1) + rng.normal(size=m) * wide


_STUDY = ("linear", "ridge", "tree", "forest")  # learners of the study, for numbers
_STUDY_CLASSES = ("logistic", "ridge", "tree", "forest")
# With wide features, n = 100 is too few for plain least squares and logistic regression.
_WIDE_CLASSES = tuple(pair for pair in CLASS_PAIRS if not {"logistic", "lda"} & set(pair))
_WIDE_NUMBERS = tuple(pair for pair in NUMBER_PAIRS if not {"linear", "lasso"} & set(pair))
_COIN_PAIRS = (("majority", "tree"), ("majority", "ridge"), ("tree", "forest"), ("knn", "bayes"))

FORMULAS: tuple[BenchPopulation, ...] = (
    BenchPopulation(
        key="bates-logistic-20", draw=partial(_bates, p=20, classes=True), singles=_STUDY_CLASSES
    ),
    BenchPopulation(
        key="bates-logistic-100",
        draw=partial(_bates, p=100, classes=True),
        pairs=_WIDE_CLASSES,
        singles=("ridge", "tree", "forest"),
        bins=8,
    ),
    BenchPopulation(
        key="bates-linear-20",
        draw=partial(_bates, p=20, classes=False),
        classes=False,
        pairs=NUMBER_PAIRS,
        singles=_STUDY,
    ),
    BenchPopulation(
        key="bates-linear-100",
        draw=partial(_bates, p=100, classes=False),
        classes=False,
        pairs=_WIDE_NUMBERS,
        singles=("ridge", "tree", "forest"),
        bins=8,
    ),
    BenchPopulation(
        key="friedman1", draw=_friedman, classes=False, pairs=NUMBER_PAIRS, singles=_STUDY
    ),
    BenchPopulation(
        key="chen-10",
        draw=partial(_chen, signal=True),
        classes=False,
        pairs=_WIDE_NUMBERS,
        singles=("ridge", "tree", "forest"),
        bins=8,
    ),
    BenchPopulation(
        key="chen-10-null",
        draw=partial(_chen, signal=False),
        classes=False,
        pairs=_WIDE_NUMBERS,
        singles=("ridge", "tree", "forest"),
        bins=8,
    ),
    BenchPopulation(
        key="coin", draw=_coin, pairs=_COIN_PAIRS, equal=_COIN_PAIRS, equal_in=("zero-one", "auc")
    ),
    BenchPopulation(key="gaussians", draw=partial(_gaussians, p=8, shift=0.5, share=0.5)),
    BenchPopulation(key="rare", draw=partial(_gaussians, p=6, shift=0.9, share=0.12)),
    BenchPopulation(key="xor", draw=_xor),
    BenchPopulation(key="rings", draw=_rings),
    BenchPopulation(
        key="sparse", draw=partial(_sparse, outliers=0.0), classes=False, pairs=NUMBER_PAIRS
    ),
    BenchPopulation(
        key="outliers", draw=partial(_sparse, outliers=0.05), classes=False, pairs=NUMBER_PAIRS
    ),
)


# Tables -----------------------------------------------------------------------------------------

_SYMMETRIC = (("plus", "minus"),)
ADULT = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
WORDS = 40  # columns of the text table: its most frequent words without function words


def _rows(rng: np.random.Generator, m: int, *, X: Floats, y: Floats) -> tuple[Floats, Floats]:
    drawn = rng.integers(len(y), size=m)
    return X[drawn], y[drawn]


def table(
    key: str, X: Any, y: Any, *, pairs: Sequence[tuple[str, str]] = CLASS_PAIRS
) -> BenchPopulation:
    """
    Make a population of a table: rows are drawn with replacement, features are standardised.

    The pair ``plus``/``minus`` is equal by symmetry on any table.
    """
    features = np.asarray(X, dtype=float)
    spread = features.std(axis=0)
    kept = features[:, spread > 0]
    kept = (kept - kept.mean(axis=0)) / kept.std(axis=0)
    draw = partial(_rows, X=kept, y=np.asarray(y, dtype=float))
    return BenchPopulation(key=key, draw=draw, pairs=(*pairs, *_SYMMETRIC), equal=_SYMMETRIC)


def tables(folder: Path) -> tuple[BenchPopulation, ...]:
    """Read the tables in a folder: NumPy archives ``NAME.npz`` with arrays X and y."""
    populations = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            populations.append(table(path.stem, file["X"], file["y"]))
    if not populations:
        refuse(
            "tables",
            "tables must be a folder with NAME.npz, each with X and y, but got "
            f"{short_repr(folder)}.",
        )
    return tuple(populations)


POPULATIONS: dict[str, BenchPopulation] = {population.key: population for population in FORMULAS}


def add_population(population: BenchPopulation) -> None:
    """Register a population; one of the same name is replaced."""
    POPULATIONS[population.key] = population


def known_populations() -> Mapping[str, BenchPopulation]:
    """Return all populations by name."""
    return POPULATIONS
