"""
Rows of the default and of its fixed test, from the draws of the study of when a run may stop.

    python -m papers.bench.default FOLDER [FOLDER ...]

Each FOLDER holds what ``papers.studies.stopping`` drew on the benchmark's populations: 400 data
sets a row (200 where n is above 1000), each partitioned twice. The rows of the two tests in
``results.csv`` are replaced; those that leave it are kept in ``history.csv``, of which no page is
made. AUC is not in the study, and neither are single learners, for which the fixed test is what it
was.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evenfold_lab.bench import COLUMNS, read_rows, write_rows
from evenfold_lab.bench.runner import EDITION
from papers.bench.page import RESULTS
from papers.studies.stopping_judged import Pair, rates, read, rules

HISTORY = Path(__file__).with_name("history.csv")
RULES = {"default": "stable × 1", "mx2-influence-t": "fixed 9"}
Row = dict[str, Any]


def rows_of(pair: Pair) -> Iterator[Row]:
    """Yield a row for each of the two tests."""
    for test, rule in RULES.items():
        rated = rates(pair, rules()[rule])
        row = {column: rated[column] for column in COLUMNS if column in rated}
        yield row | {
            "population": pair.population,
            "pair": pair.name,
            "n": pair.n,
            "measure": pair.measure,
            "test": test,
            "power": rated["power_2.8"],
            "power_se": rated["power_2.8_se"],
            "fits": rated["fits_0"],
            "data_sets": pair.data_sets,
            "edition": EDITION,
        }


def replace_rows(folders: Sequence[Path]) -> None:
    """Put the new rows into the results, and the old ones into the history."""
    pairs = [pair for pair in read(folders) if pair.group == "bench" and pair.sd > 0]
    new = [row for pair in pairs for row in rows_of(pair)]
    gone = []
    kept = []
    for row in read_rows(RESULTS):
        is_single = "/" not in row["pair"]
        if row["test"] == "default" or (row["test"] == "mx2-influence-t" and not is_single):
            gone.append(row)
        else:
            kept.append(row)
    write_rows(HISTORY, [*read_rows(HISTORY), *gone])
    write_rows(RESULTS, [*kept, *new])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", type=Path, nargs="+")
    replace_rows(parser.parse_args().folders)


if __name__ == "__main__":
    main()
