"""
Permutation, bootstrap, DeLong, Cochran.

One test set, beside scipy, scikit-learn and statsmodels.
"""

from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.contingency_tables import cochrans_q

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput, NotApplicable
from evenfold.core.estimate import Alternative

RNG = np.random.default_rng(3)
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def _scipy_permutation(d: np.ndarray, alternative: Alternative) -> float:
    permute: Any = stats.permutation_test
    found = permute(
        (d, np.zeros_like(d)), lambda x, y: np.mean(x - y), permutation_type="samples",
        alternative=alternative, n_resamples=np.inf, vectorized=False, rng=np.random.default_rng(0),
    )  # fmt: skip
    return float(found.pvalue)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [3, 7, 10])
def test_all_swaps_of_few_points_give_the_exact_pvalue_of_scipy(
    alternative: Alternative, n: int
) -> None:
    for d in (RNG.normal(0.4, 1.0, size=n), RNG.integers(-1, 2, size=n).astype(float)):
        if np.ptp(d) == 0:
            continue
        ours = ef.infer.permutation(d, alternative=alternative).pvalue
        assert_allclose(ours, _scipy_permutation(d, alternative), rtol=1e-12)


@pytest.mark.parametrize("alternative", SIDES)
def test_random_swaps_of_0_1_losses_estimate_the_exact_mcnemar_test(
    alternative: Alternative,
) -> None:
    d = np.repeat([1.0, -1.0, 0.0], [14, 6, 80])
    exact = ef.infer.mcnemar(14, 6, variant="exact", alternative=alternative).pvalue
    ours = ef.infer.permutation(d, alternative=alternative, draws=99_999).pvalue
    assert abs(ours - exact) < 4 * np.sqrt(exact * (1 - exact) * 2 / 100_000)


@pytest.mark.parametrize("alternative", SIDES)
def test_the_permutation_interval_holds_what_is_not_rejected(alternative: Alternative) -> None:
    d = RNG.normal(0.3, 1.0, size=9)
    low, high = ef.infer.permutation(d, alternative=alternative).confidence_interval(0.9)
    for null in np.linspace(-2, 2, 81):
        rejected = _scipy_permutation(d - null, alternative) <= 0.1
        assert rejected == (not low <= null <= high)


def test_too_few_points_have_an_infinite_interval() -> None:
    low, high = ef.infer.permutation([0.1, 0.3, 0.2]).confidence_interval(0.95)
    assert low == -np.inf
    assert high == np.inf


def test_many_points_are_drawn_in_parcels_with_the_same_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    d = RNG.normal(0.1, 1.0, size=40)
    for function in (ef.infer.permutation, ef.infer.paired_bootstrap):
        whole = function(d, draws=999)
        monkeypatch.setattr("evenfold.infer.one_test_set.resampling._AT_ONCE", 40 * 100)
        parcels = function(d, draws=999)
        assert parcels.draws.shape == whole.draws.shape == (999,)
        assert abs(float(parcels.pvalue) - float(whole.pvalue)) < 0.08
        monkeypatch.undo()


@pytest.mark.parametrize("variant", ["bca", "percentile"])
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("skewed", [False, True])
def test_bootstrap_intervals_are_those_of_scipy(
    variant: str, alternative: Alternative, skewed: bool
) -> None:
    d = RNG.exponential(size=60) ** 2 if skewed else RNG.normal(0.2, 1.0, size=60)
    ours = ef.infer.paired_bootstrap(d, variant=variant, alternative=alternative, draws=99_999)
    resample: Any = stats.bootstrap
    theirs = resample(
        (d,), np.mean, method="BCa" if variant == "bca" else "percentile", n_resamples=99_999,
        alternative=alternative, rng=np.random.default_rng(1), batch=5000,
    ).confidence_interval  # fmt: skip
    # both ends are quantiles of 10⁵ draws: their own noise is about √(p(1−p)/10⁵)/density
    scale = d.std() / np.sqrt(60)
    assert_allclose(ours.confidence_interval(0.95), (theirs.low, theirs.high), atol=0.06 * scale)


@pytest.mark.parametrize("variant", ["bca", "percentile"])
def test_the_bootstrap_pvalue_is_the_level_at_which_the_interval_ends(variant: str) -> None:
    d = RNG.exponential(size=50) - 0.7
    for alternative in SIDES:
        e = ef.infer.paired_bootstrap(d, variant=variant, alternative=alternative)
        p = min(float(e.pvalue), 0.95)
        if p == 0.95:
            continue
        inside, outside = e.confidence_interval(1 - 0.97 * p), e.confidence_interval(1 - 1.03 * p)
        assert inside[0] <= 0 <= inside[1]
        assert not outside[0] <= 0 <= outside[1]


def _brute_delong(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """DeLong (1988) from the m × k kernel, point by point."""

    def kernel(s: np.ndarray) -> np.ndarray:
        x, z = s[y == 1][:, None], s[y == 0][None, :]
        return np.asarray((x > z) + 0.5 * (x == z), dtype=float)

    D = kernel(b) - kernel(a)
    m, k = D.shape
    return float(D.mean()), float(D.mean(axis=1).var(ddof=1) / m + D.mean(axis=0).var(ddof=1) / k)


@pytest.mark.parametrize("ties", [False, True])
def test_delong_is_its_definition(ties: bool) -> None:
    y = RNG.integers(0, 2, size=60)
    a, b = RNG.normal(size=60) + 0.5 * y, RNG.normal(size=60) + y
    if ties:
        a, b = np.round(2 * a), np.round(2 * b)
    e = ef.infer.delong(a, b, y)
    value, variance = _brute_delong(a, b, y)
    assert_allclose(e.value, value, rtol=1e-9)
    assert_allclose(e.standard_error**2, variance, rtol=1e-9)
    assert_allclose(e.value, roc_auc_score(y, b) - roc_auc_score(y, a), rtol=1e-9)


def test_delong_in_batches_and_with_other_labels() -> None:
    y = np.tile(["no", "yes", "yes"], 20)
    a, b = RNG.normal(size=(4, 60)), RNG.normal(size=(4, 60))
    e = ef.infer.delong(a, b, y)
    for i in range(4):
        assert_allclose(ef.infer.delong(a[i], b[i], y).pvalue, e.pvalue[i], rtol=1e-12)
    assert_allclose(ef.infer.delong(b, a, y).statistic, -e.statistic, rtol=1e-12)
    assert_allclose(ef.infer.delong(a, b, y, positive="no").value, -e.value, rtol=1e-9)
    assert_allclose(ef.infer.delong(np.exp(a), b, y).value, e.value, rtol=1e-12)  # ranks only


def test_delong_of_equal_models_and_wrong_input() -> None:
    y, a = np.tile([0, 1], 10), RNG.normal(size=20)
    with pytest.warns(DegenerateData):
        assert ef.infer.delong(a, a, y).pvalue == 1
    for labels, message in (
        (np.zeros(20), "two classes"),
        (np.arange(20) % 3, "two classes"),
        (np.arange(20) == 0, "at least two examples of each class"),
    ):
        with pytest.raises(InvalidInput, match=message):
            ef.infer.delong(a, a, labels)
    with pytest.raises(InvalidInput, match="scores_b must be of shape"):
        ef.infer.delong(a, a[:-1], y)
    with pytest.raises(InvalidInput, match="positive must be one of"):
        ef.infer.delong(a, a, y, positive=2)


X, Y = load_breast_cancer(return_X_y=True)
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}


def test_compare_by_auc_on_one_split_is_delong() -> None:
    design = ef.design.Holdout(0.6, random_state=0)
    c = ef.compare(MODELS, X, Y, design=design, measure="auc")
    ((train, test),) = design.partition(len(Y))
    a, b = (model.fit(X[train], Y[train]).predict_proba(X[test])[:, 1] for model in MODELS.values())
    expected, found = ef.infer.delong(a, b, Y[test]), cast("Any", c.estimate)
    assert found.method == "delong"
    assert_allclose(found.value, expected.value, rtol=1e-9)
    assert_allclose(found.pvalue, expected.pvalue, rtol=1e-6)
    assert "AUC" in str(c.verdict)
    assert not c.losses.lower_is_better
    assert_allclose(c.losses.values[:, 0], [roc_auc_score(Y[test], s) for s in (a, b)], rtol=1e-12)


@pytest.mark.parametrize("positive", [0, 1])
def test_the_measure_auc_is_that_of_scikit_learn(positive: int) -> None:
    # probabilities, scores
    models = {"tree": MODELS["tree"], "linear": LogisticRegression(max_iter=5000)}
    partition = ef.design.Holdout(0.6, random_state=1).partition(len(Y))
    done = ef.run.run(models, partition, X[:, :5], Y, measures="auc", positive=positive, seed=0)[
        "auc"
    ]
    ((train, test),) = partition
    for row, model in enumerate(models.values()):
        scores = model.fit(X[train][:, :5], Y[train]).predict_proba(X[test][:, :5])[:, positive]
        assert_allclose(done.values[row, 0], roc_auc_score(Y[test] == positive, scores), rtol=1e-9)
    assert done.examples is not None
    assert_allclose(np.mean(done.examples[0][0]), done.values[0, 0], rtol=1e-12)


def test_auc_by_halvings_and_what_it_is_refused_to() -> None:
    c = ef.compare(MODELS, X, Y, design=ef.Mx2BCV(3, random_state=0), measure="auc")
    assert c.facts.method.key == "mx2-influence-t"
    one = ef.run.run(MODELS, ef.design.Holdout(0.6, random_state=0).partition(len(Y)), X, Y,
                     measures=["auc", "zero-one"], seed=0)  # fmt: skip
    with pytest.raises(NotApplicable, match="'permutation' needs values per example"):
        ef.infer.estimate(one["auc"], "permutation")
    with pytest.raises(NotApplicable, match="'delong'"):
        ef.infer.estimate(one["zero-one"], "delong")


def test_auc_survives_a_store(tmp_path: Any) -> None:
    store = tmp_path / "runs.db"
    design = ef.design.Holdout(0.6, random_state=0)
    c = ef.compare(MODELS, X, Y, design=design, measure="auc", store=store, random_state=0)
    again = ef.run.load(store, str(c.facts.run_id))["auc"]
    found: Any = ef.infer.estimate(again, "delong")
    assert_allclose(found.pvalue, c.estimate.pvalue, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_cochran_is_that_of_statsmodels(k: int) -> None:
    right = (RNG.random((3, k, 50)) < np.linspace(0.5, 0.8, k)[:, None]).astype(int)
    found = ef.infer.cochran_q(right)
    for i in range(3):
        theirs = cochrans_q(right[i].T)
        assert_allclose(
            [found.statistic[i], found.pvalue[i]], [theirs.statistic, theirs.pvalue], rtol=1e-9
        )
    assert_allclose(ef.infer.cochran_q(1 - right).statistic, found.statistic, rtol=1e-12)


def test_cochran_of_two_is_mcnemar_and_of_equal_ones_says_nothing() -> None:
    a, b = RNG.integers(0, 2, size=(2, 80))
    z = ef.infer.mcnemar(
        int(((b == 1) & (a == 0)).sum()), int(((b == 0) & (a == 1)).sum())
    ).statistic
    assert_allclose(ef.infer.cochran_q([a, b]).statistic, z**2, rtol=1e-12)
    with pytest.warns(DegenerateData):
        assert ef.infer.cochran_q([a, a, a]).pvalue == 1
    with pytest.raises(InvalidInput, match="answers must be 0 or 1"):
        ef.infer.cochran_q([[0, 2], [1, 1]])
    with pytest.raises(InvalidInput, match="k ≥ 2"):
        ef.infer.cochran_q([0, 1, 1])


def test_cochran_takes_all_algorithms_of_a_run_and_decides_no_pair() -> None:
    models = {**MODELS, "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    design = ef.design.Holdout(0.6, random_state=0)
    losses = ef.run.run(models, design.partition(len(Y)), X, Y, measures="zero-one", seed=0)[
        "zero-one"
    ]
    found: Any = ef.infer.estimate(losses, "cochran-q")
    assert losses.examples is not None
    assert_allclose(
        found.statistic, cochrans_q(np.stack([row[0] for row in losses.examples]).T).statistic
    )
    with pytest.raises(NotApplicable, match="'cochran-q' gives no interval"):
        ef.compare(models, X, Y, design=design, method="cochran-q")


@pytest.mark.parametrize(
    "key", ["permutation", "paired-bootstrap", "cv-clt", "cv-clt-within", "5x2-mcnemar"]
)
def test_compare_knows_the_method_and_equal_models(key: str) -> None:
    small = slice(None, 200)
    c = ef.compare(MODELS, X[small], Y[small], method=key, random_state=0)
    assert c.estimate.method == key
    equal = ef.compare([GaussianNB(), GaussianNB()], X[small], Y[small], method=key, random_state=0)
    assert equal.pairs[0].pvalue == 1
    assert str(equal.verdict.outcome) == "inconclusive"


def test_compare_with_the_posterior_and_equal_models() -> None:
    c = ef.compare(MODELS, X, Y, method="bayes-correlated-t", margin=0.01, random_state=0)
    assert c.partition.kind == "rlt"
    found: Any = c.estimate
    region = found.rope(0.01)
    assert_allclose(c.facts.pairs[0].probability or np.nan, region.left)  # a lower error is better
    equal = ef.compare(
        [GaussianNB()] * 2, X, Y, method="bayes-correlated-t", margin=0.01, random_state=0
    )
    assert str(equal.verdict.outcome) == "equivalent"
    folds = ef.compare(
        MODELS, X, Y, design=ef.KFold(10, random_state=0), method="bayes-correlated-t"
    )
    d = folds.losses.differences()
    expected = ef.infer.bayes_correlated_t(d, n_train=512, n_test=57)
    assert_array_equal(folds.estimate.scale, expected.scale)


def test_unpaired_delong_by_counting_pairs() -> None:
    rng = np.random.default_rng(5)
    sets = [(rng.normal(size=n) + y, y) for n in (40, 31) for y in [rng.random(n) < 0.4]]
    (a, y_a), (b, y_b) = ((np.round(scores, 1), y) for scores, y in sets)
    found = ef.infer.unpaired_delong(a, b, y_a, y_b)
    area, variance = [], []
    for scores, y in ((a, y_a), (b, y_b)):
        wins = np.sign(scores[y][:, None] - scores[~y]) / 2 + 0.5
        area.append(wins.mean())
        variance.append(sum(wins.mean(axis=i).var(ddof=1) / wins.shape[1 - i] for i in (0, 1)))
    assert_allclose(
        [found.value, found.standard_error], [area[1] - area[0], np.sqrt(sum(variance))]
    )
    with pytest.raises(InvalidInput, match="scores_b must be of shape"):
        ef.infer.unpaired_delong(a, b, y_a, y_a)
    with pytest.raises(InvalidInput, match="y_b must hold labels of two classes"):
        ef.infer.unpaired_delong(a, b, y_a, np.zeros(31))


# Of 41 patients with a poor and 72 with a good outcome of pROC's data aSAH, how many are below each
# threshold of S100b and of NDKA: the sensitivities and specificities recorded in pROC's
# helper-roc-expected.R (github.com/xrobin/pROC, tests/testthat), times 41 and 72. A curve knows no
# more than that.
S100B = (
    [0, 1, 1, 1, 1, 4, 5, 7, 9, 10, 11, 13, 14, 14, 15, 15, 15, 15, 16, 17, 17, 18, 19, 20, 20, 21,
     22, 23, 23, 24, 24, 25, 25, 27, 27, 27, 27, 28, 29, 29, 30, 31, 32, 33, 35, 36, 37, 38, 39, 40,
     41],
    [0, 0, 5, 8, 10, 16, 22, 28, 35, 39, 39, 42, 46, 50, 53, 55, 56, 58, 58, 58, 59, 59, 59, 59, 60,
     60, 61, 62, 63, 63, 64, 64, 65, 65, 66, 67, 69, 70, 70, 72, 72, 72, 72, 72, 72, 72, 72, 72, 72,
     72, 72],
)  # fmt: skip
NDKA = (
    [0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 6, 7, 7, 7, 8, 8, 8, 8,
     9, 10, 10, 10, 10, 10, 11, 11, 11, 12, 12, 12, 12, 12, 12, 12, 13, 14, 15, 15, 16, 16, 16, 17,
     17, 17, 17, 17, 17, 18, 18, 19, 19, 19, 20, 20, 20, 21, 22, 22, 23, 24, 24, 24, 25, 26, 27, 27,
     27, 27, 28, 28, 28, 28, 28, 29, 30, 31, 32, 32, 32, 33, 33, 33, 33, 34, 35, 36, 37, 37, 37, 38,
     38, 39, 39, 40, 40, 41],
    [0, 1, 1, 2, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 18, 18, 18, 19,
     20, 20, 21, 23, 24, 24, 25, 26, 27, 28, 29, 29, 30, 31, 31, 32, 33, 34, 35, 36, 37, 37, 37, 37,
     38, 38, 39, 40, 40, 41, 42, 43, 44, 45, 45, 46, 47, 48, 49, 49, 50, 51, 51, 51, 52, 52, 52, 53,
     54, 55, 55, 55, 56, 57, 58, 58, 59, 60, 61, 62, 62, 62, 62, 62, 63, 64, 64, 65, 66, 67, 67, 67,
     67, 67, 68, 69, 69, 70, 70, 71, 71, 72, 72],
)  # fmt: skip


def _patients(below: tuple[list[int], list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Scores that have this curve: places between thresholds; and who is a case."""
    cases, controls = (np.repeat(np.arange(len(one) - 1), np.diff(one)) for one in below)
    return np.concatenate([cases, controls]), np.repeat([1, 0], [len(cases), len(controls)])


def test_unpaired_delong_and_partial_areas_are_those_of_r() -> None:
    """
    pROC's tests: roc.test(r.ndka, r.s100b, paired = FALSE), D = −1.55995743389685.

    Auc of NDKA.
    """
    from evenfold.run.measures.rankings.partial_auc import CurvePart

    (ndka, y_a), (s100b, y_b) = _patients(NDKA), _patients(S100B)
    assert_allclose(
        [roc_auc_score(y_a, ndka), roc_auc_score(y_b, s100b)],
        [0.611957994579946, 0.731368563685637],
    )
    found = ef.infer.unpaired_delong(ndka, s100b, y_a, y_b)
    assert_allclose(found.statistic, 1.55995743389685, rtol=1e-12)
    # theirs is .1202, by a t with Welch's degrees of freedom; ours is normal, as DeLong's for pairs
    assert_allclose(found.pvalue, 0.120192832430845, atol=0.0015)
    part = CurvePart(ndka, y_a.astype(bool), 0.1)
    assert_allclose(part.raw(), 0.0107046070460705)
    assert_allclose(part.standardise(part.raw()), 0.530024247610897)


def test_two_proportions_agree_with_statsmodels() -> None:
    from statsmodels.stats.proportion import proportions_ztest

    found = ef.infer.two_proportion_z([80, 60], [84, 75], n=100)
    expected = [proportions_ztest([b, a], [100, 100]) for a, b in ((80, 84), (60, 75))]
    assert_allclose(found.statistic, [z for z, _ in expected])
    assert_allclose(found.pvalue, [p for _, p in expected])
    assert not ef.infer.methods()["two-proportion-z"].recommended


def test_two_proportions_of_a_run_are_of_the_examples_that_were_tested() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    two = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    c = ef.compare(
        two, X, y, design=ef.design.Holdout(0.7), method="two-proportion-z", random_state=0
    )
    (a,), (b,) = c.losses.values
    p = (a + b) / 2
    assert_allclose(c.estimate.value, b - a)
    assert_allclose(c.estimate.standard_error, np.sqrt(2 * p * (1 - p) / c.partition.n_test))
