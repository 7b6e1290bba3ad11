"""The network and the perceptron against scikit-learn, on NumPy and on another array library."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import evenfold as ef
from evenfold_lab.algorithm import Refitted
from evenfold_lab.arrays import Place, to_numpy
from evenfold_lab.fast import MLP, Perceptron
from evenfold_lab.masks import Splits

TASKS = 7  # 240 models of each were compared once; scikit-learn's take seconds


def _tasks() -> tuple[np.ndarray, np.ndarray, Splits]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(TASKS, 40, 3)) * [1.0, 5.0, 0.2]
    y = (X[..., 0] + 0.5 * rng.normal(size=(TASKS, 40)) > 0).astype(float)
    y[0] = 1.0  # one class alone
    return X, y, Splits.of([ef.Mx2BCV(3, random_state=1).partition(40)])


@pytest.mark.parametrize(
    "algorithm", [MLP(hidden=4, steps=60), MLP(seed=3, rate=0.05, steps=100), Perceptron()]
)
def test_labels_are_those_of_scikit_learn(algorithm: MLP | Perceptron) -> None:
    X, y, splits = _tasks()
    found = algorithm.predict(X, y, splits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # steps that run out
        expected = Refitted(name="", prototype=algorithm.estimator()).predict(X[1:], y[1:], splits)
    tested = np.broadcast_to(splits.tests, found.shape)
    assert_array_equal(found[1:][tested[1:]], expected[tested[1:]])
    assert (found[0] == 1).all()


@pytest.mark.parametrize("algorithm", [MLP(steps=20), Perceptron(epochs=8)])
def test_another_array_library_says_the_same(algorithm: MLP | Perceptron) -> None:
    X, y, splits = _tasks()
    place = Place.of("array_api_strict")
    found = algorithm.predict(place.put(X[:5]), place.put(y[:5]), splits.on(place))
    assert_array_equal(to_numpy(found), algorithm.predict(X[:5], y[:5], splits))


def test_more_classes_are_refused() -> None:
    X, y, splits = _tasks()
    with pytest.raises(ef.EvenfoldError, match="labels 0 and 1 for perceptron"):
        Perceptron().predict(X, y + 1, splits)
