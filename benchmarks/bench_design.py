"""
The room of designs: time, memory and evenness.

Times are minima over rounds in which all contenders take turns, so a ratio compares runs made under
the same load. Both sides get the same X and y through ``split`` and deliver the same thing: sorted
index arrays of 30 splits, 15 halvings with the two sides swapped.

One difference is left, and it is shown: the second split of a repetition is the first one swapped,
so evenfold hands out the same two arrays again where scikit-learn makes new ones. The row
"unshared" makes every array anew.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from evenfold.design import BRLT, Certificate, Design, Mx2BCV, random_overlap_error
from evenfold.design.halves import block_order
from evenfold.design.search import patterns

M = 15
Job = Callable[[], object]


def main() -> None:
    """Print all tables."""
    console = Console(width=110)
    for n, rounds in ((10**4, 15), (10**6, 5), (10**7, 1)):
        console.print(index_arrays(n, rounds))
    for n, rounds in ((10**4, 15), (10**6, 3)):
        console.print(stratified(n, rounds))
    console.print(stored_bytes(10**6))
    console.print(brlt_against_n())
    console.print(brlt_against_size())
    console.print(evenness())


# ------------------------------------------------------------ time and memory


def index_arrays(n: int, rounds: int) -> Table:
    """Mx2BCV(15) against RepeatedKFold and against the floor."""
    X = np.zeros((n, 1))
    ours, theirs = Mx2BCV(M, random_state=0), RepeatedKFold(n_splits=2, n_repeats=M, random_state=0)
    jobs: dict[str, Job] = {
        "RepeatedKFold, held at once": lambda: list(theirs.split(X)),
        "Mx2BCV, held at once": lambda: list(ours.split(X)),
        "Mx2BCV, held, unshared": lambda: list(unshared(ours, n)),
        "floor, held at once": lambda: list(floor(n)),
        "RepeatedKFold, one at a time": lambda: consume(theirs.split(X)),
        "Mx2BCV, one at a time": lambda: consume(ours.split(X)),
        "Mx2BCV, one at a time, unshared": lambda: consume(unshared(ours, n)),
        "floor, one at a time": lambda: consume(floor(n)),
    }
    return ratio_table(
        f"All index arrays of {M}×2 at n = {n:,}", jobs, rounds, peer="RepeatedKFold"
    )


def stratified(n: int, rounds: int) -> Table:
    """Mx2BCV(15, balance="labels") against RepeatedStratifiedKFold; two classes, 30 % and 70 %."""
    X, y = np.zeros((n, 1)), (np.random.default_rng(0).random(n) < 0.3).astype(int)
    ours = Mx2BCV(M, balance="labels", random_state=0)
    theirs = RepeatedStratifiedKFold(n_splits=2, n_repeats=M, random_state=0)
    jobs: dict[str, Job] = {
        "RepeatedStratifiedKFold, held at once": lambda: list(theirs.split(X, y)),
        "Mx2BCV, held at once": lambda: list(ours.split(X, y)),
        "RepeatedStratifiedKFold, one at a time": lambda: consume(theirs.split(X, y)),
        "Mx2BCV, one at a time": lambda: consume(ours.split(X, y)),
    }
    title = f"Stratified: all index arrays of {M}×2 at n = {n:,}"
    return ratio_table(title, jobs, rounds, peer="RepeatedStratifiedKFold")


def floor(n: int) -> Iterable[tuple[Any, Any]]:
    """
    Yield splits by the least work that makes every array anew.

    This is one permutation, and one gather per split. Blocks are rows, so a gather reads memory
    in order, and the index arrays are not even sorted. Whoever hands out an array twice, or
    shuffles something smaller than indices, can be below this floor.
    """
    rows = np.random.default_rng(0).permutation(n)[: n // 16 * 16].reshape(16, -1)
    for j in range(M):
        first = (np.arange(16) >> j % 4) % 2 == 0
        yield rows[first].ravel(), rows[~first].ravel()
        yield rows[~first].ravel(), rows[first].ravel()


def unshared(design: Mx2BCV, n: int) -> Iterable[tuple[Any, Any]]:
    """Make every index array on its own."""
    partition = design.partition(n)
    return ((partition.train[j], partition.test[j]) for j in range(len(partition)))


def consume(pairs: Iterable[object]) -> None:
    """Generate all splits and keep none."""
    for _ in pairs:
        pass


def ratio_table(title: str, jobs: dict[str, Job], rounds: int, *, peer: str) -> Table:
    """
    Return time and peak memory of each job.

    The ratios are to the peer and to the floor that work in the same way.
    """
    seconds, peaks = fastest(jobs, rounds), {name: peak_bytes(job) for name, job in jobs.items()}
    table = new_table(
        title, "", "ms", "× faster than peer", "× floor", "peak MB", "peer's / own peak"
    )
    for name in jobs:
        way = "held" if "held" in name else "one at a time"
        peers = next(other for other in jobs if other.startswith(peer) and way in other)
        floors = next((other for other in jobs if other.startswith("floor") and way in other), None)
        table.add_row(
            name,
            f"{1000 * seconds[name]:,.2f}",
            f"{seconds[peers] / seconds[name]:.1f}",
            "" if floors is None else f"{seconds[name] / seconds[floors]:.2f}",
            f"{peaks[name] / 1e6:,.2f}",
            f"{peaks[peers] / peaks[name]:.1f}",
        )
    return table


def fastest(jobs: dict[str, Job], rounds: int) -> dict[str, float]:
    """Return the least seconds of each job; the jobs take turns, so load falls on all alike."""
    seconds = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            seconds[name] = min(seconds[name], timed(job))
    return seconds


def timed(job: Job) -> float:
    """Seconds of one call; what it returns is freed before the next."""
    gc.collect()
    start = time.perf_counter()
    result = job()
    seconds = time.perf_counter() - start
    del result
    return seconds


def peak_bytes(job: Job) -> int:
    """Most bytes that one call has allocated at a time, numpy's arrays included."""
    tracemalloc.start()
    try:
        job()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# ------------------------------------------------------------ other tables


def stored_bytes(n: int) -> Table:
    """What a partition keeps: a block per example and a sign table."""
    table = new_table(
        f"The stored design at n = {n:,}", "m", "blocks", "bytes per example", "sign table, bytes"
    )
    for m in (3, 15, 127, 255):
        cut: Any = Mx2BCV(m, random_state=0).partition(n).cut
        table.add_row(
            str(m), str(len(cut.trains)), f"{cut.blocks.nbytes / n:g}", f"{cut.trains.nbytes:,}"
        )
    return table


def brlt_against_n() -> Table:
    """Time of BRLT(15, 0.7) as n grows: the search must not grow with n, only the dealing may."""
    table = new_table(
        "BRLT(15, 0.7) against n",
        "n",
        "first time, ms",
        "again, ms",
        "again, ns per example",
        "|φ − φ*|",
        "bound",
    )
    for n in (10**3, 10**4, 10**5, 10**6):
        design = BRLT(15, 0.7, random_state=0)
        forget_patterns()
        first, again = (timed(lambda n=n, cv=design: cv.partition(n)) for _ in range(2))  # type: ignore[misc]
        sure = certificate(design, n)
        table.add_row(
            f"{n:,}", f"{1000 * first:,.1f}", f"{1000 * again:,.1f}", f"{1e9 * again / n:,.0f}",
            f"{sure.overlap_error:.2f}", f"{sure.overlap_bound:.2f}",
        )  # fmt: skip
    return table


def brlt_against_size() -> Table:
    """Time of BRLT with 30 splits of 1000 examples; the goal is a second each."""
    table = new_table("BRLT(30, n1/n) at n = 1,000", "n1/n", "ms", "overlaps", "φ*", "spread of Ψ")
    for share in (1 / 2, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9):
        design = BRLT(30, share, random_state=0)
        forget_patterns()
        seconds = timed(lambda cv=design: cv.partition(1000))  # type: ignore[misc]
        overlaps = design.partition(1000).overlaps()[np.triu_indices(30, 1)]
        sure = certificate(design, 1000)
        table.add_row(
            f"{share:.3g}", f"{1000 * seconds:,.0f}", f"{overlaps.min()} to {overlaps.max()}",
            f"{sure.overlap_target:.2f}", str(sure.occurrence_spread),
        )  # fmt: skip
    return table


def forget_patterns() -> None:
    """Empty the caches of the search, so that a time includes it."""
    for function in vars(patterns).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def certificate(design: Design, n: int) -> Certificate:
    """Return the certificate, which designed partitions always have."""
    sure = design.partition(n).certificate
    assert sure is not None
    return sure


def evenness(seeds: int = 3) -> Table:
    """Worst |φ − n/4| of Mx2BCV beside what is promised, what is possible and what chance gives."""
    sizes = (13, 30, 61, 97, 100, 101, 199, 211, 400, 401, 499, 997, 1000, 1009, 4001, 10007)
    ms = (3, 7, 15, 31)
    heads = [f"m={m} (k={block_order(m, max(sizes)) // 4})" for m in ms]
    table = new_table("Worst |φ − n/4| (R19's bound: k)", "n", *heads, "lower bound", "random mean")
    for n in sizes:
        fitting = [m for m in ms if block_order_fits(m, n)]
        sure = [[certificate(Mx2BCV(m, random_state=s), n) for s in range(seeds)] for m in fitting]
        worst = [max(each.overlap_error for each in row) for row in sure]
        cells = [f"{value:g}" for value in worst] + ["–"] * (len(ms) - len(fitting))
        bound = sure[0][0].overlap_bound
        table.add_row(str(n), *cells, f"{bound:g}", f"{random_overlap_error(n):.2f}")
    return table


def block_order_fits(m: int, n: int) -> bool:
    """Whether the usual 4, 8, 16, … blocks fit into n, as the bound in the heading supposes."""
    return block_order(m, 10**6) <= n


def new_table(title: str, *columns: str) -> Table:
    """Return an empty table; the first column is text, the others are numbers."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for place, column in enumerate(columns):
        table.add_column(
            column, justify="left" if place == 0 or column == "construction" else "right"
        )
    return table


if __name__ == "__main__":
    main()
