"""
Models that take many short steps, as programs for NVIDIA GPUs that run from start to end.

With the array API, every step of all models is a dozen launches, which take longer than the work.
The programs do what ``svm``, ``penalized``, ``networks`` and ``trees`` do with arrays, to the same
tolerance. They need Triton, which comes with PyTorch, and are imported where they are used, only if
:func:`usable` is true.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from evenfold_lab.arrays import Array, array_like

_WIDEST = 4096  # numbers of one model that a program holds in registers
MOST_CLASSES = 256  # of a tree, because labels have eight bits in a word


def usable(x: Array, width: int) -> bool:
    """Say whether a program can fit a model of ``width`` numbers on the device of ``x``."""
    return (
        bool(getattr(x, "is_cuda", False)) and width <= _WIDEST and find_spec("triton") is not None
    )


def solve_svm(
    K: Array, sign: Array, C: float, tol: float, flat: float, most: int
) -> tuple[Array, Array]:
    """Return β (P, a) and intercepts (P,) of the duals with kernels K (P, a, a)."""
    from evenfold_lab.fast.programs import learners

    P, a = sign.shape
    beta = sign.new_empty((P, a))
    start = sign.new_empty((P,))
    # Numbers that are not in tensors would be rounded to 32 bits.
    settings = sign.new_tensor([C, tol, flat])
    learners.svm[(P,)](
        K.contiguous(), sign.contiguous(), beta, start, settings, a, most, **_shape(a)
    )
    return beta, start


def descend_lasso(gram: Array, moment: Array, alpha: float, tol: float, sweeps: int) -> Array:
    """Minimise ½ wᵀGw − mᵀw + α|w|₁ for G (P, p, p) and m (P, p), and return the w (P, p)."""
    from evenfold_lab.fast.programs import learners

    P, p = moment.shape
    slopes = moment.new_empty((P, p))
    settings = moment.new_tensor([alpha, tol])
    learners.lasso[(P,)](
        gram.contiguous(), moment.contiguous(), slopes, settings, p, sweeps * p, **_shape(p)
    )
    return slopes


def train_perceptrons(
    rows: Array, sign: Array, masks: Array, epochs: int, tol: float, patience: int
) -> tuple[Array, Array]:
    """
    Return the weights (R, J, p) and intercepts (R, J) of perceptrons.

    Rows have shape (R, J, n, p), signs (R, n) and masks (R, J, n).
    """
    from evenfold_lab.fast.programs import learners

    R, J, n, p = rows.shape
    w = rows.new_empty((R, J, p))
    start = rows.new_empty((R, J))
    learners.perceptron[(R * J,)](
        rows.contiguous(),
        sign.contiguous(),
        masks.contiguous(),
        masks.sum(dim=-1),
        w,
        start,
        rows.new_tensor([tol]),
        J,
        n,
        p,
        epochs,
        patience,
        **_shape(p),
    )
    return w, start


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Presorted:
    """
    Data sets in the order of each of their features, for all trees that grow on them.

    Attributes
    ----------
    order, xs : arrays, shape (R, p, n)
        Examples from the smallest value on, and their values.
    X : array, shape (R, p, n)
        The values by example.
    y : array of float, shape (R, n)
        Labels or numbers.
    """

    order: Array
    xs: Array
    X: Array
    y: Array

    @classmethod
    def of(cls, X: Array, y: Array) -> "Presorted":
        """Sort X (R, n, p)."""
        by_feature = X.float().transpose(1, 2).contiguous()
        xs, order = by_feature.sort(dim=2, stable=True)
        return cls(order=order.short(), xs=xs, X=by_feature, y=y.double().contiguous())


def grow_trees(data: Presorted, rule: Any, times: Array, luck: Any = None) -> Array:
    """
    Grow trees by a ``SplitRule`` and a ``FeatureSampling``, and predict every example, (R, J, n).

    Examples train ``times`` (R or 1, J, n).
    """
    from evenfold_lab.fast.programs import trees

    (R, p, n) = data.X.shape
    J = times.shape[1]
    start, count = (0, p) if luck is None else (luck.start, min(luck.count, p))
    by_pair = (R, J, n)
    weights = times.int().expand(by_pair).contiguous()
    out = data.y.new_empty(by_pair)
    trees.tree[(R * J,)](
        data.order,
        data.xs,
        data.X,
        data.y,
        weights,
        _logs(data.y, n),
        weights.new_empty(by_pair),
        data.y.new_empty(1 if rule.n_classes else by_pair),
        out,
        data.y.new_tensor([rule.least_deviance]),
        times.new_tensor([start]),
        J,
        n,
        p,
        rule.n_classes,
        *_sizes(rule),
        count,
        FEATURES=1 << p.bit_length(),
        KIND=_kind(rule),
        **_shape(n),
    )
    return out


def _sizes(rule: Any) -> tuple[int, int, int]:
    """Return the depth of the deepest leaves, and the least sizes of split nodes and of sides."""
    least = max(rule.min_samples_split, 2 * rule.min_samples_leaf)
    return rule.max_depth, least, rule.min_samples_leaf


def _kind(rule: Any) -> int:
    """Return 0 for Gini, 1 for entropy and 2 for numbers."""
    if rule.n_classes:
        return int(rule.criterion == "entropy")
    return 2


def _logs(y: Array, n: int) -> Array:
    """Return x·log x of 0, 1, ..., n in steps of 2⁻³⁶, so that sums are exact."""
    x = np.arange(n + 1.0)
    return array_like(y, np.round(x * np.log(np.maximum(x, 1.0)) * 2.0**36).astype(np.int64))


def _shape(width: int) -> dict[str, Any]:
    block = max(32, 1 << (width - 1).bit_length())
    return {"BLOCK": block, "num_warps": max(1, min(8, block // 128))}
