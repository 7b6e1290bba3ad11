"""The published schema of a verdict, held against verdicts of every kind."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import evenfold as ef

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "docs" / "_static" / "verdict-3.schema.json").read_text()
)


def _answers() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    right = {name: (rng.random(200) < 0.7).astype(int) for name in "abc"}
    two = {name: right[name] for name in "ab"}
    rows: Any = {"rows": "examples", "measure": "accuracy"}
    return {
        "a difference": ef.judge(two, **rows),
        "a gate": ef.judge(two, margin=0.05, alternative="not-worse", **rows),
        "one-sided": ef.judge(two, alternative="greater", **rows),
        "several pairs": ef.judge(right, **rows),
        "one algorithm": ef.judge({"a": right["a"]}, **rows),
        "values without a range": ef.judge(
            {name: rng.normal(size=50) for name in "ab"}, rows="examples", higher_is_better=True
        ),
    }


@pytest.mark.parametrize("which", range(6))
def test_a_verdict_is_as_its_schema_says(which: int) -> None:
    name, answer = list(_answers().items())[which]
    Draft202012Validator(SCHEMA).validate(json.loads(answer.to_json()))
    assert name


def test_the_schema_itself_is_one_and_can_fail() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    good = json.loads(_answers()["a gate"].to_json())
    faults: list[dict[str, Any]] = [
        {"pairs": [{}]},
        {"evenfold": 2},
        {"level": 0},
        {"alternative": "both"},
    ]
    for broken in faults:
        assert not Draft202012Validator(SCHEMA).is_valid({**good, **broken})
