"""Plain numbers by algorithm: a mapping of names to arrays, what a row is said by ``rows``."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.read.results._base import Coded, Given, Long, Reader, each_is, named_apart, register, with_gaps
from evenfold.read.results.wide import stacked


@register
class Arrays(Reader):
    """
    A mapping of names to arrays of one length.

    Arrays of two axes are runs × examples.
    """

    key = "arrays"
    takes = "a mapping of algorithm to array"

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        return each_is(table, _is_numbers)

    def read(self, table: Any, given: Given) -> Long:
        values = {name: with_gaps(one) for name, one in named_apart(table).items()}
        shapes = {array.shape for array in values.values()}
        if len(shapes) > 1 and {len(shape) for shape in shapes} != {1}:
            refuse("arrays", "of one shape", ", ".join(map(str, sorted(shapes))))
        axes = len(next(iter(shapes)))
        if axes == 2:
            return _runs(values, given)
        if len(shapes) > 1:
            return _unequal(values, given)
        if axes != 1:
            refuse("arrays", "of one axis, or runs × examples", f"{axes} axes")
        return stacked(values, {}, given, runs_by="position")


def _is_numbers(one: Any) -> bool:
    if isinstance(one, (str, Mapping)) or hasattr(one, "columns"):
        return False
    try:
        array = np.asarray(one)
    except ValueError:  # a ragged list
        return False
    return array.ndim > 0 and array.dtype.kind in "biuf"


def _runs(values: dict[str, Any], given: Given) -> Long:
    if given.rows not in (None, "runs"):
        refuse("rows", "'runs' where arrays have two axes, runs × examples", given.rows)
    runs, n = next(iter(values.values())).shape
    ids = {"run": np.repeat(np.arange(runs), n), "example": np.tile(np.arange(n), runs)}
    flat = {name: array.ravel() for name, array in values.items()}
    return stacked(flat, ids, given, runs_by="position")


def _unequal(values: dict[str, Any], given: Given) -> Long:
    """Only runs may be more for one algorithm than for another: then they are not the same runs."""
    if given.rows != "runs":
        lengths = ", ".join(f"{name}: {len(array)}" for name, array in values.items())
        refuse("arrays", "of one length unless rows='runs'", lengths)
    return Long(
        columns={
            "algorithm": Coded.repeated(list(values), [len(array) for array in values.values()]),
            "run": np.array([f"{name} {i}" for name, array in values.items() for i in range(len(array))]),
            "value": np.concatenate(list(values.values())),
        },
        names=list(values),
    )
