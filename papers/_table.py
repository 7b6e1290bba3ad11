"""What a source printed beside what comes out here: tables for the terminal and for a page."""

import json
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import floor, hypot, log10, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.errors import EvenfoldWarning
from evenfold_lab.cuts import CHUNK

NORMAL_95 = 1.959964
_VERDICTS = {True: "yes", False: "**no**", None: "cannot tell"}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Printed:
    """
    A value of a source.

    Attributes
    ----------
    text : str
        As it is printed there.
    value, se : float
        The value and its own Monte Carlo error, 0 where it has none.
    half : float
        Half a unit of the last printed digit.
    """

    text: str
    value: float
    se: float = 0.0
    half: float = 0.0


def printed(text: str, se: float = 0.0) -> Printed:
    """A number as printed, with the Monte Carlo error it must have."""
    decimals = len(text.partition(".")[2])
    return Printed(text=text, value=float(text), se=se, half=0.5 * 10.0**-decimals)


def printed_interval(low: str, high: str) -> Printed:
    """A 95 % normal interval: its middle, with the error that its length tells."""
    ends = float(low), float(high)
    half = 0.5 * 10.0 ** -max(len(end.partition(".")[2]) for end in (low, high))
    middle, se = sum(ends) / 2, (ends[1] - ends[0]) / (2 * NORMAL_95)
    return Printed(text=f"[{low}, {high}]", value=middle, se=se, half=half)


def printed_share(text: str, replications: int) -> Printed:
    """A share of so many data sets."""
    near = (float(text) * replications + 1) / (replications + 2)
    return printed(text, sqrt(near * (1 - near) / replications))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Cell:
    """One value of a table: its place, what the source has (if anything), ours and its error."""

    row: str
    column: str
    source: Printed | None
    ours: float
    se: float

    @property
    def agrees(self) -> bool | None:
        """
        Say whether |ours − source| is at most three combined errors and the rounding.

        The result is None for a cell without a source.
        """
        if self.source is None:
            return None
        bound = 3 * hypot(self.se, self.source.se) + self.source.half
        return abs(self.ours - self.source.value) <= bound * (1 + 1e-9)

    @property
    def text(self) -> str:
        """Ours, with its error to two digits."""
        if self.se == 0:
            return f"{self.ours:.5g}"
        decimals = max(0, 1 - floor(log10(self.se)))
        return f"{self.ours:.{decimals}f} ± {self.se:.{decimals}f}"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Claim:
    """What a source says, whether it holds here (None: cannot be told), and the numbers."""

    says: str
    holds: bool | None
    here: str


def together(seen: Sequence[bool | None]) -> bool | None:
    """False if it fails anywhere, None if it cannot be told somewhere, else True."""
    if False in seen:
        return False
    return None if None in seen else True


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """
    A table of a source, or claims of it.

    Attributes
    ----------
    name : str
        Of its file, and of its mark in the ledger.
    title, note : str
        What it is; how it was made.
    cells, claims
        Its content.
    """

    name: str
    title: str
    note: str
    cells: Sequence[Cell] = field(default_factory=tuple)
    claims: Sequence[Claim] = field(default_factory=tuple)

    def summary(self) -> str:
        """How many of the values or claims agree."""
        agree = [c.agrees for c in self.cells if c.agrees is not None]
        holds = [c.holds for c in self.claims]
        if not agree and not holds:
            return "Nothing printed to compare with."
        words = [f"{sum(agree)} of {len(agree)} values agree."] if agree else []
        if holds:
            open_ = f", {holds.count(None)} cannot be told" if None in holds else ""
            words.append(f"{holds.count(True)} of {len(holds)} claims hold{open_}.")
        return " ".join(words)

    def show(self) -> None:
        """Print it."""
        print(f"\n{self.title}\n{self.note}")
        width = max((len(f"{c.row}, {c.column}") for c in self.cells), default=0)
        for c in self.cells:
            verdict = {True: "agrees", False: "DIFFERS", None: ""}[c.agrees]
            source = "" if c.source is None else c.source.text
            place = f"{c.row}, {c.column}"
            print(f"  {place:{width}}  {source:>20}  {c.text:>20}  {verdict}".rstrip())
        for claim in self.claims:
            print(f"  {_VERDICTS[claim.holds].strip('*')}: {claim.says} ({claim.here})")
        print(self.summary(), flush=True)

    def markdown(self) -> str:
        """The table for the page: a row per row label, a column per column label."""
        parts = [self.note]
        if self.cells:
            parts.append("\n".join(self._cells()))
        if self.claims:
            parts.append("\n".join(self._claims()))
        if len(self.cells) + len(self.claims) > 1:
            parts.append(self.summary())
        return "\n\n".join(part for part in parts if part)

    def _cells(self) -> list[str]:
        rows, columns = (
            list(dict.fromkeys(getattr(c, a) for c in self.cells)) for a in ("row", "column")
        )
        by_place = {(c.row, c.column): c for c in self.cells}
        lines = [f"|  | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
        return lines + [
            f"| {row} | {' | '.join(_cell(by_place.get((row, column))) for column in columns)} |"
            for row in rows
        ]

    def _claims(self) -> list[str]:
        return [f"- {_VERDICTS[c.holds]}: {c.says} ({c.here})" for c in self.claims]


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    if cell.source is None:
        return cell.text
    return f"{cell.source.text} → {cell.text}{'' if cell.agrees else ' **≠**'}"


def arguments(description: str, parts: Sequence[str]) -> Namespace:
    """What every script is told: folder of data, scale, parts, store, page."""
    parser = ArgumentParser(description=description)
    parser.add_argument(
        "folder", nargs="?", help="folder of the data; without it what needs it is left out"
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="share of the usual number of data sets"
    )
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts))
    parser.add_argument("--store", help="where draws are kept, so that a stopped run goes on")
    parser.add_argument("--full", action="store_true", help="the source's own number of data sets")
    parser.add_argument("--device", help="where models are fitted, as in the lab: cuda")
    parser.add_argument("--jobs", type=int, default=1, help="processes that draw and cut")
    parser.add_argument("--results", type=Path, help="folder for the tables as files")
    options = parser.parse_args()
    use(
        Machine(
            device=options.device, jobs=options.jobs, full=options.full, results=options.results
        )
    )
    return options


@dataclass(frozen=True, kw_only=True)
class Machine:
    """
    How much is run, and on what.

    Attributes
    ----------
    device, jobs
        As ``device`` and ``n_jobs`` of a study.
    full : bool
        Whether the source's own number of data sets is drawn.
    results : path or None
        Where tables are kept as files.
    """

    device: str | None = None
    jobs: int = 1
    full: bool = False
    results: Path | None = None

    def effort(self) -> dict[str, Any]:
        """What every study is told."""
        return {"device": self.device, "n_jobs": self.jobs, "progress": False}


_machine = Machine()


def use(machine: Machine) -> None:
    """Run what follows on another machine."""
    global _machine
    _machine = machine


def machine() -> Machine:
    """The machine of this run."""
    return _machine


@contextmanager
def degenerate_too() -> Iterator[None]:
    """Let data sets without spread count like all others, without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        yield


def scaled(usual: int, scale: float) -> int:
    """
    Return a share of the usual number of data sets, in whole chunks of the lab, at least one.

    If the number is None, so is the result.
    """
    return CHUNK * max(1, round(scale * usual / CHUNK)) if usual else 0


def publish(tables: Sequence[Table]) -> None:
    """Print tables, and keep them if there is a place for results."""
    for table in tables:
        table.show()
        if _machine.results is not None:
            keep(table, _machine.results)


def keep(table: Table, folder: Path, **about: Any) -> None:
    """Write a table as a file, with what made it."""
    import evenfold as ef

    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "name": table.name, "title": table.title, "note": table.note,
        "device": _machine.device or "cpu",
        "evenfold": ef.__version__, "numpy": np.__version__, **about,
        "cells": [_row(cell) for cell in table.cells],
        "claims": [[c.says, c.holds, c.here] for c in table.claims],
    }  # fmt: skip
    lines = json.dumps(record, ensure_ascii=False, indent=None).replace("], [", "],\n[")
    (folder / f"{table.name}.json").write_text(lines + "\n", encoding="utf-8")


def _row(cell: Cell) -> list[Any]:
    source = cell.source
    of_source = None if source is None else [source.text, source.value, source.se, source.half]
    digits = 6 if cell.se else 12  # what is exact may lie on the edge of the rounding of the source
    return [cell.row, cell.column, _short(cell.ours, digits), _short(cell.se), of_source]


def _short(value: float, digits: int = 6) -> float:
    return float(f"{value:.{digits}g}")


def kept(file: Path) -> Table:
    """Read a table that was kept."""
    record = json.loads(file.read_text(encoding="utf-8"))
    return Table(
        name=record["name"],
        title=record["title"],
        note=record["note"],
        cells=[_read(*row) for row in record["cells"]],
        claims=[Claim(says=says, holds=holds, here=here) for says, holds, here in record["claims"]],
    )


def _read(row: str, column: str, ours: float, se: float, of_source: Any) -> Cell:
    source = (
        None
        if of_source is None
        else Printed(text=of_source[0], value=of_source[1], se=of_source[2], half=of_source[3])
    )
    return Cell(row=row, column=column, source=source, ours=ours, se=se)
