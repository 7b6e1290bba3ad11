"""The contract of a store."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any

import numpy as np

from evenfold.core.partition import KFOLD, FoldCut, Partition
from evenfold.run import Store, load, measures, run
from evenfold.testing import contract, require, works

_RACERS = 4
_KEYS = [bytes([i, j]) * 16 for i in range(2) for j in range(3)]


def check_store(
    make: Callable[[], Store], *, lasting: bool = False, shared: bool = False, killed: bool = False
) -> None:
    """
    Check that a store keeps the rules that runs rely on.

    Parameters
    ----------
    make : callable
        Makes an empty store when called for the first time.
    lasting : bool, default False
        Whether ``make``, called again, opens the same store with its content.
    shared : bool, default False
        Whether stores that ``make`` opens respect each other's claims, also if many claim at the
        same time.
    killed : bool, default False
        Whether other processes may open it, too (``make`` is pickled), and the claims of a process
        are free after it was killed.

    Raises
    ------
    BrokenContract
        With the rule that is broken.

    Examples
    --------
    >>> import evenfold as ef
    >>> from evenfold.run.stores import MemoryStore
    >>> ef.testing.check_store(MemoryStore)
    """
    with contract(make):
        store = works(make, "it can be made")
    with contract(type(store).__name__):
        require(isinstance(store, Store), "it is a Store")
        works(partial(_check_items, store), "it reads and writes without an error")
        works(partial(_check_sizes, store), "it takes contents and keys of every size")
        works(partial(_check_threads, store), "threads may write to it at the same time")
        works(partial(_check_claims, store), "it claims without an error")
        works(partial(_check_runs, store), "a run can use it")
        if lasting:
            _check_lasting(store, make())
        if shared:
            _check_shared(make(), make())
            works(partial(_check_races, make), "many may claim at the same time")
        if killed:
            works(partial(_check_kill, make), "another process can open it")
        works(store.close, "it can be closed")


def _check_items(store: Store) -> None:
    a, b, c = _KEYS[:3]
    require(dict(store.read("cells", [a])) == {}, "an empty store has nothing")
    require(list(store.keys("cells")) == [], "an empty store has no keys")
    store.write({("cells", a): b"one", ("cells", b): b"two", ("answers", a): b"three"})
    contents = dict(store.read("cells", [a, b, c]))
    require(
        contents == {a: b"one", b: b"two"}, "it gives what was written, and only what was asked for"
    )
    require(
        all(type(v) is bytes for pair in contents.items() for v in pair),
        "keys and contents are bytes",
    )
    require(dict(store.read("answers", [a, b])) == {a: b"three"}, "buckets are apart")
    require(dict(store.read("cells", [])) == {}, "asked for nothing it gives nothing")
    store.write({("cells", a): b"four"})
    require(store.read("cells", [a])[a] == b"four", "what is written again is replaced")
    require(sorted(store.keys("cells")) == [a, b], "it lists its keys, each once")
    store.write({})
    store.remove([("cells", a), ("cells", c)])
    require(
        dict(store.read("cells", [a, b])) == {b: b"two"},
        "what is removed is gone, and nothing else",
    )
    store.remove([("cells", b), ("answers", a)])


def _check_sizes(store: Store) -> None:
    contents = [b"", b"\0", bytes(range(256)), b"x" * 2**20]
    keys = [bytes([i]) * size for i, size in enumerate((1, 16, 32, 200), start=1)]
    store.write({("answers", key): content for key, content in zip(keys, contents, strict=True)})
    read = dict(store.read("answers", keys))
    require(read == dict(zip(keys, contents, strict=True)), "contents come back byte for byte")
    store.remove([("answers", key) for key in keys])
    many = {i.to_bytes(32, "big"): i.to_bytes(4, "big") for i in range(7000)}
    store.write({("cells", key): content for key, content in many.items()})
    require(dict(store.read("cells", many.keys())) == many, "it finds seven thousand keys at once")
    store.remove([("cells", key) for key in many])
    require(list(store.keys("cells")) == [], "it forgets seven thousand keys")


def _check_threads(store: Store) -> None:
    def write(number: int) -> None:
        for i in range(20):
            store.write({("cells", bytes([number, i]) * 16): bytes([number, i])})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    keys = [bytes([number, i]) * 16 for number in range(4) for i in range(20)]
    contents = store.read("cells", keys)
    require(len(contents) == len(keys), "what threads write at the same time is all there")
    store.remove([("cells", key) for key in keys])


def _check_claims(store: Store) -> None:
    mine = store.claim(_KEYS)
    require(mine == set(_KEYS), "in an empty store everything can be claimed")
    store.write({("cells", _KEYS[0]): b"done"})
    store.release(_KEYS[1:])
    require(set(_KEYS[1:]) <= store.claim(_KEYS[1:]), "what was given back can be claimed again")
    store.release(_KEYS[1:])
    store.remove([("cells", _KEYS[0])])


def _zeros(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (learns nothing)
    return np.zeros(len(X_test), dtype=int)


def _run(store: Store, **options: Any) -> Any:
    y = np.arange(24) % 2
    partition = Partition(
        kind=KFOLD,
        seed=0,
        cut=FoldCut(folds=(np.arange(24) % 3).astype(np.uint8), n_splits=3),
        repetition=np.zeros(3, dtype=int),
        fold=np.arange(3),
    )
    return run(
        {"zeros": _zeros}, partition, y[:, None], y, seed=0, store=store, progress=False, **options
    )


def _check_runs(store: Store) -> None:
    first = _run(store)
    second = _run(store)
    require((first.fits, second.fits, second.reused) == (3, 0, 3), "a second run fits nothing")
    other = _run(store, measures=_measures_of_predictions(), positive=1)
    require(other.fits == 0, "another measure is computed from the answers it keeps")
    require(first.id == second.id and first.id is not None, "it keeps runs by their id")
    again = load(store, first.id)
    (losses,) = first.values()
    (kept,) = again.values()
    require(np.array_equal(losses.values, kept.values), "a run that is loaded has the same values")


def _measures_of_predictions() -> list[str]:
    """Name the measures that can be computed from what every run keeps."""
    return [
        key
        for key, measure in measures().items()
        if measure.responses == ("predict",) and not measure.quantity.ratio  # costs are ratios
    ]


def _check_races(make: Callable[[], Store]) -> None:
    """Let stores claim the same cells at the same time: each is worked on by one of them."""
    keys = [bytes([i]) * 32 for i in range(50)]
    stores = [make() for _ in range(_RACERS)]
    start = Barrier(_RACERS)

    def claim(store: Store) -> set[bytes]:
        start.wait()
        return store.claim(keys)

    with ThreadPoolExecutor(_RACERS) as pool:
        claimed = list(pool.map(claim, stores))
    require(sum(map(len, claimed)) == len(set().union(*claimed)), "of racers one claims a cell")
    require(set().union(*claimed) == set(keys), "of several threads exactly one claims a cell")
    for store in stores:
        store.close()


_KILLED = """
import os, pickle, sys
make, keys = pickle.load(sys.stdin.buffer)
store = make()
store.write({("cells", keys[0]): b"whole"})
assert store.claim(keys[1:]) == set(keys[1:])
os._exit(9)
"""
_AT_ONCE = 9  # the exit code of a process that ended without putting anything away, on any system


def _check_kill(make: Callable[[], Store]) -> None:
    """
    Let a process claim cells and be killed.

    Nothing that it wrote may be lost, and nothing may stay claimed.
    """
    words = [sys.executable, "-c", _KILLED]
    message = pickle.dumps((make, _KEYS))
    died = subprocess.run(words, input=message, check=False, capture_output=True)
    require(died.returncode == _AT_ONCE, f"another process can claim ({died.stderr.decode()})")
    store = make()
    kept = dict(store.read("cells", _KEYS[:1]))
    require(kept == {_KEYS[0]: b"whole"}, "what a killed process wrote is there")
    require(store.claim(_KEYS[1:]) == set(_KEYS[1:]), "what a killed process claimed is free")
    store.remove([("cells", _KEYS[0])])
    store.close()


def _check_lasting(store: Store, again: Store) -> None:
    key = b"lasting" * 4
    store.write({("runs", key): b"content"})
    require(
        again.read("runs", [key]).get(key) == b"content", "opened again it has what was written"
    )
    store.remove([("runs", key)])
    again.close()


def _check_shared(first: Store, second: Store) -> None:
    mine = first.claim(_KEYS[:2])
    theirs = second.claim(_KEYS)
    require(mine == set(_KEYS[:2]), "what nobody works on can be claimed")
    require(not mine & theirs, "nobody else can claim what is claimed")
    first.write({("cells", _KEYS[0]): b"done"})
    require(_KEYS[0] in second.claim(_KEYS[:1]), "a written cell is given back")
    first.close()
    require(_KEYS[1] in second.claim(_KEYS), "a store that is closed gives back its claims")
    second.remove([("cells", _KEYS[0])])
    second.close()
