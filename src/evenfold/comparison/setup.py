"""Which design, which method: what was asked for, and defaults for the rest."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from evenfold.comparison.ask import Question
from evenfold.comparison.grouped import choice, count, in_halves
from evenfold.comparison.ordered import chosen, told
from evenfold.comparison.wording.notes import without_warnings
from evenfold.core.checks import refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.inputs.task import Task
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import SOURCES, Partition
from evenfold.design import (
    BalancedDesign,
    Design,
    FoldsAndHalves,
    LeaveOneSourceOut,
    Mx2BCV,
    design_from,
    designs,
)
from evenfold.infer import Method, methods, recommended, select
from evenfold.infer.many.adjust import ADJUSTMENTS

MOST = 9  # METHODS 4: beyond nine repetitions the interval shrinks by less than 1 %
_RANKED = 2  # examples of a class in each part, to be ranked
_FEW = 20  # examples of a class below which halves are balanced, lest one of them has none

Balance = str | tuple[str, ...] | None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Setup:
    """
    What will be run, and by which method each measure is judged.

    ``most`` is M where repetitions are added until the test of the first measure stops, else None; ``notes``
    say what was chosen and why, where that is not as usual.
    """

    design: Design
    methods: tuple[str, ...]
    most: int | None
    notes: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The method of the measure that decides."""
        return self.methods[0]


def arrange(question: Question, *, stops: bool = True) -> Setup:
    """Fill in what was not asked for; see :func:`evenfold.compare` for the defaults."""
    design, method = _chosen(question, stops=stops)
    most = _repetitions(design, methods()[method])
    others = [_also(question, quantity, design, most) for quantity in question.quantities[1:]]
    notes = tuple(filter(None, _said(question, design)))
    return Setup(design=design, methods=(method, *others), most=most, notes=notes)


def _said(question: Question, design: Design) -> Iterator[str]:
    """Say why the usual method is not the sharp one, and how groups are treated, where nothing was asked."""
    by_source, ordered = isinstance(design, LeaveOneSourceOut), design.kind.shape == "windows"
    if question.method is None and not (by_source or ordered):
        yield _why_blunt(question)
    if question.task.order is not None and question.design is None:
        yield told(design)
    if question.task.groups is not None and question.method is None and question.design is None:
        yield "" if question.full_size else choice(question.task, question.quantity, design)


def _chosen(question: Question, *, stops: bool) -> tuple[Design, str]:
    task, method, seed = question.task, question.method, question.seed
    if task.groups is not None and method is not None and methods()[method].takes.independent:
        fixed = recommended(Mx2BCV.kind, measure=_measured(question, question.quantity))
        raise NotApplicable(f"method {method!r} needs independent examples, not groups; use {fixed!r}")
    if question.design is not None:
        return _as_given(question, question.design)
    if task.order is not None:
        return chosen(task, method, _measured(question, question.quantity))
    if question.full_size:
        return _at_full_size(question)
    if method is not None and task.groups is not None and SOURCES in methods()[method].designs:
        return LeaveOneSourceOut(), method
    key = method or _usual_method(question, stops=stops)
    balance = _balance(task, question.quantity, key)
    return usual_design(key, balance, seed, count(task)), key


def _as_given(question: Question, design: Design) -> tuple[Design, str]:
    """The design that was asked for, seeded, and a method for it."""
    if design.random_state is None and design.shuffle:
        design = replace(design, random_state=question.seed)
    joint = ADJUSTMENTS[question.asked.adjust].joint and len(question.algorithms) > 2
    measured = _measured(question, question.quantity)
    key = question.method or recommended(design.kind, measure=measured, joint=joint)
    return design, select(key, design=design.kind).key


def _at_full_size(question: Question) -> tuple[Design, str]:
    """Folds for the answer, and for its variance the halvings that the default would run."""
    kind, task = FoldsAndHalves, question.task
    measured = _measured(question, question.quantity, parts=design_from(kind.example).parts[0])
    usual = recommended(kind.kind, measure=measured)
    key = question.method or usual
    if not methods()[key].fits(kind.kind):
        asked = question.wish.at
        raise NotApplicable(f"method {key!r} cannot answer at={asked!r}; use {usual!r}, or leave at out")
    balance = _balance(task, question.quantity, key)
    text = f"{kind.example}:quarters={MOST}" if question.curve else kind.example
    return design_from(text, balance=balance, random_state=question.seed), key


def _usual_method(question: Question, *, stops: bool) -> str:
    """Return the method where nothing was asked for."""
    task = question.task
    if task.groups is not None and not in_halves(task, question.quantity):
        return recommended(SOURCES)
    quantity, many = _measured(question, question.quantity), len(question.algorithms)
    looking = methods()[recommended(Mx2BCV.kind, measure=quantity, sequential=True)]
    apart = ADJUSTMENTS[question.asked.adjust].joint and many > 2 and not looking.joint
    if many == 1 or apart or not stops or quantity.ratio:  # nothing that could be settled early
        return recommended(Mx2BCV.kind, measure=quantity)
    return looking.key


def _measured(question: Question, quantity: Quantity, *, parts: int = 2) -> Quantity:
    """Return what a measure will give, of these data in so many parts."""
    if quantity.per_example == "placements" and question.task.rarest < _RANKED * parts:
        quantity = replace(quantity, per_example="none")
    # answers flip between two models, and are counted where examples are independent
    flips = quantity.right_or_wrong and question.task.groups is None and len(question.algorithms) > 1
    return replace(quantity, weighted=question.task.weights is not None, right_or_wrong=flips)


def _why_blunt(question: Question) -> str:
    """Say why single examples cannot be looked at, where they cannot."""
    quantity = _measured(question, question.quantity)
    if quantity.ratio or methods()[recommended(Mx2BCV.kind, measure=quantity)].takes.closely:
        return ""
    return (
        f"{quantity.words} has no value per example, so that the test looks at whole splits: it decides less "
        "often"
    )


def _also(question: Question, quantity: Quantity, design: Design, most: int | None) -> str:
    """
    Return the method of a further measure on the same splits.

    Where the first measure may stop the run early, the others are judged by tests that look, too: their
    intervals hold at every look together, whatever the reason for stopping.
    """
    measured = _measured(question, quantity)
    looks = most is not None and not quantity.ratio  # how long a fit takes does not stop a run
    return question.method or recommended(design.kind, measure=measured, sequential=looks)


def _balance(task: Task, quantity: Quantity, method: str) -> Balance:
    """Balance the target where it is one value per example, keep groups, and what features were given."""
    of_target = {"labels": "labels", "numbers": "counts", "sequences": None}[task.target]
    takes = methods()[method].takes
    if (
        quantity.name in takes.measures
        and takes.independent
        and of_target == "labels"
        and task.rarest >= _FEW
    ):
        # What halves say of a score, whose class counts are random like those of most data, would be too sure
        # if they were made even: see evenfold.infer.influence_f1.
        of_target = None
    also = {"features": task.features, "groups": task.groups}
    names = (*filter(None, [of_target]), *(name for name, given in also.items() if given is not None))
    return names if len(names) > 1 else names[0] if names else None


def _repetitions(design: Design, entry: Method) -> int | None:
    """Return M: the repetitions of an m×2 BCV that a test may take, where it looks at fewer first."""
    looks = entry.sequential and isinstance(design, Mx2BCV) and design.m > entry.looks[0]
    return design.m if looks else None  # type: ignore[attr-defined]  # of an m×2 BCV


def usual_design(method: str, balance: Balance, seed: int, n: int) -> Design:
    """Return the design that a method is usually given, where only the method was asked for."""
    entry = methods()[method]
    kind = designs().get(entry.usual)
    if kind is None:
        raise NotApplicable(f"method {method!r} has no design that could be run for it; call it in ef.infer")
    text = kind.example
    if entry.usual.shape == "halves":
        units = "groups" if "groups" in (balance or ()) else "examples"
        text = f"{entry.usual}:{min(entry.repetitions or MOST, _most(n, units))}"
    # What was drawn at random in the sources stays so: only designs that are made even are balanced.
    evened = balance if issubclass(kind, BalancedDesign) else None
    return design_from(text, balance=evened, random_state=seed)


def _most(n: int, what: str) -> int:
    """Return how many of the usual nine repetitions fit: 4, 8, 16 blocks allow 3, 7, 15."""
    if n < 8:
        refuse("X", f"at least 8 {what}", n, "so few say nothing; gather more")
    return MOST if n >= 16 else 7


def cut(design: Design, n: int, **given: Any) -> Partition:
    """Cut the data; what the design cautions against is a note, not a warning."""
    with without_warnings():
        return design.partition(n, **given)


def usual_method_of(losses: Losses, *, joint: bool = False) -> str:
    """Return the method for losses that are there, where none was asked for; with a joint law if so."""
    return recommended(losses.partition.kind, measure=what_is_left(losses), joint=joint)


def what_is_left(losses: Losses) -> Quantity:
    """Return what losses still give: a function of one's own has no values per example in a store."""
    gone = losses.examples is None and losses.outcomes is None
    flips = losses.quantity.right_or_wrong and len(losses.algorithms) > 1
    quantity = replace(losses.quantity, weighted=losses.weights is not None, right_or_wrong=flips)
    return replace(quantity, per_example="none") if gone else quantity
