"""Files of benchmarking tools: recorded ones, and what no reader may take for a measurement."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import evenfold as ef
from evenfold.evals.measurements import FORMATS, Measurements, read_measurements
from evenfold.evals.measurements._base import are_measurements, format_of

RECORDED = Path(__file__).parent / "data" / "measurements"
KEYS = ("asv", "google-benchmark", "hyperfine", "pytest-benchmark")
NAMES = {
    "asv": {"b.time_sorted(100)", "b.time_sorted(1000)", "b.time_sum"},
    "google-benchmark": {"sum_range/iterations:200/repeats:3", "skipped_one/iterations:200"},
    "hyperfine": {"example --fast input.txt"},
    "pytest-benchmark": {"test_b.py::test_sum[10]", "test_b.py::test_sum[20]"},
}


def document(key: str) -> Any:
    return json.loads((RECORDED / f"{key}.json").read_text())


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def changed(key: str, change: Callable[[Any], Any], folder: Path) -> Path:
    """A recorded file in which something was changed."""
    content = document(key)
    change(content)
    return write(folder / f"{key}.json", content)


def test_the_tests_know_all_formats() -> None:
    assert {*FORMATS} == {*KEYS}


@pytest.mark.parametrize("key", KEYS)
def test_a_format_keeps_the_contract(key: str) -> None:
    """It knows its own documents and no other, and reads them as one value of plain parts."""
    form = FORMATS[key]
    path = RECORDED / f"{key}.json"
    assert form.key == key
    assert form.program
    assert form.mark in path.read_bytes()
    assert [other for other in KEYS if format_of(document(other)) is form] == [key]
    strangers: list[Any] = [None, 7, "text", [], {}, [{}], {"results": []}, {"benchmarks": 3}]
    for stranger in strangers:
        assert format_of(stranger) is None
    found = read_measurements(path)
    assert isinstance(found, Measurements)
    assert are_measurements(path)
    assert {*found.benchmarks} == NAMES[key]
    for runs in found.benchmarks.values():
        assert min(runs.values) > 0
        assert len(runs.values) == len(runs.blocks)


@pytest.mark.parametrize(
    ("key", "unit", "machine", "build", "commit"),
    [
        ("asv", "s", "AMD EPYC, 2 cores, x86_64, Linux, virtualenv-py3.11", "", "063492ac"),
        ("google-benchmark", "ns", "2 processors, L1 49152, L1 32768, ", "release", ""),
        ("hyperfine", "s", "", "", ""),
        ("pytest-benchmark", "s", "AMD EPYC, 2 cores, x86_64, Linux, CPython 3.11", "", "063492ac"),
    ],
)
def test_what_a_file_says_beside_its_times(
    key: str, unit: str, machine: str, build: str, commit: str
) -> None:
    found = read_measurements(RECORDED / f"{key}.json")
    assert {runs.unit for runs in found.benchmarks.values()} == {unit}
    assert found.machine.startswith(machine)
    assert found.build == build
    assert found.commit.startswith(commit)
    if key == "hyperfine":
        assert found.date is None
    else:
        assert found.date is not None
        assert found.date.date() == datetime(2026, 11, 18, tzinfo=UTC).date()


def test_only_processes_count_as_runs() -> None:
    blocks = {
        key: {
            len(set(runs.blocks))
            for runs in read_measurements(RECORDED / f"{key}.json").benchmarks.values()
        }
        for key in KEYS
    }
    assert blocks == {
        "asv": {1},
        "google-benchmark": {1},
        "hyperfine": {4},
        "pytest-benchmark": {1},
    }


def _at(hour: int) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        content["datetime"] = f"2026-11-18T{hour:02}:00:00+00:00"
        for benchmark in content["benchmarks"]:
            benchmark["stats"]["data"] = [t * (1 + hour / 100) for t in benchmark["stats"]["data"]]

    return change


def test_several_files_are_blocks_in_the_order_of_their_dates(tmp_path: Path) -> None:
    for name, hour in (("a", 9), ("b", 3), ("c", 6)):
        changed("pytest-benchmark", _at(hour), tmp_path).rename(tmp_path / f"{name}.json")
    (tmp_path / "other.json").write_text('{"no": "measurement"}')
    found = read_measurements(tmp_path)
    runs = found.benchmarks["test_b.py::test_sum[10]"]
    assert runs.blocks == (0,) * 4 + (1,) * 4 + (2,) * 4
    assert [date.hour for date in found.dates] == [3, 6, 9]
    assert runs.values[0] / runs.values[-4] == pytest.approx(1.03 / 1.09)
    again = read_measurements([tmp_path / "b.json", tmp_path / "a.json"])
    assert [date.hour for date in again.dates] == [3, 9]


def _drop_rounds(content: Any) -> None:
    del content["benchmarks"][0]["stats"]["data"]


def _repeat_benchmark(content: Any) -> None:
    content["benchmarks"].append(content["benchmarks"][0])


def _aggregates_only(content: Any) -> None:
    content["benchmarks"] = [r for r in content["benchmarks"] if r["run_type"] == "aggregate"]


def _empty(content: Any) -> None:
    content["benchmarks"] = []


def _in_hyperfine(**values: Any) -> Callable[[Any], None]:
    return lambda content: content["results"][0].update(values)


def _in_google(**values: Any) -> Callable[[Any], None]:
    return lambda content: content["benchmarks"][0].update(values)


def _drop_samples(content: Any) -> None:
    place = content["result_columns"].index("samples")
    for row in content["results"].values():
        del row[place:]


@pytest.mark.parametrize(
    ("key", "change", "said"),
    [
        ("pytest-benchmark", _drop_rounds, "saved with its rounds, but it has only a summary"),
        ("pytest-benchmark", _repeat_benchmark, "A file must name a benchmark once"),
        ("pytest-benchmark", _empty, "must have at least one benchmark"),
        ("hyperfine", _in_hyperfine(exit_codes=[0, 1, 0, 0]), "exit code 0"),
        ("hyperfine", _in_hyperfine(exit_codes=[0, None, 0, 0]), "exit code 0"),
        ("hyperfine", _in_hyperfine(times=None), "exported with its times"),
        ("hyperfine", _in_hyperfine(times=[0.2, 0.0, 0.2]), "positive numbers but got 0"),
        ("hyperfine", _in_hyperfine(times=[0.2, -0.1, 0.2]), "positive numbers but got -0.1"),
        ("hyperfine", _in_hyperfine(times=[0.2, float("nan")]), "a missing value"),
        ("hyperfine", _in_hyperfine(times=[0.2, float("inf")]), "positive numbers but got inf"),
        ("hyperfine", _in_hyperfine(times=[0.2, "0.2"]), "positive numbers but got '0.2'"),
        ("hyperfine", _in_hyperfine(times=[0.2, True]), "positive numbers but got True"),
        ("hyperfine", _in_hyperfine(command=""), "Every benchmark must have a name"),
        ("google-benchmark", _in_google(error_occurred=True, error_message="x y"), "x y"),
        (
            "google-benchmark",
            _in_google(skipped="SkippedWithMessage"),
            "failed or was skipped: no message",
        ),
        ("google-benchmark", _in_google(time_unit="ms"), "one unit but got ms and ns"),
        ("google-benchmark", _in_google(repetition_index=1), "A file must name a benchmark once"),
        ("google-benchmark", _in_google(real_time=None), "a missing value"),
        ("google-benchmark", _aggregates_only, "written with their repetitions"),
        ("asv", _drop_samples, "Run asv with --record-samples."),
        ("asv", lambda content: content.update(version=1), "must have format version 2 but got 1"),
    ],
)
def test_what_is_no_measurement_is_refused_in_a_sentence(
    key: str, change: Callable[[Any], None], said: str, tmp_path: Path
) -> None:
    path = changed(key, change, tmp_path)
    with pytest.raises(ef.InvalidInput) as refused:
        read_measurements(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "date", ["0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00", "soon", 1e300, None]
)
def test_a_date_that_is_none_is_left_out(date: object, tmp_path: Path) -> None:
    path = changed("pytest-benchmark", lambda content: content.update(datetime=date), tmp_path)
    assert read_measurements(path).date is None


@pytest.mark.parametrize("date", [1e300, -1e300, 1e17])
def test_a_date_beyond_the_calendar_is_refused(date: float, tmp_path: Path) -> None:
    path = changed("asv", lambda content: content.update(date=date), tmp_path)
    with pytest.raises(ef.InvalidInput, match="looks like a file of asv, but reading it failed"):
        read_measurements(path)


def test_asv_leaves_out_what_failed_and_what_is_no_time(tmp_path: Path) -> None:
    def fail(content: Any) -> None:
        content["results"]["b.time_sum"][0] = None
        content["results"]["b.time_sorted"][0][0] = None

    found = read_measurements(changed("asv", fail, tmp_path))
    assert {*found.benchmarks} == {"b.time_sorted(1000)"}


def test_files_of_one_version_are_measured_alike(tmp_path: Path) -> None:
    first = changed("pytest-benchmark", _at(1), tmp_path).rename(tmp_path / "first.json")
    cases: dict[str, Callable[[Any], None]] = {
        "the same machine": lambda content: content["machine_info"].update(system="Windows"),
        "the same commit": lambda content: content["commit_info"].update(id="another"),
        "the same benchmarks": lambda content: content["benchmarks"].pop(),
        "measure a separate run": lambda content: content.update(datetime="2026-11-18T07:00:00"),
    }
    for said, change in cases.items():

        def twice(content: Any, change: Callable[[Any], None] = change) -> None:
            _at(1)(content)
            change(content)

        other = changed("pytest-benchmark", twice, tmp_path)
        with pytest.raises(ef.InvalidInput, match=said):
            read_measurements([first, other])
    with pytest.raises(ef.InvalidInput, match="same file twice"):
        read_measurements([first, first])


def test_what_is_no_file_of_a_known_tool_is_refused(tmp_path: Path) -> None:
    torn = tmp_path / "torn.json"
    torn.write_text('{"machine_info": ')
    strange = write(tmp_path / "strange.json", {"results": 3})
    sources: list[Any] = [torn, strange, tmp_path / "missing.json", tmp_path / "x.csv", 7, []]
    for source in sources:
        with pytest.raises(ef.InvalidInput):
            read_measurements(source)
        assert not are_measurements(source)
