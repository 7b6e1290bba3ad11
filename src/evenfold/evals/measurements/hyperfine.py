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

    A benchmark is called by its command, or by the name that ``--command-name`` gave it. The tool
    records neither machine nor date. A command that failed is refused, because failing may take
    less time than working.
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
                    f"{len(failures)} ended with another one, such as {failures[0]}.",
                )
            if not result.get("times"):
                refuse(
                    None,
                    f"The command {name!r} must be exported with its times, but it has only a "
                    "summary.",
                )
            runs.add(name, result["times"], a_process_each=True)
        return Measurements(benchmarks=runs.runs)
