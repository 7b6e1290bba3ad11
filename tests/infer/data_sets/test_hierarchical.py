"""The hierarchical posterior: a brute sum over another grid, samplers, limits."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.data_sets import hierarchical

D = np.array([-0.02, -0.01, -0.03, 0.005, -0.02, -0.015, -0.01, -0.025])
MARGIN = 0.005


@pytest.mark.guarantee
def test_it_agrees_with_a_brute_sum() -> None:
    """Plain grids of δ0, σ0 and every δ_i; Student's densities as scipy has them, no mixtures."""
    s, df = 0.01, 9
    delta0, sigma0 = np.linspace(-0.06, 0.03, 46), np.linspace(0.0004, 0.12, 120)
    delta = np.linspace(-0.12, 0.09, 301)
    said = [stats.t.pdf((d - delta) / s, df) for d in D]
    weight = np.empty((len(delta0), len(sigma0), len(hierarchical._NU)))
    for k, nu in enumerate(hierarchical._NU):
        law = stats.t.pdf((delta - delta0[:, None, None]) / sigma0[:, None], nu) / sigma0[:, None]
        weight[:, :, k] = np.prod([law @ one for one in said], axis=0) * hierarchical._prior_nu()[k]
    weight /= weight.sum()
    found = ef.infer.bayes_hierarchical(D, s**2, df=df, margin=MARGIN)
    of_mean = weight.sum(axis=(1, 2))
    assert_allclose(found.mean, delta0 @ of_mean, atol=2e-4)
    assert_allclose(found.mean_lower, of_mean[delta0 < -MARGIN].sum(), atol=0.01)
    below = stats.t.cdf((-MARGIN - delta0[:, None, None]) / sigma0[:, None], hierarchical._NU)
    assert_allclose(found.next_lower, np.sum(below * weight), atol=0.01)


def test_it_agrees_with_a_sampler() -> None:
    """
    Metropolis on the same model, 23 000 draws of δ0, σ0, ν and all δ_i, one chain.

    It gave the mean −.01606, the interval −.0264 to −.0058, P(δ0 < −.005) = .982, predictive
    probabilities .888, .077, .035, and for the most likely region .993, .002, .004.
    """
    found = ef.infer.bayes_hierarchical(D, 1e-4, df=9, margin=MARGIN)
    assert_allclose([found.mean, *found.interval()], [-0.01606, -0.0264, -0.0058], atol=8e-4)
    assert_allclose(found.mean_lower, 0.982, atol=0.01)
    assert_allclose(
        [found.next_lower, found.next_same, found.next_higher], [0.888, 0.077, 0.035], atol=0.012
    )
    assert_allclose([found.lower, found.same, found.higher], [0.993, 0.002, 0.004], atol=0.005)


def test_what_folds_say_by_baycomps_model_is_students_law() -> None:
    """
    The likelihood of its Stan program, summed over σ_i, against the error that this function takes.

    Its printed example (naive Bayes and J48 on 54 data sets, .0795, .0365, .884) rests on 10 800
    values that are not ours to carry, and its program needs a compiler; so the model is compared,
    not the sample.
    """
    J, rho = 10, 0.1
    x = np.random.default_rng(0).normal(0.02, 0.05, size=J)
    inverse = np.linalg.inv((1 - rho) * np.eye(J) + rho)
    delta, sigma = np.linspace(-0.1, 0.14, 49), np.geomspace(0.005, 3, 4000)
    form = np.array([(x - one) @ inverse @ (x - one) for one in delta])
    likelihood = np.exp(-J * np.log(sigma) - form[:, None] / (2 * sigma**2))
    said = np.trapezoid(likelihood, sigma, axis=1)
    # of corrected-kfold-t
    scale = np.sqrt((J - 1) / (J - 2) * x.var(ddof=1) * (1 / J + rho / (1 - rho)))
    ours = stats.t.pdf((delta - x.mean()) / scale, J - 2)
    assert_allclose(said / said.max(), ours / ours.max(), atol=1e-5)


def test_it_turns_round_and_has_units() -> None:
    one: Any = ef.infer.bayes_hierarchical(D, 1e-4, margin=MARGIN)
    other: Any = ef.infer.bayes_hierarchical(-1000 * D, 100.0, margin=1000 * MARGIN)
    for name in ("lower", "mean_lower", "next_lower"):
        assert_allclose(
            getattr(one, name), getattr(other, name.replace("lower", "higher")), atol=1e-9
        )
    assert_allclose(other.mean, -1000 * one.mean)
    assert_allclose(other.interval(0.9), [-1000 * x for x in one.interval(0.9)[::-1]])
    assert_allclose(other.spread, 1000 * one.spread)


def test_known_differences_leave_students_interval_nearly() -> None:
    """Without errors of their own, normal differences have nearly the interval of the t-test."""
    d = stats.norm.ppf((np.arange(20) + 0.5) / 20) + 0.3
    low, high = ef.infer.bayes_hierarchical(d, 1e-8).interval()
    t = stats.ttest_1samp(d, 0).confidence_interval()
    assert_allclose([low, high], [float(t.low), float(t.high)], atol=0.06)


def test_an_interval_at_a_level_of_zero_is_refused() -> None:
    with pytest.raises(InvalidInput, match="confidence_level must be a number between 0 and 1"):
        ef.infer.bayes_hierarchical([0.1, 0.2, 0.15, 0.12], 0.01).interval(0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d": D[:3]}, "at least 4 data sets"),
        ({"variance": [1.0, 2.0]}, "variance must be one number ≥ 0, or one per data set"),
        ({"variance": -1.0}, "variance must be one number ≥ 0"),
        ({"df": 0.5}, "df must be one number ≥ 1"),
        ({"d": np.zeros(5), "variance": 0.0}, "d must vary, or variance must be above 0"),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.bayes_hierarchical(**{"d": D, "variance": 1e-4, **given})


def gibbs(d: Any, s2: float, df: int, *, draws: int = 12_000, seed: int = 0) -> Any:
    """
    Draw δ0, σ0 and ν of the model by turns, each given all else (Geman and Geman 1984).

    Nothing is shared with the grid: both t laws have a gamma of their own for every data set, and ν
    is drawn on 400 nodes of its prior.
    """
    rng, n = np.random.default_rng(seed), len(d)
    nus = 1 + np.geomspace(1e-3, 3000, 400)
    alpha, beta = np.linspace(1, 2, 41)[:, None, None], np.linspace(0.01, 0.1, 41)[None, :, None]
    edges = np.concatenate([[0.0], np.sqrt((nus[1:] - 1) * (nus[:-1] - 1)), [np.inf]])
    prior = np.log(np.diff(special.gammainc(alpha, beta * edges), axis=-1).mean(axis=(0, 1)))
    prior += n * (nus / 2 * np.log(nus / 2) - special.gammaln(nus / 2))
    delta0, sigma2, nu = float(np.median(d)), float(np.var(d)), 5.0
    v, w = np.ones(n), np.ones(n)
    drawn = np.empty((draws, 3))
    for k in range(draws):
        precision = v / s2 + w / sigma2
        delta = (d * v / s2 + delta0 * w / sigma2) / precision + rng.normal(size=n) / np.sqrt(
            precision
        )
        v = rng.gamma((df + 1) / 2, 2 / (df + (d - delta) ** 2 / s2))
        w = rng.gamma((nu + 1) / 2, 2 / (nu + (delta - delta0) ** 2 / sigma2))
        delta0 = (w @ delta) / w.sum() + rng.normal() * np.sqrt(sigma2 / w.sum())
        # a flat prior of σ0 is one of σ0⁻¹ for σ0²
        sigma2 = (w @ (delta - delta0) ** 2 / 2) / rng.gamma((n - 1) / 2)
        log = prior + (nus / 2 - 1) * np.log(w).sum() - nus / 2 * w.sum()
        share = np.cumsum(np.exp(log - log.max()))
        nu = nus[np.searchsorted(share, rng.random() * share[-1])]
        drawn[k] = delta0, np.sqrt(sigma2), nu
    return drawn[draws // 10 :].T


FAR = np.array([0.0014, 0.0033, 0.0013, 0.5, 0.0036, 0.0018, -0.0021, 0.0023, 0.0015, 0.0012])


@pytest.mark.parametrize(
    "d",
    [
        FAR,
        *(
            pytest.param(d, marks=pytest.mark.guarantee)
            for d in (D, -10 * FAR, np.array([-0.002, -0.008, -0.005, -0.1, -0.006]))
        ),
    ],
)
def test_it_agrees_with_a_gibbs_sampler_also_where_one_data_set_lies_far_off(d: Any) -> None:
    """A Monte Carlo error of ≤ .006 for probabilities, ≤ .02 interval lengths for ends."""
    s2, df, margin = 1e-5, 9, 0.01
    delta0, sigma0, nu = gibbs(d, s2, df)
    found = ef.infer.bayes_hierarchical(d, s2, df=df, margin=margin)
    below = stats.t.cdf((-margin - delta0) / sigma0, nu)
    above = stats.t.sf((margin - delta0) / sigma0, nu)
    regions = np.stack([below, 1 - below - above, above])
    ends = np.quantile(delta0, [0.025, 0.975])
    assert_allclose(found.interval(), ends, atol=0.06 * (ends[1] - ends[0]))
    assert_allclose(
        [found.next_lower, found.next_same, found.next_higher], regions.mean(axis=1), atol=0.02
    )
    won = np.bincount(regions.argmax(axis=0), minlength=3) / len(delta0)
    assert_allclose([found.lower, found.same, found.higher], won, atol=0.02)
    assert_allclose(found.mean_lower, (delta0 < -margin).mean(), atol=0.02)
    assert_allclose(found.spread, np.median(sigma0), rtol=0.08)
