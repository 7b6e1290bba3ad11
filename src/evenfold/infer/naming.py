"""Names of methods as users give them: keys, or what other libraries call a test."""

from evenfold.core.checks import refuse, refuse_unknown
from evenfold.infer._registry import methods

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


def require_method(key: object) -> str:
    """Return a key of :func:`evenfold.infer.methods`, or refuse it with the likely intention."""
    known = methods()
    if isinstance(key, str) and key in known:
        return key
    letters = "".join(one for one in str(key).lower() if one.isalpha())
    remedy = _KNOWN_ELSEWHERE.get(letters, "")
    if remedy:
        refuse("method", f"one of {len(known)} names", key, remedy)
    listed = "leave it out to have one chosen; ef.infer.methods() and evenfold methods list them"
    refuse_unknown("method", key, list(known), remedy=listed)
