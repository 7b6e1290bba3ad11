"""Several algorithms at once: errors over all pairs, the set of the best, the winner's interval."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats

import evenfold as ef
from evenfold.comparison.ranking import candidates
from evenfold.core.losses import Losses, Quantity
from evenfold.infer.family import Criteria

pytestmark = pytest.mark.guarantee

LEVEL = 0.05
REPLICATIONS = 2000
ERROR = np.sqrt(LEVEL * (1 - LEVEL) / REPLICATIONS)  # .0049

# name: how algorithms hang together, as a matrix by which independent values are mixed
WORLDS: dict[str, Callable[[int], np.ndarray]] = {
    "unrelated": lambda K: np.eye(K),
    "alike": lambda K: np.eye(K) * 0.3 + 1.0,
    "steady baseline": lambda K: np.diag([0.05] + [1.0] * (K - 1)),
    "two kinds": lambda K: np.eye(K) * 0.2 + np.equal.outer(np.arange(K) % 2, np.arange(K) % 2),
}


def _contrasts(K: int, against: str) -> np.ndarray:
    pairs = combinations(range(K), 2) if against == "all" else [(0, j) for j in range(1, K)]
    return np.array([np.eye(K)[j] - np.eye(K)[i] for i, j in pairs])


def _errs(d: np.ndarray) -> tuple[bool, bool]:
    """Whether any of the tests of a true null rejects: by max-t, and by Bonferroni."""
    t = np.abs(d.mean(axis=1)) / (d.std(axis=1, ddof=1) / np.sqrt(d.shape[1]))
    p = float(2 * special.stdtr(d.shape[1] - 1, -t.max()))
    if len(d) * p <= LEVEL:
        return True, True
    if p > LEVEL:
        return False, False
    return ef.infer.MaxT(values=d).overall(p) <= LEVEL, False


@pytest.mark.parametrize("against", ["all", "baseline"])
@pytest.mark.parametrize("K", [3, 10])
@pytest.mark.parametrize("J", [6, 18])
@pytest.mark.parametrize("world", WORLDS)
def test_the_error_over_all_pairs_is_the_level(world: str, J: int, K: int, against: str) -> None:
    rng = np.random.default_rng([K, J, len(world), len(against)])
    mix, contrasts = WORLDS[world](K), _contrasts(K, against)
    errors = np.array(
        [_errs(contrasts @ (mix @ rng.normal(size=(K, J)))) for _ in range(REPLICATIONS)]
    )
    max_t, bonferroni = errors.mean(axis=0)
    assert max_t <= LEVEL + 3 * ERROR, f"{max_t:.4f} ± {ERROR:.4f}"
    assert max_t >= bonferroni
    if against == "all":
        assert max_t >= LEVEL - 3 * ERROR, "exact, not only safe"


@pytest.mark.parametrize("J", [6, 18])
def test_max_t_finds_more_than_bonferroni(J: int) -> None:
    """Six algorithms of which one is better: power of both, on the same data."""
    rng = np.random.default_rng(J)
    contrasts, shift = _contrasts(6, "all"), np.array([0, 0, 0, 0, 0, 2.2 if J == 18 else 6.0])
    power = np.zeros(2)
    for _ in range(300):
        d = contrasts @ (rng.normal(size=(6, J)) + shift[:, None] / 2)
        p = np.asarray(stats.ttest_1samp(d, 0, axis=1).pvalue)[contrasts[:, 5] != 0]
        power += ((p <= ef.infer.MaxT(values=d).per_test(LEVEL)).mean(), (p <= LEVEL / 15).mean())
    assert power[0] >= power[1]


def _correlated(rng: np.random.Generator, K: int, m: int, rho1: float, rho2: float) -> np.ndarray:
    """Gaussian m×2 hold-outs of K algorithms, correlated ρ1 within, ρ2 between repetitions."""
    J = 2 * m
    same = np.kron(np.eye(m), np.ones((2, 2)))
    cov = rho2 + (rho1 - rho2) * same + (1 - rho1) * np.eye(J)
    root = np.linalg.cholesky(cov + 1e-10 * np.eye(J))
    common = rng.normal(size=J) * 0.7
    return np.asarray((rng.normal(size=(K, J)) + common) @ root.T)


def _losses(values: np.ndarray) -> Losses:
    m = values.shape[1] // 2
    return Losses(
        quantity=Quantity(name="loss", lower_is_better=True),
        algorithms=tuple(f"a{i}" for i in range(len(values))),
        partition=ef.Mx2BCV(m, random_state=0).partition(64),
        values=values,
        fit_seconds=np.ones_like(values),
        predict_seconds=np.ones_like(values),
    )


@pytest.mark.parametrize(("rho1", "rho2"), [(0.5, 0.5), (0.0, 0.2)])
def test_the_set_holds_the_best(rho1: float, rho2: float) -> None:
    """Five algorithms, three of them equally good: what ``compare`` says of them, by mx2-t."""
    rng = np.random.default_rng(int(10 * rho2))
    truth = np.array([0.0, 0.0, 0.0, 0.5, 1.0])
    m, replications = 5, 400
    rule = Criteria(level=LEVEL, adjust="max-t", method="mx2-t")
    left_out = 0
    for _ in range(replications):
        losses = _losses(_correlated(rng, 5, m, rho1, rho2) + truth[:, None])
        family = rule.with_pairs_of(losses.algorithms)
        ranked = candidates(losses, family.answers(losses), family)
        left_out += next(one for one in ranked if one.name == "a0").among_best is False
    error = np.sqrt(LEVEL / replications)
    assert left_out / replications <= LEVEL + 3 * error
