"""Posteriors of precision, recall and F1 against exact sums, closed forms, draws, R19's tables."""

import math
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, special, stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer import bayes_scores as _beta

Floats = NDArray[np.float64]
LN2 = math.log(2)


def exceedance(a: Any, b: Any, c: Any, d: Any, margin: Any = 0.0, shift: float = 0.0) -> Floats:
    """P(B − A > margin) for A ~ Be(a, b) and B ~ Be(c, d)."""
    a, b, c, d, margin = (
        np.ravel(x).astype(float) for x in np.broadcast_arrays(a, b, c, d, margin)
    )
    return _beta.exceedance(np.array([[a, c], [b, d]]), margin=margin, shift=shift)


def exact(a: int, b: int, c: int, d: int) -> float:
    """
    P(B > A) for integer shapes, as a ratio of integers.

    A is the a-th smallest of a + b − 1 uniforms, B the c-th smallest of c + d − 1 others; B exceeds
    A if i < c of the second sample lie below A, and all orders of the two samples are equally
    likely.
    """
    n_a, n_b = a + b - 1, c + d - 1
    ways = sum(math.comb(a - 1 + i, i) * math.comb(b - 1 + n_b - i, n_b - i) for i in range(c))
    return float(Fraction(ways, math.comb(n_a + n_b, n_b)))


def by_ratios(a: int, b: int, c: int, d: int) -> float:
    """
    The same sum for large shapes.

    Ratios of consecutive terms from the largest term on, normalised.
    """
    n_b = c + d - 1
    i = np.arange(n_b)
    log_ratio = np.log((a + i) / (i + 1) * (n_b - i) / (b - 1 + n_b - i))
    log_term = np.concatenate([[0.0], np.cumsum(log_ratio.astype(np.longdouble))])
    term = np.exp(log_term - log_term.max())
    return float(term[:c].sum() / term.sum())


def test_1000_random_count_tables_match_exact_sums() -> None:
    rng = np.random.default_rng(1)
    counts = np.exp(rng.uniform(0, math.log(200), size=(1000, 2, 3))).astype(int) - 1
    d = ef.infer.bayes_f1(counts[:, 0], counts[:, 1], m=None)
    expected = [
        exact(a[0] + 1, a[1] + a[2] + 2, b[0] + 1, b[1] + b[2] + 2) for a, b in counts.tolist()
    ]
    np.testing.assert_allclose(d.probability(), expected, rtol=0, atol=1e-10)
    d = ef.infer.bayes_precision(counts[:, 0], counts[:, 1], m=None)
    expected = [exact(a[0] + 1, a[1] + 1, b[0] + 1, b[1] + 1) for a, b in counts.tolist()]
    np.testing.assert_allclose(d.probability(), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    "shapes",
    [
        (100_000, 100_000, 100_300, 99_900),
        (90_000, 10_000, 90_100, 9_950),
        (10, 10**6, 12, 10**6),
        (1, 5, 10**5, 1),
    ],
)
def test_large_shapes_match_exact_sums(shapes: tuple[int, int, int, int]) -> None:
    assert exceedance(*shapes)[0] == pytest.approx(by_ratios(*shapes), abs=1e-10)


def test_the_two_references_agree() -> None:
    assert by_ratios(40, 7, 35, 9) == pytest.approx(exact(40, 7, 35, 9), rel=1e-13)
    assert exact(1, 1, 1, 1) == 0.5


def _times(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    """Product of two polynomials."""
    out = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            out[i + j] += x * y
    return out


def _power(p: list[Fraction], n: int) -> list[Fraction]:
    return reduce(_times, [p] * n, [Fraction(1)])


def _margin_exact(a: int, b: int, c: int, d: int, margin: Fraction) -> float:
    """∫ f_A(x)·P(B > x + Δ) dx in rational arithmetic."""
    n, up, down = c + d - 1, [margin, Fraction(1)], [1 - margin, Fraction(-1)]
    f = _times(
        _power([Fraction(0), Fraction(1)], a - 1), _power([Fraction(1), Fraction(-1)], b - 1)
    )
    total = Fraction(0)
    for j in range(c):
        product = _times(f, _times(_power(up, j), _power(down, n - j)))
        integral = sum(
            (x * (1 - margin) ** (i + 1) / (i + 1) for i, x in enumerate(product)), Fraction(0)
        )
        total += math.comb(n, j) * integral
    beta = Fraction(math.factorial(a - 1) * math.factorial(b - 1), math.factorial(a + b - 1))
    return float(total / beta)


@pytest.mark.parametrize("margin", [Fraction(1, 100), Fraction(1, 10), Fraction(2, 3)])
@pytest.mark.parametrize("shapes", [(1, 1, 1, 1), (2, 3, 4, 1), (6, 2, 8, 2), (1, 7, 3, 3)])
def test_a_margin_matches_rational_integration(
    shapes: tuple[int, int, int, int], margin: Fraction
) -> None:
    a, b, c, d = shapes
    p = _margin_exact(a, b, c, d, margin)
    assert exceedance(*shapes, float(margin))[0] == pytest.approx(p, abs=1e-13)
    assert exceedance(c, d, a, b, -float(margin))[0] == pytest.approx(1 - p, abs=1e-13)


def test_a_uniform_opponent_has_closed_forms_for_every_shape() -> None:
    # P(B > x + Δ) = (1 − Δ − x)₊ for a uniform B; its mean over A ~ Be(a, b) in incomplete Beta
    # functions
    rng = np.random.default_rng(2)
    a, b = 10 ** rng.uniform(-3, 9, size=(2, 2000))
    margin = np.where(
        rng.random(2000) < 0.5, rng.uniform(0, 1, 2000), 10 ** rng.uniform(-12, 0, 2000)
    )
    expected = (1 - margin) * special.betainc(a, b, 1 - margin) - a / (a + b) * special.betainc(
        a + 1, b, 1 - margin
    )
    np.testing.assert_allclose(exceedance(a, b, 1, 1, margin), expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(exceedance(a, b, 1, 1), b / (a + b), rtol=0, atol=1e-11)
    # the mirror image: a uniform A, for which P is the mean of (ν_B − Δ)₊
    mirrored = a / (a + b) * special.betaincc(a + 1, b, margin) - margin * special.betaincc(
        a, b, margin
    )
    np.testing.assert_allclose(exceedance(1, 1, a, b, margin), mirrored, rtol=0, atol=1e-10)


def test_adding_one_to_a_shape_adds_a_known_term() -> None:
    # P(c + 1) − P(c) = B(a + c, b + d) / (c·B(a, b)·B(c, d)), for any real shapes
    rng = np.random.default_rng(3)
    a, b, c, d = 10 ** rng.uniform(-3, 3, size=(4, 1000))
    term = np.exp(special.betaln(a + c, b + d) - special.betaln(a, b) - special.betaln(c, d)) / c
    difference = exceedance(a, b, c + 1, d) - exceedance(a, b, c, d)
    np.testing.assert_allclose(difference, term, rtol=0, atol=1e-11)


@pytest.mark.parametrize("margin", [0.02, -0.1, 0.4])
@pytest.mark.parametrize(
    ("a", "b"), [((7, 3, 2), (8, 2, 4)), ((0, 0, 0), (3, 0, 1)), ((40, 9, 12), (45, 8, 9))]
)
def test_f1_with_a_margin_matches_adaptive_integration_of_its_density(
    a: tuple[int, int, int], b: tuple[int, int, int], margin: float
) -> None:
    def density(t: float, tp: int, fp: int, fn: int) -> float:  # R19 eq. 6.33
        p, q = fp + fn + 2.0, tp + 1.0
        return float(
            2**p * (1 - t) ** (p - 1) * (2 - t) ** (-p - q) * t ** (q - 1) / special.beta(p, q)
        )

    def exceeds(t: float, tp: int, fp: int, fn: int) -> float:
        v = t / (2 - t)
        return float(special.betaincc(tp + 1, fp + fn + 2, v)) if 0 < t < 1 else float(t <= 0)

    ends = sorted({0.0, min(1.0, max(0.0, -margin)), min(1.0, max(0.0, 1 - margin)), 1.0})
    expected = sum(
        integrate.quad(
            lambda t: density(t, *a) * exceeds(t + margin, *b), low, high, epsabs=1e-13, limit=200
        )[0]
        for low, high in pairwise(ends)
    )
    d = ef.infer.bayes_f1(a, b, m=None)
    assert d.probability(margin) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("margin", [0.0, 0.01, -0.02])
def test_a_few_tables_match_a_million_draws(margin: float) -> None:
    rng = np.random.default_rng(4)
    draws = 10**6
    for a, b in (((120, 30, 24), (123, 27, 23)), ((3, 1, 5), (6, 0, 2)), ((0, 4, 0), (1, 1, 0))):
        fa, fb = (
            2 / (2 + rng.gamma(x[1] + x[2] + 2, size=draws) / rng.gamma(x[0] + 1, size=draws))
            for x in (a, b)
        )
        p = float(ef.infer.bayes_f1(a, b, m=None).probability(margin))
        assert abs(np.mean(fb - fa > margin) - p) < 4.5 * math.sqrt(p * (1 - p) / draws)


@pytest.mark.parametrize("shift", [0.0, LN2])
@pytest.mark.parametrize("margin", [0.0, 1e-9, 0.003, 0.5])
@pytest.mark.parametrize(
    "sizes",
    [
        (1e-3, 1.0, 3.0, 1e5, 1e9 + 1),
        pytest.param((1e-3, 0.5, 1.0, 3.0, 1e2, 1e5, 1e7, 1e9 + 1), marks=pytest.mark.guarantee),
    ],
    ids=len,
)
def test_no_failure_from_zero_to_a_thousand_million(
    shift: float, margin: float, sizes: tuple[float, ...]
) -> None:
    a, b, c, d = (x.ravel() for x in np.meshgrid(sizes, sizes, sizes, sizes))
    p = exceedance(a, b, c, d, margin, shift)
    assert np.all((p >= 0) & (p <= 1))
    complement = exceedance(c, d, a, b, -margin, shift)
    np.testing.assert_allclose(p + complement, 1, rtol=0, atol=1e-10)
    if margin == 0:
        np.testing.assert_allclose(p + exceedance(c, d, a, b, 0.0, shift), 1, rtol=0, atol=1e-10)
        same = (a == c) & (b == d)
        np.testing.assert_allclose(p[same], 0.5, rtol=0, atol=1e-10)


def _hard_cases(n: int) -> tuple[Floats, Floats, Floats]:
    """Shapes from 1e-5 to 1e9, and margins that cut a density off or centre the difference."""
    rng = np.random.default_rng(8)
    a, b = 10 ** rng.uniform(-1, 9, size=(2, 2, n))
    tiny = rng.random(n) < 0.3
    a, b = (
        np.where(tiny, 10 ** rng.uniform(-5, 1, (2, n)), a),
        np.where(tiny, 10 ** rng.uniform(-5, 1, (2, n)), b),
    )
    centre = a / (a + b)
    width = np.sqrt(centre * (1 - centre) / (a + b + 1))
    moved = rng.normal(0, 2, n)
    cut_b, cut_a = centre[1] + moved * width[1], 1 - centre[0] + moved * width[0]
    middle = centre[1] - centre[0] + moved * np.hypot(*width)
    margin = np.choose(rng.integers(0, 4, n), [cut_b, cut_a, middle, 10 ** rng.uniform(-12, 0, n)])
    return a, b, np.clip(margin, -0.999999, 0.999999)


@pytest.mark.parametrize("cases", [500, pytest.param(3000, marks=pytest.mark.guarantee)])
@pytest.mark.parametrize("shift", [0.0, LN2])
def test_a_much_finer_rule_changes_nothing(
    shift: float, cases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, margin = _hard_cases(cases)
    p = _beta.exceedance(np.array([a, b]), margin=margin, shift=shift)
    assert np.mean((p > 1e-3) & (p < 1 - 1e-3)) > 0.3
    monkeypatch.setattr(_beta, "_REACH", np.array([0.75, 1.5, 3.0, 5.0, 6.5, 8.6]))
    monkeypatch.setattr(_beta, "_TAIL", np.array([1.0, 2.0, 4.0, 8.0, 14.0, 20.0, 35.0]))
    _beta._reach.cache_clear()
    finer = _beta.exceedance(np.array([a, b]), margin=margin, shift=shift)
    monkeypatch.undo()
    _beta._reach.cache_clear()
    np.testing.assert_allclose(p, finer, rtol=0, atol=2e-11)


def test_huge_counts_agree_with_the_normal_limit() -> None:
    n, step = 10**9, 5 * 10**4
    p = float(ef.infer.bayes_precision((n, n, 0), (n + step, n - step, 0), m=None).probability())
    z = (step / n / 2) / math.sqrt(2 * 0.25 / (2 * n))
    assert p == pytest.approx(float(special.ndtr(z)), abs=1e-8)


def test_kappa_is_the_mean_over_the_rectangle() -> None:
    for m in (1, 2, 3, 7, 16, 1000):
        mean = integrate.dblquad(
            lambda r1, r2, m=m: 8 / (1 + r1 + 2 * (m - 1) * r2), 0.25, 0.5, 0, 0.5, epsabs=1e-13
        )
        assert ef.infer.kappa(m) == pytest.approx(mean[0], rel=1e-10)
    assert ef.infer.kappa(3) == pytest.approx(0.3688, abs=5e-5)  # R19 eq. 6.28
    assert ef.infer.kappa(4, rho=(0.2, 0.3)) == pytest.approx(1 / (1 + 0.2 + 6 * 0.3), rel=1e-15)
    assert ef.infer.kappa(4, rho=(1.0, 1.0)) == pytest.approx(1 / 8, rel=1e-15)  # Wang 2016
    assert ef.infer.kappa(10**6) == pytest.approx(4 * math.log(2) / 2 / 10**6, rel=1e-5)


# KC1, m = 3: 975 = 3·325 tested positives; counts from the precision and recall printed in R19
# table 7.2
LOGISTIC, FOREST = (677, 1405, 298), (772, 1672, 203)


@pytest.mark.parametrize(
    ("measure", "counts", "low", "high"),
    [
        ("precision", LOGISTIC, 29.30, 35.91),
        ("precision", FOREST, 28.64, 34.70),
        ("recall", LOGISTIC, 64.48, 73.97),
        ("recall", FOREST, 74.68, 83.05),
        ("f1", LOGISTIC, 40.67, 47.89),
        ("f1", FOREST, 41.74, 48.56),
    ],
)
def test_intervals_of_r19_table_7_2(measure: Any, counts: Any, low: float, high: float) -> None:
    interval = ef.infer.score_posterior(measure, counts, m=3).interval(0.95)
    np.testing.assert_allclose(100 * np.array(interval), [low, high], rtol=0, atol=0.011)


def test_probabilities_of_r19_table_7_3() -> None:
    # R19 draws 10⁶ samples and its printed counts are rounded: two or three digits agree
    assert ef.infer.bayes_precision(LOGISTIC, FOREST, m=3).probability() == pytest.approx(
        0.343, abs=2e-3
    )
    assert ef.infer.bayes_recall(LOGISTIC, FOREST, m=3).probability() == pytest.approx(
        0.999, abs=1e-3
    )
    assert ef.infer.bayes_f1(LOGISTIC, FOREST, m=3).probability() == pytest.approx(0.635, abs=2e-3)


@pytest.mark.parametrize("counts", [(0, 0, 0), (3, 1, 5), (1200, 300, 240), (10**9, 10**8, 10**8)])
def test_means_and_quantiles_of_one_score(counts: tuple[int, int, int]) -> None:
    tp, fp, fn = counts
    beta_prime = stats.betaprime(fp + fn + 2, tp + 1)
    p = ef.infer.score_posterior("f1", counts, m=None)
    low, high = p.interval(0.9)
    expected = 2 / (2 + beta_prime.ppf([0.95, 0.05]))
    np.testing.assert_allclose([low, high], expected, rtol=1e-9)
    assert p.probability(float(low)) == pytest.approx(0.95, abs=1e-6)
    if tp < 10**6:
        mean = integrate.quad(lambda q: 2 / (2 + beta_prime.ppf(q)), 0, 1, epsabs=1e-12, limit=200)[
            0
        ]
        assert p.mean == pytest.approx(mean, abs=1e-8)
    precision = ef.infer.score_posterior("precision", counts, m=None)
    assert precision.mean == pytest.approx((tp + 1) / (tp + fp + 2), rel=1e-14)
    np.testing.assert_allclose(
        precision.interval(), stats.beta(tp + 1, fp + 1).ppf([0.025, 0.975]), rtol=1e-12
    )
    assert np.shape(p.mean) == ()


def test_mean_of_f1_at_both_ends() -> None:
    # without counts V ~ Be(1, 2) and E 2V/(1 + V) = 4·∫ v(1 − v)/(1 + v) dv
    assert ef.infer.score_posterior("f1", (0, 0, 0), m=None).mean == pytest.approx(
        6 - 8 * LN2, rel=1e-13
    )
    n = 10**9
    assert ef.infer.score_posterior("f1", (n, n, n), m=None).mean == pytest.approx(0.5, abs=1e-9)
    assert ef.infer.score_posterior("f1", (n, 0, 0), m=None).mean == pytest.approx(
        1 - 1 / n, abs=1e-12
    )
    small = ef.infer.score_posterior("f1", (0, 0, 0), m=None, prior=1e-4).mean
    assert small == pytest.approx(1 / 3, abs=1e-3)  # V is 0 or 1, as 2 to 1


@pytest.mark.parametrize("key", ["bayes-precision", "bayes-recall", "bayes-f1"])
def test_interval_probability_and_rope_agree(key: str) -> None:
    entry = ef.infer.methods()[key]
    function: Any = entry.function
    assert (entry.family, entry.inputs, entry.arguments) == ("posterior", ("confusion",), ("m",))
    rng = np.random.default_rng(5)
    counts = 10 ** rng.uniform(0, [[4], [3], [3]], size=(3, 50)).T - 1
    d = function(counts[:25], counts[25:], m=3)
    low, high = d.interval(0.9)
    mean = d.mean
    for i in range(25):
        one = function(counts[i], counts[25 + i], m=3)
        assert one.probability(float(low[i])) == pytest.approx(0.95, abs=1e-8)
        assert one.probability(float(high[i])) == pytest.approx(0.05, abs=1e-8)
        assert one.probability() == pytest.approx(d.probability()[i], abs=1e-14)
        assert low[i] < mean[i] < high[i]
        assert one.mean == pytest.approx(mean[i], abs=1e-13)
    r, zero = d.rope(0.05), d.rope(0.0)
    np.testing.assert_allclose(r.worse + r.equivalent + r.better, 1, atol=1e-12)
    np.testing.assert_allclose(zero.equivalent, 0, atol=1e-12)
    np.testing.assert_array_equal(r.better, d.probability(0.05))
    swapped = function(counts[25:], counts[:25], m=3)
    np.testing.assert_allclose(swapped.probability(), 1 - d.probability(), atol=1e-12)
    np.testing.assert_allclose(swapped.interval(0.9)[0], -high, atol=1e-8)
    np.testing.assert_allclose(swapped.rope(0.05).worse, r.better, atol=1e-12)


def test_extreme_counts_have_an_interval() -> None:
    counts = np.array(
        [[0, 0, 0], [0, 10**9, 10**9], [10**9, 0, 0], [10**9, 10**9, 10**9], [1, 0, 0]]
    )
    d = ef.infer.bayes_f1(counts[:, None], counts[None, :], m=3)
    low, high = d.interval()
    assert low.shape == (5, 5)
    assert np.all((low >= -1) & (low < high) & (high <= 1))
    assert np.all(np.isfinite(d.mean))


@pytest.mark.parametrize("step", [30, pytest.param(6, marks=pytest.mark.guarantee)])
@pytest.mark.parametrize("function", [ef.infer.bayes_precision, ef.infer.bayes_f1])
def test_limits_are_right_or_as_near_as_floats_allow(function: Any, step: int) -> None:
    # a prior of .01 without counts puts most of the weight next to 0 and 1, where P falls in jumps
    rng = np.random.default_rng(9)
    counts = np.where(rng.random((2, 300, 3)) < 0.3, 0.0, 10 ** rng.uniform(-2, 9, (2, 300, 3)))
    d = function(*counts, m=None, prior=0.01)
    for limits, p in zip(d.interval(0.9), (0.95, 0.05), strict=True):
        for i in range(0, 300, step):
            one = function(counts[0, i], counts[1, i], m=None, prior=0.01)
            low, high = limits[i] - 1e-14, limits[i] + 1e-14
            assert low <= -1 or one.probability(low) > p - 1e-8
            assert high >= 1 or one.probability(high) < p + 1e-8


def test_an_empty_batch_has_empty_answers() -> None:
    d = ef.infer.bayes_f1(np.empty((0, 3)), np.empty((0, 3)), m=3)
    assert (
        d.probability().shape
        == d.probability(0.1).shape
        == d.mean.shape
        == d.interval()[0].shape
        == (0,)
    )


def test_effective_counts_and_correlations() -> None:
    a, b = np.array([90.0, 20, 15]), np.array([95.0, 15, 10])
    summed = ef.infer.bayes_f1(a, b, m=3)
    effective = ef.infer.bayes_f1(ef.infer.kappa(3) * a, ef.infer.kappa(3) * b, m=None)
    known = ef.infer.bayes_f1(a, b, m=3, rho=(0.1, 0.3))
    assert summed.probability() == effective.probability()
    same = ef.infer.bayes_f1(a / 2.3, b / 2.3, m=None)
    assert known.probability() == pytest.approx(same.probability(), abs=1e-12)
    assert known.a.interval()[0] > summed.a.interval()[0]  # κ = 1/2.3 is more than κ_3
    jeffreys = ef.infer.bayes_precision((0, 0, 0), (1, 0, 0), m=None, prior=0.5)
    assert jeffreys.b.mean == 0.75
    assert (summed.method, summed.estimand) == (
        "bayes-f1",
        "difference of F1 B − A at training size n/2",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"counts_a": (1, 2)},
            r"counts_a must be of shape \(..., 3\): TP, FP, FN but got shape \(2,\)",
        ),
        ({"counts_a": (1, -2, 3)}, "counts_a must be ≥ 0 but got -2 at position 1"),
        (
            {"counts_a": [[1, 2, 3], [1, np.nan, 3]]},
            r"counts_a must be finite but got nan at position \(1, 1\)",
        ),
        (
            {"counts_a": np.ones((2, 3)), "counts_b": np.ones((4, 3))},
            "counts_a and counts_b must be of shapes that fit",
        ),
        ({"m": 0}, "m must be an integer ≥ 1 but got 0"),
        ({"m": None, "rho": (0.1, 0.2)}, "m must be given with rho but got None"),
        ({"rho": (0.1,)}, r"rho must be a pair \(ρ1, ρ2\)"),
        ({"rho": (-0.9, -0.5)}, r"rho must satisfy 1 \+ ρ1"),
        ({"prior": 0.0}, "prior must be a number > 0 but got 0\\.0\\. Use 0\\.5"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"counts_a": (1, 2, 3), "counts_b": (1, 2, 3), "m": 3} | arguments
    a, b = given.pop("counts_a"), given.pop("counts_b")
    with pytest.raises(InvalidInput, match=message):
        ef.infer.bayes_f1(a, b, **given)


def test_bad_questions_are_refused() -> None:
    d = ef.infer.bayes_f1((1, 2, 3), (1, 2, 3), m=3)
    with pytest.raises(InvalidInput, match="null must be a number between -1 and 1 but got 1"):
        d.probability(1)
    with pytest.raises(InvalidInput, match="margin must be a finite number ≥ 0"):
        d.rope(-0.1)
    with pytest.raises(InvalidInput, match="level must be"):
        d.interval(95)
    with pytest.raises(
        InvalidInput, match="measure must be one of 'precision', 'recall', 'f1' but got 'F1'"
    ):
        ef.infer.score_posterior("F1", (1, 2, 3), m=3)  # type: ignore[arg-type]  # what is refused


def test_both_hypotheses_and_the_decision_are_those_of_r19_algorithm_6_1() -> None:
    better = ef.infer.bayes_f1([300, 60, 60], [330, 40, 40], m=3)
    found = better.hypotheses()
    assert found.h1 == pytest.approx(better.probability())
    assert found.h0 + found.h1 == pytest.approx(1.0)
    assert bool(found.accepts_h1)
    equal = ef.infer.bayes_f1([300, 60, 60], [300, 60, 60], m=3)
    assert not bool(equal.hypotheses(0.01).accepts_h1)
