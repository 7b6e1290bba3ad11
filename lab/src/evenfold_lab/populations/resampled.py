"""Data sets used as populations: the truth of a draw is known from the rest of the data."""

from csv import reader
from dataclasses import field, fields, replace
from gzip import open as open_gzip
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, one_of, refuse, short_repr
from evenfold.core.registry import ParameterRule, Positive
from evenfold_lab import estimators
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.populations._base import Population, Sample, population_facts

_SMALL_PART = 10  # below a tenth of the data, draws without replacement are nearly independent
_NOT_IN_REPR = ("X", "y", "pair")  # too long for a line
# NB section 5: components, counted from 1, that the distorted metric weighs by w and by 1/w.
_STRETCHED = (1, 3, 9, 16)
_SHRUNK = (5, 11, 13)
DISTORTIONS = (1.0, 5.0, 10.0, 17.25, 25.0, 2048.0)  # NB table 4, R19 table 5.9


@population_facts(
    "resampled", "any data set X, y as a population", "NB 5, R19 2.3, W14 3", eq=False, repr=False
)
class Resampled(Population):
    """
    A data set whose rows are the population (NB 5, R19 2.3 and 3.6, W14 real example 1).

    Without replacement, the truth is the error on rows that were not trained on. With replacement
    the population is the empirical distribution: a copy of a training row may be tested on, in the
    truth as in the data sets, which flatters algorithms that memorise.

    The sources made these experiments on UCI data, beside those of :class:`Letters`:

    - R19 2.3 (tables 2.7–2.12), with replacement, SVM and kNN, n in brackets: glass (150), iris
      (100), kr-vs-kp (200), optdigits (300), page-blocks (300), spambase (250), waveform (300),
      wdbc (300), yeast (800); rows with missing values dropped; protocol as in ``sreg``;
    - R19 3.6 (tables 3.9, 3.10), m = 3, 5, 7, 9: white wine quality as a number, 11 features, n =
      100, and air quality (target absolute humidity; no dates, no NMHC, no missing values: 6941
      rows, 11 features), n = 200, with lm, rid, lso; connect-4 (two classes, 42 features) and adult
      (no missing values, 30 162 rows), n = 500, with SVM and kNN;
    - W14 6.5 (tables 8, 9): iris (3, 10, 20 hidden units), vowel (5, 10, 20), thyroid (10), seeds
      (10, 20), heart-statlog (5, 10, 20), balance (5, 10, 20): two MLPs of equal size for type I
      errors, single-layer perceptron against MLP for type II errors;
    - W14 6.6 (table 10), the whole data set cut 50 times, level .05: naive Bayes, classification
      tree, LDA in pairs on balance-scale, diabetes, glass, heart, ionosphere, iris, vehicle, wine,
      yeast, seeds (the sizes in its table are shifted by a row from glass on); replicability of
      ``blocked-3x2-t`` .921, .910, .921.

    Parameters
    ----------
    X, y : arrays, shapes (N, p) and (N,)
        Labels may be anything; they are coded 0, 1, 2, ... in sorted order.
    measure_name : str
        ``"zero-one"`` for labels, ``"squared"`` for numbers.
    replacement : bool or None
        None draws without replacement where n ≤ N/10; :meth:`at` fixes the choice for one n.
    pair : tuple of algorithms
        The algorithms to study. By default classification tree (A) and 1-NN (B) for labels, mean
        (A) and least squares (B) for numbers.
    """

    X: Floats
    y: Floats
    measure_name: Annotated[str, ParameterRule(one_of, allowed=("zero-one", "squared"))] = (
        "zero-one"
    )
    replacement: bool | None = None
    pair: tuple[Algorithm, ...] = ()

    @property
    def measure(self) -> str:  # type: ignore[override]  # a property where others have a constant
        """The measure that its studies use by default."""
        return self.measure_name

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            X = np.asarray(self.X, dtype=float)
            y = np.asarray(self.y)
        except (TypeError, ValueError, OverflowError):
            refuse("X", f"X must be a table of numbers but got {short_repr(self.X)}.")
        if X.ndim != 2 or len(X) < 2:
            refuse("X", f"X must have two dimensions and at least 2 rows but got {short_repr(X)}.")
        if y.shape != (len(X),):
            refuse("y", f"y must have one value per row of X ({len(X)}) but got {short_repr(y)}.")
        if not np.isfinite(X).all():
            row, column = np.argwhere(~np.isfinite(X))[0]
            refuse("X", f"X must be finite but got {X[row, column]} in row {row}, column {column}.")
        coded = np.unique(y, return_inverse=True)[1] if self.measure_name == "zero-one" else y
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", coded.astype(float))

    def __repr__(self) -> str:
        shown = [f.name for f in fields(self) if f.name not in _NOT_IN_REPR]
        parameters = [f"{name}={getattr(self, name)!r}" for name in shown]
        return f"{type(self).__name__}({', '.join([f'rows={len(self.y)}', *parameters])})"

    def at(self, n: int) -> Self:
        """Return the population with ``replacement`` chosen for data sets of ``n`` examples."""
        return replace(self, replacement=self._is_replaced(n))

    def _is_replaced(self, n: int) -> bool:
        if self.replacement is None:
            return _SMALL_PART * n > len(self.y)
        return self.replacement

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        rows = self.draw_rows(n, replications, rng)
        return Sample(self.X[rows], self.y[rows])

    def draw_rows(self, n: int, replications: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the row numbers of :meth:`draw`, for a device that holds the table."""
        return self._rows(n, replications, rng, replaced=self._is_replaced(n))

    def draw_apart(
        self, n_train: int, n_test: int, replications: int, rng: np.random.Generator
    ) -> tuple[Sample, Sample]:
        """Draw test rows apart from training rows (all others if fewer), or with replacement."""
        replaced = self._is_replaced(n_train)
        if not replaced:
            n_test = min(n_test, len(self.y) - n_train)
        rows = self._rows(n_train + n_test, replications, rng, replaced=replaced)
        X = self.X[rows]
        y = self.y[rows]
        return Sample(X[:, :n_train], y[:, :n_train]), Sample(X[:, n_train:], y[:, n_train:])

    def _rows(
        self, n: int, replications: int, rng: np.random.Generator, *, replaced: bool
    ) -> NDArray[np.int64]:
        N = len(self.y)
        if replaced:
            return rng.integers(N, size=(replications, n))
        integer("n", n, low=1, high=N, remedy="Draw with replacement for more.")
        return np.stack([rng.choice(N, size=n, replace=False) for _ in range(replications)])

    def algorithms(self) -> tuple[Algorithm, ...]:
        if self.pair:
            return self.pair
        if self.measure_name == "squared":
            return estimators.mean(), estimators.ols()
        return estimators.classification_tree(), estimators.nearest_neighbour()


@population_facts(
    "letters",
    "the letters from your folder, tree against 1-NN",
    "NB table 4",
    sizes=(300,),
    eq=False,
    repr=False,
)
class Letters(Resampled):
    """
    The 20 000 letters of the UCI repository: 16 features, and 26 classes or 2 halves of them.

    **26 classes** (NB table 4, W14 table 7, R19 tables 5.9–5.10): n = 300, classification tree (A;
    S-plus's ``tree`` without pruning) against 1-NN (B) in the metric Σ_k w^(2−k) Σ_{i∈C_k} (x_i −
    x'_i)² with C1 = {1, 3, 9, 16}, C2 = {2, 4, 6, 7, 8, 10, 12, 14, 15}, C3 = {5, 11, 13}; zero-one
    loss.

    ============= ================ ================ ================ ================
    w             μ_A(n/2)         μ_B(n/2)         μ_A(9n/10)       μ_B(9n/10)
    ============= ================ ================ ================ ================
    1             [.6911, .6942]   [.5395, .5427]   [.5853, .5897]   [.4343, .4388]
    5             as above         [.5932, .5965]   as above         [.4967, .5012]
    10            as above         [.6320, .6353]   as above         [.5437, .5483]
    17.25         as above         [.6665, .6697]   as above         [.5862, .5908]
    25            as above         [.6903, .6936]   as above         [.6159, .6205]
    2048          as above         [.7796, .7824]   as above         [.7303, .7344]
    ============= ================ ================ ================ ================

    (95% intervals of NB.) NB draw 1000 data sets *without* replacement, R19 and W14 *with*: R19's
    μ_B(n/2) = .5366, .5895, .6283, .6627, .6863, .7742 and μ_A = .6928 (table 5.9 swaps the letters
    A and B). W14 uses w = 25 (equal at n/2). NB test at .1, W14 and R19 at .05; R19 start 3, M =
    12. For each w:

    - R19 table 5.9, (ρ1, ρ2) of 1-NN: (.486, .349), (.516, .366), (.538, .370), (.548, .375),
      (.557, .378), (.574, .382); of the tree (.292, .232); of the difference (.154, .158), (.189,
      .173), (.205, .178), (.218, .188), (.227, .192), (.270, .224);
    - R19 table 5.10, worst sizes: sequential ``mx2-paired-t`` .062, .059, .068, .062, .058, .075,
      ``mx2-sequential-t`` .002, .001, .001, .002, .003, .006;
    - NB's 95% intervals of the correlation of two differences at (n1, n2) = (n/2, n/2): [.134,
      .161], [.152, .180], [.160, .191], [.167, .198], [.170, .202], [.178, .211]; at (9n/10, n/10):
      [.085, .106], [.085, .106], [.084, .104], [.085, .106], [.088, .109], [.094, .116];
    - W14 table 7 (w = 25): ``kfold-t`` .08, ``corrected-kfold-t`` .06, ``5x2-t`` .05, ``5x2-f``
      .04, ``blocked-3x2-t`` .02.

    **2 classes**, A–M against N–Z: a classification tree, n = 20, 40, 80, 160, 400, 800, 2000, with
    replacement, 100 000 data sets (W14 real example 1, figure 5, table 3); SVM and kNN (k = 5,
    triangular), n = 1000 (R19 tables 2.7–2.12) and n = 500 (R19 tables 3.9–3.10), with replacement.
    The default pair is SVM (A) and kNN (B).

    Parameters
    ----------
    classes : int
        26 or 2.
    w : float
        Distortion of the metric of 1-NN: one of NB's ``DISTORTIONS`` or any number above 0.
    """

    classes: int = 26
    w: Positive = 25.0

    def __post_init__(self) -> None:
        if self.classes not in (2, 26):
            refuse("classes", f"classes must be 26 or 2 but got {short_repr(self.classes)}.")
        super().__post_init__()

    @classmethod
    def make(cls, **parameters: Any) -> "Letters":
        """Read the letters from a folder; see :func:`letters`."""
        return letters(**parameters)

    def algorithms(self) -> tuple[Algorithm, ...]:
        if self.pair:
            return self.pair
        if self.classes == 2:
            return estimators.svm(), estimators.triangular_knn()
        return estimators.classification_tree(), estimators.nearest_neighbour(
            distorted_weights(self.w)
        )

    def source_algorithms(self) -> tuple[Algorithm, ...]:
        if self.classes == 2:
            return *self.algorithms(), estimators.classification_tree()
        return self.algorithms()


@population_facts(
    "digits",
    "scikit-learn's digits, tree against 1-NN",
    "evenfold",
    sizes=(300,),
    eq=False,
    repr=False,
)
class Digits(Resampled):
    """
    The 1797 handwritten digits that scikit-learn bundles (64 features, ten classes).

    They need no download. The default pair is classification tree (A) and 1-NN (B), with zero-one
    loss. No source uses this copy; R19 2.3 uses the whole of optdigits with n = 300.
    """

    X: Floats = field(default_factory=lambda: _digits()[0])
    y: Floats = field(default_factory=lambda: _digits()[1])


def _digits() -> tuple[Floats, Floats]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X, y.astype(float)


def distorted_weights(w: float) -> tuple[float, ...]:
    """Return the weights of the 16 features of a letter in NB's distorted metric."""
    factors = dict.fromkeys(range(1, 17), 1.0)
    factors |= dict.fromkeys(_SHRUNK, 1 / w)
    factors |= dict.fromkeys(_STRETCHED, w)
    return tuple(factors.values())


def letters(
    folder: str | Path | None = None, *, classes: int = 26, w: float = 25.0, **choices: Any
) -> Letters:
    """
    Read the letters from ``letter.csv.gz`` in a folder; other keywords are those of Letters.

    The file has a header and seventeen columns: sixteen of numbers, then the letter.
    """
    rows = read_table(folder, "letter.csv.gz")
    X = np.array([row[:-1] for row in rows], dtype=float)
    y = np.array([ord(row[-1]) - ord("A") for row in rows])
    return Letters(
        X=X, y=y if classes == 26 else (y >= 13).astype(float), classes=classes, w=w, **choices
    )


def read_table(folder: str | Path | None, file: str) -> list[list[str]]:
    """Read the rows below the header of a ``.csv.gz`` file in the user's folder of data."""
    place = Path(folder or "") / file
    if folder is None or not place.is_file():
        refuse("folder", f"folder must be a folder that holds {file} but got {short_repr(folder)}.")
    with open_gzip(place, "rt", encoding="utf-8", newline="") as lines:
        return list(reader(lines))[1:]
