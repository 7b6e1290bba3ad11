"""Cohen's kappa: agreement beyond chance, plain or with weights for how far apart two classes are."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of
from evenfold.core.measure import Quantity
from evenfold.core.scores import Score, over
from evenfold.run.data import Target
from evenfold.run.measures._base import MEASURES, Answer, Floats, Measure
from evenfold.run.measures._labels import Codes, label_codes

_DISTANCES = ("plain", "linear", "quadratic")


def _apart(a: Any, b: Any, distance: str) -> Floats:
    """How much two classes, by their places, disagree."""
    away: Floats = np.abs(np.asarray(a, dtype=float) - b)
    return {"plain": np.sign(away), "linear": away, "quadratic": away**2}[distance]


@dataclass(frozen=True, slots=True)
class Agreement(Score):
    """1 − D/E of the disagreement D and the margins; E is what D would be if they were independent."""

    distance: str

    def of(self, sums: Any) -> Any:
        """Take the counts apart (Cohen 1960, 1968)."""
        disagreement, (true, said) = sums[..., 0], np.split(sums[..., 1:], 2, axis=-1)
        each = np.arange(true.shape[-1])
        expected = np.einsum("...i,ij,...j", true, _apart(each[:, None], each, self.distance), said)
        return 1 - over(disagreement * true.sum(axis=-1), expected)


@dataclass(frozen=True, kw_only=True)
class Kappa(Measure):
    """Kappa; a class that the data do not have disagrees as the last would."""

    quantity: Quantity
    score: Agreement
    key: str
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))  # set when bound

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Kappa":  # noqa: ARG002  (one signature)
        return replace(self, classes=target.classes)

    def outcomes(self, truth: Any, answer: Answer, weights: Floats | None) -> Floats:
        true, said = (label_codes(labels, self.classes) for labels in (truth, answer.values))
        columns = [_apart(true, said, self.score.distance)[:, None], self._is(true), self._is(said)]
        counts = np.concatenate(columns, axis=1)
        return counts if weights is None else counts * weights[:, None]

    def _is(self, codes: Codes) -> NDArray[np.bool_]:
        """Which class it is; strangers have one of their own."""
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
    name = "kappa" if plain else f"kappa:{distance}"
    quantity = Quantity(
        name=name,
        words="kappa" if plain else f"{distance} kappa",
        lower_is_better=False,
        low=-np.inf,
        high=1.0,
        target="labels",
        per_example="outcomes",
        of_the_mix=True,
    )
    return Kappa(quantity=quantity, key=name, score=Agreement(distance))


MEASURES.add("kappa", kappa().having(spell=kappa))
