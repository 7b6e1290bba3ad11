"""The tables over several data sets as plain strings, which every format writes in its own way."""

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.words import (
    count,
    format_confidence,
    format_number,
    interval,
    one_line,
    probability,
    pvalue,
)
from evenfold.report._content import BOTH, Column, Grid, number, table, text


def rank_grid(facts: AcrossFacts) -> Grid:
    """Algorithms from the best mean rank, with mean value and on how many data sets they win."""
    mean = f"mean {one_line(facts.measure_words)}"
    digits = facts.value_digits
    columns = [
        text("algorithm", lambda i: one_line(facts.algorithms[i])),
        number("mean rank", lambda i: format_number(facts.ranks[i], digits=2)),
        number(mean, lambda i: format_number(facts.means[i], digits=digits)),
        number("best on", lambda i: str(facts.best_on[i])),
    ]
    order = sorted(range(len(facts.algorithms)), key=lambda i: facts.ranks[i])
    return table("Mean rank over the data sets, 1 is best.", columns, order)


def pair_grid(facts: AcrossFacts) -> Grid:
    """One row per pair: counts, test, posterior, mean difference."""
    digits = facts.digits
    same = [number("P(as good)", lambda pair: probability(pair.same))]
    columns = [
        *BOTH,
        number("B wins/ties/loses", lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}"),
        number(f"p ({facts.test})", lambda pair: pvalue(pair.adjusted_pvalue)),
        number("P(B better)", lambda pair: probability(pair.better)),
        *(same if any(pair.same > 0 for pair in facts.pairs) else []),
        number("mean B − A", lambda pair: format_number(pair.value, digits=digits)),
        *(_intervals(facts) if facts.method else []),
        text("verdict", lambda pair: pair.outcome),
    ]
    return table(f"B − A in {one_line(facts.measure_words)}.", columns, facts.pairs)


def _intervals(facts: AcrossFacts) -> list[Column]:
    """Of the mean difference, and of a new data set: from errors that single values do not have."""
    digits = facts.digits
    return [
        number(
            f"{format_confidence(facts.level)} CI",
            lambda pair: interval(pair.low, pair.high, digits=digits),
        ),
        number(
            f"{format_confidence(facts.level)} PI, new data set",
            lambda pair: interval(pair.predicted_low, pair.predicted_high, digits=digits),
        ),
    ]


def value_grid(facts: AcrossFacts) -> Grid:
    """One row per data set: its size, if known, and the mean hold-out value of each algorithm."""
    sized = [
        number("examples", lambda row: str(row.n)),
        number("trained on", lambda row: str(row.n_train)),
    ]
    columns = [
        text("data set", lambda row: one_line(row.name)),
        *(sized if sizes(facts) else []),
        *(_value(facts, k) for k in range(len(facts.algorithms))),
    ]
    return table(f"Mean hold-out {one_line(facts.measure_words)}.", columns, facts.data_sets)


def _value(facts: AcrossFacts, k: int) -> Column:
    digits = facts.value_digits
    return number(
        one_line(facts.algorithms[k]), lambda row: format_number(row.values[k], digits=digits)
    )


def sizes(facts: AcrossFacts) -> str:
    """
    Say on how many examples the models of the data sets were trained.

    Nothing where nobody knows.
    """
    known = sorted({row.n_train for row in facts.data_sets if row.n_train})
    if not known:
        return ""
    return f"models trained on {' to '.join(map(str, sorted({known[0], known[-1]})))} examples"


def cost(facts: AcrossFacts) -> str:
    """Return what the answer took."""
    if not (facts.fits or facts.reused):
        return "nothing was fitted"
    return count(facts.fits, "fit") + (
        f", {facts.reused} found in the store" if facts.reused else ""
    )
