"""
A few hundred calls of evenfold, by name, cheap enough to make all of them in two minutes.

``tools.record_calls`` makes them and records their numbers; ``tests/comparison/written/write.py``
wrote the files of version 0.2.0 from some of them. A call keeps its name and its data for ever, so
that recordings of two versions can be compared. Where a later version refuses a call, the refusal
is recorded; do not change the call.
"""

from collections.abc import Callable, Mapping
from typing import Any

Call = Callable[[], Any]


def all_calls() -> Mapping[str, Call]:
    """Return every call, by a name such as ``"compare/two"``."""
    from tools.calls import fitting, formulas, planning, shell, tables

    return {
        f"{group}/{name}": call
        for group, calls in (
            ("compare", fitting.compare_calls()),
            ("across", fitting.across_calls()),
            ("reopen", fitting.reopen_calls()),
            ("judge", tables.judge_calls()),
            ("board", tables.board_calls()),
            ("keep", tables.keep_calls()),
            ("infer", formulas.infer_calls()),
            ("plan", planning.plan_calls()),
            ("shell", shell.shell_calls()),
        )
        for name, call in calls.items()
    }
