"""
Intervals as mlr3inferr 0.2.2 defines them, vectorised over data sets.

Its documentation and tests are the reference. The level is 95% throughout. Nested cross-validation
is in :func:`~evenfold_lab.bench.material.nested_statistics`, where the losses are summed.
"""

from typing import Any

import numpy as np
from scipy import special

Floats = np.ndarray[Any, np.dtype[np.float64]]
LEVEL = 0.05
Z = float(special.ndtri(1 - LEVEL / 2))


def interval_around(centre: Any, reach: Any) -> tuple[Floats, Floats, Floats]:
    """Return the estimate with both limits of its interval."""
    return centre, centre - reach, centre + reach


def holdout(losses: Floats) -> tuple[Floats, Floats, Floats]:
    """One test set (…, n2): normal, with the standard deviation of its losses."""
    n2 = losses.shape[-1]
    return interval_around(losses.mean(axis=-1), Z * losses.std(axis=-1, ddof=1) / np.sqrt(n2))


def corrected_t(values: Floats, n_train: int, n_test: int) -> tuple[Floats, Floats, Floats]:
    """Means of J random splits (…, J): Student with J − 1 df and the factor 1/J + n2/n1."""
    J = values.shape[-1]
    error = values.std(axis=-1, ddof=1) * np.sqrt(1 / J + n_test / n_train)
    return interval_around(values.mean(axis=-1), special.stdtrit(J - 1, 1 - LEVEL / 2) * error)


def conservative_z(values: Floats, halves: Floats) -> tuple[Floats, Floats, Floats]:
    """Means of splits of all data (…, J), and of both halves of M halvings (…, M, 2): normal."""
    apart = halves[..., 0] - halves[..., 1]
    error = np.sqrt((apart**2).sum(axis=-1) / (2 * halves.shape[-2]))
    return interval_around(values.mean(axis=-1), Z * error)


def wald_cv(losses: Floats) -> tuple[Floats, Floats, Floats]:
    """Losses of all examples in one run of folds, or of leave-one-out (…, n): normal, divisor n."""
    error = losses.std(axis=-1) / np.sqrt(losses.shape[-1])
    return interval_around(losses.mean(axis=-1), Z * error)


def nested(statistics: Floats) -> tuple[Floats, Floats, Floats]:
    """Estimate and standard error (…, 2), as ``nested_statistics`` has them: normal."""
    return interval_around(statistics[..., 0], Z * statistics[..., 1])
