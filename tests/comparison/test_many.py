"""More than two algorithms: adjusted pairs, the set of the best, the winner."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.core.facts.comparison import Facts
from evenfold.report.figures.many import GroupsInfo


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X[:300], y[:300]


@pytest.fixture(scope="module")
def algorithms() -> dict[str, Any]:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    return {
        "dummy": DummyClassifier(),
        "bayes": GaussianNB(),
        "5-nn": KNeighborsClassifier(5),
        "7-nn": KNeighborsClassifier(7),
    }


@pytest.fixture(scope="module")
def compared(data: Any, algorithms: Any) -> ef.Comparison:
    return ef.compare(algorithms, *data, adjust="max-t", random_state=0)


def test_max_t_gives_intervals_at_one_level(compared: ef.Comparison) -> None:
    assert compared.facts.method.key == "mx2-influence-t"
    assert len({pair.level for pair in compared.pairs}) == 1
    level = compared.pairs[0].level
    assert 0.05 / 6 < level < 0.05
    for pair in compared.pairs:
        found: Any = pair.estimate
        low, high = found.confidence_interval()
        assert pair.adjusted_pvalue is not None
        assert (low <= 0 <= high) == (pair.adjusted_pvalue > 0.05)
        assert pair.adjusted_pvalue <= min(1.0, 6 * float(pair.pvalue or 0)) * (1 + 1e-9)


def test_the_set_of_the_best_leaves_out_what_is_worse(compared: ef.Comparison) -> None:
    assert "dummy" not in compared.best_set
    assert compared.winner.name in compared.best_set
    values = [one.value for one in compared.facts.candidates]
    assert values == sorted(values)
    assert compared.winner.low <= compared.winner.value <= compared.winner.high
    assert "with 95% confidence" in str(compared)


def test_every_algorithm_has_its_own_interval(
    compared: ef.Comparison, data: Any, algorithms: Any
) -> None:
    name = compared.winner.name
    design = ef.Mx2BCV(len(compared.partition) // 2, balance="labels")
    alone = ef.compare({name: algorithms[name]}, *data, design=design, random_state=0)
    low, high = alone.estimate.confidence_interval()
    assert_allclose(alone.estimate.value, compared.winner.value)
    assert_allclose((compared.winner.low, compared.winner.high), (low, high))


def test_a_sequential_comparison_has_them_too(data: Any, algorithms: Any) -> None:
    c = ef.compare(algorithms, *data, random_state=0)
    assert c.facts.method.key == "mx2-influence-t"
    assert "dummy" not in c.best_set
    assert c.winner.low < c.winner.value < c.winner.high


def test_a_margin_is_judged_by_the_simultaneous_intervals(data: Any, algorithms: Any) -> None:
    c = ef.compare(algorithms, *data, adjust="max-t", margin=0.2, random_state=0)
    share = 0.05 / 6
    assert all(pair.level > share for pair in c.pairs)


def test_facts_keep_the_candidates_and_older_ones_can_be_read(compared: ef.Comparison) -> None:
    back = Facts.from_json(compared.to_json())
    assert back.candidates == compared.facts.candidates
    info = GroupsInfo.of(compared.facts)
    assert info is not None
    assert len(info.low) == 4
    assert info.among_best[-1] is False
    import json

    old = {
        key: value for key, value in json.loads(compared.to_json()).items() if key != "candidates"
    }
    assert Facts.from_json(json.dumps(old)).candidates == ()


def test_against_a_baseline_there_is_no_ranking(data: Any, algorithms: Any) -> None:
    c = ef.compare(algorithms, *data, baseline="dummy", random_state=0)
    assert c.ranking == ()
    assert c.best_set == ()
    assert GroupsInfo.of(c.facts) is None
    with pytest.raises(ef.EvenfoldError, match="Leave baseline out"):
        c.winner  # noqa: B018


def test_two_algorithms_have_no_winner_but_a_verdict(data: Any, algorithms: Any) -> None:
    c = ef.compare({name: algorithms[name] for name in ("dummy", "bayes")}, *data, random_state=0)
    with pytest.raises(ef.EvenfoldError, match="Use verdict"):
        c.best_set  # noqa: B018


def test_posteriors_have_no_set_of_the_best(data: Any, algorithms: Any) -> None:
    c = ef.compare(
        algorithms, *data, measure="f1", positive=1, method="influence-f1", random_state=0
    )
    with pytest.raises(ef.NotApplicable, match="no test"):
        c.best_set  # noqa: B018
    assert np.isfinite(c.winner.low)


def test_scores_are_ordered_from_the_largest(data: Any, algorithms: Any) -> None:
    from sklearn.metrics import get_scorer

    c = ef.compare(algorithms, *data, measure=get_scorer("roc_auc"), adjust="max-t", random_state=0)
    values = [one.value for one in c.facts.candidates]
    assert values == sorted(values, reverse=True)
    assert "dummy" not in c.best_set


def test_the_set_of_the_best_is_who_no_pair_says_is_beaten(data: Any, algorithms: Any) -> None:
    c = ef.compare(algorithms, *data, method="mx2-sequential-t", random_state=0, level=0.1)
    for one in c.ranking:
        behind = [
            pair.adjusted_pvalue
            for pair in c.pairs
            if (pair.baseline == one.name and pair.value < 0)
            or (pair.challenger == one.name and pair.value > 0)
        ]
        assert one.pvalue == min([p for p in behind if p is not None], default=1.0)
        assert one.among_best == (one.pvalue > 0.1) == (one.first == 1)
        assert one.level == 0.1


def test_ranks_say_what_the_verdicts_say() -> None:
    from sklearn.datasets import load_wine
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_wine(return_X_y=True)
    four: dict[str, Any] = {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(),
        "neighbours": KNeighborsClassifier(),
        "lda": LinearDiscriminantAnalysis(),
    }
    c = ef.compare(four, X, y, random_state=0)
    beats: set[tuple[str | None, str | None]]
    beats = {(p.challenger, p.baseline) for p in c.facts.pairs if p.outcome == "better"}
    beats |= {(p.baseline, p.challenger) for p in c.facts.pairs if p.outcome == "worse"}
    for one in c.facts.candidates:
        assert one.first == 1 + sum(loser == one.name for _, loser in beats)
        assert one.last == 4 - sum(winner == one.name for winner, _ in beats)


def test_values_of_single_examples_are_read_once_whatever_the_number_of_pairs(data: Any) -> None:
    made: list[int] = []

    def wrong(y_true: Any, y_pred: Any) -> Any:
        made.append(1)
        return (y_true != y_pred).astype(float)

    def reads_a_cell(count: int) -> float:
        X, y = data
        labels = np.unique(y)
        constant = {
            f"c{k}": lambda _, __, X, k=k: np.full(len(X), labels[k % len(labels)])
            for k in range(count)
        }
        made.clear()
        design = ef.Mx2BCV(3, random_state=0)
        measure = ef.run.measure(wrong, higher_is_better=False)
        ef.compare(constant, X, y, measure=measure, design=design, random_state=0)
        return len(made) / (count * 6)

    assert reads_a_cell(8) <= reads_a_cell(3)
