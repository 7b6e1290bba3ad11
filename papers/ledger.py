"""
The ledger of all experiments of the sources, experiments.csv: ``python -m papers.ledger``.

Written by hand are what a source leaves unsaid (``lacks``), the line of the errata that shows a
slip of it (``slip``), the numbers of data sets, the kept tables that speak of an experiment (of
"table#7" the claims on figure 7) and one line why. What agrees is counted in the kept tables and
the status follows from the counts by one rule; both are done again here, and the pages are written
from them.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import hypot
from pathlib import Path
from typing import NamedTuple

from papers import _sections, pages
from papers._table import Cell, Table, kept

Row = dict[str, str]

FILE = Path(__file__).parent / "experiments.csv"
PAGES = pages.PAGES
STATUSES = ("exact", "agrees", "partly", "slip", "not met", "open", "substitute", "not run")
# What a source does not say although the experiment cannot be run as it was without it: the same
# lack has the same word in all rows, and every row with one is a substitute.
LACKS = {
    "penalty": "the penalty of ridge regression or the lasso",
    "svm": "kernel and cost of the SVM",
    "tree": "the tree",
    "bayes": "how naive Bayes treats variances near 0",
    "network": "the network and its training",
    "forest": "the forest",
    "transform": "the powers by which metrics are transformed",
    "domains": "the ten domains and the words that were used",
    "corpus": "the corpus is not free, another one was taken",
}
OPEN = {"axis": "what the axis of the figure shows"}  # without which nothing can be compared
COUNTS = ("agree", "differ", "untold")
ENOUGH = 0.9  # the share of values within three errors that "agrees" asks for
# Methods that a table compares: a value tells only if that of another method would not agree too.
METHODS = (
    "RLT", "K-fold", "BRHS", "RHS", "BCV", "m×2", "Var μ̂", "V1", "V2", "V3", "98paired", "bmx2",
    "ideal", "one look", "t_CV", "t_CCV", "t_5×2", "F_5×2", "t_B3×2", "ρ1 = ρ2 = 1", "R19",
)  # fmt: skip
NULLS = {"1 − 2ρ1": 1.0}  # no correlation, where that is not 0
# Claims that hold whatever the data are (the densities follow from the counts by arithmetic).
ARITHMETIC = ("the density is higher and narrower",)


class Counts(NamedTuple):
    """Values and claims that agree, differ, and cannot be told."""

    values: tuple[int, int, int] = (0, 0, 0)
    claims: tuple[int, int, int] = (0, 0, 0)

    def all(self) -> tuple[int, int, int]:
        """Both together."""
        agree, differ, untold = (a + b for a, b in zip(self.values, self.claims, strict=True))
        return agree, differ, untold


def read() -> list[Row]:
    """The rows of the ledger."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def folder(row: Row) -> str:
    """Where the kept tables of a row lie."""
    return row["source"].lower()


@cache
def table(source: str, name: str) -> Table:
    """A kept table."""
    return kept(pages.RESULTS / source / f"{name}.json")


def alternatives(cell: Cell, cells: Sequence[Cell]) -> list[float]:
    """
    What the source prints for the other methods of the same place; without any, no effect.

    Savings in per cent have no effect as an alternative too.
    """
    place = _without_method(cell)
    others = [
        other.source.value
        for other in cells
        if other is not cell and other.source is not None and _without_method(other) == place
    ]
    if place == f"{cell.row}|{cell.column}" or cell.column.startswith("%"):
        others.append(NULLS.get(cell.column, 0.0))
    return others


def _without_method(cell: Cell) -> str:
    place = f"{cell.row}|{cell.column}"
    for method in METHODS:
        place = place.replace(method, "")
    return place


def has_power(cell: Cell, cells: Sequence[Cell]) -> bool:
    """Whether none of the table's own alternatives would agree too; exact values always tell."""
    if cell.source is None:
        return False
    if cell.se == 0 and cell.source.se == 0:
        return True
    bound = 3 * hypot(cell.se, cell.source.se) + cell.source.half
    return all(abs(cell.ours - other) > bound for other in alternatives(cell, cells))


def tables(row: Row) -> list[Table]:
    """The kept tables of a row, with the claims on its own figure alone."""
    made = []
    for mark in row["marks"].split():
        name, _, figure = mark.partition("#")
        whole = table(folder(row), name)
        mine = [c for c in whole.claims if not figure or figure in _figures(c.says)]
        made.append(replace(whole, claims=mine))
    return made


def count(row: Row) -> Counts:
    """What agrees in the kept tables of a row."""
    values, claims = [0, 0, 0], [0, 0, 0]
    for table in tables(row):
        for cell in table.cells:
            if cell.agrees is not None:
                decides = not cell.agrees or has_power(cell, table.cells)
                values[_place(cell.agrees if decides else None)] += 1
        for claim in table.claims:
            arithmetic = claim.says.startswith(ARITHMETIC)
            claims[_place(None if arithmetic else claim.holds)] += 1
    return Counts((values[0], values[1], values[2]), (claims[0], claims[1], claims[2]))


def _place(holds: bool | None) -> int:
    return {True: 0, False: 1, None: 2}[holds]


def _figures(says: str) -> list[str]:
    """The figures that a claim is about."""
    match = re.match(r"(?:figures? )?([\d.]+(?: and [\d.]+)*):", says)
    return match[1].split(" and ") if match else []


def status(row: Row, counts: Counts) -> str:
    """The one rule: what may be called agreement, from the counts and what a source leaves out."""
    if row["here"] == "0":
        return "not run"
    met = _met(counts)
    is_exact = row["here"] == "exact"
    if row["slip"] and met != "agrees":
        return "slip"
    lacks = row["lacks"].split()
    if set(lacks) & set(LACKS):
        return "substitute"
    if set(lacks) & set(OPEN):
        return "open"
    return "exact" if is_exact and met == "agrees" else met


def _met(counts: Counts) -> str:
    """What the counts alone say."""
    agree, differ, untold = counts.all()
    if agree + differ == 0 or untold > agree + differ:
        return "open"
    met, missed, _ = counts.values
    enough = met >= ENOUGH * (met + missed)
    if enough and counts.claims[1:] == (0, 0):
        return "agrees"
    return "not met" if differ >= agree else "partly"


def counted(row: Row) -> Row:
    """The row with its counts and its status."""
    counts = count(row)
    numbers = {name: str(value) for name, value in zip(COUNTS, counts.all(), strict=True)}
    return row | numbers | {"status": status(row, counts)}


def tally(rows: Sequence[Row]) -> dict[str, int]:
    """How many experiments have which status."""
    return {name: sum(row["status"] == name for row in rows) for name in STATUSES}


def summary(rows: Sequence[Row]) -> str:
    """How many experiments of each source have which status."""
    sources = list(dict.fromkeys(row["source"] for row in rows))
    lines = [f"| source | {' | '.join(STATUSES)} |", "| --- " * (len(STATUSES) + 1) + "|"]
    for source in [*sources, "all"]:
        mine = [row for row in rows if source in (row["source"], "all")]
        lines.append(f"| {source} | {' | '.join(map(str, tally(mine).values()))} |")
    return "\n".join(lines)


def sentence(rows: Sequence[Row]) -> str:
    """The counts in words, for the pages that quote them."""
    counts = tally(rows)
    substitutes = [row for row in rows if row["status"] == "substitute"]
    alike = sum(_met(count(row)) == "agrees" for row in substitutes)
    words = (
        f"{counts['exact'] + counts['agrees']} agree ({counts['exact']} exactly, "
        f"{counts['agrees']} from draws), {counts['partly']} in part, {counts['slip']} have a slip "
        f"of the source, {counts['not met']} are not met, {counts['open']} are open, "
        f"{counts['substitute']} were run by a substitute ({alike} of which agree), "
        f"{counts['not run']} not at all"
    )
    return f"of {len(rows)} experiments {words}"


def status_of(rows: Sequence[Row]) -> str:
    """How the experiments of one source ended, for its page."""
    by_status = {
        name: [row["experiment"] for row in rows if row["status"] == name] for name in STATUSES
    }
    lines = ["| status | experiments |", "| --- | --- |"]
    for name, experiments in by_status.items():
        if experiments:
            lines.append(f"| {name} ({len(experiments)}) | {', '.join(experiments)} |")
    return "\n".join(lines)


def page(rows: Sequence[Row]) -> str:
    """The page of the ledger."""
    head = (
        "| experiment | status | data sets here | there | agree | differ | cannot be told | why |"
    )
    lines = [summary(rows), "", head, "| --- " * 8 + "|"]
    for row in rows:
        counts = " | ".join(row[name] if row["marks"] else "" for name in COUNTS)
        name = f"[{row['source']} {row['experiment']}]({row['page']})"
        cells = (name, row["status"], row["here"], row["there"], counts, row["why"])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write() -> None:
    """Count again; write the ledger and its page."""
    rows = [counted(row) for row in read()]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    _put(PAGES / "ledger.md", "ledger", page(rows))
    words = sentence(rows)
    _put(PAGES / "index.md", "sentence", f"{words[0].upper()}{words[1:]}.")
    log = PAGES.parents[1] / "CHANGELOG.md"
    text = re.sub(r"of \d+ experiments \d+ agree[^.]*", words, log.read_text(encoding="utf-8"))
    log.write_text(text, encoding="utf-8")
    for source in dict.fromkeys(row["source"] for row in rows):
        mine = [row for row in rows if row["source"] == source]
        _put(PAGES / f"{source.lower()}.md", "status", status_of(mine))
    for name in dict.fromkeys(row["page"] for row in rows):
        mine = [row for row in rows if row["page"] == name]
        _put(PAGES / name, "experiments", _sections.sections(mine, tables))


def _put(place: Path, mark: str, block: str) -> None:
    """Write a block between its marks."""
    text = place.read_text(encoding="utf-8")
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    before, after = text.partition(begin)[0], text.partition(end)[2]
    place.write_text(f"{before}{begin}\n\n{block}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
    print(summary(read()))
    print(sentence(read()))
