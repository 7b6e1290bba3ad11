"""Gather the facts of a comparison into the one plain value that reports are made from."""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from evenfold.comparison.criteria import Criteria
from evenfold.comparison.gate_power import add_gate_warnings, gate_power
from evenfold.comparison.notes import (
    collect_notes,
    notes_of_estimates,
    notes_of_failures,
    notes_of_method,
    notes_of_pairs,
    notes_of_splits,
)
from evenfold.comparison.ordered import sums_along
from evenfold.comparison.pair import PairResult, pair_results
from evenfold.comparison.ranking import as_ratios, candidates
from evenfold.comparison.result import Comparison
from evenfold.comparison.sizes import add_size_changes
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import PosteriorEstimate, TestEstimate
from evenfold.core.facts.answers import Candidate, Curve, Look
from evenfold.core.facts.comparison import Chosen, DesignFacts, Facts, MethodFacts
from evenfold.core.losses import Losses
from evenfold.core.note import Note, as_notes, note
from evenfold.core.partition import Partition
from evenfold.infer.adjust import ADJUSTMENTS, BONFERRONI
from evenfold.infer.effects import effect_sizes_of
from evenfold.infer.family import Family, Names, PairAnswer
from evenfold.infer.naming import method_name
from evenfold.report.words.verdict import estimand_words
from evenfold.run import Run

if TYPE_CHECKING:
    from evenfold.comparison.compare import Watch

_version = cache(version)  # it reads and parses a file
_LIBRARIES = ("evenfold", "numpy", "scipy", "scikit-learn", "joblib", "pandas")
_MOST_SPLITS_SHOWN = 64  # beyond, an overlap table is no picture any more
_GRID = 201


def comparison_of(
    each: Iterable[Losses],
    rules: Sequence[Criteria],
    pairs: Sequence[Names],
    *,
    run: Run | None = None,
    design: str,
    call: str,
    notes: Iterable[Note] = (),
    watch: "Watch | None" = None,
    strict: bool = False,
) -> Comparison:
    """
    Judge every measure; the first, with the others in it, is the comparison.

    Strictly: or refuse it. Without a run nothing was fitted.
    """
    shared = tuple(notes)
    first, *others = [
        _comparison_of_measure(
            losses,
            rule,
            pairs,
            _Look(watch, i),
            run=run,
            design=design,
            call=call,
            notes=shared,
            strict=strict,
        )
        for i, (losses, rule) in enumerate(zip(each, rules, strict=True))
    ]
    return first.with_further_measures(others)


def require_applicable(answers: Sequence[PairAnswer]) -> None:
    """Raise the reason why a method has no answer about a pair, if there is one."""
    for one in answers:
        if not one.is_applicable:
            raise NotApplicable(one.reason)


class _Look:
    """The last look at one measure of a run that grew; empty where the run did not."""

    def __init__(self, watch: "Watch | None", measure: int) -> None:
        self._watch = watch
        self._measure = measure

    @property
    def notes(self) -> Iterable[Note]:
        if self._watch is None:
            return ()
        return self._watch.notes[self._measure]

    def answers(self, losses: Losses, family: Family) -> tuple[PairAnswer, ...]:
        if self._watch is None:
            return family.answers(losses)
        return self._watch.answers[self._measure]

    def cost(self, run: Run | None, rule: Criteria) -> Note | None:
        """Return what the run took, and how long it grew."""
        if run is None or not (run.fits or run.reused):
            return None
        fits = {"fits": run.fits - run.speculative, "reused": run.reused}
        if self._watch is None:
            return note("cost", **fits)
        m, _ = self._watch.looks[-1]
        return note("cost", **fits, m=m, most=rule.most, repeated=self._watch.repeated)

    def path(self, pair: int) -> tuple[Look, ...]:
        if self._watch is None:
            return ()
        return self._watch.path(self._measure, pair)


def _comparison_of_measure(
    losses: Losses,
    rule: Criteria,
    pairs: Sequence[Names],
    look: _Look,
    *,
    run: Run | None,
    design: str,
    call: str,
    notes: tuple[Note, ...],
    strict: bool,
) -> Comparison:
    said = [*notes_of_method(rule), *notes, *look.notes, *notes_of_splits(losses)]
    family = rule.family(pairs)
    with collect_notes(said):
        answers = look.answers(losses, family)
        if strict:
            require_applicable(answers)
        judged = pair_results(losses, answers, rule, cost=look.cost(run, rule))
        if losses.partition.kind.is_folds_and_halves:
            judged = [add_size_changes(losses, one, rule) for one in judged]
        ranked: tuple[Candidate, ...] = ()
        if len(losses.algorithms) > 2:
            ranked = candidates(losses, answers, family, rule.baseline)
    results = [with_details(losses, one, look.path(k)) for k, one in enumerate(judged)]
    if rule.not_worse:
        results = add_gate_warnings(results, rule, losses.quantity)
    said += notes_of_pairs(results, rule)
    said += notes_of_failures(losses)
    said += notes_of_estimates(results)
    facts = gather(
        losses, results, rule, run=run, design=design, call=call, notes=said, ranked=ranked
    )
    return Comparison(
        pairs=tuple(results), losses=losses, facts=facts, fits=facts.fits, reused=facts.reused
    )


def gather(
    losses: Losses,
    results: Sequence[PairResult],
    rule: Criteria,
    *,
    run: Run | None = None,
    design: str,
    call: str,
    notes: Iterable[Note | str] = (),
    ranked: tuple[Candidate, ...] = (),
) -> Facts:
    """Turn what was found, and how, into plain values; the design is in words."""
    entry = rule.entry
    facts = Facts(
        quantity=losses.quantity,
        estimand=estimand_words(
            entry.estimand,
            losses.quantity,
            losses.partition.kind,
            pairs=[(one.baseline, one.challenger) for one in results],
            size=entry.n_train(losses.partition),
            group=rule.group,
        ),
        algorithms=losses.algorithms,
        values=_rows(losses.values),
        fit_seconds=_rows(losses.fit_seconds),
        seconds=float(np.nansum(losses.fit_seconds)),
        level=rule.level,
        margin=rule.margin,
        alternative=rule.alternative,
        adjust=_adjustment(results, rule),
        baseline=rule.baseline,
        method=_method(entry, losses.partition),
        design=_design(losses.partition, design),
        pairs=tuple(results),
        most_repetitions=rule.most,
        goal=None if rule.most is None else rule.replicability,
        failures=losses.failures,
        notes=as_notes(notes),
        call=call,
        versions=versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        candidates=ranked,
        power=gate_power(results, rule, losses.quantity) if rule.is_gate else (),
        **_run_facts(run),
    )
    if losses.quantity.ratio:
        return as_ratios(facts)
    return facts


def _adjustment(results: Sequence[PairResult], rule: Criteria) -> str:
    """Return the key of the adjustment that was used."""
    if not ADJUSTMENTS[rule.adjust].joint:
        return rule.adjust
    shared = [one.estimate.shared for one in results if one.estimate is not None]
    if any(one is not None and not one.effective for one in shared):
        return BONFERRONI.key
    return rule.adjust


def _run_facts(run: Run | None) -> dict[str, Any]:
    """What a run took; nothing where there was none."""
    if run is None:
        return {"fits": 0, "reused": 0, "speculative": 0, "run_id": None}
    return {
        "fits": run.fits,
        "reused": run.reused,
        "speculative": run.speculative,
        "run_id": run.id,
        "chosen": tuple(
            Chosen(algorithm=name, parameters=each, tuning_seconds=run.tuning_seconds.get(name, ()))
            for name, each in run.chosen.items()
        ),
    }


def _method(entry: Any, partition: Partition) -> MethodFacts:
    return MethodFacts(
        key=entry.key,
        # of models as they are nobody knows
        estimand=entry.about(entry.n_train(partition) or None),
        leaning=entry.leaning,
        why=entry.why,
        source=entry.source,
        recommended=entry.recommended,
        card=None if entry.card is None else dict(entry.card),
        name=method_name(entry.key),
    )


def _rows(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in table.tolist())


def versions() -> dict[str, str]:
    """Return the version of Python and of each library that mattered."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = _version(name)
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


def with_details(losses: Losses, result: PairResult, path: tuple[Look, ...]) -> PairResult:
    """
    Return a pair with what a report says beside its verdict.

    The test, its looks, effect sizes, curves.
    """
    differences = losses.values[losses.index(result.challenger)]
    if result.baseline is not None:
        differences = differences - losses.values[losses.index(result.baseline)]
    result = replace(result, differences=tuple(differences.tolist()))
    if result.estimate is None:
        return replace(result, pvalue=None, adjusted_pvalue=None)
    along: tuple[tuple[float, ...], ...] = ()
    if result.baseline is not None and losses.partition.kind.is_ordered:
        along = sums_along(losses, result.baseline, result.challenger)
    return replace(
        result,
        path=path,
        curves=_curves(result),
        along=along,
        **_of_the_test(result.estimate),
        **_effects(losses, result),
    )


_EFFECTS = 1_000_000  # tested examples up to which effect sizes are computed unasked


def _effects(losses: Losses, result: PairResult) -> dict[str, Any]:
    """Sizes of the difference in units of their own, where single examples have differences."""
    tested = int(losses.partition.test_sizes.sum())
    per_example = losses.examples is not None and losses.quantity.per_example == "values"
    if (
        not per_example
        or losses.weights is not None
        or losses.absent is not None
        or tested > _EFFECTS
    ):
        return {}
    if result.baseline is None:
        return {}
    if isinstance(result.estimate, TestEstimate):
        error = result.estimate.error_per_side(None)
    else:
        error = result.level / 2
    limits = (result.value, result.low, result.high)
    return effect_sizes_of(losses, result.baseline, result.challenger, limits, error)


def _of_the_test(estimate: Any) -> dict[str, Any]:
    if not isinstance(estimate, TestEstimate):
        return {}
    if np.ndim(estimate.df) == 0:  # an F test has two
        df = estimate.df
    else:
        df = None
    return {
        "standard_error": float(estimate.standard_error),
        "statistic": float(estimate.statistic),
        "df": None if df is None else float(np.asarray(df)),
    }


def _curves(result: PairResult) -> tuple[Curve, ...]:
    """Densities of a score alone, or of both where a posterior of their difference knows them."""
    found: Any = result.estimate
    if not isinstance(found, PosteriorEstimate):
        return ()
    if result.baseline is None:
        return (_curve(result.challenger, found, result.level),)
    if not (hasattr(found, "a") and hasattr(found, "b")):
        return ()
    sides = ((result.baseline, found.a), (result.challenger, found.b))
    return tuple(_curve(name, score, result.level) for name, score in sides)


def _curve(name: str, score: PosteriorEstimate, level: float) -> Curve:
    """The density: the slope of the distribution function on a grid that holds nearly all."""
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
