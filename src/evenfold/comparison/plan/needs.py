"""
What an undecided answer could have found, and what a difference of the margin would take.

The numbers are those of :func:`evenfold.plan` with the answer as its pilot: one formula, one
number.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.comparison.plan.path import plan_path
from evenfold.comparison.plan.table import plan_of_answers, plan_table, recommended_for_flips
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Estimate, TestEstimate
from evenfold.core.losses import Losses
from evenfold.core.words import format_count, round_up
from evenfold.infer import methods
from evenfold.infer.halves.influence import InfluencePilot, influence_pilot
from evenfold.infer.inputs.values import tested_times
from evenfold.infer.theory.planning import examples_needed, fewest, needed_noncentrality

POWER = 0.8
_FEWEST = 8  # examples that a run can have
_FAR = 1000  # times as many: no advice any more


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Needs:
    """
    One question about a pair of losses.

    Attributes
    ----------
    losses : Losses
        What was seen.
    baseline, challenger : str or None, str
        The pair; no baseline where one algorithm is estimated alone.
    method : str
        The test that answered.
    most : int or None
        Repetitions that a test with looks may take.
    level : float
        Of the pair.
    one_sided : bool
        Whether each end of its interval is a bound at this level.
    """

    losses: Losses
    baseline: str | None
    challenger: str
    method: str
    most: int | None
    level: float
    one_sided: bool

    @property
    def _side(self) -> str:
        if self.one_sided:
            return "greater"
        return "two-sided"

    def _pilot(self) -> InfluencePilot | None:
        """What single examples of halvings show, where the test looks at them."""
        losses = self.losses
        halves = losses.partition.kind.is_halving
        if self.baseline is None or not halves or not methods()[self.method].takes.closely:
            return None
        b = losses.index(self.challenger)
        a = losses.index(self.baseline)
        try:
            return influence_pilot(losses, self.method, challenger=b, baseline=a)
        except NotApplicable:  # nothing varies
            return None

    @property
    def _repetitions(self) -> int:
        return self.most or len(self.losses.partition) // 2

    def detectable(self, found: Estimate, half: float) -> float | None:
        """Return the difference that was found with a power of 80%; None where nobody knows."""
        pilot = self._pilot()
        if pilot is not None:
            return pilot.detectable(
                m=self._repetitions, level=self.level, alternative=self._side, power=POWER
            )
        known = _error_and_df(found)
        if known is None:
            return None
        error, df = known
        reach = needed_noncentrality(POWER, half / error, df, two_sided=not self.one_sided)
        return reach * error

    def margin(self, found: Estimate, half: float, margin: float) -> str:
        """Say how many examples, groups, runs or times would find a difference of the margin."""
        pilot = self._pilot()
        have, what = self._grows if pilot is None else self._planned_count
        needed = self._count(pilot, found, half, margin, have)
        if not have or needed is None or not have < needed <= _FAR * have:
            return ""
        return f"about {format_count(round_up(needed))} {what}"

    def _count(
        self, pilot: InfluencePilot | None, found: Estimate, half: float, margin: float, have: int
    ) -> float | None:
        """How many of what grows would do, by the plan that fits."""
        if pilot is not None:
            return self._needed_examples(pilot, margin)
        losses = self.losses
        kind = losses.partition.kind
        if self.baseline is not None and (kind.about or kind.is_ordered):
            return self._planned_number(margin)
        known = _error_and_df(found)
        if known is None or not have:
            return None
        error, df = known
        return examples_needed(margin, n=have, standard_error=error, reach=half, df=df, power=POWER)

    def _needed_examples(self, pilot: InfluencePilot, margin: float) -> int | None:
        m = self._repetitions

        def enough(n: int) -> bool:
            return pilot.power(margin, n=n, m=m, level=self.level, alternative=self._side) >= POWER

        return fewest(enough, _FEWEST)

    def _planned_number(self, margin: float) -> int | None:
        """Of a table or a path, as a plan has it."""
        losses = self.losses
        a = losses.index(str(self.baseline))
        b = losses.index(self.challenger)
        asked: dict[str, Any] = {"difference": margin, "wanted": POWER}
        asked |= {"level": self.level, "alternative": self._side}
        try:
            if losses.partition.kind.is_ordered:
                return plan_path(losses, a, b, method=self.method, **asked).needed
            if self._is_of_answers:
                return plan_of_answers(losses, a, b, **asked).units
            plan = plan_table(losses, a, b, method=self.method, **asked)
        except NotApplicable:
            return None
        if plan.word:
            return plan.units
        return plan.runs

    @property
    def _is_of_answers(self) -> bool:
        """Whether right and wrong answers are judged by their own test."""
        return self.baseline is not None and self.method == recommended_for_flips()

    @property
    def _planned_count(self) -> tuple[int, str]:
        """What the plan of a run counts, and how many there are."""
        grouped = self.losses.clusters is not None
        return self.losses.partition.n, "examples in groups like these" if grouped else "examples"

    @property
    def _grows(self) -> tuple[int, str]:
        """
        What the standard error falls with, and how many of it there are.

        Nothing where two things vary.
        """
        partition = self.losses.partition
        kind = partition.kind
        if kind.is_runs:
            return 0, ""
        if kind.is_seeds:
            return len(partition), "runs"
        if kind.is_ordered:
            if len(partition) > 1:
                return (len(partition), "windows")
            return (tested_times(partition), "times")
        if self.losses.clusters is not None:
            groups = int(self.losses.clusters.max()) + 1
            return groups, "clusters" if kind.about else "groups"
        if methods()[self.method].estimand.varied == "sources":
            return len(partition), "sources"
        if kind.is_one_split:
            return partition.n_test, "test examples"
        return partition.n, "examples"


def _error_and_df(found: Estimate) -> tuple[float, float] | None:
    """Return standard error and degrees of freedom of a test that has one of each; None else."""
    if not isinstance(found, TestEstimate) or not found.standard_error > 0:
        return None
    df = np.asarray(found.df)
    if df.ndim:
        return None
    return (float(found.standard_error), float(df))
