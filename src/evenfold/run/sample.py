"""One small run, for the examples in docstrings."""

from evenfold.core.losses import Losses
from evenfold.core.partition import Partition
from evenfold.run.api import run


def sample(partition: Partition) -> Losses:
    """Return the zero-one losses of a dummy, naive Bayes and a tree ("a", "b", "c") on iris."""
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    algorithms = {"a": DummyClassifier(), "b": GaussianNB(), "c": DecisionTreeClassifier()}
    (losses,) = run(algorithms, partition, X, y, seed=0).values()
    return losses
