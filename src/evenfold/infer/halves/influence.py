"""The influence test at a fixed number of repetitions of an m×2 BCV (ours); see ``_parts``."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from evenfold.core.estimand import Estimand
from evenfold.core.estimate import Floats, PivotEstimate, StudentT, TestEstimate, around
from evenfold.core.kind import MX2_BCV
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._valid import BALANCED_HALVES
from evenfold.infer.feeds import AllTested
from evenfold.infer.halves._parts import FEWEST, Booleans, Halvings

_KNOWN = 1e9  # df of a variance that is known
TOO_FEW = (
    f"too few examples make the difference: fewer than {FEWEST} differ, or a few of them outweigh the others"
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class InfluenceEstimate(PivotEstimate):
    """
    The outcome of the influence test.

    Attributes
    ----------
    decidable : array of bool
        Whether enough examples differ, without heavy tails; elsewhere the p-value is 1.
    few : array of bool
        Whether fewer than ten examples differ.
    step : array
        What two examples more or less could change.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "step": 1})

    decidable: Booleans
    few: Booleans
    step: Floats

    @property
    def pvalue(self) -> Floats:
        """The p-value, 1 where too few examples differ."""
        # not super(): a dataclass with slots is made anew
        return np.where(self.decidable, PivotEstimate.pvalue.fget(self), 1.0)[()]  # type: ignore[attr-defined]

    @property
    def undecided(self) -> str:
        """Why no difference may be claimed."""
        return "" if np.all(self.decidable) else TOO_FEW

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit, wider where fewer than ten examples differ."""
        return wide(self, self.error_per_side(confidence_level), self.few, self.step)


def wide(found: TestEstimate, tail: Any, few: Booleans, step: Floats) -> tuple[Floats, Floats]:
    """
    Interval with this chance beyond each end, to which a step is added where few examples differ.

    One algorithm's interval is Wilson's and knows by itself that no mistake among n examples is not none.
    """
    alone = found.bounds is not None and found.bounds.units > 0
    error = np.hypot(found.standard_error, np.where(few & (not alone), step, 0.0))
    df = np.where((error == 0) & alone, _KNOWN, found.df)
    quantile = StudentT(df).isf(tail)
    return around(found.value, quantile * error, found.alternative, found.bounds, quantile=quantile)


@method(
    "mx2-influence-t",
    valid=BALANCED_HALVES,
    takes=AllTested(),
    estimand=Estimand(size="n/2"),
    leaning="conservative",
    why="its error was below the level for most differences studied and near it for one algorithm",
    formula="μ̂, the mean of the 2m hold-out values; variance T + C/m + √(t² + 2tE + D²) − t with T = s²(ē)/n "
    "over the mean losses ē of the examples, W what examples flip one by one, C what whole models shift "
    "beyond it, t = T − W/m, E = 2.5·C + W/4 + X for what training examples add, D = max(C − W, 0); "
    "reference t with Satterthwaite's df.",
    source="ours: docs/infer/influence",
    recommended=True,
    default_for=(MX2_BCV,),
    joint="normal",
)
def mx2_influence_t(
    losses: Floats, sides: Booleans, *, null: float, clusters: Any = None, zeros: bool = True
) -> Answer[InfluenceEstimate]:
    """
    Test the mean of an m×2 BCV with a variance read off the losses of the single examples.

    T knows how test points vary. Over repetitions of the same data examples flip one by one (W), and whole
    models shift (C): what flips go away with more repetitions, what shifts is a sign of what another sample
    of training data would change. U, the mean square of the m influence contrasts, also sees what single
    training examples do; it is noisy, so that it overrules the others, with at most m df, only where it
    exceeds what they allow with probability .9.

    Nothing is decided (p is 1) where fewer than ten examples differ, or where a few of them outweigh all
    others: then T is not known.

    *Validity.* Measured, not proved. Wants independent examples or whole groups of them, and losses with a
    finite fourth moment. Errors and power are those of :func:`mx2_influence_sequential_t`, whose last look
    it is; one algorithm's interval covers .95 to .96 on average, .93 to .98 for three quarters of learners.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool).repeat(25, axis=1)
    >>> losses = 0.3 + rng.normal(size=100) + 0.5 * rng.normal(size=(3, 100))
    >>> e = ef.infer.mx2_influence_t(losses, sides)
    >>> round(float(e.value), 3), round(float(e.standard_error), 3), round(float(e.pvalue), 4)
    (0.343, 0.104, 0.0012)

    Parameters
    ----------
    clusters : array of shape (n,), optional
        The group of every example, where examples come in groups that are never on both sides.
    zeros : bool, default True
        Whether a mean loss of 0 says that the example makes no difference, as it does not where values stand
        for a score.
    """
    found = Halvings(losses, sides, clusters=clusters, zeros=zeros).parts(losses.shape[-2])
    variance, df = found.variance()
    statistic, error, flat = standardise(found.mean, variance, null)
    return Answer(
        InfluenceEstimate,
        value=found.mean,
        standard_error=error,
        statistic=statistic,
        reference=StudentT(df),
        decidable=found.decidable,
        few=found.few,
        step=found.step,
        flat=flat,
    )
