"""What the lab asks of a population: data sets of any size, and what is known of the truth."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.lab.algorithm import Algorithm, Floats


class Sample(NamedTuple):
    """R data sets: X (R, n, p), y (R, n), and the source of each example where there are some."""

    X: Floats
    y: Floats
    groups: NDArray[np.int64] | None = None


@dataclass(frozen=True, kw_only=True)
class Population(ABC):
    """
    A kind of data that can be drawn again and again; the fields of a subclass are its parameters.

    Attributes
    ----------
    name : str
        As in ``ef.lab.populations()``.
    measure : str
        The loss its study is about: ``"squared"`` or ``"zero-one"``.
    """

    name: ClassVar[str]
    measure: ClassVar[str]

    @abstractmethod
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        """Draw ``replications`` independent data sets of ``n`` independent examples."""

    @abstractmethod
    def algorithms(self) -> tuple[Algorithm, Algorithm]:
        """The pair that its source compares on it, the baseline A first."""

    def expected_loss(self, algorithm: Algorithm, n_train: int) -> float | None:  # noqa: ARG002 - what most populations answer
        """μ(n_train) of an algorithm where a closed form is known, else None."""
        return None
