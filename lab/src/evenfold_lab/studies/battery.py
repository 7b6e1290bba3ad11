"""
The standard battery runs every method on a fixed list of populations for its calibration card.

It is run by a developer's command, ``evenfold lab cards FOLDER``. The cards are package data that
``ef.infer.methods()``, the reports and the docs show.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import evenfold
from evenfold.core.errors import NotApplicable
from evenfold.design import Design, Mx2BCV, RollingWindow
from evenfold.infer import methods as registered
from evenfold_lab import estimators as e
from evenfold_lab.arrays import Place
from evenfold_lab.cuts import cut_sharing
from evenfold_lab.draws import DesignRequest, Draws
from evenfold_lab.populations import (
    BlockExchangeable,
    Digits,
    Forecasters,
    GaussianHoldouts,
    HierarchicalSources,
    Imbalanced,
    LossPopulation,
    MeanLine,
    SCla,
    SReg,
    TwoGaussians,
)
from evenfold_lab.populations._base import Population
from evenfold_lab.studies._base import Row, StudySetup, prepare, share
from evenfold_lab.studies.answers import judge
from evenfold_lab.world import differences

SEED = 2003
LEVEL = 0.05
MANY = 10_000  # data sets of each population, for minutes on a GPU or hours on a processor
_WINDOW = 20
_STEPS = 3.0  # power is measured at this many standard deviations of the mean of nine repetitions


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BatteryLine:
    """A line of the battery: a population, a pair, the size of data sets, and a design."""

    title: str
    population: Population | LossPopulation
    algorithms: Callable[[], tuple[Any, ...]] | None = None
    measure: str | None = None
    n: int = 200
    replications: int = MANY
    design: Design | None = None

    def setup(self, **effort: Any) -> StudySetup:
        """Set up the study of this line."""
        return prepare(
            self.population,
            algorithms=None if self.algorithms is None else self.algorithms(),
            measure=self.measure,
            n=self.n,
            replications=self.replications,
            random_state=SEED,
            **effort,
        )


def _path(title: str, T: int, horizon: int, **changes: float) -> BatteryLine:
    """
    Return a line of forecasters, equal unless changed, along a path of T times.

    Each window tests one time, and its length does not matter.
    """
    return BatteryLine(
        title=f"{title}, horizon {horizon}, T = {T}",
        population=Forecasters(horizon=horizon, **changes),
        n=_WINDOW + horizon - 1 + T,
        design=RollingWindow(_WINDOW, 1, gap=horizon - 1),
    )


BATTERY = (
    BatteryLine(title="Gaussian hold-outs, ρ1 = 0, ρ2 = ½", population=GaussianHoldouts(rho2=0.5)),
    BatteryLine(
        title="Gaussian hold-outs, ρ1 = ρ2 = .2", population=GaussianHoldouts(rho1=0.2, rho2=0.2)
    ),
    BatteryLine(
        title="exchangeable folds, ω = γ = .1/n",
        population=BlockExchangeable(within=5e-4, between=5e-4),
    ),
    BatteryLine(title="mean against line (skewed)", population=MeanLine()),
    BatteryLine(title="two Gaussians, tree against OLS", population=TwoGaussians()),
    BatteryLine(
        title="two Gaussians, 1-NN against naive Bayes",
        population=TwoGaussians(),
        algorithms=lambda: (e.nearest_neighbour(), e.naive_bayes()),
    ),
    BatteryLine(
        title="SCLA, LDA against naive Bayes",
        population=SCla(),
        algorithms=lambda: (e.lda(), e.naive_bayes()),
    ),
    BatteryLine(
        title="SREG, ridge against lasso",
        population=SReg(),
        algorithms=lambda: (e.ridge(), e.lasso()),
    ),
    BatteryLine(
        title="SCLA, SVM against kNN",
        population=SCla(),
        algorithms=lambda: (e.svm(), e.triangular_knn()),
    ),
    BatteryLine(title="digits, tree against 1-NN", population=Digits()),
    BatteryLine(title="rare positives, F1", population=Imbalanced(), measure="f1"),
    BatteryLine(title="rare positives, precision", population=Imbalanced(), measure="precision"),
    BatteryLine(title="rare positives, recall", population=Imbalanced(), measure="recall"),
    BatteryLine(title="ten sources", population=HierarchicalSources()),
    *(_path("equal forecasters", T, horizon) for horizon in (1, 4, 12) for T in (30, 100, 1000)),
    _path("one half wilder", 100, 4, wilder=3.0),
    _path("one half better, the other worse", 100, 4, turn=2.0),
    _path("errors with memory (AR .5)", 100, 1, ar=0.5),
    _path("errors with memory (AR .5)", 1000, 1, ar=0.5),
)


def run_battery(
    folder: Path,
    *,
    say: Callable[[str], None],
    methods: Collection[str] | None = None,
    items: tuple[BatteryLine, ...] = BATTERY,
    **effort: Any,
) -> dict[str, list[Row]]:
    """
    Run the battery and write a card per method into ``folder``.

    Parameters
    ----------
    folder : path
        The folder for the cards, ``<method>.json``.
    say : callable
        A function that is called with a line of text per population.
    methods : collection of str, optional
        The methods to run; by default all of the registry.
    items : tuple of BatteryLine
        The lines to run; cards hold those that were run.
    **effort
        ``n_jobs``, ``store``, ``progress`` and ``device``, as in every study.

    Returns
    -------
    dict
        The measurements by method.
    """
    cards: dict[str, list[Row]] = {}
    with TemporaryDirectory() as cuts, cut_sharing(Path(cuts)):  # shared by all populations
        for item in items:
            began = perf_counter()
            rows = list(measure_line(item, methods, **effort))
            for key, row in rows:
                cards.setdefault(key, []).append(row)
            took = perf_counter() - began
            say(f"{item.title}: {len(rows)} methods, {item.replications} data sets, {took:.0f} s")
    write_cards(folder, cards, device=Place.of(effort.get("device")).words)
    return cards


def write_cards(folder: Path, cards: Mapping[str, Sequence[Row]], *, device: str) -> None:
    """Write a card per method, with all settings that are needed to measure it again."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"level": LEVEL, "seed": SEED, "device": device, "evenfold": evenfold.__version__}
    for key, rows in cards.items():
        text = json.dumps({**about, "measured": rows}, indent=1, ensure_ascii=False)
        (folder / f"{key}.json").write_text(text + "\n", encoding="utf-8")


def measure_line(
    item: BatteryLine, wanted: Collection[str] | None = None, **effort: Any
) -> Iterator[tuple[str, Row]]:
    """Yield the key and row of each method, or of the wanted ones, on a line of the battery."""
    setup = item.setup(**effort)
    fast = not Place.of(effort.get("device")).is_host or all(
        getattr(a, "fast", False) for a in setup.world.algorithms
    )
    chosen = [key for key in with_cards(setup, reruns=fast) if wanted is None or key in wanted]
    if not chosen:
        return
    drawn = setup.for_methods(chosen if item.design is None else dict.fromkeys(chosen, item.design))
    delta = _STEPS * _spread(setup)
    for key, draws in drawn.items():
        try:
            yield (
                key,
                {**_line_facts(item, setup, key, draws), **_numbers(key, draws, setup, delta)},
            )
        except NotApplicable:
            continue  # The method refuses all data sets of this line, so its card lacks it.


def with_cards(setup: StudySetup, *, reruns: bool) -> list[str]:
    """Return the methods that can judge a line and have cards."""
    return [key for key in setup.methods_for(reruns=reruns) if not registered()[key].why_no_card]


def _spread(setup: StudySetup) -> float:
    """Return the standard deviation of the mean of nine repetitions."""
    population = setup.world.population
    if isinstance(population, Forecasters):
        return float(
            np.sqrt(population.variance_of_mean(setup.world.n - _WINDOW - population.horizon + 1))
        )
    if isinstance(population, LossPopulation):
        shape = (9,) if isinstance(population, GaussianHoldouts) else (10, setup.world.n // 10)
        return float(np.sqrt(population.variance_of_mean(*shape)))
    (draws,) = setup.draw([DesignRequest(design=Mx2BCV(9))])
    return float(np.std(differences(draws.losses.means())))


def _line_facts(item: BatteryLine, setup: StudySetup, key: str, draws: Draws) -> Row:
    return {
        "population": item.title,
        "n": setup.world.n,
        "n_train": registered()[key].n_train(draws.losses.partition),
        "replications": item.replications,
    }


def _numbers(key: str, draws: Draws, setup: StudySetup, delta: float) -> Row:
    true = setup.truth(draws, key)
    at_null = judge(draws, key, null=true.value, level=LEVEL)
    size, size_se = share(at_null.rejected)
    moved = judge(draws, key, null=true.value - delta, level=LEVEL)
    power, power_se = share(moved.rejected)
    row = {
        "size": size,
        "size_se": size_se,
        "power": power,
        "power_se": power_se,
        "difference": delta,
        "fits": float(np.nanmean(moved.fits)),
        "applicable": float(np.mean(np.isfinite(at_null.fits))),
    }
    answered = ~np.isnan(at_null.low)
    if answered.any():
        low = at_null.low[answered]
        high = at_null.high[answered]
        row["coverage"], row["coverage_se"] = share((low <= true.value) & (true.value <= high))
        row["length"] = float(np.median(high - low))
    return {name: _round_digits(value) for name, value in row.items()}


def _round_digits(value: float) -> float | None:
    """Round to the four digits that Monte Carlo errors justify; JSON has no infinite numbers."""
    if np.isfinite(value):
        return float(f"{value:.4g}")
    return None
