"""The test at nearly the full training size against the plain program of the study."""

from typing import Any

import numpy as np
import pytest
from papers.sharp.reference import full_size

import evenfold as ef

N, M = 80, 9
RNG = np.random.default_rng(5)
GROUPS = np.repeat(np.arange(20), 4)


def _sides(n: int, m: int = M) -> Any:
    partition = ef.Mx2BCV(m, random_state=0).partition(n)
    sides = np.zeros((m, n), dtype=bool)
    for r in range(m):
        sides[r, partition.test[2 * r]] = True
    return sides


SIDES = _sides(N)


def _losses(runs: int, *, flips: float = 0.5, shifts: float = 0.1, sets: int = 6) -> Any:
    own = 0.1 + 0.5 * RNG.normal(size=(sets, 1, N))
    each = flips * RNG.normal(size=(sets, M + runs, N)) + shifts * RNG.normal(
        size=(sets, M + runs, 1)
    )
    return (own + each)[:, :runs], (own + each)[:, runs:]


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("kind", ["flips", "shifts", "coarse", "still"])
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["examples", "groups"])
def test_it_is_the_measured_test(runs: int, kind: str, groups: Any) -> None:
    """Against the plain program that the study was made with."""
    folds, halves = _losses(
        runs, flips=0.0 if kind == "still" else 0.5, shifts=0.6 if kind == "shifts" else 0.05
    )
    if kind == "coarse":
        folds, halves = np.round(folds), np.round(halves)
    sides = SIDES if groups is None else np.repeat(_sides(20), 4, axis=1)
    e = ef.infer.full_size_t(folds, halves, sides=sides, clusters=groups)
    r = full_size(folds, halves, sides, groups=groups)
    low, high = e.confidence_interval()
    assert e.value == pytest.approx(r["mean"])
    assert e.standard_error == pytest.approx(r["standard_error"])
    assert e.df == pytest.approx(r["df"])
    assert e.pvalue == pytest.approx(r["pvalue"])
    assert e.decidable.tolist() == r["decidable"].tolist()
    assert low == pytest.approx(r["low"])
    assert high == pytest.approx(r["high"])
