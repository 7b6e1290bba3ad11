"""Test runs of DeepEval: ``test_run_*.json`` and the rolling snapshot ``.latest_run_full.json``."""

from pathlib import Path
from typing import Any

from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register, text_id


@register
class DeepEval(LogFormat):
    """Test cases with the scores of their metrics. Cases are matched by their input."""

    key = "deepeval"
    program = "DeepEval"
    files = ("test_run_*.json", ".latest_run_full.json")

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        cases = _cases(document)
        return isinstance(cases, list) and "metricsData" in cases[0]

    def read(self, document: Document, path: Path) -> Log:  # noqa: ARG002  (one signature)
        items = [
            Item(example=text_id(case.get("input") or case["name"]), scores=_scores(case))
            for case in _cases(document)
        ]
        names = {name for item in items for name in item.scores}
        # every score is better when higher, because the thresholds of DeepEval are lower limits
        return Log(items=items, higher=frozenset(names))


def _cases(document: Document) -> Any:
    """Return the cases of a test run. The rolling snapshot wraps the test run."""
    return document.get("testRunData", document)["testCases"]


def _scores(case: dict[str, Any]) -> dict[str, Any]:
    metrics = case.get("metricsData") or []
    scores = {metric["name"]: metric.get("score") for metric in metrics}
    return {"success": case.get("success"), **scores}
