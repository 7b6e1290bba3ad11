"""Scikit-learn's scorers and metrics, and functions of one's own: their direction and units."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.losses import Losses
from evenfold.core.partition import Partition
from evenfold.run.measures.resolve import as_measure

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


def only(done: ef.run.Run) -> Losses:
    (losses,) = done.values()
    return losses


def test_losses_of_scikit_learn_are_shown_in_their_own_units(halvings: Halvings, xy: XY) -> None:
    X = xy[0]
    y = X.sum(axis=1) ** 2
    partition = halvings(80, 1)
    model = LinearRegression()
    expected = [
        metrics.mean_absolute_error(y[b], model.fit(X[a], y[a]).predict(X[b])) for a, b in partition
    ]
    scorer = metrics.get_scorer("neg_mean_absolute_error")
    for asked in ("neg_mean_absolute_error", scorer, metrics.mean_absolute_error):
        losses = only(ef.run.run([model], partition, X, y, measures=asked))
        np.testing.assert_allclose(losses.values[0], expected, rtol=1e-12)
        assert losses.measure == "mean_absolute_error"
        assert (losses.quantity.words, losses.lower_is_better) == ("mean absolute error", True)
        assert (losses.quantity.low, losses.quantity.high) == (0.0, np.inf)


@pytest.mark.parametrize(
    ("asked", "ours"),
    [
        ("mae", "absolute"),
        ("mse", "squared"),
        ("mean_squared_error", "squared"),
        ("log_loss", "log"),
    ],
)
def test_a_metric_is_found_by_its_name_or_as_an_error_by_its_initials(
    asked: str, ours: str
) -> None:
    assert as_measure(asked) is as_measure(ours)


FOR_NUMBERS = ("error", "deviance", "r2", "variance")
FOR_SETS_OF_LABELS = tuple(name for name in metrics.get_scorer_names() if name.endswith("_samples"))


@pytest.mark.parametrize("name", sorted(set(metrics.get_scorer_names()) - set(FOR_SETS_OF_LABELS)))
def test_every_scorer_of_scikit_learn_is_a_measure_by_name(
    halvings: Halvings, xy: XY, name: str
) -> None:
    X, y = xy
    model: Any = LogisticRegression()
    if name == "top_k_accuracy":  # of two classes the best two are always right
        y = y + (X[:, 0] > 1)
    if any(word in name for word in FOR_NUMBERS):
        y, model = 1.0 + y + abs(X[:, 0]), LinearRegression()
    partition, scorer = halvings(80, 1), metrics.get_scorer(name)
    expected = [scorer._sign * scorer(model.fit(X[a], y[a]), X[b], y[b]) for a, b in partition]
    losses = only(ef.run.run([model], partition, X, y, measures=name))
    assert losses.failures == ()
    np.testing.assert_allclose(losses.values[0], expected, rtol=1e-12)
    assert losses.lower_is_better == name.startswith("neg_")
    assert losses.quantity.low <= losses.values.min() <= losses.values.max() <= losses.quantity.high


DEPENDS = ("likelihood", "log_error", "deviance")  # on what is predicted, whether there is a value


@pytest.mark.parametrize("kind", ["three classes", "negative numbers"])
@pytest.mark.parametrize("name", sorted(metrics.get_scorer_names()))
@pytest.mark.filterwarnings("ignore")  # what scikit-learn says of likelihood ratios is its own
def test_every_scorer_answers_or_is_refused_before_anything_is_fitted(
    halvings: Halvings, xy: XY, name: str, kind: str
) -> None:
    X, y = xy[0], xy[1] + (xy[0][:, 0] > 1) if kind == "three classes" else -0.5 - xy[0][:, 0] ** 2
    model, fits = GaussianNB() if kind == "three classes" else LinearRegression(), []

    class Counting(type(model)):  # type: ignore[misc]  # scikit-learn has no types
        def fit(self, X: Any, y: Any) -> Any:
            fits.append(1)
            return super().fit(X, y)

    refused = ""
    try:
        losses = only(ef.run.run([Counting()], halvings(80, 1), X, y, measures=name))
    except InvalidInput as error:
        refused = str(error)
    assert bool(refused) == (not fits)
    assert "\n" not in refused
    assert refused or not losses.failures or any(word in name for word in DEPENDS)


@pytest.mark.parametrize(
    ("function", "lower"),
    [
        (metrics.accuracy_score, False),
        (metrics.f1_score, False),
        (metrics.matthews_corrcoef, False),
        (metrics.cohen_kappa_score, False),
        (metrics.roc_auc_score, False),
        (metrics.zero_one_loss, True),
        (metrics.log_loss, True),
        (metrics.mean_squared_error, True),
    ],
)
def test_functions_of_scikit_learn_have_their_direction(
    halvings: Halvings, xy: XY, function: Any, lower: bool
) -> None:
    done = ef.run.run([LogisticRegression()], halvings(80, 1), *xy, measures=function)
    losses = done[function.__name__]
    assert losses.failures == ()
    assert losses.lower_is_better is lower


def test_the_log_loss_is_asked_of_probabilities(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=[metrics.log_loss, "log"])
    np.testing.assert_allclose(done["log_loss"].values, done["log"].values, rtol=1e-12)


def test_other_functions_say_their_direction_or_are_refused(halvings: Halvings, xy: XY) -> None:
    def closeness(truth: Any, predicted: Any) -> Any:
        return -abs(truth - predicted)

    with pytest.raises(
        InvalidInput, match=r"Write ef\.run\.measure\(closeness, higher_is_better=True\) or False"
    ):
        ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=closeness)
    said = ef.run.measure(closeness, higher_is_better=True, high=0.0)
    losses = ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=said)["closeness"]
    assert (losses.lower_is_better, losses.quantity.high) == (False, 0.0)


def test_two_scorers_of_one_function_have_two_names(halvings: Halvings, xy: XY) -> None:
    macro, micro = metrics.get_scorer("f1_macro"), metrics.get_scorer("f1_micro")
    done = ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=[macro, micro, "f1_weighted"])
    assert list(done) == ["f1_macro", "f1_micro", "f1_weighted"]


@pytest.mark.parametrize("asked", ["jaccard", "average_precision", metrics.recall_score])
def test_scorers_of_one_class_know_which(halvings: Halvings, xy: XY, asked: Any) -> None:
    X, y = xy
    names = np.array(["ham", "spam"])[y]
    losses = only(
        ef.run.run([GaussianNB()], halvings(80, 1), X, names, measures=asked, positive="ham")
    )
    other = only(ef.run.run([GaussianNB()], halvings(80, 1), X, 1 - y, measures=asked))
    np.testing.assert_allclose(losses.values, other.values)
    assert losses.quantity.positive == "ham"


def test_scorers_say_what_they_cannot_do(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    three = np.arange(80) % 3
    with pytest.raises(InvalidInput, match=r"positive must be .* \[0, 1, 2\] .*one that averages"):
        ef.run.run([GaussianNB()], halvings(80, 1), X, three, measures="jaccard")
    binary = metrics.make_scorer(metrics.f1_score, average="binary", zero_division=1)
    with pytest.raises(
        InvalidInput, match=r"y must have two classes for measure 'f1_score' .*that averages"
    ):
        ef.run.run([GaussianNB()], halvings(80, 1), X, three, measures=binary)
    with pytest.raises(
        InvalidInput, match="sample_weight must be left out, because measure 'rand_score'"
    ):
        ef.run.run(
            [GaussianNB()], halvings(80, 1), X, y, measures="rand_score", sample_weight=np.ones(80)
        )


def test_an_unknown_name_is_told_the_nearest_of_both_shelves(halvings: Halvings, xy: XY) -> None:
    with pytest.raises(
        InvalidInput, match=r"or a scorer of scikit-learn .* Did you mean 'accuracy'"
    ):
        ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures="acuracy")
