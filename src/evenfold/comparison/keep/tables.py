"""Tables of one algorithm as plain columns that a file can hold, and back."""

from typing import Any

import numpy as np

from evenfold.comparison.keep.ledger import Columns
from evenfold.core.checks import refuse
from evenfold.core.inputs.results import IDS, NUMBERS, PREDICTED, PROBABILITY, Results
from evenfold.core.rng import stream
from evenfold.read.plain_tables import PlainTable
from evenfold.read.results import read_results


def as_columns(name: str, table: Any, **reading: Any) -> dict[str, list[Any]]:
    """Read the table of one algorithm, whatever its form, into plain columns by role."""
    results = read_results({name: table}, **reading)
    if results.example is None:
        refuse(f"table of {name!r}", "one with a column 'example'", ", ".join(results.varied) or "no ids")
    if results.dataset is not None and len(results.dataset) > 1:
        refuse(
            f"table of {name!r}",
            "of one data set",
            f"{len(results.dataset)} of them",
            "keep one file for each",
        )
    return _columns_of(results)


def _columns_of(results: Results) -> dict[str, list[Any]]:
    ids = ((role, results.ids(role)) for role in IDS)
    columns = {role: one.values().tolist() for role, one in ids if one is not None}
    for role in (*NUMBERS, *PREDICTED):
        values = getattr(results, role)
        if values is not None:
            columns[role] = values.tolist()
    for label, values in results.probabilities.items():
        columns[f"{PROBABILITY}{label}"] = values.tolist()
    return columns


def as_frame(columns: Columns) -> Any:
    """Return the columns as a table that ``judge`` reads."""
    return PlainTable.of(columns)


def unit_of(columns: Columns) -> str:
    """What is drawn together, and so held back together: groups where there are some, else examples."""
    return "group" if "group" in columns else "example"


def hold_back(columns: Columns, share: float, seed: int) -> tuple[Any, ...]:
    """Draw the ids of the units that no decision will look at."""
    units = list(dict.fromkeys(columns[unit_of(columns)]))
    count = round(share * len(units))
    if len(units) - count < 2:
        refuse("hold_back", "a share that leaves two items or more to decide on", share)
    drawn = stream(seed, "hold back").permutation(len(units))[:count]
    return tuple(units[i] for i in np.sort(drawn))


def divide(columns: Columns, reserved: tuple[Any, ...]) -> tuple[Columns, Columns]:
    """Return the rows that decisions look at, and those that were held back."""
    apart = set(reserved)
    held = [unit in apart for unit in columns[unit_of(columns)]]
    used = {
        role: [one for one, out in zip(values, held, strict=True) if not out]
        for role, values in columns.items()
    }
    rest = {
        role: [one for one, out in zip(values, held, strict=True) if out] for role, values in columns.items()
    }
    return used, rest
