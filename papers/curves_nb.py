"""NB's figures 1–26 as curves."""

from collections.abc import Iterator

import numpy as np

import evenfold as ef
from evenfold.design import RLT, NestedRLT
from evenfold_lab.algorithm import Floats
from evenfold_lab.draws import DesignRequest
from evenfold_lab.studies._base import prepare, share
from papers import nb
from papers._curves import Curves, Points, Test, power
from papers._table import machine, scaled

_J, _M = (5, 10, 15, 25), (5, 10, 20)
_FIGURES = {  # by problem and quantity: at n/2, by J, by M
    "regression": {"A": (1, 10, 19), "B": (2, 11, 20), "A−B": (3, 12, 21)},
    "gaussians": {"A": (4, 13, 22), "B": (5, 14, 23), "A−B": (6, 15, 24)},
    "letters": {"B": (7, 16, 25), "A−B": (8, 17, 26)},
}


def nb_figures(
    problem: str, folder: str | None, scale: float, most: int = 2000
) -> Iterator[Curves]:
    """Figures 1–26: powers at n1 = n/2; by J and by M at n1 = 9n/10; simulations up to an n."""
    figures: dict[int, Curves] = {}
    for simulation in (known for known in nb.simulations(problem, folder) if known.n <= most):
        R = scaled(1000 if machine().full else 100, scale)
        setup = prepare(
            simulation.population,
            n=simulation.n,
            replications=R,
            random_state=nb.SEED,
            **machine().effort(),
        )
        drawn = nb.draw(simulation, nb.Size(splits=R, halvings=0), None)
        (more,) = setup.draw([DesignRequest(design=NestedRLT(max(_M), max(_J), 0.1))])
        halves = nb._nested(more.losses.values, max(_M), max(_J))
        for column in simulation.columns:
            for quantity, numbers in _FIGURES[problem].items():
                made = _panels(simulation, drawn, halves, column, quantity)
                for number, curves in zip(numbers, made, strict=True):
                    figure = figures.setdefault(number, _nb_figure(number, quantity, R))
                    figure.panels[column] = curves
        if problem == "letters":
            figures[9], figures[18] = _real_and_surrogate(simulation, drawn, R)
    yield from figures.values()


def nb_bootstrap(scale: float) -> Iterator[Curves]:
    """
    Draw figures 4 and 6 with the curves of the bootstrap: two Gaussians, A and A − B.

    Beside it are the corrected bootstrap and the two t-tests that NB say they look like, on the
    same data sets.
    """
    R = scaled(1000 if machine().full else 50, scale)
    figures = {
        quantity: _bootstrap_figure(number, quantity, R)
        for number, quantity in ((4, "A"), (6, "A−B"))
    }
    for simulation in nb.simulations("gaussians"):
        setup = prepare(
            simulation.population,
            n=simulation.n,
            replications=R,
            random_state=nb.SEED,
            **machine().effort(),
        )
        n1 = simulation.n // 2
        for part, n2, design in (
            ("n/10", simulation.n // 10, nb.SplitsOfAPart(nb.TEST_J, 0.5, 0.1)),
            ("n/2", n1, RLT(nb.TEST_J, 0.5)),
        ):
            (drawn,) = setup.draw([DesignRequest(design=design, reruns=nb.RERUNS)])
            assert drawn.reruns is not None
            for column in simulation.columns:
                once, again = (
                    simulation.quantities(v, column) for v in (drawn.losses.values, drawn.reruns)
                )
                for quantity, figure in figures.items():
                    panel = figure.panels.setdefault(column, {})
                    panel.update(_with_bootstrap(once[quantity], again[quantity], n1, n2, part))
    yield from figures.values()


def _with_bootstrap(d: Floats, reruns: Floats, n1: int, n2: int, part: str) -> dict[str, Points]:
    """Four tests of one estimate, at nulls around the truth."""
    tests: dict[str, Test] = {
        f"bootstrap, {part}": lambda null: ef.infer.bootstrap(d, reruns, null=null).pvalue,
        f"resampled t, {part}": lambda null: ef.infer.resampled_t(d, null=null).pvalue,
        f"corrected bootstrap, {part}": lambda null: (
            ef.infer.corrected_bootstrap(d, reruns, n_train=n1, n_test=n2, null=null).pvalue
        ),
        f"corrected, {part}": lambda null: (
            ef.infer.corrected_resampled_t(d, n_train=n1, n_test=n2, null=null).pvalue
        ),
    }
    return power(tests, float(d.mean()), float(d.mean(axis=1).std()), nb.LEVEL)


def _bootstrap_figure(number: int, quantity: str, R: int) -> Curves:
    return Curves(
        name=f"nb-{number}-bootstrap",
        title=f"NB figure {number}: the bootstrap about {quantity}, n1 = n/2",
        x="truth − null, in standard deviations of the mean",
        y="share of rejections at level .1",
        note=f"{R} data sets for each panel (NB: 1000), J = {nb.TEST_J}, R = {nb.RERUNS}, seed "
        f"{nb.SEED}.",
    )


def _nb_figure(number: int, quantity: str, R: int) -> Curves:
    about = (
        "n1 = n/2" if number < 9 else "n1 = 9n/10, by J" if number < 19 else "conservative Z, by M"
    )
    return Curves(
        name=f"nb-{number}",
        title=f"NB figure {number}: power about {quantity}, {about}",
        x="truth − null, in standard deviations of the mean",
        y="share of rejections at level .1",
        note=f"{R} data sets for each panel (NB: 1000), seed {nb.SEED}; null around the mean of "
        "all.",
    )


def _panels(
    simulation: nb.Simulation, drawn: nb.Drawn, halves: Floats, column: str, quantity: str
) -> tuple[dict[str, Points], ...]:
    """The curves of one panel: at n/2, by J, by M."""
    n = simulation.n

    def of(values: Floats) -> Floats:
        return simulation.quantities(values, column)[quantity]

    half, tenth, usual, five, losses, inner = (
        of(v) for v in (drawn.half, drawn.tenth, drawn.usual, drawn.five, drawn.losses, halves)
    )
    J = nb.TEST_J
    inside = inner[:, : nb.HALVINGS, :, :J].mean(axis=-1)

    def z(d: Floats, M: int, J: int) -> Test:
        return lambda null: (
            ef.infer.conservative_z(d[:, :J], inner[:, :M, :, :J].mean(axis=-1), null=null).pvalue
        )

    def corrected(d: Floats, n1: int, n2: int) -> Test:
        return lambda null: (
            ef.infer.corrected_resampled_t(d, n_train=n1, n_test=n2, null=null).pvalue
        )

    def resampled(d: Floats) -> Test:
        return lambda null: ef.infer.resampled_t(d, null=null).pvalue

    at_half: dict[str, Test] = {
        "t": lambda null: ef.infer.holdout_t(losses, null=null).pvalue,
        "5×2 t": lambda null: (
            ef.infer.five_by_two_t(five.reshape(len(five), 5, 2), null=null).pvalue
        ),
        "resampled t, n/10": resampled(tenth[:, :J]),
        "resampled t, n/2": resampled(half[:, :J]),
        "corrected, n/10": corrected(tenth[:, :J], n // 2, n // 10),
        "corrected, n/2": corrected(half[:, :J], n // 2, n // 2),
        "conservative Z, n/10": lambda null: (
            ef.infer.conservative_z(tenth[:, :J], inside, null=null).pvalue
        ),
        "conservative Z, n/2": lambda null: (
            ef.infer.conservative_z(half[:, :J], inside, null=null).pvalue
        ),
    }
    by_j: dict[str, Test] = {}
    for j in _J:
        by_j[f"resampled t, J = {j}"] = resampled(usual[:, :j])
        by_j[f"corrected, J = {j}"] = corrected(usual[:, :j], 9 * n // 10, n // 10)
        by_j[f"conservative Z, J = {j}"] = z(usual, nb.HALVINGS, j)
    by_m = {f"conservative Z, M = {M}": z(usual, M, J) for M in _M}
    groups = [(at_half, half), (by_j, usual), (by_m, usual)]
    return tuple(
        power(tests, float(d.mean()), float(d[:, :J].mean(axis=1).std()), nb.LEVEL)
        for tests, d in groups
    )


def _real_and_surrogate(
    simulation: nb.Simulation, drawn: nb.Drawn, R: int
) -> tuple[Curves, Curves]:
    """
    Figures 9 and 18: the null is the truth at w = 17.25 or 25.

    The real curve tests it on the data sets of all six metrics, the surrogate on those of one
    metric with the null moved by the differences of the truths.
    """
    made = []
    for number, values, n1, centre in (
        (9, drawn.half, 150, "w = 25"),
        (18, drawn.usual, 270, "w = 17.25"),
    ):
        n2 = 300 - n1
        figure = Curves(
            name=f"nb-{number}",
            title=f"NB figure {number}: real and surrogate power, letters",
            x="truth − null",
            y="share of rejections at level .1",
            note=f"{R} data sets (NB: 1000), seed {nb.SEED}; corrected resampled t with J = 15.",
        )
        for quantity in ("B", "A−B"):
            series = {
                c: simulation.quantities(values, c)[quantity][:, : nb.TEST_J]
                for c in simulation.columns
            }
            means = {c: float(v.mean()) for c, v in series.items()}
            null = means[centre]

            def rejected(d: Floats, at: float, n1: int = n1, n2: int = n2) -> tuple[float, float]:
                pvalue = ef.infer.corrected_resampled_t(d, n_train=n1, n_test=n2, null=at).pvalue
                return share(np.asarray(pvalue < nb.LEVEL))

            real = [(means[c] - null, *rejected(v, null)) for c, v in series.items()]
            moved = [
                (m - null, *rejected(series[centre], null - (m - null))) for m in means.values()
            ]
            figure.panels[quantity] = {"real": sorted(real), "surrogate": sorted(moved)}
        made.append(figure)
    return made[0], made[1]
