"""The promise of the noise floor: how often an unchanged program is called slower."""

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.change import Change

pytestmark = pytest.mark.guarantee

RUNS = 10  # processes in a file


@pytest.mark.parametrize("session", [0.0, 0.005, 0.02, 0.1])
@pytest.mark.parametrize("tail", ["normal", "heavy"])
def test_an_unchanged_benchmark_leaves_its_floor_in_at_most_one_of_twenty(
    session: float, tail: str
) -> None:
    """Files share what varies between sessions; the floor is the largest of 19 pairs of files."""
    rng = np.random.default_rng([int(1000 * session), len(tail)])
    draws = 2000
    changes = []
    for _ in range(draws):
        size = (40, 1)
        common = rng.normal(size=size) if tail == "normal" else rng.standard_t(3, size=size)
        logs = session * common + rng.normal(0, 0.02, size=(40, RUNS))
        means = logs.mean(axis=1)
        floor = ef.infer.noise_floor(means[1:38:2] - means[0:38:2])
        ratio = ef.infer.geometric_mean_ratio(*np.exp(logs[38:]))
        changes.append(ratio.change(floor))
    for count, promised in (
        (changes.count(Change.REGRESSION), 1 / 40),
        (changes.count(Change.REGRESSION) + changes.count(Change.IMPROVEMENT), 1 / 20),
    ):
        error = np.sqrt(promised * (1 - promised) / draws)
        assert count / draws < promised + 3 * error, (session, tail, count)


def test_the_intervals_of_a_family_hold_together() -> None:
    """Five benchmarks that share the noise of the machine, eight pairs of runs."""
    rng = np.random.default_rng(11)
    draws, names = 1000, "abcde"
    for shared in (0.0, 0.05):
        missed = 0
        for _ in range(draws):
            common = rng.normal(0, shared, size=8)
            base = {name: np.exp(rng.normal(0, 0.02, size=8)) for name in names}
            head = {name: np.exp(common + rng.normal(0, 0.02, size=8)) for name in names}
            ratios = ef.infer.geometric_mean_ratios(base, head, paired=True)
            missed += any(not ratio.low <= 1 <= ratio.high for ratio in ratios.values())
        error = np.sqrt(0.05 * 0.95 / draws)
        assert missed / draws < 0.05 + 3 * error
