"""Bounds for graded answers: against exact laws, against each other, and the error of a gate."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.bounded import Units, examples, positive_share

RNG = np.random.default_rng(5)
SCORES: dict[str, Any] = {"low": -1.0, "high": 1.0}


def hypoexponential(c: np.ndarray[Any, Any]) -> float:
    """P(Σ c_j E_j > 0) with distinct c_j, by partial fractions of the characteristic function."""
    share = 0.0
    for j, own in enumerate(c):
        if own > 0:
            others = np.delete(c, j)
            share += float(np.prod(own / (own - others)))
    return share


@pytest.mark.parametrize(
    "c", [[1.0, -2.0], [0.5, 0.3, -1.0], [-0.9, 0.1, 0.25, 0.7, -0.2], [1e-3, -1.0]]
)
def test_the_share_of_weighted_means_by_partial_fractions(c: list[float]) -> None:
    terms = np.array(c)
    assert positive_share(terms, np.ones(len(c))) == pytest.approx(
        hypoexponential(terms), rel=1e-10
    )


def test_the_share_of_weighted_means_by_drawing_weights() -> None:
    d = np.array([0.0] * 9 + [-0.5, 0.2, 0.7])
    weights = np.random.default_rng(0).dirichlet(np.ones(13), size=400_000)
    means = weights @ np.append(d, -1.0)
    for null in (-0.2, 0.0, 0.1):
        share = (means <= null).mean()
        error = np.sqrt(share * (1 - share) / len(means))
        assert (
            abs(float(examples(d, -1.0, 1.0).share(np.asarray(null), below=True)) - share)
            < 4 * error
        )


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (7, 50), (50, 50), (2, 400)])
def test_right_and_wrong_of_one_model_are_clopper_and_pearson(k: int, n: int) -> None:
    e = ef.infer.bounded_mean(np.repeat([1.0, 0.0], [k, n - k]), low=0, high=1, null=0.1)
    exact = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
    assert e.confidence_interval() == pytest.approx((exact.low, exact.high), abs=1e-9)
    greater = ef.infer.bounded_mean(
        np.repeat([1.0, 0.0], [k, n - k]), low=0, high=1, null=0.1, alternative="greater"
    )
    assert greater.pvalue == pytest.approx(stats.binom.sf(k - 1, n, 0.1), abs=1e-12)


def test_no_difference_at_all_is_the_exact_bound_of_a_share() -> None:
    e = ef.infer.bounded_mean(np.zeros(100), **SCORES, null=-0.03, alternative="greater")
    assert e.pvalue == pytest.approx(0.97**100, rel=1e-12)  # .0476, docs/infer/tables


def graded(keys: tuple[str, ...] = ("plain", "clusters", "crossed", "folds")) -> dict[str, Any]:
    d = np.where(RNG.random(80) < 0.15, -RNG.random(80), 0.0) + 0.1 * RNG.uniform(-1, 1, 80)
    d = np.clip(d, -1, 1)
    runs = np.clip(0.5 + d / 2 + 0.1 * RNG.normal(size=(4, 80)), 0, 1)
    of = {
        "plain": lambda **o: ef.infer.bounded_mean(d, **SCORES, **o),
        "clusters": lambda **o: ef.infer.clustered_bounded_mean(
            d, np.arange(80) // 4, **SCORES, **o
        ),
        "crossed": lambda **o: ef.infer.crossed_bounded_mean(
            np.full((4, 80), 0.5), runs, low=0, high=1, **o
        ),
        "folds": lambda **o: ef.infer.bounded_kfold_t(
            d.reshape(10, 8).mean(axis=1), n_test=8, **SCORES, **o
        ),
    }
    return {key: of[key] for key in keys}


@pytest.mark.parametrize("key", list(graded()))
@pytest.mark.parametrize("level", [0.2, 0.05, 0.001])
def test_the_p_value_of_a_limit_is_the_level(key: str, level: float) -> None:
    test = graded()[key]
    low, high = test().confidence_interval(1 - level)
    assert test(null=float(low)).pvalue == pytest.approx(level, rel=1e-6)
    assert test(null=float(high)).pvalue == pytest.approx(level, rel=1e-6)
    assert test(null=float(low), alternative="greater").pvalue == pytest.approx(level / 2, rel=1e-6)
    assert test(null=float(high), alternative="less").pvalue == pytest.approx(level / 2, rel=1e-6)


def test_clusters_of_one_size_are_their_means() -> None:
    d = RNG.uniform(-0.4, 0.3, size=60)
    ours = ef.infer.clustered_bounded_mean(d, np.arange(60) // 3, **SCORES)
    means = ef.infer.bounded_mean(d.reshape(20, 3).mean(axis=1), **SCORES)
    assert ours.confidence_interval() == pytest.approx(means.confidence_interval(), abs=1e-9)


def test_runs_that_agree_are_one_run() -> None:
    a, b = RNG.uniform(0, 1, size=(2, 50))
    ours = ef.infer.crossed_bounded_mean(np.tile(a, (3, 1)), np.tile(b, (3, 1)), low=0, high=1)
    plain = ef.infer.bounded_mean(b - a, **SCORES)
    assert ours.confidence_interval() == pytest.approx(plain.confidence_interval(), abs=1e-9)
    assert ours.pvalue == pytest.approx(plain.pvalue, rel=1e-6)


def test_a_batch_is_its_tables() -> None:
    d = np.where(RNG.random((5, 40)) < 0.2, RNG.uniform(-1, 1, (5, 40)), 0.0)
    batch = ef.infer.bounded_mean(d, **SCORES, null=-0.02)
    for i, one in enumerate(d):
        alone = ef.infer.bounded_mean(one, **SCORES, null=-0.02)
        assert batch.pvalue[i] == pytest.approx(alone.pvalue, rel=1e-9)
        assert batch.confidence_interval()[0][i] == pytest.approx(
            alone.confidence_interval()[0], abs=1e-9
        )


def test_values_outside_the_range_are_refused() -> None:
    with pytest.raises(InvalidInput, match="d must be between low"):
        ef.infer.bounded_mean([0.0, 1.2], low=-1, high=1)
    with pytest.raises(InvalidInput, match="high must be above low"):
        ef.infer.bounded_mean([0.0, 0.0], low=1, high=1)
    with pytest.raises(InvalidInput, match="a must be between low"):
        ef.infer.crossed_bounded_mean(np.full((2, 4), 3.0), np.zeros((2, 4)), low=0, high=1)


def test_an_unseen_cluster_is_as_large_as_the_largest() -> None:
    sizes = np.array([1.0, 1.0, 4.0])
    of = Units(sums=np.zeros(3), sizes=sizes, times=np.ones(3), low=-1.0, high=1.0, largest=4.0)
    shares = np.random.default_rng(1).exponential(size=(400_000, 4))
    means = -4 * shares[:, 3] / (shares @ np.append(sizes, 4.0))
    drawn = (means <= -0.3).mean()
    assert float(of.share(np.asarray(-0.3), below=True)) == pytest.approx(drawn, abs=0.003)


# --- the gate -----------------------------------------------------------------------------------


def rare_losses(n: int, tables: int) -> np.ndarray[Any, Any]:
    """Losses of a Beta(½, ½) law on 2% of the examples: worse by .01 in the mean."""
    rng = np.random.default_rng(28)
    return np.where(rng.random((tables, n)) < 0.02, -rng.beta(0.5, 0.5, (tables, n)), 0.0)


def test_a_gate_on_rare_losses_holds_its_level() -> None:
    d = rare_losses(100, 2000)
    t = ef.infer.paired_t(d + 1e-12 * RNG.normal(size=d.shape), null=-0.01, alternative="greater")
    assert (t.pvalue < 0.05).mean() > 0.2
    bound = ef.infer.bounded_mean(d, **SCORES, null=-0.01, alternative="greater")
    assert (bound.pvalue < 0.05).mean() <= 0.05


def table(d: np.ndarray[Any, Any], **columns: Any) -> pd.DataFrame:
    n = len(d)
    a = np.where(d < 0, -d, 0.2)
    parts = {"a": a, "b": a + d}
    return pd.concat(
        [
            pd.DataFrame({"algorithm": name, "example": np.arange(n), "value": v, **columns})
            for name, v in parts.items()
        ]
    )


def passes(d: np.ndarray[Any, Any], **asked: Any) -> bool:
    c = ef.judge(table(d), measure="accuracy", alternative="not-worse", margin=0.01, **asked)
    return c.verdict.outcome.value in ("not worse", "equivalent", "better")


def test_judge_does_not_pass_what_the_t_test_passes_though_it_is_worse_by_the_margin() -> None:
    tables = rare_losses(100, 20)
    assert sum(passes(d, method="paired-t") for d in tables) >= 3
    assert sum(passes(d) for d in tables) == 0


@pytest.mark.parametrize(
    ("columns", "gate", "plain"),
    [
        ({}, "bounded-mean", "paired-t"),
        ({"group": np.arange(100) // 4}, "clustered-bounded-mean", "clustered-"),
    ],
)
def test_gates_get_a_bound_and_differences_the_t(
    columns: dict[str, Any], gate: str, plain: str
) -> None:
    d = RNG.uniform(-0.2, 0.2, 100)
    asked: Any = {"measure": "accuracy", "alternative": "not-worse", "margin": 0.1}
    assert ef.judge(table(d, **columns), **asked).estimate.method == gate
    found = ef.judge(table(d, **columns), measure="accuracy").estimate.method
    assert found.startswith(plain)
    assert "bounded" not in found
    runs = pd.concat([table(d, **columns).assign(run=s) for s in range(3)])
    assert ef.judge(runs, **asked).estimate.method == "crossed-bounded-mean"


def test_few_examples_that_differ_get_a_bound_whatever_the_question() -> None:
    d = np.zeros(100)
    d[:4] = (-0.5, -0.3, -0.1, -0.9)
    c = ef.judge(table(d), measure="accuracy")
    assert c.estimate.method == "bounded-mean"
    assert c.pairs[0].pvalue == pytest.approx(float(ef.infer.bounded_mean(d, **SCORES).pvalue))


def test_gates_on_folds_see_what_no_fold_has_shown() -> None:
    alike = {"a": np.full(10, 0.5), "b": np.full(10, 0.5)}
    asked: dict[str, Any] = {"measure": "accuracy", "cv": 10, "alternative": "not-worse"}
    strict = ef.judge(alike, rows="folds", n=100, margin=0.02, **asked)
    assert strict.estimate.method == "bounded-kfold-t"
    assert strict.verdict.outcome.value == "inconclusive"
    assert (
        ef.judge(alike, rows="folds", n=100, margin=0.1, **asked).verdict.outcome.value
        != "inconclusive"
    )


def test_a_range_that_nobody_said_is_said_to_be_a_guess() -> None:
    values = table(RNG.uniform(-0.2, 0.2, 100))
    c = ef.judge(values, higher_is_better=True, alternative="not-worse", margin=0.1)
    assert any(
        "The bound assumes that the values lie between 0 and 1" in str(note) for note in c.notes
    )
    wide = values.assign(value=5 * values["value"])
    assert ef.judge(wide, higher_is_better=True, margin=0.5).estimate.method == "paired-t"
