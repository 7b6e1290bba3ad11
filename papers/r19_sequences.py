"""
R19's figures 5.3–5.6 by its own protocol: sequential tests of one size, against the null.

R19 5.6 adjusts the level of each test until its error at Δ = μ is α, so that power is compared and
not caution; the toy data have μ = 0 and σ = 1, Δ runs from −3 to 3 (5.8.1), and the test that knows
ρ1 and ρ2 ("ideal") is drawn beside the two. On letters the thresholds are not stated: there they
are as far from the truth in standard deviations of a hold-out value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import hypot
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import evenfold as ef
from evenfold.core.rng import stream
from evenfold.design import Mx2BCV
from evenfold_lab import estimators
from evenfold_lab.algorithm import Floats
from evenfold_lab.draws import DesignRequest
from evenfold_lab.populations import DISTORTIONS, GaussianHoldouts, letters
from evenfold_lab.populations.resampled import distorted_weights
from evenfold_lab.studies._base import prepare, share
from papers import pages
from papers._curves import SEED, Curves, Points
from papers._table import Claim, Table, degenerate_too, machine, scaled, together
from papers.r19_tests import LAST_LOOK, SOURCE_TESTS

LEVEL = 0.05
FIRST_LOOK = 3
RHO1, RHO2 = (0.0, 0.2, 0.5), (0.0, 0.1, 0.3, 0.5)
NULLS = np.linspace(-3, 3, 25)  # Δ of the toy data
SEQUENTIAL, PAIRED, IDEAL = "sequential, R19", "paired, each look", "ideal"


class Looks(NamedTuple):
    """Means, standard errors (draws × looks) and df (looks) of a t-test at every look."""

    mean: Floats
    error: Floats
    df: Floats

    def statistics(self, null: float) -> Floats:
        """The t of every look; 0 where nothing varies and nothing differs."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(
                (self.mean - null) / self.error, nan=0.0, posinf=np.inf, neginf=-np.inf
            )

    def adjusted(self, truth: float, level: float = LEVEL) -> float:
        """The level of a single look at which all looks together reject a true null as asked."""
        smallest = np.asarray(stats.t.sf(self.statistics(truth), self.df)).min(axis=1)
        return float(np.quantile(smallest, level))

    def run(self, null: float, each: float) -> tuple[Floats, Floats]:
        """Rejections, and the repetitions after which each draw stopped."""
        hits = self.statistics(null) > stats.t.isf(each, self.df)
        rejected = hits.any(axis=1)
        last = LAST_LOOK
        first = last + 1 - hits.shape[1]
        return rejected.astype(float), np.where(rejected, first + hits.argmax(axis=1), last).astype(
            float
        )


def looks(test: Callable[[Floats], Any], d: Floats, first: int = FIRST_LOOK) -> Looks:
    """Look at draws (R × M × 2) with a test after each repetition."""
    with degenerate_too():
        estimates = [test(d[:, :m]) for m in range(first, d.shape[1] + 1)]
    return Looks(
        np.stack([np.asarray(e.value) for e in estimates], axis=1),
        np.stack([np.asarray(e.standard_error) for e in estimates], axis=1),
        np.array([float(np.max(e.df)) for e in estimates]),
    )


def sequences(
    d: Floats, truth: float, nulls: Mapping[float, float], rho: tuple[float, float] | None
) -> Any:
    """
    Power and mean stopping times of one panel: two mappings of test to points.

    For the power both sequential tests have the error ``LEVEL`` at the truth, and the ideal test
    looks once, which is how its errors in table 5.8 need no adjustment. R19 adjusts levels for the
    power alone, so that stopping times are of looks at α/2 each.
    """
    tests = {SEQUENTIAL: looks(ef.infer.mx2_t, d), PAIRED: looks(ef.infer.mx2_paired_t, d)}
    once: Looks | None = None
    if rho is not None:

        def ideal(part: Floats) -> Any:
            return ef.infer.mx2_oracle_t(part, rho1=rho[0], rho2=rho[1])

        tests[IDEAL] = looks(ideal, d)
        once = looks(ideal, d, LAST_LOOK)
    power: dict[str, Points] = {}
    stops: dict[str, Points] = {}
    for name, test in tests.items():
        each = test.adjusted(truth)
        for x, null in nulls.items():
            rejected = test.run(null, each)[0]
            if name == IDEAL and once is not None:
                rejected = once.run(null, LEVEL)[0]
            stop = test.run(null, LEVEL / 2)[1]
            power.setdefault(name, []).append((x, *share(rejected)))
            error = float(stop.std() / np.sqrt(len(stop)))
            stops.setdefault(name, []).append((x, float(stop.mean()), error))
    return power, stops


def _figures(
    names: tuple[str, str], panels: Mapping[str, Any], x: str, note: str
) -> Iterator[Curves]:
    words = (
        ("power, all tests of size .05", "share of rejections"),
        ("stopping times", "repetitions"),
    )
    for i, (name, (title, y)) in enumerate(zip(names, words, strict=True)):
        number = name.removeprefix("r19-")
        curves = {panel: pair[i] for panel, pair in panels.items()}
        yield Curves(
            name=name, title=f"R19 figure {number}: {title}", x=x, y=y, note=note, panels=curves
        )


def toy_figures(scale: float) -> Iterator[Curves]:
    """Figures 5.3 and 5.4."""
    R = scaled(SOURCE_TESTS * 4 if machine().full else 200, scale)
    panels = {}
    for rho1 in RHO1:
        for rho2 in RHO2:
            rng = stream(SEED, "toy", str(rho1), str(rho2))
            d = GaussianHoldouts(rho1=rho1, rho2=rho2).draw_values(LAST_LOOK, R, rng)
            nulls = {float(x): float(x) for x in NULLS}
            panels[f"ρ1 = {rho1}, ρ2 = {rho2}"] = sequences(d, 0.0, nulls, (rho1, rho2))
    note = (
        f"{R} draws for each panel (R19: {SOURCE_TESTS}), seed {SEED}; M = {LAST_LOOK}; the level "
        "of each "
        "sequential test is adjusted until its error at Δ = μ is .05 (R19 5.6), for the power "
        "alone."
    )
    yield from _figures(("r19-5.3", "r19-5.4"), panels, "Δ (μ = 0, σ = 1)", note)


def letter_figures(folder: str | None, scale: float) -> Iterator[Curves]:
    """Figures 5.5 and 5.6; without the ideal test, as in R19."""
    R = scaled(SOURCE_TESTS if machine().full else 200, scale)
    metrics = [estimators.nearest_neighbour(distorted_weights(w)) for w in DISTORTIONS]
    pair = (estimators.classification_tree(), *metrics)
    made = letters(folder, pair=pair, replacement=True)
    setup = prepare(made, n=300, replications=R, random_state=SEED, **machine().effort())
    (drawn,) = setup.draw([DesignRequest(design=Mx2BCV(LAST_LOOK))])
    halves = drawn.losses.values.reshape(len(pair), R, LAST_LOOK, 2)
    panels = {}
    for i, w in enumerate(DISTORTIONS, start=1):
        d = halves[0] - halves[i]
        truth = float(d.mean())
        spread = float(d.std())  # of one hold-out value, which is 1 in the toy data
        nulls = {float(x): truth + x * spread for x in NULLS}
        panels[f"w = {w:g}"] = sequences(d, truth, nulls, None)
    note = (
        f"{R} data sets (R19: {SOURCE_TESTS}), n = 300, seed {SEED}; M = {LAST_LOOK}; the level "
        "of each test "
        "is adjusted until its error at Δ = μ is .05 (R19 5.6), for the power alone."
    )
    x = "Δ − μ, in standard deviations of a hold-out value"
    yield from _figures(("r19-5.5", "r19-5.6"), panels, x, note)


def words() -> Iterator[Table]:
    """What R19 5.8 says of the four figures, put to the kept curves."""
    for name, power, stop in (("toy-curves", "5.3", "5.4"), ("letter-curves", "5.5", "5.6")):
        kept = pages.read(pages.RESULTS / "r19" / f"r19-{power}.json")
        stops = pages.read(pages.RESULTS / "r19" / f"r19-{stop}.json")["panels"]
        claims = [steeper(power, kept["panels"], SEQUENTIAL, PAIRED)]
        if name == "toy-curves":
            claims += _against_ideal(kept["panels"])
            claims += [_stays(stop, stops), _earlier(stop, stops), _later(stop, stops)]
        else:
            claims += [_earlier(stop, stops), _later(stop, stops)]
        title = f"R19 figures {power} and {stop} in words"
        yield Table(name=name, title=title, note=kept["note"], claims=claims)


def gaps(curves: Mapping[str, Points], first: str, second: str) -> list[tuple[float, float, float]]:
    """Δ, the first curve less the second, its error as if drawn apart; below the truth only."""
    pairs = zip(curves[first], curves[second], strict=True)
    return [(a[0], a[1] - b[1], hypot(a[2], b[2])) for a, b in pairs if a[0] < 0]


def is_steeper(curves: Mapping[str, Points], first: str, second: str) -> bool | None:
    """
    Say whether the first curve is steeper than the second.

    It is if it is higher by three errors somewhere below the truth and lower by three nowhere.
    The result is None if they are alike.
    """
    apart = gaps(curves, first, second)
    higher = any(gap > 3 * se for _, gap, se in apart)
    lower = any(gap < -3 * se for _, gap, se in apart)
    return None if higher == lower else higher


def _all(says: str, held: Mapping[str, bool | None], shown: str = "") -> Claim:
    """
    A claim on several panels.

    It holds if it does in all, and cannot be told if it fails in none.
    """
    verdicts = list(held.values())
    missing = [panel for panel, holds in held.items() if not holds]
    here = f"in {verdicts.count(True)} of {len(verdicts)} panels" + shown
    here += f"; not {', '.join(missing)}" if missing else ""
    return Claim(says=says, holds=together(verdicts), here=here)


def steeper(figure: str, panels: Mapping[str, Any], first: str, second: str) -> Claim:
    """Whether the sequential test has the steeper power."""
    held = {panel: is_steeper(curves, first, second) for panel, curves in panels.items()}
    panel, curves = next(iter(panels.items()))
    at = -1.0
    powers = {name: next(y for x, y, _ in curves[name] if x == at) for name in (first, second)}
    shown = f" ({panel}, at {at:g}: {powers[first]:.3f} against {powers[second]:.3f})"
    return _all(
        f"figure {figure}: the sequential test has the steeper power, not the paired one",
        held,
        shown,
    )


def _against_ideal(panels: Mapping[str, Any]) -> Sequence[Claim]:
    small = {
        p: is_steeper(c, SEQUENTIAL, IDEAL) for p, c in panels.items() if p.endswith(("0.0", "0.1"))
    }
    away = {p: max(abs(gap) for _, gap, _ in gaps(c, SEQUENTIAL, IDEAL)) for p, c in panels.items()}
    nearer: dict[str, bool | None] = {}
    for rho1 in RHO1:
        ends = [away[f"ρ1 = {rho1}, ρ2 = {rho2}"] for rho2 in (RHO2[0], RHO2[-1])]
        nearer[f"ρ1 = {rho1}"] = ends[1] < ends[0]
    end = max(away[f"ρ1 = {rho1}, ρ2 = {RHO2[-1]}"] for rho1 in RHO1)
    shown = f" (largest gap {max(away.values()):.3f}, at ρ2 = {RHO2[-1]:g} {end:.3f})"
    flat = {panel: is_steeper(curves, IDEAL, PAIRED) for panel, curves in panels.items()}
    return (
        _all("figure 5.3: the ideal test, too, is steeper than the paired one", flat),
        _all("figure 5.3: with small ρ2 it is steeper than the ideal test", small),
        _all("figure 5.3: as ρ2 grows its power nears that of the ideal test", nearer, shown),
    )


def _stays(figure: str, panels: Mapping[str, Any]) -> Claim:
    low = {
        p: min(y for c in curves.values() for x, y, _ in c if x >= 1)
        for p, curves in panels.items()
    }
    held: dict[str, bool | None] = {panel: least > 0.98 * LAST_LOOK for panel, least in low.items()}
    shown = f" (at Δ ≥ 1 at least {min(low.values()):.2f})"
    return _all(
        f"figure {figure}: above the truth all tests take (nearly) the most repetitions",
        held,
        shown,
    )


def _earlier(figure: str, panels: Mapping[str, Any]) -> Claim:
    held: dict[str, bool | None] = {}
    for panel, curves in panels.items():
        _, gap, se = gaps(curves, SEQUENTIAL, PAIRED)[0]
        held[panel] = None if abs(gap) <= 3 * se else gap < 0
    return _all(
        f"figure {figure}: with Δ far below the truth it stops earlier than the paired test", held
    )


def _later(figure: str, panels: Mapping[str, Any]) -> Claim:
    held: dict[str, bool | None] = {}
    for panel, curves in panels.items():
        _, gap, se = gaps(curves, SEQUENTIAL, PAIRED)[-1]
        held[panel] = None if abs(gap) <= 3 * se else gap > 0
    return _all(f"figure {figure}: with Δ just below the truth it takes more repetitions", held)
