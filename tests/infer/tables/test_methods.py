"""The methods for tables against their peers, and what they refuse."""

from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from scipy import stats

import evenfold as ef
from evenfold.core.errors import HiddenVariance, InvalidInput
from evenfold.core.estimate import Alternative

RNG = np.random.default_rng(11)
CLUSTERS = np.repeat(np.arange(8), [3, 1, 4, 2, 5, 3, 2, 4])
D = RNG.normal(0.4, 1, size=24) + RNG.normal(size=8)[CLUSTERS]


def test_the_permutation_of_clusters_by_enumeration() -> None:
    e = ef.infer.clustered_permutation(D, CLUSTERS)
    sums = np.array([D[g == CLUSTERS].sum() for g in range(8)])
    swapped = np.array([(np.array(signs) * sums).sum() for signs in product((1, -1), repeat=8)])
    tail = (swapped >= D.sum() - 1e-9).mean()
    assert e.pvalue == pytest.approx(min(1, 2 * min(tail, (swapped <= D.sum() + 1e-9).mean())))
    low, high = e.confidence_interval()
    for limit in (low + 1e-6, high - 1e-6):
        assert ef.infer.clustered_permutation(D, CLUSTERS, null=float(limit)).pvalue > 0.05


def test_clusters_of_one_are_the_plain_permutation_and_bootstrap() -> None:
    alone = np.arange(12)
    d = RNG.normal(size=12)
    assert ef.infer.clustered_permutation(d, alone).pvalue == ef.infer.permutation(d).pvalue
    ours, plain = ef.infer.clustered_bootstrap(d, alone), ef.infer.paired_bootstrap(d)
    assert ours.confidence_interval() == pytest.approx(plain.confidence_interval(), abs=0.05)


def test_the_cluster_bootstrap_against_a_loop_of_resampled_clusters() -> None:
    e = ef.infer.clustered_bootstrap(D, CLUSTERS, draws=4000)
    rng = np.random.default_rng(0)
    parts = [D[g == CLUSTERS] for g in range(8)]
    means = [
        np.concatenate([parts[g] for g in rng.integers(8, size=8)]).mean() for _ in range(4000)
    ]
    assert e.draws.std() == pytest.approx(np.std(means), rel=0.06)
    assert np.median(e.draws) == pytest.approx(np.median(means), abs=0.05)


@pytest.mark.parametrize("key", ["clustered-bootstrap", "clustered-permutation"])
def test_many_clusters_are_drawn_not_enumerated(key: str) -> None:
    function = ef.infer.methods()[key].function
    d, clusters = RNG.normal(0.2, 1, size=400), np.arange(400) // 8
    again = function(d, clusters, draws=999), function(d, clusters, draws=999)
    assert again[0].pvalue == again[1].pvalue
    assert again[0].pvalue == pytest.approx(
        float(ef.infer.clustered_t(d, clusters).pvalue), abs=0.05
    )


def test_peers_of_one_score_per_run() -> None:
    a, b = RNG.normal(size=6), RNG.normal(1, 2, size=9)
    asked: tuple[tuple[Literal["two-sided", "greater", "less"], int, int], ...]
    asked = (("two-sided", 1, 1), ("greater", 1, 0), ("less", 0, 1))
    for side, low, high in asked:
        e = ef.infer.runs_t(a, b, paired=False, alternative=side)
        peer = stats.ttest_ind(b, a, equal_var=False, alternative=side)
        assert float(e.pvalue) == pytest.approx(peer.pvalue)
        limits = peer.confidence_interval(0.9)
        for mine, theirs, closed in zip(
            e.confidence_interval(0.9), limits, (low, high), strict=True
        ):
            assert not closed or float(mine) == pytest.approx(theirs)


ONES = np.ones((3, 4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ef.infer.clustered_t([1.0, 2.0, 3.0], [1, 1]), r"one value per example \(3\)"),
        (
            lambda: ef.infer.clustered_t([1.0, 2.0], ["x", "x"]),
            "at least two different ids but got 1",
        ),
        (
            lambda: ef.infer.crossed_t(ONES, np.ones((4, 4))),
            "a must have 4 runs like b.*paired=False",
        ),
        (lambda: ef.infer.crossed_t(np.ones((3, 5)), ONES), "a must have the 4 examples of b"),
        (lambda: ef.infer.crossed_t(ONES[:1], ONES[:1]), "S ≥ 2 runs"),
        (lambda: ef.infer.crossed_t(ONES, ONES, clusters=[1, 2]), "clusters must be one value"),
        (lambda: ef.infer.runs_t([1, 2, 3], [1, 2]), "a must have 2 runs like b.*paired=False"),
        (lambda: ef.infer.runs_t([1], [1]), "J ≥ 2"),
        (lambda: ef.infer.anytime([0.0, 2.0], low=-1, high=1), r"d must be between low \(-1\) and"),
        (lambda: ef.infer.anytime([0.0, 1.0], low=1, high=1), "high must be above low"),
        (
            lambda: ef.infer.anytime([0, 1], low=-1, high=1, mean="median"),
            "mean must be one of 'drift'",
        ),
        (lambda: ef.infer.anytime([0.0, 1.0], low=-1, high=1, null=2), "null must be between low"),
        (
            lambda: ef.infer.clustered_bootstrap(D, CLUSTERS, draws=5),
            "draws must be an integer from 19",
        ),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_two_runs_and_uneven_clusters_are_warned_of() -> None:
    with pytest.warns(HiddenVariance, match="With two runs of each algorithm"):
        ef.infer.crossed_t(RNG.normal(size=(2, 9)), RNG.normal(size=(2, 9)))
    with pytest.warns(HiddenVariance, match="The largest of 11 clusters holds 67% of the examples"):
        ef.infer.clustered_t(RNG.normal(size=30), np.minimum(np.arange(30), 10)[::-1].copy())
    with pytest.warns(
        HiddenVariance, match="clustered-cr2-t may be liberal; clustered-fair-t is the cautious"
    ):
        ef.infer.clustered_cr2_t(RNG.normal(size=30), np.minimum(np.arange(30), 10)[::-1].copy())


@pytest.mark.parametrize("mean", ["drift", "constant"])
@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_the_interval_and_the_pvalue_of_anytime_agree(mean: str, side: Alternative) -> None:
    d = RNG.choice([-1.0, 0.0, 1.0], p=[0.1, 0.6, 0.3], size=300)
    e = ef.infer.anytime(d, low=-1, high=1, mean=mean, alternative=side)
    low, high = e.confidence_interval(0.95)
    step = 0.004 if mean == "constant" else 1e-6  # limits of betting lie on a grid
    for limit, inside in ((low, step), (high, -step)):
        if np.isfinite(limit) and -1 < limit < 1:
            outside = ef.infer.anytime(
                d, low=-1, high=1, mean=mean, alternative=side, null=float(limit - inside)
            )
            within = ef.infer.anytime(
                d, low=-1, high=1, mean=mean, alternative=side, null=float(limit + inside)
            )
            assert outside.pvalue <= 0.05 < within.pvalue


def test_the_plain_t_errs_on_clusters_and_the_clustered_one_does_not() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(50), 10)
    common = rng.normal(size=(2000, 50))[:, codes]
    d = np.sign(0.78**0.5 * common + 0.22**0.5 * rng.normal(size=(2000, 500)))
    error = np.sqrt(0.05 * 0.95 / 2000)
    assert (ef.infer.paired_t(d).pvalue < 0.05).mean() > 0.4
    assert abs((ef.infer.clustered_t(d, codes).pvalue < 0.05).mean() - 0.05) < 3.5 * error


def test_every_method_for_tables_has_a_card_that_was_measured() -> None:
    keys = [
        key
        for key, entry in ef.infer.methods().items()
        if (entry.default_design.about and not entry.why_no_card) or key in ("paired-t", "anytime")
    ]
    assert len(keys) >= 8
    for key in keys:
        card = ef.infer.methods()[key].card
        assert card is not None, key
        assert all(row["replications"] >= 1000 for row in card["measured"])


def test_limits_of_no_path_at_all_are_none() -> None:
    assert ef.infer.anytime(np.zeros((0, 20)), low=-1, high=1).value.shape == (0,)


@pytest.mark.parametrize(
    ("n", "drift", "constant"), [(30, 2.1, 1.3), (100, 1.9, 1.5), (1000, 1.8, 2.0)]
)
def test_anytime_is_longer_than_the_paired_t_by_as_much_as_it_says(
    n: int, drift: float, constant: float
) -> None:
    d = np.random.default_rng(1).choice([-1.0, 1.0], size=(40, n))
    low, high = ef.infer.paired_t(d).confidence_interval(0.95)
    for mean, times in (("drift", drift), ("constant", constant)):
        below, above = ef.infer.anytime(d, low=-1, high=1, mean=mean).confidence_interval(0.95)
        assert np.mean((above - below) / (high - low)) == pytest.approx(times, abs=0.1)
