"""What one test set says that has clusters, or was met by several runs of each algorithm."""

from evenfold.infer.tables._kernels import CrossedComponents, cluster_covariance, parts
from evenfold.infer.tables._needed import (
    Spread,
    rank_intervals,
    runs_needed,
    shares,
    tie_groups,
    unit_variance,
    units_needed,
)
from evenfold.infer.tables._score_values import bootstrap_values, jackknife_values, require_smooth

__all__ = [
    "CrossedComponents",
    "Spread",
    "bootstrap_values",
    "cluster_covariance",
    "jackknife_values",
    "parts",
    "rank_intervals",
    "require_smooth",
    "runs_needed",
    "shares",
    "tie_groups",
    "unit_variance",
    "units_needed",
]
