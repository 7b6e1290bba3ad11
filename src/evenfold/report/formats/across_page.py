"""The report over several data sets as one HTML file."""

from collections.abc import Iterator
from typing import Any

from evenfold.core.facts.across import AcrossFacts, AcrossPair
from evenfold.core.words import NONE, format_number, one_line, pvalue
from evenfold.report._across import pair_grid as across_pairs
from evenfold.report._across import rank_grid, sizes, value_grid
from evenfold.report._content import SENTENCES, fits_phrase, name_algorithms, versions
from evenfold.report.figures.critical import across_details, across_infos
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.html import NEEDS, environment, figures
from evenfold.report.methods_text import across_paragraph, across_references


@format("html", suffix=".html", of=AcrossFacts, needs=NEEDS)
def over_data_sets(facts: AcrossFacts) -> str:
    """Write the report over several data sets as one self-contained page."""
    return environment().get_template("across.html").render(_across_page(facts))


def _across_page(facts: AcrossFacts) -> dict[str, Any]:
    return {
        "facts": facts,
        "title": f"{name_algorithms(facts)} on {len(facts.data_sets)} data sets: "
        f"{one_line(facts.measure_words)}",
        "sentences": _across_sentences(facts),
        "key_numbers": tuple(_across_numbers(facts)),
        "figures": figures("answer", across_infos(facts)),
        "details": [
            (name, figures(f"pair{k}", (info,)))
            for k, (name, info) in enumerate(across_details(facts))
        ],
        "tables": [
            ("ranks", "Ranks", rank_grid(facts)),
            ("pairs", "Pairs", across_pairs(facts)),
            ("values", "Data sets", value_grid(facts)),
        ],
        "sizes": sizes(facts),
        "friedman": _friedman(facts),
        "versions": versions(facts),
        "paragraph": across_paragraph(facts),
        "works": across_references(facts),
    }


def _across_sentences(facts: AcrossFacts) -> list[tuple[str, str]]:
    """Outcome and sentence: of all algorithms together first, then of each pair if they are few."""
    if len(facts.algorithms) == 2:
        return [(facts.pairs[0].outcome, facts.sentence)]
    few: tuple[AcrossPair, ...] = facts.pairs if len(facts.pairs) <= SENTENCES else ()
    return [("", facts.sentence), *((pair.outcome, pair.sentence) for pair in few)]


def _across_numbers(facts: AcrossFacts) -> Iterator[tuple[str, str]]:
    yield "data sets", str(len(facts.data_sets))
    yield "algorithms", str(len(facts.algorithms))
    if facts.friedman is not None:
        yield "Friedman's test", f"p {pvalue(facts.friedman['f_pvalue'])}"
    decided = sum(pair.outcome != "inconclusive" for pair in facts.pairs)
    yield "pairs decided", f"{decided} of {len(facts.pairs)}"
    if facts.fits or facts.reused:
        yield "fits", fits_phrase(facts)


def _friedman(facts: AcrossFacts) -> str:
    test = facts.friedman
    if test is None:
        return NONE
    f = (
        f"F = {format_number(test['f_statistic'], digits=2)} on {test['f_df1']:.0f} and "
        f"{test['f_df2']:.0f} df"
    )
    chi2 = (
        f"χ² = {format_number(test['statistic'], digits=2)} on {test['df']:.0f} df, p "
        f"{pvalue(test['pvalue'])}"
    )
    return f"{f}, p {pvalue(test['f_pvalue'])} ({chi2})"
