"""Everything a leaderboard says, as one plain value."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from evenfold.core.checks import refuse
from evenfold.core.facts.plain import PlainFacts
from evenfold.core.losses import Quantity
from evenfold.core.note import Note
from evenfold.core.words import precision


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardEntry:
    """
    One model of a leaderboard.

    Attributes
    ----------
    name : str
        The model.
    value, low, high : float
        What it is ranked by, and an interval that holds together with those of all others.
    rank : int
        Its rank by value, 1 for the best.
    first, last : int
        The ranks that it may truly have; these rank sets of all models hold together.
    among_best : bool
        Whether it may be the best: whether its rank set holds 1.
    ties : str
        Letters: two models share one exactly if they are tied.
    tier : int
        1 if no other was shown to be better, 2 if only models of tier 1 were, ….
    marginal_first, marginal_last : int
        The ranks that it may have if it alone is asked about, chosen before the board was seen.
    further_first, further_last : float or None
        Between which ranks it will lie on a further task; None where there are no tasks.
    count : int
        On how many tasks it was run, or how many battles it fought.
    """

    name: str
    value: float
    low: float
    high: float
    rank: int
    first: int
    last: int
    among_best: bool
    ties: str
    tier: int
    marginal_first: int
    marginal_last: int
    further_first: float | None
    further_last: float | None
    count: int

    @property
    def letters(self) -> frozenset[str]:
        """The letters of ``ties``, one by one."""
        return frozenset(re.findall(r"[a-z]|\(\d+\)", self.ties))


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardFacts(PlainFacts):
    """
    Everything a report of a leaderboard says.

    Attributes
    ----------
    quantity
        What the models are ranked by, as in :class:`evenfold.core.facts.comparison.Facts`.
    of : str
        What was measured on each task; empty for battles.
    small_is_good : bool
        Whether small values on a task are good.
    about : str
        What the answer is about: new tasks, new examples, new prompts.
    unit : str
        What varied, in the singular: "task", "example", "battle".
    units : int
        How many of them there are.
    entries : tuple of BoardEntry
        The models, the best first.
    beats : tuple of tuple of int
        The places in ``entries`` of the models that each was shown to be better than.
    tasks : tuple of str
        Names of the tasks; none for battles.
    values : tuple of tuple of float
        One row per model, one value per task, NaN where there is none.
    wins : tuple of tuple of float
        The share of tasks, or battles, that the row won against the column, ties counted half; NaN
        where they never met. Empty where there are too many models to look at.
    resolved : int
        How many neighbours were shown to differ.
    sentence : str
        What is resolved, in words.
    level, notes, call, versions, created
        As in :class:`evenfold.core.facts.comparison.Facts`.
    """

    schema = "board"

    quantity: Quantity
    of: str
    small_is_good: bool
    about: str
    unit: str
    units: int
    entries: tuple[BoardEntry, ...]
    beats: tuple[tuple[int, ...], ...]
    tasks: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    wins: tuple[tuple[float, ...], ...]
    resolved: int
    sentence: str
    level: float
    notes: tuple[Note, ...]
    call: str
    versions: Mapping[str, str]
    created: str

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The models, the best first."""
        return tuple(one.name for one in self.entries)

    @property
    def digits(self) -> int:
        """Decimals of the values: those of the shortest interval, if neighbours need so many."""
        known = [one for one in self.entries if math.isfinite(one.high - one.low)]
        return max((precision(one.value, one.low, one.high) for one in known), default=3)


def require_board(facts: BoardFacts) -> None:
    """Refuse facts of a file whose rows are not those of its models and tasks."""
    models = len(facts.entries)
    if len(facts.beats) != models or any(not 0 <= j < models for row in facts.beats for j in row):
        refuse(
            None,
            f"facts.beats must be about the {models} models of the board but names others.",
        )
    for name, rows, width in (
        ("values", facts.values, len(facts.tasks)),
        ("wins", facts.wins, models),
    ):
        if rows and (len(rows) != models or any(len(row) != width for row in rows)):
            refuse(
                f"facts.{name}",
                f"facts.{name} must have {models} rows of {width} numbers but it has others.",
            )
