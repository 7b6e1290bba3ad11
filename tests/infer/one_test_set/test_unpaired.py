"""
Two models on examples of their own.

Published intervals, the likelihood by brute force, and judge.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.one_test_set.unpaired import score_statistic

RNG = np.random.default_rng(9)


def answers(right: int, n: int) -> Any:
    return np.repeat([1.0, 0.0], [right, n - right])


# Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 6 (Miettinen and Nurminen)
@pytest.mark.parametrize(
    ("b", "a", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0528, 0.3382),
        ((9, 10), (3, 10), 0.1700, 0.8406),
        ((6, 7), (2, 7), 0.0342, 0.8534),
        ((5, 56), (0, 29), -0.0326, 0.1933),
        ((0, 10), (0, 20), -0.1658, 0.2844),
        ((0, 10), (0, 10), -0.2879, 0.2879),
        ((10, 10), (0, 20), 0.7156, 1.0),
        ((10, 10), (0, 10), 0.6636, 1.0),
    ],
)
def test_published_intervals(
    b: tuple[int, int], a: tuple[int, int], low: float, high: float
) -> None:
    e = ef.infer.miettinen_nurminen(answers(*a), answers(*b))
    assert e.confidence_interval() == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("delta", [-0.3, -0.02, 0.0, 0.15])
@pytest.mark.parametrize(("right_a", "right_b"), [(12, 20), (1, 3), (28, 24)])
def test_the_score_with_proportions_that_maximise_the_likelihood(
    right_a: int, right_b: int, delta: float
) -> None:
    n_a, n_b = 30, 25

    def minus(p: float) -> float:
        both = stats.binom.logpmf(right_a, n_a, p) + stats.binom.logpmf(right_b, n_b, p + delta)
        return -float(both)

    edge = (max(0.0, -delta), min(1.0, 1 - delta))
    inside = optimize.minimize_scalar(
        minus, bounds=edge, method="bounded", options={"xatol": 1e-12}
    )
    p = min([float(inside.x), *edge], key=minus)
    variance = (p * (1 - p) / n_a + (p + delta) * (1 - p - delta) / n_b) * 55 / 54
    z = (right_b / n_b - right_a / n_a - delta) / np.sqrt(variance)
    ours = score_statistic(
        np.asarray(float(right_a)), n_a, np.asarray(float(right_b)), n_b, np.asarray(delta)
    )
    assert ours == pytest.approx(z, rel=1e-5)


@pytest.mark.parametrize("level", [0.2, 0.05, 0.01])
def test_p_and_interval_agree(level: float) -> None:
    a, b = answers(30, 60), answers(40, 55)
    for limit in ef.infer.miettinen_nurminen(a, b).confidence_interval(1 - level):
        assert ef.infer.miettinen_nurminen(a, b, null=float(limit)).pvalue == pytest.approx(
            level, rel=1e-6
        )


def test_the_error_of_a_gate_by_enumeration() -> None:
    n, margin, worst = 50, 0.05, 0.0
    right_a, right_b = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    passes = score_statistic(right_a, n, right_b, n, np.asarray(-margin)) > stats.norm.isf(0.05)
    for p in np.linspace(margin, 1, 60):
        of_a, of_b = (stats.binom.pmf(np.arange(n + 1), n, share) for share in (p, p - margin))
        worst = max(worst, float((of_a[:, None] * of_b * passes).sum()))
    assert 0.04 < worst < 0.056


def test_welch_against_scipy() -> None:
    a, b = RNG.normal(0.5, 0.1, 40), RNG.normal(0.6, 0.3, 25)
    e, peer = ef.infer.welch_t(a, b), stats.ttest_ind(b, a, equal_var=False)
    assert e.pvalue == pytest.approx(peer.pvalue)
    assert e.confidence_interval() == pytest.approx(tuple(peer.confidence_interval(0.95)))


def table(a: Any, b: Any, *, start: int) -> pd.DataFrame:
    parts = {"a": (a, 0), "b": (b, start)}
    return pd.concat(
        [
            pd.DataFrame({"algorithm": name, "example": first + np.arange(len(v)), "value": v})
            for name, (v, first) in parts.items()
        ]
    )


def test_ids_without_one_in_common_are_an_unpaired_question() -> None:
    a, b = answers(48, 80), answers(56, 70)
    c = ef.judge(table(a, b, start=1000), measure="accuracy")
    assert c.estimate.method == "miettinen-nurminen"
    assert c.estimate.confidence_interval() == pytest.approx((0.0528, 0.3382), abs=5e-5)
    assert "80 and 70 examples, other ones for each" in c.facts.design.name
    assert c.pairs[0].pvalue == pytest.approx(float(ef.infer.miettinen_nurminen(a, b).pvalue))
    graded = ef.judge(table(a * 0.7 + 0.1, b * 0.7 + 0.1, start=1000), measure="accuracy")
    assert graded.estimate.method == "welch-t"
    assert "each on new examples like its own" in str(graded.verdict)


def test_a_gate_on_other_examples_for_each() -> None:
    c = ef.judge(
        table(answers(80, 100), answers(85, 100), start=500),
        measure="accuracy",
        alternative="not-worse",
        margin=0.1,
    )
    assert c.verdict.outcome.value == "not worse"
    z = score_statistic(np.asarray(80.0), 100, np.asarray(85.0), 100, np.asarray(-0.1))
    assert float(z) > stats.norm.isf(0.05)


def test_equal_ids_may_be_said_to_be_others() -> None:
    a, b = answers(48, 80), answers(56, 80)
    c = ef.judge(table(a, b, start=0), measure="accuracy", paired=False)
    assert c.estimate.method == "miettinen-nurminen"


def test_ids_that_overlap_in_part_are_refused_with_both_remedies() -> None:
    mixed = table(answers(48, 80), answers(56, 70), start=60)
    with pytest.raises(
        InvalidInput,
        match=r"all algorithms have \(20 of 130\), or give different examples different ids",
    ):
        ef.judge(mixed, measure="accuracy")
    assert (
        ef.judge(mixed, measure="accuracy", on_missing="drop").estimate.method
        != "miettinen-nurminen"
    )


def test_answers_that_one_model_lacks_are_to_be_added() -> None:
    half = table(answers(48, 80), answers(56, 80), start=0).iloc[:120]
    with pytest.raises(
        InvalidInput,
        match=r"Add them\. If none is missing because it failed, pass on_missing='drop'",
    ):
        ef.judge(half, measure="accuracy")


def test_groups_are_refused_where_nothing_is_paired() -> None:
    apart = table(answers(48, 80), answers(56, 70), start=1000).assign(group=np.arange(150) % 10)
    with pytest.raises(InvalidInput, match="must have no groups and no times"):
        ef.judge(apart, measure="accuracy")


def test_values_between_right_and_wrong_are_refused_by_the_score_test() -> None:
    with pytest.raises(InvalidInput, match="0 where wrong and 1 where right"):
        ef.infer.miettinen_nurminen([0, 1, 0.5], [0, 1])
