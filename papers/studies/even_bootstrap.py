"""
A bootstrap whose samples overlap evenly.

What is it worth? ``python -m papers.studies.even_bootstrap``.

Three ways to draw R bootstrap samples of n examples, as counts c_ri:

- *plain*: n draws with replacement;
- *balanced* (Davison, Hinkley and Schechtman 1986): every example R times in all samples together;
- *even*: counts 0, 0, 0, 1, 1, 1, 2, 3 on eighths of the examples, which have the mean 1 and the
  variance 1 of plain draws and leave .375 of the examples out (plain: .368); exchanged until every
  example occurs R times and the overlaps Σ c_ri·c_si of all pairs of samples are nearly equal.

The estimate is the error on examples that a sample leaves out, averaged over the R samples. Its
variance over data sets and samples, and the part that comes from the samples, are measured on the
same data sets.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold_lab.populations import TwoGaussians

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
EIGHTHS = (0, 0, 0, 1, 1, 1, 2, 3)


def plain(n: int, R: int, rng: np.random.Generator) -> Ints:
    """Counts of n draws with replacement, (R, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=R)


def balanced(n: int, R: int, rng: np.random.Generator) -> Ints:
    """Counts of R copies of all examples, shuffled and cut into R samples."""
    drawn = rng.permutation(np.tile(np.arange(n), R)).reshape(R, n)
    return np.stack([np.bincount(row, minlength=n) for row in drawn])


def even(n: int, R: int, rng: np.random.Generator) -> Ints:
    """Counts whose overlaps are even, dealt to the examples at random; n is a multiple of eight."""
    table = even_table(n, R, stream(1986, "even", n, R))
    return table[rng.permutation(R)][:, rng.permutation(n)]


_TABLES: dict[tuple[int, int], Ints] = {}


def even_table(n: int, R: int, rng: np.random.Generator, steps: int = 60_000) -> Ints:
    """Exchange counts within samples while overlaps and occurrences come nearer to their means."""
    if (n, R) not in _TABLES:
        table = np.stack([rng.permutation(np.tile(EIGHTHS, n // 8)) for _ in range(R)]) - 1
        gram, sums = table @ table.T, table.sum(axis=0)
        for _ in range(steps):
            r, (a, b) = int(rng.integers(R)), rng.choice(n, 2, replace=False)
            d = int(table[r, b] - table[r, a])
            change = d * (table[:, a] - table[:, b])
            change[r] = 0
            before = 2 * (gram[r] @ gram[r] - gram[r, r] ** 2) + n * (sums[a] ** 2 + sums[b] ** 2)
            row = gram[r] + change
            after = 2 * (row @ row - row[r] ** 2) + n * ((sums[a] + d) ** 2 + (sums[b] - d) ** 2)
            if after <= before:
                table[r, [a, b]] = table[r, [b, a]]
                gram[r], gram[:, r] = row, row
                sums[a], sums[b] = sums[a] + d, sums[b] - d
        _TABLES[n, R] = table + 1
    return _TABLES[n, R]


def lda(X: Floats, y: Floats, counts: Ints) -> Floats:
    """Labels by linear discriminants of weighted samples, (R, n)."""
    w = np.stack([counts * (y == k) for k in (0, 1)], axis=1).astype(float)  # (R, 2, n)
    total = w.sum(axis=-1, keepdims=True)
    mean = w @ X / np.maximum(total, 1)
    second = np.einsum("ri,ip,iq->rpq", counts, X, X)
    spread = second - np.einsum("rk,rkp,rkq->rpq", total[..., 0], mean, mean)
    spread += 1e-6 * np.eye(X.shape[1])
    slope = (
        np.linalg.solve(spread, (mean[:, 1] - mean[:, 0])[..., None])[..., 0]
        * (counts.sum(axis=1) - 2)[:, None]
    )
    middle = np.einsum("rp,rp->r", slope, mean.mean(axis=1))
    prior = np.log(np.maximum(total[:, 1, 0], 0.5) / np.maximum(total[:, 0, 0], 0.5))
    labels: Floats = (X @ slope.T - middle + prior > 0).T.astype(float)
    return labels


def nearest(X: Floats, y: Floats, counts: Ints) -> Floats:
    """Labels of the nearest example in each sample."""
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
    distances = np.where(counts[:, None, :] > 0, distance[None], np.inf)
    labels: Floats = y[distances.argmin(axis=-1)]
    return labels


LEARNERS: dict[str, Callable[[Floats, Floats, Ints], Floats]] = {"LDA": lda, "1-NN": nearest}
WAYS = {"plain": plain, "balanced": balanced, "even": even}


def left_out(labels: Floats, y: Floats, counts: Ints) -> float:
    """Mean over samples of the error on what each leaves out."""
    out = counts == 0
    return float(((labels != y) * out).sum(axis=1) @ (1 / out.sum(axis=1)) / len(counts))


def measure(n: int, R: int, data_sets: int, seed: int = 3) -> dict[tuple[str, str], Floats]:
    """By learner and way: estimates (data sets, 2), two sets of samples for each data set."""
    sample = TwoGaussians().draw(n, data_sets, stream(seed, "data", n))
    estimates = {(learner, way): np.empty((data_sets, 2)) for learner in LEARNERS for way in WAYS}
    for way, draw in WAYS.items():
        rng = stream(seed, way, n, R)
        for i in range(data_sets):
            for again in (0, 1):
                counts = draw(n, R, rng)
                for learner, fit in LEARNERS.items():
                    labels = fit(sample.X[i], sample.y[i], counts)
                    estimates[learner, way][i, again] = left_out(labels, sample.y[i], counts)
    return estimates


def parts(values: Floats) -> tuple[Floats, Floats]:
    """Per data set: squared deviation from the mean, and variance between its two samples."""
    return ((values - values.mean()) ** 2).mean(axis=1), (values[:, 0] - values[:, 1]) ** 2 / 2


def ratio(values: Floats, base: Floats) -> tuple[float, float]:
    """A ratio of means over the same data sets, with its error (delta method)."""
    value = values.mean() / base.mean()
    return float(value), float(np.std(values - value * base) / base.mean() / np.sqrt(len(values)))


def main(n: int = 96, data_sets: int = 1000) -> None:
    for R in (8, 16):
        estimates = measure(n, R, data_sets)
        for learner in LEARNERS:
            base = parts(estimates[learner, "plain"])
            for way in WAYS:
                mine = parts(estimates[learner, way])
                ratios = [ratio(a, b) for a, b in zip(mine, base, strict=True)]
                mean = estimates[learner, way].mean()
                words = " ".join(f"{value:.3f} ± {se:.3f}" for value, se in ratios)
                print(
                    f"R = {R}, {learner}, {way}: error {mean:.4f}, variance {base[0].mean():.3e} "
                    f"× {words}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
