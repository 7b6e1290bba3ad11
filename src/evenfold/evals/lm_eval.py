"""Samples of the LM Evaluation Harness, ``samples_*.jsonl``, in one or several files per model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenfold.core.checks import refuse
from evenfold.read.results import base
from evenfold.read.results.base import LongTable, Reader, ReadingOptions
from evenfold.read.results.files import join_parts, json_rows, require_lines
from evenfold.read.tables import require_file

# The harness registers these metrics with higher_is_better=True and computes them per document.
_HIGHER = frozenset(
    {"acc", "acc_norm", "acc_mutual_info", "acc_bytes", "exact_match", "likelihood"}
)


@base.register
class HarnessSamples(Reader):
    """
    A mapping of models to the files that ``--log_samples`` wrote, or to the folder that holds them.

    An example is a document of a task. Several tasks are data sets if ``rows="data sets"``.
    Otherwise their documents form one test set. If the samples have several filters, the first
    filter is read, unless ``measure`` names another one, as in ``acc,none``.
    """

    key = "lm-eval"
    takes = "a mapping of model to samples_*.jsonl of lm-evaluation-harness"

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return base.each_is(table, _is_samples)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        rows_of = {model: _rows(source) for model, source in base.name_columns(table).items()}
        _require_same_documents(rows_of)
        name, chosen_filter = _metric(rows_of, options)
        parts = {
            model: _columns(model, rows, name, chosen_filter) for model, rows in rows_of.items()
        }
        if options.rows != "data sets":
            for part in parts.values():
                del part["dataset"]
        return join_parts(parts, measure=name, higher_is_better=name in _HIGHER or None)


def _paths(source: Any) -> list[Path]:
    if isinstance(source, (str, Path)):
        path = Path(source)
        if path.is_dir():
            return sorted(path.rglob("samples_*.jsonl"))
        return [path]
    if isinstance(source, Sequence):
        return [path for part in source for path in _paths(part)]
    return []


def _is_samples(source: Any) -> bool:
    paths = _paths(source)
    return bool(paths) and all(
        path.name.startswith("samples_") and path.suffix == ".jsonl" for path in paths
    )


def _rows(source: Any) -> list[dict[str, Any]]:
    rows = []
    for path in _paths(source):
        require_file(path, "table")
        require_lines(path, binary=False)
        # the last part of the name is the time of the run
        task = path.stem.removeprefix("samples_").rsplit("_", 1)[0]
        rows += [{**row, "task": task} for row in json_rows(path)]
    if not rows or not {"doc_id", "metrics"} <= set(rows[0]):
        refuse(
            "table",
            "Samples must have the keys doc_id and metrics, but these samples lack them.",
            "Run lm-evaluation-harness with --log_samples.",
        )
    return rows


def _metric(
    rows_of: Mapping[str, list[dict[str, Any]]], options: ReadingOptions
) -> tuple[str, str | None]:
    """Return the requested metric and filter, or the only metric and the first filter."""
    first = next(iter(rows_of.values()))[0]
    names = list(first["metrics"])
    requested, _, chosen_filter = (options.measure or "").partition(",")
    of_metric = replace(options, measure=requested or None)
    name = of_metric.score(names, "The samples have several metrics.")
    return name, chosen_filter or first.get("filter")


def _columns(
    model: str, rows: list[dict[str, Any]], name: str, chosen_filter: str | None
) -> dict[str, Any]:
    kept = [row for row in rows if row.get("filter") == chosen_filter]
    if not kept:
        filters = ", ".join(sorted({repr(row.get("filter")) for row in rows}))
        refuse(
            None,
            f"The samples of {model!r} must have the filter {chosen_filter!r}, but they have "
            f"{filters}.",
        )
    return {
        "example": [f"{row['task']}/{row['doc_id']}" for row in kept],
        "dataset": [row["task"] for row in kept],
        "value": [row.get(name) for row in kept],
    }


def _require_same_documents(rows_of: Mapping[str, list[dict[str, Any]]]) -> None:
    """Refuse samples of models in which one document id belongs to two different documents."""
    hashes: dict[str, str] = {}
    for model, rows in rows_of.items():
        for row in rows:
            name = f"{row['task']}/{row['doc_id']}"
            doc_hash = str(row.get("doc_hash"))
            if hashes.setdefault(name, doc_hash) != doc_hash:
                refuse(
                    None,
                    "All models must be evaluated on the same documents, but the samples of "
                    f"{model!r} have another document {name}.",
                )
