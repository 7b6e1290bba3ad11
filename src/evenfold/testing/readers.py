"""The contract of a reader of result tables."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from evenfold.core.inputs import IDS, PREDICTED
from evenfold.read.results import READERS, LongTable, ReadingOptions, read_results
from evenfold.testing import contract, find_registered, require, works

_STRANGERS: tuple[Any, ...] = (None, 7, "nothing of the kind", {}, [], object(), np.zeros(3))


def check_reader(key: str, table: Any, *, given: Mapping[str, Any] | None = None) -> None:
    """
    Check that a reader keeps the rules that ``judge`` relies on.

    Parameters
    ----------
    key : str
        The key of a registered reader.
    table
        A small table of its kind, with two algorithms or more and ids.
    given : mapping, optional
        Keywords of :func:`evenfold.read.results.read_results` that the table needs.

    Raises
    ------
    BrokenContract
        With the rule that is broken.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.testing.check_reader(
    ...     "arrays", {"a": [1, 0, 1], "b": [1, 1, 1]}, given={"rows": "examples"}
    ... )
    """
    with contract(f"reader {key!r}"):
        reader = find_registered(READERS, key)
        options = ReadingOptions(
            **{name: value for name, value in (given or {}).items() if name != "on_missing"}
        )
        require(reader.key == key, "it knows its key")
        require(reader.takes, "it says what it takes")
        require(
            works(lambda: reader.knows(table, options), "it looks at its table"),
            "it knows its table",
        )
        for stranger in _STRANGERS:
            known = works(
                partial(reader.knows, stranger, options), "it looks at any object without an error"
            )
            require(not known, f"it does not claim {stranger!r}")
        long = works(lambda: reader.read(table, options), "it reads its table")
        _check_columns(long)
        results = works(
            lambda: read_results(table, **(given or {})), "what it reads has a normal form"
        )
        require(len(results.names) > 1, "it finds the algorithms of its table")
        require(results.varied, "it says what varied: examples, runs, folds, splits or data sets")
        again = read_results(table, **(given or {}))
        require(len(again) == len(results), "the same table gives the same rows")


def _check_columns(long: Any) -> None:
    require(isinstance(long, LongTable), "it returns long columns")
    columns = long.columns
    require("algorithm" in columns, "every row has an algorithm")
    measured = (
        "value" in columns
        or set(PREDICTED) <= set(columns)
        or any(c.startswith("p:") for c in columns)
    )
    require(measured, "every row has a value, or a truth and a prediction")
    require(any(role in columns for role in IDS), "rows have ids")
    require(len({len(column) for column in columns.values()}) == 1, "columns are of one length")
