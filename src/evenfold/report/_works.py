"""The works that methods cite by a short tag, in full; ``docs/sources.md`` lists the tags too."""

import re

WORKS = {
    "R19": "Wang, R. (2019). Regularized cross-validation methods for comparing the predictive performance "
    "of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi University.",
    "W14": "Wang, Y., Wang, R., Jia, H., Li, J. (2014). Blocked 3×2 cross-validated t-test for comparing "
    "supervised classification learning algorithms. Neural Computation 26.",
    "G13": "Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.",
    "NB": "Nadeau, C., Bengio, Y. (1999). Inference for the generalization error. CIRANO Scientific Series "
    "99s-25.",
    "T15": "Wong, T.-T. (2015). Performance evaluation of classification algorithms by k-fold and "
    "leave-one-out cross validation. Pattern Recognition.",
    "Dietterich 1998": "Dietterich, T. G. (1998). Approximate statistical tests for comparing supervised "
    "classification learning algorithms. Neural Computation 10.",
    "Alpaydin 1999": "Alpaydin, E. (1999). Combined 5×2 cv F test for comparing supervised classification "
    "learning algorithms. Neural Computation 11.",
    "McNemar 1947": "McNemar, Q. (1947). Note on the sampling error of the difference between correlated "
    "proportions or percentages. Psychometrika 12.",
}


def cited(source: str) -> tuple[tuple[str, str], ...]:
    """
    Return tag and full reference of every work that a source names.

    Examples
    --------
    >>> [tag for tag, _ in cited("Dietterich 1998; W14 section 5.2")]
    ['W14', 'Dietterich 1998']
    """
    return tuple((tag, work) for tag, work in WORKS.items() if re.search(rf"\b{tag}\b", source))
