"""
Several pairs, margins and groups: the shipped code on the losses of ``losses.py``.

    python -m papers.sharp.further LOSSES

*Several pairs*: how often any of ten pairs of five equal algorithms is decided by ``compare``'s own
looks and adjustment. *Margins*: the true difference is the margin, so that "equivalent" and "not
worse" are false. *Groups*: the null is the mean over all data sets; power at 2.8 true standard
deviations. Writes ``results/further.csv``.
"""

import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.comparison.answer import answer
from evenfold.comparison.compare import Watch
from evenfold.comparison.request import Criteria
from evenfold.core.estimate import interval_around
from evenfold.core.losses import Losses
from evenfold.run.measures import MEASURES
from papers.sharp.analyse import RESULTS, SHIFT, Arrays, write
from papers.sharp.losses import GROUPS, sizes

LOOKS, LEVEL = (3, 5, 7, 9), 0.05
KEY = ef.infer.recommended("mx2-bcv", sequential=True)
looking_t = ef.infer.mx2_influence_sequential_t


def load(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Sides, and losses (data sets, repetitions, examples) of every algorithm."""
    with np.load(path) as file:
        sides = file["sides"]
        n = sides.shape[1]
        bits = {
            name: np.unpackbits(file[name], axis=-1, count=n)
            for name in file.files
            if name != "sides"
        }
    return sides, bits


# Several pairs ----------------------------------------------------------------------------------


def any_of_ten(path: Path, count: int, adjust: str) -> Arrays:
    """How often any pair of so many equal algorithms is decided."""
    sides, bits = load(path)
    names = list(bits)[:count]
    pairs = list(combinations(names, 2))
    least = np.ones(len(bits[names[0]]))
    for a, b in pairs:  # where no pair has a small p-value by itself, none is decided
        found: Any = looking_t(bits[b].astype(float) - bits[a], sides)
        least = np.minimum(least, found.looks.pvalues(found.plan).min(axis=0))
    decided, at_stop = np.zeros(len(least), dtype=bool), []
    rule = Criteria(level=LEVEL, adjust=adjust, method=KEY, most=9)
    for i in np.flatnonzero(least <= 2 * LEVEL / len(pairs)):  # above it max-t never is, by far
        losses = _losses({name: bits[name][i] for name in names}, sides)
        watch = Watch(rule, pairs)
        for m in rule.looks:
            if watch.look(losses.only(slice(2 * m))):
                break
        at_stop.append(m)
        results = answer(losses.only(slice(2 * m)), watch.found, rule, cost="")
        decided[i] = any(one.verdict is not None and one.verdict.outcome.decided for one in results)
    return {
        "question": path.stem, "algorithms": count, "adjust": adjust,
        "error": float(decided.mean()),
        "sets": len(least), "looked at": len(at_stop),
    }  # fmt: skip


def _losses(wrong: dict[str, np.ndarray], sides: np.ndarray) -> Any:
    """Losses of one run on these halves."""
    partition = ef.Mx2BCV(len(sides), random_state=sides.shape[1]).partition(sides.shape[1])
    rows = {
        name: [
            e[r][test].astype(float)
            for r in range(len(sides))
            for test in partition.test[2 * r : 2 * r + 2]
        ]
        for name, e in wrong.items()
    }
    values = np.array([[row.mean() for row in one] for one in rows.values()])
    return Losses(
        quantity=MEASURES["zero-one"].quantity,
        algorithms=tuple(wrong),
        partition=partition,
        values=values,
        fit_seconds=np.zeros_like(values),
        predict_seconds=np.zeros_like(values),
        examples=tuple(tuple(one) for one in rows.values()),
    )


# Margins ----------------------------------------------------------------------------------------


def margins(path: Path) -> list[Arrays]:
    """False claims of "equivalent" and "not worse" at the margin, and coverage at the stop."""
    sides, bits = load(path)
    rows = []
    for a, b in combinations(bits, 2):
        e = bits[b].astype(float) - bits[a]
        truth, sd = e.mean(), e.mean(axis=(1, 2)).std()
        looks = [looking_t(e[:, :m], sides[:m], looks=LOOKS) for m in LOOKS]
        one_sided = [looking_t(e[:, :m], sides[:m], looks=LOOKS, level=2 * LEVEL) for m in LOOKS]
        row: Arrays = {"question": path.stem, "pair": f"{a}/{b}", "sets": len(e)}
        for width in (1.0, 3.0, 6.0):  # margin in standard deviations of the estimate
            claims, covered, m = _equivalence(looks, truth, width * sd)
            row |= {
                f"equivalent {width:g}": claims,
                f"covered {width:g}": covered,
                f"m {width:g}": m,
            }
            claims, covered, _ = _equivalence(looks, truth, width * sd, centre=True)
            row |= {f"found {width:g}": claims, f"covered centre {width:g}": covered}
        row["not worse"] = _not_worse(one_sided, truth)
        rows.append(row)
    return rows


def _ends(look: Any) -> tuple[Any, ...]:
    latest = look.latest()
    return (
        *latest.confidence_interval(),
        latest.may_decide,
        look.looks.decidable[-1],
        latest.prospects,
    )


def _equivalence(
    looks: list[Any], truth: float, margin: float, *, centre: bool = False
) -> tuple[float, float, float]:
    """
    Share of "equivalent" where the truth is the margin (or 0), coverage at the stop, repetitions.

    As ``compare`` does it: a look decides where its interval lies inside the margins, or beyond one
    of them; a look that no later one could better stops.
    """
    zero = truth if centre else truth - margin  # what 0 is on the scale of the estimates
    sets = len(looks[0].value)
    open_, claims, covered, stop = (
        np.ones(sets, dtype=bool),
        np.zeros(sets, dtype=bool),
        np.zeros(sets),
        0.0,
    )
    for m, look in zip(LOOKS, looks, strict=True):
        low, high, may, able, _ = _ends(look)
        same = (low > zero - margin) & (high < zero + margin)
        other = ((low > zero + margin) | (high < zero - margin)) & able
        decides = (same | other) & may
        ends = open_ & (decides | (m == LOOKS[-1]) | _hopeless(look, zero, margin))
        claims[ends] = (same & may)[ends]
        covered[ends] = ((low <= truth) & (truth <= high))[ends]
        stop += m * ends.sum()
        open_ &= ~ends
    return float(claims.mean()), float(covered.mean()), float(stop / sets)


def _hopeless(look: Any, zero: float, margin: float) -> np.ndarray:
    """Whether not even the best that the last look might see would decide."""
    latest = replace(look.latest(), value=look.looks.value[-1] - zero)
    best = [
        (low > -margin) & (high < margin) | (low > margin) | (high < -margin)
        for low, high in latest.prospects
    ]
    hopeless: np.ndarray = ~np.any(best, axis=0)
    return hopeless


def _not_worse(looks: list[Any], truth: float) -> float:
    """Share of lower bounds above the truth at any look that may decide."""
    claims = np.zeros(len(looks[0].value), dtype=bool)
    for look in looks:
        low, _, may, _, _ = _ends(look)
        claims |= (low > truth) & may
    return float(claims.mean())


# Groups -----------------------------------------------------------------------------------------


def groups(path: Path) -> list[Arrays]:
    """Error, power and coverage of pairs and of single algorithms, groups of unequal sizes."""
    sides, bits = load(path)
    count, n = GROUPS["-".join(path.stem.split("-")[:2])]
    of = np.repeat(np.arange(count), sizes(count, n))
    rows = []
    for a, b in combinations(bits, 2):
        e = bits[b].astype(float) - bits[a]
        means = looking_t(e, sides, clusters=of, looks=(9,)).value
        truth, sd = means.mean(), means.std()
        at: dict[str, Any] = {
            "error": looking_t(e, sides, clusters=of, null=truth),
            "error if ignored": looking_t(e, sides, null=truth),
            "power": looking_t(e, sides, clusters=of, null=truth - SHIFT * sd),
            "power below": looking_t(e, sides, clusters=of, null=truth + SHIFT * sd),
        }
        low, high = at["error"].confidence_interval()
        rows.append(
            {"question": path.stem, "pair": f"{a}/{b}", "sets": len(e)}
            | {key: float(found.rejected.mean()) for key, found in at.items()}
            | {"covered": float(((low <= truth) & (truth <= high)).mean())}
        )
    for name, wrong in bits.items():
        found: Any = ef.infer.mx2_influence_t(wrong.astype(float), sides, clusters=of)
        low, high = interval_around(
            found.value, found.reference.isf(LEVEL / 2) * found.standard_error, "two-sided"
        )
        inside = (low <= found.value.mean()) & (found.value.mean() <= high)
        rows.append(
            {
                "question": path.stem,
                "pair": name,
                "sets": len(wrong),
                "covered": float(inside.mean()),
            }
        )
    return rows


def main(folder: Path) -> None:
    rows: list[Arrays] = []
    for path in sorted(folder.glob("groups-*.npz")):
        rows += groups(path)
    for path in sorted(folder.glob("margins-*.npz")):
        rows += margins(path)
    for path in sorted(folder.glob("equal-*.npz")):
        rows += [any_of_ten(path, count, "max-t") for count in (3, 5)]
    write(RESULTS / "further.csv", rows)
    for row in rows:
        print(
            {key: round(v, 4) if isinstance(v, float) else v for key, v in row.items()}, flush=True
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
