"""Models that were asked other examples each: nothing is paired."""

import numpy as np

from evenfold.comparison.judge.cuts import SizesCut
from evenfold.comparison.judge.grid import Grid
from evenfold.comparison.judge.question import Arranged, Question, losses_of, partition_of
from evenfold.core.checks import refuse
from evenfold.core.partition import TWO_TEST_SETS, TWO_TEST_SETS_RIGHT


def is_apart(question: Question, found: Grid) -> bool:
    """Whether no example was asked of two algorithms, or somebody said that they do not belong together."""
    asked = (found.rows >= 0).sum(axis=0)
    several = len(question.results.names) > 1
    return several and (question.paired is False or (bool((asked < 2).all()) and question.paired is not True))


def by_own_examples(question: Question, found: Grid) -> Arranged:
    """One value per example of each of several fixed models, other examples for each."""
    results = question.results
    if results.group is not None or (results.time is not None and len(results.time) > 1):
        remedy = "compare models on the same examples, or leave the column out"
        refuse("table", "without groups and times where models have other examples", "such a column", remedy)
    rows = [of[of >= 0] for of in found.rows]
    for name, own in zip(results.names, rows, strict=True):
        if len(own) < 2:
            refuse("table", "one with two examples or more of every algorithm", f"{len(own)} of {name!r}")
    values = [question.measured.examples(own) for own in rows]
    right = all(np.isin(one, (0.0, 1.0)).all() for one in values)
    sizes = np.array([len(own) for own in rows])
    k = len(rows)
    cut = SizesCut(n=int(sizes.sum()), train_sizes=np.zeros(k, dtype=np.int64), test_sizes=sizes)
    empty = np.empty(0)
    own = np.eye(k, dtype=bool)
    return Arranged(
        losses=losses_of(
            question,
            partition_of(TWO_TEST_SETS_RIGHT if right else TWO_TEST_SETS, cut),
            [[values[a].mean() if own[a, j] else np.nan for j in range(k)] for a in range(k)],
            examples=[[values[a] if own[a, j] else empty for j in range(k)] for a in range(k)],
            absent=~own,
        ),
        notes=("no example was asked of both: nothing is paired, which takes many more examples",),
    )
