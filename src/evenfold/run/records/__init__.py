"""
Runs as records: losses kept in the store, so that a report needs neither data nor estimators.

A record is one JSON text and one ``.npz`` (partition, values, times, y); predictions stay in their
fits and are read when somebody asks for values per example.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse, refuse_value
from evenfold.core.errors import EvenfoldError, NotApplicable, StoreError
from evenfold.core.json import build, parse
from evenfold.core.losses import Failure, Losses, Quantity
from evenfold.core.partition import (
    BlockCut,
    Cut,
    FoldCut,
    IndexCut,
    Kind,
    Partition,
    Shape,
    WindowCut,
)
from evenfold.core.words import one_line
from evenfold.run.algorithms import CHOSEN, choices_of_all
from evenfold.run.cells import RESPONSES, Cell, Fault
from evenfold.run.data import as_target
from evenfold.run.driver import Result, Run, cells_of, evaluate, make_losses, values_per_example
from evenfold.run.fingerprints import fingerprint
from evenfold.run.measures import (
    Evaluated,
    Measure,
    Predictions,
    as_measure,
    require_weighable,
    resolve_measures,
)
from evenfold.run.records.encoding import Arrays, from_bytes, from_npz, to_npz
from evenfold.run.stores import (
    Address,
    Store,
    add_checksums,
    check_and_strip_checksums,
    open_stored,
    store_name,
)

# The description of a run in a store, read by the types of its fields, because files of unknown
# origin may contain anything.


# characters of a description; usual ones have some thousands, and more if many fits failed
_LONGEST = 2**28


@dataclass(frozen=True, kw_only=True, slots=True)
class PartitionRecord:
    """A partition without its arrays: the kind of the design, its seed, the number of examples."""

    kind: str
    shape: Shape
    about: str = ""
    seed: int | None
    n: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureName:
    """A measure, by its name."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Headline:
    """The description of any run, also of one that was not finished."""

    algorithms: tuple[str, ...]
    measures: tuple[MeasureName, ...]
    partition: PartitionRecord
    created: str
    unfinished: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureRecord:
    """A measure of a finished run."""

    name: str
    quantity: Quantity
    failures: tuple[Failure, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureSpec:
    """The name and the options from which a measure can be made again."""

    measure: str
    positive: Any = None
    scheme: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """The description of a finished run, without its arrays; ``note`` is the caller's."""

    algorithms: tuple[str, ...]
    measures: tuple[MeasureRecord, ...]
    partition: PartitionRecord
    seed: int
    asked: Mapping[str, MeasureSpec | None]
    responses: Mapping[str, tuple[str, ...]]
    note: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [measure.name for measure in self.measures]
        for what, listed in (("algorithms", list(self.algorithms)), ("measures", names)):
            if not listed or len(set(listed)) < len(listed):
                refuse(
                    what,
                    f"{what} must have different names but got {', '.join(listed)}.",
                )
        for name in names:
            if name not in self.asked or len(self.responses.get(name, ())) != len(self.algorithms):
                refuse(
                    "measures",
                    f"The record lacks the responses of the algorithms for measure {name!r}.",
                )


def headline_of(run_id: str, content: bytes) -> Headline | StoreError:
    """Return the description of a run, or the error that says why it cannot be read."""
    try:
        return build(Headline, _parse_description(content))
    except Exception as error:
        return unreadable(run_id, error)


def _parse_description(content: bytes) -> Any:
    if len(content) > _LONGEST:
        refuse(
            None,
            f"The description of a run must have at most {_LONGEST:,} bytes but has "
            f"{len(content):,}.",
        )
    return parse(content.decode(), parse_constant=str)


def unreadable(run_id: str, error: Exception) -> StoreError:
    """Return the error for a run that is in a store but cannot be read."""
    if isinstance(error, StoreError):
        return error
    reason = str(error)
    if not isinstance(error, EvenfoldError):
        reason = f"{type(error).__name__}: {error}"
    return StoreError(
        f"Run {run_id!r} cannot be read: {one_line(reason)[:120].rstrip('.')}. Run the comparison "
        "again."
    )


# Predictions in a store, which are read on access, together with those of the next splits.


_AHEAD = 32  # answers that are kept of each algorithm


def answer_key(key: bytes, response: str) -> bytes:
    """Return the key of a prediction in a store."""
    return key + response.encode()


def answer_from(content: bytes | None) -> Any:
    """Read a prediction; None if there is none or its bytes cannot be read."""
    if content is None:
        return None
    try:
        answer = from_bytes(content)
    except Exception:  # the header of an array of unknown origin may cause any error
        return None
    if isinstance(answer, np.ndarray) and not answer.ndim:
        return None
    return answer


class StoredAnswers:
    """
    The predictions of fits in a store; ``series`` and ``splits`` are the hashes of the fits.

    ``n_test`` is the number of test examples of each split, if that is known. If
    ``closes_after_read``, no connection stays open after a prediction was read.
    """

    def __init__(
        self,
        store: Store,
        series: Sequence[bytes],
        splits: Sequence[bytes],
        *,
        closes_after_read: bool,
        n_test: Sequence[int] | None = None,
    ) -> None:
        self._store = store
        self._n_test = n_test
        self._series = series
        self._splits = splits
        self.closes_after_read = closes_after_read
        self._ahead: dict[tuple[int, str], Mapping[bytes, bytes]] = {}

    def __call__(self, algorithm: int, split: int, response: str) -> Any:
        place = self._place(algorithm, split, response)
        ahead = self._ahead.get((algorithm, response), {})
        if place not in ahead:
            ahead = self._ahead[algorithm, response] = self._read(algorithm, split, response)
        if place not in ahead:
            raise NotApplicable(f"The store has no {response} of this fit, because the fit failed.")
        answer = answer_from(check_and_strip_checksums("answers", {place: ahead[place]}).get(place))
        if answer is None or self._is_of_other_size(answer, split, response):
            raise StoreError(
                f"The {response} of this fit is damaged in the store. Run the comparison again."
            )
        return answer

    def _is_of_other_size(self, answer: Any, split: int, response: str) -> bool:
        """Whether there is not one prediction for every test example."""
        if self._n_test is None or response not in RESPONSES:
            return False
        axes = getattr(answer, "ndim", 1)  # a list holds tag sequences
        return len(answer) != self._n_test[split] or axes > (1 if response == "predict" else 2)

    def _place(self, algorithm: int, split: int, response: str) -> bytes:
        return answer_key(self._series[algorithm] + self._splits[split], response)

    def _read(self, algorithm: int, split: int, response: str) -> Mapping[bytes, bytes]:
        following = range(split, min(split + _AHEAD, len(self._splits)))
        places = [self._place(algorithm, j, response) for j in following]
        try:
            return self._store.read("answers", places)
        finally:
            if self.closes_after_read:
                self._store.close()


_HASH = 16  # bytes
_NUMBERS = ("values", "counts", "weights", "fit_", "predict_")  # the others are integers
_EACH = ("blocks", "folds", "times")  # what a cut has of every example


def save_record(
    store: Store, losses: Mapping[str, Losses], about: Mapping[str, Any], extra: Arrays
) -> str:
    """Write a snapshot and return its id, which is the same for the same run."""
    first = next(iter(losses.values()))
    arrays = partition_arrays(first.partition) | extra
    arrays |= {"fit_seconds": first.fit_seconds, "predict_seconds": first.predict_seconds}
    if first.weights is not None:
        arrays["weights"] = first.weights
    if first.clusters is not None:
        arrays["clusters"] = first.clusters
    measures = []
    for i, of_measure in enumerate(losses.values()):
        arrays[f"values{i}"] = of_measure.values
        if of_measure.counts is not None:
            arrays[f"counts{i}"] = of_measure.counts
        record = MeasureRecord(
            name=of_measure.measure, quantity=of_measure.quantity, failures=of_measure.failures
        )
        measures.append(asdict(record))
    kind = partition_facts(first.partition)
    description = {**about, "algorithms": first.algorithms, "measures": measures, "partition": kind}
    run_id = fingerprint(json.dumps(description), arrays).hex()[:12]
    key = run_id.encode()
    if key not in store.read("runs", [key]):
        items = {("arrays", key): to_npz(arrays), ("runs", key): _dated_description(description)}
        store.write(add_checksums(items))
    return run_id


def begun_run_note(about: Mapping[str, Any], series: Sequence[bytes]) -> tuple[Address, bytes]:
    """Return where a run of these series of fits is noted until it is finished, and the note."""
    description = {**about, "unfinished": True}
    key = fingerprint(json.dumps(description), *series).hex()[:12].encode()
    return ("runs", key), _dated_description(description)


def _dated_description(description: Mapping[str, Any]) -> bytes:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({**description, "created": now}).encode()


def partition_facts(partition: Partition) -> dict[str, Any]:
    """Return the description of a partition without its arrays."""
    return {
        "kind": partition.kind,
        "shape": partition.kind.shape,
        "about": partition.kind.about,
        # JSON knows no numpy
        "seed": None if partition.seed is None else int(partition.seed),
        "n": int(partition.n),
    }


def describe_runs(store: Store) -> dict[str, Headline | StoreError]:
    """
    Return the descriptions of all runs in a store by id, unfinished ones too, the oldest first.

    If a run cannot be read, its error takes the place of the description.
    """
    contents = store.read("runs", list(store.keys("runs")))
    whole = check_and_strip_checksums("runs", contents)
    headlines = {_id(key): headline_of(_id(key), whole[key]) for key in whole}
    headlines |= {
        _id(key): StoreError(f"Run {_id(key)!r} is damaged. Run the comparison again.")
        for key in contents.keys() - whole
    }
    return dict(
        sorted(headlines.items(), key=lambda item: (getattr(item[1], "created", ""), item[0]))
    )


def _id(key: bytes) -> str:
    return key.decode(errors="backslashreplace")


def load_record(store: Store, name: str, run_id: object) -> tuple[Record, Arrays]:
    """Read a snapshot, or refuse an id that the store does not have."""
    known = describe_runs(store)
    done = [
        key for key, about in known.items() if isinstance(about, Headline) and not about.unfinished
    ]
    if not isinstance(run_id, str) or run_id not in known:
        remedy = "The store has no finished run."
        if done:
            remedy = f"The latest finished runs are {', '.join(done[-5:])}."
        refuse_value("run_id", run_id, f"the id of a run in {name}", remedy)
    if isinstance(broken := known[run_id], StoreError):
        raise broken
    if run_id not in done:
        refuse(
            "run_id",
            f"Run {run_id!r} in {name} is not finished.",
            "Repeat the call that began it: it continues where the run stopped.",
        )
    key = run_id.encode()
    contents = {
        bucket: check_and_strip_checksums(bucket, store.read(bucket, [key]))
        for bucket in ("runs", "arrays")
    }
    if not all(contents.values()):
        raise StoreError(f"Run {run_id!r} is damaged in {name}. Run the comparison again.")
    try:
        record = build(Record, _parse_description(contents["runs"][key]))
        arrays = from_npz(contents["arrays"][key])
        check_arrays(record, arrays)
    except Exception as error:
        raise unreadable(run_id, error) from error
    return record, arrays


def losses_from(
    record: Record, arrays: Arrays, number: int, partition: Partition, answers: StoredAnswers
) -> Losses:
    """Rebuild the losses of a measure, with those of single examples if the measure has a name."""
    measure = record.measures[number]
    per_example = {}
    if (spec := record.asked[measure.name]) is not None:
        target = as_target(target_from(arrays["y"]))
        known = {"positive": spec.positive, "scheme": spec.scheme}
        per_example = values_per_example(
            measure.quantity.per_example,
            measure=cache(lambda: as_measure(spec.measure).bind(target, **known)),
            responses=record.responses[measure.name],
            answer=answers,
            target=target,
            cut=partition.cut,
            weights=arrays.get("weights"),
        )
    return Losses(
        quantity=measure.quantity,
        algorithms=record.algorithms,
        partition=partition,
        values=arrays[f"values{number}"],
        failures=measure.failures,
        fit_seconds=arrays["fit_seconds"],
        predict_seconds=arrays["predict_seconds"],
        counts=arrays.get(f"counts{number}"),
        weights=arrays.get("weights"),
        clusters=arrays.get("clusters"),
        **per_example,
    )


def target_from(array: np.ndarray) -> Any:
    """Return y, labels or tag sequences, from its bytes in an array."""
    return from_bytes(array.tobytes())


def partition_arrays(partition: Partition) -> Arrays:
    """Return the arrays of a partition; its certificate, which can be made again, is left out."""
    arrays = {"repetition": partition.repetition, "fold": partition.fold}
    cut = partition.cut
    if isinstance(cut, BlockCut):
        return arrays | {"blocks": cut.blocks, "trains": cut.trains}
    if isinstance(cut, FoldCut):
        return arrays | {"folds": cut.folds}
    if isinstance(cut, WindowCut):
        return arrays | {"times": cut.times, "edges": cut.edges}
    trains, tests = zip(*cut.pairs(), strict=True)
    sizes = np.array([[*map(len, trains)], [*map(len, tests)]])
    # in this order, which the id of a run depends on
    return arrays | {"sizes": sizes, "train": np.concatenate(trains), "test": np.concatenate(tests)}


def partition_from(about: PartitionRecord, arrays: Arrays) -> Partition:
    """Rebuild a partition."""
    return Partition(
        kind=Kind(about.kind, shape=about.shape, about=about.about),
        seed=about.seed,
        cut=_cut(arrays, about.n),
        repetition=arrays["repetition"],
        fold=arrays["fold"],
    )


def _cut(arrays: Arrays, n: int) -> Cut:
    if "blocks" in arrays:
        if arrays["trains"].dtype.kind != "b" or arrays["trains"].ndim != 2:
            raise ValueError("no table of who trains")
        _require_within(arrays["blocks"], len(arrays["trains"]))
        return BlockCut(blocks=arrays["blocks"], trains=arrays["trains"])
    if "folds" in arrays:
        _require_within(arrays["folds"], len(arrays["repetition"]))
        return FoldCut(folds=arrays["folds"], n_splits=len(arrays["repetition"]))
    if "edges" in arrays:
        _require_within(arrays["edges"], len(arrays["times"]) + 1)
        return WindowCut(times=arrays["times"], edges=arrays["edges"])
    if arrays["sizes"].ndim != 2 or arrays["sizes"].min() < 0:
        raise ValueError("sizes of splits that cannot be")
    _require_within(arrays["train"], n)
    _require_within(arrays["test"], n)
    ends = np.cumsum(arrays["sizes"], axis=1)[:, :-1]
    trains = np.split(arrays["train"], ends[0])
    tests = np.split(arrays["test"], ends[1])
    return IndexCut(n=n, trains=tuple(trains), tests=tuple(tests))


def _require_within(numbers: np.ndarray, end: int) -> None:
    """Raise if numbers are not integers between 0 and an end."""
    if numbers.dtype.kind not in "iu" or (
        numbers.size and not 0 <= numbers.min() <= numbers.max() < end
    ):
        raise ValueError(f"numbers that are not all between 0 and {end - 1}")


def check_arrays(record: Record, arrays: Arrays) -> None:
    """Raise if arrays are missing, do not have the size in the record, or point outside."""
    n = record.partition.n
    rows = len(record.algorithms)
    splits = len(arrays["repetition"])
    sizes: dict[str, tuple[int, ...]] = {"repetition": (splits,), "fold": (splits,)}
    sizes |= {"series": (rows, _HASH), "splits": (splits, _HASH)}
    sizes |= dict.fromkeys(("fit_seconds", "predict_seconds"), (rows, splits))
    sizes |= {f"values{i}": (rows, splits) for i in range(len(record.measures))}
    sizes |= {name: (rows, splits, 3) for name in arrays if name.startswith("counts")}
    sizes |= {name: (n,) for name in ("weights", "clusters", *_EACH) if name in arrays}
    for name, size in sizes.items():
        kinds = "f" if name.startswith(_NUMBERS) else "iu"
        array = arrays[name]
        if array.shape != size or array.dtype.kind not in kinds:
            raise ValueError(f"{name} of {array.dtype} and shape {array.shape} instead of {size}")
    for i, measure in enumerate(record.measures):
        _check_failures(record, arrays[f"values{i}"], measure)
    cut = _cut(arrays, n)
    if (cut.n, cut.n_splits) != (n, splits):
        raise ValueError(f"{cut.n_splits} splits of {cut.n} examples instead of {splits} of {n}")
    if len(target_from(arrays["y"])) != n:
        raise ValueError(f"a target that is not one of {n} examples")


def _check_failures(record: Record, values: np.ndarray, measure: MeasureRecord) -> None:
    """Raise if a value is missing without a failure, or is present although the fit failed."""
    failed = np.zeros(values.shape, dtype=bool)
    for failure in measure.failures:
        if not 0 <= failure.split < values.shape[1]:
            raise ValueError(f"a failure on split {failure.split} of {values.shape[1]}")
        failed[record.algorithms.index(failure.algorithm), failure.split] = True
    if not np.array_equal(failed, ~np.isfinite(values)):
        raise ValueError(f"values of {measure.name} that are no numbers")


# Measures that were not asked for when a run was made, computed from the predictions in the store.


_USUAL_SCHEME = "IOB2"


def derive_losses(
    record: Record, arrays: Arrays, partition: Partition, answers: StoredAnswers, name: str
) -> Losses:
    """Return the losses of a measure by its name, or raise an error if predictions are missing."""
    target = as_target(target_from(arrays["y"]))
    known = next((spec for spec in record.asked.values() if spec is not None), None)
    positive, scheme = (known.positive, known.scheme) if known else (None, _USUAL_SCHEME)
    [measure] = resolve_measures(name, target, positive=positive, scheme=scheme)
    weights = arrays.get("weights")
    if weights is not None:
        require_weighable([measure], target)
    names = record.algorithms
    faults = {
        Cell(names.index(f.algorithm), f.split): Fault(f.kind, f.message, f.traceback)
        for f in record.measures[0].failures
        if f.kind != "measure"  # what only another measure could not do
    }
    cells = cells_of(len(names), range(len(partition)))
    responses = [
        _response(measure, names[a], answers, [c for c in cells if c[0] == a and c not in faults])
        for a in range(len(names))
    ]
    results = []
    for cell in cells:
        fit_seconds = float(arrays["fit_seconds"][cell])
        predict_seconds = float(arrays["predict_seconds"][cell])
        measured: Evaluated | Fault | None = faults.get(cell)
        if measured is None:
            response = responses[cell.algorithm]
            answer = Predictions(response, answers(*cell, response), fit_seconds, predict_seconds)
            measured = evaluate(measure, target, partition.cut.test(cell.split), answer, weights)
        results.append(Result(fit_seconds, predict_seconds, {measure.name: measured}))
    return make_losses(
        measure,
        names,
        partition,
        results,
        responses=responses,
        answer=answers,
        target=target,
        weights=weights,
        clusters=arrays.get("clusters"),
    )


def _response(measure: Measure, name: str, answers: StoredAnswers, cells: Sequence[Cell]) -> str:
    """Return a response that the measure can use and that the store has for all fits."""
    for response in measure.responses:
        with suppress(NotApplicable):
            for cell in cells:
                answers(*cell, response)
            return response
    wanted = " or ".join(measure.responses)
    raise NotApplicable(
        f"The store has no {wanted} of {name!r} for measure {measure.name!r}. Compare again with "
        "this measure, which fits what is missing."
    )


def load(store: str | Path | Store, run_id: str, *, measure: str | None = None) -> Run:
    """
    Read a run back from a store, without its data and without a fit.

    Parameters
    ----------
    store : path, URL or Store
        As in :func:`run`; one that is not there is refused, not made.
    run_id : str
        The ``id`` of a run.
    measure : str, optional
        The name of a measure that is to be among the losses. If it was not asked for when the run
        was made, it is computed from the stored predictions, if these are the ones it needs.

    Returns
    -------
    Run
        With the same losses. Values per example are read from the stored predictions when asked
        for, for measures known by name.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from evenfold.core.partition import KFOLD
    >>> from evenfold.core.partition import FoldCut, Partition
    >>> from evenfold.run import run
    >>> X, folds = np.arange(30.0)[:, None], np.arange(30) % 3
    >>> thirds = Partition(kind=KFOLD, seed=0, cut=FoldCut(folds=folds, n_splits=3),
    ...                    repetition=np.zeros(3, dtype=int), fold=np.arange(3))
    >>> with TemporaryDirectory() as folder:
    ...     done = run([GaussianNB()], thirds, X, X[:, 0] > 14, seed=0, store=f"{folder}/runs.db")
    ...     again = load(f"{folder}/runs.db", done.id)
    >>> (again["zero-one"].values == done["zero-one"].values).all()
    np.True_
    """
    if measure is not None and not isinstance(measure, str):
        refuse_value("measure", measure, "the name of a measure")
    with closing(open_stored(store)) as opened:
        record, arrays = load_record(opened, store_name(store), run_id)
    partition = partition_from(record.partition, arrays)
    series, splits = ([row.tobytes() for row in arrays[name]] for name in ("series", "splits"))
    n_test = partition.cut.sizes()[1].tolist()
    answers = StoredAnswers(opened, series, splits, closes_after_read=True, n_test=n_test)
    losses = {
        named.name: losses_from(record, arrays, number, partition, answers)
        for number, named in enumerate(record.measures)
    }
    if measure is not None and measure not in losses:
        losses[measure] = derive_losses(record, arrays, partition, answers, measure)

    return Run(
        losses=losses,
        fits=0,
        reused=arrays["values0"].size,
        speculative=0,
        seed=record.seed,
        id=run_id,
        note=record.note,
        **choices_of_all(record.algorithms, len(splits), partial(answers, response=CHOSEN)),
    )


def describe_stored_runs(store: str | Path | Store) -> dict[str, Headline | StoreError]:
    """
    Return the description of each run in a store by id, the oldest first, or its error.

    Parameters
    ----------
    store : path, URL or Store
        As in :func:`run`; a store that is not there is refused, not made.
    """
    with closing(open_stored(store)) as opened:
        return describe_runs(opened)
