"""
Grouped data without a design: few groups are left out one by one, many are halved.

Leaving each out takes as many fits as there are groups and a value of the measure in every single one; its
test has a degree of freedom for every group but one, however few. Halvings take at most eighteen fits,
whatever the number of groups; the influence test on them, which takes a group for a unit, was measured with
40 to 100 of them.
"""

import numpy as np

from evenfold.core.inputs.task import Task
from evenfold.core.losses import Quantity
from evenfold.design import Design, LeaveOneSourceOut

MANY = 40  # the fewest groups for which the influence test was measured (docs/infer/influence)
_HALVED = 16  # the fewest that nine halvings can be made of


def count(task: Task) -> int:
    """Return how many units there are to be dealt: groups, or examples."""
    return task.n if task.groups is None else len(np.unique(task.groups))


def in_halves(task: Task, quantity: Quantity) -> bool:
    """Whether groups are halved: many are, and so are those that have no value of the measure one by one."""
    groups = count(task)
    return groups >= MANY or (groups >= _HALVED and not _ranked_alone(task, quantity))


def _ranked_alone(task: Task, quantity: Quantity) -> bool:
    """Whether the measure has a value in each group: what ranks examples needs two classes there."""
    if quantity.per_example != "placements":
        return True
    group, label = (np.unique(np.asarray(of), return_inverse=True)[1] for of in (task.groups, task.y))
    classes = int(label.max()) + 1
    of_pair = np.unique(group * classes + label) // classes  # the group of each class that occurs in it
    return bool((np.bincount(of_pair) > 1).all())


def choice(task: Task, quantity: Quantity, design: Design) -> str:
    """Say how groups that came without a design are treated, and why."""
    groups = count(task)
    if isinstance(design, LeaveOneSourceOut):
        return f"{groups} groups, fewer than {MANY}: each is left out once; every group counts the same"
    why = "many" if groups >= MANY else f"some of which have no {quantity.words} by themselves"
    most = f"{design.get_n_splits()} fits an algorithm at most"
    return (
        f"{groups} groups, {why}: whole groups are halved, {most}; every example counts the same "
        "(design=ef.LeaveOneSourceOut() leaves each group out once)"
    )
