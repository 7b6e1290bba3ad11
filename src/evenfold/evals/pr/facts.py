"""What is known of a pull request: every check with its findings, as plain values."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from evenfold.cli.gate import GATE_FAILED, PASSED, UNDECIDED
from evenfold.cli.output import BAD_USAGE, FAILED
from evenfold.core.json import to_plain, write_json
from evenfold.core.note import Note

SCHEMA = "pull-request-1"
ORDER = (BAD_USAGE, FAILED, GATE_FAILED, UNDECIDED, PASSED)  # of several checks the worst wins


class State(StrEnum):
    """The result of one check, or of one of its benchmarks."""

    REFUSED = "not judged"
    REGRESSION = "regression"
    UNKNOWN = "unknown"
    UNDECIDED = "undecided"
    IMPROVEMENT = "improvement"
    NOT_WORSE = "not worse"
    UNCHANGED = "unchanged"

    @property
    def rank(self) -> int:
        """The place in a comment. What a reader must act on comes first."""
        return list(State).index(self)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Finding:
    """
    One quantity of both sides: the measure of a check, or one of its benchmarks.

    Attributes
    ----------
    name : str
        The measure, or the benchmark.
    state : State
        What its interval says.
    why : Note or None
        Why the state is unknown.
    base, head : float
        The values of both sides.
    value, low, high : float
        Head − base in the measure's own units, or head over base of a ratio, and its interval.
    level : float
        Error level of the interval.
    margin : float
        The largest change that counts as none, in the units of ``value``.
    room : float
        How much worse than the base any values can be.
    ratio, lower_is_better : bool
        What kind of quantity it is.
    passes, catches : float or None
        How often a candidate whose true difference is 0 passes the check, and how often one that is
        worse by twice the margin is stopped.
    """

    name: str
    state: State
    why: Note | None = None
    base: float = math.nan
    head: float = math.nan
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    level: float = math.nan
    margin: float = 0.0
    room: float = math.inf
    ratio: bool = False
    lower_is_better: bool = False
    passes: float | None = None
    catches: float | None = None

    @property
    def urgency(self) -> tuple[int, float]:
        """The key that sorts findings so that what needs a reader comes first."""
        return self.state.rank, self.change

    @property
    def change(self) -> float:
        """The change as a share of the base's value; it is negative if the head is worse."""
        if self.ratio:
            relative = self.value - 1
        elif self.base:
            relative = self.value / abs(self.base)
        else:
            relative = math.copysign(math.inf, self.value) if self.value else 0.0
        return -relative if self.lower_is_better else relative


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class CheckFacts:
    """
    One check of a pull request.

    Attributes
    ----------
    name : str
        Its name in the configuration.
    code : int
        Its exit code.
    level, share : float
        Its error level, as a number and as a share of the error budget.
    counted_as : str or None
        Whether an undecided or unknown answer passes or fails by the configuration.
    findings : tuple of Finding
        The worst first.
    matched : int or None
        The number of ids, which both sides share; None if nothing is matched.
    refused : str
        Why the check could not be judged. It is empty if it could.
    sentences : tuple of str
        The verdicts in words.
    notes : tuple of Note
        The notes that a reader needs with the verdicts.
    warnings : tuple of Note
        The notes that the check can hardly pass, or hardly fail.
    """

    derived: ClassVar[tuple[str, ...]] = ("state",)

    name: str
    code: int
    level: float
    share: float
    counted_as: str | None = None
    findings: tuple[Finding, ...] = ()
    matched: int | None = None
    refused: str = ""
    sentences: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()

    @property
    def state(self) -> State:
        """The worst state among its findings."""
        if self.refused or not self.findings:
            return State.REFUSED
        return min((finding.state for finding in self.findings), key=lambda state: state.rank)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PullRequestFacts:
    """
    All checks of a pull request.

    Attributes
    ----------
    level : float
        The error budget that the checks share.
    checks : tuple of CheckFacts
        The checks. Those that a reader must act on come first.
    base, head : str or None
        The commits of both sides.
    age : float or None
        By how many seconds the base is older than the head.
    notes : tuple of Note
        The notes about the pull request as a whole.
    """

    derived: ClassVar[tuple[str, ...]] = ("code",)

    level: float
    checks: tuple[CheckFacts, ...]
    base: str | None = None
    head: str | None = None
    age: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def code(self) -> int:
        """The exit code: that of the worst check."""
        return min((check.code for check in self.checks), key=ORDER.index)

    def to_json(self) -> str:
        """Return all facts as JSON."""
        return write_json({"evenfold": SCHEMA, **to_plain(self)})
