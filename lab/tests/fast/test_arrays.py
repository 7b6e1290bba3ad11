"""The fast paths on the strictest array library there is, and the lab on a device."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold_lab import arrays
from evenfold_lab.algorithm import Algorithm, Refitted
from evenfold_lab.arrays import Place, to_numpy
from evenfold_lab.fast import KNN, LDA, OLS, SVM, GaussianNB, Tree, _lacking
from evenfold_lab.masks import Splits

from ._tasks import (
    FORESTS,
    LABEL_TREES,
    LABELS,
    NUMBER_TREES,
    NUMBERS,
    TWO_CLASSES,
    Task,
    on_tests,
    ours,
    refitted,
    task,
)

STRICT = Place.of("array_api_strict")


def _on(place: Place, algorithm: Algorithm, given: Task) -> np.ndarray:
    splits = Splits(trains=place.put(given.splits.trains), tests=place.put(given.splits.tests))
    return on_tests(
        to_numpy(algorithm.predict(place.put(given.X), place.put(given.y), splits)), given.splits
    )


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "algorithm",
    [*NUMBERS, *NUMBER_TREES, *LABELS, *TWO_CLASSES, *LABEL_TREES, *FORESTS],
    ids=lambda a: a.name,
)
def test_every_library_gives_the_same_predictions(algorithm: Algorithm, seed: int) -> None:
    numbers = algorithm in NUMBERS or getattr(algorithm, "criterion", "") == "squared"
    if numbers:
        classes = 0
    else:
        if algorithm in TWO_CLASSES:
            classes = 2
        else:
            classes = 3
    given = task(seed, classes=classes)
    np.testing.assert_allclose(_on(STRICT, algorithm, given), ours(algorithm, given), rtol=1e-9)


def test_distorted_neighbours_and_singular_fits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    given = task(7, classes=3, p=4)
    weighted = KNN(1, metric_weights=(17.25, 0.0, 1.0, 1 / 17.25))
    np.testing.assert_array_equal(_on(STRICT, weighted, given), ours(weighted, given))
    twice = Task(np.concatenate([given.X, given.X[..., :1]], axis=-1), given.y, given.splits)
    singular: list[Algorithm] = [OLS(), LDA()]
    for algorithm in singular:
        np.testing.assert_allclose(_on(STRICT, algorithm, twice), ours(algorithm, twice), rtol=1e-8)
    monkeypatch.setattr(arrays, "ON_DEVICE", 1)  # pieces of one
    pieces: list[Algorithm] = [GaussianNB(), KNN(3), Tree()]
    for algorithm in pieces:
        np.testing.assert_array_equal(_on(STRICT, algorithm, given), ours(algorithm, given))


@pytest.mark.guarantee
@pytest.mark.parametrize(("kernel", "seed"), [("rbf", 0), ("rbf", 1), ("rbf", 2), ("linear", 1)])
def test_support_vector_machines_of_every_kind_are_libsvms(kernel: str, seed: int) -> None:
    """LIBSVM stops at a tolerance too: the predictions of examples at the boundary may differ."""
    given = task(seed, classes=2 + seed)
    for algorithm in (
        SVM(kernel=kernel),
        SVM(C=10.0, kernel=kernel),
        SVM(kernel=kernel, scaled=False),
    ):
        assert np.mean(_on(STRICT, algorithm, given) != refitted(algorithm, given)) <= 0.005


def test_support_vector_machines_are_libsvms() -> None:
    given = task(1, classes=3)
    assert np.mean(_on(STRICT, SVM(), given) != refitted(SVM(), given)) <= 0.005


def test_one_class_alone_is_predicted_by_support_vectors() -> None:
    given = task(0, classes=2)
    one = Task(given.X, np.ones_like(given.y), given.splits)
    assert (_on(STRICT, SVM(), one) == 1).all()
    with pytest.raises(InvalidInput, match="C must be a number above 0"):
        SVM(C=0.0)


def test_estimators_of_scikit_learn_are_fitted_on_the_host() -> None:
    from sklearn.dummy import DummyClassifier

    given = task(0, classes=2)
    algorithm = Refitted(name="dummy", prototype=DummyClassifier())
    np.testing.assert_array_equal(_on(STRICT, algorithm, given), ours(algorithm, given))


def test_what_the_standard_lacks_is_the_same_everywhere() -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([3, 1, 7, 2])
    values = rng.normal(size=13)
    first, segment = _lacking.segments(sizes)
    put = STRICT.put
    for function, told in (
        (_lacking.segment_max, (values, segment, first)),
        (_lacking.put, (values, rng.permutation(13))),
    ):
        here = function(*told)
        np.testing.assert_array_equal(to_numpy(function(*[put(a) for a in told])), here)
    assert [values[s : s + k].max() for s, k in zip(first, sizes, strict=True)] == list(
        _lacking.segment_max(values, segment, first)
    )
    L = np.tril(rng.normal(size=(2, 4, 4))) + 4 * np.eye(4)
    b = rng.normal(size=(2, 4, 1))
    for transposed in (False, True):
        x = _lacking.forward(L, b, transposed=transposed)
        np.testing.assert_allclose((L.swapaxes(1, 2) if transposed else L) @ x, b)
    for count in (2, 5):
        few = _lacking.smallest(values.reshape(1, 13), count)
        np.testing.assert_array_equal(
            to_numpy(_lacking.smallest(put(values.reshape(1, 13)), count)), few
        )
    equals = rng.integers(4, size=(50, 13)).astype(float)
    first = np.argsort(equals, axis=-1, stable=True)
    for count in (1, 5, 12, 13):
        np.testing.assert_array_equal(_lacking.smallest(equals, count), first[:, :count])


STUDIES: dict[str, Any] = {
    "two-gaussians": {"methods": ["mx2-t", "corrected-resampled-t"], "n": 40},
    "sreg": {"methods": ["mx2-influence-t"], "n": 60},
    "imbalanced": {"methods": ["bayes-f1"], "n": 120},
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_the_same_on_a_device(name: str) -> None:
    asked: Any = {**STUDIES[name], "replications": 60, "random_state": 1}
    here = ef.lab.type1(name, **asked)
    there = ef.lab.type1(name, device="array_api_strict", **asked)
    for key, losses in here.draws.items():
        np.testing.assert_allclose(there.draws[key].values, losses.values, rtol=1e-9)
    assert [row["size"] for row in there.rows] == [row["size"] for row in here.rows]


def test_a_device_that_is_not_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"device must be .* pip install"):
        ef.lab.type1("two-gaussians", device="no_such_library")
    assert Place.of("cpu").is_host
    monkeypatch.setattr(arrays, "find_spec", lambda name: None if name == "torch" else object())
    assert arrays._gpu("cuda") == "cupy"
    monkeypatch.setattr(arrays, "find_spec", lambda _: None)
    with pytest.raises(
        InvalidInput, match=r"unless PyTorch or CuPy is installed but got 'cuda'\. Install"
    ):
        Place.of("cuda")


def test_the_lab_needs_no_more_than_numpy_and_scipy_to_fit() -> None:
    """A rented GPU has PyTorch and little else."""
    script = """
import sys
for name in (
    "sklearn", "joblib", "pandas", "sqlalchemy", "matplotlib", "rich", "typer", "threadpoolctl"
):
    sys.modules[name] = None
import evenfold as ef
study = ef.lab.type1("two-gaussians", methods=["mx2-t"], n=40, replications=50, random_state=0,
                     device="array_api_strict")
print(len(study.rows))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "1", done.stderr


def test_data_sets_cut_by_several_processes_are_cut_alike() -> None:
    asked: Any = {"n": 30, "replications": 120, "random_state": 2, "device": "array_api_strict"}
    designs = [ef.design.RLT(3, 0.5), ef.design.Mx2(2)]
    one, two = (
        ef.lab.variance("mean-line", designs=designs, n_jobs=jobs, **asked) for jobs in (1, 2)
    )
    for key, losses in one.draws.items():
        np.testing.assert_array_equal(losses.values, two.draws[key].values)
