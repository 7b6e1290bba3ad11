from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition
from evenfold.core.rng import stream

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]


def predictions(
    partition: Partition, estimator: Any, X: Any, y: Any, method: str = "predict"
) -> list[Any]:
    return [
        getattr(estimator.fit(X[train], y[train]), method)(X[test]) for train, test in partition
    ]


REFERENCES: dict[str, Callable[[Any, Any], float]] = {
    "zero-one": metrics.zero_one_loss,
    "squared": metrics.mean_squared_error,
    "absolute": metrics.mean_absolute_error,
    "pinball": metrics.mean_pinball_loss,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "log": metrics.log_loss,
    "brier": lambda truth, chances: 2 * metrics.brier_score_loss(truth, chances[:, 1]),
}
LOSSES = ("zero-one", "squared", "absolute", "pinball", "log", "brier")


def test_every_named_measure_equals_scikit_learn_from_one_fit(halvings: Halvings, xy: XY) -> None:
    partition, (X, y) = halvings(80, 3), xy
    done = ef.run.run([GaussianNB()], partition, X, y, measures=list(REFERENCES))
    assert done.fits == 6
    labels = predictions(partition, GaussianNB(), X, y)
    chances = predictions(partition, GaussianNB(), X, y, "predict_proba")
    for name, reference in REFERENCES.items():
        answers = chances if name in ("log", "brier") else labels
        expected = [
            reference(y[test], answer) for test, answer in zip(partition.test, answers, strict=True)
        ]
        np.testing.assert_allclose(done[name].values[0], expected, rtol=1e-12)
        assert done[name].lower_is_better == (name in LOSSES)


def test_values_per_example_average_to_the_value(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run([GaussianNB()], halvings(80, 3), *xy, measures=["zero-one", "log", "f1"])
    for name in ("zero-one", "log"):
        examples = done[name].examples
        assert examples is not None
        assert [part.mean() for part in examples[0]] == pytest.approx(done[name].values[0].tolist())
        assert len(examples[0][2:4]) == 2
    assert done["f1"].examples is None
    assert done["zero-one"].outcomes is None


def test_outcomes_per_example_add_up_to_the_counts(halvings: Halvings, xy: XY) -> None:
    weights = np.random.default_rng(0).random(80)
    for sample_weight in (None, weights):
        done = ef.run.run(
            [GaussianNB()], halvings(80, 3), *xy, measures="f1", sample_weight=sample_weight
        )
        outcomes, counts = done["f1"].outcomes, done["f1"].counts
        assert outcomes is not None
        assert counts is not None
        assert outcomes[0][1].shape == (40, 3)
        np.testing.assert_allclose(
            [part.sum(axis=0) for part in outcomes[0]], counts[0], rtol=1e-12
        )


def test_outcomes_of_sentences_add_up_to_the_counts_of_chunks(halvings: Halvings) -> None:
    sentences = [["B-A", "I-A", "O", "B-B"] if i % 3 else ["O", "B-A"] for i in range(24)]

    def tagger(X: Any, y: Any, X_test: Any) -> list[list[str]]:  # noqa: ARG001  (learns nothing)
        return [["B-A", *["O"] * (len(words) - 1)] for words in X_test]

    done = ef.run.run([tagger], halvings(24, 2), sentences, sentences, measures="f1")
    outcomes, counts = done["f1"].outcomes, done["f1"].counts
    assert outcomes is not None
    assert counts is not None
    np.testing.assert_array_equal([part.sum(axis=0) for part in outcomes[0]], counts[0])
    assert outcomes[0][0].max() == 2  # a sentence has several chunks


def test_confusion_measures_keep_their_counts(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    done = ef.run.run([GaussianNB()], halvings(80, 2), X, y, measures=["f1", "precision"])
    counts = done["f1"].counts
    assert counts is not None
    tp, fp, fn = counts[0].T
    np.testing.assert_allclose(done["f1"].values[0], 2 * tp / (2 * tp + fp + fn))
    np.testing.assert_allclose(done["precision"].values[0], tp / (tp + fp))


def test_a_class_that_is_never_predicted_has_precision_0(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    never = DummyClassifier(strategy="constant", constant=0)
    done = ef.run.run([never], halvings(80, 1), X, y, measures=["precision", "f1"])
    assert (done["precision"].values == 0).all()
    assert (done["f1"].values == 0).all()


def test_positive_names_the_class(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    names = np.array(["ham", "spam"])[y]
    done = ef.run.run([GaussianNB()], halvings(80, 1), X, names, measures="recall", positive="ham")
    same = ef.run.run([GaussianNB()], halvings(80, 1), X, y, measures="recall", positive=0)
    np.testing.assert_array_equal(done["recall"].values, same["recall"].values)
    with pytest.raises(InvalidInput, match=r"positive must be one of the labels \['ham', 'spam'\]"):
        ef.run.run([GaussianNB()], halvings(80, 1), X, names, measures="f1")
    with pytest.raises(InvalidInput, match="positive must be one of the labels"):
        ef.run.run([GaussianNB()], halvings(80, 1), X, names, measures="f1", positive="egg")


def test_tag_sequences_are_counted_by_chunks(halvings: Halvings) -> None:
    rng = stream(0, "tags")
    words = [[f"w{w}" for w in rng.integers(5, size=6)] for _ in range(16)]
    tags = [["B-X" if word == "w0" else "O" for word in sentence] for sentence in words]

    def first_letter(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return [
            ["B-X" if word in ("w0", "w1") else "O" for word in sentence] for sentence in X_test
        ]

    done = ef.run.run(
        first_letter, halvings(16, 2), words, tags, measures=["recall", "precision", "zero-one"]
    )
    assert (done["recall"].values == 1).all()
    counts = done["precision"].counts
    assert counts is not None
    assert counts.sum(axis=(0, 1)).tolist()[1] > 0
    wrong = [float(np.mean(["w1" in words[i] for i in test])) for test in halvings(16, 2).test]
    assert done["zero-one"].values[0].tolist() == wrong


def test_functions_and_scorers_are_measures(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    partition = halvings(80, 2)
    auc = metrics.get_scorer("roc_auc")
    measures = {
        "cube": ef.run.measure(
            lambda truth, predicted: abs(truth - predicted) ** 3, higher_is_better=False
        ),
        "r2": ef.run.measure(metrics.r2_score, higher_is_better=True, per_example=False),
        "mse": metrics.mean_squared_error,
        "auc": auc,
    }
    algorithms = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    done = ef.run.run(algorithms, partition, X, y, measures=measures)
    assert done.fits == 8
    np.testing.assert_array_equal(done["cube"].values, done["mse"].values)
    assert not done["auc"].lower_is_better
    assert not done["r2"].lower_is_better
    for number, estimator in enumerate(algorithms.values()):
        expected = [auc(estimator.fit(X[a], y[a]), X[b], y[b]) for a, b in partition]
        np.testing.assert_allclose(done["auc"].values[number], expected, rtol=1e-14)


def test_a_scorer_that_must_see_the_estimator_is_computed_in_the_cell(
    halvings: Halvings, xy: XY
) -> None:
    def depth(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        return float(len(estimator.class_prior_))

    shallow = ef.run.measure(depth, higher_is_better=False)
    done = ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=[shallow, "zero-one"])
    assert done["depth"].values.tolist() == [[2.0, 2.0]]
    with pytest.raises(InvalidInput, match="measure 'depth' needs a fitted estimator for depth"):
        ef.run.run(lambda a, b, c: b[: len(c)], halvings(80, 1), *xy, measures=shallow)  # noqa: ARG005


def test_a_bare_scorer_must_say_its_direction(halvings: Halvings, xy: XY) -> None:
    """A gap between groups came out as "higher is better", so that the less fair model won."""

    def gap(estimator: Any, X: Any, y: Any) -> float:
        wrong = estimator.predict(X) != y
        return abs(float(wrong[X[:, 0] > 0].mean() - wrong[X[:, 0] <= 0].mean()))

    message = r"scorer \(estimator, X, y\) 'gap' does not say whether higher is better\. Write"
    with pytest.raises(InvalidInput, match=message):
        ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=gap)
    fair = ef.run.measure(gap, higher_is_better=False, name="fairness gap", low=0.0, high=1.0)
    done = ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=fair)
    assert done["fairness gap"].lower_is_better
    assert (done["fairness gap"].quantity.low, done["fairness gap"].quantity.high) == (0.0, 1.0)
    assert done["fairness gap"].values.min() >= 0  # as it is, not turned around


def test_what_make_scorer_made_knows_its_direction() -> None:
    from sklearn.metrics import fbeta_score, make_scorer, max_error

    loss = make_scorer(max_error, greater_is_better=False)
    assert ef.run.measure(loss).quantity.lower_is_better
    assert ef.run.measure(loss, higher_is_better=False).quantity.lower_is_better
    assert ef.run.measure(make_scorer(fbeta_score, beta=2), name="two").name == "two"
    with pytest.raises(
        InvalidInput, match="higher_is_better must be False for scorer 'neg_max_error'"
    ):
        ef.run.measure(loss, higher_is_better=True)
    with pytest.raises(InvalidInput, match="per_example must be None or False for a scorer"):
        ef.run.measure(loss, per_example=True)
    with pytest.raises(InvalidInput, match="response must be left out for a scorer"):
        ef.run.measure(loss, response="predict_proba")


def test_a_bare_function_is_told_how_to_ask_for_probabilities() -> None:
    def sharpness(truth: Any, probabilities: Any) -> float:  # noqa: ARG001
        return float(np.max(probabilities))

    with pytest.raises(InvalidInput, match="takes probabilities, pass response='predict_proba'"):
        ef.run.measure(sharpness)


@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
def test_one_number_of_probabilities_or_scores_is_known_before_the_first_fit(
    response: str, xy: XY
) -> None:
    def distance(truth: Any, answer: Any) -> Any:
        return (truth - answer.reshape(len(truth), -1)[:, -1]) ** 2

    algorithms = {"logistic": LogisticRegression(), "strict": LogisticRegression(C=0.01)}
    for function, per_example in [(distance, "values"), (lambda *a: distance(*a).mean(), "none")]:
        of = ef.run.measure(function, name="distance", higher_is_better=False, response=response)
        c = ef.compare(algorithms, *xy, measure=of, random_state=0)
        assert c.losses.quantity.per_example == per_example
        assert c.verdict.outcome.value != "not applicable"


def test_sample_weights_weigh_the_measures(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    weights = stream(0, "weights").random(80)
    partition = halvings(80, 1)
    names = ["zero-one", "f1", "brier"]
    done = ef.run.run([GaussianNB()], partition, X, y, measures=names, sample_weight=weights)
    for j, (a, b) in enumerate(partition):
        model = GaussianNB().fit(X[a], y[a], sample_weight=weights[a])
        predicted = model.predict(X[b])
        assert done["zero-one"].values[0, j] == pytest.approx(
            metrics.zero_one_loss(y[b], predicted, sample_weight=weights[b])
        )
        assert done["f1"].values[0, j] == pytest.approx(
            metrics.f1_score(y[b], predicted, sample_weight=weights[b])
        )
    np.testing.assert_array_equal(done["zero-one"].weights, weights)


MEAN = ef.run.measure(
    lambda truth, predicted: float((truth != predicted).mean()), higher_is_better=False
)


@pytest.mark.parametrize("measures", ["fpa", MEAN])
def test_weights_are_refused_where_they_mean_nothing(
    halvings: Halvings, xy: XY, measures: Any
) -> None:
    with pytest.raises(InvalidInput, match="sample_weight must be left out, because measure"):
        ef.run.run(
            [LinearRegression()], halvings(80, 1), *xy, measures=measures, sample_weight=np.ones(80)
        )


def test_booleans_are_numbers(halvings: Halvings, xy: XY) -> None:
    X, y = xy
    names = ["zero-one", "squared", "absolute", "pinball", "brier", "f1"]
    truth, number = (
        ef.run.run([GaussianNB()], halvings(80, 1), X, z, measures=names) for z in (y > 0, y)
    )
    for name in names:
        np.testing.assert_array_equal(truth[name].values, number[name].values)


def test_quantiles_other_than_the_median(halvings: Halvings, xy: XY) -> None:
    X = xy[0]
    y = X.sum(axis=1)
    done = ef.run.run(
        [LinearRegression()], halvings(80, 1), X, y, measures=[ef.run.pinball(0.9), "pinball"]
    )
    assert list(done) == ["pinball(0.9)", "pinball"]
    by_name = ef.run.run([LinearRegression()], halvings(80, 1), X, y, measures="quantile:0.9")
    np.testing.assert_array_equal(by_name["pinball(0.9)"].values, done["pinball(0.9)"].values)
    with pytest.raises(InvalidInput, match="quantile must be a number between 0 and 1 but got 1"):
        ef.run.pinball(1)


@pytest.mark.parametrize(
    ("measures", "y", "message"),
    [
        ("zero-oen", [0, 1], "Did you mean 'zero-one'"),
        (7, [0, 1], "measure must be a name"),
        ([], [0, 1], "measures must be one or more"),
        (["log", "log"], [0, 1], "with different names but got log, log"),
        ("squared", ["a", "b"], "y must be numbers for measure 'squared' but holds labels"),
        (
            "zero-one",
            [0.5, 1.5],
            "y must be class labels for measure 'zero-one' .* Use one of the measures squared",
        ),
        ("log", [0.5, 1.5], "y must be class labels for measure 'log'"),
        ("f1", [0.5, 1.5], "y must be class labels for measure 'f1'"),
        ("fpa", ["a", "b"], "y must be numbers for measure 'fpa'"),
    ],
)
def test_measures_that_do_not_fit_are_refused(
    halvings: Halvings, measures: Any, y: list[Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.run.run([GaussianNB()], halvings(16, 1), np.zeros((16, 1)), y * 8, measures=measures)


def test_probabilities_are_asked_only_of_those_who_have_them(halvings: Halvings, xy: XY) -> None:
    with pytest.raises(
        InvalidInput, match=r"measure 'log' needs predict_proba but algorithm .* has only predict"
    ):
        ef.run.run([LinearRegression()], halvings(80, 1), *xy, measures="log")


def test_a_measure_that_is_undefined_on_a_test_set_is_a_failure(halvings: Halvings, xy: XY) -> None:
    done = ef.run.run(
        [LinearRegression()], halvings(80, 1), xy[0], np.zeros(80), measures=["fpa", "squared"]
    )
    assert len(done["fpa"].failures) == 2
    assert done["fpa"].failures[0].kind == "measure"
    assert "y_true must be counts" in done["fpa"].failures[0].message
    assert done["squared"].failures == ()


class Reversed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Gives its classes, and all that follows them, in the opposite order."""

    def fit(self, X: Any, y: Any) -> "Reversed":
        self.model = LogisticRegression().fit(X, y)
        self.classes_ = self.model.classes_[::-1]
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(X)[:, ::-1]

    def decision_function(self, X: Any) -> Any:
        scores = self.model.decision_function(X)
        return -scores if scores.ndim == 1 else scores[:, ::-1]


@pytest.mark.parametrize("labels", [["a", "b"], ["c", "a", "b"]])
def test_probabilities_are_read_in_the_estimators_order(
    halvings: Halvings, xy: XY, labels: list[str]
) -> None:
    y = np.array(labels)[stream(1, "labels").integers(len(labels), size=80)]
    scores = ef.run.measure(
        lambda truth, s: s.reshape(len(truth), -1)[:, 0],
        response="decision_function",
        higher_is_better=True,
    )
    measures: dict[str, Any] = {"log": "log", "brier": "brier", "scores": scores}
    algorithms = {"plain": LogisticRegression(), "reversed": Reversed()}
    done = ef.run.run(algorithms, halvings(80, 2), xy[0], y, measures=measures)
    assert done.failures == ()
    for name in done:
        np.testing.assert_array_equal(*done[name].values)


def test_probabilities_of_other_classes_are_a_failure(halvings: Halvings, xy: XY) -> None:
    class Mute(Reversed):
        def fit(self, X: Any, y: Any) -> "Mute":
            super().fit(X, y)
            del self.classes_
            return self

        def predict_proba(self, X: Any) -> Any:
            return self.model.predict_proba(X)[:, 1:]

    done = ef.run.run({"mute": Mute()}, halvings(80, 1), *xy, measures="log")
    assert {(f.kind, f.message) for f in done.failures} == {
        ("wrong shape", "probabilities have shape (40, 1) for 2 classes")
    }


def test_a_loss_has_one_value_per_example(halvings: Halvings, xy: XY) -> None:
    functions: dict[str, Any] = {
        "column": lambda truth, predicted: (truth != predicted)[:, None],
        "three": lambda truth, predicted: np.ones(3),  # noqa: ARG005
        "number": lambda truth, predicted: 0.0,  # noqa: ARG005
    }
    measures = {
        name: ef.run.measure(f, higher_is_better=False, per_example=True)
        for name, f in functions.items()
    }
    done = ef.run.run([GaussianNB()], halvings(80, 1), *xy, measures=measures)
    for name in done:
        assert [f.kind for f in done[name].failures] == ["measure"] * 2
    assert (
        "must return one value per example, of shape (40,), but returned shape (40, 1)"
        in done["column"].failures[0].message
    )


def test_functions_are_judged_by_what_they_return_in_the_cells(halvings: Halvings, xy: XY) -> None:
    def auc(truth: Any, predicted: Any) -> float:
        if len(truth) < 10:
            raise ValueError("too few examples")  # as on the first two
        return float(metrics.roc_auc_score(truth, predicted))

    done = ef.run.run(
        [GaussianNB()],
        halvings(80, 1),
        *xy,
        measures=[ef.run.measure(auc, higher_is_better=True), "zero-one"],
    )
    assert done.failures == ()
    assert done["auc"].examples is None
    assert done["auc"].quantity.per_example == "none"
    assert done["zero-one"].examples is not None
