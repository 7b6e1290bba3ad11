"""
One run in a process of its own, to be killed, starved or raced.

Prints ``ready``, then its result as JSON.

Algorithms are plain functions of numpy, so that the process starts fast.
"""

import argparse
import json
import logging
import resource
import signal
import sys
import time
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.core.errors import EvenfoldError
from evenfold.core.partition import MX2_BCV, BlockCut, Partition
from evenfold.core.rng import stream

REPETITIONS, EXAMPLES, SECONDS = 15, 160, 0.02


def partition() -> Partition:
    blocks = (stream(0, "blocks").permutation(EXAMPLES) % 16).astype(np.uint8)
    signs = np.array(
        [[(b & i).bit_count() % 2 == 0 for i in range(1, REPETITIONS + 1)] for b in range(16)]
    )
    trains = np.repeat(signs, 2, axis=1)
    trains[:, 1::2] ^= True
    return Partition(
        kind=MX2_BCV,
        seed=0,
        cut=BlockCut(blocks=blocks, trains=trains),
        repetition=np.repeat(np.arange(REPETITIONS), 2),
        fold=np.tile([0, 1], REPETITIONS),
    )


def data() -> tuple[Any, Any]:
    rng = stream(0, "data")
    y = rng.integers(2, size=EXAMPLES)
    return rng.normal(size=(EXAMPLES, 3)) + y[:, None], y


def nearest_mean(X_train: Any, y_train: Any, X_test: Any) -> Any:
    time.sleep(SECONDS)
    means = np.array([X_train[y_train == c].mean(axis=0) for c in (0, 1)])
    return ((X_test[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)


def coin(X_train: Any, y_train: Any, X_test: Any, *, seed: int) -> Any:  # noqa: ARG001
    time.sleep(SECONDS)
    return np.random.default_rng(seed).integers(2, size=len(X_test))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--store")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--file-limit", type=int)
    parser.add_argument("--silence", type=float)
    options = parser.parse_args(arguments)
    if options.silence:
        from evenfold.run.stores import _server

        _server._SILENCE_SECONDS = options.silence
    if options.file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (options.file_limit, options.file_limit))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    logging.basicConfig(level=logging.INFO)
    print("ready", flush=True)
    try:
        done = ef.run.run(
            [nearest_mean, coin],
            partition(),
            *data(),
            seed=7,
            measures=["zero-one", "f1"],
            n_jobs=options.jobs,
            store=options.store,
            version="1",
        )
    except EvenfoldError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 3
    except KeyboardInterrupt:
        print(json.dumps({"error": "interrupted"}), flush=True)
        return 130
    values = {name: losses.values.tolist() for name, losses in done.items()}
    failed = [str(failure) for failure in done.failures]
    result = {
        "fits": done.fits,
        "reused": done.reused,
        "values": values,
        "failed": failed,
    }
    print(json.dumps(result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
