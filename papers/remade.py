"""
Kept tables made again: what is exact from its definition, what is concluded from the kept values.

Numbers of a source that were put into such a file, or a verdict that its own numbers do not bear
out, differ from what is made here; kept measurements that are copies are found by
:mod:`papers.guards`.
"""

import re
from collections.abc import Callable, Iterator

from papers import (
    _nb_claims,
    _printed_designs,
    conclusions,
    curve_words,
    g13_tables,
    pages,
    posteriors,
    r19,
    r19_printed,
    r19_ratios,
    r19_scores,
    r19_sequences,
    t15,
)
from papers._curves import Curves
from papers._table import Claim, Table, kept
from papers.nb import exact_errors
from papers.r19_draws import Run, rows_of
from papers.w14_figures import contributions, powers

Verdict = bool | None
NUMBER = r"([-+]?\d[\d.]*(?:e-?\d+)?)"


def exact() -> Iterator[tuple[str, Table]]:
    """All that has no Monte Carlo error."""
    run = Run(folder=None, scale=1.0, store=None)
    for part in ("overlaps", "constants", "drops", "q", "evenness", "regions"):
        for table in r19.PARTS[part](run):
            yield "r19", table
    for table in r19_scores.tables():
        yield "r19", table
    for table in (t15.example_1(), t15.example_2(), t15.formulas()):
        yield "t15", table
    yield "nb", exact_errors()


def concluded() -> Iterator[tuple[str, Table]]:
    """All claims, and what else follows from kept values; among them some that are exact."""
    for table in r19_sequences.words():
        yield "r19", table
    for table in (contributions(2), contributions(3), powers()):
        yield "w14", table
    yield from conclusions.tables()
    for source, made in (
        ("w14", curve_words.w14),
        ("r19", curve_words.r19),
        ("nb", curve_words.nb),
    ):
        for table in made():
            yield source, table
    yield from _of_sources()
    yield from _of_posteriors()
    yield from _of_texts()


def _stored(source: str, name: str) -> Table:
    return kept(pages.RESULTS / source / f"{name}.json")


def _with(table: Table, claims: list[Claim]) -> Table:
    return Table(name=table.name, title=table.title, note=table.note, claims=claims)


def _of_sources() -> Iterator[tuple[str, Table]]:
    """G13 figures 2, 3 and its linear SVM."""
    for name, words in (
        ("figures-2-3", g13_tables.words_of),
        ("linear-svm", g13_tables.machine_words_of),
    ):
        claims = words(_stored("g13", name).cells)
        yield "g13", _with(_stored("g13", f"{name}-words"), claims)


def _of_posteriors() -> Iterator[tuple[str, Table]]:
    """R19 figures 6.2, 6.3 and 7.1, from their curves."""
    for number in ("6.2", "6.3", "7.1"):
        record = pages.read(pages.RESULTS / "r19" / f"r19-{number}.json")
        fields = {key: record[key] for key in ("name", "title", "x", "y", "note", "panels")}
        yield "r19", posteriors.words(Curves(**fields))


def _of_texts() -> Iterator[tuple[str, Table]]:
    """
    R19 chapters 4 and 6: verdicts by the numbers that stand beside them.

    The draws are not kept.
    """
    rules: dict[str, Callable[[str], Verdict]] = {
        **{f"4.{number}-words": _by_ratios for number in range(1, 5)},
        "4.5": _by_two_values,
        "4.6-words": _by_variance,
        "4.7": _by_two_values,
        "tag-sets-words": _by_gain,
    }
    for name, rule in rules.items():
        table = _stored("r19", name)
        yield (
            "r19",
            _with(
                table, [Claim(says=c.says, holds=rule(c.here), here=c.here) for c in table.claims]
            ),
        )


def _numbers(pattern: str, here: str) -> list[float]:
    match = re.search(pattern, here)
    assert match is not None, here
    return [float(number) for number in match.groups()]


def _by_ratios(here: str) -> Verdict:
    gap, se = _numbers(rf": {NUMBER} ± {NUMBER}$", here)
    # Both are printed to two digits, so the bounds are met to a twentieth.
    if gap > 0.95 * r19_ratios.SEEN * se:
        return True
    return False if gap < -0.95 * r19_ratios.SEEN * se else None


def _by_two_values(here: str) -> Verdict:
    first, se, second, error = _numbers(rf"^{NUMBER} ± {NUMBER} and {NUMBER} ± {NUMBER}$", here)
    return _seen(first - second, (se**2 + error**2) ** 0.5)


def _by_variance(here: str) -> Verdict:
    ratio, error = _numbers(rf"^{NUMBER} ± {NUMBER} of its variance$", here)
    return _seen(1 - ratio, error)


def _by_gain(here: str) -> Verdict:
    gain, error = _numbers(rf"^{NUMBER} ± {NUMBER} points$", here)
    return _seen(gain, error)


def _seen(gap: float, error: float) -> Verdict:
    if abs(gap) <= 3 * error:
        return None
    return gap > 0


def sizes_claims(number: int) -> Table:
    """
    What NB say of sizes, from the kept sizes.

    What it says of bootstraps stays as it was kept.
    """
    stored = _stored("nb", f"claims-{number}")
    made = _nb_claims.claims(_stored("nb", f"sizes-{number}").cells, {})
    boot = [_bootstrap_claim(c) for c in stored.claims if "bootstrap" in c.says]
    claims = [*made, *boot]
    return _with(stored, claims)


def _bootstrap_claim(claim: Claim) -> Claim:
    """Two shares nearly overlap by the numbers beside the verdict, printed to two digits."""
    first, second, error = _numbers(rf"^{NUMBER} and {NUMBER} ± {NUMBER}$", claim.here)
    return Claim(says=claim.says, holds=abs(first - second) <= 3 * error + 0.01, here=claim.here)


def features() -> dict[str, int]:
    """The features of R19's data sets by the names of its configurations, "yeast+knn+800+8"."""
    named = {
        name.split("+")[0]: int(name.split("+")[3]) for name, *_ in rows_of(r19_printed.TABLE_2_9)
    }
    other = {"krvskp": "kr-vs-kp", "pageblock": "page-blocks", "wave": "waveform-5000"}
    return {
        other.get(name, name): p for name, p in named.items() if other.get(name, name) in _sets()
    }


def _sets() -> set[str]:
    return set(_printed_designs.TABLE_2_7)


def tables() -> Iterator[tuple[str, Table]]:
    """All of them, with the folder of results that each belongs to."""
    yield from exact()
    yield from concluded()
    for number in (2, 3, 4):
        yield "nb", sizes_claims(number)
