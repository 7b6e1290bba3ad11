"""
Scores that are no means but smooth functions of sums over examples.

F1, kappa, R², and what they are made of.

For a score θ of the sums c = Σ c_i over n examples, the value of an example is θ + n·∇θ(c)·c_i: the
score and the influence of the example (the delta method). A score does not change when all sums are
multiplied, so that ∇θ(c)·c = 0 (Euler) and the mean of the values is the score. Their spread is
what the score varies by over samples, to first order: whatever is valid for a mean of examples is
then valid for the score.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# of the complex step, whose square is lost beside 1: the derivative is exact to rounding
_STEP = 1e-30


def safe_ratio(above: Any, below: Any) -> Any:
    """
    Divide; 0/0 is 0, as everywhere in the field.

    Examples
    --------
    >>> safe_ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    there = np.real(below) != 0
    return np.where(there, above / np.where(there, below, 1.0), 0.0)


class Score(ABC):
    """A smooth function of sums over examples, the same for all multiples of the sums."""

    @abstractmethod
    def of(self, sums: Any) -> Any:
        """
        Return the score, (...), of sums (..., k), real or complex.

        But for conditions on real parts it is made of functions that complex numbers have.
        """

    def __call__(self, sums: Any) -> Floats:
        """Return the score of sums of shape (..., k)."""
        value: Floats = np.asarray(self.of(np.asarray(sums, dtype=float)), dtype=float)
        return value

    def slopes(self, sums: Any) -> Floats:
        """Return the gradient at sums (..., k), by the complex step (Squire and Trapp 1998)."""
        at = np.asarray(sums, dtype=float)
        step = np.maximum(_STEP * np.abs(at).max(axis=-1, keepdims=True), np.finfo(float).tiny)
        moved = at[..., None, :] + 1j * step[..., None] * np.eye(at.shape[-1])
        slopes: Floats = np.imag(self.of(moved)) / step
        return slopes

    def values(self, rows: Sequence[Any]) -> list[Floats]:
        """
        Return a value for every example whose mean over all rows is the score of all rows together.

        Parameters
        ----------
        rows : sequence of arrays (..., n_j, k)
            What every example counts, test set by test set; read twice, so that they may be made
            when asked.
        """
        sums = sum(np.asarray(row, dtype=float).sum(axis=-2) for row in rows)
        n = sum(np.shape(row)[-2] for row in rows)
        score = self(sums)
        slopes = n * self.slopes(sums)
        return [score[..., None] + (row @ slopes[..., None])[..., 0] for row in rows]

    def rests_on(self, row: Any) -> int:
        """Return how many of the examples of one test set, (n, k), it looks at."""
        return len(row)


@dataclass(frozen=True, slots=True)
class Smooth(Score):
    """
    A score by its function; one of a module, so that it travels between processes.

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
        """Ask the function."""
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
        """Divide."""
        return safe_ratio(sums @ np.array(self.above), sums @ np.array(self.below))

    def once(self, sums: Sequence[float]) -> float:
        """Return the same of one row of plain numbers, where numpy takes ten times as long."""
        below = sum(map(mul, self.below, sums))
        return sum(map(mul, self.above, sums)) / below if below else 0.0

    def rests_on(self, row: Any) -> int:
        """Those below the line: for recall the positive ones."""
        return int(np.count_nonzero(np.asarray(row) @ np.array(self.below)))


def f_score(beta: float) -> Ratio:
    """
    Return F-beta of (TP, FP, FN).

    Recall counts beta times as much as precision (van Rijsbergen 1979).
    """
    square = beta**2
    return Ratio((1 + square, 0.0, 0.0), (1 + square, 1.0, square))


# Of TP, FP and FN.
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
    parts: Floats = np.stack(
        [values * weights, np.broadcast_to(weights, np.shape(values))], axis=-1
    )
    return parts
