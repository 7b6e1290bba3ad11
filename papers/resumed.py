"""
A study on a device that is killed and goes on: ``python -m papers.resumed OUT --device cuda``.

A first process is killed as soon as its store holds some chunks; a second one finishes from there;
a third does the whole without a store. The rows of the last two must be equal.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

import evenfold as ef
from evenfold_lab.arrays import Place
from evenfold_lab.cuts import CHUNK


def study(device: str, replications: int, store: str | None) -> tuple[ef.lab.Study, float]:
    """The study, and its seconds."""
    start = perf_counter()
    settings: Any = {"methods": ["nested-cv"], "n": 100, "random_state": 1, "progress": False}
    done = ef.lab.type1(
        "two-gaussians", replications=replications, device=device, store=store, **settings
    )
    return done, perf_counter() - start


def chunks(store: Path) -> int:
    """How many chunks a store holds."""
    import sqlite3

    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as base:
            return int(base.execute("select count(*) from chunks").fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--replications", type=int, default=10_000)
    parser.add_argument("--only", default=None, help="used by the process that is killed")
    options = parser.parse_args()
    if options.only:
        study(options.device, options.replications, options.only)
        return
    with TemporaryDirectory() as folder:
        store = Path(folder) / "study.db"
        command = [sys.executable, "-m", "papers.resumed", str(options.out), "--only", str(store)]
        command += ["--device", options.device, "--replications", str(options.replications)]
        first = subprocess.Popen(command)
        while chunks(store) == 0 and first.poll() is None:
            sleep(0.05)
        first.kill()
        first.wait()
        kept = chunks(store)
        again, seconds = study(options.device, options.replications, str(store))
    whole, alone = study(options.device, options.replications, None)
    record = {
        "device": Place.of(options.device).words,
        "chunks": -(-options.replications // CHUNK),
        "kept when killed": kept,
        "seconds to go on": round(seconds, 1),
        "seconds of the whole": round(alone, 1),
        "equal": again.rows == whole.rows,
    }
    options.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(record)


if __name__ == "__main__":
    main()
