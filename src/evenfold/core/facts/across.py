"""The facts of a comparison over several data sets, as plain values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evenfold.core.checks import refuse
from evenfold.core.facts.plain import PlainFacts, shared_digits
from evenfold.core.losses import Quantity
from evenfold.core.note import Note
from evenfold.core.words import decimals


@dataclass(frozen=True, kw_only=True, slots=True)
class DataSetFacts:
    """One data set: its size, the training size, and the mean hold-out value of each algorithm."""

    name: str
    n: int
    n_train: int
    values: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AcrossPair:
    """
    One question over all data sets: a challenger against a baseline.

    Attributes
    ----------
    baseline, challenger : str
        The algorithms A and B.
    outcome, sentence : str
        Better, worse or inconclusive, about ranks on new data sets, and a sentence about it.
    wins, ties, losses : int
        Numbers of data sets on which B is better, equal or worse.
    rank_difference, median_difference : float
        Mean rank of B minus that of A, and the median of B − A.
    pvalue, adjusted_pvalue : float
        P-values of the test that decides.
    better, same, worse : float
        Posterior probabilities of the Bayesian signed-rank test that B is better, as good up to the
        margin, or worse on a new data set.
    value, low, high : float
        Mean of B − A over data sets with its interval; NaN if the method has no standard errors.
    tau : float
        Standard deviation of the true differences between data sets.
    predicted_low, predicted_high : float
        Prediction interval of the difference on a new data set.
    differences : tuple of (value, low, high)
        B − A on each data set, with the interval of that data set.
    """

    baseline: str
    challenger: str
    outcome: str
    sentence: str
    wins: int
    ties: int
    losses: int
    rank_difference: float
    median_difference: float
    pvalue: float
    adjusted_pvalue: float
    better: float
    same: float
    worse: float
    value: float
    low: float
    high: float
    tau: float
    predicted_low: float
    predicted_high: float
    differences: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AcrossFacts(PlainFacts):
    """
    The facts of a comparison over several data sets, from which its report is written.

    Attributes
    ----------
    quantity
        As in :class:`evenfold.core.facts.comparison.Facts`.
    algorithms, data_sets
        The names of the algorithms, and the results on each data set.
    ranks : tuple of float
        Mean rank of each algorithm, 1 for the best.
    means, best_on : tuple
        Mean of each algorithm over the data sets, and the number of data sets on which no other
        algorithm is better.
    friedman : mapping or None
        Statistic, degrees of freedom and p-value of Friedman's test and of Iman and Davenport's;
        None for two algorithms.
    critical_difference : float or None
        The critical difference of mean ranks, if Nemenyi's test decides.
    test : str
        The test that decides about pairs.
    pairs : tuple of AcrossPair
        The pairs that are compared.
    sentence : str
        The answer in words.
    method : str
        The method of the interval on each data set; empty if a data set has only one value for each
        algorithm.
    level, margin, fits, reused, notes, call, versions, created
        As in :class:`evenfold.core.facts.comparison.Facts`.
    """

    schema = "across"

    quantity: Quantity
    algorithms: tuple[str, ...]
    data_sets: tuple[DataSetFacts, ...]
    ranks: tuple[float, ...]
    means: tuple[float, ...]
    best_on: tuple[int, ...]
    friedman: Mapping[str, float] | None
    critical_difference: float | None
    test: str
    pairs: tuple[AcrossPair, ...]
    sentence: str
    method: str
    level: float
    margin: float
    fits: int
    reused: int
    notes: tuple[Note, ...]
    call: str
    versions: Mapping[str, str]
    created: str

    @property
    def digits(self) -> int:
        """The number of decimals in a table of all pairs, which the shortest interval decides."""
        return shared_digits(pair for pair in self.pairs if math.isfinite(pair.value))

    @property
    def value_digits(self) -> int:
        """The number of decimals of hold-out values, from the least spread within a data set."""
        present = [[x for x in row.values if not math.isnan(x)] for row in self.data_sets]
        spreads = [max(known) - min(known) for known in present]
        return min(max((decimals(spread) for spread in spreads if spread > 0), default=3), 4)


def require_fit(facts: AcrossFacts) -> None:
    """Refuse facts of a file whose rows do not match its algorithms and data sets."""
    width = len(facts.algorithms)
    rows = (
        *(data_set.values for data_set in facts.data_sets),
        facts.ranks,
        facts.means,
        facts.best_on,
    )
    if any(len(row) != width for row in rows):
        refuse(
            "facts",
            f"facts must have one value for each of the {width} algorithms in every row but some "
            "rows have another length.",
        )
    for i, pair in enumerate(facts.pairs):
        where = f"facts.pairs[{i}]"
        if {pair.baseline, pair.challenger} - set(facts.algorithms):
            refuse(
                where,
                f"{where} must be about two of the algorithms but got {pair.baseline!r} and "
                f"{pair.challenger!r}.",
            )
        if pair.wins + pair.ties + pair.losses > len(facts.data_sets):
            refuse(
                f"{where}.wins",
                f"{where}.wins, ties and losses must add up to at most {len(facts.data_sets)}, the "
                f"number of data sets, but got {pair.wins + pair.ties + pair.losses}.",
            )
