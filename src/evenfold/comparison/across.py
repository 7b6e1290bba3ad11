"""Several data sets: compare on each, then ask what holds over all of them."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evenfold.comparison.compare import CallWriter, run_comparison
from evenfold.comparison.gather import versions
from evenfold.comparison.ranking import rank_by_pairs
from evenfold.comparison.request import Request, check_request
from evenfold.comparison.result import AnswerBase, Comparison, write_if_path
from evenfold.core.checks import (
    fraction,
    number,
    refuse,
    require_writable,
    short_repr,
    understands_synonyms,
)
from evenfold.core.errors import EvenfoldError, EvenfoldWarning
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.across import AcrossFacts, AcrossPair, DataSetFacts, require_fit
from evenfold.core.facts.answers import Candidate
from evenfold.core.facts.plain import require_sense
from evenfold.core.inputs import Algorithms, OneMeasure, Seed, Splits, Version
from evenfold.core.json import from_typed, read, to_typed
from evenfold.core.json import write_json as as_json
from evenfold.core.losses import Losses, Quantity, difference, measure_name
from evenfold.core.note import Note, as_notes, note
from evenfold.core.ranking import ranks as ranks_of
from evenfold.core.rng import seed_from
from evenfold.infer import (
    FriedmanTest,
    RankPairs,
    RanksTest,
    bayes_signed_rank,
    critical_difference,
    estimate,
    friedman,
    mean_ranks,
    random_effects,
    rank_pairs,
    skillings_mack,
)
from evenfold.infer.data_sets import AdjustedPairTest, parse_test_spelling
from evenfold.infer.family import Criteria, limits

# Draws from a posterior: its probabilities then have a standard error of at most 0.002, or 0.011
# with the fewest draws.
_DRAWS = 50_000
_FEWEST_DRAWS = 2_000
_WEIGHTS = 50_000_000  # drawn for all pairs together, which takes a few seconds
_NONE = (math.nan, math.nan)
_NOT_RUN = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AcrossCriteria:
    """What was asked over all data sets."""

    test: str
    margin: float
    level: float
    baseline: str | None
    adjust: str | None = None

    def __post_init__(self) -> None:
        self.check(2)
        number("margin", self.margin, low=0)
        fraction("level", self.level, high=0.5)

    @property
    def decides(self) -> AdjustedPairTest:
        """The test that decides, with its adjustment."""
        return parse_test_spelling(self.test, self.adjust)

    def check(self, algorithms: int) -> None:
        """Refuse what the test, or its adjustment, cannot do for so many algorithms."""
        self.decides.check(algorithms, self.baseline)


def across_pair(
    comparisons: Mapping[str, Comparison],
    names: Sequence[str],
    ranks: np.ndarray,
    judged: RankPairs,
    k: int,
    criteria: AcrossCriteria,
) -> AcrossPair:
    """Gather what the data sets that have both algorithms of the k-th pair say about it."""
    i, j = judged.pairs[k]
    a = names[i]
    b = names[j]
    both = {name: c for name, c in comparisons.items() if {a, b} <= {*c.losses.algorithms}}
    if len(both) < 2:
        refuse(
            None,
            f"Both {a!r} and {b!r} must be on at least two data sets but they are on {len(both)}.",
            "Leave one of them out.",
        )
    means = [c.losses.means()[[c.losses.index(a), c.losses.index(b)]] for c in both.values()]
    of_a, of_b = np.array(means).T
    d = difference(of_b, of_a)
    losses = next(iter(both.values())).losses
    gain = d
    if losses.lower_is_better:
        gain = -d
    posterior = bayes_signed_rank(
        d,
        margin=criteria.margin,
        scale=np.maximum(np.abs(of_a), np.abs(of_b)),
        draws=max(_FEWEST_DRAWS, min(_DRAWS, _WEIGHTS // (len(judged.pairs) * (len(d) + 1)))),
    )
    chances = (posterior.lower, posterior.same, posterior.higher)
    better, same, worse = chances if losses.lower_is_better else chances[::-1]
    known: dict[str, Any] = {
        "baseline": a,
        "challenger": b,
        "outcome": _outcome(judged, k, criteria),
        "wins": int((gain > 0).sum()),
        "ties": int((gain == 0).sum()),
        "losses": int((gain < 0).sum()),
        "rank_difference": float(ranks[j] - ranks[i]),
        "median_difference": float(np.median(d)),
        "pvalue": float(judged.pvalue[k]),
        "adjusted_pvalue": float(judged.adjusted[k]),
        "better": better,
        "same": same,
        "worse": worse,
        **_effects(both, a, b, d, criteria),
    }
    measured = dict(zip(both, known["differences"], strict=True))
    known["differences"] = tuple(measured.get(name, _NOT_RUN) for name in comparisons)
    names_and_numbers = ("baseline", "challenger", "outcome", "wins", "losses", "adjusted_pvalue")
    sentence = note(
        "across-pair",
        **{name: known[name] for name in (*names_and_numbers, "value", "low", "high")},
        predicted=[known["predicted_low"], known["predicted_high"]],
        data_sets=len(d),
        test=criteria.decides.words,
        measure=measure_name(losses.quantity),
        level=criteria.level,
    )
    return AcrossPair(sentence=str(sentence), **known)


def _outcome(judged: RankPairs, k: int, criteria: AcrossCriteria) -> str:
    """Return what the test decides; its statistic says which algorithm is better."""
    if judged.adjusted[k] > criteria.level:
        return "inconclusive"
    if judged.gain[k] > 0:
        return "better"
    return "worse"


def _effects(
    comparisons: Mapping[str, Comparison], a: str, b: str, d: np.ndarray, criteria: AcrossCriteria
) -> dict[str, Any]:
    """
    Return the mean difference over data sets with its intervals.

    The mean weighs data sets by their variances where the method has a standard error on each;
    otherwise it is the plain mean, without intervals.
    """
    values = []
    errors = []
    differences = []
    for c in comparisons.values():
        value, low, high, error = _own_interval(c.losses, c.facts.method.key, a, b, criteria.level)
        values.append(value)
        errors.append(error)
        differences.append((value, low, high))
    value = float(d.mean())
    low, high = _NONE
    tau = math.nan
    predicted = _NONE
    # without any variation nobody knows how far the mean may be off
    varied = any(errors) or len(set(values)) > 1
    if all(map(math.isfinite, errors)) and varied:
        mean = random_effects(values, np.square(errors), level=criteria.level)
        value = mean.value
        low, high = mean.confidence_interval()
        tau = math.sqrt(mean.tau2)
        if mean.df >= 2:
            predicted = mean.measured_interval()
    return {
        "value": value,
        "low": low,
        "high": high,
        "tau": tau,
        "predicted_low": predicted[0],
        "predicted_high": predicted[1],
        "differences": tuple(differences),
    }


def _own_interval(
    losses: Losses, method: str, a: str, b: str, level: float
) -> tuple[float, float, float, float]:
    """Return B − A on one data set, its interval, and its standard error, NaN where unknown."""
    try:
        with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
            answer = estimate(losses, method, challenger=b, baseline=a, level=level)
            error = math.nan
            if isinstance(answer, TestEstimate):
                error = float(answer.standard_error)
            return (*limits(answer), error)
    except EvenfoldError:
        return float(losses.differences(b, a).mean()), *_NOT_RUN


def overall(
    algorithms: Sequence[str],
    ranks: Sequence[float],
    pairs: Sequence[AcrossPair],
    test: FriedmanTest | RanksTest | None,
    criteria: AcrossCriteria,
    N: int,
) -> str:
    """Return the answer over all data sets."""
    if test is None:
        return pairs[0].sentence
    order = sorted(range(len(algorithms)), key=lambda i: ranks[i])
    best = algorithms[order[0]]
    key = "skillings-mack"
    p = test.pvalue
    if isinstance(test, FriedmanTest):
        key = "friedman"
        p = test.f_pvalue
    beaten = [
        pair.baseline for pair in pairs if (pair.challenger, pair.outcome) == (best, "better")
    ]
    beaten += [
        pair.challenger for pair in pairs if (pair.baseline, pair.outcome) == (best, "worse")
    ]
    answer = note(
        "across",
        test=key,
        pvalue=p,
        level=criteria.level,
        data_sets=N,
        best=best,
        rank=ranks[order[0]],
        algorithms=len(algorithms),
        beaten=beaten,
        decides=criteria.decides.words,
    )
    return str(answer)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class AcrossDataSets(AnswerBase):
    """
    The answer over several data sets.

    Attributes
    ----------
    comparisons : mapping of str to Comparison
        What was found on each data set.
    facts : AcrossFacts
        Everything a report says, as one plain value.
    friedman : FriedmanTest or None
        Whether all algorithms rank alike; None for two.

    Examples
    --------
    Print it, ask ``ranks``, ``pairs`` and ``summary``, draw it with ``plot``, write it with
    ``to_html``.
    """

    comparisons: Mapping[str, Comparison]
    facts: AcrossFacts
    friedman: FriedmanTest | None

    @property
    def ranks(self) -> dict[str, float]:
        """Mean rank of each algorithm over the data sets, the best first."""
        return dict(
            sorted(
                zip(self.facts.algorithms, self.facts.ranks, strict=True), key=lambda item: item[1]
            )
        )

    @property
    def ranking(self) -> tuple[Candidate, ...]:
        """
        The algorithms by mean rank, the best first, each with the ranks it may truly have.

        ``value`` is the mean rank. The rank intervals hold together with confidence 1 − level;
        algorithms that share a letter of ``ties`` are tied.
        """
        return rank_by_pairs(self.facts)

    @property
    def pairs(self) -> tuple[AcrossPair, ...]:
        """Every question: a challenger against a baseline, over all data sets."""
        return self.facts.pairs

    @property
    def summary(self) -> Any:
        """Mean differences over data sets (random effects), one row per pair, as a pandas frame."""
        columns = [
            "baseline",
            "challenger",
            "value",
            "low",
            "high",
            "tau",
            "predicted_low",
            "predicted_high",
        ]
        return self.to_frame()[columns]

    @property
    def failures(self) -> tuple[Any, ...]:
        """Fits without a result, over all data sets."""
        return tuple(failure for c in self.comparisons.values() for failure in c.failures)

    def methods_text(self) -> str:
        """Return the methods paragraph of a paper, ready to paste, with the works to cite."""
        from evenfold.report.methods_text import across_text

        return across_text(self.facts)

    def __repr__(self) -> str:
        return (
            f"<AcrossDataSets: {', '.join(self.facts.algorithms)} on "
            f"{len(self.facts.data_sets)} data sets>"
        )

    def to_json(self, path: str | Path | None = None) -> str:
        """Return all facts and each data set's comparison as JSON, also to ``path`` if given."""
        each = {name: comparison.to_plain() for name, comparison in self.comparisons.items()}
        behind = {"comparisons": each, "friedman": to_typed(self.friedman)}
        return str(write_if_path(as_json({**self.facts.to_plain(), "behind": behind}), path))

    @classmethod
    def from_json(cls, text: str | bytes | Mapping[str, Any]) -> "AcrossDataSets":
        """Read back what :meth:`to_json` wrote; anything else is refused in one line."""
        if isinstance(text, Mapping):
            plain = text
        else:
            plain = read(text)
        facts = AcrossFacts.from_json(plain)
        require_sense(facts)
        require_fit(facts)
        behind = plain.get("behind")
        if not isinstance(behind, dict) or not isinstance(behind.get("comparisons"), dict):
            refuse(
                "text",
                "text must be an answer over data sets but it has facts without comparisons.",
            )
        each = {
            name: Comparison.from_json(comparison)
            for name, comparison in behind["comparisons"].items()
        }
        complete = [name for name, comparison in each.items() if not comparison.failures]
        if each and complete != [data_set.name for data_set in facts.data_sets]:
            refuse(
                None,
                "facts.data_sets must be those of the comparisons without a failure but the "
                f"comparisons are about {', '.join(each)}.",
            )
        test = from_typed(behind.get("friedman"))
        return cls(
            comparisons=each, facts=facts, friedman=test if isinstance(test, FriedmanTest) else None
        )


@understands_synonyms
def across(
    algorithms: Algorithms,
    data_sets: Any,
    *,
    measure: OneMeasure | None = None,
    design: Splits | None = None,
    method: str | None = None,
    test: str = "wilcoxon",
    adjust: str | None = None,
    margin: float = 0.0,
    level: float = 0.05,
    baseline: str | None = None,
    positive: Any = None,
    random_state: Seed | None = None,
    n_jobs: int | None = None,
    store: str | Path | None = None,
    version: Version | None = None,
    on_failure: Literal["record", "raise"] = "record",
    timeout: float | None = None,
    progress: bool | None = None,
) -> AcrossDataSets:
    """
    Say who is better on data of a kind, from several data sets.

    Every data set is one block: the algorithms are run on it as :func:`compare` would, and its mean
    hold-out values and its own standard errors go into the tests over data sets. Splits never do.

    Parameters
    ----------
    algorithms : list or mapping of estimators or functions
        As in :func:`compare`, at least two.
    data_sets : mapping of str to (X, y)
        At least two data sets by name.
    measure : str, callable or scorer, optional
        As in :func:`compare`; the same on all data sets.
    design, method
        Who trains and who tests on each data set, and where its standard errors come from: by
        default all nine repetitions of an m×2 BCV, and ``"mx2-influence-t"``.
    test : {"wilcoxon", "sign", "nemenyi", "friedman", "conover", "quade", "aligned"}
        What decides about pairs, see :func:`evenfold.infer.rank_pairs`. What the first two say of a
        pair does not depend on which other algorithms are in the table.
    adjust : str, optional
        How pairs share the level, ``"holm"`` by default; it may be written behind the test,
        ``"wilcoxon-shaffer"``. As in :func:`compare`, but for ``"max-t"``.
    margin : float, default 0
        Differences up to this size do not matter, for the Bayesian signed-rank test.
    level : float, default 0.05
        Error level over all pairs.
    baseline : str, optional
        Compare all others with this one.
    positive, random_state, n_jobs, store, version, on_failure, timeout, progress
        As in :func:`compare`.

    Returns
    -------
    AcrossDataSets
        Prints as the verdict; ``ranks``, ``friedman``, ``pairs``, ``summary``, ``plot()``,
        ``to_html()``.

    Notes
    -----
    *Validity.* The answer is about new data sets of which these are a sample, at their training
    sizes. Six data sets are the fewest with which Wilcoxon's test can decide at .05. A data set on
    which an algorithm failed is left out, and said so.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_breast_cancer, load_iris, load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> loaders = {"cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}
    >>> data_sets = {name: load(return_X_y=True) for name, load in loaders.items()}
    >>> a = ef.across(
    ...     {"dummy": DummyClassifier(), "bayes": GaussianNB()}, data_sets, random_state=0
    ... )
    >>> a.pairs[0].wins, a.pairs[0].outcome
    (3, 'inconclusive')
    """
    if not isinstance(data_sets, Mapping) or len(data_sets) < 2:
        refuse(
            "data_sets",
            "data_sets must be a mapping of at least two names to (X, y) but got "
            f"{short_repr(data_sets)}.",
            "Use compare for a single data set.",
        )
    across_criteria = AcrossCriteria(
        test=test, adjust=adjust, margin=margin, level=level, baseline=baseline
    )
    seed = seed_from(random_state)
    requests = {
        str(name): check_request(
            algorithms,
            *_rows_of(str(name), data),
            criteria=Criteria(level=level, baseline=baseline),
            measure=measure,
            design=design,
            method=method,
            positive=positive,
            random_state=seed,
            n_jobs=n_jobs,
            store=store,
            version=version,
            on_failure=on_failure,
            timeout=timeout,
            progress=progress,
        )
        for name, data in data_sets.items()
    }
    first = next(iter(requests.values()))
    if len(first.quantities) > 1:
        refuse(
            "measure",
            f"measure must be a single one over data sets but got {len(first.quantities)} of them.",
            "Make one call for each measure.",
        )
    if len(first.names) < 2:
        refuse("algorithms", "algorithms must be at least two but got 1.")
    across_criteria.check(len(first.names))
    # all data sets get the same number of repetitions, so that their estimates are alike
    done = {name: run_comparison(request, stops=False) for name, request in requests.items()}
    return summarise(done, across_criteria, call=_call(first, across_criteria))


def _call(request: Request, criteria: AcrossCriteria) -> str:
    """Return the call that gives an answer over data sets again."""
    writer = CallWriter()
    arguments = [writer(dict(request.algorithms), "algorithms"), "data_sets"]
    arguments.append(f"measure={writer(request.measures, 'measure')}")
    if request.design is not None:
        arguments.append(f"design={writer.design(request.design)}")
    keywords = {
        "method": request.method,
        "test": str(criteria.decides),
        "margin": criteria.margin,
        "level": criteria.level,
        "baseline": criteria.baseline,
        "positive": request.positive,
    }
    arguments += writer.keywords(keywords)
    arguments.append(f"random_state={request.seed}")
    return writer.call("ef.across", arguments)


def _rows_of(name: str, data: Any) -> tuple[Any, Any]:
    require_writable("names of data sets", [name])
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        refuse(None, f"Data set {name!r} must be a pair (X, y) but got {short_repr(data)}.")
    return data[0], data[1]


def summarise(
    comparisons: Mapping[str, Comparison],
    criteria: AcrossCriteria,
    *,
    call: str,
    algorithms: Sequence[str] | None = None,
) -> AcrossDataSets:
    """
    Ask what holds over all data sets on which nothing failed.

    With ``algorithms`` some may be missing on some data sets; else all must be the same everywhere.
    """
    complete = {name: c for name, c in comparisons.items() if not c.failures}
    _require_comparable(comparisons, complete, holes=algorithms is not None)
    first = next(iter(complete.values()))
    quantity = first.losses.quantity
    names = tuple(algorithms or first.losses.algorithms)
    values = np.array([_values(c, names) for c in complete.values()])
    lower = quantity.lower_is_better
    base = None
    if criteria.baseline is not None:
        base = names.index(criteria.baseline)
    criteria.check(len(names))
    judged = rank_pairs(
        values, criteria.test, adjust=criteria.adjust, baseline=base, lower_is_better=lower
    )
    ranks = mean_ranks(values, lower_is_better=lower)
    test = _omnibus(values, lower=lower)
    kept = test if isinstance(test, FriedmanTest) else None
    pairs = tuple(
        across_pair(complete, names, ranks, judged, k, criteria) for k in range(len(judged.pairs))
    )
    facts = AcrossFacts(
        quantity=quantity,
        algorithms=names,
        data_sets=tuple(
            DataSetFacts(
                name=name,
                n=c.partition.n,
                n_train=c.partition.n_train,
                values=tuple(means_of_data_set),
            )
            for (name, c), means_of_data_set in zip(complete.items(), values.tolist(), strict=True)
        ),
        ranks=tuple(ranks.tolist()),
        means=tuple(np.nanmean(values, axis=0).tolist()),
        best_on=_best_on(values, lower=lower),
        friedman=None if kept is None else _friedman_facts(kept),
        critical_difference=None
        if criteria.decides.entry.adjusts
        else critical_difference(values.shape[1], len(values), level=criteria.level),
        test=str(criteria.decides),
        pairs=pairs,
        sentence=overall(names, ranks.tolist(), pairs, test, criteria, len(values)),
        method=next((c.facts.method.key for c in complete.values() if c.pairs), ""),
        level=criteria.level,
        margin=criteria.margin,
        fits=sum(c.fits for c in comparisons.values()),
        reused=sum(c.reused for c in comparisons.values()),
        notes=(
            # what was left out of any data set, each note once
            *as_notes(item for c in comparisons.values() for item in c.facts.notes if item.partial),
            *_data_set_notes(comparisons, complete, quantity),
            *_missing_values_note(values),
        ),
        call=call,
        versions=versions(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return AcrossDataSets(comparisons=dict(comparisons), facts=facts, friedman=kept)


def _values(comparison: Comparison, names: Sequence[str]) -> list[float]:
    """Return the mean of every algorithm on one data set, NaN for those that were not run there."""
    known = dict(zip(comparison.losses.algorithms, comparison.losses.means().tolist(), strict=True))
    return [known.get(name, math.nan) for name in names]


def _omnibus(values: np.ndarray, *, lower: bool) -> FriedmanTest | RanksTest | None:
    if values.shape[1] < 3:
        return None
    if np.isnan(values).any():
        return skillings_mack(values, lower_is_better=lower)
    return friedman(values, lower_is_better=lower)


def _best_on(values: np.ndarray, *, lower: bool) -> tuple[int, ...]:
    """Count the data sets on which no other algorithm that was run there is better."""
    if lower:
        worst = np.inf
    else:
        worst = -np.inf
    ranks = ranks_of(np.where(np.isnan(values), worst, values), lower_is_better=lower)
    best = (ranks == ranks.min(axis=1, keepdims=True)) & ~np.isnan(values)
    return tuple(best.sum(axis=0).tolist())


def _missing_values_note(values: np.ndarray) -> tuple[Note, ...]:
    """Return the note that some algorithms were not run on some data sets, if that is so."""
    missing = int(np.isnan(values).sum())
    if not missing:
        return ()
    some = int(np.isnan(values).any(axis=1).sum())
    # what only the first, the baseline, lacks was not chosen by any candidate
    partial = bool(np.isnan(values[:, 1:]).any())
    numbers = {"values": missing, "some": some, "total": len(values)}
    return (Note("data-sets-with-holes", numbers, partial),)


def _require_comparable(
    comparisons: Mapping[str, Comparison], complete: Mapping[str, Comparison], *, holes: bool
) -> None:
    if len(complete) < 2:
        failed = ", ".join(name for name in comparisons if name not in complete)
        refuse(
            None,
            f"At least two data sets must be without a failed fit but {len(complete)} of "
            f"{len(comparisons)} are.",
            f"Look at the failures on {failed}." if failed else "",
        )
    _require_different(complete)
    same = {(c.losses.measure, *(() if holes else c.losses.algorithms)) for c in complete.values()}
    if len(same) > 1:
        refuse(None, "All data sets must have the same algorithms and the same measure.")
    if max(len(c.losses.algorithms) for c in complete.values()) < 2:
        refuse("algorithms", "algorithms must be at least two but got 1.")


def _require_different(comparisons: Mapping[str, Comparison]) -> None:
    """Refuse copies of a data set, which would count as further data and overstate certainty."""
    told_apart = {name: c for name, c in comparisons.items() if np.ptp(c.losses.means()) > 0}
    first: dict[Any, str] = {}
    copies = {
        name: first[key]
        for name, c in told_apart.items()
        if first.setdefault(key := _measured_values(c), name) != name
    }
    single = [
        name
        for name in copies
        if comparisons[name].losses.examples is None and len(comparisons[name].partition) == 1
    ]
    for name, other in copies.items():
        # Single rounded values of each algorithm may agree by chance, but not on half of the data
        # sets.
        if name not in single or 2 * len(single) >= len(told_apart):
            refuse(
                None,
                f"Data sets must differ but the results on {other!r} and {name!r} are the same.",
                "Leave copies of a data set out.",
            )


def _measured_values(comparison: Comparison) -> tuple[Any, ...]:
    """Return everything that was measured on a data set, for a comparison bit by bit."""
    losses = comparison.losses
    # Several splits tell data sets apart; where there is one split, its single examples do.
    each = None
    if losses.values.shape[1] == 1:
        each = losses.examples
    examples = [np.asarray(values).tobytes() for runs in each or () for values in runs]
    return (losses.algorithms, losses.values.tobytes(), *examples)


def _friedman_facts(test: FriedmanTest) -> dict[str, float]:
    names = ("statistic", "df", "pvalue", "f_statistic", "f_pvalue")
    of_f = dict(zip(("f_df1", "f_df2"), map(float, test.f_df), strict=True))
    return {name: float(getattr(test, name)) for name in names} | of_f


def _data_set_notes(
    comparisons: Mapping[str, Comparison], complete: Mapping[str, Comparison], quantity: Quantity
) -> tuple[Note, ...]:
    notes = [
        note(
            "data-set-failed",
            name=name,
            fits=len(c.failures),
            algorithm=c.failures[0].algorithm,
        )
        for name, c in comparisons.items()
        if name not in complete
    ]
    if quantity.target == "numbers" and not math.isfinite(quantity.width):
        notes.append(note("units-differ"))
    return tuple(notes)
