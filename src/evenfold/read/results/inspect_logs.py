"""Frames of Inspect logs: ``samples_df`` of inspect_ai, joined with evals for the model's name."""

from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.read.results._base import Given, Long, Reader, register
from evenfold.read.results._columns import as_frame, by_role, column

# correct, incorrect, partial, no answer: as inspect_ai
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_SCORE = "score_"


@register
class InspectSamples(Reader):
    """
    A frame with ``eval_id``, ``id``, ``epoch`` and ``score_*``; an epoch is a run.

    The algorithm is the column ``model`` (``samples_df(columns=EvalModel + SampleSummary)``), else
    the one that ``columns={"algorithm": …}`` names.
    """

    key = "inspect"
    takes = "a frame of samples_df of inspect_ai"

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        frame = as_frame(table)
        return frame is not None and {"eval_id", "id", "epoch"} <= set(frame.columns)

    def read(self, table: Any, given: Given) -> Long:
        frame = as_frame(table)
        model = given.columns.get("algorithm", "model")
        if model not in frame.columns:
            remedy = "read it with samples_df(columns=EvalModel + SampleSummary)"
            refuse("table", f"have a column {model!r}", ", ".join(frame.columns[:6]), remedy)
        score = _score(frame.columns, given)
        grades = column(frame, score)
        columns = {
            **{
                role: values
                for role, values in by_role(frame, given).items()
                if role in ("group", "weight")
            },
            "algorithm": column(frame, model),
            "example": column(frame, "id"),
            "run": column(frame, "epoch"),
            "value": _parse_grades(grades),
        }
        if set(grades.tolist()) <= set(_GRADES):  # of numbers nobody said it
            higher = True
        else:
            higher = None
        return Long(columns=columns, measure=score.removeprefix(_SCORE), higher_is_better=higher)


def _score(names: list[str], given: Given) -> str:
    scores = [name for name in names if name.startswith(_SCORE)]
    if not scores:
        refuse("table", f"have a column {_SCORE}*", ", ".join(names[:6]))
    known = [name.removeprefix(_SCORE) for name in scores]
    return _SCORE + given.score(known, "the table has several scores")


def _parse_grades(values: Any) -> Any:
    """Grades as numbers, the way inspect_ai counts them; numbers stay."""
    if np.asarray(values).dtype.kind not in "OU":
        return values
    return np.array(
        [_GRADES.get(one, one) if isinstance(one, str) else one for one in values], dtype=object
    )
