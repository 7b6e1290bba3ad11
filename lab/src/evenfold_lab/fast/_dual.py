"""Data sets with no more examples than features, through the products of pairs of examples."""

from dataclasses import dataclass

import numpy as np

from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, counting, namespace
from evenfold_lab.fast._solve import Factor, shift_diagonal, solve
from evenfold_lab.masks import Mask, Splits

_CORRECTION = 1e-5  # of a solution: its square is about what is left after the correction
_FAR = 1e5  # a second solution so many times the first leans on directions that are hardly there
_FLAT = 1e-10  # of a mean square: a variance below has lost too many digits to cancellation


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Trained:
    """
    The training examples of every split, one after the other.

    Attributes
    ----------
    x, t : arrays, shapes (R, J, m, p) and (R, J, m, T)
        Features and targets, 0 behind the last example of a smaller training set.
    used : array, shape (R or 1, J, m)
        1 for an example, 0 behind the last.
    count : array, shape (R or 1, J)
        Training set sizes.
    """

    x: Array
    t: Array
    used: Array
    count: Array

    @classmethod
    def of(cls, rows: Array, t: Array, splits: Splits) -> "Trained":
        """Those of features (R, n, p) and targets (T, R, n)."""
        xp = namespace(rows)
        R, n, _ = rows.shape
        trains = splits.by_set().trains
        first = xp.argsort(xp.astype(~trains, xp.int8), axis=-1, stable=True)[
            ..., : splits.largest()
        ]
        used = xp.astype(xp.take_along_axis(trains, first, axis=-1), xp.float64)
        flat = xp.reshape(first + n * counting(rows, R)[:, None, None], (-1,))
        x, targets = (
            xp.reshape(xp.take(xp.reshape(z, (R * n, -1)), flat, axis=0), (R, *first.shape[1:], -1))
            for z in (rows, xp.permute_dims(t, (1, 2, 0)))
        )
        if not bool(xp.all(used > 0)):
            x = x * used[..., None]
            targets = targets * used[..., None]
        return cls(x=x, t=targets, used=used, count=xp.sum(used, axis=-1))

    def means(self) -> tuple[Array, Array]:
        """Of features (R, J, p) and targets (R, J, T)."""
        xp = namespace(self.x)
        weights = (self.used / self.count[..., None])[..., None, :]
        return xp.matmul(weights, self.x)[..., 0, :], xp.matmul(weights, self.t)[..., 0, :]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Products:
    """
    (ZZᵀ + λI)⁺, where the rows of Z are examples about the means of their groups.

    Examples X stay as they are: what solves (XXᵀ + λI + cGGᵀ) a = b + Gs with Gᵀa = 0, for
    indicators G of the groups, solves the same with Z. So a is u = (…)⁻¹b less V(GᵀV)⁻¹Gᵀu, where V
    = (…)⁻¹G.
    """

    factor: Factor
    groups: Array
    answers: Array

    @classmethod
    def of(cls, x: Array, groups: Array, used: Array, penalty: float) -> "_Products":
        xp = namespace(x)
        # c, so that all have one size
        scale = or_one(xp.sum(dot(x, x), axis=-1) / x.shape[-2])[..., None]
        filled = xp.concat([x, xp.sqrt(scale)[..., None] * groups], axis=-1)
        K = xp.matmul(filled, xp.matrix_transpose(filled))
        factor = Factor.of(shift_diagonal(K, penalty + (1 - used) * scale))
        return cls(factor=factor, groups=groups, answers=factor.solve(groups))

    def solve(self, b: Array) -> Array:
        """Apply it to columns (R, J, m, T)."""
        xp = namespace(b)
        u = self.factor.solve(b)
        across = xp.matrix_transpose(self.groups)
        core = xp.matmul(across, self.answers)
        absent = xp.astype(xp.linalg.diagonal(core) <= 0, xp.float64)[..., None]
        core = core + absent * xp.eye(core.shape[-1], dtype=core.dtype, device=core.device)
        return u - xp.matmul(self.answers, xp.linalg.solve(core, xp.matmul(across, u)))


def least_norm(given: Trained, penalty: float) -> tuple[Array, Array]:
    """
    Slopes (R, J, p, T) of ridge regression, without penalty the smallest that fit.

    And which are in doubt.

    With Z the centred examples they are Zᵀ(ZZᵀ + λI)⁺t.
    """
    xp = namespace(given.x)
    across = xp.matrix_transpose(given.x)
    alone = xp.broadcast_to(given.used[..., None], (*given.t.shape[:-1], 1))
    products = _Products.of(given.x, alone, given.used, penalty)
    a = products.solve(given.t)
    slopes = xp.matmul(across, a)
    # What is left is computed from X itself, so a correction brings back the digits that XXᵀ has
    # lost.
    left = given.t - xp.matmul(given.x, slopes) - penalty * a
    more = xp.matmul(across, products.solve(left))
    far = _size(more) > _CORRECTION * _size(slopes)
    return slopes + more, products.factor.doubtful | far


def left_out_residuals(
    rows: Floats, t: Floats, splits: Splits, penalty: float
) -> tuple[Floats, Mask]:
    """
    Targets less predictions (R, J, n) of ridge regression, of examples that do not train.

    And doubt.

    With G = (ZZᵀ + λI)⁺ of the whole data set, those of a set S that is left out are
    (G_SS)⁻¹(Gt)_S: leaving S out is giving each of its examples a feature of its own. So a split
    costs a system of the size of S.
    """
    R, n, _ = rows.shape
    every = np.ones((R, 1, n))
    products = _Products.of(rows[:, None], every[..., None], every, penalty)
    G = products.solve(np.broadcast_to(np.eye(n), (R, 1, n, n)))[:, 0]
    moved = np.matmul(G, t[..., None])
    doubtful = np.repeat(products.factor.doubtful, splits.count, axis=1)
    left = np.zeros((R, splits.count, n))
    for r, j in np.ndindex(doubtful.shape):
        out = np.flatnonzero(~splits.of_set(r).trains[j])
        found, doubt = solve(G[r][np.ix_(out, out)], moved[r, out])
        left[r, j, out] = found[:, 0]
        doubtful[r, j] |= bool(doubt)
    return left, doubtful


def least_norm_weights(given: Trained, apart: Array) -> tuple[Array, Array]:
    """
    (ZᵀZ)⁺ applied to vectors (R, J, p, C); and which models are in doubt.

    As in scikit-learn the rows of Z, examples about the means of their classes, are scaled to unit
    variance, and directions hardly there are dropped: those below 1e-4 of a standard deviation.
    (ZᵀZ)⁺ = Zᵀ(ZZᵀ)⁺²Z, and where such a direction matters the second division by ZZᵀ shows it.
    """
    xp = namespace(given.x)
    counts = or_one(xp.sum(given.t, axis=-2))[..., None]
    sums = xp.matmul(xp.matrix_transpose(given.t), given.x)
    square = dot(given.x, given.x)
    variance = square - xp.sum(sums * sums / counts, axis=-2)
    flat = xp.any(variance <= _FLAT * square, axis=-1)
    spread = xp.sqrt(or_one(variance) / given.count[..., None])
    x = given.x / spread[..., None, :]
    products = _Products.of(x, given.t, given.used, 0.0)
    once = products.solve(xp.matmul(x, apart / spread[..., None]))
    twice = products.solve(once)
    weights = xp.matmul(xp.matrix_transpose(x), twice) / spread[..., None]
    return weights, products.factor.doubtful | flat | (_size(twice) > _FAR * _size(once))


def dot(a: Array, b: Array) -> Array:
    """Sum over the last axis but one of (R, J, p, C)."""
    if isinstance(a, np.ndarray):
        # without writing the products
        return np.einsum("rjpc,rjpc->rjc", np.broadcast_to(a, b.shape), b)
    return namespace(a).sum(a * b, axis=-2)


def _size(x: Array) -> Array:
    xp = namespace(x)
    return xp.sqrt(xp.sum(x * x, axis=(-2, -1)))


def or_one(x: Array) -> Array:
    """1 in place of what is not above 0: a divisor."""
    xp = namespace(x)
    return xp.where(x > 0, x, xp.ones_like(x))
