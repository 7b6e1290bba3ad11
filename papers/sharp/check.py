"""
The batched learners against scikit-learn, on the CPU: ``python -m papers.sharp.check``.

Predictions must agree but for ties: trees choose among equal splits, so their error rates are
compared.
"""

import sys
from typing import Any

import numpy as np
import torch
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from papers.sharp import learners


def _task(seed: int, B: int, n: int, p: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=(B, n))
    X = rng.normal(size=(B, n, p)).astype(np.float32) + 0.6 * y[..., None].astype(np.float32)
    if seed % 2:
        X = np.round(X, 1)  # ties
    return X, y


def agreement(
    theirs: Any, ours: Any, X: np.ndarray, y: np.ndarray, **settings: Any
) -> tuple[float, float, float]:
    """Share of equal predictions, and both mean losses."""
    B, n, _ = X.shape
    rng = np.random.default_rng(1)
    perms = np.stack([rng.permutation(n) for _ in range(3)])
    train, test = (
        np.concatenate([perms[:, : n // 2], perms[:, n // 2 :]]),
        np.concatenate([perms[:, n // 2 :], perms[:, : n // 2]]),
    )
    predictions = ours(*(torch.as_tensor(v) for v in (X, y, train, test)), **settings).numpy()
    same, a, b = [], [], []
    for i in range(B):
        for s in range(len(train)):
            predicted = theirs().fit(X[i, train[s]], y[i, train[s]]).predict(X[i, test[s]])
            truth = y[i, test[s]]
            same.append(np.mean(np.abs(predicted - predictions[i, s]) < 1e-3))
            a.append(
                np.mean((predicted - truth) ** 2)
                if settings.get("real")
                else np.mean(predicted != truth)
            )
            b.append(
                np.mean((predictions[i, s] - truth) ** 2)
                if settings.get("real")
                else np.mean(predictions[i, s] != truth)
            )
    return float(np.mean(same)), float(np.mean(a)), float(np.mean(b))


def main() -> int:
    torch.set_num_threads(1)
    bad = 0
    for seed, n, p, classes in ((0, 60, 4, 2), (1, 100, 5, 3), (2, 200, 8, 2), (3, 40, 3, 2)):
        X, y = _task(seed, 25, n, p, classes)
        k = {"classes": classes}
        pairs: dict[str, tuple[Any, Any, dict[str, Any]]] = {
            "tree": (lambda: DecisionTreeClassifier(random_state=0), learners.tree, k),
            "tree 3": (
                lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
                learners.tree,
                k | {"depth": 3},
            ),
            "bayes": (GaussianNB, learners.naive_bayes, k),
            "lda": (LinearDiscriminantAnalysis, learners.lda, k),
            "1-nn": (lambda: KNeighborsClassifier(1, algorithm="brute"), learners.neighbours, k),
            "7-nn": (
                lambda: KNeighborsClassifier(7, algorithm="brute"),
                learners.neighbours,
                k | {"k": 7},
            ),
        }
        if classes == 2:
            pairs["logistic"] = (
                lambda: LogisticRegression(max_iter=1000, tol=1e-8),
                learners.logistic,
                {},
            )
        for name, (theirs, ours, settings) in pairs.items():
            same, a, b = agreement(theirs, ours, X, y, **settings)
            ok = abs(a - b) < 0.01 and same > (0.85 if "tree" in name else 0.98)
            bad += not ok
            print(
                f"n={n} p={p} K={classes} {name}: same {same:.4f}, {a:.4f} / {b:.4f} "
                f"{'' if ok else 'BAD'}"
            )
    X, _ = _task(4, 20, 80, 6, 2)
    Y = X @ np.array([1, 0.5, 0.2, 0, 0, 0]) + np.random.default_rng(5).normal(size=X.shape[:2])
    for name, theirs, ours, settings in [
        ("ols", LinearRegression, learners.linear, {}),
        ("ridge", lambda: Ridge(5.0), learners.linear, {"ridge": 5.0}),
        ("lasso", lambda: Lasso(0.1, tol=1e-8), learners.lasso, {"alpha": 0.1}),
    ]:
        same, a, b = agreement(theirs, ours, X.astype(np.float64), Y, **settings)
        bad += same < 0.999
        print(f"{name}: same {same:.4f}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
