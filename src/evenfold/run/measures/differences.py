"""
Measures of numbers: squared, absolute and pinball losses.

Also here are R², explained variance and the root mean square.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenfold.core.checks import fraction
from evenfold.core.losses import Quantity, Smooth, safe_ratio
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Floats,
    Measure,
    Predictions,
    loss,
    score,
    weigh_counts,
)

_ROUNDING = 1e-13  # share of a sum of squares


@dataclass(frozen=True, kw_only=True)
class Difference(Measure):
    """A function of truth − prediction, example by example."""

    quantity: Quantity
    key: str
    function: Callable[[Any], Any]

    def each(self, truth: Any, predicted: Any) -> Any:
        return self.function(truth - predicted)

    def examples(self, truth: Any, answer: Predictions) -> Floats:
        """Subtract as floats: numpy refuses to subtract booleans."""
        values: Floats = self.each(
            np.asarray(truth, dtype=float), np.asarray(answer.values, dtype=float)
        )
        return values


def _square(error: Any) -> Any:
    return error * error


def _difference(name: str, words: str, function: Callable[[Any], Any]) -> Difference:
    quantity = loss(name, words, target="numbers")
    return Difference(quantity=quantity, key=name, function=function)


def pinball(quantile: float = 0.5) -> Difference:
    """
    Make the pinball loss of a quantile.

    Its name is ``"pinball:0.9"``, and ``"pinball"`` is that of the median.

    Examples
    --------
    >>> pinball(0.9).name
    'pinball(0.9)'
    """
    fraction("quantile", quantile)

    def function(error: Any) -> Any:
        return (quantile - 0.5) * error + 0.5 * abs(error)

    return _difference(f"pinball({quantile})", f"pinball loss at {quantile:g}", function)


@dataclass(frozen=True, kw_only=True)
class Relative(Difference):
    """The size of truth − prediction over the size of the truth, or of both."""

    symmetric: bool = False

    def each(self, truth: Any, predicted: Any) -> Any:
        size = (abs(truth) + abs(predicted)) / 2 if self.symmetric else abs(truth)
        # as scikit-learn does
        return abs(truth - predicted) / np.maximum(size, np.finfo(float).eps)


def _relative(name: str, words: str, *, symmetric: bool = False) -> Relative:
    quantity = _difference(name, words, abs).quantity
    return Relative(quantity=quantity, key=name, function=abs, symmetric=symmetric)


MEASURES.add("squared", _difference("squared", "squared error", _square))
MEASURES.add("absolute", _difference("absolute", "absolute error", abs))
_MEDIAN = pinball().about(name="pinball", words="pinball loss")
MEASURES.add("pinball", _MEDIAN.having(spell=pinball, setting_type=float))
MEASURES.add("percentage", _relative("percentage", "absolute percentage error"))
MEASURES.add(
    "symmetric-percentage",
    _relative("symmetric-percentage", "symmetric absolute percentage error", symmetric=True),
)


@dataclass(frozen=True, kw_only=True)
class Explained(Measure):
    """
    A function of the sums of 1, e, e², y and y², e being truth − prediction.

    The target y is counted from ``centre``, which changes nothing but keeps its squares small.
    """

    quantity: Quantity
    score: Smooth
    key: str
    centre: float = 0.0  # set when bound

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Explained":
        # sorted, so that the order of rows does not decide how the sum is rounded
        return replace(self, centre=float(np.sort(np.asarray(target.y, dtype=float)).mean()))

    def outcomes(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        y = np.asarray(truth, dtype=float)
        error = y - np.asarray(answer.values, dtype=float)
        y = y - self.centre
        return weigh_counts(np.stack([np.ones_like(y), error, error**2, y, y**2], axis=-1), weights)


def _unexplained_share(squares: Any, total: Any) -> Any:
    """1 − squares/total; where nothing varies 1 if nothing is wrong, else 0, as scikit-learn."""
    right = np.real(squares) <= 0
    return np.where(np.real(total) > 0, 1 - safe_ratio(squares, total), np.where(right, 1.0, 0.0))


def _squares_about_mean(n: Any, sums: Any, squares: Any) -> Any:
    """Σ(x − x̄)² from n, Σx and Σx²; 0 where rounding is all there is."""
    rest = squares - safe_ratio(sums**2, n)
    return np.where(np.real(rest) > _ROUNDING * np.real(squares), rest, 0.0)


def _r2(c: Any) -> Any:
    n, _, squares, y, y_squares = np.moveaxis(c, -1, 0)
    return _unexplained_share(squares, _squares_about_mean(n, y, y_squares))


def _explained_variance(c: Any) -> Any:
    n, errors, squares, y, y_squares = np.moveaxis(c, -1, 0)
    return _unexplained_share(
        _squares_about_mean(n, errors, squares), _squares_about_mean(n, y, y_squares)
    )


def _root(c: Any) -> Any:
    mean = safe_ratio(c[..., 2], c[..., 0])
    some = np.real(mean) > 0
    return np.where(some, np.sqrt(np.where(some, mean, 1.0)), 0.0)


def _share(name: str, words: str) -> Quantity:
    return score(name, words, low=-np.inf, target="numbers")


def _add_score(quantity: Quantity, function: Callable[[Any], Any]) -> None:
    MEASURES.add(
        quantity.name, Explained(quantity=quantity, key=quantity.name, score=Smooth(function))
    )


_add_score(_share("r2", "R²"), _r2)
_add_score(_share("explained-variance", "explained variance"), _explained_variance)
_ROOT = loss("rmse", "root mean squared error", target="numbers", per_example="outcomes")
_add_score(_ROOT, _root)
