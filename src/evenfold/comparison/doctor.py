"""What a file of results holds, which question it can answer, and the command that asks it."""

from collections.abc import Callable
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


Spelling = Callable[[EvenfoldError], str]
"""How an error is said: with parameters of Python, or with options of the command line."""


def diagnose(path: Path, spell: Spelling = one_line) -> str:
    """
    Say what a file or a folder is, what it can answer, and the command that asks it.

    Every path gets a diagnosis, also where there is nothing. ``spell`` says what stands in the way
    of an answer.
    """
    if path.exists():
        try:
            rows = _describe_results(path, spell)
        except EvenfoldError as reason:
            rows = describe_file(path, spell(reason))
    else:
        rows = {"kind": f"there is no file {one_line(path)}"}
    return "\n".join(f"  {name:<11} {text}" for name, text in rows.items() if text)


def _describe_results(path: Path, spell: Spelling) -> dict[str, str]:
    """Return rows about a file of results: kind, algorithms, scores, holds, answers, next."""
    described = (reader.describe(path) for reader in READERS.values())
    known = next((description for description in described if description is not None), None)
    if known is None:
        results = _read_table(path)
        if _may_be_data(results):
            return describe_file(path, "")
        return _rows_of_results("a table", results, (), path, _needs_direction(results), spell)
    scores = known.scores
    chosen = next(score for score in ("success", *scores) if score in scores)
    named = True
    try:
        results = read_results(path, measure=chosen)
    except EvenfoldError:  # a log that does not name its algorithm
        results = read_results({path.stem: path}, measure=chosen)
        named = False
    options = f" --measure {quote(chosen)}" if len(scores) > 1 else ""
    if results.higher_is_better is None:
        options += " --higher-is-better"
    return _rows_of_results(known.kind, results, scores, path, options, spell, named=named)


_ONE_SCALE = 10.0  # by which typical values of algorithms on one scale differ at most


def _may_be_data(results: Results) -> bool:
    """Whether columns that could be algorithms are on scales so different that they are data."""
    values = results.value
    if results.sorted_names or values is None:
        return False
    sizes = [
        float(np.median(np.abs(values[results.algorithm == k]))) for k in range(len(results.names))
    ]
    return len(sizes) > 1 and max(sizes) > _ONE_SCALE * max(min(sizes), 0.1)


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


def _rows_of_results(
    kind: str,
    results: Results,
    scores: tuple[str, ...],
    path: Path,
    options: str,
    spell: Spelling,
    *,
    named: bool = True,
) -> dict[str, str]:
    file = quote(str(path))
    if len(results.names) == 1 or not named:
        command = f"evenfold judge --baseline {file} --candidate OTHER{path.suffix}{options}"
    else:
        command = f"evenfold judge {file} --baseline {quote(results.names[0])}{options}"
    try:
        question = _QUESTIONS[what_varied(results)]
    except EvenfoldError as error:
        question = f"nothing yet: {spell(error)}"
    return {
        "kind": kind,
        "algorithms": _list_names(results.names) if named else "",
        "scores": _list_names(scores),
        "holds": _holds(results),
        "answers": question,
        "next": command,
    }


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
