"""
What is asked of a comparison, looked at once, and what will be run for it.

:func:`check_request` turns what a caller gave into one :class:`Request`, or refuses it in one line;
:func:`arrange` fills in what was not asked for: the design, the method of each measure, when to
stop.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.comparison.ordered import choose_windows, number_times, require_windows, windows_note
from evenfold.core.checks import fraction, is_integer, number, one_of, refuse
from evenfold.core.errors import EvenfoldWarning, NotApplicable
from evenfold.core.estimate import ALTERNATIVES
from evenfold.core.json import BEHIND
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import SOURCES, Partition
from evenfold.core.rng import seed_from
from evenfold.core.words import format_count, group_words, join_words, one_line
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
from evenfold.infer.adjust import ADJUSTMENTS, BEST, Adjustment
from evenfold.run.algorithms import name_algorithms
from evenfold.run.data import Data, Predicted, as_rows, check_data
from evenfold.run.measures.resolve import as_measure, resolve_measures, usual_measure
from evenfold.verdict import Outcome, outcome

Names = tuple[str | None, str]  # A, none where an algorithm is estimated alone, and B

NOT_WORSE = "not-worse"
HALF, FULL, CURVE = SIZES = "half", "full", "curve"  # training sizes to ask for without a design
SIDES = (*ALTERNATIVES, NOT_WORSE)
PAIRS = "pairs"  # what may be asked of several algorithms: all of them, or a race for the best
RACE = BEST.key
QUESTIONS = (PAIRS, RACE)
_FEWEST_RANKED = 3
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
    adjust: str = "holm"
    baseline: str | None = None
    question: str = PAIRS
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
        fraction("level", self.level, high=MOST_LEVEL)
        if self.not_worse and self.level > MOST_LEVEL / 2:
            refuse("level", f"at most {MOST_LEVEL / 2} with alternative='{NOT_WORSE}'", self.level)
        self._check_question()

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

    @property
    def races(self) -> bool:
        """Whether only the best is asked for, so that who is beaten needs no more repetitions."""
        return self.question == RACE

    @property
    def sharing(self) -> Adjustment:
        """How the pairs share the level."""
        if self.races:
            return BEST
        return ADJUSTMENTS[self.adjust]

    def share(self, pairs: int) -> float:
        """Return a level at which a pair may be decided whatever the others are."""
        if pairs == 1:
            return self.level
        return self.sharing.share_of(pairs, self.level)

    def stated_level(self, share: float) -> float:
        """
        The level that is said of an interval.

        That of all pairs where they hold together, else its own.
        """
        if self.races or not ADJUSTMENTS[self.adjust].familywise:
            return share
        return self.level

    @property
    def entry(self) -> Method:
        """What the registry says of the method."""
        return methods()[self.method]

    @property
    def looks(self) -> tuple[int, ...]:
        """The repetitions after which it looks, none where all are run at once."""
        if self.most is None or not self.entry.looks:
            return ()
        return self.entry.looks_to(self.most)

    def decides(
        self, quantity: Quantity, low: float, high: float, *, only_same: bool = False
    ) -> Outcome:
        """Return what an interval of B − A decides."""
        worst, best = quantity.improvements(low, high)
        return outcome(worst, best, self.margin, one_sided=self.not_worse, only_same=only_same)

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
        if self.races and algorithms < _FEWEST_RANKED:
            rule = f"{PAIRS!r} for fewer than {_FEWEST_RANKED} algorithms"
            refuse("question", rule, self.question)

    def _check_question(self) -> None:
        """Refuse what the question who is best leaves no room for."""
        if one_of("question", self.question, QUESTIONS) == PAIRS:
            return
        usual = Criteria()
        for name in ("margin", "alternative", "baseline", "adjust"):
            if getattr(self, name) != getattr(usual, name):
                refuse(name, f"left out with question={self.question!r}", getattr(self, name))


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


def question_of(losses: Losses, asked: Criteria) -> str:
    """What a stored run was asked; where fits were left out it was a race, said or not."""
    if losses.failures == losses.failed:
        return asked.question
    return RACE


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
    at, positive, scheme
        The training size to answer about, the class and the chunks of scores.
    seed : int
        Of the design and of every algorithm that has none, drawn where none was given.
    n_jobs, store, version, on_failure, timeout, progress
        How it is run; see :func:`evenfold.run.run`, which checks them before the first fit.
    rules, notes : tuple of Criteria, tuple of str
        Once it is arranged: the criteria of each measure with the method that judges it, and what
        was chosen and why, where that is not as usual.
    """

    algorithms: Mapping[str, Any]
    task: Data
    measures: Any
    quantities: tuple[Quantity, ...]
    design: Design | None
    method: str | None
    criteria: Criteria
    at: str = HALF
    positive: Any = None
    scheme: str = IOB2
    seed: int
    n_jobs: int | None = None
    store: str | Path | None = None
    version: Any = None
    on_failure: str = "record"
    timeout: float | None = None
    progress: bool | None = None
    rules: tuple[Criteria, ...] = ()
    notes: tuple[str, ...] = ()

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

    @property
    def run_options(self) -> dict[str, Any]:
        """The keywords of :func:`evenfold.run.run`."""
        names = ("measures", "seed", "n_jobs", "store", "version", "on_failure", "timeout")
        options = {name: getattr(self, name) for name in (*names, "positive", "scheme", "progress")}
        return {**options, "sample_weight": self.task.weights, "groups": self.task.groups}


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
    **run_options: Any,
) -> Request:
    """Look at everything that was given, and return it as one request or refuse it in one line."""
    subjects = name_algorithms(algorithms)
    if criteria.baseline is not None:
        one_of("baseline", criteria.baseline, subjects)
    criteria.check_adjustment(len(subjects))
    if method is not None:
        one_of("method", method, methods())
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
        at=at,
        positive=positive,
        scheme=scheme,
        seed=seed,
        notes=(*weight_zero_notes(all_examples - task.n), *_mixed_kinds_notes(subjects)),
        **run_options,
    )


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


def weight_zero_notes(left_out: int) -> tuple[str, ...]:
    """Say how many examples were left out because they have no weight."""
    if not left_out:
        return ()
    return (f"examples of weight 0 were left out: {format_count(left_out)}",)


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


def _mixed_kinds_notes(subjects: Mapping[str, Any]) -> tuple[str, ...]:
    """Say that numbers are set against labels where a regressor meets a classifier."""
    kinds = {_kind(subject): one_line(name) for name, subject in subjects.items()}
    if CLASSIFIER not in kinds or REGRESSOR not in kinds:
        return ()
    return (
        f"{kinds[CLASSIFIER]} is a classifier and {kinds[REGRESSOR]} a regressor: labels are "
        "compared with numbers, which may lie between the labels; to compare probabilities, use "
        "classifiers and measure='brier'",
    )


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


MOST = 9  # beyond nine repetitions the interval shrinks by less than 1%
_RANKED = 2  # examples of a class in each part, to be ranked
_FEW = 20  # examples of a class below which halves are balanced, lest one of them has none

Balance = str | tuple[str, ...] | None


def arrange(request: Request, *, stops: bool = True) -> Request:
    """Fill in what was not asked for; see :func:`evenfold.compare` for the defaults."""
    design, method = _choose_design(request, stops=stops)
    most = _repetitions(design, methods()[method])
    others = [
        _method_of_further_measure(request, quantity, design, most)
        for quantity in request.quantities[1:]
    ]
    return replace(
        request,
        design=design,
        rules=tuple(replace(request.criteria, method=key, most=most) for key in (method, *others)),
        notes=(*request.notes, *filter(None, _method_notes(request, design))),
    )


def _method_notes(request: Request, design: Design) -> Iterator[str]:
    """Say why the usual method is not the sharp one, and how groups are treated by default."""
    by_source = isinstance(design, LeaveOneSourceOut)
    ordered = design.kind.is_ordered
    if request.method is None and not (by_source or ordered):
        yield _why_blunt(request)
    if request.task.order is not None and request.design is None:
        yield windows_note(design)
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
    joint = ADJUSTMENTS[request.criteria.adjust].joint and len(request.algorithms) > 2
    measured = _quantity_of_measure(request, request.quantity)
    key = request.method or recommended(design.kind, measure=measured, joint=joint)
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
    many = len(request.algorithms)
    looking = methods()[recommended(Mx2BCV.kind, measure=quantity, sequential=True)]
    apart = ADJUSTMENTS[request.criteria.adjust].joint and many > 2 and not looking.joint
    if many == 1 or apart or not stops or quantity.ratio:  # nothing that could be settled early
        return recommended(Mx2BCV.kind, measure=quantity)
    return looking.key


def _quantity_of_measure(request: Request, quantity: Quantity, *, parts: int = 2) -> Quantity:
    """Return what a measure will give, of these data in so many parts."""
    if quantity.per_example == "placements" and request.task.rarest < _RANKED * parts:
        quantity = replace(quantity, per_example="none")
    # answers flip between two models, and are counted where examples are independent
    flips = quantity.right_or_wrong and request.task.groups is None and len(request.algorithms) > 1
    return replace(quantity, weighted=request.task.weights is not None, right_or_wrong=flips)


def _why_blunt(request: Request) -> str:
    """Say why single examples cannot be looked at, where they cannot."""
    quantity = _quantity_of_measure(request, request.quantity)
    if quantity.ratio or methods()[recommended(Mx2BCV.kind, measure=quantity)].takes.closely:
        return ""
    return (
        f"{quantity.words} has no value per example, so that the test looks at whole splits: it "
        "decides less often"
    )


def _method_of_further_measure(
    request: Request, quantity: Quantity, design: Design, most: int | None
) -> str:
    """
    Return the method of a further measure on the same splits.

    Where the first measure may stop the run early, the others are judged by tests that look, too:
    their intervals hold at every look together, whatever the reason for stopping.
    """
    measured = _quantity_of_measure(request, quantity)
    looks = most is not None and not quantity.ratio  # how long a fit takes does not stop a run
    return request.method or recommended(design.kind, measure=measured, sequential=looks)


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
    known = {of_target: of_target, "features": task.features, "groups": task.groups}
    names = tuple(name for name, given in known.items() if name and given is not None)
    if len(names) > 1:
        return names
    return next(iter(names), None)


def _repetitions(design: Design, entry: Method) -> int | None:
    """Return M: the repetitions of an m×2 BCV that a test may take, if it looks at fewer first."""
    if entry.sequential and isinstance(design, Mx2BCV) and design.m > entry.looks[0]:
        return design.m
    return None


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
    # What was drawn at random in the sources stays so: only designs that are made even are
    # balanced.
    if not issubclass(kind, BalancedDesign):
        balance = None
    return design_from(text, balance=balance, random_state=seed)


def _most_repetitions(n: int, what: str) -> int:
    """Return how many of the usual nine repetitions fit: 4, 8, 16 blocks allow 3, 7, 15."""
    if n < 8:
        refuse("X", f"at least 8 {what}", n, "gather more: so few say nothing")
    if n >= 16:
        return MOST
    return 7


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


def choice(task: Data, quantity: Quantity, design: Design, called: str | None) -> str:
    """Say how groups that came without a design are treated, and why."""
    groups = count(task)
    group, many = group_words(called)
    if isinstance(design, LeaveOneSourceOut):
        return (
            f"{groups} {many}, fewer than {MANY}: each is left out once; every {group} counts "
            "the same"
        )
    why = f"some of which have no {quantity.words} by themselves"
    if groups >= MANY:
        why = "many"
    most = f"{design.get_n_splits()} fits an algorithm at most"
    return (
        f"{groups} {many}, {why}: whole {many} are halved, {most}; every example counts the same "
        f"(design=ef.LeaveOneSourceOut() leaves each {group} out once)"
    )


def cut(design: Design, n: int, **given: Any) -> Partition:
    """Cut the data; what the design cautions against is a note, not a warning."""
    with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
        return design.partition(n, **given)


def usual_method_of(losses: Losses, *, joint: bool = False) -> str:
    """
    Return the method for losses that are there, where none was asked for.

    With a joint law if so.
    """
    return recommended(losses.partition.kind, measure=remaining_quantity(losses), joint=joint)


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
