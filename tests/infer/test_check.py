"""``Family.check`` refuses before the first fit exactly what the method would refuse after it."""

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.infer.placeholder import placeholder_losses

import evenfold as ef
from evenfold.core.errors import EvenfoldError
from evenfold.core.losses import Quantity
from evenfold.core.partition import Partition
from evenfold.design import GrowingWindow, design_from
from evenfold.infer.family import Family, Names

N = 48
GROUPS = np.repeat(np.arange(12), 4)
WEIGHTS = np.linspace(0.5, 2.0, N)

DESIGNS = (
    *(f"mx2-bcv:{m}" for m in (2, 3, 5, 7)),
    *(f"mx2:{m}" for m in (2, 3, 5)),
    *(f"kfold:{folds}" for folds in (2, 4, 10, N)),
    "loo",
    "repeated-kfold:4:3",
    "rlt:4:0.75",
    "rlt:1:0.75",
    "brlt:4:0.75",
    "holdout:0.5",
    f"holdout:{N - 1}",
    "sources",
    "nested-rlt:3:4:0.25",
    "nested-kfold:4:2",
    "reruns:4:3:0.75",
    "reruns:2:1:0.75",
    "out-of-bag:40",
    "out-of-bag:3",
    "folds-and-halves:4:5",
    "folds-in-halves:3:2",
    "growing:0.5:1",
    "growing:0.5:3",
    "growing:47:1",
    "growing:46:1",
    "rolling:0.5:1",
    "rolling:0.5:2",
)
MEASURES = {
    "zero-one": Quantity(
        name="zero-one", lower_is_better=True, low=0.0, high=1.0, per_example="values",
        counts_wrong=True, right_or_wrong=True,
    ),
    "brier": Quantity(
        name="brier", lower_is_better=True, low=0.0, high=1.0, per_example="values"
    ),
    "squared": Quantity(name="squared", lower_is_better=True, low=0.0, per_example="values"),
    "auc": Quantity(
        name="auc", lower_is_better=False, low=0.0, high=1.0, per_example="placements"
    ),
    "gini": Quantity(name="gini", lower_is_better=False, low=-1.0, high=1.0),
    "f1": Quantity(name="f1", lower_is_better=False, low=0.0, high=1.0, per_example="outcomes"),
    "time": Quantity(name="fit-time", lower_is_better=True, ratio=True, unit="s"),
}  # fmt: skip
PAIR: Names = ("A", "B")
ALONE: Names = (None, "B")
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "corrected-kfold-t": ({"rho": 0.3}, {"rho": 2.0}, {"rho": -0.2}, {"rho": "x"}, {"rho": None}),
    "wong-proportion": ({"averaging": "fold"}, {"averaging": "x"}),
    "mcnemar": ({"variant": "exact"}, {"variant": "x"}),
    "5x2-mcnemar": ({"variant": "x"}, {"rho": (0.1, 0.2)}, {"rho": (0.1,)}, {"rho": (-1, -1)}),
    "blocked-3x2-t": ({"lam": 0.5}, {"lam": -1}, {"lam": "x"}),
    "mx2-oracle-t": (
        {"rho1": 0.1, "rho2": 0.3}, {"rho1": 0.1}, {"rho1": 2, "rho2": 0}, {"rho1": "x", "rho2": 0},
    ),
    "mx2-sequential-t": ({"boundary": "thesis"}, {"boundary": "x"}),
    "anytime": ({"mean": "constant"}, {"mean": "x"}),
    "permutation": ({"draws": 99}, {"draws": 3}, {"random_state": -1}),
    "paired-bootstrap": ({"variant": "percentile"}, {"variant": "x"}, {"draws": 3}),
    "bayes-f1": ({"rho": (0.1, 0.2)}, {"rho": (-1, -1)}, {"prior": 0}, {"prior": 0.5}),
    "bayes-recall": ({"prior": -1}, {"prior": "x"}),
    "influence-f1": ({"class_counts": "fixed"}, {"class_counts": "x"}),
    "sources-theta-omega1": ({"source": 0}, {"source": 99}),
    "sources-theta-gamma1": ({"pair": (0, 1)}, {"pair": (0, 0)}, {"pair": 3}),
    "model-confidence-set": ({"draws": 3}, {"statistic": "x"}, {"block": 0}),
}  # fmt: skip
# what they refuse depends on how many predictions are right
ON_VALUES = {"wong-loo-matched-t"}


@pytest.fixture(scope="module")
def partitions() -> dict[str, Partition]:
    """Every design once, on the same examples."""
    known = {"sources": {"groups": GROUPS}}
    partitions = {
        name: design_from(name, random_state=0).partition(N, **known.get(name, {}))
        for name in DESIGNS
    }
    return partitions | {"a long way ahead": GrowingWindow(30, 4, gap=8).partition(N)}


def families(method: str) -> Iterator[Family]:
    """The questions that a method is asked: about pairs and single algorithms, on either side."""
    entry = ef.infer.methods()[method]
    for pair in (PAIR, ALONE):
        yield Family(method=method, pairs=(pair,))
    for alternative in ("less", "greater", "not-worse"):
        yield Family(method=method, pairs=(PAIR,), alternative=alternative)
    for options in ({"no-such-option": 1}, *OPTIONS.get(method, ())):
        yield Family(method=method, pairs=(PAIR,), method_options=options)
    yield Family(method=method, pairs=(PAIR,), level=0.2)
    if entry.sequential:
        yield Family(method=method, pairs=(PAIR,), most=9)
        yield Family(method=method, pairs=(PAIR,), most=3)
        yield Family(method=method, pairs=(PAIR,), level=0.001)
        yield Family(method=method, pairs=(PAIR,), level=0.6)


def refusal(ask: Any, *arguments: Any, **keywords: Any) -> str:
    """What is refused, and how; nothing where there is an answer."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of one example there is no variance
            answers = ask(*arguments, **keywords)
    except EvenfoldError as reason:
        return f"{type(reason).__name__}: {reason}"
    verdict = answers[0].verdict if answers else None
    if verdict is not None and verdict.said is not None and verdict.said.code == "not-applicable":
        return f"NotApplicable: {verdict.said.values['reason']}"
    return ""


@pytest.mark.parametrize("method", sorted(ef.infer.methods()))
def test_check_refuses_what_the_estimate_refuses(
    method: str, partitions: dict[str, Partition]
) -> None:
    fitting = {
        name: partition
        for name, partition in partitions.items()
        if ef.infer.methods()[method].fits(partition.kind)
    }
    other = next(name for name in partitions if name not in fitting)
    for design, partition in (*fitting.items(), (other, partitions[other])):
        for measure, quantity in MEASURES.items():
            for weights in (None, WEIGHTS):
                for family in families(method):
                    checked = refusal(family.check, partition, quantity, weights=weights)
                    names = tuple(name for name in family.pairs[0] if name)
                    losses = placeholder_losses(quantity, partition, names, weights)
                    answered = refusal(family.answers, losses)
                    case = (
                        design,
                        measure,
                        weights is not None,
                        family.pairs[0],
                        family.alternative,
                        family.method_options,
                        family.most,
                        family.level,
                    )
                    if answered != checked and method not in ON_VALUES:
                        raise AssertionError(f"{case}: {checked!r} is not {answered!r}")


@pytest.mark.parametrize(("method", "m"), [("5x2-t", 5), ("blocked-3x2-t", 3), ("5x2-mcnemar", 5)])
def test_a_method_for_one_number_of_repetitions_names_it(method: str, m: int) -> None:
    X, y = load_iris(return_X_y=True)
    models = {"a": GaussianNB(), "b": DecisionTreeClassifier()}
    said = f"method '{method}' needs {m} repetitions but got 7. Use ef.Mx2BCV({m})."
    with pytest.raises(ef.NotApplicable, match=re.escape(said)):
        ef.compare(models, X, y, method=method, design=ef.Mx2BCV(7), random_state=0)
