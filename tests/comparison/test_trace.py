"""One computation per estimate: every look and every pair asks its method once."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold.infer import family

RNG = np.random.default_rng(2)
N = 90
y = np.tile([0, 1, 1], N // 3)
X = RNG.normal(size=(N, 3)) + 0.4 * y[:, None]
THREE = {"dummy": DummyClassifier(), "bayes": GaussianNB(), "knn": KNeighborsClassifier()}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[Any, ...]]:
    """Count what the methods are asked about losses, for pairs and for single intervals."""
    seen: Counter[tuple[Any, ...]] = Counter()
    monkeypatch.setattr(family, "estimate", _counting(ef.infer.estimate, seen))
    return seen


def _counting(estimate: Any, seen: Counter[tuple[Any, ...]]) -> Any:
    def counted(losses: Any, method: str, **options: Any) -> Any:
        pair = options.get("baseline"), options["challenger"]
        seen[losses.measure, method, *pair, len(losses.partition), options.get("alternative")] += 1
        return estimate(losses, method, **options)

    return counted


def test_each_look_asks_once_about_each_open_pair(calls: Counter[tuple[Any, ...]]) -> None:
    c = ef.compare({name: THREE[name] for name in ("bayes", "knn")}, X, y, random_state=0)
    looks = [key for key in calls if key[2] is not None]
    assert set(calls.values()) == {1}
    at = [key[4] // 2 for key in looks]
    assert at == [m for m in (5, 7, 9, 15, 23, 31) if m <= len(c.partition) // 2]
    assert len(c.facts.pairs[0].path) == len(looks) > 1


@pytest.mark.parametrize("options", [{}, {"design": ef.KFold(5)}, {"adjust": "max-t"}], ids=str)
def test_many_pairs_ask_once_each(calls: Counter[tuple[Any, ...]], options: dict[str, Any]) -> None:
    c = ef.compare(THREE, X, y, random_state=0, **options)
    assert set(calls.values()) == {1}, calls
    two_sided = [key for key in calls if key[2] is not None and key[5] == "two-sided"]
    if c.facts.most_repetitions is None:
        assert len(two_sided) == 3
        alone = [key for key in calls if key[2] is None]
        assert len(alone) == 3  # the intervals of the single algorithms
        assert len(calls) == 6  # one-sided p-values come from the estimates that are there


def test_several_measures_ask_once_each(calls: Counter[tuple[Any, ...]]) -> None:
    ef.compare(
        {name: THREE[name] for name in ("bayes", "knn")}, X, y, measure=["zero-one", "brier"],
        design=ef.Mx2BCV(3), random_state=0,
    )  # fmt: skip
    assert sorted(key[0] for key in calls if key[2] is not None) == ["brier", "zero-one"]
    assert len(calls) == 2
    assert set(calls.values()) == {1}
