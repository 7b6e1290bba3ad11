"""The kit for populations names the rule that is broken."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from evenfold.testing import BrokenContract
from evenfold_lab import check_population
from evenfold_lab.algorithm import Algorithm
from evenfold_lab.estimators import lda, naive_bayes
from evenfold_lab.populations._base import Population, Sample

pytestmark = pytest.mark.quick


@dataclass(frozen=True, kw_only=True)
class Coins(Population):
    """Labels by the toss of a coin."""

    name: ClassVar[str] = "coins"
    description: ClassVar[str] = "features and labels that have nothing in common"
    source: ClassVar[str] = "a test"
    measure: ClassVar[str] = "zero-one"

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X = rng.normal(size=(replications, n, 2))
        return Sample(X, rng.integers(2, size=(replications, n)).astype(float))

    def algorithms(self) -> tuple[Algorithm, ...]:
        return lda(), naive_bayes()


def test_one_that_keeps_all_rules_passes() -> None:
    check_population(Coins(), registered=False)


def test_a_stranger_is_not_registered() -> None:
    with pytest.raises(
        BrokenContract, match="Coins breaks a rule: it is registered under its name"
    ):
        check_population(Coins())


class Nameless(Coins):
    description = ""


class OfAnotherMeasure(Coins):
    measure = "luck"


class Flat(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X, y, _ = super().draw(n, replications, rng)
        return Sample(X[:, :-1], y)


class Whole(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X, y, _ = super().draw(n, replications, rng)
        return Sample(X, y.astype(int))


class Holey(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X, y, _ = super().draw(n, replications, rng)
        return Sample(np.where(X > 1, np.nan, X), y)


class OfTheMoment(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:  # noqa: ARG002 - its fault
        return super().draw(n, replications, np.random.default_rng())


class Fixed(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:  # noqa: ARG002 - its fault
        return super().draw(n, replications, np.random.default_rng(0))


class Halves(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X, y, _ = super().draw(n, replications, rng)
        return Sample(X, y / 2)


class Deaf(Coins):
    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        raise KeyError("no", n, replications, rng)


class Empty(Coins):
    def algorithms(self) -> tuple[Algorithm, ...]:
        return ()


class Twins(Coins):
    def algorithms(self) -> tuple[Algorithm, ...]:
        return lda(), lda()


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        (Nameless, "description says something"),
        (OfAnotherMeasure, "its measure 'luck' is registered"),
        (Flat, "X has the shape"),
        (Whole, "X and y are float64"),
        (Holey, "X and y are finite"),
        (OfTheMoment, "the same generator gives the same data"),
        (Fixed, "another generator gives other data"),
        (Halves, "labels are 0, 1, 2"),
        (Deaf, r"it draws \(KeyError"),
        (Empty, "one or two algorithms"),
        (Twins, "different names"),
    ],
)
def test_every_broken_rule_is_named(broken: type[Coins], rule: str) -> None:
    with pytest.raises(BrokenContract, match=rule):
        check_population(broken(), registered=False)
