"""What methods ask of their arrays: finite numbers in the right shape, with room for a batch in front."""

from numbers import Real
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import is_integer, number, one_of, position, refuse
from evenfold.core.estimate import ALTERNATIVES, Alternative, Floats
from evenfold.core.losses import Losses

_LARGEST = 1e150  # whose square, summed over any batch, still is a number


def finite(name: str, values: Any) -> Floats:
    """Return ``values`` as a float array without NaN and infinity, or refuse it and name the position."""
    array = _numbers(name, values)
    if array.size and not (array.min() >= -_LARGEST and array.max() <= _LARGEST):  # so NaN fails, too
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= _LARGEST))[0])
        place = f"{array[where]} at position {where if len(where) != 1 else where[0]}"
        if np.isfinite(array[where]):
            refuse(name, f"at most {_LARGEST:g} in size", place, "rescale the data")
        refuse(name, "finite", place)
    return array


def _numbers(name: str, values: Any) -> Floats:
    """Return ``values`` as floats; text, dates, complex numbers and masks would be read as something else."""
    if _is_masked(values):
        refuse(name, "without masked values", "a masked array", "leave those examples out of all arrays")
    try:
        array = np.asarray(values)
        if array.dtype == np.float64:
            return array
        if array.dtype.kind == "O" and all(isinstance(value, (Real, NoneType)) for value in array.flat):
            array = array.astype(np.float64)  # Python's large integers; None becomes NaN
        if array.dtype.kind in "biuf":
            with np.errstate(over="ignore"):  # of longer floats: infinity is refused by its place
                return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    refuse(name, "a regular array of numbers", values)


def _is_masked(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return any(
            _is_masked(value) for value in values if isinstance(value, (list, tuple, np.ma.MaskedArray))
        )
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any())


def splits(name: str, values: Any, *, low: int = 2) -> Floats:
    """Hold-out values ``(..., J)`` with J ≥ ``low``."""
    array = finite(name, values)
    if array.ndim < 1 or array.shape[-1] < low:
        refuse(name, f"of shape (..., J) with J ≥ {low}", f"shape {array.shape}")
    return array


def repetitions(name: str, values: Any, *, low: int = 2, exactly: int | None = None) -> Floats:
    """Hold-out values ``(..., m, 2)`` of an m×2 design with m ≥ ``low``, or m = ``exactly``."""
    array = finite(name, values)
    fits = array.ndim >= 2 and array.shape[-1] == 2
    if not fits or array.shape[-2] < low or (exactly is not None and array.shape[-2] != exactly):
        shape = f"(..., m, 2) with m ≥ {low}" if exactly is None else f"(..., {exactly}, 2)"
        refuse(name, f"of shape {shape}", f"shape {array.shape}")
    return array


def of_losses(losses: object) -> Losses:
    """The losses of a run, or a refusal."""
    if not isinstance(losses, Losses):
        refuse("losses", "the losses of a run", losses, "use ef.run.run, or Comparison.losses")
    return losses


def block_arrays(name: str, losses: Any, *, smallest: int) -> list[Floats]:
    """A sequence of K ≥ 2 arrays ``(..., M_k)`` with M_k ≥ ``smallest``, of one batch."""
    try:
        arrays = [finite(f"{name}[{k}]", block) for k, block in enumerate(losses)]
    except TypeError:
        refuse(name, "a sequence of arrays, one per block", losses)
    if len(arrays) < 2:
        refuse(name, "a sequence of at least two blocks", f"{len(arrays)} block")
    batch = arrays[0].shape[:-1]
    for k, array in enumerate(arrays):
        if array.ndim < 1 or array.shape[-1] < smallest:
            refuse(f"{name}[{k}]", f"of shape (..., M) with M ≥ {smallest}", f"shape {array.shape}")
        if array.shape[:-1] != batch:
            refuse(f"{name}[{k}]", f"of a batch like {name}[0] {batch}", f"shape {array.shape}")
    return arrays


def counts(name: str, values: Any) -> Floats:
    """Whole numbers ≥ 0."""
    array = finite(name, values)
    bad = array < 0 if is_integer(values) else (array < 0) | (array != np.rint(array))
    if bad.any():
        value: object = float(array) if array.ndim == 0 else f"{array[bad][0]:g} at position {position(bad)}"
        refuse(name, "whole numbers ≥ 0", value, "give numbers of predictions, not rates")
    return array


def together(**arrays: Any) -> list[Floats]:
    """Finite arrays, broadcast to one shape."""
    return fitted(**{name: finite(name, values) for name, values in arrays.items()})


def fitted(**arrays: Floats) -> list[Floats]:
    """Arrays, broadcast to one shape."""
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays.values())
        refuse(" and ".join(arrays), "of shapes that fit each other", shapes)


def mask(name: str, values: Any, *, shape: tuple[int, ...] | None = None) -> NDArray[np.bool_]:
    """A bool array of two axes, of ``shape`` where one is given."""
    rule = f"a bool array of shape {'(m, n)' if shape is None else shape}"
    try:
        array = np.asarray(values)
    except ValueError:
        refuse(name, rule, values)
    if array.dtype != np.bool_ or array.ndim != 2 or (shape is not None and array.shape != shape):
        refuse(name, rule, f"{array.dtype} of shape {array.shape}")
    return array


def pair(name: str, value: Any) -> tuple[float, float]:
    """Two correlations."""
    array = finite(name, value)
    if array.shape != (2,):
        refuse(name, "a pair (ρ1, ρ2)", value)
    return float(array[0]), float(array[1])


def scalar(name: str, value: object, *, low: float = -_LARGEST) -> float:
    """A number whose square still is one."""
    return number(name, value, low=low, high=_LARGEST)


def hypothesis(null: object, alternative: object) -> tuple[float, Alternative]:
    """Check the two arguments that every test has."""
    side = one_of("alternative", alternative, ALTERNATIVES)
    return scalar("null", null), next(a for a in ALTERNATIVES if a == side)
