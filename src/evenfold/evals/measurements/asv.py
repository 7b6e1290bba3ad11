"""Result files of airspeed velocity (asv): ``results/MACHINE/COMMIT-ENVIRONMENT.json``."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from typing import Any

from evenfold.core.checks import refuse, short_repr
from evenfold.evals.measurements import _base

_VERSION = 2  # the version of the format, since asv 0.5
_EXISTING = "existing"  # asv names an environment that it did not make by this word and a folder


@_base.register
class Asv(_base.MeasurementFormat):
    """
    Samples of timing benchmarks, one benchmark per combination of parameters.

    asv puts the samples of its processes together, so a file is one run of each benchmark. Only
    ``asv run --record-samples`` saves samples; files with summaries are refused. A benchmark that
    failed has no result and is left out.
    """

    key = "asv"
    program = "asv"
    mark = b'"result_columns"'

    def knows(self, document: _base.Document) -> bool:
        return "result_columns" in document and isinstance(document["results"], dict)

    def read(self, document: _base.Document) -> _base.Measurements:
        if document.get("version") != _VERSION:
            refuse(
                None,
                f"Results of asv must have format version {_VERSION} but got "
                f"{short_repr(document.get('version'))}.",
            )
        columns = document["result_columns"]
        runs = _base.RunCollector()
        started = []
        for name, cells in document["results"].items():
            row = dict(zip(columns, cells, strict=False))
            if not _is_time(name) or row.get("result") is None:
                continue
            for case, samples in _cases(name, row):
                runs.add(case, samples, version=str(row.get("version") or ""))
            if row.get("started_at") is not None:
                started.append(_date(row["started_at"]))
        return _base.Measurements(
            benchmarks=runs.runs,
            machine=_machine(document),
            dates=(min(started),) if started else (),
            commit=str(document.get("commit_hash") or ""),
            committed=_date(document["date"]) if document.get("date") else None,
        )


def _is_time(name: str) -> bool:
    """Return whether asv times a benchmark, which depends on the name of its function."""
    return name.rpartition(".")[2].lower().startswith("time")


def _cases(name: str, row: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the samples of each combination of parameters that did not fail."""
    samples = row.get("samples")
    if samples is None:
        refuse(
            None,
            f"The benchmark {name!r} must be saved with its samples, but it has only a summary.",
            "Run asv with --record-samples.",
        )
    cases = list(product(*(row.get("params") or [])))
    for case, result, values in zip(cases, row["result"], samples, strict=True):
        if result is None:
            continue
        label = f"{name}({', '.join(map(str, case))})" if case else name
        yield label, values or []


def _date(milliseconds: Any) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)


def _machine(document: _base.Document) -> str:
    """Return the processor, its cores, the system and the environment of the benchmarks."""
    params = document.get("params") or {}
    cores = f"{params['num_cpu']} cores" if params.get("num_cpu") else ""
    system = str(params.get("os") or "").partition(" ")[0]  # without the version of the kernel
    environment = str(document.get("env_name") or "")
    if environment.startswith(_EXISTING):
        environment = ""
    parts = (params.get("cpu"), cores, params.get("arch"), system, environment)
    return ", ".join(str(part) for part in parts if part)
