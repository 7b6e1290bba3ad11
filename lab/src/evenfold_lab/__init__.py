"""
How a test errs, its power and its cost, on populations of known truth.

Every study is a function of a population, by name or with its parameters, and gives a
:class:`Study`: a table of numbers with their Monte Carlo errors, the raw draws behind it, and a
figure.
"""

from evenfold_lab.algorithm import Algorithm, Refitted
from evenfold_lab.masks import Splits
from evenfold_lab.populations import population, populations
from evenfold_lab.populations._base import Population, Sample
from evenfold_lab.studies._base import Options, Study
from evenfold_lab.studies.calibrate import Calibration, calibrate
from evenfold_lab.studies.moments import (
    Correlations,
    Covariance,
    correlations,
    covariance,
    variance,
)
from evenfold_lab.studies.rates import coverage, fits, power, replicability, type1
from evenfold_lab.testing import check_population
from evenfold_lab.truth import Truth, truth, truth_of_difference

__all__ = [
    "Algorithm",
    "Calibration",
    "Correlations",
    "Covariance",
    "Options",
    "Population",
    "Refitted",
    "Sample",
    "Splits",
    "Study",
    "Truth",
    "calibrate",
    "check_population",
    "correlations",
    "covariance",
    "coverage",
    "fits",
    "population",
    "populations",
    "power",
    "replicability",
    "truth",
    "truth_of_difference",
    "type1",
    "variance",
]
