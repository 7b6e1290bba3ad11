"""Gather the facts of a comparison into the one plain value that reports are made from."""

import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from evenfold._compare.pairs import Asked, PairResult, limits, probability_better, without_warnings
from evenfold._compare.phrases import estimand
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts import (
    Candidate,
    CellFailure,
    Curve,
    DesignFacts,
    Facts,
    Look,
    MethodFacts,
    Pair,
    Summary,
)
from evenfold.core.losses import Losses
from evenfold.core.partition import Partition
from evenfold.infer import SequentialTest, methods
from evenfold.infer.scores._linear import DifferenceInfluence, ScoreInfluence
from evenfold.infer.scores._posterior import DifferencePosterior, ScorePosterior
from evenfold.run import Run

_LIBRARIES = ("evenfold", "numpy", "scipy", "scikit-learn", "joblib", "pandas")
_MOST_SPLITS_SHOWN = 64  # beyond, an overlap table is no picture any more
_GRID = 201


def gather(
    run: Run,
    losses: Losses,
    results: Sequence[PairResult],
    asked: Asked,
    *,
    design: str,
    call: str,
    notes: Sequence[str],
    candidates: tuple[Candidate, ...] = (),
) -> Facts:
    """Turn what the rooms answered into plain values."""
    entry, about = methods()[asked.method], losses.partition.about
    return Facts(
        quantity=losses.quantity,
        estimand=estimand(losses, entry, [(result.baseline, result.challenger) for result in results]),
        algorithms=losses.algorithms,
        summaries=tuple(map(_summary, losses.algorithms, losses.values[:, about], losses.fit_seconds)),
        values=_rows(losses.values),
        fit_seconds=_rows(losses.fit_seconds),
        seconds=float(np.nansum(losses.fit_seconds)),
        level=asked.level,
        margin=asked.margin,
        alternative=asked.alternative,
        adjust=asked.adjust,
        method=MethodFacts(
            key=entry.key,
            estimand=entry.about(entry.n_train(losses.partition)),
            leaning=entry.leaning,
            why=entry.why,
            source=entry.source,
            recommended=entry.recommended,
            card=None if entry.card is None else dict(entry.card),
        ),
        design=_design(losses.partition, design),
        pairs=tuple(_pair(losses, result, asked) for result in results),
        most_repetitions=asked.most,
        fits=run.fits,
        reused=run.reused,
        speculative=run.speculative,
        failures=tuple(
            CellFailure(
                algorithm=f.algorithm, split=f.split, kind=f.kind, message=f.message, traceback=f.traceback
            )
            for f in losses.failures
        ),
        notes=tuple(notes),
        call=call,
        versions=versions(),
        run_id=run.id,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        candidates=candidates,
    )


def _summary(name: str, values: np.ndarray, seconds: np.ndarray) -> Summary:
    """Mean (none where a cell failed), smallest and largest value, and the time of a fit."""
    finite, spent = values[np.isfinite(values)], seconds[np.isfinite(seconds)]
    return Summary(
        name=name,
        mean=float(values.mean()),
        low=float(finite.min()) if len(finite) else np.nan,
        high=float(finite.max()) if len(finite) else np.nan,
        seconds=float(spent.mean()) if len(spent) else np.nan,
    )


def _rows(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in table.tolist())


def versions() -> dict[str, str]:
    """Return the version of Python and of each library that mattered."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _design(partition: Partition, name: str) -> DesignFacts:
    show = len(partition) <= _MOST_SPLITS_SHOWN
    return DesignFacts(
        name=name,
        kind=partition.kind,
        seed=partition.seed,
        n=partition.n,
        n_train=partition.n_train,
        n_test=partition.n_test,
        repetition=tuple(partition.repetition.tolist()),
        fold=tuple(partition.fold.tolist()),
        train_sizes=tuple(partition.train_sizes.tolist()),
        test_sizes=tuple(partition.test_sizes.tolist()),
        overlaps=tuple(tuple(row) for row in partition.overlaps().tolist()) if show else (),
        certificate=None if partition.certificate is None else asdict(partition.certificate),
    )


def _pair(losses: Losses, result: PairResult, asked: Asked) -> Pair:
    b = losses.values[losses.index(result.challenger)]
    differences = b if result.baseline is None else b - losses.values[losses.index(result.baseline)]
    outcome = None if result.verdict is None else str(result.verdict.outcome)
    shared: dict[str, Any] = {
        "baseline": result.baseline, "challenger": result.challenger, "outcome": outcome,
        "sentence": result.sentence, "level": result.level, "differences": tuple(differences.tolist()),
    }  # fmt: skip
    if result.estimate is None:
        return Pair(value=np.nan, low=np.nan, high=np.nan, **shared)
    value, low, high = limits(result.estimate)
    alone = result.baseline is None
    return Pair(
        value=value,
        low=low,
        high=high,
        pvalue=result.pvalue,
        adjusted_pvalue=result.adjusted_pvalue,
        probability=None if alone else probability_better(result.estimate, losses, asked.margin),
        path=_path(differences, result, asked),
        curves=_curves(result),
        **_of_the_test(result.estimate),
        **shared,
    )


def _of_the_test(estimate: Any) -> dict[str, Any]:
    if not isinstance(estimate, TestEstimate):
        return {}
    df = estimate.df if np.ndim(estimate.df) == 0 else None  # an F test has two
    return {
        "standard_error": float(estimate.standard_error),
        "statistic": float(estimate.statistic),
        "df": None if df is None else float(np.asarray(df)),
    }


def _path(differences: np.ndarray, result: PairResult, asked: Asked) -> tuple[Look, ...]:
    """The interval a sequential test would have given at each look up to its stop."""
    if asked.most is None:
        return ()
    test = SequentialTest(M=asked.most, alternative=asked.alternative, level=result.level)
    looks = []
    with without_warnings():
        for m, (first, second) in enumerate(differences.reshape(-1, 2), start=1):
            test = test.feed(float(first), float(second))
            if m >= test.start:
                estimate = test.estimate
                low, high = estimate.confidence_interval()
                looks.append(Look(m=m, value=float(estimate.value), low=float(low), high=float(high)))
            if test.stopped:
                break
    return tuple(looks)


def _curves(result: PairResult) -> tuple[Curve, ...]:
    if isinstance(result.estimate, (ScorePosterior, ScoreInfluence)):
        return (_curve(result.challenger, result.estimate, result.level),)
    if not isinstance(result.estimate, (DifferencePosterior, DifferenceInfluence)):
        return ()
    sides = ((result.baseline or "", result.estimate.a), (result.challenger, result.estimate.b))
    return tuple(_curve(name, score, result.level) for name, score in sides)


def _curve(name: str, score: ScorePosterior | ScoreInfluence, level: float) -> Curve:
    """The density, as the slope of the distribution function on a grid that holds nearly all of it."""
    first, last = (float(limit) for limit in score.interval(0.9999))
    edges = np.linspace(first, last, _GRID + 1)
    above = np.array([float(score.probability(float(edge))) for edge in edges])
    low, high = (float(limit) for limit in score.interval(1 - level))
    return Curve(
        name=name,
        x=tuple(((edges[1:] + edges[:-1]) / 2).tolist()),
        density=tuple((-np.diff(above) / np.diff(edges)).tolist()),
        mean=float(score.mean),
        low=low,
        high=high,
    )
