"""The history of a gate that runs every night, with its last good night, its trend and alarms."""

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
from evenfold.core.words import count, format_number
from evenfold.evals.keep.ledger import lock_file, read_sealed, write_sealed
from evenfold.infer.adjust import spending_weight

_KIND = "nights"
_VERSION = 1
_LARGEST = 1e150  # the square of this number is still finite
_GOOD = (str(Outcome.BETTER), str(Outcome.EQUIVALENT), str(Outcome.NOT_WORSE))


@dataclass(frozen=True, kw_only=True, slots=True)
class Night:
    """
    The result of one night. Every improvement is over the baseline, and positive is better.

    Attributes
    ----------
    when : str
        The date and time in UTC.
    baseline, candidate, measure : str
        The names of the two algorithms that were compared, and of the measure.
    outcome : str
        The verdict of this night alone.
    value, low, high : float
        The improvement with its interval. The intervals of all nights hold simultaneously.
    alarm : bool
        Whether the interval shows that the candidate is worse by more than the margin.
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
    """All nights so far. The text names the last good night, the alarms and the trend."""

    nights: tuple[Night, ...]
    level: float

    @property
    def last_good(self) -> Night | None:
        """The last night whose verdict was better, equivalent or not worse."""
        return next((night for night in reversed(self.nights) if night.outcome in _GOOD), None)

    @property
    def alarms(self) -> tuple[Night, ...]:
        """The nights on which the candidate was shown to be worse by more than the margin."""
        return tuple(night for night in self.nights if night.alarm)

    @property
    def trend(self) -> tuple[float, float, float] | None:
        """The change of the improvement per night with its interval; None before four nights."""
        if len(self.nights) < 4:
            return None
        values = [night.value for night in self.nights]
        return slope(values, self.level * spending_weight(len(values)))

    def __str__(self) -> str:
        last = self.last_good
        good = "no night was good"
        if last is not None:
            good = f"last good: {last.candidate} ({last.when[:10]})"
        alarms = f"{len(self.alarms)} worse beyond chance"
        error = f"{100 * self.level:g}% chance of any false alarm over all nights"
        nights = count(len(self.nights), "night")
        return f"{nights}; {good}; {alarms} ({error}){self._trend()}"

    def _trend(self) -> str:
        trend = self.trend
        if trend is None:
            return ""
        value, low, high = (format_number(x, digits=4) for x in trend)
        return f"; trend {value} a night ({low} to {high})"


def slope(values: Sequence[float], level: float) -> tuple[float, float, float]:
    """
    Return the least-squares slope of values over their positions, with its confidence interval.

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

    The interval of night j has the significance level 6/(π²j²) times the level of the history. The
    intervals of all nights hold simultaneously with probability 1 − level, however many nights
    there will be.
    """
    if len(comparison.pairs) != 1 or comparison.pairs[0].verdict is None:
        refuse(
            "history", f"A history must be of one candidate but got {len(comparison.pairs)} pairs."
        )
    with lock_file(path):
        if path.exists():
            before = read_nights(path)
        else:
            before = Nights(nights=(), level=float(comparison.facts.level))
        night = _night_of(comparison, before, when or datetime.now(UTC))
        after = Nights(nights=(*before.nights, night), level=before.level)
        write_sealed(path, _KIND, _VERSION, asdict(after))
    return after


def read_nights(path: Path) -> Nights:
    """Read the nights of a file."""
    content = read_sealed(path, _KIND, _VERSION)
    nights = build(Nights, content, path.name)
    require_sense(nights, path.name)
    fraction(f"{path.name}: level", nights.level)
    for night in nights.nights:
        one_of(f"{path.name}: outcome", night.outcome, map(str, Outcome))
        number(f"{path.name}: value", night.value, low=-_LARGEST, high=_LARGEST)
    return nights


def _night_of(comparison: Comparison, before: Nights, when: datetime) -> Night:
    pair: Any = comparison.pairs[0]
    quantity = comparison.losses.quantity
    last = before.nights[-1] if before.nights else None
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
