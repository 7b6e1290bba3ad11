"""
What varied in a table of results, which decides how it is arranged as losses and what can be said.

Each arrangement matches the ids, checks what it needs, and says which design the table amounts to.
"""

from collections.abc import Callable
from enum import Enum

from evenfold.comparison.judge.cuts import PathCut
from evenfold.comparison.judge.folds import by_fold, by_half, by_repeated_fold, by_split
from evenfold.comparison.judge.models import by_example, by_run, by_run_and_example
from evenfold.comparison.judge.question import Arranged, Question
from evenfold.core.checks import refuse
from evenfold.core.inputs.results import Results
from evenfold.core.losses import Losses
from evenfold.core.words import count, many


class Varied(Enum):
    """What the rows of a table are, once its ids have been looked at."""

    EXAMPLES = "examples"  # one value per example of two fixed models
    RUNS = "runs on examples"  # several runs × the same examples
    SEEDS = "runs"  # one score per run and nothing else
    FOLDS = "folds"
    REPEATED_FOLDS = "repeated folds"
    HALVES = "halvings"
    SPLITS = "splits"
    DATA_SETS = "data sets"


def what_varied(results: Results) -> Varied:
    """
    Say what varied.

    Examples
    --------
    >>> import numpy as np
    >>> from evenfold.core.inputs.results import Ids
    >>> ten = Ids(labels=np.arange(10), codes=np.arange(10))
    >>> what_varied(Results(names=("a",), algorithm=np.zeros(10, dtype=int), fold=ten))
    <Varied.FOLDS: 'folds'>
    """
    varied = set(results.varied) - {"group", "time"}
    cuts = varied & {"split", "fold", "repetition"}
    if "dataset" in varied:
        return Varied.DATA_SETS
    if cuts:
        return _cut(results, cuts)
    if "run" in varied:
        return Varied.RUNS if "example" in varied else Varied.SEEDS
    if "example" not in varied:
        refuse("table", "one in which something varied", "one value per algorithm", _REMEDY)
    return Varied.EXAMPLES


_REMEDY = "one number of each says nothing of others: give examples, runs, folds or data sets"


def _cut(results: Results, cuts: set[str]) -> Varied:
    """Folds or splits of one data set; runs inside them have been averaged."""
    names = ", ".join(sorted(cuts))
    if "split" in cuts:
        if len(cuts) > 1:
            refuse("table", "one with either splits or folds", names, "leave one of the columns out")
        return Varied.SPLITS
    if "fold" not in cuts:
        refuse("table", "one with a fold beside every repetition", "repetitions alone", "add a column 'fold'")
    if "repetition" not in cuts:
        return Varied.FOLDS
    return Varied.HALVES if results.fold is not None and len(results.fold) == 2 else Varied.REPEATED_FOLDS


_ARRANGEMENTS: dict[Varied, Callable[[Question], Arranged]] = {
    Varied.EXAMPLES: by_example,
    Varied.RUNS: by_run_and_example,
    Varied.SEEDS: by_run,
    Varied.FOLDS: by_fold,
    Varied.HALVES: by_half,
    Varied.REPEATED_FOLDS: by_repeated_fold,
    Varied.SPLITS: by_split,
}


def arrange(question: Question, varied: Varied) -> Arranged:
    """Arrange a table by what varied in it; data sets are no arrangement of one."""
    return _ARRANGEMENTS[varied](question)


def described(losses: Losses, varied: Varied) -> str:
    """Say what the table holds: "300 examples in 50 clusters", "5 runs on 300 examples", "10 folds"."""
    partition = losses.partition
    examples = count(partition.n, "example")
    if losses.clusters is not None:
        examples += f" in {count(int(losses.clusters.max()) + 1, 'cluster')}"
    if isinstance(partition.cut, PathCut):
        examples += f" at {count(int(partition.cut.times.max()) + 1, 'time')}"
    if partition.kind.shape == "two test sets":
        sizes = " and ".join(many(int(size)) for size in partition.cut.sizes()[1])
        return f"{sizes} examples, other ones for each"
    if varied is Varied.EXAMPLES:
        return examples
    runs = count(len(partition), "run")
    if varied is Varied.RUNS:
        return f"{runs} on {examples}"
    if varied is Varied.SEEDS:
        return runs
    if varied is Varied.HALVES:
        return f"{count(len(partition) // 2, 'halving')} of {examples}"
    return f"{count(len(partition), 'split' if varied is Varied.SPLITS else 'fold')} of {examples}"
