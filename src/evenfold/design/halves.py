"""m repetitions of two-fold cross-validation: block-regularized (m×2 BCV) and random."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import examples, integer, refuse, refuse_value
from evenfold.core.partition import (
    BlockCut,
    Certificate,
    IndexCut,
    Partition,
    require_partition,
    smallest_unsigned,
)
from evenfold.core.registry import ParameterRule
from evenfold.core.rng import stream
from evenfold.design._base import (
    BalancedDesign,
    Design,
    DesignUnits,
    Many,
    register,
)
from evenfold.design.search.halvings import (
    Signs,
    flat_rows,
    hadamard,
    has_hadamard,
    is_small_search,
    loner_signs,
    nested_blocks,
    nested_groups,
    part_groups,
    round_robin,
    single_rows,
    single_signs,
)

MOST_REPETITIONS = 4095  # the sign table of 4096 blocks takes 16 MB


@dataclass(frozen=True, eq=False, repr=False)
class _Halvings(Design):
    """m repetitions, each of two halves."""

    m: Many

    @property
    def parts(self) -> tuple[int, str]:
        """The number of parts that the data are cut into at a time, and the noun for them."""
        return 2, "halves"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 2m."""
        return 2 * self.m


@register
@dataclass(frozen=True, eq=False, repr=False)
class Mx2BCV(_Halvings, BalancedDesign):
    """
    Block-regularized m×2 cross-validation: m halvings, every two of which overlap equally.

    The examples are cut into 4k blocks. The columns of a two-level orthogonal array decide which
    blocks train in each repetition, and the second fold of a repetition swaps the halves. The
    training sets of any two repetitions share n/4 examples, the number that makes the variance of
    the mean smallest.

    With the same seed, ``Mx2BCV(m)`` is always the first m repetitions of one nested sequence, so a
    run can grow without repeating a fit: see :meth:`extend`. The sequence has 4, 8, 16, … blocks
    while they fit into n. Up to 75 examples without groups, each example is a block, and overlaps
    are as even as possible. Balance is then sought in the first 31 repetitions only, and the last
    of the n − 1 repetitions may be very uneven, up to a half with a single class.

    Parameters
    ----------
    m : int
        Number of repetitions; at most N − 1, where N is the largest order of a Hadamard matrix
        that is at most n.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on n/2 examples. If n is odd, the halves differ by
    one example. If the number of blocks does not divide n, the remaining examples are placed so
    that overlaps deviate little, and the certificate says how much. With groups the halves are as
    equal as the groups allow.

    Examples
    --------
    >>> import evenfold as ef
    >>> partition = ef.Mx2BCV(3, random_state=0).partition(100)
    >>> partition.overlaps()
    array([[50,  0, 25, 25, 25, 25],
           [ 0, 50, 25, 25, 25, 25],
           [25, 25, 50,  0, 25, 25],
           [25, 25,  0, 50, 25, 25],
           [25, 25, 25, 25, 50,  0],
           [25, 25, 25, 25,  0, 50]])

    References
    ----------
    R19 chapter 3, theorem 3.2.
    """

    kind = kinds.MX2_BCV
    example = "mx2-bcv:7"
    grows_by = "m"

    m: Annotated[int, ParameterRule(integer, low=1, high=MOST_REPETITIONS)]

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        units = self._units(n, y, groups, features)
        order = block_order(self.m, len(units), units.words)
        blocks: NDArray[np.integer]
        if is_small_search(units):
            order, signs = single_signs(n)
            signs = _shuffle_repetitions(signs, order - 1, order, seed, nested=False)
            blocks = single_rows(units, signs, stream(seed, "deal"))
            signs = signs[:, : self.m]
        else:
            blocks, loners = _blocks(units, order, seed)
            signs = np.concatenate([hadamard(order)[:, 1:], loner_signs(loners, order)])
            signs = _shuffle_repetitions(signs, self.m, order, seed, nested=True)
        cut = BlockCut(
            blocks=units.spread(blocks).astype(smallest_unsigned(len(signs))),
            trains=np.stack([signs > 0, signs < 0], axis=2).reshape(len(signs), -1),
        )
        return _mx2_partition(self.kind, seed, cut, self.m, _certificate(cut, order, units))

    def at_random(self) -> "Mx2":
        """Return as many random halvings."""
        return Mx2(self.m, random_state=self.random_state)

    def extend(
        self,
        partition: Partition,
        m: int,
        *,
        y: Any = None,
        groups: Any = None,
        features: Any = None,
    ) -> Partition:
        """
        Continue a partition to ``m`` repetitions; the earlier repetitions are kept.

        The result equals ``Mx2BCV(m)`` with the partition's seed. Pass the same y, groups and
        features that the partition was made with.

        Examples
        --------
        >>> design = Mx2BCV(3, random_state=5)
        >>> longer = design.extend(design.partition(80), 7)
        >>> (
        ...     len(longer),
        ...     bool((longer.train[4] == Mx2BCV(7, random_state=5).partition(80).train[4]).all()),
        ... )
        (14, True)
        """
        require_partition(partition)
        have = len(partition) // 2
        if partition.kind != self.kind:
            refuse_value("partition", partition.kind, f"of kind {self.kind!r}")
        integer("m", m, low=have, high=MOST_REPETITIONS, remedy="A partition can only grow.")
        longer = Mx2BCV(
            m, balance=self.balance, features=self.features, random_state=partition.seed
        )
        extended = longer.partition(partition.n, y=y, groups=groups, features=features)
        if not all(np.array_equal(extended.train[j], partition.train[j]) for j in range(2 * have)):
            self._refuse_extension(partition, extended)
        return extended

    def _refuse_extension(self, partition: Partition, extended: Partition) -> None:
        before = partition.certificate
        after = extended.certificate
        if before is not None and after is not None and before.construction != after.construction:
            m = len(extended) // 2
            refuse(
                "m",
                f"m must stay within the nested sequence of {before.construction} but {m} "
                f"repetitions of {partition.n} examples need {after.construction}.",
                f"Start anew with Mx2BCV({m}).",
            )
        refuse(
            None,
            "y, groups, features and balance must be those of the partition, but with these values "
            "its earlier repetitions would change.",
        )


@register
@dataclass(frozen=True, eq=False, repr=False)
class Blocked3x2(Mx2BCV):
    """
    Blocked 3×2 cross-validation: four blocks and the three ways to pair them.

    It is the same as ``Mx2BCV(3)``.

    Parameters
    ----------
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Examples
    --------
    >>> Blocked3x2(random_state=1)
    Blocked3x2(random_state=1)

    References
    ----------
    W14 section 2.
    """

    example = "blocked-3x2"

    m: int = field(default=3, init=False)


@register
@dataclass(frozen=True, eq=False, repr=False)
class Mx2(_Halvings):
    """
    m independent random halvings (5×2 cross-validation is ``Mx2(5)``).

    The design serves for comparison with :class:`Mx2BCV`.

    Parameters
    ----------
    m : int
        Number of repetitions.
    random_state
        See :class:`~evenfold.design.Design`.

    Examples
    --------
    >>> len(Mx2(5, random_state=0).partition(30))
    10
    """

    kind = kinds.MX2
    example = "mx2:5"
    by_chance = True

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        halves = []
        for i in range(self.m):
            shuffled = stream(seed, "halving", i).permutation(n)
            halves += [np.sort(shuffled[: n // 2]), np.sort(shuffled[n // 2 :])]
        cut = IndexCut.of_pairs(n, [(halves[j], halves[j ^ 1]) for j in range(2 * self.m)])
        return _mx2_partition(self.kind, seed, cut, self.m)


def block_order(m: int, n: int, what: str = "examples") -> int:
    """
    Return the number of blocks for m repetitions of n examples or groups.

    The number is a power of two if that fits into n, else the smallest Hadamard order.
    """
    power = 4
    while power - 1 < m:
        power *= 2
    if power <= n:
        return power
    if n < 4:
        refuse(None, f"The number of {what} must be at least 4 but is {n}.")
    largest = next(order for order in range(n // 4 * 4, 3, -4) if has_hadamard(order))
    if largest - 1 < m:
        refuse("m", f"m must be at most {largest - 1} with {n} {what} but got {m}.")
    return next(order for order in range((m + 4) // 4 * 4, n + 1, 4) if has_hadamard(order))


def _blocks(units: DesignUnits, order: int, seed: int) -> tuple[NDArray[np.integer], int]:
    """Return the block of each unit and the number of loners, numbered after the blocks."""
    is_power = order & (order - 1) == 0
    if units.of_example is not None:
        if is_power:
            return nested_groups(units, order, seed), 0
        trains = hadamard(order)[:, 1:] > 0
        return part_groups(units, np.arange(len(units)), trains, stream(seed, "deal")), 0
    loners = len(units) % order
    if is_power:
        return nested_blocks(units, order, seed), loners
    rng = stream(seed, "deal")
    dealt = round_robin(order, len(units) - loners, units, rng)
    rows = np.concatenate([dealt, np.arange(order, order + loners)])
    trains = np.concatenate([hadamard(order)[:, 1:], loner_signs(loners, order)]) > 0
    return flat_rows(units, rows, trains, rng, run=order), loners


def _shuffle_repetitions(signs: Signs, m: int, order: int, seed: int, *, nested: bool) -> Signs:
    """Draw the order of repetitions within each generation and which half comes first."""
    is_power = nested and order & (order - 1) == 0
    columns: list[int] = []
    flips: list[int] = []
    while len(columns) < m:
        start = len(columns) + 1
        stop = max(4, 2 * start) if is_power else order
        rng = stream(seed, "columns", stop)
        columns.extend(rng.permutation(np.arange(start, stop)) - 1)
        flips.extend(rng.choice([1, -1], stop - start))
    return signs[:, columns[:m]] * np.array(flips[:m], dtype=np.int8)


def _mx2_partition(
    kind: kinds.Kind,
    seed: int,
    cut: BlockCut | IndexCut,
    m: int,
    certificate: Certificate | None = None,
) -> Partition:
    return Partition(
        kind=kind,
        seed=seed,
        cut=cut,
        certificate=certificate,
        repetition=np.repeat(np.arange(m), 2),
        fold=np.tile([0, 1], m),
    )


def _certificate(cut: BlockCut, order: int, units: DesignUnits) -> Certificate:
    n = cut.n
    m = cut.n_splits // 2
    repetition = np.repeat(np.arange(m), 2)
    across = repetition[:, None] != repetition[None, :]
    phi = cut.overlaps()
    construction = "Sylvester's Hadamard matrices"
    if order & (order - 1):
        construction = f"a Hadamard matrix of order {order}"
    return Certificate(
        construction=construction,
        overlap_target=n / 4,
        overlap_error=float(np.abs(phi - n / 4)[across].max(initial=0.0)),
        overlap_bound=_halving_bound(n) if m > 1 else 0.0,
        size_error=float(np.abs(np.diag(phi) - n / 2).max()),
        occurrence_spread=0,
        chi_square=units.chi_square(cut),
    )


def _halving_bound(n: int) -> float:
    """
    The smallest worst |φ − n/4| of four integers that add up to n.

    The integers form two halves, each within one of n/2.
    """
    return {0: 0.0, 2: 0.5}.get(n % 4, 0.75)


# Level counts of texts, for `balance="features"`.


Unit = str | Sequence[str]

_MOST_CLASSES = 10**6


def text_features(
    sentences: Sequence[Unit] | None = None,
    tags: Sequence[Sequence[str]] | None = None,
    *,
    words: int = 50,
    lengths: int = 5,
) -> NDArray[np.int64]:
    """
    Count the features of every sentence or document that a fair split spreads evenly.

    The features are tags, frequent words and the length.

    Parameters
    ----------
    sentences : sequence of token sequences or of texts, optional
        One per unit; a text is split at white space.
    tags : sequence of tag sequences, optional
        One per unit; every tag except ``O`` is a level.
    words : int, default 50
        Number of the most frequent words (capitals ignored) that are levels.
    lengths : int, default 5
        Number of classes of about the same size into which the units are put by their length.

    Returns
    -------
    array, shape (units, levels)
        The argument ``features`` of a design, of ``partition`` and of ``compare``.

    Notes
    -----
    The words and tags of the whole data are counted, test sentences included. This is not a leak,
    because the splits are fixed before the first fit, and no algorithm sees the counts.

    Examples
    --------
    >>> sentences = [["Ada", "slept"], ["all", "slept", "well"], ["Ada", "sang"], ["all", "sang"]]
    >>> tags = [["B-PER", "O"], ["O", "O", "O"], ["B-PER", "O"], ["O", "O"]]
    >>> text_features(sentences, tags, words=1, lengths=0)
    array([[1, 1],
           [0, 0],
           [1, 1],
           [0, 0]])
    """
    integer("words", words, low=0)
    integer("lengths", lengths, low=0, high=_MOST_CLASSES)
    if sentences is None and tags is None:
        refuse("sentences", "Either sentences or tags must be given.")
    tokens = _units("sentences", sentences)
    marks = _units("tags", tags)
    if tokens and marks and [*map(len, tokens)] != [*map(len, marks)]:
        refuse(
            "tags",
            "tags must be one for each token of each sentence but some sequences have other "
            "lengths.",
        )
    parts = [
        _count_strings([[tag for tag in unit if tag != "O"] for unit in marks], most=None),
        _count_strings([[token.lower() for token in unit] for unit in tokens], most=words),
        _classes([len(unit) for unit in tokens or marks], lengths),
    ]
    counted = [part for part in parts if part.size]
    if not counted:
        refuse(
            None,
            f"There are no features to count with words={words} and lengths={lengths}.",
            "Raise one of them.",
        )
    return np.concatenate(counted, axis=1)


def _units(name: str, units: Sequence[Unit] | None) -> list[list[str]]:
    """Return the strings of each unit, if units are given; a text is split at white space."""
    if units is None:
        return []
    if examples(name, units) == 0:
        refuse(name, f"{name} must have at least one unit but has none.")
    tokenized = [unit.split() if isinstance(unit, str) else unit for unit in units]
    if not all(
        isinstance(unit, (list, tuple)) and all(isinstance(t, str) for t in unit)
        for unit in tokenized
    ):
        refuse_value(name, units, "texts or lists of strings, one per unit,")
    return [list(unit) for unit in tokenized]


def _count_strings(units: Sequence[Sequence[str]], most: int | None) -> NDArray[np.int64]:
    """Count the ``most`` frequent strings (all of them for None) in every unit."""
    total = Counter(string for unit in units for string in unit)
    levels = sorted(total, key=lambda string: (-total[string], string))[:most]
    column = {level: j for j, level in enumerate(levels)}
    table = np.zeros((len(units), len(levels)), dtype=np.int64)
    for row, unit in zip(table, units, strict=True):
        for string in unit:
            if string in column:
                row[column[string]] += 1
    return table


def _classes(lengths: Sequence[int], count: int) -> NDArray[np.int64]:
    """Return indicators of the length class of each unit; equal lengths are in one class."""
    if not count or not lengths:
        return np.zeros((len(lengths), 0), dtype=np.int64)
    limits = np.quantile(lengths, np.arange(1, count) / count)
    bins = np.searchsorted(limits, lengths)
    table: NDArray[np.int64] = (bins[:, None] == np.unique(bins)).astype(np.int64)
    return table
