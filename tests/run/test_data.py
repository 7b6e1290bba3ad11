"""Data are checked once, paired by their index, and never changed by an algorithm."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning, InvalidInput, OrderIgnored
from evenfold.core.partition import Partition

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]
BOTH = [DummyClassifier(), GaussianNB()]


def error(done: ef.run.Run) -> list[Any]:
    values: list[Any] = done["zero-one"].values.tolist()
    return values


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _, y: (None, y), "X must be an array"),
        (lambda X, _: (X, None), "y must be an array or list"),
        (lambda X, y: (X, [None, *y[1:]]), "y must not have missing values"),
        (lambda X, y: (X, [[1], [1, 2], *y[2:]]), "y must be one value per example"),
        (
            lambda X, y: (np.ma.array(X, mask=X > 1), y),
            r"X must not have masked values but has \d+",
        ),
        (lambda X, y: (X, np.ma.array(y, mask=X[:, 0] > 1)), "y must not have masked values"),
        (
            lambda X, y: (X + 1j, y),
            "X must hold real numbers, texts or objects but has dtype complex128",
        ),
        (
            lambda X, y: (X, y + 1j),
            "y must hold numbers, strings or booleans but has dtype complex128",
        ),
        (
            lambda X, y: (X.astype("datetime64[s]"), y),
            "X must hold real numbers, texts or objects but has dtype date",
        ),
        (
            lambda X, y: (X, np.datetime64("2020-01-01") + y),
            "y must hold numbers, strings or booleans",
        ),
        (
            lambda X, _: (X, [f"{v:.2f}" for v in X[:, 0]]),
            r"but has texts that spell numbers: .* y\.astype",
        ),
        (
            lambda X, y: (pd.DataFrame(X, index=range(100, 180)), pd.Series(y)),
            r"y must have the same index as X but has 80 labels that X does not have\. To pair by "
            "position",
        ),
        (
            lambda X, y: (pd.DataFrame(X, index=[0] * 2 + [*range(78)]), pd.Series(y)),
            "y must have the same index as X but has",
        ),
    ],
)
def test_data_that_would_mislead_are_refused(
    halvings: Halvings, xy: XY, change: Callable[[Any, Any], XY], message: str
) -> None:
    X, y = change(*xy)
    with pytest.raises(InvalidInput, match=message):
        ef.run.run(BOTH, halvings(80, 1), X, y)
    with pytest.raises(InvalidInput, match=message):
        ef.compare(BOTH, X, y, random_state=0)


@pytest.mark.parametrize("name", ["sample_weight", "groups"])
def test_masks_are_refused_everywhere(halvings: Halvings, xy: XY, name: str) -> None:
    options: Any = {name: np.ma.array(np.ones(80), mask=np.arange(80) == 3)}
    with pytest.raises(InvalidInput, match=f"{name} must not have masked values but has 1"):
        ef.run.run([GaussianNB()], halvings(80, 1), *xy, **options)


def test_a_mask_that_hides_nothing_and_whole_numbers_as_texts_are_fine(
    halvings: Halvings, xy: XY
) -> None:
    X, y = xy
    plain = error(ef.run.run(BOTH, halvings(80, 1), X, y))
    assert error(ef.run.run(BOTH, halvings(80, 1), np.ma.array(X), np.ma.array(y))) == plain
    assert error(ef.run.run(BOTH, halvings(80, 1), X, y.astype(str))) == plain


def test_rows_are_paired_by_their_index(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    order = np.random.default_rng(0).permutation(80)
    frame, labels = pd.DataFrame(X, index=[f"row {i}" for i in range(80)]), pd.Series(y)
    labels.index = frame.index
    weights = pd.Series(np.arange(80.0), index=frame.index)
    plain = ef.run.run([GaussianNB()], halvings(80, 1), frame, labels, sample_weight=weights)
    mixed = ef.run.run(
        [GaussianNB()],
        halvings(80, 1),
        frame,
        labels.iloc[order],
        sample_weight=weights.iloc[order[::-1]],
    )
    assert error(mixed) == error(plain)
    compared = ef.compare(BOTH, frame, labels.iloc[order], random_state=0).losses.values
    np.testing.assert_array_equal(
        compared, ef.compare(BOTH, frame, labels, random_state=0).losses.values
    )


def test_an_index_of_dates_that_is_shuffled_is_said(halvings: Halvings, xy: XY) -> None:
    frame = pd.DataFrame(xy[0], index=pd.date_range("2020-01-01", periods=80))
    with pytest.warns(
        OrderIgnored, match="X is indexed by time, but the design shuffles the examples"
    ):
        ef.run.run([GaussianNB()], halvings(80, 1), frame, xy[1])
    assert issubclass(OrderIgnored, EvenfoldWarning)


class Bare:
    """An estimator that knows nothing of scikit-learn."""

    def fit(self, X: Any, y: Any) -> None:  # noqa: ARG002
        self.label = np.bincount(y).argmax()

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label)


def test_estimators_with_fit_and_predict_alone_are_compared(xy: XY) -> None:
    c = ef.compare({"bare": Bare(), "bayes": GaussianNB()}, *xy, random_state=0)
    assert c.losses.failures == ()
    with pytest.raises(
        InvalidInput, match=r"must be an instance but got the class Bare\. Write Bare\(\)"
    ):
        ef.compare([Bare, GaussianNB()], *xy)


SENTENCES = [[f"w{i % 3}", f"w{i % 5}", "w"] for i in range(16)]
TAGS = [["B-X" if word == "w0" else "O" for word in words] for words in SENTENCES]


class Recoder:
    """Writes into whatever it is given."""

    def fit(self, X: Any, y: Any) -> None:
        for row in [*X, *y]:
            row[:] = ["O"] * len(row)

    def predict(self, X: Any) -> Any:
        answer = [["B-X" if word == "w0" else "O" for word in row] for row in X]
        for row in X:
            row[:] = ["w9"] * len(row)
        return answer


def as_objects(rows: list[Any]) -> Any:
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "lists": lambda rows: rows,
    "an object array": as_objects,
    "a series": lambda rows: pd.Series(as_objects(rows)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_algorithm_that_writes_into_its_data_harms_nobody(
    halvings: Halvings, form: str, n_jobs: int
) -> None:
    X, tags = FORMS[form](deepcopy(SENTENCES)), deepcopy(TAGS)
    done = ef.run.run([Recoder()], halvings(16, 3), X, tags, n_jobs=n_jobs)
    assert error(done) == [[0.0] * 6]
    assert list(map(list, X)) == SENTENCES
    assert tags == TAGS


def test_objects_in_the_columns_of_a_frame_are_safe_too(halvings: Halvings, xy: XY) -> None:
    def eat(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        said = np.array([len(words) for words in X_test["words"]])
        for words in [*X_train["words"], *X_test["words"]]:
            words.clear()
        return said

    frame = pd.DataFrame({"words": [["a"] * label for label in xy[1]], "x": xy[0][:, 0]})
    assert error(ef.run.run(eat, halvings(80, 2), frame, xy[1])) == [[0.0] * 4]
    assert frame["words"].map(len).tolist() == xy[1].tolist()


def test_predictions_are_not_the_algorithms_to_change(halvings: Halvings, xy: XY) -> None:
    buffer = np.zeros(40, dtype=int)

    def reuse(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        buffer[:] = 1 - buffer
        return buffer

    done = ef.run.run(reuse, halvings(80, 1), *xy)
    examples = done["zero-one"].examples
    assert examples is not None
    assert [part.mean() for part in examples[0]] == done["zero-one"].values[0].tolist()


class Counter:
    """A function that remembers how often it was called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG002
        self.calls += 1
        return np.full(len(X_test), self.calls)


def test_an_object_that_is_called_keeps_nothing_between_cells(halvings: Halvings, xy: XY) -> None:
    calls = Counter()
    done = ef.run.run({"calls": calls}, halvings(80, 2), *xy, measures="absolute")
    assert done["absolute"].values.max() <= 1
    assert calls.calls == 0


@pytest.mark.parametrize("labels", [[0, 1], [-3, 200], [0, 70_000], [-(2**40), 2**40]])
def test_predictions_are_kept_in_little_memory_and_come_back_as_they_were(
    labels: list[int],
) -> None:
    y = np.array(labels * 30)
    partition = ef.Mx2BCV(3, random_state=0).partition(60)
    seen: list[Any] = []

    def look(y_true: Any, y_pred: Any) -> Any:
        seen.append(y_pred.dtype)
        return (y_true != y_pred).astype(float)

    def memory(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return X_test[:, 0]

    measure = ef.run.measure(look, higher_is_better=False)
    done = ef.run.run({"memory": memory}, partition, y[:, None], y, measures=measure)
    (losses,) = done.values()
    assert losses.examples is not None
    assert [row.sum() for row in losses.examples[0]] == [0.0] * 6
    assert set(seen) == {y.dtype}
