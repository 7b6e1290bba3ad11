"""Predicted labels that are none of the truth's: how labels are written does not make a model wrong."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.inputs.results import Results
from evenfold.core.inputs.task import look_alike
from evenfold.read.results import listed

_REMEDY = "write labels alike, or give a column 'value' that says what is right (1) and wrong (0)"


def require_labels(results: Results) -> None:
    """
    Refuse predictions that are written otherwise than the truth, or of which none is a label of the truth.

    Single other labels are answers, and wrong: a model may say "idk". Where the truth has one label only
    nothing can be said.
    """
    if results.truth is None or results.prediction is None:
        return
    truth = _different(results.truth)
    for a, name in enumerate(results.names):
        said = _different(results.prediction[results.algorithm == a])
        pair = look_alike(said, truth)
        if pair is not None:
            found = f"{pair[0]!r}, which is the truth's {pair[1]!r} but for case and blanks"
            if str(pair[0]).strip().casefold() in ("true", "false"):
                found = f"{pair[0]!r}, where the truth has {pair[1]!r}"
            refuse(f"predictions of {name!r}", "labels as the truth has them", found, _REMEDY)
        if len(truth) > 1 and said and not said & truth:
            found = f"{listed(_in_order(said))}: none of the labels of the truth ({listed(_in_order(truth))})"
            refuse(f"predictions of {name!r}", "labels as the truth has them", found, _REMEDY)


def _different(values: Any) -> set[Any]:
    """The different labels; numbers need no look at every row in Python."""
    return set((np.unique(values) if values.dtype.kind in "iuf" else values).tolist())


def _in_order(labels: Iterable[Any]) -> list[Any]:
    return sorted(labels, key=str)
