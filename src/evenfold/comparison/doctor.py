"""What a file of results holds, which question it can answer, and the command that asks it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import numpy as np

from evenfold.comparison.judge.arrange import Varied, examples_of_tasks, what_varied
from evenfold.comparison.unknown_files import describe_file
from evenfold.core.errors import EvenfoldError
from evenfold.core.inputs import TASK, Results
from evenfold.core.words import count, one_line
from evenfold.read.results import READERS, read_results
from evenfold.read.results.files import read_frame

_SHOWN = 6
_TABLE = "a table"

# What a table can answer, by what varied in it.
_QUESTIONS = {
    Varied.EXAMPLES: "are these models different on new examples of this kind?",
    Varied.RUNS: "are the models different over new runs, on new examples?",
    Varied.SEEDS: "are the models different over new runs, on this test set?",
    Varied.FOLDS: "are the algorithms different at the training size of the folds? (needs --n)",
    Varied.REPEATED_FOLDS: "are the algorithms different at the training size of the folds? "
    "(needs --n)",
    Varied.HALVES: "are the algorithms different at half of the examples?",
    Varied.SPLITS: "are the algorithms different at the training size of the splits?",
    Varied.DATA_SETS: "are the algorithms different on a new data set?",
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Diagnosis:
    """
    What a file holds.

    Attributes
    ----------
    kind : str
        Which program wrote it, or that it is a table.
    algorithms, scores : tuple of str
        Their names; no scores where a table has one value per row, or predictions.
    holds : str
        How many rows, examples, runs and groups.
    question : str
        What it can answer.
    command : str
        The command that asks it.
    results : Results
        What was read.
    """

    kind: str
    algorithms: tuple[str, ...]
    scores: tuple[str, ...]
    holds: str
    question: str
    command: str
    results: Results

    def __str__(self) -> str:
        rows = {
            "kind": self.kind,
            "algorithms": _list_names(self.algorithms),
            "scores": _list_names(self.scores),
            "holds": self.holds,
            "answers": self.question,
            "next": self.command,
        }
        return format_rows(rows)


def format_rows(rows: Mapping[str, str]) -> str:
    """Write what was found line by line; what has nothing to say is left out."""
    return "\n".join(f"  {name:<11} {text}" for name, text in rows.items() if text)


Spelling = Callable[[EvenfoldError], str]
"""How an error is said: with parameters of Python, or with options of the command line."""


def diagnose(path: Path, spell: Spelling = one_line) -> str:
    """
    Say what a file or a folder is, what it can answer, and the command that asks it.

    Every path gets a diagnosis, also where there is nothing. ``spell`` says what stands in the way
    of an answer.
    """
    if not path.exists():
        return format_rows({"kind": f"there is no file {one_line(path)}"})
    try:
        diagnosis = _diagnose_results(path, spell)
    except EvenfoldError as reason:
        return format_rows(describe_file(path, spell(reason)))
    if _may_be_data(diagnosis):
        return format_rows(describe_file(path, ""))
    return str(diagnosis)


_ONE_SCALE = 10.0  # by which typical values of algorithms on one scale differ at most


def _may_be_data(diagnosis: Diagnosis) -> bool:
    """Whether columns that could be algorithms are on scales so different that they are data."""
    results = diagnosis.results
    values = results.value
    if diagnosis.kind != _TABLE or results.sorted_names or values is None:
        return False
    sizes = [
        float(np.median(np.abs(values[results.algorithm == k]))) for k in range(len(results.names))
    ]
    return len(sizes) > 1 and max(sizes) > _ONE_SCALE * max(min(sizes), 0.1)


def _diagnose_results(path: Path, spell: Spelling) -> Diagnosis:
    described = (reader.describe(path) for reader in READERS.values())
    known = next((description for description in described if description is not None), None)
    if known is None:
        results = _read_table(path)
        options = _needs_direction(results)
        return _diagnosis(_TABLE, results, (), path, options, _question(results, spell))
    scores = known.scores
    chosen = next(score for score in ("success", *scores) if score in scores)
    alone = False
    try:
        results = read_results(path, measure=chosen)
    except EvenfoldError:  # a log that does not name its algorithm
        results = read_results({path.stem: path}, measure=chosen)
        alone = True
    options = f" --measure {quote(chosen)}" if len(scores) > 1 else ""
    if results.higher_is_better is None:
        options += " --higher-is-better"
    question = _question(results, spell)
    return _diagnosis(known.kind, results, scores, path, options, question, alone=alone)


def _read_table(path: Path) -> Results:
    """Read a table, or one of a single algorithm that does not name it."""
    try:
        return read_results(path)
    except EvenfoldError as error:
        try:
            return read_results({path.stem: path})
        except EvenfoldError as alone:
            # an id and a value: no room for two algorithms
            holds_one = len(read_frame(path).columns) <= 2
            raise (alone if holds_one else error) from None


def _needs_direction(results: Results) -> str:
    if results.value is None or results.higher_is_better is not None:
        return ""
    only_right_or_wrong = set(results.value.tolist()) <= {0.0, 1.0}
    if only_right_or_wrong:
        return " --measure accuracy"
    return " --higher-is-better"


def _diagnosis(
    kind: str,
    results: Results,
    scores: tuple[str, ...],
    path: Path,
    options: str,
    question: str,
    *,
    alone: bool = False,
) -> Diagnosis:
    file = quote(str(path))
    if alone or len(results.names) == 1:
        command = f"evenfold judge --baseline {file} --candidate OTHER{path.suffix}{options}"
    else:
        command = f"evenfold judge {file} --baseline {quote(results.names[0])}{options}"
    return Diagnosis(
        kind=kind,
        algorithms=() if alone else results.names,
        scores=scores,
        holds=_holds(results),
        question=question,
        command=command,
        results=results,
    )


def _question(results: Results, spell: Spelling) -> str:
    try:
        return _QUESTIONS[what_varied(results)]
    except EvenfoldError as error:
        return f"nothing yet: {spell(error)}"


def _holds(results: Results) -> str:
    results = examples_of_tasks(results)
    parts = [count(len(results), "row")]
    tasks = results.parts.get(TASK)
    if tasks is not None:
        parts.append(count(len(tasks), "task"))
    for role in ("example", "group", "run", "fold", "split", "dataset", "time"):
        ids = results.ids(role)
        if ids is not None:
            parts.append(count(len(ids), {"dataset": "data set"}.get(role, role)))
    if results.truth is not None:
        parts.append("truth and predictions")
    if results.probabilities:
        parts.append(f"probabilities of {count(len(results.probabilities), 'class')}")
    return ", ".join(parts)


def _list_names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:_SHOWN])
    if len(names) <= _SHOWN:
        return shown
    return f"{shown} and {len(names) - _SHOWN} more"
