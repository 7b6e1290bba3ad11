"""The comment on a pull request: the verdict, a table of all checks, and folded details."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from evenfold.cli.gate import GATE_FAILED, PASSED, UNDECIDED
from evenfold.cli.output import BAD_USAGE
from evenfold.core.note import Note, note
from evenfold.core.words import (
    NONE,
    format_confidence,
    format_number,
    interval,
    one_line,
    precision,
)
from evenfold.evals.pr.facts import CheckFacts, Finding, PullRequestFacts, State
from evenfold.report.formats.markdown import escape_markdown, markdown_table
from evenfold.report.tables import Grid

MARKER = "<!-- evenfold pr -->"
"""The text by which the action finds its comment again, so that it writes only one."""

_LONGEST = 60_000  # characters; a server refuses longer comments

_MARKS = {BAD_USAGE: "✗", GATE_FAILED: "✗", UNDECIDED: "?", PASSED: "✓"}
_OPEN = (State.UNKNOWN, State.UNDECIDED)
_SAME = (State.UNCHANGED, State.NOT_WORSE)


def write_comment(facts: PullRequestFacts) -> str:
    """Return the comment in Markdown, without a final newline."""
    comment = _write(facts, facts.checks)
    if len(comment) > _LONGEST:
        comment = _write(facts, ())
    return comment


def _write(facts: PullRequestFacts, detailed: Sequence[CheckFacts]) -> str:
    heading = f"### {_MARKS[facts.code]} {_escape(headline(facts))}"
    commit = note("baseline-commit", base=facts.base, head=facts.head, age=facts.age)
    rows = tuple(row for check in facts.checks for row in _rows(check))
    table = Grid(caption="", header=_HEADER, numeric=_NUMERIC, rows=rows)
    parts = [heading, markdown_table(table), _escape(commit)]
    parts += [_escape(item) for item in facts.notes]
    shown = [
        _escape(note("of-check", name=check.name, said=item))
        for check in facts.checks
        for item in _shown(check)
    ]
    if shown:
        parts.append("\n".join(f"- {line}" for line in shown))
    parts += [_details(check) for check in detailed]
    parts.append(_escape(note("error-budget", level=facts.level, checks=len(facts.checks))))
    return "\n\n".join([*parts, MARKER])


def _shown(check: CheckFacts) -> Iterator[object]:
    """Yield what is said of a check outside the folded details."""
    if check.refused:
        yield check.refused
    if check.matched is not None:
        yield note("ids-match", n=check.matched)
    yield from check.warnings


def _escape(text: object) -> str:
    return escape_markdown(one_line(text))


def headline(facts: PullRequestFacts) -> Note:
    """Return the verdict about the whole pull request."""
    first = next(check for check in facts.checks if check.code == facts.code)
    regression = _regression(facts)
    if facts.code == BAD_USAGE:
        return note("gate-refused", check=first.name, regression=regression)
    if regression is not None:
        return regression
    if facts.code != PASSED:
        names = [check.name for check in facts.checks if check.code == facts.code]
        fails = facts.code == GATE_FAILED
        kind = {"state": str(first.state), "checks": names}
        return note("gate-open-fails" if fails else "gate-open", **kind)
    improved = [
        note("improved", check=check.name, change=change_of(finding))
        for check in facts.checks
        for finding in check.findings
        if finding.state is State.IMPROVEMENT
    ]
    return note(
        "gate-passed",
        checks=len(facts.checks),
        improved=improved,
        tied=_tie(facts),
        open_checks=[check.name for check in facts.checks if check.state in _OPEN],
    )


def _regression(facts: PullRequestFacts) -> Note | None:
    """Return the worst regression."""
    for check in facts.checks:
        if check.state is State.REGRESSION:
            change = change_of(check.findings[0])
            return note("gate-regression", check=check.name, change=change)
    return None


def _tie(facts: PullRequestFacts) -> Note | None:
    """Return what is cheaper or faster if everything that is not a cost is the same."""
    findings = [finding for check in facts.checks for finding in check.findings]
    costs = [finding for finding in findings if finding.ratio]
    qualities = [finding for finding in findings if not finding.ratio]
    cheaper = [finding for finding in costs if finding.state is State.IMPROVEMENT]
    is_same = bool(qualities) and all(
        finding.state in _SAME and finding.margin for finding in qualities
    )
    if len(cheaper) != 1 or not is_same:
        return None
    margin = max(finding.margin for finding in qualities)
    return note("same-quality", margin=margin, change=change_of(replace(cheaper[0], name="")))


def change_of(finding: Finding) -> Note:
    """Return by how much the head differs."""
    ends = {name: getattr(finding, name) for name in ("value", "low", "high", "level")}
    if finding.ratio:
        return note("change-of-time", name=finding.name, **ends)
    return note("change-of-difference", name=finding.name, **ends)


# The table: a row for every check, or for every benchmark of one.

_HEADER = ("check", "what", "result", "base", "head", "change", "interval", "margin")
_NUMERIC = (False, False, False, True, True, True, True, True)
_ROWS = 30  # of one check; more are in the JSON


def _rows(check: CheckFacts) -> Iterator[tuple[str, ...]]:
    if not check.findings:
        yield (check.name, NONE, str(check.state), *[NONE] * 5)
    for finding in check.findings[:_ROWS]:
        yield (check.name, finding.name, str(finding.state), *_numbers(finding))
    if len(check.findings) > _ROWS:
        rest = len(check.findings) - _ROWS
        yield (check.name, f"{rest} more", str(check.findings[_ROWS].state), *[NONE] * 5)


def _numbers(finding: Finding) -> tuple[str, ...]:
    if finding.state is State.UNKNOWN:
        return (NONE,) * 5
    neutral = 1.0 if finding.ratio else 0.0
    digits = precision(finding.value, finding.low, finding.high, neutral=neutral)
    margin = f"{100 * finding.margin:.3g}%" if finding.ratio else f"{finding.margin:g}"
    times = "×" if finding.ratio else ""
    return (
        _value(finding.base),
        _value(finding.head),
        f"{times}{format_number(finding.value, digits=digits)}",
        f"{interval(finding.low, finding.high, digits=digits, neutral=neutral)} "
        f"({format_confidence(finding.level)})",
        margin,
    )


def _value(value: float) -> str:
    return NONE if math.isnan(value) else f"{value:.4g}"


# The details of one check, folded.


def _details(check: CheckFacts) -> str:
    title = f"{_escape(check.name)}: {check.state}"
    lines = "\n".join(f"- {_escape(line)}" for line in _lines(check))
    return f"<details><summary>{title}</summary>\n\n{lines}\n\n</details>"


def _lines(check: CheckFacts) -> Iterator[Any]:
    yield from check.sentences[:_ROWS]
    for finding in check.findings:
        if finding.why is not None and not check.sentences:
            yield finding.why
    yield from check.notes
    yield note("level-of-check", level=check.level, share=check.share)
    if check.counted_as is not None:
        yield note("counted-as", counted_as=check.counted_as)
