"""Every design that can be written on a command line, plain and with each of its balances."""

from typing import Any

import numpy as np

from evenfold.cli.designs import FORMS, parse
from evenfold.design import Design

N = 48
RNG = np.random.default_rng(0)
y = np.tile([0, 1], N // 2)
X = RNG.normal(size=(N, 3)) + y[:, None]
GROUPS = np.repeat(np.arange(12), 4)
FEATURES = RNG.poisson(1.0, (N, 3))


def _made(key: str, balance: str | None) -> Design:
    design = parse(FORMS[key].example if balance is None else f"{FORMS[key].example}:{balance}", seed=0)
    if balance == "features":
        object.__setattr__(design, "features", FEATURES)
    return design


DESIGNS = [_made(key, balance) for key, form in FORMS.items() for balance in (None, *form.make.balances)]


def groups_for(design: Design) -> Any:
    """The groups, for a design that uses them."""
    return GROUPS if design.uses_groups_now else None
