"""The verdict as a few lines of Markdown, fit for a pull request."""

import math

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import one_line, shown
from evenfold.report._grid import MARKS, interval_title
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.markdown import in_markdown, to_markdown
from evenfold.report.sentences import SENTENCES, asked, best, powers


@format("summary", suffix=".md")
def to_summary(facts: Facts) -> str:
    """
    Write a summary in Markdown: verdicts, table, what changed, and how far intervals reach.

    Returns
    -------
    str
        Markdown with a heading, without a final newline.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(to_summary(sample()).splitlines()[0])
    ### ▲ forest is better than tree
    """
    parts = [f"### {in_markdown(_heading(facts))}"]
    few = facts.pairs if len(facts.pairs) <= SENTENCES else ()
    parts += [in_markdown(one_line(pair.sentence)) for pair in few]
    parts.append(to_markdown(facts))
    lines = [_half_width(facts, pair) for pair in few]
    lines += [f"Power: {line}." for line in powers(facts)]
    lines += [f"Estimand: {one_line(facts.estimand)}.", f"Method: {asked(facts)}."]
    lines += [f"Note: {one_line(note)}." for note in facts.notes]
    parts.append("\n".join(f"- {in_markdown(line)}" for line in lines if line))
    return "\n\n".join(parts)


def _heading(facts: Facts) -> str:
    """The outcome of the only pair, who may be the best of several, or how many pairs there are."""
    if facts.candidates:
        return best(facts)
    if len(facts.pairs) != 1:
        return f"{len(facts.pairs)} pairs of algorithms"
    pair = facts.pairs[0]
    outcome = pair.outcome or ""
    said, open_, _ = one_line(pair.sentence).partition(" is open: ")
    if open_ and "; whether by more than" in said:  # the sign is known, the margin is not
        return f"{MARKS.get(outcome, '')} {said} is open"
    words = {
        "better": "is better than",
        "worse": "is worse than",
        "not worse": "is not worse than",
        "equivalent": "is equivalent to",
        "inconclusive": "is not told apart from",
    }.get(outcome, "cannot be compared with")
    a, b = one_line(pair.baseline or ""), one_line(pair.challenger)
    return f"{MARKS.get(outcome, '')} {b} {words} {a}".strip()


def _half_width(facts: Facts, pair: Pair) -> str:
    """How far the interval reaches: what could have been found with a power of 80 % is more."""
    half = (pair.high - pair.low) / 2
    if not math.isfinite(half):
        return ""
    size = shown(half, digits=pair.digits)
    who = f"between {one_line(pair.challenger)} and {one_line(pair.baseline or 'nothing')}"
    return f"The half-width of the {interval_title(facts)} {who} is {size}."
