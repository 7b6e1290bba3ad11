"""One form of message: parameter, rule, value, remedy."""

import pickle

import numpy as np
import pytest

from evenfold.core import checks
from evenfold.core.errors import EvenfoldError, InvalidInput, NotApplicable

pytestmark = pytest.mark.quick


def test_the_message_names_parameter_rule_value_and_remedy() -> None:
    with pytest.raises(InvalidInput, match=r"^margin must be ≥ 0 but got -0\.1; use 0$"):
        checks.refuse("margin", "≥ 0", -0.1, "use 0")


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("margin", "margin"),
        ("columns['value']", "columns"),
        ("column 'value'", None),
        ("--history", None),
    ],
)
def test_an_error_has_its_parameter_and_remedy_as_values(name: str, parameter: str | None) -> None:
    with pytest.raises(InvalidInput) as found:
        checks.refuse(name, "known", "x", checks.Advice("pass ", {"n": 20}))
    for error in (found.value, pickle.loads(pickle.dumps(found.value))):
        assert error.parameter == parameter
        assert error.remedy == "pass n=20"
        assert isinstance(error.remedy, checks.Advice)
        assert error.remedy.spelled(lambda name, value: f"--{name} {value}") == "pass --n 20"
        assert str(error) == f"{name} must be known but got 'x'; pass n=20"


def test_advice_about_advice_names_all_parameters() -> None:
    drop = checks.Advice("pass ", {"on_missing": ("drop", "keep")})
    both = checks.Advice("add them, or ", drop, ", {braces} are plain text")
    assert both == "add them, or pass on_missing='drop' or 'keep', {braces} are plain text"
    assert (
        both.spelled(lambda name, _: name)
        == "add them, or pass on_missing, {braces} are plain text"
    )


def test_errors_are_one_tree_and_value_errors_stay_value_errors() -> None:
    assert issubclass(InvalidInput, EvenfoldError)
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(NotApplicable, EvenfoldError)


def test_long_values_and_arrays_are_shown_briefly() -> None:
    with pytest.raises(InvalidInput, match=r"got an array of shape \(3, 2\)$"):
        checks.refuse("x", "small", np.zeros((3, 2)))
    with pytest.raises(InvalidInput, match=r"\.\.\.$"):
        checks.refuse("x", "small", list(range(100)))
    # a message is one line
    with pytest.raises(InvalidInput, match=r"^x must be unlike a b but got 1$"):
        checks.refuse("x", "unlike a\n  b", 1)


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
            InvalidInput, match=r"did you mean 'accuracy'( or 'balanced_accuracy')?\?$"
        ):
            checks.one_of("measure", asked, measures)
    with pytest.raises(InvalidInput, match=r"got 7$"):
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
    ("rule", "value", "sentence"),
    [
        ("at least 2", 1, "x must be at least 2 but got 1"),
        ("have a column 'task'", "it has none", "x must have a column 'task' but it has none"),
        ("have one fold", "some have two", "x must have one fold but some have two"),
        ("given with y", None, "x must be given with y"),
        ("given, or y instead", None, "x must be given, or y instead"),
        ("None or a name", None, "x must be None or a name but got None"),
        (
            "folds or splits, not both",
            "a and b",
            "x must be folds or splits, not both, but got a and b",
        ),
        ("one of 'a', 'b'", "c", "x must be one of 'a', 'b' but got 'c'"),
        ("2, of which these were made,", 3, "x must be 2, of which these were made, but got 3"),
    ],
)
def test_a_refusal_is_a_sentence(rule: str, value: object, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        checks.refuse("x", rule, value)
    assert str(refused.value) == sentence
