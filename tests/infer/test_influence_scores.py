"""
Posteriors from influence contrasts.

Against block formulas, least squares, draws and linear worlds.
"""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import f1_score, precision_score, recall_score

import evenfold as ef
from evenfold.core.errors import HiddenVariance, InvalidInput

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
MEASURES = ("precision", "recall", "f1")


def halves(m: int, n: int, seed: int = 0) -> Bools:
    partition = ef.Mx2BCV(m, random_state=seed).partition(n)
    return np.stack([np.isin(np.arange(n), test) for test in partition.test[::2]])


def tables(y: Bools, said: Bools) -> Bools:
    return np.stack([y & said, ~y & said, y & ~said], axis=-1)


def labelled(m: int, n: int, seed: int, *, batch: tuple[int, ...] = (), hit: float = 0.7) -> Bools:
    rng = np.random.default_rng(seed)
    y = rng.random((*batch, 1, n)) < 0.4
    doubt = 0.8 * rng.random((*batch, 1, n)) + 0.2 * rng.random((*batch, m, n))
    return tables(y, np.where(y, doubt < hit, doubt < 0.3))


def compare(measure: str, *arguments: Any, **options: Any) -> Any:
    return getattr(ef.infer, f"influence_{measure}")(*arguments, **options)


def slopes(measure: str, counts: Floats) -> tuple[float, Floats]:
    """The score of counts and its derivatives, by hand."""
    tp, fp, fn = counts
    if measure == "precision":
        return tp / (tp + fp), np.array([fp, -tp, 0]) / (tp + fp) ** 2
    if measure == "recall":
        return tp / (tp + fn), np.array([fn, 0, -tp]) / (tp + fn) ** 2
    total = 2 * tp + fp + fn
    return 2 * tp / total, np.array([2 * (fp + fn), -2 * tp, -2 * tp]) / total**2


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("m", "blocks"), [(3, 4), (7, 8)])
def test_the_variance_is_that_of_the_influences_of_blocks(
    measure: str, m: int, blocks: int
) -> None:
    # docs/appendix/influence-scores: at m = B − 1, u_r = −2m/((m−1)B)·Σ s_rb(T_rb − T̄_b), Î_b =
    # T̄_b + (m+1)/(2m)·Σ_r s_rb u_r and Var = s²(Î)/B, where s = 1 for blocks that train in the
    # first split.
    n = 20 * blocks
    sides, outcomes = halves(m, n), labelled(m, n, seed=3)
    value, slope = slopes(measure, outcomes.sum(axis=(0, 1)) + 1.0)
    e = (
        outcomes @ slope * m * n
    )  # so that the mean of e over examples and repetitions is the change of the score
    patterns, block = np.unique(sides.T, axis=0, return_inverse=True)
    assert len(patterns) == blocks
    T = np.stack([e[:, block.ravel() == b].mean(axis=1) for b in range(blocks)], axis=1)
    s = np.where(patterns.T, -1.0, 1.0)
    u = -2 * m / ((m - 1) * blocks) * (s * (T - T.mean(axis=0))).sum(axis=1)
    influence = T.mean(axis=0) + (m + 1) / (2 * m) * s.T @ u
    p = ef.infer.influence_score(measure, outcomes, sides)
    assert p.value == pytest.approx(value, rel=1e-12)
    assert p.standard_error**2 == pytest.approx(influence.var(ddof=1) / blocks, rel=1e-9)
    assert p.df == m


def test_the_variance_is_right_in_a_linear_world() -> None:
    # tp of an example: a half, plus its own worth g, plus the worth h of all that trained, exactly
    # linear.
    m, n, R = 7, 64, 4000
    sides = halves(m, n)
    rng = np.random.default_rng(5)
    g, h = np.sqrt(3) * rng.uniform(-1, 1, size=(2, R, n))
    h = 0.05 * (h - 0.6 * g)  # training and testing are correlated
    first = np.einsum("rn,mn->rm", h, ~sides)  # trained on what the first split does not test
    second = np.einsum("rn,mn->rm", h, sides)
    tp = 0.5 + 0.12 * (g[:, None] + np.where(sides, first[..., None], second[..., None]))
    outcomes = np.stack([tp, np.zeros_like(tp), 1 - tp], axis=-1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenVariance)
        p = ef.infer.influence_score("recall", outcomes, sides, class_counts="fixed")
    truth = p.value.var()
    # The variance of 4000 values has a standard error of 2.2%, the mean of 4000 variances one of
    # 0.8%.
    assert (p.standard_error**2).mean() == pytest.approx(truth, rel=0.07)
    low, high = p.interval(0.95)
    # 4 standard errors
    assert ((low < 0.5) & (high > 0.5)).mean() == pytest.approx(0.95, abs=0.014)
    naive = (outcomes[..., 0].mean(axis=1) - 0.5).var(axis=1) / n
    assert naive.mean() < 0.5 * truth  # what the test points alone would say


@pytest.mark.parametrize("measure", MEASURES)
def test_the_posterior_of_one_score_matches_draws(measure: str) -> None:
    p = ef.infer.influence_score(measure, labelled(3, 80, seed=1), halves(3, 80))
    t = np.random.default_rng(0).standard_t(3, size=10**6)
    angle = np.arcsin(np.sqrt(p.value)) + t * p.standard_error / np.sqrt(
        4 * p.value * (1 - p.value)
    )
    draws = np.sin(np.clip(angle, 0, np.pi / 2)) ** 2
    assert p.mean == pytest.approx(draws.mean(), abs=4 * draws.std() / 1000 + 1e-5)
    assert_allclose(p.interval(0.9), np.quantile(draws, [0.05, 0.95]), atol=2e-3)
    for null in (0.3, 0.5, 0.7):
        assert p.probability(null) == pytest.approx((draws > null).mean(), abs=2e-3)


def test_the_posterior_of_a_difference_is_students_t() -> None:
    a, b = labelled(7, 160, seed=1), labelled(7, 160, seed=1, hit=0.8)
    d = ef.infer.influence_f1(a, b, halves(7, 160))
    t = stats.t(7, loc=d.value, scale=d.standard_error)
    assert d.mean == d.value == pytest.approx(float(d.b.value - d.a.value), rel=1e-12)
    assert_allclose(d.interval(0.9), t.ppf([0.05, 0.95]), rtol=1e-9)
    assert d.probability(0.01) == pytest.approx(t.sf(0.01), rel=1e-9)
    rope = d.rope(0.02)
    assert rope.worse + rope.equivalent + rope.better == pytest.approx(1, abs=1e-12)
    assert rope.worse == pytest.approx(t.cdf(-0.02), rel=1e-9)
    assert d.estimand == "difference of F1 B − A at training size n/2"
    assert d.a.estimand == "F1 at training size n/2"


@pytest.mark.parametrize("measure", MEASURES)
def test_what_two_algorithms_share_cancels(measure: str) -> None:
    sides = halves(7, 400)
    a, b = (labelled(7, 400, seed=2, hit=hit) for hit in (0.7, 0.72))
    d = compare(measure, a, b, sides)
    independent = np.hypot(d.a.standard_error, d.b.standard_error)
    assert d.standard_error < 0.5 * independent


@pytest.mark.parametrize("measure", MEASURES)
def test_symmetries(measure: str) -> None:
    sides = halves(3, 100)
    a, b = labelled(3, 100, seed=7, batch=(2,)), labelled(3, 100, seed=8, batch=(2,))
    b[..., 0], b[..., 2] = (
        np.where(a[..., 0] | a[..., 2], b[..., 0], 0),
        (a[..., 0] | a[..., 2]) & ~b[..., 0],
    )
    d, mirrored = compare(measure, a, b, sides), compare(measure, b, a, sides)
    assert_allclose(mirrored.value, -d.value, rtol=1e-12)
    assert_allclose(mirrored.probability(), 1 - d.probability(), atol=1e-12)
    assert_allclose(mirrored.interval()[0], -d.interval()[1], rtol=1e-12)
    order, flipped = np.random.default_rng(0).permutation(100), sides.copy()
    flipped[1] = ~flipped[1]  # which split of a repetition comes first does not matter
    again = compare(measure, a[..., order, :], b[..., order, :], flipped[:, order])
    assert_allclose(again.standard_error, d.standard_error, rtol=1e-9)
    single = compare(measure, a[1], b[1], sides)
    assert single.interval()[0] == pytest.approx(d.interval()[0][1], rel=1e-12)


def test_fixed_class_counts_take_out_what_the_labels_did() -> None:
    n, m = 240, 7
    sides, outcomes = halves(m, n), labelled(m, n, seed=4)
    signs = np.where(sides, 1.0, -1.0)
    free = ef.infer.influence_score("f1", outcomes, sides)
    fixed = ef.infer.influence_score("f1", outcomes, sides, class_counts="fixed")
    # By hand: C_r from the definition, then least squares through the origin on the uneven labels.
    _, slope = slopes("f1", outcomes.sum(axis=(0, 1)) + 1.0)
    e = outcomes @ slope * m
    own = np.array([signs[r] @ e[r] for r in range(m)])
    others = np.array([np.mean([signs[r] @ e[q] for q in range(m) if q != r]) for r in range(m)])
    C, L = 2 * others - own, signs @ (outcomes[0, :, 0] | outcomes[0, :, 2])
    rss = np.linalg.lstsq(L[:, None].astype(float), C, rcond=None)[1]
    assert free.standard_error == pytest.approx(np.sqrt((C**2).mean()), rel=1e-9)
    assert fixed.standard_error == pytest.approx(np.sqrt(rss[0] / (m - 1)), rel=1e-9)
    assert [free.df, fixed.df] == [m, m - 1]


def test_balanced_splits_are_noticed_and_random_ones_rarely() -> None:
    n, m = 320, 7
    y = np.arange(n) % 4 == 0
    outcomes = np.broadcast_to(tables(y, y)[None], (m, n, 3))
    balanced = ef.Mx2BCV(m, balance="labels", random_state=1).partition(n, y=y)
    sides = np.stack([np.isin(np.arange(n), test) for test in balanced.test[::2]])
    with pytest.warns(HiddenVariance, match="balanced by labels"):
        ef.infer.influence_recall(outcomes, outcomes, sides)
    ef.infer.influence_recall(outcomes, outcomes, sides, class_counts="fixed")  # no warning
    rng, noticed = np.random.default_rng(3), 0
    for _ in range(400):
        shuffled = tables(*2 * (rng.permutation(y),))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ef.infer.influence_score("recall", np.broadcast_to(shuffled[None], (m, n, 3)), sides)
        noticed += len(caught)
    assert noticed <= 4 + 4 * 2  # 1% of 400, and four standard errors


def test_splits_that_hide_the_labels_get_at_least_the_spread_of_the_halves() -> None:
    n, m = 320, 3
    rng = np.random.default_rng(2)
    y = rng.random(n) < 0.4
    balanced = ef.Mx2BCV(m, balance="labels", random_state=1).partition(n, y=y)
    sides = np.stack([np.isin(np.arange(n), test) for test in balanced.test[::2]])
    outcomes = tables(y, rng.random((m, n)) < 0.5)
    with pytest.warns(HiddenVariance):
        wide = ef.infer.influence_score("recall", outcomes, sides)
    narrow = ef.infer.influence_score("recall", outcomes, sides, class_counts="fixed")
    recalls = [[recall(outcomes[r, side]) for side in (sides[r], ~sides[r])] for r in range(m)]
    spread = np.sqrt(np.mean((np.diff(recalls)[:, 0] / 2) ** 2))
    assert wide.standard_error == pytest.approx(max(narrow.standard_error, spread), rel=0.05)
    assert narrow.df == m


def recall(outcomes: Bools) -> float:
    tp, _, fn = outcomes.sum(axis=0)
    return float(tp / (tp + fn))


def test_two_equal_algorithms_are_equally_good() -> None:
    outcomes, sides = labelled(7, 200, seed=0), halves(7, 200)
    for measure in MEASURES:
        d = compare(measure, outcomes, outcomes, sides)
        assert (d.value, d.probability()) == (0, 0.5)
        low, high = d.interval()
        assert -0.05 < low < 0 < high == -low


@pytest.mark.parametrize("m", [3, 7])
@pytest.mark.parametrize("positives", [40, 400])
def test_a_perfect_score_gets_about_the_interval_of_a_beta_posterior(
    m: int, positives: int
) -> None:
    y = np.random.default_rng(0).permutation(4 * positives) < positives
    sides = halves(m, len(y))
    outcomes = np.broadcast_to(tables(y, y)[None], (m, len(y), 3))
    low, high = ef.infer.influence_score("recall", outcomes, sides).interval()
    assert high == pytest.approx(1.0)
    missed = stats.beta(positives + 1, 1).ppf(0.025)
    assert 1 - low == pytest.approx(1 - missed, rel=0.25)


def test_without_a_prediction_nothing_is_known_of_precision() -> None:
    y = np.random.default_rng(0).random(200) < 0.4
    nothing = np.broadcast_to(tables(y, np.zeros(200, dtype=bool))[None], (3, 200, 3))
    p = ef.infer.influence_score("precision", nothing, halves(3, 200))
    assert p.value == 0.5
    assert p.mean == pytest.approx(0.5)
    assert p.interval()[1] - p.interval()[0] > 0.9
    everything_absent = np.zeros((3, 200, 3))
    d = ef.infer.influence_f1(everything_absent, everything_absent, halves(3, 200))
    assert d.probability() == 0.5
    assert np.isfinite(d.interval()).all()


def test_wrong_arguments_are_refused_by_name() -> None:
    outcomes, sides = labelled(3, 80, seed=0), halves(3, 80)
    with pytest.raises(InvalidInput, match="sides must be a bool array of shape"):
        ef.infer.influence_score("f1", outcomes, sides.astype(int))
    with pytest.raises(InvalidInput, match="m ≥ 2"):
        ef.infer.influence_score("f1", outcomes[:1], sides[:1])
    with pytest.raises(InvalidInput, match=r"outcomes must be of shape \(..., 3, 80, 3\)"):
        ef.infer.influence_score("f1", outcomes[:, :40], sides)
    with pytest.raises(InvalidInput, match="outcomes_b must be of the shape of outcomes_a"):
        ef.infer.influence_f1(outcomes, outcomes[None], sides)
    with pytest.raises(InvalidInput, match="outcomes must be ≥ 0 but got -1"):
        ef.infer.influence_score("f1", -outcomes.astype(float), sides)
    with pytest.raises(InvalidInput, match="class_counts"):
        ef.infer.influence_score("f1", outcomes, sides, class_counts="some")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(InvalidInput, match="measure"):
        ef.infer.influence_score("accuracy", outcomes, sides)


def test_losses_of_a_run_are_fed_in_the_order_of_the_data() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(150) < 0.4
    X = rng.normal(size=(150, 2)) + y[:, None]

    def rule(X_train: Floats, y_train: Bools, X_test: Floats) -> Bools:
        middle = (X_train[y_train].mean(axis=0) + X_train[~y_train].mean(axis=0)) / 2
        said: Bools = (X_test - middle).sum(axis=1) > 0
        return said

    def half_rule(X_train: Floats, y_train: Bools, X_test: Floats) -> Bools:
        return rule(X_train[:, :1], y_train, X_test[:, :1])

    partition = ef.Mx2BCV(5, random_state=2).partition(150)
    done = ef.run.run({"a": half_rule, "b": rule}, partition, X, y, measures=list(MEASURES), seed=0)
    said = {name: np.empty((5, 150), dtype=bool) for name in "ab"}
    for j, (train, test) in enumerate(partition):
        said["a"][j // 2, test] = half_rule(X[train], y[train], X[test])
        said["b"][j // 2, test] = rule(X[train], y[train], X[test])
    sides = np.stack([np.isin(np.arange(150), test) for test in partition.test[::2]])
    scores = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
    for measure in MEASURES:
        expected = compare(measure, tables(y, said["a"]), tables(y, said["b"]), sides)
        d: Any = ef.infer.estimate(done[measure], f"influence-{measure}")
        assert_allclose(d.interval(), expected.interval(), rtol=1e-12)
        pooled = [scores[measure](np.tile(y, 5), said[name].ravel()) for name in "ab"]
        assert d.value == pytest.approx(
            pooled[1] - pooled[0], abs=0.01
        )  # one count each makes the difference
        alone: Any = ef.infer.estimate(done[measure], f"influence-{measure}", baseline=None)
        assert_allclose(alone.interval(), expected.b.interval(), rtol=1e-12)
    with pytest.raises(ef.NotApplicable, match="needs the measure 'f1' but got 'recall'"):
        ef.infer.estimate(done["recall"], "influence-f1")
    single = ef.run.run(
        [rule], ef.Mx2BCV(1, random_state=0).partition(150), X, y, measures="f1", seed=0
    )
    with pytest.raises(ef.NotApplicable, match="at least 2 repetitions"):
        ef.infer.estimate(single["f1"], "influence-f1", challenger=0, baseline=None)
