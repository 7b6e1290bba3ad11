"""The contract of a design: write ``_partition`` and ``get_n_splits``, get everything else."""

import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import sqrt
from typing import Annotated, Any, ClassVar, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import examples, integer, one_of, refuse, refuse_value, short_repr, vector
from evenfold.core.errors import RareClass
from evenfold.core.inputs import Seed
from evenfold.core.partition import Cut, IndexCut, Indices, Integers, Kind, Partition
from evenfold.core.registry import ParameterRule, Registry, check_parameters
from evenfold.core.rng import check_random_state, seed_from
from evenfold.design.evenness import feature_table, worst_chi_square

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


# Classes that are too rare to be in every part of a design.


def rare_classes(y: Any, *, fewer_than: int, surely: bool) -> dict[Any, int]:
    """
    Return the classes with fewer members than ``fewer_than``, and how many members each has.

    Strings and truth values are classes. Whole numbers are classes where there are few different
    ones. Other values are classes only with ``surely``, so that a regression is not warned about
    rare classes.
    """
    labels = _labels(y)
    if labels is None or (not surely and labels.dtype.kind not in "biuOUS"):
        return {}
    counts = _counts(labels)
    few = min(len(labels) / 5, max(10, sqrt(len(labels))))
    if not surely and labels.dtype.kind in "iu" and len(counts) > few:
        return {}
    return {label: count for label, count in counts.items() if count < fewer_than}


def _labels(y: Any) -> Any:
    """
    Return one label per example.

    The result is None for sequences of tags, for tables and for everything else without labels.
    """
    try:
        labels = np.asarray(y)
    except ValueError:  # sequences of unequal lengths
        return None
    is_plain = labels.dtype.kind != "O" or all(isinstance(label, (str, bool)) for label in labels)
    if labels.ndim == 1 and is_plain:
        return labels
    return None


def _counts(labels: Any) -> dict[Any, int]:
    if labels.dtype.kind in "iu":
        classes, counts = np.unique(labels, return_counts=True)
        return dict(zip(classes.tolist(), counts.tolist(), strict=True))
    return Counter(labels.tolist())


# Units are dealt to the blocks of a design.
#
# A unit is an example, or a group of examples that must stay together. Labels and counts of single
# examples are balanced exactly by the order in which they are dealt; features, and everything
# about groups, are *traits* that an exchange evens out.


BALANCES = ("labels", "counts", "features", "groups")

_SIZE_WEIGHT = 10.0  # groups: equal halves come before equal traits
_BINS = 10  # a numeric target that cannot be dealt in order is balanced by its deciles
_HANDFUL = 6  # examples that a bin should have


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class DesignUnits:
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

    @property
    def words(self) -> str:
        """The noun for the units: examples or groups."""
        return "examples" if self.of_example is None else "groups"

    def spread(self, of_unit: NDArray[Any]) -> NDArray[Any]:
        """Return for each example the value of its unit."""
        if self.of_example is None:
            return of_unit
        return of_unit[self.of_example]

    def chi_square(self, cut: Cut) -> float | None:
        """The largest χ²/L of a split; None if no features are balanced."""
        return None if self.table is None else worst_chi_square(self.table, cut.pairs())


def with_traits(units: DesignUnits) -> DesignUnits:
    """
    Return units whose labels or counts are traits too.

    Designs whose blocks are too small to be dealt by label use it.
    """
    columns = [] if units.traits is None else [units.traits]
    if units.stratum is not None:
        columns.append(_scale_levels(np.eye(units.stratum.max() + 1)[units.stratum]))
    if units.value is not None:
        columns += [_scale_levels(_quantiles(units.value)), _standardise(units.value)]
    if not columns:
        return units
    return replace(units, traits=np.concatenate(columns, axis=1))


def _quantiles(value: Floats) -> Floats:
    """Return indicators of ten quantile bins, or of fewer bins if ten would be too small."""
    k = min(_BINS, max(2, len(value) // _HANDFUL))
    bins = np.searchsorted(np.quantile(value, np.arange(1, k) / k), value)
    return np.eye(k)[bins][:, np.bincount(bins, minlength=k) > 0]


def _standardise(value: Floats) -> Floats:
    spread = np.std(value)
    column: Floats = (value - value.mean())[:, None] / (spread if spread > 0 else 1.0)
    return column


def balance_names(balance: Any, allowed: tuple[str, ...] = BALANCES) -> tuple[str, ...]:
    """Return the requested balance conditions as a tuple of known names."""
    if not (balance is None or isinstance(balance, (str, tuple, list))):
        refuse_value("balance", balance, f"None or one of {', '.join(map(repr, allowed))}")
    if balance is None:
        return ()
    names = (balance,) if isinstance(balance, str) else tuple(balance)
    for name in names:
        one_of("balance", name, allowed)
    if len(set(names)) < len(names):
        refuse(
            "balance",
            f"balance must name each condition only once but got {short_repr(balance)}.",
        )
    return names


def make_units(
    n: int, balance: tuple[str, ...], *, y: Any, groups: Any, features: Any
) -> DesignUnits:
    """Return the units of a task, after checking the arrays that the balance conditions need."""
    target = balance_array("y", y, n, balance, ("labels", "counts"))
    group = balance_array("groups", groups, n, balance, ("groups",))
    table = _levels(features, n, balance)
    label: Codes | None = None
    value: Floats | None = None
    if target is not None and "labels" in balance:
        label = _rare_first(class_codes(target))
    if target is not None and "counts" in balance:
        value = _numeric(target)
    if group is not None:
        return _group_units(class_codes(group), label, value, table)
    return DesignUnits(
        of_example=None,
        sizes=np.ones(n, np.int64),
        stratum=label,
        value=value,
        traits=None if table is None else _scale_levels(table),
        table=table,
    )


def _levels(features: Any, n: int, balance: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Return the table of features, which must be given if and only if it is balanced."""
    if "features" in balance and features is None:
        refuse(
            "features",
            "features must be given with balance='features'.",
            "Pass a table of units × levels.",
        )
    if "features" not in balance and features is not None:
        _refuse_unbalanced_features(features, balance)
    if features is None:
        return None
    return feature_table(features, n)


def _refuse_unbalanced_features(features: Any, balance: Any) -> NoReturn:
    rule = f"None with balance={balance!r}"
    refuse_value("features", features, rule, "Pass balance='features'.")


def _rare_first(codes: Codes) -> Codes:
    """
    Number classes by how rare they are.

    The remainder at the end then comes from the largest class.
    """
    rank = np.empty(codes.max() + 1, dtype=np.intp)
    rank[np.argsort(np.bincount(codes), kind="stable")] = np.arange(len(rank))
    return rank[codes]


def class_codes(values: NDArray[Any]) -> Codes:
    """Number the distinct values 0, 1, 2, … in sorted order."""
    try:
        codes: Codes = np.unique(values, return_inverse=True)[1]
    except TypeError:
        refuse(
            None,
            "Labels and groups must be all of one kind, but some cannot be compared with others.",
            "Look for missing values among them.",
        )
    return codes


def balance_array(
    name: str, values: Any, n: int, balance: tuple[str, ...], by: tuple[str, ...]
) -> NDArray[Any] | None:
    """Return ``values`` as an array if the balance conditions need it, else None."""
    asking = [b for b in by if b in balance]
    if not asking:
        return None
    if values is None:
        refuse(name, f"{name} must be given with balance={asking[0]!r}.")
    return vector(name, values, n=n)


def _numeric(target: NDArray[Any]) -> Floats:
    if target.dtype.kind not in "biuf":
        refuse(
            "y",
            f"y must be numeric with balance='counts' but got dtype {target.dtype}.",
            "Use balance='labels' for classes.",
        )
    return target.astype(float)


def _group_units(
    group: Codes, label: Codes | None, value: Floats | None, table: Floats | None
) -> DesignUnits:
    sizes = np.bincount(group)
    columns = [_SIZE_WEIGHT * sizes[:, None].astype(float)]
    if value is not None:
        columns.append(_scale_levels(_sums(group, _quantiles(value))))
    if label is not None:
        columns.append(_scale_levels(_sums(group, np.eye(label.max() + 1)[label])))
    if table is not None:
        columns.append(_scale_levels(_sums(group, table)))
    return DesignUnits(
        of_example=group, sizes=sizes, traits=np.concatenate(columns, axis=1), table=table
    )


def _sums(group: Codes, table: Floats) -> Floats:
    total = np.zeros((group.max() + 1, table.shape[1]))
    np.add.at(total, group, table)
    return total


def _scale_levels(table: Floats) -> Floats:
    """Scale levels so that squared differences of totals are proportional to χ² (R19 eq. 4.5)."""
    share = table.sum(axis=0) / table.sum()
    weighted: Floats = table / np.sqrt(np.where(share > 0, share, 1))
    return weighted


MOST_EXAMPLES = 10**9
"""More cannot be numbered in the memory of a machine."""
MOST_SPLITS = 10**6
Many = Annotated[int, ParameterRule(integer, low=1, high=MOST_SPLITS)]
Several = Annotated[int, ParameterRule(integer, low=2, high=MOST_SPLITS)]
_MOST_INDICES = 2 * 10**9  # of all splits together, where each is kept as index arrays: 16 GB


@dataclass(frozen=True, eq=False, repr=False)
class Design(ABC):
    """
    A rule that decides which examples each split trains on and which it tests.

    A design has the methods of a scikit-learn cross-validator. A design of another package defines
    ``kind``, ``example``, ``get_n_splits`` and ``_partition``, and is announced as an entry point
    of the group ``evenfold.designs`` under the key that its example begins with.
    :func:`evenfold.testing.check_design` checks it.

    Parameters
    ----------
    random_state : None, int or numpy generator
        None draws a fresh seed on every call; the partition records the seed it used.

    Attributes
    ----------
    kind : Kind
        The kind of the splits, which decides which methods are valid for them.
    example : str
        The usual spelling on a command line: the key and the positional arguments, such as
        ``"kfold:10"``.
    uses_groups : bool
        Whether the design needs the group of each example.
    balances : tuple of str
        The conditions that the design can balance.
    shuffle : bool
        Whether the seed makes a difference, as in scikit-learn.
    by_chance : bool
        Whether the overlaps of the training sets are left to chance.
    named : tuple of str
        Options that are spelled with their name, such as ``gap=2``, if they differ from their
        defaults.
    grows_by, repeated : str
        The parameter that ``extend`` raises, if the design can grow, and what this parameter
        counts.
    even_example : str
        For random splits, the spelling of a design of the same size that can keep groups together
        and balance features.
    """

    kind: ClassVar[Kind]
    example: ClassVar[str]
    uses_groups: ClassVar[bool] = False
    balances: ClassVar[tuple[str, ...]] = ()
    shuffle: ClassVar[bool] = True
    by_chance: ClassVar[bool] = False
    named: ClassVar[tuple[str, ...]] = ()
    grows_by: ClassVar[str] = ""
    repeated: ClassVar[str] = "repetitions"
    even_example: ClassVar[str] = ""

    random_state: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """
        Check the arguments against the rules of their types.

        A design checks what the types cannot express.
        """
        check_parameters(self)
        check_random_state(self.random_state)

    @abstractmethod
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""

    @abstractmethod
    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        """Cut n examples; arguments are checked by the design that uses them."""

    def partition(
        self, n: int, *, y: Any = None, groups: Any = None, features: Any = None
    ) -> Partition:
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
            refuse("y", f"y must be one value per example ({n}) but got shape ({count},).")
        if groups is not None and not self.uses_groups_now:
            remedy = "Use LeaveOneSourceOut, or a design with balance='groups'."
            refuse_value("groups", groups, f"None for {self!r}", remedy)
        if features is not None and "features" not in self.balances:
            remedy = "Use a design that has balance='features'."
            refuse_value("features", features, f"None for {self!r}", remedy)
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
        """Return the form of a spelling, such as ``rlt:n_splits:train_size[:balance]``."""
        optional = [f"[:{name}=…]" for name in cls.named] + ["[:balance]"] * bool(cls.balances)
        return ":".join((_key(cls), *cls.arguments())) + "".join(optional)

    @property
    def spelling(self) -> str:
        """The text from which :func:`evenfold.design.design_from` makes this design, seed aside."""
        balance = "+".join(balance_names(getattr(self, "balance", None)))
        defaults = {option.name: option.default for option in fields(self)}
        named = [
            f"{name}={getattr(self, name)}"
            for name in self.named
            if getattr(self, name) != defaults[name]
        ]
        words = [
            _key(type(self)),
            *(str(getattr(self, name)) for name in self.arguments()),
            *named,
            balance,
        ]
        return ":".join(word for word in words if word)

    @property
    def code(self) -> str:
        """The Python expression that makes this design; empty if there is none."""
        if "<" in repr(self):
            return ""
        return f"ef.design.{self!r}"

    def at_random(self) -> "Design | None":
        """Return random splits of the same cost, for a design that is more even than chance."""
        return None

    def cautions(self, y: Any = None) -> list[str]:
        """
        Return the warnings that ``partition`` gives for examples with these targets.

        They name classes that are too rare for every part of the design.
        """
        balanced = balance_names(getattr(self, "balance", None))
        if y is None or "counts" in balanced:
            return []
        parts, what = self.parts
        rare = rare_classes(y, fewer_than=parts, surely="labels" in balanced)
        if not rare:
            return []
        label, count = min(rare.items(), key=lambda item: item[1])
        others = ""
        if len(rare) > 1:
            others = f" (and {len(rare) - 1} more)"
        has = f"{count} example" + ("s" if count > 1 else "")
        return [
            f"Class {label!r} has {has}, fewer than the {parts} {what}, so some of them have "
            f"none{others}."
        ]

    @property
    def parts(self) -> tuple[int, str]:
        """The number of parts that the data are cut into at a time, and the noun for them."""
        return 2, "sides of a split"

    @property
    def uses_groups_now(self) -> bool:
        """Whether this very object uses groups."""
        return self.uses_groups

    def _require_room(self, n: int) -> None:
        """Refuse more index arrays than fit into memory."""
        count = self.get_n_splits()
        most = _MOST_INDICES // n
        if count > most:
            refuse(
                "n",
                f"{count:,} splits of {n:,} examples do not fit into memory.",
                f"Use at most {most:,} splits.",
            )

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Generate (train, test) index arrays, as scikit-learn's cross-validators do."""
        yield from self.partition(examples("X", X), y=y, groups=groups)

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn's metadata routing whether ``split`` wants groups, and its name."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        if self.uses_groups_now:
            request.split.add_request(param="groups", alias=getattr(self, "_groups_request", True))
        return request

    @property
    def set_split_request(self) -> Callable[..., "Design"]:
        """
        Set whether, and under which name, metadata routing hands groups over.

        For example, ``(groups="hospital")`` takes the groups from the argument ``hospital``.
        """
        # as scikit-learn has it: splitters without groups have no such method
        if not self.uses_groups_now:
            raise AttributeError(f"{self!r} uses no groups, so it has no set_split_request.")
        return self._set_split_request

    def _set_split_request(self, *, groups: bool | str | None = True) -> "Design":
        is_name = isinstance(groups, str) and groups.isidentifier()
        if not (groups is None or isinstance(groups, bool) or is_name):
            refuse_value("groups", groups, "True, False, None or a name")
        object.__setattr__(self, "_groups_request", groups)
        return self

    def __repr__(self) -> str:
        # what is positional comes first, as it is written
        shown = sorted((f for f in fields(self) if f.init), key=lambda f: bool(f.kw_only))
        words = [
            f"{f.name}={_brief(value)}"
            for f in shown
            # a default that was pickled is another object, so the representations are compared
            if _brief(value := getattr(self, f.name)) != _brief(f.default) or not f.kw_only
        ]
        return f"{type(self).__name__}({', '.join(words)})"


def split_partition(
    kind: Kind,
    seed: int | None,
    n: int,
    pairs: Sequence[tuple[Indices, Indices]],
    repetition: Integers | None = None,
    fold: Integers | None = None,
) -> Partition:
    """Return the partition of these index arrays; by default every split is a repetition."""
    if repetition is None:
        repetition = np.arange(len(pairs))
    if fold is None:
        fold = np.zeros(len(pairs), dtype=np.int64)
    cut = IndexCut.of_pairs(n, pairs)
    return Partition(kind=kind, seed=seed, cut=cut, repetition=repetition, fold=fold)


DESIGNS: Registry[type[Design]] = Registry("design", "evenfold.designs")

_Kind = TypeVar("_Kind", bound=type[Design])


def register(design: _Kind) -> _Kind:
    """Add a class of designs to the registry, under the key that its example begins with."""
    kind: Any = design
    if not (isinstance(kind, type) and issubclass(kind, Design) and hasattr(kind, "example")):
        refuse_value("design", design, "a class that derives from Design and has an example")
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
        target = balance_array("y", y, n, balance_names(self.balance), ("labels",))
        if target is None:
            return None
        return class_codes(target)


@dataclass(frozen=True, eq=False, repr=False)
class BalancedDesign(StratifiedDesign):
    """
    A design that can keep labels, counts, features or groups in balance.

    Parameters
    ----------
    balance : None, str or tuple of str
        ``"labels"`` (class proportions equal everywhere), ``"counts"`` (the same for a numeric
        target), ``"features"`` (level counts of units, by χ²), ``"groups"`` (examples of a group
        stay together), or several of them.
    features : array, shape (n, levels), optional
        Level counts, for use with scikit-learn, which cannot hand them over in ``split``.
    """

    balances = BALANCES

    features: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.features is not None and "features" not in balance_names(self.balance):
            _refuse_unbalanced_features(self.features, self.balance)

    @property
    def uses_groups_now(self) -> bool:
        """Whether this very object uses groups."""
        return "groups" in balance_names(self.balance)

    def _units(self, n: int, y: Any, groups: Any, features: Any) -> DesignUnits:
        if features is None:
            features = self.features
        return make_units(n, balance_names(self.balance), y=y, groups=groups, features=features)


def _brief(value: object) -> str:
    """Return the representation of a parameter, cut where it is long."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"<{type(value).__name__} of shape {shape}>"
    if len(text := repr(value)) <= 80:
        return text
    return f"{text[:77]}..."


# Designs as text: a key and its arguments, such as `mx2-bcv:7`, `rlt:15:0.9` or `kfold:10:labels`.


def designs() -> Mapping[str, type[Design]]:
    """
    Return all designs by key, including those that other packages add as entry points.

    Examples
    --------
    >>> designs()["kfold"].example, designs()["kfold"].form()
    ('kfold:10', 'kfold:n_splits[:balance]')
    """
    return DESIGNS


def design_from(
    text: str,
    *,
    balance: str | tuple[str, ...] | None = None,
    features: Any = None,
    random_state: Seed | None = None,
) -> Design:
    """
    Make a design from its spelling.

    Parameters
    ----------
    text : str
        ``key[:argument ...][:name=number ...][:balance]``; a size may be a count, a fraction or a
        quotient (``2/3``), a balance is ``labels``, ``counts``, ``features``, ``groups`` or several
        of them joined by ``+``.
    balance : None, str or tuple of str
        Conditions to balance if the text names none. Conditions that the design cannot balance are
        ignored.
    features : array, optional
        Level counts for a design that balances them.
    random_state
        See :class:`~evenfold.design.Design`; ignored if nothing about the design is random.

    Examples
    --------
    >>> design_from("mx2-bcv:7"), design_from("brlt:15:0.9:labels", random_state=1)
    (Mx2BCV(m=7), BRLT(n_splits=15, train_size=0.9, random_state=1, balance='labels'))
    >>> design_from("kfold:10", balance="labels").spelling
    'kfold:10:labels'
    """
    if not isinstance(text, str):
        refuse_value("design", text, "a text such as 'kfold:10'")
    key, *words = (word.strip() for word in text.split(":"))
    kind = DESIGNS[key]
    options: dict[str, Any] = {"random_state": random_state} if kind.shuffle else {}
    options |= _parse_named_words(words, kind)
    words = [word for word in words if "=" not in word]
    if kind.balances:
        if len(words) == len(kind.arguments()) + 1:
            names = words.pop().split("+")
        else:
            names = [name for name in balance_names(balance) if name in kind.balances]
        options["balance"] = tuple(names) if len(names) > 1 else next(iter(names), None)
    if features is not None and "features" in balance_names(options.get("balance")):
        options["features"] = features
    if len(words) != len(kind.arguments()):
        refuse_value("design", text, f"written as {kind.form()}", f"An example is {kind.example}.")
    return kind(*map(_number, kind.arguments(), words), **options)


def _parse_named_words(words: list[str], kind: type[Design]) -> dict[str, float | str]:
    """Return the named options of a spelling: each is a number or a word, and has one value."""
    defaults = {option.name: option.default for option in fields(kind)}
    values: dict[str, float | str] = {}
    for name, equals, word in (word.partition("=") for word in words):
        if not equals:
            continue
        if one_of("design", name, kind.named) in values:
            refuse("design", f"design must give each option only once but got {':'.join(words)}.")
        values[name] = word if isinstance(defaults[name], str) else _number(name, word)
    return values


def _number(name: str, word: str) -> float:
    """
    Return an int if the word is written as a whole number, else a float.

    The difference matters: a size of ``1`` is one example, and ``1.0`` is all of them.
    """
    over, slash, under = word.partition("/")
    try:
        if slash:
            return int(over) / int(under)
        if word.lstrip("+-").isdigit():
            return int(word)
        return float(word)
    except (ValueError, ZeroDivisionError, OverflowError):
        refuse_value(name, word, "a number")
