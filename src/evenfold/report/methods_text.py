"""
The methods paragraph of a paper.

What was done, in sentences that can be pasted, with references.
"""

from evenfold.core.facts.comparison import Facts, cited_works
from evenfold.core.words import count, format_confidence, join_words, one_line
from evenfold.report._content import credible

_NAMES = 6  # more algorithms are counted
SOFTWARE = (
    "The evenfold developers (2026). evenfold: is algorithm B really better than algorithm A?"
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
    """Return the paragraph alone."""
    sentences = [
        _who_sentence(facts),
        _data(facts),
        _test(facts),
        _adjustment_sentence(facts),
        _failures(facts),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def references(facts: Facts) -> tuple[str, ...]:
    """Return the software and the works that the method comes from."""
    version = facts.versions.get("evenfold", "")
    software = f"{SOFTWARE} Version {version}." if version else SOFTWARE
    return (software, *(work for _, work in cited_works(facts.method.source)))


def _who_sentence(facts: Facts) -> str:
    names = [one_line(name) for name in facts.algorithms]
    who = join_words(names) if len(names) <= _NAMES else f"{len(names)} algorithms"
    measure = one_line(facts.measure_words)
    version = facts.versions.get("evenfold", "")
    verb = "estimated" if len(names) == 1 else "compared"
    how = f"the {measure} of {who}" if len(names) == 1 else f"{who} by their {measure}"
    return f"We {verb} {how} with {f'evenfold {version}'.strip()}."


def _data(facts: Facts) -> str:
    design = facts.design
    if not (facts.fits or facts.reused):
        return f"The analysis used existing results ({one_line(design.name)}); nothing was fitted."
    splits = len(design.repetition)
    seed = "" if design.seed is None or "random_state" in design.name else f", seed {design.seed}"
    return (
        f"Every algorithm was fitted on the same {splits} training sets of "
        f"{_sizes(design.train_sizes)} of "
        f"the {design.n} examples and evaluated on the held-out examples "
        f"({one_line(design.name)}{seed})."
    )


def _sizes(sizes: tuple[int, ...]) -> str:
    if not sizes:
        return "part"
    least = min(sizes)
    most = max(sizes)
    if least == most:
        return str(most)
    return f"{least} {'or' if most == least + 1 else 'to'} {most}"


def _test(facts: Facts) -> str:
    side = (
        facts.alternative
        if facts.alternative == "two-sided"
        else f"one-sided ({facts.alternative})"
    )
    looks = ""
    if facts.most_repetitions is not None:
        looks = f", sequential with at most {facts.most_repetitions} repetitions"
    margin = f" and an equivalence margin of {facts.margin:g}" if facts.margin else ""
    return (
        f"The estimand is the {one_line(facts.estimand)}. We used the method {facts.method.key} "
        f"({side}{looks}) at a level of {facts.level:g}{margin}, and report "
        f"{format_confidence(facts.level)} {_ends(facts)}."
    )


def _ends(facts: Facts) -> str:
    """What is reported: an interval, or, with the question "not worse?", a bound on each side."""
    if facts.alternative == "not-worse":
        return "one-sided bounds"
    if credible(facts):
        return "credible intervals"
    if facts.alternative == "two-sided":
        return "confidence intervals"
    return "confidence bounds"


def _adjustment_sentence(facts: Facts) -> str:
    if len(facts.pairs) < 2 or not facts.shared:
        return ""
    return (
        f"P-values and intervals of the {count(len(facts.pairs), 'pair')} are adjusted for "
        "multiple "
        f"comparisons ({facts.adjust})."
    )


def _failures(facts: Facts) -> str:
    if not facts.failures:
        return ""
    return (
        f"{count(len(facts.failures), 'fit')} failed; algorithms with failed fits were not "
        "compared."
    )
