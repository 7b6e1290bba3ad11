import random

import pytest
from seqeval import scheme as seqeval_schemes

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.tags import chunks

Sentences = list[list[str]]


def sentences(rng: random.Random, prefixes: str, lengths: list[int]) -> Sentences:
    def tag() -> str:
        prefix = rng.choice(prefixes)
        return prefix if prefix == "O" else prefix + rng.choice(["-PER", "-LOC", ""])

    return [[tag() for _ in range(length)] for length in lengths]


def reference(true: Sentences, predicted: Sentences, scheme: str) -> tuple[int, int, int]:
    kind = getattr(seqeval_schemes, scheme)
    a, b = (
        {entity for part in seqeval_schemes.Entities(tags, kind).entities for entity in part}
        for tags in (true, predicted)
    )
    return len(a & b), len(b - a), len(a - b)


@pytest.mark.parametrize(
    ("scheme", "prefixes"), [("IOB1", "IOB"), ("IOB2", "IOB"), ("IOBES", "IOBES")]
)
@pytest.mark.parametrize("seed", range(100))
def test_equal_to_seqeval_on_any_tags(scheme: str, prefixes: str, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        lengths = [rng.randint(0, 9) for _ in range(4)]
        true, predicted = sentences(rng, prefixes, lengths), sentences(rng, prefixes, lengths)
        assert ef.run.chunk_counts(true, predicted, scheme=scheme) == reference(
            true, predicted, scheme
        )


@pytest.mark.parametrize("seed", range(20))
def test_bmes_is_iobes_with_another_letter_inside(seed: int) -> None:
    rng = random.Random(seed)
    lengths = [rng.randint(0, 9) for _ in range(20)]
    true, predicted = sentences(rng, "IOBES", lengths), sentences(rng, "IOBES", lengths)

    def other(tags: Sentences) -> Sentences:
        return [["M" + tag[1:] if tag[0] == "I" else tag for tag in sentence] for sentence in tags]

    counts = ef.run.chunk_counts(other(true), other(predicted), scheme="BMES")
    assert counts == ef.run.chunk_counts(true, predicted, scheme="IOBES")


def test_word_segmentation_needs_no_types() -> None:
    assert list(chunks(["B", "M", "E", "S"], "BMES")) == [("_", 0, 3), ("_", 3, 4)]


@pytest.mark.parametrize(
    ("arguments", "scheme", "message"),
    [
        (([["B-X"]], [["B-X"], ["O"]]), "IOB2", r"as many sequences as true \(1\) but has 2"),
        (([["B-X"]], [["B-X", "O"]]), "IOB2", r"predicted\[0\] must be as long as true\[0\]"),
        (([["Q-X"]], [["O"]]), "IOB2", "tag must be a tag of IOB2"),
        (([["O"]], [["O"]]), "IOB3", "Did you mean"),
    ],
)
def test_bad_tags_are_refused_in_one_line(
    arguments: tuple[Sentences, Sentences], scheme: str, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.run.chunk_counts(*arguments, scheme=scheme)
