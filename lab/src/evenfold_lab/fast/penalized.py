"""
The lasso by coordinate descent, and logistic regression by Newton's steps.

In arrays, all models are fitted at once.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evenfold.core.registry import NotNegative, Positive
from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, counting, namespace
from evenfold_lab.fast import compiled
from evenfold_lab.fast._base import refit
from evenfold_lab.fast._batched import Batched, n_labels
from evenfold_lab.fast._lacking import contiguous
from evenfold_lab.fast._moments import Room, centre_features, moments, products
from evenfold_lab.fast._solve import Factor, solve, solve_refined
from evenfold_lab.fast.programs import descend_lasso, usable
from evenfold_lab.masks import Mask, Splits

_RIDGE = 1e-10  # added to the curvature, which may be 0
_FEW = 20  # coefficients up to which every step may make its own Hessian


@dataclass(frozen=True)
class Lasso(Batched):
    """
    Least squares with ``alpha`` times the sum of absolute slopes added to half the mean square.

    Parameters
    ----------
    alpha : float
        As in scikit-learn.
    tol : float
        Sweeps end when no slope moves by more than this share of the largest.

    Notes
    -----
    scikit-learn stops when its duality gap is 1e-4 of the sum of squares; models here go on to
    ``tol``. The predictions therefore differ by up to 2e-3, and by 1e-7 with a strict tolerance in
    scikit-learn. If Numba is installed, sweeps alternate with exact solutions over the slopes that
    are not 0.
    """

    name: ClassVar[str] = "lasso"
    alpha: NotNegative = 1.0
    tol: NotNegative = 1e-9
    sweeps: int = 2000

    def estimator(self) -> Any:
        """A scikit-learn ``Lasso``."""
        from sklearn.linear_model import Lasso

        return Lasso(alpha=self.alpha)

    def _work(self, n: int, p: int) -> int:
        return n * (p + 3) + 3 * p * p

    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        rows = centre_features(X)
        offset = xp.mean(y, axis=1, keepdims=True)
        m = moments(rows, (y - offset)[None, ...], splits, Room())
        slopes = self._minimum(m.xx, m.xt[..., 0], m.count)
        start = m.t[..., 0] + offset - xp.sum(m.x * slopes, axis=-1)
        return xp.matmul(slopes, xp.matrix_transpose(rows)) + start[..., None]

    def _minimum(self, gram: Array, moment: Array, count: Array) -> Array:
        """Minimise ½ wᵀGw − mᵀw + α|w|₁, where G and m are divided by the count."""
        if not compiled.usable(gram):
            return self._descend(gram / count[..., None, None], moment / count[..., None])
        from evenfold_lab.fast.compiled.lasso import descend

        p = moment.shape[-1]
        alphas = np.array(
            np.broadcast_to(self.alpha * count, moment.shape[:-1]), order="C"
        ).reshape(-1)
        flat = (
            np.ascontiguousarray(gram).reshape(-1, p, p),
            np.ascontiguousarray(moment).reshape(-1, p),
        )
        return descend(*flat, alphas, self.tol, self.sweeps).reshape(moment.shape)

    def _descend(self, gram: Array, moment: Array) -> Array:
        """Minimise coordinate by coordinate; ``rest`` is m − Gw throughout."""
        xp = namespace(gram)
        if usable(gram, p := gram.shape[-1]):
            flat = xp.reshape(gram, (-1, p, p)), xp.reshape(moment, (-1, p))
            return xp.reshape(descend_lasso(*flat, self.alpha, self.tol, self.sweeps), moment.shape)
        # With coordinates on the first axis, a step reads and writes whole rows.
        columns = contiguous(xp.permute_dims(gram, (2, 3, 0, 1)))
        rest = xp.asarray(contiguous(xp.permute_dims(moment, (2, 0, 1))), copy=True)
        w = xp.zeros_like(rest)
        for _ in range(self.sweeps):
            moved = xp.zeros_like(w[0, ...])
            for j in range(w.shape[0]):
                curve = columns[j, j, ...]
                safe = xp.where(curve > 0, curve, xp.ones_like(curve))
                pull = rest[j, ...] + curve * w[j, ...]
                size = xp.abs(pull) - self.alpha
                new = xp.where(
                    (size > 0) & (curve > 0), xp.sign(pull) * size / safe, xp.zeros_like(pull)
                )
                step = new - w[j, ...]
                rest -= columns[j, ...] * step
                w[j, ...] = new
                moved = xp.maximum(moved, xp.abs(step))
            if bool(xp.all(moved <= self.tol * xp.max(xp.abs(w), axis=0))):
                break
        return xp.permute_dims(w, (1, 2, 0))


@dataclass(frozen=True)
class Logistic(Batched):
    """
    Logistic regression of two classes, with a penalty on the squared slopes.

    Parameters
    ----------
    C : float
        As in scikit-learn: the penalty is ‖w‖²/(2C), and the intercept is not penalised.
    steps : int
        Newton steps at most, each halved until it does not overshoot. If Numba is installed, models
        that need more are left to scikit-learn.

    Notes
    -----
    The loss is within 1e-8 of its minimum. Predictions equal scikit-learn's with ``tol=1e-10``,
    except for separable classes with features as large as 1e4, where scikit-learn stops up to 4e-6
    above the minimum. Its default tolerance stops early for all separable classes. A training set
    with a single class predicts that class.
    """

    name: ClassVar[str] = "logistic"
    C: Positive = 1e6
    steps: int = 100

    def estimator(self) -> Any:
        """A scikit-learn ``LogisticRegression``."""
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=self.C, solver="newton-cholesky", max_iter=500)

    def _work(self, n: int, p: int) -> int:
        return n * (p + 8) + 3 * (p + 1) * (p + 1)

    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        n_labels(y, most=2, name="logistic regression")
        rows = X - xp.mean(X, axis=1, keepdims=True)
        ones = xp.ones_like(rows[..., :1])
        basis = xp.concat([rows, ones], axis=-1)
        masks = xp.astype(splits.by_set().trains, xp.float64)
        if compiled.usable(X):
            w, doubtful = self._one_by_one(basis, y, splits)
        else:
            w = self._newton(basis, y[:, None, :], masks)
            doubtful = None
        lead = xp.matmul(w, xp.matrix_transpose(basis))
        share = xp.sum(masks * y[:, None, :], axis=-1) / xp.sum(masks, axis=-1)
        both = (share > 0) & (share < 1)
        out = xp.astype(xp.where(both[..., None], lead, share[..., None] - 0.5) > 0, xp.float64)
        if doubtful is not None:
            refit(self.estimator().set_params(tol=1e-10), doubtful & both, X, y, splits, out)
        return out

    def _one_by_one(self, basis: Floats, y: Floats, splits: Splits) -> tuple[Floats, Mask]:
        """
        Fit model after model, starting at the solution of the whole data set.

        There, blocks of examples share their part of the Hessian.
        """
        from evenfold_lab.fast.compiled.logistic import descend

        (R, n, q) = basis.shape
        J = splits.count
        penalty = np.append(np.full(q - 1, 1 / self.C), 0.0)
        unit = np.diag(penalty + _RIDGE)
        w = self._start(basis, y, penalty, unit)
        factors = np.empty((R, 0, q, q))
        if q > _FEW:
            hessians, _ = products(
                self._chances_and_rows(basis, w)[1], np.empty((R, n, 0)), splits, Room()
            )
            hessians += unit
            factors = Factor.of(hessians).L
        # The kernel is compiled only for writable arrays in C order.
        trains = np.array(np.broadcast_to(splits.trains, (R, J, n)), order="C")
        labels = np.array(y, order="C")
        return descend(np.ascontiguousarray(basis), labels, trains, w, factors, penalty, self.steps)

    def _start(self, basis: Floats, y: Floats, penalty: Floats, unit: Floats) -> Floats:
        """Return two Newton steps on the whole data set (R, q), or 0 if they raise the loss."""
        w = np.zeros((len(basis), basis.shape[-1]))
        for _ in range(2):
            chance, rows = self._chances_and_rows(basis, w)
            gradient = np.matmul((chance - y)[:, None, :], basis)[:, 0] + penalty * w
            hessian = np.matmul(np.swapaxes(rows, 1, 2), rows) + unit
            step, _ = solve(hessian, gradient[..., None])
            w = w - step[..., 0]
        problem = np.swapaxes(basis, 1, 2), y[:, None], np.ones((1, 1, 1)), penalty
        fell = self._loss(w[:, None], *problem) < self._loss(np.zeros_like(w)[:, None], *problem)
        return np.where(fell, w, 0.0)

    @staticmethod
    def _chances_and_rows(basis: Floats, w: Floats) -> tuple[Floats, Floats]:
        """Return the chances of class 1, and rows whose products add up to the Hessian."""
        chance = 1 / (1 + np.exp(-np.clip(np.matmul(basis, w[..., None])[..., 0], -500.0, 500.0)))
        return chance, basis * np.sqrt(chance * (1 - chance))[..., None]

    def _newton(self, basis: Array, y: Array, masks: Array) -> Array:
        """
        Minimise Σ log(1 + e^z) − y z + ‖w‖²/(2C).

        Models that have converged wait for the others.
        """
        xp = namespace(basis)
        q = basis.shape[-1]
        unit = xp.eye(q, dtype=xp.float64, device=basis.device)
        free = xp.astype(counting(basis, q) < q - 1, xp.float64)  # all but the intercept
        penalty = free / self.C
        across = xp.matrix_transpose(basis)
        ridge = penalty[:, None] * unit + _RIDGE * unit
        R = basis.shape[0]
        J = masks.shape[1]
        w = xp.zeros((R, J, q), dtype=xp.float64, device=basis.device)
        loss = self._loss(w, across, y, masks, penalty)
        for _ in range(self.steps):
            chance = 1 / (1 + xp.exp(-xp.clip(xp.matmul(w, across), min=-500.0, max=500.0)))
            gradient = xp.matmul(masks * (chance - y), basis) + penalty * w
            weight = masks * chance * (1 - chance)
            curved = xp.matmul(weight[..., None, :] * across[:, None, ...], basis[:, None, ...])
            step, _ = solve_refined(curved + ridge, gradient[..., None])
            w, loss, moved = self._search_steps(w, step[..., 0], loss, (across, y, masks, penalty))
            if not moved:
                break
        return w

    def _search_steps(
        self, w: Array, step: Array, loss: Array, problem: tuple[Array, ...]
    ) -> tuple[Array, Array, bool]:
        """Halve steps that do not lower the loss; say whether any model still moves."""
        xp = namespace(w)
        for _ in range(30):
            new = self._loss(w - step, *problem)
            worse = ~(new <= loss + 1e-12 * xp.abs(loss))
            if not bool(xp.any(worse)):
                break
            step = xp.where(worse[..., None], step / 2, step)
        worse = ~(new <= loss + 1e-12 * xp.abs(loss))
        step = xp.where(worse[..., None], xp.zeros_like(step), step)
        moved = bool(xp.any((loss - new > 1e-10 * (1 + xp.abs(loss))) & ~worse))
        return w - step, xp.where(worse, loss, new), moved

    @staticmethod
    def _loss(w: Array, across: Array, y: Array, masks: Array, penalty: Array) -> Array:
        xp = namespace(w)
        z = xp.matmul(w, across)
        soft = xp.maximum(z, xp.zeros_like(z)) + xp.log1p(xp.exp(-xp.abs(z)))
        return xp.sum(masks * (soft - y * z), axis=-1) + xp.sum(penalty * w * w, axis=-1) / 2
