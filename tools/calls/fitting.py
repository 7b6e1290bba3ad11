"""Calls that fit: ``ef.compare``, ``ef.across`` and ``ef.reopen``, on small invented data."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import evenfold as ef
from tools.calls import Call

X, Y = make_classification(
    80, n_features=5, n_informative=3, n_redundant=0, flip_y=0.1, class_sep=0.9, random_state=0
)
TARGET = X[:, 0] - 0.5 * X[:, 1] + np.random.default_rng(0).normal(size=80)
WEIGHTS = np.random.default_rng(1).uniform(0.5, 2, size=80)
FEW_GROUPS = np.arange(80) % 8
MANY_GROUPS = np.arange(80) // 2  # forty of them, which are halved
CLASSES = np.where(X[:, 2] > 0.6, 2, Y)

LEARNERS: dict[str, Any] = {
    "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
    "bayes": GaussianNB(),
    "dummy": DummyClassifier(),
    "knn": KNeighborsClassifier(5),
    "nearest": KNeighborsClassifier(1),
    "lda": LinearDiscriminantAnalysis(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "centroid": NearestCentroid(),
    "logistic": LogisticRegression(),
}
REGRESSORS: dict[str, Any] = {
    "mean": DummyRegressor(),
    "line": LinearRegression(),
    "ridge": Ridge(10.0),
    "tree": DecisionTreeRegressor(max_depth=2, random_state=0),
}
TWO = {name: LEARNERS[name] for name in ("stump", "bayes")}
FAR = {name: LEARNERS[name] for name in ("dummy", "knn")}
NEAR = {name: LEARNERS[name] for name in ("lda", "logistic")}
THREE = {name: LEARNERS[name] for name in ("dummy", "bayes", "knn")}
FIVE = {name: LEARNERS[name] for name in ("dummy", "bayes", "lda", "knn", "nearest")}
EIGHT = {name: LEARNERS[name] for name in LEARNERS if name != "centroid"}
LINES = {name: REGRESSORS[name] for name in ("mean", "line")}


def fails_sometimes(X_train: Any, y_train: Any, X_test: Any) -> Any:
    """Learn as naive Bayes does, unless the first example is in the training set."""
    if (X_train == X[0]).all(axis=1).any():
        raise ValueError("the first example is in the training set")
    return GaussianNB().fit(X_train, y_train).predict(X_test)


def fails_always(X_train: Any, y_train: Any, X_test: Any) -> Any:
    """Learn nothing."""
    raise ValueError(f"no model for {len(X_train)} + {len(X_test)} examples, {len(y_train)} labels")


def compare(algorithms: Any, y: Any = Y, **options: Any) -> Any:
    """Compare algorithms on the invented data, by default with seed 0."""
    return ef.compare(algorithms, X, y, **{"random_state": 0, "progress": False, **options})


def compare_calls() -> dict[str, Call]:
    """Return the comparisons, by name."""
    cases = {**_questions(), **_measures(), **_designs(), **_methods(), **_data(), **_failures()}
    return {
        name: partial(compare, *arguments, **options)
        for name, (arguments, options) in cases.items()
    }


Cases = dict[str, tuple[tuple[Any, ...], dict[str, Any]]]


def _questions() -> Cases:
    """Return calls of the default rule with every number of algorithms, margin and adjustment."""
    cases: Cases = {
        "one": (({"bayes": GaussianNB()},), {}),
        "one-full": (({"bayes": GaussianNB()},), {"at": "full"}),
        "two": ((TWO,), {}),
        "two-far": ((FAR,), {}),
        "two-near": ((NEAR,), {}),
        "two-turned": ((dict(reversed(TWO.items())),), {}),
        "three": ((THREE,), {}),
        "three-turned": ((dict(reversed(THREE.items())),), {}),
        "five": ((FIVE,), {}),
        "eight": ((EIGHT,), {}),
        "baseline": ((THREE,), {"baseline": "bayes"}),
        "eight-baseline": ((EIGHT,), {"baseline": "dummy"}),
        "best": ((FIVE,), {"question": "best"}),
        "full": ((TWO,), {"at": "full"}),
        "full-three": ((THREE,), {"at": "full"}),
        "full-margin": ((NEAR,), {"at": "full", "margin": 0.1}),
        "curve": ((TWO,), {"at": "curve"}),
        "margin": ((TWO,), {"margin": 0.05}),
        "margin-far": ((FAR,), {"margin": 0.05}),
        "margin-near": ((NEAR,), {"margin": 0.2}),
        "not-worse": ((TWO,), {"margin": 0.1, "alternative": "not-worse"}),
        "not-worse-far": ((FAR,), {"margin": 0.02, "alternative": "not-worse"}),
        "not-worse-near": ((NEAR,), {"margin": 0.1, "alternative": "not-worse"}),
        "not-worse-three": (
            (THREE,),
            {"margin": 0.1, "alternative": "not-worse", "baseline": "bayes"},
        ),
        "greater": ((TWO,), {"alternative": "greater"}),
        "less": ((FAR,), {"alternative": "less"}),
        "level-20": ((TWO,), {"level": 0.2}),
        "level-01": ((FAR,), {"level": 0.01}),
    }
    for how in ("bonferroni", "shaffer", "bergmann-hommel", "hochberg", "hommel", "finner"):
        cases[f"adjust-{how}"] = (THREE,), {"adjust": how}
    for how in ("none", "benjamini-hochberg", "benjamini-yekutieli", "max-t"):
        cases[f"adjust-{how}"] = (THREE,), {"adjust": how}
    cases["max-t-five"] = (FIVE,), {"adjust": "max-t"}
    for seed in range(1, 9):
        cases[f"seed-{seed}"] = (TWO,), {"random_state": seed}
    return cases


def _measures() -> Cases:
    """Return calls with one or several measures, with and without values of single examples."""
    cases: Cases = {
        "several-measures": ((FAR,), {"measure": ["zero-one", "log", "brier"]}),
        "several-of-three": ((THREE,), {"measure": ["accuracy", "log"]}),
        "f1-three": ((THREE,), {"measure": "f1"}),
        "auc-full": ((FAR,), {"measure": "auc", "at": "full"}),
        "scorer": ((TWO,), {"measure": "balanced_accuracy"}),
        "weighted": ((TWO,), {"sample_weight": WEIGHTS}),
        "many-classes": ((TWO, CLASSES), {}),
        "macro-f1": ((TWO, CLASSES), {"measure": "macro-f1"}),
    }
    for measure in ("accuracy", "log", "brier", "f1", "precision", "recall", "auc"):
        cases[f"measure-{measure}"] = (FAR if measure == "log" else TWO,), {"measure": measure}
    for measure in ("mcc", "kappa", "balanced-accuracy", "g-mean", "partial-auc:0.2", "ece"):
        cases[f"measure-{measure}"] = (TWO,), {"measure": measure}
    for measure in ("squared", "absolute", "r2", "rmse", "pinball"):
        cases[f"numbers-{measure}"] = (LINES, TARGET), {"measure": measure}
    cases["numbers-four"] = (REGRESSORS, TARGET), {}
    return cases


def _designs() -> Cases:
    """Return calls with designs of a fixed size, each with its default method."""
    designs: dict[str, Any] = {
        "mx2-bcv-3": ef.Mx2BCV(3),
        "mx2-bcv-5": ef.Mx2BCV(5),
        "mx2-bcv-9": ef.Mx2BCV(9),
        "mx2-bcv-15": ef.Mx2BCV(15),
        "mx2-5": ef.design.Mx2(5),
        "kfold-5": ef.KFold(5),
        "kfold-10": "kfold:10",
        "folds": 4,
        "loo": ef.design.LeaveOneOut(),
        "rlt": ef.design.RLT(10, 0.8),
        "brlt": ef.BRLT(10, 0.8),
        "holdout": ef.design.Holdout(0.6),
        "nested": ef.design.NestedRLT(4, 5, 0.2),
        "shuffle-split": ShuffleSplit(8, test_size=0.25, random_state=0),
        "stratified": StratifiedKFold(5, shuffle=True, random_state=0),
    }
    cases: Cases = {
        f"design-{name}": ((TWO,), {"design": design}) for name, design in designs.items()
    }
    cases["design-three"] = (THREE,), {"design": ef.Mx2BCV(7)}
    cases["design-baseline"] = (THREE,), {"design": ef.Mx2BCV(7), "baseline": "knn"}
    cases["design-margin"] = (TWO,), {"design": ef.Mx2BCV(7), "margin": 0.1}
    cases["design-one"] = ({"bayes": GaussianNB()},), {"design": ef.Mx2BCV(7)}
    cases["design-f1"] = (TWO,), {"design": ef.Mx2BCV(7), "measure": "f1"}
    return cases


def _methods() -> Cases:
    """Return calls with methods that are named by their keys, posteriors among them."""
    folds = ("kfold-t", "corrected-kfold-t", "cv-clt", "bayes-correlated-t", "wong-kfold-matched-t")
    halves = ("mx2-t", "mx2-sequential-t", "mx2-block-t", "mx2-combined-t", "mx2-paired-t")
    five = ("5x2-t", "5x2-f", "5x2-mcnemar", "5x2-combined-t")
    cases: Cases = {f"method-{key}": ((TWO,), {"method": key}) for key in (*folds, *halves, *five)}
    for key in ("bayes-f1", "bayes-precision", "bayes-recall"):
        cases[f"method-{key}"] = (TWO,), {"method": key, "measure": key.removeprefix("bayes-")}
    for key in ("corrected-resampled-t", "resampled-t", "blocked-3x2-t", "full-size-t"):
        cases[f"method-{key}"] = (TWO,), {"method": key}
    for key in ("mcnemar", "holdout-t", "permutation", "paired-bootstrap", "tango-exact"):
        cases[f"method-{key}"] = (TWO,), {"method": key, "design": "holdout:0.6"}
    cases["method-mx2-influence-t"] = (TWO,), {"method": "mx2-influence-t"}
    cases["method-thesis"] = (
        (TWO,),
        {"method": "mx2-sequential-t", "method_options": {"boundary": "thesis"}},
    )
    cases["method-bayes-three"] = (THREE,), {"method": "bayes-correlated-t"}
    return cases


def _data() -> Cases:
    """Return calls on data with groups and with times."""
    time = np.arange(80)
    return {
        "groups-many": ((TWO,), {"groups": MANY_GROUPS}),
        "groups-few": ((TWO,), {"groups": FEW_GROUPS}),
        "groups-three": ((THREE,), {"groups": MANY_GROUPS, "measure": "log"}),
        "groups-f1": ((TWO,), {"groups": MANY_GROUPS, "measure": "f1"}),
        "sources": ((TWO,), {"groups": FEW_GROUPS, "design": ef.LeaveOneSourceOut()}),
        "ordered": ((LINES, TARGET), {"order": time}),
        "ordered-three": (
            ({name: REGRESSORS[name] for name in ("mean", "line", "ridge")}, TARGET),
            {"order": time},
        ),
        "ordered-classes": ((FAR,), {"order": time}),
        "balanced-labels": ((TWO,), {"design": ef.Mx2BCV(5, balance="labels")}),
    }


def _failures() -> Cases:
    """Return calls of algorithms that fail on some splits or on all."""
    sometimes = {**TWO, "sometimes": fails_sometimes}
    always = {**TWO, "always": fails_always}
    return {
        "failed-some": ((sometimes,), {}),
        "failed-some-of-two": (({"stump": TWO["stump"], "sometimes": fails_sometimes},), {}),
        "failed-all": ((always,), {}),
        "failed-all-of-two": (({"bayes": GaussianNB(), "always": fails_always},), {}),
        "failed-raise": ((sometimes,), {"on_failure": "raise"}),
        "failed-folds": ((sometimes,), {"design": ef.KFold(5)}),
    }


def digit_pairs() -> dict[str, tuple[Any, Any]]:
    """Return seven data sets: pairs of digits, forty images each."""
    images, digits = load_digits(return_X_y=True)
    sets = {}
    for a, b in ((0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (1, 8), (3, 9)):
        rows = np.flatnonzero((digits == a) | (digits == b))[:40]
        sets[f"{a} or {b}"] = images[rows], digits[rows]
    return sets


def across_calls() -> dict[str, Call]:
    """Return the comparisons over several data sets, by name."""
    sets = digit_pairs()
    cases: dict[str, tuple[Any, dict[str, Any]]] = {
        "two": (FAR, {}),
        "three": (THREE, {}),
        "baseline": (THREE, {"baseline": "dummy"}),
        "margin": (TWO, {"margin": 0.05}),
        "nemenyi": (THREE, {"test": "nemenyi"}),
        "friedman": (THREE, {"test": "friedman"}),
        "sign": (THREE, {"test": "sign"}),
        "quade": (THREE, {"test": "quade", "adjust": "hommel"}),
        "partial": ({**FAR, "sometimes": _fails_on_threes}, {}),
        "f1": (FAR, {"measure": "macro-f1"}),
    }
    usual = {"design": ef.Mx2BCV(3), "random_state": 0, "progress": False}
    return {
        name: partial(ef.across, algorithms, sets, **{**usual, **options})
        for name, (algorithms, options) in cases.items()
    }


def _fails_on_threes(X_train: Any, y_train: Any, X_test: Any) -> Any:
    if 3 in y_train and 9 in y_train:
        raise ValueError("threes and nines are too much alike")
    return GaussianNB().fit(X_train, y_train).predict(X_test)


def reopen_calls() -> dict[str, Call]:
    """Return runs that are stored and then judged again, by name."""
    cases: Cases = {
        "as-before": ((TWO,), {}),
        "other-method": ((TWO,), {"method": "mx2-t"}),
        "other-margin": ((TWO,), {"margin": 0.1}),
        "other-measure": ((TWO,), {"measure": "f1"}),
        "three": ((THREE,), {}),
        "three-baseline": ((THREE,), {"baseline": "bayes"}),
    }
    return {
        name: partial(_reopened, *arguments, **again) for name, (arguments, again) in cases.items()
    }


def _reopened(algorithms: Any, **again: Any) -> Any:
    with TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        done = compare(algorithms, store=store)
        return ef.reopen(store, done.facts.run_id, **again)
