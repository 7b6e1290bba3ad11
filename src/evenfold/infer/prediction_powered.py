"""
Prediction-powered means: few labels that are right, and many scores of a judge that may be biased.

The judge's scores on all examples give precision, and the labels remove their bias. If the judge is
useless, the answer is that of the labels alone. If it is perfect, the answer is that of as many
labels as there are scores.
"""

from typing import Any

import numpy as np

from evenfold.core.checks import number, refuse, refuse_value
from evenfold.core.estimate import Alternative, Floats, PivotEstimate, StudentT
from evenfold.core.partition import LABELLED, LABELLED_CLUSTERS
from evenfold.infer._arrays import ArrayLike, floats, mean_and_variance, welch_df
from evenfold.infer._base import Pivot, method
from evenfold.infer._designs import WITH_LABELS
from evenfold.infer.tables.kernels import cluster_codes, clustered_variance

_HEAVIEST = 1e100  # weight of the scores whose square is finite


@method(
    name="the prediction-powered t-test",
    valid=WITH_LABELS,
    depends="It is near its level from twenty labels on. With ten labels that are right or wrong "
    "it errs up to .08 at .05.",
    source="Angelopoulos 2023",
    default_for=(LABELLED, LABELLED_CLUSTERS),
    no_card="the lab's worlds have no judge; docs, My judge is a model, has the table",
)
def prediction_powered_t(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    clusters: Any = None,
    weight: float | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean of labels that few examples have, with the help of scores that all have.

    Parameters
    ----------
    labels : array of shape (..., n)
        Labels of n ≥ 2 examples: of B less those of A, or of one model.
    scores : array of shape (..., n + N)
        Scores of the same examples and of N ≥ 2 further ones.
    clusters : array of shape (n + N,), optional
        The cluster of each example, the labelled ones first.
    weight : float, optional
        λ; by default the slope of the labels on their scores.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* With n labels Y and scores f of n labelled and N new examples: Ȳ − λ′(f̄_n − f̄_N),
    where λ′ = λN/(N + n) and λ is the slope of Y on f (PPI++). Variance s²(Y − λ′f)/n + λ′²s²(f)/N,
    reference t with Welch's df; where λ is fitted the first term has n − 2 df and a factor 1 +
    n(f̄_n − f̄)²/Σ(f − f̄_n)². With clusters the sums of the same terms over clusters vary, the
    reference has as many df as labelled clusters less one (two where λ is fitted). λ = 0 is the
    plain test of the labels.

    *Validity.* It holds whatever the judge: where it is biased, useless or perfect the interval
    holds, as long as the labelled examples are a random part of all. It covers .93 to .96 with 20
    labels and more, normal or right and wrong, .93 to .95 with ten (± .004); shares near 0 or 1
    need more labels, as always.

    *How it errs.* It is near its level from twenty labels on. With ten labels that are right or
    wrong it errs up to .08 at .05. It estimates the expected difference B − A of these models on
    new examples.

    References
    ----------
    Angelopoulos 2023. Angelopoulos, A. N., Duchi, J. C., Zrnic, T. (2023). PPI++: efficient
    prediction-powered inference. arXiv 2311.01453.

    Examples
    --------
    >>> import evenfold as ef
    >>> labels = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    >>> scores = [0.9, 0.2, 0.8, 0.7, 0.3, 0.6, 0.8, 0.7, 0.9, 0.4, 0.8, 0.6]
    >>> e = ef.infer.prediction_powered_t(labels, scores)
    >>> plain = ef.infer.prediction_powered_t(labels, scores, weight=0.0)
    >>> [round(float(x), 3) for x in (e.value, e.standard_error, plain.standard_error)]
    [0.767, 0.157, 0.211]
    """
    labels = floats(labels)
    scores = floats(scores)
    n = labels.shape[-1]
    N = scores.shape[-1] - n
    least = 2 if weight is not None else 3
    if n < least:
        refuse_value("labels", n, f"of at least {least} examples")
    known = scores[..., :n]
    others = scores[..., n:]
    if weight is None:
        slope = _slope(labels, known)
    else:
        slope = np.asarray(number("weight", weight, low=-_HEAVIEST, high=_HEAVIEST))
    part = slope * N / (N + n)
    rest = labels - part[..., None] * known
    mean, spread = mean_and_variance(rest)
    mean_others, spread_others = mean_and_variance(others)
    value = mean + part * mean_others
    spent = int(weight is None)
    if clusters is not None:
        codes = cluster_codes("clusters", clusters, n + N)
        terms = np.concatenate(
            [(rest - mean[..., None]) / n, (part * (others.T - mean_others.T)).T / N], axis=-1
        )
        variance = clustered_variance(terms * (n + N), codes)
        labelled = len(np.unique(codes[:n]))
        if labelled < 2 + spent:
            refuse(
                "clusters",
                f"clusters must include at least {2 + spent} with labels but got {labelled}.",
            )
        return Pivot(value, variance, StudentT(labelled - 1 - spent)).test(null, alternative)
    # The slope was fitted to the same labels, so their residuals have one degree of freedom less.
    # Its error adds to the variance in proportion to the squared distance of the two means.
    by_labels = spread / n * (n - 1) / (n - 1 - spent) * (1 + spent * _leverage(known, others))
    by_scores = part**2 * spread_others / N
    df = welch_df(by_labels, n - 1 - spent, by_scores, N - 1)
    return Pivot(value, by_labels + by_scores, StudentT(df)).test(null, alternative)


def _leverage(known: Floats, others: Floats) -> Floats:
    """Return n·(f̄_n − f̄)²/Σ(f − f̄_n)²: the variance by the slope over that of the mean."""
    n = known.shape[-1]
    N = others.shape[-1]
    mean, spread = mean_and_variance(known)
    bridged = (mean - others.mean(axis=-1)) * N / (N + n)
    total = (n - 1) * spread
    some = total > 1e-24 * np.square(known).sum(axis=-1)
    return np.where(some, n * bridged**2 / np.where(some, total, 1.0), 0.0)


def _slope(labels: Floats, scores: Floats) -> Floats:
    """Return the slope of labels on scores, or 0 where the scores do not vary."""
    deviation = scores - scores.mean(axis=-1, keepdims=True)
    total = np.square(deviation).sum(axis=-1)
    # equal scores may differ by rounding
    some = total > 1e-24 * np.square(scores).sum(axis=-1)
    product = (deviation * labels).sum(axis=-1)
    return np.where(some, product / np.where(some, total, 1.0), 0.0)
