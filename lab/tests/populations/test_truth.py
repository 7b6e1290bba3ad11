"""Truths: closed forms against simulation, the exact oracle, the sources' tables, and the cache."""

import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.base import BaseEstimator

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.run.fingerprints import Unhashable
from evenfold_lab import estimators
from evenfold_lab.algorithm import Algorithm, Floats, Refitted
from evenfold_lab.masks import Splits
from evenfold_lab.populations import (
    R1961,
    Digits,
    MeanLine,
    NormalMean,
    Resampled,
    SReg,
    TwoGaussians,
)
from evenfold_lab.populations._base import Population
from evenfold_lab.truth import Truth, truth, truth_of_difference


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "evenfold" / "truth"


@dataclass(frozen=True, kw_only=True)
class Opaque(Population):
    """Another population, without its closed forms."""

    inner: Population
    name = "opaque"

    @property
    def measure(self) -> str:  # type: ignore[override]  # a property where others have a constant
        return self.inner.measure

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Any:
        return self.inner.draw(n, replications, rng)

    def algorithms(self) -> tuple[Algorithm, ...]:
        return self.inner.algorithms()


def _near(found: Truth, expected: float, errors: float = 4.0) -> None:
    assert found.se > 0
    assert abs(found.value - expected) < errors * found.se


@pytest.mark.parametrize(
    ("made", "n_train"),
    [(NormalMean(sd=2.0), 5), (MeanLine(), 8), (MeanLine.setting(2), 40), (SReg(p=4), 15)],
)
def test_closed_forms_agree_with_simulation(made: Population, n_train: int) -> None:
    hidden = Opaque(inner=made)
    for algorithm in (estimators.mean(), estimators.ols()):
        if made.expected_loss(algorithm, n_train):
            exact = truth(made, algorithm, n_train)
        else:
            exact = None
        if exact is None:
            continue
        assert exact.se == 0
        _near(truth(hidden, algorithm, n_train, replications=400), exact.value)


def test_a_closed_form_needs_enough_examples() -> None:
    assert SReg(p=10).expected_loss(estimators.ols(), 12) is None
    assert SReg(p=10).expected_loss(estimators.ols(), 13) is not None
    assert SReg(p=10).expected_loss(estimators.ridge(), 100) is None


def test_a_closed_form_is_about_squares_only(cache: Path) -> None:
    found = truth(NormalMean(), estimators.mean(), 50, "absolute", replications=500)
    _near(found, np.sqrt(2 / np.pi * (1 + 1 / 50)))  # E|N(0, v)|
    assert len(list(cache.iterdir())) == 1


def test_differences_are_paired() -> None:
    made = Opaque(inner=MeanLine.setting(2))
    a, b = MeanLine().algorithms()
    paired = truth_of_difference(made, a, b, 100, replications=300)
    exact = truth_of_difference(MeanLine.setting(2), a, b, 100)
    assert exact.se == 0
    assert exact.value == pytest.approx(65.31 - 72.72, abs=0.01)
    _near(paired, exact.value)
    apart = np.hypot(
        truth(made, a, 100, replications=300).se, truth(made, b, 100, replications=300).se
    )
    assert paired.se < 0.5 * apart


@pytest.mark.parametrize(
    ("setting", "n_train", "tree", "ols"),
    [  # the middle and half the length of NB's 95% intervals, table 3
        (1, 100, (0.251, 0.002), (0.206, 0.002)),
        (2, 100, (0.1475, 0.0015), (0.147, 0.001)),
        (3, 1000, (0.2475, 0.0005), (0.2005, 0.0005)),
        (4, 1000, (0.1425, 0.0005), (0.1425, 0.0005)),
        (2, 180, (0.1445, 0.0025), (0.1435, 0.0015)),
        (3, 1800, (0.236, 0.001), (0.1995, 0.0005)),
    ],
)
def test_trees_and_least_squares_err_as_in_table_3(
    setting: int, n_train: int, tree: tuple[float, float], ols: tuple[float, float]
) -> None:
    made = TwoGaussians.setting(setting)
    for algorithm, (middle, half) in zip(made.algorithms(), (tree, ols), strict=True):
        found = truth(made, algorithm, n_train, replications=200)
        # NB print three digits: half a unit of the last is added to the error of both.
        assert abs(found.value - middle) < 4 * np.hypot(found.se, half / 1.96) + 0.0005


def test_scores_are_those_of_the_mean_counts() -> None:
    """
    R19 example 6.1 with a rule that is never fitted.

    Recall Φ(0), false positives Φ(−½√2·½·2).
    """
    rule = Refitted(name="rule", prototype=Rule())
    recall = ndtr(0.0)
    false_positive = ndtr(-np.sqrt(0.5))
    precision = recall / (recall + false_positive)
    expected = {
        "recall": recall,
        "precision": precision,
        "f1": 2 * precision * recall / (precision + recall),
        "zero-one": (1 - recall + false_positive) / 2,
    }
    for measure, value in expected.items():
        _near(truth(R1961(labels_are="fixed"), rule, 10, measure, replications=200), value)


class Rule(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Positive where x1 + x2 > 1: through the mean of the positives of R19's example 6.1."""

    def fit(self, X: Floats, y: Floats) -> "Rule":  # noqa: ARG002
        self.fitted_ = True
        return self

    def predict(self, X: Floats) -> Floats:
        positive: Floats = (X.sum(axis=1) > 1).astype(float)
        return positive


def test_what_is_drawn_without_replacement_is_tested_on_the_rest() -> None:
    """All targets are 0 and rows that were trained on are predicted 1: the loss is their share."""
    made = Resampled(X=np.arange(200.0)[:, None], y=np.zeros(200), measure_name="squared")
    memory = Refitted(name="memory", prototype=Memory())
    assert truth(replace(made, replacement=False), memory, 100, replications=20).value == 0
    copies = truth(replace(made, replacement=True), memory, 100, replications=200)
    _near(copies, 1 - (1 - 1 / 200) ** 100)  # the chance that a row is among the 100


class Memory(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predict 1 for rows that were trained on."""

    def fit(self, X: Floats, y: Floats) -> "Memory":  # noqa: ARG002
        self.rows_ = X[:, 0]
        return self

    def predict(self, X: Floats) -> Floats:
        return np.isin(X[:, 0], self.rows_).astype(float)


def test_digits_have_a_truth() -> None:
    made = Digits()
    tree, neighbour = made.algorithms()
    difference = truth_of_difference(made, tree, neighbour, 150, replications=20)
    assert difference.value < -10 * difference.se


def _oracle(n: int, replications: int, predict: Any) -> Floats:
    """Hold-out losses (replications, 3, 2) of the mean on a blocked 3×2 design."""
    partition = ef.Mx2BCV(3, random_state=0).partition(n)
    splits = Splits.of([partition])
    sample = NormalMean(sd=1.5).draw(n, replications, np.random.default_rng(5))
    losses = (predict(sample.X, sample.y, splits) - sample.y[:, None]) ** 2
    values: Floats = np.sum(losses, axis=-1, where=splits.tests) / splits.tests.sum(axis=-1)
    return values.reshape(replications, 3, 2)


def _means(X: Floats, y: Floats, splits: Splits) -> Floats:  # noqa: ARG001
    """The mean of each training set, written directly."""
    weights = splits.trains / splits.trains.sum(axis=1, keepdims=True)
    means: Floats = np.repeat((y @ weights.T)[..., None], y.shape[1], axis=-1)
    return means


def test_the_exact_oracle_of_the_sample_mean() -> None:
    n = 40
    R = 20_000
    values = _oracle(n, R, _means)
    variance = 4 * (n + 6) * 1.5**4 / n**2
    assert values.mean() == pytest.approx(1.5**2 * (1 + 2 / n), abs=4 * np.sqrt(variance / R))
    covariance = np.cov(values.reshape(R, 6), rowvar=False)
    # kurtosis: about 3 errors
    assert np.diag(covariance).mean() == pytest.approx(variance, rel=0.04)
    correlation = covariance / variance
    same = np.mean([correlation[2 * i, 2 * i + 1] for i in range(3)])
    other = np.mean([correlation[i, j] for i in range(6) for j in range(6) if i // 2 != j // 2])
    assert same == pytest.approx(8 / (n + 6), abs=4 / np.sqrt(R))
    assert other == pytest.approx((n + 5) / (2 * n + 12), abs=4 / np.sqrt(R))


def test_the_lab_predicts_the_same_means() -> None:
    algorithm = NormalMean().algorithms()[0]
    np.testing.assert_allclose(_oracle(24, 5, algorithm.predict), _oracle(24, 5, _means))


@dataclass(frozen=True, kw_only=True)
class Counting:
    """An algorithm that counts how often it was asked."""

    calls: list[int] = field(default_factory=list)
    name: str = "counting"
    fast: bool = True

    def estimator(self) -> Any:
        return estimators.mean().estimator()

    def predict(self, X: Floats, y: Floats, splits: Splits) -> Floats:
        self.calls.append(1)
        return _means(X, y, splits)


def test_a_truth_is_computed_once(cache: Path) -> None:
    algorithm = Counting()
    made = Opaque(inner=NormalMean())
    first = truth(made, algorithm, 20, replications=40)
    assert len(algorithm.calls) == 2
    again = truth(made, algorithm, 20, replications=40)
    assert len(algorithm.calls) == 2
    assert (again.value, again.se) == (first.value, first.se)
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"n_train": 21},
        {"replications": 60},
        {"random_state": 1},
        {"measure": "absolute"},
        {"population": Opaque(inner=NormalMean(sd=2.0))},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_the_answer_depends_on_is_not_mistaken(change: dict[str, Any], cache: Path) -> None:
    usual: dict[str, Any] = {
        "population": Opaque(inner=NormalMean()),
        "algorithm": Counting(),
        "n_train": 20,
        "measure": "squared",
        "replications": 40,
        "random_state": 0,
    }
    first = truth(**usual)
    assert truth(**{**usual, **change}).value != first.value
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"value": 1}', '{"value": NaN, "se": 0}', '{"value": 1, "se": -1}']
)
def test_a_spoilt_file_is_computed_again(content: str, cache: Path) -> None:
    algorithm = Counting()
    made = Opaque(inner=NormalMean())
    first = truth(made, algorithm, 20, replications=40)
    (file,) = cache.iterdir()
    file.write_text(content, encoding="utf-8")
    assert truth(made, algorithm, 20, replications=40).value == first.value
    assert json.loads(file.read_text(encoding="utf-8"))["value"] == first.value


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "evenfold").write_text("not a folder", encoding="utf-8")
    assert truth(Opaque(inner=NormalMean()), Counting(), 20, replications=40).se > 0


def test_what_cannot_be_hashed_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> bytes:
        raise Unhashable("no content")

    # The package holds a function of the same name as this module.
    monkeypatch.setattr(sys.modules["evenfold_lab.truth"], "fingerprint", refuse)
    assert truth(Opaque(inner=NormalMean()), Counting(), 20, replications=40).se > 0
    assert not cache.exists()


def test_unknown_measures_are_refused() -> None:
    with pytest.raises(InvalidInput, match="measure must be one of"):
        truth(NormalMean(), estimators.mean(), 20, "auc")
    with pytest.raises(InvalidInput, match="n_train must be an integer ≥ 1"):
        truth(NormalMean(), estimators.mean(), 0)
