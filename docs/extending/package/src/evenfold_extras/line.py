"""A format of your own: one line per pair, for a log."""

import evenfold as ef
from evenfold.core.facts.comparison import Facts


@ef.report.format("line", suffix=".txt")
def to_line(facts: Facts) -> str:
    """Write every pair as ``baseline -> challenger: outcome, value``."""
    return "\n".join(
        f"{pair.baseline} -> {pair.challenger}: {pair.outcome}, {pair.value:+.6g}" for pair in facts.pairs
    )
