"""The promise of the methods for tables: their real error on tables without a difference."""

import warnings
from typing import Any

import numpy as np
import pytest
from papers.studies.tables import MIXES, crossed, flips, sizes_of, two_recipes, wins

import evenfold as ef
from evenfold.core.errors import HiddenVariance

pytestmark = pytest.mark.guarantee

TABLES, LEVEL = 3000, 0.05


def real_error(pvalues: Any) -> tuple[float, float]:
    rate = float((np.asarray(pvalues) < LEVEL).mean())
    return rate, float(np.sqrt(LEVEL * (1 - LEVEL) / TABLES))


@pytest.mark.parametrize(
    ("count", "kind"), [(10, "10 each"), (50, "10 each"), (50, "1 to 20"), (200, "1 to 20")]
)
def test_clusters(count: int, kind: str) -> None:
    codes = sizes_of(kind, count)
    d = flips(np.random.default_rng(count), TABLES, codes, 0.78)
    plain, _ = real_error(ef.infer.paired_t(d).pvalue)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenVariance)
        clustered, error = real_error(ef.infer.clustered_t(d, codes).pvalue)
    fair, _ = real_error(ef.infer.clustered_fair_t(d, codes).pvalue)
    assert plain > 0.35
    assert clustered < LEVEL + 0.01 + 3 * error
    assert fair < LEVEL + 0.005 + 3 * error


@pytest.mark.parametrize(("count", "most"), [(10, 0.055), (20, 0.135), (50, 0.095), (200, 0.065)])
def test_cr2_where_a_tenth_of_the_clusters_holds_half_of_the_examples(
    count: int, most: float
) -> None:
    """The default: near its level with one large cluster of ten, where the plain one errs .25."""
    codes = sizes_of("a tenth has 55", count)
    d = flips(np.random.default_rng(count), TABLES, codes, 0.78)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenVariance)
        plain, error = real_error(ef.infer.clustered_t(d, codes).pvalue)
        better, _ = real_error(ef.infer.clustered_cr2_t(d, codes).pvalue)
    assert better < most + 3 * error
    assert better <= plain


def test_few_large_clusters_need_the_fair_test() -> None:
    codes = sizes_of("a tenth has 55", 50)
    d = flips(np.random.default_rng(0), TABLES, codes, 0.78)
    with pytest.warns(HiddenVariance):
        liberal, error = real_error(ef.infer.clustered_t(d, codes).pvalue)
    fair, _ = real_error(ef.infer.clustered_fair_t(d, codes).pvalue)
    assert liberal > LEVEL + 5 * error
    assert fair < LEVEL + 0.005 + 3 * error


@pytest.mark.parametrize("mix", sorted(MIXES))
@pytest.mark.parametrize("runs", [3, 5, 10])
def test_runs_and_examples(mix: str, runs: int) -> None:
    rng = np.random.default_rng(runs)
    d = np.concatenate([crossed(rng, 500, MIXES[mix], runs) for _ in range(TABLES // 500)])
    rate, error = real_error(ef.infer.crossed_t(np.zeros_like(d), d).pvalue)
    assert rate < LEVEL + 0.005 + 3 * error


@pytest.mark.parametrize("mix", sorted(MIXES))
def test_runs_of_their_own(mix: str) -> None:
    rng = np.random.default_rng(1)
    pvalues = []
    for _ in range(TABLES // 500):
        a, b = two_recipes(rng, 500, MIXES[mix], (3, 5))
        pvalues.append(ef.infer.crossed_t(a, b, paired=False).pvalue)
    rate, error = real_error(np.concatenate(pvalues))
    assert rate < LEVEL + 3 * error


@pytest.mark.parametrize("mean", ["drift", "constant"])
def test_peeking_is_paid_for(mean: str) -> None:
    d = wins(np.random.default_rng(2), 600, 500, 0.5)
    looks = range(50, 501, 50)
    smallest = np.min(
        [ef.infer.anytime(d[:, :n], low=-1, high=1, mean=mean).pvalue for n in looks], axis=0
    )
    peeked = np.min([ef.infer.paired_t(d[:, :n]).pvalue for n in looks], axis=0)
    assert (smallest < LEVEL).mean() < LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / 600)
    assert (peeked < LEVEL).mean() > 2 * LEVEL
