"""
The studies of the lab and the functions for texts, asked nonsense.

Our own error or a right answer.
"""

import os
from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from tests.fuzz.refusals import asked

import evenfold as ef

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400"))
NONSENSE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 8, 0.5, 1.0, -0.5, 1e-9, 1e308, 10**20, -(10**20), 2**63,
    10**400,
    np.nan, np.inf, -np.inf, 1j, "", "x", b"x", "\0", "\ud800", "f1", "log", "zero-one", "squared",
    "mx2-t",
    "kfold-t", "mcnemar", "less", "cuda", "auto", (), [], {}, {"a": 1}, [[]], [None],
    ["mx2-t", None],
    ["5x2-t", "5x2-t"], {"mx2-t": ef.KFold(3)}, {"x": ef.KFold(3)}, {"n": [8, 16]}, {"x": ["y"]},
    [0.1, np.nan],
    np.zeros(3), np.zeros((2, 2)), np.array(["a"]), np.array([None]),
    np.ma.masked_less(np.arange(3), 1),
    object(), object, len, iter([1]), ef.KFold, ef.KFold(3), [ef.KFold(3), 3], GaussianNB(),
    [GaussianNB] * 2,
    [GaussianNB(), DummyClassifier()], {"a": GaussianNB(), 3: DummyClassifier()},
    np.random.default_rng(0),
    "no/such/folder/store.db", "ftp://x", "/dev/null", "kfold:3", [["O"], ["B-X", "I-X"]],
    [["B-X", 3]],
    ["O", "B-X"],
    "IOB2", "IOBES", "BMES", "drop", ["a", "b"], ["", "\ud800"],
)  # fmt: skip
SMALL = {
    "n": 16,
    "replications": 2,
    "random_state": 0,
    "methods": ["5x2-t"],
    "m": 3,
    "partitions": 2,
}
POPULATIONS = ["normal-mean", "mean-line", "two-gaussians"]
STUDIES = [
    ef.lab.correlations, ef.lab.covariance, ef.lab.coverage, ef.lab.fits, ef.lab.power,
    ef.lab.replicability,
    ef.lab.type1, ef.lab.variance,
]  # fmt: skip
TEXTS = [ef.text.character_features, ef.text.convert_tags, ef.text.word_features]
COSTLY = ("n_jobs", "device", "progress")  # workers, and libraries that may be missing


def some(rng: np.random.Generator) -> Any:
    return NONSENSE[rng.integers(len(NONSENSE))]


def keywords(function: Callable[..., Any]) -> list[str]:
    own = [
        p.name for p in signature(function).parameters.values() if p.kind is Parameter.KEYWORD_ONLY
    ]
    return [name for name in (*own, *ef.lab.Options.__annotations__) if name not in COSTLY]


@pytest.mark.parametrize(
    "study",
    [
        pytest.param(one, marks=pytest.mark.guarantee) if one is ef.lab.covariance else one
        for one in STUDIES
    ],
    ids=lambda study: study.__name__,
)
def test_studies(
    study: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # many a word is the name of a store
    rng = np.random.default_rng(sum(map(ord, study.__name__)))
    names = keywords(study)
    for _ in range(CALLS // 4 // len(STUDIES)):
        given = {name: value for name, value in SMALL.items() if name in names}
        for name in rng.choice([*names, "unknown"], rng.integers(1, 3)):
            given[str(name)] = some(rng)
        population = rng.choice(POPULATIONS) if rng.random() < 0.9 else some(rng)
        found = asked(study, population, **given)
        if found is not None:
            assert_finite(found)


def assert_finite(study: Any) -> None:
    numbers = [value for row in study.rows for value in row.values() if isinstance(value, float)]
    assert not any(np.isnan(numbers)), study.rows


@pytest.mark.parametrize("name", ef.lab.populations())
def test_populations(name: str) -> None:
    rng = np.random.default_rng(sum(map(ord, name)))
    names = [*signature(ef.lab.populations()[name]).parameters, "unknown"]
    for _ in range(CALLS // 20 // len(ef.lab.populations())):
        asked(ef.lab.population, name, **{str(one): some(rng) for one in rng.choice(names, 2)})


@pytest.mark.parametrize("function", TEXTS, ids=lambda function: function.__name__)
def test_texts(function: Callable[..., Any]) -> None:
    rng = np.random.default_rng(sum(map(ord, function.__name__)))
    for _ in range(CALLS // 10 // len(TEXTS)):
        asked(
            function,
            **{
                p: some(rng)
                for p in signature(function).parameters
                if p != "illegal" or rng.random() < 0.5
            },
        )


TAGGERS = [ef.text.TokenTagger, ef.text.CRFTagger, ef.text.TagScheme]
SENTENCES = [["a", "b"], ["c"]] * 4
TAGS = [["B-X", "I-X"], ["O"]] * 4


@pytest.mark.parametrize("tagger", TAGGERS, ids=lambda tagger: tagger.__name__)
def test_taggers(tagger: Callable[..., Any]) -> None:
    rng = np.random.default_rng(sum(map(ord, tagger.__name__)))
    whole: dict[str, Any] = {"max_iterations": 2} if tagger is ef.text.CRFTagger else {}
    if tagger is ef.text.TagScheme:
        whole = {"estimator": ef.text.TokenTagger(DummyClassifier()), "scheme": "IOBES"}
    for _ in range(CALLS // 20 // len(TAGGERS)):
        given = {p: some(rng) for p in signature(tagger).parameters if rng.random() < 0.3}
        given = {
            p: value for p, value in given.items() if not isinstance(value, GaussianNB)
        }  # its errors are its own
        made = asked(tagger, **{**whole, **given})
        X, y = (one if rng.random() < 0.7 else some(rng) for one in (SENTENCES, TAGS))
        fitted = None if made is None else asked(made.fit, X, y)
        if fitted is not None:
            asked(fitted.predict, SENTENCES if rng.random() < 0.7 else some(rng))


@pytest.mark.parametrize("size", ["n", "replications"])
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.__name__)
def test_sizes_beyond_all_memory_are_refused_at_once(study: Callable[..., Any], size: str) -> None:
    given = {name: value for name, value in SMALL.items() if name in keywords(study)}
    assert asked(study, "normal-mean", **{**given, size: 10**20}) is None
