"""An error that is about a parameter of a public function names it, as a value."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput

X = np.arange(40.0)[:, None]
y = np.tile([0, 1], 20)
TWO = {"a": DummyClassifier(), "b": DummyClassifier(strategy="uniform")}
TABLE = {"a": [0, 1, 1, 0], "b": [1, 1, 1, 0]}
BOARD = {"a": {"x": 0.1, "y": 0.3}, "b": {"x": 0.2, "y": 0.1}}
JUDGED = (ef.judge, (TABLE,), {"rows": "examples", "measure": "accuracy"})
RANKED = (ef.board, (BOARD,), {"higher_is_better": True})

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        *(
            ((ef.compare, (TWO, X, y), {}), wrong)
            for wrong in (
                {"margin": -1},
                {"level": 7},
                {"alternative": "sideways"},
                {"baseline": "nobody"},
                {"adjust": "somehow"},
                {"method": "nonsense"},
                {"measure": "nonsense"},
                {"design": "nonsense"},
                {"groups": [1, 2]},
                {"sample_weight": [1.0]},
                {"random_state": -3},
                {"n_jobs": 0.5},
                {"on_failure": "shout"},
                {"timeout": -1},
                {"replicability": 3},
                {"max_repetitions": 2},
            )
        ),
        *(
            (JUDGED, wrong)
            for wrong in (
                {"level": 0.95},
                {"margin": "much"},
                {"rows": "columns"},
                {"on_missing": "guess"},
                {"columns": 3},
                {"baseline": "nobody"},
                {"tasks": "some"},
                {"n": 1},
                {"power_at": -1},
            )
        ),
        *((RANKED, wrong) for wrong in ({"level": 7}, {"tasks": "some"}, {"aggregate": "sum"})),
        ((ef.plan, (0.1,), {"n": 100, "sigma": 0.2}), {"sigma": -1}),
        ((ef.plan, (0.1,), {"n": 100, "sigma": 0.2}), {"n": 3}),
        ((ef.plan, (0.1,), {}), {"rows": "columns"}),
        ((ef.load, (), {}), {"path": "no such file.json"}),
        ((ef.runs, (), {}), {"store": "no such store.db"}),
    ],
    ids=lambda one: one[0].__name__ if isinstance(one, tuple) else str(one),
)
def test_the_parameter_of_an_error_is_one_of_the_function(
    call: Call, wrong: dict[str, Any]
) -> None:
    function, arguments, keywords = call
    with pytest.raises(InvalidInput) as found:
        function(*arguments, **{**keywords, **wrong})
    assert found.value.parameter in signature(function).parameters
    assert found.value.parameter == next(iter(wrong))
    assert str(found.value).endswith(found.value.remedy)
