"""Every method keeps the contract; the kit names the rule that a stranger breaks."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.estimate import Estimand, StudentT
from evenfold.infer._registry import METHODS
from evenfold.infer.inputs import SplitDifferences
from evenfold.testing import BrokenContract, check_method

# What some methods of ours cannot do without, beside sizes and correlations.
NEEDED: dict[str, Any] = {"source": 0, "pair": (0, 1), "low": -100.0, "high": 100.0}


@pytest.mark.parametrize("key", list(ef.infer.methods()))
def test_every_method_keeps_the_contract(key: str) -> None:
    check_method(key, arguments=NEEDED)


@pytest.fixture
def register() -> Iterator[Callable[..., None]]:
    """Register methods for one test."""
    before = dict(METHODS._things)

    def add(formula: Callable[..., Any], **claims: Any) -> None:
        known: dict[str, Any] = {
            "valid": ef.infer.Valid(kinds=(ef.KFold.kind,)),
            "takes": SplitDifferences(),
            "estimand": Estimand(size="n"),
            "depends": "made for a test",
            "source": "a test",
        }
        ef.infer.method("stranger", **{**known, **claims})(formula)

    yield add
    METHODS._things.clear()
    METHODS._things.update(before)


def fair(d: Any) -> ef.infer.Pivot:
    """
    Test a mean.

    *Validity.* None.
    """
    return ef.infer.Pivot(d.mean(axis=-1), d.var(axis=-1), StudentT(3))


def test_one_that_keeps_all_rules_passes(register: Callable[..., None]) -> None:
    register(fair)
    check_method("stranger")


def quoted(d: Any) -> "ef.infer.Pivot":
    """*Validity.* None."""
    return fair(d)


def test_what_a_formula_returns_may_be_quoted(register: Callable[..., None]) -> None:
    register(quoted)
    assert METHODS["stranger"].family == "test"


def silent(d):  # type: ignore[no-untyped-def]  # what is refused
    """*Validity.* None."""
    return fair(d)


def vague(d: Any) -> tuple[float, float]:
    """*Validity.* None."""
    return 0.0, d


@pytest.mark.parametrize(
    ("formula", "said"), [(silent, "nothing"), (vague, r"tuple\[float, float\]")]
)
def test_a_formula_must_say_what_it_returns(
    formula: Callable[..., Any], said: str, register: Callable[..., None]
) -> None:
    with pytest.raises(
        ef.EvenfoldError, match=rf"must be Pivot, Variance or Answer.* but got .*{said}"
    ):
        register(formula)


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(
        BrokenContract, match="method 'nobody' breaks a rule: it is registered under its key"
    ):
        check_method("nobody")


def undocumented(d: Any) -> ef.infer.Pivot:
    """Test a mean."""
    return fair(d)


def raising(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    raise ZeroDivisionError(d)


def missing(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    return fair(d)._replace(value=d.mean(axis=-1) * np.nan)


def wandering(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    return fair(d)._replace(value=d.mean(axis=-1) + np.random.default_rng().normal())


def flattening(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    return ef.infer.Pivot(d.mean(), d.var(), StudentT(3))


def mixing(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    return fair(d)._replace(variance=d.mean(axis=-1) * 0 + d.var())


def scribbling(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    d -= 1.0
    return fair(d)


def dividing(d: Any) -> ef.infer.Pivot:
    """*Validity.* None."""
    with np.errstate(invalid="ignore"):
        return fair(d)._replace(value=np.ptp(d, axis=-1) / np.ptp(d, axis=-1))


def asking(d: Any, *, secret: float) -> ef.infer.Pivot:
    """*Validity.* None."""
    return fair(d * secret)


@pytest.mark.parametrize(
    ("formula", "claims", "rule"),
    [
        (fair, {"depends": ""}, "why says something"),
        (fair, {"exact": "so it is"}, "it leans one way, not exact and depends"),
        (undocumented, {}, "a note on validity"),
        (raising, {}, r"it answers what its input invents \(ZeroDivisionError"),
        (missing, {}, "no number of the answer is NaN"),
        (wandering, {}, "the same data give the same answer"),
        (flattening, {}, "one answer per data set"),
        (mixing, {}, "several data sets are answered as one by one"),
        (scribbling, {}, "the same data give the same answer"),
        (dividing, {}, "data that are alike have an answer without NaN"),
        (asking, {}, "the kit is given secret"),
    ],
)
def test_every_broken_rule_is_named(
    formula: Callable[..., Any], claims: dict[str, Any], rule: str, register: Callable[..., None]
) -> None:
    register(formula, **claims)
    with pytest.raises(BrokenContract, match=rule):
        check_method("stranger")


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (lambda *_, **__: 3.0, "it returns an estimate"),
        (lambda *_, **__: ef.infer.mx2_v1([[0.1, 0.2], [0.3, 0.1]]), "it returns a test"),
        (lambda *_, **__: ef.infer.kfold_t([0.1, 0.2, 0.4]), "the estimate knows its method"),
    ],
)
def test_a_wrong_answer_is_named(
    answer: Callable[..., Any], rule: str, register: Callable[..., None]
) -> None:
    register(fair)
    answer.__doc__ = "*Validity.* None."
    vars(answer)["__signature__"] = signature(ef.infer.kfold_t)
    METHODS._things["stranger"] = replace(METHODS["stranger"], function=answer)
    with pytest.raises(BrokenContract, match=rule):
        check_method("stranger")
