"""Populations of two classes with normal features."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy.special import expit

from evenfold.core.checks import integer, one_of
from evenfold.core.registry import Count, NotNegative, ParameterRule, Real, Share
from evenfold_lab import estimators
from evenfold_lab.algorithm import Floats
from evenfold_lab.populations._base import Population, Sample, population_facts


@dataclass(frozen=True, kw_only=True)
class TwoClasses(Population):
    """Two classes with X|Y=c ~ N(mean_c, variance_c·I), drawn after the labels."""

    measure: ClassVar[str] = "zero-one"

    @abstractmethod
    def means(self) -> tuple[Floats, Floats]:
        """Return the means of the features in class 0 and in class 1."""

    def variances(self) -> tuple[float, float]:
        """Return the variance of every feature in class 0 and in class 1."""
        return 1.0, 1.0

    def labels(self, n: int, replications: int, rng: np.random.Generator) -> Floats:
        """Draw each label by a fair coin."""
        return rng.integers(0, 2, size=(replications, n)).astype(float)

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        y = self.labels(n, replications, rng)
        means = np.stack(self.means())
        sds = np.sqrt(self.variances())
        code = y.astype(np.intp)
        noise = rng.standard_normal((replications, n, means.shape[1]))
        return Sample(means[code] + sds[code][..., None] * noise, y)


@population_facts(
    "two-gaussians",
    "two Gaussians in the plane, tree against OLS",
    "NB table 3, W14 table 6",
    settings=({"variance": 1 / 2}, {"variance": 1 / 6}, {"variance": 1 / 2}, {"variance": 0.173}),
    sizes=(200, 200, 2000, 2000),
    learners=(estimators.regression_tree, estimators.ols_classifier),
)
class TwoGaussians(TwoClasses):
    """
    Two Gaussians in the plane, regression tree (A), least squares (B) (NB table 3; W14 table 6).

    P(Y=1) = ½, X|Y=0 ~ N((0,0), I), X|Y=1 ~ N((1,1), ``variance``·I). The settings are NB's four
    simulations, with NB's 95% intervals (B − A is −μ_{A−B} of NB):

    ======= ==== ======== ============== ============== ============== ==============
    setting n    variance μ_A(n/2)       μ_B(n/2)       μ_A(9n/10)     μ_B(9n/10)
    ======= ==== ======== ============== ============== ============== ==============
    1       200  1/2      [.249, .253]   [.204, .208]   [.247, .252]   [.201, .205]
    2       200  1/6      [.146, .149]   [.146, .148]   [.142, .147]   [.142, .145]
    3       2000 1/2      [.247, .248]   [.200, .201]   [.235, .237]   [.199, .200]
    4       2000 0.173    [.142, .143]   [.142, .143]   [.132, .133]   [.142, .143]
    ======= ==== ======== ============== ============== ============== ==============

    Settings 2 and 4 make the two equal at n/2; they are W14's simulations 1 and 2 (table 6, figures
    6, 7, 9, 10: 1000 data sets, level .05). The tree is S-plus's ``tree`` with its defaults, cut at
    ½; NB's protocol is that of ``mean-line``. Type I errors in W14 table 6, settings 2 and 4:
    ``kfold-t`` .08, .07; ``corrected-kfold-t`` .07, .05; ``5x2-t`` .05, .04; ``5x2-f`` .04, .05;
    ``blocked-3x2-t`` .05, .05. Correlations of two hold-out differences, NB's 95% intervals:

    - (n1, n2) = (n/2, n/2): [.128, .154], [.174, .205], [.120, .146], [.179, .211];
    - (n/2, n/10): [.100, .124], [.130, .157], [.087, .106], [.112, .138];
    - (9n/10, n/10): [.077, .096], [.090, .111], [.049, .065], [.078, .100].
    """

    variance: NotNegative = 1 / 6

    def means(self) -> tuple[Floats, Floats]:
        return np.zeros(2), np.ones(2)

    def variances(self) -> tuple[float, float]:
        return 1.0, self.variance


@population_facts(
    "scla",
    "two classes that differ in a tenth of p features",
    "R19 3.5.1",
    sizes=(1000,),
    learners=(estimators.svm, estimators.triangular_knn),
    further=(estimators.lda, estimators.naive_bayes),
)
class SCla(TwoClasses):
    """
    SCLA: p standard normal features; in class 1 the first tenth has mean ½ (R19 3.5.1).

    The loss is zero-one. R19 studies SVM and kNN (k = 5, triangular kernel) one at a time, with
    10 000 data sets × 1000 partitions for a variance:

    - n = 1000, p = 20, m = 3, 5, 7, 9, m×2 block-regularized and random: ρ2 = .431, .308 (table
      3.6), variances (table 3.7), K-fold against RLT for K = 2, 5, 10 (table 2.9), four designs
      (tables 2.10–2.11);
    - SVM at n = 100, 200, 300, 400, 500, p = 20, m = 3, 5, 7: Var μ̂ and the means of V1, V2, V3
      (table 5.7; m = 3, n = 200: .001442, .000646, .001384, .002122; ours, 1000 data sets: Var μ̂ =
      .00146 ± .00007);
    - f(x) at n = 1000, p = 500 (figure 2.4).

    The default pair is SVM (A) and kNN (B). At least one feature differs between the classes.
    """

    p: Count = 20

    def means(self) -> tuple[Floats, Floats]:
        n_shifted = max(1, round(self.p / 10))
        return np.zeros(self.p), np.where(np.arange(self.p) < n_shifted, 0.5, 0.0)


@population_facts(
    "w14-gaussians-10d",
    "two Gaussians in ten dimensions, a tree",
    "W14 example 1",
    learners=(estimators.classification_tree,),
)
class W14Gaussians10d(TwoClasses):
    """
    W14 example 1: X|Y=0 ~ N(0, I), X|Y=1 ~ N(1, 2I) in ten dimensions, a classification tree.

    W14's figure 1 compares the true variance of the first hold-out estimate of 5×2
    cross-validation (100 000 experiments) with the variance that ``5x2-t`` estimates. W14 does not
    state n.
    """

    p: Count = 10

    def means(self) -> tuple[Floats, Floats]:
        return np.zeros(self.p), np.ones(self.p)

    def variances(self) -> tuple[float, float]:
        return 1.0, 2.0


@population_facts(
    "w14-gaussians-5d",
    "two Gaussians in five dimensions",
    "W14 experiments 2 and 3",
    sizes=(150, 300, 400, 500, 1000),
    learners=(estimators.logistic,),
    further=(
        estimators.mlp,
        estimators.naive_bayes,
        estimators.classification_tree,
        estimators.svm,
    ),
)
class W14Gaussians5d(W14Gaussians10d):
    """
    W14 experiments 2 and 3: X|Y=0 ~ N(0, I), X|Y=1 ~ N(1, 2I) in five dimensions.

    Experiment 2: logistic regression, Var μ̂_{3×2} split into its three parts, n = 150, 300, 400,
    500, 1000 (figure 4, table 2). Experiment 3: ρ1 and ρ2 of a neural network, naive Bayes, a
    classification tree and an SVM at n = 40, 80, 160, 200, 400, 800, 1200, 1600, 2000 (table 4);
    100 000 data sets for each. (ρ1, ρ2) at n = 200 there: network (.237, .276), naive Bayes (.092,
    .408), tree (.113, .206), SVM (.284, .441). Ours: naive Bayes (.113, .404), tree (.175, .224),
    SVM (.314, .441), all ± .002. Perhaps W14's tree is not that of S-plus.
    """

    p: Count = 5


@population_facts(
    "w14-logistic",
    "labels by a logistic law of five features, SVM",
    "W14 example 2",
    measure="zero-one",
    sizes=(512,),
    learners=(estimators.svm,),
)
class W14Logistic(Population):
    """
    W14 example 2: five standard normal predictors, logit P(Y=1) = 1 + 1.5·Σx, an SVM, n = 512.

    Figure 2 shows the covariance of two 2-fold estimates as a function of the overlap of their
    training sets; it is smallest at n/4.
    """

    p: Count = 5
    intercept: Real = 1.0
    slope: Real = 1.5

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        X = rng.standard_normal((replications, n, self.p))
        chance = expit(self.intercept + self.slope * X.sum(axis=-1))
        return Sample(X, (rng.random((replications, n)) < chance).astype(float))


def _fixed_labels(n: int, replications: int, positives: int) -> Floats:
    """Return labels with a fixed number of positives, spread evenly over the examples."""
    y = np.diff(np.arange(n + 1) * positives // n).astype(float)
    return np.tile(y, (replications, 1))


@population_facts(
    "w14-shifted",
    "weakly shifted Gaussians, balanced, a tree",
    "W14 experiment 1",
    settings=({"p": 3}, {"p": 300}),
    sizes=(40, 1024),
    learners=(estimators.classification_tree,),
)
class W14Shifted(TwoClasses):
    """
    W14 experiment 1: balanced classes; class 0 is shifted by .4, .3 and 0 in thirds of features.

    Y=1: ``p`` standard normal features; Y=0: the first third N(.4, 1), the second N(.3, 1), the
    last N(0, 1). Setting 1 has n = 40 and p = 3, setting 2 has n = 1024 and p = 300. W14 compares
    the variances of blocked and random 3×2 cross-validation of a classification tree (figure 3).
    """

    p: Annotated[int, ParameterRule(integer, low=3)] = 3

    def means(self) -> tuple[Floats, Floats]:
        return np.repeat([0.4, 0.3, 0.0], -(-self.p // 3))[: self.p], np.zeros(self.p)

    def labels(self, n: int, replications: int, rng: np.random.Generator) -> Floats:  # noqa: ARG002 - fixed
        """Return alternating labels, half of each class."""
        return _fixed_labels(n, replications, n // 2)


@population_facts(
    "imbalanced",
    "rare positives, LDA against naive Bayes",
    "evenfold",
    measure="f1",
    settings=({"share": 0.05}, {"share": 0.15}),
    learners=(estimators.lda, estimators.naive_bayes),
    further=(estimators.logistic,),
)
class Imbalanced(TwoClasses):
    """
    Rare positives: X|Y=0 ~ N(0, I), X|Y=1 ~ N(δ, I), |δ| = ``distance``, LDA (A), naive Bayes (B).

    It is made for precision, recall and F1, with a ``share`` of .05 or .15 of positives. With
    ``labels_are="random"`` their number is random, with ``"fixed"`` it is round(share·n). Training
    sets need an example of each class: with random labels keep share·n_train well above 10, or
    stratify.
    """

    share: Share = 0.15
    p: Count = 5
    distance: NotNegative = 2.0
    labels_are: Annotated[str, ParameterRule(one_of, allowed=("random", "fixed"))] = "random"

    def means(self) -> tuple[Floats, Floats]:
        return np.zeros(self.p), np.full(self.p, self.distance / np.sqrt(self.p))

    def labels(self, n: int, replications: int, rng: np.random.Generator) -> Floats:
        """Draw labels whose number of positives is random or fixed."""
        if self.labels_are == "fixed":
            return _fixed_labels(n, replications, round(self.share * n))
        return (rng.random((replications, n)) < self.share).astype(float)


@population_facts(
    "r19-61",
    "two near Gaussians, logistic regression, F1",
    "R19 example 6.1",
    sizes=(600,),
    learners=(estimators.logistic,),
)
class R1961(Imbalanced):
    """
    R19 example 6.1: X|Y=0 ~ N((0,0), I), X|Y=1 ~ N((.5,.5), I), P(Y=1) = ½, logistic, n = 600.

    Blocked 3×2 cross-validation (m = 3), posterior intervals of precision, recall and F1 at 95%:
    R19 reports coverage 94.5% and length .0854 for F1 (99.6% and .117 for the older interval with
    ρ1 = ρ2 = 1). That holds with class counts ``"fixed"`` at n/2; with ``"random"`` labels F1
    covers 80–83%, recall 70–73% (see the page on Bayes tests).
    """

    share: Share = 0.5
    p: Count = 2
    distance: NotNegative = float(np.sqrt(0.5))
