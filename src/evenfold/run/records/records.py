"""
Runs as records: a snapshot of the losses in the store, so that a report needs neither data nor estimators.

A record is one JSON text and one ``.npz`` (partition, values, times, y); predictions stay in their cells and
are read when somebody asks for values per example.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import StoreError
from evenfold.core.losses import Losses
from evenfold.core.partition import BlockCut, Cut, FoldCut, IndexCut, Partition, WindowCut
from evenfold.run.fingerprints import fingerprint
from evenfold.run.records.described import (
    Cutting,
    Headline,
    Measured,
    Record,
    headline_of,
    record_of,
    unreadable,
)
from evenfold.run.records.encoding import Arrays, from_bytes, from_npz, to_bytes, to_npz
from evenfold.run.stores import Address, Store, sealed, unsealed

_HASH = 16  # bytes
_NUMBERS = ("values", "counts", "weights", "fit_", "predict_")  # the others are integers
_EACH = ("blocks", "folds", "times")  # what a cut has of every example


def save_record(store: Store, losses: Mapping[str, Losses], about: Mapping[str, Any], extra: Arrays) -> str:
    """Write a snapshot and return its id, which is the same for the same run."""
    first = next(iter(losses.values()))
    arrays = partition_arrays(first.partition) | extra
    arrays |= {"fit_seconds": first.fit_seconds, "predict_seconds": first.predict_seconds}
    arrays |= {} if first.weights is None else {"weights": first.weights}
    arrays |= {} if first.clusters is None else {"clusters": first.clusters}
    measures = []
    for i, one in enumerate(losses.values()):
        arrays[f"values{i}"] = one.values
        arrays |= {} if one.counts is None else {f"counts{i}": one.counts}
        failures = [asdict(failure) for failure in one.failures]
        measures.append({"name": one.measure, "quantity": asdict(one.quantity), "failures": failures})
    kind = partition_facts(first.partition)
    description = {**about, "algorithms": first.algorithms, "measures": measures, "partition": kind}
    run_id = fingerprint(json.dumps(description), arrays).hex()[:12]
    key = run_id.encode()
    if key not in store.read("runs", [key]):
        store.write(sealed({("arrays", key): to_npz(arrays), ("runs", key): _dated(description)}))
    return run_id


def begun(about: Mapping[str, Any], series: Sequence[bytes]) -> tuple[Address, bytes]:
    """Return where a run of these series of cells is noted until it is finished, and the note."""
    description = {**about, "unfinished": True}
    return ("runs", fingerprint(json.dumps(description), *series).hex()[:12].encode()), _dated(description)


def _dated(description: Mapping[str, Any]) -> bytes:
    return json.dumps({**description, "created": datetime.now(UTC).isoformat(timespec="seconds")}).encode()


def partition_facts(partition: Partition) -> dict[str, Any]:
    """Return what is said of a partition beside its arrays."""
    seed = None if partition.seed is None else int(partition.seed)  # JSON knows no numpy
    kind = {"kind": partition.kind, "shape": partition.kind.shape, "about": partition.kind.about}
    return {**kind, "seed": seed, "n": int(partition.n)}


def describe_runs(store: Store) -> dict[str, Headline | StoreError]:
    """Return what a store says of its runs by id, begun ones too, the oldest first; or what is wrong."""
    found = store.read("runs", list(store.keys("runs")))
    whole = unsealed("runs", found)
    told = {_id(key): headline_of(_id(key), whole[key]) for key in whole}
    told |= {
        _id(key): StoreError(f"run {_id(key)!r} is damaged; run it again") for key in found.keys() - whole
    }
    return dict(sorted(told.items(), key=lambda one: (getattr(one[1], "created", ""), one[0])))


def _id(key: bytes) -> str:
    return key.decode(errors="backslashreplace")


def load_record(store: Store, name: str, run_id: object) -> tuple[Record, Arrays]:
    """Read a snapshot, or refuse an id that the store does not have."""
    known = describe_runs(store)
    done = [one for one, about in known.items() if isinstance(about, Headline) and not about.unfinished]
    if not isinstance(run_id, str) or run_id not in known:
        refuse("run_id", f"the id of a run in {name}", run_id, f"it has {', '.join(done[-5:]) or 'none'}")
    if isinstance(broken := known[run_id], StoreError):
        raise broken
    if run_id not in done:
        refuse("run_id", f"the id of a finished run in {name}", run_id, "the same call goes on with that one")
    key = run_id.encode()
    contents = {drawer: unsealed(drawer, store.read(drawer, [key])) for drawer in ("runs", "arrays")}
    if not all(contents.values()):
        raise StoreError(f"run {run_id!r} is damaged in {name}; run it again")
    record = record_of(run_id, contents["runs"][key])
    try:
        arrays = from_npz(contents["arrays"][key])
        check_arrays(record, arrays)
    except Exception as error:
        raise unreadable(run_id, error) from error
    return record, arrays


def losses_from(record: Record, arrays: Arrays, number: int, **single: Any) -> Losses:
    """Rebuild the losses of one measure; ``single`` is what is known of single examples."""
    measure = record.measures[number]
    return Losses(
        quantity=measure.quantity,
        algorithms=record.algorithms,
        partition=partition_from(record.partition, arrays),
        values=arrays[f"values{number}"],
        failures=measure.failures,
        fit_seconds=arrays["fit_seconds"],
        predict_seconds=arrays["predict_seconds"],
        counts=arrays.get(f"counts{number}"),
        weights=arrays.get("weights"),
        clusters=arrays.get("clusters"),
        **single,
    )


def target_array(values: Any) -> np.ndarray:
    """Return y, labels or tag sequences, as bytes in an array."""
    return np.frombuffer(to_bytes(values), dtype=np.uint8)


def target_from(array: np.ndarray) -> Any:
    """Read what :func:`target_array` made."""
    return from_bytes(array.tobytes())


def partition_arrays(partition: Partition) -> Arrays:
    """Return the arrays of a partition; its certificate, which can be made again, is left out."""
    places = {"repetition": partition.repetition, "fold": partition.fold}
    return places | _cut_arrays(partition.cut)


def _cut_arrays(cut: Cut) -> Arrays:
    if isinstance(cut, BlockCut):
        return {"blocks": cut.blocks, "trains": cut.trains}
    if isinstance(cut, FoldCut):
        return {"folds": cut.folds}
    if isinstance(cut, WindowCut):
        return {"times": cut.times, "edges": cut.edges}
    trains = [cut.train(j) for j in range(cut.n_splits)]
    tests = [cut.test(j) for j in range(cut.n_splits)]
    sizes = np.array([[len(t) for t in trains], [len(t) for t in tests]])
    return {"sizes": sizes, "train": np.concatenate(trains), "test": np.concatenate(tests)}


def partition_from(about: Cutting, arrays: Arrays) -> Partition:
    """Rebuild a partition."""
    return Partition(
        kind=about.as_kind(),
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
    trains, tests = np.split(arrays["train"], ends[0]), np.split(arrays["test"], ends[1])
    return IndexCut(n=n, trains=tuple(trains), tests=tuple(tests))


def _require_within(numbers: np.ndarray, end: int) -> None:
    """Raise where integers are none or not between 0 and an end."""
    if numbers.dtype.kind not in "iu" or (numbers.size and not 0 <= numbers.min() <= numbers.max() < end):
        raise ValueError(f"numbers that are not all between 0 and {end - 1}")


def check_arrays(record: Record, arrays: Arrays) -> None:
    """Raise where arrays are missing, of another size than the record says, or point outside."""
    n = record.partition.n
    rows, splits = len(record.algorithms), len(arrays["repetition"])
    sizes: dict[str, tuple[int, ...]] = {"repetition": (splits,), "fold": (splits,)}
    sizes |= {"series": (rows, _HASH), "splits": (splits, _HASH)}
    sizes |= dict.fromkeys(("fit_seconds", "predict_seconds"), (rows, splits))
    sizes |= {f"values{i}": (rows, splits) for i in range(len(record.measures))}
    sizes |= {name: (rows, splits, 3) for name in arrays if name.startswith("counts")}
    sizes |= {name: (n,) for name in ("weights", "clusters", *_EACH) if name in arrays}
    for name, size in sizes.items():
        kinds = "f" if name.startswith(_NUMBERS) else "iu"
        if arrays[name].shape != size or arrays[name].dtype.kind not in kinds:
            raise ValueError(
                f"{name} of {arrays[name].dtype} and shape {arrays[name].shape} instead of {size}"
            )
    for i, measure in enumerate(record.measures):
        _check_failures(record, arrays[f"values{i}"], measure)
    cut = _cut(arrays, n)
    if (cut.n, cut.n_splits) != (n, splits):
        raise ValueError(f"{cut.n_splits} splits of {cut.n} examples instead of {splits} of {n}")
    if len(target_from(arrays["y"])) != n:
        raise ValueError(f"a target that is not one of {n} examples")


def _check_failures(record: Record, values: np.ndarray, measure: Measured) -> None:
    """Raise where a value is missing of which no failure tells, or there is one where it failed."""
    failed = np.zeros(values.shape, dtype=bool)
    for one in measure.failures:
        if not 0 <= one.split < values.shape[1]:
            raise ValueError(f"a failure on split {one.split} of {values.shape[1]}")
        failed[record.algorithms.index(one.algorithm), one.split] = True
    if not np.array_equal(failed, ~np.isfinite(values)):
        raise ValueError(f"values of {measure.name} that are no numbers")
