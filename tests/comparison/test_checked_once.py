"""Input is looked at once, however long a run grows."""

from collections import Counter
from typing import Any

import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.comparison import request as asking
from evenfold.run import api

X, y = make_classification(120, random_state=0)
TWO = {"logistic": LogisticRegression(), "bayes": GaussianNB()}


@pytest.mark.parametrize("keywords", [{}, {"design": ef.Mx2BCV(5)}, {"measure": ["log", "auc"]}])
def test_data_and_measures_are_checked_once(
    monkeypatch: pytest.MonkeyPatch, keywords: dict[str, Any]
) -> None:
    calls: Counter[str] = Counter()

    def counted(name: str, function: Any) -> Any:
        def count(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return function(*args, **options)

        return count

    for module in (asking, api):
        for name in ("check_data", "resolve_measures"):
            monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    ef.compare(TWO, X, y, random_state=0, max_repetitions=None, **keywords)
    assert calls == {"check_data": 1, "resolve_measures": 1}
