"""Which design, which method: what was asked for, and defaults for the rest."""

from dataclasses import dataclass, replace
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.measure import Quantity
from evenfold.core.partition import Partition
from evenfold.core.task import Task
from evenfold.corridor.ask import Question
from evenfold.corridor.notes import without_warnings
from evenfold.design import BalancedDesign, Design, LeaveOneSourceOut, Mx2BCV, design_from, designs
from evenfold.infer import methods, recommended, select

SEQUENTIAL = recommended(Mx2BCV.kind, sequential=True)
FIXED = recommended(Mx2BCV.kind)  # what the sequential test is where all repetitions are run
START, MOST = 3, 9  # METHODS 4: beyond nine repetitions the interval shrinks by less than 1 %
_FEW = 20  # examples of a class below which halves are balanced, lest one of them has none

Balance = str | tuple[str, ...] | None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Setup:
    """
    What will be run, and by which method each measure is judged.

    ``most`` is M where repetitions are added until the test of the first measure stops, else None.
    """

    design: Design
    methods: tuple[str, ...]
    most: int | None

    @property
    def method(self) -> str:
        """The method of the measure that decides."""
        return self.methods[0]


def arrange(question: Question) -> Setup:
    """Fill in what was not asked for; see :func:`evenfold.compare` for the defaults."""
    design, method = _chosen(question)
    most = _repetitions(design, method, question.asked.margin)
    others = [_also(quantity, design, question.method, most, method) for quantity in question.quantities[1:]]
    return Setup(design=design, methods=(method, *others), most=most)


def _chosen(question: Question) -> tuple[Design, str]:
    task, method, quantity, seed = question.task, question.method, question.quantity, question.seed
    if task.groups is not None and method is not None and methods()[method].takes.independent:
        raise NotApplicable(f"method {method!r} needs independent examples, not groups; use {FIXED!r}")
    if question.design is not None:
        given = question.design
        design = given if given.random_state is not None else replace(given, random_state=seed)
        key = method or _recommended(design.kind, quantity)
        return design, select(key, design=design.kind).key
    balance = _balance(task, quantity, method)
    if method is not None:
        by_source = task.groups is not None and "sources" in methods()[method].designs
        return LeaveOneSourceOut() if by_source else usual_design(method, balance, seed, task.n), method
    key = _usual_method(question)
    return usual_design(key, balance, seed, task.n), key


def _usual_method(question: Question) -> str:
    """Return the method where nothing was asked for."""
    if question.task.groups is not None:
        return recommended("sources")
    if question.quantity.per_example == "outcomes":
        return _recommended("mx2-bcv", question.quantity)
    # a sequential test stops at 0, not at a margin, and its pairs have no joint law
    many, asked = len(question.algorithms), question.asked
    fixed = many == 1 or asked.margin > 0 or (asked.adjust == "max-t" and many > 2)
    return FIXED if fixed else SEQUENTIAL


def _recommended(kind: str, quantity: Quantity) -> str:
    special = quantity.per_example in ("outcomes", "placements")
    return recommended(kind, measure=quantity.name if special else "")


def _also(quantity: Quantity, design: Design, asked: str | None, most: int | None, first: str) -> str:
    """
    Return the method of a further measure on the same splits.

    Where the first measure may stop the run early, the others are judged by the same test, whose intervals
    hold at every look together, whatever the reason for stopping.
    """
    if most is not None:
        return first
    return asked or _recommended(design.kind, quantity)


def _balance(task: Task, quantity: Quantity, method: str | None) -> Balance:
    """Balance the target where it is one value per example, and what features were given."""
    of_target = {"labels": "labels", "numbers": "counts", "sequences": None}[task.target]
    counted = method is not None and "confusion" in methods()[method].inputs
    if quantity.per_example == "outcomes" and not counted and of_target == "labels" and task.rarest >= _FEW:
        # What is said of a score, whose class counts are random like those of most data, would be too sure
        # if they were made even: see evenfold.infer.influence_f1.
        of_target = None
    if task.features is None:
        return of_target
    return "features" if of_target is None else (of_target, "features")


def _repetitions(design: Design, method: str, margin: float) -> int | None:
    """Return M: the repetitions of an m×2 BCV that a sequential test may use."""
    if method != SEQUENTIAL or not isinstance(design, Mx2BCV) or design.m <= START:
        return None
    if margin > 0:
        refuse(
            "margin",
            f"0 with {SEQUENTIAL!r}, which stops as soon as it excludes 0,",
            margin,
            f"use {FIXED!r}",
        )
    return design.m


def usual_design(method: str, balance: Balance, seed: int, n: int) -> Design:
    """Return the design that a method is usually given, where only the method was asked for."""
    entry = methods()[method]
    kind = designs().get(entry.usual)
    if kind is None:
        raise NotApplicable(f"method {method!r} has no design that could be run for it; call it in ef.infer")
    text = kind.example
    if entry.usual.shape == "halves":
        text = f"{entry.usual}:{min(entry.repetitions or MOST, _most(n))}"
    # What was drawn at random in the sources stays so: only designs that are made even are balanced.
    evened = balance if issubclass(kind, BalancedDesign) else None
    return design_from(text, balance=evened, random_state=seed)


def _most(n: int) -> int:
    """Return how many of the usual nine repetitions fit: 4, 8, 16 blocks allow 3, 7, 15."""
    if n < 8:
        refuse("X", "at least 8 examples", n, "so few say nothing; gather more")
    return MOST if n >= 16 else 7


def cut(design: Design, n: int, **given: Any) -> Partition:
    """Cut the data; what the design cautions against is a note, not a warning."""
    with without_warnings():
        return design.partition(n, **given)
