import numpy as np
import pytest

from evenfold.core.errors import InvalidInput, NotApplicable
from evenfold.core.losses import Failure, Losses, Quantity, failures_in_words
from evenfold.core.partition import KFOLD, FoldCut, Partition

pytestmark = pytest.mark.quick


def losses(values: list[list[float]], failures: tuple[Failure, ...] = ()) -> Losses:
    array = np.array(values)
    splits = array.shape[1]
    folds = np.arange(2 * splits, dtype=np.uint8) % splits
    return Losses(
        quantity=Quantity(name="squared", lower_is_better=True),
        algorithms=tuple("abc"[: len(array)]),
        partition=Partition(
            kind=KFOLD,
            seed=None,
            cut=FoldCut(folds=folds.astype(np.uint8), n_splits=splits),
            repetition=np.zeros(splits, dtype=int),
            fold=np.arange(splits),
        ),
        values=array,
        failures=failures,
        fit_seconds=np.zeros_like(array),
        predict_seconds=np.zeros_like(array),
    )


def test_differences_are_challenger_minus_baseline() -> None:
    one = losses([[1.0, 2.0], [4.0, 3.0]])
    np.testing.assert_array_equal(one.differences(), [3.0, 1.0])
    np.testing.assert_array_equal(one.differences("a", "b"), [-3.0, -1.0])


def test_failed_cells_are_listed_and_never_averaged() -> None:
    failures = tuple(Failure(algorithm="b", split=j, kind="raised", message="no") for j in range(5))
    one = losses([[1.0] * 5, [np.nan] * 5], failures)
    with pytest.raises(NotApplicable, match="b failed on all 5 splits: no"):
        one.differences()
    one.require_complete("a")
    assert repr(one) == "Losses('squared', algorithms=2, splits=5, failures=5)"


@pytest.mark.parametrize("algorithm", ["c", 2, -1])
def test_unknown_algorithms_are_refused(algorithm: str | int) -> None:
    with pytest.raises(InvalidInput, match="algorithm must be"):
        losses([[1.0], [2.0]]).differences(algorithm)


def test_one_algorithm_against_several_in_a_batch_axis() -> None:
    found = losses([[0.0, 1.0], [0.5, 0.5], [1.0, 3.0]]).against("a", ["b", "c"])
    assert found.algorithms == ("a", "not a")
    assert found.differences().tolist() == [[0.5, -0.5], [1.0, 2.0]]


def test_one_further_reason_is_no_plural() -> None:
    failed = [
        Failure(algorithm="a", split=k, kind="raised", message=f"ValueError: {k}") for k in range(9)
    ]
    for shown in range(1, 9):
        said = failures_in_words(failed[: shown + 1], 9)
        assert "1 other reasons" not in said
    assert "other reason" in failures_in_words(failed, 9)
