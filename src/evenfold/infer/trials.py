"""
pass@k and pass^k of repeated trials: the chance that one of k trials succeeds, or that all do.

From c successes in r trials of an item both have an unbiased estimate: the share of all ways to
choose k of the r trials in which one succeeded, or in which all did.
"""

from typing import Any

import numpy as np

from evenfold.core.checks import integer, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._arrays import broadcast_arrays, counts


def pass_at_k(successes: Any, trials: Any, k: int) -> Floats:
    """
    Return the chance that at least one of k trials succeeds, item by item.

    Parameters
    ----------
    successes, trials : int or array of int
        How many of how many trials of each item succeeded.
    k : int
        The number of trials of the question, at most the smallest number of trials of an item.

    Returns
    -------
    array
        1 − C(r − c, k)/C(r, k), without bias for every item; its mean over items is pass@k.

    References
    ----------
    Chen et al. (2021), Evaluating large language models trained on code, arXiv 2107.03374.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.pass_at_k([0, 1, 4], 4, 2).round(9).tolist()
    [0.0, 0.5, 1.0]
    """
    c, r, k = _check_trials(successes, trials, k)
    return 1 - _binomial_ratio(r - c, r, k)


def pass_hat_k(successes: Any, trials: Any, k: int) -> Floats:
    """
    Return the chance that all of k trials succeed, item by item (pass^k).

    Parameters
    ----------
    successes, trials : int or array of int
        How many of how many trials of each item succeeded.
    k : int
        The number of trials of the question, at most the smallest number of trials of an item.

    Returns
    -------
    array
        C(c, k)/C(r, k), without bias for every item; its mean over items is pass^k.

    References
    ----------
    Yao et al. (2024), τ-bench, arXiv 2406.12045.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.pass_hat_k([0, 3, 4], 4, 2).round(9).tolist()
    [0.0, 0.5, 1.0]
    """
    c, r, k = _check_trials(successes, trials, k)
    return _binomial_ratio(c, r, k)


def _check_trials(successes: Any, trials: Any, k: int) -> tuple[Floats, Floats, int]:
    integer("k", k, low=1)
    c = counts("successes", successes)
    r = counts("trials", trials)
    c, r = broadcast_arrays(successes=c, trials=r)
    if (c > r).any():
        refuse(
            "successes",
            f"successes must be at most the number of trials but got {c[c > r][0]:g} of "
            f"{r[c > r][0]:g}.",
        )
    if (r < k).any():
        refuse(
            "trials",
            f"trials must be at least k = {k} but got {r.min():g}.",
            "Choose a smaller k, or run more trials.",
        )
    return c, r, k


def _binomial_ratio(some: Floats, among: Floats, k: int) -> Floats:
    """Return C(some, k)/C(among, k) as a product, which cannot overflow."""
    share = np.ones(some.shape)
    for i in range(k):
        share = share * np.maximum(some - i, 0.0) / (among - i)
    return share
