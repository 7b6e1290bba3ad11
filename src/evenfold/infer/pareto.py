"""
Several objectives at once.

One function shows which models are dominated, another which may be on the Pareto front.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, refuse, short_repr
from evenfold.core.estimate import Floats
from evenfold.infer._arrays import finite
from evenfold.infer.adjust import adjustment

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ParetoSet:
    """
    Which models are surely dominated.

    Attributes
    ----------
    dominates : bool array (models, models)
        ``dominates[i, j]``: i was shown to be better than j in every objective.
    pvalue : array (models, models)
        Adjusted p-value of "i does not dominate j".
    means : array (objectives, models)
        The mean of each model in each objective.
    objectives : tuple of str
        Their names.
    level : float
        The chance that any model is called dominated that is not.

    Examples
    --------
    See :func:`pareto_set`.
    """

    dominates: Bools
    pvalue: Floats
    means: Floats
    objectives: tuple[str, ...]
    level: float

    @property
    def dominated(self) -> Bools:
        """Whether each model is surely dominated by another."""
        return np.asarray(self.dominates.any(axis=0))

    @property
    def front(self) -> tuple[int, ...]:
        """The models that may be on the front: nobody surely dominates them."""
        return tuple(np.flatnonzero(~self.dominated).tolist())


def pareto_set(
    objectives: Mapping[str, Any], *, higher_is_better: tuple[str, ...] = (), level: float = 0.05
) -> ParetoSet:
    """
    Say which models are surely dominated: worse than one other in every objective.

    Parameters
    ----------
    objectives : mapping of str to array
        For each objective values (items, models), items paired over the models: errors of examples,
        seconds, cost; or one number per model (models,) where it is known exactly, as prices are.
    higher_is_better : tuple of str
        Objectives in which large values are good; small ones are in the others.
    level : float, default 0.05
        The chance that any model is called dominated that is not.

    Returns
    -------
    ParetoSet

    Notes
    -----
    *Formula.* i dominates j if a one-sided paired t-test says so in each objective: the p-value of
    the pair is the largest of them (an intersection–union test, which needs no correction for the
    number of objectives). What is known exactly must be no worse, and p is 0 or 1. Holm's steps
    over all ordered pairs.

    *Validity.* It holds whatever the dependence of the objectives. A model that is not surely
    dominated may be dominated: the set holds the true front with confidence 1 − level, and perhaps
    more.

    References
    ----------
    Berger (1982), Technometrics 24.

    Examples
    --------
    >>> import numpy as np, evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> error = rng.normal([0.20, 0.10, 0.15], 0.05, size=(200, 3))
    >>> found = ef.infer.pareto_set({"error": error, "price": [1.0, 3.0, 4.0]})
    >>> found.front, found.dominated.tolist()  # the last is worse and dearer than the second
    ((0, 1), [False, False, True])
    """
    level = fraction("level", level)
    named: object = objectives
    if not isinstance(named, Mapping) or not named:
        refuse(
            "objectives",
            f"objectives must be a mapping of names to values but got {short_repr(named)}.",
        )
    if not isinstance(higher_is_better, (tuple, list)):
        refuse(
            "higher_is_better",
            "higher_is_better must be a tuple of names of objectives but got "
            f"{short_repr(higher_is_better)}.",
        )
    unknown = [name for name in higher_is_better if name not in objectives]
    if unknown:
        refuse(
            "higher_is_better",
            f"higher_is_better must be among {', '.join(map(repr, objectives))} but got "
            f"{short_repr(unknown[0])}.",
        )
    arrays = {str(name): finite(f"objectives[{name!r}]", one) for name, one in objectives.items()}
    widths = {one.shape[-1] if one.ndim else 0 for one in arrays.values()}
    if len(widths) > 1 or min(widths) < 2 or any(one.ndim not in (1, 2) for one in arrays.values()):
        refuse(
            "objectives",
            "objectives must be arrays of shape (items, models) or (models,), of the same two or "
            "more models, but got the shapes "
            f"{', '.join(str(array.shape) for array in arrays.values())}.",
        )
    turned = {name: -one if name in higher_is_better else one for name, one in arrays.items()}
    each = np.array(
        [
            _exactly(one) if one.ndim == 1 else _one_sided_pvalues(one, name)
            for name, one in turned.items()
        ]
    )
    if all(one.ndim == 1 for one in arrays.values()):
        each = np.concatenate([each, _some_better(list(turned.values()))[None]])
    raw = each.max(axis=0)
    apart = ~np.eye(len(raw), dtype=bool)
    pvalue = np.ones(raw.shape)
    pvalue[apart] = adjustment(raw[apart], "holm")
    means = np.array([one if one.ndim == 1 else one.mean(axis=0) for one in arrays.values()])
    return ParetoSet(
        dominates=pvalue <= level, pvalue=pvalue, means=means, objectives=tuple(arrays), level=level
    )


def _exactly(values: Floats) -> Floats:
    """0 where i is no worse than j, 1 elsewhere."""
    return np.where(values[:, None] > values, 1.0, 0.0)


def _some_better(values: list[Floats]) -> Floats:
    """0 where i is better than j in some objective: equals do not dominate each other."""
    better = np.any([one[:, None] < one for one in values], axis=0)
    return np.where(better, 0.0, 1.0)


def _one_sided_pvalues(values: Floats, name: str) -> Floats:
    """One-sided p-values of "i is not below j" for all ordered pairs."""
    n = len(values)
    if n < 2:
        refuse(
            "objectives",
            f"objectives[{name!r}] must have at least two items, or one number per model, but "
            f"got {n} item.",
        )
    covariance = np.atleast_2d(np.cov(values.T)) / n
    own = np.diag(covariance)
    variance = own[:, None] + own - 2 * covariance
    gap = values.mean(axis=0)[:, None] - values.mean(axis=0)
    flat = variance <= 1e-13 * (own[:, None] + own)
    t = gap / np.sqrt(np.where(flat, 1.0, variance))
    # a gap without spread is as sure as so many items of one sign can make it
    sure = np.where(gap < 0, 0.5**n, 1.0)
    return np.where(flat, sure, special.stdtr(n - 1, t))
