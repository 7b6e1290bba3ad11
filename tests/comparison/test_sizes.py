"""Answers at nearly the full training size, and what changes with it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable
from evenfold.report.figures.many import LearningInfo, SizesInfo
from evenfold.report.figures.pair import DifferencesInfo

RNG = np.random.default_rng(2)
N = 120
X = RNG.normal(size=(N, 4))
y = (X @ [1, 1, 0, 0] + RNG.normal(size=N) > 0).astype(int)
TWO = {"tree": DecisionTreeClassifier(), "logit": LogisticRegression()}
DIGITS = load_digits(return_X_y=True)


def at_full(algorithms: Any = None, **options: Any) -> ef.Comparison:
    asked: Any = {"at": "full", "random_state": 0, "n_jobs": 1} | options
    return ef.compare(algorithms or TWO, X, y, **asked)


ONE_RUN = ef.design.FoldsAndHalves(10, 9, balance="labels", random_state=0)


def test_the_answer_is_about_the_size_people_ship() -> None:
    c = at_full()
    assert c.estimate.method == "full-size-t"
    assert c.partition.n_train == 108
    assert "for models trained on 108 examples; after all 5 runs of folds" in str(c.verdict)
    fixed = ef.compare(TWO, X, y, design=ONE_RUN)
    assert "for models trained on 108 examples; 56 fits" in str(fixed.verdict)
    alone = at_full({"tree": DecisionTreeClassifier()})
    assert "for models trained on 108 examples; 28 fits" in str(alone)


def test_halvings_that_are_there_are_not_fitted_again(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    half = ef.compare(TWO, X, y, random_state=0, store=store)
    full = at_full(store=store)
    assert (full.fits, full.reused) == (2 * 5 * 10, 2 * 18)
    assert half.fits >= 2 * 18
    again = ef.reopen(store, full.facts.run_id or "")
    assert again.facts.pairs[0].sizes == full.facts.pairs[0].sizes


def test_do_it_again_is_the_same() -> None:
    c = at_full()
    again = eval(
        c.facts.call,
        {"ef": ef, "X": X, "y": y, **{type(a).__name__: type(a) for a in TWO.values()}},
    )
    assert again.facts.pairs == c.facts.pairs


def test_groups_stay_together_and_are_what_counts() -> None:
    groups = np.repeat(np.arange(30), 4)
    c = at_full(groups=groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in c.partition)
    assert c.losses.clusters is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"design": ef.KFold(5)}, "at must be 'half' where a design is given but got 'full'"),
        ({"at": "most"}, "at must be one of 'half', 'full', 'curve'"),
    ],
)
def test_contradictions_are_refused(options: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.compare(TWO, X, y, **({"at": "full"} | options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "rand_score"}, "which measure 'rand_score' does not give on design"),
        ({"method": "mx2-t"}, r"Method 'mx2-t' cannot answer at='full'\. Use 'full-size-t'"),
    ],
)
def test_what_cannot_be_had_is_said_before_the_first_fit(options: Any, message: str) -> None:
    with pytest.raises(NotApplicable, match=message):
        at_full(options.pop("algorithms", None), **options)


def test_a_class_too_rare_to_be_ranked_in_every_fold_is_said() -> None:
    rare = np.zeros(N, dtype=int)
    rare[:12] = 1
    with pytest.raises(NotApplicable, match="measure 'auc' does not give on design"):
        ef.compare(TWO, X, rare, at="full", measure="auc", positive=1)


def test_a_lead_that_shrinks() -> None:
    pixels, digit = (part[:300] for part in DIGITS)
    two = {"bayes": GaussianNB(), "lda": LinearDiscriminantAnalysis()}
    c = ef.compare(two, pixels, digit, design=ONE_RUN, random_state=0)
    sizes = c.facts.pairs[0].sizes
    assert sizes is not None
    assert sizes.decided
    assert sizes.sentence.startswith(
        "the lead of lda over bayes shrinks with more data: 0.097 → 0.043 (150 → 270"
    )
    assert "change −0.054, 95% CI −0.092 to −0.016" in sizes.sentence
    assert sizes.value == pytest.approx(sizes.at[1].value - sizes.at[0].value)
    assert sizes.at[1].means[1] - sizes.at[1].means[0] == pytest.approx(sizes.at[1].value)
    assert f"  size      {sizes.sentence}" in str(c)
    assert sizes.sentence.replace(" ", "") in c.to_html().replace(" ", "")


def test_the_same_from_the_other_side() -> None:
    pixels, digit = (part[:300] for part in DIGITS)
    two = {"lda": LinearDiscriminantAnalysis(), "bayes": GaussianNB()}
    sizes = ef.compare(two, pixels, digit, design=ONE_RUN).facts.pairs[0].sizes
    assert sizes is not None
    assert sizes.sentence.startswith(
        "the lead of lda over bayes shrinks with more data: 0.097 → 0.043"
    )
    assert "change −0.054, 95% CI −0.092 to −0.016" in sizes.sentence


def test_verdicts_that_differ_are_said_first_where_the_change_is_beyond_chance() -> None:
    """With 80 features least squares is hopeless on 100 examples and good on 180."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(200, 80))
    target = 0.2 * features.sum(axis=1) + rng.normal(size=200)
    two = {"mean": DummyRegressor(), "ols": LinearRegression()}
    c = ef.compare(two, features, target, at="full", random_state=0)
    sizes = c.facts.pairs[0].sizes
    assert sizes is not None
    assert sizes.decided
    said = (
        "the verdict depends on the training size, inconclusive on 100 examples and better on "
        "180; ols is"
    )
    assert str(c.verdict).startswith(said)


def test_verdicts_that_differ_within_chance_are_not_said_first() -> None:
    """Of two intervals one reaches 0 and the other does not: that alone is no change."""
    pixels, digit = (part[:800] for part in DIGITS)
    two = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    c = ef.compare(two, pixels, digit, design=ONE_RUN, random_state=0)
    sizes = c.facts.pairs[0].sizes
    assert sizes is not None
    assert [one.outcome for one in sizes.at] == ["worse", "inconclusive"]
    assert not sizes.decided
    assert "depends on the training size" not in str(c.verdict)
    assert "shows no clear change with more data" in str(c)


def test_numbers_and_one_algorithm_change_too() -> None:
    features, target = load_diabetes(return_X_y=True)
    one = ef.compare({"ridge": Ridge()}, features, target, at="full", random_state=0)
    sizes = one.facts.pairs[0].sizes
    assert sizes is not None
    assert sizes.sentence.startswith("the squared error of ridge gets better with more data: ")
    two = ef.compare(
        {"ridge": Ridge(), "ols": LinearRegression()}, features, target, at="full", random_state=0
    )
    assert "the lead of ols over ridge shrinks with more data" in str(two)


def test_one_training_size_says_nothing_of_others() -> None:
    assert ef.compare(TWO, X, y, random_state=0).facts.pairs[0].sizes is None


def test_figures_show_the_folds_alone_and_both_sizes() -> None:
    c = at_full()
    pair = c.facts.pairs[0]
    info, dots = SizesInfo.of(c.facts, pair), DifferencesInfo.of(c.facts, pair)
    assert info is not None
    assert dots is not None
    assert info.n_train == (60, 108)
    assert info.value[1] == pair.value
    assert (dots.by, len(dots.groups)) == ("repetition", 5)
    assert len(c.plot().axes) == 5


def test_learning_curves_of_two_and_of_many() -> None:
    c = at_full()
    pair = c.facts.pairs[0]
    info = LearningInfo.of(c.facts, pair)
    assert info is not None
    assert info.names == ("tree", "logit")
    assert pair.sizes is not None
    assert info.means == tuple(zip(*(one.means for one in pair.sizes.at), strict=True))
    assert f"tree {info.means[0][0]:.2f} → {info.means[0][1]:.2f}" in info.alt
    drawn = c.plot().axes[3]
    assert [list(line.get_ydata()) for line in drawn.lines] == [list(means) for means in info.means]
    many = at_full(TWO | {"bayes": GaussianNB()})
    of_all = LearningInfo.of(many.facts)
    assert of_all is not None
    assert of_all.names == ("tree", "logit", "bayes")
    page = many.to_html()
    assert page.count("Learning curves: the error of each by training size") == 1
    assert page.count("Learning curves: the error of both by training size") == 3


def test_one_algorithm_is_its_own_learning_curve() -> None:
    c = at_full({"tree": DecisionTreeClassifier()})
    assert LearningInfo.of(c.facts) is None
    assert len(c.plot().axes) == 2


def test_several_pairs_and_json() -> None:
    c = at_full(TWO | {"bayes": GaussianNB()})
    assert all(pair.sizes is not None for pair in c.facts.pairs)
    assert ef.Comparison.from_json(c.to_json()).facts.pairs == c.facts.pairs
    page = c.to_html()
    assert page.count("<td>108</td>") + page.count('<td class="n">108</td>') >= 3


def test_several_pairs_together() -> None:
    three = TWO | {"bayes": GaussianNB()}
    joint, apart = (at_full(three, adjust=adjust) for adjust in ("max-t", "bonferroni"))
    assert len({pair.level for pair in joint.pairs}) == 1
    assert 0.05 / 3 < joint.pairs[0].level < 0.05
    for ours, theirs in zip(joint.facts.pairs, apart.facts.pairs, strict=True):
        assert theirs.low < ours.low < ours.high < theirs.high
        assert (ours.adjusted_pvalue or 0) <= (theirs.adjusted_pvalue or 0) + 1e-12


def test_one_sided_questions_are_the_same_at_both_sizes() -> None:
    c = at_full(alternative="less")
    sizes = c.facts.pairs[0].sizes
    assert sizes is not None
    assert [one.low for one in sizes.at] == [-np.inf, -np.inf]
    assert len(c.plot().axes) == 5


def test_the_same_algorithm_twice() -> None:
    c = at_full({"one": GaussianNB(), "two": GaussianNB()})
    assert "no difference at either size (60 → 108 training examples" in str(c)


def test_failed_fits_are_no_answer_and_folds_have_no_repetition() -> None:
    def some(train: Any, _: Any, test: Any) -> Any:
        if len(train) > 100 and train[0, 0] > 0:
            raise ValueError("no")
        return np.ones(len(test), dtype=int)

    c = at_full({"bayes": GaussianNB(), "some": some})
    assert str(c.verdict).startswith("not applicable")
    assert c.facts.pairs[0].sizes is None
    assert "repetition 0" not in c.to_html()


@pytest.mark.parametrize("groups", [None, np.arange(N) % 30])
@pytest.mark.parametrize("measure", ["log", "auc", "f1"])
def test_every_measure_that_has_something_per_example_has_both_sizes(
    measure: str, groups: Any
) -> None:
    two = {"bayes": GaussianNB(), "logit": LogisticRegression()}
    c = at_full(two, measure=measure, positive=None if measure == "log" else 1, groups=groups)
    sizes = c.facts.pairs[0].sizes
    assert sizes is not None
    assert [one.n_train for one in sizes.at] == [60, 108]
    assert sizes.at[1].value == c.facts.pairs[0].value


def test_counts_and_numbers_with_groups() -> None:
    counts = RNG.poisson(np.exp(X[:, 0] / 2))
    two = {"ridge": Ridge(), "ols": LinearRegression()}
    c = ef.compare(two, X, counts, at="full", groups=np.arange(N) % 30, random_state=0)
    assert c.facts.pairs[0].sizes is not None


def test_a_curve_has_a_quarter_too_and_the_same_answer() -> None:
    pixels, digit = (part[:300] for part in DIGITS)
    two = {"bayes": GaussianNB(), "lda": LinearDiscriminantAnalysis()}
    full, curve = (
        ef.compare(two, pixels, digit, at=at, random_state=0) for at in ("full", "curve")
    )
    assert curve.fits == full.fits + 36
    assert curve.estimate.confidence_interval() == full.estimate.confidence_interval()
    sizes, known = curve.facts.pairs[0].sizes, full.facts.pairs[0].sizes
    assert sizes is not None
    assert known is not None
    assert [one.n_train for one in sizes.at] == [75, 150, 270]
    assert sizes.at[1:] == known.at
    first, second = sizes.steps
    assert (second.value, second.low, second.high) == (known.value, known.low, known.high)
    assert sizes.value == pytest.approx(first.value + second.value)
    assert sizes.value == pytest.approx(sizes.at[-1].value - sizes.at[0].value)
    assert "bayes varies with more data: 0.05 → 0.10 → 0.06 (75 → 150 → 270" in sizes.sentence
    assert ef.Comparison.from_json(curve.to_json()).facts.pairs == curve.facts.pairs
    info = SizesInfo.of(curve.facts, curve.facts.pairs[0])
    learning = LearningInfo.of(curve.facts)
    assert info is not None
    assert learning is not None
    assert info.n_train == learning.n_train == (75, 150, 270)
    assert [len(row) for row in learning.means] == [3, 3]


def test_a_curve_of_groups_and_of_scores() -> None:
    groups = np.repeat(np.arange(30), 4)
    for options in (
        {"groups": groups},
        {"measure": "auc", "positive": 1},
        {"measure": "f1", "positive": 1},
    ):
        asked: Any = options
        sizes = at_full(at="curve", **asked).facts.pairs[0].sizes
        assert sizes is not None
        assert [round(one.n_train, -1) for one in sizes.at] == [30, 60, 110]
        assert all(one.low < one.high for one in sizes.at)
        assert all(one.low < one.high for one in sizes.steps)


def test_a_quarter_that_was_not_run_is_refused() -> None:
    with pytest.raises(InvalidInput, match="between must be two of 'half', 'full'"):
        ef.infer.size_change(at_full().losses, between=("quarter", "full"))
    with pytest.raises(InvalidInput, match="between must be two of 'half', 'full'"):
        ef.infer.size_change(at_full().losses, between=np.array([1, 2]))  # type: ignore[arg-type]  # refused


def test_runs_of_folds_are_added_while_the_verdict_is_not_stable() -> None:
    c = at_full()
    assert [look.m for look in c.pairs[0].path] == [1, 2, 3, 5]
    assert all(look.replicability is not None for look in c.pairs[0].path)
    clear = ef.compare({"a": GaussianNB(), "b": DummyClassifier()}, X, y, at="full", random_state=0)
    assert [look.m for look in clear.pairs[0].path] == [1]
    first = ef.compare(TWO, X, y, design=ONE_RUN, random_state=0)
    assert c.pairs[0].path[0].value == pytest.approx(first.value)


def test_a_design_with_more_runs_begins_with_fewer() -> None:
    one = ef.design.FoldsAndHalves(10, 9, random_state=0).partition(60)
    two = ef.design.FoldsAndHalves(10, 9, runs=2, random_state=0).partition(60)
    three = ef.design.FoldsAndHalves(10, 9, random_state=0).extend(two, 3)
    assert (len(one), len(two), len(three)) == (28, 38, 48)
    for shorter, longer in ((one, two), (two, three)):
        for a, b in zip(shorter.test, longer.test, strict=False):
            assert np.array_equal(a, b)
    assert len({tuple(np.sort(test)) for test in two.test[18:]}) == 20
