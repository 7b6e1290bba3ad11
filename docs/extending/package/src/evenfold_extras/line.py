"""A format of your own: one line per pair, for a log."""

from evenfold import extend


@extend.format("line", suffix=".txt")
def to_line(facts: extend.Facts) -> str:
    """Write every pair as ``baseline -> challenger: outcome, value``."""
    return "\n".join(
        f"{pair.baseline} -> {pair.challenger}: {pair.outcome}, {pair.value:+.6g}"
        for pair in facts.pairs
    )
