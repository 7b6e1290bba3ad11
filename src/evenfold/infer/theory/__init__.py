"""What the Gaussian model says of designs and tests: constants, covariances, power."""

from evenfold.infer.theory import blocks as blocks
from evenfold.infer.theory import components as components
from evenfold.infer.theory import regions as regions
from evenfold.infer.theory import sequences as sequences
from evenfold.infer.theory.gaussian import c_hat as c_hat
from evenfold.infer.theory.gaussian import c_m as c_m
from evenfold.infer.theory.gaussian import expected_sigma_hat as expected_sigma_hat
from evenfold.infer.theory.gaussian import f_m as f_m
from evenfold.infer.theory.gaussian import interval_shrinkage as interval_shrinkage
from evenfold.infer.theory.gaussian import political_ratio as political_ratio
from evenfold.infer.theory.gaussian import recommended_repetitions as recommended_repetitions
from evenfold.infer.theory.gaussian import v_m as v_m
from evenfold.infer.theory.gaussian import variance_of_mean as variance_of_mean
from evenfold.infer.theory.gaussian import variance_shrinkage as variance_shrinkage
