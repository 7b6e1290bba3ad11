"""
Every public function of ``ef.infer``, given what nobody should give it.

Our own error, or an answer.
"""

import doctest
import os
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache, wraps
from inspect import Parameter, isclass, ismodule, signature
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldError, EvenfoldWarning
from evenfold.infer.halves.mx2_tests import FEstimate

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400"))
CHUNKS = 8

Call = tuple[str, list[Any], dict[str, Any]]

NONSENSE: list[Any] = [
    None, "text", "0.5", b"x", True, False, -1, 0, 1, 2, 10**20, 10**400, -0.5, 0.5, 1e-300, 1e300,
    np.nan, np.inf, -np.inf, 1j, [], {}, (), [[1, 2], [3]], [None, 1.0], ["1", "2"], object(), len,
    date(2020, 1, 1), {1: 2}, np.zeros(0), np.zeros((0, 2)), np.zeros((3, 0)),
    np.zeros((2, 2, 2, 2)),
    np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), np.ma.masked_equal([1.0, 2.0, 3.0], 2.0),
    np.array([1 + 2j, 3]), np.full((5, 2), np.nan), np.full(6, np.inf), "greatr", "exact", float,
]  # fmt: skip


def _named(owner: Any = ef.infer, before: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield name, owner and object of every public callable, in a room and below it."""
    own = [
        name
        for name, thing in vars(owner).items()
        if getattr(thing, "__module__", "") == owner.__name__
    ]
    for name in getattr(owner, "__all__", own):
        thing = getattr(owner, name)
        if ismodule(thing):
            yield from _named(thing, f"{before}{name}.")
        elif callable(thing) and not name.startswith("_"):
            yield before + name, owner, thing


def _is_result(thing: Any) -> bool:
    """Classes with parameters are called by users; the others are what functions return."""
    return isclass(thing) and "Parameters\n" not in (thing.__doc__ or "")


DECORATORS = {"method"}  # for authors, whose mistakes Python tells
PUBLIC = {
    name: thing for name, _, thing in _named() if not _is_result(thing) and name not in DECORATORS
}


@cache
def corpus() -> tuple[Call, ...]:
    """Record how the examples of the documentation call each function: those calls are right."""
    calls: list[Call] = []

    def recording(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def record(*args: Any, **kwargs: Any) -> Any:
            calls.append((name, list(args), kwargs))
            return function(*args, **kwargs)

        return record

    with pytest.MonkeyPatch.context() as patch:
        wrapped = {name: recording(name, thing) for name, thing in PUBLIC.items()}
        for name, owner, _ in (one for one in _named() if one[0] in PUBLIC):
            patch.setattr(owner, name.rpartition(".")[2], wrapped[name])
        bare = {name.rpartition(".")[2]: one for name, one in wrapped.items()}
        for name, thing in PUBLIC.items():
            for test in doctest.DocTestFinder().find(thing, name, globs={"np": np, **bare}):
                runner = doctest.DocTestRunner(
                    optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
                )
                # functions of examples need them
                runner.run(test, out=lambda _: None, clear_globs=False)
    return tuple(calls)


def _spoiled(rng: np.random.Generator, value: Any) -> Any:
    """Return nonsense, or something near a right value."""
    if rng.random() < 0.5:
        return NONSENSE[rng.integers(len(NONSENSE))]
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return NONSENSE[rng.integers(len(NONSENSE))]
    scale = [1e-160, 1e-310, 1e100, 1e149, 1e160, 0.0, -1.0, 1e8][rng.integers(8)]
    with np.errstate(all="ignore"):
        near = [
            array * scale,
            array + 1e9,
            array[..., None],
            array[None],
            array.astype(str),
            array * 1j,
        ]
    near += [
        array.astype(bool),
        np.ma.array(array, mask=array > 0),
        array.tolist(),
        array.ravel()[:1],
    ]
    return near[rng.integers(len(near))]


def spoil(rng: np.random.Generator, call: Call) -> Call:
    """Return the call with one or two arguments spoiled, or with one more."""
    name, args, kwargs = call[0], list(call[1]), dict(call[2])
    known = [p for p in signature(PUBLIC[name]).parameters.values() if not p.name.startswith("_")]
    more = [p.name for p in known if p.default is not Parameter.empty and p.name not in kwargs]
    places: list[Any] = [*range(len(args)), *kwargs, *more[len(args) :]]
    for i in rng.permutation(len(places))[: rng.integers(1, 3)]:
        place = places[i]
        if isinstance(place, int):
            args[place] = _spoiled(rng, args[place])
        else:
            kwargs[place] = _spoiled(rng, kwargs.get(place))
    return name, args, kwargs


def _numbers(answer: Any) -> Iterator[Any]:
    if isinstance(answer, (float, np.ndarray, np.floating)):
        yield answer
        return
    for name in ("value", "statistic", "pvalue", "mean"):
        yield from [getattr(answer, name)] if hasattr(answer, name) else []
    # has no standard error, and an empty interval where it rejects all
    if isinstance(answer, FEstimate):
        return
    yield from [answer.standard_error] if hasattr(answer, "standard_error") else []
    for name in ("confidence_interval", "interval"):
        yield from getattr(answer, name)() if hasattr(answer, name) else []


def judge(call: Call) -> str:
    """Call it; return what is wrong, an empty text if nothing is."""
    name, args, kwargs = call
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", EvenfoldWarning)
            answer = PUBLIC[name](*args, **kwargs)
            if any(np.isnan(np.asarray(number, dtype=float)).any() for number in _numbers(answer)):
                return "an answer that is no number"
    except EvenfoldError as error:
        return "" if "\n" not in str(error) else "a message of several lines"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def test_the_examples_call_every_function() -> None:
    assert set(PUBLIC) - {name for name, _, _ in corpus()} == set()
    assert [call[0] for call in corpus() if judge(call)] == []


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_nonsense_gets_our_own_error_or_a_right_answer(chunk: int) -> None:
    rng = np.random.default_rng([20, chunk])
    calls = corpus()
    wrong = {}
    for i in range(CALLS // CHUNKS):
        call = spoil(rng, calls[(i * CHUNKS + chunk) % len(calls)])
        if found := judge(call):
            wrong[call[0], found[:80]] = call[1:]
    assert wrong == {}
