"""Balance conditions: labels, counts, features, groups, alone and together."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import BlockCut, Partition
from evenfold.design import BRLT, BalancedDesign, KFold, Mx2, Mx2BCV, chi_square_ratio

BLOCK_DESIGNS: list[type[BalancedDesign]] = [Mx2BCV, BRLT, KFold]


def make(
    kind: type[BalancedDesign], balance: str | tuple[str, ...] | None, seed: int = 0
) -> BalancedDesign:
    if kind is BRLT:
        return BRLT(6, 0.7, balance=balance, random_state=seed)
    seven = Mx2BCV if kind is Mx2BCV else KFold
    return seven(7, balance=balance, random_state=seed)


def class_gap(partition: Partition, y: np.ndarray) -> float:
    """Largest deviation of a class count in a training set from its share."""
    share = partition.train_sizes / partition.n
    counts = np.stack(
        [[np.count_nonzero(y[train] == c) for c in np.unique(y)] for train in partition.train]
    )
    total = np.array([np.count_nonzero(y == c) for c in np.unique(y)])
    return float(np.abs(counts - share[:, None] * total).max())


@pytest.mark.parametrize("n", [64, 103, 300])
@pytest.mark.parametrize("m", [3, 7, 15])
def test_class_counts_of_equal_blocks_differ_by_at_most_one(n: int, m: int) -> None:
    y = np.random.default_rng(n).choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    cut = Mx2BCV(m, balance="labels", random_state=1).partition(n, y=y).cut
    assert isinstance(cut, BlockCut)
    full = np.flatnonzero(cut.block_sizes() == n // (m + 1))
    for c in "abc":
        per_block = np.array([np.count_nonzero(y[cut.blocks == b] == c) for b in full])
        assert np.ptp(per_block) <= 1


@pytest.mark.parametrize("n", [50, 97])
def test_class_counts_of_folds_differ_by_at_most_one(n: int) -> None:
    y = np.random.default_rng(n).integers(0, 4, n)
    partition = KFold(7, balance="labels", random_state=0).partition(n, y=y)
    for c in range(4):
        assert np.ptp([np.count_nonzero(y[test] == c) for test in partition.test]) <= 1
    assert np.ptp(partition.test_sizes) <= 1


@pytest.mark.parametrize("kind", BLOCK_DESIGNS)
def test_labels_are_spread_better_than_by_chance(kind: type[BalancedDesign]) -> None:
    y = np.random.default_rng(0).choice(4, 400, p=[0.5, 0.3, 0.15, 0.05])
    balanced = class_gap(make(kind, "labels").partition(400, y=y), y)
    by_chance = np.mean([class_gap(make(kind, None, s).partition(400), y) for s in range(5)])
    assert balanced < by_chance / 2


@pytest.mark.parametrize("kind", BLOCK_DESIGNS)
def test_counts_are_spread_better_than_by_chance(kind: type[BalancedDesign]) -> None:
    y = np.random.default_rng(1).gamma(0.5, 3.0, 400)

    def gap(partition: Partition) -> float:
        return max(abs(float(y[train].mean() - y[test].mean())) for train, test in partition)

    by_chance = np.mean([gap(make(kind, None, s).partition(400)) for s in range(5)])
    assert gap(make(kind, "counts").partition(400, y=y)) < 0.7 * by_chance


def test_no_block_always_gets_the_larger_count() -> None:
    y = np.arange(4000.0)
    cut = Mx2BCV(7, balance="counts", random_state=0).partition(4000, y=y).cut
    assert isinstance(cut, BlockCut)
    means = [y[cut.blocks == b].mean() for b in range(8)]
    # Each block holds one value of every run of 8; a fixed order would put the means 7 apart.
    assert np.ptp(means) < 1.0
    runs = np.sort(np.concatenate([np.flatnonzero(cut.blocks == b) // 8 for b in range(8)]))
    assert np.array_equal(np.bincount(runs), np.full(500, 8))
    for b in range(8):
        assert np.array_equal(np.flatnonzero(cut.blocks == b) // 8, np.arange(500))


@pytest.mark.parametrize("kind", BLOCK_DESIGNS)
@pytest.mark.parametrize("balance", ["features", ("features", "labels"), ("features", "counts")])
def test_features_meet_the_condition_and_overlaps_stay(
    kind: type[BalancedDesign], balance: str | tuple[str, ...]
) -> None:
    rng = np.random.default_rng(2)
    features = rng.poisson(rng.gamma(0.5, 1.0, 12), (400, 12))
    y = rng.integers(0, 3, 400)
    partition = make(kind, balance).partition(400, y=y, features=features)
    certificate, plain = partition.certificate, make(kind, None).partition(400)
    assert certificate is not None
    assert certificate.chi_square is not None
    assert certificate.chi_square == pytest.approx(
        max(chi_square_ratio(features, a, b) for a, b in partition)
    )
    assert certificate.chi_square < 0.5 * max(chi_square_ratio(features, a, b) for a, b in plain)
    assert certificate.chi_square <= 1
    assert plain.certificate is not None
    assert certificate.overlap_error == plain.certificate.overlap_error


def test_labels_stay_exact_beside_features() -> None:
    rng = np.random.default_rng(3)
    y, features = rng.integers(0, 3, 210), rng.poisson(1.0, (210, 5))
    partition = KFold(7, balance=("labels", "features"), random_state=0).partition(
        210, y=y, features=features
    )
    for c in range(3):
        assert np.ptp([np.count_nonzero(y[test] == c) for test in partition.test]) <= 1


def test_sparse_features_are_taken_as_they_are() -> None:
    features = np.random.default_rng(4).poisson(0.3, (80, 9))
    dense, sparse = (
        Mx2BCV(3, balance="features", features=f, random_state=0).partition(80)
        for f in (features, csr_array(features))
    )
    assert np.array_equal(dense.train[0], sparse.train[0])


@pytest.mark.parametrize("kind", BLOCK_DESIGNS)
@pytest.mark.parametrize(
    "balance", ["groups", ("groups", "labels"), ("groups", "counts"), ("groups", "features")]
)
def test_groups_are_never_cut(kind: type[BalancedDesign], balance: str | tuple[str, ...]) -> None:
    rng = np.random.default_rng(5)
    groups = rng.choice(40, 500, p=rng.dirichlet(np.full(40, 2.0)))
    features = rng.poisson(1.0, (500, 4)) if "features" in balance else None
    partition = make(kind, balance).partition(
        500, y=rng.integers(0, 3, 500), groups=groups, features=features
    )
    for train, test in partition:
        assert not set(groups[train]) & set(groups[test])
        assert len(train) + len(test) == 500
    assert partition.certificate is not None
    assert partition.certificate.size_error <= 0.05 * 500


def test_halves_of_groups_are_as_equal_as_they_can_be() -> None:
    # two halves of 18 exist in many ways
    groups = np.repeat(np.arange(8), [7, 6, 5, 5, 4, 4, 3, 2])
    partition = Mx2BCV(1, balance="groups", random_state=0).partition(36, groups=groups)
    assert partition.train_sizes.tolist() == [18, 18]
    even = np.repeat(np.arange(20), 6)
    certificate = (
        Mx2BCV(3, balance="groups", random_state=0).partition(120, groups=even).certificate
    )
    assert certificate is not None
    assert certificate.size_error == certificate.overlap_error == 0


def test_one_giant_group_still_gives_two_nonempty_halves() -> None:
    groups = np.repeat(np.arange(11), [100] + [10] * 10)
    partition = Mx2BCV(3, balance="groups", random_state=0).partition(200, groups=groups)
    assert min(partition.train_sizes) > 0
    # Orthogonality forces the giant group to share a half with half of the others, except in one
    # repetition.
    assert sorted(partition.train_sizes[::2].tolist()) in (
        [50, 50, 100],
        [50, 100, 150],
        [100, 150, 150],
    )


def test_more_groups_than_examples_per_block() -> None:
    partition = Mx2BCV(7, balance="groups", random_state=0).partition(40, groups=np.arange(40))
    assert partition.certificate is not None
    assert partition.certificate.overlap_error == 0


def test_classes_with_fewer_members_than_blocks() -> None:
    y = np.array(["rare"] * 3 + ["common"] * 97)
    partition = Mx2BCV(15, balance="labels", random_state=0).partition(100, y=y)
    assert partition.certificate is not None
    assert partition.certificate.size_error == 0


@pytest.mark.parametrize(
    ("balance", "given", "message"),
    [
        ("label", {}, r"balance must be one of .*\. Did you mean 'labels'\?"),
        ("labels", {}, r"y must be given with balance='labels'\.$"),
        ("counts", {"y": ["a"] * 20}, "y must be numeric with balance='counts'"),
        ("labels", {"y": [0, 1]}, r"y must be one value per example \(20\) but got shape \(2,\)"),
        (
            "counts",
            {"y": [np.nan] * 20},
            "y must be free of NaN and infinities but got nan at position 0",
        ),
        ("groups", {}, r"groups must be given with balance='groups'\.$"),
        ("groups", {"groups": [0, 1] * 10}, "number of groups must be at least 4 but is 2"),
        (
            "groups",
            {"groups": np.arange(20) // 4},
            "m must be at most 3 with 5 groups but got 7",
        ),
        ("features", {}, "features must be given with balance='features'"),
        (
            "features",
            {"features": np.ones((3, 2))},
            "features must be a table of 20 × levels but got shape",
        ),
        (None, {"features": np.ones((20, 2))}, "features must be None with balance"),
    ],
)
def test_wrong_use_is_answered_in_one_line(
    balance: str, given: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        Mx2BCV(7, balance=balance).partition(20, **given)
    assert "\n" not in str(caught.value)


def test_features_without_balance_are_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="Pass balance='features'"):
        Mx2BCV(3, features=np.ones((20, 2)))


@pytest.mark.parametrize(
    ("J", "n", "rare"), [(10, 100, 10), (15, 100, 20), (30, 300, 60), (10, 1000, 200)]
)
def test_class_counts_of_brlt_are_within_one_of_their_share(J: int, n: int, rare: int) -> None:
    labels = (np.arange(n) < rare).astype(int)
    for seed in range(3):
        partition = BRLT(J, 0.7, balance="labels", random_state=seed).partition(n, y=labels)
        assert class_gap(partition, labels) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("n", "rare", "m", "least"),
    [(60, 5, 15, 1), (100, 8, 7, 4), (1000, 16, 31, 4), (569, 212, 7, 105)],
)
@pytest.mark.parametrize("coded_as", [0, 1])
def test_rare_classes_are_in_both_halves_however_they_are_coded(
    n: int, rare: int, m: int, least: int, coded_as: int
) -> None:
    labels = np.where(np.arange(n) < rare, coded_as, 1 - coded_as)
    for seed in range(10):
        partition = Mx2BCV(m, balance="labels", random_state=seed).partition(n, y=labels)
        assert (
            min(np.count_nonzero(labels[train] == coded_as) for train in partition.train) >= least
        )


def test_features_are_never_ignored() -> None:
    with pytest.raises(InvalidInput, match="features must be None for Mx2"):
        Mx2(3).partition(10, features=np.ones((10, 2)))


@pytest.mark.parametrize(
    ("design", "y", "first"),
    [
        (BRLT(5, 0.5, balance="counts", random_state=0), np.arange(40) * 0.1,
         "0101101110000101101001010010100111111000"),
        (BRLT(5, 0.5, balance="labels", random_state=0), np.arange(40) % 4,
         "0000111010000110110010110101010110110011"),
        (Mx2BCV(3, balance="labels", random_state=0), np.arange(12) % 3, "111000100011"),
    ],
)  # fmt: skip
def test_a_seed_has_the_same_cut_on_every_processor(
    design: BalancedDesign, y: np.ndarray, first: str
) -> None:
    # with NPY_DISABLE_CPU_FEATURES="X86_V4 X86_V3" and with OPENBLAS_CORETYPE=Nehalem, too
    train = design.partition(len(y), y=y).train[0]
    assert "".join("01"[i in set(train)] for i in range(len(y))) == first


@pytest.mark.parametrize("n", [9, 13, 40])
def test_a_numeric_target_in_other_units_has_the_same_cut(n: int) -> None:
    y = np.arange(n) * 1e-12
    for design in (
        Mx2BCV(3, balance="counts", random_state=0),
        BRLT(5, 0.5, balance="counts", random_state=0),
    ):
        one, other = design.partition(n, y=y), design.partition(n, y=1e20 * y)
        assert all(map(np.array_equal, one.train, other.train))
