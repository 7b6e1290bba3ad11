"""Which class counts as positive."""

import re
from typing import Any

from evenfold.core.checks import refuse
from evenfold.run.data import Target


def positive_class(positive: Any, target: Target) -> Any:
    """Return the class that counts as positive: the one given, or the larger of 0/1, −1/1, False/True."""
    labels = target.classes.tolist()
    if positive is not None:
        if positive not in labels:
            refuse("positive", f"one of the labels {labels[:10]}", positive)
        return labels[labels.index(positive)]
    if labels in ([0, 1], [-1, 1], [False, True]):
        return labels[1]
    remedy = "say which class the measure is about"
    if any(re.match("[BIMES]-", str(label)) for label in labels):
        remedy = "tags of tokens? pass one sequence of tags per sentence"  # tokens are no units: see docs
    refuse("positive", f"one of the labels {labels[:10]}", None, remedy)
