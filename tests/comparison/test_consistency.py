"""
Nothing contradicts itself.

Every form of an answer says the same numbers about the same thing.
"""

import re
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold.core.facts.comparison import Facts
from evenfold.core.words import format_number
from evenfold.design import Holdout, NestedKFold, NestedRLT
from evenfold.report.figures.many import GroupsInfo
from evenfold.report.formats.text import to_text

RNG = np.random.default_rng(1)
N = 120
y = np.tile([0, 1, 1], N // 3)
X = RNG.normal(size=(N, 3)) + 0.9 * y[:, None]
GROUPS = np.repeat(np.arange(10), 12)
ALGORITHMS = {"dummy": DummyClassifier(), "bayes": GaussianNB(), "knn": KNeighborsClassifier()}


def compare(*names: str, **options: Any) -> ef.Comparison:
    return ef.compare(
        {name: ALGORITHMS[name] for name in names}, X, y, **({"random_state": 0} | options)
    )


@pytest.mark.parametrize("design", [NestedRLT(3, 4, 12), NestedKFold(3, 4)], ids=repr)
def test_the_mean_is_the_same_in_text_table_and_figure(design: Any) -> None:
    """Splits that only serve the variance train on fewer examples: they are in no mean."""
    c = compare("dummy", "bayes", "knn", design=design)
    about = c.partition.about
    assert not about.all()
    means = c.losses.values[:, about].mean(axis=1)
    assert [one.mean for one in c.facts.summaries] == pytest.approx(list(means))
    assert not np.allclose(means, c.losses.values.mean(axis=1))
    for mean in means:
        assert (
            f'<td class="n">{format_number(float(mean), digits=c.facts.value_digits)}</td>'
            in c.to_html()
        )
    info = GroupsInfo.of(c.facts)
    assert info is not None
    assert sorted(info.means) == pytest.approx(sorted(means))
    if design.kind == "nested-rlt":  # nested folds correct the mean for its bias
        one = compare("bayes", design=design)
        assert one.facts.pairs[0].value == pytest.approx(one.facts.summaries[0].mean)


def test_one_split_speaks_of_the_models_that_were_fitted() -> None:
    c = compare("dummy", "bayes", design=Holdout(80))
    assert "for these two models, trained on 80 examples" in str(c.verdict)
    assert "difference in error, bayes − dummy, of the models trained on 80 examples" in str(c)
    assert "expected" not in str(c)
    one = compare("bayes", design=Holdout(80))
    assert "for this model, trained on 80 examples" in str(one)
    assert "error of bayes as it was trained on 80 examples" in str(one)


def test_more_of_what_varied_would_decide() -> None:
    """
    Ten sources, 120 examples.

    What the margin takes is counted in sources where these were left out.
    """
    said = str(compare("bayes", "knn", groups=GROUPS, margin=0.01).verdict)
    needed = re.search(r"the margin takes about ([\d ]+) sources", said)
    assert needed, said
    assert int(needed[1].replace(" ", "")) >= 10
    assert " examples." not in said
    split = str(compare("bayes", "knn", design=Holdout(80), margin=0.01).verdict)
    assert "same values" in split or " test examples" in split


def test_no_mistake_on_a_hundred_rows_is_not_certainty() -> None:
    easy = np.tile([0, 1], 50)
    c = ef.compare({"bayes": GaussianNB()}, easy[:, None] + RNG.normal(size=(100, 1)) / 1e3, easy)
    pair = c.facts.pairs[0]
    assert pair.value == 0
    assert pair.low == 0
    assert 0.02 < pair.high < 0.08
    assert (pair.low, pair.high) == c.estimate.confidence_interval()


@pytest.mark.parametrize("measure", ["zero-one", "auc", "brier", "f1", "log"])
@pytest.mark.parametrize("method", [None, "corrected-kfold-t", "holdout-t", "sources-new-t"])
def test_intervals_stay_inside_the_range(measure: str, method: str | None) -> None:
    few, labels = X[:40] + 3 * y[:40, None], y[:40]
    groups = np.repeat(np.arange(5), 8) if method == "sources-new-t" else None
    options: Any = {
        "measure": measure,
        "method": method,
        "groups": groups,
        "random_state": 0,
        "positive": 1,
    }
    c = ef.compare(ALGORITHMS, few, labels, **options)
    low, high = c.losses.quantity.low, c.losses.quantity.high
    for pair in c.facts.pairs:
        assert -(high - low) <= pair.low <= pair.value <= pair.high <= high - low
    for one in c.facts.candidates:
        assert low <= one.low <= one.value <= one.high <= high
    alone = ef.compare({"bayes": GaussianNB()}, few, labels, **options)
    assert (
        low
        <= alone.facts.pairs[0].low
        <= alone.facts.pairs[0].value
        <= alone.facts.pairs[0].high
        <= high
    )


def test_a_level_of_a_fifth_is_a_level_of_a_fifth_everywhere() -> None:
    c = compare("bayes", "knn", measure="f1", method="influence-f1", level=0.2)
    assert "80% credible interval" in str(c)
    pair: Any = c.facts.pairs[0]
    assert c.estimate.level == 0.2
    estimate: Any = c.estimate
    assert estimate.interval() == (pair.low, pair.high)


def test_facts_are_all_a_report_needs() -> None:
    c = compare("dummy", "bayes", "knn")
    back = Facts.from_json(c.to_json())
    assert back == c.facts
    assert to_text(back) == str(c)


def test_a_pair_says_in_python_what_a_report_says() -> None:
    c = compare("dummy", "bayes", "knn")
    assert all(pair is told for pair, told in zip(c.pairs, c.facts.pairs, strict=True))
    first: Any = c.pairs[0]
    assert first.path[-1].value == first.value
    assert first.cohen_d == c.facts.pairs[0].cohen_d is not None
    back = type(c).from_json(c.to_json())
    assert back.pairs == c.pairs == back.facts.pairs
    restored: Any = back.pairs[0].estimate
    assert restored.value == first.estimate.value


def test_a_pair_asked_the_other_way_round_turns_all_its_numbers() -> None:
    c = compare("dummy", "bayes")
    there: Any = c["dummy", "bayes"]
    back: Any = c["bayes", "dummy"]
    assert back.differences == tuple(-one for one in there.differences)
    assert (back.cohen_d_low, back.cohen_d_high) == (-there.cohen_d_high, -there.cohen_d_low)
    assert (back.a12_low, back.a12_high) == (1 - there.a12_high, 1 - there.a12_low)
    assert [(one.low, one.high) for one in back.path] == [
        (-one.high, -one.low) for one in there.path
    ]
    assert back.statistic == -there.statistic
