"""A gate that stops early: the items of a table in random order, up to where the question is settled."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenfold.comparison.ask import Asked
from evenfold.comparison.judge.question import Arranged
from evenfold.core.checks import refuse
from evenfold.core.inputs.results import Results
from evenfold.core.partition import TEST_SET
from evenfold.core.rng import stream
from evenfold.infer import gate_items, item_gate, methods


def stopping_method() -> str:
    """Return the key of the method that may be looked at after every item."""
    return next(key for key, entry in methods().items() if entry.function is item_gate)


def settled_items(
    found: Arranged, results: Results, pairs: Sequence[tuple[str | None, str]], asked: Asked, seed: int
) -> Results:
    """Return the table up to the item at which "not worse" or "worse" is settled, in random order."""
    _require(found, pairs, asked)
    losses = found.losses
    quantity = losses.quantity
    rows = [np.asarray(row[0]) for row in losses.examples or ()]
    order = stream(seed, "items", len(rows[0])).permutation(len(rows[0]))
    a, b = (rows[losses.index(str(name))][order].tolist() for name in pairs[0])
    looks = gate_items(
        zip(a, b, strict=True),
        margin=asked.margin,
        level=asked.level,
        low=quantity.low,
        high=quantity.high,
        higher_is_better=not quantity.lower_is_better,
    )
    last = deque(looks, maxlen=1).pop()
    assert found.ids is not None
    assert results.example is not None
    kept = np.isin(results.example.values(), found.ids[order[: last.n]])
    note = f"looked at {last.n} of {len(order)} items in random order (seed {seed}): {_WORDS[last.settled]}"
    return replace(results.take(kept), notes=(*results.notes, note))


_WORDS = {
    "not worse": "'not worse' is settled, at any number of items",
    "worse": "'worse' is settled, at any number of items",
    "open": "all of them leave it open",
}


def _require(found: Arranged, pairs: Sequence[tuple[str | None, str]], asked: Asked) -> None:
    """Refuse what cannot be looked at item by item."""
    losses = found.losses
    if len(pairs) > 1 or pairs[0][0] is None:
        refuse("stop_early", "asked of two algorithms", f"{len(losses.algorithms)} of them")
    if not asked.not_worse:
        remedy = "say alternative='not-worse', or --fail-unless not-worse"
        refuse("stop_early", "asked of a gate", f"alternative={asked.alternative!r}", remedy)
    if losses.partition.kind != TEST_SET or losses.weights is not None or losses.quantity.weighted:
        rule = "asked of single examples, each once and of one weight"
        refuse("stop_early", rule, f"a table of another kind ({losses.partition.kind})")
    if not np.isfinite(losses.quantity.width):
        remedy = "name a measure that has one"
        refuse("stop_early", "asked of values with a known range", losses.quantity.name, remedy)
