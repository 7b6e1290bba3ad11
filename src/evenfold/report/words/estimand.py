"""What the numbers of an answer are about, in words."""

from collections.abc import Sequence

from evenfold.core.estimate import Estimand
from evenfold.core.losses import Quantity, measure_name
from evenfold.core.partition import Kind
from evenfold.core.words import format_count, group_words, join_words
from evenfold.report.words.verdict import about_results

_OF_SOURCES = {
    "sources": "on a new {one}",
    "examples of these sources": "averaged over these {many},",
}


def estimand_words(
    estimand: Estimand,
    quantity: Quantity,
    kind: Kind,
    *,
    pairs: Sequence[tuple[str | None, str]],
    size: int,
    group: str | None,
) -> str:
    """Return what the numbers are about, with the training size, in this comparison's names."""
    named = _measure_of_pairs(quantity, pairs)
    if kind.about:
        return f"{named} {about_results(about=kind.about, group=group)}"
    singular, plural = group_words(group)
    of = _OF_SOURCES.get(estimand.varied, estimand.of).format(one=singular, many=plural)
    words = named
    if not kind.is_one_split:  # which models of one split are meant is said below
        words = f"{'' if estimand.quantity else 'expected '}{named} {of}".strip()
    if estimand.form == "other":
        words = str(estimand)
    if kind.is_one_split:
        whose = "of the models"
        if len(pairs) == 1 and pairs[0][0] is None:
            whose = "as it was"
        return f"{words} {whose} trained on {format_count(size)} examples"
    return f"{words} at training size {format_count(size)}"


def _measure_of_pairs(quantity: Quantity, pairs: Sequence[tuple[str | None, str]]) -> str:
    what = measure_name(quantity)
    if not pairs:
        return what
    if all(a is None for a, _ in pairs):
        return f"{what} of {join_words(b for _, b in pairs)}"
    (a, b) = pairs[0]
    sign = "−"
    if quantity.ratio:
        sign = "/"
    set_against = f"{b} {sign} {a}"
    if len(pairs) > 1:
        set_against = quantity.against
    return f"{quantity.contrast} {what}, {set_against},"
