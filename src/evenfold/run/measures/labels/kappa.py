"""Cohen's kappa: agreement beyond chance, plain or weighted by how far apart classes are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of
from evenfold.core.losses import Score, safe_ratio
from evenfold.run.measures._base import (
    MEASURES,
    Codes,
    Floats,
    OfClasses,
    Predictions,
    label_codes,
    score,
    weigh_counts,
)

_DISTANCES = ("plain", "linear", "quadratic")


def _disagreement(a: Any, b: Any, distance: str) -> Floats:
    """Return how much two classes disagree, from their places in sorted order."""
    away: Floats = np.abs(np.asarray(a, dtype=float) - b)
    return {"plain": np.sign(away), "linear": away, "quadratic": away**2}[distance]


@dataclass(frozen=True, slots=True)
class Agreement(Score):
    """
    1 − D/E of the disagreement D and the margins.

    E is the expected D if truth and prediction were independent.
    """

    distance: str

    def of(self, sums: Any) -> Any:
        """Take the counts apart (Cohen 1960, 1968)."""
        disagreement = sums[..., 0]
        (true, predicted) = np.split(sums[..., 1:], 2, axis=-1)
        each = np.arange(true.shape[-1])
        expected = np.einsum(
            "...i,ij,...j", true, _disagreement(each[:, None], each, self.distance), predicted
        )
        return 1 - safe_ratio(disagreement * true.sum(axis=-1), expected)


@dataclass(frozen=True, kw_only=True)
class Kappa(OfClasses):
    """Kappa; a label that is unknown in the data is treated as a class after the last."""

    score: Agreement

    def outcomes(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        true, predicted = (label_codes(labels, self.classes) for labels in (truth, answer.values))
        columns = [
            _disagreement(true, predicted, self.score.distance)[:, None],
            self._class_indicators(true),
            self._class_indicators(predicted),
        ]
        return weigh_counts(np.concatenate(columns, axis=1), weights)

    def _class_indicators(self, codes: Codes) -> NDArray[np.bool_]:
        """Return the indicators of the classes; unknown labels have a class of their own."""
        return np.asarray(codes[:, None] == np.arange(len(self.classes) + 1))


def kappa(distance: str = "plain") -> Kappa:
    """
    Make Cohen's kappa; by name ``"kappa"``, ``"kappa:linear"`` and ``"kappa:quadratic"``.

    Parameters
    ----------
    distance : {"plain", "linear", "quadratic"}
        Whether all mistakes count alike, or more the further apart two classes are in sorted order.

    Examples
    --------
    >>> kappa("quadratic").name
    'kappa:quadratic'
    """
    one_of("distance", distance, _DISTANCES)
    plain = distance == _DISTANCES[0]
    name, words = ("kappa", "kappa") if plain else (f"kappa:{distance}", f"{distance} kappa")
    quantity = score(name, words, low=-np.inf, of_the_mix=True)
    return Kappa(quantity=quantity, key=name, score=Agreement(distance))


MEASURES.add("kappa", kappa().having(spell=kappa))
