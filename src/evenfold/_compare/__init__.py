"""The corridor: ``compare`` wires the rooms, design → run → infer → verdict → facts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evenfold import run as running
from evenfold._compare.best import candidates
from evenfold._compare.gather import gather
from evenfold._compare.pairs import Asked, PairResult, answer, caveats, which_pairs, without_warnings
from evenfold._compare.pitfalls import pitfalls
from evenfold._compare.plan import MOST, SEQUENTIAL, START, Plan, cut, listed, make_plan
from evenfold._compare.result import Comparison
from evenfold.core.partition import Partition
from evenfold.core.rng import seed_from
from evenfold.design import Design
from evenfold.infer import SequentialTest, recommended
from evenfold.run import Run
from evenfold.run.data import check_data

__all__ = ["Comparison", "PairResult", "compare", "reopen"]


def compare(
    algorithms: Any,
    X: Any,
    y: Any,
    *,
    measure: Any = None,
    design: Design | None = None,
    method: str | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    baseline: str | None = None,
    adjust: str = "holm",
    positive: Any = None,
    scheme: str = "IOB2",
    groups: Any = None,
    features: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    version: Any = None,
    on_failure: str = "record",
    timeout: float | None = None,
    progress: bool | None = None,
) -> Comparison:
    """
    Say whether algorithm B is better than algorithm A on this kind of data, by how much, and how surely.

    Without a design, repetitions of a block-regularized m×2 cross-validation are added one by one, from 3 to
    9, until a sequential test whose overall error is calibrated has decided; with a margin, or for one
    algorithm alone, all nine are run and judged by ``mx2-t``. Precision, recall and F1 get seven repetitions
    and a posterior whose variance is read off the single examples; grouped data leave-one-source-out and the
    error on a new source.

    Parameters
    ----------
    algorithms : list or mapping of estimators or functions
        A first, then B. One algorithm: an interval for it alone. More than two: all pairs, or all against
        ``baseline``. Estimators have ``fit`` and ``predict``; functions are
        ``(X_train, y_train, X_test) -> y_pred``. None of them is changed.
    X, y
        The data: arrays, frames, sparse matrices, lists of texts or sequences.
    measure : str, callable or scorer, optional
        By default ``"zero-one"`` for classes and ``"squared"`` for numbers.
    design : Design, optional
        Who trains and who tests; a design alone gets the method recommended for it.
    method : str, optional
        A key of ``ef.infer.methods()``; a method alone gets its usual design.
    margin : float, default 0
        Differences up to this size do not matter; above 0 the verdict may be "equivalent".
    level : float, default 0.05
        Error level of the verdict.
    alternative : {"two-sided", "greater", "less"}
        About B − A in the measure's own units.
    baseline : str, optional
        With more than two algorithms, compare all others with this one.
    adjust : {"holm", "bonferroni", "max-t", "none"}
        How several pairs share the level; ``"max-t"`` gives simultaneous intervals that allow for how the
        pairs hang together on the same splits, after all nine repetitions.
    positive : label, optional
        The class that precision, recall and F1 are about.
    scheme : {"IOB2", "IOB1", "IOBES", "BMES", "BB2B3MES"}
        How tag sequences mark the chunks that precision, recall and F1 are about.
    groups, features, sample_weight : arrays, optional
        Sources or groups of examples, level counts for balance, weights.
    random_state : int, optional
        Seed of the design and of every algorithm that has none.
    n_jobs, store, version, on_failure, timeout, progress
        See :func:`evenfold.run.run`. With a ``store`` nothing is ever fitted twice.

    Returns
    -------
    Comparison
        Prints as the verdict; ``verdict``, ``estimate``, ``pairs``, ``losses``, ``to_html()``, ``plot()``.

    Notes
    -----
    *Validity.* The answer is about models trained on the design's training size, n/2 by default, not n. The
    default test is conservative: for differences of algorithms its real error is usually far below ``level``.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> c = ef.compare({"dummy": DummyClassifier(), "bayes": GaussianNB()}, X, y, random_state=0)
    >>> print(c.verdict)
    bayes is better than dummy: its error is lower by 0.3... (95 % interval 0.2... to 0.3...), for models
    trained on 285 examples; decided after 3 of at most 9 repetitions, 12 fits.
    """
    seed = seed_from(random_state)
    data = check_data(X, y, sample_weight=sample_weight, groups=groups)
    X, y, n = data.X, data.target.values, data.n
    sample_weight, groups = data.metadata.get("sample_weight"), data.metadata.get("groups")
    plan = make_plan(
        algorithms,
        n,
        y,
        measure=measure,
        design=design,
        method=method,
        groups=groups,
        features=features,
        seed=seed,
        margin=margin,
        adjust=adjust,
    )
    asked = Asked(
        method=plan.method, margin=margin, level=level, alternative=alternative, adjust=adjust,
        most=plan.most, baseline=baseline,
    )  # fmt: skip
    given = {"y": y, "groups": groups, "features": features}
    options: Any = {
        "measures": plan.measure, "seed": seed, "n_jobs": n_jobs, "store": store, "version": version,
        "on_failure": on_failure, "timeout": timeout, "sample_weight": sample_weight, "groups": groups,
        "positive": positive, "scheme": scheme, "progress": progress,
    }  # fmt: skip
    if plan.most is None:
        done = running.run(algorithms, cut(plan.design, n, **given), X, y, **options)
    else:
        repetitions = partial(_next_repetition, plan.design, n, given)
        done = running.grow(algorithms, repetitions, X, y, stop=partial(_decided, asked=asked), **options)
    notes = pitfalls(y, measure=plan.measure, design=plan.design)
    call = _call(algorithms, plan, asked, seed, scheme)
    return _conclude(done, asked, design=repr(plan.design), call=call, notes=notes)


def _next_repetition(
    design: Any, n: int, given: dict[str, Any], before: Partition | None
) -> Partition | None:
    """Return the partition with one repetition more: the first has three, the last those of the design."""
    m = START if before is None else len(before) // 2 + 1
    if m > design.m:
        return None
    shorter = replace(design, m=m)
    with without_warnings():  # what the design cautions against is a note
        longer: Partition = (
            shorter.partition(n, **given) if before is None else shorter.extend(before, m, **given)
        )
    return longer


def _decided(so_far: Run, *, asked: Asked) -> bool:
    """Whether the sequential tests of all pairs have stopped; each has its share of the level."""
    losses = next(iter(so_far.values()))
    pairs = which_pairs(losses.algorithms, asked.baseline)
    tests = [
        SequentialTest(
            M=asked.most or 0, alternative=asked.alternative, level=asked.share(len(pairs)),
            values=losses.differences(b, a).reshape(-1, 2),
        )
        for a, b in pairs
        if a is not None and not {a, b} & {failure.algorithm for failure in losses.failures}
    ]  # fmt: skip
    with without_warnings():
        return all(test.stopped for test in tests)


def _conclude(done: Run, asked: Asked, *, design: str, call: str, notes: Sequence[str] = ()) -> Comparison:
    losses = next(iter(done.values()))
    fits = f"{done.fits} fits" if not done.reused else f"{done.fits} fits and {done.reused} reused"
    if asked.most is not None:
        fits = f"after {len(done.partition) // 2} of at most {asked.most} repetitions, {fits}"
    results, warned = answer(losses, which_pairs(losses.algorithms, asked.baseline), asked, cost=fits)
    said = [*caveats(asked.method), *notes, *warned]
    facts = gather(
        done, losses, results, asked, design=design, call=call, notes=said,
        candidates=candidates(losses, asked),
    )  # fmt: skip
    return Comparison(pairs=tuple(results), losses=losses, facts=facts, fits=done.fits, reused=done.reused)


def _call(algorithms: Any, plan: Plan, asked: Asked, seed: int, scheme: str) -> str:
    """Return the call that gives this result again, on the same data."""
    named = algorithms if isinstance(algorithms, Mapping) else listed(algorithms)
    words = [
        " ".join(repr(named).split()),
        "X",
        "y",
        f"measure={plan.measure!r}",
        f"design=ef.design.{plan.design!r}",
    ]
    words += [
        f"{name}={getattr(asked, name)!r}" for name in ("method", "margin", "level", "alternative", "adjust")
    ]
    words += [] if asked.baseline is None else [f"baseline={asked.baseline!r}"]
    words += [] if scheme == "IOB2" else [f"scheme={scheme!r}"]
    return f"ef.compare({', '.join(words)}, random_state={seed})"


def reopen(
    store: str | Path,
    run_id: str,
    *,
    measure: str | None = None,
    method: str | None = None,
    most: int | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    baseline: str | None = None,
    adjust: str = "holm",
) -> Comparison:
    """
    Judge a stored run again, without its data and without a fit.

    Parameters
    ----------
    store, run_id
        Where the run is, and its id; see :func:`evenfold.run.load`.
    measure : str, optional
        One of the run's measures, the first by default.
    method, margin, level, alternative, baseline, adjust
        As in :func:`compare`.
    most : int, optional
        The repetitions the run might have taken where it stopped early, 9 by default.
    """
    done = running.load(store, run_id)
    chosen = replace(done, losses={(name := measure or next(iter(done))): done[name]})
    kind = done.partition.kind
    m = len(done.partition) // 2
    # A run may have stopped early, after which a test of fixed size is not valid: the sequential one is.
    # With a margin, or to be judged jointly, all repetitions are run: then none was left out.
    fixed = (margin > 0 or adjust == "max-t") and m >= (most or MOST)
    stoppable = kind == "mx2-bcv" and m >= START and len(done.algorithms) > 1 and not fixed
    usual = recommended(kind, measure=name)
    key = method or (SEQUENTIAL if stoppable and usual == "mx2-t" else usual)
    most = max(most or MOST, m) if key == SEQUENTIAL else None
    asked = Asked(
        method=key,
        margin=margin,
        level=level,
        alternative=alternative,
        adjust=adjust,
        most=most,
        baseline=baseline,
    )
    return _conclude(chosen, asked, design=kind, call=f"evenfold report {run_id} --method {key}")
