"""``hyperfine --export-json FILE``."""

from evenfold.core.checks import refuse
from evenfold.evals.measurements import _base


@_base.register
class Hyperfine(_base.MeasurementFormat):
    """
    Wall-clock times of commands, each run in its own process.

    The name of a benchmark is its command, or the name that ``--command-name`` sets. The tool
    records neither the machine nor the date. A command that failed is refused, because failing may
    take less time than working.
    """

    key = "hyperfine"
    program = "hyperfine"
    mark = b'"command"'

    def knows(self, document: _base.Document) -> bool:
        first = document["results"][0]
        return "command" in first and "mean" in first

    def read(self, document: _base.Document) -> _base.Measurements:
        runs = _base.RunCollector()
        for result in document["results"]:
            name = str(result["command"])
            failures = [code for code in result.get("exit_codes") or [] if code != 0]
            if failures:
                refuse(
                    None,
                    f"Every run of the command {name!r} must end with exit code 0, but "
                    f"{len(failures)} ended with another code, such as {failures[0]}.",
                )
            if not result.get("times"):
                refuse(
                    None,
                    f"The command {name!r} must be exported with its times, but it has only a "
                    "summary.",
                    "Run hyperfine with --export-json.",
                )
            runs.add(name, result["times"], a_process_each=True)
        return _base.Measurements(benchmarks=runs.runs)
