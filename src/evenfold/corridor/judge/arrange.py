"""
From a table of results to losses: the same value that a run hands to inference.

Each arrangement matches the ids, checks what it needs, and says which design the table amounts to.
"""

from collections.abc import Callable

from evenfold.corridor.judge.folds import by_fold, by_half, by_repeated_fold, by_split
from evenfold.corridor.judge.models import by_example, by_run, by_run_and_example
from evenfold.corridor.judge.question import Arranged, Question
from evenfold.corridor.judge.varied import Varied

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
