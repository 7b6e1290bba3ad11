"""The losses of all algorithms on every split, which ``run`` hands to ``infer``."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, one_of
from evenfold.core.errors import NotApplicable
from evenfold.core.partition import Kind, LazySequence, Partition
from evenfold.core.words import count

PerExample = Literal["values", "outcomes", "placements", "none"]
Target = Literal["labels", "numbers", "any"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """
    The properties of a measure that reports, intervals and methods need.

    Attributes
    ----------
    name : str
        Its name in code, in stores and on the command line.
    lower_is_better : bool
        True for losses, False for scores.
    words : str
        What people call it, such as "error". Defaults to the name.
    low, high : float
        The range of its values, which may be infinite.
    target : {"labels", "numbers", "any"}
        The targets that it can be computed for.
    per_example : {"values", "outcomes", "placements", "none"}
        What it gives per test example: values whose mean it is (a loss), counts of whose sums it is
        a smooth function (a score such as F1), placements whose mean and variance describe it (a
        ranking), or nothing.
    counts_wrong : bool
        Whether its values are 1 where a prediction is wrong and 0 where it is right.
    right_or_wrong : bool
        Whether every value is 0 or 1, for a right or wrong answer.
    of_the_mix : bool
        Whether it changes with the share of the positive class, as precision and F1 do and recall
        does not.
    positive : str
        The positive class, in words; empty if all classes have the same part.
    weighted : bool
        Whether examples were weighted.
    ratio : bool
        Whether its values are natural logarithms, as of times, so that differences are ratios.
    unit : str
        The unit of its values, or of the values whose logarithms they are.

    Examples
    --------
    >>> error = Quantity(name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0)
    >>> error.width, error.improvement(-0.02)
    (1.0, 0.02)
    """

    name: str
    lower_is_better: bool
    words: str = ""
    low: float = -math.inf
    high: float = math.inf
    target: Target = "any"
    per_example: PerExample = "none"
    counts_wrong: bool = False
    right_or_wrong: bool = False
    of_the_mix: bool = False
    positive: str = ""
    weighted: bool = False
    ratio: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.words:
            object.__setattr__(self, "words", self.name)

    @property
    def width(self) -> float:
        """The largest difference that two values can have."""
        return self.high - self.low

    @property
    def against(self) -> str:
        """How B is compared with A, in symbols."""
        if self.ratio:
            return "B / A"
        return "B − A"

    @property
    def contrast(self) -> str:
        """How B is compared with A, in words that stand before those of the measure."""
        if self.ratio:
            return "ratio of"
        return "difference in"

    @property
    def neutral(self) -> float:
        """What a report shows if A and B are equal."""
        if self.ratio:
            return 1.0
        return 0.0

    def improvement(self, difference: float) -> float:
        """How much better B is than A if their values differ by B − A."""
        if self.lower_is_better:
            return -difference
        return difference

    def improvements(self, low: float, high: float) -> tuple[float, float]:
        """The least and the largest improvement if B − A lies between two ends."""
        if self.lower_is_better:
            return (-high, -low)
        return (low, high)


def measure_name(quantity: Quantity) -> str:
    """
    Return the words of a measure with its class, and with "weighted" if examples were weighted.

    Examples
    --------
    >>> measure_name(
    ...     Quantity(name="f1", words="F1", lower_is_better=False, positive="'spam'", weighted=True)
    ... )
    "weighted F1 of class 'spam'"
    """
    words = quantity.words
    if quantity.weighted:
        words = f"weighted {words}"
    if quantity.positive:
        words = f"{words} of class {quantity.positive}"
    return words


class HasQuantity:
    """Anything with one quantity."""

    __slots__ = ()

    quantity: Quantity

    @property
    def measure(self) -> str:
        """Name of the measure."""
        return self.quantity.name

    @property
    def lower_is_better(self) -> bool:
        """True for losses, False for scores."""
        return self.quantity.lower_is_better


# Scores that are smooth functions of sums over examples instead of means, such as F1, kappa and R².
#
# For a score θ of the sums c = Σ c_i over n examples, the value of an example is θ + n·∇θ(c)·c_i:
# the score and the influence of the example (the delta method). A score does not change when all
# sums are multiplied by a number, so ∇θ(c)·c = 0 (Euler) and the mean of the values is the score.
# To first order, the spread of the values is the spread of the score over samples, so that methods
# for means of examples are valid for the score.


_STEP = 1e-30  # of the complex step; its square is lost beside 1, so the derivative is exact


def safe_ratio(above: Any, below: Any) -> Any:
    """
    Divide, with 0/0 = 0 as scorers have it.

    Examples
    --------
    >>> safe_ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    is_defined = np.real(below) != 0
    return np.where(is_defined, above / np.where(is_defined, below, 1.0), 0.0)


class Score(ABC):
    """A smooth function of sums over examples, the same for all multiples of the sums."""

    @abstractmethod
    def of(self, sums: Any) -> Any:
        """
        Return the score, (...), of sums (..., k), real or complex.

        It consists of functions of complex numbers; only conditions may look at real parts.
        """

    def __call__(self, sums: Any) -> Floats:
        """Return the score of sums of shape (..., k)."""
        return np.asarray(self.of(np.asarray(sums, dtype=float)), dtype=float)

    def slopes(self, sums: Any, sizes: Any = None) -> Floats:
        """
        Return the gradient at sums (..., k), by the complex step (Squire and Trapp 1998).

        Every sum has its own step, because the number of examples and the sum of their squared
        errors may be 300 orders of magnitude apart.

        Parameters
        ----------
        sums : array (..., k)
            The sums.
        sizes : array (..., k), optional
            The sum of the absolute terms of each sum, which is larger if terms cancel. Defaults to
            the size of the sum, or of the largest sum if a sum is 0.
        """
        at = np.asarray(sums, dtype=float)
        size = np.abs(at if sizes is None else np.asarray(sizes, dtype=float))
        largest = np.abs(at).max(axis=-1, keepdims=True)
        largest = np.where(largest > 0, largest, 1.0)
        step = np.maximum(_STEP * np.where(size > 0, size, largest), np.finfo(float).tiny)
        moved = at[..., None, :] + 1j * step[..., None, :] * np.eye(at.shape[-1])
        slopes: Floats = np.imag(self.of(moved)) / step
        return slopes

    def values(self, rows: Sequence[Any]) -> list[Floats]:
        """
        Return a value for every example whose mean over all rows is the score of all rows together.

        Parameters
        ----------
        rows : sequence of arrays (..., n_j, k)
            The counts of every example, test set by test set. They are read twice.
        """
        sums: Any = 0.0
        sizes: Any = 0.0
        n = 0
        for row in rows:
            counts = np.asarray(row, dtype=float)
            sums = sums + counts.sum(axis=-2)
            sizes = sizes + np.abs(counts).sum(axis=-2)
            n += counts.shape[-2]
        score = self(sums)
        slopes = n * self.slopes(sums, sizes)
        return [score[..., None] + (row @ slopes[..., None])[..., 0] for row in rows]

    def rests_on(self, row: Any) -> int:
        """Return how many examples of one test set, (n, k), the score depends on."""
        return len(row)


@dataclass(frozen=True, slots=True)
class Smooth(Score):
    """
    A score by its function, which must be one of a module, so that it can be pickled.

    Examples
    --------
    >>> def share(c):
    ...     return safe_ratio(c[..., 0], c[..., 0] + c[..., 1])
    >>> hits_and_misses = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> Smooth(share).values([hits_and_misses])[0].round(3).tolist()
    [1.0, 0.0, 1.0]
    """

    function: Callable[[Any], Any]

    def of(self, sums: Any) -> Any:
        """Call the function."""
        return self.function(sums)


@dataclass(frozen=True, slots=True)
class Ratio(Score):
    """
    A ratio of two weighted sums: ``(above·c)/(below·c)``.

    Examples
    --------
    >>> F1([3, 1, 2]).item()  # 2·3/(2·3 + 1 + 2)
    0.666...
    >>> F1.below
    (2.0, 1.0, 1.0)
    """

    above: tuple[float, ...]
    below: tuple[float, ...]

    def of(self, sums: Any) -> Any:
        """Return the ratio, 0 if it is 0/0."""
        return safe_ratio(sums @ np.array(self.above), sums @ np.array(self.below))

    def slopes(self, sums: Any, sizes: Any = None) -> Floats:  # noqa: ARG002  (no step to choose)
        """Return the gradient at sums (..., k), by the quotient rule; 0 where the score is 0/0."""
        at = np.asarray(sums, dtype=float)
        above = np.array(self.above)
        below = np.array(self.below)
        slopes: Floats = safe_ratio(above - self(at)[..., None] * below, (at @ below)[..., None])
        return slopes

    def once(self, sums: Sequence[float]) -> float:
        """Return the score of one row of plain numbers, ten times as fast as numpy."""
        below = sum(map(mul, self.below, sums))
        return sum(map(mul, self.above, sums)) / below if below else 0.0

    def rests_on(self, row: Any) -> int:
        """Count the examples in the denominator: for recall the positive ones."""
        return int(np.count_nonzero(np.asarray(row) @ np.array(self.below)))


def f_score(beta: float) -> Ratio:
    """
    Return F-beta of (TP, FP, FN).

    Recall counts beta times as much as precision (van Rijsbergen 1979).
    """
    square = beta**2
    return Ratio((1 + square, 0.0, 0.0), (1 + square, 1.0, square))


# Ratios of TP, FP and FN.
PRECISION = Ratio((1.0, 0.0, 0.0), (1.0, 1.0, 0.0))
RECALL = Ratio((1.0, 0.0, 0.0), (1.0, 0.0, 1.0))
F1 = f_score(1.0)
WEIGHTED_MEAN = Ratio((1.0, 0.0), (0.0, 1.0))  # of w·x and w


def weighted_values(values: Floats, weights: Floats) -> Floats:
    """
    Return values for a weighted mean, which is a ratio of Σ w·x and Σ w.

    Examples
    --------
    >>> weighted_values(np.array([0.0, 1.0]), np.array([1.0, 3.0])).mean().item()
    0.75
    """
    return WEIGHTED_MEAN.values([weighted_parts(values, weights)])[0]


def weighted_parts(values: Floats, weights: Floats) -> Floats:
    """Return w·x and w of every example, (..., n, 2): what a weighted mean is made of."""
    return np.stack([values * weights, np.broadcast_to(weights, np.shape(values))], axis=-1)


# When two numbers are equal. Means over the same counts in another order differ in the last digits.
# A test that orders numbers must not take that for a difference, so ranks, signs and counts of wins
# compare numbers up to rounding.


# for means of some hundred values, and differences of two such means
_ULPS = 64 * float(np.finfo(np.float64).eps)


def rounding(*values: Any) -> Floats:
    """
    Return, entry by entry, how far rounding can separate numbers of the size of ``values``.

    Examples
    --------
    >>> bool(abs(0.20000000000000004 - 0.19999999999999998) < rounding(0.2))
    True
    """
    sizes = (np.abs(np.asarray(value, dtype=float)) for value in values)
    return np.asarray(_ULPS * reduce(np.maximum, sizes))


def difference(b: Any, a: Any) -> Floats:
    """
    Return b − a, and exactly 0 if rounding alone explains the difference.

    Examples
    --------
    >>> difference([0.20000000000000004, 0.3], [0.19999999999999998, 0.1]).round(3).tolist()
    [0.0, 0.2]
    """
    d = np.subtract(b, a)
    return np.where(np.abs(d) <= rounding(b, a), 0.0, d)


def differences(b: Sequence[Floats], a: Sequence[Floats]) -> list[Floats]:
    """
    Return b − a of several arrays (..., n), and one equal value if rounding explains its spread.

    If B = A + 0.1, the differences have no spread, and rounding must not give them one.

    Examples
    --------
    >>> differences([np.array([1.1, 0.3, 7.1]) / 3], [np.array([1.0, 0.2, 7.0]) / 3])[0].tolist()
    [0.0333333333333333, 0.0333333333333333, 0.0333333333333333]
    """
    exact = [np.asarray(of_b - of_a) for of_b, of_a in zip(b, a, strict=True)]
    filled = [k for k, array in enumerate(exact) if array.shape[-1]]
    if not filled:
        return exact
    noise = np.max([rounding(b[k], a[k]).max(axis=-1) for k in filled], axis=0)
    low = np.min([exact[k].min(axis=-1) for k in filled], axis=0)
    high = np.max([exact[k].max(axis=-1) for k in filled], axis=0)
    is_equal = np.asarray(high - low <= noise)
    if not is_equal.any():
        return exact
    middle = low + (high - low) / 2
    middle = np.where(np.abs(middle) <= noise, 0.0, middle)
    return [np.where(is_equal[..., None], middle[..., None], array) for array in exact]


RAISED = "raised"  # the kind of failure if a fit raised an exception
_SHOWN = 3  # reasons named in a message; the others are counted
_LENGTH = 200  # characters of a reason; the failures hold all of it
_PER_SPLIT = ("values", "fit_seconds", "predict_seconds")
_PER_EXAMPLE = ("examples", "outcomes")


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """
    One algorithm that gave no usable answer on one split.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm.
    split : int
        Number of the split in the partition.
    kind : str
        What went wrong, in one or two words: ``"raised"``, ``"timeout"``, ``"worker died"``, ...
    message : str
        One line about it.
    traceback : str
        The traceback, or an empty text.
    """

    algorithm: str
    split: int
    kind: str
    message: str
    traceback: str = ""

    @property
    def reason(self) -> str:
        """What went wrong."""
        return self.message if self.kind == RAISED else f"{self.kind}: {self.message}"

    def __str__(self) -> str:
        return f"{self.algorithm} failed on split {self.split}: {self.reason}"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Losses(HasQuantity):
    """
    One measure of every algorithm on every split.

    With many data sets at once, as in the lab, the arrays have a batch axis after that of the
    algorithms. For example, ``values`` has the shape (algorithms, data sets, splits).

    Attributes
    ----------
    quantity : Quantity
        The measure: name, words, direction and range. Values are in its own units.
    algorithms : tuple of str
        Names, the baseline A first.
    partition : Partition
        The splits.
    values : array (algorithms, splits)
        Hold-out values; NaN exactly where ``failures`` names the fit.
    failures : tuple of Failure
        Fits without a value. Methods refuse losses with failures, see :meth:`differences`.
    fit_seconds, predict_seconds : arrays (algorithms, splits)
        How long each fit took when it was run.
    examples : sequence of sequences of arrays, or None
        ``examples[a][j]`` are the values of the single test examples ``partition.test[j]``,
        computed on access; None if the measure has no such values.
    counts : array (algorithms, splits, 3) or None
        TP, FP, FN if the measure is a function of them.
    outcomes : sequence of sequences of arrays, or None
        ``outcomes[a][j]`` are the counts of the single test examples or sentences
        ``partition.test[j]``, times their weights: an array (..., examples, k) computed on access.
        They are TP, FP, FN if there are ``counts``, and None if the measure is no function of sums.
    score : Score or None
        The measure as a function of the sums of outcomes; None if there are no outcomes.
    weights : array (n,) or None
        Sample weights behind ``values``; ``examples`` are not weighted.
    clusters : array (n,) or None
        The cluster of every example, numbered from 0, if examples come in clusters.
    absent : array (algorithms, splits) of bool, or None
        Runs that only other algorithms have; None if every algorithm has all runs.
    class_sizes : mapping of str to int, or None
        The number of examples of each class, if the measure depends on the ranks of classes.
    """

    quantity: Quantity
    algorithms: tuple[str, ...]
    partition: Partition
    values: Floats
    failures: tuple[Failure, ...] = ()
    fit_seconds: Floats
    predict_seconds: Floats
    examples: Sequence[Sequence[Floats]] | None = None
    counts: Floats | None = None
    outcomes: Sequence[Sequence[Floats]] | None = None
    score: Score | None = None
    weights: Floats | None = None
    clusters: NDArray[np.intp] | None = None
    absent: NDArray[np.bool_] | None = None
    class_sizes: Mapping[str, int] | None = None

    def index(self, algorithm: str | int) -> int:
        """Position of an algorithm given by name or position."""
        if isinstance(algorithm, str):
            return self.algorithms.index(one_of("algorithm", algorithm, self.algorithms))
        return integer("algorithm", algorithm, low=0, high=len(self.algorithms) - 1)

    def only(self, splits: slice, *, kind: Kind | None = None) -> "Losses":
        """Return the losses on consecutive splits, which may have a kind of their own."""
        kept = range(len(self.partition))[splits]
        failures = [
            replace(failure, split=kept.index(failure.split))
            for failure in self.failures
            if failure.split in kept
        ]
        return replace(
            self,
            partition=self.partition.only(splits, kind=kind),
            failures=tuple(failures),
            **self._map_fields(lambda array: array[..., splits], *_PER_SPLIT, "absent"),
            **self._map_fields(lambda array: array[..., splits, :], "counts"),
            **self._map_fields(
                lambda rows: tuple(_select_examples(row, kept) for row in rows), *_PER_EXAMPLE
            ),
        )

    def _map_fields(self, function: Callable[[Any], Any], *names: str) -> dict[str, Any]:
        """Apply a function to some fields that are not None."""
        values = {name: getattr(self, name) for name in names}
        return {name: function(value) for name, value in values.items() if value is not None}

    def against(self, baseline: str, challengers: Sequence[str]) -> "Losses":
        """Return the losses of one algorithm as A and of others as B, with a batch axis."""
        a = self.index(baseline)
        others = [self.index(name) for name in challengers]
        return replace(
            self,
            algorithms=(baseline, f"not {baseline}"),
            failures=(),
            **self._map_fields(
                lambda array: _pair_with_others(array, a, others), *_PER_SPLIT, "counts"
            ),
            **self._map_fields(
                lambda rows: (rows[a], _stack_rows([rows[b] for b in others])), *_PER_EXAMPLE
            ),
        )

    def means(self) -> Floats:
        """Mean over the splits of the estimate, (algorithms,) or (algorithms, data sets)."""
        present: Any = True if self.absent is None else ~self.absent
        means: Floats = self.values[..., self.partition.about].mean(axis=-1, where=present)
        return means

    def differences(self, challenger: str | int = 1, baseline: str | int = 0) -> Floats:
        """
        Return B − A on every split, in the measure's own units.

        Raises
        ------
        NotApplicable
            If a fit of either failed, because a mean over fewer splits answers another question.
        """
        b = self.index(challenger)
        a = self.index(baseline)
        self.require_complete(a, b)
        return differences([self.values[b]], [self.values[a]])[0]

    def require_complete(self, *algorithms: str | int) -> None:
        """Raise :class:`NotApplicable` with the reasons why fits of these algorithms failed."""
        names = {self.algorithms[self.index(a)] for a in algorithms} or set(self.algorithms)
        failed = [failure for failure in self.failures if failure.algorithm in names]
        if failed:
            raise NotApplicable(failures_in_words(failed, len(self.partition)))

    def __repr__(self) -> str:
        shape = f"algorithms={len(self.algorithms)}, splits={len(self.partition)}"
        return f"Losses({self.measure!r}, {shape}, failures={len(self.failures)})"


def _pair_with_others(array: Floats, a: int, others: Sequence[int]) -> Floats:
    return np.stack([np.broadcast_to(array[a], (len(others), *array[a].shape)), array[others]])


def _stack_rows(rows: Sequence[Sequence[Floats]]) -> Sequence[Floats]:
    return LazySequence(len(rows[0]), lambda j: np.stack([row[j] for row in rows]))


def _select_examples(row: Sequence[Floats], kept: range) -> Sequence[Floats]:
    return LazySequence(len(kept), lambda j: row[kept[j]])


def failures_in_words(failures: Sequence[Failure], splits: int) -> str:
    """
    Write every reason once, with the number of splits on which it stopped an algorithm.

    Examples
    --------
    >>> failed = [
    ...     Failure(algorithm="lr", split=k, kind=RAISED, message="ValueError: x") for k in (0, 1)
    ... ]
    >>> failures_in_words(failed, 2), failures_in_words(failed, 6)
    ('lr failed on all 2 splits: ValueError: x', 'lr failed on 2 of 6 splits: ValueError: x')
    """
    reasons: dict[tuple[str, str], list[int]] = {}
    for failure in failures:
        reasons.setdefault((failure.algorithm, failure.reason), []).append(failure.split)
    words = [_failure_in_words(*reason, where, splits) for reason, where in reasons.items()]
    more = f"; and {count(len(words) - _SHOWN, 'other reason')}" if len(words) > _SHOWN else ""
    return "; ".join(words[:_SHOWN]) + more


def _failure_in_words(algorithm: str, reason: str, where: Sequence[int], splits: int) -> str:
    if len(where) == splits:
        on = f"all {splits} splits" if splits > 1 else "the only split"
    else:
        on = f"split {where[0]}" if len(where) == 1 else f"{len(where)} of {splits} splits"
    shown = f"{reason[:_LENGTH]}…" if len(reason) > _LENGTH else reason
    return f"{algorithm} failed on {on}: {shown}"
