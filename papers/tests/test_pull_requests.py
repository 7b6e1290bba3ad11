"""The study of the gate of a pull request: its page, and its decisions."""

import json
from pathlib import Path

import numpy as np
import pytest
from papers.studies.pull_requests import CONFIGURATIONS, KEPT, WORSE, decide, study, table

import evenfold as ef
from evenfold.cli.gate import answer_gate

PAGE = Path(__file__).parents[2] / "docs" / "gate-a-pull-request.md"
ROWS = json.loads(KEPT.read_text(encoding="utf-8"))


def test_the_page_shows_what_the_study_kept() -> None:
    page = PAGE.read_text(encoding="utf-8")
    prose = " ".join(page.split())
    assert table(ROWS) in page
    worst = 100 * max(error for row in ROWS for error in row["errors"].values())
    assert f"{ROWS[0]['pull_requests']} simulated pull requests" in prose
    assert f"The standard error of an entry is at most {worst:.1f} points" in prose


def test_the_error_budget_holds_in_the_kept_results() -> None:
    """What is bad by the margin or more passes in 5% at most; what is unchanged fails as rarely."""
    for row in ROWS:
        errors = row["errors"]
        if row["situation"] == "no change":
            assert row["regression"] <= 0.05 + 3 * errors["3"]
        else:
            assert row["passes"] <= 0.05 + 3 * errors["0"]


def test_the_study_runs_anew() -> None:
    rows = study(2)
    assert len(rows) == len(CONFIGURATIONS) * len(WORSE)
    for row in rows:
        assert sum(float(str(row[key])) for key in ("passes", "undecided", "regression")) == 1


@pytest.mark.parametrize(("fixed", "broke"), [(5, 5), (2, 14), (4, 30), (12, 0)])
def test_a_decision_of_the_study_is_that_of_judge(fixed: int, broke: int) -> None:
    n = 300
    base = np.r_[np.zeros(fixed), np.ones(n - fixed)]
    head = np.r_[np.ones(fixed), np.zeros(broke), np.ones(n - fixed - broke)]
    answer = ef.judge(
        {"base": base, "head": head},
        rows="examples",
        measure="accuracy",
        baseline="base",
        margin=0.04,
        level=0.025,
        alternative="not-worse",
    )
    code, _ = answer_gate(answer.facts, "not-worse", None)
    assert decide(fixed, broke, n, 0.04, 0.025) == code
