"""Normalised discounted cumulative gain: how near the top of a ranking relevant items are."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.losses import Quantity
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Evaluated,
    Floats,
    Measure,
    Predictions,
    score,
)

_LONGEST = 10**9


@dataclass(frozen=True, kw_only=True)
class Gain(Measure):
    """
    NDCG of a test set, as scikit-learn has it: linear gains, ties averaged.

    It has no weighted form.
    """

    quantity: Quantity
    key: str
    first: int | None  # how many of the ranking count; all if None

    def weighable(self, target: Target) -> bool:
        return False

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        from sklearn.metrics import ndcg_score

        relevance = np.asarray(truth, dtype=float)
        if len(relevance) < 2 or relevance.min() < 0 or not relevance.any():
            raise ValueError(
                "NDCG needs two examples or more, with relevances ≥ 0 that are not all 0"
            )
        # a power of two changes no ratio, and no number is then too large for scikit-learn
        relevance = np.ldexp(relevance, -np.frexp(relevance.max())[1])
        scores = np.asarray(answer.values, dtype=float)
        return Evaluated(float(ndcg_score(relevance[None], scores[None], k=self.first)))


def ndcg(first: int | None = None) -> Gain:
    """
    Make the normalised discounted cumulative gain of a test set.

    Its name is ``"ndcg"`` or, for example, ``"ndcg:10"``.

    Parameters
    ----------
    first : int, optional
        How many items at the top of the ranking count; all by default.

    Returns
    -------
    Measure

    Notes
    -----
    *Validity.* A test set is one ranking: y is the relevance of each example, and the prediction is
    its score. If there are many queries, give ``judge`` a table with one row per query and its NDCG
    as ``value``; their mean is judged like any other mean. Within one ranking the NDCG is no mean
    over examples, so ``compare`` judges whole splits, and ``judge`` resamples examples.

    References
    ----------
    Järvelin, Kekäläinen (2002), ACM Transactions on Information Systems 20.

    Examples
    --------
    >>> ndcg(10).name, ndcg(10).quantity.words
    ('ndcg:10', 'NDCG@10')
    """
    name = "ndcg"
    words = "NDCG"
    if first is not None:
        integer("first", first, low=1, high=_LONGEST)
        name += f":{first}"
        words += f"@{first}"
    quantity = score(name, words, target="numbers", per_example="none")
    return Gain(quantity=quantity, key=name, first=first)


MEASURES.add("ndcg", ndcg().having(spell=ndcg, setting_type=int))
