"""Algorithms that were cross-validated on folds of their own (T15 theorem 3)."""

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldError

pytestmark = pytest.mark.filterwarnings("ignore::evenfold.core.errors.FoldsLeftOut")
N = 400


def _table(*, folds: tuple[int, int] = (10, 8)) -> dict[str, np.ndarray]:
    """Ten folds of A and eight others of B, right 75 and 85 times in a hundred."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, N)
    columns: dict[str, list[np.ndarray]] = {
        name: [] for name in ("algorithm", "example", "fold", "truth", "prediction")
    }
    for name, accuracy, K in zip("AB", (0.75, 0.85), folds, strict=True):
        right = rng.random(N) < accuracy
        columns["algorithm"].append(np.repeat(name, N))
        columns["example"].append(np.arange(N))
        columns["fold"].append(rng.permutation(np.arange(N) % K))
        columns["truth"].append(truth)
        columns["prediction"].append(np.where(right, truth, 1 - truth))
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def _wrong(table: dict[str, np.ndarray], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Wrong predictions and sizes of the folds of an algorithm."""
    own = table["algorithm"] == name
    wrong = table["truth"][own] != table["prediction"][own]
    fold = table["fold"][own]
    return np.bincount(fold, weights=wrong), np.bincount(fold)


@pytest.mark.parametrize("key", ["wong-kfold-independent-z", "wong-kfold-independent-t"])
def test_own_folds_are_compared_as_independent(key: str) -> None:
    pandas = pytest.importorskip("pandas")
    table = _table()
    c = ef.judge(pandas.DataFrame(table), paired=False, method=key)
    (a, n_a), (b, n_b) = _wrong(table, "A"), _wrong(table, "B")
    function = getattr(ef.infer, key.replace("-", "_"))
    expected = function(a, b, n_test=n_a, n_test_b=n_b)
    assert c.value == pytest.approx(float(expected.value))
    assert c.pvalue == pytest.approx(float(expected.pvalue))
    assert any("folds of its own" in str(note) for note in c.facts.notes)


def test_the_z_test_is_taken_unless_another_is_asked_for() -> None:
    pandas = pytest.importorskip("pandas")
    c = ef.judge(pandas.DataFrame(_table(folds=(10, 10))), paired=False)
    assert c.estimate.method == "wong-kfold-independent-z"
    assert str(c.verdict.outcome) == "better"
    again = ef.Comparison.from_json(c.to_json())
    assert again.pvalue == c.pvalue


def test_what_cannot_be_compared_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(_table())
    scores = table.assign(value=0.2).drop_duplicates(["algorithm", "fold"])
    scores = scores[["algorithm", "fold", "value"]].assign(n_test=40)
    with pytest.raises(EvenfoldError, match="have a column 'example' where every algorithm has"):
        ef.judge(scores, paired=False, measure="zero-one")
    single = table.assign(fold=table["fold"].where(table["algorithm"] == "A", 0))
    with pytest.raises(EvenfoldError, match="at least two folds of every algorithm"):
        ef.judge(single, paired=False)


def test_folds_of_both_are_still_paired_unless_it_is_said() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(EvenfoldError, match="fold"):
        ef.judge(pandas.DataFrame(_table(folds=(10, 10))))
