"""``judge``: an answer from results that exist already, without a fit."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evenfold._compare import Comparison
from evenfold._compare.best import candidates
from evenfold._compare.gather import gather
from evenfold._compare.pairs import Asked, answer, caveats, which_pairs
from evenfold.core.checks import one_of
from evenfold.core.results import Results
from evenfold.corridor.judge.arrange import arrange
from evenfold.corridor.judge.question import Arranged, Question
from evenfold.corridor.judge.values import measured
from evenfold.corridor.judge.varied import Varied, what_varied
from evenfold.infer import recommended
from evenfold.read.results import read_results
from evenfold.run import Run


def judge(
    table: Any,
    *,
    measure: Any = None,
    method: str | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    baseline: str | None = None,
    adjust: str = "holm",
    positive: Any = None,
    higher_is_better: bool | None = None,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    cv: Any = None,
    n: int | None = None,
    paired: bool | None = None,
    on_missing: str = "refuse",
) -> Comparison:
    results = read_results(
        table,
        columns=columns,
        rows=rows,
        cv=cv,
        n=n,
        measure=measure if isinstance(measure, str) else None,
        on_missing=on_missing,
    )
    results = _baseline_first(results, baseline)
    varied = what_varied(results)
    one = measured(
        results,
        measure,
        higher_is_better=higher_is_better,
        positive=positive,
        per_example=results.example is not None and varied is not Varied.DATA_SETS,
    )
    question = Question(results=results, measured=one, paired=paired, n=n, drop=on_missing == "drop")
    found = arrange(question, varied)
    key = method or recommended(found.losses.partition.kind, measure=found.losses.measure)
    asked = Asked(
        method=key, margin=margin, level=level, alternative=alternative, adjust=adjust, most=None,
        baseline=baseline,
    )
    return _concluded(found, asked, results)


def _baseline_first(results: Results, baseline: str | None) -> Results:
    if baseline is None:
        return results
    one_of("baseline", baseline, results.names)
    order = sorted(results.names, key=lambda name: name != baseline)
    places = np.array([order.index(name) for name in results.names])
    return replace(results, names=tuple(order), algorithm=places[results.algorithm])


def _concluded(found: Arranged, asked: Asked, results: Results) -> Comparison:
    losses = found.losses
    pairs, warned = answer(losses, which_pairs(losses.algorithms, asked.baseline), asked, cost="no fits")
    notes = [*results.notes, *found.notes, *caveats(asked.method), *warned]
    run = Run(losses={losses.measure: losses}, fits=0, reused=0, speculative=0, seed=0)
    facts = gather(run, losses, pairs, asked, design="judge", call="", notes=notes, candidates=candidates(losses, asked))
    return Comparison(pairs=tuple(pairs), losses=losses, facts=facts, fits=0, reused=0)
