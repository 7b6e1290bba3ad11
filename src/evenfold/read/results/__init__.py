"""
Readers of results that exist already, from any table to one normal form.

:func:`read_results` asks every reader whether it knows the table; the first that does reads it.
Each reader is one file that registers itself, and other packages add theirs by entry points
(``evenfold.readers``).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evenfold.core.checks import integer, one_of, refuse
from evenfold.core.inputs import Results
from evenfold.read.results import (  # noqa: F401  (each registers its reader)
    battles,
    cross_validate,
    files,
    frames,
    inspect_logs,
    lm_eval,
    logs,
    mlflow_runs,
    paths,
    skore_reports,
)
from evenfold.read.results._base import READERS, ROWS, Given, Long, Reader, register
from evenfold.read.results._columns import list_first_values, names_of_roles, results

__all__ = [
    "READERS",
    "Given",
    "Long",
    "Reader",
    "Results",
    "list_first_values",
    "read_results",
    "register",
]

MISSING = ("refuse", "drop", "keep")


def read_results(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    cv: Any = None,
    n: int | None = None,
    measure: str | None = None,
    on_missing: str = "refuse",
    slices: Sequence[str] = (),
    right_or_wrong: bool = False,
) -> Results:
    """
    Read a table of results, whatever its form.

    Parameters
    ----------
    table : frame, path, mapping or object of another program
        See :func:`evenfold.judge`.
    columns : mapping of str to str, optional
        The table's names of the roles: ``{"algorithm": "model"}``.
    rows : {"examples", "folds", "splits", "runs", "data sets", "times"}, optional
        What a row is, needed where the table has no ids.
    cv, n : optional
        Who trained and who was tested, and of how many examples, where rows are scores of folds or
        splits.
    measure : str, optional
        Which of several scores is meant.
    on_missing : {"refuse", "drop", "keep"}
        What to do with rows that have no value.
    right_or_wrong : bool
        Whether ``measure`` counts right and wrong answers, by whatever name a log has for them.
    slices : sequence of str
        Columns whose values are parts of the examples that get answers of their own.

    Returns
    -------
    Results

    Notes
    -----
    *Validity.* Ids are matched, never the order of rows; a table without ids is not read unless
    ``rows`` says what a row is, because ten scores of folds must not be taken for ten examples.

    Examples
    --------
    >>> read_results({"tree": [0, 1, 1], "forest": [1, 1, 1]}, rows="examples")
    Results(tree, forest; 6 rows; varied: example)
    """
    given = Given(
        columns=names_of_roles(columns),
        rows=None if rows is None else one_of("rows", rows, ROWS),
        cv=cv,
        n=None if n is None else integer("n", n, low=2),
        measure=measure,
        drop=one_of("on_missing", on_missing, MISSING) == "drop",
        slices=tuple(slices),
        right_or_wrong=right_or_wrong,
    )
    return results(_reader(table, given).read(table, given), given)


def _reader(table: Any, given: Given) -> Reader:
    for reader in sorted(READERS.values(), key=lambda one: one.general):
        if reader.knows(table, given):
            return reader
    kinds = "; ".join(READERS[key].takes for key in READERS)
    refuse("table", f"one of: {kinds}", f"{type(table).__name__} of another form")
