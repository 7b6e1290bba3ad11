"""Samples of the LM Evaluation Harness: ``samples_*.jsonl``, one or several files per model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenfold.core.checks import refuse
from evenfold.read.results.base import (
    LongTable,
    Reader,
    ReadingOptions,
    each_is,
    name_columns,
    register,
)
from evenfold.read.results.files import join_parts, json_rows, require_lines
from evenfold.read.tables import require_file

# What the harness itself registers with higher_is_better=True and computes per document.
_HIGHER = frozenset(
    {"acc", "acc_norm", "acc_mutual_info", "acc_bytes", "exact_match", "likelihood"}
)


@register
class HarnessSamples(Reader):
    """
    A mapping of models to the files that ``--log_samples`` wrote, or to the folder that holds them.

    An example is a document of a task. Several tasks are data sets if ``rows="data sets"``, else
    their documents form one test set. The first of several filters is read, unless ``measure``
    names one, as in ``acc,none``.
    """

    key = "lm-eval"
    takes = "a mapping of model to samples_*.jsonl of lm-evaluation-harness"

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return each_is(table, _is_samples)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        found = {model: _rows(one) for model, one in name_columns(table).items()}
        _require_same_documents(found)
        name, chosen_filter = _metric(found, options)
        parts = {model: _columns(model, rows, name, chosen_filter) for model, rows in found.items()}
        if options.rows != "data sets":
            for part in parts.values():
                del part["dataset"]
        return join_parts(parts, measure=name, higher_is_better=name in _HIGHER or None)


def _paths(one: Any) -> list[Path]:
    if isinstance(one, (str, Path)):
        path = Path(one)
        if path.is_dir():
            return sorted(path.rglob("samples_*.jsonl"))
        return [path]
    if isinstance(one, Sequence):
        return [path for part in one for path in _paths(part)]
    return []


def _is_samples(one: Any) -> bool:
    paths = _paths(one)
    return bool(paths) and all(
        path.name.startswith("samples_") and path.suffix == ".jsonl" for path in paths
    )


def _rows(one: Any) -> list[dict[str, Any]]:
    rows = []
    for path in _paths(one):
        require_file(path, "table")
        require_lines(path, binary=False)
        # the rest is the time of the run
        task = path.stem.removeprefix("samples_").rsplit("_", 1)[0]
        rows += [{**row, "task": task} for row in json_rows(path)]
    if not rows or not {"doc_id", "metrics"} <= set(rows[0]):
        refuse("table", "table must be samples with doc_id and metrics, but these rows lack them.")
    return rows


def _metric(
    found: Mapping[str, list[dict[str, Any]]], options: ReadingOptions
) -> tuple[str, str | None]:
    """The metric and the filter: those asked for, else the only metric and the first filter."""
    first = next(iter(found.values()))[0]
    names = list(first["metrics"])
    asked, _, filtered = (options.measure or "").partition(",")
    name = replace(options, measure=asked or None).score(names, "The samples have several metrics.")
    return name, filtered or first.get("filter")


def _columns(
    model: str, rows: list[dict[str, Any]], name: str, filtered: str | None
) -> dict[str, Any]:
    kept = [row for row in rows if row.get("filter") == filtered]
    if not kept:
        filters = ", ".join(sorted({repr(row.get("filter")) for row in rows}))
        refuse(
            None,
            f"The samples of {model!r} must have the filter {filtered!r}, but they have {filters}.",
        )
    return {
        "example": [f"{row['task']}/{row['doc_id']}" for row in kept],
        "dataset": [row["task"] for row in kept],
        "value": [row.get(name) for row in kept],
    }


def _require_same_documents(found: Mapping[str, list[dict[str, Any]]]) -> None:
    """A document has a hash: equal numbers of other documents are no match."""
    known: dict[str, str] = {}
    for model, rows in found.items():
        for row in rows:
            name = f"{row['task']}/{row['doc_id']}"
            text = str(row.get("doc_hash"))
            if known.setdefault(name, text) != text:
                refuse(
                    None,
                    "All models must be asked about the same documents, but the samples of "
                    f"{model!r} have another document {name}.",
                )
