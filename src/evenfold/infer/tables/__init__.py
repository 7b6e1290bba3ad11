"""What one test set says that has clusters, or was met by several runs of each algorithm."""

from evenfold.infer.tables._places import rank_intervals, tie_groups
from evenfold.infer.tables._score_values import (
    jackknife_values,
    random_blocks,
    ratio_values,
    weighted_values,
)

__all__ = [
    "jackknife_values",
    "random_blocks",
    "rank_intervals",
    "ratio_values",
    "tie_groups",
    "weighted_values",
]
