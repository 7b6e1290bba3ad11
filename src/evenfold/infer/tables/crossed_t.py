"""The t-test where several runs of each algorithm met the same examples."""

import warnings
from typing import Any

from evenfold.core.checks import flag, refuse
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Floats
from evenfold.core.partition import CLUSTERED_RUNS, RUNS
from evenfold.infer._base import Pivot, method
from evenfold.infer._valid import IN_RUNS
from evenfold.infer.tables._clusters import cluster_codes
from evenfold.infer.tables._crossed import paired as of_pairs
from evenfold.infer.tables._crossed import unpaired

TWO_RUNS = "two runs say little of a third: the real error may be .09 at a level of .05; add a run"


@method(
    valid=IN_RUNS,
    depends="near its level from three runs on; with two runs that matter it errs .09 at .05",
    source="Searle 1992",
    default_for=(RUNS, CLUSTERED_RUNS),
)
def crossed_t(a: Floats, b: Floats, *, paired: bool = True, clusters: Any = None) -> Pivot:
    """
    Test the mean difference of two recipes over further runs and further examples.

    A value of example i in run s shares its example with the other runs and its run with the other examples.
    Clusters are summed within, runs that are not paired add the parts of A and of B.

    *Formula.* Mean; variance A + R − E of examples, runs and residuals, and not below the largest of the
    three; the critical value is √((A·t²_{n−1} + (V−A)·t²_{S−1})/V).

    *Validity.* About the recipes: a further seed and further examples. With 200 examples and runs that matter
    it errs .09, .05, then ≤ .05 at S = 2, 3, ≥ 4 (Satterthwaite's degrees of freedom .15, .09, .07); where
    runs do not matter .04 to .05. Averaging over runs first, as if they were one, errs up to .99 where runs
    are what varies. Not paired: .01 to .05. Clusters × runs: .03 to .05, .08 with two runs. Two runs say
    little of a third: a :class:`HiddenVariance` warning says so.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = (rng.normal(m, 1, size=(4, 50)) for m in (0.0, 0.5))
    >>> e = ef.infer.crossed_t(a, b)
    >>> round(float(e.value), 3), bool(e.pvalue < 0.05)
    (0.396, True)
    """
    if flag("paired", paired) and a.shape[-2] != b.shape[-2]:
        refuse("a", f"of {b.shape[-2]} runs like b", f"shape {a.shape}", "or say paired=False")
    if min(a.shape[-2], b.shape[-2]) == 2:
        warnings.warn(TWO_RUNS, HiddenVariance, stacklevel=4)
    codes = None if clusters is None else cluster_codes("clusters", clusters, b.shape[-1])
    count = 0 if codes is None else int(codes.max()) + 1
    return Pivot(*(of_pairs(b - a, codes, count) if paired else unpaired(a, b, codes, count)))
