"""What a fit is stored under: hashes of everything its result depends on."""

import sys
import warnings
from collections.abc import Mapping
from hashlib import blake2b
from secrets import token_bytes
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import NotReused
from evenfold.core.partition import Indices, Partition
from evenfold.core.words import one_line
from evenfold.run.algorithms import FittableAlgorithm
from evenfold.run.data import Data
from evenfold.run.fingerprints import Unhashable, fingerprint, installed_version
from evenfold.run.measures import Measure

# The defaults of scikit-learn: whether it is loaded must not count, a function may run before or
# after that.
_USUAL = {
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
_NUMERICAL = ("numpy", "scipy")
_FORMULAS = 2  # to be raised when a measure of ours gives other values than before
_SHOWN = ("display", "print_changed_only")

Version = str | Mapping[str, str] | None


def series_keys(
    data: Data, algorithms: list[FittableAlgorithm], *, seed: int, version: Version
) -> list[bytes]:
    """
    Hash data, algorithm and seed, for each algorithm.

    Refuse data that have no content to hash.
    """
    try:
        about_data = fingerprint(data.X, data.y, data.metadata)
    except Unhashable as error:
        refuse("X", "arrays, frames, texts or lists of them to use a store", str(error))
    names = [algorithm.name for algorithm in algorithms]
    if isinstance(version, Mapping) and (
        unknown := [name for name in version if name not in names]
    ):
        refuse("version", f"about the algorithms {', '.join(names)}", ", ".join(map(repr, unknown)))
    return [_series_key(about_data, algorithm, seed, version) for algorithm in algorithms]


def _series_key(
    about_data: bytes, algorithm: FittableAlgorithm, seed: int, version: Version
) -> bytes:
    if algorithm.random:  # no seed reaches an algorithm without randomness
        drawn_from = seed
    else:
        drawn_from = None
    about = _hash_algorithm(algorithm, version), _settings(), _base_versions()
    return fingerprint(about_data, algorithm.name, algorithm.fit_metadata, about, drawn_from)


def _settings() -> dict[str, Any]:
    """Return those settings of scikit-learn that are not as usual and may decide a prediction."""
    if "sklearn" not in sys.modules:
        return {}
    from sklearn import get_config

    config = get_config()
    return {
        key: config[key]
        for key in sorted(config)
        if key not in _SHOWN and config[key] != _USUAL.get(key)
    }


def _base_versions() -> dict[str, str | None]:
    """Return the versions of what nearly every library computes with."""
    return {name: installed_version(name) for name in _NUMERICAL}


def measure_key(measure: Measure) -> str | None:
    """
    Return under which name values of a measure are kept.

    Its own, and a hash of all that makes its values.

    Its name for readers is left out, which is the caller's to choose. None where values are not
    kept.
    """
    if measure.key is None:
        return None
    content = measure.about(name="", words="")
    try:
        made_of = fingerprint(_FORMULAS, type(measure), vars(content))
    except Unhashable as error:
        _say_not_reused(
            f"measure {measure.name!r}", error, "its values are computed again, by what is kept"
        )
        return None
    return f"{measure.key.replace(chr(0), '')} {made_of.hex()}"


def _hash_algorithm(algorithm: FittableAlgorithm, version: Version) -> bytes:
    """Hash an algorithm; a version stands only for parts without content, else it is ignored."""
    if isinstance(version, Mapping):
        given = version.get(algorithm.name)
    else:
        given = version
    try:
        return fingerprint(algorithm.subject, cloned=True)
    except Unhashable as error:
        if given is not None:
            return fingerprint(str(given), _leniently(algorithm))
        remedy = f"pass version={{{algorithm.name!r}: '1'}} and change it whenever the code changes"
        _say_not_reused(f"algorithm {algorithm.name!r}", error, remedy)
        # a key that no later call has: what is kept under it is only reopened
        return token_bytes(16)


def _say_not_reused(what: str, error: Unhashable, remedy: str) -> None:
    why = one_line(error)[:200]
    warnings.warn(
        f"{what} is run each time: a store cannot tell it from a changed one ({why}); {remedy}",
        NotReused,
        stacklevel=2,
    )


def _leniently(algorithm: FittableAlgorithm) -> bytes:
    """Hash what has content; the class alone where an object is not what it seems."""
    try:
        return fingerprint(algorithm.subject, cloned=True, lenient=True)
    except Unhashable:
        return fingerprint(type(algorithm.subject).__qualname__)


def split_keys(partition: Partition, start: int) -> list[bytes]:
    """Hash the splits from number ``start`` on: position, training and test indices."""
    cut = partition.cut
    return [_split_key(j, cut.train(j), cut.test(j)) for j in range(start, len(partition))]


def _split_key(number: int, train: Indices, test: Indices) -> bytes:
    """Hash one split; written out because runs may have a hundred thousand of them."""
    key = blake2b(f"{number} {len(train)} {len(test)} ".encode(), digest_size=16)
    key.update(np.ascontiguousarray(train, dtype=np.int64).data)
    key.update(np.ascontiguousarray(test, dtype=np.int64).data)
    return key.digest()
