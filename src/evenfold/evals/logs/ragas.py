"""Results of Ragas: the frame of ``to_pandas``, written as a table."""

from pathlib import Path

from evenfold.evals.logs._base import Document, Item, Log, LogFormat, register, text_id

_QUESTION = "user_input"
_INPUTS = {
    "user_input",
    "response",
    "reference",
    "retrieved_contexts",
    "reference_contexts",
    "rubrics",
}


@register
class Ragas(LogFormat):
    """One row per sample and one column per metric. Samples are matched by the user's input."""

    key = "ragas"
    program = "Ragas"
    files = ("*.csv",)

    def knows(self, document: Document, path: Path) -> bool:  # noqa: ARG002  (one signature)
        return {_QUESTION, "response"} <= set(getattr(document, "columns", ()))

    def read(self, document: Document, path: Path) -> Log:  # noqa: ARG002  (one signature)
        metrics = [
            name
            for name in document.columns
            if name not in _INPUTS and not name.startswith("Unnamed")
        ]
        items = [
            Item(example=text_id(row[_QUESTION]), scores={name: row[name] for name in metrics})
            for row in document.rows()
        ]
        return Log(items=items)
