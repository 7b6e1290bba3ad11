"""What pages say of boards and judges is what the studies found."""

import json
from pathlib import Path

from papers.studies import boards, judges

DOCS = Path(__file__).parents[2] / "docs"


def _said(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


def test_the_coverage_of_rank_sets() -> None:
    kept = json.loads(boards.KEPT.read_text(encoding="utf-8"))
    assert boards.sentence(kept) in _said("leaderboard.md")
    large = [one for one in kept["simulated"] if one["tasks"] >= 6]
    assert min(one["sets"] for one in large) >= 0.90


def test_the_coverage_with_a_judge_and_of_quantiles() -> None:
    kept = json.loads(judges.KEPT.read_text(encoding="utf-8"))
    assert judges.powered_sentence(kept) in _said("judge-is-a-model.md")
    assert judges.quantile_sentence(kept) in _said("judge-is-a-model.md")
