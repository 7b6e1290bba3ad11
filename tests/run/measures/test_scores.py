"""Scores through influence values: equal to scikit-learn's, and worth what the jackknife says."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.run.data import as_target
from evenfold.run.measures import as_measure

RNG = np.random.default_rng(0)
N = 240
W = RNG.random(N) + 0.2
Peer = Callable[..., float]


def _labels(classes: int) -> tuple[Any, Any]:
    y = np.r_[np.zeros(20, dtype=int), RNG.integers(classes, size=N - 20)]
    chances = RNG.dirichlet(np.ones(classes), size=N)
    chances[np.arange(N), y] += 0.3
    return y, chances / chances.sum(axis=1, keepdims=True)


def _g_mean(y: Any, predicted: Any, sample_weight: Any = None) -> float:
    recalls = metrics.recall_score(y, predicted, average=None, sample_weight=sample_weight)
    return float(np.prod(recalls) ** (1 / len(recalls)))


AVERAGES: dict[str, Peer] = {
    f"{ours}-{name}": partial(getattr(metrics, f"{name}_score"), average=theirs)
    for ours, theirs in (("macro", "macro"), ("class-weighted", "weighted"))
    for name in ("precision", "recall", "f1", "jaccard")
    if (ours, name) != ("class-weighted", "recall")
}
OF_CLASSES: dict[str, Peer] = {
    "balanced-accuracy": metrics.balanced_accuracy_score,
    "mcc": metrics.matthews_corrcoef,
    "g-mean": _g_mean,
    "kappa": metrics.cohen_kappa_score,
    "kappa:linear": partial(metrics.cohen_kappa_score, weights="linear"),
    "kappa:quadratic": partial(metrics.cohen_kappa_score, weights="quadratic"),
    **AVERAGES,
}
OF_ONE: dict[str, Peer] = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "f-beta": partial(metrics.fbeta_score, beta=2),
    "f-beta:0.5": partial(metrics.fbeta_score, beta=0.5),
    "jaccard": metrics.jaccard_score,
}
OF_NUMBERS: dict[str, Peer] = {
    "r2": metrics.r2_score,
    "explained-variance": metrics.explained_variance_score,
    "rmse": metrics.root_mean_squared_error,
}
AREAS: dict[str, Peer] = {
    "auc-ovr": partial(metrics.roc_auc_score, multi_class="ovr"),
    "auc-ovo": partial(metrics.roc_auc_score, multi_class="ovo"),
    "auc-ovr-weighted": partial(metrics.roc_auc_score, multi_class="ovr", average="weighted"),
    "auc-ovo-weighted": partial(metrics.roc_auc_score, multi_class="ovo", average="weighted"),
}


def _check(
    name: str, peer: Peer, y: Any, answer: ef.run.Predictions, *, weighted: bool = True
) -> None:
    """
    Value and weighted value are the peer's.

    Values per example are near (n − 1)·(θ − θ without it).
    """
    measure = as_measure(name).bind(as_target(y), positive=None, scheme="IOB2")
    for weights in (None, W) if weighted else (None,):
        value = measure.evaluate(y, answer, weights).value
        given = {} if weights is None else {"sample_weight": weights}
        assert value == pytest.approx(peer(y, answer.values, **given), rel=1e-11)
        if measure.quantity.per_example == "outcomes":
            each = measure.score.values([measure.outcomes(y, answer, weights)])[0]
        else:
            each = measure.placements(y, answer, weights)
        assert each.mean() == pytest.approx(value, rel=1e-11)
        kept = [np.delete(np.arange(N), i) for i in range(0, N, 4)]
        without = [
            peer(
                y[i], answer.values[i], **({} if weights is None else {"sample_weight": weights[i]})
            )
            for i in kept
        ]
        influence = (N - 1) * (value - np.array(without))
        assert_allclose(each[::4] - value, influence, atol=0.06 * np.abs(each - value).max())


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", list(OF_CLASSES))
def test_scores_of_classes(name: str, classes: int) -> None:
    y, chances = _labels(classes)
    _check(name, OF_CLASSES[name], y, ef.run.Predictions("predict", chances.argmax(axis=1)))


@pytest.mark.parametrize("name", list(OF_ONE))
def test_scores_of_one_class(name: str) -> None:
    y, chances = _labels(2)
    _check(name, OF_ONE[name], y, ef.run.Predictions("predict", chances.argmax(axis=1)))


@pytest.mark.parametrize("name", list(OF_NUMBERS))
def test_scores_of_numbers(name: str) -> None:
    y = RNG.normal(50.0, 3.0, size=N)
    _check(name, OF_NUMBERS[name], y, ef.run.Predictions("predict", y + RNG.normal(size=N)))


@pytest.mark.parametrize("name", list(AREAS))
def test_areas_of_classes(name: str) -> None:
    y, chances = _labels(3)
    weighted = "ovr" in name  # scikit-learn has no weights for pairs of classes
    _check(name, AREAS[name], y, ef.run.Predictions("predict_proba", chances), weighted=weighted)


def test_the_weighted_area_of_one_class_is_scikit_learns() -> None:
    y, chances = _labels(2)
    scores = chances[:, 1].round(1)  # with ties
    both = ef.run.Predictions("predict_proba", np.stack([1 - scores, scores], axis=1))
    measure = as_measure("auc").bind(as_target(y), positive=None, scheme="IOB2")
    weights = np.where(RNG.random(N) < 0.1, 0.0, W)
    value = measure.evaluate(y, both, weights).value
    assert value == pytest.approx(
        metrics.roc_auc_score(y, scores, sample_weight=weights), rel=1e-12
    )
    assert measure.placements(y, both, weights).mean() == pytest.approx(value, rel=1e-12)
    plain = measure.placements(y, both, None)
    assert_allclose(measure.placements(y, both, np.full(N, 3.0)), plain, rtol=1e-12)


def test_what_is_never_predicted_or_constant_has_a_value() -> None:
    y, never = np.tile([0, 1], 20), ef.run.Predictions("predict", np.zeros(40, dtype=int))
    bound = {
        name: as_measure(name).bind(as_target(y), positive=None, scheme="IOB2")
        for name in (*OF_CLASSES, *OF_ONE)
    }
    found = {name: one.evaluate(y, never, None).value for name, one in bound.items()}
    assert found["mcc"] == found["g-mean"] == found["f1"] == found["kappa"] == 0.0
    assert found["balanced-accuracy"] == 0.5
    for one in bound.values():
        assert np.isfinite(one.score.values([one.outcomes(y, never, None)])[0]).all()
    flat = as_measure("r2").bind(as_target(np.full(40, 1.5)), positive=None, scheme="IOB2")
    assert (
        flat.evaluate(np.full(40, 1.5), ef.run.Predictions("predict", np.full(40, 1.5)), None).value
        == 1.0
    )
    assert (
        flat.evaluate(np.full(40, 1.5), ef.run.Predictions("predict", np.zeros(40)), None).value
        == 0.0
    )


def test_a_class_that_the_data_do_not_have_is_a_mistake() -> None:
    y, strange = np.tile(["a", "b"], 10), np.tile(["a", "z"], 10)
    answer = ef.run.Predictions("predict", strange)
    for name in ("mcc", "kappa", "macro-f1", "cost:0,5/1,0"):
        measure = as_measure(name).bind(as_target(y), positive=None, scheme="IOB2")
        assert np.isfinite(measure.evaluate(y, answer, None).value)
    # what the dearest prediction costs
    assert measure.examples(y, answer).tolist() == [0.0, 1.0] * 10


def test_costs_are_looked_up_by_truth_and_prediction() -> None:
    y, said = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    for asked in (ef.run.cost([[0, 5], [1, 0]]), "cost:0,5/1,0"):
        measure = as_measure(asked).bind(as_target(y), positive=None, scheme="IOB2")
        assert measure.examples(y, ef.run.Predictions("predict", said)).tolist() == [0, 5, 1, 0]
        assert (measure.quantity.low, measure.quantity.high, measure.quantity.lower_is_better) == (
            0,
            5,
            True,
        )
    with pytest.raises(
        InvalidInput,
        match="costs must have a row and a column for each of the 3 classes 0, 1, 2 but has 2",
    ):
        as_measure("cost:0,5/1,0").bind(as_target([0, 1, 2]), positive=None, scheme="IOB2")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("zero-one:2", "measure 'zero-one' has nothing to set after a colon"),
        ("f-beta:much", "a number after its colon but has 'much'"),
        ("f-beta:0", r"beta must be a number between 0 and 1e\+06 but got 0.0"),
        ("pinball:2", "quantile must be a number between 0 and 1"),
        ("kappa:cubic", "distance must be one of 'plain', 'linear', 'quadratic' but got 'cubic'"),
        ("cost:1,2/3", "costs must be a square matrix"),
        ("cost:a,b/c,d", "spelled row after row, as in cost:0,5/1,0"),
        ("f-beat:2", "Did you mean"),
    ],
)
def test_what_is_spelled_wrongly_is_refused_in_one_line(asked: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        as_measure(asked)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["balanced-accuracy", "mcc", "kappa", *AVERAGES])
@pytest.mark.parametrize("strange", [["idk"], ["idk", "none", "a1"]])
def test_predictions_that_are_no_label_of_the_truth_are_scikit_learns_classes(
    name: str, strange: list[str]
) -> None:
    """
    A model that answers "idk" wherever it is unsure.

    Macro F1 was .868 where scikit-learn has .578.
    """
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], size=200)
    said = np.where(rng.random(200) < 0.3, rng.choice(strange, size=200), y)
    said = np.where(rng.random(200) < 0.1, "b", said)
    answer = ef.run.Predictions("predict", said)
    measure = as_measure(name).bind(as_target(y), positive=None, scheme="IOB2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for weights in (None, rng.uniform(0.5, 2.0, size=200)):
            expected = OF_CLASSES[name](y, said, sample_weight=weights)
            assert measure.evaluate(y, answer, weights).value == pytest.approx(expected, rel=1e-12)
    worth = measure.score.values([measure.outcomes(y, answer, None)])[0]
    assert worth.mean() == pytest.approx(measure.evaluate(y, answer, None).value, rel=1e-12)


def test_strange_labels_of_some_test_sets_only_are_summed() -> None:
    y = np.tile(["a", "b"], 20)
    measure = as_measure("macro-f1").bind(as_target(y), positive=None, scheme="IOB2")
    one = measure.outcomes(y, ef.run.Predictions("predict", np.where(y == "a", "a", "idk")), None)
    other = measure.outcomes(y, ef.run.Predictions("predict", y), None)
    together = np.concatenate(measure.score.values([one, other]))
    said = np.concatenate([np.where(y == "a", "a", "idk"), y])
    expected = metrics.f1_score(np.tile(y, 2), said, average="macro", zero_division=0)
    assert together.mean() == pytest.approx(expected, rel=1e-12)


def test_too_many_strange_labels_are_refused() -> None:
    y = np.tile(["a", "b"], 200)
    measure = as_measure("mcc").bind(as_target(y), positive=None, scheme="IOB2")
    with pytest.raises(ValueError, match="400 predicted labels are not labels of y"):
        measure.outcomes(y, ef.run.Predictions("predict", np.arange(400).astype(str)), None)


@pytest.mark.parametrize("f", [0.1, 0.2, 0.25, 0.5, 0.05])
def test_the_partial_area_is_scikit_learns_also_where_f_is_at_a_vertical_step(f: float) -> None:
    """With 20 negatives f × 20 is whole: .763 was said for .728."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [20, 30])
    for _ in range(20):
        scores = rng.normal(size=50) + y
        answer = ef.run.Predictions("decision_function", scores)
        measure = as_measure(f"partial-auc:{f}").bind(as_target(y), positive=None, scheme="IOB2")
        assert measure.evaluate(y, answer, None).value == pytest.approx(
            metrics.roc_auc_score(y, scores, max_fpr=f), rel=1e-12
        )


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("bins", [15, 10])
def test_the_calibration_error_is_the_one_of_its_definition(classes: int, bins: int) -> None:
    """Bin by bin, as Guo et al. (2017) write it."""
    y, chances = _labels(classes)
    chances[0] = np.eye(classes)[0]  # certain
    for weights in (None, W):
        own = np.ones(N) if weights is None else weights
        expected = 0.0
        for k in range(bins):
            top = chances.max(axis=1)
            inside = (top > k / bins) & (top <= (k + 1) / bins)
            if inside.any():
                right = np.average(chances.argmax(axis=1)[inside] == y[inside], weights=own[inside])
                sure = np.average(top[inside], weights=own[inside])
                expected += own[inside].sum() / own.sum() * abs(right - sure)
        name = "ece" if bins == 15 else f"ece:{bins}"
        measure = as_measure(name).bind(as_target(y), positive=None, scheme="IOB2")
        found = measure.evaluate(y, ef.run.Predictions("predict_proba", chances), weights).value
        assert found == pytest.approx(expected, rel=1e-12)


def test_ndcg_is_scikit_learns_of_one_ranking() -> None:
    y = RNG.integers(0, 4, size=60)
    said = y + RNG.normal(size=60).round(1)  # with ties
    for name, k in (("ndcg", None), ("ndcg:10", 10)):
        measure = as_measure(name).bind(as_target(y), positive=None, scheme="IOB2")
        value = measure.evaluate(y, ef.run.Predictions("predict", said), None).value
        assert value == pytest.approx(metrics.ndcg_score([y], [said], k=k))
    # by hand: gains 0, 1, 3 in that order against the best, 3, 1, 0
    assert as_measure("ndcg").evaluate(
        np.array([3.0, 1.0, 0.0]), ef.run.Predictions("predict", np.array([0.0, 1.0, 2.0])), None
    ).value == pytest.approx((1 / np.log2(3) + 3 / 2) / (3 + 1 / np.log2(3)))
    assert as_measure(metrics.ndcg_score).name == "ndcg_score"
    with pytest.raises(ValueError, match="not all 0"):
        as_measure("ndcg").evaluate(
            np.zeros(3), ef.run.Predictions("predict", np.arange(3.0)), None
        )
    for wrong in ("ndcg:0", "ece:0", "ece:2.5"):
        with pytest.raises(InvalidInput, match="must be an integer from 1"):
            as_measure(wrong)
