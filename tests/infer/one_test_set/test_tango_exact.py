"""The exact test of paired right/wrong answers (docs/infer/holdout), and what it promises."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, special, stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.one_test_set import tango_exact as tango
from evenfold.infer.one_test_set.tango_exact import MOST_EXACT, null_tails, pvalues, score


def tables(n: int) -> tuple[Any, Any]:
    """All (fixed, broke) of n examples."""
    fixed, broke = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    possible = fixed + broke <= n
    return fixed[possible].astype(float), broke[possible].astype(float)


def chances(fixed: Any, broke: Any, n: int, p_fix: float, p_break: float) -> Any:
    """The trinomial distribution, as SciPy has it."""
    rest = np.maximum(n - fixed - broke, 0)
    return stats.multinomial.pmf(
        np.stack([fixed, broke, rest], axis=-1), n, [p_fix, p_break, max(1 - p_fix - p_break, 0.0)]
    )


def one_sided(fixed: int, broke: int, n: int, margin: float) -> float:
    return float(ef.infer.tango_exact(fixed, broke, n, null=-margin, alternative="greater").pvalue)


# docs/infer/holdout: sup over a fine grid of P(broke)
@pytest.mark.parametrize(
    ("fixed", "broke", "n", "margin", "expected"),
    [
        (0, 0, 100, 0.03, 0.0476),
        (0, 1, 100, 0.03, 0.1946),
        (1, 1, 100, 0.03, 0.0752),
        (2, 4, 200, 0.03, 0.0905),
        (6, 6, 1319, 0.01, 0.0017),
    ],
)
def test_one_sided_reference_values(
    fixed: int, broke: int, n: int, margin: float, expected: float
) -> None:
    assert one_sided(fixed, broke, n, margin) == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("fixed", "broke", "expected", "mcnemar"),
    [(4, 0, 0.0471, 0.125), (5, 0, 0.0254, 0.0625), (6, 0, 0.0143, 0.03125), (8, 2, 0.0609, 0.109)],
)
def test_two_sided_reference_values(
    fixed: int, broke: int, expected: float, mcnemar: float
) -> None:
    for pair in ((fixed, broke), (broke, fixed)):
        e = ef.infer.tango_exact(*pair, 1000)
        assert float(e.pvalue) == pytest.approx(expected, abs=1e-4)
        assert float(e.mcnemar) == pytest.approx(mcnemar, abs=5e-4)


def test_the_score_is_tangos() -> None:
    assert score(0, 1, 100, -0.03) == pytest.approx(1.1724, abs=5e-5)
    assert score(2, 9, 200, -0.02) == pytest.approx(-0.9608, abs=5e-5)
    assert score(0, 0, 50, 0.0) == 0


@pytest.mark.parametrize(
    ("b", "c", "n", "margin"), [(3, 7, 60, 0.05), (0, 4, 40, 0.1), (9, 1, 80, -0.02)]
)
def test_the_variance_is_that_of_the_restricted_likelihood(
    b: int, c: int, n: int, margin: float
) -> None:
    def against(q: float) -> float:
        likely = (
            special.xlogy(b, q - margin)
            + special.xlogy(c, q)
            + special.xlogy(n - b - c, 1 - 2 * q + margin)
        )
        return -float(likely)

    ends = max(margin, 0.0) + 1e-12, (1 + margin) / 2 - 1e-12
    q = optimize.minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-10}).x
    z = (b - c + n * margin) / np.sqrt(n * (2 * q - margin - margin**2))
    assert float(score(b, c, n, -margin)) == pytest.approx(z, rel=1e-5)


@pytest.mark.parametrize(
    ("n", "null"), [(12, -0.1), (25, 0.0), (40, -0.03), (40, 0.05), (11, -0.4)]
)
def test_tails_are_sums_of_the_trinomial_distribution(n: int, null: float) -> None:
    fixed, broke = tables(n)
    z = score(fixed, broke, n, null)
    rng = np.random.default_rng(0)
    seen = rng.choice(len(z), size=8, replace=False)
    for share in (max(abs(null), 0.02), 0.45, 0.8, 1.0):
        probability = chances(fixed, broke, n, (share + null) / 2, (share - null) / 2)
        expected = [probability[z >= z[i] - 1e-9].sum() for i in seen]
        found = null_tails(n, np.full(8, null), z[seen], np.full((8, 1), share))
        assert_allclose(found[:, 0], expected, atol=1e-12)


@pytest.mark.parametrize("n", [10, 14, 21, 33])
def test_the_worst_error_is_at_most_the_level(n: int) -> None:
    fixed, broke = tables(n)
    for margin in (1 / n, 0.12, 0.25):
        p = pvalues(fixed, broke, n, np.full(len(fixed), -margin))
        shares = np.linspace(margin, 1.0, 101)
        each = [chances(fixed, broke, n, (x - margin) / 2, (x + margin) / 2) for x in shares]
        for level in (0.01, 0.025, 0.05, 0.1):
            assert max(float(one[p <= level].sum()) for one in each) <= level + 1e-6


@pytest.mark.parametrize(
    ("n", "margin", "power"),
    [(50, 0.05, 0.25), (100, 0.03, 0.47), (100, 0.05, 0.79), (200, 0.02, 0.48)],
)
def test_power_is_near_that_of_tangos_normal_law(n: int, margin: float, power: float) -> None:
    fixed, broke = tables(n)
    fixed, broke = fixed[fixed + broke <= 20], broke[fixed + broke <= 20]
    chance = chances(fixed, broke, n, 0.01, 0.01)
    null = np.full(len(fixed), -margin)
    exact = chance[pvalues(fixed, broke, n, null) <= 0.05].sum()
    normal = chance[special.ndtr(-score(fixed, broke, n, null)) <= 0.05].sum()
    assert exact == pytest.approx(power, abs=0.01)
    assert normal - exact < 0.04


def test_pvalues_never_fall_as_the_null_rises() -> None:
    # by themselves they do: (5, 3, 100) has .155 at a margin of .012 and .244 at .014
    alone = pvalues(np.full(2, 5.0), np.full(2, 3.0), 100, np.array([-0.014, -0.012]))
    assert alone[0] > alone[1] + 0.05
    p = np.array(
        [one_sided(5, 3, 100, margin) for margin in (0.02, 0.016, 0.014, 0.012, 0.008, 0.004)]
    )
    assert (np.diff(p) >= 0).all()


@pytest.mark.parametrize(
    ("b", "c", "n"), [(1, 1, 100), (0, 4, 1000), (5, 3, 100), (0, 0, 30), (9, 0, 9)]
)
def test_limits_are_where_one_sided_tests_begin_to_reject(b: int, c: int, n: int) -> None:
    low, high = ef.infer.tango_exact(b, c, n).confidence_interval(0.95)
    step = 1e-3
    if low > -1 + step:
        assert one_sided(b, c, n, -float(low) + step) <= 0.025
        assert one_sided(b, c, n, -float(low) - step) > 0.025
    if high < 1 - step:
        assert one_sided(c, b, n, float(high) + step) <= 0.025
        assert one_sided(c, b, n, float(high) - step) > 0.025


@pytest.mark.parametrize("null", [0.0, -0.03, 0.05])
def test_pvalue_and_interval_agree_on_every_table(null: float) -> None:
    n = 14
    fixed, broke = tables(n)
    few = (fixed + broke <= 6) | (broke == 0)
    for side in ("two-sided", "greater", "less"):
        e = ef.infer.tango_exact(fixed[few], broke[few], n, null=null, alternative=side)
        low, high = e.confidence_interval(0.9)
        assert ((e.pvalue <= 0.1) == ((low > null) | (high < null))).all()
        assert ((low <= e.value) & (e.value <= high)).all()


@pytest.mark.parametrize("seed", range(4))
def test_pvalue_and_interval_agree_on_random_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(5):
        n = int(np.exp(rng.uniform(0.0, np.log(1500))))
        differ = min(int(rng.binomial(n, rng.random() ** 2)), MOST_EXACT)
        fixed = int(rng.choice([0, differ, rng.binomial(differ, 0.4)]))
        level = float(np.exp(rng.uniform(np.log(1e-4), np.log(0.5))))
        null = float(rng.choice([0.0, -0.03, (2 * fixed - differ) / n / 2]))
        e = ef.infer.tango_exact(fixed, differ - fixed, n, null=null)
        low, high = e.confidence_interval(1 - level)
        assert (float(e.pvalue) <= level) == bool(low > null or high < null)


# (fixed, broke, n, level, low, high), as the search through all points from far below finds them
SLOWLY = [
    (35, 28, 200, 0.0035, -0.08408859, 0.15449727),
    (90, 80, 1319, 0.0035, -0.02168648, 0.03707380),
    (230, 208, 1319, 0.05, -0.01447195, 0.04784162),
    (0, 12, 1319, 0.0035, -0.02047313, -0.00256900),
    (5, 20, 500, 0.05, -0.05222352, -0.00930256),
    (6, 6, 50, 0.1, -0.13143158, 0.13143158),
    (0, 0, 30, 0.01, -0.18517827, 0.18517827),
    (9, 0, 9, 0.05, 0.32746747, 1.00000000),
    (7, 3, 10, 0.5, 0.08206050, 0.64885546),
    (520, 480, 2000, 0.0001, -0.04159874, 0.08151703),
]


@pytest.mark.parametrize(("fixed", "broke", "n", "level", "low", "high"), SLOWLY)
def test_limits_are_those_of_a_search_through_all_points(
    fixed: int, broke: int, n: int, level: float, low: float, high: float
) -> None:
    found = ef.infer.tango_exact(fixed, broke, n).confidence_interval(1 - level)
    # a 4096th of a tenth of a standard error, which is how finely that search looked
    assert_allclose(found, (low, high), atol=3e-5 * (1 + np.sqrt(fixed + broke)) / n)


def test_the_smaller_pvalue_of_two_sides_is_doubled() -> None:
    for fixed, broke, n in ((3, 9, 40), (6, 5, 30), (0, 0, 12), (4, 4, 9)):
        above, below = (
            float(ef.infer.tango_exact(fixed, broke, n, null=0.01, alternative=side).pvalue)
            for side in ("greater", "less")
        )
        two_sided = float(ef.infer.tango_exact(fixed, broke, n, null=0.01).pvalue)
        assert two_sided == pytest.approx(min(2 * min(above, below), 1.0), rel=1e-12)


def test_28_intervals_need_few_pvalues(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(fixed: Any, broke: Any, n: int, null: Any) -> Any:
        asked.append(len(null))
        return pvalues(fixed, broke, n, null)

    monkeypatch.setattr(tango, "pvalues", counted)
    for k in range(4):
        ef.infer.tango_exact(61 + k, 52, 1317).confidence_interval(1 - 0.0035)
    assert sum(asked) < 4 * 100  # the search through all points asked for 150 an interval
    assert len(asked) < 4 * 12


def test_the_pairs_of_right_and_wrong_answers_have_a_joint_law() -> None:
    rng = np.random.default_rng(0)
    right = (rng.random((3, 200)) < 0.8).astype(float)
    right[1, :150] = right[0, :150]
    answers = {"a": right[0], "b": right[1], "c": right[2]}
    losses = ef.judge(answers, rows="examples", measure="accuracy").losses
    joint = ef.infer.jointly(losses, "tango-exact", [("a", "b"), ("a", "c"), ("b", "c")])
    assert joint.k == 3
    assert 0.05 / 3 < joint.per_test(0.05) < 0.05
    differences = [right[1] - right[0], right[2] - right[0], right[2] - right[1]]
    known = ef.infer.MaxT(values=differences, df=np.inf)
    assert joint.per_test(0.05) == pytest.approx(known.per_test(0.05))


def test_swapping_the_models_turns_everything_round() -> None:
    b, c = np.array([0, 3, 12]), np.array([5, 1, 12])
    e, f = ef.infer.tango_exact(b, c, 300), ef.infer.tango_exact(c, b, 300)
    assert_allclose(e.value, -f.value)
    assert_allclose(e.statistic, -f.statistic, atol=1e-12)
    assert_allclose(e.pvalue, f.pvalue)
    assert_allclose(e.confidence_interval()[0], -f.confidence_interval()[1])


def test_many_answers_that_differ_have_the_normal_law_and_it_is_said() -> None:
    b = MOST_EXACT // 2
    few, many = (
        ef.infer.tango_exact(b + 20, b - 40, 5000),
        ef.infer.tango_exact(b + 40, b - 20, 5000),
    )
    assert few.exact
    assert "normal" not in few.note
    assert not many.exact
    assert f"{2 * b + 20} answers differ: Tango's normal law" in many.note
    assert float(many.pvalue) == pytest.approx(2 * float(special.ndtr(-many.statistic)))
    # both laws are near each other where one takes over from the other
    assert float(few.pvalue) == pytest.approx(2 * float(special.ndtr(-few.statistic)), abs=0.003)


def test_shapes_fit_each_other() -> None:
    e = ef.infer.tango_exact([[1], [2]], [3, 4, 5], 50)
    assert e.pvalue.shape == e.value.shape == e.confidence_interval()[0].shape == (2, 3)
    assert float(e.pvalue[1, 2]) == float(ef.infer.tango_exact(2, 5, 50).pvalue)


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((3, 4, 6), {}, "fixed \\+ broke must be at most n but got 7"),
        ((0, 0, 0), {}, "n must be at least 1 but got 0"),
        ((0.5, 0, 10), {}, "fixed must be a whole number"),
        ((1, 1, 10), {"null": 1.5}, "null must be a difference of two shares"),
    ],
)
def test_what_cannot_be_is_refused(arguments: Any, keywords: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.tango_exact(*arguments, **keywords)


def test_a_hold_out_of_zero_one_losses_gets_it() -> None:
    from sklearn.datasets import make_classification
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = make_classification(300, random_state=0)
    two = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    c = ef.compare(two, X, y, design=ef.design.Holdout(0.5), random_state=0)
    assert c.estimate.method == "tango-exact"
    error = c.losses.means()
    assert float(c.estimate.value) == pytest.approx(error[1] - error[0])
    assert c.verdict.outcome.value == "better"
    log = ef.compare(two, X, y, design=ef.design.Holdout(0.5), measure="brier", random_state=0)
    assert log.estimate.method == "holdout-t"


# --- power --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p_fix", "p_break", "side"), [(0.01, 0.01, "greater"), (0.0, 0.08, "less")]
)
def test_power_is_the_chance_of_all_tables_that_are_rejected(
    p_fix: float, p_break: float, side: str
) -> None:
    n, margin = 60, 0.05
    fixed, broke = tables(n)
    fixed, broke = fixed[fixed + broke <= 22], broke[fixed + broke <= 22]
    chance = chances(fixed, broke, n, p_fix, p_break)
    if side == "greater":
        p = pvalues(fixed, broke, n, np.full(len(fixed), -margin))
    else:
        p = pvalues(broke, fixed, n, np.full(len(fixed), margin))
    found = ef.infer.tango_power(
        p_fix - p_break, n=n, differ=p_fix + p_break, null=-margin, level=0.05, alternative=side
    )
    assert found == pytest.approx(float(chance[p <= 0.05].sum()), abs=1e-6)


def test_two_points_are_found_among_1319_answers_at_one_per_cent_of_false_alarms() -> None:
    power = ef.infer.tango_power(-0.02, n=1319, differ=0.04, level=0.01, alternative="less")
    assert power == pytest.approx(0.9215, abs=5e-4)
    assert power >= 0.90


def test_two_sided_power_at_the_null_is_at_most_the_level() -> None:
    assert ef.infer.tango_power(0.0, n=200, differ=0.05) <= 0.05
    assert ef.infer.tango_power(0.0, n=200, differ=0.0) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"n": 100, "differ": 0.01}, "differ must be at least the size of the difference, 0.02"),
        ({"n": 0, "differ": 0.1}, "n must be"),
        ({"n": 10, "differ": 0.1, "null": 2.0}, "null must be a difference of two shares"),
    ],
)
def test_power_of_what_cannot_be_is_refused(keywords: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.tango_power(-0.02, **keywords)


def test_no_tables_have_no_limits() -> None:
    empty = ef.infer.tango_exact(np.zeros((3, 0)), 4, 1000)
    low, high = empty.confidence_interval()
    assert low.shape == high.shape == empty.pvalue.shape == (3, 0)
