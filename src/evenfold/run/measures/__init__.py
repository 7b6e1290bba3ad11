"""
Measures: one file each, or one per family.

A measure has its words, direction, range and the kind of its values. Importing a file registers its
measures. Other packages register theirs as entry points of the group ``evenfold.measures``.
"""

from collections.abc import Mapping

from evenfold.run.measures import times
from evenfold.run.measures._base import MEASURES, Counts, Evaluated, Measure, Predictions
from evenfold.run.measures.differences import pinball
from evenfold.run.measures.labels import classes, probabilities
from evenfold.run.measures.labels.calibration import calibration_error
from evenfold.run.measures.labels.cost import cost
from evenfold.run.measures.labels.counts import chunk_counts, f_beta
from evenfold.run.measures.labels.kappa import kappa
from evenfold.run.measures.labels.zero_one import ZERO_ONE
from evenfold.run.measures.rankings import auc
from evenfold.run.measures.rankings.fpa import fpa
from evenfold.run.measures.rankings.ndcg import ndcg
from evenfold.run.measures.rankings.partial_auc import partial_auc
from evenfold.run.measures.resolve import as_measure, measure, require_weighable, resolve_measures

__all__ = [
    "MEASURES",
    "ZERO_ONE",
    "Counts",
    "Evaluated",
    "Measure",
    "Predictions",
    "as_measure",
    "auc",
    "calibration_error",
    "chunk_counts",
    "classes",
    "cost",
    "f_beta",
    "fpa",
    "kappa",
    "measure",
    "measures",
    "ndcg",
    "partial_auc",
    "pinball",
    "probabilities",
    "require_weighable",
    "resolve_measures",
    "times",
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
