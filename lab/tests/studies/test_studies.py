"""Every study: known answers, the same draws however they are computed, refusals."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning, InvalidInput
from evenfold.infer.theory.covariance import normal_mean
from evenfold_lab import draws as drawing
from evenfold_lab.cuts import CHUNK
from evenfold_lab.draws import DesignRequest, Draws, Effort, draw
from evenfold_lab.estimators import lda, naive_bayes
from evenfold_lab.populations import (
    BlockExchangeable,
    GaussianHoldouts,
    HierarchicalSources,
    MeanLine,
)
from evenfold_lab.shelf import ChunkShelf
from evenfold_lab.studies._base import prepare
from evenfold_lab.studies.answers import chance_alone, design_request, equalise, judge
from evenfold_lab.world import World

SMALL: Any = {"n": 40, "replications": 60, "random_state": 0}


def test_the_exact_oracle_is_recovered() -> None:
    found = ef.lab.correlations("normal-mean", n=40, m=3, replications=4000, random_state=0)
    assert abs(found.rho1 - 8 / 46) < 4 * found.rho1_se
    assert abs(found.rho2 - 45 / 92) < 4 * found.rho2_se
    variance = next(row for row in found.rows if row["quantity"] == "variance")
    assert abs(variance["value"] - 4 * 46 / 40**2) < 4 * variance["se"]


def test_components_make_up_the_covariance() -> None:
    """F at n/4 from σ², ω, γ, τ (R19 eq. 2.10 corrected) is ρ2·variance."""
    found = ef.lab.correlations("normal-mean", n=40, m=3, replications=4000, random_state=1)
    value = {row["quantity"]: row["value"] for row in found.rows}
    f = ef.infer.covariance.OverlapCovariance.from_losses(
        n_train=20, n_test=20, **{name: value[name] for name in ("sigma2", "omega", "gamma", "tau")}
    )
    assert float(f(10)) == pytest.approx(value["rho2"] * value["variance"], rel=0.05)


def test_the_covariance_curve_is_the_exact_one() -> None:
    found = ef.lab.covariance("normal-mean", n=40, replications=4000, random_state=0)
    exact = normal_mean(40)
    for row in found.rows:
        assert abs(row["f"] - exact(row["overlap"])) < 4 * row["f_se"]
        assert abs(row["g"] - exact.two_fold(row["overlap"])) < 4 * row["g_se"]
    assert abs(found.quadratic.alpha1 - exact.alpha1) < 4 * found.quadratic_se[1]


def test_the_order_of_designs_is_found() -> None:
    """
    R19 theorem 2.3: random halves vary most, then random m×2, then m×2 BCV.

    Here its conditions hold.
    """
    study = ef.lab.variance("normal-mean", n=16, replications=6000, random_state=0)
    reduction = [row["reduction"] for row in study.rows]
    assert reduction[0] == 0
    assert 0 < reduction[1] < reduction[2]


def test_sizes_on_gaussian_holdouts_are_known() -> None:
    keys = ["5x2-t-independent", "5x2-t-mean", "5x2-t", "mx2-t"]
    study = ef.lab.type1("gaussian-holdouts", methods=keys, replications=4000, random_state=0)
    size = {row["method"]: (row["size"], row["se"]) for row in study.rows}
    for key, known in zip(keys, (0.05, 0.05, 0.028, 0.0), strict=True):
        assert abs(size[key][0] - known) < 4 * size[key][1]


def test_coverage_and_size_are_two_sides() -> None:
    covered = ef.lab.coverage("mean-line", methods=["mx2-t", "5x2-t"], **SMALL)
    errs = ef.lab.type1("mean-line", methods=["mx2-t", "5x2-t"], **SMALL)
    for one, other in zip(covered.rows, errs.rows, strict=True):
        assert one["coverage"] == pytest.approx(1 - other["size"])
    assert covered.reference == 0.95


def test_power_rises_and_begins_at_the_size() -> None:
    study = ef.lab.power("mean-line", methods=["5x2-combined-t"], **SMALL)
    found = [row["power"] for row in study.rows]
    assert (
        found[0] == ef.lab.type1("mean-line", methods=["5x2-combined-t"], **SMALL).rows[0]["size"]
    )
    assert found[-1] > 0.8
    true = ef.lab.power(
        "mean-line", methods=["5x2-combined-t"], vary={"slope": [0.0, 20.0]}, **SMALL
    )
    assert [row["slope"] for row in true.rows] == [0.0, 20.0]
    assert true.rows[1]["power"] > 0.9
    assert true.rows[0]["difference"] > 0 > true.rows[1]["difference"]


def test_fits_and_replicability() -> None:
    study = ef.lab.fits("mean-line", methods=["mx2-sequential-t", "mx2-t"], **SMALL)
    assert study.rows[0]["least"] >= 12
    assert study.rows[1]["fits"] == 36
    again = ef.lab.replicability("mean-line", methods=["5x2-t", "mx2-t"], partitions=3, **SMALL)
    for row in again.rows:
        assert 1 / 3 <= row["replicability"] <= 1


def test_fits_are_first_of_all_those_of_the_default() -> None:
    study = ef.lab.fits("mean-line", **SMALL | {"replications": 4})
    assert [row["method"] for row in study.rows][:2] == [
        ef.infer.recommended("mx2-bcv"),
        ef.infer.recommended("mx2-bcv", sequential=True),
    ]


def test_replicability_by_hand() -> None:
    """One of three partitions rejects: one agreeing pair of three."""
    study = ef.lab.replicability("mean-line", methods=["5x2-combined-t"], partitions=3, **SMALL)
    rejected = [
        judge(Draws(losses=losses), "5x2-combined-t", null=0.0).rejected
        for losses in study.draws.values()
    ]
    pairs = [(0, 1), (0, 2), (1, 2)]
    by_hand = np.mean([np.mean(rejected[i] == rejected[j]) for i, j in pairs])
    assert study.rows[0]["replicability"] == pytest.approx(by_hand)


def _world(**changes: Any) -> World:
    line = MeanLine()
    return World(**{"population": line, "algorithms": line.algorithms(), "measure": "squared",
                    "n": 24,
                    "seed": 3, **changes})  # fmt: skip


WANTED = [
    DesignRequest(design=ef.Mx2BCV(3), examples=True),
    DesignRequest(design=ef.design.RLT(4, 0.5)),
]


def test_the_same_draws_on_one_and_two_workers_and_for_more_replications() -> None:
    alone = draw(_world(), WANTED, 2 * CHUNK + 3, Effort(n_jobs=1))
    both = draw(_world(), WANTED, CHUNK + 3, Effort(n_jobs=2))
    for a, b in zip(alone, both, strict=True):
        np.testing.assert_array_equal(a.losses.values[:, : CHUNK + 3], b.losses.values)


def test_an_interrupted_study_goes_on_with_identical_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "lab.db"
    whole = draw(_world(), WANTED, 3 * CHUNK, Effort())
    chunk = drawing._chunk
    computed = []

    def interrupted(
        world: Any, one: DesignRequest, which: int, number: int, cuts: Path | None
    ) -> Any:
        computed.append((which, number))
        if len(computed) == 4:
            raise KeyboardInterrupt
        return chunk(world, one, which, number, cuts)

    monkeypatch.setattr(drawing, "_chunk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        draw(_world(), WANTED, 3 * CHUNK, Effort(store=store))
    monkeypatch.setattr(drawing, "_chunk", chunk)
    shelf = ChunkShelf(store)
    assert sum(len(shelf.find(one.key(_world()), 3)) for one in WANTED) >= 2
    shelf.close()
    resumed = draw(_world(), WANTED, 3 * CHUNK, Effort(store=store))
    for a, b in zip(whole, resumed, strict=True):
        np.testing.assert_array_equal(a.losses.values, b.losses.values)
    monkeypatch.setattr(drawing, "_chunk", lambda *_: pytest.fail("everything was there"))
    again = draw(_world(), WANTED, 3 * CHUNK, Effort(store=store))
    assert again[0].losses.examples is not None
    np.testing.assert_array_equal(again[0].losses.values, whole[0].losses.values)


def test_other_settings_have_other_keys() -> None:
    line = MeanLine()
    worlds = [_world(), _world(seed=4), _world(n=28), _world(measure="absolute"), _world(recut=1),
              _world(population=MeanLine(slope=2.0)),
              _world(algorithms=line.algorithms()[::-1])]  # fmt: skip
    keys = {
        one.key(world) for world in worlds for one in (*WANTED, DesignRequest(design=ef.Mx2BCV(3)))
    }
    assert len(keys) == 3 * len(worlds)


def test_batched_losses_answer_like_single_ones() -> None:
    (drawn,) = draw(_world(), [DesignRequest(design=ef.KFold(4), examples=True)], 5, Effort())
    batch: Any = ef.infer.estimate(drawn.losses, "corrected-kfold-t", null=0.3)
    rows = drawn.losses.examples
    assert rows is not None
    for r in range(5):
        d = drawn.losses.values[1, r] - drawn.losses.values[0, r]
        alone = ef.infer.corrected_kfold_t(d, null=0.3)
        assert batch.pvalue[r] == pytest.approx(float(alone.pvalue))
        for j in range(4):
            assert rows[1][j][r].mean() == pytest.approx(drawn.losses.values[1, r, j])


def test_values_are_those_of_scikit_learn() -> None:
    world = _world(
        algorithms=tuple(
            prepare("mean-line", algorithms=[LinearRegression(), Ridge()]).world.algorithms
        )
    )
    (drawn,) = draw(world, [DesignRequest(design=ef.Mx2BCV(3))], 2, Effort())
    sample = world.sample(0)
    for j, (train, test) in enumerate(drawn.losses.partition):
        model = Ridge().fit(sample.X[1, train], sample.y[1, train])
        loss = np.mean((model.predict(sample.X[1, test]) - sample.y[1, test]) ** 2)
        assert drawn.losses.values[1, 1, j] == pytest.approx(loss)


def test_random_designs_are_cut_anew_and_designed_ones_are_not() -> None:
    world = _world()
    sample = world.sample(0)
    assert len(world.partitions(ef.Mx2BCV(3), sample, 0)) == 1
    random = world.partitions(ef.design.RLT(4, 0.5), sample, 0)
    assert len(random) == CHUNK
    assert not np.array_equal(random[0].train[0], random[1].train[0])


def test_a_handicap_makes_two_classifiers_equal() -> None:
    pair = [GaussianNB(), DummyClassifier(strategy="uniform", random_state=0)]
    setup = prepare("two-gaussians", n=60, replications=400, random_state=0, algorithms=pair)
    draws = setup.draw([design_request("mcnemar", ef.design.Holdout(0.5))])[0]
    difference = float(np.mean(draws.losses.values[1] - draws.losses.values[0]))
    assert abs(difference) > 0.01
    equal = equalise(draws.losses, difference, chance_alone([draws.losses], difference))
    d = equal.values[1] - equal.values[0]
    assert abs(d.mean()) < 4 * d.std() / np.sqrt(400)


def test_bootstrap_tests_have_their_reruns() -> None:
    study = ef.lab.type1("mean-line", methods=["bootstrap", "corrected-bootstrap"], n=24,
                         replications=20,
                         random_state=0)  # fmt: skip
    for row in study.rows:
        assert row["fits"] == 2 * 15 * 16


def test_a_method_that_refuses_some_data_sets_says_so() -> None:
    study = ef.lab.type1("two-gaussians", methods={"wong-kfold-matched-t": ef.KFold(2)}, n=40,
                         replications=40, random_state=0)  # fmt: skip
    assert 0 < study.rows[0]["applicable"] <= 1


def test_a_method_that_refuses_all_data_sets_is_left_out_or_says_why() -> None:
    asked: Any = {
        "n": 40,
        "replications": 20,
        "random_state": 0,
        "algorithms": [lda(), naive_bayes()],
    }
    study = ef.lab.type1("two-gaussians", **asked)
    assert "wong-kfold-matched-t" not in {row["method"] for row in study.rows}
    assert len(study.rows) > 15
    with pytest.raises(ef.NotApplicable, match="at least 5 right"):
        ef.lab.type1("two-gaussians", methods=["wong-kfold-matched-t"], **asked)


def test_sources_are_left_out_and_their_truth_has_one_less() -> None:
    study = ef.lab.coverage(HierarchicalSources(sources=5), n=100, replications=60, random_state=0)
    assert [row["method"] for row in study.rows] == [
        "sources-new-t",
        "sources-new-corrected-t",
        "sources-these-t",
        "sources-theta-a-t",
    ]
    assert study.rows[0]["n_train"] == 80
    assert study.rows[0]["coverage"] > 0.8


def test_exchangeable_blocks_go_to_folds() -> None:
    study = ef.lab.type1(BlockExchangeable(within=0.01, between=0.01), methods=["kfold-t"], n=100,
                         replications=200, random_state=0)  # fmt: skip
    assert study.rows[0]["size"] > 0.05
    with pytest.raises(ef.EvenfoldError, match="multiple of 10 folds"):
        ef.lab.type1(BlockExchangeable(), methods=["kfold-t"], n=101, replications=20)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ef.lab.type1("mean-lien"), "population must be one of"),
        (lambda: ef.lab.type1(3), "a name or a Population"),
        (lambda: ef.lab.type1("mean-line", methods=["t"], replications=2), "method must be one of"),
        (lambda: ef.lab.type1("mean-line", level=2.0), "level must be"),
        (lambda: ef.lab.type1("mean-line", algorithms=[1, 2, 3]), "one or two"),
        (lambda: ef.lab.type1("mean-line", measure="log"), "measure must be one of"),
        (lambda: ef.lab.power("mean-line", vary={"hue": [1.0]}), "a parameter of MeanLine"),
        (lambda: ef.lab.power("mean-line", vary={}), "one parameter"),
        (lambda: ef.lab.replicability(GaussianHoldouts()), "cut anew"),
        (lambda: ef.lab.type1(GaussianHoldouts(), methods=["kfold-t"], replications=2), "m×2"),
        (
            lambda: ef.lab.type1(
                GaussianHoldouts(), methods={"bootstrap": ef.Mx2BCV(3)}, replications=2
            ),
            "data",
        ),
        (lambda: ef.lab.variance("mean-line", designs=[]), "at least one design"),
    ],
)
def test_mistakes_are_named_in_one_line(call: Any, message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_results_print_and_draw() -> None:
    studies = [
        ef.lab.type1("mean-line", methods=["mx2-t"], **SMALL),
        ef.lab.power("mean-line", methods=["mx2-t"], **SMALL),
        ef.lab.variance("mean-line", **SMALL),
        ef.lab.covariance("mean-line", **SMALL),
        ef.lab.correlations("mean-line", **SMALL),
    ]
    for study in studies:
        assert study.kind in str(study)
        assert len(study.plot().axes) == 1
        assert len(study.to_frame()) == len(study.rows)
        assert study.about["seed"] == 0
        assert study.draws


def test_one_sided_posteriors_look_to_one_side() -> None:
    """The correlated Bayes t is the corrected resampled t, seen from the other side."""
    asked: Any = {
        "differences": [-60.0, 60.0],
        "alternative": "greater",
        "n": 40,
        "replications": 50,
    }
    both = ["corrected-resampled-t", "bayes-correlated-t"]
    found = [
        row["power"]
        for row in ef.lab.power("mean-line", methods=both, random_state=0, **asked).rows
    ]
    assert found[:2] == pytest.approx(found[2:])
    assert found[0] < 0.1 < 0.9 < found[1]


def test_methods_that_ask_who_was_tested_want_one_cut() -> None:
    for key, design in (("mx2-influence-t", ef.Mx2BCV(3, balance="labels")),
                        ("nested-cv", ef.design.NestedKFold(3, 2, balance="labels"))):  # fmt: skip
        with pytest.raises(ef.NotApplicable, match="cut all data sets alike"):
            ef.lab.type1("two-gaussians", methods={key: design}, n=40, replications=5)


def test_a_study_without_rows_can_be_printed() -> None:
    study = ef.lab.coverage("two-gaussians", methods=["mcnemar"], n=40, replications=20,
                            random_state=0,
                            algorithms=[lda(), naive_bayes()])  # fmt: skip
    assert "no method has an answer" in str(study)


def test_covariance_of_larger_training_sets_is_that_of_the_normal_mean() -> None:
    """
    f(n1) is the variance of one hold-out value, 2ψ⁴(1/n2 + 1/n1)² + … by counting.

    f grows with x.
    """
    found = ef.lab.covariance(
        "normal-mean", n=40, train_size=0.75, replications=4000, random_state=0
    )
    assert [row["overlap"] for row in found.rows] == [20, 21, 22, 23, 25, 26, 27, 28, 30]
    assert "g" not in found.rows[0]
    f = [row["f"] for row in found.rows]
    assert np.all(np.diff(f) > -2 * found.rows[-1]["f_se"])
    # A hold-out value is the mean of n2 squares about a mean with variance 1/n1.
    exact = 2 / 10 * (1 + 1 / 30) ** 2 + 2 * (1 - 1 / 10) / 30**2
    assert abs(f[-1] - exact) < 4 * found.rows[-1]["f_se"]
    assert found.least == 20
    assert found.splits_needed() == 2
    found.plot()
    with pytest.raises(InvalidInput, match="train_size must be at least"):
        ef.lab.covariance("normal-mean", n=40, train_size=0.3)


@pytest.mark.parametrize(
    ("n", "train_size", "n1"),
    [(100, 0.57, 57), (100, 57, 57), (41, 0.5, 20), (43, 0.5, 21), (40, 20, 20)],
)
def test_training_sizes_of_covariances_are_those_of_designs(
    n: int, train_size: float, n1: int
) -> None:
    asked: Any = {"n": n, "train_size": train_size, "replications": 50, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        assert ef.lab.covariance("normal-mean", **asked).n_train == n1


def test_a_covariance_that_falls_first_warns_of_few_splits() -> None:
    """f(x) of the mean is 36x² + n(n − 20)x + 4n² up to a factor: at n = 10 it is least at 1.4."""
    with pytest.warns(
        EvenfoldWarning, match="overlap of 1: with fewer than 3 splits an even design"
    ):
        found = ef.lab.covariance("normal-mean", n=10, steps=5, replications=40_000, random_state=0)
    assert 0.9 < found.least < 1.9
    assert found.splits_needed() == 3


def test_the_oracle_is_told_correlations_that_can_be() -> None:
    """At ρ2 = (1 + ρ1)/2, the edge of what can be, rounding must not take it over."""
    study = ef.lab.type1(
        GaussianHoldouts(rho2=0.5), methods=["mx2-oracle-t"], replications=10_000, random_state=2003
    )
    assert abs(study.rows[0]["size"] - 0.05) < 0.01


def test_values_of_folds_are_for_methods_of_folds() -> None:
    keys = prepare(BlockExchangeable(), n=100).methods_for()
    assert set(keys) == {"kfold-t", "corrected-kfold-t", "bounded-kfold-t"}


def test_designs_have_a_ratio_of_signal_to_noise() -> None:
    study = ef.lab.variance("normal-mean", n=40, replications=400, random_state=0)
    means = {name: np.mean(losses.values) for name, losses in study.draws.items()}
    for row in study.rows:
        assert row["signal"] == pytest.approx(
            means[row["design"]] / np.sqrt(row["variance"]), rel=1e-9
        )


def test_bars_of_a_share_end_at_zero() -> None:
    study = ef.lab.type1("normal-mean", methods=["mx2-t"], **SMALL)
    rare = replace(study, rows=({**study.rows[0], "size": 0.001, "se": 0.01},), reference=None)
    (bars,) = rare.plot().axes[0].collections
    assert bars.get_segments()[0].min() == pytest.approx(0.0)


def test_a_study_whose_methods_refused_all_data_sets_has_an_empty_figure() -> None:
    study = ef.lab.type1("normal-mean", methods=["mx2-t"], **SMALL)
    assert replace(study, rows=()).plot().axes[0].get_yticks().size == 0


def test_a_test_of_two_is_refused_where_there_is_one_algorithm() -> None:
    with pytest.raises(ef.NotApplicable, match="one algorithm here"):
        ef.lab.type1("normal-mean", methods=["mcnemar"], **SMALL)
