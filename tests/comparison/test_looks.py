"""Looking at a run while it grows."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.comparison.answer import (
    answer,
    estimate_pair,
    is_hopeless,
    is_settled,
)
from evenfold.comparison.compare import Watch
from evenfold.comparison.request import Criteria
from evenfold.infer.halves.influence import Halvings

RNG = np.random.default_rng(3)
N = 200
X = RNG.normal(size=(N, 4))
y = (X @ [1, 1, 0, 0] + RNG.normal(size=N) > 0).astype(int)
THREE = {
    "bayes": GaussianNB(),
    "logit": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=2),
}
PAIRS = [("bayes", "logit"), ("bayes", "tree"), ("logit", "tree")]


@pytest.fixture(scope="module")
def losses() -> Any:
    partition = ef.Mx2BCV(9, random_state=0).partition(N)
    return ef.run.run(THREE, partition, X, y, seed=0)["zero-one"]


def _watched(losses: Any, rule: Criteria) -> Watch:
    watch = Watch(rule, PAIRS)
    for m in rule.looks:
        if watch.look(losses.only(slice(2 * m))):
            break
    return watch


@pytest.mark.parametrize("method", ["mx2-influence-sequential-t", "mx2-sequential-t"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_the_last_estimate_is_that_of_the_whole_run(
    losses: Any, method: str, margin: float
) -> None:
    rule = Criteria(margin=margin, adjust="holm", method=method, most=9)
    looked: dict[Any, Any] = dict(_watched(losses, rule).found)
    for pair, found in looked.items():
        at = int(found.stopped_at)
        whole: Any = estimate_pair(losses.only(slice(2 * at)), pair, rule, rule.share(3))
        ends = found.confidence_interval()
        assert whole.confidence_interval() == pytest.approx(ends, rel=1e-12)
        assert float(whole.pvalue) == pytest.approx(float(found.pvalue), rel=1e-12)


def test_every_look_of_a_pair_is_computed_once(
    losses: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    parts = Halvings.parts

    def counted(self: Halvings, m: int) -> Any:
        asked.append(m)
        return parts(self, m)

    monkeypatch.setattr(Halvings, "parts", counted)
    rule = Criteria(adjust="holm", method="mx2-influence-sequential-t", most=9)
    watch = _watched(losses, rule)
    looks = [m for pair in PAIRS for m, _ in watch.seen[pair]]
    assert sorted(asked) == sorted(looks)
    assert max(map(len, watch.seen.values())) > 1


def test_a_pair_that_was_decided_early_is_judged_again_at_every_look(losses: Any) -> None:
    rule = Criteria(adjust="holm", method="mx2-influence-sequential-t", most=9)
    watch = _watched(losses, rule)
    looks = {pair: [m for m, _ in seen] for pair, seen in watch.seen.items()}
    assert len({tuple(each) for each in looks.values()}) == 1
    found: Any
    for found in watch.found.values():
        assert int(found.stopped_at) == looks[PAIRS[0]][-1]


def test_a_test_that_does_not_know_its_prospects_goes_on_to_the_last_look(losses: Any) -> None:
    rule = Criteria(adjust="holm", method="mx2-sequential-t", most=9)
    watch = Watch(rule, [("bayes", "logit")])
    stops = [watch.look(losses.only(slice(2 * m))) for m in rule.looks]
    assert rule.looks == tuple(range(3, 10))
    # nothing is decided, and nobody says that nothing could be
    assert stops == [False] * 6 + [False]


def test_a_pair_out_of_reach_is_settled_by_its_prospects(losses: Any) -> None:
    """A wide margin of "not worse" is settled where 0 would be out of reach, and vice versa."""
    pair = ("bayes", "logit")
    for margin, sides in ((0.0, "two-sided"), (0.5, "not-worse")):
        rule = Criteria(
            margin=margin,
            alternative=sides,
            adjust="holm",
            method="mx2-influence-sequential-t",
            most=9,
        )
        found: Any = estimate_pair(losses.only(slice(10)), pair, rule, 0.05)
        ends = [tuple(map(float, one)) for one in found.prospects]
        open_ = [rule.decides(losses.quantity, *limits).value == "inconclusive" for limits in ends]
        assert is_hopeless(found, rule, losses.quantity) == (all(open_) and not found.blurred)


def test_whole_models_that_agree_early_settle_no_margin_either(losses: Any) -> None:
    """After five repetitions the interval lies within the margin; only the last look decides."""
    rule = Criteria(margin=0.9, method="mx2-influence-sequential-t", most=9)
    rng = np.random.default_rng(0)
    halves = ef.Mx2BCV(9, random_state=0).partition(128).test[::2]
    sides = np.stack([np.isin(np.arange(128), half) for half in halves])
    luck = np.where(sides, rng.normal(size=(9, 1)), rng.normal(size=(9, 1)))
    shifts = 0.02 * luck + 0.001 * rng.normal(size=(9, 128))
    for m, settled in ((5, False), (9, True)):
        found: Any = ef.infer.mx2_influence_sequential_t(shifts[:m], sides[:m]).latest()
        assert found.whole_models
        assert max(np.abs(found.confidence_interval())) < 0.9
        assert is_settled(found, rule, losses.quantity) == settled


def test_every_number_of_a_comparison_rests_on_the_same_repetitions() -> None:
    c = ef.compare(THREE, X, y, measure=["zero-one", "log"], random_state=0)
    m = len(c.partition) // 2
    for one in (c, c["log"]):
        means = dict(zip(one.losses.algorithms, one.losses.means(), strict=True))
        for pair in one.pairs:
            estimate: Any = pair.estimate
            assert int(estimate.stopped_at) == m
            gap = means[pair.challenger] - means[str(pair.baseline)]
            assert float(estimate.value) == pytest.approx(gap, abs=1e-12)
    for shown in c.facts.pairs:
        assert [look.m for look in shown.path][-1] == m
        assert shown.path[-1].low == shown.low
        assert shown.path[-1].high == shown.high


def test_a_stored_run_is_judged_on_all_its_repetitions(tmp_path: Any) -> None:
    two = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    far = X + 4 * (y[:, None] == 1) * np.array([0, 0, 1, -1])  # clear at the first look
    store = tmp_path / "runs.db"
    whole = ef.compare(
        two, far, y, design=ef.Mx2BCV(9), method="mx2-t", random_state=0, store=store
    )
    run = whole.facts.run_id
    assert run is not None
    again = ef.reopen(store, run, method="mx2-influence-sequential-t")
    estimate: Any = again.estimate
    assert int(estimate.stopped_at) == 9
    assert float(estimate.value) == pytest.approx(float(whole.estimate.value), abs=1e-12)


def test_a_stored_run_that_ended_at_no_look_is_judged_at_once(tmp_path: Any) -> None:
    store = tmp_path / "runs.db"
    two = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    whole = ef.compare(
        two, X, y, design=ef.Mx2BCV(4), method="mx2-influence-t", random_state=0, store=store
    )
    assert whole.facts.run_id is not None
    again = ef.reopen(store, whole.facts.run_id)
    assert again.estimate.method == "mx2-influence-t"
    assert again.facts.pairs[0].low == pytest.approx(whole.facts.pairs[0].low)


def test_an_open_margin_is_inside_the_interval_of_a_look_that_decides_nothing(losses: Any) -> None:
    """On either side of 0, wherever the look did not reject it at its share."""
    held = 0
    for m, margin in ((3, 0.01), (3, 0.03), (5, 0.02), (7, 0.02)):
        rule = Criteria(
            margin=margin,
            adjust="holm",
            method="mx2-influence-sequential-t",
            most=9,
        )
        part = losses.only(slice(2 * m))
        for pair in PAIRS:
            look: Any = estimate_pair(part, pair, rule, 0.05)
            (answered,) = answer(part, {pair: look}, rule, cost="")
            shares = look.confidence_interval()
            ends = answered.estimate.confidence_interval()  # type: ignore[union-attr]
            if str(answered.verdict.outcome) != "inconclusive":  # type: ignore[union-attr]
                assert ends == pytest.approx(shares)
                continue
            for null in (-margin, 0.0, margin):
                assert (ends[0] <= null <= ends[1]) == (shares[0] <= null <= shares[1])
            held += ends[0] == -margin or ends[1] == margin
    assert held  # some interval had to be widened for a margin


def test_words_p_value_and_interval_agree_at_every_stop() -> None:
    """
    A property over random questions.

    Where the interval holds 0 the p-value is above the level.
    """
    for seed in range(6):
        rng = np.random.default_rng(seed)
        Z = rng.normal(size=(60, 3))
        label = (Z[:, 0] * rng.uniform(0, 2) + rng.normal(size=60) > 0).astype(int)
        c = ef.compare(THREE, Z, label, random_state=seed)
        for pair in c.pairs:
            low, high = pair.estimate.confidence_interval()  # type: ignore[union-attr]
            held = low <= 0 <= high
            assert held == (pair.pvalue > pair.level)  # type: ignore[operator]
            assert held == (str(pair.verdict.outcome) == "inconclusive")  # type: ignore[union-attr]


def test_a_run_that_was_given_up_does_not_speak_of_looks_to_come() -> None:
    """Where more repetitions would hardly help, the last look is not the only one to decide."""
    X, y = load_breast_cancer(return_X_y=True)
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    both = {"lda": LinearDiscriminantAnalysis(), "logistic": logistic}
    c = ef.compare(both, X, y, margin=0.02, random_state=0)
    assert np.all(c.estimate.whole_models)
    assert c.estimate.stopped_at < c.estimate.plan.M
    assert "more repetitions would hardly help" in str(c.verdict)
    assert "last look" not in str(c.verdict)
