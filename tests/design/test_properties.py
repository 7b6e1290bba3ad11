"""What holds for all sizes, seeds and labels (Hypothesis)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import BlockCut, Partition
from evenfold.design import BRLT, RLT, Design, KFold, LeaveOneOut, Mx2, Mx2BCV, ideal_overlap
from evenfold.design.halves import block_order

settings.register_profile("designs", settings.get_profile("evenfold"), max_examples=60)
settings.load_profile("designs")

seeds = st.integers(0, 2**63 - 1)


@st.composite
def designs(draw: st.DrawFn) -> tuple[Design, int]:
    n, seed = draw(st.integers(8, 120)), draw(seeds)
    kind = draw(st.sampled_from(["mx2-bcv", "mx2", "kfold", "rlt", "brlt", "loo"]))
    small = draw(st.integers(2, 7))
    made: dict[str, Design] = {
        "mx2-bcv": Mx2BCV(small, random_state=seed),
        "mx2": Mx2(small, random_state=seed),
        "kfold": KFold(small, random_state=seed),
        "rlt": RLT(small, draw(st.integers(1, n - 1)), random_state=seed),
        "brlt": BRLT(small, draw(st.integers(1, n - 1)), random_state=seed),
        "loo": LeaveOneOut(),
    }
    return made[kind], n


def equal(a: Partition, b: Partition) -> bool:
    return all(
        np.array_equal(x, y) for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True)
    )


@given(designs())
def test_train_and_test_are_disjoint_sorted_and_cover(made: tuple[Design, int]) -> None:
    design, n = made
    partition = design.partition(n)
    assert partition.kind == design.kind
    for j, (train, test) in enumerate(partition):
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        assert np.array_equal(train, np.sort(train))
        assert np.array_equal(partition.train[j], train)
        assert np.array_equal(partition.test[j], test)


@given(designs())
def test_seeds_reproduce(made: tuple[Design, int]) -> None:
    design, n = made
    assert equal(design.partition(n), design.partition(n))


@given(designs())
def test_overlaps_and_occurrences_count_the_same_pairs(made: tuple[Design, int]) -> None:
    partition = made[0].partition(made[1])
    phi, psi = partition.overlaps(), partition.occurrences()
    assert phi[np.triu_indices(len(phi), 1)].sum() == (psi * (psi - 1) // 2).sum()  # R19 eq. 2.2
    assert np.array_equal(np.diag(phi), partition.train_sizes)


@given(n=st.integers(4, 300), m=st.integers(1, 31), seed=seeds)
def test_mx2_halves_are_complementary_and_even(n: int, m: int, seed: int) -> None:
    m = min(m, n // 4 * 4 - 1, 27 if n < 32 else 31)
    partition = Mx2BCV(m, random_state=seed).partition(n)
    pairs = list(partition)
    for (train, test), (second_train, second_test) in zip(pairs[::2], pairs[1::2], strict=True):
        assert np.array_equal(train, second_test)
        assert np.array_equal(test, second_train)
        assert abs(len(train) - len(test)) <= 1
    certificate = partition.certificate
    assert certificate is not None
    assert certificate.overlap_bound <= certificate.overlap_error <= block_order(m, n) / 4 or m == 1


@given(n=st.integers(16, 200), m=st.integers(1, 14), more=st.integers(0, 14), seed=seeds)
def test_extension_is_nested(n: int, m: int, more: int, seed: int) -> None:
    design = Mx2BCV(m, random_state=seed)
    partition = design.partition(n)
    longer = design.extend(partition, min(m + more, 15))
    assert equal(longer, Mx2BCV(min(m + more, 15), random_state=seed).partition(n))
    assert all(np.array_equal(longer.train[j], partition.train[j]) for j in range(2 * m))


@given(
    labels=st.lists(st.integers(0, 4), min_size=76, max_size=200),
    m=st.sampled_from([3, 7, 15]),
    seed=seeds,
)
@pytest.mark.filterwarnings("ignore::evenfold.core.errors.RareClass")
def test_labels_are_balanced_in_every_block_at_every_level(
    labels: list[int], m: int, seed: int
) -> None:
    y = np.array(labels)
    cut = Mx2BCV(m, balance="labels", random_state=seed).partition(len(y), y=y).cut
    assert isinstance(cut, BlockCut)
    for c in range(5):
        # the loners are numbered after
        counts = np.bincount(cut.blocks[y == c], minlength=m + 1)[: m + 1]
        assert np.ptp(counts) <= 1
    assert set(cut.block_sizes()[: m + 1]) == {len(y) // (m + 1)}
    assert set(cut.block_sizes()[m + 1 :]) <= {1}


@given(n=st.integers(4, 150), J=st.integers(2, 8), seed=seeds, data=st.data())
@settings(max_examples=40)
def test_brlt_is_regular(n: int, J: int, seed: int, data: st.DataObject) -> None:
    n1 = data.draw(st.integers(1, n - 1))
    partition = BRLT(J, n1, random_state=seed).partition(n)
    assert (partition.train_sizes == n1).all()
    assert np.ptp(partition.occurrences()) <= 1
    phi = partition.overlaps()[np.triu_indices(J, 1)]
    assert np.isclose(phi.mean(), ideal_overlap(n, n1, J))
    assert np.ptp(phi) <= 2


@given(n=st.integers(20, 150), count=st.integers(8, 20), seed=seeds)
def test_groups_are_never_cut(n: int, count: int, seed: int) -> None:
    groups = np.concatenate([np.arange(count), np.random.default_rng(seed).integers(0, count, n)])
    for design in (
        Mx2BCV(7, balance="groups", random_state=seed),
        KFold(5, balance="groups", random_state=seed),
    ):
        for train, test in design.partition(len(groups), groups=groups):
            assert not set(groups[train]) & set(groups[test])
            assert len(train)
            assert len(test)


@pytest.mark.parametrize("bad", [-1, 0.5, "seed"])
def test_a_random_state_that_is_none_is_refused_when_the_design_is_made(bad: object) -> None:
    with pytest.raises(
        InvalidInput, match="random_state must be None, an integer ≥ 0 or a numpy generator"
    ):
        Mx2(5, random_state=bad)


settings.load_profile("evenfold")  # the next file has the usual number of examples again
