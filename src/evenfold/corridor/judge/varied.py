"""What varied in a table of results, which decides what can be said."""

from enum import Enum

from evenfold.core.checks import refuse
from evenfold.core.given.results import Results


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
    >>> from evenfold.core.given.results import Ids
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
