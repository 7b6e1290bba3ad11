"""Algorithms for tag sequences: their own tag sets, quick features, a CRF."""

import pickle
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.naive_bayes import MultinomialNB

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotInstalled
from evenfold.text.features import character_features, extractor, word_features

Sentences = list[list[str]]


def corpus(n: int = 60, seed: int = 0) -> tuple[Sentences, Sentences]:
    """Sentences in which capitalised names of one or two words are persons, and others not."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        words, tags = ["the"], ["O"]
        for _ in range(rng.integers(1, 4)):
            words += [str(rng.choice(["dog", "sun", "town"])), "saw"]
            tags += ["O", "O"]
            name = ["Ada", "Lovelace"] if rng.random() < 0.5 else [str(rng.choice(["Bob", "Eve"]))]
            words += name
            tags += ["B-PER", "I-PER"][: len(name)]
        X.append(words)
        y.append(tags)
    return X, y


class Says(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Remember what it was trained on, and predict given tags."""

    def __init__(self, tags: Any = None) -> None:
        self.tags = tags

    def fit(self, X: Any, y: Any) -> "Says":  # noqa: ARG002
        self.seen_ = y
        return self

    def predict(self, X: Any) -> Any:  # noqa: ARG002
        return self.tags


def test_a_tag_set_of_its_own() -> None:
    X, y = [["Ada", "Lovelace", "sang"]], [["B-PER", "I-PER", "O"]]
    subject = Says([["S-PER", "B-PER", "O"]])
    fitted = ef.text.TagScheme(subject, "IOBES").fit(X, y)
    assert fitted.estimator_.seen_ == [["B-PER", "E-PER", "O"]]
    assert not hasattr(subject, "seen_"), "the caller's estimator is not touched"
    assert fitted.predict(X) == [["B-PER", "O", "O"]], "a chunk without its end is dropped"
    repaired = ef.text.TagScheme(subject, "IOBES", illegal="repair").fit(X, y)
    assert repaired.predict(X) == [["B-PER", "B-PER", "O"]]


def test_words_are_scored_in_another_tag_set() -> None:
    fitted = ef.text.TagScheme(Says([["B", "B2", "B3", "M", "E"]]), "BB2B3MES", scored="BMES")
    assert fitted.fit(["abcde"], [["B", "M", "M", "M", "E"]]).predict(["abcde"]) == [
        ["B", "M", "M", "M", "E"]
    ]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"scheme": "BIOES"}, "scheme must be one of"),
        ({"scheme": "IOBES", "scored": "IOB"}, "scored must be one of"),
        ({"scheme": "IOBES", "illegal": "refuse"}, "illegal must be one of 'drop', 'repair'"),
        ({"scheme": "IOBES", "scored": "BMES"}, "tag must be a tag of BMES"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.text.TagScheme(Says(), **parameters).fit([["a", "b"]], [["B-X", "I-X"]])


def taggers() -> list[Any]:
    return [
        ef.text.TokenTagger(random_state=0),
        ef.text.TokenTagger(MultinomialNB()),
        ef.text.TagScheme(ef.text.TokenTagger(random_state=0), "IOBES"),
        pytest.param(ef.text.CRFTagger(c2=0.01), marks=crf),
        pytest.param(ef.text.TagScheme(ef.text.CRFTagger(c2=0.01), "BB2B3MES"), marks=crf),
    ]


try:
    import pycrfsuite
except ImportError:
    pycrfsuite = None
crf = pytest.mark.skipif(pycrfsuite is None, reason="needs the extra text")


@pytest.mark.parametrize("tagger", taggers(), ids=repr)
def test_taggers_find_the_names(tagger: Any) -> None:
    X, y = corpus()
    fitted = clone(tagger).fit(X[:30], y[:30])
    predicted = fitted.predict(X[30:])
    tp, fp, fn = ef.run.chunk_counts(y[30:], predicted)
    assert 2 * tp / (2 * tp + fp + fn) > 0.9
    assert fitted.predict([]) == []
    assert fitted.predict([[], X[0]])[0] == []
    assert pickle.loads(pickle.dumps(fitted)).predict(X[30:]) == predicted


@pytest.mark.parametrize("tagger", taggers(), ids=repr)
def test_the_same_fit_gives_the_same_tags(tagger: Any) -> None:
    X, y = corpus()
    first, second = (clone(tagger).fit(X[:9], y[:9]).predict(X) for _ in range(2))
    assert first == second


def test_features_by_name_by_function_or_made_before() -> None:
    X, y = corpus(20)
    by_name = ef.text.TokenTagger(MultinomialNB()).fit(X, y).predict(X)
    by_function = ef.text.TokenTagger(MultinomialNB(), features=word_features).fit(X, y).predict(X)
    made = [word_features(sentence) for sentence in X]
    before = ef.text.TokenTagger(MultinomialNB(), features=None).fit(made, y).predict(made)
    assert by_name == by_function == before
    with pytest.raises(InvalidInput, match="features must be one of 'words', 'characters'"):
        extractor("word")
    with pytest.raises(InvalidInput, match="features must be 'words'"):
        extractor(3)


def test_a_window_has_one_two_and_threegrams_of_five_tokens() -> None:
    features = character_features(list("abcde"))
    assert [len(token) for token in features] == [13] * 5
    assert {f.split("=")[1] for f in features[2][:12]} == {*"abcde", "a|b", "b|c", "c|d", "d|e"} | {
        "a|b|c",
        "b|c|d",
        "c|d|e",
    }
    assert features[0][0].endswith("=<")


def test_a_crf_without_its_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(NotInstalled, match=r'pip install "evenfold\[text\]"$'):
        ef.text.CRFTagger().fit([["a"]], [["O"]])


def test_a_comparison_of_two_tag_sets_on_chunks() -> None:
    X, y = corpus(80)
    algorithms = {
        scheme: ef.text.TagScheme(ef.text.TokenTagger(MultinomialNB()), scheme)
        for scheme in ("IOB2", "IOBES")
    }
    c = ef.compare(
        algorithms,
        X,
        y,
        measure="f1",
        features=ef.design.text_features(X, y),
        random_state=0,
        progress=False,
    )
    assert c.facts.design.name == "Mx2BCV(m=31, random_state=0, balance='features')"
    assert c.facts.method.key == "mx2-influence-t"
    assert c.losses.values.min() > 0.5
    again = ef.run.run(
        {name: clone(one) for name, one in algorithms.items()},
        c.partition,
        X,
        y,
        measures="f1",
        seed=0,
    )
    for a, name in enumerate(algorithms):
        fitted = clone(algorithms[name]).fit(
            *([part[i] for i in c.partition.train[0]] for part in (X, y))
        )
        true, predicted = (
            [part[i] for i in c.partition.test[0]] for part in (y, fitted.predict(X))
        )
        tp, fp, fn = ef.run.chunk_counts(true, predicted)
        assert again["f1"].values[a, 0] == c.losses.values[a, 0] == 2 * tp / (2 * tp + fp + fn)


def test_truth_that_breaks_its_scheme_is_refused_before_the_first_fit() -> None:
    X, y = corpus(20)
    broken = [[tag.replace("B-", "I-") for tag in tags] for tags in y]
    partition = ef.Mx2BCV(3, random_state=0).partition(20)
    with pytest.raises(
        InvalidInput, match=r"y must be legal in IOB2 but got 'I-PER' after 'O'.*scheme="
    ):
        ef.run.run(Says(), partition, X, broken, measures="f1")
    assert ef.run.run(Says(), partition, X, broken, measures="f1", scheme="IOB1").fits == 6
    flat = np.array([tag for tags in y for tag in tags])
    with pytest.raises(InvalidInput, match="pass one sequence of tags per sentence"):
        ef.compare([MultinomialNB()], np.ones((len(flat), 1)), flat, measure="f1")
