"""Details of lighteval: ``details_TASK_DATE.parquet``, one row per document."""

import re
from pathlib import Path

from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register, text_id

_NAME = re.compile(r"details_(?P<task>.+)_\d{4}-\d{2}-\d{2}T[^_]*$")


@register
class LightEval(LogFormat):
    """Documents with their metrics. Documents are matched by their query."""

    key = "lighteval"
    program = "lighteval"
    files = ("details_*.parquet",)

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        return {"doc", "metric"} <= set(getattr(document, "columns", ()))

    def read(self, document: Document, path: Path) -> Log:
        match = _NAME.match(path.stem)
        task = match["task"] if match else ""
        items = [
            Item(example=text_id(doc["query"]), scores=dict(metric), task=task)
            for doc, metric in zip(document["doc"], document["metric"], strict=True)
        ]
        return Log(items=items)
