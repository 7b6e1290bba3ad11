"""What the file behind ``keep`` remembers, in files that must not lie."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic, sleep
from typing import Any, Self

from evenfold.core.checks import fraction, integer, number, one_of, refuse, short_repr
from evenfold.core.errors import InvalidInput
from evenfold.core.facts.plain import require_sense
from evenfold.core.json import build, parse, to_plain
from evenfold.core.words import reason

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Files that must not lie: written whole or not at all, by one process, sealed against edits.


# many processes may be waiting in turn, and a lock goes with the process that held it
_PATIENCE_SECONDS = 300.0
_LARGEST_BYTES = 2**28


def read_sealed(path: Path, kind: str, version: int) -> dict[str, Any]:
    """Return what a file of this kind holds; refuse one that is torn, edited or another's."""
    if path.stat().st_size > _LARGEST_BYTES:
        refuse("file", f"file must be below {_LARGEST_BYTES:,} bytes, but {path.name} is larger.")
    try:
        content = parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is damaged: it is not UTF-8.") from error
    except ValueError as error:
        raise InvalidInput(f"{path.name} is damaged: it is not JSON ({reason(error)}).") from error
    if not isinstance(content, dict) or content.get("evenfold") != kind:
        refuse(
            "file",
            f"file must be one of the kind {kind!r} that evenfold wrote, but {path.name} is not.",
            "Start a new one.",
        )
    if content.get("version") != version:
        refuse(
            "file",
            f"file must have version {version}, but {path.name} has version "
            f"{short_repr(content.get('version'))}.",
            "Use the evenfold that wrote it.",
        )
    if content.pop("seal", None) != _seal(content):
        refuse(
            "file",
            f"file must be as evenfold left it, but {path.name} was edited.",
            "Take the last good copy.",
        )
    return content


def write_sealed(
    path: Path, kind: str, version: int, content: Mapping[str, Any], *, indent: int | None = None
) -> None:
    """
    Replace the file in one step: a reader sees either the old file or the new one, never a part.

    With an indent, people can read in a repository what changed.
    """
    whole = {"evenfold": kind, "version": version, **content}
    whole = json.loads(
        json.dumps(to_plain(whole), allow_nan=False)
    )  # what a reader will see, and so what is sealed
    with NamedTemporaryFile(
        "w", dir=path.absolute().parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as file:
        json.dump({**whole, "seal": _seal(whole)}, file, ensure_ascii=False, indent=indent)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)


def _seal(content: Mapping[str, Any]) -> str:
    """A checksum: against torn files and slips of an editor, not against deliberate fraud."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """
    Hold the file alone: a second process waits, so that no proposal is lost or judged twice.

    The system locks a file beside it. The lock ends with the process that holds it, however that
    process ends.
    """
    with path.with_name(f".{path.name}.lock").open("a+b") as file:
        deadline = monotonic() + _PATIENCE_SECONDS
        while not _try_lock(file.fileno()):
            if monotonic() > deadline:
                refuse(
                    "file",
                    f"Another process has held {path.name} for more than {_PATIENCE_SECONDS:g} "
                    "seconds.",
                    "Wait for that process, or end it.",
                )
            sleep(0.02)
        yield


def _try_lock(number: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


_KIND = "keep"
_VERSION = 1
_ASKED = ("measure", "positive", "higher_is_better", "lower_is_better", "columns", "rows")

ANY = "any"  # the chance of any false keep in the whole loop
RATE = "rate"  # the expected share of false keeps among all keeps
CONTROLS = (ANY, RATE)

NOTHING = "nothing"
DECISIONS = "decisions"
SCORES = "scores"
# what a proposer may have seen of results on the items, least first
SHOWN = (NOTHING, DECISIONS, SCORES)

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
        How much better it is than the best of that time, in the measure's own units and so that
        positive is better; and the lower bound of that, at the proposal's level.
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
        """Return the ledger after one more proposal, which becomes the best if it was kept."""
        after = replace(self, proposals=(*self.proposals, proposal))
        if not proposal.kept:
            return after
        tables = {self.first: self.tables[self.first], proposal.name: table}
        held = {}
        if reserve is not None:
            held = {self.first: self.reserve[self.first], proposal.name: reserve}
        return replace(after, best=proposal.name, tables=tables, reserve=held)


def read_ledger(path: Path) -> Ledger:
    """Read the file, or say in one line why not."""
    ledger = build(Ledger, read_sealed(path, _KIND, _VERSION), path.name)
    require_sense(ledger, path.name)
    _require_whole(ledger, path.name)
    return ledger


def _require_whole(ledger: Ledger, file: str) -> None:
    """Refuse a loop that names what it does not have, whoever wrote the file."""
    one_of(f"{file}: control", ledger.control, CONTROLS)
    for shown in (ledger.shown, *(one.shown for one in ledger.proposals)):
        one_of(f"{file}: shown", shown, SHOWN)
    fraction(f"{file}: level", ledger.level, high=0.5)
    number(f"{file}: margin", ledger.margin, low=0)
    if ledger.horizon is not None:
        integer(f"{file}: horizon", ledger.horizon, low=1)
    integer(f"{file}: items_since", ledger.items_since, low=0, high=len(ledger.proposals))
    _require_tables(ledger, file)
    lacking = [name for name in _ASKED if name not in ledger.asked]
    if lacking:
        refuse(None, f"{file}: asked has no {lacking[0]!r}.")
    if ledger.best != ledger.first and ledger.best not in {one.name for one in ledger.proposals}:
        refuse(
            None,
            f"{file}: best must be the first or one of the proposals but got {ledger.best!r}.",
        )


def _require_tables(ledger: Ledger, file: str) -> None:
    for name in (ledger.first, ledger.best):
        if name not in ledger.tables or (ledger.reserve and name not in ledger.reserve):
            refuse(None, f"{file}: tables must include those of the first and of the best.")
    _require_ids(f"{file}: reserved", ledger.reserved)
    for columns in (*ledger.tables.values(), *ledger.reserve.values()):
        if len({len(values) for values in columns.values()}) != 1 or "example" not in columns:
            refuse(None, f"{file}: tables must be columns of one length, one of them 'example'.")
        _require_ids(f"{file}: example", columns["example"])


def _require_ids(where: str, values: Iterable[Any]) -> None:
    if not all(isinstance(value, (str, int, float)) for value in values):
        refuse(where, f"{where} must be texts or numbers.")


def write_ledger(path: Path, ledger: Ledger) -> None:
    """Replace the file in one step."""
    write_sealed(path, _KIND, _VERSION, asdict(ledger))
