"""Reports of skore: the predictions that a comparison, or one report per algorithm, holds."""

from typing import Any

import numpy as np

from evenfold.core.checks import refuse, short_repr
from evenfold.read.results import base
from evenfold.read.results.base import LongTable, Reader, ReadingOptions
from evenfold.read.results.files import join_parts
from evenfold.read.results.frames import places


@base.register
class SkoreReports(Reader):
    """
    A ``ComparisonReport``, or names with a ``CrossValidationReport`` or ``EstimatorReport`` each.

    The examples of a cross-validation are known by their place in the data. The examples of one
    estimator are matched only if ``rows="examples"`` says that the test sets are the same.
    """

    key = "skore"
    takes = "a ComparisonReport of skore, or a mapping of algorithm to its report"

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return base.each_is(_reports(table), _is_report)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        reports = _reports(table)
        return join_parts(
            {name: _columns(report, options) for name, report in base.name_columns(reports).items()}
        )


def _reports(table: Any) -> Any:
    return getattr(table, "reports_", table)


def _is_report(report: Any) -> bool:
    return hasattr(report, "get_predictions") and (
        hasattr(report, "split_indices") or hasattr(report, "y_test")
    )


def _columns(report: Any, options: ReadingOptions) -> dict[str, Any]:
    predicted = report.get_predictions(data_source="test")
    if not hasattr(report, "split_indices"):
        if options.rows != "examples":
            refuse(
                "rows",
                "rows must be 'examples' for reports of one test set but got "
                f"{short_repr(options.rows)}.",
                "Pass rows='examples' if all reports have the same test set.",
            )
        truth = np.asarray(report.y_test)
        return {
            "example": np.arange(len(truth)),
            "truth": truth,
            "prediction": base.mask_to_gaps(predicted),
        }
    pairs = [(np.asarray(train), np.asarray(test)) for train, test in report.split_indices]
    tests = [test for _, test in pairs]
    y = np.asarray(report.y)
    sizes = [len(test) for test in tests]
    columns = {role: np.repeat(ids, sizes) for role, ids in places(tests).items()}
    columns["example"] = np.concatenate(tests)
    columns["truth"] = y[columns["example"]]
    columns["prediction"] = np.concatenate([base.mask_to_gaps(labels) for labels in predicted])
    columns["n_train"] = np.repeat([len(train) for train, _ in pairs], sizes)
    return columns
