"""The verdict as a few lines of Markdown, fit for a pull request."""

from evenfold.core.facts.comparison import Facts
from evenfold.core.words import one_line
from evenfold.report._grid import MARKS
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.markdown import in_markdown, to_markdown
from evenfold.report.sentences import SENTENCES, asked, best, powers


@format("summary", suffix=".md")
def to_summary(facts: Facts) -> str:
    """
    Write a summary in Markdown: verdicts, table, what changed, and the power of a gate.

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
    lines = [f"Power: {line}." for line in powers(facts)]
    lines += [f"Estimand: {one_line(facts.estimand)}.", f"Method: {asked(facts)}."]
    lines += [f"Note: {one_line(note)}." for note in facts.notes]
    parts.append("\n".join(f"- {in_markdown(line)}" for line in lines))
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
    return f"{MARKS.get(outcome, '')} {b} {words} {a}{_margin(outcome, facts.margin)}".strip()


def _margin(outcome: str, margin: float) -> str:
    """Up to where two are alike, without which "equivalent" and "not worse" say too much."""
    by = {"equivalent": "up to", "not worse": "by more than"}.get(outcome, "")
    return f" {by} {margin:g}" if by and margin else ""
