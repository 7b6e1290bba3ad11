"""Names of methods as users give them: keys, or what other libraries call a test."""

from evenfold.core.checks import refuse_unknown, refuse_value
from evenfold.core.errors import InvalidInput
from evenfold.infer._registry import METHODS, methods

# Tests that people know by name from other libraries, and what to do here instead. Names are
# compared by their letters alone.
_OVER_DATA_SETS = (
    "This test compares algorithms over several data sets: use ef.across or evenfold across. For "
    "one data set, leave the method out."
)
_PLAIN_T = (
    "Leave the method out: evenfold then chooses a test whose variance allows for how the results "
    "were made, as that of a plain t-test on folds does not."
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
    letters = "".join(letter for letter in str(key).lower() if letter.isalpha())
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
        refuse_value("method", key, f"one of {len(known)} names", remedy)
    remedy = f"Leave it out to let evenfold choose one. {METHODS.listed}"
    refuse_unknown("method", key, list(known), remedy=remedy)
