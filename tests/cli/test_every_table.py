"""
Every kind of table that can be judged, from Python and from the shell.

The same answer to the last bit.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import Run

import evenfold as ef

RNG = np.random.default_rng(14)
AB = ("a", "b")


def crossed(**sizes: int) -> pd.DataFrame:
    """Every combination of ids of two algorithms, with right and wrong, rows shuffled."""
    levels = [AB, *(range(size) for size in sizes.values())]
    frame = pd.MultiIndex.from_product(levels, names=["algorithm", *sizes]).to_frame(index=False)
    frame["value"] = (RNG.random(len(frame)) < np.where(frame.algorithm == "b", 0.7, 0.6)).astype(
        float
    )
    return frame.sample(frac=1, random_state=0)


def scores(**sizes: int) -> pd.DataFrame:
    frame = crossed(**sizes)
    return frame.assign(value=0.7 + 0.1 * RNG.random(len(frame)))


def predictions() -> pd.DataFrame:
    truth = RNG.random(150) < 0.4
    frames = []
    for name in AB:
        p = np.clip(0.3 * truth + 0.5 * RNG.random(150), 0.01, 0.99)
        columns = {
            "algorithm": name,
            "example": np.arange(150),
            "truth": truth.astype(int),
            "p:1": p,
        }
        frames.append(pd.DataFrame(columns | {"prediction": (p > 0.4).astype(int), "p:0": 1 - p}))
    return pd.concat(frames)


def apart(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with runs of each algorithm's own."""
    return frame.assign(run=frame.algorithm + frame.run.astype(str))


def halvings(**more: int) -> pd.DataFrame:
    """Three halvings of 40 examples, tested where the fold says."""
    frame = crossed(repetition=3, example=40, **more)
    fold = RNG.permuted(np.tile(np.arange(40) % 2, (3, 1)), axis=1)
    return frame.assign(fold=fold[frame.repetition, frame.example])


UP: dict[str, Any] = {"higher_is_better": True}
ACCURACY: dict[str, Any] = {"measure": "accuracy"}
TABLES: dict[str, tuple[pd.DataFrame, dict[str, Any], str, str]] = {
    "examples": (
        crossed(example=90),
        ACCURACY,
        "tango-exact",
        "these models, on new examples",
    ),
    "counts": (
        crossed(example=90).assign(value=lambda f: 1 - f.value),
        {"measure": "zero-one", "method": "mcnemar"},
        "mcnemar",
        "on new examples",
    ),
    "clusters": (
        crossed(example=90).assign(group=lambda f: f.example // 5),
        ACCURACY,
        "clustered-cr2-t",
        "on new groups of examples",
    ),
    "runs": (
        crossed(run=4, example=60),
        ACCURACY,
        "crossed-t",
        "for new runs of these models",
    ),
    "runs apart": (
        apart(crossed(run=4, example=60)),
        ACCURACY,
        "crossed-t",
        "for new runs of these",
    ),
    "runs in clusters": (
        crossed(run=4, example=60).assign(group=lambda f: f.example // 4),
        ACCURACY,
        "crossed-t",
        "on new groups of examples",
    ),
    **{
        name: (predictions(), {"measure": name, "positive": 1}, "paired-t", "on new examples")
        for name in ("f1", "precision", "recall", "auc")
    },
    "a score in clusters": (
        predictions().assign(group=lambda f: f.example // 5),
        {"measure": "f1", "positive": 1},
        "clustered-cr2-t",
        "on new groups",
    ),
    "folds": (scores(fold=10), UP | {"n": 200}, "corrected-kfold-t", "at training size 180"),
    "folds of examples": (
        crossed(example=100).assign(fold=lambda f: f.example % 5),
        ACCURACY,
        "corrected-kfold-t",
        "at training size 80",
    ),
    "repeated folds": (
        scores(repetition=3, fold=5),
        UP | {"n": 100},
        "corrected-resampled-t",
        "at training size 80",
    ),
    "runs inside folds": (
        scores(fold=5, run=3),
        UP | {"n": 100},
        "corrected-kfold-t",
        "training size 80",
    ),
    "splits": (
        scores(split=8).assign(n_train=90, n_test=10),
        UP,
        "corrected-resampled-t",
        "at training size 90",
    ),
    "splits of examples": (
        crossed(split=6, example=20).assign(n_train=80),
        ACCURACY,
        "corrected-resampled-t",
        "at training size 80",
    ),
    "halvings": (halvings(), ACCURACY, "mx2-t", "at training size 20"),
    "halves": (scores(repetition=3, fold=2), UP | {"n": 40}, "mx2-t", "at training size 20"),
    "seeds": (scores(run=5), UP, "runs-t", "on this test set"),
    "seeds apart": (apart(scores(run=5)), UP, "runs-t", "on this test set"),
}
OPTIONS = {"measure": "--measure", "method": "--method", "positive": "--positive", "n": "--n"}


def shell(said: dict[str, Any]) -> list[Any]:
    words = [
        word for name, option in OPTIONS.items() if name in said for word in (option, said[name])
    ]
    return [*words, *(["--higher-is-better"] if "higher_is_better" in said else [])]


@pytest.mark.parametrize("name", TABLES)
def test_from_python_and_from_the_shell(name: str, evenfold: Run, tmp_path: Path) -> None:
    frame, said, method, about = TABLES[name]
    c = ef.judge(frame, **said)
    assert c.facts.method.key == method
    assert about in c.facts.estimand
    path = tmp_path / "table.csv"
    frame.sample(frac=1, random_state=1).to_csv(path, index=False)
    done = evenfold("judge", path, *shell(said), "--json", "-")
    assert done.exit_code == 0, done.stderr
    theirs, ours = json.loads(done.stdout)["pairs"][0], c.facts.pairs[0]
    assert (theirs["value"], theirs["low"], theirs["high"]) == (ours.value, ours.low, ours.high)
    assert theirs["sentence"] == ours.sentence


def test_data_sets_from_python_and_from_the_shell(evenfold: Run, tmp_path: Path) -> None:
    frame = scores(dataset=8)
    across: Any = ef.judge(frame, **UP)
    frame.to_csv(tmp_path / "table.csv", index=False)
    done = evenfold("judge", tmp_path / "table.csv", "--higher-is-better")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.split() == str(across).split()
