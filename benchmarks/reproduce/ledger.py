"""
The ledger of all experiments of the sources, experiments.csv: ``python -m benchmarks.reproduce.ledger``.

Status, numbers of data sets and one line why are written by hand. How many values and claims agree is counted
on the page, in the blocks between the marks of the row (of "block#7" the claims on figure 7); that is done
again here, and the ledger's own page is written from it.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

Row = dict[str, str]

FILE = Path(__file__).parent / "experiments.csv"
PAGES = Path(__file__).parents[2] / "docs" / "reproductions"
STATUSES = ("reproduced", "substitute", "partly", "absent")
COUNTS = ("agree", "differ", "untold")


def read() -> list[Row]:
    """The rows of the ledger."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def count(page: str, marks: Sequence[str]) -> tuple[int, int, int]:
    """Values and claims that agree, differ and cannot be told, in the blocks of a page."""
    text = (PAGES / page).read_text(encoding="utf-8")
    blocks = [_block(text, *mark.partition("#")[::2]) for mark in marks]
    agree, differ, untold = (sum(found) for found in zip(*blocks, strict=True)) if blocks else (0, 0, 0)
    return agree, differ, untold


def _block(text: str, mark: str, figure: str) -> tuple[int, int, int]:
    found = re.search(f"<!-- {re.escape(mark)} -->(.*?)<!-- /{re.escape(mark)} -->", text, re.DOTALL)
    if found is None:
        raise ValueError(f"no page has a block {mark}")
    if figure:
        holds = [word for of, word in _CLAIM.findall(found[1]) if figure in of.split(" and ")]
        return holds.count("yes"), holds.count("**no**"), holds.count("cannot tell")
    agree = differ = untold = 0
    for yes, of in re.findall(r"(\d+) of (\d+) (?:values )?agree", found[1]):
        agree, differ = agree + int(yes), differ + int(of) - int(yes)
    for yes, of, open_ in re.findall(r"(\d+) of (\d+) claims hold(?:, (\d+) cannot be told)?", found[1]):
        unknown = int(open_ or 0)
        agree, untold = agree + int(yes), untold + unknown
        differ += int(of) - int(yes) - unknown
    return agree, differ, untold


# A claim: the figures that it is about, and whether it holds.
_CLAIM = re.compile(r"^\| (?:figures? )?([\d.]+(?: and [\d.]+)*):.* \| ([^|]+) \|$", re.MULTILINE)


def counted(row: Row) -> Row:
    """The row with the counts of its page."""
    found = count(row["page"], row["marks"].split())
    return row | {name: str(value) for name, value in zip(COUNTS, found, strict=True)}


def summary(rows: Sequence[Row]) -> str:
    """How many experiments of each source have which status."""
    sources = list(dict.fromkeys(row["source"] for row in rows))
    lines = [f"| source | {' | '.join(STATUSES)} |", "| --- " * (len(STATUSES) + 1) + "|"]
    for source in [*sources, "all"]:
        mine = [row for row in rows if source in (row["source"], "all")]
        counts = " | ".join(str(sum(row["status"] == status for row in mine)) for status in STATUSES)
        lines.append(f"| {source} | {counts} |")
    return "\n".join(lines)


def page(rows: Sequence[Row]) -> str:
    """The page of the ledger."""
    head = "| experiment | status | data sets here | there | agree | differ | open | why |"
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
    place = PAGES / "ledger.md"
    text = place.read_text(encoding="utf-8")
    begin, end = "<!-- ledger -->", "<!-- /ledger -->"
    before, after = text.partition(begin)[0], text.partition(end)[2]
    place.write_text(f"{before}{begin}\n\n{page(rows)}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
    print(summary(read()))
