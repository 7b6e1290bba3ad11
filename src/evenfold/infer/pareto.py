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

from evenfold.core.checks import fraction, refuse, refuse_value
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
        refuse_value("objectives", named, "a mapping of names to values")
    if not isinstance(higher_is_better, (tuple, list)):
        refuse_value("higher_is_better", higher_is_better, "a tuple of names of objectives")
    unknown = [name for name in higher_is_better if name not in objectives]
    if unknown:
        refuse_value("higher_is_better", unknown[0], f"among {', '.join(map(repr, objectives))}")
    arrays = {
        str(name): finite(f"objectives[{name!r}]", values) for name, values in objectives.items()
    }
    _require_shapes([array.shape for array in arrays.values()])
    losses = {name: -array if name in higher_is_better else array for name, array in arrays.items()}
    pvalues = [
        _exact_pvalues(values) if values.ndim == 1 else _one_sided_pvalues(values, name)
        for name, values in losses.items()
    ]
    if all(values.ndim == 1 for values in losses.values()):
        pvalues.append(_some_better(list(losses.values())))
    raw = np.max(pvalues, axis=0)
    apart = ~np.eye(len(raw), dtype=bool)
    pvalue = np.ones(raw.shape)
    pvalue[apart] = adjustment(raw[apart], "holm")
    means = np.array(
        [array if array.ndim == 1 else array.mean(axis=0) for array in arrays.values()]
    )
    return ParetoSet(
        dominates=pvalue <= level, pvalue=pvalue, means=means, objectives=tuple(arrays), level=level
    )


def _require_shapes(shapes: list[tuple[int, ...]]) -> None:
    """Refuse other shapes than (items, models) and (models,) of the same two or more models."""
    widths = {shape[-1] if shape else 0 for shape in shapes}
    if len(widths) > 1 or min(widths) < 2 or any(len(shape) not in (1, 2) for shape in shapes):
        refuse(
            "objectives",
            "objectives must be arrays of shape (items, models) or (models,), of the same two or "
            f"more models, but got the shapes {', '.join(map(str, shapes))}.",
        )


def _exact_pvalues(values: Floats) -> Floats:
    """Return 0 where i is no worse than j, and 1 elsewhere."""
    return np.where(values[:, None] > values, 1.0, 0.0)


def _some_better(values: list[Floats]) -> Floats:
    """Return 0 where i is better than j in some objective, as equals do not dominate."""
    better = np.any([column[:, None] < column for column in values], axis=0)
    return np.where(better, 0.0, 1.0)


def _one_sided_pvalues(values: Floats, name: str) -> Floats:
    """Return the one-sided p-values of "i is not below j" for all ordered pairs."""
    n = len(values)
    if n < 2:
        refuse(
            "objectives",
            f"objectives[{name!r}] must have at least two items, or one number per model, but "
            f"got {n} item.",
        )
    covariance = np.atleast_2d(np.cov(values.T)) / n
    variances = np.diag(covariance)
    variance = variances[:, None] + variances - 2 * covariance
    gap = values.mean(axis=0)[:, None] - values.mean(axis=0)
    flat = variance <= 1e-13 * (variances[:, None] + variances)
    t = gap / np.sqrt(np.where(flat, 1.0, variance))
    # a gap without spread is as sure as n items of one sign can make it
    sure = np.where(gap < 0, 0.5**n, 1.0)
    return np.where(flat, sure, special.stdtr(n - 1, t))
