"""
Compare algorithms on data: request, arrangement, check, run, answer.

Everything that can be refused is refused before the first fit.
"""

import keyword
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evenfold.comparison.choose import arrange, cut
from evenfold.comparison.gather import Watch, collect_notes, comparison_of
from evenfold.comparison.request import IOB2, Judgement, Request, check_request
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse, understands_synonyms
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.inputs import Algorithms, Measures, Seed, Side, Splits, Version
from evenfold.core.json import to_plain
from evenfold.core.note import INTERRUPTED, Note, note, partial_note
from evenfold.core.partition import Partition
from evenfold.core.words import hide_secrets, join_words, one_line
from evenfold.design import Design
from evenfold.infer.family import Criteria
from evenfold.run import Run
from evenfold.run.api import grow_request, run_request


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
    """Compare with all repetitions, because estimates after an early stop lie too far from 0."""
    names = {field.name for field in fields(Criteria) if not field.metadata} - {"replicability"}
    criteria = Criteria(**{name: value for name, value in keywords.items() if name in names})
    others = {name: value for name, value in keywords.items() if name not in names}
    return run_comparison(check_request(algorithms, X, y, criteria=criteria, **others), stops=False)


# From a request to its answer.


def run_comparison(request: Request, *, stops: bool = True) -> Comparison:
    """Choose design and methods, let the methods refuse, run, and judge."""
    notes: list[Note] = []
    watch = None
    with collect_notes(notes):
        request = arrange(request, stops=stops)
        partition = _first_partition(request)
        for rule, quantity in zip(request.rules, request.quantities, strict=True):
            rule.check(partition, quantity, weights=request.task.weights)
        if request.looks:
            watch = Watch(request.rules, _sizes(request), request.chosen_design.repeated)
        try:
            run = _run(request, partition, watch)
        except KeyboardInterrupt:
            run = _run_so_far(request, watch)
            notes.append(_interrupted_note(run, request))
    notes += request.notes
    notes += _warnings_of_fits(run)
    return comparison_of(
        run.values(),
        request.rules,
        run=run,
        design=repr(request.chosen_design),
        call=_call_of(request),
        notes=notes,
        watch=watch,
    )


_MOST_FITS = 10**6  # half an hour where a fit takes 2 ms, and most take longer


def _first_partition(request: Request) -> Partition:
    """Return the partition of the first look, or of a fixed design that is not too large."""
    if request.looks:
        first = _next_look(request, None)
        assert first is not None  # there is a look
        return first
    design = request.chosen_design
    partition = cut(design, request.task.n, **request.per_example)
    fits = len(request.names) * len(partition)
    if fits > _MOST_FITS:
        refuse(
            "design",
            f"design {design} needs {fits:,} fits, more than the limit of {_MOST_FITS:,}.",
            "Use fewer splits, such as cv=10.",
        )
    return partition


def _run(request: Request, first: Partition, watch: Watch | None) -> Run:
    """Run the partition, or grow it look by look; a store also keeps how the run is judged."""
    run = request.run
    if run.store is not None:
        run = replace(run, note=to_plain(_judgement(request)))
    if watch is None:
        return run_request(run, first)

    def next_partition(before: Partition | None) -> Partition | None:
        if before is None:
            return first
        return _next_look(request, before)

    most = request.looks[-1]
    return grow_request(run, next_partition, stop=watch, most=most, describe=watch.describe)


def _judgement(request: Request) -> Judgement:
    """Return how a run is judged, so that a reopened run gives the same answer."""
    names = [quantity.name for quantity in request.quantities]
    methods = [rule.method for rule in request.rules]
    return Judgement(
        methods=dict(zip(names, methods, strict=True)),
        most=request.rules[0].most,
        asked=request.criteria,
    )


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
    # what the design cautions against is a note
    with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
        if before is None:
            shorter = replace(design, **{design.grows_by: m})
            return shorter.partition(request.task.n, **request.per_example)  # type: ignore[no-any-return]
        return design.extend(before, m, **request.per_example)  # type: ignore[no-any-return]


def _run_so_far(request: Request, watch: Watch | None) -> Run:
    """Return the run up to its last look after an interruption, or raise the interruption."""
    if watch is not None and watch.run is not None:
        return watch.run
    kept = note("nothing-kept")
    if request.run.store is not None:
        kept = note("interrupted-early", seed=request.seed)
    print(kept, file=sys.stderr)
    raise KeyboardInterrupt


def _interrupted_note(run: Run, request: Request) -> Note:
    return partial_note(
        INTERRUPTED,
        m=_sizes(request)[len(run.partition)],
        most=request.looks[-1],
        repeated=request.chosen_design.repeated,
        seed=None if request.run.store is None else request.seed,
    )


def _warnings_of_fits(run: Run) -> Iterator[Note]:
    """Yield one note about all warnings of the fits that were run now, if there were any."""
    warned = []
    for name, fits_by_warning in run.warned.items():
        warning, fits = next(iter(fits_by_warning.items()))  # the most frequent one
        others = len(fits_by_warning) - 1
        warned.append({"algorithm": name, "warning": warning, "fits": fits, "others": others})
    if warned:
        yield note("fits-warned", warned=warned)


# The call that gives a result again. Pasted it does, or it says what it cannot write.


_FULL = 100_000  # characters of an estimator; scikit-learn leaves out the middle of long ones


class CallWriter:
    """Writes values as Python reads them, and keeps the names of what it cannot write."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def __call__(self, value: Any, name: str) -> str:
        """Write a value, or a name for it that the reader must fill."""
        if isinstance(value, Mapping):
            items = (f"{key!r}: {self(item, str(key))}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, (list, tuple)):
            texts = [self(item, f"{name}{i}") for i, item in enumerate(value, start=1)]
            return f"[{', '.join(texts)}]"
        if isinstance(value, np.generic):
            value = value.item()
        text = _text(value)
        if text is None:
            text = _identifier(getattr(value, "__name__", ""), name)
            self.names[text] = None
        return text

    def keywords(self, values: Mapping[str, Any]) -> list[str]:
        """Write keywords with their values, without those that are None."""
        return [
            f"{name}={self(value, name)}" for name, value in values.items() if value is not None
        ]

    def design(self, design: Design) -> str:
        """Write a design, or the name ``design`` for one that cannot be written."""
        if not design.code:
            self.names["design"] = None
        return design.code or "design"

    def call(self, function: str, arguments: Sequence[str], data: Sequence[str] = ()) -> str:
        """Write a call without secrets, with a remark on what the reader must fill in."""
        call = hide_secrets(f"{function}({', '.join(arguments)})")
        names = [*data, *self.names]
        if not names:
            return call
        return f"{call}  # with your own {join_words(names)}"


def _text(value: Any) -> str | None:
    """The expression that makes a value again, or None."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return repr(value)
    if hasattr(value, "get_params"):
        try:
            text = value.__repr__(N_CHAR_MAX=_FULL)
        except TypeError:  # an estimator with a representation of its own
            text = repr(value)
    else:
        text = repr(value)
    if "<" in text or "..." in text:
        return None
    return one_line(text)


def _identifier(*names: str) -> str:
    """Return the first of the names that Python can read as one, after small changes."""
    for name in names:
        plain = "".join(c if c.isalnum() else "_" for c in name)
        if plain.isidentifier() and not keyword.iskeyword(plain) and not name.startswith("<"):
            return plain
    return "own"


def _call_of(request: Request) -> str:
    """Return the call that gives this result again, on the same data."""
    writer = CallWriter()
    task = request.task
    criteria = request.criteria
    arguments = [writer(dict(request.algorithms), "algorithms"), "X", "y"]
    arguments.append(f"measure={writer(request.measures, 'measure')}")
    if not request.looks:
        arguments.append(f"design={writer.design(request.chosen_design)}")
    method = None  # with several measures the default is chosen for each again
    if request.method is not None or len(request.rules) == 1:
        method = request.rules[0].method
    keywords = {
        "method": method,
        "margin": criteria.margin,
        "level": criteria.level,
        "alternative": criteria.alternative,
        "adjust": criteria.adjust,
        "baseline": criteria.baseline,
        "replicability": criteria.replicability if request.is_stability_asked else None,
        "max_repetitions": request.max_repetitions,
        "method_options": criteria.method_options or None,
        "positive": request.positive,
        "scheme": None if request.scheme == IOB2 else request.scheme,
        "version": request.run.version,
        "timeout": request.run.timeout,
    }
    arguments += writer.keywords(keywords)
    data = [name for name in ("groups", "order", "features") if getattr(task, name) is not None]
    if task.weights is not None:
        data.append("sample_weight")
    arguments += [f"{name}={name}" for name in data]
    arguments.append(f"random_state={request.seed}")
    return writer.call("ef.compare", arguments, data)
