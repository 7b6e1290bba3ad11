"""
Algorithms for tag sequences: one that trains on its own tag set, and two taggers to begin with.

All are estimators on sentences: X a list of token sequences, y a list of tag sequences.
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from evenfold.core.checks import examples, integer, number, one_of, refuse_value
from evenfold.core.environment import require
from evenfold.core.tags import READINGS, SCHEMES, Tags, convert_tags
from evenfold.text.features import extractor

_LARGEST = 2**31 - 1  # what CRFsuite counts with

Sentences = Sequence[Sequence[Any]]  # of tokens, or of their features


class TagScheme(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    Train a tagger on a tag set of its own, and answer in the one that is scored.

    Finer tags say more about where in a chunk a token stands, which may help a tagger or spread its
    data too thin. The chunks are the same, so scores of two tag sets can be compared.

    Parameters
    ----------
    estimator : estimator
        A tagger with ``fit(sentences, tags)`` and ``predict(sentences)``; a copy is trained.
    scheme : {"IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "BMES", "BB2B3MES"}
        The tag set it is trained on.
    scored : str, default "IOB2"
        The tag set of y and of the predictions: the ``scheme`` of the run.
    illegal : {"drop", "repair"}
        How predictions that break the rules of the tag set are read, see :func:`convert_tags`. What
        comes out is legal. Take the same for all algorithms that are compared.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> sentences = [["Ada", "Lovelace", "slept"], ["Ada", "slept"], ["all", "slept"]] * 4
    >>> tags = [["B-PER", "I-PER", "O"], ["B-PER", "O"], ["O", "O"]] * 4
    >>> fine = TagScheme(TokenTagger(LogisticRegression()), "IOBES").fit(sentences, tags)
    >>> fine.estimator_.predict([["Ada", "slept"]]), fine.predict([["Ada", "slept"]])
    ([['S-PER', 'O']], [['B-PER', 'O']])
    """

    def __init__(
        self, estimator: Any, scheme: str, *, scored: str = "IOB2", illegal: str = "drop"
    ) -> None:
        self.estimator = estimator
        self.scheme = scheme
        self.scored = scored
        self.illegal = illegal

    def fit(self, X: Any, y: Sequence[Tags]) -> Self:
        """Translate the tags and train a copy of the estimator on them."""
        one_of("scheme", self.scheme, SCHEMES)
        one_of("scored", self.scored, SCHEMES)
        one_of("illegal", self.illegal, READINGS)
        _require_pairs(X, y)
        self.estimator_ = clone(_model("estimator", self.estimator)).fit(
            X, convert_tags(y, self.scored, self.scheme)
        )
        return self

    def predict(self, X: Any) -> list[list[str]]:
        """Return the predicted chunks as tags of the scored scheme."""
        predicted = self.estimator_.predict(X)
        return convert_tags(predicted, self.scheme, self.scored, illegal=self.illegal)


class TokenTagger(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    Decide token by token, with any classifier of scikit-learn.

    It knows the neighbouring tokens but not their tags, so it often predicts sequences that no
    scheme allows: quick, a baseline, and a reason to say how illegal tags are read.

    Parameters
    ----------
    classifier : classifier, optional
        Trained on sparse 0/1 features; by default a linear one, ``SGDClassifier(loss="log_loss")``.
    features : {"words", "characters"}, callable or None
        How a sentence is described: by name, by a function from a sentence to one list of strings
        per token, or None where X holds such lists already.
    random_state : int, optional
        Seed of the default classifier.

    Examples
    --------
    >>> tagger = TokenTagger(features="characters", random_state=0)
    >>> tags = [["B", "E", "S"], ["B", "E"], ["S", "B", "E"]]
    >>> tagger.fit(["天气好", "天气", "好天气"] * 5, tags * 5)
    TokenTagger(features='characters', random_state=0)
    >>> tagger.predict(["好天气"])
    [['S', 'B', 'E']]
    """

    def __init__(
        self, classifier: Any = None, *, features: Any = "words", random_state: int | None = None
    ) -> None:
        self.classifier = classifier
        self.features = features
        self.random_state = random_state

    def fit(self, X: Sentences, y: Sequence[Tags]) -> Self:
        """Train the classifier on all tokens."""
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import SGDClassifier

        _require_pairs(X, y)
        seed = self.random_state
        if seed is not None:
            seed = integer("random_state", seed, low=0)
        self.classifier_ = SGDClassifier(loss="log_loss", alpha=1e-5, random_state=seed)
        if self.classifier is not None:
            self.classifier_ = clone(_model("classifier", self.classifier))
        self.vectorizer_ = CountVectorizer(analyzer=list, binary=True)
        features = self.vectorizer_.fit_transform(self._tokens(X))
        self.classifier_.fit(features, np.array(list(chain(*y))))
        return self

    def predict(self, X: Sentences) -> list[list[str]]:
        """Return the tags of each sentence."""
        _require_sentences(X)
        tokens = self._tokens(X)
        if not tokens:
            return [[] for _ in X]
        tags = self.classifier_.predict(self.vectorizer_.transform(tokens)).tolist()
        ends = np.cumsum([0, *map(len, X)]).tolist()
        return [tags[start:end] for start, end in pairwise(ends)]

    def _tokens(self, X: Sentences) -> list[list[str]]:
        return list(chain.from_iterable(map(extractor(self.features), X)))


class CRFTagger(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    A linear-chain conditional random field.

    It needs ``python-crfsuite`` (``pip install 'evenfold[text]'``).

    Trained by L-BFGS only: the other trainers of CRFsuite shuffle with a generator that cannot be
    seeded, and the same fit would give another model in another process.

    Parameters
    ----------
    c1, c2 : float
        Penalties on the absolute and on the squared weights.
    max_iterations : int
        Steps of L-BFGS at most.
    min_freq : int
        Features seen less often are left out.
    features : {"words", "characters"}, callable or None
        As in :class:`TokenTagger`.

    Examples
    --------
    >>> CRFTagger(c2=0.1, features="characters")
    CRFTagger(c2=0.1, features='characters')
    """

    def __init__(
        self,
        *,
        c1: float = 0.0,
        c2: float = 1.0,
        max_iterations: int = 50,
        min_freq: int = 0,
        features: Any = "words",
    ) -> None:
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.min_freq = min_freq
        self.features = features

    def fit(self, X: Sentences, y: Sequence[Tags]) -> Self:
        """Train on whole sentences."""
        _require_pairs(X, y)
        trainer = require_crfsuite().Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params(
            {
                "c1": number("c1", self.c1, low=0),
                "c2": number("c2", self.c2, low=0),
                "max_iterations": integer(
                    "max_iterations", self.max_iterations, low=1, high=_LARGEST
                ),
                "feature.minfreq": integer("min_freq", self.min_freq, low=0, high=_LARGEST),
            }
        )
        describe = extractor(self.features)
        for sentence, tags in zip(X, y, strict=True):
            trainer.append(describe(sentence), [str(tag) for tag in tags])
        self.model_ = _train_model(trainer)
        return self

    def predict(self, X: Sentences) -> list[list[str]]:
        """Return the most probable tags of each sentence."""
        _require_sentences(X)
        describe = extractor(self.features)
        with require_crfsuite().Tagger().open_inmemory(self.model_) as tagger:
            return [tagger.tag(describe(sentence)) for sentence in X]


def _require_sentences(X: Any) -> None:
    if examples("X", X) and not all(hasattr(sentence, "__len__") for sentence in X):
        refuse_value("X", X, "a list of sentences, each a sequence of tokens,")


def _require_pairs(X: Any, y: Any) -> None:
    """Refuse what is not one tag per token of every sentence."""
    _require_sentences(X)
    tokens = [len(sentence) for sentence in X]
    fits = examples("y", y) == len(tokens) and all(hasattr(tags, "__len__") for tags in y)
    if not (fits and any(tokens) and [len(tags) for tags in y] == tokens):
        refuse_value("y", y, "one tag for every token of every sentence")


def _model(name: str, model: Any) -> Any:
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        refuse_value(name, model, "an estimator with fit and predict")
    return model


def require_crfsuite() -> Any:
    """Return the module ``pycrfsuite``, or say how to get it."""
    require("pycrfsuite", "CRFTagger")
    import pycrfsuite

    return pycrfsuite


def _train_model(trainer: Any) -> bytes:
    """Train into a file, the only place CRFsuite writes to, and return what it wrote."""
    with TemporaryDirectory(prefix="evenfold-") as folder:
        path = Path(folder, "model.crfsuite")
        trainer.train(str(path))
        return path.read_bytes()
