"""
R19 chapter 6 on free corpora: which tag set is better for a CRF; chapter 4 is in ``r19_chains``.

    python -m papers.r19_text FOLDER [--method "bayes-{measure}"] [--report FOLDER]

``FOLDER`` holds ``wnut17_train.txt.gz`` (tweets with named entities, in place of R19's CoNLL 2003)
and ``udzh_cws.txt.gz`` (segmented Chinese, in place of R19's PKU corpus). The tasks are those of
R19 section 6.4: words (BMES against BB2B3MES), borders of entities without their types, and borders
of organisations only (IOB2 against IOBES). A method per measure is asked for by a pattern, so that
others can be put in its place.
"""

import argparse
import gzip
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

import evenfold as ef
from evenfold.core.rng import stream

MEASURES = ("precision", "recall", "f1")
SOURCE = {  # R19 tables 6.1-6.4: P(H1), and the 95 % intervals of both tag sets in per cent
    "words": {
        "precision": (0.976, (95.55, 95.62), (95.60, 95.67)),
        "recall": (0.999, (95.04, 95.11), (95.16, 95.23)),
        "f1": (0.999, (95.30, 95.36), (95.39, 95.44)),
    },
    "entities": {
        "precision": (0.680, (90.59, 91.30), (90.70, 91.41)),
        "recall": (0.627, (87.69, 88.48), (87.78, 88.57)),
        "f1": (0.700, (89.21, 89.77), (89.32, 89.87)),
    },
    "organisations": {
        "precision": (0.809, (91.37, 92.86), (91.85, 93.31)),
        "recall": (0.294, (64.89, 67.11), (64.45, 66.68)),
        "f1": (0.413, (76.06, 77.74), (75.93, 77.61)),
    },
}
TAG_SETS = {
    "words": ("BMES", "BB2B3MES"),
    "entities": ("IOB2", "IOBES"),
    "organisations": ("IOB2", "IOBES"),
}
ORGANISATIONS = ("corporation", "group")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Task:
    """Sentences and tags, the scheme they are in, the two tag sets, and the features of a CRF."""

    name: str
    sentences: list[list[str]]
    tags: list[list[str]]
    tag_sets: tuple[str, str]
    features: str

    @property
    def scheme(self) -> str:
        return self.tag_sets[0]

    def part(self, count: int, seed: int) -> "Task":
        """Return a random part of the sentences."""
        chosen = stream(seed, "part").permutation(len(self.sentences))[:count].tolist()
        return Task(
            name=self.name,
            sentences=[self.sentences[i] for i in chosen],
            tags=[self.tags[i] for i in chosen],
            tag_sets=self.tag_sets,
            features=self.features,
        )

    def levels(self) -> NDArray[np.int64]:
        return ef.design.text_features(self.sentences, self.tags)


def tasks(folder: Path) -> Iterator[Task]:
    """Read the corpora; R19 leaves out the types of entities."""
    words = [line.split("\t")[1].split() for line in _lines(folder / "udzh_cws.txt.gz") if line]
    tags = [[tag for word in sentence for tag in _bmes(word)] for sentence in words]
    yield Task(
        name="words",
        sentences=[list("".join(sentence)) for sentence in words],
        tags=tags,
        tag_sets=TAG_SETS["words"],
        features="characters",
    )
    sentences, typed = _conll(_lines(folder / "wnut17_train.txt.gz"))
    borders = [[tag[0] for tag in sentence] for sentence in typed]
    ours = [[tag[0] if tag[2:] in ORGANISATIONS else "O" for tag in sentence] for sentence in typed]
    for name, tags_of_task in (("entities", borders), ("organisations", ours)):
        yield Task(
            name=name,
            sentences=sentences,
            tags=tags_of_task,
            tag_sets=TAG_SETS[name],
            features="words",
        )


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def _bmes(word: str) -> list[str]:
    return ["S"] if len(word) == 1 else ["B", *"M" * (len(word) - 2), "E"]


def _conll(lines: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    sentences: list[list[str]] = [[]]
    tags: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            sentences.append([])
            tags.append([])
            continue
        token, tag = line.split("\t")
        sentences[-1].append(token)
        tags[-1].append(tag)
    return [s for s in sentences if s], [t for t in tags if t]


# Which tag set? R19 tables 6.1-6.4 and figures 6.1-6.3


def compare_tag_sets(
    task: Task, *, method: str, iterations: int, seed: int, jobs: int, report: Path | None
) -> None:
    """Print P(H1), both intervals and that of the difference, for three measures of one run."""
    algorithms = {
        tag_set: ef.text.TagScheme(
            ef.text.CRFTagger(c2=0.1, max_iterations=iterations, features=task.features),
            tag_set,
            scored=task.scheme,
        )
        for tag_set in task.tag_sets
    }
    a, b = task.tag_sets
    print(f"\n{task.name}: {a} (A) against {b} (B), {len(task.sentences)} sentences")
    print(
        "measure    P(H1) R19   ours  side    interval of A %     interval of B %      of B − A % "
        " sd of B−A"
    )
    with tempfile.TemporaryDirectory() as folder:
        for measure in MEASURES:
            c = ef.compare(
                algorithms, task.sentences, task.tags, measure=measure, scheme=task.scheme,
                design=ef.Mx2BCV(3, balance="features", random_state=seed), features=task.levels(),
                method=method.format(measure=measure), random_state=seed, n_jobs=jobs,
                store=Path(folder) / "runs.db", progress=False,
            )  # fmt: skip
            print(_row(task.name, measure, c))
            if report is not None:
                c.to_html(report / f"{task.name}-{measure}.html")
                c.plot().savefig(
                    report / f"{task.name}-{measure}.png", dpi=120, bbox_inches="tight"
                )


def _row(task: str, measure: str, c: ef.Comparison) -> str:
    """Print one line; the spread is that of the six halves, not the error of their mean."""
    pair = c.facts.pairs[0]
    theirs, ours = SOURCE[task][measure][0], pair.probability
    probability = "    –" if ours is None else f"{ours:.3f}"
    side = "–" if ours is None else "same" if (ours > 0.5) == (theirs > 0.5) else "other"
    scores = [f"{100 * curve.low:6.2f} to {100 * curve.high:6.2f}" for curve in pair.curves] or [
        "–",
        "–",
    ]
    difference = f"{100 * pair.low:+.2f} to {100 * pair.high:+.2f}"
    spread = 100 * np.std(pair.differences, ddof=1)
    return (
        f"{measure:10} {theirs:9.3f} {probability:>6}  {side:5} "
        f"{scores[0]:>19} {scores[1]:>19} {difference:>17}  {spread:8.2f}"
    )


def _few_features(sentence: list[str], kind: str) -> list[list[str]]:
    """Describe tokens briefly: thousands of fits are needed."""
    from evenfold.text.features import shape, windows

    near = [around[1:4] for around in windows([token.lower() for token in sentence], "w")]
    if kind == "characters":
        return [
            [*a, around[6], around[7]]
            for a, around in zip(near, windows(sentence, "c"), strict=True)
        ]
    return [
        [*a, f"shape={shape(token)}", f"end={token[-3:]}"]
        for a, token in zip(near, sentence, strict=True)
    ]


def jackknife(
    sample: NDArray[np.float64], statistic: Callable[[NDArray[np.float64]], float]
) -> tuple[float, float]:
    """Return a statistic and its standard error, leaving out one value (or row) at a time."""
    n = len(sample)
    without = np.array([statistic(np.delete(sample, i, axis=0)) for i in range(n)])
    return statistic(sample), float(np.sqrt((n - 1) * np.var(without)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--method", default="bayes-{measure}", help="pattern of the method's key")
    parser.add_argument("--only", choices=tuple(SOURCE), help="one task only")
    parser.add_argument("--sentences", type=int, help="a random part of the sentences")
    parser.add_argument("--iterations", type=int, default=50, help="steps of L-BFGS")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", type=Path, help="write reports and figures into this folder")
    arguments = parser.parse_args()
    for task in tasks(arguments.folder):
        if arguments.only not in (None, task.name):
            continue
        began = perf_counter()
        some = (
            task if arguments.sentences is None else task.part(arguments.sentences, arguments.seed)
        )
        options = {
            name: getattr(arguments, name)
            for name in ("method", "iterations", "seed", "jobs", "report")
        }
        compare_tag_sets(some, **options)
        print(f"({perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
