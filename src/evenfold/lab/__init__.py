"""
Populations of known truth, fed through the same rooms: how a test errs, how strong it is, its cost.

Every study is a function of a population, by name or with its parameters, and gives a :class:`Study`: a table
of numbers with their Monte Carlo errors, the raw draws behind it, and a figure.
"""

from evenfold.lab.algorithm import Algorithm, Refitted
from evenfold.lab.masks import Splits
from evenfold.lab.populations import population, populations
from evenfold.lab.populations._base import Population, Sample
from evenfold.lab.studies._base import Options, Study
from evenfold.lab.studies.calibrate import Calibration, calibrate
from evenfold.lab.studies.moments import Correlations, Covariance, correlations, covariance, variance
from evenfold.lab.studies.rates import coverage, fits, power, replicability, type1
from evenfold.lab.truth import Truth, truth, truth_of_difference

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
