"""The contract of a method of inference."""

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from evenfold.core.estimate import (
    ALTERNATIVES,
    Estimate,
    PivotEstimate,
    PosteriorEstimate,
    TestEstimate,
    VarianceEstimate,
)
from evenfold.infer import Method, methods
from evenfold.testing import contract, find_registered, refuses, require, works

_KNOWN: Mapping[str, Any] = {
    "n_train": 900,
    "n_test": 100,
    "n": 1000,
    "m": 7,
    "rho1": 0.1,
    "rho2": 0.3,
}
_BATCH = 3
_ALIKE = 1e-9  # relative difference that the order of summation may make
_FAMILIES = {"test": TestEstimate, "variance": VarianceEstimate, "posterior": PosteriorEstimate}


def check_method(key: str, *, arguments: Mapping[str, Any] | None = None) -> None:
    """
    Check that a method keeps the rules that runs, reports and the lab rely on.

    The class of its input makes example data. A method that draws random numbers takes
    ``random_state``.

    Parameters
    ----------
    key : str
        The key of a registered method.
    arguments : mapping, optional
        Values of the keywords that it requires, other than sizes and correlations.

    Raises
    ------
    BrokenContract
        With the rule that is broken.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.testing.check_method("corrected-kfold-t")
    """
    with contract(f"method {key!r}"):
        entry = find_registered(methods(), key)
        _check_claims(entry)
        known = {**_KNOWN, **(arguments or {})}
        missing = [name for name in entry.arguments if name not in known]
        require(not missing, f"the kit is given {', '.join(missing)}")
        call = partial(entry.function, **{name: known[name] for name in entry.arguments})
        data = entry.takes.example(np.random.default_rng(0))
        answer = works(partial(call, *data), "it answers what its input invents")
        _check_answer(entry, answer)
        _check_again(answer, works(partial(call, *data), "it answers twice"))
        _check_forms(call, data, answer)
        _check_batch(entry, call, data)
        _check_refusals(call, data)
        _check_degenerate(entry, call, data)
        if isinstance(answer, TestEstimate):
            _check_sides(entry, call, data)
        if isinstance(answer, PivotEstimate):
            _check_duality(answer)


def _check_claims(entry: Method) -> None:
    for name in ("why", "source"):
        require(getattr(entry, name), f"{name} says something")
    require(len(entry.leanings) == 1, f"it leans one way, not {' and '.join(entry.leanings)}")
    require(entry.designs or entry.valid.shapes, "it is valid on some design")
    require(entry.takes.names, "its input has a name")
    require(entry.function.__doc__, "its function has a docstring")
    require("Validity" in (entry.function.__doc__ or ""), "its docstring has a note on validity")
    if entry.family == "test":
        _check_signature(entry)


def _check_signature(entry: Method) -> None:
    """By default a test is two-sided, and its null is no difference."""
    parameters = signature(entry.function).parameters
    require({"null", "alternative"} <= {*parameters}, "a test takes null and alternative")
    defaults = (parameters["null"].default, parameters["alternative"].default)
    require(defaults == (0, "two-sided"), "null is 0 and alternative is 'two-sided' by default")


def _check_answer(entry: Method, answer: Any) -> None:
    require(isinstance(answer, Estimate), "it returns an estimate")
    require(
        isinstance(answer, _FAMILIES.get(entry.family, Estimate)), f"it returns a {entry.family}"
    )
    require(answer.method == entry.key, "the estimate knows its method")
    require(answer.estimand, "the estimate says what it is about")
    for number in _numbers(answer):
        require(not np.isnan(number).any(), "no number of the answer is NaN")


def _numbers(answer: Any) -> list[Any]:
    """Return the numbers of an answer, in the order of its family."""
    numbers: tuple[Any, ...] = ()
    if isinstance(answer, PosteriorEstimate):
        numbers = (answer.mean, *answer.interval(), answer.probability())
    elif isinstance(answer, TestEstimate):
        numbers = (answer.value, answer.pvalue, *answer.confidence_interval())
    elif hasattr(answer, "value"):
        numbers = (answer.value,)
    return [np.asarray(number) for number in numbers]


def _check_again(answer: Any, again: Any) -> None:
    for first, second in zip(_numbers(answer), _numbers(again), strict=True):
        require(np.array_equal(first, second), "the same data give the same answer")


def _check_forms(call: Any, data: tuple[Any, ...], answer: Any) -> None:
    """Lists give the same answer as arrays, and the data are not changed."""
    copies = _change_each_array(data, np.array)
    _change_each_array(copies, lambda array: array.setflags(write=False))
    works(partial(call, *copies), "it leaves its data as they are")
    lists = works(partial(call, *_change_each_array(data, np.ndarray.tolist)), "it answers lists")
    _require_alike(lists, answer, "lists and arrays give the same answer")


def _check_batch(entry: Method, call: Any, data: tuple[Any, ...]) -> None:
    """Leading axes are data sets, and one call gives the answers of many calls."""
    several = entry.takes.example(np.random.default_rng(1), (_BATCH,))
    together = works(partial(call, *several), "it answers several data sets at once")
    for number in _numbers(together):
        require(number.shape[:1] == (_BATCH,), "it gives one answer per data set")
    for i in range(_BATCH):
        single = [
            of if _axes(of) == _axes(like) else _item_at(of, i)
            for of, like in zip(several, data, strict=True)
        ]
        _require_alike(together, call(*single), "several data sets are answered as one by one", i)


def _change_each_array(data: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Change every array of the data, those of blocks one by one."""
    return tuple(
        [change(block) for block in of] if isinstance(of, list) else change(np.asarray(of))
        for of in data
    )


def _axes(of: Any) -> int:
    return int(np.ndim(of[0] if isinstance(of, list) else of))


def _item_at(of: Any, i: int) -> Any:
    if isinstance(of, list):
        return [block[i] for block in of]
    return of[i]


def _require_alike(answer: Any, other: Any, rule: str, at: Any = ...) -> None:
    for number, same in zip(_numbers(answer), _numbers(other), strict=True):
        require(np.allclose(number[at], same, rtol=_ALIKE, atol=0, equal_nan=True), rule)


def _check_degenerate(entry: Method, call: Any, data: tuple[Any, ...]) -> None:
    """Data that are equal, or equal except one, have an answer that agrees with its interval."""
    numbers = {id(array) for array in entry.takes.values(data)}
    # three times 0.1 is not 0.3
    for alike, last in ((0.0, 0.0), (0.0, 1.0), (0.1, 0.1), (0.1, 1.0)):
        degenerate = _change_each_array(
            data, partial(_flatten_array, numbers=numbers, alike=alike, last=last)
        )
        answer = works(partial(call, *degenerate), "it answers data that are alike")
        for number in _numbers(answer):
            require(not np.isnan(number).any(), "data that are alike have an answer without NaN")
        if isinstance(answer, TestEstimate):
            _require_agreement(answer)


def _flatten_array(array: Any, *, numbers: set[int], alike: float, last: float) -> Any:
    if id(array) not in numbers:
        return array
    flat = np.full_like(array, alike)
    flat.flat[-1] = last
    return flat


def _require_agreement(answer: TestEstimate) -> None:
    low, high = (float(limit) for limit in answer.confidence_interval(0.95))
    outside = not low <= answer.null <= high
    require(
        outside == (answer.pvalue < 0.05), "the interval holds the null where the test accepts it"
    )


def _check_refusals(call: Any, data: tuple[Any, ...]) -> None:
    for name, bad in (("NaN", np.nan), ("text", "text"), ("nothing", None)):
        refuses(partial(call, *(bad for _ in data)), f"{name} is refused by an error of evenfold")


def _check_sides(entry: Method, call: Any, data: tuple[Any, ...]) -> None:
    for side in ALTERNATIVES if entry.sides else ("two-sided",):
        answer = works(partial(call, *data, alternative=side), f"it knows the side {side!r}")
        p = float(answer.pvalue)
        require(0 <= p <= 1, "a p-value is between 0 and 1")
        low, high = (float(limit) for limit in answer.confidence_interval())
        require(low <= high, "the limits of an interval are in order")
    if not entry.sides:
        refuses(partial(call, *data, alternative="less"), "a side it does not know is refused")
    refuses(partial(call, *data, alternative="sideways"), "a side that nobody knows is refused")


def _check_duality(answer: PivotEstimate) -> None:
    """The interval at 1 − p ends at the null, unless p is 0 or 1."""
    p = float(answer.pvalue)
    low, high = (float(limit) for limit in answer.confidence_interval())
    require(low <= float(answer.value) <= high, "the interval holds the estimate")
    if 0.001 < p < 0.999:
        limits = [float(limit) for limit in answer.confidence_interval(1 - p)]
        near = min(abs(limit - answer.null) for limit in limits)
        scale = max(abs(limit) for limit in limits)
        require(near <= 1e-6 * max(scale, _ALIKE), "interval and p-value agree")
