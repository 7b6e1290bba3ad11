"""
What each rule of the influence test costs and saves, per measure: everyday learners on tables.

``python -m benchmarks.sharp.measures draw DATA RAW`` takes tables of DATA for populations: it draws data sets
of n = 200 without replacement, fits scikit-learn's learners on nine halvings (balanced by labels) and ten
folds of each, and keeps the parts of the variance of every pair, measure and look in RAW, so that all rules
are judged on the same draws. ``... judge RAW`` judges them and writes ``results/measures.csv``.
"""

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import evenfold as ef
from evenfold.infer.halves._parts import Halvings, test_part

N = 200
SIZES = {"xor": 400}  # of other data sets
SETS = 205
ROWS = 200_000  # of a population that is made
LOOKS = (3, 5, 7, 9)
FOLDS = 10
LARGE = ("letters", "adult", "wine number")  # where forests take the place of shallow trees
WITH_FOLDS = ("adult", "wine number")  # where the full size is judged, too
SEED = 2711
ADULT = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
PARTS = (
    "mean", "test", "test_df", "repetition", "flips", "influence", "halves", "training", "differ", "largest",
)  # fmt: skip
TRIMMED = (1, 3, 5, 10)  # the largest examples without which the mean is kept, too
EXTRA = ("largest_share", *(f"without_{k}" for k in TRIMMED))
FULL = ("mean", "test", "test_df", "largest_share")

CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "lda": LinearDiscriminantAnalysis(),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "7-nn": KNeighborsClassifier(7),
    "tree 3": DecisionTreeClassifier(max_depth=3, random_state=0),
}
REGRESSORS = {
    "ridge": Ridge(),
    "lasso": Lasso(alpha=0.02),
    "mean": DummyRegressor(),
    "tree": DecisionTreeRegressor(random_state=0),
    "7-nn": KNeighborsRegressor(7),
    "tree 3": DecisionTreeRegressor(max_depth=3, random_state=0),
}


def learners_of(name: str, labels: bool) -> dict[str, Any]:
    """Return six learners."""
    known = dict(CLASSIFIERS if labels else REGRESSORS)
    if name in LARGE:
        del known["tree 3"]
        forest = RandomForestClassifier if labels else RandomForestRegressor
        known["forest"] = forest(10, random_state=0)
    return known


def tables(data: Path) -> dict[str, tuple[np.ndarray, np.ndarray, bool]]:
    """Return features, target and whether it is a class, by name of the population."""

    def read(name: str) -> pd.DataFrame:
        return pd.read_csv(data / f"{name}.csv.gz")

    def scaled(frame: pd.DataFrame) -> np.ndarray:
        X = frame.to_numpy(dtype=float)
        spread = X.std(axis=0)
        return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)

    letter = read("letter")
    adult = read("adult")
    spam = read("spambase")
    pages = read("page-blocks")
    waves = read("waveform-5000")
    wine = read("winequality-white")
    kc1 = read("kc1")
    yes = kc1["target"].astype(str).str.lower() == "true"

    def but(frame: pd.DataFrame, *names: str) -> np.ndarray:
        return scaled(frame.drop(columns=list(names)))

    def number(frame: pd.DataFrame, name: str) -> np.ndarray:
        y = frame[name].to_numpy(dtype=float)
        return (y - y.mean()) / y.std()

    page = pages.columns[2]
    caps = spam.columns[-2]
    hours = "hours-per-week"
    return {
        "letters": (but(letter, "target"), (letter["target"] > "M").to_numpy(int), True),
        "wine number": (but(wine, "target"), number(wine, "target"), False),
        "adult": (scaled(adult[ADULT]), (adult["target"] == ">50K").to_numpy(int), True),
        "pages number": (but(pages, "target", page), number(pages, page), False),
        "spam": (but(spam, "target"), spam["target"].to_numpy(int), True),
        "pages": (but(pages, "target"), (pages["target"] > 1).to_numpy(int), True),
        "adult number": (scaled(adult[[c for c in ADULT if c != hours]]), number(adult, hours), False),
        "waves": (but(waves, "target"), waves["target"].to_numpy(int), True),
        "wine": (but(wine, "target"), (wine["target"] >= 6).to_numpy(int), True),
        "spam number": (but(spam, "target", caps), number(spam, caps), False),
        "defects": (but(kc1, "target"), yes.to_numpy(int), True),
    }


def made() -> dict[str, tuple[np.ndarray, np.ndarray, bool]]:
    """Return populations that are the known enemies of one rule or another, as in ``populations.py``."""
    rng = np.random.default_rng(SEED)

    def linear(p: int, outliers: float) -> tuple[np.ndarray, np.ndarray, bool]:
        X = rng.normal(size=(ROWS, p))
        wide = np.where(rng.random(ROWS) < outliers, 10.0, 1.0)
        return X, 0.3 * X[:, : p // 4].sum(axis=1) + wide * rng.normal(size=ROWS), False

    pairs = rng.normal(size=(ROWS, 4))
    sign = pairs[:, 0] * pairs[:, 1] > 0
    cube = rng.random((ROWS, 7))
    curve = 10 * np.sin(np.pi * cube[:, 0] * cube[:, 1]) + 20 * (cube[:, 2] - 0.5) ** 2
    friedman = (curve + 10 * cube[:, 3] + 5 * cube[:, 4]) / 5 + rng.normal(size=ROWS)
    plane = rng.normal(size=(ROWS, 3))
    ring = np.square(plane[:, :2]).sum(axis=1) > 2 * np.log(2)
    return {
        "outliers number": linear(8, 0.05),
        "mild number": linear(6, 0.01),
        "friedman number": (cube - 0.5, friedman, False),
        "xor": (pairs, (sign ^ (rng.random(ROWS) < 0.1)).astype(int), True),
        "rings": (plane, (ring ^ (rng.random(ROWS) < 0.1)).astype(int), True),
    }


def losses_of(learner: Any, X: np.ndarray, y: np.ndarray, train: Any, test: Any, classes: int) -> np.ndarray:
    """Losses (measures, test examples): zero-one, log, Brier of classes; squared, absolute of numbers."""
    model = clone(learner).fit(X[train], y[train])
    truth = y[test]
    if not classes:
        away = model.predict(X[test]) - truth
        return np.stack([away**2, np.abs(away)])
    p = np.zeros((len(test), classes))
    p[:, model.classes_] = model.predict_proba(X[test])
    own = p[np.arange(len(test)), truth]
    wrong = p.argmax(axis=1) != truth
    log = -np.log(np.maximum(own, np.finfo(float).eps))
    return np.stack([wrong.astype(float), log, (p**2).sum(axis=1) - 2 * own + 1])


def one_data_set(
    X: np.ndarray, y: np.ndarray, learners: dict[str, Any], seed: int, classes: int, runs: int
) -> Any:
    """Losses of halvings (learners, measures, 9, n) and of ``runs`` of ten folds, and the sides."""
    design = ef.Mx2BCV(LOOKS[-1], random_state=seed, balance="labels" if classes else None)
    n = len(y)
    cut = design.partition(n, y=y) if classes else design.partition(n)
    measures = 3 if classes else 2
    halvings = np.zeros((len(learners), measures, LOOKS[-1], n))
    folds = np.zeros((len(learners), measures, n))
    sides = np.stack([np.isin(np.arange(n), cut.test[2 * r]) for r in range(LOOKS[-1])])
    shuffled = np.random.default_rng(seed).permutation(n)
    order = shuffled[np.argsort(y[shuffled], kind="stable")] if classes else shuffled
    fold = np.empty(n, dtype=int)
    fold[order] = np.arange(n) % FOLDS
    for a, learner in enumerate(learners.values()):
        for s, (train, test) in enumerate(zip(cut.train, cut.test, strict=True)):
            halvings[a, :, s // 2, test] = losses_of(learner, X, y, train, test, classes).T
        for k in range(FOLDS * runs):
            test = np.flatnonzero(fold == k)
            folds[a][:, test] = losses_of(learner, X, y, np.flatnonzero(fold != k), test, classes)
    return halvings, folds, sides


def extras(e_bar: np.ndarray) -> list[np.ndarray]:
    """Share of Σ|d − d̄| that the largest example holds, and means without the largest examples."""
    away = np.abs(e_bar - e_bar.mean(axis=-1, keepdims=True))
    total = away.sum(axis=-1)
    share = np.where(total > 0, away.max(axis=-1) / np.where(total > 0, total, 1.0), 0.0)
    ranked = np.take_along_axis(e_bar, np.argsort(-away, axis=-1), axis=-1)
    return [share, *(ranked[..., k:].mean(axis=-1) for k in TRIMMED)]


def draw(data: Path, raw: Path, only: list[str]) -> None:
    """Keep the parts of every pair, measure, look and data set; of all populations if none is named."""
    raw.mkdir(exist_ok=True, parents=True)
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    populations = {**tables(data), **made()}
    for place, (name, (X, y, labels)) in enumerate(populations.items()):
        if only and name not in only:
            continue
        n = SIZES.get(name, N)
        learners = learners_of(name, labels)
        pairs = list(combinations(range(len(learners)), 2))
        kept, full = [], []
        for s in range(SETS):
            rng = np.random.default_rng([SEED, place, s])
            rows = rng.choice(len(y), n, replace=False)
            if labels and np.bincount(y[rows]).min() < 4:
                continue
            classes = int(y.max()) + 1 if labels else 0
            seed = int(rng.integers(2**31))
            halvings, folds, sides = one_data_set(
                X[rows], y[rows], learners, seed, classes, int(name in WITH_FOLDS)
            )
            e = np.stack([halvings[b] - halvings[a] for a, b in pairs])
            known = Halvings(e, sides)
            looks = []
            for m in LOOKS:
                parts = known.parts(m)
                rest = extras(e[..., :m, :].mean(axis=-2))
                looks.append(np.stack([*(getattr(parts, part) for part in PARTS), *rest], axis=-1))
            kept.append(np.stack(looks, axis=-2))
            d = np.stack([folds[b] - folds[a] for a, b in pairs])
            full.append(np.stack([d.mean(axis=-1), *test_part(d, n), extras(d)[0]], axis=-1))
        names = [f"{list(learners)[a]}/{list(learners)[b]}" for a, b in pairs]
        file = raw / f"{name.replace(' ', '-')}.npz"
        measures = ["zero-one", "log", "brier"] if labels else ["squared", "absolute"]
        np.savez_compressed(
            file,
            halves=np.stack(kept).astype(np.float32),  # (sets, pairs, measures, looks, parts)
            full=np.stack(full).astype(np.float32),
            pairs=np.array(names),
            measures=np.array(measures),
        )
        print(name, np.stack(kept).shape, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
