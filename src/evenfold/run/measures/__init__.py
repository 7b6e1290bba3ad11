"""
Measures: one file each, or one per family.

A measure has its words, direction, range and the kind of its values. Importing a file registers its
measures. Other packages register theirs as entry points of the group ``evenfold.measures``.
"""

from collections.abc import Mapping

from evenfold.run.measures import times  # noqa: F401  (importing it registers its measures)
from evenfold.run.measures._base import MEASURES, Evaluated, Measure, Predictions
from evenfold.run.measures.differences import pinball
from evenfold.run.measures.labels import classes, probabilities  # noqa: F401
from evenfold.run.measures.labels.calibration import calibration_error
from evenfold.run.measures.labels.cost import cost
from evenfold.run.measures.labels.counts import chunk_counts, f_beta
from evenfold.run.measures.labels.kappa import kappa
from evenfold.run.measures.labels.zero_one import ZERO_ONE
from evenfold.run.measures.rankings import auc  # noqa: F401
from evenfold.run.measures.rankings.fpa import fpa
from evenfold.run.measures.rankings.ndcg import ndcg
from evenfold.run.measures.rankings.partial_auc import partial_auc
from evenfold.run.measures.resolve import as_measure, measure, require_weighable, resolve_measures

__all__ = [
    "MEASURES",
    "ZERO_ONE",
    "Evaluated",
    "Measure",
    "Predictions",
    "as_measure",
    "calibration_error",
    "chunk_counts",
    "cost",
    "f_beta",
    "fpa",
    "kappa",
    "measure",
    "measures",
    "ndcg",
    "partial_auc",
    "pinball",
    "require_weighable",
    "resolve_measures",
]


def measures() -> Mapping[str, Measure]:
    """
    Return every measure that has a name, those of other packages included.

    Examples
    --------
    >>> error = measures()["zero-one"].quantity
    >>> error.words, error.lower_is_better, error.high
    ('error', True, 1.0)
    """
    return MEASURES
