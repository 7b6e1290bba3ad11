"""``hyperfine --export-json FILE``."""

from evenfold.core.checks import refuse
from evenfold.evals.measurements._base import (
    Document,
    MeasurementFormat,
    Measurements,
    RunCollector,
    register_format,
)


@register_format
class Hyperfine(MeasurementFormat):
    """
    Wall-clock times of commands, each run in its own process.

    The name of a benchmark is its command, or the name that ``--command-name`` sets. The tool
    records neither the machine nor the date. A command that failed is refused, because failing may
    take less time than working.
    """

    key = "hyperfine"
    program = "hyperfine"
    mark = b'"command"'

    def knows(self, document: Document) -> bool:
        first = document["results"][0]
        return "command" in first and "mean" in first

    def read(self, document: Document) -> Measurements:
        runs = RunCollector()
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
        return Measurements(benchmarks=runs.runs)
