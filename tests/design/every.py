"""Every design that can be written on a command line, plain and with each of its balances."""

from typing import Any

import numpy as np

from evenfold.design import Design, Reruns, design_from, designs

N = 48
RNG = np.random.default_rng(0)
y = np.tile([0, 1], N // 2)
X = RNG.normal(size=(N, 3)) + y[:, None]
GROUPS = np.repeat(np.arange(12), 4)
FEATURES = RNG.poisson(1.0, (N, 3))


def _spelling(kind: type[Design], balance: str | None) -> str:
    """Reruns of random splits balance labels only; those of even splits balance everything."""
    if kind is Reruns and balance is not None:
        return kind.even_example
    return kind.example


DESIGNS = [
    design_from(_spelling(kind, balance), balance=balance, features=FEATURES, random_state=0)
    for kind in designs().values()
    for balance in (None, *kind.balances)
]


def groups_for(design: Design) -> Any:
    """The groups, for a design that uses them."""
    return GROUPS if design.uses_groups_now else None
