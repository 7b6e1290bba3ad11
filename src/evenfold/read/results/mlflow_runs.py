"""Runs that MLflow tracked: one score per run; what MLflow calls a run is a run."""

from collections.abc import Sequence
from typing import Any

from evenfold.core.checks import one_of, refuse
from evenfold.core.environment import require
from evenfold.read.results.base import LongTable, Reader, ReadingOptions, register

_SCHEME = "mlflow:"
_ALGORITHM = "tags.algorithm"


@register
class MlflowRuns(Reader):
    """
    A list of MLflow's runs (``client.search_runs``), or ``"mlflow:EXPERIMENT"``.

    The algorithm is a tag or a parameter: ``tags.algorithm``, unless ``columns={"algorithm":
    "params.model"}`` names another one. Other roles are named in the same way. ``measure`` names
    the metric.
    """

    key = "mlflow"
    takes = "a list of MLflow's runs or 'mlflow:EXPERIMENT'"

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        if isinstance(table, str):
            return table.startswith(_SCHEME)
        return isinstance(table, Sequence) and bool(table) and all(map(_is_run, table))

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        if isinstance(table, str):
            runs = _search_runs(table.removeprefix(_SCHEME))
        else:
            runs = list(table)
        metrics = sorted({metric for run in runs for metric in run.data.metrics})
        name = options.score(metrics, "The runs have several metrics.")
        roles = {"algorithm": _ALGORITHM, **options.columns}
        columns: dict[str, Any] = {
            role: [_run_value(run, where) for run in runs] for role, where in roles.items()
        }
        columns.setdefault("run", [run.info.run_id for run in runs])
        columns["value"] = [run.data.metrics.get(name) for run in runs]
        return LongTable(columns=columns, measure=name)


def _is_run(run: Any) -> bool:
    return hasattr(getattr(run, "data", None), "metrics") and hasattr(
        getattr(run, "info", None), "run_id"
    )


def _search_runs(experiment: str) -> list[Any]:
    """Return all runs of an experiment from MLflow's own client, page by page."""
    require("mlflow", f"the table {experiment!r}")
    from mlflow.tracking import MlflowClient

    client = MlflowClient()
    tracked = client.get_experiment_by_name(experiment)
    if tracked is None:
        refuse("experiment", f"MLflow knows no experiment {experiment!r}.")
    runs: list[Any] = []
    token = None
    while True:
        page = client.search_runs([tracked.experiment_id], page_token=token)
        runs += page
        token = page.token
        if not token:
            break
    if not runs:
        refuse("experiment", f"The experiment {experiment!r} of MLflow has no runs.")
    return runs


def _run_value(run: Any, where: str) -> Any:
    """
    Return a tag, a parameter, or what MLflow knows of the run.

    The name is ``tags.x``, ``params.x`` or, for example, ``info.run_name``.
    """
    place, _, key = where.partition(".")
    if place == "info":
        return getattr(run.info, key, None)
    return getattr(run.data, one_of("columns", place, ("tags", "params"))).get(key)
