"""The contract of a design: write ``_partition`` and ``get_n_splits``, get everything else."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from evenfold.core.checks import integer, refuse
from evenfold.core.kind import Kind
from evenfold.core.partition import Indices, Partition
from evenfold.core.rng import seed_from
from evenfold.design._units import Units, balance_names, make_units


@dataclass(frozen=True, eq=False, repr=False)
class Design(ABC):
    """
    A rule that says who trains and who tests; a scikit-learn cross-validator by its methods.

    Parameters
    ----------
    random_state : None, int or numpy generator
        None draws a fresh seed on every call; the partition records the seed it used.
    """

    kind: ClassVar[Kind]
    uses_groups: ClassVar[bool] = False

    random_state: Any = field(default=None, kw_only=True)

    @abstractmethod
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""

    @abstractmethod
    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        """Cut n examples; arguments are checked by the design that uses them."""

    def partition(self, n: int, *, y: Any = None, groups: Any = None, features: Any = None) -> Partition:
        """
        Cut ``n`` examples.

        Parameters
        ----------
        n : int
            Number of examples.
        y : array, optional
            Target of each example; needed where labels or counts are balanced.
        groups : array, optional
            Group of each example; an error where the design does not use groups.
        features : array, shape (n, levels), optional
            Level counts of each example; an error where the design does not balance features.
        """
        integer("n", n, low=2)
        if groups is not None and not self.uses_groups_now:
            refuse("groups", f"None for {self!r}", np.asarray(groups), self._groups_remedy)
        if features is not None and not isinstance(self, BalancedDesign):
            refuse(
                "features",
                f"None for {self!r}",
                np.asarray(features),
                "use a design that has balance='features'",
            )
        return self._partition(n, seed_from(self.random_state), y, groups, features)

    @property
    def uses_groups_now(self) -> bool:
        """Whether this very object uses groups."""
        return self.uses_groups

    @property
    def _groups_remedy(self) -> str:
        return "use LeaveOneSourceOut, or a design with balance='groups'"

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Generate (train, test) index arrays, as scikit-learn's cross-validators do."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        yield from self.partition(int(n), y=y, groups=groups)

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn's metadata routing whether ``split`` wants groups."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.split.add_request(param="groups", alias=self.uses_groups_now)
        return request

    def __repr__(self) -> str:
        shown = [(f.name, getattr(self, f.name), f.kw_only) for f in fields(self) if f.init]
        shown.sort(key=lambda entry: bool(entry[2]))  # what is positional comes first, as it is written
        words = [
            f"{name}={_brief(value)}" for name, value, optional in shown if not optional or value is not None
        ]
        return f"{type(self).__name__}({', '.join(words)})"


@dataclass(frozen=True, eq=False, repr=False)
class BalancedDesign(Design):
    """
    A design that can keep labels, counts, features or groups in balance.

    Parameters
    ----------
    balance : None, str or tuple of str
        ``"labels"`` (class proportions equal everywhere), ``"counts"`` (the same for a numeric target),
        ``"features"`` (level counts of units, by χ²), ``"groups"`` (examples of a group stay together),
        or several of them.
    features : array, shape (n, levels), optional
        Level counts, for use with scikit-learn, which cannot hand them over in ``split``.
    """

    balance: str | tuple[str, ...] | None = field(default=None, kw_only=True)
    features: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        names = balance_names(self.balance)
        if self.features is not None and "features" not in names:
            refuse("features", f"None with balance={self.balance!r}", self.features, "say balance='features'")

    @property
    def uses_groups_now(self) -> bool:
        """Whether this very object uses groups."""
        return "groups" in balance_names(self.balance)

    def _units(self, n: int, y: Any, groups: Any, features: Any) -> Units:
        if features is None:
            features = self.features
        return make_units(n, balance_names(self.balance), y=y, groups=groups, features=features)


def _brief(value: object) -> str:
    shape = getattr(value, "shape", None)
    return repr(value) if shape is None else f"<{type(value).__name__} of shape {shape}>"
