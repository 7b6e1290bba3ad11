"""The tables over several data sets as plain strings, which every format then writes in its own way."""

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.words import interval, one_line, percent, probability, pvalue, shown
from evenfold.report._grid import BOTH, Column, Grid, number, table, text


def rank_grid(facts: AcrossFacts) -> Grid:
    """Algorithms from the best mean rank, with the mean value and on how many data sets they come first."""
    mean, digits = f"mean {one_line(facts.measure_words)}", facts.value_digits
    columns = [
        text("algorithm", lambda i: one_line(facts.algorithms[i])),
        number("mean rank", lambda i: shown(facts.ranks[i], digits=2)),
        number(mean, lambda i: shown(facts.means[i], digits=digits)),
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
        number("mean B − A", lambda pair: shown(pair.value, digits=digits)),
        number(f"{percent(facts.level)} interval", lambda pair: interval(pair.low, pair.high, digits=digits)),
        number(
            "a further data set",
            lambda pair: interval(pair.predicted_low, pair.predicted_high, digits=digits),
        ),
        text("verdict", lambda pair: pair.outcome),
    ]
    return table(f"B − A in {one_line(facts.measure_words)}.", columns, facts.pairs)


def value_grid(facts: AcrossFacts) -> Grid:
    """One row per data set: its size and the mean hold-out value of every algorithm."""
    columns = [
        text("data set", lambda row: one_line(row.name)),
        number("examples", lambda row: str(row.n)),
        number("trained on", lambda row: str(row.n_train)),
        *(_value(facts, k) for k in range(len(facts.algorithms))),
    ]
    return table(f"Mean hold-out {one_line(facts.measure_words)}.", columns, facts.data_sets)


def _value(facts: AcrossFacts, k: int) -> Column:
    digits = facts.value_digits
    return number(one_line(facts.algorithms[k]), lambda row: shown(row.values[k], digits=digits))


def sizes(facts: AcrossFacts) -> str:
    """Say on how many examples the models of the data sets were trained."""
    sizes = [row.n_train for row in facts.data_sets]
    return f"models trained on {min(sizes)} to {max(sizes)} examples"
