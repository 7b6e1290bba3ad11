"""How large training and test sets behind scores of folds or splits were, by their splitter."""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import is_integer, refuse
from evenfold.read.results._base import Given, decode

_MOST = 1_000_000_000  # examples in all training sets together that are listed
_COLUMNS = "give a table with columns n_train and n_test"
Pairs = list[tuple[NDArray[Any], NDArray[Any]]]
_REMEDY = "pass cv=, the splitter or its (train, test) pairs, and n="


def add_sizes(count: int, given: Given) -> dict[str, Any]:
    """
    Return fold or split of each of ``count`` scores, with the sizes of its training and test set.

    Examples
    --------
    >>> add_sizes(5, Given(rows="folds", n=100))["n_train"].tolist()
    [80, 80, 80, 80, 80]
    """
    if count < 2:
        refuse("scores", "of two folds or splits or more", count)
    if given.cv is None or is_integer(given.cv):
        return _equal(count, given)
    pairs = _pairs(given, count)
    if len(pairs) != count:
        refuse("cv", f"a splitter with as many splits as there are scores ({count})", len(pairs))
    columns = places([test for _, test in pairs])
    columns["n_train"] = np.array([len(train) for train, _ in pairs])
    columns["n_test"] = np.array([len(test) for _, test in pairs])
    return columns


def _equal(count: int, given: Given) -> dict[str, Any]:
    """K folds of n examples, which differ by one at most."""
    if given.rows == "splits":
        refuse(
            "cv", "the splitter of these splits", None, "or a table with columns n_train and n_test"
        )
    if given.cv is not None and given.cv != count:
        refuse("cv", f"the number of scores ({count})", given.cv)
    if given.n is None:
        refuse("n", "the number of examples that were cut into folds", None, _REMEDY)
    if given.n < 2 * count:
        refuse("n", f"at least two examples per fold ({2 * count})", given.n)
    test = np.full(count, given.n // count) + (np.arange(count) < given.n % count)
    return {"fold": np.arange(count), "n_train": given.n - test, "n_test": test}


def _pairs(given: Given, count: int) -> Pairs:
    """
    The pairs of a splitter, one more than needed at most.

    Labels do not change sizes, groups do.
    """
    if not hasattr(given.cv, "split"):
        return _list_splits(given.cv)
    if given.n is None:
        refuse("n", "the number of examples that were split", None, _REMEDY)
    if count * given.n > _MOST:
        refuse("cv", "splits that can be listed one by one", repr(given.cv), _COLUMNS)
    try:
        every = given.cv.split(np.zeros((given.n, 1)), np.zeros(given.n, dtype=int))
        return list(islice(every, count + 1))
    except (ValueError, TypeError) as reason:
        first = str(reason).splitlines()[0]
        refuse(
            "cv",
            "a splitter that needs no groups",
            repr(given.cv),
            f"pass its pairs; it says: {first}",
        )


def fold_of_each(count: int, given: Given, truth: Any, groups: Any) -> NDArray[Any]:
    """
    Return the fold in which each example was tested, as ``cross_val_predict`` does with a splitter.

    Labels and groups decide who is tested when, so they are those of the table.
    """
    if getattr(given.cv, "shuffle", False) and getattr(given.cv, "random_state", 0) is None:
        refuse(
            "cv",
            "a splitter that shuffles alike again",
            repr(given.cv),
            "pass its (train, test) pairs",
        )
    if not hasattr(given.cv, "split"):
        pairs = _list_splits(given.cv)
    else:
        pairs = _split(count, given, truth, groups)
    fold = np.full(count, -1)
    for j, (_, test) in enumerate(pairs):
        if test.max() >= count or (fold[test] >= 0).any():
            refuse("cv", "one that tests every example once", repr(given.cv))
        fold[test] = j
    if (fold < 0).any():
        refuse("cv", "one that tests every example once", repr(given.cv))
    return fold


def _split(count: int, given: Given, truth: Any, groups: Any) -> Pairs:
    if truth is None:
        y = np.zeros(count, dtype=int)
    else:
        y = np.asarray(decode(truth))
    try:
        return list(
            given.cv.split(
                np.zeros((count, 1)), y, None if groups is None else np.asarray(decode(groups))
            )
        )
    except (ValueError, TypeError) as reason:
        first = str(reason).splitlines()[0]
        refuse("cv", "a splitter that can cut these rows", repr(given.cv), f"it says: {first}")


def _list_splits(cv: Any) -> Pairs:
    try:
        return [(np.asarray(train), np.asarray(test)) for train, test in cv]
    except (TypeError, ValueError):
        refuse("cv", "a splitter, a number of folds or a list of (train, test)", cv)


def places(tests: list[NDArray[Any]]) -> dict[str, Any]:
    """Repetition and fold of each test set, where rounds test everything once."""
    n = 1 + max(int(test.max()) for test in tests)
    repetition = np.zeros(len(tests), dtype=int)
    fold = np.zeros(len(tests), dtype=int)
    seen = np.zeros(n, dtype=bool)
    round_ = 0
    place = 0
    for j, test in enumerate(tests):
        if seen[test].any():
            return {"split": np.arange(len(tests))}
        seen[test] = True
        repetition[j] = round_
        fold[j] = place
        place = place + 1
        if seen.all():
            seen = np.zeros(n, dtype=bool)
            round_ = round_ + 1
            place = 0
    if seen.any():
        return {"split": np.arange(len(tests))}
    if round_ == 1:
        return {"fold": fold}
    return {"repetition": repetition, "fold": fold}
