"""From what the caller passes to a driver that is ready to go."""

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, cast

from evenfold.core.checks import is_integer, one_of, refuse
from evenfold.core.errors import OrderIgnored, in_a_line
from evenfold.core.partition import Partition
from evenfold.core.rng import seed_from
from evenfold.run.algorithms import Algorithm, check_algorithms
from evenfold.run.cells import LIVE, Cell, Job
from evenfold.run.data import Data, check_data
from evenfold.run.driver import Driver, OnFailure
from evenfold.run.engines import choose_engine
from evenfold.run.measures import ZERO_ONE, Measure, require_weighable, resolve_measures
from evenfold.run.progress import watch
from evenfold.run.records.keys import Version, measure_key, series_keys
from evenfold.run.records.records import partition_facts
from evenfold.run.records.results import Shelf, Unstored
from evenfold.run.records.stored import Stored, Wanted
from evenfold.run.stores import Store, open_store

_NEVER = 1e8  # seconds, three years: more than the alarms can count


class Options(TypedDict, total=False):
    """Keyword arguments of ``run`` that ``grow`` takes too."""

    measures: Any
    seed: int | None
    n_jobs: int | None
    store: str | Path | Store | None
    version: Version
    on_failure: str
    timeout: float | None
    sample_weight: Any
    groups: Any
    positive: Any
    scheme: str
    progress: bool | None
    note: Mapping[str, Any] | None


def prepare(algorithms: Any, partition: Partition, X: Any, y: Any, options: Options) -> Driver:
    """Check everything that can be checked before the first fit, and wire engine and shelf."""
    for name in options:
        one_of("option", name, Options.__annotations__)
    if not isinstance(partition, Partition):
        refuse("partition", "a Partition", partition, "say design.partition(n)")
    data = check_data(X, y, sample_weight=options.get("sample_weight"), groups=options.get("groups"))
    _require_fit(partition, data)
    measures = resolve_measures(
        options.get("measures", ZERO_ONE),
        data.target,
        positive=options.get("positive"),
        scheme=options.get("scheme", "IOB2"),
    )
    if data.weights is not None:
        require_weighable(measures, data.target)
    checked = check_algorithms(algorithms, tuple(data.metadata))
    on_failure = one_of("on_failure", options.get("on_failure", "record"), ("record", "raise"))
    timeout, n_jobs = _timeout(options.get("timeout")), _n_jobs(options.get("n_jobs"))
    job = Job(
        algorithms=checked,
        asked=[_asked(algorithm, measures) for algorithm in checked],
        scorers=_scorers(measures),
        cut=partition.cut,
        seed=_seed(options.get("seed")),
        keeps=options.get("store") is not None,
    )
    driver = Driver(
        job=job,
        data=data,
        partition=partition,
        measures=measures,
        make_engine=lambda: choose_engine(data, n_jobs=n_jobs, timeout=timeout),
        note=_note(options.get("note")),
        shelf=Unstored(),
        progress=watch(False),
        on_failure=cast("OnFailure", on_failure),
    )
    if (store := options.get("store")) is not None:
        driver.shelf = _stored(store, driver, options.get("version"))
    driver.progress = watch(options.get("progress"))  # last, so that no error leaves a bar behind
    return driver


def _scorers(measures: Sequence[Any]) -> dict[str, Any]:
    """What must be asked of fitted estimators, inside the cells."""
    return {one.responses[0]: one.scorer for one in measures if one.responses[0].startswith(LIVE)}


def _require_fit(partition: Partition, data: Data) -> None:
    """Refuse a partition of other data, and say if it shuffles what has an order in time."""
    if data.n != partition.n:
        refuse("partition", f"made for the {data.n} examples of X", f"a partition of {partition.n}")
    if data.timed and partition.kind.shape != "windows":
        shuffled = "but the design shuffles it: models are trained on later examples too"
        remedy = "which answers another question than forecasting does; say order=, or --order, for that one"
        warnings.warn(f"{data.timed} {shuffled}, {remedy}", OrderIgnored, stacklevel=4)


def _asked(algorithm: Algorithm, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Return the responses that the measures need of an algorithm, each once."""
    can, what = algorithm.responses(), f"algorithm {algorithm.name!r}"
    asked: dict[str, None] = {}
    for one in measures:
        if algorithm.is_function and one.of_estimators:
            refuse(what, f"an estimator for measure {one.name!r}", "a function: it fits and predicts at once")
        live = () if algorithm.is_function else tuple(r for r in one.responses if r.startswith(LIVE))
        response = next((r for r in (*one.responses, *live) if r in (*can, *live)), None)
        if response is None:
            wanted = " or ".join(one.responses).replace(LIVE, "a fitted estimator for ")
            refuse(what, f"able to give {wanted} for measure {one.name!r}", f"only {', '.join(can)}")
        asked[response] = None
    return tuple(asked)


def _stored(store: Any, driver: Driver, version: Version) -> Shelf:
    job = driver.job
    by_name = {one.name: one for one in driver.measures}

    def measure(cell: Cell, name: str, answer: Any, *seconds: float) -> Any:
        return driver.evaluate(by_name[name], cell, answer, *seconds)

    wanted = [
        Wanted(
            name=one.name,
            key=measure_key(one),
            responses=[driver.response(one, a) for a in range(len(job.algorithms))],
        )
        for one in driver.measures
    ]
    series = series_keys(driver.data, job.algorithms, seed=job.seed, version=version)
    about = {
        "algorithms": [one.name for one in job.algorithms],
        "measures": [{"name": one.name} for one in driver.measures],
        "partition": partition_facts(driver.partition),
    }
    opened = open_store(store)
    closes = opened is not store
    shelf = Stored(opened, series=series, wanted=wanted, measure=measure, about=about, closes=closes)
    shelf.extend(driver.partition)
    return shelf


def _note(note: object) -> dict[str, Any]:
    """Return what is kept beside a run, or refuse what JSON cannot write."""
    try:
        return dict(json.loads(json.dumps(note or {}, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        refuse("note", "a mapping of plain values", note, in_a_line(error))


def _seed(seed: object) -> int:
    if is_integer(seed) and seed < 0:
        refuse("seed", "None or an integer ≥ 0", seed)
    return seed_from(seed)


def _n_jobs(n_jobs: object) -> int | None:
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        refuse("n_jobs", "None or an integer that is not 0", n_jobs)
    return n_jobs


def _timeout(timeout: object) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
        refuse("timeout", "a number of seconds > 0", timeout)
    return float(timeout) if timeout < _NEVER else None
