"""``evenfold compare FOLDER``: every file of a folder is one data set."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenfold.cli.groups import Question
from evenfold.cli.output import note
from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError, InvalidInput, in_a_line
from evenfold.core.facts.comparison import PartialNote
from evenfold.read.frames import SUFFIXES

if TYPE_CHECKING:
    from evenfold.comparison.across.pairs import AcrossAsked


def over_data_sets(question: Question, test: str, *, algorithms: int) -> "AcrossAsked":
    """Return what is asked over data sets, or refuse it before any is read."""
    if question.alternative != "two-sided":
        refuse("--alternative", "two-sided over a folder", question.alternative)
    from evenfold.comparison.across.pairs import AcrossAsked

    over = AcrossAsked(
        test=test,
        adjust=None if question.adjust == "holm" else question.adjust,
        margin=question.margin,
        level=question.level,
        baseline=question.baseline,
    )
    over.check(algorithms)
    return over


def over_files(path: Path, compared: Callable[[Path], Any], over: "AcrossAsked", *, call: str) -> Any:
    """Compare on every file, and then over all of them."""
    from evenfold.comparison.across.api import summarise

    done, left_out = _each(files(path), compared)
    result = summarise(done, over, call=call)
    said = tuple(PartialNote(f"{name} is left out: {reason}") for name, reason in left_out.items())
    return replace(result, facts=replace(result.facts, notes=(*result.facts.notes, *said)))


def _each(
    found: Mapping[str, Path], compared: Callable[[Path], Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Compare on each file; those that cannot be used are named with the reason."""
    done, left_out = {}, {}
    for name, file in found.items():
        note(f"{name} ...")
        try:
            done[name] = compared(file)
        except EvenfoldError as error:
            left_out[file.name] = in_a_line(error)
            note(f"evenfold: {file.name} is left out: {left_out[file.name]}")
    if len(done) < 2:
        first = next(f"{name}: {reason}" for name, reason in left_out.items())
        raise InvalidInput(
            f"data must be a folder with two files of use or more but got {len(done)}; {first}"
        )
    return done, left_out


def files(path: Path) -> dict[str, Path]:
    """Return the data files of a folder by name, in order."""
    found = sorted(one for one in path.iterdir() if one.is_file() and one.name.lower().endswith(SUFFIXES))
    if len(found) < 2:
        refuse("data", f"a folder with at least two files that end in {', '.join(SUFFIXES)}", str(path))
    stems = [one.name.split(".")[0] for one in found]
    unique = len(set(stems)) == len(stems)
    return dict(zip(stems if unique else [one.name for one in found], found, strict=True))
