"""
How often the rank sets of a leaderboard hold all true ranks.

Simulated boards, real ones with tasks hidden.

Simulated: 10 or 50 models on 5 to 100 tasks; the models are equal, in clusters of equals or spaced.
The noise of a task is normal, heavy-tailed (t with 3 df), skewed (exponential), rounded to few
values, shared by families of models, or larger for some models than for others. A board errs where
any model's true rank lies outside of its rank set (with equal models: any of the ranks that they
share). Beside it stands the bootstrap of tasks that boards print: resampled means, the largest
studentised difference of all pairs.

Real: twelve classifiers of scikit-learn on the tables of a folder, which stand for all there are.
Boards of some tasks drawn with replacement, and the ranks on all tables as the truth.

Run it by itself, ``python -m papers.studies.boards [boards] [folder of tables]``: 1000 boards take
some ten minutes. It keeps what it found in ``papers/studies/boards.json``; docs/leaderboard.md
quotes it.
"""

import gzip
import json
import sys
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold.infer import further_ranks, on_each_task, rank_sets

Floats = NDArray[np.float64]
LEVEL, SEED = 0.05, 35
KEPT = Path(__file__).with_suffix(".json")
TASKS = (5, 6, 10, 20, 50, 100)


def _families(rng: np.random.Generator, tasks: int, models: int) -> Floats:
    shared = np.repeat(rng.normal(size=(tasks, (models + 4) // 5)), 5, axis=1)[:, :models]
    noise: Floats = np.sqrt(0.8) * shared + np.sqrt(0.2) * rng.normal(size=(tasks, models))
    return noise


NOISE: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "normal": lambda rng, t, k: rng.normal(size=(t, k)),
    "t with 3 df": lambda rng, t, k: rng.standard_t(3, size=(t, k)),
    "exponential": lambda rng, t, k: rng.exponential(size=(t, k)) - 1,
    "rounded": lambda rng, t, k: np.round(rng.normal(size=(t, k))),
    "families": _families,
    "unequal": lambda rng, t, k: rng.normal(size=(t, k)) * np.linspace(0.3, 3, k),
}
TRUTHS: dict[str, Callable[[int], Floats]] = {
    "equal": np.zeros,
    "clusters": lambda k: np.repeat([0.0, 0.6, 1.2, 1.8, 2.4], k // 5),
    "spaced": lambda k: np.linspace(0, 3, k),
}


class World(NamedTuple):
    """What a simulated board is drawn from."""

    models: int
    tasks: int
    truth: str
    noise: str
    aggregate: str


def worlds() -> list[World]:
    small = [
        World(10, t, truth, noise, "mean") for t, truth, noise in product(TASKS, TRUTHS, NOISE)
    ]
    ranks = [World(10, t, truth, "normal", "mean-rank") for t, truth in product(TASKS, TRUTHS)]
    large = [World(50, t, truth, "normal", "mean") for t, truth in product((10, 30, 100), TRUTHS)]
    return small + ranks + large


def _count(world: World, boards: int) -> int:
    """How many boards are drawn: fewer of those that take long."""
    if world.models > 10:
        return boards // 5
    if world.aggregate != "mean" and world.truth == "equal":
        return 2 * boards
    return boards if world.tasks < 50 and world.aggregate == "mean" else 2 * boards // 5


def holds(first: Any, last: Any, truth: Floats) -> NDArray[np.bool_]:
    """Whether each rank set (higher is better) holds all ranks that its model truly has."""
    ahead = (truth[:, None] > truth).sum(axis=0)
    behind = (truth[:, None] < truth).sum(axis=0)
    return np.asarray((first <= 1 + ahead) & (last >= len(truth) - behind))


def bootstrapped(values: Floats, rng: np.random.Generator, draws: int = 500) -> tuple[Any, Any]:
    """
    Return rank sets by the bootstrap of tasks.

    They use the largest studentised difference of all pairs, in one step.
    """
    tasks, models = values.shape
    means = rng.multinomial(tasks, np.full(tasks, 1 / tasks), draws) @ values / tasks
    moved = means - values.mean(axis=0)
    covariance = np.cov(values.T) / tasks
    variance = np.diag(covariance)
    error = (
        np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
        + 1e-12
        + np.eye(models)
    )
    largest = np.abs((moved[:, :, None] - moved[:, None, :]) / error).max(axis=(1, 2))
    gap = values.mean(axis=0)[:, None] - values.mean(axis=0)
    better = gap / error > np.quantile(largest, 1 - LEVEL)
    return 1 + better.sum(axis=0), models - better.sum(axis=1)


def measured(world: World, boards: int) -> dict[str, Any]:
    """
    Return the coverage of rank sets, and their widths.

    Besides there are marginal sets, those of the bootstrap and those of a further task.
    """
    rng = stream(SEED, *map(str, world))
    truth = TRUTHS[world.truth](world.models)
    kept = dict.fromkeys(("sets", "marginal", "bootstrap", "further", "width", "resolved"), 0.0)
    for _ in range(boards):
        values = rng.normal(size=(world.tasks + 1, 1)) * 2 + truth
        values = values + NOISE[world.noise](rng, world.tasks + 1, world.models)
        aggregated = on_each_task(values[:-1], world.aggregate, lower_is_better=False)
        turn = -aggregated if world.aggregate == "mean-rank" else aggregated
        sets = rank_sets(turn, lower_is_better=False)
        kept["sets"] += holds(sets.first, sets.last, truth).all()
        kept["marginal"] += holds(sets.marginal_first, sets.marginal_last, truth)[0]
        kept["bootstrap"] += holds(*bootstrapped(turn, rng), truth).all()
        kept["width"] += (sets.last - sets.first + 1).mean() / world.models
        kept["resolved"] += sets.better.sum() / (world.models * (world.models - 1) / 2)
        low, high = further_ranks(values[:-1], lower_is_better=False)
        rank = (values[-1][:, None] > values[-1]).sum(axis=0)[0] + 1
        kept["further"] += low[0] <= rank <= high[0]
    return {**world._asdict(), "boards": boards, **_shares(kept, boards)}


def _shares(kept: dict[str, float], boards: int) -> dict[str, float]:
    return {name: round(float(total) / boards, 4) for name, total in kept.items()}


# --- real boards


def real_table(folder: Path) -> dict[str, Any]:
    """Accuracy of twelve classifiers on every table of classes, by ten folds of ≤ 600 rows."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        GradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    models = {
        "tree": DecisionTreeClassifier(random_state=0),
        "small tree": DecisionTreeClassifier(max_depth=4, random_state=0),
        "1 neighbour": make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
        "5 neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "bayes": GaussianNB(),
        "discriminant": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "ridge": make_pipeline(StandardScaler(), RidgeClassifier()),
        "svm": make_pipeline(StandardScaler(), SVC()),
        "forest": RandomForestClassifier(100, random_state=0),
        "extra trees": ExtraTreesClassifier(100, random_state=0),
        "boosting": GradientBoostingClassifier(n_estimators=50, random_state=0),
    }
    rows: dict[str, list[float]] = {}
    for path in sorted(folder.glob("*.csv.gz")):
        X, y = _classes(path)
        if X is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows[path.name.removesuffix(".csv.gz")] = [
                round(float(cross_val_score(model, X, y, cv=5).mean()), 5)
                for model in models.values()
            ]
        print(path.name, rows[path.name.removesuffix(".csv.gz")], flush=True)
    return {"models": list(models), "tasks": rows}


def _classes(path: Path) -> tuple[Any, Any]:
    """Features as numbers and classes of at most 600 rows; nothing where the target is a number."""
    import pandas as pd

    with gzip.open(path, "rt") as file:
        frame = pd.read_csv(file)
    target = frame.pop("target")
    if (
        target.dtype.kind == "f"
        or target.nunique() > 30
        or "numdefects" in path.name
        or "ck-" in path.name
    ):
        return None, None
    X = pd.get_dummies(frame).astype(float).to_numpy()
    y = pd.factorize(target)[0]
    rng = stream(SEED, path.name)
    some = rng.permutation(len(y))[:600]
    often = np.bincount(y[some])[y[some]] >= 5
    return X[some][often], y[some][often]


def hidden(table: dict[str, Any], boards: int) -> list[dict[str, Any]]:
    """
    Rank boards of tasks that are drawn with replacement from the real ones.

    All tasks together are the truth.
    """
    values = np.array([*table["tasks"].values()])
    rows = []
    for tasks, aggregate in product((6, 10, 20, 40), ("mean", "mean-rank")):
        rng = stream(SEED, "hidden", tasks, aggregate)
        whole = on_each_task(values, aggregate, lower_is_better=False)
        turned = -whole if aggregate == "mean-rank" else whole
        truth = turned.mean(axis=0).round(12)
        kept = {"sets": 0.0, "bootstrap": 0.0, "width": 0.0}
        for _ in range(boards):
            some = turned[rng.integers(0, len(turned), tasks)]
            sets = rank_sets(some, lower_is_better=False)
            kept["sets"] += holds(sets.first, sets.last, truth).all()
            kept["bootstrap"] += holds(*bootstrapped(some, rng), truth).all()
            kept["width"] += (sets.last - sets.first + 1).mean() / len(truth)
        row = {"tasks": tasks, "aggregate": aggregate, "boards": boards, "real": len(values)}
        rows.append({**row, **_shares(kept, boards)})
    return rows


def _span(values: list[float]) -> str:
    low, high = (f"{value:.2f}".removeprefix("0") for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def sentence(kept: dict[str, Any]) -> str:
    """What docs/leaderboard.md says of the coverage, made of what was found."""
    small = [row for row in kept["simulated"] if row["models"] == 10]
    large = [row for row in kept["simulated"] if row["models"] > 10]
    of = {
        name: {key: [row[key] for row in rows] for key in ("sets", "bootstrap")}
        for name, rows in (("small", small), ("large", large), ("real", kept["real"]))
    }
    marginal = [row["marginal"] for row in small]
    further = [row["further"] for row in small if row["tasks"] >= 39]
    boards = [min(row["boards"] for row in rows) for rows in (small, large, kept["real"])]
    errors = [f"{np.sqrt(0.05 * 0.95 / count):.3f}".removeprefix("0") for count in boards]
    most = max(row["boards"] for row in small)
    return (
        f"We simulated {len(small)} kinds of boards of ten models ({boards[0]} to {most} boards "
        "each, 5 to 100 tasks). The models were equal, in clusters or evenly spaced, and on some "
        "boards they came in families or had unequal noise. The values were normal, heavy-tailed, "
        f"skewed or rounded. All true ranks lay in their sets on {_span(of['small']['sets'])} of "
        f"these boards (± {errors[0]} at most), and on {_span(of['large']['sets'])} of boards of "
        f"fifty models (± {errors[1]}). The bootstrap of tasks, which boards often print, "
        f"[covers](vocabulary.md#measuring) {_span(of['small']['bootstrap'])} and "
        f"{_span(of['large']['bootstrap'])} on the same boards. Marginal sets cover "
        f"{_span(marginal)}, and the intervals for a further task {_span(further)} with at least "
        f"39 tasks. On real boards (twelve classifiers on 6 to 40 of {kept['real'][0]['real']} "
        f"tables) the sets cover {_span(of['real']['sets'])} (± {errors[2]}), the bootstrap "
        f"{_span(of['real']['bootstrap'])}."
    )


def main(boards: int, folder: Path | None) -> None:
    if folder is not None:
        made: dict[str, Any] = {"table": real_table(folder)}
        made["real"] = hidden(made["table"], boards)
    else:
        each = []
        for world in worlds():
            each.append(measured(world, _count(world, boards)))
            print(each[-1], flush=True)
        made = {"simulated": each}
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    KEPT.write_text(
        json.dumps({**kept, **made}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 1000,
        Path(sys.argv[2]) if len(sys.argv) > 2 else None,
    )
