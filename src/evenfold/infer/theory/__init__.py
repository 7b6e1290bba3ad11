"""What the Gaussian model says of designs and tests: constants, covariances, power."""

from evenfold.infer.theory import blocks, components, regions, sequences
from evenfold.infer.theory.gaussian import (
    c_hat,
    c_m,
    expected_sigma_hat,
    f_m,
    interval_shrinkage,
    political_ratio,
    recommended_repetitions,
    v_m,
    variance_of_mean,
    variance_shrinkage,
)

__all__ = [
    "blocks",
    "c_hat",
    "c_m",
    "components",
    "expected_sigma_hat",
    "f_m",
    "interval_shrinkage",
    "political_ratio",
    "recommended_repetitions",
    "regions",
    "sequences",
    "v_m",
    "variance_of_mean",
    "variance_shrinkage",
]
