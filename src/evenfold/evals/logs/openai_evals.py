"""Recorded events of OpenAI evals: JSON lines with a spec, events, and a final report."""

from pathlib import Path
from typing import Any

from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register, require_finished


@register
class OpenAiEvals(LogFormat):
    """Events of the type ``match`` (right or wrong) and ``metrics`` (numbers), by sample."""

    key = "openai-evals"
    program = "OpenAI evals"
    files = ("*.jsonl",)

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        return isinstance(document, list) and document[0]["spec"].get("eval_name") is not None

    def read(self, document: Document, path: Path) -> Log:
        spec = document[0]["spec"]
        finished = any("final_report" in row for row in document)
        require_finished(finished, path, "no final report")
        model = ", ".join(map(str, spec.get("completion_fns") or [spec.get("model_name", "")]))
        items = [
            Item(
                example=str(row["sample_id"]),
                scores=_scores(row),
                algorithm=model,
                task=str(spec.get("base_eval") or spec["eval_name"]),
            )
            for row in document
            if row.get("type") in ("match", "metrics")
        ]
        return Log(items=items, higher=frozenset({"correct"}))


def _scores(row: dict[str, Any]) -> dict[str, Any]:
    data = row["data"]
    if row["type"] == "match":
        return {"correct": data["correct"]}
    return {name: value for name, value in data.items() if isinstance(value, (bool, int, float))}
