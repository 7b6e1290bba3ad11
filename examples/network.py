"""
A network in plain PyTorch
==========================

An algorithm may be a plain function: training examples in, labels or probabilities of the test
examples out. A ``seed`` argument gets one, so that the run can be repeated. Here a small network in
PyTorch meets a logistic regression; where PyTorch is not installed, the same network in NumPy
stands in.
"""

from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

import evenfold as ef

# %% Fifty hidden units, 200 steps down the gradient of the log loss. The scale of the inputs is
# learned from the training examples, as everything else is.


def in_torch(X_train: Any, y_train: Any, X_test: Any, seed: int) -> Any:
    """Train a network and return the probabilities of the classes."""
    import torch

    torch.manual_seed(seed % 2**31)
    mean, scale = X_train.mean(axis=0), X_train.std(axis=0)
    inputs = torch.tensor((X_train - mean) / scale, dtype=torch.float32)
    network = torch.nn.Sequential(torch.nn.Linear(2, 50), torch.nn.Tanh(), torch.nn.Linear(50, 2))
    steps = torch.optim.Adam(network.parameters(), lr=0.05)
    for _ in range(200):
        steps.zero_grad()
        torch.nn.functional.cross_entropy(network(inputs), torch.tensor(y_train)).backward()
        steps.step()
    with torch.no_grad():
        logits = network(torch.tensor((X_test - mean) / scale, dtype=torch.float32))
    return {"labels": None, "probabilities": logits.softmax(dim=1)}  # columns: the sorted classes


def in_numpy(X_train: Any, y_train: Any, X_test: Any, seed: int) -> Any:
    """Train the same network by hand."""
    rng = np.random.default_rng(seed)
    mean, scale = X_train.mean(axis=0), X_train.std(axis=0)
    train, test = (np.c_[(X - mean) / scale, np.ones(len(X))] for X in (X_train, X_test))
    first, second = rng.normal(size=(3, 50)), np.zeros(50)
    for _ in range(200):
        hidden = np.tanh(train @ first)
        error = (1 / (1 + np.exp(-hidden @ second)) - y_train) / len(train)
        first, second = (
            first - train.T @ (np.outer(error, second) * (1 - hidden**2)),
            second - hidden.T @ error,
        )
    p = 1 / (1 + np.exp(-np.tanh(test @ first) @ second))
    return {"labels": None, "probabilities": np.c_[1 - p, p]}


try:
    import torch  # noqa: F401  (is it there?)

    network = in_torch
except ImportError:
    network = in_numpy

# %% From here on it is an algorithm like any other, with probabilities for the measures that need
# them.

X, y = make_moons(400, noise=0.25, random_state=0)
both = {"logistic": LogisticRegression(), "network": network}
c = ef.compare(both, X, y, measure=["zero-one", "brier"], random_state=0)
print(c["zero-one"].verdict)
print(c["brier"].verdict)

figure = c.plot()
