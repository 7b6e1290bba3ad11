"""
Tables of leaderboards: models × tasks in any form that boards have, and battles of two models.

A board is long (model, task, value), wide with a row per model and a column per task, or wide with
a row per task and a column per model. Battles have the columns ``model_a``, ``model_b`` and
``winner``. Logs of evaluation programs that name their tasks are boards, too.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from evenfold.core.checks import ELLIPSIS, Advice, one_of, refuse, short_repr
from evenfold.core.inputs import PROBABILITY, Results
from evenfold.core.words import list_first_values
from evenfold.read.results.base import (
    READERS,
    SYNONYMS,
    CodedColumn,
    LongTable,
    ReadingOptions,
    column,
    decode,
    is_measured,
    names_of_roles,
)
from evenfold.read.results.columns import parse_numbers, results
from evenfold.read.results.files import load_frame
from evenfold.read.results.frames import BATTLE, Battles, battle_roles, battles_of, columns_of

ROLES: dict[str, tuple[str, ...]] = {  # what boards call each role, the usual name first
    "algorithm": ("algorithm", "model", "model_name", "system"),
    "dataset": ("task", "dataset", "benchmark", "task_name"),
    "example": ("example", "instance", "prompt", *SYNONYMS["example"]),
    "run": ("run", "epoch", *SYNONYMS["run"]),
    "group": ("group", "cluster"),
    "weight": ("weight",),
    "value": ("value", "score", *SYNONYMS["value"]),
    "truth": ("truth", "y_true"),
    "prediction": ("prediction", "y_pred"),
}


LOGS = ("logs", "lm-eval")  # readers whose logs name their tasks


def read_board(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    measure: str | None = None,
    right_or_wrong: bool = False,
) -> Results | Battles:
    """
    Read a leaderboard, or battles.

    Parameters
    ----------
    table : frame, path or mapping
        A frame or a file (csv, tsv, parquet, jsonl) in one of the forms above; a mapping of models
        to mappings of tasks to values; or logs, as :func:`read_results` takes them.
    columns : mapping of str to str, optional
        The table's names of the roles: ``{"task": "benchmark"}``.
    measure : str, optional
        Which of several scores of a log is meant.
    right_or_wrong : bool
        Whether ``measure`` counts right and wrong answers, by whatever name a log has for them.

    Returns
    -------
    Results or Battles
        Of a board, with its tasks as ``dataset``.

    Examples
    --------
    >>> read_board({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.4, "y": 0.7}})
    Results(a, b; 4 rows; varied: dataset)
    """
    said = dict(names_of_roles(columns))
    if "task" in said:
        said["dataset"] = said.pop("task")
    options = ReadingOptions(rows="data sets", measure=measure, right_or_wrong=right_or_wrong)
    if (key := next((key for key in LOGS if READERS[key].knows(table, options)), None)) is not None:
        return _read_log_board(READERS[key].read(table, options), options)
    if isinstance(table, Mapping):
        return _read_mapping(table)
    frame = load_frame(_with_index_as_column(table, said))
    if frame is None:
        refuse(
            "table",
            "table must be a frame, a path, or a mapping of models to mappings of tasks to values, "
            f"but got {short_repr(table)}.",
        )
    present = list(frame.columns)
    for role, name in said.items():
        one_of("columns", role, [*ROLES, *BATTLE])
        one_of(f"The column of {role!r}", name, present)
    if (fought := battle_roles(present, said)) is not None:
        return battles_of(frame, fought)
    found = columns_of(ROLES, present, said)
    if "truth" in found and "value" not in said:
        found.pop("value", None)  # a score beside a truth is a prediction
    probabilities = {name for name in present if name.startswith(PROBABILITY)}
    if "algorithm" in found and (is_measured({*found}) or probabilities):
        return _read_long_board(frame, found)
    return _read_wide_board(frame, found)


def _with_index_as_column(table: Any, said: Mapping[str, str]) -> Any:
    """
    Return a pandas frame with its index as a column, if only the index names the rows.

    An index without a name holds the tasks, as it does after ``pivot``. A frame that names models
    or tasks in a column is returned as it is.
    """
    index = getattr(table, "index", None)
    if not hasattr(table, "reset_index") or index is None or not hasattr(index, "names"):
        return table
    names = {*ROLES["algorithm"], *ROLES["dataset"], *said.values()}
    if {str(one) for one in table.columns} & names or index.nlevels > 1:
        return table
    if not all(isinstance(one, str) for one in index):
        return table
    called = str(index.name) if str(index.name) in names else ROLES["dataset"][0]
    return table.rename_axis(index=called, columns=None).reset_index()


def _read_log_board(long: LongTable, options: ReadingOptions) -> Results:
    if "dataset" not in long.columns:
        refuse(
            "table",
            "A board needs logs of two tasks or more, but these logs are of one.",
            "Use ef.judge to compare models on one task.",
        )
    return results(long, options)


def _read_long_board(frame: Any, found: Mapping[str, str]) -> Results:
    if "dataset" not in found:
        refuse(
            "table",
            f"The table must have a column 'task', but it has {_list_columns(frame)}.",
            Advice("Pass ", {"columns": {"task": ELLIPSIS}}, "."),
        )
    chosen = {**found, **{name: name for name in frame.columns if name.startswith(PROBABILITY)}}
    return results(
        LongTable(columns={role: column(frame, name) for role, name in chosen.items()}),
        ReadingOptions(),
    )


def _read_wide_board(frame: Any, found: Mapping[str, str]) -> Results:
    """Numbers of models × tasks, whichever of the two the rows are."""
    names = list(frame.columns)
    rows_are = next((role for role in ("algorithm", "dataset") if role in found), None)
    if rows_are is None:
        model, task = ({"columns": {role: ELLIPSIS}} for role in ("algorithm", "task"))
        refuse(
            "table",
            f"The table must have a column 'model' or 'task', but it has {_list_columns(frame)}.",
            Advice("Pass ", model, " or ", task, "."),
        )
    key = found[rows_are]
    numbers = {
        name: parse_numbers(np.asarray(decode(column(frame, name))))
        for name in names
        if name != key
    }
    tasks = [name for name, values in numbers.items() if not np.isnan(values).all()]
    if len(tasks) < 2:
        refuse(
            "table",
            "The table must have two columns of numbers or more, but it has "
            f"{_list_columns(frame)}.",
        )
    labels = [str(label) for label in decode(column(frame, key))]
    doubled = sorted(label for label, times in Counter(labels).items() if times > 1)
    if doubled:
        refuse(
            None,
            f"Column {key!r} must have a different name in every row, but it has "
            f"{list_first_values(doubled)} several times.",
        )
    values = np.concatenate([numbers[name] for name in tasks])
    inner = CodedColumn(np.array(labels, dtype=object), np.tile(np.arange(len(labels)), len(tasks)))
    outer = CodedColumn.repeated(tasks, len(labels))
    models, of_task = (inner, outer) if rows_are == "algorithm" else (outer, inner)
    there = ~np.isnan(values)
    columns = {"algorithm": models[there], "dataset": of_task[there], "value": values[there]}
    return results(LongTable(columns=columns), ReadingOptions())


def _list_columns(frame: Any) -> str:
    return ", ".join(map(repr, list(frame.columns)[:8]))


def _read_mapping(table: Mapping[Any, Any]) -> Results:
    if not table or not all(isinstance(one, Mapping) for one in table.values()):
        refuse(
            "table",
            f"table must map models to mappings of tasks to values but got {short_repr(table)}.",
            "Write {'model': {'task': 0.7}}, or give a frame with a column 'task'.",
        )
    rows = [
        (str(model), str(task), value)
        for model, of_tasks in table.items()
        for task, value in of_tasks.items()
    ]
    models, tasks, values = (list(one) for one in zip(*rows, strict=True))
    columns = {
        "algorithm": np.array(models, dtype=object),
        "dataset": np.array(tasks, dtype=object),
        "value": np.asarray(values),
    }
    return results(LongTable(columns=columns), ReadingOptions())
