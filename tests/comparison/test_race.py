"""Which is the best? A race: who is beaten gets no more repetitions, and the answer says so."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold.core.losses import LEFT_OUT
from evenfold.infer.adjust import BEST, shared_level

X, y = (part[:400] for part in load_digits(return_X_y=True))
FIVE: dict[str, Any] = {
    "dummy": DummyClassifier(),
    "bayes": GaussianNB(),
    "lda": LinearDiscriminantAnalysis(),
    "3-nn": KNeighborsClassifier(3),
    "5-nn": KNeighborsClassifier(5),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("race") / "runs.db"


@pytest.fixture(scope="module")
def race(store: Path) -> ef.Comparison:
    return ef.compare(FIVE, X, y, question="best", random_state=0, store=store)


def test_who_is_beaten_gets_no_more_repetitions(race: ef.Comparison) -> None:
    assert set(race.best_set) < set(FIVE)
    out = {one.name: one.left_after for one in race.ranking if one.left_after is not None}
    assert "dummy" in out
    repetitions = len(race.partition) // 2
    assert race.fits == sum(2 * out.get(name, repetitions) for name in FIVE)
    assert race.fits < 2 * repetitions * len(FIVE)
    for name, after in out.items():
        assert after is not None
        row = race.losses.values[race.losses.index(name)]
        assert np.isfinite(row[: 2 * after]).all()
        assert np.isnan(row[2 * after :]).all()
    assert {one.kind for one in race.losses.failures} == {LEFT_OUT}
    assert race.failures == ()


def test_the_mean_of_who_was_left_out_is_over_what_was_run(race: ef.Comparison) -> None:
    means = [np.nanmean(row) for row in race.losses.values]
    assert [one.mean for one in race.facts.summaries] == pytest.approx(means)
    told = json.loads(race.to_json())["summaries"]
    assert [one["mean"] for one in told] == pytest.approx(means)


def test_the_answer_says_who_was_left_out_and_when(race: ef.Comparison) -> None:
    said = race.details
    assert "dropped out of the race: " in said
    assert "repetitions" in race.to_markdown().splitlines()[0]
    assert "in a race for the best" in said
    assert "confidence of 97.5%, because the 4 one-sided tests against each algorithm share" in said
    methods = race.methods_text()
    assert "fitted on up to 18 common training sets" in methods
    assert "The 4 one-sided tests against each algorithm share the level (Bonferroni)" in methods
    assert "simultaneous" not in said, "each algorithm's own tests hold together, not all"
    assert "failed" not in said
    for pair in race.pairs:
        assert np.isfinite(pair.value)
        assert np.isfinite([pair.low, pair.high]).all()
    after = {one.name: one.left_after or 9 for one in race.ranking}
    for pair in race.pairs:
        m = min(after[str(pair.baseline)], after[pair.challenger])
        often = "all 9" if m == 9 else f"{m} of at most 9"
        assert f"after {often} repetitions" in pair.sentence
        assert ("when the race was over" in pair.sentence) == (m < len(race.partition) // 2)


def test_the_same_call_again_fits_nothing_and_a_reopened_race_says_the_same(
    race: ef.Comparison, store: Path
) -> None:
    again = ef.compare(FIVE, X, y, question="best", random_state=0, store=store)
    assert (again.fits, again.reused) == (0, race.fits)
    assert race.facts.run_id is not None
    # that it was a race is seen from what it left out
    reopened = ef.reopen(store, race.facts.run_id)
    back = ef.Comparison.from_json(race.to_json())
    for other in (again, reopened, back):
        assert other.ranking == race.ranking
        assert [pair.sentence for pair in other.pairs][1:2] == [
            pair.sentence for pair in race.pairs
        ][1:2]
    assert 'question="best"' in race.facts.call.replace("'", '"')


def test_all_pairs_after_a_race_fit_only_what_it_left_out(race: ef.Comparison, store: Path) -> None:
    c = ef.compare(FIVE, X, y, random_state=0, store=store)
    assert c.reused >= race.fits - 2 * len(FIVE)
    assert not any(one.left_after for one in c.ranking)


def test_several_measures_and_workers(race: ef.Comparison) -> None:
    c = ef.compare(
        FIVE, X, y, measure=["zero-one", "log"], question="best", random_state=0, n_jobs=2
    )
    assert [one.name for one in c.ranking] == [one.name for one in race.ranking]
    assert c.ranking == race.ranking
    for pair in c["log"].pairs:
        assert pair.estimate is not None
    assert "best" in c.to_html()


def test_without_looks_only_the_sharing_differs() -> None:
    c = ef.compare(FIVE, X, y, design=ef.Mx2BCV(3), question="best", random_state=0)
    assert not any(one.left_after for one in c.ranking)
    assert c.pairs[0].level == pytest.approx(2 * 0.05 / 4)


def test_a_race_in_which_nobody_was_left_out_is_one_when_it_is_opened_again(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    c = ef.compare(FIVE, X, y, design=ef.Mx2BCV(3), question="best", random_state=0, store=store)
    [run] = ef.runs(store)
    again = ef.reopen(store, run.id)
    assert [(one.low, one.high, one.outcome) for one in again.pairs] == [
        (one.low, one.high, one.outcome) for one in c.pairs
    ]
    pairs = ef.reopen(store, run.id, question="pairs", adjust="none")
    assert len(pairs.pairs) == 10


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"baseline": "dummy"}, "baseline must be left out with question='best'"),
        ({"margin": 0.1}, "margin must be left out"),
        ({"adjust": "max-t"}, "adjust must be left out"),
        ({"alternative": "less"}, "alternative must be left out"),
    ],
)
def test_what_leaves_no_room_for_it_is_refused(asked: Any, said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said):
        ef.compare(FIVE, X, y, question="best", **asked)


def test_it_needs_three_and_a_known_question() -> None:
    two = {name: FIVE[name] for name in ("lda", "bayes")}
    with pytest.raises(
        ef.EvenfoldError, match="question must be 'pairs' for fewer than 3 algorithms"
    ):
        ef.compare(two, X, y, question="best")
    with pytest.raises(ef.EvenfoldError, match="question"):
        ef.compare(FIVE, X, y, question="worst")  # type: ignore[arg-type]


def test_only_the_tests_against_the_best_can_lose_it() -> None:
    """
    K equal algorithms, independent normal values.

    One of them is beaten with chance at most the level.
    """
    rng = np.random.default_rng(0)
    K, sets, level = 5, 4000, 0.05
    values = rng.normal(size=(sets, K))
    lost = 0
    from scipy import stats

    pairs = [(i, j) for i in range(K) for j in range(i + 1, K)]
    for row in values:
        gains = np.array([row[j] - row[i] for i, j in pairs]) / np.sqrt(2)
        adjusted, _, _ = shared_level((2 * stats.norm.sf(np.abs(gains))).tolist(), level, BEST)
        for (i, j), gain, q in zip(pairs, gains, adjusted, strict=True):
            lost += bool(q is not None and q <= level and 0 in (i, j) and (gain < 0) == (j == 0))
    share = lost / sets  # how many beat it, at least the chance that any does
    assert share <= level + 3 * np.sqrt(level / sets)
    assert share > level / 2, "not needlessly careful"
