"""Names of methods as users give them: keys, or what other libraries call a test."""

from evenfold.core.checks import refuse, refuse_unknown, short_repr
from evenfold.core.errors import InvalidInput
from evenfold.infer._registry import METHODS, methods

# Tests that people know by name from other libraries, and what to do here instead. Names are
# compared by their letters alone.
_OVER_DATA_SETS = (
    "this test compares algorithms over several data sets: use ef.across or evenfold across; for "
    "one data set leave the method out"
)
_PLAIN_T = (
    "leave the method out, and a test is chosen whose variance allows for how the results were "
    "made; a plain t-test on folds does not"
)
_KNOWN_ELSEWHERE = {
    **dict.fromkeys(
        ("wilcoxon", "signedrank", "wilcoxonsignedrank", "sign", "friedman", "nemenyi", "conover"),
        _OVER_DATA_SETS,
    ),
    **dict.fromkeys(
        ("t", "ttest", "pairedttest", "ttestrel", "studentt", "student", "anova", "ztest"), _PLAIN_T
    ),
}


def known_elsewhere(key: object) -> str:
    """Return what to do instead of a test that other libraries have; nothing for other names."""
    letters = "".join(one for one in str(key).lower() if one.isalpha())
    return _KNOWN_ELSEWHERE.get(letters, "")


def is_replaced(key: str | None) -> bool:
    """Whether a key names a method of an earlier version that another one has replaced."""
    return key in METHODS.replaced


def require_method(key: object) -> str:
    """Return a key of :func:`evenfold.infer.methods`, or refuse it with the likely intention."""
    known = methods()
    if isinstance(key, str) and key in known:
        return key
    if isinstance(key, str) and is_replaced(key):
        raise InvalidInput(METHODS.replaced[key], parameter="method")
    if remedy := known_elsewhere(key):
        refuse(
            "method", f"method must be one of {len(known)} names but got {short_repr(key)}.", remedy
        )
    listed = "Leave it out to have one chosen; ef.infer.methods() and evenfold methods list them."
    refuse_unknown("method", key, list(known), remedy=listed)


# What the methods that evenfold chooses by itself, and the best known others, are called in a text.
_NAMES = {
    "tango-exact": "Tango's score test in its exact form",
    "mcnemar": "McNemar's test",
    "paired-t": "the paired t-test on single examples",
    "holdout-t": "the paired t-test on the examples of one test set",
    "welch-t": "Welch's t-test",
    "miettinen-nurminen": "the score test of Miettinen and Nurminen",
    "bounded-mean": "a test for means of bounded differences",
    "clustered-bounded-mean": "a test for means of bounded differences in clusters",
    "crossed-bounded-mean": "a test for means of bounded differences over runs and examples",
    "clustered-t": "the t-test with a cluster-robust variance",
    "clustered-cr2-t": "the t-test with a cluster-robust variance corrected for few clusters",
    "clustered-fair-t": "the t-test with a cluster-robust variance for clusters of unequal sizes",
    "crossed-t": "the t-test for runs crossed with examples",
    "runs-t": "the t-test on the scores of the runs",
    "delong": "DeLong's test",
    "unpaired-delong": "DeLong's test for two test sets",
    "permutation": "the permutation test",
    "paired-bootstrap": "the paired bootstrap",
    "prediction-powered-t": "the prediction-powered t-test",
    "item-gate": "a sequential test by betting",
    "anytime": "a confidence sequence that holds at any time",
    "diebold-mariano": "the test of Diebold and Mariano",
    "diebold-mariano-fixed-b": "the test of Diebold and Mariano with fixed-b asymptotics",
    "giacomini-white": "the test of Giacomini and White",
    "corrected-resampled-t": "the corrected resampled t-test",
    "corrected-kfold-t": "the corrected t-test on folds",
    "kfold-t": "the t-test on folds",
    "resampled-t": "the resampled t-test",
    "nested-cv": "the test by nested cross-validation",
    "cv-clt": "the test by the central limit theorem of cross-validation",
    "5x2-t": "Dietterich's 5×2 cv paired t-test",
    "5x2-f": "Alpaydın's combined 5×2 cv F-test",
    "5x2-combined-t": "Yıldız's combined 5×2 cv t-test",
    "5x2-mcnemar": "the 5×2 cv McNemar test",
    "blocked-3x2-t": "the blocked 3×2 cv t-test",
    "mx2-t": "the m×2 cv t-test",
    "mx2-sequential-t": "the sequential m×2 cv t-test",
    "mx2-influence-t": "the influence test on m×2 cross-validation",
    "mx2-influence-sequential-t": "the sequential influence test on m×2 cross-validation",
    "split-halves-t": "the t-test on cross-validation in both halves of repeated halvings",
    "full-size-t": "the full-size t-test on folds and halvings",
    "cost-ratio-t": "the t-test on logarithms of ratios",
    "bayes-correlated-t": "the Bayesian correlated t-test",
    "bootstrap-632": "the .632 bootstrap",
    "sources-new-t": "the t-test on the means of the groups",
    "conservative-z": "the conservative z-test",
    "conservative-t": "the conservative t-test",
}


def method_name(key: str) -> str:
    """
    Return what a method is called in a text.

    Examples
    --------
    >>> method_name("tango-exact")
    "Tango's score test in its exact form"
    """
    return _NAMES.get(key, f"the method {key}")
