"""Log files of Inspect: ``.eval`` archives and ``.json`` logs, read without inspect_ai."""

from pathlib import Path
from typing import Any

from evenfold.read.results.logs._base import (
    Document,
    Item,
    Log,
    LogFormat,
    register,
    require_finished,
)

# correct, incorrect, partial, no answer: as inspect_ai
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


@register
class InspectLog(LogFormat):
    """
    One evaluation: its task and model, and its samples with their scores; an epoch is a run.

    Of an archive the summaries of the samples are read, or the samples where there are none. Grades
    are counted as Inspect counts them (C 1, P 1/2, I and N 0); a score that is a mapping has one
    name per key.
    """

    key = "inspect-log"
    program = "Inspect"
    files = ("*.eval", "*.json")
    provisional = False

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        if not isinstance(document, dict) or not isinstance(document.get("eval"), dict):
            return False
        return "model" in document["eval"] and "samples" in document

    def read(self, document: Document, path: Path) -> Log:
        status = str(document.get("status"))
        require_finished(status == "success", path, status)
        about = document["eval"]
        samples = document["samples"] or []
        values = [value for sample in samples for value in _plain_scores(sample).values()]
        graded = bool(values) and all(
            isinstance(value, str) and value in GRADES for value in values
        )
        items = [
            Item(
                example=str(sample["id"]),
                scores={name: _number(value) for name, value in _plain_scores(sample).items()},
                algorithm=str(about["model"]),
                run=int(sample["epoch"]),
                task=str(about.get("task", "")),
            )
            for sample in samples
        ]
        names = {name for item in items for name in item.scores}
        return Log(items=items, higher=frozenset(names) if graded else frozenset())


def _plain_scores(sample: dict[str, Any]) -> dict[str, Any]:
    """The scores of a sample by name; those that hold several values by ``name/key``."""
    found: dict[str, Any] = {}
    for name, score in (sample.get("scores") or {}).items():
        if isinstance(score, dict):
            value = score["value"]
        else:
            value = score
        if isinstance(value, dict):
            found |= {f"{name}/{key}": one for key, one in value.items()}
        else:
            found[name] = value
    return found


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return GRADES.get(value, value)
    return value
