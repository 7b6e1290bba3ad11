"""``plan``: how many repetitions, or examples, it takes to find a difference."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenfold.core.checks import fraction, integer, number, one_of, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import ALTERNATIVES
from evenfold.core.losses import Losses
from evenfold.core.words import decimals, round_up, shown
from evenfold.corridor.judge.needed import plan_table
from evenfold.infer import mx2_power, mx2_v2
from evenfold.infer.theory.planning import EXACT, USUAL, sigma_from

_MOST = 31  # repetitions: beyond, hardly anything is gained
_MANY = 2000  # repetitions, as good as infinitely many
_FAR = 10**9
_MX2 = ("mx2-bcv", "mx2", "blocked-3x2")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Case:
    """Correlations that are considered, and the standard deviation of one hold-out difference with them."""

    rho1: float
    rho2: float
    sigma: float


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class Plan:
    """
    What it takes to find a difference with ``mx2-t``.

    Attributes
    ----------
    difference, wanted, level, alternative
        What is to be found, with which power, at which level, on which side.
    n, m : int
        Examples that the cases are about, and the repetitions that are planned with.
    cases : tuple of Case
        The correlations that are considered.
    repetitions : int or None
        The fewest repetitions that suffice with n examples in every case, None if no number does.
    examples : int
        How many examples suffice with m repetitions in every case.
    fewest_examples : int
        How many suffice in the best case.
    """

    difference: float
    wanted: float
    level: float
    alternative: str
    n: int
    m: int
    cases: tuple[Case, ...]
    repetitions: int | None
    examples: int
    fewest_examples: int

    def power(self, *, n: int | None = None, m: int | None = None) -> tuple[float, ...]:
        """Return the power with n examples and m repetitions, one for each case."""
        at = self.n if n is None else integer("n", n, low=8)
        return tuple(
            mx2_power(
                self.difference,
                sigma=case.sigma * np.sqrt(self.n / at),
                m=self.m if m is None else m,
                rho1=case.rho1,
                rho2=case.rho2,
                level=self.level,
                alternative=self.alternative,
            )
            for case in self.cases
        )

    @property
    def limit(self) -> float:
        """Power with n examples and as many repetitions as one likes, in the worst case."""
        return min(self.power(m=_MANY))

    def __str__(self) -> str:
        now = self.power()
        has = f"{now[0]:.2f}" if max(now) - min(now) < 0.005 else f"{min(now):.2f} to {max(now):.2f}"
        size = shown(self.difference, digits=decimals(self.difference))
        start = (
            f"to find a difference of {size} with a power of {100 * self.wanted:.4g} % "
            f"(mx2-t, level {self.level:g}, {self.alternative}): {self.m} repetitions on {self.n} examples "
            f"have a power of {has}"
        )
        if self.repetitions is not None:
            fits = 4 * self.repetitions
            return f"{start}; {self.repetitions} repetitions suffice, {fits} fits for two algorithms."
        return (
            f"{start}, and more repetitions do not help (at most {self.limit:.2f}): their training and test "
            f"sets overlap, so the variance does not go to 0; about {self._many} examples suffice, with "
            f"{self.m} repetitions."
        )

    @property
    def _many(self) -> str:
        ends = dict.fromkeys([self.fewest_examples, self.examples])
        return " to ".join(f"{end:,}".replace(",", " ") for end in ends)

    def __repr__(self) -> str:
        return f"<Plan: {self}>"

    def plot(self) -> Any:
        """Return a matplotlib figure: power against examples and against repetitions."""
        from evenfold.report.figures.power import PowerInfo, plot

        low, high = min(self.n, self.fewest_examples) / 4, 1.6 * max(self.n, self.examples)
        sizes = tuple(int(size) for size in np.unique(np.geomspace(max(low, 8), high, 41).astype(int)))
        counts = tuple(range(2, _MOST + 1))
        info = PowerInfo(
            difference=self.difference,
            wanted=self.wanted,
            n=self.n,
            m=self.m,
            names=tuple(f"ρ1 = {case.rho1:g}, ρ2 = {case.rho2:g}" for case in self.cases),
            sizes=sizes,
            by_size=tuple(self.power(n=size) for size in sizes),
            counts=counts,
            by_count=tuple(self.power(m=m) for m in counts),
        )
        return plot(info)


def plan(
    difference: float,
    *,
    pilot: Any = None,
    sigma: float | None = None,
    n: int | None = None,
    m: int | None = None,
    baseline: str | int = 0,
    challenger: str | int = 1,
    power: float = 0.8,
    level: float = 0.05,
    alternative: str = "two-sided",
    rho1: float | None = None,
    rho2: float | None = None,
) -> Plan:
    """
    Say how many repetitions, or examples, it takes to find a difference.

    Parameters
    ----------
    difference : float
        The difference that is to be found, in the measure's own units; only its size counts.
    pilot : Comparison or Losses, optional
        A run of an m×2 design, from which the spread is taken; or what ``ef.judge`` said of a table of
        examples, clusters or runs: then the answer counts these.
    sigma, n : float, int
        Without a pilot: the standard deviation of one hold-out difference, and of how many examples (half
        of them train).
    m : int, optional
        Repetitions to plan with: by default those of the pilot, else 9.
    baseline, challenger : str or int
        The pair of the pilot.
    power : float, default 0.8
        The chance with which the difference is to be found.
    level, alternative
        Of the test ``mx2-t``.
    rho1, rho2 : float, optional
        Correlations within and between repetitions, if they are known. One run cannot tell them (R19 theorem
        5.1), so by default two cases are planned for: ρ1 = ρ2 = ½, at which the test is exact, and .2, as
        usual for differences of algorithms.

    Returns
    -------
    Plan
        Prints as a sentence; ``repetitions``, ``examples``, ``power(n=, m=)``, ``plot()``. Of a table:
        ``units`` (examples or clusters), ``runs``, ``power(units=, runs=)``.

    Notes
    -----
    *Validity.* More examples are taken to lower σ² in proportion and to leave the difference as it is,
    although models change with the training size n/2. A pilot's spread has few degrees of freedom: with nine
    repetitions σ is known to some 20 %, so sizes to some 40 %. The sequential default of ``compare`` stops
    earlier on large differences and has somewhat less power on small ones.

    Examples
    --------
    >>> import evenfold as ef
    >>> plan = ef.plan(0.02, sigma=0.015, n=500)
    >>> plan.repetitions, plan.fewest_examples, plan.examples
    (None, 1320, 1640)
    """
    difference = abs(number("difference", difference))
    if difference == 0:
        refuse("difference", "other than 0", 0.0)
    level = fraction("level", level, high=0.5)
    wanted = fraction("power", power, low=level)
    one_of("alternative", alternative, ALTERNATIVES)
    if (table := _of_a_table(pilot)) is not None:
        a, b = table.index(baseline), table.index(challenger)
        asked = {"difference": difference, "wanted": wanted, "level": level}
        return plan_table(table, a, b, **asked)  # type: ignore[return-value]  # of models trained elsewhere
    chosen = _correlations(rho1, rho2)
    if pilot is None:
        sigma, n, m = _given(sigma, n, m)
        cases = [Case(rho1=one, rho2=two, sigma=sigma) for one, two in chosen]
    else:
        v2, n, own = _piloted(pilot, baseline, challenger)
        cases = [Case(rho1=one, rho2=two, sigma=sigma_from(v2, own, one, two)) for one, two in chosen]
        m = own if m is None else integer("m", m, low=2, high=_MOST)
    draft = Plan(
        difference=difference,
        wanted=wanted,
        level=level,
        alternative=alternative,
        n=n,
        m=m,
        cases=tuple(cases),
        repetitions=None,
        examples=n,
        fewest_examples=n,
    )
    return _solved(draft)


def _of_a_table(pilot: Any) -> Losses | None:
    """The losses of a pilot that ``judge`` read from a table of models trained elsewhere."""
    losses = getattr(pilot, "losses", pilot)
    return losses if isinstance(losses, Losses) and losses.partition.kind.about else None


def _correlations(rho1: float | None, rho2: float | None) -> tuple[tuple[float, float], ...]:
    if rho1 is None and rho2 is None:
        return EXACT, USUAL
    if rho1 is None or rho2 is None:
        refuse("rho1 and rho2", "given together", "one of them")
    return ((number("rho1", rho1), number("rho2", rho2)),)


def _given(sigma: float | None, n: int | None, m: int | None) -> tuple[float, int, int]:
    if sigma is None or n is None:
        refuse("pilot", "given, or sigma and n instead", "neither")
    m = 9 if m is None else integer("m", m, low=2, high=_MOST)
    return number("sigma", sigma, low=1e-12), integer("n", n, low=8), m


def _piloted(pilot: Any, baseline: str | int, challenger: str | int) -> tuple[float, int, int]:
    """Return V2 of a pilot, its examples and its repetitions."""
    losses = getattr(pilot, "losses", pilot)
    if not isinstance(losses, Losses):
        refuse("pilot", "a Comparison or Losses", pilot)
    if losses.partition.kind not in _MX2:
        raise NotApplicable(
            f"a plan needs a pilot on an m×2 design, not {losses.partition.kind!r}; run ef.Mx2BCV(3), or "
            "give sigma and n"
        )
    d = losses.differences(challenger, baseline).reshape(-1, 2)
    v2 = float(mx2_v2(d).value)
    if v2 == 0:
        raise NotApplicable("the pilot's differences show no spread, so nothing can be planned from it")
    return v2, losses.partition.n, len(d)


def _solved(draft: Plan) -> Plan:
    enough = [m for m in range(2, _MOST + 1) if min(draft.power(m=m)) >= draft.wanted]
    sizes = [_examples(draft, k) for k in range(len(draft.cases))]
    return replace(
        draft,
        repetitions=enough[0] if enough else None,
        examples=round_up(max(sizes)),
        fewest_examples=round_up(min(sizes)),
    )


def _examples(draft: Plan, k: int) -> int:
    """Return the fewest examples that suffice in the k-th case, by halving."""
    low, high = 8, 16
    while draft.power(n=high)[k] < draft.wanted:
        low, high = high, 2 * high
        if high > _FAR:
            refuse("difference", "large enough to be found with a billion examples", draft.difference)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if draft.power(n=middle)[k] >= draft.wanted else (middle, high)
    return high
