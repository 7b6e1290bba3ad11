"""``evenfold judge``: tables from the shell, exit codes of the gate, the summary and the flips."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import Run, write_csv
from typer.testing import CliRunner

from evenfold.cli import app
from evenfold.cli.gate import gate

N = 400


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Two models on the same examples, each a file of its own, rows in another order."""
    rng = np.random.default_rng(0)
    hard = rng.normal(size=N)
    paths = {}
    for name, skill in (("main", 0.2), ("good", 0.9), ("bad", -0.6), ("same", 0.2)):
        right = skill > hard + 0.3 * rng.normal(size=N)
        frame = pd.DataFrame({"example": [f"q{i}" for i in range(N)], "value": right.astype(int)})
        paths[name] = tmp_path / f"{name}.csv"
        frame.sample(frac=1, random_state=len(name)).to_csv(paths[name], index=False)
    return paths


def words(files: dict[str, Path], candidate: str, *more: Any) -> tuple[Any, ...]:
    return (
        "judge",
        "--baseline",
        files["main"],
        "--candidate",
        files[candidate],
        "--measure",
        "accuracy",
        *more,
    )


def test_two_files_are_judged(evenfold: Run, files: dict[str, Path]) -> None:
    done = evenfold(*words(files, "good"))
    assert done.exit_code == 0
    assert done.stdout.startswith("good is better than main: its accuracy is higher by")
    assert "fixed" in done.stdout


@pytest.mark.parametrize(
    ("candidate", "wish", "more", "code"),
    [
        ("good", "better", (), 0),
        ("good", "not-worse", ("--margin", 0.01), 0),
        ("bad", "not-worse", ("--margin", 0.01), 3),
        ("bad", "better", (), 3),
        ("bad", "worse", (), 0),
        ("same", "better", (), 4),
        ("same", "not-worse", ("--margin", 0.001), 4),
        ("same", "not-worse", ("--margin", 0.2), 0),
        ("same", "better", ("--undecided", "pass"), 0),
        ("same", "better", ("--undecided", "fail"), 3),
        ("same", "inconclusive", (), 0),
    ],
)
def test_the_gate(
    evenfold: Run,
    files: dict[str, Path],
    candidate: str,
    wish: str,
    more: tuple[Any, ...],
    code: int,
) -> None:
    done = evenfold(*words(files, candidate, "--fail-unless", wish, *more))
    assert done.exit_code == code
    assert (f"asks for {wish}" in done.stderr) == (code != 0)


def test_the_gate_asks_whether_it_is_not_worse(evenfold: Run, files: dict[str, Path]) -> None:
    call = words(files, "same", "--fail-unless", "not-worse", "--margin", 0.2, "--json", "-")
    assert json.loads(evenfold(*call).stdout)["alternative"] == "not-worse"


def test_summary_and_flips_are_written(
    evenfold: Run, files: dict[str, Path], tmp_path: Path
) -> None:
    summary, flips = tmp_path / "summary.md", tmp_path / "flips.csv"
    summary.write_text("# before\n")
    done = evenfold(
        *words(files, "good", "--summary", summary, "--flips", flips, "--html", tmp_path / "c.html")
    )
    assert done.exit_code == 0
    text = summary.read_text()
    assert text.startswith("# before\n### ▲ good is better than main")
    assert "half-width" not in text  # the sentence and the table have the interval
    assert "fixed examples" in text
    rows = list(csv.DictReader(flips.read_text().splitlines()))
    assert {row["flip"] for row in rows} == {"fixed", "broke"}
    assert all(row["example"].startswith("q") for row in rows)
    assert "What changed" in (tmp_path / "c.html").read_text()


def test_a_summary_on_standard_output(
    evenfold: Run, files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in place of the words, and makes no file of that name."""
    monkeypatch.chdir(tmp_path)
    done = evenfold(*words(files, "good", "--summary", "-"))
    assert done.exit_code == 0
    assert done.stdout.startswith("### ▲ good is better than main\n")
    assert not (tmp_path / "-").exists()
    assert evenfold(*words(files, "good", "--flips", "-")).exit_code == 2


def test_the_heading_of_a_summary_has_the_margin(evenfold: Run, files: dict[str, Path]) -> None:
    gate = ("--alternative", "not-worse", "--margin", 0.2, "--summary", "-")
    assert evenfold(*words(files, "same", *gate)).stdout.splitlines()[0].endswith(" within 0.2")


def test_columns_without_a_role_get_a_remedy(evenfold: Run, tmp_path: Path) -> None:
    """A file of ids and right or wrong: the message has the options that mend it."""
    paths = [tmp_path / f"{name}.csv" for name in ("main", "branch")]
    for path in paths:
        write_csv(path, {"nr": list(range(40)), "hit": [0, 1, 1, 1] * 10})
    call = ("judge", "--baseline", paths[0], "--candidate", paths[1], "--measure", "accuracy")
    roles = ("--column", "example=nr", "--column", "value=hit")
    refused = evenfold(*call)
    assert refused.exit_code == 2
    assert f"Pass {' '.join(roles)}" in refused.stderr
    assert f"Pass {' '.join(roles)}" in evenfold("doctor", paths[0]).stdout
    assert "Pass --column example=nr" in evenfold(*call, "--column", "value=hit").stderr
    assert evenfold(*call, *roles).exit_code == 0


def test_one_table_with_all_algorithms(
    evenfold: Run, files: dict[str, Path], tmp_path: Path
) -> None:
    parts = [pd.read_csv(path).assign(model=name) for name, path in files.items()]
    table = tmp_path / "all.parquet"
    pd.concat(parts).to_parquet(table)
    call = (
        "judge",
        table,
        "--column",
        "algorithm=model",
        "--baseline",
        "main",
        "--measure",
        "accuracy",
    )
    done = evenfold(*call, "--json", "-")
    assert done.exit_code == 0
    facts = json.loads(done.stdout)
    assert [pair["baseline"] for pair in facts["pairs"]] == ["main"] * 3
    assert facts["call"].startswith("evenfold judge ")
    several = evenfold(*call[:-2], "--measure", "accuracy", "--fail-unless", "better")
    assert several.exit_code == 3


def test_folds_from_the_shell(evenfold: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = tmp_path / "folds.csv"
    pd.DataFrame({"a": rng.random(10), "b": rng.random(10)}).to_csv(table, index=False)
    done = evenfold("judge", table, "--rows", "folds", "--n", 200, "--higher-is-better")
    assert done.exit_code == 0
    assert "trained on 180 examples" in done.stdout
    lower = evenfold(
        "judge", table, "--rows", "folds", "--n", 200, "--lower-is-better", "--json", "-"
    )
    assert "--lower-is-better" in json.loads(lower.stdout)["call"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ((), "Give a TABLE, or --baseline FILE and --candidate FILE"),
        (("--fail-unless", "good"), "--fail-unless must be one of 'better', 'worse', 'not-worse'"),
        (("--undecided", "maybe"), "--undecided must be one of 'pass', 'fail'"),
        (("--column", "model"), "--column must be ROLE=NAME but got 'model'"),
        (("--method", "no"), "method"),
        (("nothing.csv",), "there is no file"),
    ],
)
def test_mistakes_get_one_line(
    evenfold: Run, tmp_path: Path, more: tuple[str, ...], message: str
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n2,3\n")
    first = () if not more or more == ("nothing.csv",) else (table,)
    done = evenfold("judge", *first, *more)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_files_of_one_algorithm_each(evenfold: Run, files: dict[str, Path], tmp_path: Path) -> None:
    mixed = pd.read_csv(files["good"]).assign(algorithm=lambda f: np.where(f.index < 9, "x", "y"))
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    done = evenfold(
        "judge",
        "--baseline",
        files["main"],
        "--candidate",
        tmp_path / "mixed.csv",
        "--measure",
        "accuracy",
    )
    assert done.exit_code == 2
    assert "must be about one algorithm but has x, y" in done.stderr
    again = evenfold(
        "judge", "--baseline", files["main"], "--candidate", files["main"], "--measure", "accuracy"
    )
    assert "--baseline and --candidate must be different files" in again.stderr
    both = evenfold("judge", files["main"], "--candidate", files["good"])
    assert "--candidate cannot be used with a TABLE" in both.stderr


def test_data_sets_from_the_shell(evenfold: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table, summary = tmp_path / "sets.csv", tmp_path / "s.md"
    frame = pd.DataFrame(
        {"dataset": [f"d{i}" for i in range(9)], "a": rng.random(9), "b": rng.random(9) + 1}
    )
    frame.to_csv(table, index=False)
    call = ("judge", table, "--higher-is-better", "--fail-unless", "better", "--baseline", "a")
    done = evenfold(*call, "--summary", summary)
    assert done.exit_code == 0, done.stderr
    assert "| b" in summary.read_text()
    assert evenfold(*call, "--flips", tmp_path / "f.csv").exit_code == 2


def test_flips_of_numbers_are_refused(evenfold: Run, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    pd.DataFrame({"example": range(9), "a": np.arange(9) / 3, "b": np.arange(9) / 4}).to_csv(
        table, index=False
    )
    done = evenfold("judge", table, "--higher-is-better", "--flips", tmp_path / "f.csv")
    assert done.exit_code == 2
    assert "--flips needs answers that are right or wrong" in done.stderr


def test_codes_of_the_gate() -> None:
    assert gate(["better", "equivalent", "not worse"], "not-worse") == 0
    assert gate(["better", "inconclusive"], "not-worse") == 4
    assert gate(["worse", "inconclusive"], "not-worse", "pass") == 3
    assert gate(["not applicable"], "better") == 3


def test_forecasts_have_a_horizon(evenfold: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {"algorithm": np.repeat(["a", "b"], 60), "time": np.tile(np.arange(60), 2)}
    table = write_csv(tmp_path / "t.csv", {**columns, "value": rng.normal(size=120) ** 2})
    done = evenfold("judge", table, "--lower-is-better", "--horizon", 3, "--details")
    assert done.exit_code == 0, done.stderr
    assert "(diebold-mariano) on 60 examples at 60 times" in done.stdout


def test_remedies_are_spelled_as_options(evenfold: Run, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    pd.DataFrame({"the id": range(20), "a": 0.5, "b": np.arange(20) % 3}).to_csv(table, index=False)
    assert (
        "Pass --column 'example=the id', or leave the column out" in evenfold("judge", table).stderr
    )
    pd.DataFrame({"row's id": range(20), "a": 0.5}).to_csv(table, index=False)
    assert """Pass --column 'example=row'"'"'s id', or leave""" in evenfold("judge", table).stderr
    pd.DataFrame({"id": range(20), "a": 0.5, "b": np.arange(20) % 3}).to_csv(table, index=False)
    asked = ("judge", table, "--column", "example=id")
    assert "Pass --higher-is-better or --lower-is-better." in evenfold(*asked).stderr
    assert (
        "--margin must be a finite number"
        in evenfold(*asked, "--margin", "-1", "--measure", "mae").stderr
    )


def test_a_gate_that_stops_early(evenfold: Run, files: dict[str, Path]) -> None:
    asked = ("--margin", "0.1", "--fail-unless", "not-worse", "--stop-early", "--details")
    done = evenfold(*words(files, "bad", *asked))
    assert done.exit_code == 3
    assert "item-gate" in done.stdout
    text = done.stdout.replace("\n", " ")
    assert "of 400 items were looked at in random order (seed 0). They settle that" in text
    assert evenfold(*words(files, "good", *asked, "--seed", 3)).exit_code == 0


STREAM = ("judge", "-", "--stop-early", "--margin", "0.1", "--fail-unless", "not-worse")


def stream(lines: str, *words: str) -> Any:
    return CliRunner().invoke(app, [*STREAM, *words], input=lines)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [("1,1", 0, "not worse: B is not worse than A by more than 0.1, settled after 47 items"),
     ('{"a": 1, "b": 0}', 3, "worse: B is worse than A by more than 0.1, settled after")],
)  # fmt: skip
def test_a_gate_on_a_stream(line: str, code: int, said: str) -> None:
    done = stream(f"{line}\n" * 500, "--higher-is-better")
    assert done.exit_code == code
    assert said in done.stdout


def test_an_item_of_a_stream_without_an_id_is_not_called_none() -> None:
    lines = ['{"a": 1, "b": 1}', '{"example": "None", "a": 1, "b": 1}', *['{"a": 1, "b": 1}'] * 98]
    assert stream("\n".join(lines), "--higher-is-better").exit_code == 0


def test_the_objects_of_a_stream_may_have_their_names_in_any_order() -> None:
    lines = [f'{{"example": {i}, "main": 1, "branch": 0}}' for i in range(250)]
    lines += [f'{{"branch": 0, "example": {i}, "main": 1}}' for i in range(250, 500)]
    assert stream("\n".join(lines), "--higher-is-better").exit_code == 3


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("", ["--higher-is-better"], "The stream has no items"),
        ("1\n", ["--higher-is-better"], "Line 1 must be A,B"),
        ("1,7\n", ["--higher-is-better"], "7 at item 1"),
        ("0,1\n" * 500, [], "A stream of bare values needs a direction"),
        ("0,1\n" * 500, ["--measure", "zero-one"], "--measure cannot be used with a stream"),
        ("1,1\n" * 500, ["--json", "x.json"], "--json cannot be used with a stream"),
        ("1,1\n" * 500, ["--baseline", "x.csv"], "--baseline cannot be used with a stream"),
        ("1,1\n" * 500, ["--alternative", "less"], "--alternative cannot be used with a stream"),
        ('{"a": 0, "b": 1}\n{"c": 0, "b": 1}\n', ["--higher-is-better"], "the names a, b but"),
        ('{"example": 7, "a": 0, "b": 1}\n' * 9, ["--higher-is-better"], "Line 2 repeats item 7"),
        ('{"a": 1, "a": 0, "b": 1}\n', ["--higher-is-better"], "Line 1 must be A,B"),
    ],
)
def test_streams_that_are_no_gate(text: str, words: list[str], message: str) -> None:
    done = stream(text, *words)
    assert done.exit_code == 2
    assert message in done.stderr.replace("\n", " ")


def test_a_stream_needs_its_option() -> None:
    done = CliRunner().invoke(app, ["judge", "-", "--margin", "0.1"], input="1,1\n")
    assert done.exit_code == 2
    assert "needs --stop-early" in done.stderr.replace("\n", " ")


def test_a_gate_says_its_power_and_asks_tasks_and_slices(
    evenfold: Run, files: dict[str, Path], tmp_path: Path
) -> None:
    done = evenfold(
        *words(files, "same", "--margin", 0.05, "--fail-unless", "not-worse", "--power-at", 0.08)
    )
    assert "power     a candidate that is worse by 0.08 would have been caught with" in done.stdout
    tasks = {}
    for name in ("main", "bad"):
        frame = pd.read_csv(files[name])
        frame["task"] = np.where(frame.example.str[1:].astype(int) % 2, "odd", "even")
        frame["half"] = np.where(frame.example.str[1:].astype(int) < N // 2, "first", "second")
        tasks[name] = tmp_path / f"{name} with tasks.csv"
        frame.to_csv(tasks[name], index=False)
    asked = words(tasks, "bad", "--tasks", "each", "--slice", "half", "--fail-unless", "not-worse")
    done = evenfold(*asked)
    assert done.exit_code == 3
    assert "on even and odd (Bonferroni over tasks)" in done.stdout
    assert "half first" in done.stdout


def test_notes_name_options_where_python_has_keywords(evenfold: Run, tmp_path: Path) -> None:
    rows = [
        f"{name},{i},{(i * k) % 3 > 0:d}" for k, name in ((1, "a"), (2, "b")) for i in range(30)
    ]
    (tmp_path / "t.csv").write_text("model,id,score\n" + "\n".join(rows) + "\n")
    done = evenfold("judge", tmp_path / "t.csv", "--measure", "accuracy")
    assert done.exit_code == 0, done.output
    assert (
        "A is 'a', the first by name. Pass --baseline b to reverse the comparison." in done.stdout
    )


@pytest.mark.parametrize("order", [("good", "fine"), ("fine", "good")])
@pytest.mark.parametrize(("wish", "code"), [("better", 0), ("not-worse", 0), ("worse", 3)])
def test_candidates_are_gated_against_the_baseline_only(
    evenfold: Run, files: dict[str, Path], order: tuple[str, str], wish: str, code: int
) -> None:
    """Both beat the baseline; which of them beats the other is nobody's question."""
    rows = pd.read_csv(files["good"])
    rows.loc[rows.index[:60], "value"] = 0
    files["fine"] = files["good"].with_name("fine.csv")
    rows.to_csv(files["fine"], index=False)
    first, second = order
    more = ("--candidate", files[second], "--fail-unless", wish)
    done = evenfold(*words(files, first, *more))
    assert done.exit_code == code
    assert done.stdout.startswith("against the baseline main")


@pytest.mark.parametrize(
    "output",
    [
        ("--json", "good.csv"),
        ("--summary", "main.csv"),
        ("--flips", "good.csv"),
        ("--history", "link.csv"),
        ("--write", "markdown=main.csv"),
    ],
)
def test_what_is_read_is_not_written_on(
    evenfold: Run,
    files: dict[str, Path],
    output: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link.csv").symlink_to(files["good"])
    before = {path: path.read_bytes() for path in files.values()}
    done = evenfold(*words(files, "good", *output))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "which this command reads" in done.stderr
    assert {path: path.read_bytes() for path in files.values()} == before


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_can_have_are_refused_in_one_line(
    evenfold: Run, files: dict[str, Path], name: str
) -> None:
    done = evenfold(*words(files, "good", "--json", name))
    assert done.exit_code == 2
    assert done.stderr.startswith("evenfold: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("wish", "code"), [("better", 2), ("not-worse", 2), ("inconclusive", 3)])
def test_a_direction_among_all_pairs_needs_a_baseline(
    evenfold: Run, files: dict[str, Path], tmp_path: Path, wish: str, code: int
) -> None:
    """Else the alphabet decides who is to be better than whom."""
    parts = (pd.read_csv(files[name]).assign(algorithm=name) for name in ("main", "good", "bad"))
    table = tmp_path / "all.csv"
    pd.concat(parts).to_csv(table, index=False)
    ask = ("judge", table, "--measure", "accuracy", "--fail-unless", wish)
    done = evenfold(*ask)
    assert done.exit_code == code
    assert ("needs --baseline" in done.stderr) == (code == 2)
    assert evenfold(*ask, "--baseline", "bad").exit_code == (3 if wish == "inconclusive" else 0)
