"""What the file behind ``keep`` remembers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from evenfold.core.errors import InvalidInput, in_a_line
from evenfold.corridor.keep.sealed import read_sealed, write_sealed

_KIND = "keep"
_VERSION = 1

Columns = Mapping[str, list[Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """
    One proposal and what became of it.

    Attributes
    ----------
    name : str
        What was proposed.
    against : str
        The best at that time, which it was compared with.
    kept : bool
        Whether it was shown to be better, at its own level.
    value, bound : float
        How much better it is than the best of that time, in the measure's own units and so that positive is
        better; and the lower bound of that, at the proposal's level.
    pvalue : float
        One-sided, of "it is not better".
    level : float
        The level that this proposal had.
    shown : str
        What the proposer was shown of results on these items by then.
    guaranteed : bool
        Whether the promise of the whole loop covers this decision.
    """

    name: str
    against: str
    kept: bool
    value: float
    bound: float
    pvalue: float
    level: float
    shown: str
    guaranteed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Ledger:
    """
    Everything that a loop must remember.

    Attributes
    ----------
    level, control, horizon, margin : float, str, int or None, float
        What was promised at the start, and what a keep must be better by.
    shown : str
        What the proposer is shown of results on the items in use.
    asked : mapping
        How tables are judged: measure, positive class, direction.
    first, best : str
        The baseline of the start, and the running best.
    tables : mapping of name to columns
        The item-level answers of the first and of the best, on the items in use.
    reserve : mapping of name to columns
        Their answers on the items that no decision looks at; empty where none were held back.
    reserved : tuple
        Ids of those items.
    proposals : tuple of Proposal
        All of them, in order.
    items_since : int
        How many proposals there had been when the items in use were new.
    """

    level: float
    control: str
    horizon: int | None
    margin: float
    shown: str
    asked: Mapping[str, Any]
    first: str
    best: str
    tables: Mapping[str, Columns]
    reserve: Mapping[str, Columns]
    reserved: tuple[Any, ...]
    proposals: tuple[Proposal, ...] = ()
    items_since: int = 0

    @property
    def on_these_items(self) -> tuple[Proposal, ...]:
        """The proposals that were judged on the items in use."""
        return self.proposals[self.items_since :]

    @property
    def kept(self) -> int:
        """How many proposals were kept, of all."""
        return sum(one.kept for one in self.proposals)

    def with_proposal(self, proposal: Proposal, table: Columns, reserve: Columns | None) -> Self:
        """Return the ledger after one more proposal, which is the best from now on if it was kept."""
        after = replace(self, proposals=(*self.proposals, proposal))
        if not proposal.kept:
            return after
        names = {self.first, proposal.name}
        tables = {name: one for name, one in {**self.tables, proposal.name: table}.items() if name in names}
        kept = {} if reserve is None else {**self.reserve, proposal.name: reserve}
        held = {name: one for name, one in kept.items() if name in names}
        return replace(after, best=proposal.name, tables=tables, reserve=held)


def read_ledger(path: Path) -> Ledger:
    """Read the file, or say in one line why not."""
    content = read_sealed(path, _KIND, _VERSION)
    try:
        known = {field.name: content[field.name] for field in fields(Ledger)}
        known["proposals"] = tuple(Proposal(**one) for one in known["proposals"])
        known["reserved"] = tuple(known["reserved"])
        return Ledger(**known)
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"{path.name} is torn: {in_a_line(error)} is missing or unknown") from error


def write_ledger(path: Path, ledger: Ledger) -> None:
    """Replace the file in one step."""
    write_sealed(path, _KIND, _VERSION, asdict(ledger))
