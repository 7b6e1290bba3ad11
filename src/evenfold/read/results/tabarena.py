"""Result frames of TabArena: one error for every method, data set and fold."""

from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.read.results.base import LongTable, Reader, ReadingOptions, array, as_frame, register
from evenfold.read.results.columns import parse_numbers

_METHODS = ("method", "framework")
_ERROR = "metric_error"


@register
class TabArenaResults(Reader):
    """
    A frame with ``dataset``, ``fold``, ``method`` (or ``framework``) and ``metric_error``.

    The unit is the data set. Its value is the mean error over its folds, which must be the same for
    all methods. All errors must be of one metric.
    """

    key = "tabarena"
    takes = "a result frame of TabArena"
    of_frames = True

    def knows(self, table: Any, options: ReadingOptions) -> bool:
        frame = as_frame(table)
        if frame is None or options.columns:
            return False
        return {"dataset", _ERROR} <= set(frame.columns) and _method_column(frame) is not None

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        frame = as_frame(table)
        metrics = _metrics(frame)
        if len(metrics) > 1:
            refuse(
                "metric",
                f"All rows must have the same metric, but they have {', '.join(metrics)}.",
                "Judge the rows of one metric at a time.",
            )
        measure = f"{metrics[0]} error" if metrics else _ERROR
        if options.measure:
            one_of(
                "measure", options.measure, (measure,)
            )  # the metric itself has another direction
        methods, of_method = _numbered(frame, _method_column(frame))
        datasets, of_dataset = _numbered(frame, "dataset")
        shape = len(methods), len(datasets)
        cell = np.ravel_multi_index((of_method, of_dataset), shape)
        _require_same_folds(frame, of_method, datasets[of_dataset])
        counts = np.bincount(cell, minlength=len(methods) * len(datasets))
        errors = parse_numbers(array(frame, _ERROR))
        there = counts.nonzero()[0]
        method, dataset = np.unravel_index(there, shape)
        return LongTable(
            columns={
                "algorithm": methods[method],
                "dataset": datasets[dataset],
                "value": np.bincount(cell, weights=errors)[there] / counts[there],
            },
            measure=measure,
            higher_is_better=False,
        )


def _require_same_folds(frame: Any, of_method: Any, dataset: Any) -> None:
    """Refuse means over different folds: some folds are harder than others."""
    names = [name for name in ("repeat", "fold") if name in frame.columns]
    folds = zip(*(array(frame, name).astype(str) for name in names), strict=True)
    splits = list(folds) if names else [()] * len(dataset)
    seen: dict[str, dict[int, list[tuple[str, ...]]]] = {}
    for method, name, split in zip(of_method.tolist(), dataset.tolist(), splits, strict=True):
        seen.setdefault(name, {}).setdefault(method, []).append(split)
    for name, by_method in seen.items():
        first, *others = (sorted(each) for each in by_method.values())
        if len(set(first)) < len(first) or any(each != first for each in others):
            refuse(
                "folds",
                f"All methods must have the same folds of data set {name!r}, each once, but their "
                "folds differ.",
                "Keep the folds that all methods have.",
            )


def _method_column(frame: Any) -> str | None:
    return next((name for name in _METHODS if name in frame.columns), None)


def _metrics(frame: Any) -> list[str]:
    if "metric" not in frame.columns:
        return []
    return sorted(map(str, np.unique(array(frame, "metric").astype(str))))


def _numbered(frame: Any, name: str | None) -> tuple[Any, Any]:
    """Return the different values of a column, sorted, and the position of each row's value."""
    return np.unique(array(frame, str(name)).astype(str), return_inverse=True)
