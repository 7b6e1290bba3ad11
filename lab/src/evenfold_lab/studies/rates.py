"""Studies of tests and intervals: their error, power, coverage, replicability and cost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields as parameters_of
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from evenfold.core.checks import fraction, integer, number, one_of, refuse, short_repr
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import ALTERNATIVES
from evenfold.infer import methods as registered
from evenfold_lab.draws import Draws
from evenfold_lab.studies._base import Methods, Options, Row, Study, StudySetup, prepare, share
from evenfold_lab.studies.answers import MethodAnswers, judge
from evenfold_lab.truth import Truth
from evenfold_lab.world import World, differences


def type1(
    population: Any,
    *,
    methods: Methods = None,
    level: float = 0.05,
    alternative: str = "two-sided",
    **options: Unpack[Options],
) -> Study:
    """
    Measure how often each method rejects a null hypothesis that is true.

    The null is the true difference at the training size of the method's design. The null of
    McNemar's test is always 0, so the algorithms are made equal for it: the better one is made
    wrong on a random share of the examples that it alone gets right.

    Parameters
    ----------
    population : str or Population
        A name of :func:`populations`, or a population with its parameters.
    methods : sequence of str, or mapping of str to Design
        Keys of ``ef.infer.methods()``, on their usual designs or on the designs of a mapping. By
        default all methods that fit are run.
    level : float
        The nominal error.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery, about B − A.
    **options
        The options of every study; see :class:`Options`.

    Returns
    -------
    Study
        A row per method: ``size`` and its standard error ``se``; ``ratio``, the true variance of
        the estimate over the mean of its estimate (above 1 a test is liberal); mean ``fits``; the
        ``null`` that was tested, and its standard error; ``applicable``, the share of data sets
        that the method accepted.

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.type1(
    ...     "normal-mean", methods=["mx2-t"], n=40, replications=100, random_state=0
    ... )
    >>> list(study.to_frame().columns[:3])
    ['method', 'size', 'se']
    """
    setup = prepare(population, **options)
    _check(level, alternative)
    drawn = setup.for_methods(methods)
    rows = _rows(
        drawn, methods, lambda key, d: [_error(key, d, setup.truth(d, key), level, alternative)]
    )
    return _study("type1", setup, rows, drawn, reference=level)


def _error(key: str, draws: Draws, true: Truth, level: float, alternative: str) -> Row:
    answers = judge(draws, key, null=true.value, level=level, alternative=alternative)
    size, se = share(answers.rejected)
    return {
        "method": key,
        "size": size,
        "se": se,
        "ratio": _political_ratio(answers),
        "fits": float(np.nanmean(answers.fits)),
        "n_train": registered()[key].n_train(draws.losses.partition),
        "null": true.value,
        "null_se": true.se,
        "applicable": float(np.mean(np.isfinite(answers.fits))),
    }


def _political_ratio(answers: MethodAnswers) -> float:
    """Return Var μ̂ / E σ̂², which is NaN without standard errors, as for posteriors."""
    finite = np.isfinite(answers.standard_error)
    if finite.sum() < 2:
        return float("nan")
    return float(
        np.var(answers.value[finite], ddof=1) / np.mean(answers.standard_error[finite] ** 2)
    )


def coverage(
    population: Any, *, methods: Methods = None, level: float = 0.05, **options: Unpack[Options]
) -> Study:
    """
    Measure how often the two-sided interval of each method covers the truth, and how long it is.

    Parameters
    ----------
    population, methods, **options
        As in :func:`type1`.
    level : float
        The intervals are at 1 − level.

    Returns
    -------
    Study
        A row per method: ``coverage`` and ``se``, the median ``length`` of the interval and its
        standard error over data sets, the ``truth`` and its standard error.

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.coverage(
    ...     "normal-mean", methods=["mx2-t"], n=40, replications=100, random_state=0
    ... )
    >>> study.reference
    0.95
    """
    setup = prepare(population, **options)
    _check(level, "two-sided")
    drawn = setup.for_methods(methods)
    rows = _rows(drawn, methods, lambda key, d: _coverage_rows(key, d, setup.truth(d, key), level))
    return _study("coverage", setup, rows, drawn, reference=1 - level)


def _coverage_rows(key: str, draws: Draws, true: Truth, level: float) -> list[Row]:
    """Return a method's row, or none if it has no interval for the difference."""
    answers = judge(draws, key, null=true.value, level=level)
    answered = np.isfinite(answers.fits) & ~np.isnan(answers.low)
    if not answered.any():
        return []
    low = answers.low[answered]
    high = answers.high[answered]
    covered, se = share((low <= true.value) & (true.value <= high))
    lengths = high - low
    finite = lengths[np.isfinite(lengths)]
    # 1.2533 σ/√R is the standard error of a median of nearly normal values.
    length_se = 1.2533 * float(np.std(finite)) / np.sqrt(max(len(finite), 1))
    row = {
        "method": key,
        "coverage": covered,
        "se": se,
        "length": float(np.median(lengths)),
        "length_se": length_se,
        "n_train": registered()[key].n_train(draws.losses.partition),
        "truth": true.value,
        "truth_se": true.se,
        "applicable": float(np.mean(answered)),
    }
    return [row]


def power(
    population: Any,
    *,
    methods: Methods = None,
    differences: Sequence[float] | None = None,
    vary: Mapping[str, Sequence[float]] | None = None,
    level: float = 0.05,
    alternative: str = "two-sided",
    **options: Unpack[Options],
) -> Study:
    """
    Measure how often each method finds a difference, against the size of the difference.

    Parameters
    ----------
    population, methods, alternative, **options
        As in :func:`type1`.
    differences : sequence of float, optional
        Values of truth − null for NB's surrogate, which moves the null and keeps the population. By
        default there are nine steps from 0 to four standard deviations of the estimate that varies
        most.
    vary : mapping of one parameter to its values, optional
        The true curve instead: populations that differ in this parameter, each tested for a
        difference of 0.
    level : float
        The nominal error.

    Returns
    -------
    Study
        A row per method and difference: ``difference``, ``power``, ``se``, and ``curve``, which is
        ``"surrogate"`` or ``"true"``.

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.power("mean-line", methods=["mx2-t"], n=100, replications=50, random_state=0,
    ...                      vary={"slope": [0.0, 2.0]})
    >>> study.to_frame()["curve"].unique().tolist()
    ['true']
    """
    _check(level, alternative)
    if vary is not None:
        return _true_curve(population, methods, vary, level, alternative, options)
    setup = prepare(population, **options)
    steps: Any = None
    if differences is not None:
        steps = [number("difference", d) for d in _list_differences(differences)]
    drawn = setup.for_methods(methods)
    if steps is None:
        steps = _steps(drawn)

    def curve(key: str, draws: Draws) -> list[Row]:
        true = setup.truth(draws, key).value
        settings: Any = {"level": level, "alternative": alternative}
        return [
            _power_row(key, float(d), judge(draws, key, null=true - d, **settings), "surrogate")
            for d in steps
        ]

    return _study("power", setup, _rows(drawn, methods, curve), drawn, reference=level)


def _list_differences(differences: Any) -> Sequence[Any]:
    if isinstance(differences, list | tuple):
        return differences
    if getattr(differences, "ndim", 0) != 1:
        refuse(
            "differences",
            f"differences must be a list of numbers but got {short_repr(differences)}.",
        )
    return list(differences)


def _steps(drawn: Mapping[str, Draws]) -> Any:
    """Return nine differences, up to four standard deviations of the mean that varies most."""
    return np.linspace(0, 4, 9) * max(
        float(np.std(differences(draws.losses.means()))) for draws in drawn.values()
    )


def _power_row(key: str, difference: float, answers: MethodAnswers, curve: str) -> Row:
    rate, se = share(answers.rejected)
    return {"method": key, "difference": difference, "power": rate, "se": se, "curve": curve}


def _vary_parameter(
    setup: StudySetup, parameter: Any, values: Any
) -> Iterator[tuple[Any, StudySetup]]:
    """Yield the study on populations with other values of a parameter, one by one."""
    world = setup.world
    known = {field.name for field in parameters_of(world.population) if field.init}
    listed = isinstance(values, list | tuple | np.ndarray) and len(values) > 0
    if not isinstance(world, World) or parameter not in known or not listed:
        refuse(
            "vary",
            f"vary must be a parameter of {world.population!r} and its values but got "
            f"{short_repr(parameter)}.",
        )
    for value in values:
        changed = replace(world.population, **{parameter: value})
        yield value, replace(setup, world=replace(world, population=changed))


def _true_curve(
    name: Any, methods: Methods, vary: Any, level: float, side: str, options: Options
) -> Study:
    if not isinstance(vary, Mapping) or len(vary) != 1:
        refuse(
            "vary",
            "vary must be one parameter of the population with its values but got "
            f"{short_repr(vary)}.",
        )
    ((parameter, values),) = vary.items()
    setup = prepare(name, **options)
    rows = []
    all_draws = {}
    for value, moved in _vary_parameter(setup, parameter, values):
        for key, draws in moved.for_methods(methods).items():
            answers = judge(draws, key, null=0.0, level=level, alternative=side)
            rows.append(
                {
                    parameter: value,
                    **_power_row(key, moved.truth(draws, key).value, answers, "true"),
                }
            )
            all_draws[f"{key} at {parameter}={value}"] = draws
    return _study("power", setup, rows, all_draws, reference=level)


def fits(
    population: Any,
    *,
    methods: Methods = None,
    null: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    **options: Unpack[Options],
) -> Study:
    """
    Measure how many models each method fits until it answers.

    Parameters
    ----------
    population, level, alternative, **options
        As in :func:`type1`.
    methods : sequence of str, or mapping of methods to designs, optional
        By default these are the method of ``compare``, with looks and without, and four that it is
        often compared with.
    null : float
        The difference that is tested.

    Returns
    -------
    Study
        A row per method: mean ``fits`` and ``se``, their least, median and largest number, and how
        often it rejected.

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.fits(
    ...     "mean-line", methods=["mx2-sequential-t"], n=100, replications=50, random_state=0
    ... )
    >>> int(study.to_frame()["least"][0]) >= 12
    True
    """
    setup = prepare(population, **options)
    _check(level, alternative)
    drawn = setup.for_methods(setup.default_methods() if methods is None else methods)
    rows = []
    for key, draws in drawn.items():
        answers = judge(draws, key, null=number("null", null), level=level, alternative=alternative)
        n = answers.fits[np.isfinite(answers.fits)]
        rows.append(
            {
                "method": key,
                "fits": float(n.mean()),
                "se": float(n.std() / np.sqrt(len(n))),
                "least": n.min(),
                "median": float(np.median(n)),
                "most": n.max(),
                "rejected": share(answers.rejected)[0],
            }
        )
    return _study("fits", setup, rows, drawn)


def replicability(
    population: Any,
    *,
    methods: Methods = None,
    partitions: int = 10,
    null: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
    **options: Unpack[Options],
) -> Study:
    """
    Measure how often a method agrees with itself on new splits of the same data.

    The replicability is the mean over data sets of [C(k,2) + C(p−k,2)] / C(p,2), where k of p
    partitions reject (W14 6.6).

    Parameters
    ----------
    population, methods, level, alternative, **options
        As in :func:`type1`.
    partitions : int
        The number p of partitions of each data set.
    null : float
        The difference that is tested.

    Returns
    -------
    Study
        A row per method: ``replicability`` and its standard error ``se`` over data sets, and
        ``rejected``, the share of rejections.

    Examples
    --------
    >>> import evenfold as ef
    >>> study = ef.lab.replicability(
    ...     "mean-line", methods=["5x2-t"], partitions=3, n=40, replications=50, random_state=0
    ... )
    >>> bool(0.3 <= study.to_frame()["replicability"][0] <= 1)
    True
    """
    setup = prepare(population, **options)
    _check(level, alternative)
    p = integer("partitions", partitions, low=2)
    if not isinstance(setup.world, World):
        refuse(
            "population",
            "population must be one that draws data, which can be cut anew, but got "
            f"{short_repr(population)}.",
        )
    rejections: dict[str, list[Any]] = {}
    all_draws = {}
    for again in range(p):
        recut = replace(setup, world=replace(setup.world, recut=again))
        for key, draws in recut.for_methods(methods).items():
            answers = judge(
                draws, key, null=number("null", null), level=level, alternative=alternative
            )
            rejections.setdefault(key, []).append(answers.rejected)
            all_draws[f"{key}, partition {again}"] = draws
    rows = []
    for key, rejected in rejections.items():
        k = np.sum(rejected, axis=0)
        agree = (k * (k - 1) + (p - k) * (p - k - 1)) / (p * (p - 1))
        rows.append(
            {
                "method": key,
                "replicability": float(agree.mean()),
                "se": float(agree.std() / np.sqrt(len(agree))),
                "rejected": float(np.mean(rejected)),
            }
        )
    return _study("replicability", setup, rows, all_draws)


def _rows(
    drawn: Mapping[str, Draws], wanted: Methods, make: Callable[[str, Draws], list[Row]]
) -> list[Row]:
    """Make the rows of all methods; a default one that refuses every data set is left out."""
    rows = []
    for key, draws in drawn.items():
        try:
            rows += make(key, draws)
        except NotApplicable:
            if wanted is not None:
                raise
    return rows


def _check(level: float, alternative: str) -> None:
    fraction("level", level)
    one_of("alternative", alternative, ALTERNATIVES)


def _study(
    kind: str,
    setup: StudySetup,
    rows: list[Row],
    drawn: Mapping[str, Draws],
    reference: float | None = None,
) -> Study:
    losses = {key: draws.losses for key, draws in drawn.items()}
    return Study(
        kind=kind, rows=tuple(rows), about=setup.about(), draws=losses, reference=reference
    )
