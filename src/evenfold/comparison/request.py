"""
Check the arguments of a comparison, once.

:func:`check_request` turns what a caller passes into a :class:`Request`, or refuses it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import (
    ELLIPSIS,
    Advice,
    integer,
    is_integer,
    one_of,
    refuse,
    short_repr,
    vector,
)
from evenfold.core.losses import Quantity
from evenfold.core.note import Note, note
from evenfold.core.rng import seed_from
from evenfold.core.words import join_words
from evenfold.design import Design, GrowingWindow, RollingWindow, as_design
from evenfold.infer.family import Criteria, check_replicability
from evenfold.infer.halves.stable import FEWEST
from evenfold.infer.naming import require_method
from evenfold.read.tables import moments
from evenfold.run.algorithms import name_algorithms
from evenfold.run.api import RunRequest, check_run
from evenfold.run.data import Data, Predicted, as_rows, check_data
from evenfold.run.measures.resolve import as_measure, default_measure, resolve_measures

HALF, FULL, CURVE = SIZES = "half", "full", "curve"  # training sizes to ask for without a design
IOB2 = "IOB2"  # the default scheme of chunks
CLASSIFIER, REGRESSOR = "classifier", "regressor"  # as scikit-learn calls them


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Request:
    """
    All arguments of a comparison, checked.

    Attributes
    ----------
    algorithms : mapping of str to estimator or function
        By name, A first.
    measures : Any
        The measures as the caller passed them, or the default; the one that decides comes first.
    design, method : Design or None, str or None
        As far as they were asked for; the design is there once it is arranged.
    criteria : Criteria
        What is asked of every pair.
    max_repetitions : int or None
        The last repetition of a run that stops by itself; None for the default.
    is_stability_asked : bool
        Whether the caller asked for a replicability of their own.
    at, positive, scheme
        The training size to answer about, the class and the chunks of scores.
    run : RunRequest
        What is run, and how, with the data, and with the seed of the design and of every algorithm
        that has none.
    looks, rules, notes : tuple of int, tuple of Criteria, tuple of Note
        Once it is arranged: the repetitions after which the run may stop, the criteria of each
        measure with its method and the pairs, and which choices differ from the defaults, and why.
    """

    algorithms: Mapping[str, Any]
    measures: Any
    design: Design | None
    method: str | None
    criteria: Criteria
    max_repetitions: int | None = None
    is_stability_asked: bool = False
    at: str = HALF
    positive: Any = None
    scheme: str = IOB2
    run: RunRequest
    looks: tuple[int, ...] = ()
    rules: tuple[Criteria, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def chosen_design(self) -> Design:
        """What will be run, once it is arranged."""
        assert self.design is not None
        return self.design

    @property
    def full_size(self) -> bool:
        """Whether the answer is to be about nearly the full training size."""
        return self.at in (FULL, CURVE)

    @property
    def curve(self) -> bool:
        """Whether a quarter of the examples is to be trained on, too."""
        return self.at == CURVE

    @property
    def task(self) -> Data:
        """The data."""
        return self.run.data

    @property
    def seed(self) -> int:
        """The seed that was given, or the one that was drawn."""
        return self.run.seed

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """What each measure is about."""
        return tuple(measure.quantity for measure in self.run.measures)

    @property
    def quantity(self) -> Quantity:
        """What the verdict is about."""
        return self.quantities[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms' names, A first."""
        return tuple(self.algorithms)

    @property
    def per_example(self) -> dict[str, Any]:
        """What a design may ask for; examples of one time take the place of groups."""
        task = self.task
        groups = task.order
        if task.order is None:
            groups = task.groups
        return {"y": task.y, "groups": groups, "features": task.features}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Judgement:
    """
    How a comparison judged its run, kept with it in a store.

    ``most`` is M where it might stop early.
    """

    methods: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None
    asked: Criteria = field(default_factory=Criteria)


def check_request(
    algorithms: Any,
    X: Any,
    y: Any,
    *,
    criteria: Criteria,
    measure: Any = None,
    design: Any = None,
    method: Any = None,
    at: Any = HALF,
    positive: Any = None,
    scheme: str = IOB2,
    groups: Any = None,
    order: Any = None,
    features: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    replicability: Any = None,
    max_repetitions: Any = None,
    **run_options: Any,
) -> Request:
    """Check all arguments of a comparison, and return them as one request or refuse them."""
    subjects = name_algorithms(algorithms)
    if criteria.baseline is not None:
        one_of("baseline", criteria.baseline, subjects)
    criteria.check_adjustment(len(subjects))
    criteria, max_repetitions = _check_stability(criteria, replicability, max_repetitions)
    if method is not None:
        require_method(method)
    if one_of("at", at, SIZES) != HALF and design is not None:
        refuse(
            "at",
            f"at must be {HALF!r} where a design is given but got {short_repr(at)}.",
            "Leave the design out, or leave at out.",
        )
    per_example = {"y": y, "groups": groups, "sample_weight": sample_weight, "order": order}
    X, per_example = _take_columns(X, per_example)
    groups = per_example["groups"]
    if isinstance(group_name := getattr(groups, "name", None), str):
        criteria = replace(criteria, group=group_name)
    data = check_data(
        X, per_example["y"], sample_weight=per_example["sample_weight"], groups=groups
    )
    data = replace(data, features=features)
    all_examples = data.n
    data = _without_weight_zero(data, design, per_example["order"])
    target = _target(subjects, data, measure)
    if measure is None:
        measure = default_measure(numbers=target == "numbers")
    resolved = resolve_measures(measure, data, positive=positive, scheme=scheme)
    for resolved_measure in resolved:
        criteria.check_margin(resolved_measure.quantity)
    _require_variety(data, target)
    task = replace(data, predicts=target)
    if per_example["order"] is not None:
        times = number_times(data.X, per_example["order"], data.n)
        task = replace(task, order=times)
    seed = seed_from(random_state)
    partitioner = _design(design, task, seed)
    if task.order is not None or (partitioner is not None and partitioner.kind.is_ordered):
        task = _require_windows(partitioner, task, groups)
    if task.order is not None and at != HALF:
        refuse(
            "at", f"at must be {HALF!r} for ordered data but got {short_repr(at)}.", "Leave it out."
        )
    return Request(
        algorithms=subjects,
        measures=measure,
        design=partitioner,
        method=method,
        criteria=criteria,
        max_repetitions=max_repetitions,
        is_stability_asked=replicability is not None,
        at=at,
        positive=positive,
        scheme=scheme,
        run=check_run(subjects, task, resolved, seed=seed, **run_options),
        notes=(*weight_zero_notes(all_examples - task.n), *_mixed_kinds_notes(subjects)),
    )


def _check_stability(
    criteria: Criteria, replicability: Any, max_repetitions: Any
) -> tuple[Criteria, int | None]:
    """Check how long a run may grow, as far as that does not depend on the data."""
    if replicability is not None:
        criteria = replace(criteria, replicability=check_replicability(replicability))
    if max_repetitions is not None:
        max_repetitions = integer("max_repetitions", max_repetitions, low=FEWEST)
    return criteria, max_repetitions


def _without_weight_zero(data: Data, design: Any, order: Any) -> Data:
    """
    Return the data without the examples whose weight is 0, which must not count in n.

    They stay where data are cut by time, and where a splitter or index arrays say by position who
    trains and who is tested.
    """
    weights = data.weights
    if weights is None or weights.all() or order is not None:
        return data
    if not (design is None or isinstance(design, (Design, str)) or is_integer(design)):
        return data
    return data.only(np.flatnonzero(weights))


def weight_zero_notes(left_out: int) -> tuple[Note, ...]:
    """Return how many examples were left out because they have no weight."""
    if not left_out:
        return ()
    return (note("weight-zero", examples=left_out),)


def _take_columns(X: Any, per_example: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return X without the columns named for a role, and their values in place of the names."""
    roles = [role for role, value in per_example.items() if isinstance(value, str)]
    if not roles:
        return X, per_example
    X = as_rows(X)
    if not hasattr(X, "columns"):
        name = per_example[roles[0]]
        remedy = ""
        if isinstance(X, str) and roles[0] == "y":
            remedy = (
                f"Read the file with ef.read.read_table({X!r}, target={name!r}) and pass X and y "
                "of the table that it returns."
            )
        refuse(
            roles[0],
            f"{roles[0]} can name a column only where X is a frame but got {short_repr(name)}.",
            remedy,
        )
    known = {str(column): column for column in X.columns} | {
        column: column for column in X.columns if isinstance(column, str)
    }
    columns = [known[one_of(role, per_example[role], known)] for role in roles]
    if len(set(columns)) < len(columns):
        refuse(
            roles[0],
            f"{join_words(roles)} must be different columns but got "
            f"{', '.join(map(repr, columns))}.",
        )
    values = {role: X[column] for role, column in zip(roles, columns, strict=True)}
    if hasattr(X, "iloc"):
        features = X.drop(columns=columns)
    else:
        features = X.drop(columns)
    return features, per_example | values


def _design(design: Any, task: Data, seed: int) -> Design | None:
    """Return the design that was asked for; folds that are only counted keep classes and groups."""
    if design is None:
        return None
    kept = ["labels"] * (task.predicts == "labels") + ["groups"] * (task.groups is not None)
    return as_design(
        design,
        task.n,
        X=task.X,
        y=task.y,
        groups=task.groups,
        balance=tuple(kept) or None,
        random_state=seed,
    )


def _target(subjects: Mapping[str, Any], data: Data, measure: Any) -> Predicted:
    """Return what is predicted, according to the measure, the algorithms or y, in this order."""
    if data.kind == "sequence":
        return "sequences"
    kinds = {_kind(subject) for subject in subjects.values()}
    _require_classes(subjects, data)
    of_measure = _first_quantity(measure)
    if of_measure is not None and of_measure.target != "any":
        if of_measure.target == "labels" and REGRESSOR in kinds:
            refuse(
                "measure",
                "measure must be one for numbers because the algorithms are regressors, but got "
                f"{short_repr(of_measure.name)}.",
                "Use 'squared' or 'absolute'.",
            )
        return of_measure.target
    if REGRESSOR in kinds or (CLASSIFIER not in kinds and data.is_continuous):
        return "numbers"
    return "labels"


_MANY_CLASSES = 20
_RARE_CLASS = 4  # with fewer examples per number on average, numbers are not names of classes


def _require_classes(subjects: Mapping[str, Any], data: Data) -> None:
    """Refuse classifiers where y holds numbers that are hardly ever the same."""
    classifiers = [name for name, subject in subjects.items() if _kind(subject) == CLASSIFIER]
    if not classifiers or np.asarray(data.y).dtype.kind not in "iuf":
        return
    classes = len(data.classes)
    if data.is_continuous or (classes > _MANY_CLASSES and data.n < _RARE_CLASS * classes):
        refuse(
            "y",
            f"y must be class labels for the classifier {classifiers[0]!r} but got "
            f"{classes:,} different numbers in {data.n:,} examples.",
            "Use regressors, or pass y.astype(str) if these numbers are names of classes.",
        )


def _mixed_kinds_notes(subjects: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return a note where a regressor is compared with a classifier."""
    kinds = {_kind(subject): name for name, subject in subjects.items()}
    if CLASSIFIER not in kinds or REGRESSOR not in kinds:
        return ()
    return (note("mixed-kinds", classifier=kinds[CLASSIFIER], regressor=kinds[REGRESSOR]),)


def _first_quantity(measure: Any) -> Quantity | None:
    """Return the quantity of the measure that decides, or None where none was passed."""
    if isinstance(measure, Mapping):
        measure = list(measure.values())
    if isinstance(measure, (list, tuple)):
        measure = next(iter(measure), None)
    if measure is None:
        return None
    return as_measure(measure).quantity


def _kind(subject: Any) -> str | None:
    """Return whether scikit-learn takes an algorithm for a regressor or a classifier."""
    from sklearn.base import is_classifier, is_regressor

    if isinstance(subject, type) or not hasattr(subject, "__sklearn_tags__"):
        # estimators of other libraries may have this attribute
        return getattr(subject, "_estimator_type", None)
    if is_regressor(subject):
        return REGRESSOR
    if is_classifier(subject):
        return CLASSIFIER
    return None


def _require_variety(data: Data, target: Predicted) -> None:
    if target != "sequences" and len(data.classes) < 2:
        needed = "two classes"
        if target == "numbers":
            needed = "two different values"
        refuse(
            "y",
            f"y must have at least {needed} but all values are {short_repr(data.classes[0])}.",
            "There is nothing to predict: check which column is y.",
        )


# Data in the order of time: what ``order`` may be.


def number_times(X: Any, order: Any, n: int) -> NDArray[np.intp]:
    """Number the times of the examples 0, 1, 2, …."""
    if hasattr(order, "iloc") and hasattr(X, "iloc") and not order.index.equals(X.index):
        refuse(
            "order",
            "order must have the index of X but it has another one.",
            "Pass order=order.loc[X.index].",
        )
    times = vector("order", order, n=n)
    # as texts, 9 would come after 10
    if all(isinstance(time, str) for time in times[:2]):
        times = moments("order", times)
    try:
        labels, codes = np.unique(times, return_inverse=True)
    except TypeError:
        refuse("order", f"order must hold times that can be sorted but its dtype is {times.dtype}.")
    if len(labels) < 2:
        refuse(
            "order",
            "order must hold at least two different times but all times are the same.",
        )
    return codes.astype(np.intp)


def _require_windows(design: Design | None, task: Data, groups: Any) -> Data:
    """
    Refuse a design that does not keep the order of time, and groups beside a design that does.

    A frame that is indexed by time has its order from the index.
    """
    keeps = design is not None and design.kind.is_ordered
    if task.order is not None and design is not None and not keeps:
        refuse(
            "order",
            f"order must be left out with {design!r}, which does not keep the order of time.",
            "Use ef.design.GrowingWindow or RollingWindow, or leave order out.",
        )
    if groups is not None and (keeps or task.order is not None):
        refuse(
            "groups",
            "groups must be left out where data are cut by time.",
            Advice(
                "Pass only the times, as ",
                {"order": ELLIPSIS},
                ". Examples of one time are kept together and averaged.",
            ),
        )
    if not keeps:
        return task
    if task.order is None:
        task = replace(task, order=_times_of_index(task))
    if task.order is not None and not isinstance(design, (GrowingWindow, RollingWindow)):
        _require_rows_in_order(task)
    return task


def _times_of_index(task: Data) -> NDArray[np.intp] | None:
    """Return the times of a frame that is indexed by time, or None."""
    index = getattr(task.X, "index", None)
    is_time = getattr(getattr(index, "dtype", None), "kind", "") == "M"
    if is_time:
        return number_times(task.X, index, task.n)
    return None


def _require_rows_in_order(task: Data) -> None:
    """Refuse a splitter, which cuts by row, where rows are unordered in time or share a time."""
    if not np.array_equal(task.order, np.arange(task.n)):
        refuse(
            "order",
            "order must be sorted, with a different time in each row, because a splitter cuts by "
            "row.",
            "Sort the rows, or use ef.design.GrowingWindow or RollingWindow, which cut by time.",
        )
