"""
From losses to the comparison: the answers about a run, and the facts that reports are made from.

:class:`Watch` asks inference after every look at a run, :func:`comparison_of` puts verdicts, notes
and facts together.
"""

import platform
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from evenfold.comparison.pair import add_gate_warnings, add_verdicts, gate_powers
from evenfold.comparison.ranking import as_ratios, candidates
from evenfold.comparison.result import Comparison
from evenfold.comparison.sizes import add_size_changes
from evenfold.core.errors import DegenerateData, EvenfoldWarning, NotApplicable
from evenfold.core.estimate import PosteriorEstimate, TestEstimate
from evenfold.core.facts.answers import Candidate, Curve, GatePower, Look
from evenfold.core.facts.comparison import Chosen, DesignFacts, Facts, MethodFacts
from evenfold.core.losses import PRECISION, RECALL, Losses
from evenfold.core.note import WRITTEN, Note, as_notes, note
from evenfold.core.partition import Partition
from evenfold.core.verdict import PairResult
from evenfold.core.words import format_replicability
from evenfold.infer import Method
from evenfold.infer.adjust import ADJUSTMENTS, BONFERRONI
from evenfold.infer.effects import effect_sizes_of
from evenfold.infer.family import Criteria, are_settled
from evenfold.infer.inputs import Question
from evenfold.infer.inputs.values import differences_by_time
from evenfold.report.words.verdict import estimand_words
from evenfold.run import Run

_version = cache(version)  # it reads and parses a file
_LIBRARIES = ("evenfold", "numpy", "scipy", "scikit-learn", "joblib", "pandas")
_MOST_SPLITS_SHOWN = 64  # beyond, an overlap table is no picture any more
_GRID = 201
_POINTS = 400  # of a line that a page can show
_EQUAL = note("equal-differences")
_MOST_NAMED = 3  # pairs with equal differences

# Warnings become notes of the answer.


@contextmanager
def collect_notes(notes: list[Note]) -> Iterator[None]:
    """Collect warnings of evenfold as notes; those of others are shown as ever."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def collect(
            message: Warning | str, category: type[Warning], *where: Any, **more: Any
        ) -> None:
            if issubclass(category, DegenerateData):
                notes.append(_EQUAL)
            elif issubclass(category, EvenfoldWarning):
                notes.append(note(WRITTEN, text=str(message)))
            else:
                show(message, category, *where, **more)

        warnings.simplefilter("always", EvenfoldWarning)
        warnings.showwarning = collect
        yield


# The answers about a run: at every look every pair is judged on all repetitions so far.


class Watch:
    """
    The answers about a run, while it grows and at its end.

    Calling it with a run says whether the run is long enough.

    Parameters
    ----------
    rules : sequence of Criteria
        What is asked by each measure, with the replicability at which the run may stop.
    sizes : mapping of int to int
        The repetitions, or runs of folds, by the number of splits; empty for a run that does not
        grow.
    repeated : str
        What the run repeats.

    Attributes
    ----------
    answers, notes : list
        The last answers about each measure, and what must be said of them.
    looks : list
        All answers so far, each with the number of repetitions.
    """

    def __init__(
        self,
        rules: Sequence[Criteria],
        sizes: Mapping[int, int] | None = None,
        repeated: str = "repetitions",
    ) -> None:
        self.rules = rules
        self.sizes = sizes or {}
        self.repeated = repeated
        self.run: Run | None = None
        self.answers: list[tuple[PairResult, ...]] = []
        self.notes: list[list[Note]] = []
        self.looks: list[tuple[int, list[tuple[PairResult, ...]]]] = []

    def __call__(self, so_far: Run) -> bool:
        self.look(list(so_far.values()))
        self.run = so_far  # only now: an interrupted look has no answers
        return are_settled(self.answers, goal=self.rules[0].replicability)

    def look(self, each: Sequence[Losses]) -> None:
        """Judge all pairs on all repetitions so far, by every measure."""
        answers = []
        notes_of_each = []
        for rule, losses in zip(self.rules, each, strict=True):
            notes: list[Note] = []
            with collect_notes(notes):
                answers.append(rule.answers(losses))
            notes_of_each.append(notes)
        self.answers = answers
        self.notes = notes_of_each
        if self.sizes:
            self.looks.append((self.sizes[len(each[0].partition)], answers))

    def describe(self) -> str:
        """Say in a few words, for a progress bar, how far the run is; nothing before a look."""
        if not self.looks:
            return ""
        words = f"{self.looks[-1][0]} {self.repeated} done"
        if self.replicability is not None:
            words += f" (same verdict {format_replicability(self.replicability)})"
        return words

    @property
    def replicability(self) -> float | None:
        """The smallest probability that a verdict would be the same on another partition."""
        known = [pair.replicability for answers in self.answers for pair in answers]
        return min((chance for chance in known if chance is not None), default=None)

    def path(self, measure: int, pair: int) -> tuple[Look, ...]:
        """Return what was seen of one pair at every look."""
        seen = [(m, answers[measure][pair]) for m, answers in self.looks]
        return tuple(
            Look(
                m=m,
                value=answer.value,
                low=answer.low,
                high=answer.high,
                replicability=answer.replicability,
            )
            for m, answer in seen
            if answer.estimate is not None
        )

    def cost(self, run: Run | None, most: int | None) -> Note | None:
        """Return what the run took, and how long it grew."""
        if run is None or not (run.fits or run.reused):
            return None
        fits = {"fits": run.fits - run.speculative, "reused": run.reused}
        if not self.looks:
            return note("cost", **fits)
        m, _ = self.looks[-1]
        return note("cost", **fits, m=m, most=most, repeated=self.repeated)


def replay_looks(losses: Losses, rule: Criteria) -> Watch:
    """Look at a finished run as if it grew, up to its last repetition."""
    at = rule.entry.looks_to(len(losses.partition) // 2)
    watch = Watch([rule], {2 * m: m for m in at})
    for m in at:
        watch.look([losses.only(slice(2 * m))])
    return watch


# From the answers to the comparison.


def comparison_of(
    each: Iterable[Losses],
    rules: Sequence[Criteria],
    *,
    run: Run | None = None,
    design: str,
    call: str,
    notes: Iterable[Note] = (),
    watch: Watch | None = None,
    strict: bool = False,
) -> Comparison:
    """
    Judge every measure; the first, with the others in it, is the comparison.

    Parameters
    ----------
    each, rules : iterable of Losses, sequence of Criteria
        The losses by each measure, and how they are judged.
    run : Run, optional
        What was run; None where results existed already.
    design, call : str
        The design in words, and the call that gives the comparison again.
    notes : iterable of Note
        What must be said of all measures.
    watch : Watch, optional
        The answers about a run that grew.
    strict : bool
        Whether to raise the reason why a method is not applicable to a pair.
    """
    each = list(each)
    if watch is None:
        watch = Watch(rules)
        watch.look(each)
    shared = tuple(notes)
    comparisons = []
    for i, (losses, rule) in enumerate(zip(each, rules, strict=True)):
        if strict:
            _require_applicable(watch.answers[i])
        notes_of_measure = [
            *notes_of_method(rule),
            *shared,
            *notes_of_splits(losses),
            *watch.notes[i],
        ]
        results, ranked = _results_of_measure(
            losses, rule, watch, i, run=run, notes=notes_of_measure
        )
        notes_of_measure = name_equal_pairs(notes_of_measure, results)
        powers = gate_powers(results, rule, losses.quantity)
        if rule.not_worse:
            results = add_gate_warnings(results, powers)
        notes_of_measure += notes_of_pairs(results, rule)
        notes_of_measure += notes_of_failures(losses)
        notes_of_measure += notes_of_estimates(results)
        facts = facts_of(
            losses,
            results,
            rule,
            run=run,
            design=design,
            call=call,
            notes=notes_of_measure,
            ranked=ranked,
            powers=powers,
        )
        comparisons.append(
            Comparison(
                pairs=tuple(results),
                losses=losses,
                facts=facts,
            )
        )
    first, *others = comparisons
    return first.with_further_measures(others)


def _require_applicable(answers: Sequence[PairResult]) -> None:
    for pair in answers:
        if pair.estimate is None and pair.verdict is not None:
            raise NotApplicable(pair.verdict.said.values["reason"])


def _results_of_measure(
    losses: Losses,
    rule: Criteria,
    watch: Watch,
    measure: int,
    *,
    run: Run | None,
    notes: list[Note],
) -> tuple[list[PairResult], tuple[Candidate, ...]]:
    """Return the pairs with verdicts and details, and the ranking of more than two algorithms."""
    answers = watch.answers[measure]
    with collect_notes(notes):
        results = add_verdicts(losses, answers, rule, cost=watch.cost(run, rule.most))
        if losses.partition.kind.is_folds_and_halves:
            results = [add_size_changes(losses, pair, rule) for pair in results]
        ranked: tuple[Candidate, ...] = ()
        if len(losses.algorithms) > 2:
            ranked = candidates(losses, answers, rule)
    detailed = [
        _add_details(losses, pair, watch.path(measure, k)) for k, pair in enumerate(results)
    ]
    return detailed, ranked


# What must be said together with a verdict.


def notes_of_method(rule: Criteria) -> Iterator[Note]:
    """Yield what must be said of a method that is for comparison only."""
    entry = rule.entry
    if not entry.recommended:
        yield note(
            "comparison-only",
            method=entry.key,
            name=entry.name,
            leaning=entry.leaning,
            why=entry.why,
        )


def notes_of_splits(losses: Losses) -> Iterator[Note]:
    """Yield what must be said of every answer on such splits; mostly nothing."""
    if losses.partition.kind.is_repeated_folds:
        yield note("repeated-folds")


def notes_of_pairs(results: Sequence[PairResult], rule: Criteria) -> Iterator[Note]:
    """Yield what must be said of all pairs together, and what the estimates say of each."""
    posterior = any(isinstance(pair.estimate, PosteriorEstimate) for pair in results)
    if len(results) > 1 and posterior:  # no share of the level changes them
        yield note("posteriors-not-adjusted")
    apart = [
        [pair.baseline, pair.challenger]
        for pair in results
        if pair.pvalue is not None
        and pair.adjusted_pvalue is not None
        and (pair.adjusted_pvalue <= rule.level) != (pair.pvalue <= pair.level)
    ]
    adjustment = ADJUSTMENTS[rule.adjust]
    if apart and not adjustment.single_step:
        yield note("adjusted-otherwise", adjustment=adjustment.words, pairs=apart)


def name_equal_pairs(notes: Sequence[Note], results: Sequence[PairResult]) -> list[Note]:
    """Return the notes; the one on equal differences names its pairs, if there are several."""
    equal = [pair for pair in results if getattr(pair.estimate, "standard_error", None) == 0]
    others = [each for each in notes if each.code != _EQUAL.code]
    if len(others) == len(notes) or len(results) == 1 or not 0 < len(equal) <= _MOST_NAMED:
        return list(notes)
    return [*others, *(_of_pair(pair, _EQUAL) for pair in equal)]


def _of_pair(pair: PairResult, message: Note) -> Note:
    return note("of-pair", challenger=pair.challenger, baseline=pair.baseline, said=str(message))


def notes_of_estimates(results: Sequence[PairResult]) -> Iterator[Note]:
    """Yield the notes of the estimates; of several pairs, each note names its pair."""
    for pair in results:
        if pair.estimate is None or not pair.estimate.note:
            continue
        message = note(WRITTEN, text=pair.estimate.note)
        if len(results) > 1:
            message = _of_pair(pair, message)
        yield message


def notes_of_failures(losses: Losses) -> Iterator[Note]:
    """Yield which algorithms never predicted what a score is about, and why models failed."""
    if losses.counts is not None and losses.score != RECALL:
        # of recall predicting nothing is no riddle; precision is 0/0, taken for 0
        never = (losses.counts[..., :2].sum(axis=-1) == 0).sum(axis=-1)
        for name, splits in zip(losses.algorithms, never.tolist(), strict=True):
            if splits:
                yield note(
                    "never-predicted",
                    name=name,
                    positive=losses.quantity.positive,
                    splits=splits,
                    tests=losses.counts.shape[1],
                    precision=losses.score == PRECISION,
                )
    if any("could not convert string to float" in failure.message for failure in losses.failures):
        yield note("words-in-data")


# The facts that a report is made from.


def facts_of(
    losses: Losses,
    results: Sequence[PairResult],
    rule: Criteria,
    *,
    run: Run | None = None,
    design: str,
    call: str,
    notes: Iterable[Note | str] = (),
    ranked: tuple[Candidate, ...] = (),
    powers: tuple[GatePower, ...] = (),
) -> Facts:
    """Return the facts of a comparison by one measure; the design is in words."""
    entry = rule.entry
    facts = Facts(
        quantity=losses.quantity,
        estimand=estimand_words(
            entry.estimand,
            losses.quantity,
            losses.partition.kind,
            pairs=[(pair.baseline, pair.challenger) for pair in results],
            size=entry.n_train(losses.partition),
            group=rule.group,
        ),
        algorithms=losses.algorithms,
        values=_as_tuples(losses.values),
        fit_seconds=_as_tuples(losses.fit_seconds),
        seconds=float(np.nansum(losses.fit_seconds)),
        level=rule.level,
        margin=rule.margin,
        alternative=rule.alternative,
        adjust=_adjustment(results, rule),
        baseline=rule.baseline,
        method=_method_facts(entry, losses.partition),
        design=_design_facts(losses.partition, design),
        pairs=tuple(results),
        most_repetitions=rule.most,
        goal=None if rule.most is None else rule.replicability,
        failures=losses.failures,
        notes=as_notes(notes),
        call=call,
        versions=versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        candidates=ranked,
        power=powers,
        **_run_facts(run),
    )
    if losses.quantity.ratio:
        return as_ratios(facts)
    return facts


def _adjustment(results: Sequence[PairResult], rule: Criteria) -> str:
    """Return the key of the adjustment that was used."""
    if not ADJUSTMENTS[rule.adjust].joint:
        return rule.adjust
    levels = [pair.estimate.shared for pair in results if pair.estimate is not None]
    if any(level is not None and not level.effective for level in levels):
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
            Chosen(
                algorithm=name,
                parameters=parameters,
                tuning_seconds=run.tuning_seconds.get(name, ()),
            )
            for name, parameters in run.chosen.items()
        ),
    }


def _method_facts(entry: Method, partition: Partition) -> MethodFacts:
    return MethodFacts(
        key=entry.key,
        # nobody knows the training size of models that were trained elsewhere
        estimand=entry.about(entry.n_train(partition) or None),
        leaning=entry.leaning,
        why=entry.why,
        source=entry.source,
        recommended=entry.recommended,
        card=None if entry.card is None else dict(entry.card),
        name=entry.name,
    )


def _as_tuples(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in table.tolist())


def versions() -> dict[str, str]:
    """Return the version of Python and of each library that mattered."""
    known = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            known[name] = _version(name)
        except PackageNotFoundError:
            continue
    return known


def _design_facts(partition: Partition, name: str) -> DesignFacts:
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


def _add_details(losses: Losses, pair: PairResult, path: tuple[Look, ...]) -> PairResult:
    """Add to a pair what a report shows with its verdict: the test, its looks, effect sizes."""
    differences = losses.values[losses.index(pair.challenger)]
    if pair.baseline is not None:
        differences = differences - losses.values[losses.index(pair.baseline)]
    pair = replace(pair, differences=tuple(differences.tolist()))
    if pair.estimate is None:
        return pair
    along: tuple[tuple[float, float], ...] = ()
    if pair.baseline is not None and losses.partition.kind.is_ordered:
        along = _sums_along(losses, pair.baseline, pair.challenger)
    return replace(
        pair,
        path=path,
        curves=_curves(pair),
        along=along,
        **_test_statistics(pair.estimate),
        **_effects(losses, pair),
    )


def _sums_along(losses: Losses, baseline: str, challenger: str) -> tuple[tuple[float, float], ...]:
    """Return how many times were tested and the sum of B − A so far, for a figure."""
    question = Question.of(losses, challenger, baseline, "")
    single = (
        losses.quantity.per_example == "values"
        and losses.examples is not None
        and losses.weights is None
    )
    sums = np.cumsum(differences_by_time(question) if single else question.differences())
    at = np.unique(np.linspace(0, len(sums) - 1, _POINTS).round().astype(int))
    return tuple(zip((at + 1.0).tolist(), sums[at].tolist(), strict=True))


_EFFECTS = 1_000_000  # tested examples up to which effect sizes are computed unasked


def _effects(losses: Losses, pair: PairResult) -> dict[str, Any]:
    """Sizes of the difference in units of their own, where single examples have differences."""
    has_values = losses.examples is not None and losses.quantity.per_example == "values"
    unweighted = losses.weights is None and losses.absent is None
    tested = int(losses.partition.test_sizes.sum())
    if pair.baseline is None or not (has_values and unweighted) or tested > _EFFECTS:
        return {}
    if isinstance(pair.estimate, TestEstimate):
        error = pair.estimate.error_per_side(None)
    else:
        error = pair.level / 2
    limits = (pair.value, pair.low, pair.high)
    return effect_sizes_of(losses, pair.baseline, pair.challenger, limits, error)


def _test_statistics(estimate: Any) -> dict[str, Any]:
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


def _curves(pair: PairResult) -> tuple[Curve, ...]:
    """Densities of a score alone, or of both where a posterior of their difference knows them."""
    posterior: Any = pair.estimate
    if not isinstance(posterior, PosteriorEstimate):
        return ()
    if pair.baseline is None:
        return (_curve(pair.challenger, posterior, pair.level),)
    if not (hasattr(posterior, "a") and hasattr(posterior, "b")):
        return ()
    scores = {pair.baseline: posterior.a, pair.challenger: posterior.b}
    return tuple(_curve(name, score, pair.level) for name, score in scores.items())


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
