"""
The base class of formats of benchmarking tools, and the reader of their files.

Each format recognises its documents and returns one :class:`Measurements` per file. Several files
of one version are put together, and each file is a separate block.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from evenfold.core.checks import is_missing, one_of, refuse, refuse_value, short_repr
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.registry import Registry
from evenfold.evals.documents import find_format, parse_json, refuse_malformed

Document = Any  # what a JSON file holds

_LARGEST_BYTES = 2**28
_HEAD_BYTES = 2**16
_MOST_FILES = 10_000


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BenchmarkRuns:
    """
    The runs of one benchmark.

    Attributes
    ----------
    values : tuple of float
        Positive times, in ``unit``.
    unit : str
        "s", "ms", "us" or "ns".
    blocks : tuple of int
        The process, or the interleaved block, of each value. Repetitions inside one process are not
        separate runs.
    version : str
        The version of the code of the benchmark itself, if the tool records it.
    """

    values: tuple[float, ...]
    unit: str
    blocks: tuple[int, ...]
    version: str = ""

    def __post_init__(self) -> None:
        if not self.values or len(self.values) != len(self.blocks):
            refuse(
                "blocks",
                "blocks must have one entry for each value, and at least one, but got "
                f"{len(self.blocks)} for {len(self.values)} values.",
            )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Measurements:
    """
    What a benchmarking tool measured of one version of a program.

    Attributes
    ----------
    benchmarks : mapping of str to BenchmarkRuns
        The runs of each benchmark, by its name.
    machine : str
        The processor and other properties that identify the kind of machine. It is empty if the
        tool does not record them. Names of hosts are left out, because hosted runners have a new
        name each time.
    build : str
        The kind of build of the program, "release" or "debug". It is empty if the tool does not
        record it.
    dates : tuple of datetime
        The time at which each file was measured, in the order of the blocks. It is empty if the
        tool does not record the time.
    commit : str
        The commit that was measured. It is empty if the commit is unknown, or if the working files
        differed from the commit.
    committed : datetime or None
        The date of that commit.
    """

    benchmarks: Mapping[str, BenchmarkRuns]
    machine: str = ""
    build: str = ""
    dates: tuple[datetime, ...] = field(default=())
    commit: str = ""
    committed: datetime | None = None

    @property
    def date(self) -> datetime | None:
        """The time at which the first file was measured; None if no file has a time."""
        return min(self.dates, default=None)


MeasurementSource = str | Path | Sequence[str | Path] | Measurements


class MeasurementFormat(ABC):
    """
    One format of measurements. Each module of a format registers one instance in :data:`FORMATS`.

    Attributes
    ----------
    key : str
        The name of the format.
    program : str
        The name of the program that writes the format, as people know it.
    mark : bytes
        Bytes in the first 64 KiB of every file of the format. Files without a mark are not read.
    """

    key: ClassVar[str]
    program: ClassVar[str]
    mark: ClassVar[bytes]

    @abstractmethod
    def knows(self, document: Document) -> bool:
        """
        Return whether a document has this format, without reading its measurements.

        A KeyError, TypeError, AttributeError or IndexError means that the document has another
        format.
        """

    @abstractmethod
    def read(self, document: Document) -> Measurements:
        """
        Return the measurements of a document.

        A document that breaks the rules of the format may raise KeyError, TypeError,
        AttributeError, ValueError, IndexError or OverflowError.
        """


FORMATS: Registry[MeasurementFormat] = Registry(
    "format of measurements", "evenfold.measurement_formats", home="evenfold.evals.measurements"
)


def register(form: type[MeasurementFormat]) -> type[MeasurementFormat]:
    """Register a format of measurements: a decorator of its class."""
    FORMATS.add(form.key, form())
    return form


# Functions that the formats share.

_UNITS = ("s", "ms", "us", "ns")


class RunCollector:
    """
    Collect the runs of the benchmarks of one file.

    A time of 0 or below is refused, and so is a benchmark that a file names twice.
    """

    def __init__(self) -> None:
        self._runs: dict[str, BenchmarkRuns] = {}

    def add(
        self,
        name: str,
        values: Iterable[Any],
        *,
        unit: str = "s",
        a_process_each: bool = False,
        version: str = "",
    ) -> None:
        """Add the times of a benchmark, all from one process or each from a separate process."""
        if not name:
            refuse("benchmarks", "Every benchmark must have a name, but one has none.")
        if name in self._runs:
            refuse_twice(name)
        times = tuple(_time(name, value) for value in values)
        if not times:
            refuse(None, f"The benchmark {name!r} has no times.")
        one_of("unit", unit, _UNITS)
        blocks = tuple(range(len(times))) if a_process_each else (0,) * len(times)
        self._runs[name] = BenchmarkRuns(values=times, unit=unit, blocks=blocks, version=version)

    @property
    def runs(self) -> dict[str, BenchmarkRuns]:
        """The runs of all benchmarks. A file without benchmarks is refused."""
        if not self._runs:
            refuse(
                "measurements", "A file must have at least one benchmark, but this one has none."
            )
        return self._runs


def refuse_twice(benchmark: str) -> NoReturn:
    """Refuse a file in which two benchmarks have the same name."""
    refuse("benchmarks", f"A file must name a benchmark once, but it names {benchmark!r} twice.")


def _time(name: str, value: Any) -> float:
    """Return a time as a float, and refuse a value that is not a positive finite number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or value <= 0:
        shown = "a missing value" if is_missing(value) else short_repr(value)
        refuse(
            None,
            f"The times of {name!r} must be positive numbers but got {shown}.",
            "Measure that benchmark again.",
        )
    return float(value)


def date_of(text: Any) -> datetime | None:
    """
    Return the time of a text in the ISO form, or None if the text has another form.

    A time without a time zone is taken as UTC.

    Examples
    --------
    >>> date_of("2026-03-01T12:00:00+02:00").isoformat(), date_of("soon")
    ('2026-03-01T10:00:00+00:00', None)
    """
    try:
        date = datetime.fromisoformat(str(text))
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError):  # no date, or one of a year that UTC does not have
        return None


# Files and folders.


def format_of(document: Document) -> MeasurementFormat | None:
    """Return the format of a document, or None if the format is unknown."""
    return find_format(FORMATS, document)


def are_measurements(source: Any) -> bool:
    """Return whether a source is a :class:`Measurements`, or files of a benchmarking tool."""
    if isinstance(source, Measurements):
        return True
    try:
        paths = _paths(source)
        return bool(paths) and _is_marked(paths[0]) and format_of(_document(paths[0])) is not None
    except (EvenfoldError, OSError):
        return False


def read_measurements(source: MeasurementSource) -> Measurements:
    """
    Read what a benchmarking tool measured of one version of a program.

    Parameters
    ----------
    source : path, or list of paths
        A JSON file of pytest-benchmark, hyperfine, Google Benchmark or asv, several such files of
        one version, or a folder of them. Each file counts as a separate process, in the order of
        the dates of the files.

    Returns
    -------
    Measurements

    Raises
    ------
    InvalidInput
        If a file has none of these formats or holds a value that is not a measurement, if the files
        differ in the machine, the build, the commit or the benchmarks, or if two files are equal.
    """
    if isinstance(source, Measurements):
        return source
    return merge_files(read_files(source))


def read_files(source: MeasurementSource) -> dict[str, Measurements]:
    """Return the measurements of each file by its name, in the order of their dates."""
    paths = _paths(source)
    if not paths:
        _refuse_missing(source)
    files = {str(path): _read_file(path) for path in paths}
    if len(files) < len(paths):
        refuse("measurements", "measurements must be different files but got the same file twice.")
    if all(len(file.dates) == 1 for file in files.values()):
        return dict(sorted(files.items(), key=lambda item: item[1].dates))
    return files


def merge_files(files: Mapping[str, Measurements]) -> Measurements:
    """Put the files of one version together, each as a separate block."""
    parts = list(files.values())
    if len(parts) == 1:
        return parts[0]
    for name in ("machine", "build", "commit"):
        _require_equal(files, name)
    dates = tuple(date for part in parts for date in part.dates)
    return replace(
        parts[0],
        benchmarks={name: _merged_runs(name, files) for name in _common_names(files)},
        dates=dates if all(part.dates for part in parts) else (),
    )


def _require_equal(files: Mapping[str, Measurements], attribute: str) -> None:
    values = {getattr(file, attribute) for file in files.values()}
    if len(values) > 1:
        shown = " and ".join(repr(value) for value in sorted(values)[:2])
        refuse(
            "measurements",
            f"All files of one version must have the same {attribute} but got {shown}.",
            "Measure all files of one version in the same way.",
        )


def _common_names(files: Mapping[str, Measurements]) -> list[str]:
    (first_path, first_file), *others = files.items()
    for path, file in others:
        in_one_file = set(first_file.benchmarks) ^ set(file.benchmarks)
        if in_one_file:
            refuse(
                "measurements",
                "All files of one version must have the same benchmarks, but only one of "
                f"{Path(first_path).name} and {Path(path).name} has {min(in_one_file)!r}.",
            )
    return list(first_file.benchmarks)


def _merged_runs(name: str, files: Mapping[str, Measurements]) -> BenchmarkRuns:
    parts = {path: file.benchmarks[name] for path, file in files.items()}
    seen: dict[tuple[float, ...], str] = {}
    values: list[float] = []
    blocks: list[int] = []
    for path, part in parts.items():
        if part.values in seen:
            refuse(
                "measurements",
                "Every file must measure a separate run, but "
                f"{Path(seen[part.values]).name} and {Path(path).name} have the same times of "
                f"{name!r}.",
            )
        seen[part.values] = path
        first = max(blocks, default=-1) + 1
        values += part.values
        blocks += [first + block for block in part.blocks]
    runs = list(parts.values())
    if len({part.unit for part in runs}) > 1 or len({part.version for part in runs}) > 1:
        refuse(
            None,
            f"The times of {name!r} must have one unit and one version of the benchmark, but the "
            "files differ.",
        )
    return replace(runs[0], values=tuple(values), blocks=tuple(blocks))


def _paths(source: Any) -> list[Path]:
    """Return the files of a source, which is a file, a folder, or a list of files and folders."""
    if isinstance(source, (str, Path)):
        path = Path(source)
        if not path.is_dir():
            return [path] if path.is_file() else []
        paths = sorted(path.rglob("*.json"))
        if len(paths) > _MOST_FILES:
            refuse(
                "measurements",
                f"measurements must be a folder with at most {_MOST_FILES:,} files, but {path} has "
                "more.",
            )
        return [path_in_folder for path_in_folder in paths if _is_marked(path_in_folder)]
    if isinstance(source, Sequence) and all(isinstance(part, (str, Path)) for part in source):
        return [path for part in source for path in _paths(part) or _refuse_missing(part)]
    return []


def _is_marked(path: Path) -> bool:
    """Return whether the first bytes of a file have the mark of a format."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return any(form.mark in head for form in FORMATS.values())


def _refuse_missing(source: Any) -> NoReturn:
    rule = "a JSON file of a benchmarking tool, or a folder of them,"
    refuse_value("measurements", source, rule)


def _document(path: Path) -> Document:
    if path.suffix.lower() != ".json":
        raise InvalidInput(f"{path.name} is not a JSON file of a benchmarking tool.")
    if path.stat().st_size > _LARGEST_BYTES:
        refuse(
            "measurements",
            f"A file of measurements must have at most {_LARGEST_BYTES:,} bytes, but {path.name} "
            "is larger.",
        )
    return parse_json(path.read_bytes(), path.name)


def _read_file(path: Path) -> Measurements:
    document = _document(path)
    form = format_of(document)
    if form is None:
        programs = ", ".join(form.program for form in FORMATS.values())
        refuse(
            "measurements",
            f"measurements must be a JSON file of {programs}, but {path.name} has another format.",
        )
    with refuse_malformed(path, f"a file of {form.program}"):
        try:
            return form.read(document)
        except EvenfoldError as error:
            raise InvalidInput(f"{path.name}: {error}") from error
