"""``ef.board`` on tasks and on battles, from any form of table to any form of report."""

import json
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef
from evenfold.infer.boards import AGGREGATES

RNG = np.random.default_rng(4)
MODELS = [f"m{i}" for i in range(6)]
TASKS = [f"t{i}" for i in range(15)]
VALUES = pd.DataFrame(
    0.5 + RNG.normal(0, 0.1, (15, 1)) + np.linspace(0, 0.2, 6) + RNG.normal(0, 0.05, (15, 6)),
    index=TASKS,
    columns=MODELS,
)
LONG = VALUES.rename_axis("task").reset_index().melt("task", var_name="model", value_name="value")


def battles(n: int = 1500, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    strength = np.linspace(-0.5, 0.5, 4)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    won = rng.random(n) < 1 / (1 + np.exp(strength[b] - strength[a]))
    names = np.array(["p", "q", "r", "s"])
    winner = np.where(rng.random(n) < 0.2, "tie", np.where(won, "model_a", "model_b"))
    return pd.DataFrame(
        {
            "model_a": names[a],
            "model_b": names[b],
            "winner": winner,
            "prompt": rng.integers(0, 400, n),
        }
    )


def same(one: ef.Board, other: ef.Board) -> bool:
    return [(e.name, e.first, e.last, round(e.value, 9)) for e in one.ranking] == [
        (e.name, e.first, e.last, round(e.value, 9)) for e in other.ranking
    ]


def test_details_show_all_that_is_known_of_a_model() -> None:
    b = ef.board(LONG, higher_is_better=True)
    assert "rank on a further task" in b.details
    assert "rank on a further task" not in str(b)
    assert b.details.startswith(str(b).splitlines()[0])
    assert "battles" in ef.board(battles()).details


def test_every_form_of_a_table_is_the_same_board(tmp_path: Path) -> None:
    whole = ef.board(LONG, higher_is_better=True)
    by_task = VALUES.rename_axis("task").reset_index()
    by_model = VALUES.T.rename_axis("model").reset_index()
    assert same(whole, ef.board(by_task, higher_is_better=True))
    assert same(whole, ef.board(by_model, higher_is_better=True))
    assert same(whole, ef.board(VALUES.to_dict(), higher_is_better=True))
    for suffix in (".csv", ".tsv", ".jsonl"):
        path = tmp_path / f"board{suffix}"
        if suffix == ".jsonl":
            LONG.to_json(path, orient="records", lines=True, double_precision=15)
        else:
            LONG.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
        assert same(whole, ef.board(path, higher_is_better=True))
    renamed = LONG.rename(columns={"model": "who", "task": "where", "value": "how much"})
    roles = {"algorithm": "who", "task": "where", "value": "how much"}
    assert same(whole, ef.board(renamed, higher_is_better=True, columns=roles))


def test_polars_frames_are_read() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: LONG[name].to_list() for name in LONG.columns})
    assert same(ef.board(LONG, higher_is_better=True), ef.board(frame, higher_is_better=True))


def test_the_ranking_is_that_of_the_rank_sets() -> None:
    b = ef.board(LONG, higher_is_better=True)
    sets = ef.infer.rank_sets(VALUES.to_numpy(), lower_is_better=False)
    for one in b.ranking:
        k = MODELS.index(one.name)
        assert (one.first, one.last) == (sets.first[k], sets.last[k])
        assert one.value == pytest.approx(VALUES[one.name].mean())
        assert one.low < one.value < one.high
        assert one.among_best == (one.first == 1)
    assert b.resolved == sets.resolved
    assert set(b.best_set) == {one.name for one in b.ranking if one.first == 1}
    assert sorted(sum(b.tiers, ())) == MODELS
    assert f"{sets.resolved} of 5 neighbouring pairs" in b.sentence
    two = ef.board(VALUES.iloc[:, :2].reset_index(names="task"), higher_is_better=True)
    assert two.sentence.startswith("the order of the two models is ")
    told = {
        (b.ranking[i].name, b.ranking[j].name) for i, row in enumerate(b.facts.beats) for j in row
    }
    for one in b.ranking:
        for other in b.ranking:
            apart = (one.name, other.name) in told or (other.name, one.name) in told
            assert bool(one.letters & other.letters) == (one is other or not apart)


def test_a_function_shows_its_own_value() -> None:
    b = ef.board(LONG, higher_is_better=True, aggregate=lambda x: np.median(x, axis=0))
    known = pd.DataFrame(LONG).groupby("model")["value"].median()
    assert {one.name: one.value for one in b.ranking} == pytest.approx(known.to_dict())
    with pytest.raises(ef.EvenfoldError, match="knows no weights"):
        ef.board(
            LONG,
            higher_is_better=True,
            aggregate=lambda x: np.median(x, axis=0),
            weights={"t1": 2.0},
        )


@pytest.mark.parametrize("aggregate", [*AGGREGATES, "function"])
def test_every_aggregate_ranks(aggregate: str) -> None:
    how: Any = (lambda x: np.sqrt((x**2).mean(axis=0))) if aggregate == "function" else aggregate
    b = ef.board(LONG, higher_is_better=True, aggregate=how)
    assert b.ranking[0].name in ("m4", "m5")
    assert b.ranking[0].low <= b.ranking[0].value <= b.ranking[0].high


def test_weights_and_holes() -> None:
    heavy = ef.board(LONG, higher_is_better=True, weights={"t0": 1000.0})
    assert heavy.ranking[0].value == pytest.approx(VALUES.loc["t0"].max(), abs=0.01)
    holes = LONG.drop(index=LONG[(LONG.model == "m0") & (LONG.task == "t3")].index)
    with pytest.raises(
        ef.EvenfoldError,
        match=r"'m0' has none on t3 \(1 missing value in all\)\. Pass on_missing='drop' or 'keep'",
    ):
        ef.board(holes, higher_is_better=True)
    dropped = ef.board(holes, higher_is_better=True, on_missing="drop")
    assert len(dropped.facts.tasks) == 14
    kept = ef.board(holes, higher_is_better=True, on_missing="keep")
    assert len(kept.facts.tasks) == 15
    assert {one.name: one.count for one in kept.ranking}["m0"] == 14
    assert "missing" in str(kept.facts.notes[0])
    with pytest.raises(ef.EvenfoldError, match="weights must be one of"):
        ef.board(LONG, higher_is_better=True, weights={"t99": 1.0})


def test_few_tasks_with_examples_are_about_further_examples() -> None:
    rng = np.random.default_rng(0)
    rows = [
        (model, task, example, float(rng.random() < chance))
        for model, chance in (("x", 0.8), ("y", 0.6), ("z", 0.58))
        for task in ("t1", "t2")
        for example in range(300)
    ]
    table = pd.DataFrame(rows, columns=["model", "task", "example", "value"])
    b = ef.board(table, measure="accuracy")
    assert b.facts.unit == "example"
    assert b.facts.units == 600
    assert b.ranking[0].first == b.ranking[0].last == 1
    # the law is that of the mean of both tasks: its standard error by hand
    pairs = table.pivot_table(index=["task", "example"], columns="model", values="value")
    error = np.sqrt(sum(pairs.loc[t, "x"].var() / 300 for t in ("t1", "t2"))) / 2
    x = b.ranking[0]
    # of three, with confidence .95
    assert (x.high - x.low) / 2 == pytest.approx(2.39 * error, rel=0.05)
    with pytest.raises(ef.NotApplicable, match="jumps where examples"):
        ef.board(table, measure="accuracy", aggregate="mean-rank")
    few = ef.board(table, measure="accuracy", tasks="sample")
    assert "no two models can be called different" in str(few.facts.notes[0])


def test_predictions_are_measured_and_runs_averaged() -> None:
    rng = np.random.default_rng(1)
    rows = [
        (model, task, run, example, example % 2, int(rng.random() < chance) ^ (example % 2) ^ 1)
        for model, chance in (("x", 0.9), ("y", 0.6))
        for task in TASKS[:7]
        for run in range(2)
        for example in range(40)
    ]
    table = pd.DataFrame(rows, columns=["model", "task", "run", "example", "truth", "prediction"])
    b = ef.board(table, measure="accuracy")
    right = (table.truth == table.prediction).groupby(table.model).mean()
    assert {one.name: round(one.value, 6) for one in b.ranking} == right.round(6).to_dict()


def test_battles_are_a_board() -> None:
    b = ef.board(battles())
    assert [one.name for one in b.ranking] == ["s", "r", "q", "p"]
    assert b.facts.about.startswith("new prompts like these")
    assert sum(one.count for one in b.ranking) == 3000
    gap = b.ranking[0].value - b.ranking[-1].value
    table = battles()
    names = ["p", "q", "r", "s"]
    outcome = table.winner.map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5})
    found = ef.infer.bradley_terry(
        table.model_a.map(names.index).to_numpy(),
        table.model_b.map(names.index).to_numpy(),
        outcome.to_numpy(),
        prompts=table.prompt.to_numpy(),
    )
    assert gap == pytest.approx(400 / np.log(10) * (found.strength[3] - found.strength[0]))


def test_winners_by_name_are_the_same_battles() -> None:
    table = battles()
    named = table.copy()
    named["winner"] = np.select(
        [table.winner == "model_a", table.winner == "model_b"],
        [table.model_a, table.model_b],
        "tie",
    )
    assert same(ef.board(table), ef.board(named))
    odd = named.assign(winner="nobody")
    with pytest.raises(
        ef.EvenfoldError, match=r"winner of a battle must be one of its two models.* has 'nobody'"
    ):
        ef.board(odd)


def test_both_bad_is_a_tie_or_left_out() -> None:
    table = battles()
    bad = table.copy()
    bad.loc[bad.winner == "tie", "winner"] = "tie (bothbad)"
    assert same(ef.board(table), ef.board(bad))
    without = ef.board(bad, both_bad="drop")
    assert without.facts.units == int((table.winner != "tie").sum())


def test_who_won_everything_has_no_strength() -> None:
    more = pd.DataFrame(
        {"model_a": ["new"] * 3, "model_b": ["p", "q", "r"], "winner": ["model_a"] * 3}
    )
    table = pd.concat([battles().drop(columns="prompt"), more])
    with pytest.raises(ef.EvenfoldError, match=r"but new did not .* Pass on_missing='drop'"):
        ef.board(table)
    b = ef.board(table, on_missing="drop")
    assert len(b.ranking) == 4
    assert "new" in str(b.facts.notes[0])


def test_every_report_says_the_same(tmp_path: Path) -> None:
    b = ef.board(LONG, higher_is_better=True)
    page = b.to_html(tmp_path / "board.html")
    assert 'id="filter"' in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert "script-src 'sha256-" in page
    for one in b.ranking:
        assert one.name in page
        assert one.name in b.to_markdown()
        assert one.name in str(b)
    assert b.sentence in str(b)
    again = ef.load(_write(tmp_path / "b.json", b))
    assert isinstance(again, ef.Board)
    assert str(again) == str(b)
    assert str(pickle.loads(pickle.dumps(b))) == str(b)
    assert list(b.to_frame()["name"]) == [one.name for one in b.ranking]
    assert r"\toprule" in b.to_latex()
    for kind in (None, "ranks", "tiers", "wins", "scatter"):
        assert b.plot(kind).axes
    with pytest.raises(ef.EvenfoldError, match="kind must be one of"):
        b.plot("pie")
    broken = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    broken["beats"] = broken["beats"][1:]
    with pytest.raises(ef.EvenfoldError, match=r"facts\.beats"):
        ef.Board.from_json(json.dumps(broken))


def _write(path: Path, b: ef.Board) -> Path:
    b.to_json(path)
    return path


def test_names_are_escaped_everywhere() -> None:
    hostile = {
        "<script>alert(1)</script>": dict.fromkeys(TASKS, 0.5),
        "b|c": VALUES["m0"].to_dict(),
    }
    b = ef.board(hostile, higher_is_better=True)
    assert "<script>alert" not in b.to_html()
    assert "<script>" not in b.to_markdown()


def test_two_hundred_models_on_a_hundred_tasks_take_seconds() -> None:
    rng = np.random.default_rng(0)
    values = pd.DataFrame(
        rng.normal(size=(100, 1)) + np.linspace(0, 3, 200) + rng.normal(size=(100, 200)),
        columns=[f"m{i}" for i in range(200)],
    )
    values.insert(0, "task", [f"t{i}" for i in range(100)])
    start = time.perf_counter()
    b = ef.board(values, higher_is_better=True)
    assert time.perf_counter() - start < 30  # 3 s on an idle machine
    assert len(b.ranking) == 200
    assert len(b.to_html()) < 2_000_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"aggregate": "median"}, "aggregate must be one of"),
        ({"level": 0.7}, "level must be"),
        ({"tasks": "all"}, "tasks must be one of"),
        ({"on_missing": "fill"}, "on_missing must be one of"),
        ({"columns": {"task": "nowhere"}}, "must be one of"),
        ({"higher_is_better": None}, "higher_is_better must be given"),
    ],
)
def test_odd_questions_are_refused_in_one_line(options: Any, said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said) as refusal:
        ef.board(LONG, **{"higher_is_better": True, **options})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (LONG.drop(columns="task"), "have a column 'task'"),
        (pd.concat([LONG, LONG.iloc[:1]]), "one value per model and task"),
        (LONG[LONG.model == "m0"], "two models or more"),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), "a column 'model' or 'task'"),
        ({"a": [1, 2]}, "mappings of tasks"),
        (7, "a frame, a path"),
    ],
)
def test_odd_tables_are_refused_in_one_line(table: Any, said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said) as refusal:
        ef.board(table, higher_is_better=True)
    assert "\n" not in str(refusal.value)


def logs_of_inspect(folder: Path, tasks: int) -> Path:
    for model, skill in (("org/large", 0.9), ("org/small", 0.4)):
        for t in range(tasks):
            rng = np.random.default_rng(t)
            right = rng.random(30) < skill - 0.02 * t
            samples = [
                {"id": i, "epoch": 1, "scores": {"match": {"value": "C" if one else "I"}}}
                for i, one in enumerate(right)
            ]
            log = {
                "version": 2,
                "status": "success",
                "eval": {"model": model, "task": f"task {t}", "eval_id": "e"},
                "samples": samples,
            }
            path = folder / f"{model.replace('/', '-')}-{t}.json"
            path.write_text(json.dumps(log), encoding="utf-8")
    return folder


def test_logs_that_name_their_tasks_are_a_board(tmp_path: Path) -> None:
    folder = logs_of_inspect(tmp_path, 7)
    b = ef.board(folder, measure="accuracy")
    assert [(one.name, one.first, one.last) for one in b.ranking] == [
        ("org/large", 1, 1),
        ("org/small", 2, 2),
    ]
    assert len(b.facts.tasks) == 7
    mine = ef.board(
        {"a": sorted(folder.glob("*large*")), "b": sorted(folder.glob("*small*"))},
        measure="match",
        tasks="fixed",
    )
    assert mine.facts.about == "new examples of these 7 tasks"
    assert mine.ranking[0].value == pytest.approx(b.ranking[0].value)


def test_samples_of_the_harness_are_a_board(tmp_path: Path) -> None:
    for model, skill in (("large", 0.9), ("small", 0.4)):
        (tmp_path / model).mkdir()
        for t in range(6):
            right = np.random.default_rng(t).random(20) < skill
            rows = [
                {
                    "doc_id": i,
                    "metrics": ["acc"],
                    "acc": float(one),
                    "doc": {"q": i},
                    "filter": "none",
                }
                for i, one in enumerate(right)
            ]
            path = tmp_path / model / f"samples_task{t}_2026-01-01T00-00-00.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    b = ef.board({name: tmp_path / name for name in ("large", "small")}, measure="acc")
    assert [one.name for one in b.ranking] == ["large", "small"]
    assert b.facts.tasks == tuple(f"task{t}" for t in range(6))


def test_logs_of_one_task_are_a_question_for_judge(tmp_path: Path) -> None:
    with pytest.raises(ef.EvenfoldError, match=r"at least two tasks.*ef\.judge"):
        ef.board(logs_of_inspect(tmp_path, 1), measure="accuracy")


def test_the_figure_of_ranks_has_whole_ranks_below_it() -> None:
    table = {model: {"s": 0.5 + 0.1 * k, "t": 0.4 + 0.1 * k} for k, model in enumerate("abcd")}
    figure = ef.board(table, higher_is_better=True).plot()
    ticks = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert not any("." in tick for tick in ticks)
