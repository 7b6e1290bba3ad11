"""
Tables of leaderboards, with the values of models on tasks, and tables of battles of two models.

A board is long (model, task, value), wide with a row per model and a column per task, or wide with
a row per task and a column per model. Battles have the columns ``model_a``, ``model_b`` and
``winner``. Logs of evaluation programs that name their tasks are boards, too.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from evenfold.core.checks import ELLIPSIS, Advice, one_of, refuse, refuse_value
from evenfold.core.inputs import PROBABILITY, Results
from evenfold.core.words import list_first_values
from evenfold.read.results import base
from evenfold.read.results.base import CodedColumn, LongTable, ReadingOptions
from evenfold.read.results.columns import parse_numbers, results
from evenfold.read.results.files import load_frame
from evenfold.read.results.frames import BATTLE, Battles, battle_roles, battles_of, columns_of

ROLES: dict[str, tuple[str, ...]] = {  # the names of columns for each role, the usual name first
    "algorithm": ("algorithm", "model", "model_name", "system"),
    "dataset": ("task", "dataset", "benchmark", "task_name"),
    "example": ("example", "instance", "prompt", *base.SYNONYMS["example"]),
    "run": ("run", "epoch", *base.SYNONYMS["run"]),
    "group": ("group", "cluster"),
    "weight": ("weight",),
    "value": ("value", "score", *base.SYNONYMS["value"]),
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
        A frame or a file (csv, tsv, parquet, jsonl) in one of the forms above, a mapping of models
        to mappings of tasks to values, or logs that :func:`read_results` takes.
    columns : mapping of str to str, optional
        The column of each role that has an unusual name, such as ``{"task": "benchmark"}``.
    measure : str, optional
        The score to read if a log has several scores.
    right_or_wrong : bool
        Whether ``measure`` counts right and wrong answers. If so, a log may have any name for this
        score.

    Returns
    -------
    Results or Battles
        The results of a board, with its tasks as ``dataset``, or the battles.

    Examples
    --------
    >>> read_board({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.4, "y": 0.7}})
    Results(a, b; 4 rows; varied: dataset)
    """
    name_of_role = dict(base.names_of_roles(columns))
    if "task" in name_of_role:
        name_of_role["dataset"] = name_of_role.pop("task")
    options = ReadingOptions(rows="data sets", measure=measure, right_or_wrong=right_or_wrong)
    for key in LOGS:
        if base.READERS[key].knows(table, options):
            return _read_log_board(base.READERS[key].read(table, options), options)
    if isinstance(table, Mapping):
        return _read_mapping(table)
    frame = load_frame(_with_index_as_column(table, name_of_role))
    if frame is None:
        rule = "a frame, a path, or a mapping of models to mappings of tasks to values"
        refuse_value("table", table, rule)
    present = list(frame.columns)
    for role, name in name_of_role.items():
        one_of("columns", role, [*ROLES, *BATTLE])
        one_of(f"The column of {role!r}", name, present)
    roles_of_battle = battle_roles(present, name_of_role)
    if roles_of_battle is not None:
        return battles_of(frame, roles_of_battle)
    roles = columns_of(ROLES, present, name_of_role)
    if "truth" in roles and "value" not in name_of_role:
        roles.pop("value", None)  # a score beside a truth is a prediction
    probabilities = {name for name in present if name.startswith(PROBABILITY)}
    if "algorithm" in roles and (base.is_measured(set(roles)) or probabilities):
        return _read_long_board(frame, roles)
    return _read_wide_board(frame, roles)


def _with_index_as_column(table: Any, name_of_role: Mapping[str, str]) -> Any:
    """
    Return a pandas frame with its index as a column, if only the index names the rows.

    An index without a name holds the tasks, as it does after ``pivot``. A frame that names models
    or tasks in a column is returned as it is.
    """
    index = getattr(table, "index", None)
    if not hasattr(table, "reset_index") or index is None or not hasattr(index, "names"):
        return table
    names = {*ROLES["algorithm"], *ROLES["dataset"], *name_of_role.values()}
    if {str(name) for name in table.columns} & names or index.nlevels > 1:
        return table
    if not all(isinstance(name, str) for name in index):
        return table
    column_name = str(index.name) if str(index.name) in names else ROLES["dataset"][0]
    return table.rename_axis(index=column_name, columns=None).reset_index()


def _read_log_board(long: LongTable, options: ReadingOptions) -> Results:
    if "dataset" not in long.columns:
        refuse(
            "table",
            "A board needs logs of at least two tasks, but these logs have only one task.",
            "Use ef.judge to compare models on one task.",
        )
    return results(long, options)


def _read_long_board(frame: Any, roles: Mapping[str, str]) -> Results:
    if "dataset" not in roles:
        refuse(
            "table",
            f"The table must have a column 'task', but it has {_list_columns(frame)}.",
            Advice("Pass ", {"columns": {"task": ELLIPSIS}}, "."),
        )
    columns = {role: base.column(frame, name) for role, name in roles.items()}
    for name in frame.columns:
        if name.startswith(PROBABILITY):
            columns[name] = base.column(frame, name)
    return results(LongTable(columns=columns), ReadingOptions())


def _read_wide_board(frame: Any, roles: Mapping[str, str]) -> Results:
    """Read a table whose rows are models or tasks, and whose columns are the other of the two."""
    if "algorithm" in roles:
        role_of_rows = "algorithm"
    elif "dataset" in roles:
        role_of_rows = "dataset"
    else:
        model, task = ({"columns": {role: ELLIPSIS}} for role in ("algorithm", "task"))
        refuse(
            "table",
            f"The table must have a column 'model' or 'task', but it has {_list_columns(frame)}.",
            Advice("Pass ", model, " or ", task, "."),
        )
    key = roles[role_of_rows]
    numbers = {
        name: parse_numbers(np.asarray(base.decode(base.column(frame, name))))
        for name in frame.columns
        if name != key
    }
    number_columns = [name for name, values in numbers.items() if not np.isnan(values).all()]
    if len(number_columns) < 2:
        refuse(
            "table",
            "The table must have at least two columns of numbers, but its columns are "
            f"{_list_columns(frame)}.",
        )
    labels = [str(label) for label in base.decode(base.column(frame, key))]
    doubled = sorted(label for label, times in Counter(labels).items() if times > 1)
    if doubled:
        refuse(
            None,
            f"Column {key!r} must have a different name in every row, but it has "
            f"{list_first_values(doubled)} several times.",
        )
    values = np.concatenate([numbers[name] for name in number_columns])
    row_codes = np.tile(np.arange(len(labels)), len(number_columns))
    row_labels = CodedColumn(np.array(labels, dtype=object), row_codes)
    column_labels = CodedColumn.repeated(number_columns, len(labels))
    if role_of_rows == "algorithm":
        models, tasks = row_labels, column_labels
    else:
        models, tasks = column_labels, row_labels
    present = ~np.isnan(values)
    columns = {"algorithm": models[present], "dataset": tasks[present], "value": values[present]}
    return results(LongTable(columns=columns), ReadingOptions())


def _list_columns(frame: Any) -> str:
    return ", ".join(map(repr, list(frame.columns)[:8]))


def _read_mapping(table: Mapping[Any, Any]) -> Results:
    if not table or not all(isinstance(of_tasks, Mapping) for of_tasks in table.values()):
        remedy = "Write {'model': {'task': 0.7}}, or give a frame with a column 'task'."
        refuse_value("table", table, "a mapping of models to mappings of tasks to values", remedy)
    rows = [
        (str(model), str(task), value)
        for model, of_tasks in table.items()
        for task, value in of_tasks.items()
    ]
    columns = {
        "algorithm": np.array([model for model, _, _ in rows], dtype=object),
        "dataset": np.array([task for _, task, _ in rows], dtype=object),
        "value": np.asarray([value for _, _, value in rows]),
    }
    return results(LongTable(columns=columns), ReadingOptions())
