"""The interface of a population: its name, its data sets and what is known of the truth."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, refuse, short_repr
from evenfold.core.registry import Registry, check_parameters
from evenfold_lab.algorithm import Algorithm, Floats

Learner = Callable[[], Algorithm]


class Sample(NamedTuple):
    """R data sets: X (R, n, p), y (R, n), and the source of each example if there are sources."""

    X: Floats
    y: Floats
    groups: NDArray[np.int64] | None = None


@dataclass(frozen=True, kw_only=True)
class Drawable(ABC):
    """
    A named distribution that can be drawn from; the fields of a subclass are its parameters.

    A parameter whose type carries a rule (:mod:`evenfold.core.registry`) is checked against it.

    Attributes
    ----------
    name, description, source : str
        Its name in ``ef.lab.populations()``, one line about it, and the paper it comes from.
    settings : tuple of dict
        The parameters of each numbered setting of its source; the first has number 1.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    settings: ClassVar[tuple[dict[str, float], ...]] = ()

    def __post_init__(self) -> None:
        check_parameters(self)

    @classmethod
    def setting(cls, number: int, **changes: Any) -> Self:
        """Make the population of a numbered setting of its source, with some parameters changed."""
        if not cls.settings:
            refuse(
                "setting",
                "setting must be left out for a population without numbered settings but "
                f"got {short_repr(number)}.",
            )
        chosen = integer("setting", number, low=1, high=len(cls.settings))
        return cls(**{**cls.settings[chosen - 1], **changes})

    @classmethod
    def make(cls, **parameters: Any) -> Self:
        """Make the population from the keywords of a caller, by default its parameters."""
        return cls(**parameters)


@dataclass(frozen=True, kw_only=True)
class Population(Drawable):
    """
    A distribution of data sets; the fields of a subclass are its parameters.

    Attributes
    ----------
    measure : str
        Name of the measure that its studies use by default.
    sizes : tuple of int
        The n of each numbered setting; without settings, the values of n in its source.
    learners, further : tuple of functions
        Functions that make the algorithms which its source compares, and the others it studies.
    """

    measure: ClassVar[str]
    sizes: ClassVar[tuple[int, ...]] = ()
    learners: ClassVar[tuple[Learner, ...]] = ()
    further: ClassVar[tuple[Learner, ...]] = ()

    @abstractmethod
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        """Draw ``replications`` independent data sets of ``n`` independent examples."""

    def draw_apart(
        self, n_train: int, n_test: int, replications: int, rng: np.random.Generator
    ) -> tuple[Sample, Sample]:
        """Draw training sets and fresh test examples for each; they define μ(n_train)."""
        return self.draw(n_train, replications, rng), self.draw(n_test, replications, rng)

    def at(self, n: int) -> Self:  # noqa: ARG002 - what most populations answer
        """Return the population for data sets of size ``n``, with all choices that depend on n."""
        return self

    def without_one_source(self) -> Self:
        """
        Return the population that training sets come from when one source is left out.

        A population without sources returns itself.
        """
        return self

    def algorithms(self) -> tuple[Algorithm, ...]:
        """
        Return the one or two algorithms that its source studies on it.

        Two algorithms are compared, the baseline A first; of one algorithm the error is studied.
        """
        return tuple(make() for make in self.learners)

    def source_algorithms(self) -> tuple[Algorithm, ...]:
        """Return all algorithms that its sources study on it, those of :meth:`algorithms` first."""
        return *self.algorithms(), *(make() for make in self.further)

    def expected_loss(self, algorithm: Algorithm, n_train: int) -> float | None:  # noqa: ARG002 - what most populations answer
        """Return μ(n_train) of an algorithm if a closed form is known, else None."""
        return None


POPULATIONS: Registry[type[Drawable]] = Registry("population", "evenfold.populations")

_Kind = TypeVar("_Kind", bound=type[Drawable])


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def population_facts(
    name: str,
    description: str,
    source: str,
    *,
    measure: str | None = None,
    settings: tuple[dict[str, float], ...] = (),
    sizes: tuple[int, ...] = (),
    learners: tuple[Learner, ...] = (),
    further: tuple[Learner, ...] = (),
    **how: bool,
) -> Callable[[_Kind], _Kind]:
    """
    Make a class a registered population: a frozen dataclass whose fields are its parameters.

    Without ``measure`` the class keeps the measure of its parent class. ``how`` holds further
    options of its dataclass.
    """

    def decorate(kind: _Kind) -> _Kind:
        kind.name = name
        kind.description = description
        kind.source = source
        kind.settings = settings
        if issubclass(kind, Population):
            kind.sizes = sizes
            kind.learners = learners
            kind.further = further
            kind.measure = measure or kind.measure
        dataclass(frozen=True, kw_only=True, **how)(kind)
        POPULATIONS.add(name, kind)
        return kind

    return decorate
