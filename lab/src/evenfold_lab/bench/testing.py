"""The contract of a test of the benchmark."""

from functools import partial
from typing import Any

import numpy as np

from evenfold.testing import contract, require, works
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.material import Material
from evenfold_lab.bench.populations import BenchPopulation
from evenfold_lab.bench.rivals import Answer, BenchTest
from evenfold_lab.bench.runner import BenchCell

_N = 40
_DATA_SETS = 6
_FAR = 1e6  # a null value that no test can believe


def _draw(rng: np.random.Generator, m: int) -> tuple[Any, Any]:
    X = rng.normal(size=(m, 3))
    return X, X[:, 0] + rng.normal(size=m)


def _draw_classes(rng: np.random.Generator, m: int) -> tuple[Any, Any]:
    X, y = _draw(rng, m)
    return X, (y > 0).astype(float)


_NUMBERS = BenchPopulation(
    key="kit-numbers", draw=_draw, classes=False, pairs=(("mean", "linear"),)
)
_CLASSES = BenchPopulation(key="kit-classes", draw=_draw_classes, pairs=(("majority", "bayes"),))


def check_test(test: Any) -> None:
    """
    Check that a test keeps the rules that the benchmark relies on.

    Parameters
    ----------
    test : BenchTest
        Your test.

    Examples
    --------
    >>> from evenfold_lab import bench
    >>> bench.check_test(bench.TESTS["kfold-t"])
    """
    with contract(getattr(test, "key", type(test).__name__)):
        require(isinstance(test, BenchTest), "it is a BenchTest")
        require(bool(test.key) and " " not in test.key, "its key is one word")
        known = {*kinds.FAMILIES, *test.makes}
        require(bool(test.families), "it names the families of splits that it needs")
        require(set(test.families) <= known, "its families are known, or it makes them")
        for key in test.makes:
            _check_family(test, key)
        cells = [
            BenchCell(population=population, n=_N, tests=(test,), data_sets=_DATA_SETS)
            for population in (_NUMBERS, _CLASSES)
        ]
        answered = [_check_cell(test, cell) for cell in cells if cell.measured()]
        require(any(answered), "it answers for some pair and measure")


def _check_family(test: BenchTest, key: str) -> None:
    make = test.makes[key]
    family = works(lambda: make(_N, np.random.default_rng(0)), f"family {key!r} is made")
    require(family.trains.shape == family.tests.shape, f"{key!r} trains and tests in every split")
    require(family.tests.shape[1:] == (_N,), f"{key!r} has the shape (splits, n)")
    require(
        not ((family.trains > 0) & (family.tests > 0)).any(), f"{key!r} tests nobody who trains"
    )


def _check_cell(test: BenchTest, cell: BenchCell) -> bool:
    """Check a test's answers on one population, and say whether it had any."""
    kept, again = works(cell.fit, "its splits can be fitted")
    rng = np.random.default_rng(0)
    made = {key: make(cell.n, rng) for key, make in cell.makers().items()}
    sizes = {key: (family.n_train, family.n_test) for key, family in made.items()}
    (pair,) = cell.population.pairs
    answered = False
    for measure in cell.measured():
        material = kept.material(
            pair, measure, n=cell.n, classes=cell.population.classes, sizes=sizes
        )
        if material is not None and test.is_for(material) and _is_known(test, material):
            _check_answer(test, material)
            answered = True
    works(lambda: list(cell.rows((kept, again))), "it is judged")
    return answered


def _is_known(test: BenchTest, material: Material) -> bool:
    """Say whether every test set has what the measure needs, as AUC needs both classes."""
    needed = [material.values[key] for key in test.families]
    return all(np.isfinite(values).all() for values in needed)


def _check_answer(test: BenchTest, material: Material) -> None:
    where = f"in the measure {material.measure!r}"
    answer, same = (works(partial(test.answer, material), f"it answers {where}") for _ in range(2))
    require(isinstance(answer, Answer), f"it returns an Answer {where}")
    for name in ("estimate", "low", "high"):
        shape = np.shape(getattr(answer, name))
        require(shape == (_DATA_SETS,), f"{name} has one value for each data set {where}")
    require(answer.fits > 0, f"fits is above 0 {where}")
    require(np.array_equal(answer.estimate, same.estimate), f"it says the same twice {where}")
    known = np.isfinite(answer.low) & np.isfinite(answer.high)
    ordered = (answer.low <= answer.estimate) & (answer.estimate <= answer.high)
    require(ordered[known].all(), f"low ≤ estimate ≤ high {where}")
    if not answer.null_only:
        require(np.all(answer.rejects(_FAR)), f"it rejects what is absurd {where}")
        held = ~np.asarray(answer.rejects(float(answer.estimate[0])), dtype=bool)
        require(bool(held[0]) or not known[0], f"it does not reject its own estimate {where}")
