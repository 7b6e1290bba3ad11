"""Regression: the mean, least squares, ridge."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evenfold.core.registry import NotNegative
from evenfold_lab.arrays import Array, namespace
from evenfold_lab.fast._base import FastPath
from evenfold_lab.fast._dual import Trained, least_norm, left_out_residuals
from evenfold_lab.fast._moments import Room, centre_features, moments, training_sums
from evenfold_lab.fast._solve import shift_diagonal, solve
from evenfold_lab.masks import Splits


@dataclass(frozen=True)
class Mean:
    """The mean of the training targets (NB's first algorithm for normal regression)."""

    name: ClassVar[str] = "mean"
    fast: ClassVar[bool] = True

    def estimator(self) -> Any:
        """A scikit-learn ``DummyRegressor``."""
        from sklearn.dummy import DummyRegressor

        return DummyRegressor()

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:  # noqa: ARG002 - features are ignored
        """Predict every example, as a read-only view: all n numbers of a model are equal."""
        xp = namespace(y)
        masks = xp.astype(splits.trains, xp.float64)
        means = training_sums(y, masks) / xp.sum(masks, axis=-1)
        return xp.broadcast_to(means[..., None], (*means.shape, y.shape[1]))


class _Linear(FastPath):
    """Least squares with an intercept and a penalty on the squared slopes."""

    @property
    @abstractmethod
    def _penalty(self) -> float: ...

    def _work(self, n: int, p: int, n_classes: int) -> int:  # noqa: ARG002 - one target
        return n + p * p

    def _fill(self, X: Array, y: Array, splits: Splits, held: Room) -> tuple[Array, Array]:
        xp = namespace(X)
        rows = centre_features(X)
        offset = xp.mean(y, axis=1, keepdims=True)
        if self._penalty and isinstance(X, np.ndarray) and X.shape[1] <= X.shape[2]:
            left, doubtful = left_out_residuals(rows, y - offset, splits, self._penalty)
            return y[:, None] - left, doubtful
        targets = (y - offset)[None, ...]
        few = splits.largest()
        if few <= X.shape[-1] // (2 if self._penalty else 1):
            trained = Trained.of(rows, targets, splits)
            slopes, doubtful = least_norm(trained, self._penalty)
            mean_x, mean_t = trained.means()
        else:
            m = moments(rows, targets, splits, held)
            slopes, doubtful = solve(shift_diagonal(m.xx, self._penalty), m.xt)
            mean_x = m.x
            mean_t = m.t
        predicted = xp.matmul(slopes[..., 0], xp.matrix_transpose(rows))
        predicted += (mean_t[..., 0] + offset - xp.sum(mean_x * slopes[..., 0], axis=-1))[..., None]
        return predicted, doubtful


@dataclass(frozen=True)
class OLS(_Linear):
    """Least squares with an intercept."""

    name: ClassVar[str] = "ols"

    @property
    def _penalty(self) -> float:
        return 0.0

    def estimator(self) -> Any:
        """A scikit-learn ``LinearRegression``."""
        from sklearn.linear_model import LinearRegression

        return LinearRegression()


@dataclass(frozen=True)
class Line(OLS):
    """The line through the training points: :class:`OLS` under NB's name for one feature."""

    name: ClassVar[str] = "line"


@dataclass(frozen=True)
class Ridge(_Linear):
    """
    Least squares with ``alpha`` times the sum of squared slopes added.

    Parameters
    ----------
    alpha : float
        As in scikit-learn.
    """

    alpha: NotNegative = 1.0

    @property
    def _penalty(self) -> float:
        return self.alpha

    @property
    def name(self) -> str:
        return f"ridge({self.alpha:g})"

    def estimator(self) -> Any:
        """A scikit-learn ``Ridge``."""
        from sklearn.linear_model import Ridge

        return Ridge(alpha=self.alpha)
