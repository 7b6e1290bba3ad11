"""A gate as a test of your own suite: the candidate must not be worse by more than a margin."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def test_the_candidate_is_not_worse(gate: Callable[..., Any]) -> None:
    """
    Two files of predictions, joined by their ids.

    Evenfold's pytest plugin has the fixture ``gate``.
    """
    gate(HERE / "main.csv", HERE / "candidate.csv", measure="accuracy", margin=0.05)
