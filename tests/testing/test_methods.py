"""Every method keeps the contract; the kit names the rule that a stranger breaks."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldDeprecation
from evenfold.core.estimate import Alternative, Estimand, PivotEstimate, StudentT
from evenfold.core.partition import MX2, MX2_BCV
from evenfold.infer import Valid
from evenfold.infer._registry import METHODS
from evenfold.infer.inputs import SplitDifferences
from evenfold.testing import BrokenContract, check_method

# What some methods of ours cannot do without, beside sizes and correlations.
NEEDED: dict[str, Any] = {"source": 0, "pair": (0, 1), "low": -100.0, "high": 100.0}


SLOW = ("crossed-bounded-mean", "bounded-kfold-t")  # as bounded-mean, which is asked at once


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(key, marks=pytest.mark.guarantee) if key in SLOW else key
        for key in ef.infer.methods()
    ],
)
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
        key = claims.pop("key", "stranger")
        ef.infer.method(key, **{**known, **claims})(formula)

    yield add
    METHODS._things.clear()
    METHODS._things.update(before)


def pivot(d: Any) -> ef.infer.Pivot:
    return ef.infer.Pivot(d.mean(axis=-1), d.var(axis=-1), StudentT(3))


def fair(d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided") -> PivotEstimate:
    """
    Test a mean.

    *Validity.* None.
    """
    return pivot(d).test(null, alternative)


def test_one_that_keeps_all_rules_passes(register: Callable[..., None]) -> None:
    register(fair)
    check_method("stranger")


def quoted(d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided") -> "PivotEstimate":
    """*Validity.* None."""
    return fair(d, null=null, alternative=alternative)


def test_what_a_function_returns_may_be_quoted(register: Callable[..., None]) -> None:
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
def test_a_function_must_say_what_it_returns(
    formula: Callable[..., Any], said: str, register: Callable[..., None]
) -> None:
    with pytest.raises(ef.EvenfoldError, match=rf"must be a kind of Estimate but got .*{said}"):
        register(formula)


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(
        BrokenContract, match="method 'nobody' breaks a rule: it is registered under its key"
    ):
        check_method("nobody")


def undocumented(
    d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """Test a mean."""
    return fair(d, null=null, alternative=alternative)


def raising(d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided") -> PivotEstimate:
    """*Validity.* None."""
    raise ZeroDivisionError(d, null, alternative)


def missing(d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided") -> PivotEstimate:
    """*Validity.* None."""
    return pivot(d)._replace(value=d.mean(axis=-1) * np.nan).test(null, alternative)


def wandering(
    d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """*Validity.* None."""
    return (
        pivot(d)
        ._replace(value=d.mean(axis=-1) + np.random.default_rng().normal())
        .test(null, alternative)
    )


def flattening(
    d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """*Validity.* None."""
    return ef.infer.Pivot(d.mean(), d.var(), StudentT(3)).test(null, alternative)


def mixing(d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided") -> PivotEstimate:
    """*Validity.* None."""
    return pivot(d)._replace(variance=d.mean(axis=-1) * 0 + d.var()).test(null, alternative)


def scribbling(
    d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """*Validity.* None."""
    d -= 1.0
    return fair(d, null=null, alternative=alternative)


def dividing(d: Any, *, null: float = 0.0, alternative: Alternative = "two-sided") -> PivotEstimate:
    """*Validity.* None."""
    with np.errstate(invalid="ignore"):
        return (
            pivot(d)._replace(value=np.ptp(d, axis=-1) / np.ptp(d, axis=-1)).test(null, alternative)
        )


def asking(
    d: Any, *, secret: float, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """*Validity.* None."""
    return fair(d * secret, null=null, alternative=alternative)


def deaf(d: Any) -> PivotEstimate:
    """*Validity.* None."""
    return fair(d)


def biased(d: Any, *, null: float = 1.0, alternative: Alternative = "two-sided") -> PivotEstimate:
    """*Validity.* None."""
    return fair(d, null=null, alternative=alternative)


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
        (deaf, {}, "a test takes null and alternative"),
        (biased, {}, "null is 0 and alternative is 'two-sided' by default"),
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
    vars(answer)["__wrapped__"] = ef.infer.kfold_t
    METHODS._things["stranger"] = replace(METHODS["stranger"], function=answer)
    with pytest.raises(BrokenContract, match=rule):
        check_method("stranger")


def shifted_formula(d: Any, *, null: float, side: str, shift: float = 0.0) -> ef.infer.Pivot:
    """*Validity.* As version 0.2 had it."""
    assert (null, side) != (0.0, "less") or shift >= 0
    return pivot(d + shift)


def spread_formula(d: Any) -> ef.infer.Variance:
    """*Validity.* As version 0.2 had it."""
    return ef.infer.Variance(d.var(axis=-1), "none")


def answering_formula(d: Any, *, null: float) -> ef.infer.Answer[PivotEstimate]:
    """*Validity.* As version 0.2 had it."""
    found = fair(d, null=null)
    return ef.infer.Answer(
        PivotEstimate,
        value=found.value,
        standard_error=found.standard_error,
        statistic=found.statistic,
        reference=found.reference,
        flat=found.standard_error == 0,
        n_train=12,
    )


@pytest.mark.parametrize("formula", [shifted_formula, spread_formula, answering_formula])
def test_a_formula_of_version_0_2_still_works_and_warns(
    formula: Callable[..., Any], register: Callable[..., None]
) -> None:
    with pytest.warns(EvenfoldDeprecation, match=f"method {formula.__name__} returns no estimate"):
        register(formula)
    check_method("stranger")


def test_a_formula_of_version_0_2_gives_the_estimate_of_the_plain_function(
    register: Callable[..., None],
) -> None:
    with pytest.warns(EvenfoldDeprecation):
        register(shifted_formula)
    entry = METHODS["stranger"]
    assert entry.options == ("shift",)
    found = entry.function([0.1, 0.2, 0.4], shift=0.5, null=0.2, alternative="greater")
    plain = ef.infer.kfold_t([0.6, 0.7, 0.9])
    assert (found.method, found.null, found.alternative) == ("stranger", 0.2, "greater")
    assert float(found.value) == pytest.approx(float(plain.value))
    with pytest.warns(EvenfoldDeprecation):
        register(answering_formula, key="another")
    answered = METHODS["another"].function([0.1, 0.2, 0.4], null=0.1)
    assert answered.estimand == "expected difference B − A at training size 12"


def test_the_default_design_has_its_former_name_until_the_next_version() -> None:
    with pytest.warns(EvenfoldDeprecation, match="usual= of Valid is called default_design="):
        valid = Valid(kinds=(MX2_BCV, MX2), usual=MX2)
    assert valid == Valid(kinds=(MX2_BCV, MX2), default_design=MX2)
    assert replace(valid, repetitions=5).default_design == MX2
