"""The file behind ``keep``: written whole or not at all, one process at a time, sealed against edits."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic, sleep
from typing import Any, Self

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput, in_a_line

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

VERSION = 1
_PATIENCE_SECONDS = 30.0
_LARGEST_BYTES = 2**28

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

    def to_json(self) -> str:
        """Return the file's text: the content and, last, its seal."""
        content = {"evenfold": "keep", "version": VERSION, **asdict(self)}
        return json.dumps({**content, "seal": _seal(content)}, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str, name: str) -> Self:
        """Return what a file holds, or refuse one that is torn, edited or of another kind."""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{name} is torn: it is no JSON ({in_a_line(error)[:80]})") from error
        if not isinstance(content, dict) or content.get("evenfold") != "keep":
            refuse("file", "one that evenfold keep wrote", name, "start a new one with a baseline")
        if content.get("version") != VERSION:
            refuse("file", f"of version {VERSION}", str(content.get("version")), "use the evenfold that wrote it")
        seal = content.pop("seal", None)
        if seal != _seal(content):
            refuse("file", "as evenfold keep left it", f"{name}, which was edited", "take the last good copy")
        known = {field.name: content[field.name] for field in fields(cls)}
        known["proposals"] = tuple(Proposal(**one) for one in known["proposals"])
        known["reserved"] = tuple(known["reserved"])
        return cls(**known)

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


def _seal(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def read_ledger(path: Path) -> Ledger:
    """Read the file, or say in one line why not."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            refuse("file", f"below {_LARGEST_BYTES} bytes", path.name)
        return Ledger.from_json(path.read_text(encoding="utf-8"), path.name)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is torn: it is not UTF-8") from error
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"{path.name} is torn: {in_a_line(error)} is missing or unknown") from error


def write_ledger(path: Path, ledger: Ledger) -> None:
    """Replace the file in one step: whoever reads it sees the old one or the new one, whole."""
    with NamedTemporaryFile(
        "w", dir=path.absolute().parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as file:
        file.write(ledger.to_json())
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """
    Hold the file alone: a second process waits, so that no proposal is lost or judged at a level twice.

    The lock is the system's, on a file beside: it goes with the process that held it, however that ends.
    """
    with path.with_name(f".{path.name}.lock").open("a+b") as file:
        deadline = monotonic() + _PATIENCE_SECONDS
        while not _try_lock(file.fileno()):
            if monotonic() > deadline:
                held = f"{path.name}, which another process holds"
                refuse("file", f"free within {_PATIENCE_SECONDS:g} s", held, "wait for it, or end it")
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
