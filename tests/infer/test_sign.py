"""
The estimand's sign is the value's sign.

B − A in the measure's own units, whatever the method counts.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.estimate import TestEstimate

RUNNABLE = [
    key
    for key, entry in ef.infer.methods().items()
    if entry.family in ("test", "posterior")
    and "reruns" not in entry.inputs  # more runs than one design gives
    and "rho1" not in entry.arguments  # known in the lab only
    # two test sets, bootstrap samples, one fit
    and not {"labels", "apparent", "changes"} & {*entry.inputs}
    and not entry.default_design.about  # models that were trained elsewhere
]


@cache
def _compared(key: str) -> Any:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=200)
    X = rng.normal(size=(200, 2)) + 0.9 * y[:, None]
    measure = {"f1": "f1", "recall": "recall", "precision": "precision"}.get(
        key.rpartition("-")[2], "zero-one"
    )
    measure = {"delong": "auc", "cost-ratio-t": "fit-time"}.get(key, measure)
    groups = rng.integers(0, 5, size=200) if key.startswith("sources") else None
    two = [GaussianNB(), DummyClassifier(strategy="stratified", random_state=0)]
    if key == "wong-proportion":
        two = two[1:]
    return ef.compare(two, X, y, method=key, measure=measure, groups=groups, random_state=0)


@pytest.mark.parametrize("key", RUNNABLE)
def test_the_value_has_the_sign_that_the_estimand_states(key: str) -> None:
    c = _compared(key)
    value = float(c.estimate.value if isinstance(c.estimate, TestEstimate) else c.estimate.mean)
    means = c.losses.means()
    truth = means[1] - means[0] if len(means) == 2 else means[0]
    assert value * truth > 0
    said = c.estimate.estimand
    assert not {"accuracy", "right"} & set(said.replace("(", " ").split()), said
    assert str(c.estimate.estimand) == c.facts.method.estimand or len(means) == 1
    assert "accuracy" not in c.to_latex()


def test_functions_that_are_given_right_predictions_speak_of_accuracy() -> None:
    a, b = [32, 28, 30, 30, 31], [33, 30, 31, 31, 34]
    found: list[Any] = [
        ef.infer.wong_kfold_matched_t(a, b, n_test=40),
        ef.infer.wong_kfold_independent_t(a, b, n_test=40),
        ef.infer.wong_kfold_independent_z(a, b, n_test=40),
        ef.infer.wong_loo_independent_z(60, 70, n=100),
        ef.infer.wong_loo_matched_t(20, 10, n=100),
    ]
    assert all(
        e.value > 0 and e.estimand.startswith("difference of accuracy B − A at") for e in found
    )
    assert ef.infer.wong_proportion(a, n_test=40).estimand.startswith("accuracy at")
    wins = [
        ef.infer.mcnemar(9, 4),
        ef.infer.five_by_two_mcnemar(np.full((5, 2), 9), np.full((5, 2), 4)),
    ]
    assert all(
        e.value > 0 and e.estimand.startswith("P(only B right) − P(only A right)") for e in wins
    )


def test_posteriors_and_tests_have_intervals_at_the_level_that_was_asked_for() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    X = rng.normal(size=(200, 2)) + 0.9 * y[:, None]
    two = [GaussianNB(), GaussianNB(var_smoothing=0.5)]
    for measure, method in (
        ("f1", "influence-f1"),
        ("f1", "bayes-f1"),
        ("zero-one", "bayes-correlated-t"),
    ):
        c = ef.compare(two, X, y, measure=measure, method=method, level=0.2, random_state=0)
        pair = c.facts.pairs[0]
        estimate: Any = c.estimate
        assert estimate.interval() == pytest.approx((pair.low, pair.high))
        assert estimate.interval() == pytest.approx(estimate.interval(confidence_level=0.8))
        if measure == "f1":
            assert estimate.a.interval() == pytest.approx(estimate.a.interval(0.8))
