"""What it takes to find a difference, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from evenfold.core.note import says
from evenfold.core.words import count, decimals, format_confidence, format_number, round_up


def _aim(question: Mapping[str, Any], margin: float = 0.0) -> str:
    """Say which difference is to be found or passed, with which power, and by which test."""
    difference = question["difference"]
    size = format_number(difference, digits=decimals(difference or 0.01))
    sides = "two-sided" if question["alternative"] == "two-sided" else "one-sided"
    what = f"find a difference of {size}"
    if margin:
        sides = "one-sided"  # a gate has one side
        model = f"a model that is worse by {size}" if difference else "an unchanged model"
        what = f"pass {model} as not worse by more than {margin:g}"
    return (
        f"To {what} with a power of {format_confidence(1 - question['wanted'])} "
        f"({question['test']}, level {question['level']:g}, {sides})"
    )


@says("plan-repetitions")
def plan_of_repetitions(
    *,
    question: Mapping[str, Any],
    n: int,
    m: int,
    powers: Sequence[float],
    limits: Sequence[float],
    repetitions: int | None,
    stops_early: bool,
    examples: Sequence[int],
    shrinkage: float,
    shortened: str,
    enough_repetitions: int,
    keeps_level: Mapping[str, bool],
) -> str:
    """
    Say how many repetitions suffice, and if none do, how many examples.

    ``shortened`` names the test whose interval gets shorter, and whose level is kept or not.
    """
    now = f"With {count(m, 'repetition')} on {count(n, 'example')} the power is {_range(powers)}"
    if repetitions is None:
        sizes = " to ".join(f"{size:,}" for size in dict.fromkeys(examples))
        sentences = [
            f"{_aim(question)}, about {sizes} examples suffice with {count(m, 'repetition')}.",
            f"{now}; more repetitions cannot raise it above {_range(limits)}, because their "
            "training and test sets overlap.",
        ]
    else:
        most = "at most " if stops_early else ""
        sentences = [
            f"{_aim(question)}, {count(repetitions, 'repetition')} suffice, which are "
            f"{most}{4 * repetitions} fits for two algorithms.",
            f"{now}.",
        ]
    sentences.append(
        f"One more repetition would shorten the interval of {shortened} by {100 * shrinkage:.1f}% "
        f"on average; from {enough_repetitions} repetitions on, it is less than 1%."
    )
    for case, keeps in keeps_level.items():
        verb = "keeps its level" if keeps else "errs more often than its level"
        sentences.append(f"At {case} {shortened} {verb}.")
    return " ".join(sentences)


def _range(powers: Sequence[float]) -> str:
    """Write the powers of all cases: one number where they agree, else from the least on."""
    least = min(powers)
    most = max(powers)
    if most - least < 0.005:
        return f"{powers[0]:.2f}"
    return f"{least:.2f} to {most:.2f}"


@says("plan-path")
def plan_of_path(
    *, question: Mapping[str, Any], word: str, power: float, have: int, needed: int
) -> str:
    """Say how many time points or windows suffice."""
    unit = "time point" if word == "time" else word
    return (
        f"{_aim(question)}, {count(needed, unit)} suffice if the path goes on as it was. "
        f"With the {count(have, unit)} of the pilot the power is {power:.2f}."
    )


@says("plan-answers")
def plan_of_answers(
    *,
    question: Mapping[str, Any],
    margin: float,
    differ: float,
    needed: int,
    have: int | None,
    power: float | None,
) -> str:
    """Say how many right or wrong answers suffice."""
    sentence = (
        f"{_aim(question, margin)}, where {100 * differ:.3g}% of the answers differ, about "
        f"{round_up(needed):,} answers suffice."
    )
    if have is None:
        return sentence
    return f"{sentence} With {have:,} answers the power is {power:.2f}."


@says("plan-table")
def plan_of_table(
    *,
    question: Mapping[str, Any],
    ways: Sequence[tuple[str, int | None]],
    have: Sequence[tuple[str, int]],
    power: float,
) -> str:
    """
    Say how many units or runs suffice, each while the other stays as it is.

    ``have`` is what the pilot has; it is empty where there is no number to speak of.
    """
    enough = [f"{needed:,} {word}" for word, needed in ways if needed is not None]
    phrases = [f"{' or '.join(enough)} suffice"] if enough else []
    phrases += [f"no number of {word} suffices alone" for word, needed in ways if needed is None]
    sentence = f"{_aim(question)}, {'; '.join(phrases)}."
    if not have:
        return sentence
    present = " on ".join(f"{number:,} {word}" for word, number in have)
    return f"{sentence} With {present} the power is {power:.2f}."
