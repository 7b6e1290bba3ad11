"""
Choose what is run for a request: the design, the method of each measure, and when to stop.

:func:`arrange` fills in what the caller left out, and notes where a method or a design is known to
fail on such data.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.request import Request
from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldWarning, NotApplicable
from evenfold.core.losses import Quantity
from evenfold.core.note import WRITTEN, Note, note
from evenfold.core.partition import SOURCES, Partition
from evenfold.design import (
    BalancedDesign,
    Design,
    FoldsAndHalves,
    GrowingWindow,
    KFold,
    LeaveOneSourceOut,
    Mx2BCV,
    RollingWindow,
    SourceSizedKFold,
    design_from,
    designs,
)
from evenfold.infer import Method, methods, recommended, select
from evenfold.infer.halves.influence import DEFAULT_MOST, NOT_BEFORE
from evenfold.run.data import Data

MOST = 9  # repetitions of a design of fixed size, unless more are asked for
_RANKED = 2  # examples of a class in each part, to be ranked
_FEWEST_FULL = 12  # examples, which nine halvings take
_FEWEST_OF_CLASS = 12  # examples, so that both halves of all repetitions have two to be ranked
_FEW = 20  # examples of a class below which halves are balanced, lest one of them has none
_SCARCE = 60  # examples of a class: below, see "Scores that cover" in docs/infer/influence-scores

Balance = str | tuple[str, ...] | None


def arrange(request: Request, *, stops: bool = True) -> Request:
    """Fill in what the caller left out; see :func:`evenfold.compare` for the defaults."""
    design, method = _choose_design(request, stops=stops)
    keys = [method]
    keys += [
        _method_of_further_measure(request, quantity, design, method)
        for quantity in request.quantities[1:]
    ]
    looks = _looks(request, design, keys, stops=stops)
    most = None
    if looks:
        most = looks[-1]
        design = replace(design, **{design.grows_by: most})
    elif request.max_repetitions is not None or request.is_stability_asked:
        _refuse_stability(request)
    criteria = request.criteria.with_pairs_of(request.names)
    notes = [
        *pitfalls(request.task, request.quantity, design),
        *known_failures(request.algorithms, request.task, methods()[method]),
        *request.notes,
        *_method_notes(request, design),
    ]
    return replace(
        request,
        design=design,
        looks=looks,
        rules=tuple(replace(criteria, method=key, most=most) for key in keys),
        notes=tuple(notes),
    )


def _looks(
    request: Request, design: Design, keys: Sequence[str], *, stops: bool
) -> tuple[int, ...]:
    """
    Return the repetitions after which the run may stop; none where all are run at once.

    The influence test may stop early unless a design is given. The sequential test always may.
    """
    entries = [methods()[key] for key in keys]
    lasting = [entry for entry in entries if entry.looks and not entry.sequential]
    sequential = [entry for entry in entries if entry.sequential]
    if not stops or not design.grows_by:
        return ()
    if isinstance(design, FoldsAndHalves):
        return _runs_of_folds(request, lasting)
    assert isinstance(design, Mx2BCV)
    if lasting and request.design is None:
        looks = lasting[0].looks_to(_last_repetition(request, DEFAULT_MOST))
        if len(request.algorithms) == 1:
            return tuple(m for m in looks if m >= NOT_BEFORE) or looks[-1:]
        return looks
    if sequential and design.m > sequential[0].looks[0]:
        last = design.m
        if request.design is None:
            last = _last_repetition(request, design.m)
        return sequential[0].looks_to(last)
    return ()


def _runs_of_folds(request: Request, lasting: Sequence[Method]) -> tuple[int, ...]:
    """Return the runs of folds after which the answer at the full size may stop."""
    if request.max_repetitions is not None:
        refuse(
            "max_repetitions",
            f"max_repetitions must be left out with at={request.at!r} but got "
            f"{request.max_repetitions}.",
            "Leave max_repetitions out, or pass at='half'.",
        )
    if request.design is not None or not lasting or len(request.algorithms) == 1:
        return ()
    return lasting[0].looks


def _last_repetition(request: Request, by_default: int) -> int:
    """Return the last repetition of a run that may stop early: the caller's, or the largest."""
    units = "examples" if request.task.groups is None else "groups"
    n = count_units(request.task)
    allowed = _most_repetitions(n, units)
    if request.max_repetitions is None:
        return min(by_default, allowed)
    if request.max_repetitions > allowed:
        refuse(
            "max_repetitions",
            f"max_repetitions must be at most {allowed:,} with {n:,} {units} but got "
            f"{request.max_repetitions:,}.",
        )
    return request.max_repetitions


def _refuse_stability(request: Request) -> NoReturn:
    """Refuse options about repetitions where their number is fixed."""
    name = "replicability"
    value: Any = request.criteria.replicability
    if request.max_repetitions is not None:
        name = "max_repetitions"
        value = request.max_repetitions
    refuse(
        name,
        f"{name} must be left out where the number of splits is fixed but got {value}.",
        "Leave the design and the method out, so that the run stops by itself.",
    )


def _method_notes(request: Request, design: Design) -> Iterator[Note]:
    """Yield why a less powerful method was chosen, and how groups are treated by default."""
    by_source = isinstance(design, LeaveOneSourceOut)
    ordered = design.kind.is_ordered
    if request.method is None and not (by_source or ordered):
        yield from _measure_of_splits_note(request)
    if request.task.order is not None and request.design is None:
        yield note("windows", design=repr(design))
    is_chosen = request.method is not None or request.design is not None or request.full_size
    if request.task.groups is not None and not is_chosen:
        yield groups_note(request.task, request.quantity, design, request.criteria.group)


def _choose_design(request: Request, *, stops: bool) -> tuple[Design, str]:
    task = request.task
    method = request.method
    seed = request.seed
    if task.groups is not None and method is not None and methods()[method].takes.independent:
        fixed = recommended(Mx2BCV.kind, measure=_quantity_of_measure(request, request.quantity))
        raise NotApplicable(
            f"Method {method!r} needs independent examples, not groups. Use {fixed!r}."
        )
    if request.design is not None:
        return _use_given_design(request, request.design)
    if task.order is not None:
        return _choose_windows(task, method, _quantity_of_measure(request, request.quantity))
    if request.full_size:
        return _at_full_size(request)
    if method is not None and task.groups is not None and SOURCES in methods()[method].designs:
        return LeaveOneSourceOut(), method
    key = method or _default_method(request, stops=stops)
    balance = _balance(task, request.quantity, key)
    return default_design(key, balance, seed, count_units(task)), key


def _use_given_design(request: Request, design: Design) -> tuple[Design, str]:
    """Return the design that the caller passed, with a seed, and a method for it."""
    if design.random_state is None and design.shuffle:
        design = replace(design, random_state=request.seed)
    measured = _quantity_of_measure(request, request.quantity)
    key = request.method or recommended(design.kind, measure=measured)
    return design, select(key, design=design.kind).key


_WINDOWS = 20  # as many fits as halvings take, and nineteen degrees of freedom for their test


def _choose_windows(task: Data, method: str | None, measured: Any) -> tuple[Design, str]:
    """Return windows and a method for ordered data without a design."""
    key = method or recommended(GrowingWindow.kind, measure=measured)
    entry = methods()[key]
    kind = next((kind for kind in (GrowingWindow, RollingWindow) if entry.fits(kind.kind)), None)
    if kind is None:
        fitting = recommended(GrowingWindow.kind, measure=measured)
        raise NotApplicable(
            f"Method {key!r} is not valid for ordered data. Use {fitting!r}, or leave order out."
        )
    times = int(task.order.max()) + 1
    return kind(0.5, max((times - round(times / 2)) // _WINDOWS, 1)), key


def _at_full_size(request: Request) -> tuple[Design, str]:
    """Return folds for the answer, with the halvings of the default for its variance."""
    kind = FoldsAndHalves
    task = request.task
    if task.n < _FEWEST_FULL:
        refuse(
            "at",
            f"at={request.at!r} needs at least {_FEWEST_FULL} examples but got {task.n}.",
            "Leave at out.",
        )
    measured = _quantity_of_measure(
        request, request.quantity, parts=design_from(kind.example).parts[0]
    )
    fitting = recommended(kind.kind, measure=measured)
    key = request.method or fitting
    if not methods()[key].fits(kind.kind):
        raise NotApplicable(
            f"Method {key!r} cannot answer at={request.at!r}. Use {fitting!r}, or leave at out."
        )
    balance = _balance(task, request.quantity, key)
    text = kind.example
    if request.curve:
        text = f"{kind.example}:quarters={MOST}"
    return design_from(text, balance=balance, random_state=request.seed), key


def _default_method(request: Request, *, stops: bool) -> str:
    """Return the method where the caller chose neither method nor design."""
    task = request.task
    if task.groups is not None and not halves_groups(task, request.quantity):
        return recommended(SOURCES)
    quantity = _quantity_of_measure(request, request.quantity)
    key = recommended(Mx2BCV.kind, measure=quantity)
    if methods()[key].looks or len(request.algorithms) == 1 or not stops or quantity.ratio:
        return key
    return recommended(Mx2BCV.kind, measure=quantity, sequential=True)


def _quantity_of_measure(request: Request, quantity: Quantity, *, parts: int = 2) -> Quantity:
    """Return what a measure gives on these data when they are cut into so many parts."""
    fewest = max(_RANKED * parts, _FEWEST_OF_CLASS)
    if quantity.per_example == "placements" and request.task.rarest < fewest:
        quantity = replace(quantity, per_example="none")
    # answers flip between two models, and are counted where examples are independent
    flips = quantity.right_or_wrong and request.task.groups is None and len(request.algorithms) > 1
    return replace(quantity, weighted=request.task.weights is not None, right_or_wrong=flips)


def _measure_of_splits_note(request: Request) -> Iterator[Note]:
    """Yield a note where the measure has no values of single examples."""
    quantity = _quantity_of_measure(request, request.quantity)
    closely = methods()[recommended(Mx2BCV.kind, measure=quantity)].takes.closely
    if not quantity.ratio and not closely:
        yield note("measure-of-splits", measure=quantity.words)


def _method_of_further_measure(
    request: Request, quantity: Quantity, design: Design, first: str
) -> str:
    """
    Return the method of a further measure on the same splits.

    If the run stops by itself, a measure without values per example is judged by the sequential
    test, whose intervals hold at every look together.
    """
    if request.method is not None:
        return request.method
    measured = _quantity_of_measure(request, quantity)
    key = recommended(design.kind, measure=measured)
    grows = bool(methods()[first].looks) and request.design is None and len(request.algorithms) > 1
    if not grows or methods()[key].looks or quantity.ratio:
        return key
    return recommended(design.kind, measure=measured, sequential=True)


def _balance(task: Data, quantity: Quantity, method: str) -> Balance:
    """Return what the design balances: the target, the features, and groups, which stay whole."""
    of_target = {"labels": "labels", "numbers": "counts", "sequences": None}[task.predicts]
    takes = methods()[method].takes
    if (
        quantity.name in takes.measures
        and takes.independent
        and of_target == "labels"
        and task.rarest >= _FEW
    ):
        # What halves say of a score, whose class counts are random like those of most data, would
        # be too sure if they were made even: see evenfold.infer.influence_f1.
        of_target = None
    if of_target == "counts" and methods()[method].ratio is not None:
        # Dealing a sorted target to the splits makes their values alike, more than it steadies
        # their mean: of a sample mean (n = 40) the variance of mx2-t is then 1.6 times too small.
        of_target = None
    known = {of_target: of_target, "features": task.features, "groups": task.groups}
    names = tuple(name for name, value in known.items() if name and value is not None)
    if len(names) > 1:
        return names
    return next(iter(names), None)


def default_design(method: str, balance: Balance, seed: int, n: int) -> Design:
    """Return the usual design of a method, for callers who chose the method but no design."""
    entry = methods()[method]
    kind = designs().get(entry.default_design)
    if kind is None:
        raise NotApplicable(
            f"evenfold can run no design for method {method!r}. Call its function in ef.infer."
        )
    text = kind.example
    if entry.default_design.is_halving:
        units = "examples"
        if "groups" in (balance or ()):
            units = "groups"
        text = (
            f"{entry.default_design}:{min(entry.repetitions or MOST, _most_repetitions(n, units))}"
        )
    if kind.even_example and ("groups" in (balance or ()) or "features" in (balance or ())):
        text = kind.even_example
    # Only designs that are made even are balanced; random designs stay as in their sources.
    elif kind.by_chance or not issubclass(kind, BalancedDesign):
        balance = None
    design = design_from(text, balance=balance, random_state=seed)
    if isinstance(design, KFold) and "groups" in (balance or ()):
        return replace(design, n_splits=min(design.n_splits, n))
    return design


def _most_repetitions(n: int, what: str) -> int:
    """Return the largest number of repetitions: the largest possible number of blocks, less one."""
    if n < 8:
        refuse("X", f"X must have at least 8 {what} but got {n}.", "Collect more data.")
    return 4 * (n // 4) - 1


# Grouped data without a design: few groups are left out one by one, many are halved.
#
# Leaving each out takes as many fits as there are groups and a value of the measure in every single
# one; its test has a degree of freedom for every group but one, however few. Halvings take at most
# eighteen fits, whatever the number of groups; the influence test on them, which takes a group for
# a unit, was measured with 40 to 100 of them.


MANY = 40  # the fewest groups for which the influence test was measured (docs/infer/influence)
_FEWEST_GROUPS = 16  # that nine halvings can be made of


def count_units(task: Data) -> int:
    """Return how many units there are to be dealt: groups, or examples."""
    if task.groups is None:
        return task.n
    return len(np.unique(task.groups))


def halves_groups(task: Data, quantity: Quantity) -> bool:
    """
    Whether groups are halved rather than left out one by one.

    They are if there are many of them, or if the measure has no value within a single group.
    """
    groups = count_units(task)
    return groups >= MANY or (groups >= _FEWEST_GROUPS and not _has_value_per_group(task, quantity))


def _has_value_per_group(task: Data, quantity: Quantity) -> bool:
    """Whether each group has a value of the measure; measures of ranks need two classes in it."""
    if quantity.per_example != "placements":
        return True
    group, label = (
        np.unique(np.asarray(of), return_inverse=True)[1] for of in (task.groups, task.y)
    )
    classes = int(label.max()) + 1
    # the group of each class that occurs in it
    of_pair = np.unique(group * classes + label) // classes
    return bool((np.bincount(of_pair) > 1).all())


def groups_note(task: Data, quantity: Quantity, design: Design, group: str | None) -> Note:
    """Return a note that says how groups are treated by default, and why."""
    groups = {"groups": count_units(task), "many": MANY, "group": group}
    if isinstance(design, LeaveOneSourceOut):
        return note("groups-left-out", **groups)
    fits = design.get_n_splits()
    return note("groups-halved", **groups, measure=quantity.words, fits=fits)


def cut(design: Design, n: int, **per_example: Any) -> Partition:
    """Partition the data without warnings, because a note says what the design cautions against."""
    with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
        return design.partition(n, **per_example)


# Signs of a known mistake, in the data or in the design.


def pitfalls(task: Data, quantity: Quantity, design: Design) -> Iterator[Note]:
    """Yield a note for each sign of a known mistake that no inference can mend."""
    yield from (note(WRITTEN, text=caution) for caution in design.cautions(task.y))
    # labels that all occur equally often were drawn so: they rarely do in nature
    if quantity.of_the_mix and len(np.unique(task.class_sizes)) == 1:
        yield note("equal-classes")
    scored = quantity.per_example == "outcomes" and quantity.target == "labels"
    if scored and task.predicts != "sequences" and task.rarest < _SCARCE:  # texts have no classes
        yield note("scarce-class", examples=task.rarest)
    if column := _identifier(task.X):
        yield note("identifier", column=column)
    if isinstance(design, SourceSizedKFold):
        yield note("folds-ignore-groups")


_FEWEST_ROWS = 20  # fewer whole numbers differ by chance


def _identifier(X: Any) -> str:
    """Name the first column of different whole numbers, as those of an identifier are."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = ((repr(name), X[name]) for name in X.columns)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        columns = ((str(j), X[:, j]) for j in range(X.shape[1]))
    else:
        return ""
    return next((name for name, values in columns if _all_different(values)), "")


def _all_different(values: Any) -> bool:
    kind = values.dtype.kind
    if kind not in "iuf" or len(values) < _FEWEST_ROWS:
        return False
    numbers = np.asarray(values)
    # the first rows tell most columns apart from an identifier, without sorting them all
    return all(_whole_and_different(part) for part in (numbers[:_FEWEST_ROWS], numbers))


def _whole_and_different(numbers: Any) -> bool:
    return bool((numbers == np.rint(numbers)).all()) and len(np.unique(numbers)) == len(numbers)


# Classes of questions in which a method is known to err by more than its level, told where one is
# asked.


_ROWS = 2000  # that are looked at
_COLUMNS = 500
_NEARLY = 0.9  # share of one value within a class, from which a column counts as near-constant
_MANY_CLASSES = 6
_TELLS = 0.01  # level at which a column tells y by itself, shared among columns
_LASSO = {
    "Lasso",
    "LassoCV",
    "LassoLars",
    "LassoLarsCV",
    "LassoLarsIC",
    "ElasticNet",
    "ElasticNetCV",
}
_TREES = {
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
}
_SPARSE = ("l1", "elasticnet")


def known_failures(algorithms: Mapping[str, Any], task: Data, entry: Method) -> Iterator[Note]:
    """Yield a note for each class of the method's card that these algorithms and data are in."""
    card = entry.card or {}
    for case in card.get("classes", ()):
        if case["kind"] not in _CLASSES:
            continue
        which, of_data = _CLASSES[case["kind"]]
        names = [name for name, subject in algorithms.items() if any(map(which, parts_of(subject)))]
        if names and of_data(task):
            yield note(
                "hard-case",
                case=case["name"],
                names=names,
                method=entry.key,
                called=entry.name,
                size=case["size"],
                why=case["why"],
                instead=case["instead"],
                instead_called=methods()[case["instead"]].name if case["instead"] else "",
            )


def parts_of(subject: Any) -> Iterator[Any]:
    """What predicts in an algorithm: itself, the last step of a pipeline, what a search tunes."""
    yield subject
    steps = getattr(subject, "steps", None)
    if isinstance(steps, list) and steps:
        inner = steps[-1][1]
    else:
        inner = getattr(subject, "estimator", None)
    if inner is not None and not isinstance(inner, (str, type)):
        yield from parts_of(inner)


def _is_lasso(subject: Any) -> bool:
    if type(subject).__name__ in _LASSO:
        return True
    ratio = getattr(subject, "l1_ratio", None)
    mixed = isinstance(ratio, float) and ratio > 0 and type(subject).__name__.startswith("Logistic")
    return mixed or getattr(subject, "penalty", None) in _SPARSE


def _numbers(task: Data) -> NDArray[np.float64] | None:
    """The first rows and columns of X as numbers; None where they are none."""
    table = hasattr(task.X, "iloc") or isinstance(task.X, np.ndarray)
    if not table or task.X.ndim != 2:  # a series of texts is no table
        return None
    X = getattr(task.X, "iloc", task.X)
    try:
        return np.asarray(X[:_ROWS, :_COLUMNS], dtype=float)
    except (TypeError, ValueError):
        return None


def _near_constant(task: Data) -> bool:
    """
    Whether some column hardly varies within a class.

    Its variance there is 0 in some training sets.
    """
    X = _numbers(task)
    if X is None or task.predicts != "labels":
        return False
    y = np.asarray(task.y)[: len(X)]
    each = [X[y == label] for label in np.unique(y)]
    same = [(rows == np.median(rows, axis=0)).mean(axis=0) for rows in each]
    return bool((np.array(same) >= _NEARLY).any())


def _many_classes(task: Data) -> bool:
    return task.predicts == "labels" and len(task.classes) >= _MANY_CLASSES


def _only_interactions(task: Data) -> bool:
    """Whether no column tells y by itself, so that what is learned lies in interactions."""
    X = _numbers(task)
    if (
        X is None
        or task.predicts not in ("labels", "numbers")
        or not np.isfinite(X).all()
        or not X.shape[1]
    ):
        return False
    from sklearn.feature_selection import f_classif, f_regression

    y = np.asarray(task.y)[: len(X)]
    varies = X.std(axis=0) > 0
    if not varies.any() or len(np.unique(y)) < 2:
        return False
    tells = f_classif if task.predicts == "labels" else f_regression
    with np.errstate(all="ignore"):
        _, p = tells(X[:, varies], y)
    return bool(np.nanmin(p) * varies.sum() > _TELLS)


_CLASSES: dict[str, tuple[Callable[[Any], bool], Callable[[Data], bool]]] = {
    "naive Bayes": (lambda subject: type(subject).__name__ == "GaussianNB", _near_constant),
    "lasso": (_is_lasso, lambda _: True),
    "LDA": (lambda subject: type(subject).__name__ == "LinearDiscriminantAnalysis", _near_constant),
    "trees": (lambda subject: type(subject).__name__ in _TREES, _only_interactions),
    "trees on many classes": (lambda subject: type(subject).__name__ in _TREES, _many_classes),
}
"""Of each class that can be seen: which algorithms, and which data."""
