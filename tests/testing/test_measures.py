"""Every measure keeps the contract, and a broken one is told which rule it breaks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import get_scorer_names

import evenfold as ef
from evenfold.run.measures import as_measure
from evenfold.testing import BrokenContract, check_measure


@pytest.mark.parametrize("name", list(ef.run.measures()))
def test_every_measure_keeps_the_contract(name: str) -> None:
    check_measure(ef.run.measures()[name])


FOR_OTHER_DATA = (
    "samples",
    "likelihood",
    "log_error",
    "gamma",
    "poisson",
    "top_k",
    "roc_auc",
)  # not any labels or numbers


@pytest.mark.parametrize(
    "name", [n for n in get_scorer_names() if not any(w in n for w in FOR_OTHER_DATA)]
)
@pytest.mark.filterwarnings("ignore")  # that they are told of is theirs
def test_scorers_of_scikit_learn_keep_it_too(name: str) -> None:
    measure = as_measure(name)
    target = "numbers" if any(w in name for w in ("error", "r2", "variance")) else "labels"
    check_measure(measure.about(target=target), registered=False)


class Capped(ef.run.Measure):
    quantity = ef.run.Quantity(
        name="capped", words="capped error", lower_is_better=True, low=0.0, high=1.0,
        target="numbers",
        per_example="values",
    )  # fmt: skip

    def examples(self, truth: Any, answer: ef.run.Predictions) -> Any:
        return np.minimum(abs(truth - answer.values), 1.0)


def test_one_of_ones_own() -> None:
    check_measure(Capped(), registered=False)
    with pytest.raises(BrokenContract, match="it is registered under its name"):
        check_measure(Capped())


class Long(Capped):
    def examples(self, truth: Any, answer: ef.run.Predictions) -> Any:
        return abs(truth - answer.values)


class Median(Capped):
    def evaluate(self, truth: Any, answer: ef.run.Predictions, weights: Any) -> ef.run.Evaluated:  # noqa: ARG002  (knows no weights)
        return ef.run.Evaluated(float(np.median(self.examples(truth, answer))))


class Column(Capped):
    def examples(self, truth: Any, answer: ef.run.Predictions) -> Any:
        return super().examples(truth, answer)[:, None]


class Elsewhere(Capped):
    def each(self, truth: Any, predicted: Any) -> Any:
        return abs(truth - predicted) / 2


class Nowhere(Capped):
    quantity = replace(Capped.quantity, low=1.0, high=0.0)


@pytest.mark.parametrize(
    ("measure", "rule"),
    [
        (Long(), "lies in its range"),
        (Median(), "the mean of its examples is its value"),
        (Column(), "it evaluates predict of a number target"),
        (Elsewhere(), "element by element it is what its examples are"),
        (Nowhere(), "its range is not empty"),
        (print, "it is a Measure"),
    ],
)
def test_a_broken_rule_is_named(measure: Any, rule: str) -> None:
    with pytest.raises(BrokenContract, match=f"breaks a rule: .*{rule}"):
        check_measure(measure, registered=False)


def test_a_measure_of_ones_own_feeds_methods_that_read_examples() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X.sum(axis=1) + rng.normal(size=80) / 2
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    c = ef.compare(
        [DummyRegressor(), LinearRegression()],
        X,
        y,
        measure=Capped(),
        method="mx2-influence-t",
        random_state=0,
    )
    assert c.verdict.outcome.name == "BETTER"
    assert "capped error" in str(c.verdict)
