"""The kit for designs: every design of ours passes, and every broken rule is named."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.design.every import DESIGNS

from evenfold.core import partition as kinds
from evenfold.core.partition import FoldCut, IndexCut, Partition
from evenfold.design import Design, Mx2BCV, design_from
from evenfold.testing import BrokenContract, check_design


@pytest.mark.parametrize("design", DESIGNS, ids=repr)
def test_every_design_keeps_the_contract(design: Design) -> None:
    check_design(design)


@pytest.mark.parametrize(
    "text", ["kfold:10:labels+groups", "mx2-bcv:7:labels+features", "brlt:7:0.6:counts+features"]
)
def test_several_balances_at_once(text: str) -> None:
    check_design(design_from(text, random_state=3))


@dataclass(frozen=True, eq=False, repr=False)
class Odd(Design):
    """Trains on the even examples and tests on the odd ones."""

    kind = kinds.Kind("odd", shape="one split")
    example = "odd"
    shuffle = False

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return 1

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:  # noqa: ARG002 - one signature
        return self.made(n, np.arange(0, n, 2), np.arange(1, n, 2))

    def made(self, n: int, train: Any, test: Any, **changes: Any) -> Partition:
        cut = IndexCut(n=n, trains=(train,), tests=(test,))
        zero = np.zeros(1, np.int64)
        return replace(
            Partition(kind=self.kind, seed=None, cut=cut, repetition=zero, fold=zero), **changes
        )


def test_a_stranger_passes_and_is_not_registered() -> None:
    check_design(Odd(), registered=False)
    with pytest.raises(BrokenContract, match="its class is registered under the key 'odd'"):
        check_design(Odd())


class Wordy(Odd):
    kind = "odd"  # type: ignore[assignment]  # the fault


class Empty(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        return self.made(n, np.arange(n), np.arange(0))


class Untrained(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        return self.made(n, np.arange(0), np.arange(n))


class Hollow(Odd):
    """Ten folds of however few examples: some are empty below ten."""

    kind = kinds.Kind("hollow", shape="folds")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return 10

    def _partition(self, n: int, *_: Any) -> Partition:
        cut = FoldCut(folds=(np.arange(n) % 10).astype(np.uint8), n_splits=10)
        zeros = np.zeros(10, np.int64)
        return Partition(kind=self.kind, seed=None, cut=cut, repetition=zeros, fold=np.arange(10))


class Gap(Hollow):
    """Ten folds, of which the last holds nothing."""

    def _partition(self, n: int, *_: Any) -> Partition:
        cut = FoldCut(folds=(np.arange(n) % 9).astype(np.uint8), n_splits=10)
        zeros = np.zeros(10, np.int64)
        return Partition(kind=self.kind, seed=None, cut=cut, repetition=zeros, fold=np.arange(10))


class Nothing(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        none = np.zeros(0, np.int64)
        cut = IndexCut(n=n, trains=(), tests=())
        return Partition(kind=self.kind, seed=None, cut=cut, repetition=none, fold=none)


class Overlapping(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        return self.made(n, np.arange(n - 1), np.arange(1, n))


class Unsorted(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        return self.made(n, np.arange(0, n, 2)[::-1], np.arange(1, n, 2))


class Beyond(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        return self.made(n, np.arange(0, n, 2), np.arange(1, n + 4, 2))


class OfTheMoment(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        train = np.sort(np.random.default_rng().permutation(n)[: n // 2])
        return self.made(n, train, np.setdiff1d(np.arange(n), train))


class Forgetful(Odd):
    shuffle = True


class Boastful(Odd):
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return 2


class Misnamed(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        return self.made(n, np.arange(0, n, 2), np.arange(1, n, 2), kind=kinds.KFOLD)


class Halves(Odd):
    kind = kinds.MX2


class Raw(Odd):
    def partition(self, n: int, **_: Any) -> Partition:
        return self._partition(n, 0, None, None, None)


class Deaf(Odd):
    def _partition(self, n: int, *_: Any) -> Partition:
        raise KeyError(n)


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        (Wordy, "its kind is a Kind"),
        (Empty, "no training or test set is empty"),
        (Untrained, "no training or test set is empty"),
        (Gap, "no training or test set is empty"),
        (Hollow, "2 examples are refused, or no training or test set is empty"),
        (Nothing, "there is at least one split"),
        (Overlapping, "no example trains and is tested"),
        (Unsorted, "indices are sorted"),
        (Beyond, "indices number the examples"),
        (OfTheMoment, "the same seed gives the same splits"),
        (Forgetful, "a seed is recorded where one was used"),
        (Boastful, "get_n_splits is the number of splits"),
        (Misnamed, "its partition has its kind"),
        (Halves, "a repetition has two splits"),
        (Raw, "one example is refused"),
        (Deaf, r"it cuts 48 examples \(KeyError"),
    ],
)
def test_every_broken_rule_is_named(broken: type[Odd], rule: str) -> None:
    with pytest.raises(BrokenContract, match=rule):
        check_design(broken(), registered=False)


def test_what_is_no_design_is_named() -> None:
    with pytest.raises(BrokenContract, match="it derives from"):
        check_design(3)


class Regrown(Mx2BCV):
    def extend(self, partition: Partition, m: int, **_: Any) -> Partition:
        return Mx2BCV(m, random_state=1 + int(partition.seed or 0)).partition(partition.n)


def test_an_extension_that_changes_what_was_there_is_named() -> None:
    with pytest.raises(BrokenContract, match="an extension by nothing changes nothing"):
        check_design(Regrown(3, random_state=0), registered=False)


class Aimless(Mx2BCV):
    grows_by = ""


class Hasty(Mx2BCV):
    def extend(self, partition: Partition, m: int, **given: Any) -> Partition:
        return super().extend(partition, m if m == self.m else m + 1, **given)


@pytest.mark.parametrize(
    ("design", "rule"),
    [
        (Aimless, "grows_by names the parameter that an extension raises"),
        (Hasty, "an extension by one has one repetition more"),
    ],
)
def test_an_extension_of_another_length_is_named(design: type[Mx2BCV], rule: str) -> None:
    with pytest.raises(BrokenContract, match=rule):
        check_design(design(3, random_state=0), registered=False)
