"""Test runs of DeepEval: ``test_run_*.json`` and the rolling snapshot ``.latest_run_full.json``."""

from pathlib import Path
from typing import Any

from evenfold.evals.logs._base import (
    Document,
    Item,
    Log,
    LogFormat,
    number_runs,
    register_format,
    text_id,
)


@register_format
class DeepEval(LogFormat):
    """Test cases with the scores of their metrics; cases are matched by what was asked."""

    key = "deepeval"
    program = "DeepEval"
    files = ("test_run_*.json", ".latest_run_full.json")

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        cases = _cases(document)
        return isinstance(cases, list) and "metricsData" in cases[0]

    def read(self, document: Document, path: Path) -> Log:  # noqa: ARG002  (one signature)
        items = (
            Item(example=text_id(case.get("input") or case["name"]), scores=_scores(case))
            for case in _cases(document)
        )
        found = number_runs(items)
        names = {name for item in found for name in item.scores}
        return Log(items=found, higher=frozenset(names))  # thresholds of DeepEval are lower limits


def _cases(document: Document) -> Any:
    """The cases of a test run, which the snapshot wraps."""
    return document.get("testRunData", document)["testCases"]


def _scores(case: dict[str, Any]) -> dict[str, Any]:
    metrics = case.get("metricsData") or []
    return {"success": case.get("success"), **{one["name"]: one.get("score") for one in metrics}}
