"""
The political ratio of every method of the sources, by simulation through ``compare``.

``tests/comparison/test_political_ratio.py`` computes it exactly from the splits; here nothing is
assumed about what happens between the data and the answer. The ratio is printed with its Monte
Carlo error (``pytest -s`` shows it).
"""

import numpy as np
import pytest
from tests.comparison.mean_model import METHODS, compare, ratio_of_source

pytestmark = pytest.mark.guarantee

N = 80
DATA_SETS = 200


@pytest.mark.parametrize("key", METHODS)
def test_the_political_ratio_through_compare_is_that_of_the_source(key: str) -> None:
    answers = [compare(key, N, seed, data=seed) for seed in range(DATA_SETS)]
    values = np.array([float(c.estimate.value) for c in answers])
    squares = np.square(values - values.mean()) * DATA_SETS / (DATA_SETS - 1)
    variances = np.array([float(c.estimate.standard_error) ** 2 for c in answers])
    ratio = squares.mean() / variances.mean()
    error = np.std(squares - ratio * variances) / np.sqrt(DATA_SETS) / variances.mean()
    source = ratio_of_source(METHODS[key], answers[0].losses.partition)
    print(f"{key}: {ratio:.3f} ± {error:.3f}, the source {source:.3f}")
    assert abs(ratio - source) <= 4 * error
