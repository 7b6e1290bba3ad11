"""The area under the ROC curve: of the class that was named, whatever order the labels have."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition
from evenfold.core.rng import stream

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (LogisticRegression(), "decision_function"),
        (GaussianNB(), "predict_proba"),
    ],
)
@pytest.mark.parametrize("labels", [["b", "a"], ["c", "a", "b"]])
def test_the_area_is_that_of_the_class_that_was_named(
    halvings: Halvings, xy: XY, model: Any, method: str, labels: list[str]
) -> None:
    X, partition = xy[0], halvings(80, 1)
    y = np.array(labels)[stream(1, "labels").integers(len(labels), size=80)]
    for column, positive in enumerate(sorted(labels)):
        area = ef.run.run([model], partition, X, y, measures="auc", positive=positive)["auc"]
        expected = []
        for a, b in partition:
            scores = getattr(model.fit(X[a], y[a]), method)(X[b])
            scores = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
            expected.append(metrics.roc_auc_score(y[b] == positive, scores[:, column]))
        np.testing.assert_allclose(area.values[0], expected, rtol=1e-12)
        assert area.quantity.positive == positive
    for wrong in ("egg",) if len(labels) == 2 else (None, "egg"):
        with pytest.raises(InvalidInput, match="positive must be one of the labels"):
            ef.run.run([model], partition, X, y, measures="auc", positive=wrong)


def test_the_area_of_zeros_and_ones_is_that_of_the_ones(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    area = ef.run.run([GaussianNB()], halvings(80, 1), X, y, measures=["auc", "roc_auc"])
    np.testing.assert_allclose(area["auc"].values, area["roc_auc"].values)
    signs = ef.run.run([GaussianNB()], halvings(80, 1), X, 2 * y - 1, measures="auc")
    np.testing.assert_array_equal(signs["auc"].values, area["auc"].values)


def test_a_quantity_tells_the_positive_class_and_the_weights(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    names = np.array(["ham", "spam"])[y]
    done = ef.run.run(
        [GaussianNB()], halvings(80, 1), X, names, measures=["f1", "auc"], positive="spam"
    )
    assert [losses.quantity.positive for losses in done.values()] == ["spam", "spam"]
    assert not done["f1"].quantity.weighted
    weighted = ef.run.run(
        [GaussianNB()], halvings(80, 1), X, y, measures="f1", sample_weight=np.ones(80)
    )
    assert weighted["f1"].quantity.weighted
