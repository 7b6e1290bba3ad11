"""Several data sets: a block each, with tests, posterior and mean difference over them."""

import html
import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.comparison.across import AcrossCriteria, summarise
from evenfold.report import formats
from evenfold.report.figures.critical import CriticalInfo, across_infos, by_data_set
from evenfold.report.figures.many import GroupsInfo


@pytest.fixture(scope="module")
def data_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Pairs of digits, each pair a data set of its own."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (1, 8), (3, 9)]
    found = {}
    for a, b in pairs:
        rows = np.flatnonzero((y == a) | (y == b))[:120]
        found[f"{a} or {b}"] = X[rows], y[rows]
    return found


@pytest.fixture(scope="module")
def algorithms() -> dict[str, Any]:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    return {"dummy": DummyClassifier(), "bayes": GaussianNB(), "1-nn": KNeighborsClassifier(1)}


@pytest.fixture(scope="module")
def found(algorithms: Any, data_sets: Any) -> ef.AcrossDataSets:
    return ef.across(algorithms, data_sets, design=ef.Mx2BCV(3), random_state=0)


def test_more_algorithms_than_a_diagram_holds_are_a_list_and_their_pairs_are_folded(
    found: Any,
) -> None:
    names = tuple(f"GradientBoosting{k:02}".ljust(60, "y") for k in range(20))
    pairs = tuple(
        replace(found.pairs[0], baseline=a, challenger=b, outcome="inconclusive")
        for a, b in combinations(names, 2)
    )
    sets = tuple(replace(one, values=(0.1,) * 20) for one in found.facts.data_sets)
    facts = replace(
        found.facts,
        algorithms=names,
        ranks=tuple(range(1, 21)),
        means=(0.1,) * 20,
        best_on=(0,) * 20,
        pairs=pairs,
        data_sets=sets,
    )
    (diagram,), (shown,) = across_infos(found.facts), across_infos(facts)
    assert isinstance(diagram, CriticalInfo)
    assert isinstance(shown, GroupsInfo)
    assert shown.names[0].startswith("1 Gradient")
    assert len(set(shown.names)) == 20
    assert shown.groups == (tuple(range(20)),)
    assert "All 190 pairs" in formats()["html"].write(facts)


def test_every_data_set_is_one_block(found: ef.AcrossDataSets) -> None:
    values = np.array([c.losses.values.mean(axis=1) for c in found.comparisons.values()])
    assert values.shape == (7, 3)
    assert found.friedman is not None
    assert found.friedman.data_sets == 7
    expected = ef.infer.friedman(values)
    assert_allclose(found.friedman.f_pvalue, expected.f_pvalue)
    assert list(found.ranks) == ["1-nn", "bayes", "dummy"]
    wilcoxon = ef.infer.wilcoxon_holm(values)
    assert_allclose([pair.adjusted_pvalue for pair in found.pairs], wilcoxon.adjusted)


def test_pairs_say_who_wins_and_by_how_much(found: ef.AcrossDataSets) -> None:
    pair = found.pairs[1]
    assert (pair.baseline, pair.challenger, pair.outcome) == ("dummy", "1-nn", "better")
    assert (pair.wins, pair.ties, pair.losses) == (7, 0, 0)
    assert pair.better > 0.99
    assert_allclose(pair.better + pair.same + pair.worse, 1)
    d: list[Any] = [c.pairs[1].estimate for c in found.comparisons.values()]
    values = [float(one.value) for one in d]
    errors = np.array([float(one.standard_error) for one in d])
    mean = ef.infer.random_effects(values, errors**2)
    assert_allclose((pair.value, pair.low, pair.high), (mean.value, *mean.confidence_interval()))
    assert pair.predicted_low < pair.low < pair.value < pair.high < pair.predicted_high
    assert "1-nn is better than dummy: it is better on 7 of 7 data sets" in pair.sentence


def test_it_prints_a_verdict_and_every_format_works(found: ef.AcrossDataSets) -> None:
    text = str(found)
    assert text.startswith("the algorithms differ over 7 data sets")
    assert "1-nn ranks first" in text
    assert len(found.to_frame()) == 3
    assert list(found.summary.columns)[:3] == ["baseline", "challenger", "value"]
    assert found.to_markdown().count("\n| dummy") == 3
    assert r"\toprule" in found.to_latex()
    assert json.loads(found.to_json())["test"] == "wilcoxon-holm"
    assert ef.AcrossDataSets.from_json(found.to_json()).to_json() == found.to_json()
    page = found.to_html()
    paragraph, _, references = found.methods_text().partition("\n\nReferences: ")
    assert f"<blockquote><p>{paragraph}</p></blockquote>" in html.unescape(page)
    assert references.partition("Demšar")[2] in page
    assert page.count("<svg") == 4, "the diagram, and every pair in detail"
    assert "7 data sets" in page
    assert found.plot().axes
    assert "AcrossDataSets" in repr(found)
    said = found.methods_text()
    assert "on 7 data sets with evenfold" in said
    named = "Wilcoxon's signed-rank test (Wilcoxon, 1945), adjusted by Holm's procedure,"
    assert f"the Friedman test. Pairs were compared by {named} at a level" in said
    assert "Demšar, J. (2006)" in said


def test_two_algorithms_are_judged_by_wilcoxon_with_a_forest(
    algorithms: Any, data_sets: Any
) -> None:
    two = {name: algorithms[name] for name in ("bayes", "1-nn")}
    a = ef.across(two, data_sets, design=ef.Mx2BCV(3), random_state=0, margin=0.01)
    assert a.friedman is None
    assert a.pairs[0].same >= 0
    assert str(a).startswith(a.pairs[0].sentence)
    labels = [tick.get_text() for tick in a.plot().axes[0].get_yticklabels()]
    assert labels[-2:] == ["all data sets", "a new one"]
    pair = a.facts.pairs[0]
    forest = by_data_set(a.facts, pair)
    assert forest is not None
    weighted, plain = forest.value[-2:]
    assert weighted == pair.value
    assert plain == pytest.approx(np.mean([value for value, _, _ in pair.differences]))


@pytest.mark.parametrize(
    "test", ["nemenyi", "friedman-holm", "conover", "quade", "aligned-shaffer"]
)
def test_other_tests_can_decide(found: ef.AcrossDataSets, test: str) -> None:
    asked = AcrossCriteria(test=test, margin=0.0, level=0.05, baseline=None)
    a = summarise(found.comparisons, asked, call="")
    assert (a.facts.critical_difference is not None) == (test == "nemenyi")
    assert [pair.outcome for pair in a.pairs][1] == "better"
    assert "worse" not in [pair.outcome for pair in a.pairs]


def test_a_baseline_leaves_its_own_pairs(found: ef.AcrossDataSets) -> None:
    asked = AcrossCriteria(test="wilcoxon-holm", margin=0.0, level=0.05, baseline="bayes")
    a = summarise(found.comparisons, asked, call="")
    assert [(pair.baseline, pair.challenger) for pair in a.pairs] == [
        ("bayes", "dummy"),
        ("bayes", "1-nn"),
    ]
    assert a.pairs[0].outcome == "worse"


def test_a_data_set_with_failures_is_left_out_and_said_so(algorithms: Any, data_sets: Any) -> None:
    def picky(_: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
        if 9 in y:
            raise ValueError("no nines")
        return np.repeat(y[:1], len(test))

    some = {name: data_sets[name] for name in ("0 or 1", "2 or 3", "8 or 9")}
    a = ef.across(
        {"dummy": algorithms["dummy"], "picky": picky},
        some,
        design=ef.Mx2BCV(3),
        random_state=0,
        n_jobs=1,
    )
    assert len(a.facts.data_sets) == 2
    assert a.failures
    assert "8 or 9 is left out" in str(a.facts.notes[0])
    assert "8 or 9 is left out" in str(a)
    again = ef.AcrossDataSets.from_json(a.to_json())
    assert str(again) == str(a)
    assert [*again.comparisons] == [*some]


def test_scores_and_posteriors_have_ranks_but_no_mean(data_sets: Any) -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    some = {name: (X, (y % 2).astype(int)) for name, (X, y) in list(data_sets.items())[:3]}
    two = {"dummy": DummyClassifier(strategy="stratified"), "bayes": GaussianNB()}
    a = ef.across(two, some, measure="f1", positive=1, method="bayes-f1", random_state=0)
    assert not a.facts.lower_is_better
    assert a.pairs[0].wins == 3
    assert np.isnan(a.pairs[0].low)
    assert a.ranks["bayes"] == 1
    usual = ef.across(two, some, measure="f1", positive=1, random_state=0)
    assert np.isfinite(usual.pairs[0].low)


def test_errors_in_other_units_come_with_a_note() -> None:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    rng = np.random.default_rng(0)
    some = {}
    for name, scale in (("small", 1.0), ("large", 100.0)):
        X = rng.normal(size=(60, 2))
        some[name] = X, scale * (X[:, 0] + rng.normal(size=60))
    a = ef.across([DummyRegressor(), LinearRegression()], some, design=ef.Mx2BCV(3), random_state=0)
    assert "units of the targets" in str(a.facts.notes[0])
    assert a.pairs[0].wins == 2
    assert np.isnan(a.pairs[0].predicted_low), "two data sets predict nothing"


def test_what_cannot_be_asked_is_refused(
    found: ef.AcrossDataSets, algorithms: Any, data_sets: Any
) -> None:
    one = dict(list(data_sets.items())[:1])
    with pytest.raises(ef.EvenfoldError, match="Use compare for a single"):
        ef.across(algorithms, one)
    with pytest.raises(ef.EvenfoldError, match="test must be one of"):
        ef.across(algorithms, data_sets, test="t")
    with pytest.raises(ef.EvenfoldError, match="Use the test 'friedman-holm'"):
        ef.across(algorithms, data_sets, test="nemenyi", baseline="bayes")
    with pytest.raises(ef.EvenfoldError, match="level"):
        AcrossCriteria(test="nemenyi", margin=0.0, level=0.7, baseline=None)
    with pytest.raises(ef.EvenfoldError, match="margin"):
        AcrossCriteria(test="nemenyi", margin=-1.0, level=0.05, baseline=None)
    with pytest.raises(ef.NotApplicable, match="one value per data set"):
        ef.infer.friedman(found.comparisons["0 or 1"])


def test_the_call_can_be_repeated(found: ef.AcrossDataSets) -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 1], 20)
    data_sets = {name: (rng.normal(size=(60, 2)) + y[:, None], y) for name in "abc"}
    known = {
        "ef": ef,
        "data_sets": data_sets,
        "DummyClassifier": DummyClassifier,
        "GaussianNB": GaussianNB,
    }
    a = ef.across(
        {"dummy": DummyClassifier(), "bayes": GaussianNB()}, data_sets, measure="f1", positive=1,
        margin=0.01,
        level=0.1, baseline="bayes", design=ef.KFold(5), random_state=3,
    )  # fmt: skip
    again = eval(a.facts.call, known)
    assert again.facts.pairs == a.facts.pairs
    assert "KNeighborsClassifier" in found.facts.call


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": ["zero-one", "f1"]}, "measure must be a single one over data sets"),
        ({"data_sets": {"one": 3, "two": 4}}, r"Data set 'one' must be a pair \(X, y\)"),
        ({"algorithms": [object]}, r"Algorithm 'object' must be an instance .* Write object\(\)\."),
    ],
)
def test_wrong_use_is_refused_before_a_fit(options: dict[str, Any], message: str) -> None:
    from sklearn.dummy import DummyClassifier

    y = np.tile([0, 1, 1], 20)
    usual = {
        "algorithms": [DummyClassifier(), DummyClassifier(strategy="uniform")],
        "data_sets": {"one": (np.zeros((60, 1)), y), "two": (np.ones((60, 1)), y)},
    }
    with pytest.raises(ef.EvenfoldError, match=message):
        ef.across(**(usual | options))


def test_algorithms_that_agree_everywhere_have_no_interval_over_data_sets(data_sets: Any) -> None:
    from sklearn.dummy import DummyClassifier

    two = {"a": DummyClassifier(), "b": DummyClassifier()}
    found = ef.across(two, dict(list(data_sets.items())[:3]), random_state=0)
    assert (found.pairs[0].value, found.pairs[0].outcome) == (0, "inconclusive")
    assert np.isnan([found.pairs[0].low, found.pairs[0].predicted_high]).all()
    assert "0.000 to 0.000" not in str(found) + found.to_html()


def test_a_weighted_mean_is_called_so_and_the_probability_is_explained() -> None:
    import pandas as pd
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    models = {"stump": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
    sets = {}
    for k, n in enumerate((60, 120, 400)):
        y = np.arange(n) % 2
        sets[f"set {k}"] = (rng.normal(size=(n, 3)) + (0.5 + 0.4 * k) * y[:, None], y)
    found = ef.across(models, sets, design=ef.Mx2BCV(5), random_state=0)
    markdown = found.to_markdown()
    assert "weighted mean B − A" in markdown
    assert "P(B better) is the posterior probability that B is better on a new data set" in markdown
    assert "need not equal the difference of the mean values" in markdown
    assert "P(B better) is the posterior probability" in str(found)
    single = {name: {f"set {k}": float(rng.random()) for k in range(8)} for name in "ab"}
    table = pd.DataFrame(
        [
            {"algorithm": name, "dataset": one, "value": value}
            for name, values in single.items()
            for one, value in values.items()
        ]
    )
    plain = ef.judge(table, higher_is_better=True).to_markdown()
    assert "weighted" not in plain
    assert "mean B − A" in plain
