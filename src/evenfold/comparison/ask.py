"""
The door: the only place that looks at raw input.

It makes a checked :class:`Question`, or refuses it in one line before anything is fitted; behind it
everything is trusted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from evenfold.comparison.ordered import numbered, require_windows
from evenfold.core.checks import fraction, number, one_of, refuse
from evenfold.core.estimate import ALTERNATIVES
from evenfold.core.inputs.task import Target, Task
from evenfold.core.losses import Losses, Quantity
from evenfold.core.rng import seed_from
from evenfold.core.words import listed
from evenfold.design import Design, as_design
from evenfold.infer import methods
from evenfold.infer.many.adjust import ADJUSTMENTS, BEST, Adjustment
from evenfold.run.algorithms import named
from evenfold.run.data import Data, check_data
from evenfold.run.frames import as_rows
from evenfold.run.measures.resolve import as_measure, resolve_measures, usual_measure

NOT_WORSE = "not-worse"
HALF, FULL, CURVE = SIZES = "half", "full", "curve"  # training sizes to ask for without a design
SIDES = (*ALTERNATIVES, NOT_WORSE)
PAIRS = "pairs"  # what may be asked of several algorithms: all of them, or a race for the best
RACE = BEST.key
QUESTIONS = (PAIRS, RACE)
_FEWEST_RANKED = 3
MOST_LEVEL = 0.5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Asked:
    """What is asked of every pair, as :func:`evenfold.compare` says it, checked."""

    margin: float = 0.0
    level: float = 0.05
    alternative: str = "two-sided"
    adjust: str = "holm"
    baseline: str | None = None
    question: str = PAIRS
    power_at: float | None = None

    def __post_init__(self) -> None:
        if self.power_at is not None and number("power_at", self.power_at, low=0) == 0:
            refuse("power_at", "a drop above 0", self.power_at)
        one_of("adjust", self.adjust, ADJUSTMENTS)
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
        return "two-sided" if self.not_worse else self.alternative

    def of_method(self, level: float) -> float:
        """The level that a method is asked for where a pair has this one."""
        return 2 * level if self.not_worse else level

    @property
    def races(self) -> bool:
        """Whether only the best is asked for, so that who is beaten needs no more repetitions."""
        return self.question == RACE

    @property
    def sharing(self) -> Adjustment:
        """How the pairs share the level."""
        return BEST if self.races else ADJUSTMENTS[self.adjust]

    def share(self, pairs: int) -> float:
        """Return a level at which a pair may be decided whatever the others are."""
        return self.level if pairs == 1 else self.sharing.share_of(pairs, self.level)

    def told_level(self, share: float) -> float:
        """The level that is said of an interval: that of all pairs where they hold together, else its own."""
        return share if self.races else self.level

    def check_margin(self, quantity: Quantity) -> None:
        """Refuse a margin as wide as the range of the measure: nothing is further apart than that."""
        if self.margin and self.margin >= quantity.width:
            rule = f"below {quantity.width:g}, the range of measure {quantity.name!r},"
            refuse("margin", rule, self.margin, "divide per cents by 100" if quantity.width == 1 else "")

    def check_adjustment(self, algorithms: int) -> None:
        """Refuse an adjustment that cannot do so many algorithms, or needs pairs that are not asked about."""
        ADJUSTMENTS[self.adjust].check("adjust", algorithms, baseline=self.baseline)
        if self.races and algorithms < _FEWEST_RANKED:
            refuse("question", f"{PAIRS!r} for fewer than {_FEWEST_RANKED} algorithms", self.question)

    def _check_question(self) -> None:
        """Refuse what the question who is best leaves no room for."""
        if one_of("question", self.question, QUESTIONS) == PAIRS:
            return
        usual = Asked()
        for name in ("margin", "alternative", "baseline", "adjust"):
            if getattr(self, name) != getattr(usual, name):
                refuse(name, f"left out with question={self.question!r}", getattr(self, name))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Wish:
    """How it should be answered, as far as that was said: raw, as given."""

    measure: Any = None
    design: Any = None
    method: Any = None
    at: Any = HALF
    positive: Any = None
    scheme: str = "IOB2"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Judged:
    """How a comparison judged its run, kept with it in a store; ``most`` is M where it might stop early."""

    methods: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None
    asked: Asked = field(default_factory=Asked)

    def asked_now(self, **changed: Any) -> Asked:
        """Return what was asked of every pair, or what is asked now where that is not None."""
        return replace(self.asked, **{name: value for name, value in changed.items() if value is not None})


def question_of(losses: Losses) -> str:
    """What a stored run was asked: where cells were left out it was a race for the best."""
    return PAIRS if losses.failures == losses.failed else RACE


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Options:
    """How it is run; see :func:`evenfold.run.run`, which checks them before the first fit."""

    random_state: Any = None
    n_jobs: int | None = None
    store: str | Path | None = None
    version: Any = None
    on_failure: str = "record"
    timeout: float | None = None
    progress: bool | None = None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Question:
    """
    Everything that was asked, checked.

    Attributes
    ----------
    algorithms : mapping of str to estimator or function
        By name, A first.
    task : Task
        The data.
    measures : tuple
        What ``run`` is asked to measure, the one that decides first; ``quantities`` is what each is about.
    design, method : Design or None, str or None
        As far as they were asked for.
    asked, wish, options
        As given, checked.
    seed : int
        Of the design and of every algorithm that has none, drawn where none was given.
    """

    algorithms: Mapping[str, Any]
    task: Task
    measures: Any
    quantities: tuple[Quantity, ...]
    design: Design | None
    method: str | None
    asked: Asked
    wish: Wish
    options: Options
    seed: int

    @property
    def full_size(self) -> bool:
        """Whether the answer is to be about nearly the full training size."""
        return self.wish.at in (FULL, CURVE)

    @property
    def curve(self) -> bool:
        """Whether a quarter of the examples is to be trained on, too."""
        return bool(self.wish.at == CURVE)

    @property
    def quantity(self) -> Quantity:
        """What the verdict is about."""
        return self.quantities[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms' names, A first."""
        return tuple(self.algorithms)

    @property
    def run_options(self) -> dict[str, Any]:
        """The keywords of :func:`evenfold.run.run`."""
        of, task = self.options, self.task
        return {
            "measures": self.measures,
            "seed": self.seed,
            "n_jobs": of.n_jobs,
            "store": of.store,
            "version": of.version,
            "on_failure": of.on_failure,
            "timeout": of.timeout,
            "sample_weight": task.weights,
            "groups": task.groups,
            "positive": self.wish.positive,
            "scheme": self.wish.scheme,
            "progress": of.progress,
        }


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Rows:
    """What was given per example, raw."""

    X: Any
    y: Any
    groups: Any = None
    features: Any = None
    sample_weight: Any = None
    order: Any = None

    def with_columns(self) -> Self:
        """Return the same with columns of the frame X in the place of their names; they are no features."""
        roles = ("y", "groups", "sample_weight", "order")
        named = [role for role in roles if isinstance(getattr(self, role), str)]
        if not named:
            return self
        X = as_rows(self.X)
        if not hasattr(X, "columns"):
            refuse(named[0], "an array where X is no frame", getattr(self, named[0]))
        known = {str(one): one for one in X.columns} | {one: one for one in X.columns if isinstance(one, str)}
        columns = [known[one_of(name, getattr(self, name), known)] for name in named]
        if len(set(columns)) < len(columns):
            refuse(listed(named), "different columns", ", ".join(map(repr, columns)))
        values = {name: X[column] for name, column in zip(named, columns, strict=True)}
        return replace(self, X=X.drop(columns=columns) if hasattr(X, "iloc") else X.drop(columns), **values)


def ask(algorithms: Any, rows: Rows, wish: Wish, asked: Asked, options: Options) -> Question:
    """Check a question, or refuse it in one line."""
    subjects = named(algorithms)
    if asked.baseline is not None:
        one_of("baseline", asked.baseline, subjects)
    asked.check_adjustment(len(subjects))
    if wish.method is not None:
        one_of("method", wish.method, methods())
    if one_of("at", wish.at, SIZES) != HALF and wish.design is not None:
        refuse("at", f"{HALF!r} where a design is given", wish.at, "leave the design out")
    rows = rows.with_columns()
    data = check_data(rows.X, rows.y, sample_weight=rows.sample_weight, groups=rows.groups)
    target = _target(subjects, data, wish.measure)
    measures = wish.measure if wish.measure is not None else usual_measure(numbers=target == "numbers")
    resolved = resolve_measures(measures, data.target, positive=wish.positive, scheme=wish.scheme)
    asked.check_margin(resolved[0].quantity)
    _require_variety(data, target)
    task, seed = _task(data, target, rows.features, rows.order), seed_from(options.random_state)
    design = _design(wish.design, task, seed)
    task = require_windows(design, task, rows.groups)
    if task.order is not None and wish.at != HALF:
        refuse("at", f"{HALF!r} for ordered data", wish.at, "leave it out")
    return Question(
        algorithms=subjects,
        task=task,
        measures=measures,
        quantities=tuple(one.quantity for one in resolved),
        design=design,
        method=wish.method,
        asked=asked,
        wish=wish,
        options=options,
        seed=seed,
    )


def _task(data: Data, target: Target, features: Any, order: Any) -> Task:
    known = data.metadata
    return Task(
        X=data.X,
        y=data.target.values,
        n=data.n,
        target=target,
        groups=known.get("groups"),
        features=features,
        weights=known.get("sample_weight"),
        order=numbered(data.X, order, data.n),
    )


def _design(design: Any, task: Task, seed: int) -> Design | None:
    """Return the design that was asked for; folds that are only counted keep classes and groups."""
    if design is None:
        return None
    kept = ["labels"] * (task.target == "labels") + ["groups"] * (task.groups is not None)
    return as_design(
        design, task.n, X=task.X, y=task.y, groups=task.groups, balance=tuple(kept) or None, random_state=seed
    )


def _target(subjects: Mapping[str, Any], data: Data, measure: Any) -> Target:
    """What is predicted: as the measure says, else as the algorithms do, else as y looks."""
    if data.target.kind == "sequence":
        return "sequences"
    kinds = {_kind(subject) for subject in subjects.values()}
    of_measure = _first(measure)
    if of_measure is not None and of_measure.target != "any":
        if of_measure.target == "labels" and "regressor" in kinds:
            refuse(
                "measure",
                "one for numbers: the algorithms are regressors,",
                of_measure.name,
                "use 'squared' or 'absolute'",
            )
        return of_measure.target
    if kinds & {"regressor", "classifier"}:
        return "numbers" if "regressor" in kinds else "labels"
    return "numbers" if data.target.is_continuous else "labels"


def _first(measure: Any) -> Quantity | None:
    """What the measure that decides is about, where one was given."""
    items = list(measure.values()) if isinstance(measure, Mapping) else measure
    if isinstance(items, (list, tuple)):
        items = items[0] if items else None
    return None if items is None else as_measure(items).quantity


def _kind(subject: Any) -> str | None:
    """Whether scikit-learn knows an estimator as a regressor or a classifier."""
    from sklearn.base import is_classifier, is_regressor

    if isinstance(subject, type) or not hasattr(subject, "__sklearn_tags__"):
        return getattr(subject, "_estimator_type", None)  # what others than scikit-learn's say of themselves
    return "regressor" if is_regressor(subject) else "classifier" if is_classifier(subject) else None


def _require_variety(data: Data, target: Target) -> None:
    if target != "sequences" and len(data.target.classes) < 2:
        rule = "of at least two different values" if target == "numbers" else "of at least two classes"
        found = " ".join(["only", *map(str, data.target.classes)])
        refuse("y", rule, found, "there is nothing to tell apart: check which column it is")
