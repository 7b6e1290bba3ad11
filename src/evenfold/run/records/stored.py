"""
The shelf of a run in a store, in which fits are found by the content of their inputs.

A key consists of two content hashes: a *series* (data, algorithm with its versions, settings, seed)
and a *split* (indices). The values of measures are small, and hundreds of thousands are read at
once. Predictions are ``.npy`` bytes, which are read on access. Everything has a checksum, and what
is damaged is reported and computed again.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.errors import NotReused, StoreError
from evenfold.core.losses import Losses
from evenfold.core.partition import Indices, Partition
from evenfold.core.words import one_line
from evenfold.run.algorithms import FittableAlgorithm
from evenfold.run.cells import Cell, CellOutcome, Fault
from evenfold.run.data import Data
from evenfold.run.driver import Driver, FitShelf, Result
from evenfold.run.engines.settings import sklearn_config
from evenfold.run.fingerprints import Unhashable, fingerprint
from evenfold.run.libraries import installed_version
from evenfold.run.measures import Evaluated, Measure
from evenfold.run.progress import log
from evenfold.run.records import (
    StoredAnswers,
    answer_from,
    answer_key,
    begun_run_note,
    partition_facts,
    save_record,
)
from evenfold.run.records.encoding import cell_from_bytes, cell_to_bytes, to_bytes
from evenfold.run.stores import (
    Address,
    Store,
    add_checksums,
    check_and_strip_checksums,
    open_store,
)

# The key of a fit: hashes of everything that its result depends on.


# The defaults of scikit-learn, so that a key does not depend on whether scikit-learn is loaded.
_SKLEARN_DEFAULTS = {
    "array_api_dispatch": False,
    "assume_finite": False,
    "enable_cython_pairwise_dist": True,
    "enable_metadata_routing": False,
    "pairwise_dist_chunk_size": 256,
    "skip_parameter_validation": False,
    "sparse_interface": "spmatrix",
    "transform_output": "default",
    "working_memory": 1024,
}
_NUMERICAL = ("numpy", "scipy")  # what nearly every library computes with
_FORMULAS = 2  # to be raised when a measure of ours gives other values than before
_SHOWN = ("display", "print_changed_only")

Version = str | Mapping[str, str] | None


def series_keys(
    data: Data, algorithms: list[FittableAlgorithm], *, seed: int, version: Version
) -> list[bytes]:
    """
    Return a hash of data, algorithm and seed for each algorithm.

    Data whose content cannot be hashed are refused.
    """
    try:
        about_data = fingerprint(data.X, data.y, data.metadata)
    except Unhashable as error:
        refuse(
            "X",
            "X must hold arrays, frames, texts or lists of them if there is a store, because the "
            f"store knows data by their content, but X holds {error}.",
        )
    names = [algorithm.name for algorithm in algorithms]
    if isinstance(version, Mapping) and (
        unknown := [name for name in version if name not in names]
    ):
        refuse(
            "version",
            f"version must name algorithms among {', '.join(names)} but names "
            f"{', '.join(map(repr, unknown))}.",
        )
    versions = {name: installed_version(name) for name in _NUMERICAL}
    keys = []
    for algorithm in algorithms:
        about = _hash_algorithm(algorithm, version), _settings(), versions
        drawn_from = seed if algorithm.random else None  # no seed if nothing is random
        keys.append(
            fingerprint(about_data, algorithm.name, algorithm.fit_metadata, about, drawn_from)
        )
    return keys


def _settings() -> dict[str, Any]:
    """Return the settings of scikit-learn that may decide a prediction and are not the default."""
    config = sklearn_config() or {}
    return {
        key: config[key]
        for key in sorted(config)
        if key not in _SHOWN and config[key] != _SKLEARN_DEFAULTS.get(key)
    }


def measure_key(measure: Measure) -> str | None:
    """
    Return the key of a measure in a store; None if its values are not kept.

    The key has the measure's own name and a hash of everything that its values depend on. The name
    that the caller chose for reports does not count.
    """
    if measure.key is None:
        return None
    content = measure.about(name="", words="")
    try:
        made_of = fingerprint(_FORMULAS, type(measure), vars(content))
    except Unhashable as error:
        _warn_not_reused(
            f"The values of measure {measure.name!r} are computed",
            error,
            "They come from the stored predictions, so no fit is repeated.",
        )
        return None
    return f"{measure.key.replace(chr(0), '')} {made_of.hex()}"


def _hash_algorithm(algorithm: FittableAlgorithm, version: Version) -> bytes:
    """Hash an algorithm. A version is used only if some parts have no content to hash."""
    own_version = version.get(algorithm.name) if isinstance(version, Mapping) else version
    try:
        return fingerprint(algorithm.subject, cloned=True)
    except Unhashable as error:
        if own_version is not None:
            return fingerprint(str(own_version), _leniently(algorithm))
        _warn_not_reused(
            f"Algorithm {algorithm.name!r} is fitted",
            error,
            f"Pass version={{{algorithm.name!r}: '1'}} and change the version whenever the code "
            "changes.",
        )
        # a key that no later call has: what is kept under it is only reopened
        return token_bytes(16)


def _warn_not_reused(what: str, error: Unhashable, remedy: str) -> None:
    warnings.warn(
        f"{what} again in each call, because the store cannot tell whether the code has changed: "
        f"it contains {one_line(error)[:200]}. {remedy}",
        NotReused,
        stacklevel=2,
    )


def _leniently(algorithm: FittableAlgorithm) -> bytes:
    """Hash the parts that have content, or the class alone if the object cannot be read."""
    try:
        return fingerprint(algorithm.subject, cloned=True, lenient=True)
    except Unhashable:
        return fingerprint(type(algorithm.subject).__qualname__)


def split_keys(partition: Partition, start: int) -> list[bytes]:
    """Return hashes of the splits from number ``start`` on: position and indices."""
    cut = partition.cut
    return [_split_key(j, cut.train(j), cut.test(j)) for j in range(start, len(partition))]


def _split_key(number: int, train: Indices, test: Indices) -> bytes:
    """Hash one split, without the slower general hash, because there may be 100,000 splits."""
    key = blake2b(f"{number} {len(train)} {len(test)} ".encode(), digest_size=16)
    key.update(np.ascontiguousarray(train, dtype=np.int64).data)
    key.update(np.ascontiguousarray(test, dtype=np.int64).data)
    return key.digest()


_UNWRITTEN_SECONDS = 0.05  # how much work may wait to be written together
_UNWRITTEN_CELLS = 4096


class StoredShelf(FitShelf):
    """
    The shelf of a run in a store; ``series`` and ``splits`` are the hashes of its fits.

    The store lists the run as unfinished from the first fits on until it is recorded.
    """

    def __init__(self, driver: Driver, store: str | Path | Store, version: Version) -> None:
        algorithms = driver.job.algorithms
        self._driver = driver
        # by name of the measure: its key in the store, and the responses that it needs
        self._measure_keys = {measure.name: measure_key(measure) for measure in driver.measures}
        self._responses = {
            measure.name: [driver.response(measure, a) for a in range(len(algorithms))]
            for measure in driver.measures
        }
        self.series = series_keys(driver.data, algorithms, seed=driver.job.seed, version=version)
        self.splits: list[bytes] = []
        self.store = open_store(store)
        self._closes = self.store is not store  # it was opened for this run
        self._answers = StoredAnswers(self.store, self.series, self.splits, closes_after_read=False)
        about = {
            "algorithms": [algorithm.name for algorithm in algorithms],
            "measures": [{"name": name} for name in self._responses],
            "partition": partition_facts(driver.partition),
        }
        self._place, self._begun = begun_run_note(about, self.series)  # written with the first fits
        self._announced: set[bytes] = set()
        self._claimed: set[bytes] = set()
        self._failed: set[bytes] = set()  # earlier
        self._noted = False
        self._unwritten: list[tuple[CellOutcome, Result]] = []
        self._unwritten_seconds = 0.0
        self.extend(driver.partition)

    def extend(self, partition: Partition) -> None:
        """Hash the splits that are new."""
        self.splits += split_keys(partition, start=len(self.splits))

    def _key(self, cell: Cell) -> bytes:
        return self.series[cell[0]] + self.splits[cell[1]]

    def find(self, cells: Sequence[Cell]) -> dict[Cell, Result]:
        """Return the results of fits whose measures the store has, or has predictions for."""
        if not cells:
            return {}
        keys = {self._key(cell): cell for cell in cells}
        names = {key: name for name, key in self._measure_keys.items() if key is not None}
        contents = self._read("cells", keys)
        results: dict[bytes, Result] = {}
        for key, content in contents.items():
            if (stored := cell_from_bytes(content)) is not None:
                fit_seconds, predict_seconds, values = stored
                measured: dict[str, Evaluated | Fault] = {
                    names[of]: value for of, value in values.items() if of in names
                }
                results[key] = Result(fit_seconds, predict_seconds, measured)
        if strange := len(contents) - len(results):
            log.warning("%d stored fits cannot be read and are fitted again", strange)
        self._derive(results, keys, contents)
        self._failed |= self.store.read(
            "faults", [key for key in keys if key not in results]
        ).keys()
        wanted = len(self._driver.measures)
        lacking = [key for key, result in results.items() if len(result.measured) < wanted]
        self._announce({key: keys[key] for key in lacking})
        for key in lacking:
            del results[key]
        return {keys[key]: result for key, result in results.items()}

    def _read(self, bucket: str, keys: Mapping[bytes, Any]) -> dict[bytes, bytes]:
        """
        Return the undamaged contents of keys.

        Damaged contents are reported, and are computed again later.
        """
        contents = self.store.read(bucket, keys.keys())
        whole = check_and_strip_checksums(bucket, contents)
        if damaged := len(contents) - len(whole):
            log.warning("%d stored %s are damaged and are computed again", damaged, bucket)
        return whole

    def _announce(self, incomplete: dict[bytes, Cell]) -> None:
        """Report, once, the finished fits that are repeated because a prediction was not kept."""
        new = incomplete.keys() - self._announced
        if new:
            self._announced |= new
            algorithms = {incomplete[key].algorithm for key in new}
            responses = {each[a] for a in algorithms for each in self._responses.values()}
            what = " or ".join(sorted(response.partition(" ")[0] for response in responses))
            message = "%d stored fits are fitted again, because their %s was not kept before"
            log.warning(message, len(new), what)

    def _derive(
        self, results: dict[bytes, Result], keys: dict[bytes, Cell], contents: Mapping[bytes, bytes]
    ) -> None:
        """Compute measures that the store lacks from stored predictions, and keep them."""
        changed = set()
        for measure in self._driver.measures:
            responses = self._responses[measure.name]
            lacking = {
                answer_key(key, responses[keys[key].algorithm]): key
                for key, result in results.items()
                if measure.name not in result.measured
            }
            for address, content in self._read("answers", lacking).items():
                answer = answer_from(content)
                if answer is None:
                    continue
                key = lacking[address]
                result = results[key]
                seconds = result.fit_seconds, result.predict_seconds
                value = self._driver.evaluate(measure, keys[key], answer, *seconds)
                result.measured[measure.name] = value
                if self._measure_keys[measure.name] is not None and isinstance(value, Evaluated):
                    changed.add(key)
        if changed:
            self._keep_values(
                {("cells", key): self._content_of(results[key], contents[key]) for key in changed}
            )

    def _keep_values(self, items: Mapping[Address, bytes]) -> None:
        """Write values that were computed from predictions, if the store can be written."""
        try:
            self.store.write(add_checksums(items))
        except StoreError:
            log.info("%d values were not kept, because the store cannot be written", len(items))

    def claim(self, cells: Sequence[Cell]) -> set[Cell]:
        keys = {self._key(cell): cell for cell in cells}
        mine = self.store.claim(keys.keys())
        self._claimed |= mine
        return {keys[key] for key in mine}

    def put(self, outcome: CellOutcome, result: Result) -> None:
        """Keep a fit. Fits are written together when they took 50 ms of work."""
        self._unwritten.append((outcome, result))
        self._unwritten_seconds += sum(outcome.seconds)
        if (
            self._unwritten_seconds >= _UNWRITTEN_SECONDS
            or len(self._unwritten) >= _UNWRITTEN_CELLS
        ):
            self.flush()

    def flush(self) -> None:
        """Write everything that waits, at once."""
        if not self._unwritten:
            return
        items: dict[Address, bytes] = {} if self._noted else {self._place: self._begun}
        for outcome, result in self._unwritten:
            key = self._key(outcome.cell)
            if outcome.fault is None:
                items["cells", key] = self._content_of(result)
                for response, answer in outcome.answers.items():
                    items["answers", answer_key(key, response)] = to_bytes(answer)
            else:
                items["faults", key] = json.dumps(outcome.fault._asdict()).encode()
        self.store.write(add_checksums(items))
        self._noted = True
        done = {key for bucket, key in items if bucket == "cells"}
        if mended := done & self._failed:
            self.store.remove(("faults", key) for key in mended)
        self._claimed -= done
        self._unwritten.clear()
        self._unwritten_seconds = 0.0

    def _content_of(self, result: Result, before: bytes = b"") -> bytes:
        """Return a fit as bytes: its times, the values that were known before and those of now."""
        stored = cell_from_bytes(before)
        values = {} if stored is None else stored[2]
        for name, key in self._measure_keys.items():
            value = result.measured.get(name)
            if key is not None and isinstance(value, Evaluated):
                values[key] = value
        return cell_to_bytes(result.fit_seconds, result.predict_seconds, values)

    def answer(self, cell: Cell, response: str) -> Any:
        return self._answers(cell.algorithm, cell.split, response)

    def record(self, losses: Mapping[str, Losses], about: dict[str, Any], y: Any) -> str | None:
        """Keep the run as a snapshot; None if the store cannot be written."""
        splits = self.splits[: len(next(iter(losses.values())).partition)]
        extra = {
            "series": _as_array(self.series),
            "splits": _as_array(splits),
            "y": np.frombuffer(to_bytes(y), dtype=np.uint8),
        }
        try:
            run_id = save_record(self.store, losses, {**about, "responses": self._responses}, extra)
            if self.store.read("runs", [self._place[1]]):
                self.store.remove([self._place])
        except StoreError:
            return None
        return run_id

    def close(self) -> None:
        """Give back the claims; a store of the caller's stays open."""
        if self._closes:
            self._answers.closes_after_read = True
            self.store.close()
        elif self._claimed:
            self.store.release(self._claimed)


def _as_array(keys: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)
