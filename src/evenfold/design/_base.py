"""The contract of a design: write ``_partition`` and ``get_n_splits``, get everything else."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, TypeVar

from evenfold.core.checks import examples, integer, refuse
from evenfold.core.errors import RareClass
from evenfold.core.partition import Indices, Kind, Partition
from evenfold.core.registry import Registry, Rule, check_parameters
from evenfold.core.rng import check_random_state, seed_from
from evenfold.design._rare import rare_classes
from evenfold.design._units import BALANCES, Units, balance_names, class_codes, make_units, needed

MOST_EXAMPLES = 10**9
"""More cannot be numbered in the memory of a machine."""
MOST_SPLITS = 10**6
Many = Annotated[int, Rule(integer, low=1, high=MOST_SPLITS)]
Several = Annotated[int, Rule(integer, low=2, high=MOST_SPLITS)]
_MOST_INDICES = 2 * 10**9  # of all splits together, where each is kept as index arrays: 16 GB


@dataclass(frozen=True, eq=False, repr=False)
class Design(ABC):
    """
    A rule that says who trains and who tests; a scikit-learn cross-validator by its methods.

    A design of another package writes ``kind``, ``example``, ``get_n_splits`` and ``_partition``, and is
    announced as an entry point of the group ``evenfold.designs`` under the key that its example begins with.
    :func:`evenfold.testing.check_design` checks it.

    Parameters
    ----------
    random_state : None, int or numpy generator
        None draws a fresh seed on every call; the partition records the seed it used.

    Attributes
    ----------
    kind : Kind
        Its shape, by which methods know whether they fit.
    example : str
        How it is usually written on a command line: its key and the arguments without a name, ``"kfold:10"``.
    uses_groups : bool
        Whether it needs the group of each example.
    balances : tuple of str
        What it can balance.
    shuffle : bool
        Whether a seed makes a difference; scikit-learn's word.
    by_chance : bool
        Whether the overlaps of its training sets are left to chance.
    named : tuple of str
        Numbers that are written with their name, ``gap=2``, where they are not as usual.
    """

    kind: ClassVar[Kind]
    example: ClassVar[str]
    uses_groups: ClassVar[bool] = False
    balances: ClassVar[tuple[str, ...]] = ()
    shuffle: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False
    named: ClassVar[tuple[str, ...]] = ()

    random_state: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check the arguments against the rules of their types; a design checks what those cannot say."""
        check_parameters(self)
        check_random_state(self.random_state)

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
        integer("n", n, low=2, high=MOST_EXAMPLES)
        if y is not None and (count := examples("y", y)) != n:
            refuse("y", f"one value per example ({n})", f"shape ({count},)")
        if groups is not None and not self.uses_groups_now:
            refuse("groups", f"None for {self!r}", groups, self._groups_remedy)
        if features is not None and "features" not in self.balances:
            remedy = "use a design that has balance='features'"
            refuse("features", f"None for {self!r}", features, remedy)
        partition = self._partition(n, seed_from(self.random_state), y, groups, features)
        for caution in self.cautions(y):
            warnings.warn(caution, RareClass, stacklevel=2)
        return partition

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """Return the arguments that are written without a name."""
        return tuple(f.name for f in fields(cls) if f.init and not f.kw_only)

    @classmethod
    def form(cls) -> str:
        """Say how designs of this class are written, for example ``rlt:n_splits:train_size[:balance]``."""
        optional = [f"[:{name}=…]" for name in cls.named] + ["[:balance]"] * bool(cls.balances)
        return ":".join((_key(cls), *cls.arguments())) + "".join(optional)

    @property
    def spelling(self) -> str:
        """The text from which :func:`evenfold.design.design_from` makes it again, but for the seed."""
        balance = "+".join(balance_names(getattr(self, "balance", None)))
        usual = {one.name: one.default for one in fields(self)}
        named = [f"{name}={own}" for name in self.named if (own := getattr(self, name)) != usual[name]]
        words = [_key(type(self)), *(str(getattr(self, name)) for name in self.arguments()), *named, balance]
        return ":".join(word for word in words if word)

    @property
    def code(self) -> str:
        """The expression that makes it again; empty where there is none."""
        return "" if "<" in repr(self) else f"ef.design.{self!r}"

    def at_random(self) -> "Design | None":
        """Return random splits of the same cost, for a design that is more even than chance."""
        return None

    def cautions(self, y: Any = None) -> list[str]:
        """Say what partitions of examples with these targets cannot give; ``partition`` warns of it."""
        balanced = balance_names(getattr(self, "balance", None))
        if y is None or "counts" in balanced:
            return []
        parts, what = self.parts
        rare = rare_classes(y, fewer_than=parts, surely="labels" in balanced)
        if not rare:
            return []
        label, count = min(rare.items(), key=lambda item: item[1])
        others = f" (and {len(rare) - 1} more)" if len(rare) > 1 else ""
        has = f"{count} example" + ("s" if count > 1 else "")
        return [f"class {label!r} has {has}, fewer than the {parts} {what}: some of them have none{others}"]

    @property
    def parts(self) -> tuple[int, str]:
        """In how many parts the data are cut at a time, and what they are called."""
        return 2, "sides of a split"

    @property
    def uses_groups_now(self) -> bool:
        """Whether this very object uses groups."""
        return self.uses_groups

    @property
    def _groups_remedy(self) -> str:
        return "use LeaveOneSourceOut, or a design with balance='groups'"

    def _require_room(self, n: int) -> None:
        """Refuse more index arrays than fit into memory."""
        count, most = self.get_n_splits(), _MOST_INDICES // n
        if count > most:
            refuse("n", f"so small that {count} splits fit into memory", n, f"at most {most} do")

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Generate (train, test) index arrays, as scikit-learn's cross-validators do."""
        yield from self.partition(examples("X", X), y=y, groups=groups)

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn's metadata routing whether ``split`` wants groups, and under which name."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        if self.uses_groups_now:
            request.split.add_request(param="groups", alias=getattr(self, "_groups_request", True))
        return request

    @property
    def set_split_request(self) -> Callable[..., "Design"]:
        """Set whether, and under which name, metadata routing hands groups over: ``(groups="hospital")``."""
        if not self.uses_groups_now:  # as scikit-learn has it: splitters without groups have no such method
            raise AttributeError(f"{self!r} uses no groups, so it has no set_split_request")
        return self._set_split_request

    def _set_split_request(self, *, groups: bool | str | None = True) -> "Design":
        is_name = isinstance(groups, str) and groups.isidentifier()
        if not (groups is None or isinstance(groups, bool) or is_name):
            refuse("groups", "True, False, None or a name", groups)
        object.__setattr__(self, "_groups_request", groups)
        return self

    def __repr__(self) -> str:
        shown = [(f.name, getattr(self, f.name), f.kw_only) for f in fields(self) if f.init]
        shown.sort(key=lambda entry: bool(entry[2]))  # what is positional comes first, as it is written
        words = [
            f"{name}={_brief(value)}" for name, value, optional in shown if not optional or value is not None
        ]
        return f"{type(self).__name__}({', '.join(words)})"


DESIGNS: Registry[type[Design]] = Registry("design", "evenfold.designs")

_Kind = TypeVar("_Kind", bound=type[Design])


def register(design: _Kind) -> _Kind:
    """Put a class of designs on the shelf, under the key that its example begins with."""
    given: Any = design
    if not (isinstance(given, type) and issubclass(given, Design) and hasattr(given, "example")):
        refuse("design", "a class that derives from Design and has an example", design)
    DESIGNS.add(_key(design), design)
    return design


def _key(design: type[Design]) -> str:
    return design.example.partition(":")[0]


@dataclass(frozen=True, eq=False, repr=False)
class StratifiedDesign(Design):
    """
    A design that can keep the proportions of the classes.

    Parameters
    ----------
    balance : {None, "labels"}
        ``"labels"``: every side of every split has its share of each class, to within one example.
    """

    balances: ClassVar[tuple[str, ...]] = ("labels",)

    balance: str | tuple[str, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        balance_names(self.balance, self.balances)

    def _classes(self, n: int, y: Any) -> Indices | None:
        """Return the class of each example where classes are balanced."""
        target = needed("y", y, n, balance_names(self.balance), ("labels",))
        return None if target is None else class_codes(target)


@dataclass(frozen=True, eq=False, repr=False)
class BalancedDesign(StratifiedDesign):
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

    balances = BALANCES

    features: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None and "features" not in balance_names(self.balance):
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
    if shape is not None:
        return f"<{type(value).__name__} of shape {shape}>"
    return text if len(text := repr(value)) <= 80 else f"{text[:77]}..."
