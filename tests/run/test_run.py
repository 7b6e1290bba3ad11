"""What can be run: estimators, functions, kinds of X; randomness; input that is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.core.partition import Partition

pytestmark = pytest.mark.quick

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


def nearest_mean(X_train: Any, y_train: Any, X_test: Any) -> Any:
    means = np.array([X_train[y_train == c].mean(axis=0) for c in (0, 1)])
    return ((X_test[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)


def test_values_equal_a_plain_loop(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    algorithms = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    done = ef.run.run(algorithms, halvings(80, 3), X, y, seed=0)
    expected = [
        [np.mean(clone(e).fit(X[a], y[a]).predict(X[b]) != y[b]) for a, b in halvings(80, 3)]
        for e in algorithms.values()
    ]
    np.testing.assert_array_equal(done["zero-one"].values, expected)
    assert done.algorithms == ("tree", "bayes")
    assert (done.fits, done.reused, done.id) == (12, 0, None)
    assert (done["zero-one"].fit_seconds > 0).all()
    assert repr(done) == "Run(2 algorithms, 6 splits, zero-one; 12 fits, 0 reused, 0 failed)"


def test_the_callers_estimators_are_untouched(halvings: Halvings, xy: XY) -> None:
    pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=3))
    before = repr(pipeline.get_params())
    ef.run.run(pipeline, halvings(80, 1), *xy, seed=0)
    assert repr(pipeline.get_params()) == before
    assert not hasattr(pipeline[0], "mean_")


def test_any_kind_of_table(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    kinds = [X, X.tolist(), pd.DataFrame(X, columns=list("abc")), scipy.sparse.csc_matrix(X)]
    runs = [ef.run.run([Ridge()], halvings(80, 1), kind, y, measures="squared") for kind in kinds]
    for done in runs[1:]:
        np.testing.assert_allclose(done["squared"].values, runs[0]["squared"].values, rtol=1e-6)


def test_texts_and_pandas_labels(halvings: Halvings) -> None:
    texts = ["good film", "bad film", "good plot", "bad plot"] * 10
    y = pd.Series(["+" if "good" in text else "-" for text in texts])
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    done = ef.run.run(model, halvings(40, 2), texts, y)
    assert (done["zero-one"].values == 0).all()
    assert done.algorithms == ("Pipeline",)


def test_functions_are_algorithms(halvings: Halvings, xy: XY) -> None:
    def with_seed(X_train: Any, y_train: Any, X_test: Any, *, seed: int) -> Any:  # noqa: ARG001
        return np.random.default_rng(seed).integers(2, size=len(X_test))

    done = ef.run.run([nearest_mean, with_seed], halvings(80, 1), *xy, seed=3)
    again = ef.run.run([with_seed], halvings(80, 1), *xy, seed=3)
    assert done.algorithms == ("nearest_mean", "with_seed")
    np.testing.assert_array_equal(done["zero-one"].values[1], again["zero-one"].values[0])
    assert done["zero-one"].values[0].max() < 0.5


def test_objects_that_are_no_scikit_learn_estimators(halvings: Halvings, xy: XY) -> None:
    class Majority:
        def fit(self, X: Any, y: Any) -> None:  # noqa: ARG002
            self.label = int(np.bincount(y).argmax())

        def predict(self, X: Any) -> list[int]:
            return [self.label] * len(X)

    majority = Majority()
    done = ef.run.run(majority, halvings(80, 1), *xy)
    assert done.failures == ()
    assert not hasattr(majority, "label")


def test_every_random_state_is_set_from_the_seed(halvings: Halvings, xy: XY) -> None:
    seen: list[tuple[int, int, int]] = []

    class Spy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
        def __init__(self, tree: Any = None, cv: Any = None, random_state: Any = None) -> None:
            self.tree, self.cv, self.random_state = tree, cv, random_state

        def fit(self, X: Any, y: Any) -> "Spy":  # noqa: ARG002
            self.classes_ = np.unique(y)
            seen.append((self.random_state, self.tree.random_state, self.cv.random_state))
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X), dtype=int)

    splitter = ShuffleSplit(2)
    spy = Spy(DecisionTreeClassifier(), splitter)
    for seed in (1, 1, 2):
        ef.run.run({"spy": spy}, halvings(80, 1), *xy, seed=seed)
    assert len(set(seen[0])) == 3
    assert seen[0:2] == seen[2:4]
    assert not set(seen[0]) & {*seen[1], *seen[4]}
    assert splitter.random_state is None


def test_randomness_inside_lists_and_mappings_is_seeded(halvings: Halvings, xy: XY) -> None:
    tree = DecisionTreeClassifier(splitter="random", max_depth=1)
    pipeline = Pipeline([("model", GaussianNB())])
    grid = GridSearchCV(pipeline, {"model": [make_pipeline(StandardScaler(), tree)]}, cv=2)
    runs = [ef.run.run(grid, halvings(80, 3), *xy, seed=seed) for seed in (0, 0, 1)]
    values = [done["zero-one"].values for done in runs]
    np.testing.assert_array_equal(values[0], values[1])
    assert (values[0] != values[2]).any()
    assert tree.random_state is None


def test_a_seed_that_was_drawn_is_recorded(halvings: Halvings, xy: XY) -> None:
    forest = RandomForestClassifier(n_estimators=2, max_depth=1)
    first = ef.run.run(forest, halvings(80, 2), *xy)
    second = ef.run.run(forest, halvings(80, 2), *xy, seed=first.seed)
    np.testing.assert_array_equal(first["zero-one"].values, second["zero-one"].values)


def test_adding_an_algorithm_changes_no_other(halvings: Halvings, xy: XY) -> None:
    forest = RandomForestClassifier(n_estimators=2, max_depth=1)
    alone = ef.run.run({"forest": forest}, halvings(80, 2), *xy, seed=0)
    both = ef.run.run({"bayes": GaussianNB(), "forest": forest}, halvings(80, 2), *xy, seed=0)
    np.testing.assert_array_equal(alone["zero-one"].values[0], both["zero-one"].values[1])


def test_names_of_a_list_are_unique(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run([GaussianNB(), GaussianNB(var_smoothing=1.0)], halvings(80, 1), *xy)
    assert done.algorithms == ("GaussianNB(var_smoothing=1e-09)", "GaussianNB(var_smoothing=1.0)")
    same = ef.run.run([GaussianNB(), GaussianNB()], halvings(80, 1), *xy)
    assert same.algorithms == ("GaussianNB", "GaussianNB 2")


def test_sample_weight_reaches_the_last_step_of_a_pipeline(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    weights = np.linspace(0, 1, 80)
    model = make_pipeline(StandardScaler(), GaussianNB())
    done = ef.run.run(model, halvings(80, 1), X, y, sample_weight=weights)
    a, b = next(iter(halvings(80, 1)))
    fitted = clone(model).fit(X[a], y[a], gaussiannb__sample_weight=weights[a])
    wrong = fitted.predict(X[b]) != y[b]
    assert done["zero-one"].values[0, 0] == pytest.approx(np.average(wrong, weights=weights[b]))


def test_metadata_routing_is_obeyed(halvings: Halvings, xy: XY) -> None:
    groups = np.arange(80) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        asks = LogisticRegression().set_fit_request(sample_weight=True)
        declines = KNeighborsClassifier()
        grid = GridSearchCV(GaussianNB(), {"var_smoothing": [0.1, 1.0]}, cv=GroupKFold(2))
        weights = np.linspace(0, 1, 80)
        done = ef.run.run([asks, declines], halvings(80, 1), *xy, sample_weight=weights)
        inner = ef.run.run(grid, halvings(80, 1), *xy, groups=groups)
        with pytest.raises(InvalidInput, match=r"sample_weight.*set_fit_request"):
            ef.run.run(GaussianNB(), halvings(80, 1), *xy, sample_weight=weights)
    assert done.failures == ()
    assert inner.failures == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.zeros((70, 3))}, r"X must have as many rows as y \(80\) but has 70"),
        (
            {"y": [0.0, np.nan] * 40},
            "y must not have NaN or infinities but has nan at position 1",
        ),
        ({"y": [None, "a"] * 40}, "y must not have missing values"),
        ({"y": [1, "a"] * 40}, "y must hold values of one type but has both 'a' and 1"),
        ({"y": np.zeros((80, 2))}, "y must be one value or one tag sequence per example"),
        ({"y": np.zeros(80, dtype=complex)}, "y must hold numbers, strings or booleans"),
        ({"y": []}, "y must have at least one example"),
        ({"X": [1.0] * 80}, "X must be two-dimensional"),
        ({"algorithms": []}, "algorithms must hold an estimator or a function"),
        ({"algorithms": {"": GaussianNB()}}, "algorithms must be named by non-empty strings"),
        (
            {"algorithms": [GaussianNB]},
            r"an instance but got the class GaussianNB\. Write GaussianNB\(\)",
        ),
        (
            {"algorithms": [StandardScaler()]},
            "must be an estimator with predict but StandardScaler has none",
        ),
        ({"algorithms": ["tree"]}, "must be an estimator or a function"),
        ({"algorithms": [lambda X: X]}, "must be a function .* but the function takes 1 argument"),
        ({"partition": [1, 2]}, "partition must be a Partition"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer that is not 0"),
        ({"on_failure": "ignore"}, "on_failure must be one of 'record', 'raise'"),
        ({"timeout": -1}, "timeout must be a number of seconds > 0 but got -1"),
        ({"seed": -1}, "seed must be None or an integer ≥ 0 but got -1"),
        ({"y": None}, "y must be an array or list of one value per example but got None"),
        ({"y": pd.DataFrame({"t": [0, 1] * 40, "u": 1})}, "one value per example"),
        ({"X": None}, "X must be an array, a frame, a sparse matrix or a list but got None"),
        ({"algorithms": max}, "Algorithm 'max' must be a function"),
        ({"sample_weight": np.full(80, -1.0)}, "sample_weight must be ≥ 0 and not all 0"),
        ({"sample_weight": np.ones(7)}, r"sample_weight must be one value per example \(80\)"),
        ({"groups": np.ones(7)}, r"groups must be one value per example \(80\)"),
        (
            {"algorithms": KNeighborsClassifier(), "sample_weight": np.ones(80)},
            "whose fit takes sample_weight",
        ),
        (
            {"algorithms": nearest_mean, "sample_weight": np.ones(80)},
            "a function with a parameter sample_weight",
        ),
        ({"scheme": "IOB"}, "scheme must be one of"),
        ({"store": "/nowhere/at/all.db"}, "store must be a path in an existing directory"),
        (
            {"store": "mysql://localhost/x"},
            "store must be a path or a URL of memory, sqlite, postgresql",
        ),
        ({"store": "://"}, "store must be a path or a URL of"),
        ({"store": object()}, "store must be a path, a URL or a Store"),
        ({"store": ""}, "store must be a path, a URL or a Store"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    halvings: Halvings, xy: XY, change: dict[str, Any], message: str
) -> None:
    good = {"algorithms": [GaussianNB()], "partition": halvings(80, 1), "X": xy[0], "y": xy[1]}
    with pytest.raises(EvenfoldError, match=message) as caught:
        ef.run.run(**(good | change))
    assert "\n" not in str(caught.value)


def test_a_partition_of_other_data_is_refused(halvings: Halvings, xy: XY) -> None:
    with pytest.raises(
        InvalidInput, match="made for the 80 examples of X but got a partition of 40"
    ):
        ef.run.run([GaussianNB()], halvings(40, 1), *xy)


def test_a_run_is_a_mapping(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run([GaussianNB()], halvings(80, 1), *xy)
    assert "zero-one" in done
    assert "f1" not in done
    assert done.get("f1") is None
    assert done.get("zero-one") is done["zero-one"]
    with pytest.raises(InvalidInput, match="measure must be one of 'zero-one'"):
        done["f1"]
