"""Bradley and Terry's model against outside implementations of the same likelihood."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import evenfold as ef
from evenfold.infer.battles import connected_groups


def battles(
    n: int, models: int, *, ties: float, seed: int = 0
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.6, models)
    first = rng.integers(0, models, n)
    second = (first + rng.integers(1, models, n)) % models
    delta = strength[first] - strength[second]
    win = np.exp(delta / 2)
    loss = np.exp(-delta / 2)
    drawn = rng.random(n) * (win + loss + ties)
    outcome = np.where(drawn < win, 1.0, np.where(drawn < win + loss, 0.0, 0.5))
    return first, second, outcome, rng.integers(0, n // 5, n)


def design(first: NDArray[Any], second: NDArray[Any], models: int) -> NDArray[Any]:
    x = np.zeros((len(first), models))
    x[np.arange(len(first)), first] = 1.0
    x[np.arange(len(first)), second] = -1.0
    return x


def test_without_ties_it_is_the_logistic_regression_of_statsmodels_with_its_clustered_errors() -> (
    None
):
    import statsmodels.api as sm

    first, second, outcome, prompts = battles(2000, 6, ties=0.0)
    x = design(first, second, 6)[:, 1:]  # the first model is the reference
    fit = sm.Logit(outcome, x).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": prompts, "use_correction": False}
    )
    found = ef.infer.bradley_terry(first, second, outcome, prompts=prompts)
    np.testing.assert_allclose((found.strength - found.strength[0])[1:], fit.params, atol=1e-7)
    contrast = np.eye(6)[1:] - np.eye(6)[0]
    ours = contrast @ found.covariance @ contrast.T
    groups = len(np.unique(prompts))
    np.testing.assert_allclose(ours, fit.cov_params() * groups / (groups - 1), rtol=1e-6)


def test_without_ties_it_is_the_logistic_regression_of_scikit_learn_without_a_penalty() -> None:
    from sklearn.linear_model import LogisticRegression

    first, second, outcome, _ = battles(2000, 6, ties=0.0, seed=3)
    x = design(first, second, 6)[:, 1:]
    fit = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=1000).fit(
        x, outcome
    )
    found = ef.infer.bradley_terry(first, second, outcome)
    np.testing.assert_allclose((found.strength - found.strength[0])[1:], fit.coef_[0], atol=1e-5)


def test_with_ties_it_is_the_log_linear_model_of_statsmodels() -> None:
    """Davidson's model as Poisson counts with a constant per pair (Fienberg and Larntz 1976)."""
    import statsmodels.api as sm

    models = 5
    first, second, outcome, _ = battles(3000, models, ties=0.7, seed=1)
    counts = []
    rows = []
    pairs = [(i, j) for i in range(models) for j in range(i)]
    for p, (i, j) in enumerate(pairs):
        forward = (first == i) & (second == j)
        backward = (first == j) & (second == i)
        wins = (outcome[forward] == 1).sum() + (outcome[backward] == 0).sum()
        losses = (outcome[forward] == 0).sum() + (outcome[backward] == 1).sum()
        ties = (outcome[forward | backward] == 0.5).sum()
        for count, of_i, tie in ((wins, 0.5, 0), (losses, -0.5, 0), (ties, 0.0, 1)):
            row = np.zeros(models - 1 + 1 + len(pairs))
            if i:
                row[i - 1] += of_i
            if j:
                row[j - 1] -= of_i
            row[models - 1] = tie
            row[models + p] = 1.0
            counts.append(count)
            rows.append(row)
    fit = sm.GLM(np.array(counts), np.array(rows), family=sm.families.Poisson()).fit(tol=1e-12)
    found = ef.infer.bradley_terry(first, second, outcome)
    np.testing.assert_allclose(
        (found.strength - found.strength[0])[1:], fit.params[: models - 1], atol=1e-6
    )
    assert np.log(found.tie) == pytest.approx(fit.params[models - 1], abs=1e-6)


def test_ties_split_are_half_a_win_of_each() -> None:
    import statsmodels.api as sm

    first, second, outcome, _ = battles(2000, 4, ties=0.7, seed=2)
    x = design(first, second, 4)[:, 1:]
    fit = sm.GLM(outcome, x, family=sm.families.Binomial()).fit(tol=1e-12)
    found = ef.infer.bradley_terry(first, second, outcome, ties="split")
    np.testing.assert_allclose((found.strength - found.strength[0])[1:], fit.params, atol=1e-6)
    assert found.tie == 0


def test_battles_twice_about_each_prompt_say_no_more_than_once() -> None:
    first, second, outcome, _ = battles(500, 4, ties=0.4)
    prompts = np.arange(500)
    once = ef.infer.bradley_terry(first, second, outcome, prompts=prompts)
    twice = ef.infer.bradley_terry(*(np.tile(one, 2) for one in (first, second, outcome)),
                                   prompts=np.tile(prompts, 2))  # fmt: skip
    np.testing.assert_allclose(twice.strength, once.strength, atol=1e-8)
    np.testing.assert_allclose(twice.covariance, once.covariance, atol=1e-10)


def test_ten_judges_or_more_are_a_sample_of_judges() -> None:
    first, second, outcome, prompts = battles(3000, 4, ties=0.4)
    judges = np.random.default_rng(0).integers(0, 20, 3000)
    alone = ef.infer.bradley_terry(first, second, outcome, prompts=prompts)
    few = ef.infer.bradley_terry(first, second, outcome, prompts=prompts, judges=judges % 5)
    many = ef.infer.bradley_terry(first, second, outcome, prompts=prompts, judges=judges)
    assert few.covariance == pytest.approx(alone.covariance)
    assert many.clusters == 20
    assert not np.allclose(many.covariance, alone.covariance)


def test_a_model_that_never_lost_has_no_strength() -> None:
    with pytest.raises(ef.NotApplicable, match="models 2 cannot be estimated: against the others"):
        ef.infer.bradley_terry([0, 1, 2, 2], [1, 0, 0, 1], [1, 1, 1, 1])
    assert connected_groups([0, 1, 2, 2], [1, 0, 0, 1], [1, 1, 1, 1]).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("first", "second", "outcome", "said"),
    [
        ([0, 1], [0, 0], [1, 1], "another model than the first"),
        ([0, 1], [1, 0], [1, 0.3], "1, 0 or 0.5"),
        ([0.5, 1], [1, 0], [1, 0], "numbers of models"),
    ],
)
def test_odd_battles_are_refused(first: Any, second: Any, outcome: Any, said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said):
        ef.infer.bradley_terry(first, second, outcome)


def test_the_intervals_hold() -> None:
    """Sandwich errors of contrasts on battles that share prompts: covered about 95 times of 100."""
    covered = 0
    rng = np.random.default_rng(5)
    strength = np.array([0.5, 0.1, -0.1, -0.5])
    for _ in range(200):
        prompts = np.repeat(np.arange(150), 4)
        noise = rng.normal(0, 1.0, (150, 4))[prompts]  # a prompt suits some models
        first = rng.integers(0, 4, 600)
        second = (first + rng.integers(1, 4, 600)) % 4
        at = np.arange(600)
        own = (strength + noise)[at, first] - (strength + noise)[at, second]
        outcome = (rng.random(600) < 1 / (1 + np.exp(-own))).astype(float)
        found = ef.infer.bradley_terry(first, second, outcome, prompts=prompts)
        gap = found.strength[0] - found.strength[3]
        c = found.covariance
        error = np.sqrt(c[0, 0] + c[3, 3] - 2 * c[0, 3])
        # the strengths that describe this mix: attenuated, as with a random effect
        covered += abs(gap - _ATTENUATED) < 1.96 * error
    assert 0.90 <= covered / 200 <= 0.99


def _truth() -> float:
    """The gap that battles without end would show, by one very long table."""
    rng = np.random.default_rng(6)
    n = 400_000
    strength = np.array([0.5, 0.1, -0.1, -0.5])
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    own = strength[first] - strength[second] + rng.normal(0, np.sqrt(2), n)
    outcome = (rng.random(n) < 1 / (1 + np.exp(-own))).astype(float)
    found = ef.infer.bradley_terry(first, second, outcome)
    return float(found.strength[0] - found.strength[3])


_ATTENUATED = _truth()
