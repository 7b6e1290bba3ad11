"""
What is dealt to the blocks: units, and what is known of them.

A unit is an example, or a group of examples that must stay together. Labels and counts of single examples
are balanced exactly by the order in which they are dealt; features, and everything about groups, are
*traits* that an exchange evens out.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse, vector
from evenfold.design.evenness import feature_table

BALANCES = ("labels", "counts", "features", "groups")

_SIZE_WEIGHT = 10.0  # groups: equal halves come before equal traits
_BINS = 10  # a numeric target that cannot be dealt in order is balanced by its deciles
_HANDFUL = 6  # examples that a bin should have

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Units:
    """
    The units of one task.

    Attributes
    ----------
    of_example : array or None
        Unit of each example; None where every example is a unit.
    sizes : array
        Number of examples in each unit.
    stratum, value : arrays or None
        Class, or numeric target, of each unit that is a single example, where it is balanced.
    traits : array, shape (units, levels), or None
        What is to be evened out over the splits, weighted so that squared differences add up to χ².
    table : array or None
        The features themselves, for the certificate.
    """

    of_example: Codes | None
    sizes: NDArray[np.int64]
    stratum: Codes | None = None
    value: Floats | None = None
    traits: Floats | None = None
    table: Floats | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    def spread(self, of_unit: NDArray[Any]) -> NDArray[Any]:
        """Hand what was decided per unit to the examples."""
        return of_unit if self.of_example is None else of_unit[self.of_example]


def with_traits(units: Units) -> Units:
    """Return units whose labels or counts are traits too: for designs with blocks too small to deal by."""
    columns = [] if units.traits is None else [units.traits]
    if units.stratum is not None:
        columns.append(_weighted(np.eye(units.stratum.max() + 1)[units.stratum]))
    if units.value is not None:
        columns += [_weighted(_quantiles(units.value)), _standardised(units.value)]
    traits = np.concatenate(columns, axis=1) if columns else None
    return replace(units, traits=traits)


def _quantiles(value: Floats) -> Floats:
    """Say in which of ten bins a value is; fewer where bins would hold a handful."""
    k = min(_BINS, max(2, len(value) // _HANDFUL))
    bins = np.searchsorted(np.quantile(value, np.arange(1, k) / k), value)
    return np.eye(k)[bins][:, np.bincount(bins, minlength=k) > 0]


def _standardised(value: Floats) -> Floats:
    spread = np.std(value)
    column: Floats = (value - value.mean())[:, None] / (spread if spread > 0 else 1.0)
    return column


def balance_names(balance: Any, allowed: tuple[str, ...] = BALANCES) -> tuple[str, ...]:
    """Return the asked balance conditions as a tuple of known names."""
    if not (balance is None or isinstance(balance, (str, tuple, list))):
        refuse("balance", f"None or one of {', '.join(map(repr, allowed))}", balance)
    names = () if balance is None else (balance,) if isinstance(balance, str) else tuple(balance)
    for name in names:
        one_of("balance", name, allowed)
    if len(set(names)) < len(names):
        refuse("balance", "free of repeated conditions", balance)
    return names


def make_units(n: int, balance: tuple[str, ...], *, y: Any, groups: Any, features: Any) -> Units:
    """Check what the asked balance needs and turn it into units."""
    target = needed("y", y, n, balance, ("labels", "counts"))
    group = needed("groups", groups, n, balance, ("groups",))
    table = _levels(features, n, balance)
    label = _rare_first(class_codes(target)) if target is not None and "labels" in balance else None
    value = _numeric(target) if target is not None and "counts" in balance else None
    if group is None:
        traits = None if table is None else _weighted(table)
        return Units(
            of_example=None,
            sizes=np.ones(n, np.int64),
            stratum=label,
            value=value,
            traits=traits,
            table=table,
        )
    return _grouped(class_codes(group), label, value, table)


def _levels(features: Any, n: int, balance: tuple[str, ...]) -> NDArray[np.float64] | None:
    """The table of features, given just where it is asked for."""
    if "features" in balance and features is None:
        refuse("features", "given with balance='features'", None, "pass a table of units × levels")
    if "features" not in balance and features is not None:
        refuse("features", f"None with balance={balance}", features, "say balance='features'")
    return None if features is None else feature_table(features, n)


def _rare_first(codes: Codes) -> Codes:
    """Number classes by how rare they are: what is left over in the end then comes from the largest one."""
    rank = np.empty(codes.max() + 1, dtype=np.intp)
    rank[np.argsort(np.bincount(codes), kind="stable")] = np.arange(len(rank))
    return rank[codes]


def class_codes(values: NDArray[Any]) -> Codes:
    """Number the distinct values 0, 1, 2, … in sorted order; small integers need no sorting."""
    if values.dtype.kind in "biu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < 2**16:
            shifted = values.astype(np.int64) - low
            present = np.bincount(shifted) > 0
            return (np.cumsum(present) - 1)[shifted]
    try:
        codes: Codes = np.unique(values, return_inverse=True)[1]
    except TypeError:
        refuse(
            "labels and groups", "all of one kind", "values that cannot be sorted", "missing ones among them?"
        )
    return codes


def needed(
    name: str, given: Any, n: int, balance: tuple[str, ...], by: tuple[str, ...]
) -> NDArray[Any] | None:
    """Return what the asked balance needs as an array, or None where it needs nothing."""
    asking = [b for b in by if b in balance]
    if not asking:
        return None
    if given is None:
        refuse(name, f"given with balance={asking[0]!r}", None)
    return vector(name, given, n=n)


def _numeric(target: NDArray[Any]) -> Floats:
    if target.dtype.kind not in "biuf":
        refuse(
            "y", "numeric with balance='counts'", f"dtype {target.dtype}", "use balance='labels' for classes"
        )
    return target.astype(float)


def _grouped(group: Codes, label: Codes | None, value: Floats | None, table: Floats | None) -> Units:
    sizes = np.bincount(group)
    columns = [_SIZE_WEIGHT * sizes[:, None].astype(float)]
    if value is not None:
        columns.append(_weighted(_sums(group, _quantiles(value))))
    if label is not None:
        columns.append(_weighted(_sums(group, np.eye(label.max() + 1)[label])))
    if table is not None:
        columns.append(_weighted(_sums(group, table)))
    return Units(of_example=group, sizes=sizes, traits=np.concatenate(columns, axis=1), table=table)


def _sums(group: Codes, table: Floats) -> Floats:
    total = np.zeros((group.max() + 1, table.shape[1]))
    np.add.at(total, group, table)
    return total


def _weighted(table: Floats) -> Floats:
    """Scale levels so that the squared difference of two totals is proportional to χ² (R19 eq. 4.5)."""
    share = table.sum(axis=0) / table.sum()
    weighted: Floats = table / np.sqrt(np.where(share > 0, share, 1))
    return weighted
