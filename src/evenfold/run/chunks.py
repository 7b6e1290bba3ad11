"""
Chunk-level counts for sequence labelling: a chunk is right if its type, start and end all are.

A scheme says when a pair of neighbouring tags starts, continues or ends a chunk. The tables below are read
strictly: tags that the scheme does not allow in that place make no chunk. They agree with ``seqeval`` in its
strict mode.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from evenfold.core.checks import one_of, refuse

Tags = Sequence[str]
_Step = tuple[str, str, bool]  # prefix before, prefix now, same type


@dataclass(frozen=True, slots=True)
class _Scheme:
    prefixes: str
    starts: frozenset[_Step]
    continues: frozenset[_Step]
    ends: frozenset[_Step]


def _steps(patterns: str, prefixes: str) -> frozenset[_Step]:
    """Expand patterns such as ``BI=`` (same type), ``II!`` (other type), ``.B*`` (after anything)."""
    found: set[_Step] = set()
    for pattern in patterns.split():
        before, now, types = tuple(pattern)
        sames = {"=": (True,), "!": (False,), "*": (True, False)}[types]
        for first in prefixes if before == "." else before:
            for second in prefixes if now == "." else now:
                found |= {(first, second, same) for same in sames}
    return frozenset(found)


def _scheme(prefixes: str, starts: str, continues: str, ends: str) -> _Scheme:
    return _Scheme(prefixes, _steps(starts, prefixes), _steps(continues, prefixes), _steps(ends, prefixes))


_SCHEMES = {
    "IOB1": _scheme("IOB", "OI* II! BI* IB= BB=", "BI= II=", "II! IO* IB* BO* BI! BB="),
    "IOB2": _scheme("IOB", ".B*", "BI= II=", "IO* II! IB* BO* BI! BB*"),
    "IOBES": _scheme("IOBES", ".B* .S*", "BI= BE= II= IE=", "S.* E.*"),
    "BMES": _scheme("BMESO", ".B* .S*", "BM= BE= MM= ME=", "S.* E.*"),
}
SCHEMES = tuple(_SCHEMES)


def chunk_counts(
    true: Sequence[Tags], predicted: Sequence[Tags], *, scheme: str = "IOB2"
) -> tuple[int, int, int]:
    """
    Count right, invented and missed chunks over sequences of tags.

    Parameters
    ----------
    true, predicted : sequences of tag sequences
        One sequence of tags per sentence, such as ``["B-PER", "I-PER", "O"]``; the type may be left out
        (``["B", "M", "E"]``), as in word segmentation.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES"}
        How tags mark chunks.

    Returns
    -------
    tp, fp, fn : int
        Chunks in both, only predicted, only true.

    Notes
    -----
    The scheme is read strictly: in IOB2 an ``I-`` that follows no ``B-`` of its type makes no chunk, in
    IOBES and BMES a chunk without its end makes none. Equal to ``seqeval`` with ``mode="strict"``.

    Examples
    --------
    >>> chunk_counts([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-ORG"]])
    (1, 1, 1)
    """
    one_of("scheme", scheme, SCHEMES)
    if len(true) != len(predicted):
        refuse("predicted", f"as many sequences as true ({len(true)})", len(predicted))
    tp = n_true = n_predicted = 0
    for position, (a, b) in enumerate(zip(true, predicted, strict=True)):
        if len(a) != len(b):
            refuse(f"predicted[{position}]", f"as long as true[{position}] ({len(a)})", len(b))
        true_chunks, predicted_chunks = set(chunks(a, scheme)), set(chunks(b, scheme))
        tp += len(true_chunks & predicted_chunks)
        n_true += len(true_chunks)
        n_predicted += len(predicted_chunks)
    return tp, n_predicted - tp, n_true - tp


def chunks(tags: Tags, scheme: str) -> Iterator[tuple[str, int, int]]:
    """Yield (type, start, end) of every chunk of one sequence; end is exclusive."""
    rules = _SCHEMES[scheme]
    steps = [*(_parse(str(tag), rules.prefixes, scheme) for tag in tags), ("O", "_")]
    before = ("O", "_")
    i = 0
    while i < len(steps):
        if _step(before, steps[i]) in rules.starts:
            end = i + 1
            while _step(steps[end - 1], steps[end]) in rules.continues:
                end += 1
            if _step(steps[end - 1], steps[end]) in rules.ends:
                yield steps[i][1], i, end
            i = end
        else:
            i += 1
        before = steps[i - 1]


def _step(before: tuple[str, str], now: tuple[str, str]) -> _Step:
    return before[0], now[0], before[1] == now[1]


@cache
def _parse(tag: str, prefixes: str, scheme: str) -> tuple[str, str]:
    """Split ``B-PER`` into ``("B", "PER")``; a tag without a type has the type ``_``."""
    if tag[:1] not in set(prefixes):
        refuse("tag", f"a tag of {scheme} (first letter one of {', '.join(prefixes)})", tag)
    return tag[0], tag[1:].strip("-") or "_"
