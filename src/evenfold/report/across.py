"""Facts over several data sets in words, tables, figures and HTML."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evenfold.core.across import AcrossFacts, AcrossPair
from evenfold.core.words import (
    NONE,
    count,
    interval,
    listed,
    one_line,
    percent,
    probability,
    pvalue,
    shown,
)
from evenfold.report._grid import Grid
from evenfold.report._svg import to_svg
from evenfold.report.critical import CriticalInfo, by_data_set
from evenfold.report.figures import draw
from evenfold.report.html import Figure, environment
from evenfold.report.infos import ForestInfo
from evenfold.report.tables import latex_table, markdown_table
from evenfold.report.words import aligned

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib import figure

_DETAIL = 6  # pairs of which every data set is drawn
_SENTENCES = 6
_COLUMNS = (
    "baseline", "challenger", "outcome", "wins", "ties", "losses", "rank_difference", "median_difference",
    "pvalue", "adjusted_pvalue", "better", "same", "worse", "value", "low", "high", "tau", "predicted_low",
    "predicted_high",
)  # fmt: skip


def to_text(facts: AcrossFacts) -> str:
    """Say everything that matters in a terminal: verdict, ranks, pairs, cost, warnings."""
    lines = [
        f"  data      {count(len(facts.data_sets), 'data set')}, {_sizes(facts)}",
        f"  method    {facts.test} over data sets; {facts.method} on each",
        f"  cost      {count(facts.fits, 'fit')}"
        + (f", {facts.reused} found in the store" if facts.reused else ""),
        *(f"  note      {one_line(note)}" for note in facts.notes),
    ]
    tables = [aligned(pair_grid(facts))]
    if len(facts.algorithms) > 2:
        tables.insert(0, aligned(rank_grid(facts)))
    return "\n\n".join([one_line(facts.sentence), *tables, "\n".join(lines)])


def to_frame(facts: AcrossFacts) -> "pd.DataFrame":
    """Return one row for each pair."""
    import pandas as pd

    rows = [{name: getattr(pair, name) for name in _COLUMNS} for pair in facts.pairs]
    return pd.DataFrame(rows, columns=list(_COLUMNS)).assign(
        measure=facts.measure, test=facts.test, data_sets=len(facts.data_sets)
    )


def to_markdown(facts: AcrossFacts) -> str:
    """Return the sentence and the tables of ranks, pairs and data sets."""
    grids = [rank_grid(facts), pair_grid(facts), value_grid(facts)]
    return "\n\n".join([facts.sentence, *map(markdown_table, grids)])


def to_latex(facts: AcrossFacts) -> str:
    """Return the table of pairs."""
    caption = f"{facts.measure_words} over {len(facts.data_sets)} data sets; {facts.test}."
    return latex_table(pair_grid(facts), caption)


def plot(facts: AcrossFacts) -> "figure.Figure":
    """Draw the critical-difference diagram, and for two algorithms every data set."""
    return draw(*_infos(facts))


def to_html(facts: AcrossFacts) -> str:
    """Write the report over several data sets as one self-contained page."""
    return environment().get_template("across.html").render(_page(facts))


def rank_grid(facts: AcrossFacts) -> Grid:
    """Algorithms from the best mean rank, with the mean value and on how many data sets they come first."""
    order = sorted(range(len(facts.algorithms)), key=lambda i: facts.ranks[i])
    decimals = facts.value_digits
    return Grid(
        header=("algorithm", "mean rank", f"mean {one_line(facts.measure_words)}", "best on"),
        numeric=(False, True, True, True),
        rows=tuple(
            (
                one_line(facts.algorithms[i]),
                f"{facts.ranks[i]:.2f}",
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
        "baseline A", "challenger B", "B wins/ties/loses", f"p ({facts.test})", "P(B better)",
        *(["P(as good)"] if same else []), "mean B − A", f"{percent(facts.level)} interval",
        "a further data set", "verdict",
    ]  # fmt: skip
    rows = [
        (
            one_line(pair.baseline), one_line(pair.challenger), f"{pair.wins}/{pair.ties}/{pair.losses}",
            pvalue(pair.adjusted_pvalue), probability(pair.better),
            *([probability(pair.same)] if same else []), shown(pair.value, digits=decimals),
            interval(pair.low, pair.high, digits=decimals),
            interval(pair.predicted_low, pair.predicted_high, digits=decimals), pair.outcome,
        )
        for pair in facts.pairs
    ]  # fmt: skip
    numeric = (False, False, *([True] * (len(header) - 3)), False)
    return Grid(header=tuple(header), numeric=numeric, rows=tuple(rows))


def value_grid(facts: AcrossFacts) -> Grid:
    """One row per data set: its size and the mean hold-out value of every algorithm."""
    decimals = facts.value_digits
    return Grid(
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


def _sizes(facts: AcrossFacts) -> str:
    sizes = [row.n_train for row in facts.data_sets]
    return f"models trained on {min(sizes)} to {max(sizes)} examples"


def _infos(facts: AcrossFacts) -> tuple[CriticalInfo | ForestInfo, ...]:
    if len(facts.algorithms) > 2:
        return (CriticalInfo.of(facts),)
    forest = by_data_set(facts, facts.pairs[0])
    return () if forest is None else (forest,)


def _details(facts: AcrossFacts) -> Iterator[tuple[str, ForestInfo]]:
    if len(facts.algorithms) > 2 and len(facts.pairs) <= _DETAIL:
        for pair in facts.pairs:
            forest = by_data_set(facts, pair)
            if forest is not None:
                yield f"{one_line(pair.challenger)} − {one_line(pair.baseline)}", forest


def _figure(info: Any, name: str) -> Figure:
    from markupsafe import Markup

    return Figure(info.title, Markup(to_svg(draw(info, titles=False), name=name, alt=info.alt)))


def _page(facts: AcrossFacts) -> dict[str, Any]:
    names = [one_line(name) for name in facts.algorithms]
    who = listed(names) if len(names) <= 4 else f"{len(names)} algorithms"
    return {
        "facts": facts,
        "title": f"{who} on {len(facts.data_sets)} data sets: {one_line(facts.measure_words)}",
        "sentences": _sentences(facts),
        "key_numbers": tuple(_key_numbers(facts)),
        "figures": [_figure(info, f"answer-{k}") for k, info in enumerate(_infos(facts))],
        "details": [(name, [_figure(info, f"pair-{k}")]) for k, (name, info) in enumerate(_details(facts))],
        "tables": [
            ("ranks", "Ranks", "Mean rank over the data sets, 1 is best", rank_grid(facts)),
            ("pairs", "Pairs", f"B − A in {one_line(facts.measure_words)}", pair_grid(facts)),
            ("values", "Data sets", f"Mean hold-out {one_line(facts.measure_words)}", value_grid(facts)),
        ],
        "sizes": _sizes(facts),
        "friedman": _friedman(facts),
        "versions": ", ".join(f"{name} {version}" for name, version in facts.versions.items()),
    }


def _sentences(facts: AcrossFacts) -> list[tuple[str, str]]:
    """Outcome and sentence: of all algorithms together first, then of each pair if they are few."""
    if len(facts.algorithms) == 2:
        return [(facts.pairs[0].outcome, facts.sentence)]
    few: tuple[AcrossPair, ...] = facts.pairs if len(facts.pairs) <= _SENTENCES else ()
    return [("", facts.sentence), *((pair.outcome, pair.sentence) for pair in few)]


def _key_numbers(facts: AcrossFacts) -> Iterator[tuple[str, str]]:
    yield "data sets", str(len(facts.data_sets))
    yield "algorithms", str(len(facts.algorithms))
    if facts.friedman is not None:
        yield "Friedman's test", f"p {pvalue(facts.friedman['f_pvalue'])}"
    decided = sum(pair.outcome != "inconclusive" for pair in facts.pairs)
    yield "pairs decided", f"{decided} of {len(facts.pairs)}"
    yield "fits", str(facts.fits) + (f" + {facts.reused} reused" if facts.reused else "")


def _friedman(facts: AcrossFacts) -> str:
    test = facts.friedman
    if test is None:
        return NONE
    f = f"F = {shown(test['f_statistic'], digits=2)} on {test['f_df1']:.0f} and {test['f_df2']:.0f} df"
    chi2 = f"χ² = {shown(test['statistic'], digits=2)} on {test['df']:.0f} df, p {pvalue(test['pvalue'])}"
    return f"{f}, p {pvalue(test['f_pvalue'])} ({chi2})"
