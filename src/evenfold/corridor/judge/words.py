"""What a table amounts to, in words."""

from evenfold.core.losses import Losses
from evenfold.core.words import count
from evenfold.corridor.judge.cuts import PathCut
from evenfold.corridor.judge.varied import Varied


def described(losses: Losses, varied: Varied) -> str:
    """Say what the table holds: "300 examples in 50 clusters", "5 runs on 300 examples", "10 folds"."""
    partition = losses.partition
    examples = count(partition.n, "example")
    if losses.clusters is not None:
        examples += f" in {count(int(losses.clusters.max()) + 1, 'cluster')}"
    if isinstance(partition.cut, PathCut):
        examples += f" at {count(int(partition.cut.times.max()) + 1, 'time')}"
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
