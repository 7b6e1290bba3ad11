"""What the page of a source says of each of its experiments, made from the ledger and the kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from papers import pages
from papers._table import Cell, Table

Row = dict[str, str]
FULL = 40  # values of an experiment that are shown one by one; of more, those that differ
LISTED = 2  # of a row


def sections(rows: Sequence[Row], tables: Callable[[Row], list[Table]]) -> str:
    """All experiments of a page, each table once."""
    shown: set[str] = set()
    lines: list[str] = []
    for row in rows:
        lines += ["", f"### {row['experiment'].capitalize()}: {row['status']}", "", _why(row)]
        fresh = []
        for table in tables(row):
            key = f"{table.name} {[c.says for c in table.claims]}"
            if key not in shown:
                fresh.append(table)
            shown.add(key)
        for text in _blocks(fresh):
            lines += ["", text]
        lines += _figures(row)
    return "\n".join(lines).strip()


def _blocks(tables: Sequence[Table]) -> Iterator[str]:
    """Few values as they are; of many those that differ, of all tables together."""
    compared = [cell for table in tables for cell in table.cells if cell.agrees is not None]
    is_long = len(compared) > FULL
    if is_long:
        first = next(table for table in tables if table.cells)
        agree = sum(cell.agrees is True for cell in compared)
        summary = f"{agree} of {len(compared)} values agree."
        yield "\n".join([first.note, "", *_differing(compared), "", summary])
    for table in tables:
        if not is_long or not table.cells:
            yield table.markdown()
        elif table.claims:
            yield replace(table, cells=()).markdown()


def _why(row: Row) -> str:
    why = row["why"]
    sets = "" if row["here"] in ("0", "exact") else f" Data sets: {row['here']}."
    return f"{why[0].upper()}{why[1:]}.{sets}"


def _differing(cells: Sequence[Cell]) -> Iterator[str]:
    """A line for each row with differences: how many agree, and the first that do not."""
    rows = dict.fromkeys(cell.row for cell in cells if not cell.agrees)
    if rows:
        yield "| row | agree | differ |"
        yield "| --- | --- | --- |"
    for row in rows:
        mine = [cell for cell in cells if cell.row == row]
        wrong = [cell for cell in mine if not cell.agrees]
        listed = [_shown(cell) for cell in wrong[:LISTED]]
        if len(wrong) > LISTED:
            listed.append(f"{len(wrong) - LISTED} more")
        yield f"| {row} | {len(mine) - len(wrong)} of {len(mine)} | {'; '.join(listed)} |"


def _shown(cell: Cell) -> str:
    source = "" if cell.source is None else cell.source.text
    return f"{cell.column}: {source} → {cell.text}"


def _figures(row: Row) -> Iterator[str]:
    """The curves of a figure, drawn again."""
    kind, _, number = row["experiment"].partition(" ")
    if kind != "figure":
        return
    source = row["source"].lower()
    for file in sorted((pages.RESULTS / source).glob(f"{source}-{number}*.json")):
        rest = file.stem.removeprefix(f"{source}-{number}")
        if not rest or rest.startswith("-"):
            title = pages.read(file)["title"]
            yield ""
            yield f"![{title}]({Path('figures') / file.stem}.svg)"
