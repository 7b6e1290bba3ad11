"""
Designs that R19 (tables 2.1–2.7, 3.1–3.4, examples 2.1, 3.1, 3.2) and W14 (table 1) print.

Counted out.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from evenfold.design import BRLT, Blocked3x2, Mx2BCV, random_overlap
from evenfold_lab.populations.resampled import read_table
from papers import _printed_designs as printed_
from papers._table import Cell, Claim, Table, printed

Split = tuple[tuple[int, ...], tuple[int, ...]]


def is_orthogonal(rows: Sequence[str]) -> bool:
    """Whether any two columns have all four pairs of levels equally often."""
    columns = list(zip(*rows, strict=True))
    counts = (Counter(zip(a, b, strict=True)) for a, b in combinations(columns, 2))
    return all(set(count.values()) == {len(rows) / 4} for count in counts)


def chosen(rows: Sequence[str], level: str) -> tuple[str, ...]:
    """The columns with this level in the first row, without that row (R19 algorithms 2.1, 2.2)."""
    kept = [j for j, value in enumerate(rows[0]) if value == level]
    return tuple("".join(row[j] for j in kept) for row in rows[1:])


def splits(rows: Sequence[str], train: str) -> tuple[Split, ...]:
    """The split of each column: blocks with this level train, the others test."""
    made = []
    for column in zip(*rows, strict=True):
        training = tuple(i for i, level in enumerate(column, start=1) if level == train)
        made.append((training, tuple(i for i in range(1, len(rows) + 1) if i not in training)))
    return tuple(made)


def evenness(made: Sequence[Split]) -> tuple[set[int], set[int]]:
    """How often blocks train, and how many blocks two training sets share."""
    often = Counter(block for train, _ in made for block in train)
    shared = {len(set(a) & set(b)) for (a, _), (b, _) in combinations(made, 2)}
    return set(often.values()), shared


def _claims(name: str, title: str, *claims: tuple[str, bool, str]) -> Table:
    made = [Claim(says=says, holds=holds, here=here) for says, holds, here in claims]
    return Table(name=name, title=title, note="Counted out.", claims=made)


def _same(says: str, here: object, there: object) -> tuple[str, bool, str]:
    return says, here == there, "as printed" if here == there else f"here {here}"


def chapter_2() -> Iterator[Table]:
    """R19 tables 2.1–2.6 and example 2.1."""
    first, second, third = printed_.TABLE_2_1, printed_.TABLE_2_2, printed_.TABLE_2_3
    orthogonal = "any two columns have all four pairs of levels three times"
    yield _claims(
        "2.1", "R19 table 2.1", (orthogonal, is_orthogonal(first), f"{len(first[0])} columns")
    )
    yield _claims(
        "2.2", "R19 table 2.2", _same("is table 2.1 without its first row", first[1:], second)
    )
    yield _claims(
        "2.3",
        "R19 table 2.3",
        _same("is what algorithm 2.1 leaves of it", chosen(second, "-"), third),
    )
    made = splits(third, "+")
    often, shared = evenness(printed_.TABLE_2_4)
    yield _claims(
        "2.4",
        "R19 table 2.4",
        _same("is what algorithm 2.1 makes of table 2.3", made, printed_.TABLE_2_4),
    )
    yield _claims(
        "example-2.1",
        "R19 example 2.1",
        ("every block trains in three of six splits", often == {3}, f"{sorted(often)}"),
        ("two training sets share two blocks of ten", shared == {2}, f"{sorted(shared)}"),
        (
            "and so they do in the design of this library",
            _overlaps(BRLT(6, 10, random_state=0), 20) == {4},
            "n = 20: 4 examples",
        ),
    )
    fifth = printed_.TABLE_2_5
    yield _claims(
        "2.5",
        "R19 table 2.5",
        _same("the columns that algorithm 2.1 drops", chosen(second, "+"), fifth),
    )
    often, shared = evenness(printed_.TABLE_2_6)
    yield _claims(
        "2.6",
        "R19 table 2.6",
        _same("is table 2.5 with the − level training", splits(fifth, "-"), printed_.TABLE_2_6),
        ("every block trains in three of five splits", often == {3}, f"{sorted(often)}"),
        ("two training sets share three blocks of ten", shared == {3}, f"{sorted(shared)}"),
        (
            "and so they do in the design of this library",
            _overlaps(BRLT(5, 36, random_state=0), 60) == {18},
            "n = 60: 18 examples",
        ),
    )


def _overlaps(design: BRLT | Mx2BCV, n: int) -> set[int]:
    overlaps = design.partition(n).overlaps()
    return {int(x) for x in overlaps[np.triu_indices(len(overlaps), 1)]}


def chapter_3() -> Iterator[Table]:
    """R19 tables 3.1–3.4, examples 3.1 and 3.2."""
    eight, four = printed_.TABLE_3_1, printed_.TABLE_3_3
    orthogonal = "any two columns have all four pairs of levels equally often"
    yield _claims(
        "3.1", "R19 table 3.1", (orthogonal, is_orthogonal(eight), f"{len(eight[0])} columns")
    )
    made = splits(eight, "+")
    yield _claims(
        "3.2", "R19 table 3.2", _same("are the columns of table 3.1", made, printed_.TABLE_3_2)
    )
    yield _claims(
        "3.3", "R19 table 3.3", (orthogonal, is_orthogonal(four), f"{len(four[0])} columns")
    )
    small = splits(four, "+")
    of_three = tuple((a, c) for a, _, c, _ in printed_.TABLE_3_4 if a)
    of_seven = tuple((b, d) for _, b, _, d in printed_.TABLE_3_4)
    yield _claims(
        "3.4",
        "R19 table 3.4",
        _same("the splits of 3×2 are those of table 3.3", small, of_three),
        _same("the splits of 7×2 are those of table 3.2", made, of_seven),
    )
    grown = tuple(
        tuple(tuple(sorted((*side, *(j + 4 for j in side)))) for side in split) for split in small
    )
    three = Mx2BCV(3, random_state=0).partition(64)
    seven = Mx2BCV(7, random_state=0).partition(64)
    nested = all(set(a) == set(b) for a, b in zip(three.train, seven.train, strict=False))
    yield _claims(
        "example-3.2",
        "R19 example 3.2",
        _same("block j of four becomes j and j + 4: the first three splits stay", grown, made[:3]),
        ("and so they do in the design of this library", nested, "3×2 in 7×2, n = 64"),
    )
    n = 400
    x = np.arange(n // 2 + 1)
    error = float(random_overlap(n, n // 2).pmf(x) @ abs(x - n / 4))
    even = _overlaps(Mx2BCV(7, random_state=0), n) - {0}
    largest = max(abs(overlap - n / 4) for overlap in even)
    yield _claims(
        "example-3.1",
        "R19 example 3.1",
        (
            "random halves are off n/4 by 3.98 on average, n = 400",
            abs(error - 3.98) < 0.005,
            f"{error:.4f}",
        ),
        ("even ones by 2 at most", largest <= 2, f"{largest:g}"),
    )


def w14_design() -> Table:
    """W14 table 1."""
    partition = Blocked3x2(random_state=0).partition(40)
    groups = []
    for a, b in combinations(range(0, 6, 2), 2):
        groups.append(len(set(partition.train[a]) & set(partition.train[b])))
    pairs = printed_.W14_TABLE_1
    turned = all(pairs[i] == (pairs[i + 1][1], pairs[i + 1][0]) for i in (0, 2, 4))
    all_six = {train for train, _ in pairs} == set(combinations(range(1, 5), 2))
    return _claims(
        "table-1",
        "W14 table 1",
        ("the six halves are all pairs of four blocks", all_six, "6 of 6"),
        ("the halves of a group serve each other as test set", turned, "3 of 3 groups"),
        (
            "and the design of this library shares n/4 between groups",
            set(groups) == {10},
            f"n = 40: {groups}",
        ),
    )


def sizes(folder: str) -> Table:
    """R19 table 2.7: the data sets of its chapter 2."""
    cells = []
    for name, texts in printed_.TABLE_2_7.items():
        rows = read_table(folder, f"{name}.csv.gz")
        counts = (len(rows), len(rows[0]) - 1, len({row[-1] for row in rows}))
        for column, text, ours in zip(
            ("examples", "features", "classes"), texts, counts, strict=True
        ):
            cells.append(
                Cell(row=name, column=column, source=printed(str(text)), ours=float(ours), se=0.0)
            )
    return Table(
        name="2.7", title="R19 table 2.7", note="The data sets that are read here.", cells=cells
    )
