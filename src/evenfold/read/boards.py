"""
Tables of leaderboards: models × tasks in whatever form boards have, and battles of two models each.

A board is long (model, task, value), wide with a row per model and a column per task, or wide with a row per
task and a column per model. Battles have the columns ``model_a``, ``model_b`` and ``winner``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse
from evenfold.core.inputs.results import PROBABILITY, Results
from evenfold.read.results._base import Coded, Given, Long, plain
from evenfold.read.results._columns import results
from evenfold.read.results._frames import as_frame, column, is_measured
from evenfold.read.results._ids import listed
from evenfold.read.results._numbers import parsed
from evenfold.read.results.paths import is_path, read_frame

ROLES: dict[str, tuple[str, ...]] = {  # what boards call each role, the usual name first
    "algorithm": ("algorithm", "model", "model_name", "system"),
    "dataset": ("task", "dataset", "benchmark", "task_name"),
    "example": ("example", "id", "instance", "item", "question_id", "prompt"),
    "run": ("run", "seed", "trial", "epoch"),
    "group": ("group", "cluster"),
    "weight": ("weight",),
    "value": ("value", "score"),
    "truth": ("truth", "y_true"),
    "prediction": ("prediction", "y_pred"),
}
BATTLE: dict[str, tuple[str, ...]] = {
    "model_a": ("model_a",),
    "model_b": ("model_b",),
    "winner": ("winner", "preference"),
    "prompt": ("prompt", "prompt_id", "question_id", "question", "group"),
    "judge": ("judge", "judge_id", "annotator"),
}
_TIE = ("tie", "draw", "both")
_BAD = ("both bad", "both_bad", "bothbad", "tie (bothbad)", "tie (both bad)", "neither")
_FIRST = ("model_a", "a")
_SECOND = ("model_b", "b")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Battles:
    """
    Who won against whom.

    Attributes
    ----------
    names : tuple of str
        The models, sorted.
    first, second : arrays (battles,)
        The models of every battle, as positions in ``names``.
    outcome : array (battles,)
        1 where the first won, 0 where the second did, ½ for a tie.
    both_bad : bool array (battles,)
        Ties in which both answers were called bad.
    prompt, judge : arrays (battles,) or None
        Numbers of the prompts and of the judges.
    """

    names: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    both_bad: NDArray[np.bool_]
    prompt: NDArray[np.intp] | None
    judge: NDArray[np.intp] | None

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: NDArray[np.bool_]) -> "Battles":
        """Some of the battles, with the models that are left."""
        there = np.unique(np.concatenate([self.first[rows], self.second[rows]]))
        return Battles(
            names=tuple(self.names[i] for i in there),
            first=np.searchsorted(there, self.first[rows]),
            second=np.searchsorted(there, self.second[rows]),
            outcome=self.outcome[rows],
            both_bad=self.both_bad[rows],
            prompt=None if self.prompt is None else self.prompt[rows],
            judge=None if self.judge is None else self.judge[rows],
        )


def read_board(table: Any, *, columns: Mapping[str, str] | None = None) -> Results | Battles:
    """
    Read a leaderboard, or battles.

    Parameters
    ----------
    table : frame, path or mapping
        A frame or a file (csv, tsv, parquet, jsonl) in one of the forms above; or a mapping of models to
        mappings of tasks to values.
    columns : mapping of str to str, optional
        The table's names of the roles: ``{"task": "benchmark"}``.

    Returns
    -------
    Results or Battles
        Of a board, with its tasks as ``dataset``.

    Examples
    --------
    >>> read_board({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.4, "y": 0.7}})
    Results(a, b; 4 rows; varied: dataset)
    """
    said = dict(columns or {})
    if "task" in said:
        said["dataset"] = said.pop("task")
    if isinstance(table, Mapping):
        return _of_mapping(table)
    frame = as_frame(read_frame(Path(table)) if is_path(table) else table)
    if frame is None:
        kinds = "a frame, a path, or a mapping of models to mappings of tasks to values"
        refuse("table", kinds, type(table).__name__)
    present = list(frame.columns)
    for role, name in said.items():
        one_of("columns", role, [*ROLES, *BATTLE])
        one_of(f"columns[{role!r}]", name, present)
    fought = _named(BATTLE, present, said)
    if {"model_a", "model_b", "winner"} <= fought.keys():
        return _battles(frame, fought)
    found = _named(ROLES, present, said)
    if "truth" in found and "value" not in said:
        found.pop("value", None)  # a score beside a truth is a prediction
    probabilities = {name for name in present if name.startswith(PROBABILITY)}
    if "algorithm" in found and (is_measured({*found}) or probabilities):
        return _long(frame, found)
    return _wide(frame, found)


def _named(
    roles: Mapping[str, Sequence[str]], present: Sequence[str], said: Mapping[str, str]
) -> dict[str, str]:
    """What the table calls each role that it has."""
    taken = set(said.values())
    found = {role: said[role] for role in roles if role in said}
    for role, names in roles.items():
        usual = next((name for name in names if name in present and name not in taken), None)
        if role not in found and usual is not None:
            found[role] = usual
            taken.add(usual)
    return found


def _long(frame: Any, found: Mapping[str, str]) -> Results:
    if "dataset" not in found:
        refuse("table", "one with a column 'task'", _shown(frame), "say columns={'task': …}")
    chosen = {**found, **{name: name for name in frame.columns if name.startswith(PROBABILITY)}}
    return results(Long(columns={role: column(frame, name) for role, name in chosen.items()}), Given())


def _wide(frame: Any, found: Mapping[str, str]) -> Results:
    """Numbers of models × tasks, whichever of the two the rows are."""
    names = list(frame.columns)
    rows_are = next((role for role in ("algorithm", "dataset") if role in found), None)
    if rows_are is None:
        remedy = "say columns={'algorithm': …} or columns={'task': …}"
        refuse("table", "one with a column 'model' or 'task'", _shown(frame), remedy)
    key = found[rows_are]
    numbers = {name: parsed(np.asarray(plain(column(frame, name)))) for name in names if name != key}
    tasks = [name for name, values in numbers.items() if not np.isnan(values).all()]
    if len(tasks) < 2:
        refuse("table", "one with two columns of numbers or more", _shown(frame))
    labels = [str(one) for one in plain(column(frame, key))]
    doubled = sorted({one for one in labels if labels.count(one) > 1}) if len(labels) < 10_000 else []
    if doubled:
        refuse(f"column {key!r}", "a name once in every row", f"{listed(doubled)} several times")
    values = np.concatenate([numbers[name] for name in tasks])
    inner = Coded(np.array(labels, dtype=object), np.tile(np.arange(len(labels)), len(tasks)))
    outer = Coded.repeated(tasks, len(labels))
    models, of_task = (inner, outer) if rows_are == "algorithm" else (outer, inner)
    there = ~np.isnan(values)
    columns = {"algorithm": models[there], "dataset": of_task[there], "value": values[there]}
    return results(Long(columns=columns), Given())


def _shown(frame: Any) -> str:
    return ", ".join(map(repr, list(frame.columns)[:8]))


def _of_mapping(table: Mapping[Any, Any]) -> Results:
    if not table or not all(isinstance(one, Mapping) for one in table.values()):
        refuse("table", "a mapping of models to mappings of tasks to values", "another mapping")
    rows = [
        (str(model), str(task), value)
        for model, of_tasks in table.items()
        for task, value in of_tasks.items()
    ]
    models, tasks, values = (list(one) for one in zip(*rows, strict=True))
    columns = {
        "algorithm": np.array(models, dtype=object),
        "dataset": np.array(tasks, dtype=object),
        "value": np.asarray(values),
    }
    return results(Long(columns=columns), Given())


# --- battles


def _battles(frame: Any, found: Mapping[str, str]) -> Battles:
    texts = {role: _texts(frame, found[role]) for role in ("model_a", "model_b", "winner")}
    names = tuple(sorted({*texts["model_a"], *texts["model_b"]}))
    if "" in names:
        refuse("columns of models", "a name in every row", "an empty one")
    place = {name: i for i, name in enumerate(names)}
    first = np.array([place[one] for one in texts["model_a"]], dtype=np.intp)
    second = np.array([place[one] for one in texts["model_b"]], dtype=np.intp)
    if (first == second).any():
        where = int((first == second).argmax())
        refuse("table", "battles of two different models", f"{names[first[where]]!r} twice in row {where}")
    outcome, bad = _outcomes(texts["winner"], first, second, place)
    return Battles(
        names=names,
        first=first,
        second=second,
        outcome=outcome,
        both_bad=bad,
        prompt=_numbers_of(frame, found.get("prompt")),
        judge=_numbers_of(frame, found.get("judge")),
    )


def _texts(frame: Any, name: str) -> list[str]:
    return ["" if one is None or one != one else str(one) for one in plain(column(frame, name)).tolist()]


def _numbers_of(frame: Any, name: str | None) -> NDArray[np.intp] | None:
    if name is None:
        return None
    places: dict[str, int] = {}
    return np.array([places.setdefault(one, len(places)) for one in _texts(frame, name)], dtype=np.intp)


def _outcomes(
    winner: Sequence[str], first: NDArray[np.intp], second: NDArray[np.intp], place: Mapping[str, int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What every word of the column ``winner`` means: each is looked at once."""
    codes: dict[str, int] = {}
    said = np.array([codes.setdefault(one, len(codes)) for one in winner], dtype=np.intp)
    outcome = np.full(len(said), np.nan)
    bad = np.zeros(len(said), dtype=bool)
    for word, code in codes.items():
        rows = said == code
        lower = word.strip().lower()
        if word in place:
            outcome[rows & (first == place[word])] = 1.0
            outcome[rows & (second == place[word])] = 0.0
        elif lower in _FIRST:
            outcome[rows] = 1.0
        elif lower in _SECOND:
            outcome[rows] = 0.0
        elif lower in (*_TIE, *_BAD):
            outcome[rows] = 0.5
            bad |= rows & (lower in _BAD)
    if np.isnan(outcome).any():
        where = int(np.isnan(outcome).argmax())
        rule = "one of the two models, 'model_a', 'model_b' or 'tie'"
        refuse("column 'winner'", rule, f"{winner[where]!r} in row {where}")
    return outcome, bad
