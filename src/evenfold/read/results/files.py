"""One file, or one frame, per algorithm, joined by their ids."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.inputs import IDS
from evenfold.read.results._base import (
    Coded,
    Given,
    Long,
    Reader,
    decode,
    each_is,
    name_columns,
    register,
)
from evenfold.read.results._columns import (
    array,
    as_frame,
    by_role,
    columns_without_role,
    is_measured,
    unused_groups_note,
)
from evenfold.read.results.paths import is_path, read_frame


@register
class Files(Reader):
    """A mapping of names to paths or frames, each the table of one algorithm."""

    key = "files"
    takes = "a mapping of algorithm to path or frame"
    general = True

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        return each_is(table, _is_table)

    def read(self, table: Any, given: Given) -> Long:
        frames = {name: _frame(one) for name, one in name_columns(table).items()}
        parts = {name: _columns(name, frame, given) for name, frame in frames.items()}
        note = unused_groups_note(list(frames.values()), list(parts.values()), given)
        return join_parts(parts, notes=(note,) if note else ())


def join_parts(parts: Mapping[str, Mapping[str, Any]], **said: Any) -> Long:
    """Put the columns of several algorithms below each other; they must be the same ones."""
    roles = [sorted(columns) for columns in parts.values()]
    if any(one != roles[0] for one in roles):
        text = "; ".join(f"{name}: {', '.join(columns)}" for name, columns in parts.items())
        refuse("tables", "with the same columns", text)
    counts = [len(next(iter(columns.values()))) for columns in parts.values()]
    columns = {role: _stack_columns([part[role] for part in parts.values()]) for role in roles[0]}
    columns["algorithm"] = Coded.repeated(list(parts), counts)
    return Long(columns=columns, names=list(parts), **said)


def _stack_columns(columns: list[Any]) -> Any:
    """Columns below each other; numbers beside texts become texts, as they are in other files."""
    columns = [decode(one) for one in columns]
    kinds = {np.asarray(column).dtype.kind for column in columns}
    if "O" in kinds or "U" in kinds:
        return np.concatenate([np.asarray(column, dtype=object) for column in columns])
    return np.concatenate([np.asarray(column) for column in columns])


def _is_table(one: Any) -> bool:
    return is_path(one) or (hasattr(one, "columns") and as_frame(one) is not None)


def _frame(one: Any) -> Any:
    return as_frame(read_frame(Path(one)) if is_path(one) else one)


def _columns(name: Any, frame: Any, given: Given) -> dict[str, Any]:
    columns = by_role(frame, given)
    mixed = np.unique(np.asarray(decode(columns.pop("algorithm", [])), dtype=str))
    if len(mixed) > 1:
        refuse(
            f"table of {name!r}",
            "about one algorithm",
            ", ".join(mixed[:5]),
            "give it alone, as one table",
        )
    rest = columns_without_role(frame, given)
    measured = is_measured(columns)
    if not measured and given.measure in rest:
        rest = [given.measure]
    if not measured and len(rest) == 1:  # the only other column is what was measured
        columns["value"] = array(frame, rest.pop())
        measured = True
    found = ", ".join(map(repr, frame.columns[:8]))
    with_ids = any(role in columns for role in IDS)
    if not measured:
        rule = "have a column 'value', or 'truth' and 'prediction'"
        if with_ids:
            missing = ["value"]
        else:
            missing = ["example", "value"]
        refuse(f"table of {name!r}", rule, found, _roles_to_say(missing, rest))
    if not with_ids:
        rule = f"have ids ({', '.join(IDS)})"
        refuse(f"table of {name!r}", rule, found, _roles_to_say(["example"], rest))
    return dict(columns)


def _roles_to_say(missing: list[str], unknown: list[str]) -> str:
    """
    Say how columns get the roles that are missing.

    In their order, where there are just as many.
    """
    if len(unknown) < len(missing):
        return ""
    clear = len(unknown) == len(missing)
    names = map(repr, unknown) if clear else ["…"] * len(missing)
    roles = [f"{role!r}: {name}" for role, name in zip(missing, names, strict=True)]
    return f"pass columns={{{', '.join(roles)}}}"
