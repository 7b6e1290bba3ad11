"""What a cell is stored under: hashes of everything its result depends on."""

from collections.abc import Mapping
from hashlib import blake2b

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.partition import Indices, Partition
from evenfold.run.algorithms import Algorithm
from evenfold.run.data import Data
from evenfold.run.fingerprints import Unhashable, fingerprint

Version = str | Mapping[str, str] | None


def series_keys(data: Data, algorithms: list[Algorithm], *, seed: int, version: Version) -> list[bytes]:
    """Hash data, algorithm and seed, for each algorithm; refuse what has no content to hash."""
    try:
        about_data = fingerprint(data.X, data.target.values, data.metadata)
    except Unhashable as error:
        refuse("X", "arrays, frames, texts or lists of them to use a store", str(error))
    names = [algorithm.name for algorithm in algorithms]
    if isinstance(version, Mapping) and (unknown := [name for name in version if name not in names]):
        refuse("version", f"about the algorithms {', '.join(names)}", ", ".join(map(repr, unknown)))
    return [_series_key(about_data, algorithm, seed, version) for algorithm in algorithms]


def _series_key(about_data: bytes, algorithm: Algorithm, seed: int, version: Version) -> bytes:
    drawn_from = seed if algorithm.random else None  # no seed reaches an algorithm without randomness
    about = _about(algorithm, version)
    return fingerprint(about_data, algorithm.name, algorithm.fit_metadata, about, drawn_from)


def _about(algorithm: Algorithm, version: Version) -> bytes:
    """Hash an algorithm; a version stands only for those parts that have no content."""
    given = version.get(algorithm.name) if isinstance(version, Mapping) else version
    try:
        return fingerprint(algorithm.subject, cloned=True)
    except Unhashable as error:
        if given is not None:
            return fingerprint(str(given), fingerprint(algorithm.subject, cloned=True, lenient=True))
        remedy = f"pass version={{{algorithm.name!r}: '1'}} and change it whenever the code changes"
        refuse(f"algorithm {algorithm.name!r}", "hashable by its content to use a store", str(error), remedy)


def split_keys(partition: Partition, start: int = 0) -> list[bytes]:
    """Hash the splits from number ``start`` on: position, training and test indices."""
    cut = partition.cut
    return [_split_key(j, cut.train(j), cut.test(j)) for j in range(start, len(partition))]


def _split_key(number: int, train: Indices, test: Indices) -> bytes:
    """Hash one split; written out because runs may have a hundred thousand of them."""
    key = blake2b(f"{number} {len(train)} {len(test)} ".encode(), digest_size=16)
    key.update(np.ascontiguousarray(train, dtype=np.int64).data)
    key.update(np.ascontiguousarray(test, dtype=np.int64).data)
    return key.digest()
