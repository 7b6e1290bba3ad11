"""Populations of numeric targets, with squared loss and errors known in closed form."""

import numpy as np

from evenfold.core.registry import Count, NotNegative, Real
from evenfold_lab import estimators
from evenfold_lab.algorithm import Algorithm
from evenfold_lab.populations._base import Population, Sample, population_facts


@population_facts(
    "normal-mean",
    "normal targets, the sample mean; every moment known",
    "R19 5.9.4",
    measure="squared",
    learners=(estimators.mean,),
)
class NormalMean(Population):
    """
    Targets from N(``mean``, ``sd``²), predicted by the mean of the training targets.

    X is a column of zeros. There is one algorithm and no comparison. All moments of halves of n
    examples are known (R19 5.9.4, corrected; ψ = ``sd``): with overlap x of two training sets f(x)
    = 8ψ⁴/n⁴·[36x² + n(n−20)x + 4n²], so the hold-out variance is 4(n+6)ψ⁴/n², ρ1 = 8/(n+6) and ρ2 =
    (n+5)/(2n+12). μ(n1) = ψ²(1 + 1/n1).

    Validity: squared loss; estimand μ(n_train) of the mean.
    """

    mean: Real = 0.0
    sd: NotNegative = 1.0

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        y = self.mean + self.sd * rng.standard_normal((replications, n))
        return Sample(np.zeros((replications, n, 1)), y)

    def expected_loss(self, algorithm: Algorithm, n_train: int) -> float | None:
        """Return ψ²(1 + 1/n1) for the mean."""
        if estimators.is_mean(algorithm):
            return self.sd**2 * (n_train + 1) / n_train
        return None


@population_facts(
    "mean-line",
    "simple normal regression, mean against line",
    "NB table 2",
    settings=(
        {"slope": 1.0, "x_variance": 1.0, "noise_variance": 97.0},
        {"slope": 2.0, "x_variance": 2.0, "noise_variance": 64.0},
        {"slope": 0.1, "x_variance": 1.0, "noise_variance": 9.97},
        {"slope": 0.1, "x_variance": 5.0, "noise_variance": 9.0},
    ),
    measure="squared",
    sizes=(200, 200, 2000, 2000),
    learners=(estimators.mean, estimators.line),
)
class MeanLine(Population):
    """
    Simple normal regression, the mean (A), the line (B), squared loss (NB 5, problem 1, table 2).

    X ~ N(``x_mean``, ``x_variance``), Y|X ~ N(``intercept`` + ``slope``·X, ``noise_variance``). The
    settings are NB's four simulations. μ follows from NB eq. 18 and 19; B − A is −μ_{A−B} of NB:

    ======= ==== ===== ========== ============== ========= ========= =========== ===========
    setting n    slope x_variance noise_variance μ_A(n/2)  μ_B(n/2)  μ_A(9n/10)  μ_B(9n/10)
    ======= ==== ===== ========== ============== ========= ========= =========== ===========
    1       200  1     1          97             98.98     98.98     98.54       98.09
    2       200  2     2          64             72.72     65.31     72.40       64.72
    3       2000 0.1   1          9.97           9.99      9.99      9.99        9.98
    4       2000 0.1   5          9              9.06      9.02      9.06        9.01
    ======= ==== ===== ========== ============== ========= ========= =========== ===========

    ``x_mean`` is 10 and ``intercept`` 100 throughout. Settings 1 and 3 make the algorithms equal at
    n/2. In NB's protocol for this population, ``two-gaussians`` and ``letters``, two-sided tests at
    .1 are run on 1000 data sets per setting, for A, B and A − B, with nulls around the truth.

    - 5.1 (figures 1–9): n1 = n/2, n2 = n/2 or n/10, J = 15, R = 15 more runs for the bootstrap
      (other splits of the same data; figures 4 and 6 only), M = 10 halvings for conservative Z,
      5×2;
    - 5.2 (figures 10–18): n1 = 9n/10, n2 = n/10, J = 5, 10, 15, 25: ``resampled-t``,
      ``corrected-resampled-t``, ``conservative-z``; 5.3 (figures 19–26): the last with M = 5, 10,
      20, J = 15;
    - the tables: J = 25 for μ and the correlations, by estimating functions (appendix A.3).

    Correlations of two hold-out differences, NB's 95% intervals, settings 1 to 4:

    - (n1, n2) = (n/2, n/2): [.225, .298], [.426, .482], [.226, .282], [.399, .455];
    - (n/2, n/10): [.103, .143], [.146, .184], [.089, .128], [.131, .165];
    - (9n/10, n/10): [.062, .091], [.084, .109], [.059, .085], [.086, .109].
    """

    slope: Real = 1.0
    x_variance: NotNegative = 1.0
    noise_variance: NotNegative = 97.0
    x_mean: Real = 10.0
    intercept: Real = 100.0

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        x = self.x_mean + np.sqrt(self.x_variance) * rng.standard_normal((replications, n))
        noise = np.sqrt(self.noise_variance) * rng.standard_normal((replications, n))
        return Sample(x[..., None], self.intercept + self.slope * x + noise)

    def expected_loss(self, algorithm: Algorithm, n_train: int) -> float | None:
        """Evaluate NB eq. 18 for the mean and eq. 19 for the line."""
        if estimators.is_mean(algorithm):
            return (n_train + 1) / n_train * (self.noise_variance + self.slope**2 * self.x_variance)
        if estimators.is_ols(algorithm):
            return _error_of_least_squares(n_train, p=1, noise_variance=self.noise_variance)
        return None


@population_facts(
    "sreg",
    "linear regression on p normal features",
    "R19 3.5.1",
    measure="squared",
    sizes=(1000,),
    learners=(estimators.ols, estimators.ridge),
    further=(estimators.lasso,),
)
class SReg(Population):
    """
    SREG: p standard normal features, y = √(3/p)·Σx + N(0, 1), squared loss (R19 3.5.1).

    R19 studies one algorithm at a time, with 10 000 data sets × 1000 partitions for a variance:

    - ``lm``, ``rid``, ``lso`` at n = 1000, p = 100, m = 3, 5, 7, 9, m×2 block-regularized and
      random: ρ2 = .443, .442, .282 (table 3.6), variances for lm 7.567, 4.548, 3.246, 2.520 ·10⁻⁴
      and 7.595, 4.560, 3.260, 2.536 ·10⁻⁴ (table 3.7; they fall as 1/m, which ρ2 = .443 does not
      allow);
    - ``rid`` at n = 100, 200, 300, 400, 500, p = 20, m = 3, 5, 7: Var μ̂ and the means of V1, V2,
      V3 (table 5.6; m = 3, n = 200: .030131, .015067, .027984, .040901; penalties 0 to 10 give Var
      μ̂ = .0218 to .0190 ± .0005 here);
    - lasso and ridge at n = 500, p = 500, lm at n = 500, p = 100: f(x) with 1000 data sets × 1000
      splits for each overlap (figure 2.3), K-fold against RLT for K = 2, 5, 10 (table 2.9), four
      designs (tables 2.10–2.11).

    The default pair is least squares (A) and ridge (B). R19 states no penalty. Least squares needs
    n_train > p + 2; its error is NB eq. 19 with p features.
    """

    p: Count = 20

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X = rng.standard_normal((replications, n, self.p))
        return Sample(
            X, np.sqrt(3 / self.p) * X.sum(axis=-1) + rng.standard_normal((replications, n))
        )

    def expected_loss(self, algorithm: Algorithm, n_train: int) -> float | None:
        """Evaluate the closed forms for least squares and the mean; the variance of y is 3 + 1."""
        if estimators.is_mean(algorithm):
            return 4 * (n_train + 1) / n_train
        if estimators.is_ols(algorithm):
            return _error_of_least_squares(n_train, p=self.p, noise_variance=1.0)
        return None


def _error_of_least_squares(n1: int, *, p: int, noise_variance: float) -> float | None:
    """
    Return σ²·(n1+1)/n1·(n1−2)/(n1−p−2), NB eq. 19 for p normal features.

    The inverse of the features' sample covariance is an inverse Wishart with mean 1/(n1−p−2), so
    for a new x E[h] = 1/n1 + (1 + 1/n1)·p/(n1−p−2).
    """
    if n1 <= p + 2:
        return None
    return noise_variance * (n1 + 1) / n1 * (n1 - 2) / (n1 - p - 2)
