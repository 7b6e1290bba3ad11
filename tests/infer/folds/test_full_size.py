"""The test at nearly the full training size, and the change from half to full."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput, NotApplicable

N, M = 80, 9
RNG = np.random.default_rng(5)
GROUPS = np.repeat(np.arange(20), 4)


def _sides(n: int, m: int = M) -> Any:
    partition = ef.Mx2BCV(m, random_state=0).partition(n)
    sides = np.zeros((m, n), dtype=bool)
    for r in range(m):
        sides[r, partition.test[2 * r]] = True
    return sides


SIDES = _sides(N)


def _losses(runs: int, *, flips: float = 0.5, shifts: float = 0.1, sets: int = 6) -> Any:
    own = 0.1 + 0.5 * RNG.normal(size=(sets, 1, N))
    each = flips * RNG.normal(size=(sets, M + runs, N)) + shifts * RNG.normal(
        size=(sets, M + runs, 1)
    )
    return (own + each)[:, :runs], (own + each)[:, runs:]


@pytest.mark.parametrize(
    ("runs", "shifts", "grouped", "expected"),
    [
        (1, 0.0, False, (-0.151441752825, 0.211447610765, 134.819830872)),
        (1, 0.0, True, (-0.151441752825, 0.172676326995, 36.4151257213)),
        (1, 0.4, False, (0.229855987408, 0.38557358445, 17.4858973213)),
        (1, 0.4, True, (0.229855987408, 0.335542875875, 9.96489852117)),
        (3, 0.0, False, (-0.16998658593, 0.14000578116, 10.2031752214)),
        (3, 0.0, True, (-0.16998658593, 0.163685084042, 13.0023631336)),
        (3, 0.4, False, (-0.398613088519, 0.317725976108, 10.2656884096)),
        (3, 0.4, True, (-0.398613088519, 0.292666814497, 5.81638704744)),
    ],
)
def test_it_has_the_values_of_the_plain_program(
    runs: int, shifts: float, grouped: bool, expected: tuple[float, float, float]
) -> None:
    """Mean, standard error and df of ``papers.sharp.reference.full_size`` for these losses."""
    rng = np.random.default_rng(17)
    losses = (
        rng.normal(size=(M + runs, N))
        + shifts * rng.normal(size=(M + runs, 1))
        + rng.normal(size=N)
    )
    sides = np.repeat(_sides(20), 4, axis=1) if grouped else SIDES
    clusters = GROUPS if grouped else None
    e = ef.infer.full_size_t(losses[:runs], losses[runs:], sides=sides, clusters=clusters)
    assert (e.value, e.standard_error, e.df) == pytest.approx(expected, rel=1e-9)


def test_training_sets_that_matter_widen_it() -> None:
    folds, halves = _losses(1, shifts=0.0)
    still = ef.infer.full_size_t(folds, halves, sides=SIDES)
    shaken = ef.infer.full_size_t(folds, halves + 0.5 * RNG.normal(size=(6, M, 1)), sides=SIDES)
    assert (shaken.standard_error > 1.5 * still.standard_error).all()


def test_without_sides_single_training_examples_are_taken_not_to_matter() -> None:
    folds, halves = _losses(1, shifts=0.0)
    shifts = 0.5 * RNG.normal(size=(2, 6, M, 1))  # each half tests a model of its own
    halves = halves + np.where(SIDES, *shifts)
    e, known = (ef.infer.full_size_t(folds, halves, sides=sides) for sides in (None, SIDES))
    assert e.value == pytest.approx(known.value)
    assert np.median(e.standard_error / known.standard_error) == pytest.approx(1, abs=0.25)
    assert np.max(e.df) < np.max(known.df)


def test_too_few_that_differ_decide_nothing() -> None:
    folds, halves = np.zeros((1, N)), np.zeros((M, N))
    folds[:, :9] = halves[:, :9] = 1.0
    e = ef.infer.full_size_t(folds, halves, sides=SIDES)
    assert "too few examples make the difference" in e.undecided
    folds[:, 9:20] = halves[:, 9:20] = 1.0
    assert ef.infer.full_size_t(folds, halves, sides=SIDES).pvalue < 0.05


def test_data_without_spread_are_said_to_have_none() -> None:
    with pytest.warns(DegenerateData):
        e = ef.infer.full_size_t(np.full((1, N), 0.3), np.full((M, N), 0.3), sides=SIDES)
    assert (float(e.standard_error), float(e.pvalue)) == (0, 0)


@pytest.mark.parametrize(
    ("folds", "halves", "message"),
    [
        (np.zeros((1, N)), np.zeros((2, N)), "halves must be of shape"),
        (np.zeros((1, N - 1)), np.zeros((M, N)), r"folds must be of shape \(r, 80\), like halves"),
        (np.zeros(N), np.zeros((M, N)), "folds must be of shape"),
        (np.zeros((0, N)), np.zeros((M, N)), "folds must be of shape"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(folds: Any, halves: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.full_size_t(folds, halves)


def test_groups_of_another_number_are_refused() -> None:
    folds, halves = _losses(1)
    with pytest.raises(InvalidInput, match="clusters must be"):
        ef.infer.full_size_t(folds, halves, sides=SIDES, clusters=GROUPS[1:])


def test_sides_of_another_shape_are_refused() -> None:
    with pytest.raises(InvalidInput, match="sides must be a bool array of shape"):
        ef.infer.full_size_t(np.zeros((1, N)), np.zeros((M, N)), sides=SIDES[1:])


X = RNG.normal(size=(120, 4))
y = (X @ [1, 1, 0, 0] + RNG.normal(size=120) > 0).astype(int)
TWO = {"tree": DecisionTreeClassifier(), "logit": LogisticRegression()}
DESIGN = ef.design.FoldsAndHalves(10, 9, balance="labels", random_state=0)


def _run(measure: str = "zero-one", algorithms: Any = None, target: Any = y) -> Any:
    partition = DESIGN.partition(120, y=y)
    return ef.run.run(algorithms or TWO, partition, X, target, measures=measure, seed=0)[measure]


@pytest.mark.parametrize("measure", ["zero-one", "log", "brier", "f1", "precision", "auc"])
def test_it_reads_every_measure_that_has_something_per_example(measure: str) -> None:
    losses = _run(measure)
    e: Any = ef.infer.estimate(losses, "full-size-t")
    folds = losses.values[:, losses.partition.about]
    assert e.estimand == "expected difference B − A at training size 108"
    close = 0.1 if measure in ("f1", "precision") else 1e-9  # scores pool the folds
    assert float(e.value) == pytest.approx(float((folds[1] - folds[0]).mean()), abs=close)
    alone: Any = ef.infer.estimate(losses, "full-size-t", challenger=1, baseline=None)
    assert float(alone.value) == pytest.approx(float(folds[1].mean()), abs=close)


def test_it_reads_regressions() -> None:
    numbers = X @ [1.0, 1, 0, 0] + RNG.normal(size=120)
    algorithms = {"near": KNeighborsRegressor(), "line": LinearRegression()}
    e: Any = ef.infer.estimate(_run("squared", algorithms, numbers), "full-size-t")
    assert float(e.value) < 0
    assert float(e.standard_error) > 0


def test_groups_are_clusters() -> None:
    groups = np.repeat(np.arange(30), 4)
    design = ef.design.FoldsAndHalves(10, 9, balance="groups", random_state=0)
    partition = design.partition(120, groups=groups)
    run = ef.run.run(TWO, partition, X, y, groups=groups, seed=0)["zero-one"]
    assert run.clusters is not None
    e: Any = ef.infer.estimate(run, "full-size-t")
    plain: Any = ef.infer.estimate(
        ef.run.run(TWO, partition, X, y, seed=0)["zero-one"], "full-size-t"
    )
    assert float(e.value) == pytest.approx(float(plain.value))
    assert float(e.standard_error) != pytest.approx(float(plain.standard_error))


def test_what_has_no_value_per_example_is_refused() -> None:
    with pytest.raises(NotApplicable, match="needs values per example"):
        ef.infer.estimate(_run("average_precision"), "full-size-t")


def test_a_change_is_the_difference_of_both_sizes() -> None:
    found = ef.infer.size_change(_run())
    assert found.sizes == (60, 108)
    assert float(found.change.value) == pytest.approx(float(found.large.value - found.small.value))
    assert found.small.method == "mx2-influence-t"
    low, high = found.change.confidence_interval()
    assert low < found.change.value < high
    assert found.change.estimand == "change of the difference B − A from training size 60 to 108"


def test_a_change_is_surer_than_two_answers_apart() -> None:
    """What test points have in common drops out."""
    found = ef.infer.size_change(
        _run(algorithms={"bayes": GaussianNB(), "logit": LogisticRegression()})
    )
    assert found.change.standard_error < np.hypot(
        found.small.standard_error, found.large.standard_error
    )


def test_a_change_needs_both_sizes() -> None:
    run = ef.run.run(TWO, ef.KFold(5, random_state=0).partition(120), X, y, seed=0)
    with pytest.raises(NotApplicable, match="needs folds and halvings, not design 'kfold'"):
        ef.infer.size_change(run["zero-one"])
