"""What a new user gets wrong, or has in another form: an answer, or one sentence that helps."""

from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.read.estimators import parse

N = 60
RNG = np.random.default_rng(0)
X: Any = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
MODELS = {name: DecisionTreeClassifier(max_depth=depth) for name, depth in (("a", 1), ("b", 2))}
RIGHT = {"a": [0, 1, 1, 0, 1] * 6, "b": [0, 1, 1, 1, 1] * 6}


def _probabilities(truth: Any, yes: str, no: str) -> pd.DataFrame:
    share = np.random.default_rng(1).random((2, N))
    tables = [
        pd.DataFrame({"algorithm": name, "example": range(N), "truth": truth, yes: p, no: 1 - p})
        for name, p in zip("ab", share, strict=True)
    ]
    return pd.concat(tables)


def test_probabilities_of_true_and_false_are_those_of_boolean_truth() -> None:
    numbers = ef.judge(_probabilities(Y, "p:1", "p:0"), measure="log")
    for truth in (Y == 1, (Y == 1).astype(object), Y):
        both = _probabilities(truth, "p:True", "p:False")
        assert ef.judge(both, measure="log").value == numbers.value
        alone = both.drop(columns="p:False")
        assert ef.judge(alone, measure="log").value == pytest.approx(numbers.value)


def test_objects_that_are_plain_numbers_are_numbers() -> None:
    asked: Any = {"rows": "examples", "measure": "accuracy"}
    objects = {name: np.array(values, dtype=object) for name, values in RIGHT.items()}
    assert ef.judge(objects, **asked).value == ef.judge(RIGHT, **asked).value
    weights = np.ones(N).astype(object)
    c = ef.compare(MODELS, X, Y, sample_weight=weights, design="kfold:3", random_state=0)
    assert c.facts.quantity.weighted


def test_the_parts_of_an_answer_have_their_plain_names() -> None:
    c = ef.judge(RIGHT, rows="examples", measure="accuracy")
    pair = c.pairs[0]
    assert (c.value, c.interval, c.pvalue) == (pair.value, (pair.low, pair.high), pair.pvalue)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("p_value", "Use pvalue"),
        ("ci", "Use interval"),
        ("mean_difference", "Use value"),
        ("to_csv", r"Use save\('comparison.csv'\)"),
        ("level", "Use facts.level"),
        ("algorithms", "Use losses.algorithms"),
        ("verdit", "Did you mean 'verdict'"),
        ("nonsense_of_mine", r"no attribute 'nonsense_of_mine'\.$"),
    ],
)
def test_an_attribute_of_another_library_is_told(name: str, said: str) -> None:
    c = ef.judge(RIGHT, rows="examples", measure="accuracy")
    with pytest.raises(AttributeError, match=said):
        getattr(c, name)


HALF = "half \ud800"
MISTAKES: dict[str, tuple[Any, str]] = {
    "data first": (lambda: ef.compare(X, Y, MODELS), "The algorithms come first"),
    "a frame first": (lambda: ef.compare(pd.DataFrame(X), Y, MODELS), "The algorithms come first"),
    "two algorithms apart": (
        lambda: ef.compare(*MODELS.values(), X, Y),  # type: ignore[call-arg]
        r"ef\.compare\(\[a, b\], X, y\)",
    ),
    "a value that is missing": (
        lambda: ef.judge({"a": [1, None], "b": [1, 1]}, rows="examples"),
        r"a dict with None for 'a'\W+[Vv]alues are numbers, or True and False, and NaN where",
    ),
    "a value in words": (
        lambda: ef.judge({"a": np.array([1, 0]), "b": ["yes", "no"]}, rows="examples"),
        "a dict with 'yes' for 'b'",
    ),
    "another name of the difference": (
        lambda: ef.plan(n=-5, delta=0.02, sigma=0.3),  # type: ignore[call-overload]
        "^n must be",
    ),
    "two results apart": (
        lambda: ef.judge(*RIGHT.values()),
        "both results in one table",
    ),
    "a gap in y": (
        lambda: ef.compare(MODELS, X, pd.Series(Y).astype("Int64").where(np.arange(N) != 3)),
        r"<NA> at position 3\. Leave those rows out",
    ),
    "a gap among words": (
        lambda: ef.compare(MODELS, X, pd.Series(["yes", pd.NA] * (N // 2), dtype="string")),
        r"<NA> at position 1\. Leave those rows out",
    ),
    "a test over data sets": (
        lambda: ef.compare(MODELS, X, Y, method="wilcoxon"),
        "over several data sets: use ef.across",
    ),
    "a plain t-test": (
        lambda: ef.judge(RIGHT, rows="examples", method="paired t-test"),
        "Leave the method out",
    ),
    "an unknown test": (
        lambda: ef.judge(RIGHT, rows="examples", method="zzz"),
        r"one of \d+ names but got 'zzz'\. Leave it out to let evenfold choose one",
    ),
    "half a character in a name": (lambda: ef.compare({HALF: X, "b": X}, X, Y), "UTF-8"),
    "half a character in a table": (
        lambda: ef.judge({HALF: RIGHT["a"], "b": RIGHT["b"]}, rows="examples"),
        "UTF-8",
    ),
    "half a character in a label": (
        lambda: ef.compare(MODELS, X, np.array([HALF, "b"])[Y]),
        "UTF-8",
    ),
    "half a character in a group": (
        lambda: ef.compare(MODELS, X, Y, groups=[f"{HALF}{i % 6}" for i in range(N)]),
        "UTF-8",
    ),
    "half a character in a data set": (
        lambda: ef.across(MODELS, {HALF: (X, Y), "b": (X, Y)}),
        "UTF-8",
    ),
    "rows of lists first": (
        lambda: ef.compare(X.tolist(), Y.tolist(), MODELS),
        "The algorithms come first",
    ),
    "y forgotten": (
        lambda: ef.compare(MODELS, X),  # type: ignore[call-arg]
        r"compare needs y\. Call ef\.compare\(\[a, b\], X, y\)",
    ),
    "a confidence as the level": (
        lambda: ef.compare(MODELS, X, Y, level=0.95),
        "Pass level=0.05 for a confidence of 0.95",
    ),
    "results without names": (lambda: ef.judge(list(RIGHT.values())), "Write {'A': first"),
    "an array of results": (lambda: ef.judge(np.array(list(RIGHT.values()))), "Write {'A': first"),
    "a series of results": (lambda: ef.judge(pd.Series(RIGHT["a"])), "Write {'A': first"),
    "a number for each model": (
        lambda: ef.judge({"a": 0.8, "b": 0.9}),
        "does not say how uncertain it is",
    ),
    "words for each model": (
        lambda: ef.judge({"a": ["x", "y"], "b": ["x", "z"]}, rows="examples"),
        "truth and prediction",
    ),
    "a path without an ending": (lambda: ef.judge("results"), "ends in .csv"),
    "one table of one model": (
        lambda: ef.judge(pd.DataFrame({"id": range(5), "correct": [1, 0, 1, 1, 0]})),
        "Give the tables of two models by their names",
    ),
    "a board of lists": (
        lambda: ef.board({"a": [0.1, 0.2], "b": [0.3, 0.4]}, higher_is_better=True),
        "Write {'model': {'task': 0.7}}",
    ),
    "the first pair by its number": (
        lambda: ef.judge(RIGHT, rows="examples", measure="accuracy")[0],  # type: ignore[call-overload]
        r"Use c\.pairs",
    ),
    "a class without its module": (
        lambda: parse("LogisticRegression(C=10)", "--a"),
        r"Write sklearn\.linear_model:LogisticRegression\(C=10\)",
    ),
    "a class of another library": (lambda: parse("XGBClassifier"), "Write xgboost:XGBClassifier"),
    "names and algorithms in pairs": (
        lambda: ef.compare(list(MODELS.items()), X, Y),  # type: ignore[arg-type]
        r"Write ef\.compare\(dict\(algorithms\), X, y\)",
    ),
    "the pair of a model with itself": (
        lambda: ef.judge(RIGHT, rows="examples", measure="accuracy")["a", "a"],
        "pair must be two different names but got 'a' twice",
    ),
    "columns the other way round": (
        lambda: ef.judge(
            pd.DataFrame({"M": ["a", "b"], "value": [0.1, 0.2]}), columns={"M": "algorithm"}
        ),
        r"Pass columns={'algorithm': 'M'}",
    ),
    "decimal fractions": (
        lambda: ef.judge({"a": [Decimal(1)], "b": [Decimal(0)]}, rows="examples"),
        r"a dict with Decimal\('1'\) for 'a'",
    ),
    "a margin of a plan without answers": (
        lambda: ef.plan(0.02, sigma=0.1, n=200, margin=0.01),
        "margin must be left out without differ or accuracy but got 0.01",
    ),
    "a class with a typing error": (
        lambda: parse("RandomForestClasifier"),
        "Did you mean sklearn.ensemble:RandomForestClassifier",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_by_one_sentence_with_the_likely_intention(mistake: str) -> None:
    call, said = MISTAKES[mistake]
    with pytest.raises(InvalidInput, match=said) as refused:
        call()
    message = str(refused.value)
    assert "\n" not in message
    assert len(message) < 400
    message.encode()  # a message that cannot be printed would hide the mistake


def test_a_table_without_models_is_called_empty() -> None:
    with pytest.raises(InvalidInput, match="does not know this form of a table: an empty dict"):
        ef.judge({}, rows="examples")


@pytest.mark.parametrize("at", ["full", "curve"])
def test_too_few_examples_for_the_full_size_are_refused_by_the_name_of_the_argument(
    at: Literal["full", "curve"],
) -> None:
    with pytest.raises(InvalidInput, match=f"at='{at}' needs at least 12 examples but got 10"):
        ef.compare(MODELS, X[:10], Y[:10], at=at)


def test_a_rank_measure_of_very_few_positives_compares_whole_splits() -> None:
    y = np.zeros(16, dtype=int)
    y[:6] = 1
    models = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    for seed in range(6):
        c = ef.compare(models, X[:16], y, measure="auc", random_state=seed)
        assert "measure-of-splits" in {note.code for note in c.notes}
    y = np.arange(N) < 12
    c = ef.compare(models, X, y, measure="auc", random_state=0)
    assert c.facts.method.key == "mx2-influence-t"


def test_a_rank_measure_without_values_in_one_split_is_not_applicable() -> None:
    y = np.zeros(16, dtype=int)
    y[:6] = 1
    models = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}
    c = ef.compare(
        models, X[:16], y, measure="auc", method="mx2-influence-t", design=ef.Mx2BCV(11),
        random_state=0,
    )  # fmt: skip
    assert c.verdict.outcome is ef.Outcome.NOT_APPLICABLE
    assert "at least 2 of each are needed" in str(c.verdict)


def test_two_algorithms_with_a_baseline_have_no_ranking() -> None:
    c = ef.compare(MODELS, X, Y, baseline="a", random_state=0)
    assert c.ranking == ()
    assert c.best_set == ()
