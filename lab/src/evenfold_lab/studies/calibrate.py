"""``calibrate`` measures the methods on the user's question, with the data as the population."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from evenfold import run as running
from evenfold.comparison.choose import arrange, cut
from evenfold.comparison.request import Request, check_request
from evenfold.core.checks import examples, fraction, integer, number, refuse, short_repr, texts
from evenfold.core.losses import Floats, Losses
from evenfold.core.partition import MX2_BCV, BlockCut, FoldCut, IndexCut, Indices, Partition
from evenfold.core.rng import seed_from, stream
from evenfold.core.words import decimals, format_number
from evenfold.design import Design, Mx2BCV
from evenfold.infer import methods as registry
from evenfold.infer import recommended
from evenfold.infer.family import Criteria
from evenfold.run.data import length, take
from evenfold.run.progress import watch
from evenfold_lab.draws import Draws
from evenfold_lab.studies._base import Row, Study, share, with_defaults
from evenfold_lab.studies.answers import MethodAnswers, chance_alone, judge, judge_until_stable

_BESIDE = ("mx2-sequential-t", "mx2-t", "5x2-t", "corrected-resampled-t", "resampled-t", "kfold-t")
_FEWEST = 30  # examples that can stand for a population


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration(Study):
    """How the methods perform on data like the user's; ``print`` shows it in words."""

    level: float

    def __str__(self) -> str:
        lines = [
            f"on data like yours {row['method']!r} errs {_percent(row['size'], row['se'])} of the "
            "time at "
            f"{100 * self.level:g}% and finds a difference of {_size(row['difference'])} "
            f"{_percent(row['power'], row['power_se'])} of the time, with {row['fits']:.0f} fits"
            for row in self.rows
        ]
        return "\n".join(lines)


def _size(difference: float) -> str:
    return format_number(difference, digits=decimals(abs(difference)))


def _percent(value: float, se: float) -> str:
    return f"{100 * value:.1f} ± {100 * se:.1f}%"


def calibrate(
    algorithms: Any,
    X: Any,
    y: Any,
    *,
    methods: Sequence[str] | None = None,
    measure: str | None = None,
    difference: float | None = None,
    level: float = 0.05,
    alternative: str = "two-sided",
    replications: int = 200,
    positive: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    progress: bool | None = None,
) -> Calibration:
    """
    Measure each method's real error, power and cost for this pair of algorithms on data like these.

    The data are taken as the population. Data sets of the same size are drawn from them with
    replacement, and copies of an example always stay on the same side of a split. Each method tests
    the difference that is true in this population, which is estimated from all data sets together.
    The null hypothesis is therefore true, while hold-out values vary and correlate as they do in
    your data.

    Parameters
    ----------
    algorithms : list or mapping of two estimators or functions
        The baseline A first.
    X, y
        The data, as in ``ef.compare``.
    methods : sequence of str, optional
        Keys of ``ef.infer.methods()``, each on the design that ``compare`` would give it. By
        default these are the method of ``compare`` and six that it is often compared with.
    measure : str, optional
        As in ``ef.compare``.
    difference : float, optional
        The difference for which power is measured; by default the difference on these data.
    level, alternative
        Nominal error, and the side of a discovery.
    replications : int
        Number of data sets drawn.
    positive : label, optional
        The class that precision, recall and F1 are about.
    random_state, n_jobs, store, progress
        As in ``ef.compare``; cells in the store are not fitted again.

    Returns
    -------
    Calibration
        A row per method: ``size`` and ``se``; ``power`` and ``power_se`` at ``difference``; mean
        ``fits``; the ``null`` that was tested, and its standard error.

    Notes
    -----
    A resample has about .63 n different examples, so the algorithms learn from fewer examples than
    your data have. With small data, take the result as an indication. Swapping the names of A and B
    at random would not make them equal: each data set would still have the difference, and a good
    test would find it.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> study = ef.lab.calibrate(
    ...     [DummyClassifier(), GaussianNB()],
    ...     X,
    ...     y,
    ...     methods=["5x2-t"],
    ...     replications=5,
    ...     random_state=0,
    ... )
    >>> list(study.to_frame().columns[:3])
    ['method', 'size', 'se']
    """
    began = perf_counter()
    n = examples("X", X)
    seed = seed_from(random_state)
    if isinstance(methods, str):
        methods = [methods]
    if methods is not None and not texts("methods", methods):
        refuse("methods", f"methods must name at least one but got {short_repr(methods)}.")
    _check(algorithms, n, level, replications)

    def planned(key: str | None) -> Request:
        request = check_request(
            algorithms,
            X,
            y,
            criteria=Criteria(),
            measure=measure,
            method=key,
            positive=positive,
            random_state=seed,
        )
        return arrange(request)

    usual = with_defaults([planned(None).rules[0].method], _BESIDE) if methods is None else methods
    plans = {key: planned(key) for key in usual}
    world = _Resampling(
        algorithms=algorithms, X=X, y=y, plans=plans, seed=seed, positive=positive, store=store
    )
    drawn = _draw_losses(world, replications, n_jobs, progress)
    rows = [
        _row(
            key, [losses[key] for losses in drawn], difference, level=level, alternative=alternative
        )
        for key in plans
    ]
    first = next(iter(drawn[0].values()))
    about = {
        "population": f"your {n} examples",
        "algorithms": first.algorithms,
        "measure": first.measure,
        "n": n,
        "replications": replications,
        "seed": seed,
        "seconds": perf_counter() - began,
    }
    return Calibration(
        kind="calibrate",
        rows=tuple(rows),
        about=about,
        draws=drawn[0],
        reference=level,
        level=level,
    )


def _check(algorithms: Any, n: int, level: float, replications: int) -> None:
    if not hasattr(algorithms, "__len__") or len(algorithms) != 2:
        refuse(
            "algorithms",
            "algorithms must be two, the baseline and the challenger, but got "
            f"{short_repr(algorithms)}.",
        )
    if n < _FEWEST:
        refuse(
            "X",
            f"X must have at least {_FEWEST} examples to stand for a population but got {n}.",
        )
    fraction("level", level)
    integer("replications", replications, low=2)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Resampling:
    """The user's data as a population, and the plans to run on each data set drawn from it."""

    algorithms: Any
    X: Any
    y: Any
    plans: dict[str, Request]
    seed: int
    positive: Any
    store: str | Path | None

    def losses(self, r: int) -> dict[str, Losses]:
        """Draw data set r, and run every design on it, once if several methods share it."""
        drawn = np.sort(
            stream(self.seed, "resample", r).integers(length(self.X), size=length(self.X))
        )
        units, unit = np.unique(drawn, return_inverse=True)
        X = take(self.X, drawn)
        y = _take_target(self.y, drawn)
        done: dict[str, Losses] = {}
        for plan in self.plans.values():
            if repr(plan.design) not in done:
                seeded = replace(
                    _fitting(plan.chosen_design, len(units)),
                    random_state=int(stream(self.seed, "cut", r).integers(2**63)),
                )
                partition = spread(cut(seeded, len(units), y=_take_target(self.y, units)), unit)
                losses = running.run(
                    self.algorithms,
                    partition,
                    X,
                    y,
                    measures=plan.measures,
                    seed=self.seed,
                    n_jobs=1,
                    store=self.store,
                    positive=self.positive,
                    progress=False,
                )
                done[repr(plan.design)] = _plain(next(iter(losses.values())))
        return {key: done[repr(plan.design)] for key, plan in self.plans.items()}


def _fitting(design: Design, units: int) -> Design:
    """Return the design with as many repetitions as ``units`` different examples allow."""
    if not isinstance(design, Mx2BCV):
        return design
    return replace(design, m=min(design.m, 4 * (units // 4) - 1))


def _take_target(y: Any, index: Indices) -> Any:
    if isinstance(y, list):
        return [y[i] for i in index]
    return take(y, index)


def spread(partition: Partition, unit: Indices) -> Partition:
    """Turn a partition of units into one of their copies: ``unit[i]`` is the unit of example i."""
    old = partition.cut
    cut: Any
    if isinstance(old, BlockCut):
        cut = replace(old, blocks=old.blocks[unit])
    elif isinstance(old, FoldCut):
        cut = replace(old, folds=old.folds[unit])
    else:
        trains, tests = (
            tuple(np.flatnonzero(np.isin(unit, part)) for part in parts)
            for parts in (partition.train, partition.test)
        )
        cut = IndexCut(n=len(unit), trains=trains, tests=tests)
    return replace(partition, cut=cut, certificate=None)


def _plain(losses: Losses) -> Losses:
    """Return complete losses with a batch axis, which can be sent between processes."""
    losses.require_complete()
    return replace(
        losses,
        values=losses.values[:, None],
        examples=_add_batch_axis(losses.examples),
        counts=None if losses.counts is None else losses.counts[:, None],
        outcomes=_add_batch_axis(losses.outcomes),
    )


def _add_batch_axis(rows: Sequence[Sequence[Floats]] | None) -> Sequence[Sequence[Floats]] | None:
    if rows is None:
        return None
    return [[np.asarray(row)[None] for row in side] for side in rows]


def _draw_losses(
    world: _Resampling, replications: int, n_jobs: int | None, progress: bool | None
) -> list[dict[str, Losses]]:
    from joblib import Parallel, delayed

    watched = watch(progress, of="data sets")
    watched.expect(replications)
    done = []
    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
        for losses in parallel(delayed(world.losses)(r) for r in range(replications)):
            done.append(losses)
            watched.step()
    finally:
        watched.close()
    return done


def _row(key: str, drawn: list[Losses], difference: float | None, **settings: Any) -> Row:
    means = _estimated_values(key, drawn, **settings)
    true = float(means.mean())
    true_se = float(means.std(ddof=1) / np.sqrt(len(means)))
    delta = true if difference is None else number("difference", difference)
    size, se = share(_judge_all(drawn, key, null=true, **settings).rejected)
    at_delta = _judge_all(drawn, key, null=true - delta, **settings)
    power, power_se = share(at_delta.rejected)
    return {
        "method": key,
        "size": size,
        "se": se,
        "power": power,
        "power_se": power_se,
        "difference": delta,
        "fits": float(np.nanmean(at_delta.fits)),
        "n_train": drawn[0].partition.n_train,
        "null": true,
        "null_se": true_se,
    }


def _estimated_values(key: str, drawn: list[Losses], **settings: Any) -> Floats:
    """
    Return the value that a method estimates on each data set.

    A posterior estimates the score of all counts together.
    """
    if registry()[key].family == "posterior":
        return _judge_all(drawn, key, null=0.0, **settings).value
    return np.array([float((losses.means()[1] - losses.means()[0]).item()) for losses in drawn])


def _judge_all(drawn: list[Losses], key: str, *, null: float, **settings: Any) -> MethodAnswers:
    if key == recommended(MX2_BCV):  # a run of compare stops where the verdict is stable
        return MethodAnswers.of(
            [
                judge_until_stable(Draws(losses=losses), key, null=null, **settings)
                for losses in drawn
            ]
        )
    equalised = not registry()[key].nulls and null != 0
    chance = chance_alone(drawn, null) if equalised else None
    return MethodAnswers.of(
        [judge(Draws(losses=losses), key, null=null, chance=chance, **settings) for losses in drawn]
    )
