"""
What is asked of a comparison, looked at once, and what will be run for it.

:func:`check_request` turns what a caller gave into one :class:`Request`, or refuses it in one line;
:func:`arrange` fills in what was not asked for: the design, the method of each measure, when to
stop.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from evenfold.comparison.ordered import choose_windows, number_times, require_windows
from evenfold.core.checks import Advice, fraction, integer, is_integer, number, one_of, refuse
from evenfold.core.errors import EvenfoldWarning, NotApplicable
from evenfold.core.estimate import ALTERNATIVES
from evenfold.core.json import BEHIND
from evenfold.core.losses import Losses, Quantity
from evenfold.core.note import Note, note
from evenfold.core.partition import SOURCES, Partition
from evenfold.core.rng import seed_from
from evenfold.core.words import join_words
from evenfold.design import (
    BalancedDesign,
    Design,
    FoldsAndHalves,
    LeaveOneSourceOut,
    Mx2BCV,
    as_design,
    design_from,
    designs,
)
from evenfold.infer import Method, methods, recommended, select
from evenfold.infer.adjust import ADJUSTMENTS
from evenfold.infer.family import NOT_WORSE, Family, Names
from evenfold.infer.halves.influence import NOT_BEFORE, USUAL_MOST
from evenfold.infer.halves.stable import FEWEST, REPLICABILITY, check_replicability
from evenfold.infer.naming import require_method
from evenfold.run.algorithms import name_algorithms
from evenfold.run.api import RunRequest, check_run
from evenfold.run.data import Data, Predicted, as_rows, check_data
from evenfold.run.measures.resolve import as_measure, resolve_measures, usual_measure

HALF, FULL, CURVE = SIZES = "half", "full", "curve"  # training sizes to ask for without a design
SIDES = (*ALTERNATIVES, NOT_WORSE)
MOST_LEVEL = 0.5
IOB2 = "IOB2"  # the usual scheme of chunks
CLASSIFIER, REGRESSOR = "classifier", "regressor"  # as scikit-learn calls them


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Criteria:
    """
    What is asked of every pair, as :func:`evenfold.compare` says it, checked.

    ``method`` is the test that answers, empty until one is chosen, and ``most`` its repetitions
    where it may stop early.
    """

    margin: float = 0.0
    level: float = 0.05
    alternative: str = "two-sided"
    adjust: str = "max-t"
    baseline: str | None = None
    replicability: float = REPLICABILITY
    power_at: float | None = None
    method_options: Mapping[str, Any] | None = None
    group: str | None = None
    method: str = field(default="", metadata={BEHIND: True})
    most: int | None = field(default=None, metadata={BEHIND: True})

    def __post_init__(self) -> None:
        if not isinstance(self.method_options, Mapping | None):
            refuse("method_options", "a mapping of names to values", self.method_options)
        if self.power_at is not None and number("power_at", self.power_at, low=0) == 0:
            refuse("power_at", "a drop above 0", self.power_at)
        one_of("adjust", self.adjust, ADJUSTMENTS)
        if str(self.alternative).lower().replace("-", "").startswith("noninferior"):
            remedy = f"{NOT_WORSE!r} is the test of non-inferiority"
            refuse("alternative", f"one of {', '.join(map(repr, SIDES))}", self.alternative, remedy)
        one_of("alternative", self.alternative, SIDES)
        number("margin", self.margin, low=0)
        if str(self.level) in ("0.8", "0.9", "0.95", "0.99"):
            level = float(f"{1 - self.level:.2g}")
            remedy = Advice(f"of a confidence of {self.level:g} pass ", {"level": level})
            refuse("level", f"a number between 0 and {MOST_LEVEL:g}", self.level, remedy)
        fraction("level", self.level, high=MOST_LEVEL)
        if self.not_worse and self.level > MOST_LEVEL / 2:
            refuse("level", f"at most {MOST_LEVEL / 2} with alternative='{NOT_WORSE}'", self.level)
        check_replicability(self.replicability)

    @property
    def not_worse(self) -> bool:
        """Whether both ends of an interval are bounds by themselves, each at the level."""
        return self.alternative == NOT_WORSE

    @property
    def side(self) -> str:
        """The alternative that a method is asked for."""
        if self.not_worse:
            return "two-sided"
        return self.alternative

    def of_method(self, level: float) -> float:
        """The level that a method is asked for where a pair has this one."""
        if self.not_worse:
            return 2 * level
        return level

    def family(self, pairs: Sequence[Names]) -> Family:
        """Return the questions about these pairs, as inference takes them."""
        return Family(
            method=self.method,
            pairs=tuple(pairs),
            margin=self.margin,
            level=self.level,
            alternative=self.alternative,
            adjust=self.adjust,
            most=self.most,
            method_options=self.method_options,
        )

    @property
    def entry(self) -> Method:
        """What the registry says of the method."""
        return methods()[self.method]

    def check_margin(self, quantity: Quantity) -> None:
        """
        Refuse a margin as wide as the range of the measure.

        Nothing is further apart than that.
        """
        if self.margin and self.margin >= quantity.width:
            rule = f"below {quantity.width:g}, the range of measure {quantity.name!r},"
            remedy = "divide per cents by 100" if quantity.width == 1 else ""
            refuse("margin", rule, self.margin, remedy)

    def check_adjustment(self, algorithms: int) -> None:
        """Refuse an adjustment that cannot do so many algorithms, or needs other pairs."""
        ADJUSTMENTS[self.adjust].check("adjust", algorithms, baseline=self.baseline)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Judgement:
    """
    How a comparison judged its run, kept with it in a store.

    ``most`` is M where it might stop early.
    """

    methods: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None
    asked: Criteria = field(default_factory=Criteria)

    def criteria_with(self, **changed: Any) -> Criteria:
        """Return what was asked of every pair, or what is asked now where that is not None."""
        return replace(
            self.asked, **{name: value for name, value in changed.items() if value is not None}
        )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Request:
    """
    Everything that was asked of a comparison, checked.

    Attributes
    ----------
    algorithms : mapping of str to estimator or function
        By name, A first.
    task : Data
        The data.
    measures : Any
        What ``run`` is asked to measure, the one that decides first; ``quantities`` is what each is
        about.
    design, method : Design or None, str or None
        As far as they were asked for; the design is there once it is arranged.
    criteria : Criteria
        What is asked of every pair.
    max_repetitions : int or None
        The last repetition of a run that stops by itself; None for the usual one.
    is_stability_asked : bool
        Whether the caller asked for a replicability of their own.
    at, positive, scheme
        The training size to answer about, the class and the chunks of scores.
    seed : int
        Of the design and of every algorithm that has none, drawn where none was given.
    run : RunRequest
        What is run, and how.
    looks, rules, notes : tuple of int, tuple of Criteria, tuple of Note
        Once it is arranged: the repetitions after which the run may stop, the criteria of each
        measure with the method that judges it, and what was chosen and why, where that is not as
        usual.
    """

    algorithms: Mapping[str, Any]
    task: Data
    measures: Any
    quantities: tuple[Quantity, ...]
    design: Design | None
    method: str | None
    criteria: Criteria
    max_repetitions: int | None = None
    is_stability_asked: bool = False
    at: str = HALF
    positive: Any = None
    scheme: str = IOB2
    seed: int
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
    def quantity(self) -> Quantity:
        """What the verdict is about."""
        return self.quantities[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms' names, A first."""
        return tuple(self.algorithms)

    @property
    def per_example(self) -> dict[str, Any]:
        """
        What a design may ask for.

        Designs of ordered data keep together what happens at one time.
        """
        task = self.task
        groups = task.order
        if task.order is None:
            groups = task.groups
        return {"y": task.y, "groups": groups, "features": task.features}


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
    """Look at everything that was given, and return it as one request or refuse it in one line."""
    subjects = name_algorithms(algorithms)
    if criteria.baseline is not None:
        one_of("baseline", criteria.baseline, subjects)
    criteria.check_adjustment(len(subjects))
    criteria, max_repetitions = _check_stability(criteria, replicability, max_repetitions)
    if method is not None:
        require_method(method)
    if one_of("at", at, SIZES) != HALF and design is not None:
        refuse("at", f"{HALF!r} where a design is given", at, "leave the design out")
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
        measure = usual_measure(numbers=target == "numbers")
    resolved = resolve_measures(measure, data, positive=positive, scheme=scheme)
    for one in resolved:
        criteria.check_margin(one.quantity)
    _require_variety(data, target)
    task = replace(data, predicts=target)
    if per_example["order"] is not None:
        times = number_times(data.X, per_example["order"], data.n)
        task = replace(task, order=times)
    seed = seed_from(random_state)
    partitioner = _design(design, task, seed)
    if task.order is not None or (partitioner is not None and partitioner.kind.is_ordered):
        task = require_windows(partitioner, task, groups)
    if task.order is not None and at != HALF:
        refuse("at", f"{HALF!r} for ordered data", at, "leave it out")
    return Request(
        algorithms=subjects,
        task=task,
        measures=measure,
        quantities=tuple(one.quantity for one in resolved),
        design=partitioner,
        method=method,
        criteria=criteria,
        max_repetitions=max_repetitions,
        is_stability_asked=replicability is not None,
        at=at,
        positive=positive,
        scheme=scheme,
        seed=seed,
        run=check_run(subjects, task, resolved, seed=seed, **run_options),
        notes=(*weight_zero_notes(all_examples - task.n), *_mixed_kinds_notes(subjects)),
    )


def _check_stability(
    criteria: Criteria, replicability: Any, max_repetitions: Any
) -> tuple[Criteria, int | None]:
    """Look at how long a run may grow, as far as that does not depend on the data."""
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
    roles = [role for role, given in per_example.items() if isinstance(given, str)]
    if not roles:
        return X, per_example
    X = as_rows(X)
    if not hasattr(X, "columns"):
        given = per_example[roles[0]]
        remedy = ""
        if isinstance(X, str) and roles[0] == "y":
            remedy = f"table = ef.read.read_table({X!r}, target={given!r}) has table.X and table.y"
        refuse(roles[0], "an array where X is no frame", given, remedy)
    known = {str(one): one for one in X.columns} | {
        one: one for one in X.columns if isinstance(one, str)
    }
    columns = [known[one_of(role, per_example[role], known)] for role in roles]
    if len(set(columns)) < len(columns):
        refuse(join_words(roles), "different columns", ", ".join(map(repr, columns)))
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
    """What is predicted: as the measure says, else as the algorithms do, else as y looks."""
    if data.kind == "sequence":
        return "sequences"
    kinds = {_kind(subject) for subject in subjects.values()}
    _require_classes(subjects, data)
    of_measure = _first_quantity(measure)
    if of_measure is not None and of_measure.target != "any":
        if of_measure.target == "labels" and REGRESSOR in kinds:
            rule = "one for numbers: the algorithms are regressors,"
            refuse("measure", rule, of_measure.name, "use 'squared' or 'absolute'")
        return of_measure.target
    if REGRESSOR in kinds or (CLASSIFIER not in kinds and data.is_continuous):
        return "numbers"
    return "labels"


_MANY_CLASSES = 20
_RARE_CLASS = 4  # examples of a class on average below which numbers are no names of classes


def _require_classes(subjects: Mapping[str, Any], data: Data) -> None:
    """Refuse classifiers where y holds numbers that are hardly ever the same."""
    classifiers = [name for name, subject in subjects.items() if _kind(subject) == CLASSIFIER]
    if not classifiers or np.asarray(data.y).dtype.kind not in "iuf":
        return
    classes = len(data.classes)
    if data.is_continuous or (classes > _MANY_CLASSES and data.n < _RARE_CLASS * classes):
        found = f"{classes} different numbers in {data.n} examples"
        remedy = "use regressors, or pass y.astype(str) if these numbers are names of classes"
        refuse("y", f"class labels for the classifier {classifiers[0]!r}", found, remedy)


def _mixed_kinds_notes(subjects: Mapping[str, Any]) -> tuple[Note, ...]:
    """Note that numbers are set against labels where a regressor meets a classifier."""
    kinds = {_kind(subject): name for name, subject in subjects.items()}
    if CLASSIFIER not in kinds or REGRESSOR not in kinds:
        return ()
    return (note("mixed-kinds", classifier=kinds[CLASSIFIER], regressor=kinds[REGRESSOR]),)


def _first_quantity(measure: Any) -> Quantity | None:
    """What the measure that decides is about, where one was given."""
    if isinstance(measure, Mapping):
        measure = list(measure.values())
    if isinstance(measure, (list, tuple)):
        measure = next(iter(measure), None)
    if measure is None:
        return None
    return as_measure(measure).quantity


def _kind(subject: Any) -> str | None:
    """Whether scikit-learn knows an estimator as a regressor or a classifier."""
    from sklearn.base import is_classifier, is_regressor

    if isinstance(subject, type) or not hasattr(subject, "__sklearn_tags__"):
        # what others than scikit-learn's say of themselves
        return getattr(subject, "_estimator_type", None)
    if is_regressor(subject):
        return REGRESSOR
    if is_classifier(subject):
        return CLASSIFIER
    return None


def _require_variety(data: Data, target: Predicted) -> None:
    if target != "sequences" and len(data.classes) < 2:
        rule = "of at least two classes"
        if target == "numbers":
            rule = "of at least two different values"
        found = " ".join(["only", *map(str, data.classes)])
        refuse("y", rule, found, "there is nothing to predict: check which column it is")


MOST = 9  # repetitions of a design of fixed size, unless more are asked for
_RANKED = 2  # examples of a class in each part, to be ranked
_FEW = 20  # examples of a class below which halves are balanced, lest one of them has none

Balance = str | tuple[str, ...] | None


def arrange(request: Request, *, stops: bool = True) -> Request:
    """Fill in what was not asked for; see :func:`evenfold.compare` for the defaults."""
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
    return replace(
        request,
        design=design,
        looks=looks,
        rules=tuple(replace(request.criteria, method=key, most=most) for key in keys),
        notes=(*request.notes, *_method_notes(request, design)),
    )


def _looks(
    request: Request, design: Design, keys: Sequence[str], *, stops: bool
) -> tuple[int, ...]:
    """
    Return the repetitions after which the run may stop; none where all are run at once.

    The influence test looks unless a design is given. The sequential test always does.
    """
    entries = [methods()[key] for key in keys]
    lasting = [one for one in entries if one.looks and not one.sequential]
    sequential = [one for one in entries if one.sequential]
    if not stops or not design.grows_by:
        return ()
    if isinstance(design, FoldsAndHalves):
        return _runs_of_folds(request, lasting)
    assert isinstance(design, Mx2BCV)
    if lasting and request.design is None:
        looks = lasting[0].looks_to(_last_repetition(request, USUAL_MOST))
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
        remedy = "leave it out, or ask at='half'"
        refuse(
            "max_repetitions", f"left out with at={request.at!r}", request.max_repetitions, remedy
        )
    if request.design is not None or not lasting or len(request.algorithms) == 1:
        return ()
    return lasting[0].looks


def _last_repetition(request: Request, usual: int) -> int:
    """Return the last repetition of a run that stops by itself: as asked, or as many as fit."""
    units = "examples" if request.task.groups is None else "groups"
    n = count(request.task)
    allowed = _most_repetitions(n, units)
    if request.max_repetitions is None:
        return min(usual, allowed)
    if request.max_repetitions > allowed:
        rule = f"at most {allowed} with {n} {units}"
        refuse("max_repetitions", rule, request.max_repetitions)
    return request.max_repetitions


def _refuse_stability(request: Request) -> NoReturn:
    """Refuse a wish about repetitions where their number is fixed."""
    name = "replicability"
    value: Any = request.criteria.replicability
    if request.max_repetitions is not None:
        name = "max_repetitions"
        value = request.max_repetitions
    rule = "left out where the number of splits is fixed"
    refuse(name, rule, value, "leave the design and the method out to let the run stop by itself")


def _method_notes(request: Request, design: Design) -> Iterator[Note]:
    """Yield why the usual method is not the sharp one, and how groups are treated by default."""
    by_source = isinstance(design, LeaveOneSourceOut)
    ordered = design.kind.is_ordered
    if request.method is None and not (by_source or ordered):
        yield from _why_blunt(request)
    if request.task.order is not None and request.design is None:
        yield note("windows", design=repr(design))
    asked = request.method is not None or request.design is not None or request.full_size
    if request.task.groups is not None and not asked:
        yield choice(request.task, request.quantity, design, request.criteria.group)


def _choose_design(request: Request, *, stops: bool) -> tuple[Design, str]:
    task = request.task
    method = request.method
    seed = request.seed
    if task.groups is not None and method is not None and methods()[method].takes.independent:
        fixed = recommended(Mx2BCV.kind, measure=_quantity_of_measure(request, request.quantity))
        raise NotApplicable(
            f"method {method!r} needs independent examples, not groups; use {fixed!r}"
        )
    if request.design is not None:
        return _use_given_design(request, request.design)
    if task.order is not None:
        return choose_windows(task, method, _quantity_of_measure(request, request.quantity))
    if request.full_size:
        return _at_full_size(request)
    if method is not None and task.groups is not None and SOURCES in methods()[method].designs:
        return LeaveOneSourceOut(), method
    key = method or _usual_method(request, stops=stops)
    balance = _balance(task, request.quantity, key)
    return usual_design(key, balance, seed, count(task)), key


def _use_given_design(request: Request, design: Design) -> tuple[Design, str]:
    """The design that was asked for, seeded, and a method for it."""
    if design.random_state is None and design.shuffle:
        design = replace(design, random_state=request.seed)
    measured = _quantity_of_measure(request, request.quantity)
    key = request.method or recommended(design.kind, measure=measured)
    return design, select(key, design=design.kind).key


def _at_full_size(request: Request) -> tuple[Design, str]:
    """Folds for the answer, and for its variance the halvings that the default would run."""
    kind = FoldsAndHalves
    task = request.task
    measured = _quantity_of_measure(
        request, request.quantity, parts=design_from(kind.example).parts[0]
    )
    usual = recommended(kind.kind, measure=measured)
    key = request.method or usual
    if not methods()[key].fits(kind.kind):
        why = f"method {key!r} cannot answer at={request.at!r}; use {usual!r}, or leave at out"
        raise NotApplicable(why)
    balance = _balance(task, request.quantity, key)
    text = kind.example
    if request.curve:
        text = f"{kind.example}:quarters={MOST}"
    return design_from(text, balance=balance, random_state=request.seed), key


def _usual_method(request: Request, *, stops: bool) -> str:
    """Return the method where nothing was asked for."""
    task = request.task
    if task.groups is not None and not halves_groups(task, request.quantity):
        return recommended(SOURCES)
    quantity = _quantity_of_measure(request, request.quantity)
    usual = recommended(Mx2BCV.kind, measure=quantity)
    if methods()[usual].looks or len(request.algorithms) == 1 or not stops or quantity.ratio:
        return usual
    return recommended(Mx2BCV.kind, measure=quantity, sequential=True)


def _quantity_of_measure(request: Request, quantity: Quantity, *, parts: int = 2) -> Quantity:
    """Return what a measure will give, of these data in so many parts."""
    if quantity.per_example == "placements" and request.task.rarest < _RANKED * parts:
        quantity = replace(quantity, per_example="none")
    # answers flip between two models, and are counted where examples are independent
    flips = quantity.right_or_wrong and request.task.groups is None and len(request.algorithms) > 1
    return replace(quantity, weighted=request.task.weights is not None, right_or_wrong=flips)


def _why_blunt(request: Request) -> Iterator[Note]:
    """Yield why single examples cannot be looked at, where they cannot."""
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
    usual = recommended(design.kind, measure=measured)
    grows = bool(methods()[first].looks) and request.design is None and len(request.algorithms) > 1
    if not grows or methods()[usual].looks or quantity.ratio:
        return usual
    return recommended(design.kind, measure=measured, sequential=True)


def _balance(task: Data, quantity: Quantity, method: str) -> Balance:
    """Balance a target of one value per example; keep groups and the features given."""
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
    names = tuple(name for name, given in known.items() if name and given is not None)
    if len(names) > 1:
        return names
    return next(iter(names), None)


def usual_design(method: str, balance: Balance, seed: int, n: int) -> Design:
    """Return the design that a method is usually given, where only the method was asked for."""
    entry = methods()[method]
    kind = designs().get(entry.usual)
    if kind is None:
        raise NotApplicable(
            f"method {method!r} has no design that could be run for it; call it in ef.infer"
        )
    text = kind.example
    if entry.usual.is_halving:
        units = "examples"
        if "groups" in (balance or ()):
            units = "groups"
        text = f"{entry.usual}:{min(entry.repetitions or MOST, _most_repetitions(n, units))}"
    if kind.even_example and ("groups" in (balance or ()) or "features" in (balance or ())):
        text = kind.even_example
    # What was drawn at random in the sources stays so: only designs that are made even are
    # balanced.
    elif kind.by_chance or not issubclass(kind, BalancedDesign):
        balance = None
    return design_from(text, balance=balance, random_state=seed)


def _most_repetitions(n: int, what: str) -> int:
    """Return how many repetitions fit: as many as the largest number of blocks allows, less one."""
    if n < 8:
        refuse("X", f"at least 8 {what}", n, "gather more: so few say nothing")
    return 4 * (n // 4) - 1


# Grouped data without a design: few groups are left out one by one, many are halved.
#
# Leaving each out takes as many fits as there are groups and a value of the measure in every single
# one; its test has a degree of freedom for every group but one, however few. Halvings take at most
# eighteen fits, whatever the number of groups; the influence test on them, which takes a group for
# a unit, was measured with 40 to 100 of them.


MANY = 40  # the fewest groups for which the influence test was measured (docs/infer/influence)
_HALVED = 16  # the fewest that nine halvings can be made of


def count(task: Data) -> int:
    """Return how many units there are to be dealt: groups, or examples."""
    if task.groups is None:
        return task.n
    return len(np.unique(task.groups))


def halves_groups(task: Data, quantity: Quantity) -> bool:
    """
    Whether groups are halved.

    Many are, and so are those that have no value of the measure one by one.
    """
    groups = count(task)
    return groups >= MANY or (groups >= _HALVED and not _has_value_per_group(task, quantity))


def _has_value_per_group(task: Data, quantity: Quantity) -> bool:
    """
    Whether the measure has a value in each group.

    What ranks examples needs two classes there.
    """
    if quantity.per_example != "placements":
        return True
    group, label = (
        np.unique(np.asarray(of), return_inverse=True)[1] for of in (task.groups, task.y)
    )
    classes = int(label.max()) + 1
    # the group of each class that occurs in it
    of_pair = np.unique(group * classes + label) // classes
    return bool((np.bincount(of_pair) > 1).all())


def choice(task: Data, quantity: Quantity, design: Design, called: str | None) -> Note:
    """Return how groups that came without a design are treated, and why."""
    groups = {"groups": count(task), "many": MANY, "group": called}
    if isinstance(design, LeaveOneSourceOut):
        return note("groups-left-out", **groups)
    fits = design.get_n_splits()
    return note("groups-halved", **groups, measure=quantity.words, fits=fits)


def cut(design: Design, n: int, **given: Any) -> Partition:
    """Cut the data; what the design cautions against is a note, not a warning."""
    with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
        return design.partition(n, **given)


def usual_method_of(losses: Losses) -> str:
    """Return the method for losses that are there, where none was asked for."""
    return recommended(losses.partition.kind, measure=remaining_quantity(losses))


def remaining_quantity(losses: Losses) -> Quantity:
    """
    Return what losses still give.

    a function of one's own has no values per example in a store.
    """
    gone = losses.examples is None and losses.outcomes is None
    flips = losses.quantity.right_or_wrong and len(losses.algorithms) > 1
    quantity = replace(losses.quantity, weighted=losses.weights is not None, right_or_wrong=flips)
    if gone:
        return replace(quantity, per_example="none")
    return quantity
