"""What must be said beside a verdict: warnings of the rooms, each once, and signs of known mistakes."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from evenfold.comparison.answer import PairResult, Rule
from evenfold.core.errors import DegenerateData, EvenfoldWarning
from evenfold.core.estimate import PosteriorEstimate
from evenfold.core.inputs.task import Task
from evenfold.core.losses import Losses, Quantity
from evenfold.core.scores import PRECISION, RECALL
from evenfold.design import Design, SourceSizedKFold

_SCARCE = 60  # examples of a class: below, see "Scores that cover" in docs/infer/influence-scores
_NOTES: dict[type[Warning], str] = {
    DegenerateData: "the differences show no spread at all: p-value and interval rest on the number of "
    "examples alone; where the measure has no range they are those of so many equal signs"
}


@contextmanager
def noted(notes: dict[str, None]) -> Iterator[None]:
    """Collect warnings of evenfold as notes, each once; those of others are shown as ever."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def collect(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, EvenfoldWarning):
                notes[_NOTES.get(category, str(message))] = None
            else:
                show(message, category, *where, **more)

        warnings.simplefilter("always", EvenfoldWarning)
        warnings.showwarning = collect
        yield


@contextmanager
def without_warnings() -> Iterator[None]:
    """Look at data that may show no spread without saying so each time; the answer says it once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        yield


def caveats(rule: Rule) -> list[str]:
    """Return what must be said of a method that is for comparison only."""
    entry = rule.entry
    if entry.recommended:
        return []
    return [f"{rule.method} is for comparison only ({entry.leaning}): {entry.why}"]


def unadjusted(results: Sequence[PairResult]) -> list[str]:
    """Say of the posteriors of several pairs what no share of the level changes."""
    if len(results) < 2 or not any(isinstance(one.estimate, PosteriorEstimate) for one in results):
        return []
    return ["posterior probabilities are not adjusted for the number of pairs"]


def beside(results: Sequence[PairResult]) -> list[str]:
    """Return what the estimates say beside their answers; with several pairs, of whom."""
    said = [(one, one.estimate.note) for one in results if one.estimate is not None]
    if len(results) == 1:
        return [note for _, note in said if note]
    return [f"{one.challenger} against {one.baseline}: {note}" for one, note in said if note]


def silent(losses: Losses) -> list[str]:
    """Say which algorithms never predicted what a score is about: precision then is 0/0, taken for 0."""
    if losses.counts is None or losses.score == RECALL:  # of which predicting nothing is no riddle
        return []
    quantity, tests = losses.quantity, losses.counts.shape[1]
    never = (losses.counts[..., :2].sum(axis=-1) == 0).sum(axis=-1)
    what = f"class {quantity.positive}" if quantity.positive else "anything"
    result = ": its precision counts as 0 there" if losses.score == PRECISION else ", so its score is 0 there"
    return [
        f"{name} never predicts {what} on {count} of {tests} test sets{result}"
        for name, count in zip(losses.algorithms, never.tolist(), strict=True)
        if count
    ]


def pitfalls(task: Task, quantity: Quantity, design: Design) -> list[str]:
    """Return a note for each sign of a known mistake that no inference can mend."""
    notes = design.cautions(task.y)
    if quantity.of_the_mix and _evened_out(task):
        notes.append(
            "all classes are equally frequent: if they were made so before the split, precision and F1 are "
            "those of data that do not exist; give all rows and draw inside the folds (ef.run.UnderSampled, "
            "--undersample)"
        )
    scored = quantity.per_example == "outcomes" and quantity.target == "labels"
    if scored and task.target != "sequences" and task.rarest < _SCARCE:  # texts have no classes
        notes.append(
            f"the rarest class has {task.rarest} examples: with 20 to 50 of them tests of such scores were "
            "measured to err up to .11 at .05, and intervals of one algorithm to cover 84 to 96 %"
        )
    if column := _identifier(task.X):
        notes.append(
            f"{column} of X has another whole number in every row, as an identifier has: leave it out, or "
            "give it as order= where it counts time"
        )
    if isinstance(design, SourceSizedKFold):
        notes.append(
            "these folds ignore the sources, so every model was tested on sources it had trained on: this is "
            "no answer for a new source; LeaveOneSourceOut is"
        )
    return notes


_MANY = 20  # rows: fewer whole numbers differ by chance


def _identifier(X: Any) -> str:
    """Name the first column of whole numbers that are all different, as those of an identifier are."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = ((f"column {name!r}", X[name]) for name in X.columns)
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        columns = ((f"column {j}", X[:, j]) for j in range(X.shape[1]))
    else:
        return ""
    return next((name for name, values in columns if _all_different(values)), "")


def _all_different(values: Any) -> bool:
    kind = values.dtype.kind
    if kind not in "iuf" or len(values) < _MANY:
        return False
    numbers = np.asarray(values)
    # the first rows tell most columns apart from an identifier, without sorting them all
    return all(_whole_and_different(part) for part in (numbers[:_MANY], numbers))


def _whole_and_different(numbers: Any) -> bool:
    return bool((numbers == np.rint(numbers)).all()) and len(np.unique(numbers)) == len(numbers)


def _evened_out(task: Task) -> bool:
    """Whether all labels occur equally often, which a sample drawn to be even does and nature rarely."""
    return len(np.unique(task.class_sizes)) == 1
