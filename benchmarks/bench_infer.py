"""
Tests per second of every test on hold-out values, beside bare formulas and the peers in a loop.

The floor of a method is its formula in numpy without checks, without a result, each pass as cheap
as can be. Times are CPU seconds, best of a few, so that a busy machine does not blur the ratios.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import special

import evenfold as ef
from benchmarks._timing import seconds

ROWS = 1_000_000
PEER_ROWS = 300
SHAPES = {
    "splits": (10,),
    "losses": (10,),
    "repetitions": (5, 2),
    "reruns": (10,),
    "halves": (5, 2),
}
ARGUMENTS: dict[str, Any] = {"n_train": 90, "n_test": 10, "rho1": 0.1, "rho2": 0.3}
COUNTING = {"permutation", "paired-bootstrap"}  # 10⁴ draws a test: they have a table of their own
Bare = Callable[[], np.ndarray]


def bare_t(d: np.ndarray) -> np.ndarray:
    J = d.shape[-1]
    mean = np.einsum("ij->i", d) / J
    centred = d - mean[:, None]
    statistic: np.ndarray = mean / np.sqrt(np.einsum("ij,ij->i", centred, centred) / (J * (J - 1)))
    return statistic


def bare_f(d: np.ndarray) -> np.ndarray:
    flat, difference = d.reshape(len(d), -1), d[..., 0] - d[..., 1]
    # the estimate; its spread gives the statistic and the interval
    mean = np.einsum("ij->i", flat) / 10
    centred = flat - mean[:, None]
    squares = np.einsum("ij,ij->i", centred, centred) + 10 * mean**2
    statistic: np.ndarray = squares / np.einsum("ij,ij->i", difference, difference)
    return statistic


def bare_looks(d: np.ndarray, *, pvalue: bool = False) -> np.ndarray:
    looks = [bare_t(d[:, :m].reshape(len(d), -1)) for m in range(3, d.shape[1] + 1)]
    if pvalue:
        looks = [special.stdtr(m, -np.abs(look)) for m, look in enumerate(looks, start=3)]
    extreme: np.ndarray = np.min(looks, axis=0)
    return extreme


def bare_z(n10: np.ndarray, n01: np.ndarray) -> np.ndarray:
    statistic: np.ndarray = (n10 - n01) / np.sqrt(n10 + n01)
    return statistic


def bare_binomial(n10: np.ndarray, n01: np.ndarray, *, mid: bool) -> np.ndarray:
    tail = special.betainc(n10, n01 + 1.0, 0.5)
    p: np.ndarray = tail + special.betainc(n10 + 1.0, n01, 0.5) if mid else 2 * tail
    return p


def floors(key: str, arrays: list[np.ndarray]) -> tuple[Bare, Bare]:
    """Return the bare statistic and the bare p-value of a method."""
    flat = arrays[-1].reshape(ROWS, -1)
    df = flat.shape[1] - 1
    if key == "5x2-f":
        return partial(bare_f, *arrays), lambda: special.fdtrc(10, 5, bare_f(*arrays))
    if key.startswith("mcnemar"):
        if key.endswith(("exact", "mid-p")):
            return partial(bare_z, *arrays), partial(
                bare_binomial, *arrays, mid=key.endswith("mid-p")
            )
        return partial(bare_z, *arrays), lambda: 2 * special.ndtr(-np.abs(bare_z(*arrays)))
    if key == "mx2-sequential-t":
        return partial(bare_looks, *arrays), partial(bare_looks, *arrays, pvalue=True)
    if key in ("holdout-t", "conservative-z"):
        return partial(bare_t, flat), lambda: 2 * special.ndtr(-np.abs(bare_t(flat)))
    return partial(bare_t, flat), lambda: 2 * special.stdtr(df, -np.abs(bare_t(flat)))


def row(name: str, run: Callable[[], Any], arrays: list[np.ndarray]) -> None:
    statistic, pvalue = (seconds(floor) for floor in floors(name, arrays))
    alone, both = seconds(run), seconds(lambda: run().pvalue)
    print(
        f"{name:<24}{alone:>13.3f}{alone / statistic:>9.2f}"
        f"{both:>14.3f}{both / pvalue:>9.2f}{ROWS / both:>12.3g}"
    )


def peers() -> dict[str, float]:
    """Seconds per test of the peers' functions, each in a loop over rows."""
    from baycomp.single import CorrelatedTTest
    from mlxtend.evaluate import mcnemar
    from scipy import stats

    d = np.random.default_rng(1).normal(size=(PEER_ROWS, 10))
    table, zero = np.array([[50, 15], [5, 30]]), np.zeros(10)
    loops: dict[str, Callable[[], Any]] = {
        "scipy.stats.ttest_1samp": lambda: [stats.ttest_1samp(row, 0.0) for row in d],
        "baycomp CorrelatedTTest": lambda: [CorrelatedTTest.probs(zero, row) for row in d],
        "mlxtend mcnemar": lambda: [mcnemar(table) for _ in range(PEER_ROWS)],
    }
    return {name: seconds(loop) / PEER_ROWS for name, loop in loops.items()}


def data(entry: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = [(3, 2) if entry.key == "blocked-3x2-t" else SHAPES[name] for name in entry.inputs]
    return [rng.normal(size=(ROWS, *shape)) for shape in shapes]


def one_test_set() -> None:
    """Print milliseconds per call on one test set of 1000 points, beside scipy and statsmodels."""
    from scipy import stats
    from statsmodels.stats.contingency_tables import cochrans_q

    rng = np.random.default_rng(2)
    d, right, y = (
        rng.normal(size=1000),
        rng.integers(0, 2, size=(5, 1000)),
        rng.integers(0, 2, size=1000),
    )
    a, b = rng.normal(size=(2, 1000)) + y
    permute: Any = stats.permutation_test
    resample: Any = stats.bootstrap
    pairs: dict[str, tuple[Callable[[], Any], str, Callable[[], Any]]] = {
        "permutation": (
            lambda: ef.infer.permutation(d).pvalue, "scipy",
            lambda: permute((d, -d), lambda x, y, axis: (x - y).mean(axis),
                            permutation_type="samples"),
        ),
        "paired-bootstrap": (
            lambda: ef.infer.paired_bootstrap(d).confidence_interval(), "scipy",
            lambda: resample((d,), np.mean),
        ),
        "cochran-q": (lambda: ef.infer.cochran_q(right).pvalue, "statsmodels",
                      lambda: cochrans_q(right.T)),
        "delong": (lambda: ef.infer.delong(a, b, y).pvalue, "m × k kernel",
                   lambda: kernel(a, b, y)),
    }  # fmt: skip
    print("\nms per call on one test set of 1000 points\n")
    for key, (ours, peer, theirs) in pairs.items():
        mine, other = seconds(ours), seconds(theirs)
        print(
            f"{key:<24}{1e3 * mine:>10.2f}   {peer:<14}{1e3 * other:>10.2f}{other / mine:>9.1f} ×"
        )


def kernel(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> float:
    """DeLong's variance from all pairs of a positive and a negative example, as written down."""
    signs = [np.sign(s[y == 1][:, None] - s[y == 0]) / 2 for s in (a, b)]
    D = signs[1] - signs[0]
    m, k = D.shape
    return float(D.mean(axis=1).var(ddof=1) / m + D.mean(axis=0).var(ddof=1) / k)


def main() -> None:
    print(
        "µs per test on 10⁶ rows, 10 values a test (blocked-3x2-t: 6; mx2-sequential-t: looks 3 "
        "to 5)\n"
    )
    print(
        f"{'method':<24}{'statistic':>13}{'/ floor':>9}{'with p-value':>14}"
        f"{'/ floor':>9}{'tests/s':>12}"
    )
    for key, entry in ef.infer.methods().items():
        if entry.family == "test" and set(entry.inputs) <= set(SHAPES) and key not in COUNTING:
            arrays, needed = data(entry), {name: ARGUMENTS[name] for name in entry.arguments}
            row(key, partial(entry.function, *arrays, **needed), arrays)
    counts = list(np.random.default_rng(0).integers(1, 60, size=(2, ROWS)))
    for variant in ("asymptotic", "corrected", "exact", "mid-p"):
        row(f"mcnemar {variant}", partial(ef.infer.mcnemar, *counts, variant=variant), counts)
    d = np.random.default_rng(0).normal(size=(ROWS, 10))
    ours = seconds(lambda: ef.infer.corrected_resampled_t(d, n_train=90, n_test=10).pvalue) / ROWS
    print()
    for name, each in peers().items():
        print(
            f"{name} in a loop: {each * 1e6:.0f} µs per test, {each / ours:.0f} × "
            "corrected-resampled-t"
        )
    posterior = (
        seconds(lambda: ef.infer.bayes_correlated_t(d, n_train=90, n_test=10).rope(0.01)) / ROWS
    )
    print(f"bayes-correlated-t with its three probabilities: {posterior * 1e6:.3f} µs per test")
    one_test_set()


if __name__ == "__main__":
    main()
