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
from evenfold.core.kind import Kind
from evenfold.core.losses import Failure, Losses
from evenfold.core.measure import Quantity
from evenfold.core.partition import BlockCut, Cut, FoldCut, IndexCut, Partition
from evenfold.core.windows import WindowCut
from evenfold.run.fingerprints import fingerprint
from evenfold.run.kept.encoding import Arrays, from_bytes, from_npz, to_bytes, to_npz
from evenfold.run.stores import Address, Store, sealed, unsealed


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


def describe_runs(store: Store) -> dict[str, dict[str, Any]]:
    """Return what a store says of its runs by id, begun ones too, the oldest first; not of damaged ones."""
    whole = unsealed("runs", store.read("runs", list(store.keys("runs"))))
    told = {key.decode(): json.loads(content) for key, content in whole.items()}
    return dict(sorted(told.items(), key=lambda one: (one[1]["created"], one[0])))


def load_record(store: Store, name: str, run_id: object) -> tuple[dict[str, Any], Arrays]:
    """Read a snapshot, or refuse an id that the store does not have."""
    known = describe_runs(store)
    done = [one for one, about in known.items() if not about.get("unfinished")]
    if not isinstance(run_id, str) or run_id not in known:
        refuse("run_id", f"the id of a run in {name}", run_id, f"it has {', '.join(done[-5:]) or 'none'}")
    if run_id not in done:
        refuse("run_id", f"the id of a finished run in {name}", run_id, "the same call goes on with that one")
    key = run_id.encode()
    whole = unsealed("arrays", store.read("arrays", [key]))
    if not whole:
        raise StoreError(f"run {run_id!r} is damaged in {name}; run it again")
    return known[run_id], from_npz(whole[key])


def losses_from(description: Mapping[str, Any], arrays: Arrays, number: int, **single: Any) -> Losses:
    """Rebuild the losses of one measure; ``single`` is what is known of single examples."""
    measure = description["measures"][number]
    return Losses(
        quantity=Quantity(**measure["quantity"]),
        algorithms=tuple(description["algorithms"]),
        partition=partition_from(description["partition"], arrays),
        values=arrays[f"values{number}"],
        failures=tuple(Failure(**failure) for failure in measure["failures"]),
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


def partition_from(about: Mapping[str, Any], arrays: Arrays) -> Partition:
    """Rebuild a partition."""
    return Partition(
        kind=Kind(about["kind"], shape=about["shape"], about=about.get("about", "")),
        seed=about["seed"],
        cut=_cut(arrays, about["n"]),
        repetition=arrays["repetition"],
        fold=arrays["fold"],
    )


def _cut(arrays: Arrays, n: int) -> Cut:
    if "blocks" in arrays:
        return BlockCut(blocks=arrays["blocks"], trains=arrays["trains"])
    if "folds" in arrays:
        return FoldCut(folds=arrays["folds"], n_splits=len(arrays["repetition"]))
    if "edges" in arrays:
        return WindowCut(times=arrays["times"], edges=arrays["edges"])
    ends = np.cumsum(arrays["sizes"], axis=1)[:, :-1]
    trains, tests = np.split(arrays["train"], ends[0]), np.split(arrays["test"], ends[1])
    return IndexCut(n=n, trains=tuple(trains), tests=tuple(tests))
