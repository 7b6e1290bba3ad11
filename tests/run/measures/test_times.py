"""Times and sizes as measures: what they are of, what is refused, and how they are said."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.run.data import as_target
from evenfold.run.measures import as_measure

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
y = (X[:, 0] + RNG.normal(size=80) > 0).astype(int)


class Slow(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier that takes its time, and holds as many bytes as it is told to."""

    def __init__(self, fit: float = 0.0, predict: float = 0.0, size: int = 0) -> None:
        self.fit_for, self.predict_for, self.size = fit, predict, size

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        return {"fit": self.fit_for, "predict": self.predict_for, "size": self.size}

    def fit(self, X: Any, y: Any) -> "Slow":  # noqa: ARG002
        time.sleep(self.fit_for)
        self.classes_, self.held_ = np.unique(y), b"x" * self.size
        return self

    def predict(self, X: Any) -> Any:
        time.sleep(self.predict_for)
        return np.zeros(len(X), dtype=int)


ALL = ["fit-time", "predict-time", "model-size"]


@pytest.fixture(scope="module")
def c() -> ef.Comparison:
    two = {"quick": Slow(0.002, 0.008, 1000), "slow": Slow(0.01, 0.002, 9000)}
    return ef.compare(two, X, y, measure=["zero-one", *ALL], design=ef.Mx2BCV(3), random_state=0)


def test_costs_are_ratios_with_an_interval(c: ef.Comparison) -> None:
    for name, low, high, outcome in (
        ("fit-time", 2.5, 6.0, "worse"),
        ("predict-time", 0.15, 0.5, "better"),
        ("model-size", 5.0, 9.0, "worse"),
    ):
        one = c[name]
        (pair,) = one.facts.pairs
        assert low < pair.value < high
        assert pair.low <= pair.value <= pair.high
        assert pair.value == pytest.approx(np.exp(float(one.estimate.value)))
        assert pair.outcome == str(one.verdict.outcome) == outcome
        assert f"its {one.facts.measure_words} is" in one.verdict.sentence
        assert "times that of quick (95% CI" in one.verdict.sentence
        assert one.facts.method.key == "cost-ratio-t"
    assert c["fit-time"].facts.summaries[1].mean == pytest.approx(0.01, rel=0.5)  # in seconds
    assert "ratio of fit time, slow / quick" in c["fit-time"].facts.estimand


def test_reports_show_ratios_and_not_logarithms(c: ef.Comparison) -> None:
    shown = f"{c['model-size'].facts.pairs[0].value:.1f}"
    for text in (str(c), c.to_markdown(), c.to_html()):
        assert "model size" in text
        assert f"{shown}" in text
        assert "B / A" in text
    alone = c["fit-time"].to_html()
    assert "ratio of fit time" in alone
    again = ef.Comparison.from_json(c.to_json())
    assert again["model-size"].facts.pairs[0].value == c["model-size"].facts.pairs[0].value


def test_a_ratio_near_1_is_not_rounded_to_it() -> None:
    two = {"small": Slow(size=10_000), "large": Slow(size=10_500)}
    c = ef.compare(
        two, X, y, measure=["zero-one", "model-size"], design=ef.Mx2BCV(3), random_state=0
    )
    assert "its model size is 1.04" in c["model-size"].verdict.sentence
    assert "1.04" in str(c)


def test_one_algorithm_has_its_own_time() -> None:
    c = ef.compare(
        {"slow": Slow(0.004)}, X, y, measure="fit-time", design=ef.Mx2BCV(2), random_state=0
    )
    assert "the fit time of slow is 0.0" in c.pairs[0].sentence
    assert " seconds (95% CI 0.0" in c.pairs[0].sentence


def test_the_time_of_a_scorer_is_no_time_of_predictions() -> None:
    def lazy(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        time.sleep(0.02)
        return 1.0

    partition = ef.Mx2BCV(2, random_state=0).partition(80)
    done = ef.run.run(
        [GaussianNB()],
        partition,
        X,
        y,
        measures=["predict-time", ef.run.measure(lazy, higher_is_better=True)],
    )
    assert np.exp(done["predict-time"].values).max() < 0.02


def test_times_are_kept_in_a_store_and_found_again(tmp_path: Path) -> None:
    partition, store = ef.Mx2BCV(2, random_state=0).partition(80), tmp_path / "runs.db"
    first = ef.run.run([GaussianNB()], partition, X, y, seed=0, store=store)
    later = ef.run.run(
        [GaussianNB()], partition, X, y, seed=0, store=store, measures=["fit-time", "predict-time"]
    )
    assert later.fits == 0
    np.testing.assert_allclose(np.exp(later["fit-time"].values), first["zero-one"].fit_seconds)
    np.testing.assert_allclose(
        np.exp(later["predict-time"].values), first["zero-one"].predict_seconds
    )
    again = ef.run.load(store, str(later.id))["fit-time"]
    np.testing.assert_array_equal(again.values, later["fit-time"].values)
    assert again.quantity.ratio


def test_what_has_no_such_cost_is_refused_before_anything_is_fitted() -> None:
    def function(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        raise AssertionError("nothing may be fitted")

    for measure, message in (
        (
            "predict-time",
            "measure 'predict-time' needs an estimator but algorithm 'function' is a function",
        ),
        ("model-size", "measure 'model-size' needs a fitted estimator for model-size"),
    ):
        with pytest.raises(InvalidInput, match=message):
            ef.compare([GaussianNB(), function], X, y, measure=measure)
    with pytest.raises(
        ef.NotApplicable, match="needs values per example, which measure 'fit-time'"
    ):
        ef.compare(
            [GaussianNB(), function], X, y, measure="fit-time", design=ef.design.Holdout(0.5)
        )
    with pytest.raises(ef.NotApplicable, match="is about times and sizes, not measure 'zero-one'"):
        ef.compare([GaussianNB(), GaussianNB()], X, y, method="cost-ratio-t", design=ef.Mx2BCV(2))


def test_what_cannot_be_pickled_has_no_size_but_other_measures() -> None:
    class Handle(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types; a local class has no address
        pass

    partition = ef.Mx2BCV(2, random_state=0).partition(80)
    done = ef.run.run([Handle()], partition, X, y, measures=["zero-one", "model-size"], n_jobs=1)
    assert not done["zero-one"].failures
    assert "cannot be pickled" in done["model-size"].failures[0].message


def test_a_clock_that_stands_still_is_a_failure_of_the_cell() -> None:
    measure = as_measure("fit-time").bind(as_target(y), positive=None, scheme="IOB2")
    with pytest.raises(ValueError, match="the clock measured no time"):
        measure.evaluate(y, ef.run.Predictions("predict", y, fit_seconds=0.0), None)


def test_two_sizes_and_several_algorithms_have_ratios_too() -> None:
    three = {"a": Slow(0.002), "b": Slow(0.008), "c": Slow(0.002)}
    c = ef.compare(three, X, y, measure=["zero-one", "fit-time"], at="full", random_state=0)
    ratios = {(pair.baseline, pair.challenger): pair.value for pair in c["fit-time"].facts.pairs}
    assert ratios["a", "b"] > 1.5 * ratios["a", "c"]  # a busy machine makes all of them slow
    assert [one.name for one in c["fit-time"].facts.candidates][-1] == "b"
