"""
Cut many data sets by designs that do not look at the data, such as random splits.

The cuts depend on seed, design and size alone, so that studies of several populations share them.
Several processes make them once, and a folder keeps them if there is one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.choose import cut
from evenfold.core.rng import stream
from evenfold.design import Design, StratifiedDesign
from evenfold.run.fingerprints import fingerprint
from evenfold_lab.masks import Splits

CHUNK = 50  # data sets drawn together; a part of the address of every draw, so it must not change
_folder: Path | None = None

Bits = NDArray[np.uint8]


def share_cuts(folder: Path | None) -> None:
    """
    Keep what this process cuts from now on in a folder, where other processes find it.

    With None, cuts are not kept.
    """
    global _folder
    _folder = folder


@contextmanager
def cut_sharing(folder: Path | None) -> Iterator[None]:
    """Share cuts in a folder within a ``with`` block."""
    former = _folder
    share_cuts(folder)
    try:
        yield
    finally:
        share_cuts(former)


def shared_folder() -> Path | None:
    """Return the folder where cuts are shared now, to pass on to other processes."""
    return _folder


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Cuts:
    """
    The partitions of data sets of ``n`` examples, drawn from a seed.

    Another number ``recut`` gives other partitions.
    """

    design: Design
    n: int
    seed: int
    recut: int = 0

    def seeded(self, *address: int | str) -> Design:
        """Return the design with the seed of one data set."""
        drawn = int(stream(self.seed, "partition", self.recut, *address).integers(2**63))
        return replace(self.design, random_state=drawn)

    def splits(self, chunks: Sequence[int], jobs: int = 1) -> Splits:
        """Return the splits of some chunks, cut by several processes unless they are stored."""
        from joblib import Parallel, delayed

        stored = {chunk: self._recall(chunk) for chunk in chunks}
        missing = [chunk for chunk, bits in stored.items() if bits is None]
        made = Parallel(n_jobs=jobs)(delayed(self._make)(c, _folder) for c in missing)
        stored |= dict(zip(missing, made, strict=True))
        bits = np.concatenate([stored[chunk] for chunk in chunks], axis=1)
        trains, tests = np.unpackbits(bits, axis=-1, count=self.n).view(np.bool_)
        return Splits(trains=trains, tests=tests)

    def _make(self, chunk: int, folder: Path | None) -> Bits:
        """Cut one chunk, and return its training and test sets (2, data sets, splits, bytes)."""
        splits = Splits.of([cut(self.seeded(chunk, r), self.n) for r in range(CHUNK)])
        bits = np.packbits(np.stack([splits.trains, splits.tests]), axis=-1)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=folder, delete=False) as file:
                np.save(file, bits)
            Path(file.name).replace(folder / self._name(chunk))
        return bits

    def _recall(self, chunk: int) -> Bits | None:
        if _folder is None:
            return None
        with suppress(FileNotFoundError):
            bits: Bits = np.load(_folder / self._name(chunk))
            return bits
        return None

    def _name(self, chunk: int) -> str:
        design = repr(replace(self.design, random_state=None))
        return f"{fingerprint(design, self.n, self.seed, self.recut).hex()}-{chunk}.npy"


def looks(design: Design) -> bool:
    """Say whether a design looks at labels or groups."""
    return isinstance(design, StratifiedDesign) and design.balance is not None


def is_drawn_anew(design: Design) -> bool:
    """Say whether data sets need their own cuts: overlaps are random, or labels are used."""
    return design.by_chance or looks(design)


def can_share(design: Design) -> bool:
    """Say whether populations can share cuts: data sets have their own, but labels are unused."""
    return is_drawn_anew(design) and not looks(design)
