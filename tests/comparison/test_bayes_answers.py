"""What ``compare`` says by the Bayes tests of R19: on halvings, on folds, in every format."""

import json
from typing import Any

import numpy as np
import pytest

import evenfold as ef


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, dict[str, Any]]:
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    X, y = make_classification(240, 6, flip_y=0.2, weights=[0.7], random_state=0)
    return X, y, {"bayes": GaussianNB(), "logistic": LogisticRegression()}


def _asked(data: tuple[Any, Any, dict[str, Any]], **keywords: Any) -> Any:
    X, y, models = data
    asked = {"measure": "f1", "positive": 1, "method": "bayes-f1", "random_state": 0}
    return ef.compare(models, X, y, **{**asked, **keywords})


def test_both_hypotheses_and_the_decision_are_in_every_format(data: Any) -> None:
    c = _asked(data)
    pair = c.pairs[0]
    found = c.estimate.hypotheses()
    assert pair.probability == pytest.approx(float(found.h1))
    assert pair.null_probability == pytest.approx(float(found.h0))
    accepted = "H1" if found.accepts_h1 else "H0"
    assert pair.accepted == accepted
    h0, h1 = f"{found.h0:.3f}", f"{found.h1:.3f}"
    said = f"P(H0) = {h0}, P(H1) = {h1}, where H1 says that logistic is better than bayes; "
    assert f"{said}{accepted} is more probable and is accepted" in str(c)
    markdown = c.to_markdown()
    assert "P(H0) | P(H1: B better) | accepted" in markdown
    cells = [cell.strip() for cell in markdown.splitlines()[2].split("|")]
    assert cells[-5:-2] == [h0, h1, accepted]
    html = c.to_html()
    for words in ("P(H0)", "P(H1), probability of better", "accepted", h0, h1):
        assert words in html
    written = json.loads(c.to_json())
    assert _values_of(written, "null_probability") == [pair.null_probability]
    assert _values_of(written, "accepted") == [accepted]
    again = ef.Comparison.from_json(c.to_json())
    assert again.pairs[0].accepted == accepted


def _values_of(tree: Any, key: str) -> list[Any]:
    """All values other than None under a key, each once."""
    found: list[Any] = []
    if isinstance(tree, dict):
        found = [tree[key]] if tree.get(key) is not None else []
        tree = list(tree.values())
    if isinstance(tree, list):
        found += [value for branch in tree for value in _values_of(branch, key)]
    return list(dict.fromkeys(found))


def test_with_a_margin_the_hypothesis_is_about_the_margin(data: Any) -> None:
    c = _asked(data, margin=0.05)
    found = c.estimate.hypotheses(0.05)
    assert c.pairs[0].probability == pytest.approx(float(found.h1))
    assert "where H1 says that logistic is better than bayes by more than 0.05;" in str(c)


def test_a_test_without_a_posterior_has_no_hypotheses(data: Any) -> None:
    c = _asked(data, measure="zero-one", method="mx2-t", design=ef.Mx2BCV(3))
    assert c.pairs[0].accepted is None
    assert "P(H0)" not in str(c)
    assert "P(H0)" not in c.to_markdown()


@pytest.mark.parametrize("score", ["precision", "recall", "f1"])
def test_folds_give_their_counts_as_they_are(data: Any, score: Any) -> None:
    c = _asked(data, measure=score, method=f"bayes-{score}", design=ef.KFold(5))
    counts = np.asarray(c.losses.counts).sum(axis=-2)
    a, b = (ef.infer.score_posterior(score, one, m=None) for one in counts)
    assert float(c.estimate.mean) == pytest.approx(float(b.mean - a.mean))
    assert float(c.estimate.b.a) == pytest.approx(float(b.a))
    assert "trained on 192 examples" in str(c)


def test_one_algorithm_alone_on_folds(data: Any) -> None:
    X, y, models = data
    c = ef.compare(
        {"bayes": models["bayes"]}, X, y, measure="f1", positive=1, method="bayes-f1",
        design=ef.KFold(5), random_state=0,
    )  # fmt: skip
    counts = np.asarray(c.losses.counts).sum(axis=-2)[0]
    alone = ef.infer.score_posterior("f1", counts, m=None)
    assert c.pairs[0].value == pytest.approx(float(alone.mean))


def test_folds_keep_their_default(data: Any) -> None:
    c = _asked(data, measure="precision", method=None, design=ef.KFold(5))
    assert c.estimate.method == "corrected-kfold-t"


def test_the_sequential_test_of_three_repetitions_looks_once(data: Any) -> None:
    X, y, models = data
    c = ef.compare(models, X, y, design=ef.Mx2BCV(3), method="mx2-sequential-t", random_state=0)
    d = c.losses.differences("logistic", "bayes").reshape(3, 2)
    assert int(c.estimate.stopped_at) == 3
    assert c.pvalue == pytest.approx(float(ef.infer.mx2_sequential_t(d).pvalue))
    assert c.fits == 12
