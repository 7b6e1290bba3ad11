"""Classes that are too rare to be in every part of a design."""

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np

_PASSES = 16


def rare_classes(y: Any, *, fewer_than: int, surely: bool) -> dict[Any, int]:
    """
    Return the classes with fewer members than that, and how many they have.

    Strings and truth values are classes, whole numbers where there are few different ones, anything else
    only where it is said to be (``surely``): who predicts numbers is not to be warned.
    """
    labels = _labels(y)
    if labels is None or (not surely and labels.dtype.kind not in "biuOUS"):
        return {}
    counts = _counts(labels)
    few = min(len(labels) / 5, max(10, sqrt(len(labels))))
    if not surely and labels.dtype.kind in "iu" and len(counts) > few:
        return {}
    return {label: count for label, count in counts.items() if count < fewer_than}


def _labels(y: Any) -> Any:
    """Return one label per example; None for sequences of tags, tables and what else is no label."""
    try:
        labels = np.asarray(y)
    except ValueError:  # sequences of unequal lengths
        return None
    is_plain = labels.dtype.kind != "O" or all(isinstance(label, (str, bool)) for label in labels)
    return labels if labels.ndim == 1 and is_plain else None


def _counts(labels: Any) -> dict[Any, int]:
    if labels.dtype.kind in "iu" and (low := int(labels.min())) > int(labels.max()) - 2**16:
        counts = np.bincount(labels - low if low else labels)  # needs no hashing
        return {int(code) + low: int(counts[code]) for code in np.flatnonzero(counts)}
    found: dict[Any, int] = {}
    while (
        len(labels) and len(found) < _PASSES
    ):  # a few classes are counted faster by comparing than by hashing
        same = labels == labels[0]
        found[labels[:1].tolist()[0]] = int(np.count_nonzero(same))
        labels = labels[~same]
    return found | Counter(labels.tolist())
