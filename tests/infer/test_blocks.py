"""Variances of K-fold and multiple-source cross-validation against G13's formulas, written out."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import stats

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput, NotApplicable

Floats = NDArray[np.float64]
SEED = 20131
SIZES = (5, 9, 2, 7)


def _losses(sizes: tuple[int, ...], batch: tuple[int, ...] = ()) -> list[Floats]:
    rng = np.random.default_rng(SEED)
    return [rng.gamma(2.0, size=(*batch, M)) + rng.normal() for M in sizes]


def _moments(losses: list[Floats]) -> tuple[Floats, Floats, Floats]:
    """s_k^σ, s_k^ω and s_kl^γ by their definitions, as sums over pairs (G13 section 4.2)."""
    s_sigma = [np.mean([e * e for e in block]) for block in losses]
    s_omega = [
        np.mean(
            [block[i] * block[j] for i in range(len(block)) for j in range(len(block)) if i != j]
        )
        for block in losses
    ]
    s_gamma = [
        [np.mean([x * y for x in first for y in second]) for second in losses] for first in losses
    ]
    return np.array(s_sigma), np.array(s_omega), np.array(s_gamma)


def _off_diagonal(s: Floats) -> float:
    return float(s.sum() - np.trace(s))


def _value(key: str, losses: Any, **keywords: Any) -> Any:
    return getattr(ef.infer, key)(losses, **keywords).value


def test_thetas_of_equal_folds_are_those_of_g13_table_2() -> None:
    K, M = 4, 6
    N = K * M
    losses = _losses((M,) * K)
    s_sigma, s_omega, s_gamma = _moments(losses)
    s1, s2, s3 = s_sigma.mean(), s_omega.mean(), _off_diagonal(s_gamma) / (K * (K - 1))
    expected = {
        "cv_theta1": s1 / N + (M - 1) * s2 / N + (N - M) * s3 / N,
        "cv_theta2": s1 / N - (N + 1 - M) * s2 / N + (N - M) * s3 / N,
        "cv_theta3": s1 / N + (M - 1) * s2 / N - M * s3 / N,
        "cv_theta4": (s1 - s2) / N,
        "cv_theta5": s1 / N + (N + M - 1) * s2 / N - (N + M) * s3 / N,
    }
    for key, value in expected.items():
        assert_allclose(_value(key, losses), value, rtol=1e-12, err_msg=key)


def test_sources_of_equal_size_are_those_of_g13_table_1() -> None:
    K, M = 5, 4
    losses = _losses((M,) * K)
    s_sigma, s_omega, s_gamma = _moments(losses)
    off = _off_diagonal(s_gamma)
    total = s_sigma.sum() / (K**2 * M) + (M - 1) / (K**2 * M) * s_omega.sum() + off / K**2
    assert_allclose(
        _value("sources_theta_omega1", losses, source=3), total - s_omega[3], rtol=1e-12
    )
    pair = (s_gamma[1, 4] + s_gamma[4, 1]) / 2
    assert_allclose(_value("sources_theta_gamma1", losses, pair=(1, 4)), total - pair, rtol=1e-12)
    omega = s_sigma.sum() / (K**2 * M) + (M - 1 - K * M) / (K**2 * M) * s_omega.sum() + off / K**2
    assert_allclose(_value("sources_theta_omega", losses), omega, rtol=1e-12)
    gamma = (
        s_sigma.sum() / (K**2 * M) + (M - 1) / (K**2 * M) * s_omega.sum() - off / (K**2 * (K - 1))
    )
    assert_allclose(_value("sources_theta_gamma", losses), gamma, rtol=1e-12)
    theta_a = (s_sigma.sum() - s_omega.sum()) / (K**2 * M)
    assert_allclose(_value("sources_theta_a", losses), theta_a, rtol=1e-12)
    assert_allclose(_value("sources_theta_b", losses), 2 * theta_a, rtol=1e-12)


def test_identities_hold_for_any_sizes() -> None:
    losses = _losses(SIZES)
    means = np.array([block.mean() for block in losses])
    K = len(losses)
    kfold = ef.infer.kfold_t(means)
    assert_allclose(_value("cv_theta3", losses), kfold.standard_error**2, rtol=1e-12)
    assert_allclose(_value("sources_theta_gamma", losses), np.var(means, ddof=1) / K, rtol=1e-12)
    stratified = sum(np.var(block, ddof=1) / len(block) for block in losses) / K**2
    assert_allclose(_value("cv_theta4", losses), stratified, rtol=1e-12)
    assert_allclose(_value("sources_theta_a", losses), stratified, rtol=1e-12)
    assert_allclose(_value("cv_theta1", losses), means.mean() ** 2, rtol=1e-12)
    s_omega = _moments(losses)[1]
    assert_allclose(_value("cv_theta2", losses), means.mean() ** 2 - s_omega.mean(), rtol=1e-11)
    new = ef.infer.sources_new_t(losses)
    assert_allclose(
        [new.value, new.standard_error], [kfold.value, kfold.standard_error], rtol=1e-12
    )
    assert new.df == K - 1


def test_theta4_is_the_pooled_variance_within_folds_over_n() -> None:
    K, M = 3, 8
    losses = _losses((M,) * K)
    pooled = sum(((block - block.mean()) ** 2).sum() for block in losses) / (K * (M - 1))
    assert_allclose(_value("cv_theta4", losses), pooled / (K * M), rtol=1e-12)


def _covariance(sizes: tuple[int, ...], sigma2: float, omega: float, gamma: float) -> Floats:
    """Covariance matrix of block-exchangeable losses."""
    fold = np.repeat(np.arange(len(sizes)), sizes)
    same = fold[:, None] == fold[None, :]
    return np.where(same, omega, gamma) + (sigma2 - omega) * np.eye(len(fold))


def _expectation(
    key: str, sizes: tuple[int, ...], mean: Floats, covariance: Floats, **keywords: Any
) -> float:
    """E of a quadratic estimator, exactly: its matrix from unit vectors, then tr(QC) + m'Qm."""
    n, edges = len(mean), np.cumsum(sizes)[:-1]
    units = np.concatenate([np.eye(n), np.eye(n)[:, None] + np.eye(n)[None, :]], axis=None).reshape(
        -1, n
    )
    q = _value(key, np.split(units, edges, axis=-1), **keywords)
    diagonal, sums = q[:n], q[n:].reshape(n, n)
    Q = (sums - diagonal[:, None] - diagonal[None, :]) / 2
    return float(np.sum(Q * covariance) + mean @ Q @ mean)


@pytest.mark.parametrize("sizes", [(4, 4, 4), SIZES])
def test_biases_of_the_thetas_are_exact(sizes: tuple[int, ...]) -> None:
    sigma2, omega, gamma, mu, K = 1.7, 0.3, 0.11, 0.8, len(sizes)
    C = _covariance(sizes, sigma2, omega, gamma)
    weights = np.concatenate([np.full(M, 1 / (K * M)) for M in sizes])
    truth = weights @ C @ weights
    biases = {
        "cv_theta1": mu**2,
        "cv_theta2": -omega,
        "cv_theta3": -gamma,
        "cv_theta4": -omega / K - (K - 1) * gamma / K,
        "cv_theta5": omega - 2 * gamma,
    }
    mean = np.full(len(C), mu)
    for key, bias in biases.items():
        assert_allclose(_expectation(key, sizes, mean, C) - truth, bias, rtol=1e-9, err_msg=key)


def _source_model(sizes: tuple[int, ...]) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Different σ_k², ω_k, γ_kl and μ_k for each source, and the covariance of all losses."""
    rng, K = np.random.default_rng(SEED), len(sizes)
    sigma2, omega, mu = rng.uniform(1, 2, K), rng.uniform(0.2, 0.4, K), rng.uniform(0, 1, K)
    gamma = rng.uniform(0, 0.1, (K, K))
    gamma = (gamma + gamma.T) / 2
    source = np.repeat(np.arange(K), sizes)
    C = gamma[source[:, None], source[None, :]]
    same = source[:, None] == source[None, :]
    C = np.where(same, omega[source][:, None], C)
    C[np.diag_indices_from(C)] = sigma2[source]
    return sigma2, omega, gamma, mu, C


@pytest.mark.parametrize("sizes", [(4, 4, 4), SIZES])
def test_biases_for_sources_are_exact(sizes: tuple[int, ...]) -> None:
    sigma2, omega, gamma, mu, C = _source_model(sizes)
    M, K = np.array(sizes), len(sizes)
    mean = np.repeat(mu, sizes)
    weights = np.repeat(1 / (K * M), sizes)
    truth = weights @ C @ weights
    off = _off_diagonal(gamma)
    spread = float(np.var(mu, ddof=1))
    biases: dict[tuple[str, tuple[tuple[str, Any], ...]], float] = {
        ("sources_theta_a", ()): -omega.sum() / K**2 - off / K**2,
        ("sources_theta_b", ()): (np.sum((sigma2 - omega) / M) - omega.sum() - off) / K**2,
        ("sources_theta_omega1", (("source", 1),)): -omega[1] + mu.mean() ** 2 - mu[1] ** 2,
        ("sources_theta_gamma1", (("pair", (0, 2)),)): -gamma[0, 2]
        + mu.mean() ** 2
        - mu[0] * mu[2],
        ("sources_theta_omega", ()): -float(omega.mean()) - (K - 1) / K * spread,
        ("sources_theta_gamma", ()): -off / (K * (K - 1)) + spread / K,
    }
    for (key, keywords), bias in biases.items():
        assert_allclose(
            _expectation(key, sizes, mean, C, **dict(keywords)) - truth,
            bias,
            rtol=1e-9,
            err_msg=key,
        )


KEYWORDS: dict[str, dict[str, Any]] = {
    "sources-theta-omega1": {"source": 0},
    "sources-theta-gamma1": {"pair": (0, 1)},
}
VARIANCES = sorted(
    k for k, m in ef.infer.methods().items() if m.inputs == ("blocks",) and m.family == "variance"
)


def test_all_keys_of_section_6_are_registered() -> None:
    thetas = {f"cv-theta{i}" for i in range(1, 6)}
    naive = {f"sources-theta-{name}" for name in ("omega1", "gamma1", "omega", "gamma")}
    assert set(VARIANCES) == thetas | naive | {"sources-theta-a", "sources-theta-b"}
    assert "sources-new-t" in ef.infer.methods()


@pytest.mark.parametrize("key", VARIANCES)
def test_contract_of_the_variances(key: str) -> None:
    function: Any = ef.infer.methods()[key].function
    keywords = KEYWORDS.get(key, {})
    losses = _losses(SIZES, batch=(3, 2))
    e = function(losses, **keywords)
    assert e.method == key
    assert e.bias
    assert e.value.shape == (3, 2)
    for i in np.ndindex(3, 2):
        one = function([block[i] for block in losses], **keywords).value
        assert_allclose(one, e.value[i], rtol=1e-12)
        assert np.shape(one) == ()
    assert_allclose(
        function([3 * block for block in losses], **keywords).value, 9 * e.value, rtol=1e-12
    )
    assert_allclose(function([-block for block in losses], **keywords).value, e.value, rtol=1e-12)
    # whose bias holds the means
    if key not in ("cv-theta1", "sources-theta-omega1", "sources-theta-gamma1"):
        moved = function([block + 100.0 for block in losses], **keywords).value
        assert_allclose(moved, e.value, rtol=1e-9)
    assert function([np.zeros(3), np.zeros(2)], **keywords).value == 0


@pytest.mark.parametrize("key", [*VARIANCES, "sources-new-t"])
def test_bad_losses_are_refused(key: str) -> None:
    function: Any = ef.infer.methods()[key].function
    keywords = KEYWORDS.get(key, {})
    with pytest.raises(InvalidInput, match=r"losses\[1\] must be finite but got nan at position 2"):
        function([[1.0, 2.0], [1.0, 2.0, np.nan]], **keywords)
    with pytest.raises(InvalidInput, match="losses must have at least two blocks but has 1"):
        function([[1.0, 2.0]], **keywords)
    with pytest.raises(
        InvalidInput, match=r"losses must be a sequence of arrays, one per block, but got 3\.0"
    ):
        function(3.0, **keywords)
    with pytest.raises(
        InvalidInput, match=r"losses\[1\] must be of shape \(..., M\) with M ≥ \d but got shape"
    ):
        function([[1.0, 2.0], []], **keywords)
    with pytest.raises(
        InvalidInput, match=r"losses\[1\] must have the batch shape of losses\[0\], \(2,\), but has"
    ):
        function([np.ones((2, 3)), np.ones(3)], **keywords)


def test_one_loss_per_source_is_enough_for_means_but_not_for_spread_within() -> None:
    losses = [[0.1], [0.4], [0.3]]
    assert ef.infer.sources_new_t(losses).value == pytest.approx(0.8 / 3)
    with pytest.raises(InvalidInput, match="with M ≥ 2"):
        ef.infer.cv_theta5(losses)


def test_sources_are_named_by_position() -> None:
    losses = _losses((3, 3, 3))
    with pytest.raises(InvalidInput, match="source must be an integer from 0 to 2 but got 3"):
        ef.infer.sources_theta_omega1(losses, source=3)
    with pytest.raises(InvalidInput, match="pair must be two different sources"):
        ef.infer.sources_theta_gamma1(losses, pair=(1, 1))


def test_a_new_source_has_the_answers_of_the_contract() -> None:
    losses = _losses(SIZES, batch=(20,))
    e = ef.infer.sources_new_t(losses)
    up, down = (ef.infer.sources_new_t(losses, alternative=a) for a in ("greater", "less"))
    assert_allclose(up.pvalue + down.pvalue, 1, rtol=1e-12)
    assert_allclose(e.pvalue, 2 * np.minimum(up.pvalue, down.pvalue), rtol=1e-12)
    low, high = e.confidence_interval(0.9)
    assert_allclose(
        ef.infer.sources_new_t([x[0] for x in losses], null=float(low[0])).pvalue, 0.1, rtol=1e-9
    )
    assert np.all(low < high)
    mirrored = ef.infer.sources_new_t([-x for x in losses], alternative="less")
    assert_allclose(mirrored.pvalue, up.pvalue, rtol=1e-12)
    with pytest.warns(DegenerateData):
        assert ef.infer.sources_new_t([[0.5, 0.5], [0.5]]).pvalue == 0


def test_these_sources_are_tested_with_theta_b_and_welchs_degrees_of_freedom() -> None:
    losses = _losses(SIZES)
    e = ef.infer.sources_these_t(losses, null=0.3)
    noise = np.array([np.var(block, ddof=1) / len(block) for block in losses])
    assert_allclose(e.standard_error**2, _value("sources_theta_b", losses), rtol=1e-12)
    assert_allclose(
        e.statistic, (np.mean([b.mean() for b in losses]) - 0.3) / e.standard_error, rtol=1e-12
    )
    assert_allclose(e.df, noise.sum() ** 2 / np.sum(noise**2 / (np.array(SIZES) - 1)), rtol=1e-12)
    # two sources: the standard error of Welch's two-sample test of a and −b is that of K·μ̂ under
    # θA
    a, b = losses[0], losses[1]
    two, welch = ef.infer.sources_these_t([a, b]), stats.ttest_ind(a, -b, equal_var=False)
    assert_allclose(two.df, welch.df, rtol=1e-12)
    assert_allclose(two.statistic * np.sqrt(2), welch.statistic, rtol=1e-12)


def test_these_sources_in_batches_and_without_spread() -> None:
    batch = _losses(SIZES, (3,))
    e = ef.infer.sources_these_t(batch)
    for i in range(3):
        alone = ef.infer.sources_these_t([block[i] for block in batch])
        assert_allclose(
            [e.pvalue[i], e.standard_error[i]], [alone.pvalue, alone.standard_error], rtol=1e-12
        )
    with pytest.warns(DegenerateData):
        flat = ef.infer.sources_these_t([[0.0, 0.0], [0.0, 0.0, 0.0]])
    assert (float(flat.pvalue), float(flat.df)) == (1.0, 3.0)


def test_the_corrected_test_of_a_new_source_is_nadeau_and_bengios() -> None:
    losses = _losses(SIZES)
    means = np.array([block.mean() for block in losses])
    K = len(losses)
    e = ef.infer.sources_new_corrected_t(losses, null=0.3)
    variance = np.var(means, ddof=1) * (1 / K + (1 / K) / (1 - 1 / K))
    assert_allclose([e.value, e.standard_error**2], [means.mean(), variance], rtol=1e-12)
    assert_allclose(e.statistic, (means.mean() - 0.3) / np.sqrt(variance), rtol=1e-12)
    assert e.df == K - 1
    assert e.method == "sources-new-corrected-t"
    assert "on a new source" in e.estimand


def test_a_variance_has_no_interval_and_says_why() -> None:
    e = ef.infer.cv_theta5([[0.1, 0.3], [0.5, 0.9, 0.7]])
    with pytest.raises(
        NotApplicable, match=r"cv-theta5 estimates a variance .* no known distribution"
    ):
        e.confidence_interval()
