"""Apply the methods of the package ``infer`` to thousands of data sets at once."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.choose import default_design
from evenfold.core.checks import one_of
from evenfold.core.errors import EvenfoldWarning, NotApplicable
from evenfold.core.estimate import Estimate, PosteriorEstimate, TestEstimate
from evenfold.core.losses import Losses, Quantity
from evenfold.core.rng import stream
from evenfold.design import Design, designs
from evenfold.infer import Method, estimate, methods
from evenfold.infer.family import REPLICABILITY, is_stable
from evenfold.infer.halves.influence import InfluenceEstimate
from evenfold.infer.halves.sequential import SequentialEstimate
from evenfold.infer.theory.covariance import mx2_correlations, rho2_bounds
from evenfold.run.measures import MEASURES
from evenfold_lab.algorithm import Floats
from evenfold_lab.cuts import is_drawn_anew
from evenfold_lab.draws import DesignRequest, Draws
from evenfold_lab.world import differences

RERUNS = 15  # of the bootstrap tests, as in NB
_WAYS = 8  # pieces into which data sets are cut when some of them are refused
_EXAMPLES = {  # inputs that need the losses of single examples
    "losses",
    "blocks",
    "nested",
    "tables",
    "discordant",
    "outcomes",
    "tested",
}
_UNDRAWN = {"scores", "left-out"}  # inputs that the lab does not draw


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class MethodAnswers:
    """
    The answers of a method on R data sets.

    If the method refused a data set, all numbers are NaN, and nothing is rejected.

    Attributes
    ----------
    value, standard_error : arrays (R,)
        Estimate and standard error; for a posterior its mean, and NaN.
    rejected : bool array (R,)
        Whether the method rejected the null hypothesis.
    low, high : arrays (R,)
        The limits of its interval; NaN if it has none for the difference.
    fits : array (R,)
        The number of models that it used.
    """

    value: Floats
    standard_error: Floats
    rejected: NDArray[np.bool_]
    low: Floats
    high: Floats
    fits: Floats

    @classmethod
    def of(cls, parts: "Sequence[MethodAnswers]") -> "MethodAnswers":
        """Concatenate the answers on several groups of data sets."""
        return cls(
            **{
                entry.name: np.concatenate([getattr(p, entry.name) for p in parts])
                for entry in fields(cls)
            }
        )


def design_of(method: str, n: int) -> Design:
    """Return the design that ``compare`` gives a method."""
    return default_design(one_of("method", method, methods()), None, 0, n)


def design_request(method: str, design: Design) -> DesignRequest:
    """Return what a method needs of a design."""
    inputs = methods()[method].inputs
    needs_same_cuts = bool({"tested", "nested"}.intersection(inputs))
    if needs_same_cuts and is_drawn_anew(design):
        raise NotApplicable(
            f"Method {method!r} can be studied only on designs that cut all data sets alike, not "
            f"on {design!r}."
        )
    return DesignRequest(
        design=design,
        examples=bool(_EXAMPLES.intersection(inputs)),
        reruns=RERUNS if "reruns" in inputs and not design.kind.is_rerun else 0,
    )


def methods_for(*, measure: str, algorithms: int, grouped: bool) -> list[str]:
    """Return the methods that can judge such a study."""
    about = MEASURES[measure].quantity
    return [
        key
        for key, entry in methods().items()
        if _can_be_drawn(entry)
        and _fits_measure(entry, about)
        and (entry.pairs if algorithms == 2 else entry.alone and not entry.takes.measures)
        and grouped == ("sources" in entry.designs)
    ]


def _can_be_drawn(entry: Method) -> bool:
    """Say whether the lab can draw a method's inputs; examples in the lab have no order."""
    drawn = entry.default_design in designs() and not entry.default_design.is_ordered
    return drawn and _UNDRAWN.isdisjoint(entry.inputs) and entry.family in ("test", "posterior")


def _fits_measure(entry: Method, about: Quantity) -> bool:
    """Say whether a method applies to the losses of a measure."""
    if {"correct", "discordant", "tables"}.intersection(entry.inputs) and not about.counts_wrong:
        return False
    if entry.takes.measures:
        return entry.takes.measures == (about.name,)
    return entry.takes.closely or about.per_example == "values"


def judge(
    draws: Draws,
    method: str,
    *,
    null: float,
    level: float = 0.05,
    alternative: str = "two-sided",
    chance: float | None = None,
) -> MethodAnswers:
    """
    Test ``null`` on every data set by a method, and return its interval at 1 − level.

    A test whose null is always 0 needs ``chance`` if ``draws`` are only some of the data sets; see
    :func:`equalise`.
    """
    losses = draws.losses
    if not methods()[method].nulls and null != 0:
        losses = equalise(losses, null, chance_alone([losses], null) if chance is None else chance)
        null = 0.0
    with warnings.catch_warnings():
        # Degenerate data sets count like all others.
        warnings.simplefilter("ignore", EvenfoldWarning)
        hypothesis: dict[str, Any] = {"null": null, "level": level, "alternative": alternative}
        try:
            estimates = _estimate(replace(draws, losses=losses), method, **hypothesis)
            return _judge_answers(estimates, method, losses, hypothesis)
        except NotApplicable as error:
            return _ask_in_pieces(losses, method, hypothesis, error)


def judge_until_stable(
    draws: Draws, method: str, *, null: float, level: float = 0.05, alternative: str = "two-sided"
) -> MethodAnswers:
    """
    Test ``null`` by a method with several looks, and stop as ``compare`` does by default.

    The answer for each data set is that of the first look whose verdict is stable.
    """
    losses = draws.losses
    hypothesis: dict[str, Any] = {"null": null, "level": level, "alternative": alternative}
    answers, stable = [], []
    for m in methods()[method].looks_to(len(losses.partition) // 2):
        some = replace(draws, losses=losses.only(slice(2 * m)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EvenfoldWarning)
            estimates = _estimate(some, method, **hypothesis)
        if not isinstance(estimates, InfluenceEstimate):
            raise NotApplicable(f"Method {method!r} does not say how stable its verdict is.")
        answer = _judge_answers(estimates, method, some.losses, hypothesis)
        rejected = answer.rejected & ~estimates.is_withheld
        answers.append(replace(answer, rejected=rejected))
        same = np.where(estimates.is_withheld, 0.0, estimates.same_verdict([null]))
        stable.append(is_stable(same, rejected, m, goal=REPLICABILITY))
    stable[-1] = np.ones_like(stable[-1])
    stop = np.argmax(stable, axis=0)
    return MethodAnswers(
        **{
            entry.name: np.choose(stop, [getattr(answer, entry.name) for answer in answers])
            for entry in fields(MethodAnswers)
        }
    )


def _ask_in_pieces(
    losses: Losses, method: str, hypothesis: dict[str, Any], error: NotApplicable
) -> MethodAnswers:
    """
    Judge ever smaller groups of data sets, because a method may refuse some of them.

    Refused data sets count as not rejected.
    """
    answers = _pieces(replace(losses, examples=_held(losses.examples)), method, hypothesis)
    if all(answer is _SILENT for answer in answers):
        raise error
    return MethodAnswers.of(answers)


def _pieces(losses: Losses, method: str, hypothesis: dict[str, Any]) -> list[MethodAnswers]:
    R = losses.values.shape[1]
    step = -(-R // _WAYS)
    answers = []
    for r in range(0, R, step):
        some = _select_data_sets(losses, slice(r, r + step))
        try:
            estimates = _estimate(Draws(losses=some), method, **hypothesis)
            answers.append(_judge_answers(estimates, method, some, hypothesis))
        except NotApplicable:
            answers += [_SILENT] if step == 1 else _pieces(some, method, hypothesis)
    return answers


def _held(rows: Sequence[Sequence[Any]] | None) -> list[list[Any]] | None:
    """Compute the losses of single examples once, because they are sliced many times."""
    if rows is None:
        return None
    return [list(side) for side in rows]


def _select_data_sets(losses: Losses, part: slice) -> Losses:
    """Return the losses of some data sets."""
    rows = losses.examples
    examples = None if rows is None else [[row[part] for row in side] for side in rows]
    return replace(losses, values=losses.values[:, part], examples=examples)


_NOTHING = np.full(1, np.nan)
_SILENT = MethodAnswers(
    value=_NOTHING,
    standard_error=_NOTHING,
    rejected=np.zeros(1, bool),
    low=_NOTHING,
    high=_NOTHING,
    fits=_NOTHING,
)


def _estimate(
    draws: Draws, method: str, *, null: float, level: float, alternative: str
) -> Estimate:
    entry = methods()[method]
    losses = draws.losses
    alone = len(losses.algorithms) == 1
    hypothesis: dict[str, Any] = {"null": null, "alternative": alternative}
    estimates: Estimate
    if entry.arguments == ("rho1", "rho2"):  # the oracle gets the correlations of all draws
        d = differences(losses.values).reshape(len(losses.values[0]), -1, 2)
        rho1, rho2 = (r.value for r in mx2_correlations(d))
        known = {"rho1": rho1, "rho2": float(np.clip(rho2, *rho2_bounds(rho1, m=d.shape[1])))}
        estimates = entry.function(d, **known, **hypothesis)
    elif draws.reruns is not None and "reruns" in entry.inputs:
        sizes = {"n_train": losses.partition.n_train, "n_test": losses.partition.n_test}
        sized = {name: sizes[name] for name in entry.arguments}
        estimates = entry.function(
            differences(losses.values), differences(draws.reruns), **sized, **hypothesis
        )
    else:
        sides = {"challenger": 0, "baseline": None} if alone else {"challenger": 1, "baseline": 0}
        return estimate(losses, method, level=level, **sides, **hypothesis)
    return estimates.at(level)


def _judge_answers(
    estimates: Estimate, method: str, losses: Losses, hypothesis: dict[str, Any]
) -> MethodAnswers:
    null = hypothesis["null"]
    level = hypothesis["level"]
    fits = np.full(losses.values.shape[1], float(losses.values.shape[0] * len(losses.partition)))
    if isinstance(estimates, PosteriorEstimate):
        p = estimates.probability(null)
        rejected = {
            "two-sided": np.minimum(p, 1 - p) < level / 2,
            "greater": 1 - p < level,
            "less": p < level,
        }[hypothesis["alternative"]]
        low, high = estimates.interval()
        value = estimates.mean
        error = np.full_like(p, np.nan)
    elif isinstance(estimates, TestEstimate):
        if isinstance(estimates, SequentialEstimate):
            rejected = estimates.rejected
        else:
            rejected = estimates.pvalue < level
        low, high = estimates.confidence_interval()
        value = estimates.value
        error = estimates.standard_error
    else:
        raise NotApplicable(f"Method {method!r} does not test a difference of two algorithms.")
    if isinstance(estimates, SequentialEstimate):
        fits = 2.0 * len(losses.values) * estimates.stopped_at
    if "reruns" in methods()[method].inputs and not losses.partition.kind.is_rerun:
        fits = fits * (1 + RERUNS)
    if not methods()[method].nulls:  # the interval is about discordant examples
        low = high = np.full_like(value, np.nan)
    return MethodAnswers(
        value=value, standard_error=error, rejected=rejected, low=low, high=high, fits=fits
    )


def equalise(losses: Losses, difference: float, chance: float) -> Losses:
    """
    Make two classifiers equal by handicapping the better one, for tests whose null is always 0.

    The better classifier is made wrong on a random share of the examples that it alone gets right.
    If the share is the true difference of the errors, B − A, divided by the ``chance`` of such an
    example, the expected errors agree, while the variation with the training set stays.
    """
    better, worse = (0, 1) if difference > 0 else (1, 0)
    rows = _rows(losses)
    rng = stream(0, "handicap")
    for good, bad in zip(rows[better], rows[worse], strict=True):
        good[(good < bad) & (rng.random(good.shape) < abs(difference) / chance)] = 1.0
    values = np.stack([np.stack([row.mean(axis=-1) for row in side], axis=-1) for side in rows])
    return replace(losses, values=values, examples=rows)


def chance_alone(losses: Iterable[Losses], difference: float) -> float:
    """Return how often only the better algorithm is right, over all test examples."""
    better, worse = (0, 1) if difference > 0 else (1, 0)
    sides = [_rows(entry) for entry in losses]
    alone = [
        (g < b).ravel() for rows in sides for g, b in zip(rows[better], rows[worse], strict=True)
    ]
    return float(np.concatenate(alone).mean())


def _rows(losses: Losses) -> list[list[Floats]]:
    if losses.examples is None:
        raise NotApplicable(
            "Algorithms can be made equal only with losses of single examples, which this study "
            "does not have."
        )
    if len(losses.algorithms) < 2:
        raise NotApplicable("There is one algorithm here, but the method compares two.")
    return [[np.array(row, dtype=float) for row in losses.examples[a]] for a in (0, 1)]
