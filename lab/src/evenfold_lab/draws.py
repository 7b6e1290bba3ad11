"""
Run designs on many data sets with the packages ``design`` and ``run``.

The result, losses with a batch axis, is the raw material of every study.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.core.partition import LazySequence, Partition
from evenfold.design import Design
from evenfold.run.engines import one_thread
from evenfold.run.fingerprints import fingerprint
from evenfold.run.measures import MEASURES
from evenfold.run.progress import Progress, watch
from evenfold_lab.arrays import Place
from evenfold_lab.cuts import CHUNK, cut_sharing, is_drawn_anew, shared_folder
from evenfold_lab.value_world import ValueWorld
from evenfold_lab.world import Arrays, World

if TYPE_CHECKING:
    from evenfold_lab.shelf import ChunkShelf

_EDITION = 3  # of the way draws are made; raise it so that stored chunks are not found any more


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Effort:
    """
    How a study is run; none of it changes a draw.

    Attributes
    ----------
    n_jobs : int or None
        Worker processes, as in joblib; with a device they only cut the data sets.
    store : path, URL or None
        Where finished chunks are kept.
    progress : bool or None
        Show a bar; by default on terminals and in notebooks.
    device : str or None
        Where models are fitted: ``"cuda"``, or another name of
        :meth:`~evenfold_lab.arrays.Place.of`.
    """

    n_jobs: int | None = None
    store: str | Path | None = None
    progress: bool | None = None
    device: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class DesignRequest:
    """One design on the data sets of a world."""

    design: Design
    examples: bool = False  # whether the losses of single examples are kept
    reruns: int = 0  # of the whole design on other partitions, for the bootstrap tests

    def key(self, world: World | ValueWorld) -> bytes:
        """Hash everything that the draws depend on."""
        design = repr(replace(self.design, random_state=None))
        settings = (world.population, world.algorithms, world.measure, world.n, world.seed)
        if isinstance(world, World):
            recut = world.recut
        else:
            recut = 0
        return fingerprint(
            _EDITION, CHUNK, design, self.examples, self.reruns, recut, *settings, cloned=True
        )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Draws:
    """What one design gave on many data sets."""

    losses: Losses  # with a batch axis: values (algorithms, data sets, splits)
    reruns: NDArray[np.float64] | None = None  # means of the reruns (algorithms, data sets, reruns)


def draw(
    world: World | ValueWorld, wanted: Sequence[DesignRequest], replications: int, effort: Effort
) -> list[Draws]:
    """Run every design on the same ``replications`` data sets, and return what each gave."""
    chunks = -(-replications // CHUNK)
    progress = watch(effort.progress, of="parts")
    progress.expect(len(wanted) * chunks)
    shelf = _shelf(effort.store)
    try:
        done = _find_chunks(world, wanted, chunks, shelf, progress)
        for which, chunk, arrays in _missing(world, wanted, chunks, done, effort):
            done[which][chunk] = arrays
            if shelf is not None:
                shelf.keep(wanted[which].key(world), chunk, arrays)
            progress.step()
    finally:
        progress.close()
        if shelf is not None:
            shelf.close()
    return [
        _draws(world, request, [pieces[c] for c in range(chunks)], replications)
        for request, pieces in zip(wanted, done, strict=True)
    ]


def _shelf(store: str | Path | None) -> "ChunkShelf | None":
    if store is None:
        return None
    from evenfold_lab.shelf import ChunkShelf

    return ChunkShelf(store)


def _find_chunks(
    world: World | ValueWorld,
    wanted: Sequence[DesignRequest],
    chunks: int,
    shelf: "ChunkShelf | None",
    progress: Progress,
) -> list[dict[int, Arrays]]:
    """Return the stored chunks of each design."""
    if shelf is None:
        return [{} for _ in wanted]
    stored = [shelf.find(request.key(world), chunks) for request in wanted]
    if reused := sum(map(len, stored)):
        progress.step(reused=reused)
    return stored


def _missing(
    world: World | ValueWorld,
    wanted: Sequence[DesignRequest],
    chunks: int,
    done: list[dict[int, Arrays]],
    effort: Effort,
) -> Iterator[tuple[int, int, Arrays]]:
    """Compute the chunks that are not done, on all workers or on a device, in any order."""
    missing = [(w, c) for c in range(chunks) for w in range(len(wanted)) if c not in done[w]]
    place = Place.of(effort.device)
    if isinstance(world, World) and not place.is_host:
        yield from _draw_on_device(world, wanted, missing, place, effort.n_jobs or 1)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=effort.n_jobs, return_as="generator_unordered")
    yield from parallel(
        delayed(_chunk)(world, wanted[w], w, c, shared_folder()) for w, c in missing
    )


def _chunk(
    world: World | ValueWorld, request: DesignRequest, which: int, chunk: int, cuts: Path | None
) -> tuple[int, int, Arrays]:
    with cut_sharing(cuts), one_thread():  # threads would change the last bits, and so the draws
        arrays = world.holdouts(request.design, [chunk], examples=request.examples)
        if request.reruns:
            if not isinstance(world, World):
                raise NotApplicable("reruns need data to cut anew, which drawn values do not have")
            arrays |= world.reruns(request.design, [chunk], request.reruns)
    return which, chunk, arrays


def _draw_on_device(
    world: World,
    wanted: Sequence[DesignRequest],
    missing: Sequence[tuple[int, int]],
    place: Place,
    jobs: int,
) -> Iterator[tuple[int, int, Arrays]]:
    """Run as many chunks at once as fill the device, while the next ones are drawn."""
    groups = []
    for which, request in enumerate(wanted):
        chunks = [c for w, c in missing if w == which]
        step = world.chunks_at_once(request.design) if chunks else 1
        groups += [(which, chunks[i : i + step]) for i in range(0, len(chunks), step)]
    with ThreadPoolExecutor(1) as ahead:
        coming = [ahead.submit(world.data, some, place) for _, some in groups[:1]]
        for i, (which, some) in enumerate(groups, start=1):
            data = coming.pop().result()
            coming += [
                ahead.submit(world.data, following, place) for _, following in groups[i : i + 1]
            ]
            request = wanted[which]
            arrays = world.holdouts(
                request.design, some, examples=request.examples, place=place, jobs=jobs, data=data
            )
            if request.reruns:
                arrays |= world.reruns(request.design, some, request.reruns, place=place, jobs=jobs)
            for at, chunk in enumerate(some):
                yield (
                    which,
                    chunk,
                    {k: a[:, at * CHUNK : (at + 1) * CHUNK] for k, a in arrays.items()},
                )


def _draws(
    world: World | ValueWorld, request: DesignRequest, pieces: list[Arrays], replications: int
) -> Draws:
    arrays = {
        key: np.concatenate([p[key] for p in pieces], axis=1)[:, :replications] for key in pieces[0]
    }
    partition = world.partition(request.design)
    none = np.zeros_like(arrays["values"])
    losses = Losses(
        quantity=world.quantity,
        algorithms=tuple(a.name for a in world.algorithms),
        partition=partition,
        values=arrays["values"],
        fit_seconds=none,
        predict_seconds=none,
        examples=_values_by_split(arrays["examples"], partition) if "examples" in arrays else None,
        counts=arrays.get("counts"),
        outcomes=_outcomes(arrays, partition, request.design),
        score=getattr(MEASURES[world.measure], "score", None),
    )
    return Draws(losses=losses, reruns=arrays.get("reruns"))


def _outcomes(
    arrays: Arrays, partition: Partition, design: Design
) -> Sequence[Sequence[Any]] | None:
    """Return the outcomes of single examples if all data sets are cut alike."""
    if "outcomes" not in arrays or is_drawn_anew(design):
        return None
    return _values_by_split(arrays["outcomes"], partition)


def _values_by_split(rows: NDArray[Any], partition: Partition) -> Sequence[Sequence[Any]]:
    """Cut the rows of test examples at the ends of the test sets."""
    sizes = partition.test_sizes
    ends = np.cumsum(sizes)

    def of_algorithm(a: int) -> Sequence[Any]:
        def split(j: int) -> Any:
            return rows[a][:, ends[j] - sizes[j] : ends[j]].astype(float)

        return LazySequence(len(partition), split)

    return LazySequence(len(rows), of_algorithm)
