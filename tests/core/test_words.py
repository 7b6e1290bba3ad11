"""The one way numbers and names look."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenfold.core.words import (
    decimals,
    format_number,
    interval,
    one_line,
    precision,
    seconds,
    shorten_name,
)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.0, 3, "0.000"), (-0.0213, 3, "−0.021"), (1234.5678, 2, "1234.57"), (3e9, -8, "3.0 × 10⁹"),
     (1e-7, 8, "1.0 × 10⁻⁷"),
     (math.nan, 3, "–"), (0.0, 12, "0"), (-0.0001, 3, "0.000"), (0.5000000012, 10, "0.5000000012")],
)  # fmt: skip
def test_numbers(value: float, digits: int, text: str) -> None:
    assert format_number(value, digits=digits) == text


def test_numbers_of_one_sentence_have_one_precision() -> None:
    """0.00064 and 0.0014 both printed as 0.001, and 369.3 stood beside 5.9e+02."""
    for values, width, texts in [
        ([0.00102, 0.00064, 0.0014], 0.00076, ["0.00102", "0.00064", "0.00140"]),
        ([369.3, 149.2, 589.4], 440.2, ["369", "149", "589"]),
    ]:
        assert [format_number(value, digits=decimals(width)) for value in values] == texts


@given(st.floats(1e-11, 1e11), st.floats(-5, 5), st.floats(0, 1))
def test_the_limits_of_an_interval_never_look_alike(
    width: float, centre: float, place: float
) -> None:
    low = centre * width
    high, value = low + width, low + place * width
    one, two = (format_number(end, digits=decimals(high - low)) for end in (low, high))
    assert one != two
    again = format_number(value, digits=precision(value, low, high))
    read = float(
        again.replace(" × 10", "e").translate(str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789"))
    )
    assert abs(read - value) <= 0.51 * 10.0 ** -decimals(high - low) + 1e-9 * abs(value)


@pytest.mark.parametrize(
    ("low", "high", "neutral", "said"),
    [
        (1e-4, 0.2, 0.0, "0.0001 to 0.200"),
        (1e-12, 0.2, 0.0, "1 × 10⁻¹² to 0.200"),
        (-0.2, -1e-5, 0.0, "−0.200 to −0.00001"),
        (-math.inf, -1e-5, 0.0, "at most −0.00001"),
        (1.00002, 1.3, 1.0, "1.00002 to 1.300"),
        (0.8, 0.99997, 1.0, "0.800 to 0.99997"),
        (-1e-5, 0.2, 0.0, "0.000 to 0.200"),  # it contains 0
        (0.0, 0.2, 0.0, "0.000 to 0.200"),
    ],
)
def test_a_limit_that_excludes_the_neutral_value_does_not_look_like_it(
    low: float, high: float, neutral: float, said: str
) -> None:
    assert interval(low, high, neutral=neutral) == said


def test_what_is_no_interval() -> None:
    assert interval(-math.inf, math.inf) == "unbounded"
    assert interval(math.nan, 1.0) == "–"
    assert seconds(math.nan) == "–"


def test_names_stay_on_one_line() -> None:
    assert one_line("a\nb\tc\x1b[31m") == "a b c\ufffd[31m"
    assert len(shorten_name("x" * 500)) <= 23
