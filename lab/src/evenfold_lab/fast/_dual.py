"""Linear models with no more examples than features, through products of pairs of examples."""

from dataclasses import dataclass

import numpy as np

from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, counting, namespace
from evenfold_lab.fast._solve import Factor, shift_diagonal, solve
from evenfold_lab.masks import Mask, Splits

_CORRECTION = 1e-5  # largest correction of a solution; its square is about the error that is left
_FAR = 1e5  # a second solution so much larger than the first depends on negligible directions
_FLAT = 1e-10  # a variance below this share of the mean square has lost too many digits


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
        """Gather the training examples of features (R, n, p) and targets (T, R, n)."""
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
        """Return the means of features (R, J, p) and targets (R, J, T)."""
        xp = namespace(self.x)
        weights = (self.used / self.count[..., None])[..., None, :]
        return xp.matmul(weights, self.x)[..., 0, :], xp.matmul(weights, self.t)[..., 0, :]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Products:
    """
    The operator (ZZᵀ + λI)⁺, where the rows of Z are examples about the means of their groups.

    Examples X are not centred: what solves (XXᵀ + λI + cGGᵀ) a = b + Gs with Gᵀa = 0, for
    indicators G of the groups, solves the same with Z. The solution a is u = (…)⁻¹b less
    V(GᵀV)⁻¹Gᵀu, where V = (…)⁻¹G.
    """

    factor: Factor
    groups: Array
    answers: Array

    @classmethod
    def of(cls, x: Array, groups: Array, used: Array, penalty: float) -> "_Products":
        xp = namespace(x)
        # The constant c gives all columns one size.
        scale = or_one(xp.sum(dot(x, x), axis=-1) / x.shape[-2])[..., None]
        filled = xp.concat([x, xp.sqrt(scale)[..., None] * groups], axis=-1)
        K = xp.matmul(filled, xp.matrix_transpose(filled))
        factor = Factor.of(shift_diagonal(K, penalty + (1 - used) * scale))
        return cls(factor=factor, groups=groups, answers=factor.solve(groups))

    def solve(self, b: Array) -> Array:
        """Apply the operator to columns (R, J, m, T)."""
        xp = namespace(b)
        u = self.factor.solve(b)
        across = xp.matrix_transpose(self.groups)
        core = xp.matmul(across, self.answers)
        absent = xp.astype(xp.linalg.diagonal(core) <= 0, xp.float64)[..., None]
        core = core + absent * xp.eye(core.shape[-1], dtype=core.dtype, device=core.device)
        return u - xp.matmul(self.answers, xp.linalg.solve(core, xp.matmul(across, u)))


def least_norm(trained: Trained, penalty: float) -> tuple[Array, Array]:
    """
    Return the slopes (R, J, p, T) of ridge regression, and which models are in doubt.

    With the centred examples Z, the slopes are Zᵀ(ZZᵀ + λI)⁺t. Without a penalty they are the
    smallest that fit.
    """
    xp = namespace(trained.x)
    across = xp.matrix_transpose(trained.x)
    alone = xp.broadcast_to(trained.used[..., None], (*trained.t.shape[:-1], 1))
    products = _Products.of(trained.x, alone, trained.used, penalty)
    a = products.solve(trained.t)
    slopes = xp.matmul(across, a)
    # The residual is computed from X itself, so a correction restores the digits that XXᵀ lost.
    left = trained.t - xp.matmul(trained.x, slopes) - penalty * a
    more = xp.matmul(across, products.solve(left))
    far = _size(more) > _CORRECTION * _size(slopes)
    return slopes + more, products.factor.doubtful | far


def left_out_residuals(
    rows: Floats, t: Floats, splits: Splits, penalty: float
) -> tuple[Floats, Mask]:
    """
    Return ridge regression's residuals (R, J, n) on left-out examples, and which are in doubt.

    With G = (ZZᵀ + λI)⁺ of the whole data set, the residuals of a left-out set S are
    (G_SS)⁻¹(Gt)_S, because leaving S out is the same as giving each of its examples its own
    feature. A split therefore costs a system of the size of S.
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
        residuals, doubt = solve(G[r][np.ix_(out, out)], moved[r, out])
        left[r, j, out] = residuals[:, 0]
        doubtful[r, j] |= bool(doubt)
    return left, doubtful


def least_norm_weights(trained: Trained, apart: Array) -> tuple[Array, Array]:
    """
    Apply (ZᵀZ)⁺ to vectors (R, J, p, C), and say which models are in doubt.

    As in scikit-learn, the rows of Z, which are examples about the means of their classes, are
    scaled to unit variance, and directions below 1e-4 of a standard deviation are dropped. Since
    (ZᵀZ)⁺ = Zᵀ(ZZᵀ)⁺²Z, the second division by ZZᵀ shows whether such a direction matters.
    """
    xp = namespace(trained.x)
    counts = or_one(xp.sum(trained.t, axis=-2))[..., None]
    sums = xp.matmul(xp.matrix_transpose(trained.t), trained.x)
    square = dot(trained.x, trained.x)
    variance = square - xp.sum(sums * sums / counts, axis=-2)
    flat = xp.any(variance <= _FLAT * square, axis=-1)
    spread = xp.sqrt(or_one(variance) / trained.count[..., None])
    x = trained.x / spread[..., None, :]
    products = _Products.of(x, trained.t, trained.used, 0.0)
    once = products.solve(xp.matmul(x, apart / spread[..., None]))
    twice = products.solve(once)
    weights = xp.matmul(xp.matrix_transpose(x), twice) / spread[..., None]
    return weights, products.factor.doubtful | flat | (_size(twice) > _FAR * _size(once))


def dot(a: Array, b: Array) -> Array:
    """Sum over the last axis but one of (R, J, p, C)."""
    if isinstance(a, np.ndarray):
        # einsum does not write the products.
        return np.einsum("rjpc,rjpc->rjc", np.broadcast_to(a, b.shape), b)
    return namespace(a).sum(a * b, axis=-2)


def _size(x: Array) -> Array:
    xp = namespace(x)
    return xp.sqrt(xp.sum(x * x, axis=(-2, -1)))


def or_one(x: Array) -> Array:
    """Replace what is not above 0 by 1, for use as a divisor."""
    xp = namespace(x)
    return xp.where(x > 0, x, xp.ones_like(x))
