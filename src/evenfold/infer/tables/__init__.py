"""What one test set says that has clusters, or was met by several runs of each algorithm."""

from evenfold.infer.tables._crossed import Parts, parts
from evenfold.infer.tables._needed import Spread, runs_needed, shares, unit_variance, units_needed
from evenfold.infer.tables._places import rank_intervals, tie_groups
from evenfold.infer.tables._score_values import jackknife_values, random_blocks

__all__ = [
    "Parts",
    "Spread",
    "jackknife_values",
    "parts",
    "random_blocks",
    "rank_intervals",
    "runs_needed",
    "shares",
    "tie_groups",
    "unit_variance",
    "units_needed",
]
