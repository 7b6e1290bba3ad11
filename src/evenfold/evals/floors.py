"""The noise floor of benchmarks, which is the distance between measurements of one version."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np

from evenfold.core.checks import integer, number, refuse, refuse_value
from evenfold.core.json import build
from evenfold.core.note import Note, note
from evenfold.evals.keep.ledger import read_sealed, write_sealed
from evenfold.evals.measurements import Measurements, read_files
from evenfold.evals.measurements._base import date_of, merge_files
from evenfold.infer import geometric_means, noise_floor
from evenfold.infer.ratios import FEWEST_AA_RUNS

_KIND = "noise floor"
_VERSION = 1
# two machines may differ by this much, because of their clocks or of time zones that a tool omits
_CLOCKS_APART = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class FloorEntry:
    """
    The noise floor of one benchmark or task.

    Attributes
    ----------
    floor : float
        The largest absolute log ratio of its A/A runs.
    runs : int
        The number of A/A runs.
    """

    floor: float
    runs: int


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class NoiseFloor:
    """
    The noise floors of benchmarks or tasks, which a file of the repository keeps.

    Attributes
    ----------
    entries : mapping of str to FloorEntry
        The floor of each benchmark, by its name.
    machine : str
        The machine of the runs. It is empty if the files do not name the machine.
    date : str
        The time at which the first of the runs was measured, in the ISO form. If the files have no
        time, it is the time at which the floor was computed.
    commit : str
        The commit that was measured. It is empty if the files do not name the commit.
    """

    entries: Mapping[str, FloorEntry]
    machine: str
    date: str
    commit: str = ""

    def age(self, now: datetime) -> timedelta:
        """Return the age of the floor."""
        return now - (date_of(self.date) or now)

    @property
    def said(self) -> Note:
        """The number of benchmarks that have a floor, and the largest floor."""
        benchmark, largest = max(self.entries.items(), key=lambda entry: entry[1].floor)
        return note(
            "floor-measured",
            benchmarks=len(self.entries),
            runs=min(entry.runs for entry in self.entries.values()),
            largest=largest.floor,
            benchmark=benchmark,
        )

    def __str__(self) -> str:
        return str(self.said)


def measure_floor(
    source: str | Path | Sequence[str | Path],
) -> NoiseFloor:
    """
    Measure the noise floor from files that measure one and the same version.

    Parameters
    ----------
    source : paths
        At least 38 files of a benchmarking tool, or a folder of them. The files are sorted by their
        dates if every file has a date. The first and the second file are an A/A run, the third and
        the fourth file are the next A/A run, and so on. The last file of an odd number is left out.

    Returns
    -------
    NoiseFloor
    """
    files = read_files(source)
    fewest = 2 * FEWEST_AA_RUNS
    if len(files) < fewest:
        refuse(
            "files",
            f"A noise floor needs at least {fewest} files of one version, two for each of "
            f"{FEWEST_AA_RUNS} A/A runs, but got {len(files)}.",
            "Measure the baseline more often, and write one file each time.",
        )
    together = merge_files(files)
    logs = [_mean_logs(file) for file in files.values()]
    pairs = list(pairwise(logs))[::2]
    entries = {
        name: FloorEntry(
            floor=noise_floor([second[name] - first[name] for first, second in pairs]),
            runs=len(pairs),
        )
        for name in together.benchmarks
    }
    date = together.date or datetime.now(UTC)
    return NoiseFloor(
        entries=entries,
        machine=together.machine,
        date=date.isoformat(timespec="seconds"),
        commit=together.commit,
    )


def _mean_logs(file: Measurements) -> dict[str, float]:
    return {
        name: float(np.log(geometric_means(runs.values, runs.blocks)).mean())
        for name, runs in file.benchmarks.items()
    }


def write_floor(path: Path, floor: NoiseFloor) -> None:
    """Write a noise floor. The file is replaced in one step, so that no reader sees half of it."""
    write_sealed(path, _KIND, _VERSION, asdict(floor), indent=1)


def read_floor(path: str | Path, *, now: datetime | None = None) -> NoiseFloor:
    """
    Read a file that :func:`write_floor` wrote.

    A file that is incomplete, was edited or holds impossible values is refused.
    """
    place = Path(path)
    if not place.is_file():
        refuse(
            "floor",
            f"floor must be a file that 'evenfold floor' wrote, but there is no file {path}.",
        )
    floor = build(NoiseFloor, read_sealed(place, _KIND, _VERSION), place.name)
    if not floor.entries:
        refuse(
            place.name, f"A noise floor must have at least one entry, but {place.name} has none."
        )
    for name, entry in floor.entries.items():
        number(f"{place.name}: floor of {name!r}", entry.floor, low=0.0)
        integer(f"{place.name}: runs of {name!r}", entry.runs, low=FEWEST_AA_RUNS)
    date = f"The date in {place.name}"
    if date_of(floor.date) is None:
        refuse_value(date, floor.date, "in the ISO form")
    if floor.age(now or datetime.now(UTC)) < -_CLOCKS_APART:
        refuse_value(date, floor.date, "in the past", "Measure the floor again.")
    return floor
