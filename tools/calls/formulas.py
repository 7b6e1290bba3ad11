"""Calls of the functions of ``ef.infer``, on arrays that are drawn here."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import evenfold as ef
from tools.calls import Call

ONE_SIDED = ("two-sided", "greater", "less")
N_TRAIN = {"n_train": 90, "n_test": 10}
RANGE = {"low": -1.0, "high": 1.0}


def infer_calls() -> dict[str, Call]:
    """Return the calls of every function, tests with each alternative, by name."""
    calls: dict[str, Call] = {}
    for names, data, keywords in (*_on_splits(), *_on_examples(), *_on_counts()):
        for name in names:
            for alternative in ONE_SIDED:
                sided = {**keywords, "alternative": alternative, "null": 0.02}
                calls[f"{name}/{alternative}"] = partial(_call, name, data, sided)
    for names, data, keywords in (*_two_sided(), *_variances(), *_posteriors()):
        for name in names:
            calls[name] = partial(_call, name, data, keywords)
    return {**calls, **_of_data_sets(), **_of_families(), **_of_effects()}


def _call(name: str, data: Sequence[Any], keywords: dict[str, Any]) -> Any:
    return getattr(ef.infer, name)(*data, **keywords)


Cases = list[tuple[tuple[str, ...], tuple[Any, ...], dict[str, Any]]]


def drawn(seed: int, *shape: int, mean: float = 0.05, sigma: float = 0.1) -> Any:
    """Return numbers from a normal distribution."""
    return np.random.default_rng(seed).normal(mean, sigma, shape)


def integers(seed: int, low: int, high: int, *shape: int) -> Any:
    """Return integers from low to high − 1."""
    return np.random.default_rng(seed).integers(low, high, shape)


def sides(m: int, n: int) -> Any:
    """Return who is in the first half, of m halvings of n examples."""
    halves = ef.Mx2BCV(m, random_state=0).partition(n).test[::2]
    return np.stack([np.isin(np.arange(n), half) for half in halves])


def lasting(seed: int, m: int, n: int) -> Any:
    """Return differences of losses of which one part lasts over repetitions."""
    return drawn(seed, 1, n, sigma=0.3) + drawn(seed + 1, m, n, sigma=0.2)


def blocks(seed: int) -> list[Any]:
    """Return differences of losses in four folds, or of four sources."""
    return [drawn(seed + k, size, sigma=0.2) for k, size in enumerate((7, 9, 8, 10))]


def _on_splits() -> Cases:
    ten = drawn(1, 10)
    halves = drawn(2, 5, 2)
    seven = drawn(3, 7, 2)
    two = ("five_by_two_t", "five_by_two_t_mean", "five_by_two_t_others")
    more = ("five_by_two_t_independent", "five_by_two_combined_t")
    mx2 = ("mx2_t", "mx2_block_t", "mx2_combined_t", "mx2_paired_t", "mx2_sequential_t")
    return [
        (("kfold_t", "corrected_kfold_t", "resampled_t"), (ten,), {}),
        (("corrected_resampled_t",), (ten,), N_TRAIN),
        (("bounded_kfold_t",), (ten,), {**RANGE, "n_test": 10}),
        ((*two, *more), (halves,), {}),
        (mx2, (seven,), {}),
        (("mx2_oracle_t",), (seven,), {"rho1": 0.1, "rho2": 0.3}),
        (("blocked_3x2_t",), (drawn(4, 3, 2),), {}),
        (("bootstrap",), (ten, drawn(5, 7)), {}),
        (("corrected_bootstrap",), (ten, drawn(5, 7)), N_TRAIN),
        (("conservative_z", "conservative_t"), (ten, drawn(6, 4, 2)), {}),
        (("runs_t",), (drawn(7, 6), drawn(8, 6, mean=0.2)), {}),
    ]


def _on_examples() -> Cases:
    forty = drawn(11, 40)
    clusters = np.arange(40) // 4
    clustered = ("clustered_t", "clustered_cr2_t", "clustered_fair_t")
    drawing = ("clustered_bootstrap", "clustered_permutation")
    sources = ("sources_new_t", "sources_new_corrected_t", "sources_these_t")
    path = ("diebold_mariano", "diebold_mariano_fixed_b")
    runs = drawn(12, 5, 30), drawn(13, 5, 30, mean=0.1)
    bags = integers(14, 0, 3, 40, 12)
    halvings = lasting(15, 9, 60)
    tested = halvings, sides(9, 60)
    return [
        (("paired_t", "holdout_t", "permutation", "paired_bootstrap"), (forty,), {}),
        ((*clustered, *drawing), (forty, clusters), {}),
        (("clustered_bounded_mean",), (forty, clusters), RANGE),
        (("bounded_mean", "anytime", "item_gate"), (forty,), RANGE),
        (("crossed_t",), runs, {}),
        (("crossed_bounded_mean",), runs, RANGE),
        (("welch_t",), (forty, drawn(16, 30)), {}),
        (("cv_clt", "cv_clt_within", *sources), (blocks(20),), {}),
        (("leave_one_out_t",), (forty, drawn(25, 40, sigma=0.01)), {}),
        (("out_of_bag_t",), (forty, drawn(26, 2, 40, sigma=0.01)), {}),
        (path, (forty,), {}),
        (("bootstrap_632",), (drawn(27, 40, 12), drawn(28, 12), bags), {}),
        (("prediction_powered_t",), (drawn(29, 30), drawn(30, 100)), {}),
        (("mx2_influence_t", "until_stable"), tested, {}),
        (("full_size_t",), (halvings[:1] + 0.01, halvings), {"sides": tested[1]}),
    ]


def _on_counts() -> Cases:
    right = integers(31, 5, 10, 5), integers(32, 8, 15, 5)
    scores = drawn(33, 40), drawn(34, 40)
    labels = integers(35, 0, 2, 40)
    ones = integers(36, 0, 2, 40).astype(float), integers(37, 0, 2, 30).astype(float)
    wong = ("wong_kfold_matched_t", "wong_kfold_independent_z", "wong_kfold_independent_t")
    return [
        (("tango_exact",), (np.array([3, 9]), np.array([1, 2]), 60), {}),
        (("two_proportion_z", "wong_loo_independent_z"), (30, 40), {"n": 60}),
        (("wong_loo_matched_t",), (12, 5), {"n": 60}),
        (wong, right, {"n_test": 20}),
        (("wong_proportion",), right[:1], {"n_test": 20}),
        (("miettinen_nurminen",), ones, {}),
        (("delong",), (*scores, labels), {}),
        (("unpaired_delong",), (scores[0], scores[1][:30], labels, labels[:30]), {}),
    ]


def _two_sided() -> Cases:
    folds = np.stack([np.arange(12) % 3, np.arange(12) // 4])
    return [
        (("five_by_two_f", "five_by_two_f_calibrated"), (drawn(2, 5, 2),), {}),
        (("five_by_two_mcnemar",), (integers(41, 3, 9, 5, 2), integers(42, 0, 5, 5, 2)), {}),
        (("mcnemar",), (12, 5), {}),
        (("cochran_q",), (integers(43, 0, 2, 3, 40),), {}),
        (("cost_ratio_t",), (drawn(1, 10),), {}),
        (("giacomini_white", "giacomini_white_conditional"), (drawn(11, 40),), {}),
        (("model_confidence_set",), (drawn(44, 3, 40),), {}),
        (("fold_jackknife_t", "nested_cv"), (drawn(45, 2, 3, 12), folds), {}),
    ]


def _variances() -> Cases:
    theta = tuple(f"cv_theta{k}" for k in range(1, 6))
    sources = tuple(f"sources_theta_{k}" for k in ("a", "b", "omega", "gamma"))
    return [
        (("mx2_v1", "mx2_v2", "mx2_v3"), (drawn(3, 7, 2),), {}),
        (theta, (blocks(20),), {}),
        (sources, (blocks(20),), {}),
        (("sources_theta_omega1",), (blocks(20),), {"source": 1}),
        (("sources_theta_gamma1",), (blocks(20),), {"pair": (0, 2)}),
    ]


def _posteriors() -> Cases:
    counts = np.array([40, 10, 12]), np.array([45, 8, 7])
    outcomes = (
        integers(17, 0, 2, 7, 60, 3).astype(float),
        integers(18, 0, 2, 7, 60, 3).astype(float),
    )
    scores = ("influence_precision", "influence_recall", "influence_f1")
    return [
        (scores, (*outcomes, sides(7, 60)), {}),
        (("bayes_correlated_t",), (drawn(1, 10),), N_TRAIN),
        (("bayes_f1", "bayes_precision", "bayes_recall"), counts, {"m": 7}),
    ]


def _of_data_sets() -> dict[str, Call]:
    values = drawn(51, 9, 4, mean=0.3) + 0.05 * np.arange(4)
    gaps = values.copy()
    gaps[0, 1] = np.nan
    calls: dict[str, Call] = {
        name: partial(_call, name, (values,), {})
        for name in ("friedman", "aligned_ranks", "quade", "nemenyi", "mean_ranks", "further_ranks")
    }
    for name in ("wilcoxon_holm", "friedman_holm"):
        calls[name] = partial(_call, name, (values,), {})
        calls[f"{name}/baseline"] = partial(_call, name, (values,), {"baseline": 0})
    calls["skillings_mack"] = partial(_call, "skillings_mack", (gaps,), {})
    for test in ("wilcoxon", "sign", "nemenyi", "friedman", "conover", "quade", "aligned"):
        calls[f"rank_pairs/{test}"] = partial(_call, "rank_pairs", (values, test), {})
    d = values[:, 1] - values[:, 0]
    variance = np.full(9, 0.002)
    calls["sign_test"] = partial(_call, "sign_test", (d,), {})
    calls["bayes_signed_rank"] = partial(_call, "bayes_signed_rank", (d,), {"margin": 0.01})
    calls["random_effects"] = partial(_call, "random_effects", (d, variance), {})
    calls["bayes_hierarchical"] = partial(_call, "bayes_hierarchical", (d, variance), {"df": 9})
    calls["critical_difference"] = partial(_call, "critical_difference", (4, 9), {})
    return calls


def _of_families() -> dict[str, Call]:
    pvalues = (0.001, 0.012, 0.03, 0.2, 0.04, 0.6)
    every = ("holm", "bonferroni", "hochberg", "hommel", "finner", "none", "shaffer")
    rates = ("bergmann-hommel", "benjamini-hochberg", "benjamini-yekutieli")
    calls: dict[str, Call] = {
        f"adjustment/{how}": partial(_call, "adjustment", (pvalues, how), {})
        for how in (*every, *rates)
    }
    values = drawn(52, 12, 5, mean=0.5) - 0.06 * np.arange(5)
    estimates = values.mean(axis=0)
    covariance = np.cov(values.T) / len(values)
    calls["rank_sets"] = partial(_call, "rank_sets", (values,), {})
    calls["rank_sets_of"] = partial(_call, "rank_sets_of", (estimates, covariance), {"df": 11})
    first = integers(53, 0, 4, 200)
    second = (first + integers(54, 1, 4, 200)) % 4
    wins = integers(55, 0, 3, 200) / 2
    calls["bradley_terry"] = partial(_call, "bradley_terry", (first, second, wins), {})
    return calls


def _of_effects() -> dict[str, Call]:
    a = drawn(61, 40)
    b = drawn(62, 40, mean=0.1)
    calls: dict[str, Call] = {
        name: partial(_call, name, (a, b), {}) for name in ("a12", "cliff_delta", "cohen_d")
    }
    calls["almost_stochastic_order"] = partial(
        _call, "almost_stochastic_order", (a, b), {"resamples": 200}
    )
    calls["quantile_difference"] = partial(_call, "quantile_difference", (a, b, 0.5), {})
    calls["run_noise"] = partial(_call, "run_noise", (integers(63, 0, 2, 4, 50),), {})
    calls["pass_at_k"] = partial(_call, "pass_at_k", ([0, 2, 5], 5, 2), {})
    calls["pass_hat_k"] = partial(_call, "pass_hat_k", ([0, 2, 5], 5, 2), {})
    calls["kappa"] = partial(_call, "kappa", (7,), {})
    calls["mx2_power"] = partial(_call, "mx2_power", (0.05,), {"sigma": 0.03, "m": 7})
    calls["tango_power"] = partial(_call, "tango_power", (0.05,), {"n": 200, "differ": 0.2})
    return calls
