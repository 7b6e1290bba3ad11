"""Results of Ragas: the frame of ``to_pandas``, written as a table."""

from pathlib import Path

from evenfold.evals.logs._base import (
    Document,
    Item,
    Log,
    LogFormat,
    number_runs,
    register_format,
    text_id,
)

_ASKED = "user_input"
_GIVEN = {
    "user_input",
    "response",
    "reference",
    "retrieved_contexts",
    "reference_contexts",
    "rubrics",
}


@register_format
class Ragas(LogFormat):
    """One row per sample with a column per metric; samples are matched by what the user put in."""

    key = "ragas"
    program = "Ragas"
    files = ("*.csv",)

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        return {_ASKED, "response"} <= set(getattr(document, "columns", ()))

    def read(self, document: Document, path: Path) -> Log:  # noqa: ARG002  (one signature)
        metrics = [
            name
            for name in document.columns
            if name not in _GIVEN and not name.startswith("Unnamed")
        ]
        rows = document.rows()
        items = (
            Item(example=text_id(row[_ASKED]), scores={name: row[name] for name in metrics})
            for row in rows
        )
        return Log(items=number_runs(items))
