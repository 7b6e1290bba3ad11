"""``evenfold design`` shows how even a design is, beside random splits of the same size."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from evenfold.cli import options as o
from evenfold.cli.output import console, listing
from evenfold.core.checks import integer, refuse
from evenfold.core.partition import Partition
from evenfold.design import Mx2BCV, designs, random_overlap_error
from evenfold.read.tables import read_frame, values

_FEW = 12  # training sets whose overlaps are shown one by one
_MOST = 2000  # training sets whose overlaps are counted at all

Key = Annotated[
    str,
    o.argument(
        metavar="KEY[:ARGUMENTS]",
        help=f"{', '.join(design.example for design in designs().values())}; "
        "add what to balance, as in kfold:10:labels.",
    ),
]
_SAID = f"Repetitions: {Mx2BCV.kind} --m 7 is {Mx2BCV.kind}:7."
M = Annotated[int | None, typer.Option("--m", metavar="M", help=_SAID)]
Seed = Annotated[int, typer.Option(help="Seed of both designs.", min=0)]


@o.option_group
class _Examples:
    """The number of examples, or a file that has them."""

    n: int | None = o.plain_option("--n", metavar="N", help="Number of examples.")
    labels: Path | None = o.plain_option(
        metavar="FILE", help="Take examples and labels from a file."
    )
    column: str | None = o.plain_option(
        metavar="COLUMN", help="Column of that file with the labels."
    )
    groups: str | None = o.plain_option(
        metavar="COLUMN", help="Column of that file with the groups."
    )

    def read(self) -> tuple[int, NDArray[Any] | None, NDArray[Any] | None]:
        """Return how many examples there are, their labels and their groups."""
        names_column = self.column is not None or self.groups is not None
        if self.labels is None:
            if self.n is None or names_column:
                refuse(
                    None,
                    "Give the examples by --n, or by --labels FILE with --column or --groups.",
                )
            return integer("--n", self.n, low=2), None, None
        if self.n is not None or not names_column:
            refuse(None, "--labels goes with --column or --groups, and not with --n.")
        frame = read_frame(self.labels)
        y, group = (
            None if name is None else values(frame, name) for name in (self.column, self.groups)
        )
        return len(frame), y, group


@o.take_option_groups
def design(key: Key, examples: _Examples, m: M = None, seed: Seed = 0) -> None:
    """
    Show how evenly a design splits the data.

    Overlaps of training sets and the certificate, beside random splits.
    """
    text = key if m is None else f"{key}:{m}"
    chosen = o.design_named(text, seed=seed)
    count, y, group = examples.read()
    partition = chosen.partition(count, y=y, groups=group if chosen.uses_groups_now else None)
    sides = [_evenness(text, partition, y)]
    random = chosen.at_random()
    if random is not None:
        sides.append(_evenness("random", random.partition(count), y))
    out = console()
    out.print(f"{chosen!r} on {count} examples\n")
    table = listing("", *(side.title for side in sides))
    for label in sides[0].rows:
        table.add_row(label, *[side.rows[label] for side in sides])
    out.print(table)
    if 2 < len(sides[0].firsts) <= _FEW:
        which = ", the first of each repetition" if partition.kind.is_halving else ""
        out.print(f"\nExamples shared by each two training sets{which}:")
        grid = Table.grid(padding=(0, 4))
        grid.add_row(*[side.title for side in sides])
        grid.add_row(*[_overlaps(side) for side in sides])
        out.print(grid)
    out.print()
    out.print(_certificate(partition, beside_chance=random is not None), width=min(100, out.width))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Evenness:
    """
    How even one partition is.

    ``rows`` say what was counted, from the smallest to the largest: of training and test sets, of
    the training sets that hold an example, of the overlaps of training sets of different
    repetitions, and of each class in a training set, for up to ten classes. ``firsts`` are the
    overlaps of the first training sets of the repetitions, or of all where there is one.
    """

    title: str
    rows: dict[str, str]
    firsts: NDArray[np.int64]


def _evenness(title: str, partition: Partition, y: NDArray[Any] | None) -> Evenness:
    shared = np.zeros((0, 0), dtype=np.int64)
    if len(partition) <= _MOST:
        shared = partition.overlaps()
    place = partition.repetition
    if len(np.unique(place)) == 1:
        place = partition.fold
    across = (place[:, None] != place[None, :])[: len(shared), : len(shared)]
    firsts = np.unique(place[: len(shared)], return_index=True)[1]
    rows = {
        "splits": str(len(partition)),
        "training set": _span(partition.train_sizes),
        "test set": _span(partition.test_sizes),
        "times an example trains": _span(partition.occurrences()),
        "overlap of two training sets": _span(shared[across]),
        **({} if y is None else _classes(partition, y)),
    }
    return Evenness(title=title, rows=rows, firsts=shared[np.ix_(firsts, firsts)])


def _classes(partition: Partition, y: NDArray[Any]) -> dict[str, str]:
    classes, code = np.unique(y, return_inverse=True)
    if len(classes) > 10 or len(partition) > _MOST:
        return {}
    counts = np.array(
        [np.bincount(code[train], minlength=len(classes)) for train in partition.train]
    )
    return {f"of class {label} train": _span(counts[:, k]) for k, label in enumerate(classes)}


def _span(values: Any) -> str:
    """Write the smallest and the largest of some numbers, or a dash if there are none."""
    if not np.size(values):
        return "–"
    low = np.min(values)
    high = np.max(values)
    return str(low) if low == high else f"{low} to {high}"


def _overlaps(side: Evenness) -> Table:
    count = len(side.firsts)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", *map(str, range(2, count + 1))):
        table.add_column(heading, justify="right", style="dim" if not heading else "")
    for i in range(count - 1):
        table.add_row(
            str(i + 1), *[str(side.firsts[i, j]) if j > i else "" for j in range(1, count)]
        )
    return table


def _certificate(partition: Partition, *, beside_chance: bool) -> str:
    sure = partition.certificate
    if sure is None:
        return "Random splits promise nothing, so there is no certificate."
    if sure.ahead is not None:
        ahead = (
            f"Every tested time is {_span(sure.ahead)} after the last that trained: nothing leaks."
        )
        return f"Certificate: {sure.construction}. {ahead}"
    text = (
        f"Certificate: made from {sure.construction}. Ideally each two training sets share "
        f"{sure.overlap_target:g} examples; here the worst is off by {sure.overlap_error:g}, and "
        f"no partition of these sizes stays below {sure.overlap_bound:g}."
    )
    if beside_chance:
        chance = random_overlap_error(partition.n, partition.n_train)
        text += f" Random splits are off by {chance:.2f} on average."
    return text
