"""
The battery on one GPU, several populations at a time: ``python -m papers.battery OUT``.

Cuts that look at no data are the same for all populations, so they are made first, by all
processors. Then, while one process draws or judges, others fit. Each population leaves
``OUT/lines/NUMBER.json`` when it is done, so that a run that was stopped goes on with the others;
the cards are in ``OUT/cards`` at the end, and ``OUT/battery.json`` says how long each took and on
what.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from traceback import print_exc
from typing import Any

import numpy as np
from joblib.externals.loky import get_reusable_executor

import evenfold as ef
from evenfold_lab.arrays import Place
from evenfold_lab.cuts import CHUNK, Cuts, can_share, cut_sharing, share_cuts
from evenfold_lab.studies.answers import design_of
from evenfold_lab.studies.battery import BATTERY, SEED, measure_line, with_cards, write_cards
from evenfold_lab.world import World
from papers.gpu import share_memory

# Populations whose models take longest begin first.
SLOW = ("digits, tree against 1-NN", "SCLA, SVM against kNN", "SREG, ridge against lasso")


def begin(streams: int, cuts: Path) -> None:
    """What each of several processes is told."""
    share_memory(streams)
    share_cuts(cuts)


def cut_ahead(chosen: Sequence[int], replications: int, cuts: Path) -> None:
    """Cut for all populations what looks at none of them."""
    wanted: dict[tuple[str, int], Any] = {}
    for item in (BATTERY[i] for i in chosen if BATTERY[i].design is None):
        setup = item.setup()
        if isinstance(setup.world, World):
            designs = (design_of(key, item.n) for key in with_cards(setup, reruns=True))
            wanted |= {(repr(design), item.n): design for design in designs if can_share(design)}
    with cut_sharing(cuts):
        for (_, n), design in wanted.items():
            Cuts(design=design, n=n, seed=SEED).splits(range(-(-replications // CHUNK)), jobs=-1)


def line(number: int, replications: int, device: str, jobs: int, out: Path) -> float:
    """
    Measure all methods on one population.

    Return the seconds, which are none if it was done before.
    """
    file = out / "lines" / f"{number}.json"
    if file.exists():
        return 0.0
    start = perf_counter()
    item = replace(BATTERY[number], replications=replications)
    rows: dict[str, Any] = dict(measure_line(item, device=device, n_jobs=jobs, progress=False))
    # else the end waits until joblib's processes give up
    get_reusable_executor(reuse=True).shutdown()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return round(perf_counter() - start, 1)


def cards(out: Path) -> dict[str, list[Any]]:
    """The rows of each method, in the order of the battery."""
    by_method: dict[str, list[Any]] = {}
    for number in range(len(BATTERY)):
        file = out / "lines" / f"{number}.json"
        if file.exists():
            for key, row in json.loads(file.read_text(encoding="utf-8")).items():
                by_method.setdefault(key, []).append(row)
    return by_method


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--streams", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replications", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    chosen = [
        i
        for i, item in enumerate(BATTERY)
        if not options.only or any(w in item.title for w in options.only)
    ]
    chosen.sort(
        key=lambda i: SLOW.index(BATTERY[i].title) if BATTERY[i].title in SLOW else len(SLOW)
    )
    start, device = perf_counter(), Place.of(options.device).words
    cuts = options.out / "cuts"
    cut_ahead(chosen, options.replications, cuts)
    cutting = round(perf_counter() - start, 1)
    print(f"{cutting:6.0f} s  cuts", flush=True)
    about = {
        "device": device,
        "streams": options.streams,
        "jobs": options.jobs,
        "seed": SEED,
        "evenfold": ef.__version__,
    }
    about |= {
        "numpy": np.__version__,
        "python": sys.version.split()[0],
        "replications": options.replications,
    }
    seconds: dict[str, float | str] = {}
    with ProcessPoolExecutor(
        options.streams,
        mp_context=get_context("spawn"),
        initializer=begin,
        initargs=(options.streams, cuts),
    ) as pool:
        running = {
            pool.submit(line, i, options.replications, options.device, options.jobs, options.out): i
            for i in chosen
        }
        for done in as_completed(running):
            title = BATTERY[running[done]].title
            try:
                seconds[title] = done.result()
            except Exception as error:  # the other populations are still worth their time
                print_exc()
                seconds[title] = repr(error)[:300]
            print(f"{perf_counter() - start:6.0f} s  {title}: {seconds[title]}", flush=True)
            log: dict[str, Any] = {
                **about,
                "seconds": round(perf_counter() - start, 1),
                "cuts": cutting,
            }
            log["populations"] = seconds
            options.out.mkdir(parents=True, exist_ok=True)
            text = json.dumps(log, indent=1, ensure_ascii=False)
            (options.out / "battery.json").write_text(text + "\n", encoding="utf-8")
    write_cards(options.out / "cards", cards(options.out), device=device)
    rmtree(cuts, ignore_errors=True)  # nothing was cut for the paths of forecasters, say


if __name__ == "__main__":
    main()
