"""The t-test where several runs of each algorithm met the same examples."""

import warnings
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Floats, PivotEstimate
from evenfold.core.kind import CLUSTERED_RUNS, RUNS
from evenfold.infer._inputs import finite
from evenfold.infer._registry import method
from evenfold.infer._result import pivot
from evenfold.infer.tables._clusters import cluster_codes
from evenfold.infer.tables._crossed import paired as of_pairs
from evenfold.infer.tables._crossed import unpaired


@method(
    "crossed-t",
    designs=(RUNS, CLUSTERED_RUNS),
    inputs=("crossed",),
    training_size="of these runs",
    leaning="depends",
    why="near its level from three runs on; with two runs that matter it errs up to .09 at .05",
    source="METHODS 14",
    recommended=True,
    estimand="difference B − A of these recipes over runs on further examples",
)
def crossed_t(
    a: Any,
    b: Any,
    *,
    paired: bool = True,
    clusters: Any = None,
    null: float = 0.0,
    alternative: str = "two-sided",
) -> PivotEstimate:
    """
    Test the mean difference of two recipes over further runs and further examples.

    Parameters
    ----------
    a, b : arrays of shape (..., S, n)
        Values of A and B in S ≥ 2 runs (seeds, samplings) on the same n examples; not paired, A and B may
        have other numbers of runs.
    paired : bool, default True
        Whether run s of A and run s of B belong together (the same seed, the same fold of the training data).
        Runs that do not may be paired all the same, which is always valid.
    clusters : array of shape (n,), optional
        The cluster of each example.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean; variance A + R − E of examples, runs and residuals, and not below the largest of the three; the
        critical value is √((A·t²_{n−1} + (V−A)·t²_{S−1})/V).

    Notes
    -----
    *Validity.* About the recipes: a further seed and further examples. With 200 examples and runs that matter
    it errs .09, .06, then ≤ .05 at S = 2, 3, ≥ 4 (Satterthwaite's degrees of freedom .15, .10, .04); where
    runs do not matter .03 to .05. Averaging over runs first, as if they were one, errs up to .99 where runs
    are what varies. Not paired: .01 to .06. Clusters × runs: .02 to .06. Two runs say little of a third: a
    :class:`HiddenVariance` warning says so.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components: the two-way crossed layout with both factors
    random. The documentation, page "Clusters, runs and scores of one test set", has the measurements.

    Examples
    --------
    >>> import numpy as np
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> a, b = (rng.normal(m, 1, size=(4, 50)) for m in (0.0, 0.5))
    >>> e = ef.infer.crossed_t(a, b)
    >>> round(float(e.value), 3), bool(e.pvalue < 0.05)
    (0.396, True)
    """
    a, b = _table("a", a), _table("b", b)
    n = b.shape[-1]
    if a.shape[-1] != n or (paired and a.shape[-2] != b.shape[-2]):
        rule = "of the shape of b" if paired else f"with the {n} examples of b"
        refuse("a", rule, a, "" if a.shape[-1] != n else "or say paired=False")
    codes, count = (None, 0) if clusters is None else cluster_codes(clusters, n)
    if min(a.shape[-2], b.shape[-2]) == 2:
        warnings.warn(_TWO, HiddenVariance, stacklevel=2)
    value, variance, reference = of_pairs(b - a, codes, count) if paired else unpaired(a, b, codes, count)
    return pivot("crossed-t", value, variance, reference, null=null, alternative=alternative)


_TWO = "two runs say little of a third: the real error may be up to .09 at a level of .05; add a run"


def _table(name: str, values: Any) -> Floats:
    array = finite(name, values)
    if array.ndim < 2 or array.shape[-2] < 2 or array.shape[-1] < 2:
        refuse(name, "of shape (..., S, n) with S ≥ 2 runs and n ≥ 2 examples", np.shape(array))
    return array
