"""Calls of ``ef.plan``, from numbers and from a pilot."""

from functools import partial
from typing import Any

import evenfold as ef
from tools.calls import Call
from tools.calls.fitting import NEAR, TWO, compare


def plan_calls() -> dict[str, Call]:
    """Return the plans, by name."""
    cases: dict[str, tuple[float, dict[str, Any]]] = {
        "sigma": (0.02, {"sigma": 0.015, "n": 500}),
        "sigma-power": (0.02, {"sigma": 0.015, "n": 500, "power": 0.9}),
        "sigma-greater": (0.02, {"sigma": 0.015, "n": 500, "alternative": "greater"}),
        "fixed": (0.02, {"sigma": 0.015, "n": 500, "m": 7}),
        "runs": (0.02, {"rows": "runs", "sigma": 0.0096}),
        "examples": (0.1, {"rows": "examples", "sigma": 0.5}),
        "differ": (0.1, {"differ": 0.2}),
        "gate": (0.0, {"differ": 0.04, "margin": 0.1}),
    }
    calls: dict[str, Call] = {
        name: partial(ef.plan, size, **settings) for name, (size, settings) in cases.items()
    }
    calls["pilot"] = partial(_from_pilot, TWO)
    calls["pilot-near"] = partial(_from_pilot, NEAR)
    return calls


def _from_pilot(algorithms: Any) -> Any:
    return ef.plan(0.05, pilot=compare(algorithms))
