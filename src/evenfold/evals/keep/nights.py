"""The history of a gate that is asked every night: its last good night, trend and alarms."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.comparison.result import Comparison
from evenfold.core.checks import fraction, number, one_of, refuse
from evenfold.core.facts.plain import require_sense
from evenfold.core.json import build
from evenfold.core.verdict import Outcome
from evenfold.core.words import format_number
from evenfold.evals.keep.ledger import lock_file, read_sealed, write_sealed
from evenfold.infer.adjust import spending_weight

_KIND = "nights"
_VERSION = 1
_LARGEST = 1e150  # whose square is a number still
_GOOD = (Outcome.BETTER, Outcome.EQUIVALENT, Outcome.NOT_WORSE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Night:
    """
    What one night found, all improvements over the baseline: positive is better.

    Attributes
    ----------
    when : str
        Date and time, UTC.
    baseline, candidate, measure : str
        Who was compared, and by what.
    outcome : str
        The verdict of that night by itself.
    value, low, high : float
        Improvement, and an interval that holds together with those of all other nights.
    alarm : bool
        Whether the candidate is worse by more than the margin, by that interval.
    """

    when: str
    baseline: str
    candidate: str
    measure: str
    outcome: str
    value: float
    low: float
    high: float
    alarm: bool


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Nights:
    """All nights so far; prints as what a person wants to know in the morning."""

    nights: tuple[Night, ...]
    level: float

    @property
    def last_good(self) -> Night | None:
        """The last night whose verdict was better, equivalent or not worse."""
        good = {str(one) for one in _GOOD}
        return next((one for one in reversed(self.nights) if one.outcome in good), None)

    @property
    def alarms(self) -> tuple[Night, ...]:
        """The nights that were worse beyond chance, all nights taken together."""
        return tuple(one for one in self.nights if one.alarm)

    @property
    def trend(self) -> tuple[float, float, float] | None:
        """Change of the improvement per night with its interval; None before the fourth night."""
        if len(self.nights) < 4:
            return None
        return slope(
            [one.value for one in self.nights], self.level * spending_weight(len(self.nights))
        )

    def __str__(self) -> str:
        count = len(self.nights)
        last = self.last_good
        if last is None:
            good = "no night was good"
        else:
            good = f"last good: {last.candidate} ({last.when[:10]})"
        alarms = f"{len(self.alarms)} worse beyond chance"
        error = f"{100 * self.level:g}% chance of any false alarm over all nights"
        return (
            f"{count} night{'' if count == 1 else 's'}; {good}; {alarms} ({error}){self._trend()}"
        )

    def _trend(self) -> str:
        found = self.trend
        if found is None:
            return ""
        value, low, high = (format_number(x, digits=4) for x in found)
        return f"; trend {value} a night ({low} to {high})"


def slope(values: Sequence[float], level: float) -> tuple[float, float, float]:
    """
    Least-squares slope of values over their positions, with its interval at this level.

    Examples
    --------
    >>> [round(x, 3) for x in slope([0.0, 0.1, 0.2, 0.3, 0.5], 0.05)]
    [0.12, 0.083, 0.157]
    """
    from scipy.stats import linregress, t

    fit = linregress(np.arange(len(values)), values)
    reach = t.isf(level / 2, len(values) - 2) * fit.stderr
    return float(fit.slope), float(fit.slope - reach), float(fit.slope + reach)


def record_night(path: Path, comparison: Comparison, when: datetime | None = None) -> Nights:
    """
    Add tonight's verdict to the file and return all nights.

    The interval of night j has the level × 6/(π²j²). The intervals of all nights, however many
    there will be, hold together with probability 1 − level, so that looking every night costs
    nothing.
    """
    if len(comparison.pairs) != 1 or comparison.pairs[0].verdict is None:
        refuse(
            "history",
            f"A history is of one candidate but got {len(comparison.pairs)} pairs.",
        )
    with lock_file(path):
        if path.exists():
            before = read_nights(path)
        else:
            before = Nights(nights=(), level=float(comparison.facts.level))
        night = _night_of(comparison, before, when or datetime.now(UTC))
        after = Nights(nights=(*before.nights, night), level=before.level)
        content = {"level": after.level, "nights": [asdict(one) for one in after.nights]}
        write_sealed(path, _KIND, _VERSION, content)
    return after


def read_nights(path: Path) -> Nights:
    """Read the nights of a file."""
    content = read_sealed(path, _KIND, _VERSION)
    nights = build(Nights, content, path.name)
    require_sense(nights, path.name)
    fraction(f"{path.name}: level", nights.level)
    for one in nights.nights:
        one_of(f"{path.name}: outcome", one.outcome, [str(known) for known in Outcome])
        number(f"{path.name}: value", one.value, low=-_LARGEST, high=_LARGEST)
    return nights


def _night_of(comparison: Comparison, before: Nights, when: datetime) -> Night:
    pair: Any = comparison.pairs[0]
    quantity = comparison.losses.quantity
    last = None
    if before.nights:
        last = before.nights[-1]
    if last is not None and (last.measure, last.baseline) != (quantity.name, pair.baseline):
        refuse(
            "history",
            f"The nights of a history must be about the same question, {last.measure} against "
            f"{last.baseline}, but got {quantity.name} against {pair.baseline}.",
        )
    level = before.level * spending_weight(len(before.nights) + 1)
    low, high = (float(end) for end in pair.estimate.confidence_interval(1 - level))
    worst, best = quantity.improvements(low, high)
    return Night(
        when=when.astimezone(UTC).isoformat(timespec="seconds"),
        baseline=pair.baseline,
        candidate=pair.challenger,
        measure=quantity.name,
        outcome=str(pair.verdict.outcome),
        value=quantity.improvement(float(pair.estimate.value)),
        low=worst,
        high=best,
        alarm=bool(best < -pair.verdict.margin),
    )
