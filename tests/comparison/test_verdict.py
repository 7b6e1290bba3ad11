"""
Better, worse, equivalent, inconclusive.

From an interval and a margin, in words people can quote.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.losses import Quantity, measure_name
from evenfold.core.note import note
from evenfold.core.verdict import Outcome, Verdict
from evenfold.infer.family import direction_of, outcome_of

pytestmark = pytest.mark.quick

ERROR = Quantity(name="zero-one", words="error", lower_is_better=True, low=0.0, high=1.0)
ABOUT = note("about-models", size=285)
F1 = Quantity(name="f1", words="F1", lower_is_better=False, low=0.0, high=1.0)


def numbers(low: float, high: float, value: float | None = None) -> dict[str, Any]:
    if value is None:
        value = (low + high) / 2 if np.isfinite(low + high) else 0.0
    return {"challenger": "forest", "value": value, "low": low, "high": high, "level": 0.05}


def verdict(
    low: float,
    high: float,
    margin: float = 0.0,
    quantity: Quantity = ERROR,
    value: float | None = None,
    **other: Any,
) -> Verdict:
    worst, best = quantity.improvements(low, high)
    kind = {"one_sided": other.get("one_sided", False), "withheld": other.pop("only_same", False)}
    outcome = other.pop("outcome", outcome_of(worst, best, margin, **kind))
    direction = None if kind["withheld"] else direction_of(quantity, low, high)
    values: dict[str, Any] = {
        **numbers(low, high, value),
        "baseline": "tree",
        "outcome": str(outcome),
        "direction": direction,
        "margin": margin,
        "measure": measure_name(quantity),
        "ratio": quantity.ratio,
        "about": ABOUT,
        "cost": note("cost", fits=16, reused=0),
    }
    said = note("pair", **(values | other))
    return Verdict(outcome=outcome, direction=direction, margin=margin, level=0.05, said=said)


@pytest.mark.parametrize(
    ("low", "high", "margin", "outcome"),
    [
        (-0.03, -0.01, 0.0, Outcome.BETTER),
        (0.01, 0.03, 0.0, Outcome.WORSE),
        (-0.01, 0.03, 0.0, Outcome.INCONCLUSIVE),
        (-0.03, -0.01, 0.01, Outcome.INCONCLUSIVE),
        (-0.03, -0.011, 0.01, Outcome.BETTER),
        (-0.005, 0.004, 0.01, Outcome.EQUIVALENT),
        (-0.01, 0.004, 0.01, Outcome.INCONCLUSIVE),
        (0.0, 0.0, 0.0, Outcome.INCONCLUSIVE),
        (-0.01, 0.01, 0.01, Outcome.INCONCLUSIVE),
        (np.nextafter(-0.01, 1), np.nextafter(0.01, 0), 0.01, Outcome.EQUIVALENT),
        (-0.03, np.nextafter(-0.01, -1), 0.01, Outcome.BETTER),
        (np.nextafter(0.01, 1), 0.03, 0.01, Outcome.WORSE),
        (-np.inf, -0.01, 0.0, Outcome.BETTER),
        (0.01, np.inf, 0.0, Outcome.WORSE),
    ],
)
def test_the_interval_of_the_improvement_decides(
    low: float, high: float, margin: float, outcome: Outcome
) -> None:
    assert verdict(low, high, margin=margin).outcome is outcome
    mirrored = verdict(-high, -low, quantity=F1, margin=margin)
    assert mirrored.outcome is outcome


def test_a_margin_of_zero_never_gives_equivalence() -> None:
    assert verdict(-1e-9, 1e-9, margin=0.0).outcome is Outcome.INCONCLUSIVE


def test_the_sentence_can_be_quoted() -> None:
    cost = note("cost", fits=16, reused=0, m=4, most=9, repeated="repetitions")
    said = str(verdict(-0.034, -0.008, value=-0.021, cost=cost, margin=0.0))
    assert said == (
        "forest is better than tree: its error is lower by 0.021 (95% CI −0.034 to −0.008), for "
        "models "
        "trained on 285 examples; after 4 of at most 9 repetitions, 16 fits."
    )


def test_an_undecided_sentence_says_what_would_decide() -> None:
    said = str(
        verdict(
            -0.03,
            0.01,
            cost=note("cost", fits=36, reused=0, m=9, most=12, repeated="repetitions"),
            undecided=[note("written", text="more data")],
        )
    )
    assert "inconclusive: neither forest nor tree is shown to be better;" in said
    assert "decided after" not in said
    assert said.endswith("; after 9 of at most 12 repetitions, 36 fits; more data.")


def test_margin_posterior_and_bounds_are_said() -> None:
    assert "beyond the margin of 0.01," in str(verdict(-0.05, -0.02, margin=0.01))
    said = str(verdict(0.01, 0.05, quantity=F1, credible=True, probability_better=0.99))
    assert "95% credible interval" in said
    assert "the probability that forest is better is 0.990" in said
    bound = str(verdict(-np.inf, -0.01, value=-0.02, margin=0.0))
    assert "95% bound: at most −0.010" in bound
    assert "equivalent within 0.05:" in str(verdict(-0.01, 0.02, margin=0.05))


def test_one_algorithm_alone() -> None:
    alone = {**numbers(0.03, 0.09, 0.061), "measure": "error", "ratio": False, "unit": ""}
    said = str(note("single", **alone, about=ABOUT))
    assert said.startswith(
        "the error of forest is 0.061 (95% CI 0.030 to 0.090), for models trained on 285"
    )


def test_no_verdict_has_a_reason() -> None:
    said = note("not-applicable", reason="2 fits failed")
    none = Verdict(outcome=Outcome.NOT_APPLICABLE, margin=0.0, level=0.05, said=said)
    assert str(none) == "not applicable: 2 fits failed"


def test_one_precision_per_sentence_by_the_width_of_the_interval() -> None:
    said = str(verdict(-0.0014, -0.00064, value=-0.00102, margin=0.0))
    assert "lower by 0.00102 (95% CI −0.00140 to −0.00064)" in said
    large = str(verdict(149.2, 589.4, value=369.3, quantity=F1, margin=0.0))
    assert "higher by 369 (95% CI 149 to 589)" in large


def test_the_class_and_the_weights_are_said() -> None:
    spam = replace(F1, positive="'spam'", weighted=True)
    said = str(verdict(0.01, 0.05, quantity=spam, margin=0.0))
    assert "its weighted F1 of class 'spam' is higher by" in said


@pytest.mark.parametrize(
    ("low", "high", "margin", "outcome"),
    [
        (0.002, 0.03, 0.0, Outcome.BETTER),
        (0.02, 0.03, 0.01, Outcome.BETTER),
        (-0.005, 0.03, 0.01, Outcome.NOT_WORSE),
        (-0.005, 0.004, 0.01, Outcome.EQUIVALENT),
        (-0.01, 0.03, 0.01, Outcome.INCONCLUSIVE),
        (np.nextafter(-0.01, 1), 0.03, 0.01, Outcome.NOT_WORSE),
        (-0.03, 0.03, 0.01, Outcome.INCONCLUSIVE),
        (-0.03, -0.011, 0.01, Outcome.WORSE),
        (-0.03, -0.01, 0.01, Outcome.INCONCLUSIVE),
    ],
)
def test_not_worse_is_decided_by_the_lower_bound(
    low: float, high: float, margin: float, outcome: Outcome
) -> None:
    """
    Both bounds are one-sided at the level.

    Without that question the same interval is inconclusive.
    """
    found = verdict(low, high, quantity=F1, one_sided=True, margin=margin)
    assert found.outcome is outcome
    other = verdict(low, high, quantity=F1, margin=margin).outcome
    assert other is (Outcome.INCONCLUSIVE if outcome is Outcome.NOT_WORSE else outcome)
    if outcome is Outcome.NOT_WORSE:
        assert str(found).startswith(
            "forest is not worse than tree by more than 0.01: its F1 is higher by"
        )


def test_the_margin_of_a_ratio_is_said_as_a_factor() -> None:
    time = Quantity(name="fit-time", words="fit time", lower_is_better=True, ratio=True)
    said = verdict(0.5, 0.9, quantity=time, margin=float(np.log(1.1))).sentence
    assert "its fit time is 2.01 times that of tree" in said
    assert "beyond the margin of a factor of 1.1, for models" in said


def test_a_difference_of_nothing_is_neither_higher_nor_lower() -> None:
    said = str(verdict(-0.004, 0.004, value=0.0, margin=0.01))
    assert (
        "equivalent within 0.01: the error of forest equals that of tree (95% CI −0.0040 to 0.0040)"
        in said
    )


def test_an_end_beside_zero_does_not_look_like_zero() -> None:
    said = str(verdict(-0.0114, -0.0003, value=-0.006, margin=0.0))
    assert (
        "forest is better than tree: its error is lower by 0.0060 (95% CI −0.0114 to −0.0003)"
        in said
    )


def test_a_difference_that_is_but_rounding_is_none() -> None:
    table = {"a": [0.1, 0.2, 0.3, 0.4, 0.7], "b": [0.2, 0.1, 0.7, 0.3, 0.4]}
    c: Any = ef.judge(table, rows="folds", n=90, higher_is_better=True)
    assert 0 < abs(c.estimate.value) < 1e-16
    assert "the value of b equals that of a (95% CI" in str(c.verdict).replace("\n", " ")


def test_sentence_and_table_have_one_sign() -> None:
    """Both show B − A: an interval of a lower error is negative in the sentence, too."""
    rng = np.random.default_rng(0)
    lower = rng.random(50)
    c = ef.judge({"a": lower + 0.2, "b": lower}, rows="examples", higher_is_better=False)
    assert c.interval[1] < 0
    limits = re.search(r"lower by 0\.2\d* \(95% CI (−\S+) to (−\S+)\)", c.pairs[0].sentence)
    assert limits is not None, c.pairs[0].sentence
    assert f"{limits[1]} to {limits[2]}" in c.to_markdown()
