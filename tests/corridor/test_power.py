"""Plans: from numbers and from pilots, and the advice of a comparison that decided nothing."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.report.figures.power import PowerInfo


def test_a_plan_holds_what_it_promises() -> None:
    plan = ef.plan(0.02, sigma=0.015, n=500)
    assert plan.repetitions is None
    assert plan.limit < 0.8
    assert min(plan.power(n=plan.examples)) >= 0.8
    assert max(plan.power(n=int(0.98 * plan.fewest_examples))) < 0.8
    assert "the variance does not go to 0" in str(plan)
    assert "1 640 examples suffice" in str(plan)


def test_where_repetitions_suffice_it_says_how_many() -> None:
    plan = ef.plan(0.05, sigma=0.02, n=500)
    assert plan.repetitions == 7
    assert min(plan.power(m=7)) >= 0.8 > min(plan.power(m=6))
    assert "7 repetitions suffice, 28 fits" in str(plan)
    assert "Plan" in repr(plan)


def test_known_correlations_leave_one_case() -> None:
    plan = ef.plan(-0.02, sigma=0.015, n=500, rho1=0.5, rho2=0.5)
    assert plan.examples == plan.fewest_examples
    assert_allclose(plan.power(), ef.infer.mx2_power(0.02, sigma=0.015, m=9))


@pytest.fixture(scope="module")
def pilot() -> ef.Comparison:
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    two = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    return ef.compare(two, *load_iris(return_X_y=True), random_state=0)


def test_a_pilot_gives_the_spread(pilot: ef.Comparison) -> None:
    plan = ef.plan(0.02, pilot=pilot)
    assert (plan.n, plan.m, plan.method) == (150, 9, "mx2-influence-t")
    assert "mx2-influence-t" in str(plan)
    assert_allclose(replace(plan, difference=plan.detectable).power(), 0.8, rtol=1e-6)
    d = pilot.losses.differences().reshape(-1, 2)
    m = len(d)
    own: Any = ef.infer.estimate(pilot.losses, "mx2-influence-t")
    case: Any = plan.cases[0]
    error, df = case._law(150, m)
    assert_allclose([error, df], [own.standard_error, own.df])
    same = ef.plan(0.02, pilot=pilot.losses, challenger="tree", baseline="bayes")
    assert same.examples == plan.examples
    assert ef.plan(0.02, pilot=pilot, m=3).examples > plan.examples


def test_a_pilot_without_single_examples_gives_the_spread_of_its_splits(pilot: ef.Comparison) -> None:
    losses = replace(pilot.losses, examples=None)
    m = len(losses.partition) // 2
    plan = ef.plan(0.02, pilot=losses, m=m)
    assert plan.method == "mx2-t"
    d = losses.differences().reshape(-1, 2)
    exact: Any = plan.cases[0]
    # at ρ = ½ the standard error of mx2-t is the true one
    true = exact.sigma * np.sqrt((plan.m + 0.5) / (2 * plan.m))
    assert_allclose(true, float(ef.infer.mx2_t(d).standard_error))


def test_an_undecided_verdict_says_how_many_examples(pilot: ef.Comparison) -> None:
    found = re.search(r"if it is as large as seen, about ([\d ]+) examples", pilot.verdict.sentence)
    assert found is not None
    assert int(found[1].replace(" ", "")) > 150


def test_the_figure_shows_both_ways(pilot: ef.Comparison) -> None:
    figure = ef.plan(0.02, pilot=pilot).plot()
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert labels == ["examples, 9 repetitions", "repetitions, 150 examples"]
    info = PowerInfo(
        method="a-test",
        difference=0.02,
        wanted=0.8,
        n=100,
        m=9,
        names=("a",),
        sizes=(50, 100),
        by_size=((0.1,), (0.3,)),
        counts=(2, 31),
        by_count=((0.1,), (0.35,)),
    )
    assert info.title.startswith("Power of a-test to find")
    assert "0.35 with 31 repetitions on 100 examples" in info.alt


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"difference": 0.0, "sigma": 1.0, "n": 100}, "difference must be other than 0"),
        ({"difference": 0.1}, "sigma and n instead"),
        ({"difference": 0.1, "sigma": 1.0}, "sigma and n instead"),
        ({"difference": 0.1, "sigma": 1.0, "n": 100, "power": 0.01}, "power must be"),
        ({"difference": 0.1, "sigma": 1.0, "n": 100, "rho1": 0.1}, "given together"),
        ({"difference": 1e-9, "sigma": 1.0, "n": 100}, "a billion examples"),
        ({"difference": 0.1, "pilot": "run"}, "a Comparison or Losses"),
    ],
)
def test_bad_plans_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message):
        ef.plan(**options)


def test_pilots_that_say_nothing_are_refused() -> None:
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    folds = ef.compare(
        [GaussianNB(), GaussianNB(var_smoothing=0.1)], X, y, design=ef.KFold(5), random_state=0
    )
    with pytest.raises(ef.NotApplicable, match="needs a pilot on an m×2 design"):
        ef.plan(0.1, pilot=folds)
    twins = ef.compare(
        {"a": GaussianNB(), "b": GaussianNB()}, X, y, design=ef.Mx2BCV(3), method="mx2-t", random_state=0
    )
    with pytest.raises(ef.NotApplicable, match="no spread"):
        ef.plan(0.1, pilot=twins)
