"""
What the lab asks of a population.

a name, data sets of any size, and what is known of the truth.
"""

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
    """R data sets: X (R, n, p), y (R, n), and the source of each example where there are some."""

    X: Floats
    y: Floats
    groups: NDArray[np.int64] | None = None


@dataclass(frozen=True, kw_only=True)
class Drawable(ABC):
    """
    What can be drawn again and again, by name; the fields of a subclass are its parameters.

    A parameter whose type says a rule (:mod:`evenfold.core.registry`) is checked against it.

    Attributes
    ----------
    name, description, source : str
        Its name in ``ef.lab.populations()``, one line about it, and where it comes from.
    settings : tuple of dict
        The numbered settings of its source, from 1: the parameters of each.
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
        """Make the population from what a caller writes, by default its parameters."""
        return cls(**parameters)


@dataclass(frozen=True, kw_only=True)
class Population(Drawable):
    """
    A kind of data that can be drawn again and again; the fields of a subclass are its parameters.

    Attributes
    ----------
    measure : str
        Name of the measure that its study is about.
    sizes : tuple of int
        The n of each numbered setting; where there are no settings, the n's of its source.
    learners, further : tuple of functions
        What make the algorithms that its source compares on it, and the others that it studies.
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
        """Draw training sets and, for each, fresh test examples: what μ(n_train) is about."""
        return self.draw(n_train, replications, rng), self.draw(n_test, replications, rng)

    def at(self, n: int) -> Self:  # noqa: ARG002 - what most populations answer
        """The population for data sets of size ``n``, with every choice that depends on n made."""
        return self

    def without_one_source(self) -> Self:
        """
        The population that training sets are from when one source is left out.

        Itself without sources.
        """
        return self

    def algorithms(self) -> tuple[Algorithm, ...]:
        """
        The one or two algorithms that its source studies on it.

        Two are a comparison, the baseline A first; one is studied for its own error.
        """
        return tuple(make() for make in self.learners)

    def source_algorithms(self) -> tuple[Algorithm, ...]:
        """
        All algorithms that its sources study on it.

        The first are those of :meth:`algorithms`.
        """
        return *self.algorithms(), *(make() for make in self.further)

    def expected_loss(self, algorithm: Algorithm, n_train: int) -> float | None:  # noqa: ARG002 - what most populations answer
        """μ(n_train) of an algorithm where a closed form is known, else None."""
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
    Make a class a population.

    What is known of it, fields that are its parameters, a place on the shelf.

    ``measure`` is that of the class it extends where none is said; ``how`` is what else its
    dataclass is.
    """

    def made(kind: _Kind) -> _Kind:
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

    return made
