"""
Logs of Inspect: ``.eval`` archives and ``.json`` files, and the frames of ``samples_df``.

Files are read without the package inspect_ai. A frame of ``samples_df`` must include the columns
of the evaluation, which name the model.
"""

from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register, require_finished
from evenfold.read.results import base
from evenfold.read.results.base import LongTable, Reader, ReadingOptions

# inspect_ai counts correct, incorrect, partial and missing answers in this way
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_SCORE = "score_"


@base.register
class InspectSamples(Reader):
    """
    A frame with the columns ``eval_id``, ``id``, ``epoch`` and ``score_*``. Each epoch is a run.

    The algorithm is the column ``model``, which ``samples_df(columns=EvalModel + SampleSummary)``
    includes, or the column that ``columns={"algorithm": …}`` names.
    """

    key = "inspect"
    takes = "a frame of samples_df of inspect_ai"
    of_frames = True

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        frame = base.as_frame(table)
        return frame is not None and {"eval_id", "id", "epoch"} <= set(frame.columns)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frame = base.as_frame(table)
        model = options.columns.get("algorithm", "model")
        if model not in frame.columns:
            refuse(
                "table",
                f"The table must have a column {model!r}, but it has "
                f"{', '.join(map(repr, frame.columns[:6]))}.",
                "Read it with samples_df(columns=EvalModel + SampleSummary).",
            )
        score = _score(frame.columns, options)
        grades = base.column(frame, score)
        columns = {
            role: values
            for role, values in base.by_role(frame, options).items()
            if role in ("group", "weight")
        }
        columns["algorithm"] = base.column(frame, model)
        columns["example"] = base.column(frame, "id")
        columns["run"] = base.column(frame, "epoch")
        columns["value"] = _parse_grades(grades)
        # a score that is a number may be better higher or lower
        higher = set(grades.tolist()) <= set(GRADES) or None
        return LongTable(
            columns=columns, measure=score.removeprefix(_SCORE), higher_is_better=higher
        )


def _score(names: list[str], options: ReadingOptions) -> str:
    scores = [name for name in names if name.startswith(_SCORE)]
    if not scores:
        refuse(
            "table",
            f"The table must have a column {_SCORE}*, but it has "
            f"{', '.join(map(repr, names[:6]))}.",
        )
    known = [name.removeprefix(_SCORE) for name in scores]
    return _SCORE + options.score(known, "The table has several scores.")


def _parse_grades(values: Any) -> Any:
    """Return grades as numbers, in the way inspect_ai counts them. Numbers are not changed."""
    if np.asarray(values).dtype.kind not in "OU":
        return values
    return np.array([_number(value) for value in values], dtype=object)


@register
class InspectLog(LogFormat):
    """
    One evaluation of a model on a task, with the scores of its samples. Each epoch is a run.

    An archive is read by the summaries of its samples, or by the samples if it has no summaries.
    Grades count as in Inspect (C 1, P 1/2, I and N 0). A score that is a mapping becomes one score
    per key.
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
        status = document.get("status")
        require_finished(status == "success", path, f"the status {status!r}")
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
    """Return the scores of a sample. A score that is a mapping becomes one score per key."""
    scores: dict[str, Any] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score["value"] if isinstance(score, dict) else score
        if isinstance(value, dict):
            scores |= {f"{name}/{key}": part for key, part in value.items()}
        else:
            scores[name] = value
    return scores


def _number(value: Any) -> Any:
    """Return the number of a grade, and any other value as it is."""
    if isinstance(value, str):
        return GRADES.get(value, value)
    return value
