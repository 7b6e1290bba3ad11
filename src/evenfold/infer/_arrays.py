"""Numbers that several methods share, and checks of arrays."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import is_integer, number, one_of, position, refuse, refuse_value
from evenfold.core.errors import DegenerateData
from evenfold.core.estimate import ALTERNATIVES, Alternative, Floats
from evenfold.core.losses import Losses

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
else:
    ArrayLike = Any  # numpy's alias fills half a screen in every signature that Python prints

_SHORT = 64
# A mean of J equal numbers, and their deviations from it, are off by a few units in the last place.
ROUNDING = 16 * float(np.finfo(np.float64).eps)
_ORDINARY = (1e-70, 1e70)  # sizes whose squares, and the squares of those, are numbers
_LEAST = -1000  # exponent of the smallest unit: its inverse is a number


def mean_last(d: Floats) -> Floats:
    """Return the mean over the last axis; plain sums of short rows are four times as fast."""
    if d.shape[-1] > _SHORT:
        return np.asarray(d.mean(axis=-1))[()]
    return cast("Floats", np.einsum("...j->...", d) / d.shape[-1])


def mean_and_variance(d: Floats) -> tuple[Floats, Floats]:
    """Return mean and sample variance S² (divisor J − 1) over the last axis."""
    mean = mean_last(d)
    centred = d - mean[..., None]
    return mean, np.einsum("...j,...j->...", centred, centred) / (d.shape[-1] - 1)


def variance_of_mean(values: Floats) -> tuple[Floats, Floats]:
    """
    Return s²/n of n values, and its degrees of freedom by their fourth moment.

    The degrees of freedom use Var s² ≈ s⁴(κ−1)/n and are at most those of normal data.
    """
    n = values.shape[-1]
    away = values - mean_last(values)[..., None]
    s2 = np.vecdot(away, away) / (n - 1)
    away /= np.sqrt(np.where(s2 > 0, s2, 1.0))[..., None]
    away *= away
    excess = np.vecdot(away, away) / n - 1  # κ − 1
    df: Floats = 1 / np.maximum(excess / (2 * n), 1 / (n - 1))
    return s2 / n, df


def welch_df(v_a: Floats, df_a: Floats, v_b: Floats, df_b: Floats) -> Floats:
    """
    Welch's degrees of freedom of a sum of two variances.

    They are those of the pooled test if both variances are 0.
    """
    total = np.asarray(v_a + v_b)
    share = np.divide(v_a, total, out=np.full_like(total, 0.5), where=total > 0)
    df: Floats = 1 / (share**2 / df_a + (1 - share) ** 2 / df_b)
    return df[()]


def mean_mx2(d: Floats) -> Floats:
    """Return μ̂, the mean of all 2m hold-out values."""
    return mean_last(_flat(d))


def mean_and_v2(d: Floats) -> tuple[Floats, Floats]:
    """Return μ̂ of an m×2 design and V2 = (1/2m)·ΣΣ(μ̂_k^(i) − μ̂)² (R19 eq. 5.12)."""
    m2 = 2 * d.shape[-2]
    mean, s2 = mean_and_variance(_flat(d))
    return mean, s2 * ((m2 - 1) / m2)


def safe_variance(v2: Floats, m: int) -> Floats:
    """Return Ĉ_m²·V2: Var μ̂ where ρ1 = ρ2 = ½, and more where they are less (R19 5.2)."""
    return (2 * m + 1) / (2 * m - 1) * v2


def within_repetitions(d: Floats) -> Floats:
    """Return ΣS_i², where S_i² = Σ_k (μ̂_k^(i) − μ̂^(i))² is half the squared difference."""
    difference = d[..., 0] - d[..., 1]
    return cast("Floats", np.einsum("...i,...i->...", difference, difference) / 2)


def mean_and_between(d: Floats) -> tuple[Floats, Floats]:
    """Return μ̂ and Σ_i (μ̂^(i) − μ̂)², the spread of the means of the repetitions."""
    mean, s2 = mean_and_variance((d[..., 0] + d[..., 1]) / 2)
    return mean, s2 * (d.shape[-2] - 1)


def _flat(d: Floats) -> Floats:
    return d.reshape(*d.shape[:-2], 2 * d.shape[-2])


def standardise(value: Floats, variance: Floats, null: float) -> tuple[Floats, Floats]:
    """
    Return statistic and standard error.

    Where the data have no spread the standard error is 0, and the statistic is 0 at the null and
    infinite elsewhere.
    """
    error = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (value - null) / error
    flat = error <= ROUNDING * np.abs(value)
    if is_any_true(flat):
        at_null = np.abs(value - null) <= ROUNDING * np.maximum(np.abs(value), abs(null))
        limit = np.where(at_null, 0.0, np.copysign(np.inf, value - null))
        statistic = np.where(flat, limit, statistic)[()]
        error = np.where(flat, 0.0, error)[()]
    return statistic, error


def fields_of_test(
    value: Floats, variance: Floats, null: float, alternative: Alternative
) -> dict[str, Any]:
    """Return the fields that all tests of a mean share: the t statistic and the question."""
    statistic, error = standardise(value, variance, null)
    return {
        "value": value,
        "standard_error": error,
        "statistic": statistic,
        "null": null,
        "alternative": alternative,
    }


def is_any_true(mask: NDArray[np.bool_]) -> bool:
    """Whether any value is true; a shortcut makes single values ten times as fast."""
    return bool(mask if mask.ndim == 0 else mask.any())


def warn_degenerate(flat: NDArray[np.bool_], *, stacklevel: int = 5) -> None:
    """Warn of data sets without spread, if there are any, at the line that called the method."""
    if not is_any_true(flat):
        return
    warnings.warn(
        f"{np.count_nonzero(flat)} of {np.size(flat)} data sets have no spread where the method "
        "looks: by convention p is 1 where the estimate equals the null, else 0 (1 on the wrong "
        "side), and the statistic 0 where other values differ",
        DegenerateData,
        stacklevel=stacklevel,
    )


def ordinary_unit(*values: Floats) -> float:
    """
    Return a power of 2 in whose units the largest value has an ordinary size.

    The unit is 1 for nearly all data, which the sum of squares alone shows.
    """
    small, large = _ORDINARY
    squares = sum(float(np.vdot(v, v)) for v in values)
    count = sum(v.size for v in values)
    if count * small**2 <= squares <= large**2:
        return 1.0
    size = max(float(np.abs(v).max(initial=0.0)) for v in values)
    if size == 0 or small <= size <= large:
        return 1.0
    return 2.0 ** max(int(np.frexp(size)[1]), _LEAST)


_LARGEST = 1e150  # the sum of squares of such numbers is finite


def finite(name: str, values: Any) -> Floats:
    """Return ``values`` as a finite float array, or refuse it and name the position."""
    array = _numbers(name, values)
    # so NaN fails, too
    if array.size and not (array.min() >= -_LARGEST and array.max() <= _LARGEST):
        where = tuple(int(i) for i in np.argwhere(~(np.abs(array) <= _LARGEST))[0])
        place = f"{array[where]} at position {where if len(where) != 1 else where[0]}"
        if np.isfinite(array[where]):
            refuse(
                name,
                f"{name} must be at most {_LARGEST:g} in size but got {place}.",
                "Rescale the data.",
            )
        refuse(name, f"{name} must be finite but got {place}.")
    return array


def _numbers(name: str, values: Any) -> Floats:
    """
    Return ``values`` as floats.

    Text, dates, complex numbers and masks are refused, because they would be read as something
    else.
    """
    if _is_masked(values):
        rule = "free of masked values"
        refuse(
            name,
            f"{name} must be {rule} but got a masked array.",
            "Leave those examples out of all arrays.",
        )
    try:
        array = np.asarray(values)
        if array.dtype == np.float64:
            return array
        if array.dtype.kind == "O" and all(
            isinstance(value, (Real, NoneType)) for value in array.flat
        ):
            array = array.astype(np.float64)  # Python's large integers; None becomes NaN
        if array.dtype.kind in "biuf":
            with np.errstate(over="ignore"):  # of longer floats: infinity is refused by its place
                return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    refuse_value(name, values, "a regular array of numbers")


def _is_masked(values: Any) -> bool:
    if isinstance(values, (list, tuple)):
        return any(
            _is_masked(value)
            for value in values
            if isinstance(value, (list, tuple, np.ma.MaskedArray))
        )
    return isinstance(values, np.ma.MaskedArray) and bool(np.ma.getmaskarray(values).any())


def floats(values: ArrayLike) -> Floats:
    """Return data that the decorator of methods has checked as what they are, an array."""
    return np.asarray(values, dtype=np.float64)


def as_blocks(blocks: Sequence[ArrayLike]) -> list[Floats]:
    """Return checked data of several blocks as arrays, one for each block."""
    return [floats(block) for block in blocks]


def require_shape(name: str, shape: tuple[int, ...], rule: str, *, fits: bool) -> None:
    """Refuse a shape that does not fit the rule."""
    if not fits:
        refuse_shape(name, shape, f"of shape {rule}")


def refuse_shape(name: str, shape: tuple[int, ...], rule: str) -> NoReturn:
    """Say that an array of this shape breaks the rule."""
    refuse(name, f"{name} must be {rule} but got shape {shape}.")


def sized(name: str, values: Any, rule: str, *, axes: int, batch: bool = False) -> Floats:
    """Check an array with so many axes of two or more entries, behind those of a batch if any."""
    array = finite(name, values)
    fits = array.ndim == axes or (batch and array.ndim > axes)
    require_shape(name, array.shape, rule, fits=fits and min(array.shape[-axes:]) >= 2)
    return array


def splits(name: str, values: Any, *, low: int = 2) -> Floats:
    """Check hold-out values ``(..., J)`` with J ≥ ``low``."""
    array = finite(name, values)
    require_splits(name, array.shape, low=low)
    return array


def require_splits(name: str, shape: tuple[int, ...], *, low: int = 2) -> None:
    """Refuse another shape than ``(..., J)`` with J ≥ ``low``."""
    fits = len(shape) >= 1 and shape[-1] >= low
    require_shape(name, shape, f"(..., J) with J ≥ {low}", fits=fits)


def repetitions(name: str, values: Any, *, low: int = 2, exactly: int | None = None) -> Floats:
    """Check hold-out values ``(..., m, 2)`` with m ≥ ``low``, or m = ``exactly``."""
    array = finite(name, values)
    require_repetitions(name, array.shape, low=low, exactly=exactly)
    return array


def require_repetitions(
    name: str, shape: tuple[int, ...], *, low: int = 2, exactly: int | None = None
) -> None:
    """Refuse another shape than ``(..., m, 2)`` with m ≥ ``low``, or m = ``exactly``."""
    rule = f"(..., m, 2) with m ≥ {low}" if exactly is None else f"(..., {exactly}, 2)"
    fits = len(shape) >= 2 and shape[-1] == 2
    fits = fits and shape[-2] >= low and exactly in (None, shape[-2])
    require_shape(name, shape, rule, fits=fits)


def of_losses(losses: object) -> Losses:
    """Return the losses of a run, or refuse anything else."""
    if not isinstance(losses, Losses):
        refuse_value(
            "losses", losses, "the losses of a run", "Use ef.run.run, or Comparison.losses."
        )
    return losses


def block_arrays(name: str, losses: Any, *, smallest: int) -> list[Floats]:
    """Check K ≥ 2 arrays ``(..., M_k)`` with M_k ≥ ``smallest``, of one batch."""
    try:
        arrays = [finite(f"{name}[{k}]", block) for k, block in enumerate(losses)]
    except TypeError:
        refuse_value(name, losses, "a sequence of arrays, one per block,")
    require_blocks(name, [array.shape for array in arrays], smallest=smallest)
    return arrays


def require_blocks(name: str, shapes: Sequence[tuple[int, ...]], *, smallest: int) -> None:
    """Refuse other shapes than two or more ``(..., M_k)`` with M_k ≥ ``smallest``, of one batch."""
    if len(shapes) < 2:
        refuse(name, f"{name} must have at least two blocks but has {len(shapes)}.")
    batch = shapes[0][:-1]
    for k, shape in enumerate(shapes):
        block = f"{name}[{k}]"
        fits = len(shape) >= 1 and shape[-1] >= smallest
        require_shape(block, shape, f"(..., M) with M ≥ {smallest}", fits=fits)
        if shape[:-1] != batch:
            refuse(
                block,
                f"{block} must have the batch shape of {name}[0], {batch}, but has {shape[:-1]}.",
            )


def counts(name: str, values: Any) -> Floats:
    """Check whole numbers ≥ 0."""
    array = finite(name, values)
    if is_integer(values):
        bad = array < 0
    else:
        bad = (array < 0) | (array != np.rint(array))
    if bad.any():
        if array.ndim == 0:
            message = f"{name} must be a whole number ≥ 0 but got {array:g}."
        else:
            message = (
                f"{name} must hold whole numbers ≥ 0 but has {array[bad][0]:g} at position "
                f"{position(bad)}."
            )
        refuse(name, message, "Give numbers of predictions, not rates.")
    return array


def broadcast_finite(**arrays: Any) -> list[Floats]:
    """Check that arrays are finite, and broadcast them to one shape."""
    return broadcast_arrays(**{name: finite(name, values) for name, values in arrays.items()})


def broadcast_arrays(**arrays: Floats) -> list[Floats]:
    """Broadcast arrays to one shape, or refuse them."""
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays.values())
        refuse(
            " and ".join(arrays),
            f"{' and '.join(arrays)} must be of shapes that fit each other but got {shapes}.",
        )


def mask(name: str, values: Any, *, shape: tuple[int, ...] | None = None) -> NDArray[np.bool_]:
    """Check a bool array of two axes, of ``shape`` if that is not None."""
    rule = f"a bool array of shape {'(m, n)' if shape is None else shape}"
    try:
        array = np.asarray(values)
    except ValueError:
        refuse_value(name, values, rule)
    if array.dtype != np.bool_ or array.ndim != 2 or (shape is not None and array.shape != shape):
        refuse(name, f"{name} must be {rule} but got {array.dtype} of shape {array.shape}.")
    return array


def pair(name: str, value: Any) -> tuple[float, float]:
    """Check two correlations."""
    array = finite(name, value)
    if array.shape != (2,):
        refuse_value(name, value, "a pair (ρ1, ρ2)")
    return float(array[0]), float(array[1])


def scalar(name: str, value: object, *, low: float = -_LARGEST) -> float:
    """Check a number whose square is finite."""
    return number(name, value, low=low, high=_LARGEST)


def value_range(low: object, high: object) -> tuple[float, float]:
    """Check the two ends of what a value can be."""
    least = scalar("low", low)
    most = scalar("high", high)
    if not least < most:
        refuse_value("high", most, f"above low ({least:g})")
    return least, most


def require_inside(
    name: str, values: Any, low: float, high: float, *, rounding: float = 0.0
) -> None:
    """Refuse values that ``low`` or ``high`` leave out by more than this share of the range."""
    array = np.asarray(values)
    slack = rounding * (high - low)
    for wrong, end in ((array < low - slack, np.min), (array > high + slack, np.max)):
        if wrong.any():
            refuse_value(name, end(array), f"between low ({low:g}) and high ({high:g})")


def bisect(
    is_below: Callable[[Floats], Any], low: Floats, high: Floats, *, steps: int
) -> tuple[Floats, Floats]:
    """Bisect between ``low`` and ``high`` for the points where ``is_below`` turns false."""
    for _ in range(steps):
        middle = (low + high) / 2
        below = is_below(middle)
        low = np.where(below, middle, low)
        high = np.where(below, high, middle)
    return low, high


def hypothesis(null: object, alternative: object) -> tuple[float, Alternative]:
    """Check the two arguments that every test has."""
    side = one_of("alternative", alternative, ALTERNATIVES)
    return scalar("null", null), next(a for a in ALTERNATIVES if a == side)


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockSums:
    """
    The sufficient numbers of K blocks of losses.

    G13 writes its estimators in the moments s^σ, s^ω, s^γ (mean square, mean product within a
    block, mean product between two blocks). With block means ē_k and variances S_k² they are s_k^ω
    = ē_k² − S_k²/M_k, s_k^σ = s_k^ω + S_k² and s_kl^γ = ē_k·ē_l, which holds for unequal sizes M_k
    too.

    Attributes
    ----------
    means : array of shape (..., K)
        ē_k.
    sizes : array of shape (K,)
        M_k.
    losses : sequence of arrays of shape (..., M_k)
        What they are the means of.
    """

    means: Floats
    sizes: Floats
    losses: Sequence[Floats]

    @cached_property
    def noise(self) -> Floats:
        """
        S_k²/M_k, the variance of ē_k if the losses of a block were independent.

        It is 0 if a block has one loss.
        """
        if self.sizes.min() < 2:
            return np.zeros_like(self.means)
        variances = [mean_and_variance(block)[1] for block in self.losses]
        return np.stack(variances, axis=-1) / self.sizes

    @property
    def K(self) -> int:  # noqa: N802  (the paper's symbol)
        """Number of blocks."""
        return int(self.means.shape[-1])

    @property
    def estimate(self) -> Floats:
        """μ̂ = (1/K)·Σ ē_k, the mean of the hold-out means (G13 eq. 1)."""
        return cast("Floats", self.means.mean(axis=-1))

    @property
    def within(self) -> Floats:
        """W = (1/K²)·Σ S_k²/M_k, the variance of μ̂ if all losses were independent."""
        return cast("Floats", self.noise.mean(axis=-1) / self.K)

    @property
    def within_df(self) -> Floats:
        """
        Welch's degrees of freedom of W.

        They are all Σ(M_k − 1) if no block has any spread.
        """
        squares = (self.noise**2 / (self.sizes - 1)).sum(axis=-1)
        flat = squares == 0
        welch = self.noise.sum(axis=-1) ** 2 / np.where(flat, 1.0, squares)
        return cast("Floats", np.where(flat, (self.sizes - 1).sum(), welch)[()])

    @property
    def between(self) -> Floats:
        """S²(ē_k), the sample variance of the block means."""
        return mean_and_variance(self.means)[1]

    @property
    def without_omega(self) -> Floats:
        """μ̂² − (1/K)·Σ s_k^ω = K·W − (1 − 1/K)·S²(ē_k), in a form where means do not cancel."""
        return self.K * self.within - (1 - 1 / self.K) * self.between

    @property
    def theta5(self) -> Floats:
        """θ5 = (1 + 1/K)·S²(ē_k) − K·W (G13 section 5)."""
        return (1 + 1 / self.K) * self.between - self.K * self.within

    @property
    def product_within(self) -> Floats:
        """s_k^ω of each block."""
        return self.means**2 - self.noise


def sum_blocks(losses: Sequence[ArrayLike]) -> BlockSums:
    """Return the sufficient numbers of K checked arrays of losses."""
    blocks = as_blocks(losses)
    means = np.stack([block.mean(axis=-1) for block in blocks], axis=-1)
    sizes = np.array([block.shape[-1] for block in blocks], dtype=float)
    return BlockSums(means=means, sizes=sizes, losses=blocks)
