"""
What each rule of the influence test costs and saves, per measure: everyday learners on tables.

``python -m papers.sharp.measures draw DATA RAW`` takes tables of DATA for populations: it draws
data sets of n = 200 without replacement, fits scikit-learn's learners on nine halvings (balanced by
labels) and ten folds of each, and keeps the parts of the variance of every pair, measure and look
in RAW, so that all rules are judged on the same draws. ``... judge RAW`` judges them and writes
``results/measures.csv``.
"""

import csv
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from scipy import special
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import evenfold as ef
from evenfold.infer._arrays import variance_of_mean
from evenfold.infer.halves.influence import Halvings, Parts
from papers.sharp.analyse import LEVEL, LOOKS, RESULTS, SHIFT, t_quantile

N = 200
SIZES = {"xor": 400}  # of other data sets
SETS = 205
ROWS = 200_000  # of a population that is made
FOLDS = 10
LARGE = ("letters", "adult", "wine number")  # where forests take the place of shallow trees
WITH_FOLDS = ("adult", "wine number")  # where the full size is judged, too
SEED = 2711
ADULT = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
PARTS = (
    "mean", "test", "test_df", "repetition", "flips", "influence", "halves", "training", "differ",
    "largest",
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

    def scaled(frame: pd.DataFrame) -> Any:
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

    def but(frame: pd.DataFrame, *names: str) -> Any:
        return scaled(frame.drop(columns=list(names)))

    def number(frame: pd.DataFrame, name: str) -> Any:
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
        "adult number": (
            scaled(adult[[c for c in ADULT if c != hours]]),
            number(adult, hours),
            False,
        ),
        "waves": (but(waves, "target"), waves["target"].to_numpy(int), True),
        "wine": (but(wine, "target"), (wine["target"] >= 6).to_numpy(int), True),
        "spam number": (but(spam, "target", caps), number(spam, caps), False),
        "defects": (but(kc1, "target"), yes.to_numpy(int), True),
    }


def made() -> dict[str, tuple[np.ndarray, np.ndarray, bool]]:
    """Return populations known to be hard for one rule or another, as in ``populations.py``."""
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


def losses_of(
    learner: Any, X: np.ndarray, y: np.ndarray, train: Any, test: Any, classes: int
) -> np.ndarray:
    """
    Return losses (measures, test examples).

    They are zero-one, log and Brier of classes, and squared and absolute of numbers.
    """
    model = clone(learner).fit(X[train], y[train])
    truth = y[test]
    if not classes:
        away = model.predict(X[test]) - truth
        return np.stack([away**2, np.abs(away)])
    p = np.zeros((len(test), classes))
    p[:, model.classes_] = model.predict_proba(X[test])
    of_truth = p[np.arange(len(test)), truth]
    wrong = p.argmax(axis=1) != truth
    log = -np.log(np.maximum(of_truth, np.finfo(float).eps))
    return np.stack([wrong.astype(float), log, (p**2).sum(axis=1) - 2 * of_truth + 1])


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
    """
    Keep the parts of every pair, measure, look and data set.

    All populations are run if none is named.
    """
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
            full.append(np.stack([d.mean(axis=-1), *variance_of_mean(d), extras(d)[0]], axis=-1))
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


class Looked:
    """The looks of all data sets of one population and measure, at any null and with any rules."""

    def __init__(self, known: np.ndarray, *, guard: bool = True, safe: bool = True) -> None:
        """``known`` (sets, pairs, looks, parts), as ``draw`` keeps them."""
        rows = [np.moveaxis(known[:, :, i], -1, 0) for i in range(len(LOOKS))]
        named = [dict(zip((*PARTS, *EXTRA), row, strict=False)) for row in rows]
        self.parts = [_parts(look, m) for look, m in zip(named, LOOKS, strict=True)]
        tested = [_variance(look, guard=guard, safe=safe) for look in self.parts]
        self.V, self.df = (np.stack(each) for each in zip(*tested, strict=True))
        self.mean = np.stack([look.mean for look in self.parts])
        self.truth = self.mean[-1].mean(axis=0)
        self.sd = self.mean[-1].std(axis=0)
        error = np.sqrt(self.V)
        share = (np.array(LOOKS) / LOOKS[-1]) ** 2
        self.own = np.stack(
            [t_quantile(df, s * LEVEL / 2) for df, s in zip(self.df, share, strict=True)]
        )
        self.own *= error
        self.whole = t_quantile(self.df, LEVEL / 2) * error

    def muted(self, rule: str, null: np.ndarray) -> Any:
        """Where a rule of tails withholds the verdict."""
        f = np.stack([look.test_df for look in self.parts])
        if rule == "a fifth":
            return f < 0.2 * np.stack([look.differ for look in self.parts])
        some = ~np.stack([look.few for look in self.parts])
        if rule == "f < 10":
            return some & (f < 10)
        if rule == "ten":
            trimmed = np.stack([look.trimmed for look in self.parts])
            return some & (f < 20) & ((self.mean - null) * (trimmed - null) < 0)
        return np.zeros(f.shape, dtype=bool)

    def test(
        self, null: np.ndarray, *, tails: str = "ten", waits: bool = True, blurred: float = 2.0
    ) -> dict[str, np.ndarray]:
        """Run the test with looks; ``blurred`` times T's interval is too wide to give up with."""
        last = (np.arange(len(LOOKS)) == len(LOOKS) - 1)[:, None, None]
        muted = self.muted(tails, null)
        may = ~muted & (self.V > 0)
        if waits:
            may &= last | ~np.stack([look.whole_models for look in self.parts])
        away = np.abs(self.mean - null)
        rejected = may & (away > self.own)
        if tails != "a fifth":  # which rewrote p and interval wherever it was met
            muted &= away > self.own
        left = (1 / np.array(LOOKS) - 1 / LOOKS[-1])[:, None, None]
        T, W, P = (
            np.stack([getattr(look, k) for look in self.parts]) for k in ("test", "flips", "pooled")
        )
        z = special.ndtri(1 - LEVEL / 2)
        futile = away + 2 * np.sqrt(P * left) < z * np.sqrt(np.maximum(T - W * left, 0))
        futile &= ~last & (self.whole <= blurred * z * np.sqrt(T))
        stop = (rejected | futile | last).argmax(axis=0)

        def at(each: np.ndarray) -> Any:
            return np.take_along_axis(each, stop[None], axis=0)[0]

        decided = at(rejected)
        half = np.where(decided, at(self.own), at(self.whole))
        low = np.where(decided, at(self.mean) - half, np.minimum(at(self.mean) - half, null))
        high = np.where(decided, at(self.mean) + half, np.maximum(at(self.mean) + half, null))
        unknown = decided | (self.whole[-1] == 0)
        nine = np.where(unknown, 1.0, 2 * self.whole[-1])
        return {
            "rejected": decided, "muted": at(muted), "fits": 4 * np.array(LOOKS)[stop],
            "union": rejected.any(axis=0), "covered": (low <= self.truth) & (self.truth <= high),
            "width": np.where(unknown, np.nan, (high - low) / nine),
        }  # fmt: skip


def _parts(known: dict[str, np.ndarray], m: int) -> Parts:
    fields = {name: known[name] for name in PARTS}
    # the first populations were drawn without it
    trimmed = known.get("without_10", known["without_5"])
    return Parts(m=m, n=N, held=known["largest_share"], trimmed=trimmed, contrasts=None, **fields)


def _variance(parts: Parts, *, guard: bool, safe: bool) -> tuple[np.ndarray, np.ndarray]:
    """V and df of the test, without the guard or the safe test if so asked."""
    m = parts.m
    V, df = parts.add_components(
        parts.test, parts.test_df, np.maximum(parts.test - parts.flips / m, 0.0), again=1 / m
    )
    if guard:
        V, df = parts._guard_variance(V, df)
    if not safe:
        return V, df
    larger = np.maximum(V, (2 * m + 1) / (2 * m - 1) * parts.halves)
    return np.where(parts.few, larger, V), np.where(parts.few, np.minimum(df, 2 * m - 1), df)


def rates(looked: Looked, **rules: Any) -> dict[str, np.ndarray]:
    """Error, power at 2.8 standard deviations, fits, coverage and widths of every pair."""
    at_null = looked.test(looked.truth, **rules)
    away = [looked.test(looked.truth + s * SHIFT * looked.sd, **rules) for s in (1, -1)]
    some = [looked.test(looked.truth + s * looked.sd, **rules) for s in (1, -1)]
    return {
        "error": at_null["rejected"].mean(axis=0),
        "union": at_null["union"].mean(axis=0),
        "muted": at_null["muted"].mean(axis=0),
        "power": np.mean([x["rejected"].mean(axis=0) for x in away], axis=0),
        "fits": np.mean([x["fits"].mean(axis=0) for x in away], axis=0),
        "fits_null": at_null["fits"].mean(axis=0),
        "covered": np.mean([x["covered"].mean(axis=0) for x in some], axis=0),
        "width": at_null["width"].ravel(),
    }


COLUMNS = (
    "pairs", "error", "error_95", "error_max", "union", "muted", "power", "fits", "fits_null",
    "covered_5",
    "width", "width_95", "width_max",
)  # fmt: skip
RULES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "as it ships": ({}, {}),
    "tails: none": ({}, {"tails": "none"}),
    "tails: f < 10": ({}, {"tails": "f < 10"}),
    "tails: a fifth (before)": ({}, {"tails": "a fifth"}),
    "no waiting where whole models shift": ({}, {"waits": False}),
    "no guard U": ({"guard": False}, {}),
    "no safe test": ({"safe": False}, {}),
    "futile at any width": ({}, {"blurred": np.inf}),
    "futile up to 1.5 times T": ({}, {"blurred": 1.5}),
    "never futile": ({}, {"blurred": 0.0}),
}


def judge(raw: Path) -> None:
    """Print and keep what each rule costs and saves, per measure, on tables and on what is made."""
    enemies = {name.replace(" ", "-") for name in made()}
    by_rule: dict[tuple[str, str, str], list[dict[str, np.ndarray]]] = {}
    for path in sorted(raw.glob("*.npz")):
        with np.load(path) as file:
            known = file["halves"].astype(float)
            measures = [str(name) for name in file["measures"]]
            bayes = np.char.find(file["pairs"], "bayes") >= 0
        named = path.stem in enemies
        kinds = {"named enemies" if named else "tables": ~bayes, "naive Bayes": bayes}
        for k, measure in enumerate(measures):
            for kind, which in kinds.items():
                for rule, (variance, test) in RULES.items() if which.any() else ():
                    rows = by_rule.setdefault((kind, measure, rule), [])
                    rows.append(rates(Looked(known[:, which, k], **variance), **test))
    with (RESULTS / "measures.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["populations", "measure", "rule", *COLUMNS])
        for key, rows in by_rule.items():
            each = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
            width = each["width"][np.isfinite(each["width"])]
            error = each["error"]
            numbers = [
                error.mean(), np.quantile(error, 0.95), error.max(), each["union"].mean(),
                each["muted"].mean(), each["power"].mean(), each["fits"].mean(),
                each["fits_null"].mean(),
                np.quantile(each["covered"], 0.05), np.median(width), np.quantile(width, 0.95),
                width.max(),
            ]  # fmt: skip
            row = [*key, len(error), *(f"{x:.4g}" for x in numbers)]
            out.writerow(row)
            print(*row)


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
    else:
        judge(Path(sys.argv[2]))
