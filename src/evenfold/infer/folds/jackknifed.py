"""
The jackknife of what is left out: in closed form, outside the bag, and over folds (ours).

Leaving out one example more, for its own test and for everybody's training, gives the estimate of the other
n − 1. How these n estimates vary is the jackknife's variance. It counts what single training examples do, and
by Efron and Stein (1981) its mean is never below the variance of the estimate on n − 1 examples.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from evenfold.core.estimate import Estimand, Floats, StudentT
from evenfold.infer._base import Pivot, method
from evenfold.infer._valid import LEFT_ONE_OUT, NESTED_FOLDS
from evenfold.infer.folds.nested import members
from evenfold.infer.halves._parts import test_part
from evenfold.infer.inputs import LeftOut

_jackknifed = partial(
    method,
    valid=LEFT_ONE_OUT,
    source="ours: docs/infer/no-extra-fits; Efron and Stein 1981; Efron 1992",
    recommended=True,
)


@_jackknifed(
    takes=LeftOut(),
    depends="the jackknife counts what k examples do together k times, which is conservative; liberal "
    "for losses with rare outliers",
)
def leave_one_out_t(losses: Floats, changes: Floats) -> Pivot:
    """
    Compare two linear smoothers by leave-one-out, with a variance that counts what training examples do.

    Least squares, ridge, kernel ridge and neighbours give all n leave-one-out predictions, and those without
    two examples, from one fit: see :func:`evenfold.run.left_out`.

    *Formula.* Mean of the losses d; variance s²(u)/n of u_j = d_j − (n − 1)·a_j, where a_j is what the mean
    loss of all others changes by if j is left out, too; reference t with the df of s²(u) by its kurtosis.

    *Validity.* Conservative in the mean, proved: E V ≥ Var of the estimate on n − 1 examples, for any learner
    (Efron and Stein). Measured at n = 50, 60 and 100, seven regressions, 105 pairs of six learners, 1000 data
    sets each: error .010 on average, .063 ± .008 at worst, V 1.0 to 4.3 times the true variance, most for
    neighbours. One algorithm alone: covered in 93 to 98 %, in 88 to 93 % where its losses are skewed. Liberal
    (.465 at worst) where one example in a hundred has noise ten times as wide: data sets without one look
    calm.

    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> y = X[:, 0] + rng.normal(size=60)
    >>> a, b = (ef.run.left_out(one, X, y) for one in (LinearRegression(), Ridge(20.0)))
    >>> e = ef.infer.leave_one_out_t(b.losses - a.losses, b.changes - a.changes)
    >>> bool(e.value < 0), e.estimand
    (True, 'expected difference B − A at training size n − 1')
    """
    influence = losses - (losses.shape[-1] - 1) * changes
    variance, df = test_part(influence, losses.shape[-1])
    return Pivot(losses.mean(axis=-1), variance, StudentT(df))


@_jackknifed(
    takes=LeftOut(halves=True),
    depends="the jackknife counts interactions of examples more than once, which is conservative; liberal "
    "for patterns that shallow trees find in some data sets and not in others",
)
def out_of_bag_t(losses: Floats, changes: Floats) -> Pivot:
    """
    Compare two forests by their errors outside the bag, with a variance that counts training examples.

    A tree does not see a third of the examples, so each is judged by trees that did not see it. Trees that
    saw neither of two examples say what leaving out one more would change, at no extra fit. That n of them
    differ by chance, too, as they are means over few trees; between two halves of the trees chance is
    independent, and the product of what they say is free of it.

    *Formula.* Mean of the losses d outside the bag; variance s²(u)/n as in leave-one-out-t, a by the models
    without j, its square the product of two halves of the models, so that their number does not count as
    variance; not below s²(d)/n; reference t with the df of s²(u) by its kurtosis.

    *Validity.* Conservative in the mean as :func:`leave_one_out_t` is, up to the chance of few trees.
    Measured on 200 bagged trees, n = 80: errors of three pairs of classifiers .043, .050, .053 and of
    regressors .025, .033, .037 (4000 sets each, ± .003), where s²(d)/n errs .060 to .133; power .46 to .59.
    One forest alone is covered in 94 to 96 %. On 300 trees and five populations of 100 or 200
    examples (1000 sets) at most .061; on a sixth, an exclusive or, which shallow trees learn or miss by luck,
    up to .23: there it is liberal. Log losses of few trees are wild: take ``"brier"``.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = (part[:150] for part in load_breast_cancer(return_X_y=True))
    >>> forests = [RandomForestClassifier(300, max_depth=d, random_state=0) for d in (1, None)]
    >>> a, b = (ef.run.left_out(one, X, y) for one in forests)
    >>> e = ef.infer.out_of_bag_t(b.losses - a.losses, b.changes - a.changes)
    >>> round(float(e.value), 3), bool(e.pvalue > 0.05)
    (-0.007, True)
    """
    n = losses.shape[-1]
    a = (n - 1) * (changes - changes.mean(axis=-1, keepdims=True))
    mean = a.mean(axis=-2)
    variance, df = test_part(losses - mean, n)
    # the square of the mean counts the chance of few trees; the product of two halves does not
    by_chance = np.square(mean).sum(axis=-1) - a.prod(axis=-2).sum(axis=-1)
    alone, _ = test_part(losses, n)
    honest = np.maximum(variance - by_chance / (n * (n - 1)), alone)
    return Pivot(losses.mean(axis=-1), honest, StudentT(df))


@method(
    valid=NESTED_FOLDS,
    estimand=Estimand(size="(K−1)n/K"),
    conservative="the jackknife counts what k folds do together k times; a learner that collapses on some "
    "data sets and not on others is the exception",
    source="ours: docs/infer/full-size; Efron and Stein 1981",
)
def fold_jackknife_t(losses: Floats, folds: NDArray[np.intp]) -> Pivot:
    """
    Test the mean of K folds with the variance that leaving out one more fold shows.

    Without fold k, for testing and for training, the folds give an estimate of their own; how the K of them
    vary is the jackknife's variance. ``design="nested-kfold:7:1"`` fits each pair of seven folds once, 28
    fits an algorithm, as many as :func:`full_size_t`.

    *Formula.* Mean outer loss; variance (K−1)/K·Σ(θ_k − θ̄)² over folds, θ_k the mean inner loss without fold
    k, averaged over repetitions; reference t with K − 1 df.

    *Validity.* Conservative in the mean, proved: E V ≥ Var of the estimate on K − 1 folds, for any learner
    (Efron and Stein). Where :func:`full_size_t` errs most, K = 7, 1000 data sets, level .05: LDA against
    naive Bayes on rings .028 where that has .105, on digits .087 (.205), the mean against ridge .070. The
    price is power: .12 where that has .45 (LDA against naive Bayes, two Gaussians, n = 100). For those who
    need a proof more than a decision; else for comparison.

    >>> import numpy as np
    >>> folds = np.array([[0, 0, 1, 1, 2, 2]])
    >>> losses = np.array([[[3, 1, 2, 4, 1, 3], [4, 1, 2, 3, 2, 3], [3, 2, 3, 4, 1, 2]]]) / 10
    >>> e = ef.infer.fold_jackknife_t(losses, folds)
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.2, 0.033333)
    """
    K = losses.shape[-2]
    own = members(folds, K)
    without = np.where(own, 0.0, losses).sum(axis=-1) / (~own).sum(axis=-1)
    variance = (K - 1) / K * np.square(without - without.mean(axis=-1, keepdims=True)).sum(axis=-1)
    value = np.where(own, losses, 0.0).sum(axis=(-2, -1)) / losses.shape[-1]
    return Pivot(value.mean(axis=-1), variance.mean(axis=-1), StudentT(K - 1))
