"""
R19 tables 4.1–4.7 and 6.1 on free corpora with thousands of CRFs.

Two steps, then ``r19_chains_tables``.

    python -m papers.r19_chains prepare FOLDER JOB     # here: features, tags, partitions
    python -m papers.r19_chains fit JOB OUT            # on a GPU: numpy, scipy and torch alone

FOLDER holds the corpora of ``r19_text``. In place of Chinese FrameNet: borders of entities in
tweets, words of Chinese sentences. JOB and OUT hold compact arrays and belong to no commit.
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import evenfold as ef
from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, Place, to_numpy
from evenfold_lab.masks import Splits
from papers import _chains, r19_text
from papers.r19_ratios import SEED, SHARES

STEPS, PIECE = 100, 4000
# the features of algorithm B (tables 4.1–4.4)
SMALLER = {"entities": slice(3, None), "words": slice(0, 3)}
HALVED = (
    ("entities", 1600), ("entities", 800), ("entities", 400), ("words", 300), ("words", 150),
    ("words", 75),
)  # fmt: skip
CUT = (("entities", 800), ("words", 200))
PARTITIONS = {"random 3×2": 2000, "3×2 BCV": 2000, "3×2 BCV, balanced": 1000}
TAG_SETS = {"BMES": ("B", "M", "E", "S"), "BB2B3MES": ("B", "M", "E", "S", "B2", "B3")}
TRAINED = (50, 200, 400)  # steps for the two tag sets
Masks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Work:
    """One lot of models: a corpus, who trains each, and for how many steps."""

    name: str
    features: Any
    tags: NDArray[np.int64]
    tag_count: int
    trains: Masks  # models × sentences
    steps: int = STEPS

    def save(self, folder: Path) -> None:
        """Write it as a file, the training sets as bits."""
        np.savez_compressed(
            folder / f"{self.name}.npz", indptr=self.features.indptr, indices=self.features.indices,
            shape=self.features.shape, tags=self.tags.astype(np.int8), tag_count=self.tag_count,
            trains=np.packbits(self.trains, axis=1), steps=self.steps,
        )  # fmt: skip

    @classmethod
    def load(cls, file: Path) -> "Work":
        """Read it again."""
        with np.load(file) as kept:
            ones = np.ones(len(kept["indices"]), dtype=np.float32)
            features = sparse.csr_matrix(
                (ones, kept["indices"], kept["indptr"]), shape=tuple(kept["shape"])
            )
            tags = kept["tags"].astype(np.int64)
            trains = np.unpackbits(kept["trains"], axis=1, count=tags.shape[1]).astype(bool)
            about = {"tag_count": int(kept["tag_count"]), "steps": int(kept["steps"])}
        return cls(name=file.stem, features=features, tags=tags, trains=trains, **about)


# Here, before


def prepare(folder: Path, job: Path) -> None:
    """Write all lots of models, and how uneven each partition is."""
    job.mkdir(parents=True, exist_ok=True)
    tasks = {task.name: task for task in r19_text.tasks(folder)}
    for name, count in HALVED:
        task = _part(tasks[name], count)
        partition = ef.design.Mx2(1000, random_state=SEED).partition(count)
        _work(f"halves-{name}-{count}", task, Splits.of([partition]).trains).save(job)
        np.save(job / f"chi-halves-{name}-{count}.npy", _uneven(task, [partition]))
    for name, count in CUT:
        task = _part(tasks[name], count)
        _ratios(task, count).save(job)
        _ratios(task, count, SMALLER[name]).save(job)
        for number, (design, many) in enumerate(PARTITIONS.items()):
            partitions = [_partition(design, task, seed) for seed in range(many)]
            masks = Splits.of(partitions).trains.reshape(-1, count)
            _work(f"cut-{name}-{number}", task, masks).save(job)
            np.save(job / f"chi-cut-{name}-{number}.npy", _uneven(task, partitions))
    for work in _tag_sets(_part(tasks["words"], len(tasks["words"].sentences))):
        work.save(job)


def _part(task: r19_text.Task, count: int) -> r19_text.Task:
    """A random part, the longest sentences first."""
    part = task.part(count, SEED)
    order = sorted(range(count), key=lambda i: -len(part.sentences[i]))
    return r19_text.Task(
        name=task.name, sentences=[part.sentences[i] for i in order],
        tags=[part.tags[i] for i in order],
        tag_sets=task.tag_sets, features=task.features,
    )  # fmt: skip


def _partition(design: str, task: r19_text.Task, seed: int) -> Any:
    n = len(task.sentences)
    if design.endswith("balanced"):
        return ef.Mx2BCV(3, balance="features", random_state=seed).partition(
            n, features=_levels(task)
        )
    return (ef.Mx2BCV if design == "3×2 BCV" else ef.design.Mx2)(3, random_state=seed).partition(n)


@cache
def _levels(task: r19_text.Task) -> NDArray[np.int64]:
    return task.levels()


def _uneven(task: r19_text.Task, partitions: list[Any]) -> Floats:
    """χ²/L of each halving, (partitions, halvings)."""
    levels = _levels(task)
    return np.array(
        [[ef.design.chi_square_ratio(levels, *half) for half in list(p)[::2]] for p in partitions]
    )


def _ratios(task: r19_text.Task, count: int, kept: slice = slice(None)) -> Work:
    """1000 random splits at each ratio, with all features or with some."""
    masks = [
        Splits.of([ef.design.RLT(1000, share, random_state=SEED).partition(count)]).trains
        for share in SHARES.values()
    ]
    name = f"ratios-{task.name}-{'A' if kept == slice(None) else 'B'}"
    return _work(name, task, np.concatenate(masks), kept)


def _work(name: str, task: r19_text.Task, trains: Masks, kept: slice = slice(None)) -> Work:
    described = [
        [token[kept] for token in r19_text._few_features(sentence, task.features)]
        for sentence in task.sentences
    ]
    kinds = TAG_SETS["BMES"] if task.name == "words" else ("B", "I", "O")
    return _lot(name, described, task.tags, kinds, trains)


def _lot(
    name: str,
    described: list[list[list[str]]],
    tags: list[list[str]],
    kinds: tuple[str, ...],
    trains: Masks,
    steps: int = STEPS,
) -> Work:
    """Number features and tags; tokens go position by position."""
    longest = len(described[0])
    number: dict[str, int] = {}
    table = np.full((longest, len(tags)), -1)
    indices: list[int] = []
    indptr = [0]
    for t in range(longest):
        for s, sentence in enumerate(described):
            if t < len(sentence):
                table[t, s] = kinds.index(tags[s][t])
                indices += [number.setdefault(feature, len(number)) for feature in sentence[t]]
                indptr.append(len(indices))
    ones = np.ones(len(indices), dtype=np.float32)
    features = sparse.csr_matrix((ones, indices, indptr), shape=(len(indptr) - 1, len(number)))
    return Work(
        name=name, features=features, tags=table, tag_count=len(kinds), trains=trains, steps=steps
    )


def _tag_sets(task: r19_text.Task, partitions: int = 5) -> Iterator[Work]:
    """All sentences, both tag sets, trained shorter and longer."""
    from evenfold.text.features import character_features

    described = [character_features(sentence) for sentence in task.sentences]
    masks = np.concatenate(
        [Splits.of([_partition("3×2 BCV", task, seed)]).trains for seed in range(partitions)]
    )
    finer = [_finer(tags) for tags in task.tags]
    for steps in TRAINED:
        for tag_set, tags in (("BMES", task.tags), ("BB2B3MES", finer)):
            yield _lot(f"tags-{tag_set}-{steps}", described, tags, TAG_SETS[tag_set], masks, steps)


def _finer(tags: list[str]) -> list[str]:
    """BMES as BB2B3MES: the second and third character of a longer word have tags of their own."""
    finer: list[str] = []
    for tag in tags:
        place = (
            ("B", "B2", "B3").index(finer[-1]) + 1 if tag == "M" and finer[-1] in ("B", "B2") else 0
        )
        finer.append(("", "B2", "B3")[place] if place else tag)
    return finer


# On the GPU


def fit(job: Path, out: Path, device: str, only: list[str], seconds: float) -> None:
    """
    Fit all models of the lots.

    For each model TP, FP and FN on the sentences that did not train it are written.
    """
    out.mkdir(parents=True, exist_ok=True)
    began, place = perf_counter(), Place.of(device)
    for file in sorted(job.glob("*.npz")):
        if not file.stem.startswith(tuple(only)) or (out / f"{file.stem}.npy").exists():
            continue
        if perf_counter() - began > seconds:
            print(f"{file.stem}: no time left")
            continue
        start, work = perf_counter(), Work.load(file)
        np.save(out / f"{file.stem}.npy", counts(place, work))
        print(f"{file.stem}: {len(work.trains)} models, {perf_counter() - start:.1f} s", flush=True)


def counts(place: Place, work: Work) -> NDArray[np.int64]:
    """TP, FP and FN of each model, (models, 3); the finer tags count as the coarser."""
    corpus = _chains.corpus(place, work.features, work.tags, work.tag_count)
    truth = [_coarse(row[row >= 0][:, None]) for row in corpus.tags]
    pieces = []
    for at in range(0, len(work.trains), PIECE):
        trains = place.put(work.trains[at : at + PIECE].T.astype(np.float32))
        predicted = [
            _coarse(tags)
            for tags in _chains.decode(corpus, _chains.fit(corpus, trains, work.steps))
        ]
        chunks: Any = ((0,), 1, 1) if work.tag_count == 3 else ((0, 3), 1, 2)
        pieces.append(to_numpy(_chains.chunk_counts(truth, predicted, 1 - trains, *chunks)).T)
    return np.concatenate(pieces).round().astype(np.int64)


def _coarse(tags: Array) -> Array:
    """B2 and B3 (4 and 5) are M (1)."""
    tags[tags > 3] = 1
    return tags


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("prepare", "fit"))
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument(
        "--only", nargs="*", default=[""], help="lots by the beginnings of their names"
    )
    parser.add_argument("--seconds", type=float, default=220.0, help="no lot begins later")
    options = parser.parse_args()
    if options.step == "prepare":
        prepare(options.source, options.target)
    else:
        fit(options.source, options.target, options.device, options.only, options.seconds)


if __name__ == "__main__":
    main()
