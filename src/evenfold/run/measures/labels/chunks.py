"""
Chunk-level counts for sequence labelling.

a chunk is right if its type, start and end all are.
"""

from collections.abc import Sequence
from typing import Any

from evenfold.core.checks import one_of, refuse
from evenfold.core.tags import READINGS, SCHEMES, Tags, chunks


def chunk_counts(
    true: Sequence[Tags], predicted: Sequence[Tags], *, scheme: str = "IOB2", illegal: str = "drop"
) -> tuple[int, int, int]:
    """
    Count right, invented and missed chunks over sequences of tags.

    Parameters
    ----------
    true, predicted : sequences of tag sequences
        One sequence of tags per sentence, such as ``["B-PER", "I-PER", "O"]``; the type may be left
        out (``["B", "M", "E"]``), as in word segmentation.
    scheme : {"IOB1", "IOB2", "IOBES", "BMES", "BB2B3MES"}
        How tags mark chunks.
    illegal : {"drop", "repair"}
        How tags that break the rules of the scheme are read, on both sides.

    Returns
    -------
    tp, fp, fn : int
        Chunks in both, only predicted, only true.

    Notes
    -----
    With ``"drop"`` the scheme is read strictly: in IOB2 an ``I-`` that follows no ``B-`` of its
    type makes no chunk, in IOBES and BMES a chunk without its end makes none. Equal to ``seqeval``
    with ``mode="strict"``. With ``"repair"`` a chunk goes on until an ``O``, a new type or a new
    beginning. Equal to conlleval, and to ``seqeval`` in its default mode.

    Examples
    --------
    >>> chunk_counts([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-ORG"]])
    (1, 1, 1)
    >>> chunk_counts([["O", "B-PER"]], [["O", "I-PER"]]), chunk_counts(
    ...     [["O", "B-PER"]], [["O", "I-PER"]], illegal="repair")
    ((0, 0, 1), (1, 0, 0))
    """
    one_of("scheme", scheme, SCHEMES)
    one_of("illegal", illegal, READINGS)
    true = _sequences("true", true)
    predicted = _sequences("predicted", predicted)
    if len(true) != len(predicted):
        refuse("predicted", f"as many sequences as true ({len(true)})", len(predicted))
    tp = n_true = n_predicted = 0
    for position, (a, b) in enumerate(zip(true, predicted, strict=True)):
        if len(a) != len(b):
            refuse(f"predicted[{position}]", f"as long as true[{position}] ({len(a)})", len(b))
        true_chunks = set(chunks(a, scheme, illegal))
        predicted_chunks = set(chunks(b, scheme, illegal))
        tp += len(true_chunks & predicted_chunks)
        n_true += len(true_chunks)
        n_predicted += len(predicted_chunks)
    return tp, n_predicted - tp, n_true - tp


def _sequences(name: str, given: Any) -> list[list[str]]:
    """Return sequences of tags as lists, or refuse what is none."""
    if isinstance(given, str):
        refuse(name, "sequences of tags", given)
    try:
        sequences = [list(tags) for tags in given]
    except TypeError:
        refuse(name, "sequences of tags", given)
    for tags in sequences:
        if not all(isinstance(tag, str) for tag in tags):
            refuse(name, "sequences of texts", tags)
    return sequences
