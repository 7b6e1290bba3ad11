"""The front door, end to end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.multitest import multipletests

import evenfold as ef
from evenfold.comparison.reopen import reopen
from evenfold.core.errors import HiddenVariance, InvalidInput
from evenfold.core.facts.comparison import Facts
from evenfold.core.verdict import Outcome
from evenfold.design import (
    BRLT,
    RLT,
    Blocked3x2,
    Design,
    GrowingWindow,
    Holdout,
    KFold,
    LeaveOneOut,
    LeaveOneSourceOut,
    Mx2,
    Mx2BCV,
    NestedKFold,
    NestedRLT,
    RollingWindow,
    SourceSizedKFold,
)

RNG = np.random.default_rng(0)
N = 120
y = np.tile([0, 1, 1], N // 3)
X = RNG.normal(size=(N, 3)) + 1.2 * y[:, None]
TARGET = X @ [1.0, 2.0, 0.0] + RNG.normal(size=N)
GROUPS = np.repeat(np.arange(10), 12)
DUMMY, BAYES, KNN = DummyClassifier(), GaussianNB(), KNeighborsClassifier()


def compare(*algorithms: Any, **options: Any) -> ef.Comparison:
    named = dict(zip("abcdef", algorithms, strict=False))
    return ef.compare(
        named, options.pop("X", X), options.pop("y", y), **({"random_state": 0} | options)
    )


def test_the_default_grows_a_nested_balanced_design() -> None:
    c = compare(DUMMY, BAYES)
    assert c.verdict.outcome is Outcome.BETTER
    assert c.estimate.method == "mx2-influence-t"
    assert c.partition.kind == "mx2-bcv"
    assert c.facts.design.name == "Mx2BCV(m=31, random_state=0, balance='labels')"
    assert c.fits == 4 * int(c.estimate.m)
    assert c.facts.most_repetitions == 31
    looks = [look.m for look in c.facts.pairs[0].path]
    assert looks == [m for m in (5, 7, 9, 15, 23, 31) if m <= int(c.estimate.m)]
    assert c.replicability is not None
    assert c.replicability == c.pairs[0].replicability
    assert c.replicability >= 0.8
    fixed = ef.infer.estimate(c.losses, "mx2-influence-t")
    assert c.pvalue == fixed.pvalue  # type: ignore[attr-defined]
    assert c.interval == fixed.confidence_interval()  # type: ignore[attr-defined]
    low, high = c.estimate.confidence_interval()
    assert low < c.estimate.value < high < 0
    assert f"{c.verdict.outcome}" in str(c.verdict)


def test_repetitions_are_the_first_of_the_full_design() -> None:
    c = compare(DUMMY, BAYES)
    full = Mx2BCV(31, balance="labels", random_state=0).partition(N, y=y)
    for j in range(len(c.partition)):
        assert np.array_equal(c.partition.train[j], full.train[j])


def test_an_algorithm_compared_with_itself() -> None:
    c = compare(BAYES, BAYES)
    assert c.verdict.outcome is Outcome.INCONCLUSIVE
    assert "they gave the same values everywhere" in str(c.verdict)
    assert c.pairs[0].pvalue == 1
    assert any("All differences are equal" in str(note) for note in c.notes)


def test_equal_differences_of_one_pair_are_not_said_of_all() -> None:
    c = compare(BAYES, GaussianNB(), KNN)
    said = [str(note) for note in c.notes if "All differences are equal" in str(note)]
    assert len(said) == 1
    assert said[0].startswith("b against a: All differences are equal")


def test_agreement_on_few_examples_is_no_equivalence() -> None:
    few, more = (np.tile(np.arange(n) % 2, (2, 1)) for n in (20, 2000))
    for values, outcome in ((few, Outcome.INCONCLUSIVE), (more, Outcome.EQUIVALENT)):
        c = ef.judge(
            dict(zip("ab", values, strict=True)), rows="examples", measure="accuracy", margin=0.05
        )
        assert c.verdict.outcome is outcome
    low, high = c.estimate.confidence_interval()
    assert -0.003 < low == -high < 0
    for method in ("paired-bootstrap", "permutation"):
        c = ef.judge(
            dict(zip("ab", few, strict=True)), rows="examples", measure="accuracy", method=method
        )
        assert c.estimate.confidence_interval() == pytest.approx((-0.161, 0.161), abs=1e-3)
    same = ef.compare([BAYES, BAYES], X[:20], y[:20], margin=0.05, random_state=0)
    assert same.verdict.outcome is Outcome.INCONCLUSIVE
    assert same.fits == 36  # nine repetitions: nothing varies


@pytest.mark.parametrize(
    ("wins", "outcome"), [(2, "inconclusive"), (5, "inconclusive"), (9, "better")]
)
def test_the_same_difference_everywhere_is_as_sure_as_its_examples_are_many(
    wins: int, outcome: str
) -> None:
    c = ef.judge({"a": np.zeros(wins), "b": np.ones(wins)}, rows="examples", measure="accuracy")
    assert c.verdict.outcome.value == outcome
    low, high = c.estimate.confidence_interval()
    assert (low > 0) == (c.estimate.pvalue < 0.05) == (outcome == "better")
    assert high == 1
    exactly = c.estimate.confidence_interval(1 - float(c.estimate.pvalue))[0]
    assert exactly == pytest.approx(0, abs=1e-9)


class Sure(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Knows the sign of the first feature, with so much certainty."""

    def __init__(self, of: float = 0.9) -> None:
        self.of = of

    def fit(self, _X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        one = np.where(X[:, 0] > 0, self.of, 1 - self.of)
        return np.column_stack([1 - one, one])

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.parametrize("method", [None, "mx2-influence-t"])
@pytest.mark.parametrize(
    ("n", "of", "found"), [(100, 0.93, False), (100, 0.2, True), (2000, 0.93, True)]
)
def test_interval_and_pvalue_of_one_difference_everywhere_agree(
    method: str | None, n: int, of: float, found: bool
) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    both = {"a": Sure(0.9), "b": Sure(of)}
    c = ef.compare(both, X, 1 * (X[:, 0] > 0), measure="brier", method=method, random_state=0)
    low, high = c.estimate.confidence_interval()
    assert (low > 0 or high < 0) == (c.estimate.pvalue < 0.05) == found


def test_numbers_get_squared_error_balanced_on_counts() -> None:
    c = ef.compare([DummyRegressor(), LinearRegression()], X, TARGET, random_state=0)
    assert c.losses.measure == "squared"
    assert "balance='counts'" in c.facts.design.name
    assert c.verdict.outcome is Outcome.BETTER


@pytest.mark.parametrize(("method", "repetitions"), [("influence", 7), ("bayes", 3)])
@pytest.mark.parametrize("measure", ["precision", "recall", "f1"])
def test_scores_get_posteriors(measure: str, method: str, repetitions: int) -> None:
    c = compare(KNN, BAYES, measure=measure, positive=1, method=f"{method}-{measure}")
    assert c.estimate.method == f"{method}-{measure}"
    assert len(c.partition) == 2 * repetitions
    warned = any("for comparison only" in str(note) for note in c.notes)
    assert warned == (method == "bayes" and measure != "precision")
    pair = c.facts.pairs[0]
    assert pair.probability is not None
    assert 0 <= pair.probability <= 1
    assert [curve.name for curve in pair.curves] == ["a", "b"]
    area = np.trapezoid(pair.curves[0].density, pair.curves[0].x)
    assert area == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("measure", ["precision", "recall", "f1", "auc"])
def test_scores_get_the_influence_test_like_losses(measure: str) -> None:
    c = compare(KNN, BAYES, measure=measure, positive=1)
    assert c.estimate.method == "mx2-influence-t"
    fixed = compare(KNN, BAYES, measure=measure, positive=1, design=Mx2BCV(5))
    assert fixed.estimate.method == "mx2-influence-t"
    alone = compare(BAYES, measure=measure, positive=1)
    pair = alone.facts.pairs[0]
    assert 0 <= pair.low < pair.value < pair.high <= 1


def test_what_has_no_value_per_example_is_judged_by_whole_splits_and_says_so() -> None:
    c = compare(DUMMY, BAYES, measure="rand_score")
    assert c.facts.method.key == "mx2-sequential-t"
    assert any("rand score has no value for a single example" in str(note) for note in c.notes)
    assert compare(BAYES, measure="rand_score").facts.method.key == "mx2-t"
    assert compare(DUMMY, BAYES, sample_weight=np.ones(N)).facts.method.key == "mx2-influence-t"
    assert not any("single example" in str(note) for note in compare(DUMMY, BAYES).notes)


def test_posteriors_leave_labels_to_chance_unless_a_class_is_rare() -> None:
    asked: dict[str, Any] = {"measure": "f1", "method": "influence-f1"}
    assert "balance" not in compare(KNN, BAYES, positive=1, **asked).facts.design.name
    rare = np.arange(N) < 16
    c = ef.compare([DUMMY, BAYES], X + 3 * rare[:, None], rare, random_state=0, **asked)
    assert "balance='labels'" in c.facts.design.name
    with pytest.warns(HiddenVariance):
        ef.infer.estimate(c.losses, "influence-f1")
    assert any("balanced by labels" in str(note) for note in c.notes)
    assert "balanced by labels" in str(c)


def test_a_stored_run_gives_its_outcomes_again(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    words = np.where(y == 1, "yes", "no")
    for positive in ("yes", np.str_("no")):
        c = ef.compare(
            [KNN, BAYES], X, words, measure="f1", positive=positive, random_state=0, store=store
        )
        assert c.facts.run_id is not None
        again = reopen(store, c.facts.run_id)
        assert again.estimate.method == "mx2-influence-t"
        assert again.pairs[0].sentence.split("; ")[0] == c.pairs[0].sentence.split("; ")[0]


def test_the_conservative_z_gets_its_splits_of_the_whole_data() -> None:
    c = compare(DUMMY, BAYES, design=NestedRLT(4, 3, 12, random_state=0))
    assert c.estimate.method == "conservative-z"
    assert c.fits == 2 * (3 + 2 * 4 * 3)
    assert (c.partition.n_train, c.partition.n_test) == (108, 12)
    d = c.losses.differences("b", "a")
    halves = d[3:].reshape(4, 2, 3).mean(axis=2)
    expected = ef.infer.conservative_z(d[:3], halves)
    assert c.estimate.value == expected.value
    assert c.estimate.standard_error == expected.standard_error
    assert "trained on 108 examples" in str(c.verdict)


def test_pairs_that_share_nothing_are_said_to_be_not_adjusted() -> None:
    alone, shared = (compare(DUMMY, BAYES, KNN, adjust=how).details for how in ("none", "holm"))
    assert "two-sided, 3 pairs, not adjusted\n" in alone
    assert "p (none)" not in alone
    assert "p (holm)" in shared


def test_posteriors_of_many_pairs_say_that_they_are_not_adjusted() -> None:
    c = compare(DUMMY, BAYES, KNN, measure="f1", positive=1, method="influence-f1")
    assert "Posterior probabilities are not adjusted for the number of pairs." in map(str, c.notes)
    assert "(simultaneous 95% credible interval" in str(c.pairs[0].verdict), (
        "intervals share the level"
    )
    assert c.pairs[0].level == pytest.approx(0.05 / 3)


def test_groups_get_the_error_on_a_new_source() -> None:
    c = compare(DUMMY, BAYES, groups=GROUPS)
    assert c.partition.kind == "sources"
    assert c.estimate.method == "sources-new-t"
    assert len(c.partition) == 10
    assert ", on a new group, for models trained on 108 examples" in str(c.verdict)


def test_these_sources_are_another_question_with_another_interval() -> None:
    new, these = (
        compare(DUMMY, BAYES, groups=GROUPS, method=f"sources-{w}-t") for w in ("new", "these")
    )
    assert ", on these groups, for models trained on 108 examples" in str(these.verdict)
    assert "averaged over these groups, at training size 108" in str(these)
    assert these.estimate.value == pytest.approx(new.estimate.value)
    rows: Any = these.losses.examples
    blocks = [b - a for a, b in zip(*rows, strict=True)]
    expected = ef.infer.sources_these_t(blocks)
    assert these.estimate.standard_error == expected.standard_error
    with pytest.raises(
        ef.NotApplicable, match=r"Use the method 'sources-new-t' or .* or 'sources-these-t'"
    ):
        compare(DUMMY, BAYES, groups=GROUPS, method="sources-theta-b")


@pytest.mark.parametrize("measure", ["f1", "zero-one"])
def test_a_new_source_needs_one_value_per_source_only(measure: str) -> None:
    c = compare(DUMMY, BAYES, groups=GROUPS, measure=measure)
    d = c.losses.differences("b", "a")
    assert c.estimate.standard_error == pytest.approx(d.std(ddof=1) / np.sqrt(10))
    if measure == "f1":
        with pytest.raises(ef.NotApplicable, match="needs values per example"):
            compare(DUMMY, BAYES, groups=GROUPS, measure=measure, method="sources-these-t")


def test_weighted_sources_keep_their_weights_or_are_refused() -> None:
    weights = np.linspace(1, 2, N)
    c = compare(DUMMY, BAYES, groups=GROUPS, sample_weight=weights)
    assert c.estimate.value == pytest.approx(c.losses.differences("b", "a").mean())
    with pytest.raises(ef.NotApplicable, match="has no weighted form"):
        compare(DUMMY, BAYES, groups=GROUPS, sample_weight=weights, method="sources-these-t")


def test_a_new_source_on_the_safe_side() -> None:
    new, safe = (
        compare(DUMMY, BAYES, groups=GROUPS, method=m)
        for m in ("sources-new-t", "sources-new-corrected-t")
    )
    widths = [np.subtract(*c.estimate.confidence_interval()[::-1]) for c in (new, safe)]
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(1 + 10 / 9))  # NB's ρ = 1/K, K = 10
    assert "on a new group" in str(safe.verdict)


def test_folds_that_ignore_the_sources_say_so() -> None:
    c = compare(DUMMY, BAYES, groups=GROUPS, design=SourceSizedKFold())
    assert any("not tell how a model does on a new group" in str(note) for note in c.notes)


@pytest.mark.parametrize(
    ("measure", "noted"), [("f1", True), ("precision", True), ("recall", False)]
)
def test_classes_made_equal_are_noted_where_the_mix_matters(measure: str, noted: bool) -> None:
    for labels, expected in ((np.tile([0, 1], N // 2), noted), (y, False)):
        c = compare(DUMMY, BAYES, y=labels, measure=measure, positive=1)
        assert any("equally frequent" in str(note) for note in c.notes) == expected


def test_one_algorithm_gets_an_interval() -> None:
    c = compare(BAYES)
    assert c.pairs[0].sentence.startswith("the error of a is ")
    with pytest.raises(InvalidInput, match="verdict is about two algorithms"):
        _ = c.verdict
    assert c.estimate.method == "mx2-influence-t"
    assert len(c.partition) == 18


def test_many_algorithms_share_the_level() -> None:
    c = compare(DUMMY, BAYES, KNN)
    assert [(p.baseline, p.challenger) for p in c.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(p.level <= 0.05 for p in c.pairs)
    with pytest.raises(
        InvalidInput, match=r"verdict is about one pair but there are 3\. Use pairs"
    ):
        _ = c.verdict
    against = compare(DUMMY, BAYES, KNN, baseline="b")
    assert [(p.baseline, p.challenger) for p in against.pairs] == [("b", "a"), ("b", "c")]


def test_a_pair_that_was_fitted_until_its_share_of_the_level_is_not_lost_by_the_adjustment() -> (
    None
):
    # Looks beyond the first crossing of the whole level count: at the stop the p-value is below
    # level/k.
    c = compare(DUMMY, BAYES, DummyClassifier(strategy="uniform"))
    decided = next(p for p in c.pairs if (p.baseline, p.challenger) == ("a", "b"))
    assert decided.pvalue is not None
    assert decided.pvalue <= 0.05 / 3
    assert decided.verdict is not None
    assert decided.verdict.outcome is Outcome.BETTER


@pytest.mark.parametrize("adjust", ["holm", "bonferroni"])
def test_adjusted_pvalues_agree_with_statsmodels(adjust: str) -> None:
    for seed in range(50):
        p = np.random.default_rng(seed).uniform(0, 0.06, 6)
        _, expected, *_ = multipletests(p, 0.05, method=adjust)
        assert ef.infer.adjustment(p, adjust) == pytest.approx(list(expected))


def test_a_margin_can_show_equivalence() -> None:
    c = compare(BAYES, GaussianNB(var_smoothing=1e-8), margin=0.2)
    assert c.verdict.outcome is Outcome.EQUIVALENT
    assert c.verdict.margin == 0.2


@pytest.mark.parametrize("method", [None, "mx2-sequential-t"])
def test_with_a_margin_it_stops_as_soon_as_the_interval_decides(method: str | None) -> None:
    c = compare(DUMMY, BAYES, margin=0.01, method=method)
    assert c.verdict.outcome is Outcome.BETTER
    pair = c.facts.pairs[0]
    assert pair.high < -0.01
    wide = compare(BAYES, GaussianNB(var_smoothing=1e-2), margin=0.3, method=method)
    assert wide.verdict.outcome is Outcome.EQUIVALENT
    assert len(wide.partition) <= 18
    many = compare(DUMMY, BAYES, KNN, margin=0.01, method=method)
    assert len({pair.level for pair in many.pairs}) == 1
    assert 0.05 / 3 - 1e-12 <= many.pairs[0].level < 0.05


def test_not_worse_stops_at_its_own_bound() -> None:
    c = compare(DUMMY, BAYES, margin=0.1, alternative="not-worse")
    assert c.verdict.outcome in (Outcome.BETTER, Outcome.NOT_WORSE)
    asked: dict[str, Any] = {"margin": 0.3, "alternative": "not-worse"}
    same = compare(BAYES, GaussianNB(var_smoothing=1e-2), **asked)
    assert same.verdict.outcome in (Outcome.EQUIVALENT, Outcome.NOT_WORSE)


def test_where_nothing_is_shown_it_stops_after_nine_repetitions() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(200, 4))
    label = rng.integers(0, 2, size=200)
    pair = {"a": KNeighborsClassifier(7), "b": KNeighborsClassifier(15)}
    c = ef.compare(pair, noise, label, random_state=0)
    assert c.verdict.outcome is Outcome.INCONCLUSIVE
    assert len(c.partition) == 18
    assert c.fits == 2 * len(c.partition)


def test_few_examples_that_differ_get_the_safe_test_and_it_is_said() -> None:

    def nearly(X_train: Any, y_train: Any, X_test: Any) -> Any:
        said = GaussianNB().fit(X_train, y_train).predict(X_test)
        return np.where(X_test[:, 0] > np.sort(X[:, 0])[-6], 1 - said, said)

    c = compare(BAYES, nearly)
    assert c.verdict.outcome is Outcome.INCONCLUSIVE
    assert "rests on fewer than 10 examples in effect, so the conservative test was" in str(
        c.verdict
    )


@pytest.mark.filterwarnings("ignore::evenfold.core.errors.EvenfoldWarning")
@pytest.mark.parametrize(
    "method",
    ["mcnemar", "wong-kfold-matched-t", "wong-kfold-independent-z", "wong-kfold-independent-t",
     "wong-loo-independent-z", "holdout-t", "kfold-t", "5x2-combined-t", "corrected-resampled-t"],
)  # fmt: skip
def test_methods_that_count_speak_of_errors_like_all_others(method: str) -> None:
    worse = RNG.normal(size=(400, 1))
    labels = np.repeat([0, 1], 200)
    good = worse + 2.0 * labels[:, None]
    both = np.hstack([worse, good])

    def coin(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return (X_test[:, 0] > 0).astype(int)

    def threshold(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return (X_test[:, 1] > 1).astype(int)

    c = ef.compare(
        {"coin": coin, "threshold": threshold}, both, labels, method=method, random_state=0
    )
    assert c.verdict.outcome is Outcome.BETTER, str(c.verdict)
    assert c.facts.pairs[0].value < 0


def test_the_accuracy_of_one_algorithm_is_given_as_its_error() -> None:
    c = compare(DUMMY, method="wong-proportion", design=KFold(5, random_state=0))
    assert c.facts.pairs[0].value == pytest.approx(c.losses.values.mean(), abs=0.01)


def test_a_pipeline_is_one_algorithm() -> None:
    pipe = make_pipeline(StandardScaler(), GaussianNB())
    assert len(ef.compare(pipe, X, y, random_state=0).pairs) == 1
    assert len(ef.compare([BAYES, pipe], X, y, random_state=0).losses.algorithms) == 2


def test_level_is_the_default_of_the_interval() -> None:
    c = compare(DUMMY, BAYES, level=0.1, design=Mx2BCV(5, random_state=0))
    estimate: Any = c.estimate
    assert estimate.confidence_interval() == pytest.approx(estimate.confidence_interval(0.9))


def test_equal_algorithms_are_no_close_call_after_few_repetitions() -> None:
    c = compare(BAYES, GaussianNB(), max_repetitions=5, random_state=0)
    assert c.replicability is None
    assert "they gave the same values everywhere" in str(c)
    assert "close call" not in str(c)


@pytest.mark.parametrize("jobs", [1, 2])
def test_same_seed_same_answer_on_any_number_of_workers(jobs: int) -> None:
    forest = LogisticRegression(solver="saga", max_iter=20)
    first, second = (compare(DUMMY, BAYES, n_jobs=n) for n in (1, jobs))
    assert np.array_equal(first.losses.values, second.losses.values)
    assert str(first.verdict).split(";")[0] == str(second.verdict).split(";")[0]
    assert forest.random_state is None


def test_a_store_spares_fits_and_a_run_can_be_reopened(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    first = compare(DUMMY, BAYES, store=store)
    again = compare(DUMMY, BAYES, store=store)
    assert (again.fits, again.reused) == (0, first.fits)
    assert first.facts.run_id is not None
    reopened = reopen(store, first.facts.run_id)
    assert reopened.fits == 0
    assert reopened.estimate.method == "mx2-influence-t"
    assert reopened.facts.pairs[0].path == first.facts.pairs[0].path
    assert str(reopened.verdict).split(";")[0] == str(first.verdict).split(";")[0]
    assert reopen(store, first.facts.run_id, method="mx2-t").estimate.method == "mx2-t"


def test_failed_cells_are_not_applicable_and_listed() -> None:
    class Breaks(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def fit(self, *args: Any, **more: Any) -> Any:  # noqa: ARG002
            raise RuntimeError("no luck")

    c = compare(DUMMY, Breaks())
    assert c.verdict.outcome is Outcome.NOT_APPLICABLE
    assert "no luck" in str(c.verdict)
    assert len(c.failures) == len(c.facts.failures) > 0
    with pytest.raises(InvalidInput, match="There is no estimate"):
        _ = c.estimate


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        (pd.DataFrame(X), pd.Series(np.where(y, "yes", "no"))),
        (csr_array(np.abs(X)), y.astype(bool)),
        (X.tolist(), y.tolist()),
        (X, np.tile(["a", "b", "c"], N // 3)),
    ],
    ids=["pandas, strings", "sparse, booleans", "lists", "three classes"],
)
def test_kinds_of_data(data: Any, labels: Any) -> None:
    c = ef.compare([DUMMY, LogisticRegression()], data, labels, random_state=0)
    assert np.isfinite(c.losses.values).all()


def test_callable_measures_scorers_and_functions() -> None:
    def absolute(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(truth - predicted))

    def majority(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.full(len(X_test), np.bincount(y_train).argmax())

    loss = ef.run.measure(absolute, higher_is_better=False)
    c = ef.compare({"majority": majority, "bayes": BAYES}, X, y, measure=loss, random_state=0)
    assert c.verdict.outcome is Outcome.BETTER
    scored = compare(DUMMY, BAYES, measure=make_scorer(matthews_corrcoef))
    assert not scored.losses.lower_is_better
    assert scored.verdict.outcome is Outcome.BETTER


def test_facts_round_trip_through_json() -> None:
    for c in (
        compare(DUMMY, BAYES),
        compare(DUMMY, BAYES, measure="f1", positive=1),
        compare(DUMMY, BAYES, KNN),
    ):
        text = c.to_json()
        assert Facts.from_json(text).to_json() == c.facts.to_json()
        assert Facts.from_json(text).pairs[0].value == c.facts.pairs[0].value


@pytest.mark.parametrize("design", [None, KFold(5), Mx2BCV(4)], ids=repr)
def test_the_call_can_be_repeated(design: Design | None) -> None:
    c = compare(DUMMY, BAYES, design=design)
    again = eval(
        c.facts.call,
        {"ef": ef, "X": X, "y": y, "DummyClassifier": DummyClassifier, "GaussianNB": GaussianNB},
    )
    assert np.array_equal(again.losses.values, c.losses.values)


DESIGNS: list[Design] = [
    Mx2BCV(5, random_state=0), Blocked3x2(random_state=0), Mx2(5, random_state=0),
    BRLT(5, 0.7, random_state=0), RLT(5, 0.7, random_state=0), KFold(5, random_state=0),
    Holdout(0.7, random_state=0), LeaveOneOut(),
    LeaveOneSourceOut(), NestedRLT(2, 3, 10, random_state=0), NestedKFold(3, 2, random_state=0),
    GrowingWindow(0.5, 2), RollingWindow(0.5, 2),
]  # fmt: skip


def _cases() -> Iterator[tuple[Design, str, str]]:
    for design in DESIGNS:
        for method in ef.infer.methods():
            for measure in ("zero-one", "brier", "f1"):
                yield design, method, measure


@pytest.mark.filterwarnings("ignore::evenfold.core.errors.EvenfoldWarning")
@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_every_method_answers_or_refuses_by_name(design: Design) -> None:
    groups = GROUPS if design.uses_groups_now else None
    runs = {
        measure: ef.run.run(
            {"a": BAYES, "b": KNN},
            design.partition(N, groups=groups),
            X,
            y,
            measures=measure,
            seed=0,
            positive=1,
        )[measure]
        for measure in ("zero-one", "brier", "f1")
    }
    answered = 0
    for _, method, measure in (case for case in _cases() if case[0] is design):
        entry = ef.infer.methods()[method]
        try:
            estimate = ef.infer.estimate(runs[measure], method)
        except ef.NotApplicable as refusal:
            assert method in str(refusal)  # noqa: PT017  (most combinations are refused, each by name)
        except InvalidInput as refusal:
            assert "must be" in str(refusal)  # noqa: PT017  (too few repetitions or right predictions)
        else:
            answered += 1
            assert design.kind in entry.designs
            assert estimate.method == method
    assert answered >= (1 if design.kind != "nested-rlt" else 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "mx2"}, r"method must be one of .*Did you mean"),
        ({"design": KFold(5), "method": "mx2-t"}, "method 'mx2-t' does not fit design 'kfold'"),
        ({"groups": GROUPS, "design": KFold(5)}, "groups must be None for KFold"),
        ({"margin": -1}, "margin must be a finite number ≥ 0 but got -1"),
        ({"level": 0.7}, "level must be a number between 0 and 0.5 but got 0.7"),
        (
            {"adjust": "holmes"},
            r"adjust must be one of .*'holm'.* but got 'holmes'\. Did you mean 'holm'",
        ),
        (
            {"adjust": "shaffer", "baseline": "b"},
            r"adjust must be .*'shaffer'\. Use 'holm'",
        ),
        ({"alternative": "bigger"}, "alternative must be one of"),
        ({"baseline": "z"}, "baseline must be one of 'a', 'b', 'c' but got 'z'"),
        ({"X": X[:5], "y": y[:5]}, "X must have at least 8 examples but got 5"),
        ({"X": X[:50]}, "X must have as many rows as y"),
        ({"measure": "zero-two"}, r"measures? must be one of .*zero-one"),
        ({"method": "bootstrap", "design": "kfold:5"}, "'bootstrap' does not fit design 'kfold'"),
        ({"method": "mx2-v2"}, "method 'mx2-v2' estimates a variance and decides nothing"),
        ({"method": "mx2-oracle-t"}, "'mx2-oracle-t' needs rho1 and rho2"),
        (
            {"y": np.zeros(N, int)},
            r"y must have at least two classes but all values are 0\. There is nothing to predict",
        ),
        ({"design": Mx2BCV(2), "method": "mx2-sequential-t"}, "must be"),
    ],
)
def test_wrong_use_is_answered_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message) as caught:
        compare(DUMMY, BAYES, KNN, **options)
    assert "\n" not in str(caught.value)


def test_a_regressor_with_the_zero_one_measure_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"the algorithms are regressors, but got 'zero-one'\. Use 'squared'"
    ):
        ef.compare([DummyRegressor(), LinearRegression()], X, TARGET, measure="zero-one")


@pytest.mark.parametrize("method", ["permutation", "paired-bootstrap", "nested-cv"])
def test_methods_on_single_examples_refuse_weights(method: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    with pytest.raises(ef.NotApplicable, match=r"same weight\. Leave sample_weight out"):
        ef.compare([GaussianNB(), DummyClassifier()], X, y, method=method,
                   sample_weight=rng.random(60),
                   random_state=0)  # fmt: skip


def _few_are_far(k: int, n: int = 256) -> ef.Comparison:
    """Compare two answers: one is far off on k examples, the other a little on all others."""
    far = np.zeros((n, 1))
    far[:k] = 1.0
    noise = np.random.default_rng(0).normal(scale=0.01, size=n)

    def near(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.where(np.asarray(X_test)[:, 0] == 1, 0.0, 0.2)

    def off(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.where(np.asarray(X_test)[:, 0] == 1, 10.0, 0.0)

    return ef.compare({"near": near, "off": off}, far, noise, random_state=0, alternative="greater")


def test_where_a_few_examples_outweigh_all_others_only_the_verdict_is_withheld() -> None:
    c = _few_are_far(8)
    low, _ = c.estimate.confidence_interval()
    assert low > 0
    assert float(c.estimate.pvalue) < 0.05
    assert c.verdict.outcome is Outcome.INCONCLUSIVE
    said = str(c.verdict)
    assert (
        "a few examples outweigh all others: without the 10 largest the difference has the other"
        in said
    )
    assert "could have been found" not in said
    assert "the margin takes" not in said


def test_one_example_that_holds_much_of_the_spread_is_named_decided_or_not() -> None:
    named = "one example holds 50% of the spread, so that the answer hangs on it"
    assert named in map(str, _few_are_far(1).notes)
    assert not any("holds" in str(note) for note in compare(DUMMY, BAYES).notes)


def test_y_may_be_a_column_which_is_then_no_feature() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "kind": y})
    named, given = (
        compare(DUMMY, BAYES, X=frame, y="kind"),
        compare(DUMMY, BAYES, X=frame[["size"]]),
    )
    assert np.array_equal(named.losses.values, given.losses.values)


def test_a_design_of_which_nobody_sees_the_end_is_refused_before_the_first_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evenfold.comparison.compare._MOST_FITS", 100)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    y = (X[:, 0] > 0).astype(int)
    two = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    with pytest.raises(InvalidInput, match=r"needs 120 fits, more than the limit of 100"):
        ef.compare(two, X, y, design=ef.KFold(60, random_state=0))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"replicability": 1.0}, "replicability must be below 1"),
        ({"replicability": 0.4}, "replicability must be"),
        ({"replicability": "high"}, "replicability must be"),
        ({"max_repetitions": 4}, "max_repetitions must be"),
        ({"max_repetitions": 9.5}, "max_repetitions must be"),
        ({"max_repetitions": 10_000}, "max_repetitions must be at most"),
        ({"max_repetitions": 9, "design": "kfold:5"}, "max_repetitions must be left out"),
        ({"replicability": 0.9, "design": Mx2BCV(5)}, "replicability must be left out"),
        ({"max_repetitions": 9, "at": "full"}, "max_repetitions must be left out"),
    ],
)
def test_wishes_about_repetitions_are_refused_in_one_line(asked: Any, said: str) -> None:
    fitted = []

    def watched(X_train: Any, y_train: Any, X_test: Any) -> Any:
        fitted.append(len(X_train))
        return y_train[: len(X_test)]

    with pytest.raises(InvalidInput, match=said) as raised:
        compare(BAYES, watched, **asked)
    assert "\n" not in str(raised.value)
    assert not fitted


def test_the_last_look_is_the_largest_number_of_repetitions() -> None:
    c = compare(BAYES, KNN, replicability=0.99, max_repetitions=11)
    assert [look.m for look in c.pairs[0].path] == [5, 7, 9, 11]
    few = ef.compare([BAYES, KNN], X[:20], y[:20], replicability=0.98, random_state=0)
    assert few.facts.most_repetitions == 19


def test_one_algorithm_is_repeated_until_its_estimate_is_steady() -> None:
    c = compare(BAYES)
    assert len(c.partition) // 2 in (9, 15, 23, 31)
    assert c.estimate.between <= 0.1 * c.estimate.standard_error**2
    assert c.replicability is None
