"""``pytest --benchmark-json FILE``."""

from typing import Any

from evenfold.core.checks import refuse
from evenfold.evals.measurements import _base


@_base.register
class PytestBenchmark(_base.MeasurementFormat):
    """
    Rounds of each test, all in one process, so that a file is one run of each benchmark.

    The name of a benchmark consists of its file, its test and its parameters. A file without single
    rounds holds only summaries and is refused.
    """

    key = "pytest-benchmark"
    program = "pytest-benchmark"
    mark = b'"machine_info"'

    def knows(self, document: _base.Document) -> bool:
        return "machine_info" in document and isinstance(document["benchmarks"], list)

    def read(self, document: _base.Document) -> _base.Measurements:
        runs = _base.RunCollector()
        for benchmark in document["benchmarks"]:
            name = str(benchmark.get("fullname") or benchmark["name"])
            rounds = benchmark["stats"].get("data")
            if not rounds:
                refuse(
                    None,
                    f"The benchmark {name!r} must be saved with its rounds, but it has only a "
                    "summary.",
                    "Run pytest with --benchmark-json, or with --benchmark-save-data.",
                )
            runs.add(name, rounds)
        commit = document.get("commit_info") or {}
        date = _base.date_of(document.get("datetime"))
        return _base.Measurements(
            benchmarks=runs.runs,
            machine=_machine(document["machine_info"]),
            dates=() if date is None else (date,),
            commit=_commit(commit),
            committed=_base.date_of(commit.get("time")),
        )


_NO_COMMITS = ("unversioned", "unknown")  # the ids that the tool gives outside a repository


def _commit(info: dict[str, Any]) -> str:
    """Return the commit that was measured, or an empty text if files were changed after it."""
    commit = str(info.get("id") or "")
    if info.get("dirty") or commit in _NO_COMMITS:
        return ""
    return commit


def _machine(info: dict[str, Any]) -> str:
    """Return the processor, its cores, the system and the Python version of the tests."""
    cpu = info.get("cpu") or {}
    brand = cpu.get("brand_raw") or cpu.get("brand") or info.get("processor")
    cores = f"{cpu['count']} cores" if cpu.get("count") else ""
    version = ".".join(str(info.get("python_version") or "").split(".")[:2])
    python = f"{info.get('python_implementation') or ''} {version}".strip()
    parts = (brand, cores, info.get("machine"), info.get("system"), python)
    return ", ".join(str(part) for part in parts if part)
