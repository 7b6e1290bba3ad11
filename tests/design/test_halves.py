"""Block-regularized m×2 cross-validation: even halves, equal overlaps, nested growth."""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import BlockCut, Partition
from evenfold.design import Blocked3x2, KFold, Mx2, Mx2BCV, chi_square_ratio, random_overlap_error
from evenfold.design.halves import block_order

SIZES = [
    4,
    5,
    7,
    8,
    10,
    12,
    13,
    16,
    17,
    23,
    31,
    32,
    33,
    50,
    64,
    67,
    97,
    100,
    128,
    131,
    200,
    211,
    400,
    403,
    997,
]


REPETITIONS = [1, 2, 3, 4, 7, 8, 11, 15, 16, 31]


def fits(m: int, n: int) -> bool:
    try:
        block_order(m, n)
    except InvalidInput:
        return False
    return True


def same(a: Partition, b: Partition, splits: int | None = None) -> bool:
    pairs = zip(list(a)[:splits], list(b)[:splits], strict=True)
    return all(
        np.array_equal(x, y) for first, second in pairs for x, y in zip(first, second, strict=True)
    )


@pytest.mark.parametrize(("m", "n"), [(m, n) for m in REPETITIONS for n in SIZES if fits(m, n)])
def test_halves_are_even_and_overlaps_within_the_bound(m: int, n: int) -> None:
    partition = Mx2BCV(m, random_state=n).partition(n)
    order = block_order(m, n)
    for train, test in partition:
        assert abs(len(train) - len(test)) <= 1
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    across = partition.repetition[:, None] != partition.repetition
    worst = np.abs(partition.overlaps() - n / 4)[across].max(initial=0)
    assert partition.certificate is not None
    assert worst == (0 if n % order == 0 else pytest.approx(partition.certificate.overlap_error))
    assert worst <= order / 4  # R19 theorem 3.2: never worse than k = order/4


def test_remainders_are_placed_much_better_than_the_published_bound() -> None:
    # R19 promises |φ − n/4| ≤ k; with 32 blocks that is 8. Beyond tiny n we stay below what random
    # halvings deviate on average (docs/design/mx2: c must stay below E|φ − n/4|).
    for n in (211, 401, 403, 997, 1009):
        certificate = Mx2BCV(31, random_state=0).partition(n).certificate
        assert certificate is not None
        assert certificate.overlap_error <= 2.25 < random_overlap_error(n) < 8
        assert certificate.overlap_bound == 0.75
        assert certificate.size_error == 0.5


def test_the_overlap_of_seven_repetitions_of_400_is_exact() -> None:
    phi = Mx2BCV(7, random_state=0).partition(400).overlaps()  # R19 example 3.1 allows k = 2
    assert set(np.unique(phi)) == {0, 100, 200}


def test_n_equal_4_gives_the_three_pairings() -> None:
    partition = Mx2BCV(3, random_state=1).partition(4)
    assert sorted(
        tuple(sorted(map(tuple, (a.tolist(), b.tolist())))) for a, b in list(partition)[::2]
    ) == [
        ((0, 1), (2, 3)),
        ((0, 2), (1, 3)),
        ((0, 3), (1, 2)),
    ]


@pytest.mark.parametrize("n", [12, 20, 28, 64])
def test_as_many_repetitions_as_examples_less_one(n: int) -> None:
    partition = Mx2BCV(n - 1, random_state=0).partition(n)  # a saturated array, R19 remark 3.6
    assert partition.certificate is not None
    assert partition.certificate.overlap_error == 0
    assert len({tuple(train) for train in partition.train}) == 2 * (n - 1)


@pytest.mark.parametrize("n", [37, 64, 100])
@pytest.mark.parametrize(
    "balance", [None, "labels", "counts", "features", "groups", ("labels", "features")]
)
def test_growth_keeps_repetitions_and_equals_the_direct_call(n: int, balance: str | None) -> None:
    rng = np.random.default_rng(n)
    given = {
        "y": rng.integers(0, 3, n),
        "groups": rng.integers(0, 30, n) if balance == "groups" else None,
        "features": rng.poisson(1.0, (n, 4)) if "features" in (balance or ()) else None,
    }
    design = Mx2BCV(2, balance=balance, random_state=3)
    short = design.partition(n, **given)
    for m in (3, 5, 7, 9, 15):
        longer = design.extend(short, m, **given)
        direct = Mx2BCV(m, balance=balance, random_state=3).partition(n, **given)
        assert same(longer, direct)
        assert same(longer, short, len(short))
        short = longer


def test_growth_is_refused_beyond_the_nested_sequence() -> None:
    groups = np.arange(13)
    design = Mx2BCV(7, balance="groups", random_state=0)
    with pytest.raises(
        InvalidInput, match=r"need a Hadamard matrix of order 12\. Start anew with Mx2BCV\(9\)"
    ):
        design.extend(design.partition(13, groups=groups), 9, groups=groups)


@pytest.mark.parametrize("balance", [None, "labels", "counts"])
@pytest.mark.parametrize(
    "n",
    [
        *(5, 6, 7, 8, 11, 12, 13, 20, 27, 28, 45, 64, 75, 76, 77, 100),
        *(pytest.param(n, marks=pytest.mark.guarantee) for n in range(5, 76)),
    ],
)
@pytest.mark.filterwarnings("ignore::evenfold.core.errors.RareClass")
def test_few_examples_overlap_as_evenly_as_they_can_and_share_one_sequence(
    n: int, balance: str | None
) -> None:
    """R19's remark 3.3: never above E|φ − n/4| of random halves, where a design below it exists."""
    y = None if balance is None else np.arange(n) % 3
    most = min(15, 4 * (n // 4) - 1)
    longest = Mx2BCV(most, balance=balance, random_state=3).partition(n, y=y)
    for m in (3, 5, 7, 9, 15):
        if 2 * m > len(longest):
            break
        partition = Mx2BCV(m, balance=balance, random_state=3).partition(n, y=y)
        assert partition.certificate is not None
        assert partition.certificate.overlap_error <= max(
            random_overlap_error(n), partition.certificate.overlap_bound
        )
        assert all(
            np.array_equal(a, b) for a, b in zip(partition.train, longest.train, strict=False)
        )


@pytest.mark.parametrize("n", [12, 20, 45, 75])
@pytest.mark.parametrize("positives", [0.15, 0.5])
def test_labels_of_few_examples_are_even_while_overlaps_are_exact(n: int, positives: float) -> None:
    y = (np.arange(n) < positives * n).astype(int)
    for seed in range(10):
        partition = Mx2BCV(7, balance="labels", random_state=seed).partition(n, y=y)
        counts = np.array([y[train].sum() for train in partition.train])
        assert np.abs(counts - y.sum() / 2).max() <= 1.5
        assert np.abs(counts[:6] - y.sum() / 2).max() <= 1
        assert partition.certificate is not None
        assert partition.certificate.overlap_error == partition.certificate.overlap_bound


@pytest.mark.parametrize(("n", "positives"), [(40, 6), (60, 6), (75, 30)])
def test_labels_of_few_examples_stay_even_over_many_repetitions(n: int, positives: int) -> None:
    y = (np.arange(n) < positives).astype(int)
    for seed in range(3):
        partition = Mx2BCV(31, balance="labels", random_state=seed).partition(n, y=y)
        off = [abs(y[train].sum() - positives * len(train) / n) for train in partition.train]
        assert max(off[:30]) <= 1.5
        assert max(off) <= 2


def test_features_of_few_examples_are_as_even_in_many_columns_as_in_few() -> None:
    rng = np.random.default_rng(0)
    words = rng.poisson(0.2, size=(20, 400))  # more levels than examples
    drawn = [Mx2(7, random_state=seed).partition(20) for seed in range(5)]
    chance = np.median(
        [max(chi_square_ratio(words, *split) for split in partition) for partition in drawn]
    )
    even = Mx2BCV(7, balance="features", random_state=0).partition(20, features=words).certificate
    assert even is not None
    assert even.chi_square is not None
    assert even.chi_square < chance


def test_growth_is_refused_for_other_data_other_designs_and_backwards() -> None:
    y = np.arange(40) % 2
    design = Mx2BCV(3, balance="labels", random_state=0)
    partition = design.partition(40, y=y)
    with pytest.raises(InvalidInput, match="those of the partition, but with these values"):
        design.extend(partition, 7, y=np.arange(40) // 20)
    with pytest.raises(InvalidInput, match="A partition can only grow"):
        design.extend(partition, 2, y=y)
    with pytest.raises(InvalidInput, match="partition must be of kind 'mx2-bcv' but got 'kfold'"):
        design.extend(KFold(2).partition(40), 7)


def test_the_seed_decides_and_is_recorded() -> None:
    design = Mx2BCV(5)
    drawn = design.partition(50)
    assert drawn.seed is not None
    assert same(drawn, Mx2BCV(5, random_state=drawn.seed).partition(50))
    assert not same(drawn, design.partition(50))


def test_a_published_partition_never_changes() -> None:
    # Computed once; the same seed must give the same halves on every platform and in every later
    # version.
    halves = [train.tolist() for train in Mx2BCV(3, random_state=2024).partition(10).train[::2]]
    assert halves == [[0, 6, 7, 8, 9], [1, 3, 5, 6, 8], [0, 3, 4, 6, 7]]
    firsts = [
        train[:5].tolist() for train in Mx2BCV(3, random_state=2024).partition(100).train[::2]
    ]
    assert firsts == [[1, 4, 6, 7, 10], [0, 1, 3, 5, 8], [1, 2, 13, 14, 16]]


def test_order_of_repetitions_and_first_halves_are_random() -> None:
    firsts = {tuple(Mx2BCV(3, random_state=s).partition(4).train[0]) for s in range(200)}
    assert len(firsts) == 6  # every pair of the four examples can be the first half


def test_examples_and_blocks_are_paired_at_random() -> None:
    together = np.mean(
        [
            0 in t and 1 in t
            for s in range(400)
            for t in Mx2BCV(1, random_state=s).partition(8).train
        ]
    )
    assert together == pytest.approx(2 * 3 / 14 / 2, abs=0.05)  # P(both in one given half) = 3/14


def test_the_stored_design_takes_one_byte_per_example() -> None:
    cut = Mx2BCV(127, random_state=0).partition(1000).cut
    assert isinstance(cut, BlockCut)
    assert cut.blocks.nbytes == 1000


@pytest.mark.parametrize(
    ("m", "n", "message"),
    [
        (4, 7, "m must be at most 3 with 7 examples but got 4"),
        (3, 3, "number of examples must be at least 4 but is 3"),
        # order 260 is not reached
        (259, 263, "m must be at most 255 with 263 examples but got 259"),
        (0, 10, "m must be an integer from 1 to 4095 but got 0"),
        (2.5, 10, "m must be an integer from 1 to 4095 but got 2.5"),
    ],
)
def test_impossible_designs_say_what_to_do(m: int, n: int, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Mx2BCV(m).partition(n)


def test_blocked_3x2_is_mx2bcv_3() -> None:
    assert same(Blocked3x2(random_state=4).partition(30), Mx2BCV(3, random_state=4).partition(30))
    assert Blocked3x2().get_n_splits() == 6


def test_random_halvings_do_not_promise_anything() -> None:
    partition = Mx2(5, random_state=0).partition(101)
    assert partition.certificate is None
    assert len(partition) == 10
    for j in range(0, 10, 2):
        assert np.array_equal(partition.train[j], partition.test[j + 1])
        assert len(partition.train[j]) == 50
    phi = partition.overlaps()
    assert len(np.unique(phi[0, 2:])) > 2
