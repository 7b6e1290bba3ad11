"""Measured times of two versions: the answers, the noise floor, and who tries to slip through."""

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import evenfold as ef
import evenfold.cli
from evenfold.core.change import Change
from evenfold.evals.changes import MeasuredChanges, judge_measurements
from evenfold.evals.floors import measure_floor, read_floor, write_floor
from evenfold.evals.keep.ledger import write_sealed

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
MACHINE = {"num_cpus": 8, "library_build_type": "release", "caches": []}
Document = dict[str, Any]


def google(
    seed: int, ratio: float = 1.0, *, hour: float = 0.0, names: str = "parse print"
) -> Document:
    """One process of two benchmarks, three repetitions each, in nanoseconds."""
    rng = np.random.default_rng(seed)
    rows = []
    for name in names.split():
        scale = 1000 * (ratio if name == "parse" else 1.0) * np.exp(rng.normal(0, 0.01))
        for repetition in range(3):
            time = scale * np.exp(rng.normal(0, 0.005))
            row = {"name": name, "run_name": name, "run_type": "iteration", "time_unit": "ns"}
            rows.append({**row, "repetition_index": repetition, "real_time": time})
    date = (NOW + timedelta(hours=hour)).isoformat()
    return {"context": {**MACHINE, "date": date}, "benchmarks": rows}


def version(folder: Path, documents: list[Document]) -> Path:
    """A folder with one file per process."""
    folder.mkdir(parents=True)
    for i, document in enumerate(documents):
        (folder / f"{i:02}.json").write_text(json.dumps(document))
    return folder


def processes(seed: int, ratio: float = 1.0, *, n: int = 6, start: float = 0.0) -> list[Document]:
    return [google(100 * seed + i, ratio, hour=start + 2 * i) for i in range(n)]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return version(tmp_path / "base", processes(1))


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return version(tmp_path / "slow", processes(2, 1.2, start=1))


@pytest.fixture
def floor(tmp_path: Path) -> Path:
    aa = version(tmp_path / "aa", [google(1000 + i, hour=-100 + i) for i in range(38)])
    path = tmp_path / "floor.json"
    write_floor(path, measure_floor(aa))
    return path


def changes_of(answer: MeasuredChanges) -> dict[str, Change]:
    return {one.benchmark: one.change for one in answer.benchmarks}


def test_a_slower_benchmark_is_a_regression_and_comes_first(base: Path, slow: Path) -> None:
    answer: Any = ef.judge({"main": base, "branch": slow})
    assert changes_of(answer) == {"parse": Change.REGRESSION, "print": Change.UNDECIDED}
    worst = answer.benchmarks[0]
    assert worst.benchmark == "parse"
    assert worst.low is not None
    assert worst.low < 1.2 < (worst.high or 0)
    assert "parse takes 1.2" in str(worst)
    assert "times as long (9" in str(worst)
    assert str(answer).startswith("branch against main, 2 benchmarks: 1 regression and 1 undecided")
    assert answer.paired
    assert [said.code for said in answer.notes] == ["runs-in-turns"]


def test_the_ratio_is_that_of_the_geometric_means_of_the_processes(base: Path, slow: Path) -> None:
    def logs(folder: Path) -> Any:
        rows = [json.loads(path.read_text())["benchmarks"] for path in sorted(folder.iterdir())]
        return [
            np.mean([np.log(r["real_time"]) for r in of if r["name"] == "parse"]) for of in rows
        ]

    answer = judge_measurements(base, slow)
    expected = np.exp(np.mean(logs(slow)) - np.mean(logs(base)))
    assert answer.benchmarks[0].value == pytest.approx(expected)
    assert (answer.benchmarks[0].runs_baseline, answer.benchmarks[0].runs_candidate) == (6, 6)


def test_a_faster_benchmark_is_an_improvement_and_passes(base: Path, tmp_path: Path) -> None:
    fast = version(tmp_path / "fast", processes(3, 0.8, start=1))
    answer = judge_measurements(base, fast, margin=0.05)
    assert changes_of(answer) == {"parse": Change.IMPROVEMENT, "print": Change.UNCHANGED}
    assert answer.benchmarks[-1].benchmark == "parse"
    assert answer.exit_code() == 0


def test_all_of_the_baseline_first_confounds_drift_with_the_change(
    base: Path, tmp_path: Path
) -> None:
    later = version(tmp_path / "later", processes(2, start=50))
    answer = judge_measurements(base, later)
    assert not answer.paired
    assert [said.code for said in answer.notes] == ["baseline-before-candidate"]
    assert "drift" in str(answer)


def test_all_of_the_candidate_first_can_hide_a_regression(base: Path, tmp_path: Path) -> None:
    earlier = version(tmp_path / "earlier", processes(2, start=-50))
    answer = judge_measurements(base, earlier)
    assert not answer.paired
    assert [said.code for said in answer.notes] == ["candidate-before-baseline"]
    assert "can hide a change" in str(answer)


def test_pairs_can_be_demanded_or_given_up(base: Path, slow: Path) -> None:
    assert not judge_measurements(base, slow, paired=False).paired
    later = judge_measurements(base, slow, paired=True)
    assert later.paired
    assert later.notes == ()


def test_the_floor_is_a_margin_for_each_benchmark(
    base: Path, slow: Path, floor: Path, tmp_path: Path
) -> None:
    answer = judge_measurements(base, slow, floor=floor, now=NOW)
    assert changes_of(answer)["parse"] is Change.REGRESSION
    assert answer.exit_code() == 3
    limits = {one.benchmark: one.limit for one in answer.benchmarks}
    entries = read_floor(floor, now=NOW).entries
    assert limits == {name: entry.floor for name, entry in entries.items()}
    same = version(tmp_path / "same", processes(7, n=12, start=1))
    many = version(tmp_path / "many", processes(8, n=12))
    unchanged = judge_measurements(many, same, floor=floor, now=NOW)
    assert changes_of(unchanged) == {"parse": Change.UNCHANGED, "print": Change.UNCHANGED}
    assert unchanged.exit_code() == 0
    assert "floor-by-chance" in {said.code for said in unchanged.notes}


def test_the_floor_is_the_largest_log_ratio_of_files_side_by_side(floor: Path) -> None:
    def mean_log(i: int) -> float:
        rows = google(1000 + i)["benchmarks"]
        return float(np.mean([np.log(r["real_time"]) for r in rows if r["name"] == "parse"]))

    apart = [abs(mean_log(i + 1) - mean_log(i)) for i in range(0, 38, 2)]
    found = read_floor(floor, now=NOW)
    assert found.entries["parse"].floor == pytest.approx(max(apart))
    assert found.entries["parse"].runs == 19
    assert found.date == (NOW - timedelta(hours=100)).isoformat(timespec="seconds")
    assert "noise floor of 2 benchmarks from 19 A/A runs" in str(found)


def test_answers_are_kept_in_files(base: Path, slow: Path, floor: Path, tmp_path: Path) -> None:
    answer = judge_measurements(base, slow, floor=floor, now=NOW)
    answer.to_json(tmp_path / "answer.json")
    again: Any = ef.load(tmp_path / "answer.json")
    assert str(again) == str(answer)
    assert again.to_json() == answer.to_json()
    plain = json.loads(answer.to_json())
    assert plain["benchmarks"][0]["change"] == "regression"
    assert plain["sentence"] == answer.sentence
    assert answer.to("markdown").count("\n- ") == 2
    with pytest.raises(ef.InvalidInput):
        MeasuredChanges.from_json(json.dumps({**plain, "version": 2}))
    with pytest.raises(ef.InvalidInput):
        MeasuredChanges.from_json(json.dumps({**plain, "benchmarks": []}))
    plain["benchmarks"][0]["change"] = "fine"
    with pytest.raises(ef.InvalidInput):
        MeasuredChanges.from_json(json.dumps(plain))


def test_names_from_files_cannot_write_markdown(tmp_path: Path) -> None:
    odd = "<img>@team\n# x"
    files = []
    for side, ratio in enumerate((1.0, 1.5)):
        documents = processes(side, ratio, n=3, start=side)
        for row in (
            row for one in documents for row in one["benchmarks"] if row["name"] == "parse"
        ):
            row["run_name"] = odd
        files.append(version(tmp_path / str(side), documents))
    text = judge_measurements(*files).to_markdown()
    assert "<img>" not in text
    assert "@team" not in text
    assert "\n#" not in text


# Who tries to make a slow pull request pass.


def _each(change: Callable[[Document], object]) -> Callable[[list[Document]], None]:
    def apply(documents: list[Document]) -> None:
        for document in documents:
            change(document)

    return apply


def _drop_slow(document: Document) -> None:
    document["benchmarks"] = [r for r in document["benchmarks"] if r["name"] != "parse"]


def _rename_slow(document: Document) -> None:
    for row in document["benchmarks"]:
        row["run_name"] = row["run_name"].replace("parse", "parse_v2")


def _times(value: Any) -> Callable[[Document], None]:
    return lambda document: document["benchmarks"][0].update(real_time=value)


def _unit(document: Document) -> None:
    for row in document["benchmarks"]:
        row["time_unit"] = "us"


def _noisy(documents: list[Document]) -> None:
    for i, document in enumerate(documents):
        for row in document["benchmarks"]:
            row["real_time"] *= 10.0 ** (i % 2)


def _constant(documents: list[Document]) -> None:
    for row in (row for document in documents for row in document["benchmarks"]):
        row["real_time"] = 1000.0


def _append_copy(document: Document) -> None:
    document["benchmarks"] += deepcopy(document["benchmarks"])


def _copy_fastest(documents: list[Document]) -> None:
    for document in documents[1:]:
        document["benchmarks"] = deepcopy(documents[0]["benchmarks"])


def _keep_two(documents: list[Document]) -> None:
    del documents[2:]


def _one_process(documents: list[Document]) -> None:
    rows = [row for document in documents for row in document["benchmarks"]]
    for place, row in enumerate(rows):
        row["repetition_index"] = place
    documents[0]["benchmarks"] = rows
    del documents[1:]


ATTACKS: dict[str, tuple[Callable[[list[Document]], object], int]] = {
    "the slow benchmark is left out": (_each(_drop_slow), 4),
    "the slow benchmark has a new name": (_each(_rename_slow), 4),
    "no benchmark is left": (_each(lambda d: d.update(benchmarks=[])), 2),
    "aggregates only": (
        _each(lambda d: [r.update(run_type="aggregate") for r in d["benchmarks"]]),
        2,
    ),
    "a time of 0": (_each(_times(0.0)), 2),
    "a negative time": (_each(_times(-5.0)), 2),
    "a time that is no number": (_each(_times(float("nan"))), 2),
    "a time that is a text": (_each(_times("1")), 2),
    "another unit": (_each(_unit), 2),
    "an error is reported": (_each(lambda d: d["benchmarks"][0].update(error_occurred=True)), 2),
    "another machine": (_each(lambda d: d["context"].update(num_cpus=64)), 2),
    "another build": (_each(lambda d: d["context"].update(library_build_type="debug")), 2),
    "one file of another machine": (lambda ds: ds[0]["context"].update(num_cpus=64), 2),
    "a benchmark twice": (_each(_append_copy), 2),
    "the fastest file again and again": (_copy_fastest, 2),
    "two processes": (_keep_two, 2),
    "repetitions in the place of processes": (_one_process, 2),
    "noise without end": (_noisy, 4),
    "invented times without noise": (_constant, 2),
    "the slow benchmark is missing in one file": (lambda ds: _drop_slow(ds[0]), 2),
}


def run(*words: object) -> Any:
    return CliRunner().invoke(evenfold.cli.app, ["judge", *map(str, words)])


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_slow_candidate_does_not_pass_by(
    attack: str, base: Path, floor: Path, tmp_path: Path
) -> None:
    change, code = ATTACKS[attack]
    documents = processes(2, 1.2, start=1)
    change(documents)
    candidate = version(tmp_path / "candidate", documents)
    files = ("--baseline", base, "--candidate", candidate)
    done = run(*files, "--floor", floor, "--floor-days", 100_000)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    if code == 2:
        assert done.output.count("\n") == 1, done.output
    assert run(*files, "--fail-unless", "not-worse").exit_code in (2, 3, 4)
    assert run(*files, "--floor", floor, "--undecided", "fail").exit_code in (2, 3)


def _sealed(path: Path, **values: Any) -> None:
    content = json.loads(path.read_text())
    whole = {name: content[name] for name in ("entries", "machine", "date", "commit")}
    write_sealed(path, "noise floor", content["version"], {**whole, **values})


def _edit(path: Path) -> None:
    path.write_text(path.read_text().replace('"floor": 0.', '"floor": 3.'))


def _entry(floor: Any, runs: int = 19) -> dict[str, Any]:
    return {"entries": {name: {"floor": floor, "runs": runs} for name in ("parse", "print")}}


FLOORS: dict[str, tuple[Callable[[Path], object], int]] = {
    "it is edited": (_edit, 2),
    "it is torn": (lambda path: path.write_text(path.read_text()[:-40]), 2),
    "it is gone": (lambda path: path.unlink(), 2),
    "it is of another machine": (lambda path: _sealed(path, machine="a slow one"), 4),
    "it is old": (lambda path: _sealed(path, date="2020-01-01T00:00:00+00:00"), 4),
    "it is of the future": (lambda path: _sealed(path, date="2999-01-01T00:00:00+00:00"), 2),
    "it has no date": (lambda path: _sealed(path, date="yesterday"), 2),
    "it lacks the benchmark": (
        lambda path: _sealed(path, entries={"x": _entry(0.1)["entries"]["parse"]}),
        4,
    ),
    "it has no entries": (lambda path: _sealed(path, entries={}), 2),
    "it has too few runs": (lambda path: _sealed(path, **_entry(0.1, 3)), 2),
    "it is negative": (lambda path: _sealed(path, **_entry(-0.1)), 2),
    "it is infinite": (lambda path: _sealed(path, **_entry(float("inf"))), 2),
    "it is another kind of file": (lambda path: write_sealed(path, "keep", 1, {}), 2),
}


@pytest.mark.parametrize("attack", FLOORS)
def test_a_floor_is_not_bent(attack: str, base: Path, slow: Path, floor: Path) -> None:
    change, code = FLOORS[attack]
    change(floor)
    days = () if attack == "it is old" else ("--floor-days", 100_000)
    done = run("--baseline", base, "--candidate", slow, "--floor", floor, *days)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output


def test_the_baseline_itself_is_no_candidate(base: Path, tmp_path: Path) -> None:
    copy = version(tmp_path / "copy", processes(1))
    assert run("--baseline", base, "--candidate", copy, "--fail-unless", "not-worse").exit_code == 2
    assert run("--baseline", base, "--candidate", base, "--fail-unless", "not-worse").exit_code == 2


def _pytest_file(folder: Path, side: int, i: int, **commit: Any) -> None:
    rng = np.random.default_rng(10 * side + i)
    rounds = (rng.lognormal(0, 0.01, 4) * (1 + side)).tolist()
    content = {
        "machine_info": {"system": "Linux"},
        "commit_info": {"id": str(side), "dirty": False, **commit},
        "datetime": f"2026-11-18T{2 * i + side:02}:00:00",
        "benchmarks": [{"fullname": "t", "stats": {"data": rounds}}],
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{i}.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("commits", "said"),
    [
        (({"id": "a"}, {"id": "a"}), "another commit than the baseline"),
        (({"time": "2026-11-02T00:00:00"}, {"time": "2026-11-01T00:00:00"}), "must not be newer"),
    ],
)
def test_commits_are_those_of_a_baseline_and_a_candidate(
    commits: tuple[dict[str, Any], dict[str, Any]], said: str, tmp_path: Path
) -> None:
    for side, commit in enumerate(commits):
        for i in range(3):
            _pytest_file(tmp_path / str(side), side, i, **commit)
    with pytest.raises(ef.InvalidInput, match=said):
        judge_measurements(tmp_path / "0", tmp_path / "1")


def test_a_floor_is_of_one_version_and_of_enough_files(tmp_path: Path) -> None:
    few = version(tmp_path / "few", [google(i, hour=i) for i in range(37)])
    with pytest.raises(ef.InvalidInput, match="at least 38 files of one version"):
        measure_floor(few)
    for i in range(38):
        _pytest_file(tmp_path / "mixed", 0, i % 12, id="other" if i == 5 else "same")
        (tmp_path / "mixed" / f"{i % 12}.json").rename(tmp_path / "mixed" / f"m{i}.json")
    with pytest.raises(ef.InvalidInput, match="the same commit"):
        measure_floor(tmp_path / "mixed")


def test_an_unknown_benchmark_passes_only_if_it_is_new_and_that_is_said(
    base: Path, tmp_path: Path
) -> None:
    documents = processes(2, start=1)
    _each(_drop_slow)(documents)
    gone = version(tmp_path / "gone", documents)
    answer = judge_measurements(base, gone, margin=0.5)
    assert changes_of(answer) == {"parse": Change.UNKNOWN, "print": Change.UNCHANGED}
    assert "the candidate has no runs of it" in str(answer)
    assert answer.exit_code() == 4
    assert answer.exit_code(undecided="pass") == 4
    assert answer.exit_code(unknown="pass") == 4  # only what is new passes
    assert answer.exit_code(unknown="fail") == 3
    new = judge_measurements(gone, base, margin=0.5)
    assert new.exit_code() == 4
    assert new.exit_code(unknown="pass") == 0
    gate = ("--fail-unless", "not-worse", "--undecided", "pass", "--margin", 0.5)
    assert run("--baseline", base, "--candidate", gone, *gate).exit_code == 4


@pytest.mark.parametrize(
    "keywords",
    [
        {"measure": "accuracy"},
        {"alternative": "greater"},
        {"method": "paired-t"},
        {"margin": -0.1},
        {"margin": float("inf")},
        {"level": 0.0},
        {"floor_days": 0},
        {"baseline": "nobody"},
        {"labels": "x"},
        {"adjust": "holm"},
    ],
)
def test_what_only_tables_have_is_refused(keywords: Any, base: Path, slow: Path) -> None:
    with pytest.raises(ef.InvalidInput):
        ef.judge({"a": base, "b": slow}, **keywords)


def test_times_that_never_differ_are_unknown(tmp_path: Path) -> None:
    sides = []
    for name, time in (("base", 1.0), ("head", 0.5)):
        results = [{"command": "x", "mean": time, "times": [time] * 5}]
        sides.append(tmp_path / f"{name}.json")
        sides[-1].write_text(json.dumps({"results": results}))
    answer = judge_measurements(*sides)
    assert changes_of(answer) == {"x": Change.UNKNOWN}
    assert "do not differ at all" in str(answer)


def test_a_floor_is_of_measured_times_only() -> None:
    with pytest.raises(ef.InvalidInput, match="files or folders that a benchmarking tool wrote"):
        ef.judge({"a": [1, 0], "b": [1, 1]}, rows="examples", measure="accuracy", floor="f.json")


def test_three_versions_are_no_question(base: Path, slow: Path) -> None:
    with pytest.raises(ef.InvalidInput, match="one candidate"):
        ef.judge({"a": base, "b": slow, "c": slow})


def test_files_outside_of_a_repository_have_no_commit(tmp_path: Path) -> None:
    for side in (0, 1):
        for i in range(3):
            _pytest_file(tmp_path / str(side), side, i, id="unversioned")
    answer = judge_measurements(tmp_path / "0", tmp_path / "1")
    assert answer.commits == ("", "")
    assert changes_of(answer) == {"t": Change.REGRESSION}


def test_a_wide_floor_is_said(base: Path, slow: Path, floor: Path) -> None:
    _sealed(floor, **_entry(0.5))
    answer = judge_measurements(base, slow, floor=floor, now=NOW)
    assert changes_of(answer) == {"parse": Change.UNCHANGED, "print": Change.UNCHANGED}
    assert "noise floor of parse is ±64.9%, so that any smaller" in str(answer)


def test_a_missing_candidate_is_refused(base: Path, floor: Path) -> None:
    done = run("--baseline", base, "--candidate", base.parent / "nothing", "--floor", floor)
    assert done.exit_code == 2
    assert "one of them is missing" in done.output


def test_the_baseline_may_be_named(base: Path, slow: Path) -> None:
    answer: Any = ef.judge({"branch": slow, "main": base}, baseline="main")
    assert (answer.baseline, answer.candidate) == ("main", "branch")
    assert changes_of(answer)["parse"] is Change.REGRESSION


# From the shell.


def test_a_gate_in_the_shell(base: Path, slow: Path, tmp_path: Path) -> None:
    aa = version(tmp_path / "aa", [google(1000 + i, hour=-100 + i) for i in range(38)])
    out = tmp_path / "floor.json"
    done = CliRunner().invoke(evenfold.cli.app, ["floor", str(aa), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "noise floor of 2 benchmarks from 19 A/A runs" in done.output
    files = ("--baseline", base, "--candidate", slow)
    assert run(*files).exit_code == 0  # without a gate an answer is an answer
    json_file, summary = tmp_path / "a.json", tmp_path / "s.md"
    done = run(
        *files, "--floor", out, "--floor-days", 100_000, "--json", json_file, "--summary", summary
    )
    assert done.exit_code == 3
    assert "parse takes 1.2" in done.output
    assert json.loads(json_file.read_text())["benchmarks"][0]["change"] == "regression"
    assert "regression" in summary.read_text()
    assert run(*files, "--markdown", "-").output.count("\n- ") == 2
    assert run(*files, "--html", tmp_path / "x.html").exit_code == 2
    assert run(*files, "--floor", out, "--fail-unless", "better").exit_code == 2


def test_a_floor_in_the_shell_needs_enough_files(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "floor.json"
    done = CliRunner().invoke(evenfold.cli.app, ["floor", str(base), "--out", str(out)])
    assert done.exit_code == 2
    assert "at least 38 files" in done.output
    assert not out.exists()
