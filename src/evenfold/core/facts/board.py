"""The facts of a leaderboard, as plain values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evenfold.core.checks import refuse
from evenfold.core.facts.answers import letters_of
from evenfold.core.facts.plain import PlainFacts, shared_digits
from evenfold.core.losses import Quantity
from evenfold.core.note import Note


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardEntry:
    """
    One model of a leaderboard.

    Attributes
    ----------
    name : str
        The model.
    value, low, high : float
        The value by which the model is ranked, and an interval. The intervals of all models hold
        simultaneously.
    rank : int
        The rank by value, 1 for the best.
    first, last : int
        The smallest and the largest rank that the model may truly have. The rank sets of all models
        hold simultaneously.
    among_best : bool
        Whether the model may be the best, that is, whether its rank set contains 1.
    ties : str
        Letters; two models share a letter exactly if they are tied.
    tier : int
        1 if no other model was shown to be better, 2 if only models of tier 1 were, and so on.
    marginal_first, marginal_last : int
        The ranks that the model may have if the question is about this model alone, chosen before
        the board was seen.
    further_first, further_last : float or None
        The range of its rank on a new task; None if there are no tasks.
    count : int
        Number of tasks that the model was run on, or of battles that it fought.
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
        """The set of the letters in ``ties``."""
        return letters_of(self.ties)


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardFacts(PlainFacts):
    """
    The facts of a leaderboard, from which its report is written.

    Attributes
    ----------
    quantity
        The quantity by which the models are ranked, as in
        :class:`evenfold.core.facts.comparison.Facts`.
    of : str
        The measure on each task; empty for battles.
    small_is_good : bool
        Whether small values on a task are good.
    about : str
        The population that the answer is about: new tasks, new examples or new prompts.
    unit : str
        The unit that varied, in the singular: "task", "example" or "battle".
    units : int
        Number of units.
    entries : tuple of BoardEntry
        The models, the best first.
    beats : tuple of tuple of int
        The places in ``entries`` of the models that each was shown to be better than.
    tasks : tuple of str
        Names of the tasks; empty for battles.
    values : tuple of tuple of float
        One row per model with one value per task; NaN if a value is missing.
    wins : tuple of tuple of float
        The share of tasks, or battles, that the model of the row won against the model of the
        column. Ties count half, and the share is NaN if they never met. Empty if there are too many
        models for a table.
    resolved : int
        Number of neighbours that were shown to differ.
    sentence : str
        A sentence about what is resolved.
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
        return tuple(entry.name for entry in self.entries)

    @property
    def digits(self) -> int:
        """The number of decimals of the values, which the shortest interval decides."""
        return shared_digits(
            entry for entry in self.entries if math.isfinite(entry.high - entry.low)
        )


def require_board(facts: BoardFacts) -> None:
    """Refuse facts of a file whose rows do not match its models and tasks."""
    models = len(facts.entries)
    if len(facts.beats) != models or any(not 0 <= j < models for row in facts.beats for j in row):
        refuse(
            None,
            f"facts.beats must hold a row of places for each of the {models} models of the board "
            "but has other rows or places.",
        )
    for name, rows, width in (
        ("values", facts.values, len(facts.tasks)),
        ("wins", facts.wins, models),
    ):
        if rows and (len(rows) != models or any(len(row) != width for row in rows)):
            refuse(
                f"facts.{name}",
                f"facts.{name} must have {models} rows of {width} numbers but has another shape.",
            )
