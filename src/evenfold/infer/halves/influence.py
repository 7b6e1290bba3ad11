"""The influence test at a fixed number of repetitions of an m×2 BCV (ours); see ``_parts``."""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from evenfold.core.estimate import Floats, PivotEstimate, StudentT, TestEstimate, around
from evenfold.core.partition import MX2_BCV
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._valid import BALANCED_HALVES
from evenfold.infer.halves._parts import FEWEST, LARGEST, Booleans, Halvings, Parts

TOO_FEW = f"too few examples make the difference: fewer than {FEWEST} differ"
OUTWEIGHED = (
    f"a few examples outweigh all others: without the {LARGEST} largest the difference has the other sign, "
    "so that none is claimed"
)
SAFE = f"fewer than {FEWEST} examples differ, so that the safe test was used"
_MUCH = 1 / 3  # of the spread, held by one example: worth saying


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class InfluenceEstimate(PivotEstimate):
    """
    The outcome of the influence test.

    Attributes
    ----------
    decidable : array of bool
        Whether a difference may be claimed: enough examples carry it. The p-value and the interval are those
        of the test either way.
    few : array of bool
        Whether fewer than ten examples differ, so that the variance is that of the safe test.
    step : array
        What two examples more or less could change.
    held : array
        Share of the spread that one example holds.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "step": 1})

    decidable: Booleans
    few: Booleans
    step: Floats
    held: Floats

    @property
    def pvalue(self) -> Floats:
        """The p-value, 1 where fewer than ten examples differ and those that do show no spread."""
        # not super(): a dataclass with slots is made anew
        p = PivotEstimate.pvalue.fget(self)  # type: ignore[attr-defined]
        return np.where(self._unknown, 1.0, p)[()]

    @property
    def _unknown(self) -> Booleans:
        unknown: Booleans = self.few & (self.standard_error == 0)
        return unknown

    @property
    def undecided(self) -> str:
        """Why no difference may be claimed."""
        return why_undecided(self.decidable | (self.pvalue > self.level) & ~self.few, self.few)

    @property
    def remark(self) -> str:
        """What must be said beside an answer that decides nothing."""
        return SAFE if np.any(self.few) else ""

    @property
    def note(self) -> str:
        """What must be said beside every answer: whether one example holds much of the spread."""
        return held_by_one(self.held)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit; they hold the null where too few examples differ to show any spread."""
        return wide(self, self.error_per_side(confidence_level), self.few, self.step)


def why_undecided(decidable: Booleans, few: Booleans) -> str:
    """
    Say why no difference may be claimed, of what may be decided and what rests on few examples.

    What the test itself does not reject is not withheld: there the interval is the reason.
    """
    if np.all(decidable):
        return ""
    return TOO_FEW if np.any(few) else OUTWEIGHED


def held_by_one(held: Floats) -> str:
    """Say how much of the spread one example holds, if that is much."""
    most = float(np.max(held))
    if most <= _MUCH:
        return ""
    return f"one example holds {most:.0%} of the spread, so that the answer hangs on it".replace("%", " %")


def wide(found: TestEstimate, tail: Any, few: Booleans, step: Floats) -> tuple[Floats, Floats]:
    """
    Interval with this chance beyond each end; where few examples differ without spread a step, and the null.

    One algorithm's interval is Wilson's and knows by itself that no mistake among n examples is not none; so
    does that of a difference where nothing at all differs.
    """
    alone = found.bounds is not None and found.bounds.alone
    nothing = few & (found.standard_error == 0) & (not alone)
    error = np.where(nothing, step, found.standard_error)
    df = np.where(error == 0, np.inf, found.df)
    quantile = StudentT(df).isf(tail)
    low, high = around(found.value, quantile * error, found.alternative, found.bounds, quantile=quantile)
    with_null = np.minimum(low, found.null), np.maximum(high, found.null)
    return np.where(nothing, with_null[0], low)[()], np.where(nothing, with_null[1], high)[()]


def may_decide(parts: Parts, variance: Floats, null: float) -> Booleans:
    """Whether a difference may be claimed: not if few outweigh all others, nor if few show no spread."""
    may: Booleans = ~parts.outweighed(null) & ~(parts.few & (variance == 0))
    return may


influence = partial(
    method,
    valid=BALANCED_HALVES,
    conservative="its error was below the level for most differences studied and near it for one algorithm; "
    "naive Bayes on tables, squared losses with outliers and lasso paths are the exceptions",
    source="ours: docs/infer/influence",
    default_for=(MX2_BCV,),
    joint="normal",
)


@influence()
def mx2_influence_t(
    losses: Floats,
    sides: Booleans,
    *,
    null: float,
    clusters: Any = None,
    zeros: bool = True,
    alone: bool = False,
) -> Answer[InfluenceEstimate]:
    """
    Test the mean of an m×2 BCV with a variance read off the losses of the single examples.

    T knows how test points vary. Over repetitions of the same data examples flip one by one (W), and whole
    models shift (C): what flips go away with more repetitions, what shifts is a sign of what another sample
    of training data would change. U, the mean square of the m influence contrasts, also sees what single
    training examples do; it is noisy, so that it overrules the others, with at most m df, only where it
    exceeds what they allow with probability .9.

    Where fewer than ten examples differ the variance is not below that of the safe test, ``mx2-t``. Where a
    few examples outweigh all others (T has the degrees of freedom of fewer than ten, and without the ten
    largest the difference has the other sign) none is claimed, which ``undecided`` says; the p-value and the
    interval are those of the test.

    *Formula.* μ̂, the mean of the 2m hold-out values; variance T + C/m + √(t² + 2tE + D²) − t with T =
    s²(ē)/n over the mean losses ē of the examples, W what examples flip one by one, C what whole models shift
    beyond it, t = T − W/m, E = 2.5·C + W/4 + X for what training examples add, D = max(C − W, 0); reference t
    with Satterthwaite's df.

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
    """
    halvings = Halvings(losses, sides, clusters=clusters, zeros=zeros, alone=alone)
    found = halvings.parts(losses.shape[-2])
    V, df = found.variance()
    return answered(found.mean, V, df, null=null, parts=found, decidable=may_decide(found, V, null))


def answered(
    mean: Floats, variance: Floats, df: Floats, *, null: float, parts: Parts, decidable: Booleans, **more: Any
) -> Answer[InfluenceEstimate]:
    """Return a mean with its variance, and what the parts say of whether it may decide."""
    statistic, error, flat = standardise(mean, variance, null)
    return Answer(
        InfluenceEstimate,
        value=mean,
        standard_error=error,
        statistic=statistic,
        reference=StudentT(df),
        decidable=decidable,
        few=parts.few,
        step=parts.step,
        held=parts.held,
        flat=flat,
        **more,
    )
