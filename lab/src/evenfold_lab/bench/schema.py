"""
The schema of a file of results, and the check of a file against it.

:func:`results_schema` describes the columns as a Table Schema
(https://specs.frictionlessdata.io/table-schema/). :func:`check_results` reads a file and names the
first line that breaks a rule. The version of the schema is the edition of the benchmark.
"""

import csv
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from evenfold.testing import contract, require, works
from evenfold_lab.bench.material import MEASURES_OF_CLASSES, MEASURES_OF_NUMBERS
from evenfold_lab.bench.runner import (
    AGREEMENT_AT,
    COLUMNS,
    EDITION,
    KEY,
    LEAST_EXAMPLES,
    MOST_EXAMPLES,
)

MEASURES = (*MEASURES_OF_CLASSES, *MEASURES_OF_NUMBERS)
AGREEMENTS = tuple(f"agreement_{away:g}" for away in AGREEMENT_AT)
RATES = ("error", "power", "power_own", "coverage", *AGREEMENTS)
WITH_ERRORS = ("error", "power", "coverage", "width", *AGREEMENTS)
OF_PAIRS = ("error", "power", "power_own", *AGREEMENTS)
DESCRIPTIONS = {
    "population": "the population that data sets are drawn from",
    "pair": "two learners, separated by a slash, or one learner",
    "n": "examples of a data set",
    "measure": "the measure of the learners",
    "test": "the key of the test",
    "error": "how often the true difference is rejected at .05",
    "power": "how often a difference of 2.8 standard deviations of the mean of nine halvings is "
    "found",
    "power_own": "how often a difference of 2.8 standard deviations of the test's own estimate is "
    "found",
    "coverage": "how often the 95% interval contains the true risk of models of all n examples",
    "width": "median width of that interval",
    "fits": "models per algorithm where nothing differs",
    "fits_2.8": "models per algorithm at a difference of 2.8 standard deviations",
    "data_sets": "data sets of the row; 0 if the measure is undefined on some of them",
    "edition": "edition of the benchmark",
    "agreement_0": "how often two random partitions give the same verdict where nothing differs",
    "agreement_1.4": "the same at a difference of 1.4 standard deviations",
    "agreement_2.8": "the same at a difference of 2.8 standard deviations",
}


def results_schema() -> dict[str, Any]:
    """
    Return the Table Schema of a file of results.

    Examples
    --------
    >>> schema = results_schema()
    >>> schema["version"], schema["fields"][2]["name"], schema["fields"][2]["type"]
    ('1', 'n', 'integer')
    """
    return {
        "$schema": "https://specs.frictionlessdata.io/schemas/table-schema.json",
        "title": "Results of the benchmark of difference tests",
        "version": str(EDITION),
        "missingValues": [""],
        "primaryKey": list(KEY),
        "fields": [_field(name) for name in COLUMNS],
    }


def _field(name: str) -> dict[str, Any]:
    kind = "number"
    constraints: dict[str, Any] = {}
    if name in KEY or name in ("data_sets", "edition"):
        kind = "string"
        constraints["required"] = True
    if name == "measure":
        constraints["enum"] = list(MEASURES)
    if name == "n":
        kind = "integer"
        constraints |= {"minimum": LEAST_EXAMPLES, "maximum": MOST_EXAMPLES}
    elif name == "data_sets":
        kind = "integer"
        constraints["minimum"] = 0
    elif name == "edition":
        kind = "integer"
        constraints |= {"minimum": EDITION, "maximum": EDITION}
    elif kind == "number":
        constraints["minimum"] = 0
    if name in RATES:
        constraints["maximum"] = 1
    field = {"name": name, "type": kind, "description": _description(name)}
    return field | ({"constraints": constraints} if constraints else {})


def _description(name: str) -> str:
    if name.endswith("_se"):
        return f"Monte Carlo standard error of {name.removesuffix('_se')}"
    return DESCRIPTIONS[name]


def check_results(path: str | Path) -> None:
    """
    Check that a file of results is as the schema says.

    Parameters
    ----------
    path : path
        A csv file, as ``evenfold lab bench`` writes it.

    Raises
    ------
    BrokenContract
        If a line breaks a rule. The message names the line and the rule.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "mine.csv")
    >>> _ = path.write_text("population,pair,n")
    >>> check_results(path)
    Traceback (most recent call last):
    evenfold.testing.BrokenContract: mine.csv breaks a rule: it has the columns of the schema
    """
    file = Path(path)
    with contract(file.name):
        rows = works(lambda: _read(file), "it is a csv file")
        require(rows[:1] == [list(COLUMNS)], "it has the columns of the schema")
        fields = results_schema()["fields"]
        seen: set[tuple[str, ...]] = set()
        for line, cells in enumerate(rows[1:], start=2):
            require(len(cells) == len(COLUMNS), f"line {line} has {len(COLUMNS)} cells")
            row = dict(zip(COLUMNS, cells, strict=True))
            for field in fields:
                _check_cell(row[field["name"]], field, line)
            key = tuple(row[name] for name in KEY)
            require(key not in seen, f"line {line} is the only one about {', '.join(key)}")
            seen.add(key)
            _check_row(row, line)


def _read(file: Path) -> list[list[str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.reader(lines))


def _check_cell(cell: str, field: Mapping[str, Any], line: int) -> None:
    where = f"line {line}: {field['name']}"
    constraints = field.get("constraints", {})
    if not cell:
        require(not constraints.get("required"), f"{where} is not empty")
        return
    if "enum" in constraints:
        require(cell in constraints["enum"], f"{where} is one of {', '.join(constraints['enum'])}")
    if field["type"] == "string":
        return
    kind = int if field["type"] == "integer" else float
    value = works(lambda: kind(cell), f"{where} is {'an' if kind is int else 'a'} {field['type']}")
    require(isfinite(value), f"{where} is finite")
    if "minimum" in constraints:
        require(value >= constraints["minimum"], f"{where} is at least {constraints['minimum']}")
    if "maximum" in constraints:
        require(value <= constraints["maximum"], f"{where} is at most {constraints['maximum']}")


def _check_row(row: Mapping[str, str], line: int) -> None:
    """Check what cells of one row say together."""
    for name in WITH_ERRORS:
        require(
            bool(row[name]) == bool(row[f"{name}_se"]),
            f"line {line}: {name} and {name}_se are both known or both empty",
        )
    if row["data_sets"] == "0":
        measured = [name for name in (*RATES, "width", "fits") if row[name]]
        require(not measured, f"line {line}: a row of no data sets has no numbers")
        return
    require(bool(row["fits"]), f"line {line}: fits is not empty")
    if "/" not in row["pair"]:
        about_pairs = [name for name in OF_PAIRS if row[name]]
        require(not about_pairs, f"line {line}: a single learner has no error, power or agreement")
