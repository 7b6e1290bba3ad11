"""
The fast bootstrap of cross-validation, Cai et al.

(arXiv 2307.00260): ``python -m papers.sharp.bootcv``.

As the authors' package BootCV has it: 400 bootstrap samples, in each 20 random splits of training
size m*, weights of the sample on both sides; the variance between samples in a random-effects
model, times (n − m* + .632 m*)/n; estimate by 400 random splits of training size m; normal
quantiles. m* is the size near m/.632 that leaves a test set near n − m. That is 8400 fits an
algorithm, so it is measured for LDA against naive Bayes alone, whose weighted fits are sums.
"""

import numpy as np

SETS, SAMPLES, SPLITS, ESTIMATE, SHARE, LAMBDA = 400, 400, 20, 400, 0.9, 0.368
Floats = np.ndarray


def adjusted(n: int, m: int) -> int:
    """m*."""
    sizes = np.arange(m, n - round(0.05 * n) + 1)
    cost = (m / (0.632 * sizes) - 1) ** 2 + LAMBDA * ((n - m) / (n - sizes) - 1) ** 2
    return int(sizes[np.argmin(cost)])


def differences(X: Floats, y: Floats, train: Floats, test: Floats) -> Floats:
    """Error of naive Bayes less that of LDA for weights (K, n) of training and test examples."""
    p = X.shape[1]
    products = (X[:, :, None] * X[:, None]).reshape(len(X), -1)
    scores, pooled, linear = [], 0.0, []
    for c in (0, 1):
        w = train * (y == c)
        N = w.sum(axis=1, keepdims=True)
        mean = w @ X / N
        spread = (w @ products / N).reshape(-1, p, p) - mean[:, :, None] * mean[:, None]
        var = np.maximum(np.einsum("kii->ki", spread), 1e-9)
        away = (
            (X**2) @ (1 / var).T
            - 2 * X @ (mean / var).T
            + (mean**2 / var + np.log(var)).sum(axis=1)
        )
        scores.append(np.log(N) - away.T / 2)
        pooled = pooled + spread * N[:, :, None]
        linear.append((N, mean))
    directions = [np.linalg.solve(pooled / train.sum(axis=1)[:, None, None], mean[..., None])[...,
                                                                                              0]
                  for _, mean in linear]  # fmt: skip
    of_lda = [np.log(N) + d @ X.T - (d * mean).sum(axis=1, keepdims=True) / 2
              for (N, mean), d in zip(linear, directions, strict=True)]  # fmt: skip
    wrong = [((b > a) != y) * 1.0 for a, b in (scores, of_lda)]
    difference: Floats = ((wrong[0] - wrong[1]) * test).sum(axis=1) / test.sum(axis=1)
    return difference


def _splits(rng: np.random.Generator, K: int, n: int, m: int) -> Floats:
    """Which of n examples train, m of them in each of K splits."""
    return np.argsort(rng.random((K, n)), axis=1) < m


def interval(rng: np.random.Generator, X: Floats, y: Floats, m: int) -> tuple[float, float]:
    """Estimate and standard error of one data set."""
    n = len(y)
    plain = _splits(rng, ESTIMATE, n, m)
    value = differences(X, y, plain * 1.0, ~plain * 1.0).mean()
    size = adjusted(n, m)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=SAMPLES).repeat(SPLITS, axis=0)
    trains = _splits(rng, SAMPLES * SPLITS, n, size)
    d = differences(X, y, weights * trains, weights * ~trains).reshape(SAMPLES, SPLITS)
    within = d.var(axis=1, ddof=1).mean()
    between = max(d.mean(axis=1).var(ddof=1) - within / SPLITS, 0.0)
    return float(value), float(np.sqrt(between * (n - size + 0.632 * size) / n))


def main(p: int = 8, n: int = 200, shift: float = 0.5) -> None:
    rng, rows = np.random.default_rng(2307), []
    for _ in range(SETS):
        y = (rng.random(n) < 0.5).astype(int)
        X = rng.normal(size=(n, p)) + shift * y[:, None]
        rows.append(interval(rng, X, y, round(SHARE * n)))
    value, error = np.array(rows).T
    away, sd = value - value.mean(), value.std()
    rates = [float((np.abs(away + d) > 1.96 * error).mean()) for d in (0.0, 2.8 * sd, -2.8 * sd)]
    se = np.sqrt(0.05 * 0.95 / SETS)
    print(f"n = {n}, p = {p}: error {rates[0]:.3f} ± {se:.3f}, power "
          f"{(rates[1] + rates[2]) / 2:.3f}, "
          f"variance {np.mean(error**2) / sd**2:.2f} times the true one")  # fmt: skip


if __name__ == "__main__":
    main()
