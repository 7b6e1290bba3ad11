"""
Compare algorithms on data: request, arrangement, check, run, answer.

Everything that can be refused is refused before the first fit.
"""

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal

from evenfold.comparison.call import call_of
from evenfold.comparison.choose import arrange, cut
from evenfold.comparison.criteria import Criteria, Judgement
from evenfold.comparison.gather import comparison_of
from evenfold.comparison.notes import collect_notes, known_failures, pitfalls
from evenfold.comparison.request import Request, check_request
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse, understands_synonyms
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.facts.answers import Look
from evenfold.core.inputs import Algorithms, Measures, Seed, Side, Splits, Version
from evenfold.core.json import to_plain
from evenfold.core.losses import Losses
from evenfold.core.note import INTERRUPTED, Note, note, partial_note
from evenfold.core.partition import Partition
from evenfold.core.words import format_replicability
from evenfold.design import Design
from evenfold.infer.family import Family, PairAnswer, are_settled, which_pairs
from evenfold.run import Run
from evenfold.run.api import grow_request, run_request

Answers = tuple[PairAnswer, ...]


@understands_synonyms
def compare(
    algorithms: "Algorithms",
    X: Any,
    y: Any,
    *,
    measure: "Measures | None" = None,
    design: "Splits | None" = None,
    method: str | None = None,
    method_options: Mapping[str, Any] | None = None,
    at: Literal["half", "full", "curve"] = "half",
    margin: float = 0.0,
    level: float = 0.05,
    alternative: Side = "two-sided",
    baseline: str | None = None,
    adjust: str = "max-t",
    replicability: float | None = None,
    max_repetitions: int | None = None,
    positive: Any = None,
    scheme: str = "IOB2",
    groups: Any = None,
    order: Any = None,
    features: Any = None,
    sample_weight: Any = None,
    random_state: "Seed | None" = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    version: "Version | None" = None,
    on_failure: Literal["record", "raise"] = "record",
    timeout: float | None = None,
    progress: bool | None = None,
) -> Comparison:
    """
    Compare algorithms on data: whether B is better than A, by how much, and how surely.

    By default the data are halved repeatedly (m×2 block-regularized cross-validation), and the
    influence test is applied to all repetitions. Repetitions are added, from 5 to at most 31,
    until another random partition of the same data would probably give the same verdict. A
    measure without a value per example (a bare scorer) is tested by ``mx2-sequential-t``. With
    ``groups``, no group is both trained and tested on: forty groups or more are halved, and are the
    units of the test; fewer are left out one at a time, for the error on a new group.

    Parameters
    ----------
    algorithms : list or mapping of estimators or functions
        A first, then B. One algorithm: an interval for its error. More than two: all pairs, or all
        against ``baseline``. Estimators have ``fit`` and ``predict``; functions are ``(X_train,
        y_train, X_test) -> y_pred``, or ``-> {"labels": … or None, "probabilities": …}`` with a
        column for each of the sorted classes of y. None of them is changed.
    X, y
        The data: arrays, frames, sparse matrices, lists of texts or sequences.
    measure : str, callable, scorer, or a list or mapping of them, optional
        By default ``"zero-one"`` for classes and ``"squared"`` for numbers. Of several, all from
        one run, the first gives the verdict; ``c["log"]`` is the answer for another.
    design : Design, str, int, splitter or pairs of index arrays, optional
        How the data are split: one of ``ef.design``, also as written on the command line
        (``"kfold:10"``), a number of folds, a scikit-learn splitter or (train, test) pairs. The
        method follows from the design unless it is given.
    method : str, optional
        A key of ``ef.infer.methods()``. The design follows from the method unless it is given.
    method_options : mapping, optional
        Options of the method, the keywords of its function in ``ef.infer``: ``{"boundary":
        "thesis"}`` for ``mx2-sequential-t``, ``{"lam": 0.5}`` for ``blocked-3x2-t``, ``{"prior":
        0.5}`` for ``bayes-f1``.
    at : {"half", "full", "curve"}
        Training size of the answer, unless a design is given: n/2, or 0.9n (ten folds, and the
        halvings of the default for their variance: 28 fits per algorithm, 10 if the store has the
        halvings). ``"half"`` finds smaller differences with fewer fits; ``"curve"`` is ``"full"``
        with models trained on n/4, too (46 fits), and shows how the difference changes.
    margin : float, default 0
        Differences up to this size do not matter; above 0 the verdict may be "equivalent": if
        the whole interval at 1 − ``level`` lies inside, which is TOST (two one-sided tests) at
        ``level``/2 each.
    level : float, default 0.05
        Level of the test: the probability of a wrong verdict.
    alternative : {"two-sided", "greater", "less", "not-worse"}
        About B − A in the units of the measure; ``"not-worse"`` asks whether B is not worse by more
        than ``margin``, with a bound on either side at ``level``.
    baseline : str, optional
        With more than two algorithms, compare all others with this one.
    adjust : {"max-t", "bonferroni", "holm", "hochberg", "hommel", "finner", "shaffer", …}
        How several pairs share the level. With ``"max-t"``, the default, every pair is tested at
        one level that allows for the correlation of the pairs; methods whose correlations are not
        known share it by Bonferroni's inequality. With another adjustment (see
        :func:`evenfold.infer.adjustment`) the adjusted p-values follow it, and the intervals and
        outcomes are Bonferroni's.
    replicability : float, optional
        The probability with which another random partition should give the same verdict before
        the run stops, from 0.5 to below 1; 0.8 by default.
    max_repetitions : int, optional
        The largest number of repetitions, at least 5. By default 31, or as many as the number of
        examples allows. The run may stop after 5, 7, 9, 15, 23, 31, 47, 63, 95 or 127
        repetitions, and stops after this one.
    positive : label, optional
        The positive class of precision, recall and F1.
    scheme : {"IOB2", "IOB1", "IOE1", "IOE2", "IOBES", "BILOU", "BMES", "BB2B3MES"}
        How tag sequences mark the chunks that precision, recall and F1 are about.
    groups, features, sample_weight : arrays, optional
        Groups of examples, counts to balance, weights. Groups, weights and y may be the name of a
        column of the frame X, which is then not a feature.
    order : str or array, optional
        The time of each example: a column of the frame X, which is then not a feature, its
        DatetimeIndex, or numbers or dates (as text: ISO dates such as 2024-01-31). Models are then
        trained on earlier examples than they are tested on: without a design on growing windows,
        twenty of them over the second half of the times.
    random_state : int, optional
        Seed of the design and of every algorithm that has none.
    n_jobs, store, version, on_failure, timeout, progress
        See :func:`evenfold.run.run`. With a ``store`` nothing is ever fitted twice.

    Returns
    -------
    Comparison
        Prints as the verdict; ``verdict``, ``estimate``, ``pairs``, ``losses``, ``to_html()``,
        ``plot()``.

    Notes
    -----
    *Validity.* The answer is about models trained on the design's training size, n/2 by default,
    not n. The type I error of the default test is measured, not proved; the page "The influence
    test" shows where it is too high. If a verdict must rest on a proof, use
    ``method="split-halves-t"``, which has less power.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.dummy import DummyClassifier
    >>> two = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    >>> c = ef.compare(two, *load_breast_cancer(return_X_y=True), random_state=0)
    >>> print(c.verdict)
    bayes is better than dummy: its error is lower by 0.3... (95% CI −0.3... to −0.2...), for models
    trained on 285 examples; after 5 of at most 31 repetitions, 20 fits. If the data were
    partitioned again at random, the verdict would be the same in about 98% of cases.
    """
    criteria = Criteria(
        margin=margin,
        level=level,
        alternative=alternative,
        adjust=adjust,
        baseline=baseline,
        method_options=method_options,
    )
    request = check_request(
        algorithms,
        X,
        y,
        criteria=criteria,
        measure=measure,
        design=design,
        method=method,
        at=at,
        positive=positive,
        scheme=scheme,
        groups=groups,
        order=order,
        features=features,
        sample_weight=sample_weight,
        random_state=random_state,
        replicability=replicability,
        max_repetitions=max_repetitions,
        n_jobs=n_jobs,
        store=store,
        version=version,
        on_failure=on_failure,
        timeout=timeout,
        progress=progress,
    )
    return run_comparison(request)


def compare_in_full(algorithms: Any, X: Any, y: Any, **keywords: Any) -> Comparison:
    """Compare as :func:`compare` does, but with all repetitions: early stops lean away from 0."""
    names = {one.name for one in fields(Criteria) if not one.metadata} - {"replicability"}
    criteria = Criteria(**{name: value for name, value in keywords.items() if name in names})
    others = {name: value for name, value in keywords.items() if name not in names}
    return run_comparison(check_request(algorithms, X, y, criteria=criteria, **others), stops=False)


# Looking at a run while it grows: at every look every pair is judged on all repetitions so far.


class Watch:
    """
    The answers about a run while it grows; calling it says whether the run is long enough.

    ``sizes`` says how many repetitions, or runs of folds, so many splits are. ``answers`` has the
    last answers about each measure, ``notes`` what must be said of them, and ``looks`` all answers
    so far with the number of repetitions.
    """

    def __init__(
        self,
        families: Sequence[Family],
        sizes: Mapping[int, int],
        goal: float,
        repeated: str = "repetitions",
    ) -> None:
        self.families = families
        self.repeated = repeated
        self.sizes = sizes
        self.goal = goal
        self.run: Run | None = None
        self.answers: list[Answers] = []
        self.notes: list[list[Note]] = []
        self.looks: list[tuple[int, list[Answers]]] = []

    def __call__(self, so_far: Run) -> bool:
        settled = self.look(list(so_far.values()))
        self.run = so_far  # only now: an interrupted look has no answers
        return settled

    def look(self, losses: Sequence[Losses]) -> bool:
        """Judge all pairs on all repetitions, and say whether the verdicts will last."""
        size = self.sizes[len(losses[0].partition)]
        answers = []
        said = []
        for family, each in zip(self.families, losses, strict=True):
            notes: list[Note] = []
            with collect_notes(notes):
                answers.append(family.answers(each))
            said.append(notes)
        self.answers = answers
        self.notes = said
        self.looks.append((size, answers))
        return are_settled(answers, goal=self.goal)

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
        known = [one.replicability for answers in self.answers for one in answers]
        return min((chance for chance in known if chance is not None), default=None)

    def path(self, measure: int, pair: int) -> tuple[Look, ...]:
        """Return what was seen of one pair at every look."""
        seen = [(m, answers[measure][pair]) for m, answers in self.looks]
        return tuple(
            Look(
                m=m,
                value=one.value,
                low=one.low,
                high=one.high,
                replicability=one.replicability,
            )
            for m, one in seen
            if one.is_applicable
        )


def replay_looks(losses: Losses, family: Family, goal: float) -> Watch:
    """Look at a finished run as if it grew, up to its last repetition."""
    at = family.entry.looks_to(len(losses.partition) // 2)
    watch = Watch([family], {2 * m: m for m in at}, goal)
    for m in at:
        watch.look([losses.only(slice(2 * m))])
    return watch


# From a request to its answer.


def run_comparison(request: Request, *, stops: bool = True) -> Comparison:
    """Arrange, check, run, judge."""
    notes: list[Note] = []
    with collect_notes(notes):
        request = arrange(request, stops=stops)
        rule = request.rules[0]
        pairs = which_pairs(request.names, rule.baseline)
        partition = _first_partition(request)
        for one, quantity in zip(request.rules, request.quantities, strict=True):
            one.family(pairs).check(partition, quantity, weights=request.task.weights)
        watch = None
        if request.looks:
            families = [one.family(pairs) for one in request.rules]
            repeated = request.chosen_design.repeated
            watch = Watch(families, _sizes(request), rule.replicability, repeated)
        try:
            done = _run(request, partition, watch)
        except KeyboardInterrupt:
            done = _run_so_far(request, watch)
            notes.append(_interrupted_note(done, request))
    design = request.chosen_design
    also = [
        *pitfalls(request.task, request.quantity, design),
        *known_failures(request.algorithms, request.task, rule.entry),
        *request.notes,
        *_warnings_of_fits(done),
    ]
    return comparison_of(
        done.values(),
        request.rules,
        pairs,
        run=done,
        design=repr(design),
        call=call_of(request),
        notes=[*notes, *also],
        watch=watch,
    )


def _run_so_far(request: Request, watch: Watch | None) -> Run:
    """Return the run up to its last look after an interruption, or raise the interruption."""
    if watch is None or watch.run is None:
        print(_interruption_message(request), file=sys.stderr)
        raise KeyboardInterrupt
    return watch.run


def _warnings_of_fits(done: Run) -> Iterator[Note]:
    """Yield one note about all warnings of the fits that were run now, if there were any."""
    if done.warned:
        told = []
        for name, seen in done.warned.items():
            warning, fits = next(iter(seen.items()))  # the most frequent one
            told.append(
                {"algorithm": name, "warning": warning, "fits": fits, "others": len(seen) - 1}
            )
        yield note("fits-warned", warned=told)


def _interrupted_note(done: Run, request: Request) -> Note:
    return partial_note(
        INTERRUPTED,
        m=_sizes(request)[len(done.partition)],
        most=request.looks[-1],
        repeated=request.chosen_design.repeated,
        seed=None if request.run.store is None else request.seed,
    )


def _interruption_message(request: Request) -> Note:
    """Return in one line what is kept and how to go on."""
    if request.run.store is None:
        return note("nothing-kept")
    return note("interrupted-early", seed=request.seed)


def _first_partition(request: Request) -> Partition:
    if request.looks:
        first = _next_look(request, None)
        assert first is not None  # there is a look
        return first
    partition = cut(request.chosen_design, request.task.n, **request.per_example)
    _require_end(len(request.names) * len(partition), request.chosen_design)
    return partition


_MOST_FITS = 10**6  # half an hour where a fit takes 2 ms, and most take longer


def _require_end(fits: int, design: Design) -> None:
    """Refuse a design that nobody would see the end of, before the first fit."""
    if fits > _MOST_FITS:
        refuse(
            "design",
            f"design {design} needs {fits:,} fits, more than the limit of {_MOST_FITS:,}.",
            "Use fewer splits, such as cv=10.",
        )


def _run(request: Request, first: Partition, watch: Watch | None) -> Run:
    asked = request.run
    if asked.store is not None:  # whoever reopens the run is told how it was judged
        asked = replace(asked, note=to_plain(_judging(request)))
    if watch is None:
        return run_request(asked, first)

    def growing(before: Partition | None) -> Partition | None:
        if before is None:
            return first
        return _next_look(request, before)

    return grow_request(asked, growing, stop=watch, most=request.looks[-1], describe=watch.describe)


def _judging(request: Request) -> Judgement:
    """Say how a run is judged, so that whoever reopens it gets the same answer."""
    names = (quantity.name for quantity in request.quantities)
    methods_of = dict(zip(names, (rule.method for rule in request.rules), strict=True))
    return Judgement(methods=methods_of, most=request.rules[0].most, asked=request.criteria)


def _sizes(request: Request) -> dict[int, int]:
    """Return the repetitions, or runs of folds, at each look by the number of splits then."""
    design = request.chosen_design
    return {replace(design, **{design.grows_by: m}).get_n_splits(): m for m in request.looks}


def _next_look(request: Request, before: Partition | None) -> Partition | None:
    """Return the partition at the next look, or None after the last."""
    done = len(before or ())
    m = next((m for splits, m in _sizes(request).items() if splits > done), None)
    if m is None:
        return None
    design: Any = request.design  # one that grows: hence Any below
    given = request.per_example
    # what the design cautions against is a note
    with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
        if before is None:
            shorter = replace(design, **{design.grows_by: m})
            return shorter.partition(request.task.n, **given)  # type: ignore[no-any-return]
        return design.extend(before, m, **given)  # type: ignore[no-any-return]
