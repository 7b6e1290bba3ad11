"""
Everything a report says, as one plain value: numbers, names and sentences, nothing to compute.

:class:`Facts` is what the corridor hands to the room ``report``. It holds only plain Python values, so it can
be written as JSON and read back.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from evenfold.core.checks import refuse

_SCHEMA = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One look of a sequential test: the estimate after m repetitions and its interval."""

    m: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """The posterior density of one algorithm's score on a grid, with mean and credible interval."""

    name: str
    x: tuple[float, ...]
    density: tuple[float, ...]
    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """
    One question: a challenger against a baseline, or one algorithm alone.

    Attributes
    ----------
    baseline : str or None
        A; None where one algorithm is estimated alone.
    challenger : str
        B, or the single algorithm.
    outcome, sentence : str or None, str
        The verdict; no outcome where one algorithm is estimated alone.
    value, low, high : float
        B − A in the measure's own units (or the algorithm's own value) and its interval; NaN where the
        method was not applicable, infinite limits where the alternative is one-sided.
    level : float
        Error level of the interval, after adjustment for several pairs.
    standard_error, statistic, df, pvalue, adjusted_pvalue : float or None
        Of the test, where the method is one.
    probability : float or None
        Posterior probability that B is better by more than the margin, where the method has a posterior.
    differences : tuple of float
        B − A (or the value) on every split.
    path : tuple of Look
        The looks of a sequential test, else empty.
    curves : tuple of Curve
        Posterior densities of both scores, else empty.
    """

    baseline: str | None
    challenger: str
    outcome: str | None
    sentence: str
    value: float
    low: float
    high: float
    level: float
    standard_error: float | None = None
    statistic: float | None = None
    df: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    probability: float | None = None
    differences: tuple[float, ...] = ()
    path: tuple[Look, ...] = ()
    curves: tuple[Curve, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """
    One of more than two algorithms, by itself.

    Attributes
    ----------
    name : str
        The algorithm.
    value, low, high : float
        Its own value, and an interval that holds together with those of all others; infinite limits where
        the method only compares.
    level : float
        Error level of this interval.
    pvalue : float or None
        Of the hypothesis that no other is better, adjusted for the number of others; None where the method
        has no one-sided test.
    among_best : bool or None
        Whether it is in the confidence set of the best.
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    among_best: bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodFacts:
    """What the registry says of the method that was used."""

    key: str
    estimand: str
    leaning: str
    why: str
    source: str
    recommended: bool
    card: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFacts:
    """Who trained and who was tested; ``certificate`` maps the certificate's attributes, if there is one."""

    name: str
    kind: str
    seed: int | None
    n: int
    n_train: int
    n_test: int
    repetition: tuple[int, ...]
    fold: tuple[int, ...]
    train_sizes: tuple[int, ...]
    test_sizes: tuple[int, ...]
    overlaps: tuple[tuple[int, ...], ...]
    certificate: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CellFailure:
    """One algorithm that gave no usable answer on one split."""

    algorithm: str
    split: int
    kind: str
    message: str
    traceback: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """
    Everything a report says.

    Attributes
    ----------
    measure, measure_words : str
        Name of the measure, and what people call it ("error").
    lower_is_better : bool
        Whether small values are good.
    algorithms : tuple of str
        Names, the baseline first.
    values, fit_seconds : tuple of tuples
        Hold-out value and cost of each algorithm (outer) on each split (inner); NaN where the cell failed.
    level, margin, alternative, adjust
        As asked for.
    most_repetitions : int or None
        M of a sequential test.
    fits, reused, speculative : int
        Cells run now, found in the store, and run ahead without need.
    notes : tuple of str
        Warnings that belong beside the verdict, for example what is wrong with a method.
    call : str
        The call that gives this result again.
    versions : mapping
        Version of each library that mattered.
    run_id : str or None
        Under which the store knows the run.
    created : str
        When, in ISO form.
    candidates : tuple of Candidate
        More than two algorithms one by one, the best value first; else empty.
    """

    measure: str
    measure_words: str
    lower_is_better: bool
    algorithms: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    fit_seconds: tuple[tuple[float, ...], ...]
    level: float
    margin: float
    alternative: str
    adjust: str
    method: MethodFacts
    design: DesignFacts
    pairs: tuple[Pair, ...]
    most_repetitions: int | None
    fits: int
    reused: int
    speculative: int
    failures: tuple[CellFailure, ...]
    notes: tuple[str, ...]
    call: str
    versions: Mapping[str, str]
    run_id: str | None
    created: str
    candidates: tuple[Candidate, ...] = ()

    def to_json(self) -> str:
        """Return all facts as JSON; NaN and infinities are written as strings."""
        return json.dumps({"evenfold": _SCHEMA, **plain(asdict(self))}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Facts":
        """Read back what :meth:`to_json` wrote."""
        found = json.loads(text)
        if not isinstance(found, dict) or found.pop("evenfold", None) != _SCHEMA:
            refuse("text", f"facts of schema {_SCHEMA}", "something else", "write it with to_json")
        facts: Facts = _build(cls, found)
        return facts


_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NESTED: dict[str, type] = {
    "method": MethodFacts,
    "design": DesignFacts,
    "pairs": Pair,
    "path": Look,
    "curves": Curve,
    "failures": CellFailure,
    "candidates": Candidate,
}


def plain(value: Any) -> Any:
    """Turn nested values into what JSON can write; NaN and infinities become strings."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _build(kind: type[Any], found: dict[str, Any]) -> Any:
    return kind(**{f.name: _restored(f.name, found[f.name]) for f in fields(kind) if f.name in found})


def _restored(name: str, value: Any) -> Any:
    nested = _NESTED.get(name)
    if nested is not None:
        return (
            tuple(_build(nested, item) for item in value)
            if isinstance(value, list)
            else _build(nested, value)
        )
    return _numbers(value)


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_numbers(item) for item in value)
    return _NUMBERS.get(value, value) if isinstance(value, str) else value
