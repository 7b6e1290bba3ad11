"""``plan``: how many repetitions, examples or runs it takes to find a difference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from evenfold.comparison.choose import MOST
from evenfold.comparison.plan.table import (
    FlipsPlan,
    PathPlan,
    PlanBase,
    TablePlan,
    plan_flips,
    plan_of_answers,
    plan_path,
    plan_rows,
    plan_table,
    require_enough,
)
from evenfold.core.checks import (
    ELLIPSIS,
    Advice,
    fraction,
    integer,
    number,
    one_of,
    refuse,
    short_repr,
    understands_synonyms,
)
from evenfold.core.errors import NotApplicable
from evenfold.core.inputs import PlanKeywords, Side
from evenfold.core.losses import Losses, Quantity
from evenfold.core.note import note
from evenfold.core.partition import MX2_BCV, TEST_SET
from evenfold.core.words import round_up
from evenfold.infer import methods, mx2_power, mx2_v2, recommended, theory
from evenfold.infer.effects import EXACT, NO_SPREAD, USUAL, fewest, sigma_from
from evenfold.infer.family import NOT_WORSE, SIDES, default_method
from evenfold.infer.halves.influence import DEFAULT_MOST, InfluenceCase, Parts, influence_pilot
from evenfold.infer.halves.stable import FEWEST

if TYPE_CHECKING:
    from evenfold.comparison.result import Comparison

_MOST = 31  # repetitions: more gain hardly anything
_MANY = 2000  # repetitions, practically infinitely many
_HALVINGS = 40
_ROUNDING = 1e-14  # of the largest difference


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Case:
    """Correlations to plan for, and the standard deviation of one hold-out difference."""

    rho1: float
    rho2: float
    sigma: float
    n: int
    fewest = 2

    @property
    def name(self) -> str:
        """The name in figures."""
        return f"ρ1 = {self.rho1:g}, ρ2 = {self.rho2:g}"

    def power(self, difference: float, *, n: int, m: int, level: float, alternative: str) -> float:
        """The chance of finding a difference."""
        return mx2_power(
            difference,
            sigma=self.sigma * np.sqrt(self.n / n),
            m=m,
            rho1=self.rho1,
            rho2=self.rho2,
            level=level,
            alternative=alternative,
        )


Cases = tuple[Case | InfluenceCase | Parts, ...]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class Plan(PlanBase):
    """
    What it takes to find a difference.

    Attributes
    ----------
    method : str
        The test that is planned with, after all its repetitions: the last look of one that looks.
    difference, wanted, level, alternative
        What is to be found, with which power, at which level, on which side.
    n, m : int
        Examples that the cases are about, and the repetitions that are planned with.
    cases : tuple
        What is considered: the spread that a pilot showed, or two pairs of correlations.
    repetitions : int or None
        The fewest repetitions that suffice with n examples in every case, None if no number does.
    examples : int
        How many examples suffice with m repetitions in every case.
    fewest_examples : int
        How many suffice in the best case.
    """

    n: int
    m: int
    cases: Cases
    repetitions: int | None
    examples: int
    fewest_examples: int

    def power(self, *, n: int | None = None, m: int | None = None) -> tuple[float, ...]:
        """Return the power with n examples and m repetitions, one for each case."""
        if n is None:
            at = self.n
        else:
            at = integer("n", n, low=8)
        return tuple(
            case.power(
                self.difference,
                n=at,
                m=self.m if m is None else m,
                level=self.level,
                alternative=self.alternative,
            )
            for case in self.cases
        )

    @property
    def interval_shrinkage(self) -> float:
        """By which share one more repetition shortens the interval of ``mx2-t`` (R19's ARRCI)."""
        return theory.interval_shrinkage(self.m, level=self.level)

    @property
    def enough_repetitions(self) -> int:
        """How many repetitions it takes until one more shortens it by less than 1% (R19's M)."""
        return theory.recommended_repetitions(level=self.level)

    def is_conservative(self, rho1: float, rho2: float) -> bool:
        """
        Say whether ``mx2-t`` with m repetitions keeps its level at these correlations (R19's Θ).

        A two-sided test has half of its level on each side.
        """
        tail = self.level
        if self.two_sided:
            tail = self.level / 2
        return bool(theory.regions.is_conservative(self.m, rho1, rho2, level=tail))

    @property
    def detectable(self) -> float:
        """The smallest difference that is found with the wanted power in every case."""
        low = 0.0
        high = self.difference
        while min(replace(self, difference=high).power()) < self.wanted:
            low = high
            high = 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            suffices = min(replace(self, difference=middle).power()) >= self.wanted
            low, high = (low, middle) if suffices else (middle, high)
        return high

    @property
    def fewest(self) -> int:
        """The fewest repetitions that the test can have."""
        return self.cases[0].fewest

    @property
    def limit(self) -> float:
        """Power with n examples and as many repetitions as one likes, in the worst case."""
        return min(self.power(m=_MANY))

    def __str__(self) -> str:
        sentence = note(
            "plan-repetitions",
            question=self.question,
            n=self.n,
            m=self.m,
            powers=self.power(),
            limits=self.power(m=_MANY),
            repetitions=self.repetitions,
            stops_early=bool(methods()[self.method].looks),
            examples=(self.fewest_examples, self.examples),
            shrinkage=self.interval_shrinkage,
            shortened=methods()[_test_of_splits()].name,
            enough_repetitions=self.enough_repetitions,
            keeps_level={
                case.name: self.is_conservative(case.rho1, case.rho2)
                for case in self.cases
                if isinstance(case, Case)
            },
        )
        return str(sentence)

    def plot(self) -> Any:
        """Return a matplotlib figure: power against examples and against repetitions."""
        from evenfold.report.figures.power import PowerInfo, plot

        low = min(self.n, self.fewest_examples) / 4
        high = 1.6 * max(self.n, self.examples)
        sizes = tuple(
            int(size) for size in np.unique(np.geomspace(max(low, 8), high, 41).astype(int))
        )
        counts = tuple(range(self.fewest, _MOST + 1))
        info = PowerInfo(
            method=self.method,
            difference=self.difference,
            wanted=self.wanted,
            n=self.n,
            m=self.m,
            names=tuple(case.name for case in self.cases),
            sizes=sizes,
            by_size=tuple(self.power(n=size) for size in sizes),
            counts=counts,
            by_count=tuple(self.power(m=m) for m in counts),
        )
        return plot(info)


@overload
def plan(
    difference: float, *, rows: Literal["runs", "examples"], **keywords: Unpack[PlanKeywords]
) -> TablePlan: ...
@overload
def plan(difference: float, *, differ: float, **keywords: Unpack[PlanKeywords]) -> FlipsPlan: ...
@overload
def plan(difference: float, *, accuracy: float, **keywords: Unpack[PlanKeywords]) -> FlipsPlan: ...
@overload
def plan(difference: float, **keywords: Unpack[PlanKeywords]) -> Plan: ...
@overload
def plan(
    difference: float,
    *,
    pilot: "Comparison | Losses | None" = None,
    rows: Literal["runs", "examples"] | None = None,
    differ: float | None = None,
    accuracy: float | None = None,
    **keywords: Unpack[PlanKeywords],
) -> Plan | Any:
    # what varied in the pilot decides which plan it is
    ...


@understands_synonyms
def plan(
    difference: float,
    *,
    pilot: "Comparison | Losses | None" = None,
    sigma: float | None = None,
    n: int | None = None,
    m: int | None = None,
    baseline: str | int = 0,
    challenger: str | int = 1,
    power: float = 0.8,
    level: float = 0.05,
    alternative: Side = "two-sided",
    rho1: float | None = None,
    rho2: float | None = None,
    rows: Literal["runs", "examples"] | None = None,
    differ: float | None = None,
    accuracy: float | None = None,
    margin: float = 0.0,
) -> "Plan | TablePlan | FlipsPlan | PathPlan":
    """
    Say how many repetitions, examples or runs find a difference, with the test that will be used.

    Parameters
    ----------
    difference : float
        The difference that is to be found, in the measure's own units; only its size counts.
    pilot : Comparison or Losses, optional
        A run of an m×2 design, from which the spread is taken, of single examples where the measure
        has them; or what ``ef.judge`` said of a table of examples, clusters or runs: then it counts
        these; or a run on windows or forecasts along a path: then it counts windows or times.
    sigma, n : float, int
        Without a pilot: the standard deviation of one hold-out difference, and of how many examples
        (half of them train). With ``rows`` of one run's, or one example's, difference, and the
        number that there is of them, if any.
    m : int, optional
        Repetitions to plan with, 9 by default.
    baseline, challenger : str or int
        The pair of the pilot.
    power : float, default 0.8
        The chance with which the difference is to be found.
    level, alternative
        Of the test: the default of ``compare``, or of ``judge`` for what varied; ``"not-worse"`` is
        one side.
    rho1, rho2 : float, optional
        Correlations within and between repetitions, if they are known; then ``mx2-t`` is planned.
        Without them and without a pilot two cases are planned for: ρ2 = ½, where no example flips
        from one training set to the next, and .2, as usual for differences of algorithms.
    rows : {"runs", "examples"}, optional
        Without a pilot, with ``sigma``: how many runs (seeds) of each learning procedure, or test
        examples with graded answers, ``ef.judge`` would need.
    differ, accuracy : float, optional
        Of two models whose answers are right or wrong, without a pilot: the share of answers that
        one gets right and the other wrong; or their accuracy, with which at most 2·accuracy·(1 −
        accuracy) differ. Then ``tango-exact`` is planned, and ``n`` is how many answers there are,
        if that is known.
    margin : float, default 0
        With ``differ``: plan for the question "not worse by the margin?" of a model that is worse
        by ``difference``, which may then be 0.

    Returns
    -------
    Plan
        Prints as a sentence; ``repetitions``, ``examples``, ``detectable``, ``power(n=, m=)``,
        ``plot()``. Of a table or of ``rows``: ``units`` (examples or clusters), ``runs``,
        ``power(units=, runs=)``. Of a path: ``needed`` (windows or times), ``power(count=)``.

    Notes
    -----
    *Validity.* More examples are taken to lower σ² in proportion and to leave the difference as it
    is, although models change with the training size n/2. Without single examples a pilot's spread
    has few degrees of freedom: with nine repetitions σ is known to some 20%, so sizes to some 40%.
    The default of ``compare`` stops before its last repetition where the verdict is stable: the
    power is that of all 31, from which it differed by .01 in simulations, and it took 20 fits per
    algorithm without a difference and 31 at 2.8 standard deviations. Powers of tables are those of
    a noncentral t with the degrees of freedom of the test. A path is taken to go on as it was, and
    its autocorrelation is that of the pilot: without one ordered data are not planned.

    Examples
    --------
    >>> import evenfold as ef
    >>> plan = ef.plan(0.02, sigma=0.015, n=500)
    >>> plan.repetitions, plan.fewest_examples, plan.examples
    (None, 687, 1180)
    >>> ef.plan(0.02, rows="runs", sigma=0.0096).runs
    5
    """
    difference = abs(number("difference", difference))
    answers = pilot is None and (differ is not None or accuracy is not None)
    if difference == 0 and not (answers and margin):
        refuse("difference", "difference must not be 0.")
    if margin and not answers:
        refuse(
            "margin",
            f"margin must be left out without differ or accuracy but got {short_repr(margin)}.",
            Advice(
                "Only gates on right and wrong answers can be planned: pass ",
                {"differ": ELLIPSIS},
                ".",
            ),
        )
    level = fraction("level", level, high=0.5)
    wanted = fraction("power", power, low=level)
    side = alternative
    if one_of("alternative", alternative, SIDES) == NOT_WORSE:
        side = "greater"
    aim = {"difference": difference, "wanted": wanted, "level": level, "alternative": side}
    if rows is not None:
        if pilot is not None or answers:
            refuse(
                "rows",
                f"rows={rows!r} goes with sigma, and not with a pilot, differ or accuracy.",
            )
        return plan_rows(rows, sigma=sigma, n=n, **aim)
    if answers:
        return plan_flips(**aim, differ=differ, accuracy=accuracy, margin=margin, n=n)  # type: ignore[arg-type]
    losses = getattr(pilot, "losses", pilot)
    if isinstance(losses, Losses) and (further := _planner_of_pilot(losses)) is not None:
        pair = losses.index(baseline), losses.index(challenger)
        return further(losses, *pair, method=default_method(losses), **aim)
    chosen = _correlations(rho1, rho2)
    if pilot is None:
        cases = _given_spread(sigma, n, chosen)
    else:
        losses = _losses_of_pilot(pilot)
        if chosen:
            cases = ()
        else:
            cases = _spread_of_examples(losses, challenger, baseline)
        cases = cases or _spread_of_pilot(losses, challenger, baseline, chosen or (EXACT, USUAL))
    return _plan_repetitions(cases, m, aim)


def _plan_repetitions(cases: Cases, m: int | None, aim: dict[str, Any]) -> Plan:
    """Find how many repetitions suffice in every case, and how many examples in each of them."""
    n = cases[0].n
    by_splits = isinstance(cases[0], Case)
    default = MOST if by_splits else DEFAULT_MOST
    draft = Plan(
        method=_test_of_splits() if by_splits else recommended(MX2_BCV),
        n=n,
        m=integer("m", default if m is None else m, low=cases[0].fewest, high=_MOST),
        cases=cases,
        repetitions=None,
        examples=n,
        fewest_examples=n,
        **aim,
    )
    first = draft.fewest if by_splits else FEWEST  # the first look of the default
    enough = (k for k in range(first, _MOST + 1) if min(draft.power(m=k)) >= draft.wanted)
    counts = [
        fewest(lambda size: draft.power(n=size)[k] >= draft.wanted, 8)  # noqa: B023
        for k in range(len(cases))
    ]
    sizes = [require_enough(size, "example", draft.difference) for size in counts]
    return replace(
        draft,
        repetitions=next(enough, None),
        examples=round_up(max(sizes)),
        fewest_examples=round_up(min(sizes)),
    )


def _test_of_splits() -> str:
    """Return the test of measures that give one value per split and none per example."""
    return recommended(MX2_BCV, measure=Quantity(name="value", lower_is_better=True))


def _planner_of_pilot(losses: Losses) -> Callable[..., TablePlan | FlipsPlan | PathPlan] | None:
    """Return the planner of a path or of a table; None for a pilot with repetitions."""
    kind = losses.partition.kind
    if kind.is_ordered:
        return plan_path
    if kind == TEST_SET and losses.quantity.right_or_wrong and losses.examples is not None:
        if losses.weights is None:
            return plan_of_answers
        return plan_table
    if kind.about:
        return plan_table
    return None


def _correlations(rho1: float | None, rho2: float | None) -> tuple[tuple[float, float], ...]:
    if rho1 is None and rho2 is None:
        return ()
    if rho1 is None or rho2 is None:
        refuse(None, "rho1 and rho2 must be given together but got only one of them.")
    return ((number("rho1", rho1), number("rho2", rho2)),)


def _given_spread(
    sigma: float | None, n: int | None, chosen: Sequence[tuple[float, float]]
) -> Cases:
    """Return the spread that the caller knows, in each case."""
    if sigma is None or n is None:
        refuse(
            "pilot",
            "pilot must be given, or sigma and n instead.",
            Advice("Pass ", {"rows": ("runs", "examples")}, " for results that exist already."),
        )
    sigma = fraction("sigma", sigma, high=np.inf)
    n = integer("n", n, low=8)
    if chosen:
        return tuple(Case(rho1=rho1, rho2=rho2, sigma=sigma, n=n) for rho1, rho2 in chosen)
    return tuple(InfluenceCase(rho2=rho2, sigma=sigma, n=n) for _, rho2 in (EXACT, USUAL))


def _losses_of_pilot(pilot: Any) -> Losses:
    losses = getattr(pilot, "losses", pilot)
    if not isinstance(losses, Losses):
        refuse("pilot", f"pilot must be a Comparison or Losses but got {short_repr(pilot)}.")
    if not losses.partition.kind.is_halving:
        raise NotApplicable(
            f"A plan needs a pilot on an m×2 design, not {str(losses.partition.kind)!r}. Run "
            "ef.Mx2BCV(3), or give sigma and n."
        )
    return losses


def _spread_of_examples(losses: Losses, challenger: str | int, baseline: str | int) -> Cases:
    """Return what the values of single examples show, or nothing where there are none."""
    key = default_method(losses)
    if not methods()[key].takes.closely:
        return ()
    b = losses.index(challenger)
    a = losses.index(baseline)
    return (influence_pilot(losses, key, challenger=b, baseline=a),)


def _spread_of_pilot(
    losses: Losses,
    challenger: str | int,
    baseline: str | int,
    chosen: Sequence[tuple[float, float]],
) -> Cases:
    """Return the spread of the splits of a pilot, in each case."""
    d = losses.differences(challenger, baseline).reshape(-1, 2)
    if np.ptp(d) <= _ROUNDING * np.abs(d).max():
        raise NotApplicable(NO_SPREAD)
    v2 = float(mx2_v2(d).value)
    n = losses.partition.n
    m = len(d)
    return tuple(
        Case(rho1=rho1, rho2=rho2, sigma=sigma_from(v2, m, rho1, rho2), n=n)
        for rho1, rho2 in chosen
    )
