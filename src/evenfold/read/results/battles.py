"""Battles of two models each: who won against whom, and two models as a table of wins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.read.results._base import Coded, Given, Long, Reader, decode, register
from evenfold.read.results._columns import as_frame, column

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

WIN_RATE = "win rate"  # what a table of battles of two models measures


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


def columns_of(
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


def battle_roles(present: Sequence[str], said: Mapping[str, str]) -> dict[str, str] | None:
    """Return what a table calls the roles of battles; None where it holds none."""
    found = columns_of(BATTLE, present, said)
    return found if {"model_a", "model_b", "winner"} <= found.keys() else None


def battles_of(frame: Any, found: Mapping[str, str]) -> Battles:
    """Read the battles of a frame, given what it calls their roles."""
    texts = {role: _texts(frame, found[role]) for role in ("model_a", "model_b", "winner")}
    names = tuple(sorted({*texts["model_a"], *texts["model_b"]}))
    if "" in names:
        refuse("columns of models", "filled in every row", "an empty name")
    place = {name: i for i, name in enumerate(names)}
    first = np.array([place[one] for one in texts["model_a"]], dtype=np.intp)
    second = np.array([place[one] for one in texts["model_b"]], dtype=np.intp)
    if (first == second).any():
        where = int((first == second).argmax())
        refuse(
            "table",
            "have battles of two different models",
            f"{names[first[where]]!r} twice in row {where}",
        )
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
    return [
        "" if one is None or one != one else str(one)
        for one in decode(column(frame, name)).tolist()
    ]


def _numbers_of(frame: Any, name: str | None) -> NDArray[np.intp] | None:
    if name is None:
        return None
    places: dict[str, int] = {}
    return np.array(
        [places.setdefault(one, len(places)) for one in _texts(frame, name)], dtype=np.intp
    )


def _outcomes(
    winner: Sequence[str],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    place: Mapping[str, int],
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


@register
class BattlesOfTwo(Reader):
    """
    A frame with the columns ``model_a``, ``model_b`` and ``winner``, of two models.

    A battle is an example, its prompt a group. Its winner has 1, the loser 0, and both have 0 in a
    tie, so that the difference of both win rates is what ties split would give.
    """

    key = "battles"
    takes = "a frame of battles of two models with columns 'model_a', 'model_b' and 'winner'"

    def knows(self, table: Any, given: Given) -> bool:
        frame = as_frame(table)
        return frame is not None and battle_roles(list(frame.columns), given.columns) is not None

    def read(self, table: Any, given: Given) -> Long:
        frame = as_frame(table)
        found = battles_of(frame, battle_roles(list(frame.columns), given.columns) or {})
        if len(found.names) != 2:
            few = f"{len(found.names)} of them"
            refuse("table", "have battles of two models", few, "use ef.board to rank several")
        # outcome of the second name
        second = np.where(found.first == 1, found.outcome, 1 - found.outcome)
        won = np.concatenate([second == 0, second == 1]).astype(float)
        n = len(found)
        columns: dict[str, Any] = {
            "algorithm": Coded.repeated(found.names, n),
            "example": np.tile(np.arange(n), 2),
            "value": won,
        }
        if found.prompt is not None:
            columns["group"] = np.tile(found.prompt, 2)
        return Long(columns=columns, measure=WIN_RATE, higher_is_better=True)
