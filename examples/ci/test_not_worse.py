"""A gate as a test of your own suite: the candidate must not be worse by more than a margin."""

from pathlib import Path

import evenfold as ef

HERE = Path(__file__).parent


def test_the_candidate_is_not_worse() -> None:
    """Two files of predictions, joined by their ids."""
    files = {"main": HERE / "main.csv", "candidate": HERE / "candidate.csv"}
    c = ef.judge(files, measure="accuracy", margin=0.05, alternative="not-worse")
    assert str(c.verdict.outcome) in ("better", "equivalent", "not worse"), c.verdict.sentence
