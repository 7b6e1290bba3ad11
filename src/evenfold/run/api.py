"""``run`` and ``grow``: partition × algorithms → losses."""

import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from inspect import signature
from pathlib import Path
from typing import Any, cast

import numpy as np

from evenfold.core.checks import integer, is_integer, one_of, refuse, refuse_value, short_repr
from evenfold.core.errors import OrderIgnored
from evenfold.core.inputs import Algorithms, Measures
from evenfold.core.partition import Partition
from evenfold.core.rng import seed_from
from evenfold.core.words import one_line
from evenfold.run.algorithms import FittableAlgorithm, check_algorithms, describe_algorithm
from evenfold.run.cells import LIVE
from evenfold.run.data import Data, check_data
from evenfold.run.driver import Driver, OnFailure, Run, cells_of, run_from
from evenfold.run.driver import RunRequest as RunRequest
from evenfold.run.engines import Engine, InProcess
from evenfold.run.engines.dask import Dask, translate_cluster_errors
from evenfold.run.engines.loky import PooledEngine, Processes
from evenfold.run.engines.rounds import Rounds
from evenfold.run.engines.threads import Threads
from evenfold.run.measures import ZERO_ONE, Measure, require_weighable, resolve_measures
from evenfold.run.progress import Progress
from evenfold.run.records.stored import StoredShelf, Version
from evenfold.run.stores import Store

_NEVER = 1e8  # seconds, three years: more than the alarms can count


def check_run(
    algorithms: Any,
    data: Data,
    measures: list[Measure],
    *,
    seed: int | None = None,
    n_jobs: int | None = None,
    store: str | Path | Store | None = None,
    version: Version = None,
    on_failure: str = "record",
    timeout: float | None = None,
    progress: bool | None = None,
    note: Mapping[str, Any] | None = None,
) -> RunRequest:
    """Check how data are to be run, and return it as one request."""
    if data.weights is not None:
        require_weighable(measures, data)
    checked = check_algorithms(algorithms, tuple(data.metadata))
    return RunRequest(
        algorithms=checked,
        data=data,
        measures=measures,
        responses=[_needed_responses(algorithm, measures) for algorithm in checked],
        seed=_seed(seed),
        n_jobs=_n_jobs(n_jobs),
        store=store,
        version=version,
        on_failure=cast("OnFailure", one_of("on_failure", on_failure, ("record", "raise"))),
        timeout=_timeout(timeout),
        progress=progress,
        note=note,
    )


def _check_everything(
    algorithms: Any,
    X: Any,
    y: Any,
    *,
    measures: Any = ZERO_ONE,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    scheme: str = "IOB2",
    **how: Any,
) -> RunRequest:
    """Check everything that the caller of :func:`run` passes, and return it as one request."""
    data = check_data(X, y, sample_weight=sample_weight, groups=groups)
    resolved = resolve_measures(measures, data, positive=positive, scheme=scheme)
    return check_run(algorithms, data, resolved, **how)


def _driver_for(request: RunRequest, partition: Partition) -> Driver:
    """Return a driver for a run that begins with these splits, with its engine and store."""
    if not isinstance(partition, Partition):
        refuse_value("partition", partition, "a Partition", "Use design.partition(n).")
    _require_fit(partition, request.data)
    choose = partial(choose_engine, request.data, n_jobs=request.n_jobs, timeout=request.timeout)
    driver = Driver(request, partition, choose)
    driver.note = _note(request.note)
    if request.store is not None:
        driver.shelf = StoredShelf(driver, request.store, request.version)
    return driver


def _require_fit(partition: Partition, data: Data) -> None:
    """Refuse a partition of other data, and warn if it shuffles data that are ordered in time."""
    if data.n != partition.n:
        refuse(
            "partition",
            f"partition must be made for the {data.n:,} examples of X but got a partition of "
            f"{partition.n:,} examples.",
        )
    if data.timed and not partition.kind.is_ordered:
        warnings.warn(
            f"{data.timed}, but the design shuffles the examples, so models are trained on later "
            "examples too, which answers another question than forecasting does. Pass order=, or "
            "--order, to compare forecasts.",
            OrderIgnored,
            stacklevel=4,
        )


def _needed_responses(algorithm: FittableAlgorithm, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Return the outputs of an algorithm that the measures need, each once."""
    can = algorithm.responses()
    needed: dict[str, None] = {}
    for measure in measures:
        needs = f"measure {measure.name!r} needs"
        if algorithm.is_function and measure.of_estimators:
            refuse(
                "algorithms",
                f"{needs} an estimator but algorithm {algorithm.name!r} is a function, which fits "
                "and predicts at once.",
            )
        for response in measure.responses:
            if response in can or (response.startswith(LIVE) and not algorithm.is_function):
                needed[response] = None
                break
        else:
            wanted = " or ".join(measure.responses).replace(LIVE, "a fitted estimator for ")
            refuse(
                "algorithms",
                f"{needs} {wanted} but algorithm {algorithm.name!r} has only {', '.join(can)}.",
            )
    return tuple(needed)


def _note(note: object) -> dict[str, Any]:
    """Return the note of a run as plain values, or refuse what JSON cannot hold."""
    try:
        return dict(json.loads(json.dumps(note or {}, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        refuse_value(
            "note", note, "a mapping of values that JSON can hold", f"JSON says: {one_line(error)}."
        )


def _seed(seed: object) -> int:
    if is_integer(seed) and seed < 0:
        refuse_value("seed", seed, "None or an integer ≥ 0")
    return seed_from(seed)


def _n_jobs(n_jobs: object) -> int | None:
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        refuse_value("n_jobs", n_jobs, "None or an integer that is not 0")
    return n_jobs


def _timeout(timeout: object) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
        refuse_value("timeout", timeout, "a number of seconds > 0")
    if timeout < _NEVER:
        return float(timeout)
    return None


def run(
    algorithms: Algorithms,
    partition: Partition,
    X: Any,
    y: Any,
    *,
    measures: Measures = ZERO_ONE,
    seed: int | None = None,
    n_jobs: int | None = None,
    store: str | Path | Store | None = None,
    version: Version = None,
    on_failure: str = "record",
    timeout: float | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    scheme: str = "IOB2",
    progress: bool | None = None,
    note: Mapping[str, Any] | None = None,
) -> Run:
    """
    Fit every algorithm on every split, reusing what a store already has.

    Parameters
    ----------
    algorithms : estimator, function, or list or mapping of them
        Estimators with ``fit`` and ``predict``, or functions ``(X_train, y_train, X_test) ->
        y_pred``, which may take a ``seed`` and a ``sample_weight``. None of them is changed.
    partition : Partition
        Who trains and who is tested.
    X : array, frame, sparse matrix or list
        One row, text or sequence per example.
    y : array or list
        Numbers, labels, or one sequence of tags per example.
    measures : str, callable, scorer, or list or mapping of them
        Names of :func:`measures` or of scikit-learn's scorers, scorers, functions of
        ``sklearn.metrics``, or other functions of truth and prediction that say their direction,
        see :func:`measure`. Values are in the measure's own units: ``"neg_mean_absolute_error"``
        gives the mean absolute error, lower is better. All come from the same fits.
    seed : int, optional
        Sets every ``random_state=None`` inside the algorithms; drawn and recorded where None.
    n_jobs : int, optional
        Worker processes, as in joblib, whose ``parallel_config`` is obeyed.
    store : path, URL or Store, optional
        An SQLite file, an SQLAlchemy URL of SQLite or PostgreSQL, ``"memory://"``, or a
        :class:`Store` of your own. Fits found there are not run again.
    version : str or mapping of algorithm to str, optional
        Stands for the content of algorithms that cannot be hashed, such as closures.
    on_failure : {"record", "raise"}
        Whether a fit without a result is listed in ``failures`` or ends the run.
    timeout : float, optional
        Seconds per fit; on loky processes only.
    sample_weight : array, optional
        Weighs fits (where ``fit`` takes it, or asks for it by metadata routing) and measures.
    groups : array, optional
        Passed to algorithms that ask for it by metadata routing.
    positive : label, optional
        The class that precision, recall and F1 are about.
    scheme : {"IOB2", "IOB1", "IOE1", "IOE2", "IOBES", "BILOU", "BMES", "BB2B3MES"}
        How tag sequences mark chunks, see :func:`chunk_counts`.
    progress : bool, optional
        Show a bar, or lines where there is neither terminal nor notebook; by default a bar in those
        two and nothing elsewhere.
    note : mapping, optional
        Plain values to keep with the run in the store. :func:`load` returns them as ``note``, and
        :func:`evenfold.compare` writes there how it judged.

    Returns
    -------
    Run
        Losses by measure, and how many fits they took.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from evenfold.core.partition import MX2
    >>> from evenfold.core.partition import BlockCut, Partition
    >>> X = np.r_[np.zeros(20), np.ones(20)][:, None]
    >>> halves = np.array([[True, False], [False, True]])
    >>> partition = Partition(
    ...     kind=MX2, seed=0, cut=BlockCut(blocks=np.arange(40) % 2, trains=halves),
    ...     repetition=np.array([0, 0]), fold=np.array([0, 1]))
    >>> done = run(
    ...     {"dummy": DummyClassifier(), "bayes": GaussianNB()}, partition, X, X[:, 0], seed=0
    ... )
    >>> done.fits, done["zero-one"].values.tolist()
    (4, [[0.5, 0.5], [0.0, 0.0]])
    """
    request = _check_everything(
        algorithms,
        X,
        y,
        measures=measures,
        seed=seed,
        n_jobs=n_jobs,
        store=store,
        version=version,
        on_failure=on_failure,
        timeout=timeout,
        sample_weight=sample_weight,
        groups=groups,
        positive=positive,
        scheme=scheme,
        progress=progress,
        note=note,
    )
    return run_request(request, partition)


def run_request(request: RunRequest, partition: Partition) -> Run:
    """Run a checked request on every split."""
    with _driver_for(request, partition) as driver:
        cells = cells_of(len(driver.job.algorithms), range(len(partition)))
        driver.want(cells)
        driver.finish(cells)
        return _record_run(driver, run_from(driver, partition))


def grow(
    algorithms: Algorithms,
    next_repetition: Callable[[Partition | None], Partition | None],
    X: Any,
    y: Any,
    *,
    stop: Callable[[Run], bool],
    most: int | None = None,
    describe: Callable[[], str] = str,
    **options: Any,
) -> Run:
    """
    Run repetition after repetition until ``stop`` says that it is enough.

    While ``stop`` waits for the last fits of a repetition, idle workers already run fits of the
    next one. They are stored like all others, and counted in ``speculative`` if they are not
    needed.

    Parameters
    ----------
    algorithms, X, y
        As in :func:`run`.
    next_repetition : callable
        Given the partition so far (None at first) returns one that begins with it and has more
        splits, or None when there is no more.
    stop : callable
        Given the :class:`Run` so far, says whether to stop; asked after each repetition.
    most : int, optional
        How many repetitions there may be, as far as that is known: what a progress bar runs
        towards.
    describe : callable, optional
        Says in a few words what ``stop`` has found so far; the progress bar shows it.
    **options
        All other keyword arguments of :func:`run`.

    Returns
    -------
    Run
        On the partition at which it stopped.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from evenfold.core.partition import MX2
    >>> from evenfold.core.partition import IndexCut, Partition
    >>> def halving(before):
    ...     m = 1 if before is None else len(before) // 2 + 1
    ...     orders = [np.random.default_rng(i).permutation(40) for i in range(m)]
    ...     halves = [np.sort(part) for order in orders for part in np.split(order, 2)]
    ...     tests = [half for i in range(m) for half in (halves[2 * i + 1], halves[2 * i])]
    ...     return Partition(
    ...         kind=MX2,
    ...         seed=0,
    ...         cut=IndexCut(n=40, trains=tuple(halves), tests=tuple(tests)),
    ...         repetition=np.repeat(range(m), 2),
    ...         fold=np.tile([0, 1], m),
    ...     )
    >>> X = np.random.default_rng(0).normal(size=(40, 1))
    >>> done = grow(
    ...     [GaussianNB()], halving, X, X[:, 0] > 0, stop=lambda run: len(run.partition) >= 6
    ... )
    >>> done.fits, done["zero-one"].values.shape
    (6, (1, 6))
    """
    for name in options:
        one_of("option", name, list(signature(run).parameters)[4:])
    request = _check_everything(algorithms, X, y, **options)
    return grow_request(request, next_repetition, stop=stop, most=most, describe=describe)


def grow_request(
    request: RunRequest,
    next_repetition: Callable[[Partition | None], Partition | None],
    *,
    stop: Callable[[Run], bool],
    most: int | None = None,
    describe: Callable[[], str] = str,
) -> Run:
    """Run a checked request, repetition after repetition, as :func:`grow` does."""
    partition = _first_partition_of(next_repetition, stop, most)
    with _driver_for(request, partition) as driver:
        while True:
            queue_next = cache(partial(_queue_next, driver, partition, next_repetition))
            cells = cells_of(len(driver.job.algorithms), range(len(partition)))
            driver.want(cells)
            if most is not None:
                _announce_next_look(driver.progress, partition, len(cells), most, describe())
            driver.finish(cells, meanwhile=queue_next)
            if stop(run_from(driver, partition)) or (longer := queue_next()) is None:
                break
            partition = longer
        driver.drain()
        return _record_run(driver, run_from(driver, partition))


def _first_partition_of(next_repetition: Any, stop: Any, most: int | None) -> Partition:
    """Return the first partition, or refuse functions that cannot be used."""
    for name, function in (("next_repetition", next_repetition), ("stop", stop)):
        if not callable(function):
            refuse_value(name, function, "a function")
    if most is not None:
        integer("most", most, low=1)
    partition = next_repetition(None)
    if not isinstance(partition, Partition):
        refuse(
            "next_repetition",
            "next_repetition must return a first partition for None but returned "
            f"{short_repr(partition)}.",
        )
    return partition


def _announce_next_look(
    progress: Progress, partition: Partition, cells: int, most: int, so_far: str
) -> None:
    """Show when the next look is, and how many fits all looks would need."""
    about = partition.about  # what is repeated: not what only serves the variance
    m = len(np.unique(partition.repetition[about]))
    more = (most - m) * (int(about.sum()) // m) * (cells // len(partition))
    repeated = "runs of folds" if partition.kind.is_folds_and_halves else "repetitions"
    progress.aim(f"look after {m} of {most} {repeated}", most=cells + more, so_far=so_far)


def _queue_next(
    driver: Driver, before: Partition, next_repetition: Callable[[Partition], Partition | None]
) -> Partition | None:
    """Queue the fits of the next repetition, if there is one, and return its partition."""
    after = next_repetition(before)
    if after is not None:
        _require_growth(before, after)
        driver.extend(after)
        driver.want(cells_of(len(driver.job.algorithms), range(len(before), len(after))))
    return after


def _require_growth(before: Partition, after: Partition) -> None:
    same = len(after) > len(before) and all(
        np.array_equal(a, b) and np.array_equal(c, d)
        for (a, c), (b, d) in zip(before, after, strict=False)
    )
    if not same:
        refuse(
            "next_repetition",
            f"next_repetition must return a partition that begins with the splits of {before} "
            f"and has more but returned {short_repr(after)}.",
        )


def _record_run(driver: Driver, done: Run) -> Run:
    texts = {item.name: describe_algorithm(item.subject) for item in driver.job.algorithms}
    about = {
        "seed": done.seed,
        "texts": texts,
        "asked": {item.name: item.asked for item in driver.measures},
    }
    if driver.note:
        about["note"] = driver.note
    return replace(
        done,
        note=driver.note,
        id=driver.shelf.record(done.losses, about, driver.data.y),
    )


def choose_engine(data: Data, *, n_jobs: int | None, timeout: float | None) -> Engine:
    """Pick the engine that ``n_jobs`` and ``joblib.parallel_config`` ask for."""
    # parallel_config cannot have been set before joblib was loaded
    if n_jobs in (None, 1) and timeout is None and "joblib" not in sys.modules:
        return InProcess(data)
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    name = type(backend).__name__
    with translate_cluster_errors() if name == "DaskDistributedBackend" else nullcontext():
        workers = effective_n_jobs(configured if n_jobs is None else n_jobs)
    if timeout is not None and name != "LokyBackend":
        refuse_value(
            "timeout",
            timeout,
            "None except on loky processes",
            f"The joblib backend here is {name}.",
        )
    if name == "DaskDistributedBackend":
        return PooledEngine(Dask(backend.client), data)
    if name == "LokyBackend" and (workers > 1 or timeout is not None):
        return PooledEngine(Processes(workers), data, timeout)
    if workers == 1 or name == "SequentialBackend":
        return InProcess(data)
    if name == "ThreadingBackend":
        return PooledEngine(Threads(workers), data)
    return Rounds(data, workers)
