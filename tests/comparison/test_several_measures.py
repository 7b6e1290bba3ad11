"""Several measures: one run, one answer for each; the first is the verdict."""

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import evenfold as ef
from evenfold.core.facts.comparison import Facts

RNG = np.random.default_rng(5)
N = 90
y = np.tile([0, 1, 1], N // 3)
X = RNG.normal(size=(N, 3)) + y[:, None]
TWO = {"dummy": DummyClassifier(strategy="prior"), "bayes": GaussianNB()}


@pytest.fixture(scope="module")
def c() -> ef.Comparison:
    return ef.compare(TWO, X, y, measure=["zero-one", "log", "f1"], positive=1, random_state=0)


def test_all_are_answered_from_one_run(c: ef.Comparison) -> None:
    other = ef.compare(TWO, X, y, measure=["f1", "log", "zero-one"], positive=1, random_state=0)
    assert c.fits == other.fits  # whatever the order
    assert str(c.verdict) == str(other["zero-one"].verdict)
    assert c.measures == ("zero-one", "log", "f1")
    assert c["zero-one"] is c
    for name in c.measures:
        assert c[name].losses.measure == name
        assert c[name].verdict.sentence
        assert c[name].fits == c.fits
    with pytest.raises(
        ef.EvenfoldError, match="measure must be one of 'zero-one', 'log', 'f1' but got 'brier'"
    ):
        c["brier"]


def test_what_has_no_value_per_example_is_judged_by_the_sequential_test(c: ef.Comparison) -> None:
    assert {one.facts.method.key for one in (c, *c.others)} == {"mx2-influence-t"}
    bare = ef.compare(TWO, X, y, measure=["zero-one", "rand_score"], random_state=0)
    assert bare["rand_score"].facts.method.key == "mx2-sequential-t"
    fixed = ef.compare(TWO, X, y, measure=["zero-one", "f1"], design=ef.Mx2BCV(7), random_state=0)
    assert [one.facts.method.key for one in (fixed, *fixed.others)] == [
        "mx2-influence-t",
        "mx2-influence-t",
    ]


def test_every_form_shows_the_others(c: ef.Comparison) -> None:
    for text in (str(c), c.to_markdown(), c.to_html()):
        assert "log loss" in text
        assert "F1 of class 1" in text
    rows = [line.split(" | ") for line in c.to_markdown().splitlines() if "of class 1" in line]
    assert "higher" in rows[0]  # of several measures each row says whose side its sign takes
    assert list(c.to_frame()["measure"]) == ["zero-one", "log", "f1"]
    back = Facts.from_json(c.to_json())
    assert [other.measure for other in back.others] == ["log", "f1"]


def test_one_method_for_all_is_refused_where_one_cannot_have_it() -> None:
    with pytest.raises(ef.NotApplicable, match="'influence-f1' needs the measure 'f1'"):
        ef.compare(TWO, X, y, measure=["f1", "zero-one"], method="influence-f1", positive=1)


@pytest.mark.parametrize("measure", [[], {}, ["log", "log"], [None], ["x"]], ids=str)
def test_what_is_no_list_of_measures(measure: Any) -> None:
    with pytest.raises(ef.EvenfoldError, match="measure"):
        ef.compare(TWO, X, y, measure=measure)


def _directions(c: ef.Comparison) -> set[str]:
    return {str(c[name].verdict.outcome) for name in c.measures} & {"better", "worse"}


@pytest.mark.parametrize("seed", range(8))
def test_measures_of_the_same_errors_never_contradict_each_other(seed: int) -> None:
    """Random data, noise from light to heavy tails: where two of them decide, they say the same."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(70, 3))
    noise = rng.standard_t(3 + seed, size=70) * rng.uniform(0.5, 3)
    target = Z @ rng.normal(size=3) + (Z[:, 0] ** 2) * rng.uniform(0, 1) + noise
    three = {"mean": DummyRegressor(), "line": LinearRegression(), "3-nn": KNeighborsRegressor(3)}
    names = list(three)
    two = {name: three[name] for name in (names[seed % 3], names[(seed + 1) % 3])}
    c = ef.compare(two, Z, target, measure=["squared", "rmse", "r2"], random_state=seed)
    assert len(_directions(c)) < 2
    squared, rmse = c["squared"].estimate, c["rmse"].estimate
    if c["squared"].verdict.outcome.value == "better":  # lower by one is lower by the other
        assert max(float(squared.value), float(rmse.value)) < 0


@pytest.mark.parametrize("seed", range(8))
def test_scores_of_the_same_probabilities_never_contradict_each_other(seed: int) -> None:
    """
    Log loss and Brier score are both proper.

    Of probabilities that are no certainties they say the same.

    (A learner that says 0 or 1 may truly be better by one and worse by the other.)
    """
    rng = np.random.default_rng(100 + seed)
    Z = rng.normal(size=(80, 3))
    label = (Z @ rng.normal(size=3) * rng.uniform(0, 1.5) + rng.normal(size=80) > 0).astype(int)
    two = {
        "prior": DummyClassifier(strategy="prior"),
        "logistic": LogisticRegression(C=rng.uniform(0.05, 5)),
    }
    c = ef.compare(two, Z, label, measure=["log", "brier"], random_state=seed)
    assert len(_directions(c)) < 2


def test_the_table_of_further_measures_says_what_its_intervals_and_p_values_are() -> None:
    """Of several algorithms they share the level, as those of the first measure do."""
    three = {**TWO, "neighbours": KNeighborsClassifier()}
    many = ef.compare(three, X, y, measure=["zero-one", "log"], random_state=0)
    assert "Difference in log loss with simultaneous 95% CI: " in str(many)
    text = str(ef.compare(TWO, X, y, measure=["zero-one", "log"], random_state=0))
    heading = next(line for line in text.splitlines() if line.startswith("measure "))
    assert "95% CI" in heading
    assert "max-t" not in heading


def test_a_margin_is_below_the_range_of_every_measure() -> None:
    """Else the further one would be equivalent whatever the data are."""
    with pytest.raises(ef.EvenfoldError, match="margin must be below 1, the range of measure 'zer"):
        ef.compare(TWO, X, y, measure=["log", "zero-one"], margin=2, random_state=0)
