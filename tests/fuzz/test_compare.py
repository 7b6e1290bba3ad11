"""``compare`` asked nonsense: our own error in one line and without a fit, or an answer."""

import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.estimate import PosteriorEstimate, TestEstimate
from evenfold.design import Design

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 8
N = 48
RNG = np.random.default_rng(0)
y = np.tile([0, 1, 1], N // 3)
X = RNG.normal(size=(N, 2)) + y[:, None]
GROUPS = np.repeat(np.arange(6), 8)


class Counting:
    """Predicts by a threshold, with probabilities, and counts how often anything is fitted."""

    fits = 0

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        return {"column": self.column}

    def set_params(self, **values: Any) -> "Counting":
        self.column = values.get("column", self.column)
        return self

    def fit(self, X: Any, y: Any) -> "Counting":
        Counting.fits += 1
        self.classes_ = np.unique(y)
        self.middle = float(np.asarray(X)[:, self.column].mean())
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, self.column] > self.middle).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        p = 1 / (1 + np.exp(-(np.asarray(X)[:, self.column] - self.middle)))
        return np.stack([1 - p, p], axis=1)


ALGORITHMS = {"a": Counting(0), "b": Counting(1)}
NONSENSE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 0.5, 0.05, -0.5, 1e-9, 10**20, np.nan, np.inf, -np.inf, 1j,
    "", "x", b"x", "a", "b", "zero-one", "f1", "log", "mx2-t", "holm", "none", "max-t", "less",
    "not-worse",
    (), [], {}, {"a": 1}, [[]], [[1, 2], [3]], [None], ["zero-one", "zero-one"], ["log", "x"],
    range(N),
    np.array(3), np.zeros((0, 2)), np.zeros(N), np.arange(N), y, X, GROUPS, np.full(N, np.nan),
    np.full((N, 2), np.inf), np.ones((N, 2, 2)), np.arange(N).astype(complex),
    np.arange(N).astype("M8[D]"),
    np.array([None] * N), np.ma.masked_less(np.arange(N), 3), object(), object, len, max, slice(3),
    ef.KFold, ef.KFold(3), ef.Mx2BCV(3), ef.design.Holdout(0.5), Counting, Counting(), lambda t,
    p: t != p,
    np.random.default_rng(0),
)  # fmt: skip
KEYWORDS = (
    "measure", "design", "method", "margin", "level", "alternative", "baseline", "adjust",
    "positive",
    "scheme", "groups", "features", "sample_weight", "random_state", "on_failure", "timeout",
    "version",
)  # fmt: skip


def asked(*positional: Any, **options: Any) -> tuple[Any, int, Exception | None]:
    """What ``compare`` says, how many fits it took, and what it refused with."""
    before = Counting.fits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        try:
            return ef.compare(*positional, **options), Counting.fits - before, None
        except ef.EvenfoldError as refusal:
            return None, Counting.fits - before, refusal


def require_ours(refusal: Exception, fits: int, what: object) -> None:
    text = str(refusal)
    assert text, what
    assert "\n" not in text, what
    assert fits == 0, f"{what}: {fits} fits before {text}"


def test_keywords() -> None:
    rng = np.random.default_rng(1)
    for _ in range(CALLS):
        options = {
            str(rng.choice(KEYWORDS)): NONSENSE[rng.integers(len(NONSENSE))]
            for _ in range(rng.integers(1, 3))
        }
        found, fits, refusal = asked(
            ALGORITHMS, X, y, **({"random_state": 0, "n_jobs": 1} | options)
        )
        if refusal is not None:
            require_ours(refusal, fits, options)
        else:
            assert str(found)
            assert all(
                not np.isnan(pair.value) or pair.outcome == "not applicable"
                for pair in found.facts.pairs
            )


@pytest.mark.parametrize("place", [0, 1, 2])
def test_algorithms_and_data(place: int) -> None:
    for value in NONSENSE:
        given: list[Any] = [ALGORITHMS, X, y]
        given[place] = value
        _, fits, refusal = asked(*given, random_state=0, n_jobs=1)
        if refusal is not None:
            require_ours(refusal, fits, value)


DESIGNS: list[Design] = [
    ef.Mx2BCV(5), ef.BRLT(4, 0.7), ef.KFold(4), ef.design.Holdout(0.6), ef.LeaveOneSourceOut(),
    ef.design.NestedRLT(2, 3, 8),
]  # fmt: skip
ALIKE: list[Design] = [  # they share their methods with one of those
    ef.design.Blocked3x2(), ef.design.Mx2(5), ef.design.RLT(4, 0.7), ef.design.LeaveOneOut(),
    ef.design.NestedKFold(3, 2),
]  # fmt: skip


def _questions(design: Design) -> Iterator[dict[str, Any]]:
    weights = np.linspace(1, 2, N)
    for method in ef.infer.methods():
        for measure in ("zero-one", "brier", "f1", "auc", "accuracy"):
            yield {"method": method, "measure": measure, "design": design}
        yield {"method": method, "design": design, "sample_weight": weights}
        yield {"method": method, "design": design, "adjust": "max-t"}


@pytest.mark.parametrize(
    "design",
    [*DESIGNS, *(pytest.param(one, marks=pytest.mark.guarantee) for one in ALIKE)],
    ids=repr,
)
def test_what_is_refused_costs_no_fit_and_what_is_refused_could_not_be_answered(
    design: Design,
) -> None:
    """
    Every method × design × measure.

    a refusal comes before the first fit, and is no more than due.
    """
    groups = GROUPS if design.uses_groups_now else None
    partition = design.partition(N, groups=groups)
    three = {**ALGORITHMS, "c": Counting(0)}
    runs: dict[Any, Any] = {}
    answered = 0
    for options in _questions(design):
        found, fits, refusal = asked(
            three, X, y, random_state=0, n_jobs=1, groups=groups, positive=1, **options
        )
        if refusal is None:
            answered += 1
            assert found is not None
            continue
        require_ours(refusal, fits, options)
        measure = options.get("measure", "zero-one")
        if "adjust" in options or "sample_weight" in options or design.kind == "nested-rlt":
            continue
        if measure not in runs:
            runs[measure] = ef.run.run(
                three, partition, X, y, measures=measure, seed=0, positive=1
            )[measure]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvenfoldWarning)
            _could_not_be_answered(runs[measure], options["method"], str(refusal))
    assert answered


def _could_not_be_answered(losses: Any, method: str, refusal: str) -> None:
    try:
        found = ef.infer.estimate(losses, method)
    except ef.EvenfoldError:
        return
    decides = isinstance(found, (TestEstimate, PosteriorEstimate))
    assert not decides, f"{method}: {refusal}"


def test_eleven_algorithms_with_all_defaults() -> None:
    many = {f"a{i}": Counting(i % 2) for i in range(11)}
    found, _, refusal = asked(many, X, y, random_state=0, n_jobs=1)
    assert refusal is None
    assert len(found.pairs) == 55
    assert all(0.05 / 55 <= pair.level <= 0.05 for pair in found.pairs)


SETS = {"one": (X, y), "two": (X + 1, y)}
OVER = (
    "measure",
    "design",
    "method",
    "test",
    "margin",
    "level",
    "baseline",
    "positive",
    "random_state",
    "timeout",
)


def test_over_data_sets() -> None:
    rng = np.random.default_rng(2)
    for _ in range(CALLS // 8):
        options = {str(rng.choice(OVER)): NONSENSE[rng.integers(len(NONSENSE))]}
        _refused_or_told(
            ef.across, ALGORITHMS, SETS, **({"random_state": 0, "n_jobs": 1} | options)
        )
    for value in NONSENSE:
        _refused_or_told(ef.across, value, SETS, random_state=0, n_jobs=1)
        _refused_or_told(ef.across, ALGORITHMS, value, random_state=0, n_jobs=1)
        _refused_or_told(
            ef.across, ALGORITHMS, {"one": (X, y), "two": value}, random_state=0, n_jobs=1
        )


PLANNED = (
    "difference",
    "sigma",
    "n",
    "m",
    "power",
    "level",
    "alternative",
    "rho1",
    "rho2",
    "pilot",
    "baseline",
)


def test_plans() -> None:
    rng = np.random.default_rng(3)
    for _ in range(CALLS):
        options: dict[str, Any] = {"difference": 0.05, "sigma": 0.05, "n": 100}
        for _ in range(rng.integers(1, 3)):
            options[str(rng.choice(PLANNED))] = NONSENSE[rng.integers(len(NONSENSE))]
        _refused_or_told(ef.plan, **options)


def _refused_or_told(function: Any, *positional: Any, **options: Any) -> None:
    before = Counting.fits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        try:
            assert str(function(*positional, **options))
        except ef.EvenfoldError as refusal:
            require_ours(refusal, 0 if function is ef.across else Counting.fits - before, options)
