"""
The report as one HTML file, and a small piece of HTML for notebooks.

The page uses no script, no network and no font from outside, and forbids them by a content security
policy. All texts of users are escaped by Jinja2 or, inside figures, by the XML writer.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

from evenfold.core.environment import is_installed, require
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.answers import Pair
from evenfold.core.facts.bibliography import cited_works
from evenfold.core.facts.card import summary, table
from evenfold.core.facts.comparison import Facts, require_facts
from evenfold.core.words import (
    NONE,
    count,
    format_number,
    format_replicability,
    interval,
    one_line,
    pvalue,
)
from evenfold.core.words import probability as probability_words
from evenfold.core.words import seconds as seconds_words
from evenfold.report import tables
from evenfold.report.figures.base import Info, draw
from evenfold.report.figures.critical import across_details, across_infos
from evenfold.report.figures.infos import OverlapInfo, infos, infos_of_pairs, main_info
from evenfold.report.formats import text as words
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.methods_text import across_paragraph, across_references, paragraph
from evenfold.report.words.chosen import choice_words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

NEEDS = ("jinja2", "matplotlib")  # of a page
_MOST_ROWS = 30  # a longer table is folded
_MOST_CELLS = 6000  # in the table; a page must stay below 2 MB
_MOST_FAILURES = 40
_MOST_TRACEBACK = 8000
_EVEN = "How even this partition is, beside how even any partition could be."
_LATER = "Every model was tested on later times than it was trained on."
_CERTIFICATE = {
    "construction": "made from",
    "overlap_target": "ideal overlap of two training sets φ*",
    "overlap_error": "worst distance from φ*",
    "overlap_bound": "smallest worst distance that any partition can have",
    "size_error": "worst distance of a training set from its nominal size",
    "occurrence_spread": "how much more often one example trains than another",
    "chi_square": "worst χ²/L of the features (at most 1 is balanced)",
    "ahead": "times from the last training time to the nearest and farthest tested",
}


@format("html", suffix=".html", needs=NEEDS)
def to_html(facts: Facts) -> str:
    """
    Write the report as one self-contained page.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    str
        A page for any browser: verdict, figures, tables, failures, the design with its certificate,
        the method with its validity, and how to do it again and cite it.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> page = to_html(sample())
    >>> page[:15], "forest is better than tree" in page, len(page) < 2_000_000
    ('<!doctype html>', True, True)
    """
    return environment().get_template("report.html").render(_page(facts))


def to_fragment(facts: Facts) -> str:
    """
    Write the verdict, a figure and the table of pairs as a small piece of HTML for a notebook.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    str
        One ``<div>`` whose styles apply only inside it, light or dark as the notebook is. It has
        no figure if matplotlib is not installed.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> to_fragment(sample()).count("<table")
    1
    """
    page = _summary(require_facts(facts)) | {"figure": []}
    if is_installed("matplotlib"):
        # the one figure that a cell has room for; its ids are those of no other cell
        cell = crc32(repr(facts.pairs).encode("utf-8", "replace"))
        page["figure"] = figures(f"cell-{cell:08x}", [main_info(facts)])
    return environment().get_template("fragment.html").render(page)


@cache
def environment() -> "Environment":
    """Return the environment of the templates, which escapes all texts."""
    require("jinja2", "HTML")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("evenfold.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"marks": words.MARKS, "most_rows": _MOST_ROWS}
    return environment


def _summary(facts: Facts) -> dict[str, Any]:
    headline = words.headline(facts)
    readable = facts.pairs[: words.SENTENCES]
    if headline and len(facts.pairs) > words.SENTENCES:
        readable = ()  # the headline says more than some of the sentences
    return {
        "facts": facts,
        "grid": tables.pair_grid(facts),
        "measures": tuple(tables.further_grids(facts)),
        "estimand": one_line(facts.estimand),
        "asked": words.method_and_design(facts),
        "paragraph": paragraph(facts),
        "powers": words.powers(facts),
        "cost": words.cost(facts),
        "failed": words.failed_fits_sentence(facts),
        "ranking": tables.rank_grid(facts) if facts.candidates else None,
        "headline": headline,
        "few": readable,
    }


def _tables(facts: Facts) -> Iterator[tuple[str, str, tables.Grid]]:
    """Yield the tables behind that of the pairs: anchor, heading, cells."""
    if any(pair.sizes for pair in facts.pairs):
        yield "sizes", "Training size", tables.size_grid(facts)
    if facts.flips:
        yield "flips", "What changed", tables.flip_grid(facts)
    if facts.parts:
        yield "parts", "Tasks and slices", tables.part_grid(facts)
    if any(pair.cohen_d is not None for pair in facts.pairs):
        yield "effects", "Effect sizes", tables.effect_grid(facts)


def _page(facts: Facts) -> dict[str, Any]:
    return _summary(facts) | {
        "title": f"{words.name_algorithms(facts)}: {one_line(facts.measure_words)}",
        "key_numbers": tuple(_key_numbers(facts)),
        "figures": figures("answer", infos(facts)),
        "details": [
            (name, figures(f"pair{k}", infos))
            for k, (name, infos) in enumerate(infos_of_pairs(facts))
            if infos
        ],
        "tables": tuple(_tables(facts)),
        "algorithms": tuple(_algorithm_rows(facts)),
        "cells": tuple(_split_rows(facts)),
        "chosen": tuple(map(choice_words, facts.chosen)),
        "splits": len(facts.design.repetition),
        "failures": [
            (failure, _split_label(facts, failure.split), failure.traceback[-_MOST_TRACEBACK:])
            for failure in facts.failures[:_MOST_FAILURES]
        ],
        "design": tuple(_design_rows(facts)),
        "overlap": figures("overlap", [OverlapInfo.of(facts)]),
        "certificate": tuple(_certificate_rows(facts)),
        "certified": _LATER if _is_ordered(facts) else _EVEN,
        "card": None if facts.method.card is None else table(facts.method.card),
        "card_words": summary(facts.method.card),
        "works": cited_works(facts.method.source),
        "cite": _bibtex_entry(facts),
        "again": tuple(_provenance_rows(facts)),
    }


def figures(prefix: str, shown: Iterable[Info | None]) -> list[tuple[str, "Markup"]]:
    """Draw info values for a page, with captions; ``prefix`` keeps the ids of its figures apart."""
    from markupsafe import Markup

    from evenfold.report.figures.drawing import to_svg

    drawn = []
    for k, info in enumerate(filter(None, shown)):
        svg = to_svg(draw(info, titles=False), name=f"{prefix}-{k}", alt=info.alt)
        drawn.append((info.title, Markup(svg)))
    return drawn


def _key_numbers(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the numbers that most readers look for beside the sentence."""
    if len(facts.pairs) == 1:
        yield from _pair_numbers(facts, facts.pairs[0])
    else:
        decided = sum(pair.outcome in ("better", "worse") for pair in facts.pairs)
        yield "algorithms", str(len(facts.algorithms))
        yield "pairs decided", f"{decided} of {len(facts.pairs)}"
    if facts.design.n_train:  # it is unknown for models that were trained elsewhere
        sizes = facts.design.train_sizes if _is_ordered(facts) else (facts.design.n_train,)
        yield "trained on", _range(sizes)
    if facts.fits or facts.reused:
        yield "fits", words.fits_phrase(facts)


def _pair_numbers(facts: Facts, pair: Pair) -> Iterator[tuple[str, str]]:
    decimals = facts.digits
    title = tables.compared_words(facts)
    if not tables.is_about_singles(facts):  # whose side the number takes, in the names of the pair
        sign = "/" if facts.quantity.ratio else "−"
        title += f", {one_line(pair.challenger)} {sign} {one_line(pair.baseline or '')}"
    yield title, format_number(pair.value, digits=decimals)
    neutral = facts.quantity.neutral
    ends = interval(pair.low, pair.high, digits=decimals, neutral=neutral)
    yield tables.interval_title(facts), ends
    if pair.pvalue is not None:
        yield "p-value", pvalue(pair.pvalue)
    if pair.probability is not None:
        yield "P(H0)", probability_words(pair.null_probability)
        yield "P(H1), probability of better", probability_words(pair.probability)
        yield "accepted", pair.accepted or NONE
    if pair.replicability is not None:
        yield "same verdict", format_replicability(pair.replicability)


def _split_label(facts: Facts, split: int) -> str:
    fold = f"fold {facts.design.fold[split] + 1}"
    repetition = _repetition(facts, split)
    if repetition == NONE:
        return fold
    return f"repetition {repetition}, {fold}"


def _repetition(facts: Facts, split: int) -> str:
    """
    Return the number of the repetition of a split.

    A split that only serves the variance has no repetition.
    """
    repetition = facts.design.repetition[split]
    if repetition < 0:
        return NONE
    return str(repetition + 1)


def _algorithm_rows(facts: Facts) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, the mean hold-out value, the range over splits, and the time per fit."""
    digits = facts.value_digits
    for algorithm in facts.summaries:
        yield (
            one_line(algorithm.name),
            format_number(algorithm.mean, digits=digits),
            interval(algorithm.low, algorithm.high, digits=digits),
            _time(facts, algorithm.seconds),
        )


def _split_rows(facts: Facts) -> Iterator[dict[str, Any]]:
    """Yield a row for each split, as many as fit on a page."""
    design = facts.design
    number_of = {(failure.algorithm, failure.split): k for k, failure in enumerate(facts.failures)}
    decimals = facts.value_digits
    most = max(_MOST_CELLS // max(2 * len(facts.algorithms), 1), 1)
    for j in range(min(len(design.repetition), most)):
        yield {
            "repetition": _repetition(facts, j),
            "fold": design.fold[j] + 1,
            "train": design.train_sizes[j] or NONE,
            "test": design.test_sizes[j],
            "values": [
                (format_number(row[j], digits=decimals), number_of.get((name, j)))
                for name, row in zip(facts.algorithms, facts.values, strict=True)
            ],
            "seconds": [_time(facts, row[j]) for row in facts.fit_seconds],
        }


def _time(facts: Facts, spent: float) -> str:
    """Write a duration, or a dash if nothing was fitted."""
    if facts.fits or facts.reused:
        return seconds_words(spent)
    return NONE


def _design_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    design = facts.design
    yield "design", f"{one_line(design.name)} ({design.kind})"
    yield "examples", str(design.n)
    yield "splits", str(len(design.repetition))
    yield "training sets", _range(design.train_sizes)
    yield "test sets", _range(design.test_sizes)
    yield "seed", NONE if design.seed is None else str(design.seed)


def _range(sizes: tuple[int, ...]) -> str:
    if not any(sizes):
        return NONE
    low = min(sizes)
    high = max(sizes)
    if low == high:
        return count(low, "example")
    return f"{low} to {count(high, 'example')}"


def _is_ordered(facts: Facts) -> bool:
    """Return whether the certificate says that models were tested on later times."""
    return (facts.design.certificate or {}).get("ahead") is not None


def _certificate_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    for key, value in (facts.design.certificate or {}).items():
        # the overlaps of windows follow from their order, so they are not shown
        if value is not None and (key in ("construction", "ahead") or not _is_ordered(facts)):
            # chi-square is a distance and not a count
            rounded = f"{value:.2g}" if key == "chi_square" else _format_cell(value)
            yield _CERTIFICATE.get(key, key), rounded


def _format_cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", "−")
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_format_cell, value))
    return str(value)


def _bibtex_entry(facts: Facts) -> str:
    fields = {
        "title": "evenfold: is algorithm B really better than algorithm A?",
        "version": facts.versions.get("evenfold", ""),
        "year": facts.created[:4],
    }
    lines = [f"  {name:7} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join(["@software{evenfold,", *lines, "}"])


def _provenance_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    yield "made", facts.created.replace("T", " ").replace("+00:00", " UTC")
    if facts.run_id is not None:
        yield "run", facts.run_id
    if facts.design.seed is not None:
        yield "seed", str(facts.design.seed)
    yield "versions", words.versions(facts)


# The report over several data sets.


@format("html", suffix=".html", of=AcrossFacts, needs=NEEDS)
def across_html(facts: AcrossFacts) -> str:
    """Write the report over several data sets as one self-contained page."""
    page = {
        "facts": facts,
        "title": f"{words.name_algorithms(facts)} on {len(facts.data_sets)} data sets: "
        f"{one_line(facts.measure_words)}",
        "sentences": _across_sentences(facts),
        "key_numbers": tuple(_across_numbers(facts)),
        "figures": figures("answer", across_infos(facts)),
        "details": [
            (name, figures(f"pair{k}", (info,)))
            for k, (name, info) in enumerate(across_details(facts))
        ],
        "tables": [
            ("ranks", "Ranks", tables.mean_rank_grid(facts)),
            ("pairs", "Pairs", tables.across_grid(facts)),
            ("values", "Data sets", tables.value_grid(facts)),
        ],
        "sizes": words.training_sizes(facts),
        "friedman": _friedman(facts),
        "versions": words.versions(facts),
        "paragraph": across_paragraph(facts),
        "works": across_references(facts),
    }
    return environment().get_template("across.html").render(page)


def _across_sentences(facts: AcrossFacts) -> list[tuple[str, str]]:
    """Return outcomes and sentences: of all algorithms, and then of each pair if pairs are few."""
    if len(facts.algorithms) == 2:
        return [(facts.pairs[0].outcome, facts.sentence)]
    sentences = [("", facts.sentence)]
    if len(facts.pairs) <= words.SENTENCES:
        sentences += [(pair.outcome, pair.sentence) for pair in facts.pairs]
    return sentences


def _across_numbers(facts: AcrossFacts) -> Iterator[tuple[str, str]]:
    yield "data sets", str(len(facts.data_sets))
    yield "algorithms", str(len(facts.algorithms))
    if facts.friedman is not None:
        yield "Friedman's test", f"p {pvalue(facts.friedman['f_pvalue'])}"
    decided = sum(pair.outcome != "inconclusive" for pair in facts.pairs)
    yield "pairs decided", f"{decided} of {len(facts.pairs)}"
    if facts.fits or facts.reused:
        yield "fits", words.fits_phrase(facts)


def _friedman(facts: AcrossFacts) -> str:
    test = facts.friedman
    if test is None:
        return NONE
    return (
        f"F = {format_number(test['f_statistic'], digits=2)} on {test['f_df1']:.0f} and "
        f"{test['f_df2']:.0f} df, p {pvalue(test['f_pvalue'])} "
        f"(χ² = {format_number(test['statistic'], digits=2)} on {test['df']:.0f} df, p "
        f"{pvalue(test['pvalue'])})"
    )
