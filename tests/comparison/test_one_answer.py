"""
Several algorithms, one set of tests.

Pairs, ranks, letters and the set of the best never disagree.
"""

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.comparison.pair import add_verdicts
from evenfold.comparison.ranking import candidates
from evenfold.core.facts.answers import Candidate
from evenfold.core.losses import Losses, Quantity
from evenfold.core.verdict import Outcome, PairResult
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.infer.family import SIDES, Criteria
from evenfold.report.methods_text import methods_text

PARTITION = ef.design.RLT(10, 0.5, random_state=0).partition(40)
ERROR = Quantity(name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0)
SCORE = Quantity(name="auc", words="AUC", lower_is_better=False, low=0.0, high=1.0)
FREE = Quantity(name="squared", words="squared error", lower_is_better=True, low=0.0, high=math.inf)


def random_losses(rng: np.random.Generator, K: int) -> Losses:
    """K algorithms on ten splits: some equal, some clearly apart, on the same luck."""
    quantity = (ERROR, SCORE, FREE)[int(rng.integers(3))]
    spread = float(rng.choice([0.0, 0.03, 0.1, 0.3]))
    means = 0.5 + spread * rng.uniform(-1, 1, K)
    luck = 0.05 * rng.normal(size=10)
    noise = float(rng.choice([0.002, 0.02, 0.1])) * rng.normal(size=(K, 10))
    values = np.clip(means[:, None] + luck + noise, 0.0, 1.0)
    if rng.uniform() < 0.1:
        values[0] = values[-1]  # the same values everywhere
    names = tuple(f"a{k}" for k in range(K))
    nothing = np.zeros(values.shape)
    return Losses(
        quantity=quantity,
        algorithms=names,
        partition=PARTITION,
        values=values,
        fit_seconds=nothing,
        predict_seconds=nothing,
    )


def random_question(rng: np.random.Generator, adjust: str) -> Criteria:
    entry = ADJUSTMENTS[adjust]
    baseline = None if entry.all_pairs or rng.uniform() < 0.6 else "a1"
    return Criteria(
        margin=float(rng.choice([0.0, 0.0, 0.02, 0.1])),
        level=float(rng.choice([0.01, 0.05, 0.2])),
        alternative=str(rng.choice(SIDES)) if rng.uniform() < 0.4 else "two-sided",
        adjust=adjust,
        baseline=baseline,
    )


def direction(pair: PairResult, losses: Losses) -> int:
    """Whether the interval of the improvement lies above 0, below it, or holds it."""
    low, high = losses.quantity.improvements(pair.low, pair.high)
    return int(low > 0) - int(high < 0)


def check_pair(pair: PairResult, losses: Losses, asked: Criteria) -> None:
    assert pair.verdict is not None
    assert pair.estimate is not None
    assert pair.low <= pair.value <= pair.high
    width = losses.quantity.width
    assert all(abs(end) <= width or math.isinf(end) for end in (pair.low, pair.high))
    told = direction(pair, losses)
    outcome = pair.verdict.outcome
    own: Any = pair.estimate
    assert (pair.low, pair.high) == own.confidence_interval(), "one interval per pair"
    if pair.pvalue is not None and pair.adjusted_pvalue is not None:
        assert pair.pvalue == own.pvalue
        assert pair.pvalue <= pair.adjusted_pvalue <= 1
        assert (pair.pvalue <= pair.level) == (told != 0), "p-value and interval"
        if asked.adjust in ("max-t", "bonferroni", "none"):
            assert (pair.adjusted_pvalue <= asked.level) == (told != 0), "adjusted p and interval"
    if asked.margin == 0:
        expected = {1: Outcome.BETTER, -1: Outcome.WORSE, 0: Outcome.INCONCLUSIVE}[told]
        assert outcome is expected or (told == 0 and outcome is Outcome.NOT_WORSE)
    elif outcome.decided:
        assert outcome is (Outcome.BETTER if told > 0 else Outcome.WORSE)
        assert told
    check_sentence(pair, told, asked)


def check_sentence(pair: PairResult, told: int, asked: Criteria) -> None:
    said = pair.sentence
    if pair.verdict.outcome is not Outcome.INCONCLUSIVE:  # type: ignore[union-attr]
        return
    if asked.margin == 0:
        neither = f"neither {pair.challenger} nor {pair.baseline} is shown to be better; the "
        assert said.startswith(f"inconclusive: {neither}")
    elif told:
        way = "better" if told > 0 else "worse"
        assert said.startswith(
            f"{pair.challenger} is {way} than {pair.baseline}; whether by more than"
        )
        assert f"{asked.margin:g} is open" in said
    else:
        assert said.startswith("inconclusive: ")
        assert " may or may not " in said
        assert f"by more than {asked.margin:g}" in said


def check_ranking(ranking: tuple[Candidate, ...], pairs: list[PairResult], losses: Losses) -> None:
    by_name = {one.name: one for one in ranking}
    told = {frozenset((pair.baseline, pair.challenger)): direction(pair, losses) for pair in pairs}
    beaten = dict.fromkeys(by_name, 0)
    for pair in pairs:
        way = direction(pair, losses)
        beaten[str(pair.baseline)] += way > 0
        beaten[pair.challenger] += way < 0
    complete = len(pairs) == len(ranking) * (len(ranking) - 1) // 2
    for one in ranking:
        assert one.first is not None
        assert one.last is not None
        assert 1 <= one.first <= one.rank <= one.last <= len(ranking)
        assert one.among_best == (one.first == 1)
        assert losses.quantity.low <= one.low <= one.value <= one.high <= losses.quantity.high
        if complete:
            assert one.first == 1 + beaten[one.name]
    assert any(one.among_best for one in ranking)
    for a, b in combinations(by_name, 2):
        tied = bool(by_name[a].letters & by_name[b].letters)
        if frozenset((a, b)) in told:
            assert tied == (told[frozenset((a, b))] == 0), (a, b)


def check_answers(adjust: str, runs: int, seed: int) -> set[Outcome]:
    """Judge random runs of two to twelve algorithms with every margin, side and level; no fit."""
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(runs):
        K = int(rng.choice([2, 3, 4, 5, 6, 8, 12], p=[0.1, 0.35, 0.25, 0.15, 0.09, 0.04, 0.02]))
        if ADJUSTMENTS[adjust].most is not None:
            K = min(K, 6)  # it goes through all partitions
        losses = random_losses(rng, K)
        asked = random_question(rng, adjust)
        rule = replace(asked, method="corrected-resampled-t")
        pairs, ranking = judged(losses, rule)
        assert len({pair.level for pair in pairs}) == 1, "one level in a table"
        for pair in pairs:
            check_pair(pair, losses, asked)
            seen.add(pair.verdict.outcome)  # type: ignore[union-attr]
        check_order(losses, rule, pairs)
        if K > 2 and asked.baseline is None:
            check_ranking(ranking, pairs, losses)
        else:
            assert ranking == ()
    return seen


def judged(losses: Losses, rule: Criteria) -> tuple[list[PairResult], tuple[Candidate, ...]]:
    rule = rule.with_pairs_of(losses.algorithms)
    answers = rule.answers(losses)
    ranking = candidates(losses, answers, rule)
    return add_verdicts(losses, answers, rule, cost=None), ranking


def check_order(losses: Losses, rule: Criteria, pairs: list[PairResult]) -> None:
    """The order of the algorithms changes nothing but signs."""
    if rule.alternative in ("greater", "less") or ADJUSTMENTS[rule.adjust].all_pairs:
        return
    names = range(len(losses.algorithms))
    order = [*names[1::2], *names[::2]]  # turns some pairs round and leaves the others
    turned = replace(
        losses,
        algorithms=tuple(losses.algorithms[k] for k in order),
        values=losses.values[order],
    )
    others = {frozenset((one.baseline, one.challenger)): one for one in judged(turned, rule)[0]}
    for pair in pairs:
        other = others[frozenset((pair.baseline, pair.challenger))]
        assert other.level == pytest.approx(pair.level)
        assert other.adjusted_pvalue == pytest.approx(pair.adjusted_pvalue)
        ends = {abs(other.low), abs(other.high)}
        assert sorted(ends) == pytest.approx(sorted({abs(pair.low), abs(pair.high)}), abs=1e-12)


@pytest.mark.filterwarnings("ignore::evenfold.core.errors.DegenerateData")
@pytest.mark.parametrize("adjust", sorted(ADJUSTMENTS))
def test_every_number_and_word_of_an_answer_agrees(adjust: str) -> None:
    """Thousands of runs are in tests/guarantee."""
    assert check_answers(adjust, runs=30, seed=27) >= {
        Outcome.BETTER,
        Outcome.WORSE,
        Outcome.INCONCLUSIVE,
    }


@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "max-t"])
def test_the_default_agrees_with_itself_too(adjust: str) -> None:
    """Values of single examples over nine repetitions: what a look rejects, withholds and says."""
    rng = np.random.default_rng(5)
    partition = ef.Mx2BCV(9, random_state=0).partition(80)
    nothing = np.zeros((4, 18))
    for _ in range(6):
        hard = rng.uniform(size=80) < 0.3
        flip = rng.uniform(0.02, 0.4, 4)
        examples = [
            [
                (hard[test] ^ (rng.uniform(size=len(test)) < f)).astype(float)
                for test in partition.test
            ]
            for f in flip
        ]
        losses = Losses(
            quantity=replace(ERROR, per_example="values"),
            algorithms=("a", "b", "c", "d"),
            partition=partition,
            values=np.array([[row.mean() for row in rows] for rows in examples]),
            fit_seconds=nothing,
            predict_seconds=nothing,
            examples=examples,
        )
        rule = Criteria(adjust=adjust, method="mx2-influence-t", most=9)
        pairs, ranking = judged(losses, rule)
        for pair in pairs:
            found: Any = pair.estimate
            if not found.undecided:
                check_pair(pair, losses, rule)
                assert 0.5 <= pair.replicability <= 1  # type: ignore[operator]
        if not any(pair.estimate.undecided for pair in pairs if pair.estimate is not None):
            check_ranking(ranking, pairs, losses)


@pytest.mark.parametrize("adjust", ["max-t", "bonferroni"])
def test_right_and_wrong_answers_of_several_models_agree_with_themselves(adjust: str) -> None:
    """The exact test of every pair at one level, which the correlations of the answers give."""
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(6):
        n = int(rng.choice([30, 80, 200]))
        hard = rng.uniform(size=n)
        table = {
            name: (hard < p) ^ (rng.uniform(size=n) < 0.15)
            for name, p in zip("dacb", rng.uniform(0.3, 0.9, 4), strict=True)
        }
        c = ef.judge(table, rows="examples", measure="accuracy", adjust=adjust)
        assert len({pair.level for pair in c.pairs}) == 1
        assert 0.05 / 6 - 1e-12 <= c.pairs[0].level < 0.05
        for pair in c.pairs:
            assert pair.pvalue is not None
            assert pair.adjusted_pvalue is not None
            assert (pair.low, pair.high) == pair.estimate.confidence_interval()  # type: ignore[union-attr]
            assert pair.pvalue <= pair.adjusted_pvalue <= min(1.0, 6 * pair.pvalue) * (1 + 1e-9)
            excluded = not pair.low <= 0 <= pair.high
            assert (pair.adjusted_pvalue <= 0.05) == excluded
            assert pair.verdict.outcome.decided == excluded  # type: ignore[union-attr]
            seen.add(excluded)
        turned = ef.judge(
            dict(reversed(table.items())), rows="examples", measure="accuracy", adjust=adjust
        )
        for pair in c.pairs:
            other = turned[str(pair.baseline), pair.challenger]
            assert (other.low, other.high) == pytest.approx((pair.low, pair.high))
            assert other.adjusted_pvalue == pytest.approx(pair.adjusted_pvalue)
    assert seen == {True, False}


def test_a_pair_asked_the_other_way_round_has_the_same_numbers() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    table = {"a": a, "b": a + rng.normal(0.3, 1, 100), "c": a - 1}
    c = ef.judge(table, rows="examples", higher_is_better=True)
    there, back = c["a", "b"], c["b", "a"]
    assert (back.value, back.low, back.high) == (-there.value, -there.high, -there.low)
    outcomes = {str(one.verdict.outcome) for one in (there, back)}  # type: ignore[union-attr]
    assert outcomes in ({"better", "worse"}, {"inconclusive"})


def test_an_adjustment_in_steps_is_a_column_and_says_where_it_differs() -> None:
    """p near .03 of two: rejected by Holm once the other is, but not by its interval."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=60)
    table = {"a": base, "b": base + 2 + rng.normal(size=60)}
    for seed in range(200):
        table["c"] = base + np.random.default_rng(seed).normal(0.3, 1, 60)
        c = ef.judge(table, rows="examples", baseline="a", adjust="holm", higher_is_better=True)
        if 0.025 < (c.pairs[1].pvalue or 0) <= 0.05:
            break
    pair = c.pairs[1]
    assert pair.adjusted_pvalue == pytest.approx(pair.pvalue)
    assert pair.low <= 0 <= pair.high
    assert pair.verdict.outcome is Outcome.INCONCLUSIVE  # type: ignore[union-attr]
    assert any("decide differently about c against a" in str(note) for note in c.facts.notes)


def test_the_edge_of_the_set_of_the_best() -> None:
    """An algorithm is left out where a pair that it loses has an adjusted p-value ≤ the level."""
    noise = 0.02 * np.random.default_rng(0).normal(size=(3, 10))
    values = np.array([0.3, 0.36, 0.6])[:, None] + noise
    losses = replace(random_losses(np.random.default_rng(0), 3), values=values, quantity=ERROR)

    def ranking(level: float) -> dict[str, Candidate]:
        rule = Criteria(level=level, method="corrected-resampled-t")
        return {one.name: one for one in judged(losses, rule)[1]}

    edge = ranking(0.05)["a1"].pvalue
    assert edge is not None
    assert 1e-6 < edge < 0.4
    for level, inside in ((edge * 1.0001, False), (edge * 0.9999, True)):
        assert ranking(level)["a1"].among_best is inside


def test_with_a_baseline_the_headline_says_who_beats_it() -> None:
    right = {
        name: (np.random.default_rng(k).uniform(size=400) < p)
        for k, (name, p) in enumerate(SHARES.items())
    }
    c = ef.judge(right, rows="examples", measure="accuracy", baseline="base")
    head = str(c).splitlines()[0]
    assert head.startswith("against the baseline base: good and great better; ")
    assert "same inconclusive" in head
    assert "bad worse" in head
    assert "with 95% confidence in all of these together" in head
    assert head in c.to_html().replace("&#39;", "'")
    assert c.ranking == ()
    assert c.best_set == ()
    alone = ef.judge({"base": right["base"], "bad": right["bad"], "same": right["same"]},
                     rows="examples",
                     measure="accuracy", baseline="base")  # fmt: skip
    assert str(alone).startswith(
        "against the baseline base: none of 2 algorithms is shown to be better; "
    )


SHARES = {"base": 0.6, "good": 0.75, "great": 0.9, "same": 0.6, "bad": 0.3}


def test_two_models_with_a_baseline_have_their_verdict_in_every_form() -> None:
    rng = np.random.default_rng(0)
    right = {name: rng.uniform(size=200) < 0.7 for name in ("main", "branch")}
    c = ef.judge(right, rows="examples", measure="accuracy", baseline="main")
    claim = str(c.verdict).split(";")[0]
    for text in (str(c), c.to_html(), c.to("summary"), repr(c)):
        assert claim in text


def test_one_sided_bounds_are_called_what_they_are() -> None:
    """Each end is a bound at 95%: as an interval it is one of 90%."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    table = {"a": a, "b": a + rng.normal(0.01, 0.1, 200)}
    asked: Any = {"rows": "examples", "higher_is_better": True}
    gate = ef.judge(table, alternative="not-worse", margin=0.05, **asked)
    ninety = ef.judge(table, level=0.1, **asked)
    assert (gate.pairs[0].low, gate.pairs[0].high) == pytest.approx(
        (ninety.pairs[0].low, ninety.pairs[0].high)
    )
    for text in (gate.to_markdown(), gate.to_html(), gate.to_latex().replace("\\", "")):
        assert "95% one-sided bounds" in text
        assert "95% CI" not in text
        assert "95% intervals" not in text
    assert "report 95% one-sided bounds." in methods_text(gate.facts)
    assert "report 95% confidence intervals." in methods_text(ef.judge(table, **asked).facts)
    assert "95% bounds" in str(gate)
    bound = ef.judge(table, alternative="greater", **asked)
    assert "95% bound |" in bound.to_markdown()
    assert "report 95% confidence bounds." in methods_text(bound.facts)


def test_tables_say_whose_side_their_numbers_take() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=100)
    for higher, words in ((True, "positive: B better"), (False, "negative: B better")):
        c = ef.judge({"a": a, "b": a + 1}, rows="examples", higher_is_better=higher)
        assert f"B − A ({words})" in c.to_markdown()
        assert (c.verdict.outcome is Outcome.BETTER) is higher


@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_the_interval_of_a_winner_among_folds_stays_in_the_range_of_its_measure(
    measure: str,
) -> None:
    rng = np.random.default_rng(0)
    table = {name: {"test_score": np.clip(rng.normal(0.98, 0.02, 10), 0, 1)} for name in "abc"}
    c = ef.judge(table, cv=10, n=200, measure=measure)
    for one in c.ranking:
        assert 0 <= one.low <= one.value <= one.high <= 1
    per_cent = {name: {"test_score": 100 * one["test_score"]} for name, one in table.items()}
    assert ef.judge(per_cent, cv=10, n=200, measure=measure).winner.value > 90, (
        "another scale has no range"
    )


def test_a_summary_with_an_open_margin_says_the_sign_that_is_known() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = a + rng.normal(0.1, 0.3, 400)
    c = ef.judge({"a": a, "b": b}, rows="examples", higher_is_better=True, margin=0.1)
    assert c.verdict.outcome is Outcome.INCONCLUSIVE
    said = "b is better than a; whether by more than 0.1 is open"
    assert str(c.verdict).startswith(f"{said}: ")
    assert c.to("summary").splitlines()[0] == f"### ? {said}"
