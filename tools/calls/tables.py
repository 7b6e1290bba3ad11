"""Calls on results that exist: ``ef.judge``, ``ef.board`` and ``ef.keep``, on invented tables."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

import evenfold as ef
from tools.calls import Call

N = 80


def right(seed: int, share: float, n: int = N) -> Any:
    """Return right and wrong answers, as 1 and 0."""
    return (np.random.default_rng(seed).random(n) < share).astype(int)


def answers(n: int = N) -> dict[str, Any]:
    """Return the answers of four models, of which two are nearly alike."""
    main = right(0, 0.6, n)
    like = main.copy()
    like[::20] = 1 - like[::20]
    good = np.maximum(main, right(1, 0.6, n))
    bad = np.minimum(main, right(2, 0.6, n))
    return {"main": main, "like": like, "good": good, "bad": bad}


def some(*names: str) -> dict[str, Any]:
    """Return the answers of the models that are named."""
    return {name: answers()[name] for name in names}


def long(values: dict[str, Any], **columns: Any) -> pd.DataFrame:
    """Return a long table of values per example."""
    parts = [
        pd.DataFrame(
            {"algorithm": name, "example": range(len(numbers)), "value": numbers, **columns}
        )
        for name, numbers in values.items()
    ]
    return pd.concat(parts, ignore_index=True)


def losses(n: int = 60) -> dict[str, Any]:
    """Return losses of three models on the same examples."""
    rng = np.random.default_rng(2)
    hard = rng.gamma(2.0, size=n)
    means = {"a": 0.5, "b": 0.2, "c": 0.25}
    return {name: hard + rng.normal(mean, 0.4, n) for name, mean in means.items()}


def predictions() -> pd.DataFrame:
    """Return labels, predicted labels and probabilities of two classifiers."""
    rng = np.random.default_rng(3)
    truth = np.where(rng.random(N) < 0.4, "yes", "no")
    parts = []
    for name, skill in (("new", 2.0), ("old", 1.0)):
        chance = 1 / (1 + np.exp(-skill * np.where(truth == "yes", 1, -1) - rng.normal(size=N)))
        labels = np.where(chance > 0.5, "yes", "no")
        columns = {"truth": truth, "prediction": labels, "p:yes": chance, "p:no": 1 - chance}
        parts.append(pd.DataFrame({"algorithm": name, "example": range(N), **columns}))
    return pd.concat(parts, ignore_index=True)


def runs(n: int = 8) -> dict[str, Any]:
    """Return one score per training run of two algorithms."""
    rng = np.random.default_rng(4)
    return {"a": rng.normal(0.70, 0.01, n), "b": rng.normal(0.72, 0.01, n)}


def crossed() -> pd.DataFrame:
    """Return right and wrong answers of several runs on the same examples."""
    rng = np.random.default_rng(5)
    easy = rng.normal(size=30)
    rows = [
        (name, run, example, int(skill + 0.2 * noise + easy[example] > rng.normal()))
        for name, skill in (("a", 0.0), ("b", 0.5))
        for run, noise in enumerate(rng.normal(size=4))
        for example in range(30)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "run", "example", "value"])


def splits() -> pd.DataFrame:
    """Return scores of ten folds with their sizes."""
    rng = np.random.default_rng(6)
    rows = [
        (name, fold, 90, 10, rng.normal(mean, 0.03))
        for name, mean in (("a", 0.70), ("b", 0.74), ("c", 0.71))
        for fold in range(10)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "fold", "n_train", "n_test", "value"])


def data_sets() -> pd.DataFrame:
    """Return one score per data set of three algorithms."""
    rng = np.random.default_rng(7)
    level = rng.uniform(0.5, 0.9, 9)
    rows = [
        (name, f"set {i}", level[i] + rng.normal(gain, 0.02))
        for name, gain in (("a", 0.0), ("b", 0.04), ("c", 0.01))
        for i in range(9)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "dataset", "value"])


def tasks() -> pd.DataFrame:
    """Return right and wrong answers on three tasks in two languages."""
    parts = []
    for seed, task in enumerate(("sums", "logic", "law")):
        main = right(10 + seed, 0.6, 30)
        branch = (
            np.maximum(main, right(20 + seed, 0.3, 30))
            if seed
            else np.minimum(main, right(30, 0.5, 30))
        )
        language = np.where(np.arange(30) % 3, "en", "de")
        parts.append(long({"main": main, "branch": branch}, task=task))
        parts[-1]["language"] = [*language, *language]
    return pd.concat(parts, ignore_index=True)


def battles(models: int = 2, n: int = 120) -> pd.DataFrame:
    """Return battles of models, of which later ones are stronger."""
    rng = np.random.default_rng(8)
    names = np.array(["old", "new", "third", "fourth"][:models])
    first = rng.integers(0, models, n)
    second = (first + rng.integers(1, models, n)) % models if models > 2 else 1 - first
    wins = rng.random(n) < 1 / (1 + np.exp(0.8 * (second - first)))
    winner = np.where(rng.random(n) < 0.2, "tie", np.where(wins, "model_a", "model_b"))
    columns = {"model_a": names[first], "model_b": names[second], "winner": winner}
    return pd.DataFrame({**columns, "prompt": rng.integers(0, 40, n)})


def labelled() -> pd.DataFrame:
    """Return the labels of people on few examples and the scores of a judge on all."""
    rng = np.random.default_rng(9)
    quality = rng.normal(size=150)
    parts = []
    for name, gain in (("old", 0.0), ("new", 0.4)):
        human = quality + gain + rng.normal(0, 0.5, 150)
        judge = 0.6 * human + rng.normal(0, 0.3, 150)
        human[np.arange(150) % 4 > 0] = np.nan
        table = {"algorithm": name, "example": range(150), "human": human, "judge": judge}
        parts.append(pd.DataFrame(table))
    return pd.concat(parts, ignore_index=True)


def judge_calls() -> dict[str, Call]:
    """Return the judgements, by name."""
    cases = {**_right_or_wrong(), **_values(), **_repeated(), **_parts()}
    return {name: partial(ef.judge, table, **options) for name, (table, options) in cases.items()}


Cases = dict[str, tuple[Any, dict[str, Any]]]


def _right_or_wrong() -> Cases:
    two = {"rows": "examples", "measure": "accuracy"}
    gate = {**two, "alternative": "not-worse", "margin": 0.05}
    cases: Cases = {
        "right": (some("main", "good"), two),
        "right-turned": (some("good", "main"), two),
        "right-like": (some("main", "like"), two),
        "right-margin": (some("main", "like"), {**two, "margin": 0.15}),
        "right-level": (some("main", "good"), {**two, "level": 0.2}),
        "right-greater": (some("main", "good"), {**two, "alternative": "greater"}),
        "right-three": (some("main", "like", "good"), two),
        "right-four": (answers(), two),
        "right-baseline": (answers(), {**two, "baseline": "main"}),
        "gate-good": (some("main", "good"), gate),
        "gate-like": (some("main", "like"), gate),
        "gate-bad": (some("main", "bad"), gate),
        "gate-power": (some("main", "like"), {**gate, "power_at": 0.1}),
        "gate-early": (some("main", "good"), {**gate, "stop_early": True}),
        "right-long": (long(some("main", "good")), {"measure": "accuracy"}),
        "wrong": (some("main", "good"), {"rows": "examples", "measure": "zero-one"}),
        "right-one": (some("main"), two),
        "right-unpaired": (some("main", "good"), {**two, "paired": False}),
    }
    for key in ("anytime", "permutation", "paired-t", "bounded-mean"):
        cases[f"right-{key}"] = some("main", "good"), {**two, "method": key}
    clusters = long(some("main", "good"), group=np.arange(N) // 4)
    cases["right-clusters"] = clusters, {"measure": "accuracy"}
    missing = long(some("main", "good")).iloc[:-5]
    cases["right-dropped"] = missing, {"measure": "accuracy", "on_missing": "drop"}
    cases["right-missing"] = missing, {"measure": "accuracy"}
    return cases


def _values() -> Cases:
    lower: dict[str, Any] = {"rows": "examples", "higher_is_better": False}
    two = {name: losses()[name] for name in ("a", "b")}
    both = predictions()
    cases: Cases = {
        "values": (two, lower),
        "values-three": (losses(), lower),
        "values-max-t": (losses(), {**lower, "adjust": "max-t"}),
        "values-baseline": (losses(), {**lower, "baseline": "b", "adjust": "hommel"}),
        "values-margin": (two, {**lower, "margin": 0.6}),
        "values-not-worse": (two, {**lower, "margin": 0.1, "alternative": "not-worse"}),
        "values-less": (two, {**lower, "alternative": "less"}),
        "values-unpaired": (two, {**lower, "paired": False}),
        "values-one": ({"a": two["a"]}, lower),
        "values-weighted": (
            long(two, weight=np.linspace(0.5, 1.5, 60)),
            {"higher_is_better": False},
        ),
        "values-clusters": (long(two, group=np.arange(60) // 3), {"higher_is_better": False}),
        "predictions": (both, {}),
        "predictions-several": (both, {"measure": ["zero-one", "log", "brier"]}),
        "labelled": (
            labelled(),
            {"labels": "human", "scores": "judge", "higher_is_better": True, "baseline": "old"},
        ),
        "times": (two, {**lower, "rows": "times", "horizon": 2}),
        "times-long": (
            long(two, time=np.arange(60)).drop(columns="example"),
            {"higher_is_better": False, "horizon": 3},
        ),
    }
    for measure in ("f1", "precision", "recall", "auc", "mcc", "balanced-accuracy"):
        cases[f"predictions-{measure}"] = both, {"measure": measure, "positive": "yes"}
    for key in ("paired-bootstrap", "permutation", "paired-t"):
        cases[f"values-{key}"] = two, {**lower, "method": key}
    return cases


def _repeated() -> Cases:
    higher = {"higher_is_better": True}
    folds = splits()
    two = folds[folds.algorithm != "c"]
    scores = {
        name: {"test_score": rows.value.to_numpy()} for name, rows in two.groupby("algorithm")
    }
    return {
        "runs": (runs(), {"rows": "runs", **higher}),
        "runs-paired": (runs(), {"rows": "runs", "paired": True, **higher}),
        "runs-margin": (runs(), {"rows": "runs", "margin": 0.05, **higher}),
        "runs-crossed": (crossed(), {"measure": "accuracy"}),
        "trials-pass@2": (crossed(), {"measure": "pass@2"}),
        "trials-pass^2": (crossed(), {"measure": "pass^2"}),
        "folds": (two, higher),
        "folds-three": (folds, higher),
        "folds-bayes": (two, {**higher, "method": "bayes-correlated-t"}),
        "cross-validate": (scores, {"cv": KFold(10), "n": 100, "measure": "accuracy"}),
        "splits": (two.rename(columns={"fold": "split"}), higher),
        "data-sets": (data_sets(), higher),
        "data-sets-two": (data_sets().query("algorithm != 'c'"), higher),
        "data-sets-baseline": (data_sets(), {"baseline": "a", **higher}),
        "battles": (battles(), {"baseline": "old"}),
        "battles-plain": (battles().drop(columns="prompt"), {"baseline": "old"}),
    }


def _parts() -> Cases:
    shared: dict[str, Any] = {"measure": "accuracy", "baseline": "main"}
    gate = {**shared, "alternative": "not-worse", "margin": 0.05}
    return {
        "tasks": (tasks(), shared),
        "tasks-each": (tasks(), {**gate, "tasks": "each"}),
        "tasks-gate": (tasks(), gate),
        "slices": (tasks().query("task == 'law'"), {**shared, "slices": ["language"]}),
    }


def scores_of_tasks() -> pd.DataFrame:
    """Return one score per model and task: five models, twelve tasks."""
    rng = np.random.default_rng(12)
    level = rng.uniform(0.4, 0.8, 12)
    rows = [
        (f"m{i}", f"t{k}", level[k] + 0.04 * i + rng.normal(0, 0.04))
        for i in range(5)
        for k in range(12)
    ]
    return pd.DataFrame(rows, columns=["model", "task", "value"])


def board_calls() -> dict[str, Call]:
    """Return the leaderboards, by name."""
    higher = {"higher_is_better": True}
    table = scores_of_tasks()
    cases: Cases = {
        "tasks": (table, higher),
        "lower": (table, {"higher_is_better": False}),
        "level": (table, {**higher, "level": 0.2}),
        "weights": (table, {**higher, "weights": {f"t{k}": k + 1.0 for k in range(12)}}),
        "dropped": (table.iloc[:-1], {**higher, "on_missing": "drop"}),
        "missing": (table.iloc[:-1], higher),
        "battles": (battles(4, 300), {}),
        "battles-split": (battles(4, 300).drop(columns="prompt"), {"ties": "split"}),
        "trials": (
            tasks().rename(columns={"algorithm": "model"}).drop(columns="language"),
            {"measure": "accuracy", "tasks": "fixed"},
        ),
    }
    for way in ("mean-rank", "borda", "win-rate", "z-score"):
        cases[f"aggregate-{way}"] = table, {**higher, "aggregate": way}
    return {name: partial(ef.board, data, **options) for name, (data, options) in cases.items()}


def keep_calls() -> dict[str, Call]:
    """Return loops of proposals, by name."""
    cases: dict[str, dict[str, Any]] = {
        "decisions": {"shown": "decisions", "horizon": 20},
        "nothing": {"shown": "nothing"},
        "scores": {"shown": "scores"},
        "rate": {"shown": "nothing", "control": "rate"},
        "margin": {"shown": "decisions", "horizon": 5, "margin": 0.05},
        "held-back": {"shown": "decisions", "horizon": 20, "hold_back": 0.3},
    }
    return {name: partial(_kept, options) for name, options in cases.items()}


def propose(file: Path, options: dict[str, Any]) -> list[Any]:
    """Start a loop and make three proposals; return what was said of each."""
    main = right(30, 0.5, 80)
    good = np.maximum(main, right(31, 0.4, 80))
    best = np.maximum(good, right(32, 0.5, 80))
    results: list[Any] = [
        ef.keep(file, baseline=main, rows="examples", measure="accuracy", **options)
    ]
    for name, answers in (("same", main), ("good", good), ("best", best)):
        results.append(ef.keep(file, answers, name=name))
    return results


def _kept(options: dict[str, Any]) -> list[Any]:
    with TemporaryDirectory() as folder:
        return propose(Path(folder) / "loop.json", options)
