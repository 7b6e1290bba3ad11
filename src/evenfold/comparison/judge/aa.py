"""Runs of one model from a table: the noise of an evaluation, and what a gate makes of it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evenfold.comparison.judge.question import complete, examples_of_tasks, grid
from evenfold.comparison.judge.values import measure_of_table
from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput
from evenfold.core.inputs import Results
from evenfold.infer import RunNoise, run_noise
from evenfold.read.results import read_results

_REMEDY = "add a column 'run', or give one column of values per run"


def noise_of(
    table: Any,
    *,
    measure: Any = None,
    margin: float = 0.0,
    level: float = 0.05,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    positive: Any = None,
    higher_is_better: bool | None = None,
    on_missing: str = "refuse",
) -> RunNoise:
    """
    Read runs of one model, named by a column ``run`` or as if they were algorithms.

    See ``run_noise``.
    """
    said: Any = {
        "columns": columns,
        "rows": rows,
        "measure": measure if isinstance(measure, str) else None,
    }
    results = examples_of_tasks(_read(table, said, on_missing))
    if "run" in results.varied:
        roles = ["run", "example"]
    else:
        roles = ["example"]
    if len(results.names) > 1 and "run" in roles:
        refuse(
            "table", "runs of one model", f"runs of {len(results.names)} models", "keep one of them"
        )
    if len(results.names) < 2 and "run" not in roles:
        refuse("table", "two runs or more of one model", "a single run", _REMEDY)
    one = measure_of_table(
        results, measure, higher_is_better=higher_is_better, positive=positive, per_example=True
    )
    found, _ = complete(grid(results, roles), results, roles, drop=on_missing == "drop")
    runs = found.rows.reshape(-1, found.rows.shape[-1])
    values = np.stack([one.examples(row) for row in runs])
    if one.quantity.lower_is_better:
        if np.isin(values, (0.0, 1.0)).all():
            values = 1 - values
        else:
            values = -values
    return run_noise(values, margin=margin, level=level)


def _read(table: Any, said: Mapping[str, Any], on_missing: str) -> Results:
    """As the table of one model, where it is one; else its algorithms are the runs."""
    try:
        return read_results({"model": table}, on_missing=on_missing, **said)
    except InvalidInput:
        return read_results(table, on_missing=on_missing, **said)
