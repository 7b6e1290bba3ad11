"""
What users may hand in, for editors and type checkers.

These are promises about types only: what comes in is checked where it is looked at.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike

from evenfold.core.losses import Quantity


class Estimator(Protocol):
    """What learns: ``fit`` and ``predict``, as in scikit-learn."""

    def fit(self, X: Any, y: Any, /) -> Any: ...
    def predict(self, X: Any, /) -> Any: ...


class Splitter(Protocol):
    """What cuts: a design, or a cross-validator of scikit-learn."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[Any]: ...


class Scored(Protocol):
    """What scores: a measure, which knows what it is about."""

    @property
    def quantity(self) -> Quantity: ...


Algorithm = Estimator | Callable[..., Any]
Algorithms = Algorithm | Sequence[Algorithm] | Mapping[str, Algorithm]
OneMeasure = str | Scored | Callable[..., Any]
Measures = OneMeasure | Sequence[OneMeasure] | Mapping[str, OneMeasure]
Splits = str | int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
Seed = int | Generator | RandomState
Version = str | Mapping[str, str]
Side = Literal["two-sided", "greater", "less", "not-worse"]
RowsOfOneDataSet = Literal["examples", "folds", "splits", "runs", "times"]


class JudgeKeywords(TypedDict, total=False):
    """The keywords of ``judge`` on which the kind of its answer does not depend."""

    measure: OneMeasure | Sequence[OneMeasure] | None
    method: str | None
    margin: float
    level: float
    alternative: Side
    baseline: str | None
    adjust: str
    positive: Any
    higher_is_better: bool | None
    columns: Mapping[str, str] | None
    cv: Splits | None
    n: int | None
    paired: bool | None
    horizon: int | None
    on_missing: Literal["refuse", "drop", "keep"]
    stop_early: bool
    random_state: int
    power_at: float | None
    tasks: Literal["pooled", "each"]
    slices: Sequence[str]
    labels: str | None
    scores: str | None


class PlanKeywords(TypedDict, total=False):
    """The keywords of ``plan`` on which the kind of its answer does not depend."""

    sigma: float | None
    n: int | None
    m: int | None
    baseline: str | int
    challenger: str | int
    power: float
    level: float
    alternative: Side
    rho1: float | None
    rho2: float | None
    margin: float
