"""Errors are sentences with values: what is wrong, about which parameter, and what to do."""

import pickle

import numpy as np
import pytest

from evenfold.core import checks
from evenfold.core.errors import EvenfoldError, InvalidInput, NotApplicable

pytestmark = pytest.mark.quick


def test_the_text_of_an_error_is_its_message_and_its_remedy() -> None:
    with pytest.raises(InvalidInput, match=r"^margin must be at least 0 but got -0\.1\. Use 0\.$"):
        checks.refuse("margin", "margin must be at least 0 but got -0.1.", "Use 0.")
    with pytest.raises(InvalidInput, match=r"^rows must be given\.$"):
        checks.refuse("rows", "rows must be given.")


@pytest.mark.parametrize("parameter", ["margin", None])
def test_an_error_has_its_parts_as_values(parameter: str | None) -> None:
    message = "margin must be known but got 'x'."
    with pytest.raises(InvalidInput) as caught:
        checks.refuse(parameter, message, checks.Advice("Pass ", {"n": 20}, "."))
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.message == message
        assert error.parameter == parameter
        assert error.remedy == "Pass n=20."
        assert isinstance(error.remedy, checks.Advice)
        assert error.remedy.spelled(lambda name, value: f"--{name} {value}") == "Pass --n 20."
        assert str(error) == f"{message} Pass n=20."


def test_an_error_without_a_remedy_has_an_empty_one() -> None:
    with pytest.raises(InvalidInput) as caught:
        checks.refuse("n", "n must be given.")
    assert caught.value.remedy == ""


def test_advice_about_advice_names_all_parameters() -> None:
    drop = checks.Advice("pass ", {"on_missing": ("drop", "keep")})
    both = checks.Advice("Add them, or ", drop, ". {braces} are plain text.")
    assert both == "Add them, or pass on_missing='drop' or 'keep'. {braces} are plain text."
    assert (
        both.spelled(lambda name, _: name)
        == "Add them, or pass on_missing. {braces} are plain text."
    )


def test_advice_spells_what_only_the_user_knows_and_tables_of_columns() -> None:
    advice = checks.Advice({"n": checks.ELLIPSIS}, {"columns": {"value": checks.ELLIPSIS}})
    assert advice == "n=columns={'value': …}"
    assert advice.parts == ({"n": checks.ELLIPSIS}, {"columns": {"value": checks.ELLIPSIS}})


def test_errors_are_one_tree_and_value_errors_stay_value_errors() -> None:
    assert issubclass(InvalidInput, EvenfoldError)
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(NotApplicable, EvenfoldError)


class _Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "'x'"),
        (np.float64(0.5), "0.5"),
        (np.zeros((3, 2)), "an array of shape (3, 2)"),
        (list(range(100)), str(list(range(100)))[:77] + "..."),
        ([10**5000], "a value of type list"),
        (_Mute(), "a value of type _Mute"),
    ],
)
def test_a_value_is_shown_in_one_short_line(value: object, text: str) -> None:
    assert checks.short_repr(value) == text


def test_a_message_is_one_line() -> None:
    with pytest.raises(InvalidInput, match=r"^x must be unlike a b but got 1\.$"):
        checks.refuse("x", "x must be unlike a\n  b but got 1.")
    with pytest.raises(InvalidInput, match=r"^path must be a path but got 'a\\n\\x1b\\x00'\.$"):
        checks.path("path", "a\n\x1b\0")


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers_of_any_kind_pass(value: object) -> None:
    assert checks.integer("m", value, low=1, high=3) == 3


@pytest.mark.parametrize("value", [0, 4, 2.0, True, "3", None, np.bool_(True), np.float64(2)])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"^m must be an integer from 1 to 3 but got "):
        checks.integer("m", value, low=1, high=3)


@pytest.mark.parametrize(
    ("value", "count"), [(7, 7), (0.7, 7), (2 / 3, 7), (0.29, 3), (np.float64(0.5), 5)]
)
def test_a_size_is_a_count_or_a_fraction(value: float, count: int) -> None:
    assert checks.size("train_size", value, n=10) == count


@pytest.mark.parametrize("value", [0, 10, 1.0, 0.0, -0.5, 0.01, 0.99, "half", True, float("nan")])
def test_sizes_that_leave_a_side_empty_are_refused(value: object) -> None:
    with pytest.raises(
        InvalidInput, match=r"^train_size must be an integer from 1 to 9 or a fraction"
    ):
        checks.size("train_size", value, n=10)


def test_one_of_names_the_nearest() -> None:
    assert checks.one_of("balance", "labels", ["labels", "groups"]) == "labels"
    with pytest.raises(InvalidInput, match=r"Did you mean 'labels'\?$"):
        checks.one_of("balance", "label", ["labels", "groups"])
    measures = ["zero-one", "balanced_accuracy", "accuracy", "accuracy"]
    for asked in ("acc", "Accuracy"):
        with pytest.raises(
            InvalidInput, match=r"Did you mean 'accuracy'( or 'balanced_accuracy')?\?$"
        ):
            checks.one_of("measure", asked, measures)
    with pytest.raises(InvalidInput, match=r"got 7\.$"):
        checks.one_of("balance", 7, ["labels", "groups"])


def test_a_vector_has_one_value_per_example_and_no_nan() -> None:
    assert checks.vector("y", ["a", "b"], n=2).tolist() == ["a", "b"]
    with pytest.raises(
        InvalidInput, match=r"y must be one value per example \(3\) but got shape \(2,\)"
    ):
        checks.vector("y", [1, 2], n=3)
    with pytest.raises(InvalidInput, match="nan at position 1"):
        checks.vector("y", [1.0, np.nan], n=2)


@pytest.mark.parametrize(
    ("name", "names", "question"),
    [
        ("mx2-tt", ["mx2-t", "mcnemar"], "Did you mean 'mx2-t'?"),
        ("ACC", ["accuracy", "zero-one"], "Did you mean 'accuracy'?"),
        ("label", ["labels", "labels", "label-"], "Did you mean 'labels' or 'label-'?"),
        ("", ["labels"], ""),
        ("xyz", ["labels"], ""),
    ],
)
def test_near_names_are_asked_for(name: str, names: list[str], question: str) -> None:
    assert checks.did_you_mean(name, names) == question


def test_a_near_name_may_be_shown_with_what_stands_before_it() -> None:
    assert checks.did_you_mean("jbs", ["jobs"], prefix="--") == "Did you mean '--jobs'?"


def test_an_unknown_name_is_refused_with_the_known_ones_or_their_number() -> None:
    with pytest.raises(InvalidInput) as caught:
        checks.refuse_unknown("way", "x", ["left", "right"], also=" or a map", remedy="Turn.")
    assert str(caught.value) == "way must be one of 'left', 'right' or a map but got 'x'. Turn."
    many = [f"name {i}" for i in range(30)]
    with pytest.raises(InvalidInput, match=r"^way must be one of 30 names but got 'nam'\. Did "):
        checks.refuse_unknown("way", "nam", many)


@pytest.mark.parametrize(
    ("rows", "fault", "remedy"),
    [
        ([[0.25, 0.75], [1.0, 0.0]], "", ""),
        ([[0.2504, 0.75], [1.0, 0.0]], "", ""),
        ([[25.0, 75.0]], "25 in row 0", "Divide percentages by 100."),
        ([[0.5, 0.5], [-0.5, 1.5]], "-0.5 in row 1", ""),
        ([[0.5, np.nan]], "nan in row 0", ""),
        ([[0.5, 0.5], [0.5, 0.25]], "a sum of 0.75 in row 1", ""),
    ],
)
def test_rows_that_are_no_probabilities_are_described(
    rows: list[list[float]], fault: str, remedy: str
) -> None:
    assert checks.probability_fault(np.array(rows)) == (fault, remedy)


def test_probabilities_of_some_classes_need_not_sum_to_one() -> None:
    some = np.array([[0.5, 0.25]])
    assert checks.probability_fault(some, whole=False) == ("", "")
    assert checks.probability_fault(some + 0.5, whole=False)[0] == "a sum of 1.75 in row 0"
