from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput

SENTENCES = [["The", "dog", "ran"], ["the", "the"], ["A", "dog"], ["Ada"]]
TAGS = [["O", "B-X", "O"], ["O", "O"], ["O", "B-X"], ["B-Y"]]


def test_levels_are_tags_then_words_then_lengths() -> None:
    table = ef.design.text_features(SENTENCES, TAGS, words=2, lengths=2)
    assert table.tolist() == [
        [1, 0, 1, 1, 0, 1],  # B-X, B-Y; the, dog; short, long
        [0, 0, 2, 0, 1, 0],
        [1, 0, 0, 1, 1, 0],
        [0, 1, 0, 0, 1, 0],
    ]


def test_texts_are_split_at_white_space() -> None:
    texts = [" ".join(sentence) for sentence in SENTENCES]
    np.testing.assert_array_equal(
        ef.design.text_features(texts, words=9, lengths=3),
        ef.design.text_features(SENTENCES, words=9, lengths=3),
    )


def test_tags_alone_have_lengths_too() -> None:
    assert ef.design.text_features(tags=TAGS, lengths=0).tolist() == [
        [1, 0],
        [0, 0],
        [1, 0],
        [0, 1],
    ]
    assert ef.design.text_features(tags=TAGS, lengths=4)[:, 2:].sum(axis=1).tolist() == [1, 1, 1, 1]


def test_every_unit_has_one_length() -> None:
    rng = np.random.default_rng(0)
    texts = ["a " * int(n) for n in rng.geometric(0.1, size=200)]
    table = ef.design.text_features(texts, words=0, lengths=5)
    assert table.sum(axis=1).tolist() == [1] * 200
    assert table.sum(axis=0).min() > 25


def test_balanced_halves_carry_the_same() -> None:
    rng = np.random.default_rng(0)
    sentences = [
        [f"w{i}" for i in rng.geometric(0.1, size=rng.integers(3, 20))] for _ in range(200)
    ]
    tags = [
        [str(t) for t in rng.choice(["O", "B-X", "B-Y"], size=len(s), p=[0.9, 0.08, 0.02])]
        for s in sentences
    ]
    table = ef.design.text_features(sentences, tags)
    even = ef.Mx2BCV(3, balance="features", random_state=0).partition(200, features=table)
    random = ef.design.Mx2(3, random_state=0).partition(200)
    worst = [
        max(ef.design.chi_square_ratio(table, *split) for split in cut) for cut in (even, random)
    ]
    assert worst[0] < 0.3 * worst[1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Either sentences or tags must be given"),
        ({"sentences": SENTENCES, "tags": TAGS[:3]}, "one for each token of each sentence"),
        ({"sentences": SENTENCES, "words": -1}, "words must be an integer ≥ 0"),
        (
            {"sentences": SENTENCES, "words": 0, "lengths": 0},
            "There are no features to count with words=0 and lengths=0",
        ),
    ],
)
def test_mistakes_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.design.text_features(**given)
