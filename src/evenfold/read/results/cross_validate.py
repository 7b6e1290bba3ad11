"""What scikit-learn's ``cross_validate`` returns, one dict per algorithm, with its splitter."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.note import note
from evenfold.core.words import join_words, unused_name
from evenfold.read.results import base
from evenfold.read.results.base import LongTable, Reader, ReadingOptions
from evenfold.read.results.columns import parse_numbers
from evenfold.read.results.frames import stack_algorithms

_SCORES = "test_"


@base.register
class CrossValidated(Reader):
    """
    A mapping of names to dicts of ``cross_validate``: one score per split.

    Higher values of these scores are better.
    """

    key = "cross-validate"
    takes = "a mapping of algorithm to what cross_validate returned, with cv= and n="

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return base.each_is(table, _is_validated)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        first = next(iter(table.values()))
        names = [key.removeprefix(_SCORES) for key in first if _is_score(key)]
        name = _score(names, options, "The table has several scores.")
        key = f"{_SCORES}{name}"
        values = {}
        for algorithm, scores in base.name_columns(table).items():
            if key not in scores:
                refuse(
                    None,
                    f"The scores of {algorithm!r} must include {key!r}, but they are "
                    f"{', '.join(map(repr, scores))}.",
                )
            values[algorithm] = np.atleast_1d(base.mask_to_gaps(scores[key]))
        lengths = {len(scores) for scores in values.values()}
        if len(lengths) > 1:
            refuse(
                "scores",
                "All algorithms must have the same number of scores, but they have "
                f"{join_words(map(str, sorted(lengths)))}.",
            )
        return _long(values, name, options)


def _score(names: list[str], options: ReadingOptions, several: str) -> str:
    """Return the only score, or the one of several scores that was asked for."""
    return names[0] if len(names) == 1 else options.score(names, several)


def _long(values: dict[str, Any], name: str, options: ReadingOptions) -> LongTable:
    rows = options.rows or ("splits" if hasattr(options.cv, "split") else "folds")
    long = stack_algorithms(values, {}, replace(options, rows=rows))
    return replace(long, measure=name, higher_is_better=True)


def _is_score(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(_SCORES)


def _is_validated(results: Any) -> bool:
    return isinstance(results, Mapping) and any(map(_is_score, results))


# `cv_results_` of scikit-learn's searches: every candidate is an algorithm, every split a score.


_SPLIT = re.compile(r"split(\d+)_test_(.+)")


@base.register
class SearchResults(Reader):
    """
    A fitted search, or its ``cv_results_`` as a mapping or as a frame, or a study of Optuna.

    The trials of a study must have kept the score of every split, as ``OptunaSearchCV`` makes them.
    """

    key = "cv-results"
    takes = "a fitted GridSearchCV or its cv_results_, or a study of Optuna, with n="

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        columns = _columns(table)
        return "params" in columns and any(_SPLIT.fullmatch(str(key)) for key in columns)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:
        cells = _columns(table)
        if options.cv is None and hasattr(getattr(table, "cv", None), "split"):
            options = replace(options, cv=table.cv)  # else it says a number of folds, or nothing
        scores = [match.groups() for key in cells if (match := _SPLIT.fullmatch(str(key)))]
        names = sorted({name for _, name in scores})
        name = _score(names, options, "The search has several scores.")
        splits = sorted(int(j) for j, of in scores if of == name)
        columns = [parse_numbers(base.mask_to_gaps(cells[f"split{j}_test_{name}"])) for j in splits]
        values = dict(zip(_candidates(cells["params"]), np.column_stack(columns), strict=True))
        direction = getattr(getattr(table, "direction", None), "name", "MAXIMIZE")
        return replace(
            _long(values, name, options),
            higher_is_better=direction == "MAXIMIZE",
            notes=(note("searched"),),
        )


def _columns(table: Any) -> Mapping[str, Any]:
    """
    Return the columns of ``cv_results_``: of a search, a mapping, a frame, or a study of Optuna.

    The result is empty for anything else.
    """
    study = getattr(table, "study_", table)  # an OptunaSearchCV holds one
    if _is_study(study):
        return _study_columns(study.trials)
    results = getattr(table, "cv_results_", table)
    if isinstance(results, Mapping):
        return results
    frame = base.as_frame(results)
    if frame is None:
        return {}
    return {name: frame[name].to_list() for name in frame.columns}


def _is_study(study: Any) -> bool:
    try:
        return hasattr(study, "trials") and hasattr(study, "best_trial")
    except ValueError:  # Optuna's word for a study without a completed trial
        return True
    except RuntimeError:  # and for one of several objectives
        refuse("table", "table must be a study of one objective, but it has several.")


def _study_columns(trials: Sequence[Any]) -> Mapping[str, Any]:
    """Return the same columns, from the trials of Optuna that came to their end."""
    complete = [trial for trial in trials if trial.state.name == "COMPLETE"]
    kept = [{key for key in trial.user_attrs if _SPLIT.fullmatch(key)} for trial in complete]
    scores = sorted(set[str]().union(*kept))
    if not scores or any(keys != kept[0] for keys in kept):
        refuse(
            "study",
            "Every trial of a study must keep the score of each split, but these trials do not.",
            "Call trial.set_user_attr('split0_test_score', score) for each split.",
        )
    columns: dict[str, Any] = {
        score: [trial.user_attrs[score] for trial in complete] for score in scores
    }
    return {"params": [trial.params for trial in complete], **columns}


def _candidates(params: Any) -> list[str]:
    """Name the candidates by their parameters; candidates that print alike are numbered."""
    names: list[str] = []
    for candidate in params:
        words = candidate
        if not isinstance(candidate, str):
            words = ", ".join(f"{name}={value}" for name, value in candidate.items()) or "default"
        names.append(unused_name(words, names))
    return names
