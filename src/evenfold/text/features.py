"""Quick features of tokens, as strings: a window of words or characters around each token."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from typing import Any
from unicodedata import category

from evenfold.core.checks import one_of, refuse_value

Sentence = Sequence[str]
Extract = Callable[[Sentence], list[list[str]]]

# one, two and three neighbouring places, from two before a token to two after it
_WINDOW = [range(start, start + length) for length in (1, 2, 3) for start in range(-2, 4 - length)]


def a_sentence(sentence: Any) -> Sentence:
    """
    Return a sentence as a list of tokens, or refuse what is none.

    A text is treated as a sequence of characters.
    """
    known = isinstance(sentence, Sequence) or getattr(sentence, "ndim", 0) == 1
    if not known or not all(isinstance(token, str) for token in sentence):
        refuse_value("sentence", sentence, "a sequence of strings, its tokens,")
    return list(sentence)


def windows(tokens: Sentence, name: str) -> list[list[str]]:
    """Return the one-, two- and threegrams of tokens in the window [−2, 2] (R19 section 6.4)."""
    padded = ["<", "<", *tokens, ">", ">"]
    return [
        [
            f"{name}{where}={'|'.join(padded[i + 2 + offset] for offset in offsets)}"
            for where, offsets in enumerate(_WINDOW)
        ]
        for i in range(len(tokens))
    ]


def word_features(sentence: Sentence) -> list[list[str]]:
    """
    Describe each word by the words around it, its beginning and end, and its shape.

    Examples
    --------
    >>> [f for f in word_features(["in", "New-York"])[1] if f.startswith(("shape", "end"))]
    ['end1=k', 'end2=rk', 'end3=ork', 'shape=Xx-Xx', 'shape-1=x', 'shape+1=']
    """
    sentence = a_sentence(sentence)
    shapes = ["", *map(shape, sentence), ""]
    return [
        [
            *around,
            *(f"begin{k}={word[:k].lower()}" for k in (1, 2, 3)),
            *(f"end{k}={word[-k:].lower()}" for k in (1, 2, 3)),
            f"shape={shapes[i + 1]}",
            f"shape-1={shapes[i]}",
            f"shape+1={shapes[i + 2]}",
        ]
        for i, (word, around) in enumerate(
            zip(sentence, windows([word.lower() for word in sentence], "w"), strict=True)
        )
    ]


def character_features(sentence: Sentence) -> list[list[str]]:
    """
    Describe each character by those around it and their kinds (letter, digit, punctuation).

    Examples
    --------
    >>> [f for f in character_features("第3次")[1] if f.startswith("kind")]
    ['kind=Lo|Nd|Lo']
    """
    sentence = a_sentence(sentence)
    kinds = ["", *(category(character[:1] or " ") for character in sentence), ""]
    return [
        [*around, f"kind={'|'.join(kinds[i : i + 3])}"]
        for i, around in enumerate(windows(sentence, "c"))
    ]


@cache
def shape(word: str) -> str:
    """
    Return the outline of a word: X for capitals, x for small letters, 0 for digits, runs as one.

    Examples
    --------
    >>> shape("McDonald's"), shape("2026-11-15")
    ("XxXx'x", '0-0-0')
    """
    return "".join(letter for letter, _ in groupby(word, _letter_shape))


def _letter_shape(letter: str) -> str:
    if letter.isupper():
        return "X"
    if letter.isalpha():
        return "x"
    if letter.isdigit():
        return "0"
    return letter


FEATURES: dict[str, Extract] = {"words": word_features, "characters": character_features}


def extractor(features: Any) -> Extract:
    """
    Return what turns a sentence into features.

    It is found by name, or it is the caller's function, or None if nothing is to be done.
    """
    if features is None:
        return list  # type: ignore[return-value]  # X holds features already
    if callable(features):
        return features  # type: ignore[no-any-return]  # the caller's
    if not isinstance(features, str):
        refuse_value("features", features, "'words', 'characters', a function or None")
    return FEATURES[one_of("features", features, FEATURES)]
