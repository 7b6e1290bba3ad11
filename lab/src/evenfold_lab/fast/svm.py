"""
Support vector machines, by moving pairs of examples in the dual.

In arrays, all models are fitted at once.
"""

from dataclasses import dataclass, fields, replace
from itertools import combinations
from math import inf
from typing import Annotated, Any, ClassVar

import numpy as np

from evenfold.core.checks import one_of
from evenfold.core.registry import ParameterRule, Positive
from evenfold_lab.algorithm import Floats, Refitted
from evenfold_lab.arrays import Array, counting, namespace
from evenfold_lab.fast import compiled
from evenfold_lab.fast._batched import Batched, check_finite, n_labels
from evenfold_lab.fast._moments import standardise_features
from evenfold_lab.fast.programs import solve_svm, usable
from evenfold_lab.masks import Splits

_FLAT = 1e-12  # the least curvature along a pair, as in LIBSVM
_MOST = 100_000  # steps; hundreds are usual
_LOOK = 32  # steps between two checks which problems are solved


@dataclass(frozen=True, kw_only=True)
class SVM(Batched):
    """
    A support vector machine: LIBSVM's problem, solved to LIBSVM's tolerance.

    Parameters
    ----------
    C : float
        Cost of a violation.
    kernel : {"rbf", "linear"}
        exp(−‖x − x'‖²/p) or the inner product.
    tol : float
        Steps end when the optimality conditions hold to this tolerance.
    scaled : bool
        Whether features are scaled to unit variance in the training set.

    Notes
    -----
    Each step moves LIBSVM's pair (second-order choice), so models differ only by rounding and where
    LIBSVM shrinks: in fewer than 1 of 200 predictions, all of examples near the boundary. With more
    than two classes, pairs of classes vote, and the smallest label wins a tie. On the host without
    Numba, LIBSVM itself is used.
    """

    fast: ClassVar[bool] = False  # a model takes milliseconds, or tens of them by LIBSVM
    C: Positive = 1.0
    kernel: Annotated[str, ParameterRule(one_of, allowed=("rbf", "linear"))] = "rbf"
    tol: Positive = 1e-3
    scaled: bool = True

    @property
    def name(self) -> str:
        if self.kernel == "rbf":
            return "svm"
        return "linear-svm"

    def estimator(self) -> Any:
        """A scikit-learn ``SVC``, behind a ``StandardScaler`` if features are scaled."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC

        model = SVC(C=self.C, kernel=self.kernel, gamma="auto", tol=self.tol)
        if self.scaled:
            return make_pipeline(StandardScaler(), model)
        return model

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """Predict the test examples of R data sets, at once on a device, one by one on the host."""
        if not isinstance(X, np.ndarray):
            return super().predict(X, y, splits)
        check_finite(X=X, y=y)
        classes = n_labels(y)
        if compiled.usable(X):
            return self._one_by_one(X, y, splits, classes)
        return Refitted(name=self.name, prototype=self.estimator()).predict(X, y, splits)

    def _one_by_one(self, X: Floats, y: Floats, splits: Splits, classes: int) -> Floats:
        """Fit model after model; all pairs of classes share a model's kernel."""
        from evenfold_lab.fast.compiled.svm import vote

        R, n, _ = X.shape
        out = np.full((R, splits.count, n), np.nan)
        labels = y.astype(np.int64)
        for r in range(R):
            cuts = splits.of_set(r)
            for j, (train, test) in enumerate(zip(cuts.trains, cuts.tests, strict=True)):
                if not self.scaled:
                    rows = X[r]
                else:
                    rows = standardise_features(X[r : r + 1], train[None, None] * 1.0)[0, 0]
                a = rows[train]
                b = rows[test]
                winners = np.empty(len(b))
                votes = np.empty((len(b), classes))
                vote(
                    self._kernel(a, a),
                    self._kernel(a, b),
                    labels[r, train],
                    self.C,
                    self.tol,
                    _FLAT,
                    _MOST,
                    votes,
                    winners,
                )
                out[r, j, test] = winners
        return out

    def _work(self, n: int, p: int) -> int:
        return n * (n + 2 * p) // 4  # there are about two copies of the matrices

    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        trains = xp.broadcast_to(splits.trains, (X.shape[0], *splits.trains.shape[-2:]))
        if self.scaled:
            scaled = standardise_features(X, xp.astype(trains, xp.float64))
        else:
            scaled = xp.broadcast_to(X[:, None, ...], (*trains.shape, X.shape[-1]))
        classes = n_labels(y)
        votes = [xp.zeros(trains.shape, dtype=xp.float64, device=X.device) for _ in range(classes)]
        for low, high in combinations(range(classes), 2):
            lead = self._lead(scaled, y, trains, low, high)
            votes[high] = votes[high] + xp.astype(lead > 0, xp.float64)
            votes[low] = votes[low] + xp.astype(lead <= 0, xp.float64)
        return _majority_label(votes, y, trains)

    def _lead(self, scaled: Array, y: Array, trains: Array, low: int, high: int) -> Array:
        """Return how far every example is on the side of ``high``: (R, J, n)."""
        xp = namespace(y)
        R, J, n = trains.shape
        side = xp.astype(y == float(high), xp.float64) - xp.astype(y == float(low), xp.float64)
        inside = trains & (side != 0)[:, None, :]
        order = xp.argsort(xp.astype(~inside, xp.int8), axis=-1, stable=True)
        most = max(1, int(xp.max(xp.count_nonzero(inside, axis=-1))))
        chosen = xp.reshape(order[..., :most], (R * J, most))
        rows = xp.reshape(scaled, (R * J, n, -1))
        every = n * counting(y, R * J)[:, None]
        flat = xp.take(xp.reshape(rows, (R * J * n, -1)), xp.reshape(chosen + every, (-1,)), axis=0)
        x = xp.reshape(flat, (R * J, most, -1))
        used = xp.take_along_axis(xp.reshape(inside, (R * J, n)), chosen, axis=-1)
        sides = xp.reshape(xp.broadcast_to(side[:, None, :], (R, J, n)), (R * J, n))
        sign = xp.take_along_axis(sides, chosen, axis=-1)
        sign = xp.where(used, sign, xp.zeros_like(sign))
        beta, start = solve_dual(self._kernel(x, x), sign, self.C, self.tol)
        lead = xp.matmul(beta[:, None, :], self._kernel(x, rows))[:, 0, :] + start[:, None]
        return xp.reshape(lead, (R, J, n))

    def _kernel(self, a: Array, b: Array) -> Array:
        xp = namespace(a)
        if self.kernel == "linear":
            return xp.matmul(a, xp.matrix_transpose(b))
        # −‖a − b‖²/p as one product: of (2a, −‖a‖², 1) and (b, 1, −‖b‖²), the first divided by p.
        p = a.shape[-1]
        square, other = (-xp.sum(z * z, axis=-1, keepdims=True) / p for z in (a, b))
        left = xp.concat([a * (2 / p), square, xp.ones_like(square)], axis=-1)
        right = xp.concat([b, xp.ones_like(other), other], axis=-1)
        return xp.exp(xp.clip(xp.matmul(left, xp.matrix_transpose(right)), max=0.0))


def _majority_label(votes: list[Array], y: Array, trains: Array) -> Array:
    """Return the label with most votes among those that train, the smallest of equals."""
    xp = namespace(y)
    best = xp.full_like(votes[0], -1.0)
    label = xp.zeros_like(best)
    for c, count in enumerate(votes):
        present = xp.any(trains & (y == float(c))[:, None, :], axis=-1)[..., None]
        better = present & (count > best)
        label = xp.where(better, xp.full_like(label, float(c)), label)
        best = xp.where(better, count, best)
    return label


@dataclass(frozen=True, eq=False, slots=True)
class _Problems:
    """
    Problems that are not solved yet.

    ``rows`` are all rows of all kernels, ``at`` is the number of each problem, and the others have
    shape (P, a).
    """

    rows: Array
    at: Array
    diagonal: Array
    low: Array
    high: Array
    beta: Array
    f: Array


def solve_dual(K: Array, sign: Array, C: float, tol: float) -> tuple[Array, Array]:
    """
    Return coefficients β = yα (P, a) and intercepts (P,) of problems with kernels K (P, a, a).

    ``sign`` is y, and 0 for examples that play no part. Each step moves LIBSVM's pair: the example
    that violates the conditions most, and the one with which the objective falls most (Fan, Chen
    and Lin 2005).
    """
    xp = namespace(K)
    P, a = sign.shape
    if usable(K, a):
        return solve_svm(K, sign, C, tol, _FLAT, _MOST)
    none = xp.zeros_like(sign)
    now = _Problems(
        rows=xp.reshape(K, (P * a, a)),
        at=counting(K, P),
        diagonal=xp.linalg.diagonal(K),
        low=xp.where(sign < 0, none - C, none),
        high=xp.where(sign > 0, none + C, none),
        beta=none,
        f=sign,
    )
    solved: list[tuple[Array, ...]] = []
    for step in range(_MOST):
        now, gap = _step_problems(now, tol)
        left = int(xp.count_nonzero(gap > tol)) if step % _LOOK == 0 else P
        if left == 0:
            break
        if 2 * left < now.at.shape[0]:
            solved.append(_answers(_select_problems(now, gap <= tol)))
            now = _select_problems(now, gap > tol)
    solved.append(_answers(now))
    order = xp.argsort(xp.concat([at for at, _, _ in solved]))
    beta, start = (xp.concat([answers[i] for answers in solved]) for i in (1, 2))
    return xp.take(beta, order, axis=0), xp.take(start, order)


def _select_problems(now: _Problems, chosen: Array) -> _Problems:
    xp = namespace(now.f)
    where = xp.nonzero(chosen)[0]
    kept = {
        f.name: xp.take(getattr(now, f.name), where, axis=0)
        for f in fields(now)
        if f.name != "rows"
    }
    return _Problems(rows=now.rows, **kept)


def _bounds(now: _Problems) -> tuple[Array, Array]:
    """
    Return f where β may rise, and f where it may fall.

    A problem is solved when the first is nowhere above the second.
    """
    xp = namespace(now.f)
    up = xp.where(now.beta < now.high, now.f, xp.full_like(now.f, -inf))
    down = xp.where(now.beta > now.low, now.f, xp.full_like(now.f, inf))
    return up, down


def _step_problems(now: _Problems, tol: float) -> tuple[_Problems, Array]:
    """Move one pair of every problem, and return how much the conditions were violated before."""
    xp = namespace(now.f)
    a = now.f.shape[1]
    up, down = _bounds(now)
    i = xp.argmax(up, axis=1)[:, None]
    top = xp.take_along_axis(up, i, axis=1)
    gap = top[:, 0] - xp.min(down, axis=1)
    row = xp.take(now.rows, now.at * a + i[:, 0], axis=0)
    curve = xp.take_along_axis(now.diagonal, i, axis=1) + now.diagonal - 2 * row
    curve = xp.where(curve > _FLAT, curve, xp.full_like(curve, _FLAT))
    ahead = top - down
    gain = xp.where(ahead > 0, ahead * ahead / curve, xp.full_like(curve, -inf))
    j = xp.argmax(gain, axis=1)[:, None]
    move = xp.take_along_axis(ahead / curve, j, axis=1)
    room_i = xp.take_along_axis(now.high - now.beta, i, axis=1)
    room_j = xp.take_along_axis(now.beta - now.low, j, axis=1)
    move = xp.minimum(xp.minimum(move, room_i), room_j)
    move = xp.where((gap > tol)[:, None], move, xp.zeros_like(move))
    places = counting(now.f, a)
    rises, falls = (xp.astype(places == k, xp.float64) for k in (i, j))
    f = now.f - move * (row - xp.take(now.rows, now.at * a + j[:, 0], axis=0))
    # A step to a bound must land on it: rounding would keep the example in play for ever.
    beta = now.beta + move * (rises - falls)
    beta = xp.where((rises > 0) & (move == room_i), now.high, beta)
    beta = xp.where((falls > 0) & (move == room_j), now.low, beta)
    return replace(now, beta=beta, f=f), gap


def _answers(now: _Problems) -> tuple[Array, Array, Array]:
    """
    Return the numbers, coefficients and intercepts of problems.

    An intercept is the mean of f over examples between their bounds, as in LIBSVM.
    """
    xp = namespace(now.f)
    up, down = _bounds(now)
    free = xp.astype((now.beta < now.high) & (now.beta > now.low), xp.float64)
    count = xp.sum(free, axis=1)
    middle = (xp.max(up, axis=1) + xp.min(down, axis=1)) / 2
    mean = xp.sum(free * now.f, axis=1) / xp.where(count > 0, count, xp.ones_like(count))
    return now.at, now.beta, xp.where(count > 0, mean, middle)
