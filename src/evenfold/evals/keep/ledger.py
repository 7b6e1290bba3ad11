"""The ledger that ``keep`` stores in a file, and files that are sealed against edits."""

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

from evenfold.core.checks import fraction, integer, number, one_of, refuse, refuse_value, short_repr
from evenfold.core.errors import InvalidInput
from evenfold.core.facts.plain import require_sense
from evenfold.core.json import build, parse, to_plain
from evenfold.core.words import reason

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Files that are written whole or not at all, by one process at a time, and sealed against edits.


# many processes may wait for their turn, and a lock ends with the process that holds it
_PATIENCE_SECONDS = 300.0
_LARGEST_BYTES = 2**28


def read_sealed(path: Path, kind: str, version: int) -> dict[str, Any]:
    """
    Return the content of a file of this kind and version.

    A file that is incomplete, was edited or has another kind or version is refused.
    """
    if path.stat().st_size > _LARGEST_BYTES:
        refuse(
            "file", f"file must have at most {_LARGEST_BYTES:,} bytes, but {path.name} is larger."
        )
    try:
        content = parse(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is damaged: it is not UTF-8.") from error
    except ValueError as error:
        raise InvalidInput(f"{path.name} is damaged: it is not JSON ({reason(error)}).") from error
    if not isinstance(content, dict) or content.get("evenfold") != kind:
        refuse(
            "file",
            f"file must be of the kind {kind!r} that evenfold writes, but {path.name} is not.",
            "Start a new file.",
        )
    if content.get("version") != version:
        refuse(
            "file",
            f"file must have version {version}, but {path.name} has version "
            f"{short_repr(content.get('version'))}.",
            "Use the version of evenfold that wrote it.",
        )
    if content.pop("seal", None) != _seal(content):
        refuse(
            "file",
            f"file must be as evenfold wrote it, but {path.name} was edited.",
            "Restore the last good copy.",
        )
    return content


def write_sealed(
    path: Path, kind: str, version: int, content: Mapping[str, Any], *, indent: int | None = None
) -> None:
    """
    Replace the file in one step, so that a reader sees the whole old file or the whole new file.

    With an indent, people can see in a repository what changed.
    """
    whole = {"evenfold": kind, "version": version, **content}
    # the seal is computed on the values that a reader will read from JSON
    whole = json.loads(json.dumps(to_plain(whole), allow_nan=False))
    with NamedTemporaryFile(
        "w", dir=path.absolute().parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as file:
        json.dump({**whole, "seal": _seal(whole)}, file, ensure_ascii=False, indent=indent)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)


def _seal(content: Mapping[str, Any]) -> str:
    """Return a checksum, which detects incomplete files and slips, but not deliberate fraud."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """
    Hold the lock of a file. A second process waits, so that no proposal is lost or judged twice.

    The system locks a second file in the same folder. The lock ends with the process that holds it,
    however that process ends.
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
_OPTIONS = ("measure", "positive", "higher_is_better", "lower_is_better", "columns", "rows")

ANY = "any"  # the probability of any false keep in the whole loop
RATE = "rate"  # the expected share of false keeps among all keeps
CONTROLS = (ANY, RATE)

NOTHING = "nothing"
DECISIONS = "decisions"
SCORES = "scores"
# what a proposer may have seen of the results on the items, least first
SHOWN = (NOTHING, DECISIONS, SCORES)

Columns = Mapping[str, list[Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """
    One proposal and the decision about it.

    Attributes
    ----------
    name : str
        The name of the proposal.
    against : str
        The running best at that time, with which the proposal was compared.
    kept : bool
        Whether the proposal was shown to be better, at its level.
    value, bound : float
        The improvement over the running best at that time, and its lower bound at the level of the
        proposal. Both are in the units of the measure, and positive is better.
    pvalue : float
        The one-sided p-value of the hypothesis that the proposal is not better.
    level : float
        The significance level of this proposal.
    shown : str
        What the proposer had been shown of the results on these items.
    guaranteed : bool
        Whether the guarantee of the whole loop covers this decision.
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
    The state of a loop.

    Attributes
    ----------
    level, control, horizon, margin : float, str, int or None, float
        The options of :func:`keep` that were chosen at the start.
    shown : str
        What the proposer is shown of the results on the items in use.
    asked : mapping
        The options of :func:`judge` for the tables, such as measure, positive class and direction.
    first, best : str
        The baseline at the start, and the running best.
    tables : mapping of name to columns
        The answers of the first and of the best on the items in use.
    reserve : mapping of name to columns
        Their answers on the items that are held back. It is empty if no items are held back.
    reserved : tuple
        The ids of the items that are held back.
    proposals : tuple of Proposal
        All proposals, in order.
    items_since : int
        The number of proposals that were judged before the items in use.
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
        """The number of all proposals that were kept."""
        return sum(proposal.kept for proposal in self.proposals)

    def with_proposal(self, proposal: Proposal, table: Columns, reserve: Columns | None) -> Self:
        """Return the ledger with one more proposal, which becomes the best if it was kept."""
        after = replace(self, proposals=(*self.proposals, proposal))
        if not proposal.kept:
            return after
        tables = {self.first: self.tables[self.first], proposal.name: table}
        held = {}
        if reserve is not None:
            held = {self.first: self.reserve[self.first], proposal.name: reserve}
        return replace(after, best=proposal.name, tables=tables, reserve=held)


def read_ledger(path: Path) -> Ledger:
    """Read the ledger of a file. A damaged or inconsistent file is refused."""
    ledger = build(Ledger, read_sealed(path, _KIND, _VERSION), path.name)
    require_sense(ledger, path.name)
    _require_whole(ledger, path.name)
    return ledger


def _require_whole(ledger: Ledger, file: str) -> None:
    """Refuse a ledger that contradicts itself, whoever wrote the file."""
    one_of(f"{file}: control", ledger.control, CONTROLS)
    for shown in (ledger.shown, *(proposal.shown for proposal in ledger.proposals)):
        one_of(f"{file}: shown", shown, SHOWN)
    fraction(f"{file}: level", ledger.level, high=0.5)
    number(f"{file}: margin", ledger.margin, low=0)
    if ledger.horizon is not None:
        integer(f"{file}: horizon", ledger.horizon, low=1)
    integer(f"{file}: items_since", ledger.items_since, low=0, high=len(ledger.proposals))
    _require_tables(ledger, file)
    lacking = [name for name in _OPTIONS if name not in ledger.asked]
    if lacking:
        refuse(None, f"{file}: asked must have the key {lacking[0]!r}, but it does not.")
    if ledger.best != ledger.first and ledger.best not in {
        proposal.name for proposal in ledger.proposals
    }:
        refuse_value(f"{file}: best", ledger.best, "the first or one of the proposals")


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
    """Write a ledger. The file is replaced in one step, so that no reader sees half of it."""
    write_sealed(path, _KIND, _VERSION, asdict(ledger))
