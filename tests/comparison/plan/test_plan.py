"""Plans: from numbers and from pilots, and the advice of a comparison that decided nothing."""

import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import HiddenVariance
from evenfold.infer.halves.influence import InfluenceCase
from evenfold.report.figures.power import PowerInfo
from evenfold.run.sample import sample


def test_a_plan_holds_what_it_promises() -> None:
    plan = ef.plan(0.02, sigma=0.015, n=500)
    assert plan.repetitions is None
    assert plan.limit < 0.8
    assert min(plan.power(n=plan.examples)) >= 0.8
    assert max(plan.power(n=int(0.98 * plan.fewest_examples))) < 0.8
    assert "because their training and test sets overlap" in str(plan)
    assert "examples suffice with 31 repetitions" in str(plan)
    with_more = plan.power(m=2000)
    assert min(with_more) == plan.limit
    assert f"cannot raise it above {min(with_more):.2f} to {max(with_more):.2f}" in str(plan)
    for case, more in zip(plan.power(), with_more, strict=True):
        assert case < more


def test_a_plan_says_what_one_more_repetition_is_worth() -> None:
    """The corrected table 5.4 of R19, at m = 3 and from where on the gain is below 1%."""
    plan = ef.plan(0.02, sigma=0.015, n=500, m=3)
    assert plan.interval_shrinkage == pytest.approx(0.0837, abs=5e-5)
    assert plan.enough_repetitions == 9
    assert ef.plan(0.02, sigma=0.015, n=500, level=0.1).enough_repetitions == 8
    worth = "One more repetition would shorten the interval of the m×2 cv t-test by 8.4% on average"
    assert f"{worth}; from 9 repetitions on, it is less than 1%." in str(plan)


def test_a_plan_says_whether_its_level_is_kept_at_given_correlations() -> None:
    """R19's Θ (eq. 5.34) holds [0, ½]² but for a corner, and ends soon after ρ2 = ½."""
    inside = ef.plan(0.02, sigma=0.015, n=500, rho1=0.2, rho2=0.3)
    assert str(inside).endswith("At ρ1 = 0.2, ρ2 = 0.3 the m×2 cv t-test keeps its level.")
    outside = ef.plan(0.02, sigma=0.015, n=500, rho1=0.2, rho2=0.6)
    assert str(outside).endswith(
        "At ρ1 = 0.2, ρ2 = 0.6 the m×2 cv t-test errs more often than its level."
    )
    assert inside.is_conservative(0.2, 0.3)
    assert not inside.is_conservative(0.2, 0.6)
    one_sided = ef.plan(0.02, sigma=0.015, n=500, m=3, level=0.025, alternative="greater")
    two_sided = ef.plan(0.02, sigma=0.015, n=500, m=3, level=0.05)
    for rho2 in (0.45, 0.5, 0.52, 0.54):
        assert one_sided.is_conservative(0.1, rho2) == two_sided.is_conservative(0.1, rho2)
    assert "level." not in str(ef.plan(0.02, sigma=0.015, n=500))  # no correlations were given


def test_without_a_pilot_the_default_of_compare_is_planned() -> None:
    plan = ef.plan(0.02, sigma=0.015, n=500)
    assert plan.method == "mx2-influence-t"
    assert plan.m == 31


@pytest.mark.parametrize(("rho2", "difference"), [(0.5, 0.1), (0.2, 0.09)])
def test_the_default_of_compare_finds_as_often_as_a_plan_says(
    rho2: float, difference: float
) -> None:
    """600 data sets of examples that flip or do not: Monte Carlo error .018."""
    n = 200
    sigma = 0.05
    rng = np.random.default_rng(1)
    halves = ef.Mx2BCV(31, random_state=0).partition(n).test[::2]
    sides = np.stack([np.isin(np.arange(n), half) for half in halves])
    of_example = sigma**2 * n / 2
    lasting = np.sqrt(2 * rho2 * of_example) * rng.normal(size=(600, 1, n))
    flips = np.sqrt((1 - 2 * rho2) * of_example) * rng.normal(size=(600, 31, n))
    found = ef.infer.until_stable(difference + lasting + flips, sides).rejected.mean()
    plan = ef.plan(difference, sigma=sigma, n=n)
    case = next(one for one in plan.cases if isinstance(one, InfluenceCase) and one.rho2 == rho2)
    said = case.power(difference, n=n, m=31, level=0.05, alternative="two-sided")
    assert found == pytest.approx(said, abs=0.06)


def test_no_plan_has_fewer_repetitions_than_the_default_takes() -> None:
    plan = ef.plan(0.2, sigma=0.01, n=500)
    assert min(plan.power(m=3)) > 0.99
    assert plan.repetitions == 5
    assert "5 repetitions suffice" in str(plan)


def test_where_repetitions_suffice_it_says_how_many() -> None:
    plans = (ef.plan(difference, sigma=0.02, n=500) for difference in np.linspace(0.045, 0.035, 21))
    plan = next(one for one in plans if one.repetitions != 5)  # the fewest that the default takes
    m = plan.repetitions
    assert m is not None
    assert min(plan.power(m=m)) >= 0.8 > min(plan.power(m=m - 1))
    assert f"{m} repetitions suffice, which are at most {4 * m} fits" in str(plan)
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
    assert (plan.n, plan.m, plan.method) == (150, 31, "mx2-influence-t")
    assert "influence test" in str(plan)
    assert_allclose(replace(plan, difference=plan.detectable).power(), 0.8, rtol=1e-6)
    d = pilot.losses.differences().reshape(-1, 2)
    m = len(d)
    own: Any = ef.infer.estimate(pilot.losses, "mx2-influence-t")
    case: Any = plan.cases[0]
    variance, df = case.after(m, 1.0).variance()
    assert_allclose([variance, df], [own.standard_error**2, own.df])
    same = ef.plan(0.02, pilot=pilot.losses, challenger="tree", baseline="bayes")
    assert same.examples == plan.examples
    assert ef.plan(0.02, pilot=pilot, m=3).examples > plan.examples


def test_a_pilot_without_single_examples_gives_the_spread_of_its_splits(
    pilot: ef.Comparison,
) -> None:
    losses = replace(pilot.losses, examples=None)
    m = len(losses.partition) // 2
    plan = ef.plan(0.02, pilot=losses, m=m)
    assert plan.method == "mx2-t"
    d = losses.differences().reshape(-1, 2)
    exact: Any = plan.cases[0]
    # at ρ = ½ the standard error of mx2-t is the true one
    true = exact.sigma * np.sqrt((plan.m + 0.5) / (2 * plan.m))
    assert_allclose(true, float(ef.infer.mx2_t(d).standard_error))


def test_an_undecided_verdict_and_a_plan_say_one_number(pilot: ef.Comparison) -> None:
    """
    The difference that was seen is no guess at the truth.

    Nothing is said of what it would take.
    """
    plan = ef.plan(0.02, pilot=pilot)
    found = re.search(
        r"a difference of about ([\d.]+) could have been found \(power 80%\)",
        pilot.verdict.sentence,
    )
    assert found is not None
    assert float(found[1]) == pytest.approx(
        plan.detectable, abs=0.5 * 10.0 ** -len(found[1].split(".")[1])
    )
    assert "as large as seen" not in pilot.verdict.sentence
    assert "would show it" not in pilot.verdict.sentence


def test_an_undecided_verdict_says_what_the_margin_takes() -> None:
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    two = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    c = ef.compare(two, *load_iris(return_X_y=True), random_state=0, margin=0.03)
    found = re.search(r"as large as the margin takes about ([\d ]+) examples", c.verdict.sentence)
    assert found is not None
    assert int(found[1].replace(" ", "")) == ef.plan(0.03, pilot=c).examples


@pytest.mark.parametrize("rows", ["examples", "runs"])
def test_tables_and_their_plans_say_one_number(rows: Any) -> None:
    rng = np.random.default_rng(3)
    table = {"a": rng.normal(size=12), "b": rng.normal(size=12)}
    c = ef.judge(table, rows=rows, higher_is_better=True, margin=0.2, paired=True)
    found = re.search(
        r"as large as the margin takes about ([\d ]+) (test examples|runs)", str(c.verdict)
    )
    assert found is not None
    plan: Any = ef.plan(0.2, pilot=c)
    assert int(found[1].replace(" ", "")) == (plan.units or plan.runs)


def test_the_figure_shows_both_ways(pilot: ef.Comparison) -> None:
    figure = ef.plan(0.02, pilot=pilot).plot()
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert labels == ["examples, 31 repetitions", "repetitions, 150 examples"]
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
        ({"difference": 0.0, "sigma": 1.0, "n": 100}, "difference must not be 0"),
        ({"difference": 0.1}, "sigma and n instead"),
        ({"difference": 0.1, "sigma": 1.0}, "sigma and n instead"),
        ({"difference": 0.1, "sigma": 1.0, "n": 100, "power": 0.01}, "power must be"),
        ({"difference": 0.1, "sigma": 1.0, "n": 100, "rho1": 0.1}, "given together"),
        ({"difference": 1e-9, "sigma": 1.0, "n": 100}, "1,000,000,000 examples"),
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
        {"a": GaussianNB(), "b": GaussianNB()},
        X,
        y,
        design=ef.Mx2BCV(3),
        method="mx2-t",
        random_state=0,
    )
    with pytest.raises(ef.NotApplicable, match="no spread"):
        ef.plan(0.1, pilot=twins)


def _path(T: int, *, horizon: int = 4, shift: float = 0.3, seed: int = 0) -> ef.Comparison:
    """Forecasts with errors that remember ``horizon`` − 1 times, one of them off by more."""
    shocks = np.random.default_rng(seed).normal(size=T + horizon - 1)
    error = np.convolve(shocks, 0.8 ** np.arange(horizon), mode="valid")
    rows = {"a": (error + shift) ** 2, "b": (error - shift) ** 2}
    table = [
        {"algorithm": k, "time": t, "value": v} for k, of in rows.items() for t, v in enumerate(of)
    ]
    return ef.judge(pd.DataFrame(table), horizon=horizon, higher_is_better=False)


def test_a_plan_along_a_path_knows_how_far_differences_are_correlated() -> None:
    """B − A is −4·shift·error: its long-run variance is (4·shift)²·(Σ .8^k)²; the plan is near."""
    plan: Any = ef.plan(0.2, pilot=_path(4000))
    true = 1.2 * (0.8 ** np.arange(4)).sum() / np.sqrt(4000)
    assert (plan.count, plan.word, plan.method) == (4000, "time", "diebold-mariano")
    assert plan.standard_error == pytest.approx(true, rel=0.1)
    assert plan.needed == pytest.approx(4000 * (2.802 * true / 0.2) ** 2, rel=0.2)
    assert plan.power(count=plan.needed) >= 0.8
    assert "time points suffice if the path goes on as it was" in str(plan)
    one: Any = ef.plan(0.2, pilot=_path(4000), alternative="greater")
    assert one.needed < plan.needed


def test_a_plan_along_a_path_finds_as_often_as_it_says() -> None:
    """Power as promised at the number of times that it names: 300 paths, Monte Carlo error .023."""
    difference, horizon = 0.5, 3
    plan: Any = ef.plan(difference, pilot=_path(3000, horizon=horizon))
    scale, found = (0.8 ** np.arange(horizon)), []
    for seed in range(300):
        shocks = np.random.default_rng(seed).normal(size=plan.needed + horizon - 1)
        d = 1.2 * np.convolve(shocks, scale, mode="valid") + difference
        # one path of forty looks alike beyond its horizon by chance
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HiddenVariance)
            found.append(float(ef.infer.diebold_mariano(d, horizon=horizon).pvalue) < 0.05)
    assert np.mean(found) == pytest.approx(0.8, abs=0.08)


def test_windows_are_counted_as_windows() -> None:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200)
    for design in (None, ef.design.RollingWindow(100, 5)):
        two = {"mean": DummyRegressor(), "ridge": Ridge()}
        c = ef.compare(two, X, y, order=np.arange(200), design=design)
        plan: Any = ef.plan(0.1, pilot=c)
        own: Any = c.estimate
        assert (plan.count, plan.word) == (len(c.partition), "window")
        assert_allclose([plan.standard_error, plan.count - 1], [own.standard_error, own.df])


def test_a_path_without_spread_is_no_pilot() -> None:
    rows = [
        {"algorithm": k, "time": t, "value": v}
        for k, v in (("a", 1.0), ("b", 2.0))
        for t in range(20)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same = ef.judge(pd.DataFrame(rows), higher_is_better=False)
        with pytest.raises(ef.NotApplicable, match="show no spread"):
            ef.plan(0.1, pilot=same)
    with pytest.raises(
        ef.EvenfoldError, match="difference must be large enough to be found with 1,000,000,000"
    ):
        ef.plan(1e-9, pilot=_path(100))


def test_other_units_have_the_same_plan() -> None:
    one, tiny = (ef.plan(0.02 * unit, sigma=0.015 * unit, n=500) for unit in (1.0, 1e-20))
    assert (one.examples, one.fewest_examples) == (tiny.examples, tiny.fewest_examples)
    assert one.power() == pytest.approx(tiny.power())


def test_differences_that_are_alike_but_for_rounding_plan_nothing() -> None:
    losses = sample(ef.Mx2BCV(3, random_state=0).partition(150))
    alike = replace(
        losses, values=np.stack([losses.values[0], losses.values[0] + 0.1]), examples=None
    )
    blunt = replace(alike, quantity=replace(losses.quantity, per_example="none"))
    with pytest.raises(ef.NotApplicable, match="no spread"):
        ef.plan(0.02, pilot=blunt)


def test_more_repetitions_than_those_of_the_pilot_never_lower_the_power() -> None:
    """The mean of Q is m/(m − 1) times P, so the Q of the pilot does not fit another m."""
    rng = np.random.default_rng(4)
    n = 400
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    pilot = ef.compare(models, X, y, design=ef.Mx2BCV(15), random_state=0)
    plan: Any = ef.plan(0.03, pilot=pilot)
    powers = [plan.power(m=m)[0] for m in (3, 5, 7, 9, 15, 23, 31)]
    assert powers == sorted(powers)
    (parts,) = plan.cases
    assert parts.after(5).pooled == parts.pooled == parts.after(31).pooled
