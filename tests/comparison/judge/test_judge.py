"""Every kind of table from Python, against formulas of others; the same table by any way in."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import ShuffleSplit
from statsmodels.stats import weightstats

import evenfold as ef
from evenfold.core.facts.comparison import Facts
from evenfold.core.verdict import Outcome
from evenfold.infer.adjust import ADJUSTMENTS

RNG = np.random.default_rng(7)
N = 120
RIGHT = {"a": RNG.random(N) < 0.6, "b": RNG.random(N) < 0.8}
D = RIGHT["b"].astype(float) - RIGHT["a"]


def long(values: dict[str, Any], **columns: Any) -> pd.DataFrame:
    parts = []
    for name, one in values.items():
        value = np.asarray(one, dtype=float)
        parts.append(
            pd.DataFrame(
                {"algorithm": name, "example": np.arange(len(one)), "value": value, **columns}
            )
        )
    return pd.concat(parts, ignore_index=True)


def interval(c: Any) -> tuple[float, float]:
    low, high = c.estimate.confidence_interval()
    return float(low), float(high)


# --- one value per example ----------------------------------------------------------------------


def test_right_and_wrong_answers_of_two_models_get_the_exact_test() -> None:
    fixed, broke = int((D > 0).sum()), int((D < 0).sum())
    e = ef.infer.tango_exact(fixed, broke, N)
    for table, measure, sign in (
        (RIGHT, "accuracy", 1),
        ({k: ~v for k, v in RIGHT.items()}, "zero-one", -1),
    ):
        c = ef.judge(table, rows="examples", measure=measure)
        assert c.estimate.method == "tango-exact"
        assert float(c.estimate.value) == pytest.approx(sign * float(e.value))
        ends = sorted(sign * float(end) for end in e.confidence_interval())
        assert interval(c) == pytest.approx(ends)
        assert c.pairs[0].pvalue == pytest.approx(float(e.pvalue))
        assert c.verdict.outcome is Outcome.BETTER
    assert "McNemar" in "".join(map(str, c.notes)) or fixed + broke > 40


def test_the_gate_is_no_longer_passed_by_a_model_that_is_worse_by_the_margin() -> None:
    # the paired t passed .195 of such candidates at n = 100 and a margin of .03, at a level of .05
    a = np.ones(100)
    b = a.copy()
    b[:1] = 0
    asked: Any = {
        "rows": "examples",
        "measure": "accuracy",
        "margin": 0.03,
        "alternative": "not-worse",
    }
    assert (
        ef.judge({"a": a, "b": b}, method="paired-t", **asked).verdict.outcome is Outcome.EQUIVALENT
    )
    c = ef.judge({"a": a, "b": b}, **asked)
    assert c.verdict.outcome is Outcome.INCONCLUSIVE  # p = .1946


@pytest.mark.parametrize(
    "columns", [{"weight": np.tile([1.0, 2.0], N // 2)}, {"group": np.arange(N) // 6}]
)
def test_weights_and_clusters_of_answers_get_other_tests(columns: Any) -> None:
    assert ef.judge(long(RIGHT, **columns), measure="accuracy").estimate.method != "tango-exact"


def test_values_of_two_models_on_the_same_examples_get_the_paired_t() -> None:
    c = ef.judge(RIGHT, rows="examples", measure="accuracy", method="paired-t")
    peer = stats.ttest_rel(RIGHT["b"].astype(float), RIGHT["a"].astype(float))
    low, high = peer.confidence_interval(0.95)
    assert c.estimate.method == "paired-t"
    assert interval(c) == pytest.approx((low, high))
    assert c.pairs[0].pvalue == pytest.approx(peer.pvalue)
    assert c.verdict.outcome is Outcome.BETTER
    assert "for these models, on new examples" in c.verdict.sentence
    assert c.fits == 0


def test_clusters_get_the_cluster_robust_t() -> None:
    groups = np.arange(N) // 6
    c = ef.judge(long(RIGHT, group=groups), measure="accuracy")
    fit = sm.OLS(D, np.ones(N)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    # clusters of one size: statsmodels' test to rounding
    assert c.estimate.method == "clustered-cr2-t"
    assert interval(c) == pytest.approx(tuple(fit.conf_int()[0]))
    assert c.pairs[0].pvalue == pytest.approx(fit.pvalues[0])
    assert "on new groups" in c.facts.estimand
    assert "120 examples from 20 groups" in c.facts.design.name


def test_groups_of_a_table_are_called_by_the_users_name() -> None:
    table = long(RIGHT, patient_id=np.arange(N) // 6)
    c = ef.judge(table, measure="accuracy", columns={"group": "patient_id"})
    assert c.verdict.sentence.endswith("for these models, on new patients.")
    assert c.facts.estimand.endswith("on new patients")
    assert c.facts.design.name == "120 examples from 20 patients"


def test_clusters_of_very_different_size_are_said() -> None:
    groups = np.where(np.arange(N) < 80, 0, np.arange(N))
    c = ef.judge(long(RIGHT, group=groups), measure="accuracy")
    assert any("clustered-fair-t" in str(note) for note in c.notes)
    fair = ef.judge(long(RIGHT, group=groups), measure="accuracy", method="clustered-fair-t")
    assert interval(fair)[0] < interval(c)[0]


def test_runs_on_examples_get_the_crossed_t() -> None:
    values = {name: RNG.random((5, 40)) + shift for name, shift in (("a", 0.0), ("b", 0.3))}
    c = ef.judge(values, higher_is_better=True, paired=True)
    d = values["b"] - values["a"]
    A, R = d.mean(axis=0).var(ddof=1) / 40, d.mean(axis=1).var(ddof=1) / 5
    u = d - d.mean(axis=0) - d.mean(axis=1, keepdims=True) + d.mean()
    E = (u**2).sum() / (39 * 4 * 200)
    V = max(A + R - E, A, R, E)
    t = np.sqrt((A * stats.t.isf(0.025, 39) ** 2 + (V - A) * stats.t.isf(0.025, 4) ** 2) / V)
    assert c.estimate.method == "crossed-t"
    assert interval(c) == pytest.approx((d.mean() - t * np.sqrt(V), d.mean() + t * np.sqrt(V)))
    assert "for new runs of these models, on new examples" in c.verdict.sentence


def test_runs_of_their_own_are_not_paired() -> None:
    values = {"a": RNG.random((3, 30)), "b": RNG.random((4, 30)) + 0.2}
    frame = pd.concat(
        pd.DataFrame(
            {"algorithm": name, "run": f"{name}{s}", "example": np.arange(30), "value": row}
        )
        for name, runs in values.items()
        for s, row in enumerate(runs)
    )
    c = ef.judge(frame, higher_is_better=True)
    expected = ef.infer.crossed_t(values["a"], values["b"], paired=False)
    assert interval(c) == pytest.approx(expected.confidence_interval())


def test_two_runs_are_warned_of() -> None:
    c = ef.judge({name: RNG.random((2, 30)) for name in "ab"}, higher_is_better=True)
    assert any("With two runs" in str(note) for note in c.notes)


@pytest.mark.parametrize(
    "measure", ["f1", "precision", "recall", "auc", "balanced_accuracy", "matthews_corrcoef"]
)
def test_scores_of_predictions_have_intervals(measure: str) -> None:
    truth = RNG.random(300) < 0.4
    parts = []
    for name, signal in (("a", 0.3), ("b", 0.5)):
        s = signal * truth + (1 - signal) * RNG.random(300)
        part = pd.DataFrame(
            {"algorithm": name, "example": np.arange(300), "truth": truth.astype(int)}
        )
        parts.append(part.assign(prediction=(s > 0.5).astype(int), **{"p:0": 1 - s, "p:1": s}))
    frame = pd.concat(parts)
    c: Any = ef.judge(frame, measure=measure)
    assert c.verdict.outcome is Outcome.BETTER
    if measure == "auc":
        own = [frame[frame.algorithm == name] for name in "ab"]
        areas = [roc_auc_score(one.truth, one["p:1"]) for one in own]
        peer = ef.infer.delong(own[0]["p:1"].to_numpy(), own[1]["p:1"].to_numpy(), truth)
        assert float(c.estimate.value) == pytest.approx(areas[1] - areas[0])
        assert float(c.estimate.standard_error) == pytest.approx(float(peer.standard_error))
    clustered: Any = ef.judge(frame.assign(group=frame.example // 5), measure=measure)
    assert clustered.estimate.method == "clustered-cr2-t"
    assert float(clustered.estimate.value) == pytest.approx(float(c.estimate.value))


# --- folds, splits, halvings, runs, data sets ---------------------------------------------------


def test_scores_of_folds_get_the_corrected_t() -> None:
    scores = {name: RNG.random(10) for name in "ab"}
    c = ef.judge(scores, rows="folds", n=200, measure="accuracy")
    expected = ef.infer.corrected_kfold_t(scores["b"] - scores["a"])
    assert interval(c) == pytest.approx(tuple(np.clip(expected.confidence_interval(), -1, 1)))
    assert "trained on 180 examples" in c.verdict.sentence


def test_examples_of_folds_get_a_second_line() -> None:
    frame = long({name: RNG.random(60) for name in "ab"}, fold=np.arange(60) % 5)
    c = ef.judge(frame, measure="accuracy")
    assert c.estimate.method == "corrected-kfold-t"
    d = (
        frame[frame.algorithm == "b"].value.to_numpy()
        - frame[frame.algorithm == "a"].value.to_numpy()
    )
    line = next(
        str(note)
        for note in c.notes
        if str(note).startswith("On single examples, the test by the central limit theorem")
    )
    assert f"{abs(d.mean()):.2f}" in line
    scores = ef.judge(
        {name: RNG.random(10) for name in "ab"}, rows="folds", n=200, measure="accuracy"
    )
    assert not any("single examples" in str(note) for note in scores.notes)


def test_scores_of_splits_get_the_resampled_t() -> None:
    cv = ShuffleSplit(8, test_size=0.2, random_state=0)
    scores = {name: {"test_score": RNG.random(8)} for name in "ab"}
    c = ef.judge(scores, cv=cv, n=100)
    d = scores["b"]["test_score"] - scores["a"]["test_score"]
    expected = ef.infer.corrected_resampled_t(d, n_train=80, n_test=20)
    assert interval(c) == pytest.approx(expected.confidence_interval())


def test_the_design_of_scores_may_be_spelled() -> None:
    scores = {name: RNG.random(8) for name in "ab"}
    spelled: Any = ef.judge(scores, cv="rlt:8:.8", n=100, higher_is_better=True)
    made: Any = ef.judge(scores, cv=ef.design.RLT(8, 0.8), n=100, higher_is_better=True)
    assert spelled.interval == made.interval
    assert spelled.estimate.method == "corrected-resampled-t"
    with pytest.raises(ef.InvalidInput, match="cv must be a splitter that makes the same splits"):
        ef.judge(scores, rows="examples", cv="kfold:4", higher_is_better=True)
    with pytest.raises(ef.InvalidInput, match="where rows are examples but got 4"):
        ef.judge(scores, rows="examples", cv=4, higher_is_better=True)


def test_halvings_are_judged_as_compare_does() -> None:
    frame = pd.DataFrame(
        [(name, r, k, RNG.random()) for name in "ab" for r in range(5) for k in (0, 1)],
        columns=["algorithm", "repetition", "fold", "value"],
    )
    c: Any = ef.judge(frame, n=100, measure="zero-one")
    table = frame.pivot(index=["repetition", "fold"], columns="algorithm", values="value")
    d = (table["b"] - table["a"]).to_numpy().reshape(5, 2)
    assert c.estimate.method == "mx2-t"
    assert float(c.estimate.value) == pytest.approx(d.mean())
    assert "trained on 50 examples" in c.verdict.sentence


def test_one_score_per_run_gets_welch_or_the_paired_t() -> None:
    a, b = RNG.random(5), RNG.random(7) + 0.5
    c = ef.judge({"a": a, "b": b}, rows="runs", higher_is_better=True)
    low, high = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert interval(c) == pytest.approx((low, high))
    paired = ef.judge({"a": a, "b": b[:5]}, rows="runs", higher_is_better=True, paired=True)
    assert interval(paired) == pytest.approx(
        tuple(stats.ttest_rel(b[:5], a).confidence_interval(0.95))
    )
    assert "on this test set" in c.verdict.sentence


def test_runs_in_a_mapping_are_not_paired_unless_asked_for() -> None:
    """Positions are no ids: the third runs of two learning procedures share nothing."""
    a, b = RNG.random(5), RNG.random(5) + 0.5
    apart = ef.judge({"a": a, "b": b}, rows="runs", higher_is_better=True)
    low, high = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert interval(apart) == pytest.approx((low, high))
    assert any("not paired. Pass paired=True" in str(note) for note in apart.notes)
    together = ef.judge({"a": a, "b": b}, rows="runs", higher_is_better=True, paired=True)
    assert interval(together) == pytest.approx(
        tuple(stats.ttest_rel(b, a).confidence_interval(0.95))
    )
    assert any("paired by position" in str(note) for note in together.notes)
    frame = ef.judge(pd.DataFrame({"a": a, "b": b}), rows="runs", higher_is_better=True)
    assert interval(frame) == pytest.approx(interval(together))
    assert any("paired by row" in str(note) for note in frame.notes)
    one = ef.judge({"a": a}, rows="runs", higher_is_better=True)
    assert one.notes == ()
    grid = ef.judge({"a": RNG.random((4, 30)), "b": RNG.random((4, 30))}, higher_is_better=True)
    assert any("not paired. Pass paired=True" in str(note) for note in grid.notes)


@pytest.mark.parametrize("wide", [True, False])
def test_a_column_of_seeds_pairs_by_value(wide: bool) -> None:
    a, b = RNG.random(5), RNG.random(5) + 0.5
    frame = pd.DataFrame({"seed": [11, 3, 5, 7, 2], "a": a, "b": b})
    if not wide:
        frame = frame.melt(id_vars="seed", var_name="algorithm").sample(frac=1, random_state=0)
    c = ef.judge(frame, higher_is_better=True)
    assert interval(c) == pytest.approx(tuple(stats.ttest_rel(b, a).confidence_interval(0.95)))
    assert not any("paired" in str(note) for note in c.notes)
    unpaired = ef.judge(frame, higher_is_better=True, paired=False)
    assert "The runs are not paired, as requested." in map(str, unpaired.notes)


def test_data_sets_are_judged_across() -> None:
    frame = pd.DataFrame(
        [
            (f"d{i}", name, RNG.random() + shift)
            for i in range(8)
            for name, shift in (("a", 0.0), ("b", 0.9))
        ],
        columns=["dataset", "algorithm", "value"],
    )
    found: Any = ef.judge(frame, higher_is_better=True)
    assert isinstance(found, ef.AcrossDataSets)
    assert found.pairs[0].wins == 8
    assert found.pairs[0].outcome == "better"
    wide: Any = ef.judge(
        frame.pivot(index="dataset", columns="algorithm", values="value").reset_index(),
        higher_is_better=True,
    )
    assert wide.pairs == found.pairs
    holes = frame.drop(index=3)
    with pytest.raises(
        ef.EvenfoldError, match=r"on every data set but some algorithm has none on d1"
    ):
        ef.judge(holes, higher_is_better=True)
    kept: Any = ef.judge(holes, higher_is_better=True, on_missing="drop")
    assert kept.pairs[0].wins == 7
    with pytest.raises(ef.EvenfoldError, match="a single one over data sets but got 2 of them"):
        ef.judge(frame, measure=["accuracy", "f1"])


@pytest.mark.parametrize(
    ("measure", "first"), [("accuracy", 85.0), ("zero-one", -0.2), ("absolute", -3.0)]
)
def test_values_that_a_measure_cannot_have_are_refused(measure: str, first: float) -> None:
    table = {"a": [first, 0.5, 0.4], "b": [0.6, 0.5, 0.7]}
    remedy = "Divide percentages by 100, name" if first > 1 else "Name"
    rule = (
        f"^Values of 'a' must be .* for measure '{measure}' but got {first:g} at fold 0\\. "
        f"{remedy} another measure, or pass"
    )
    with pytest.raises(ef.EvenfoldError, match=rule):
        ef.judge(table, rows="folds", n=90, measure=measure)
    bare = ef.judge(table, rows="folds", n=90, measure=measure, higher_is_better=True).estimate
    low, high = bare.confidence_interval()
    assert low < bare.value < high


def test_values_out_of_range_are_named_by_algorithm_and_id() -> None:
    wide = pd.DataFrame({"a": [0.5, 0.6, 0.4], "b": [0.6, 0.5, 70.0]})
    with pytest.raises(
        ef.EvenfoldError, match=r"^Values of 'b' must be .* but got 70 at fold 2\. Divide"
    ):
        ef.judge(wide, rows="folds", n=90, measure="accuracy")


@pytest.mark.parametrize("form", ["wide", "long"])
def test_scores_with_a_minus_sign_are_better_if_higher(form: str) -> None:
    wide = pd.DataFrame({"fold": range(5), "a": [-0.5, -0.6, -0.4, -0.5, -0.6], "b": -0.1})
    table = wide if form == "wide" else wide.melt("fold", var_name="algorithm")
    c: Any = ef.judge(table, n=90, measure="neg_log_loss")
    assert c.verdict.outcome is Outcome.BETTER
    assert (c.losses.measure, c.losses.lower_is_better) == ("neg_log_loss", False)
    # back to the loss
    turned: Any = ef.judge(wide.assign(a=-wide.a, b=0.1), n=90, measure="neg_log_loss")
    assert turned.verdict.outcome is Outcome.BETTER
    with pytest.raises(
        ef.EvenfoldError,
        match=r"but got -0\.1 at fold 0\. .*, or pass higher_is_better=True or False",
    ):
        ef.judge(wide.assign(a=-wide.a), n=90, measure="neg_log_loss")


def test_a_table_of_single_values_says_nothing_of_models_that_nobody_knows() -> None:
    a = np.linspace(0.6, 0.8, 8)
    table = pd.DataFrame(
        {"dataset": [f"d{i}" for i in range(8)], "a": a, "b": a + 0.05, "c": a - 0.05}
    )
    c = ef.judge(table, measure="accuracy")
    text, page = c.details, c.to_html()
    assert "b ranks first (mean rank 1.00 of 3), and is better than a and c" in text
    assert "  data      8 data sets\n  method    wilcoxon-holm over data sets\n" in text
    assert text.endswith("cost      nothing was fitted")
    assert not [words for words in ("95% CI", "runs-t") if words in text]
    assert not [words for words in ("trained on", "runs-t", ">fits<") if words in page]


def test_data_sets_rank_with_ties() -> None:
    shifts = {"a": 0.0, "b": 1.0, "c": 1.0, "d": 3.0}
    wide = pd.DataFrame(
        {"dataset": [f"d{i}" for i in range(12)]}
        | {n: RNG.random(12) + s for n, s in shifts.items()}
    )
    found: Any = ef.judge(wide, higher_is_better=True)
    assert [one.name for one in found.ranking][::3] == ["d", "a"]
    assert [one.rank for one in found.ranking] == [1, 2, 3, 4]
    assert [(one.first, one.last) for one in found.ranking] == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert [one.ties for one in found.ranking] == ["a", "b", "b", "c"]
    against: Any = ef.judge(wide, higher_is_better=True, baseline="a")
    with pytest.raises(
        ef.EvenfoldError, match="ranking is known only where all pairs were compared"
    ):
        _ = against.ranking


def test_data_sets_with_folds_have_errors_of_their_own() -> None:
    frame = pd.DataFrame(
        [(f"d{i}", name, k, RNG.random()) for i in range(4) for name in "ab" for k in range(5)],
        columns=["dataset", "algorithm", "fold", "value"],
    )
    found: Any = ef.judge(frame, n=100, higher_is_better=True)
    assert np.isfinite(found.pairs[0].low)


# --- what a comparison has ----------------------------------------------------------------------


def test_not_worse_by_more_than_a_margin() -> None:
    c = ef.judge(
        RIGHT,
        rows="examples",
        measure="accuracy",
        margin=0.3,
        alternative="not-worse",
        baseline="b",
    )
    assert c.losses.algorithms == ("b", "a")
    assert c.verdict.outcome in (Outcome.NOT_WORSE, Outcome.INCONCLUSIVE, Outcome.EQUIVALENT)
    better = ef.judge(
        RIGHT, rows="examples", measure="accuracy", margin=0.01, alternative="not-worse"
    )
    assert better.verdict.outcome is Outcome.BETTER


def test_flips_have_the_ids() -> None:
    c = ef.judge(long(RIGHT), measure="accuracy")
    assert c.flips.fixed == tuple(np.flatnonzero(RIGHT["b"] & ~RIGHT["a"]).tolist())
    assert c.flips.broke == tuple(np.flatnonzero(~RIGHT["b"] & RIGHT["a"]).tolist())
    assert str(c.flips) == f"fixed {len(c.flips.fixed)}, broke {len(c.flips.broke)}"
    error = ef.judge(long({name: ~one for name, one in RIGHT.items()}), measure="zero-one")
    assert error.flips.fixed == c.flips.fixed
    with pytest.raises(
        ef.EvenfoldError, match="There are no flips because they need right and wrong"
    ):
        _ = ef.judge(
            {"a": RNG.random(9), "b": RNG.random(9)}, rows="examples", higher_is_better=True
        ).flips
    many = ef.judge({**RIGHT, "c": RIGHT["a"]}, rows="examples", measure="accuracy")
    assert len(many.facts.flips) == 3
    with pytest.raises(ef.EvenfoldError, match="flips are about one pair"):
        _ = many.flips


def test_many_algorithms_are_ranked_with_ties() -> None:
    table = {
        name: RNG.random(400) < skill
        for name, skill in zip("abcd", (0.2, 0.85, 0.84, 0.5), strict=True)
    }
    c = ef.judge(table, rows="examples", measure="accuracy")
    assert {one.name for one in c.ranking[:2]} == {"b", "c"}
    assert [one.rank for one in c.ranking] == [1, 2, 3, 4]
    assert [(one.first, one.last) for one in c.ranking] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert [one.ties for one in c.ranking] == ["a", "a", "b", "c"]
    assert set(c.best_set) == {"b", "c"}
    assert len(c.pairs) == 6
    against = ef.judge(table, rows="examples", measure="accuracy", baseline="d")
    assert [(p.baseline, p.challenger) for p in against.pairs] == [
        ("d", "a"),
        ("d", "b"),
        ("d", "c"),
    ]
    assert against.ranking == ()
    assert against.best_set == ()


@pytest.mark.parametrize("adjust", list(ADJUSTMENTS))
def test_adjustments(adjust: str) -> None:
    table = {name: RNG.random(80) < 0.5 for name in "abc"}
    c = ef.judge(table, rows="examples", measure="accuracy", adjust=adjust)
    assert len(c.pairs) == 3


def test_several_measures() -> None:
    truth = RNG.random(100) < 0.5
    wide = pd.DataFrame({"example": np.arange(100), "truth": truth})
    for name, share in (("a", 0.3), ("b", 0.1)):
        wide[name] = truth ^ (RNG.random(100) < share)
    c = ef.judge(wide, measure=["accuracy", "f1"])
    assert c.measures == ("accuracy", "f1")
    assert c["f1"].verdict.sentence.count("F1")
    with pytest.raises(ef.EvenfoldError, match="measure must name at least one"):
        ef.judge(wide, measure=[])


def test_one_algorithm_alone_has_an_interval() -> None:
    c = ef.judge({"a": RIGHT["a"]}, rows="examples", measure="accuracy")
    low, high = interval(c)
    assert 0 < low < RIGHT["a"].mean() < high < 1


def test_every_format_is_written(tmp_path: Path) -> None:
    c = ef.judge({**RIGHT, "c": RIGHT["a"]}, rows="examples", measure="accuracy")
    assert "Tango's" in c.to_latex()
    assert "true rank" in str(c)
    page = c.to_html(tmp_path / "c.html")
    assert "fixed" in page
    # of models as they are nobody knows
    unknown = ("trained on", "training size", "0 examples", "0 ms")
    assert not [words for words in unknown if words in page.replace("120 examples", "")]
    assert c.to_markdown().startswith("|")
    assert len(c.to_frame()) == 3
    assert Facts.from_json(c.to_json()) == c.facts
    c.plot()


@pytest.mark.parametrize(
    "table",
    [
        long(RIGHT, group=np.arange(N) // 6),
        {name: RNG.random((3, 20)) for name in "ab"},
        pd.DataFrame(
            {
                "algorithm": list("aabb"),
                "split": [0, 1] * 2,
                "value": RNG.random(4),
                "n_train": 9,
                "n_test": 3,
            }
        ),
    ],
    ids=["clusters", "runs", "splits"],
)
def test_an_answer_can_be_pickled_and_copied(table: Any) -> None:
    c = ef.judge(table, measure="accuracy")
    for other in (pickle.loads(pickle.dumps(c)), copy.deepcopy(c)):
        assert interval(other) == interval(c)
        assert other.facts == c.facts


def test_the_call_can_be_read() -> None:
    c = ef.judge(RIGHT, rows="examples", measure="accuracy", margin=0.1)
    assert c.facts.call == "ef.judge(table, measure='accuracy', margin=0.1, rows='examples')"


def test_looking_at_any_time() -> None:
    frame = long(RIGHT, time=np.arange(N)[::-1])
    c = ef.judge(frame, measure="accuracy", method="anytime")
    assert "for these forecasts along this path" in str(c.verdict)
    assert interval(c)[0] < interval(ef.judge(frame, measure="accuracy"))[0]
    with pytest.raises(ef.NotApplicable, match="needs a measure with a range"):
        ef.judge(
            {"a": [0.1, 2.0], "b": [0.3, 1.0]},
            rows="examples",
            higher_is_better=True,
            method="anytime",
        )


def test_a_method_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ef.NotApplicable, match="'mx2-t' does not fit design 'test-set'"):
        ef.judge(RIGHT, rows="examples", measure="accuracy", method="mx2-t")


def test_a_baseline_that_is_none() -> None:
    with pytest.raises(ef.EvenfoldError, match="baseline must be one of 'a', 'b' but got 'x'"):
        ef.judge(RIGHT, rows="examples", measure="accuracy", baseline="x")


# --- one table, any way in ----------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["integers", "texts"]))
def test_any_reader_and_any_order_give_the_same_bits(seed: int, ids: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    frame = long(
        {name: rng.normal(size=n) for name in "ba"}, group=rng.integers(0, 3, n).astype(str)
    )
    frame["group"] = np.where(frame.example < 2, frame.example.astype(str), frame.group)
    frame["example"] = frame.example * 7 if ids == "integers" else "x" + frame.example.astype(str)
    expected = ef.judge(frame, higher_is_better=True)
    shuffled = frame.sample(frac=1, random_state=seed % 2**31)
    wide = frame.pivot(
        index=["example", "group"], columns="algorithm", values="value"
    ).reset_index()
    parts = {name: part.drop(columns="algorithm") for name, part in shuffled.groupby("algorithm")}
    for table in (shuffled, pl.from_pandas(shuffled), wide.sample(frac=1, random_state=1), parts):
        assert _bits(ef.judge(table, higher_is_better=True)) == _bits(expected)


def _bits(c: Any) -> bytes:
    low, high = c.estimate.confidence_interval()
    return np.array([c.estimate.value, low, high, c.estimate.pvalue]).tobytes()


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.jsonl"])
def test_files_give_the_same_bits(tmp_path: Path, name: str) -> None:
    frame = long({name: RNG.normal(size=30) for name in "ab"}, group=np.arange(30) // 4)
    path = tmp_path / name
    if name.endswith("parquet"):
        frame.to_parquet(path)
    elif name.endswith("jsonl"):
        frame.to_json(path, orient="records", lines=True, double_precision=15)
        frame = pd.read_json(path, lines=True, precise_float=True)
    else:
        frame.to_csv(path, sep="\t" if name.endswith("tsv") else ",", index=False)
    assert _bits(ef.judge(path, higher_is_better=True)) == _bits(
        ef.judge(frame, higher_is_better=True)
    )


def test_no_mistake_in_few_clusters_is_known_less_well_than_on_as_many_examples() -> None:
    right = {"a": np.ones(60)}
    few, many = (
        ef.judge(long(right, group=np.arange(60) // 10), measure="accuracy"),
        ef.judge(right, rows="examples", measure="accuracy"),
    )
    assert interval(few)[0] < interval(many)[0] < 1


def test_times_are_examples_where_nothing_else_is() -> None:
    days = pd.date_range("2024-01-01", periods=N, freq="D")
    frame = long(RIGHT).drop(columns="example").assign(time=[*days, *days])
    c = ef.judge(frame, measure="accuracy")
    plain = ef.judge(long(RIGHT), measure="accuracy", method="paired-t")
    assert interval(c) == pytest.approx(interval(plain))
    assert c.facts.method.key == "diebold-mariano"


def test_a_score_of_few_positives_is_said_to_be_one() -> None:
    rng = np.random.default_rng(3)
    truth = np.arange(300) < 20
    wide = pd.DataFrame({"example": np.arange(300), "truth": truth})
    for name in "ab":
        wide[name] = truth & (rng.random(300) < 0.7)
    notes = ef.judge(wide, measure="recall").notes
    assert "recall rests on only 20 of 300 examples here, so the test is liberal." in map(
        str, notes
    )
    assert not any("rests on" in str(note) for note in ef.judge(wide, measure="accuracy").notes)


def _runs_inside(**columns: Any) -> pd.DataFrame:
    index = pd.MultiIndex.from_product(
        [list("ab"), range(5), range(3)], names=["algorithm", "fold", "run"]
    )
    frame = index.to_frame(index=False)
    return frame.assign(value=np.random.default_rng(8).random(len(frame)), **columns)


def test_runs_inside_folds_are_averaged_and_said() -> None:
    frame = _runs_inside()
    c = ef.judge(frame, n=100, higher_is_better=True)
    means = frame.groupby(["algorithm", "fold"], as_index=False).value.mean()
    plain = ef.judge(means, n=100, higher_is_better=True)
    assert c.estimate.value == pytest.approx(float(plain.estimate.value))
    assert c.estimate.standard_error == pytest.approx(float(plain.estimate.standard_error))
    assert any("means over the 3 runs inside folds" in str(note) for note in c.notes)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (_runs_inside()[1:], "equally many runs of every algorithm in all folds but it has 2 to 3"),
        (pd.concat([_runs_inside()] * 2), "on every split but some come twice"),
        (
            _runs_inside(truth=1, prediction=1, example=0).drop(columns="value"),
            r"runs inside folds but no column 'value'\. Give the value of every row",
        ),
    ],
)
def test_runs_inside_folds_that_cannot_be_averaged(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message):
        ef.judge(frame, n=100, measure=None if "value" not in frame else "accuracy")


def test_data_sets_with_holes_are_kept_where_asked() -> None:
    values = RNG.normal(size=(14, 3)) + np.array([0.0, 2.0, 4.0])
    table = pd.DataFrame(
        [
            {"algorithm": name, "dataset": f"d{i}", "value": values[i, j]}
            for i in range(14)
            for j, name in enumerate("abc")
            if (i, name) not in {(0, "a"), (1, "b"), (2, "c"), (3, "c")}
        ]
    )
    asked: dict[str, Any] = {"measure": "squared", "higher_is_better": False}
    with pytest.raises(ef.EvenfoldError, match="Pass on_missing='drop' or 'keep'"):
        ef.judge(table, **asked)
    c: Any = ef.judge(table, on_missing="keep", **asked)
    assert len(c.facts.data_sets) == 14
    assert [pair.wins + pair.ties + pair.losses for pair in c.pairs] == [12, 11, 11]
    holes = values.copy()
    for i, j in [(0, 0), (1, 1), (2, 2), (3, 2)]:
        holes[i, j] = np.nan
    assert c.facts.ranks == pytest.approx(ef.infer.mean_ranks(holes))
    assert [one.name for one in c.ranking] == ["a", "b", "c"]
    assert "the test of Skillings and Mack" in str(c)
    assert "4 values are missing on 4 of 14 data sets" in str(c.notes[0])
    assert "<svg" in c.to_html()
    with pytest.raises(
        ef.EvenfoldError, match="on_missing must be 'refuse' or 'drop' where there is one"
    ):
        ef.judge({"a": [1, 0, 1, 1], "b": [1, 1, 1, 0]}, rows="examples", on_missing="keep")


@pytest.mark.parametrize("positives", [1, 29, 30])
def test_too_few_of_a_class_have_no_area(positives: int) -> None:
    p = np.random.default_rng(0).random(60)
    table = pd.DataFrame(
        {
            "algorithm": np.repeat(["a", "b"], 30),
            "example": np.tile(np.arange(30), 2),
            "truth": np.tile(np.arange(30) < positives, 2).astype(int),
            "prediction": (p > 0.5).astype(int),
            "p:0": 1 - p,
            "p:1": p,
        }
    )
    with pytest.raises(
        ef.NotApplicable, match=r"'auc' has no value here: .* at least 2 of each are needed\.$"
    ):
        ef.judge(table, measure="auc", positive=1)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-6, 7e5])
@pytest.mark.parametrize("n", [5, 30])
def test_equal_differences_of_a_measure_without_range_are_as_sure_as_their_signs(
    n: int, scale: float
) -> None:
    """B = A + 0.1 everywhere had p = 0 from three examples on, and verdicts depended on units."""
    a = scale * np.random.default_rng(n).random(n)
    c = ef.judge({"a": a, "b": a + 0.1 * scale}, rows="examples", higher_is_better=False)
    assert c.pairs[0].pvalue == pytest.approx(stats.binomtest(n, n).pvalue)
    low, high = interval(c)
    assert (low > 0) == (n == 30)
    assert (low + high) / 2 == pytest.approx(0.1 * scale)
    assert c.verdict.outcome is (Outcome.WORSE if n == 30 else Outcome.INCONCLUSIVE)


@pytest.mark.parametrize("level", [0.05, 0.1])
def test_a_two_sided_margin_is_tost_at_half_the_level(level: float) -> None:
    """Equivalent where both one-sided t-tests of the margin reject at level/2, as statsmodels."""
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(60):
        a = rng.normal(size=40)
        b = a + rng.normal(0.05, 0.3, size=40)
        c = ef.judge(
            {"a": a, "b": b}, rows="examples", higher_is_better=False, margin=0.15, level=level
        )
        p = weightstats.ttost_paired(b, a, -0.15, 0.15)[0]
        found.add(c.verdict.outcome is Outcome.EQUIVALENT)
        assert (c.verdict.outcome is Outcome.EQUIVALENT) == (p < level / 2)
    assert found == {True, False}


def _regressors(seed: int, n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    said = {name: truth + rng.normal(size=n) for name in "ab"}
    parts = [
        pd.DataFrame({"algorithm": name, "example": range(n), "truth": truth, "prediction": of})
        for name, of in said.items()
    ]
    return pd.concat(parts)


def test_a_median_of_errors_is_judged_by_resampling_and_the_largest_error_is_not() -> None:
    found = ef.judge(_regressors(0), measure="neg_median_absolute_error")
    frame = _regressors(0)
    own = frame[frame.algorithm == "b"]
    other = frame[frame.algorithm == "a"]
    medians = [np.median(np.abs(one.truth - one.prediction)) for one in (other, own)]
    assert float(found.estimate.value) == pytest.approx(medians[1] - medians[0])
    with pytest.raises(
        ef.NotApplicable, match="an extreme of single examples, as the largest error is"
    ):
        ef.judge(frame, measure="neg_max_error")
    timed = frame.assign(time=frame.example)
    with pytest.raises(ef.NotApplicable, match="The score jumps from example to example"):
        ef.judge(timed, measure="neg_median_absolute_error")


@pytest.mark.parametrize("tables", [10, pytest.param(40, marks=pytest.mark.guarantee)])
def test_equal_medians_of_errors_are_rarely_told_apart(tables: int) -> None:
    found = [
        ef.judge(_regressors(seed), measure="neg_median_absolute_error") for seed in range(tables)
    ]
    told = sum(c.verdict.outcome is not Outcome.INCONCLUSIVE for c in found)
    # .05 of 40 is 2; the jackknife told a quarter of them apart
    assert told <= {10: 3, 40: 7}[tables]


def test_what_two_runs_leave_open_is_said_once() -> None:
    runs = {name: RNG.random((2, 12)) for name in ("a", "b")}
    c = ef.judge(runs, higher_is_better=True, paired=True)
    assert c.estimate.method == "crossed-t"
    assert sum("With two runs" in str(note) for note in c.notes) == 1


def test_mcnemar_says_everywhere_that_it_is_about_examples_that_differ() -> None:
    wrong = {
        "a": [1] * 15 + [0] * 2 + [0] * 83,
        "b": [0] * 15 + [1] * 2 + [0] * 83,
        "c": [1] * 40 + [0] * 60,
    }
    two = ef.judge(
        {name: wrong[name] for name in "ab"}, rows="examples", measure="zero-one", method="mcnemar"
    )
    assert two.value == pytest.approx(-13 / 17)
    assert two.facts.estimand == (
        "P(only B wrong) − P(only A wrong), given that one of them is, for these models, on new "
        "examples"
    )
    assert ">error where they differ, b − a<" in two.to_html()
    several = ef.judge(wrong, rows="examples", measure="zero-one", method="mcnemar")
    assert "Difference in error where they differ with simultaneous 95% CI" in str(several)


def test_mcnemar_refuses_a_margin_and_values_that_are_1_where_right() -> None:
    table = {"a": [1, 0] * 50, "b": [1, 1] * 50}
    asked: Any = {"rows": "examples", "method": "mcnemar"}
    with pytest.raises(ef.NotApplicable, match="a margin is about the measure 'zero-one' on all"):
        ef.judge(table, measure="zero-one", margin=0.02, **asked)
    with pytest.raises(ef.NotApplicable, match="values without predictions are then 1"):
        ef.judge(table, measure="accuracy", **asked)


def _scored(measure: str, layout: str) -> pd.DataFrame:
    """Two models of a rare class, whose scores are far from plain means of examples."""
    rng = np.random.default_rng(0)
    n = 200
    truth = (rng.normal(size=n) > 1).astype(int)
    parts = []
    for name, noise in (("a", 1.0), ("b", 1.5)):
        for run in range(3 if layout == "runs" else 1):
            frame = pd.DataFrame({"algorithm": name, "example": range(n), "truth": truth})
            score = truth + noise * rng.normal(size=n)
            if measure == "roc_auc":
                frame["score"] = score
            else:
                frame["prediction"] = (score > 1).astype(int)
            if layout == "groups":
                frame["group"] = frame.example // 4
            if layout == "runs":
                frame["run"] = run
            parts.append(frame)
    return pd.concat(parts)


@pytest.mark.parametrize("measure", ["roc_auc", "f1", "mcc", "balanced_accuracy"])
@pytest.mark.parametrize("layout", ["examples", "groups", "runs"])
def test_a_gate_on_a_score_has_the_interval_of_the_score(measure: str, layout: str) -> None:
    """The values that stand for its examples may lie outside the range, so no method may use it."""
    frame = _scored(measure, layout)
    asked: Any = {"measure": measure, "positive": 1 if measure in ("roc_auc", "f1") else None}
    plain = ef.judge(frame, **asked)
    gate = ef.judge(frame, margin=0.1, **asked)
    assert gate.interval == plain.interval
    assert gate.facts.method.key == plain.facts.method.key
    not_worse = ef.judge(frame, margin=0.1, alternative="not-worse", **asked)
    assert plain.interval[0] < not_worse.interval[0]
    with pytest.raises(ef.EvenfoldError):
        ef.judge(frame, method="bounded-mean", **asked)


def test_a_score_has_no_values_of_examples_that_a_range_holds() -> None:
    asked: Any = {"measure": "f1", "positive": 1}
    frame = _scored("f1", "examples")
    for method in ("bounded-mean", "item-gate", "anytime"):
        with pytest.raises(ef.NotApplicable, match="needs a mean of values of single examples"):
            ef.judge(frame, method=method, **asked)
    with pytest.raises(ef.EvenfoldError, match="stop_early needs values with a known range"):
        ef.judge(frame, stop_early=True, alternative="not-worse", margin=0.1, **asked)
