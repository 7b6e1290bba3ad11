"""``evenfold judge - --stop-early``: a gate on a stream of answers, which stops as soon as it knows."""

import json
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from evenfold.cli.gate import NOT_WORSE, gate
from evenfold.cli.groups import Question
from evenfold.core.checks import refuse
from evenfold.core.verdict import Outcome

STREAM = Path("-")
_OUTCOMES = {"not worse": Outcome.NOT_WORSE, "worse": Outcome.WORSE, "open": Outcome.INCONCLUSIVE}


def watch(question: Question, *, stop_early: bool) -> None:
    """Read items from standard input until the question is settled; the exit code is that of the gate."""
    if not stop_early:
        refuse("table", "a file; - stands for a stream with --stop-early", "-")
    if question.fail_unless not in (None, NOT_WORSE):
        refuse("--fail-unless", f"{NOT_WORSE!r} with --stop-early", question.fail_unless)
    from evenfold.infer import gate_items

    higher = getattr(question, "higher", None)
    looks = gate_items(
        _pairs(),
        margin=question.margin,
        level=question.level,
        higher_is_better=True if higher is None else higher,
    )
    ended = deque(looks, maxlen=1)
    if not ended:
        refuse("table", "a stream with items", "none")
    last = ended.pop()
    mean = f"mean improvement so far {last.improvement:.4f}"
    typer.echo(f"{_said(last.settled, question.margin)} after {last.n} items ({mean})")
    if question.fail_unless is not None:
        raise typer.Exit(gate([str(_OUTCOMES[last.settled])], NOT_WORSE, question.undecided))


def _said(settled: str, margin: float) -> str:
    if settled == "open":
        return f"open: whether B is worse than A by more than {margin:g} is not settled"
    return f"{settled}: B is {settled} than A by more than {margin:g}, settled"


def _pairs() -> Iterator[tuple[Any, Any]]:
    """Lines ``A,B``, or JSON objects whose numbers are those of A and then of B, beside an id."""
    for n, line in enumerate(sys.stdin, start=1):
        if line.strip():
            yield _pair(line.strip(), n)


def _pair(line: str, n: int) -> tuple[Any, Any]:
    try:
        row = json.loads(line) if line.startswith("{") else line.split(",")
    except ValueError:
        row = []
    values = [value for name, value in row.items() if name != "example"] if isinstance(row, dict) else row
    if len(values) != 2:
        refuse("line", "A,B or a JSON object with the values of A and of B", f"{line[:60]!r} in line {n}")
    return values[0], values[1]
