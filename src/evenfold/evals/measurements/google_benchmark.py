"""``--benchmark_out=FILE --benchmark_out_format=json`` of Google Benchmark."""

from typing import Any

from evenfold.core.checks import refuse
from evenfold.evals.measurements import _base

_REPETITION = "iteration"  # the run type of a measurement, in contrast to an aggregate


@_base.register
class GoogleBenchmark(_base.MeasurementFormat):
    """
    Real time per iteration of each repetition.

    All repetitions run in one process, so a file is one run of each benchmark. Means and other
    aggregates are left out. A benchmark that failed or was skipped is refused.
    """

    key = "google-benchmark"
    program = "Google Benchmark"
    mark = b'"num_cpus"'

    def knows(self, document: _base.Document) -> bool:
        return "num_cpus" in document["context"] and isinstance(document["benchmarks"], list)

    def read(self, document: _base.Document) -> _base.Measurements:
        context = document["context"]
        repetitions: dict[str, list[dict[str, Any]]] = {}
        for row in document["benchmarks"]:
            name = str(row.get("run_name") or row["name"])
            if row.get("error_occurred") or row.get("skipped"):
                why = str(row.get("error_message") or row.get("skip_message") or "no message")
                refuse(None, f"The benchmark {name!r} failed or was skipped: {why}.")
            if row.get("run_type", _REPETITION) == _REPETITION:
                repetitions.setdefault(name, []).append(row)
        if not repetitions:
            refuse(
                "benchmarks",
                "Benchmarks must be written with their repetitions, but this file has only "
                "aggregates.",
                "Run without --benchmark_report_aggregates_only.",
            )
        runs = _base.RunCollector()
        for name, rows in repetitions.items():
            _require_different(name, rows)
            units = sorted({str(row.get("time_unit", "ns")) for row in rows})
            if len(units) > 1:
                shown = " and ".join(units)
                refuse(None, f"The times of {name!r} must have one unit but got {shown}.")
            runs.add(name, [row["real_time"] for row in rows], unit=units[0])
        date = _base.date_of(context.get("date"))
        return _base.Measurements(
            benchmarks=runs.runs,
            machine=_machine(context),
            build=str(context.get("library_build_type") or ""),
            dates=() if date is None else (date,),
        )


def _require_different(name: str, rows: list[dict[str, Any]]) -> None:
    """Refuse a benchmark that was registered twice, so that its repetitions share numbers."""
    numbers = [row.get("repetition_index", 0) for row in rows]
    if len(set(numbers)) < len(numbers):
        _base.refuse_twice(name)


def _machine(context: dict[str, Any]) -> str:
    """
    Return the number of processors and their caches.

    Clock rates are left out, because they differ between readings.
    """
    caches = [f"L{cache['level']} {cache['size']}" for cache in context.get("caches") or []]
    return ", ".join([f"{context['num_cpus']} processors", *caches])
