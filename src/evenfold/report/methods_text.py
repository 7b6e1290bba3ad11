"""
The methods paragraph of a paper.

It says in sentences what was done, so that they can be pasted, with references.
"""

import re

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.bibliography import cited_works
from evenfold.core.facts.comparison import Facts
from evenfold.core.partition import FOLDS_AND_HALVES, MX2_BCV
from evenfold.core.words import count, format_confidence, format_count, one_line
from evenfold.report.formats.text import name_algorithms, sides
from evenfold.report.tables import interval_title

_NAMES = 6  # more algorithms are counted
_DESIGNS = {
    str(MX2_BCV): ("R19", "m×2 block-regularized cross-validation"),
    str(FOLDS_AND_HALVES): ("R19", "folds and m×2 block-regularized cross-validation"),
}
_WRITTEN_OUT = {
    " CI": " confidence intervals",
    "credible interval": "credible intervals",
    " bound": " confidence bounds",
}
_PEOPLE = ("bonferroni", "holm", "shaffer", "hochberg", "hommel", "finner", "sidak")
SOFTWARE = (
    "The evenfold developers (2026). evenfold: is algorithm B really better than algorithm A?"
)
_DEMSAR = (
    "Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of "
    "Machine Learning Research 7."
)


def methods_text(facts: Facts) -> str:
    """
    Return a paragraph on how a comparison was made, and the works to cite.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(methods_text(sample()))  # doctest: +ELLIPSIS
    We compared tree and forest by their error with evenfold ...
    """
    return f"{paragraph(facts)}\n\nReferences: {' '.join(references(facts))}"


def paragraph(facts: Facts) -> str:
    """Return the methods paragraph without the references."""
    sentences = [
        _who_sentence(facts),
        _data_sentence(facts),
        _test_sentence(facts),
        _stopping_rule_sentence(facts),
        _adjustment_sentence(facts),
        _failures_sentence(facts),
    ]
    return " ".join(filter(None, sentences))


def references(facts: Facts) -> tuple[str, ...]:
    """Return the software and the works that the method comes from."""
    of_design, _ = _DESIGNS.get(facts.design.kind, ("", ""))
    works = cited_works(f"{of_design}; {facts.method.source}")
    return (_software(facts), *(work for _, work in works))


def across_text(facts: AcrossFacts) -> str:
    """Return the methods paragraph of a comparison over data sets, and what to cite."""
    return f"{across_paragraph(facts)}\n\nReferences: {' '.join(across_references(facts))}"


def across_references(facts: AcrossFacts) -> tuple[str, ...]:
    """Return the software and the work on comparisons over data sets."""
    return (_software(facts), _DEMSAR)


def across_paragraph(facts: AcrossFacts) -> str:
    """Return the methods paragraph of an answer over data sets, without the references."""
    sentences = [
        f"We compared {name_algorithms(facts, _NAMES)} by their {one_line(facts.measure_words)} "
        f"on {len(facts.data_sets)} data sets with {_version(facts)}."
    ]
    if facts.friedman is not None:
        sentences.append("All algorithms together were compared by the Friedman test.")
    margin = f" and a margin of {facts.margin:g}" if facts.margin else ""
    sentences.append(
        f"Pairs were compared by {_test_over_data_sets(facts.test)} at a level of "
        f"{facts.level:g}{margin}."
    )
    if facts.method:
        sentences.append(
            f"Mean differences are those of a random-effects model with "
            f"{format_confidence(facts.level)} confidence intervals; the error of each data set's "
            f"difference is that of {facts.method}."
        )
    return " ".join(sentences)


_OVER_DATA_SETS = {
    "wilcoxon": "Wilcoxon's signed-rank test (Wilcoxon, 1945)",
    "sign": "the sign test",
    "nemenyi": "Nemenyi's test (Nemenyi, 1963)",
    "friedman": "Friedman's rank test (Friedman, 1937)",
    "conover": "Conover's test (Conover & Iman, 1979)",
    "quade": "Quade's test (Quade, 1979)",
    "aligned": "the aligned rank test (Hodges & Lehmann, 1962)",
}
"""Tests of pairs over data sets, by the first word of their key."""


def _test_over_data_sets(key: str) -> str:
    """Return what a test of pairs is called in a text, with its adjustment if it has one."""
    test, _, adjustment = key.partition("-")
    named = _OVER_DATA_SETS.get(test, f"the test {test}")
    if adjustment in _PEOPLE:
        return f"{named}, adjusted by {adjustment.capitalize()}'s procedure,"
    return f"{named}, adjusted ({adjustment})," if adjustment else named


def _version(facts: Facts | AcrossFacts) -> str:
    return f"evenfold {facts.versions.get('evenfold', '')}".strip()


def _software(facts: Facts | AcrossFacts) -> str:
    version = facts.versions.get("evenfold", "")
    return f"{SOFTWARE} Version {version}." if version else SOFTWARE


def _who_sentence(facts: Facts) -> str:
    who = name_algorithms(facts, _NAMES)
    measure = one_line(facts.measure_words)
    if len(facts.algorithms) == 1:
        return f"We estimated the {measure} of {who} with {_version(facts)}."
    return f"We compared {who} by their {measure} with {_version(facts)}."


def _data_sentence(facts: Facts) -> str:
    design = facts.design
    if not (facts.fits or facts.reused):
        return f"The analysis used existing results ({one_line(design.name)}); nothing was fitted."
    splits = len(design.repetition)
    _, how = _DESIGNS.get(design.kind, ("", ""))
    named = ", ".join(filter(None, [how, one_line(design.name)]))
    if design.seed is not None and "random_state" not in design.name:
        named += f", seed {design.seed}"
    sets = "training set" if splits == 1 else f"{splits} training sets"
    return (
        f"Every algorithm was fitted on the same {sets} of "
        f"{_sizes(design.train_sizes)} of the {format_count(design.n)} examples and evaluated on "
        f"the held-out examples ({named})."
    )


def _sizes(sizes: tuple[int, ...]) -> str:
    if not sizes:
        return "part"
    least = min(sizes)
    most = max(sizes)
    if least == most:
        return str(most)
    return f"{least} {'or' if most == least + 1 else 'to'} {most}"


def _test_sentence(facts: Facts) -> str:
    looks = ""
    if facts.most_repetitions is not None:
        looks = f", with at most {facts.most_repetitions} repetitions"
    margin = f" and an equivalence margin of {facts.margin:g}" if facts.margin else ""
    estimand = one_line(facts.estimand)
    if not estimand.startswith("P("):
        estimand = f"the {estimand}"
    return (
        f"The estimand is {estimand}. We used {facts.method.called}"
        f"{_citations(facts)}, {sides(facts)}{looks}, at a level of {facts.level:g}{margin}, and "
        f"report {_kind_of_interval(facts)}."
    )


def _citations(facts: Facts) -> str:
    """The works that the method comes from, by author and year."""
    works = [_author_and_year(work) for _, work in cited_works(facts.method.source)]
    if not any(works):
        return ""
    return f" ({'; '.join(filter(None, works))})"


_AUTHOR = re.compile(r"(?P<first>[^,(]+),(?P<others>[^(]*)\((?P<year>\d{4})\)")


def _author_and_year(work: str) -> str:
    """
    Return a short citation of a work.

    Examples
    --------
    >>> _author_and_year("Tango, T. (1998). Equivalence test. Statistics in Medicine 17.")
    'Tango, 1998'
    >>> _author_and_year("Nadeau, C., Bengio, Y. (1999). Inference.")
    'Nadeau et al., 1999'
    """
    match = _AUTHOR.match(work)
    if match is None:
        return ""
    several = match["others"].count(",") > 0
    return f"{match['first']}{' et al.' if several else ''}, {match['year']}"


_FEW_VERDICTS = 10  # of fewer than these every one must last


def _stopping_rule_sentence(facts: Facts) -> str:
    """Say when a run stopped that grew until its verdicts would last."""
    each = [pair for answer in (facts, *facts.others) for pair in answer.pairs]
    if facts.goal is None or all(pair.replicability is None for pair in each):
        return ""
    what = "the verdict"
    if len(each) >= _FEW_VERDICTS:
        what = "each of at least nine in ten verdicts"
    elif len(each) > 1:
        what = "each verdict"
    return (
        f"Repetitions were added until {what} would be the same with a probability of at least "
        f"{facts.goal:g} if the data were partitioned again at random, or until there were "
        f"{facts.most_repetitions} repetitions."
    )


def _kind_of_interval(facts: Facts) -> str:
    """Return the kind of interval that is reported, without abbreviations."""
    title = interval_title(facts)
    for short, full in _WRITTEN_OUT.items():
        if title.endswith(short):
            return f"{title.removesuffix(short)}{full}"
    return title


def _adjustment_sentence(facts: Facts) -> str:
    if len(facts.pairs) < 2 or not facts.shared:
        return ""
    how = facts.adjust
    if how in _PEOPLE:
        how = f"{how.capitalize()}'s procedure"
    return (
        f"P-values and intervals of the {count(len(facts.pairs), 'pair')} are adjusted for "
        f"multiple comparisons ({how})."
    )


def _failures_sentence(facts: Facts) -> str:
    if not facts.failures:
        return ""
    failed = count(len(facts.failures), "fit")
    return f"{failed} failed; algorithms with failed fits were not compared."
