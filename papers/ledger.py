"""
The ledger of all experiments of the sources, experiments.csv: ``python -m papers.ledger``.

Written by hand are the set-up, the numbers of data sets, the kept tables that speak of an
experiment (of "table#7" the claims on figure 7) and one line why. What agrees is counted in the
kept tables and the status follows from the counts by one rule; both are done again here, and the
ledger's own page is written from them.
"""

import csv
import re
from collections.abc import Sequence
from functools import cache
from math import hypot
from pathlib import Path
from typing import NamedTuple

from papers import pages
from papers._table import Cell, Table, kept

Row = dict[str, str]

FILE = Path(__file__).parent / "experiments.csv"
PAGES = pages.PAGES
STATUSES = ("agrees", "partly", "differs", "open", "substitute", "not run")
# Whether data, learners and protocol are the source's: its own, others, not said in it, none run.
SETUPS = ("same", "other", "not said", "not run")
COUNTS = ("agree", "differ", "untold")
ENOUGH = 0.9  # the share of values within three errors that "agrees" asks for
# Tables of shares of rejections, which are results by themselves: 0 is no null effect there.
SHARES = {
    "w14": ("table-6", "table-7", "table-8", "table-9", "table-10"),
    "r19": ("5.8", "5.8-one-look", "5.10"),
}
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
    """Where the kept tables of a row lie: a folder named as its page."""
    return row["page"].removesuffix(".md")


@cache
def table(source: str, name: str) -> Table:
    """A kept table."""
    return kept(pages.RESULTS / source / f"{name}.json")


def has_power(cell: Cell) -> bool:
    """
    Whether a value of 0, no effect, would not agree with the source as well.

    Exact values always tell.
    """
    if cell.source is None:
        return False
    bound = 3 * hypot(cell.se, cell.source.se) + cell.source.half
    return bound == cell.source.half or abs(cell.source.value) > bound


def count(row: Row) -> Counts:
    """What agrees in the kept tables of a row."""
    values, claims = [0, 0, 0], [0, 0, 0]
    for mark in row["marks"].split():
        name, _, figure = mark.partition("#")
        found = table(folder(row), name)
        share = name in SHARES.get(folder(row), ())
        for cell in found.cells:
            if cell.agrees is not None:
                told = not cell.agrees or share or has_power(cell)
                values[_place(cell.agrees if told else None)] += 1
        for claim in found.claims:
            if not figure or figure in _figures(claim.says):
                arithmetic = claim.says.startswith(ARITHMETIC)
                claims[_place(None if arithmetic else claim.holds)] += 1
    return Counts((values[0], values[1], values[2]), (claims[0], claims[1], claims[2]))


def _place(holds: bool | None) -> int:
    return {True: 0, False: 1, None: 2}[holds]


def _figures(says: str) -> list[str]:
    """The figures that a claim is about."""
    found = re.match(r"(?:figures? )?([\d.]+(?: and [\d.]+)*):", says)
    return found[1].split(" and ") if found else []


def status(setup: str, counts: Counts) -> str:
    """The one rule: what may be called agreement, from the counts."""
    given = {"not run": "not run", "other": "substitute", "not said": "open"}
    if setup in given:
        return given[setup]
    agree, differ, untold = counts.all()
    if agree + differ == 0 or untold > agree + differ:
        return "open"
    met, missed, _ = counts.values
    enough = met >= ENOUGH * (met + missed)
    if enough and counts.claims[1:] == (0, 0):
        return "agrees"
    return "differs" if differ >= agree else "partly"


def counted(row: Row) -> Row:
    """The row with its counts and its status."""
    counts = count(row)
    numbers = {name: str(value) for name, value in zip(COUNTS, counts.all(), strict=True)}
    return row | numbers | {"status": status(row["setup"], counts)}


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
    found = tally(rows)
    words = (
        f"{found['agrees']} agree, {found['partly']} in part, {found['differs']} differ, "
        f"{found['open']} are open, {found['substitute']} were run by a substitute, "
        f"{found['not run']} not at all"
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
        heading = (
            "## How its experiments ended\n\nBy the rule of [the ledger](ledger.md), which "
            "says why."
        )
        _put(PAGES / f"{source.lower()}.md", "status", f"{heading}\n\n{status_of(mine)}")


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
