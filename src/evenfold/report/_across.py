"""The tables over several data sets as plain strings, which every format then writes in its own way."""

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.words import interval, one_line, percent, probability, pvalue, shown
from evenfold.report._grid import Grid


def rank_grid(facts: AcrossFacts) -> Grid:
    """Algorithms from the best mean rank, with the mean value and on how many data sets they come first."""
    order = sorted(range(len(facts.algorithms)), key=lambda i: facts.ranks[i])
    decimals = facts.value_digits
    return Grid(
        caption="Mean rank over the data sets, 1 is best.",
        header=("algorithm", "mean rank", f"mean {one_line(facts.measure_words)}", "best on"),
        numeric=(False, True, True, True),
        rows=tuple(
            (
                one_line(facts.algorithms[i]),
                shown(facts.ranks[i], digits=2),
                shown(facts.means[i], digits=decimals),
                str(facts.best_on[i]),
            )
            for i in order
        ),
    )


def pair_grid(facts: AcrossFacts) -> Grid:
    """One row per pair: counts, test, posterior, mean difference."""
    decimals = facts.digits
    same = any(pair.same > 0 for pair in facts.pairs)
    header = [
        "baseline A",
        "challenger B",
        "B wins/ties/loses",
        f"p ({facts.test})",
        "P(B better)",
        *(["P(as good)"] if same else []),
        "mean B − A",
        f"{percent(facts.level)} interval",
        "a further data set",
        "verdict",
    ]
    rows = [
        (
            one_line(pair.baseline),
            one_line(pair.challenger),
            f"{pair.wins}/{pair.ties}/{pair.losses}",
            pvalue(pair.adjusted_pvalue),
            probability(pair.better),
            *([probability(pair.same)] if same else []),
            shown(pair.value, digits=decimals),
            interval(pair.low, pair.high, digits=decimals),
            interval(pair.predicted_low, pair.predicted_high, digits=decimals),
            pair.outcome,
        )
        for pair in facts.pairs
    ]
    numeric = (False, False, *([True] * (len(header) - 3)), False)
    caption = f"B − A in {one_line(facts.measure_words)}."
    return Grid(caption=caption, header=tuple(header), numeric=numeric, rows=tuple(rows))


def value_grid(facts: AcrossFacts) -> Grid:
    """One row per data set: its size and the mean hold-out value of every algorithm."""
    decimals = facts.value_digits
    return Grid(
        caption=f"Mean hold-out {one_line(facts.measure_words)}.",
        header=("data set", "examples", "trained on", *map(one_line, facts.algorithms)),
        numeric=(False, *([True] * (2 + len(facts.algorithms)))),
        rows=tuple(
            (
                one_line(row.name),
                str(row.n),
                str(row.n_train),
                *(shown(x, digits=decimals) for x in row.values),
            )
            for row in facts.data_sets
        ),
    )


def sizes(facts: AcrossFacts) -> str:
    """Say on how many examples the models of the data sets were trained."""
    sizes = [row.n_train for row in facts.data_sets]
    return f"models trained on {min(sizes)} to {max(sizes)} examples"
