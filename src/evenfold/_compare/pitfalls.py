"""What data and design give away about a mistake that no inference can mend; said beside the verdict."""

from typing import Any

import numpy as np

from evenfold.design import Design, SourceSizedKFold

_OF_THE_MIX = ("precision", "f1")  # they change with the share of the positive class; recall does not


def pitfalls(y: Any, *, measure: Any, design: Design) -> list[str]:
    """Return a note for each sign of a known mistake."""
    notes = design.cautions(y)
    if isinstance(measure, str) and measure in _OF_THE_MIX and _evened_out(y):
        notes.append(
            "all classes are equally frequent: if they were made so before the split, precision and F1 are "
            "those of data that do not exist; give all rows and draw inside the folds (ef.run.UnderSampled, "
            "--undersample)"
        )
    if isinstance(design, SourceSizedKFold):
        notes.append(
            "these folds ignore the sources, so every model was tested on sources it had trained on: this is "
            "no answer for a new source; LeaveOneSourceOut is"
        )
    return notes


def _evened_out(y: Any) -> bool:
    """Whether all labels occur equally often, which a sample drawn to be even does and nature rarely."""
    labels = np.asarray(y) if not isinstance(y, (list, tuple)) or np.ndim(y[0]) == 0 else None
    if labels is None or labels.ndim != 1:
        return False
    return len(np.unique(np.unique(labels, return_counts=True)[1])) == 1
