""" "Do it again": the call of a report, pasted, gives the same result, or says why it cannot."""

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import evenfold as ef
from evenfold.design import KFold, Mx2BCV

RNG = np.random.default_rng(5)
N = 60
X = RNG.normal(size=(N, 3)) + np.tile([0, 1, 1], N // 3)[:, None]
y = np.where(np.tile([0, 1, 1], N // 3), "spam", "ham")
GROUPS = np.repeat(np.arange(6), 10)
WEIGHTS = np.linspace(1, 2, N)


def absolute(truth: Any, predicted: Any) -> Any:
    return (truth != predicted).astype(float)


def majority(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    labels, counts = np.unique(y_train, return_counts=True)
    return np.full(len(X_test), labels[counts.argmax()])


KNOWN = {
    "ef": ef, "X": X, "y": y, "groups": GROUPS, "sample_weight": WEIGHTS,
    "DummyClassifier": DummyClassifier,
    "GaussianNB": GaussianNB, "majority": majority,
    "Pipeline": type(make_pipeline(StandardScaler())),
    "StandardScaler": StandardScaler, "features": np.abs(np.rint(X)),
}  # fmt: skip
LOSS = ef.run.measure(absolute, higher_is_better=False)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"measure": "f1", "positive": "spam"},
        {"measure": "f1", "positive": np.str_("ham"), "design": KFold(5)},
        {"groups": GROUPS},
        {"sample_weight": WEIGHTS},
        {"measure": ["zero-one", "brier"], "margin": 0.01, "level": 0.1, "adjust": "none"},
        {"measure": ["zero-one", "f1"], "positive": "spam", "design": Mx2BCV(7)},
        {"baseline": "b"},
        {"version": "3", "timeout": 100, "max_repetitions": 5},
        {"alternative": "not-worse", "margin": 0.1},
        {"features": np.abs(np.rint(X))},
    ],
    ids=lambda options: ", ".join(options) or "nothing",
)
def test_pasted_it_gives_the_same_result(options: dict[str, Any]) -> None:
    algorithms = {"a": DummyClassifier(), "b": make_pipeline(StandardScaler(), GaussianNB())} | {
        "c": GaussianNB()
    }
    c = ef.compare(algorithms, X, y, random_state=0, **options)
    again = eval(c.facts.call, dict(KNOWN))
    assert np.array_equal(again.losses.values, c.losses.values)
    assert [pair.sentence for pair in again.pairs] == [pair.sentence for pair in c.pairs]
    assert again.measures == c.measures
    assert again.facts.method.key == c.facts.method.key


def test_what_cannot_be_written_is_named() -> None:
    steps = make_pipeline(FunctionTransformer(lambda x: 2 * x), GaussianNB())
    call = ef.compare(
        {"a": majority, "my pipe": steps}, X, y, measure=LOSS, random_state=0
    ).facts.call
    assert call.startswith("ef.compare({'a': majority, 'my pipe': my_pipe}, X, y, measure=")
    comment = call.partition("  # with your own ")[2]
    assert "majority" in comment
    assert "my_pipe" in comment


def test_long_estimators_are_written_in_full_or_named() -> None:
    for steps, written in ((25, True), (60, False)):
        long = make_pipeline(*[StandardScaler(with_mean=False) for _ in range(steps)], GaussianNB())
        two = {"a": DummyClassifier(), "long": long}
        call = ef.compare(two, X, y, random_state=0, design=Mx2BCV(3), n_jobs=1).facts.call
        assert call.count("StandardScaler(with_mean=False)") == (steps if written else 0)
        assert ("your own long" in call) == (not written)
        assert "..." not in call


def test_the_report_names_the_class_and_the_weights() -> None:
    c = ef.compare(
        [DummyClassifier(), GaussianNB()], X, y, measure="f1", positive="spam", random_state=0
    )
    for text in (str(c), c.to_html(), c.to_latex()):
        assert "F1 of class spam" in text
    weighted = ef.compare(
        [DummyClassifier(), GaussianNB()], X, y, sample_weight=WEIGHTS, random_state=0
    )
    for text in (str(weighted), weighted.to_html(), weighted.to_latex()):
        assert "weighted error" in text
