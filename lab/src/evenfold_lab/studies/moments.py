"""Studies of designs: variances, covariances and correlations of hold-out values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack
from warnings import warn

import numpy as np

from evenfold.core.checks import integer, refuse, short_repr, size
from evenfold.core.errors import EvenfoldWarning
from evenfold.core.partition import IndexCut, Kind, Partition
from evenfold.design import RLT, Blocked3x2, Design, Mx2, Mx2BCV, ideal_overlap
from evenfold.infer.theory.covariance import OverlapCovariance, mx2_correlations
from evenfold_lab.algorithm import Floats
from evenfold_lab.draws import DesignRequest, Draws
from evenfold_lab.studies._base import Options, Row, Study, StudySetup, a_design, prepare
from evenfold_lab.world import differences


def _series(draws: Draws) -> dict[str, Floats]:
    """Return hold-out values (data sets, splits) of each algorithm and, for two, of B − A."""
    losses = draws.losses
    named = dict(zip(losses.algorithms, losses.values, strict=True))
    if len(named) == 1:
        return named
    return {**named, "B − A": differences(losses.values)}


def _mean(values: Floats) -> tuple[float, float]:
    """Return the mean over data sets and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def variance(
    population: Any, *, designs: Sequence[Design] | None = None, **options: Unpack[Options]
) -> Study:
    """
    Measure the variance of the mean hold-out value of several designs, on the same data sets.

    Parameters
    ----------
    population, **options
        As in :func:`type1`.
    designs : sequence of Design, optional
        The others are compared with the first. By default they are six random halvings as 12
        splits, random 6×2, and m×2 BCV. In R19, the variance falls from each to the next.

    Returns
    -------
    Study
        A row per design and algorithm (and B − A): ``variance`` and ``se``; ``reduction``, the
        share by which it is below that of the first design (R19 tables 2.9–2.12, 3.7–3.10), with
        its standard error; and ``signal``, the mean over the standard deviation, which R19
        maximises to choose designs (eq. 4.3).

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.variance("normal-mean", n=40, replications=100, random_state=0)
    >>> study.to_frame()["design"].tolist()[-1]
    'Mx2BCV(m=6)'
    """
    setup = prepare(population, **options)
    listed = [RLT(12, 0.5), Mx2(6), Mx2BCV(6)] if designs is None else designs
    if not isinstance(listed, list | tuple) or not listed:
        refuse(
            "designs",
            f"designs must be a list of at least one design but got {short_repr(designs)}.",
        )
    chosen = [a_design("designs", design) for design in listed]
    drawn = setup.draw([DesignRequest(design=design) for design in chosen])
    first = {name: values.mean(axis=1) for name, values in _series(drawn[0]).items()}
    rows = [
        {"design": repr(design), "algorithm": name, **_reduction(values.mean(axis=1), first[name])}
        for design, draws in zip(chosen, drawn, strict=True)
        for name, values in _series(draws).items()
    ]
    losses = {repr(design): draws.losses for design, draws in zip(chosen, drawn, strict=True)}
    return Study(kind="variance", rows=tuple(rows), about=setup.about(), draws=losses)


def _reduction(values: Floats, first: Floats) -> Row:
    """Return the variance of ``values``, and the share by which it is below that of ``first``."""
    mine, theirs = ((v - v.mean()) ** 2 for v in (values, first))
    R = len(values)
    variance_, se = _mean(mine * R / (R - 1))
    if not theirs.any():
        refuse(
            "designs",
            "designs must begin with one whose mean varies between data sets but got the same "
            "mean on all of them.",
        )
    ratio = mine.sum() / theirs.sum()
    # The delta method for a ratio of means over data sets, as in NB appendix A.3.
    ratio_se = np.sqrt(np.sum((mine - ratio * theirs) ** 2)) / theirs.sum()
    with np.errstate(divide="ignore"):
        signal = float(values.mean() / np.sqrt(variance_)) if values.any() else 0.0
    signal_se = float(np.sqrt((1 + signal**2 / 2) / R))  # if means are normal
    return {
        "variance": variance_, "se": se, "reduction": float(1 - ratio),
        "reduction_se": float(ratio_se),
        "signal": signal, "signal_se": signal_se,
    }  # fmt: skip


def _property_of_rows(quantity: str, column: str, words: str) -> Any:
    """Make a property that reads one number from the rows of a study."""

    def read(self: Study) -> float:
        return float(next(row[column] for row in self.rows if row["quantity"] == quantity))

    return property(read, doc=words)


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlations(Study):
    """The correlations of an m×2 design, with ``rho1``, ``rho2`` and their errors as attributes."""

    rho1 = _property_of_rows("rho1", "value", "Correlation of the two halves of a repetition.")
    rho1_se = _property_of_rows("rho1", "se", "Its standard error.")
    rho2 = _property_of_rows("rho2", "value", "Correlation across repetitions.")
    rho2_se = _property_of_rows("rho2", "se", "Its standard error.")


def correlations(population: Any, *, m: int = 3, **options: Unpack[Options]) -> Correlations:
    """
    Measure ρ1 and ρ2 of an m×2 BCV and their components, for B − A or a single algorithm.

    Parameters
    ----------
    population, **options
        As in :func:`type1`.
    m : int
        Repetitions.

    Returns
    -------
    Correlations
        Rows ``rho1`` and ``rho2`` with normal intervals by estimating functions (NB appendix A.3);
        the variance of a hold-out value; and for losses the covariances σ², ω, γ, τ of single
        losses at an overlap of n/4 (R19 2.1). They are the covariances of the losses of the same
        point (σ²), of two points that both models test (ω), of two points that are each in the
        other's training set (γ), and of two points of which one is (τ).

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.correlations("normal-mean", n=40, m=3, replications=400, random_state=0)
    >>> abs(study.rho1 - 8 / 46) < 4 * study.rho1_se, abs(study.rho2 - 45 / 92) < 4 * study.rho2_se
    (True, True)
    """
    setup = prepare(population, **options)
    integer("m", m, low=2)
    loss = setup.world.quantity.lower_is_better and not hasattr(
        setup.world.population, "draw_values"
    )
    wanted = [DesignRequest(design=Mx2BCV(m))] + (
        [DesignRequest(design=Blocked3x2(), examples=True)] if loss else []
    )
    drawn = setup.draw(wanted)
    d = list(_series(drawn[0]).values())[-1]
    rho1, rho2 = mx2_correlations(d.reshape(len(d), -1, 2))
    rows = [
        _interval("rho1", rho1.value, rho1.standard_error),
        _interval("rho2", rho2.value, rho2.standard_error),
    ]
    rows.append(_interval("variance", *_mean(np.mean((d - d.mean()) ** 2, axis=1))))
    if loss:
        rows += [_interval(name, *_mean(each)) for name, each in _components(drawn[1]).items()]
    losses = {"mx2-bcv": drawn[0].losses}
    return Correlations(kind="correlations", rows=tuple(rows), about=setup.about(), draws=losses)


def _interval(quantity: str, value: float, se: float) -> Row:
    return {
        "quantity": quantity,
        "value": value,
        "se": se,
        "low": value - 1.96 * se,
        "high": value + 1.96 * se,
    }


def _components(draws: Draws) -> dict[str, Floats]:
    """Estimate σ², ω, γ, τ of single losses in each data set, from splits that overlap in n/4."""
    first = _centre_values(draws, 0)
    second = _centre_values(draws, 2)
    test1, test2 = (draws.losses.partition.test[j] for j in (0, 2))
    both1 = np.isin(test1, test2)
    both2 = np.isin(test2, test1)
    # These points are tested by both models.
    e1 = first[:, both1]
    e2 = second[:, both2]
    # These points are in the other model's training set.
    own1 = first[:, ~both1]
    own2 = second[:, ~both2]
    M = e1.shape[1]
    same = np.mean(e1 * e2, axis=1)
    two = (M**2 * e1.mean(axis=1) * e2.mean(axis=1) - M * same) / (M * (M - 1))
    mixed = (e1.mean(axis=1) * own2.mean(axis=1) + own1.mean(axis=1) * e2.mean(axis=1)) / 2
    return {
        "sigma2": same,
        "omega": two,
        "gamma": own1.mean(axis=1) * own2.mean(axis=1),
        "tau": mixed,
    }


def _centre_values(draws: Draws, split: int) -> Floats:
    rows = draws.losses.examples
    if rows is None:
        refuse(
            "measure",
            "measure must have a value for each example but got "
            f"{short_repr(draws.losses.measure)}.",
        )
    values = differences([row[split] for row in rows])
    centred: Floats = values - values.mean()
    return centred


@dataclass(frozen=True, eq=False, repr=False)
class _Overlapping(Design):
    """
    Training sets of n1 examples that share x examples with the last one, for a grid of x.

    Each model is tested on all other examples.
    """

    kind = Kind("overlapping", shape="splits")

    overlaps: tuple[int, ...]
    n_train: int

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return len(self.overlaps)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:  # noqa: ARG002 - one signature
        n1 = self.n_train
        order = np.arange(n if 2 * n1 != n - 1 else n - 1)  # halves of an odd n leave one out
        trains = [np.sort(np.r_[order[:x], order[n1 : 2 * n1 - x]]) for x in self.overlaps]
        tests = [np.setdiff1d(order, train) for train in trains]
        numbers = np.arange(len(trains))
        cut = IndexCut(n=n, trains=tuple(trains), tests=tuple(tests))
        return Partition(kind=self.kind, seed=seed, cut=cut, repetition=numbers, fold=0 * numbers)


@dataclass(frozen=True, eq=False, kw_only=True)
class Covariance(Study):
    """
    A table of f(x) and, for halves, g(x), with the quadratic that fits f.

    Attributes
    ----------
    quadratic : OverlapCovariance
        The least-squares fit of f at all overlaps.
    quadratic_se : tuple of float
        Standard errors of its coefficients α2, α1, α0.
    n_train : int
        The training size n1.
    """

    quadratic: OverlapCovariance
    quadratic_se: tuple[float, float, float]
    n_train: int

    @property
    def least(self) -> float:
        """The overlap x_min at which the quadratic is smallest, within the measured overlaps."""
        low = self.rows[0]["overlap"]
        high = self.rows[-1]["overlap"]
        f = self.quadratic
        inner = [-f.alpha1 / (2 * f.alpha2)] if f.alpha2 > 0 else []
        candidates = [low, high, *(x for x in inner if low < x < high)]
        return float(min(candidates, key=lambda x: float(f(x))))

    def splits_needed(self, most: int = 1000) -> int | None:
        """
        Return the least J for which a balanced design is known to be best, or None.

        R19's theorem 2.1 needs x_min ≤ φ*(J), the ideal overlap, which grows with J. With fewer
        splits, more overlap can help, so that balanced designs need not have the least variance.
        """
        n = self.quadratic.n
        fits = (J for J in range(2, most + 1) if self.least <= ideal_overlap(n, self.n_train, J))
        return next(fits, None)


def covariance(
    population: Any, *, steps: int = 8, train_size: float = 0.5, **options: Unpack[Options]
) -> Covariance:
    """
    Measure the covariance of two hold-out values against the overlap x of their training sets.

    Parameters
    ----------
    population, **options
        As in :func:`type1`. The covariance is that of B − A, or of a single algorithm.
    steps : int
        Steps from the least overlap to n1. If n1 = n/2, an even number includes n/4.
    train_size : int or float
        The training size n1, or its share of n, which is at least ½.

    Returns
    -------
    Covariance
        A row per overlap: ``f`` = Cov(μ̂_1, μ̂_2) and, for halves, ``g`` = ½(f(x) + f(n/2 − x)),
        each with its standard error. The quadratic that fits f, the errors of its coefficients and
        the overlap of its minimum are attributes.

    Warns
    -----
    EvenfoldWarning
        The minimum of f lies at an overlap above that of even designs with few splits (R19 theorem
        2.1), and is more than three standard errors below f at the least overlap.

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.covariance("normal-mean", n=40, replications=400, random_state=0)
    >>> study.to_frame()["overlap"].tolist()
    [0, 2, 5, 7, 10, 13, 15, 18, 20]
    >>> study = ef.lab.covariance(
    ...     "normal-mean", n=40, train_size=0.8, replications=400, random_state=0
    ... )
    >>> study.n_train, study.least, study.splits_needed()  # f rises, so even designs are best
    (32, 24.0, 2)
    """
    setup = prepare(population, **options)
    n = setup.world.n
    n1 = size("train_size", train_size, n=n)
    n1 -= 2 * n1 == n + 1  # the smaller half of an odd n
    if 2 * n1 < n - 1:
        refuse(
            "train_size",
            f"train_size must be at least half of the examples but got {short_repr(train_size)}.",
        )
    overlaps = _overlaps(n, n1, steps)
    drawn = setup.draw([DesignRequest(design=_Overlapping(overlaps, n1))])[0]
    d = list(_series(drawn).values())[-1]
    centred = d - d.mean()
    products = centred * centred[:, -1:]  # the last split trains on the first n1 examples
    products[:, -1] = np.mean(centred**2, axis=1)  # f(n1) is the variance, estimated by all splits
    series = {"f": products}
    if n1 == n // 2:
        series["g"] = (products + products[:, ::-1]) / 2
    rows = [
        {
            "overlap": x,
            **{k: v for name, p in series.items() for k, v in _value_and_error(name, p[:, i])},
        }
        for i, x in enumerate(overlaps)
    ]
    study = _with_quadratic(setup, rows, products, np.array(overlaps, dtype=float), drawn, n1)
    gain, se = _mean(products[:, 0] - products[:, int(products.mean(axis=0).argmin())])
    if gain > 3 * se:
        _warn_of_few_splits(study)
    return study


def _value_and_error(name: str, values: Floats) -> list[tuple[str, float]]:
    return list(zip((name, f"{name}_se"), _mean(values), strict=True))


def _overlaps(n: int, n1: int, steps: int) -> tuple[int, ...]:
    """Return overlaps up to n1; for halves, n/2 − x is there with every x, as g needs it."""
    if n1 != n // 2:
        grid = np.linspace(2 * n1 - n, n1, integer("steps", steps, low=2, high=n - n1) + 1)
        return tuple(int(x) for x in grid)
    below = [
        int(x)
        for x in np.linspace(0, n1, integer("steps", steps, low=2, high=n1) + 1)
        if 2 * x < n1
    ]
    middle = [n1 // 2] if n1 % 2 == 0 and steps % 2 == 0 else []
    return *below, *middle, *(n1 - x for x in reversed(below))


def _warn_of_few_splits(study: Covariance) -> None:
    needed = study.splits_needed()
    if needed is None or needed > 2:
        many = "any number of" if needed is None else f"fewer than {needed}"
        warn(
            f"The covariance is smallest at an overlap of {study.least:.0f}: with {many} splits an "
            "even design need not be the best.",
            EvenfoldWarning,
            stacklevel=3,
        )


def _with_quadratic(
    setup: StudySetup, rows: list[Row], products: Floats, x: Floats, drawn: Draws, n1: int
) -> Covariance:
    """Fit the quadratic to each data set, so that its coefficients have standard errors."""
    basis = np.stack([x**2, x, np.ones_like(x)], axis=1)
    each = products @ np.linalg.pinv(basis).T
    (a2, se2), (a1, se1), (a0, se0) = (_mean(each[:, i]) for i in range(3))
    return Covariance(
        kind="covariance",
        rows=tuple(rows),
        about=setup.about(),
        draws={"overlapping training sets": drawn.losses},
        quadratic=OverlapCovariance(alpha2=a2, alpha1=a1, alpha0=a0, n=setup.world.n),
        quadratic_se=(se2, se1, se0),
        n_train=n1,
    )
