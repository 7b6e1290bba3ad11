"""
Plain functions as algorithms
=============================

An algorithm need not be an estimator. A function ``(X_train, y_train, X_test) -> y_pred`` will do,
so a torch model, a call to another program or ten lines of numpy can be compared without a wrapper
class. A function that takes a ``seed`` gets one, and it is the same for the same split on every
machine.
"""

import numpy as np
from sklearn.datasets import load_wine

import evenfold as ef


def nearest_mean(X_train, y_train, X_test):
    """Predict the class with the nearest mean."""
    classes = np.unique(y_train)
    means = np.array([X_train[y_train == label].mean(axis=0) for label in classes])
    distances = ((X_test[:, None] - means) ** 2).sum(axis=2)
    return classes[distances.argmin(axis=1)]


def scaled_nearest_mean(X_train, y_train, X_test):
    """Scale by the training set, then predict the class with the nearest mean."""
    mean, spread = X_train.mean(axis=0), X_train.std(axis=0)
    return nearest_mean((X_train - mean) / spread, y_train, (X_test - mean) / spread)


# %%
# Does it pay to bring all columns to one scale? The function learns the scale from the training
# half only, so no test example has a say in it.

X, y = load_wine(return_X_y=True)
c = ef.compare({"raw": nearest_mean, "scaled": scaled_nearest_mean}, X, y, random_state=0)
print(c.verdict)

# %%
# An algorithm with dice in it: the data are seen through a few random directions only. Its luck is
# part of what is compared, so every split gets a seed of its own.


def random_directions(X_train, y_train, X_test, seed):
    """Scale, then use the nearest mean along four random directions."""
    directions = np.random.default_rng(seed).normal(size=(X_train.shape[1], 4))
    spread = X_train.std(axis=0)
    return nearest_mean(X_train / spread @ directions, y_train, X_test / spread @ directions)


c = ef.compare(
    {"4 directions": random_directions, "all": scaled_nearest_mean}, X, y, random_state=0
)
print(c.verdict)

# %%
# Luck spreads the dots: each of them is one half of the data.

figure = c.plot()
