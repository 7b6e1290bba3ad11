"""
Formulas that the sources list in tables, drawings and examples.

Recomputed from covariance matrices.

R19 tables 5.1, 5.5, figures 2.1, 3.1, 5.7, example 5.1; W14 table 5; NB table 1; G13 tables 1, 2,
figure 1. Where values are normal, Cov((a·y)², (b·y)²) = 2·(a·b)²: squared errors of means have
exact covariances.
"""

from collections.abc import Callable, Iterator, Sequence
from math import sqrt

import numpy as np
from scipy import special, stats

from evenfold.infer.theory import components, gaussian
from evenfold.infer.theory.covariance import normal_mean
from evenfold_lab.algorithm import Floats
from papers._table import Cell, Claim, Table, printed

POINTS = ((0.0, 0.2), (0.1, 0.3), (0.3, 0.4))  # ρ1, ρ2


def _cell(row: str, column: str, source: float, ours: float) -> Cell:
    """Both to four digits: the source prints a formula, ours is computed without it."""
    return Cell(row=row, column=column, source=printed(f"{source:.4f}"), ours=float(ours), se=0.0)


def halves(m: int, rho1: float, rho2: float) -> Floats:
    """The correlations of 2m hold-out values (R19 eq. 5.4)."""
    matrix = np.full((2 * m, 2 * m), rho2)
    for j in range(m):
        matrix[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = [[1, rho1], [rho1, 1]]
    return matrix


def exchangeable(J: int, rho: float) -> Floats:
    """The correlations of J values that all correlate alike."""
    return np.full((J, J), rho) + (1 - rho) * np.eye(J)


def _centred(n: int) -> Floats:
    form: Floats = np.eye(n, dtype=np.float64) - 1 / n
    return form


def _within(m: int) -> Floats:
    """The quadratic form Σ S_i² with S_i² = (x_1 − x̄)² + (x_2 − x̄)² of repetition i."""
    form: Floats = np.asarray(np.kron(np.eye(m), _centred(2)), dtype=np.float64)
    return form


def _between(m: int) -> Floats:
    """The quadratic form Σ (μ̂^(i) − μ̂)²."""
    mean = np.kron(np.eye(m), np.full((1, 2), 0.5))
    form: Floats = mean.T @ _centred(m) @ mean
    return form


def ratio(weights: Floats, form: Floats, covariance: Floats) -> float:
    """Var(w·x)/E(x'Qx) of values with this covariance and one mean (Q has zero row sums)."""
    return float(weights @ covariance @ weights / np.trace(form @ covariance))


def w14_table_5() -> Table:
    """W14's political ratios, from the covariance matrix and the variances as W14 writes them."""
    cells = []
    for rho1, rho2 in POINTS:
        two, ten, six = halves(1, rho1, rho2), halves(5, rho1, rho2), halves(3, rho1, rho2)
        mean2, mean6, first = np.full(2, 0.5), np.full(6, 1 / 6), np.eye(10)[0]
        v1 = _within(3) / 6
        ratios = {
            "K-fold t": (ratio(mean2, _centred(2) / 2, two), (1 + rho1) / (1 - rho1)),
            "5×2 t": (ratio(first, _within(5) / 5, ten), 1 / (1 - rho1)),
            "corrected K-fold t": (ratio(mean2, 3 * _centred(2), two), (1 + rho1) / (1 - rho1) / 3),
            "blocked 3×2, λ = ⅔": (
                ratio(mean6, v1 + 2 / 3 * _between(3) / 2, six),
                (1 + rho1 + 4 * rho2) / (5 - rho1 - 4 * rho2),
            ),
            "blocked 3×2, λ = 4/3": (
                ratio(mean6, v1 + 4 / 3 * _between(3) / 2, six),
                (1 + rho1 + 4 * rho2) / (7 + rho1 - 8 * rho2),
            ),
        }
        cells += [
            _cell(name, f"ρ = ({rho1}, {rho2})", source, ours)
            for name, (ours, source) in ratios.items()
        ]
    note = "Var μ̂/E σ̂² from the covariance matrix, with the variances as the table has them."
    return Table(name="table-5", title="W14 table 5", note=note, cells=cells)


def nb_table_1() -> Table:
    """NB's political ratios; that of the conservative Z has no formula there and none here."""
    J, n1, n2, rho, part = 15, 90, 10, 0.3, 0.4
    values = exchangeable(J, rho)
    losses = exchangeable(n2, 0.2)  # one model's test losses: σ3/σ0 = .2
    mean = np.full(J, 1 / J)
    spread = _centred(J) / (J - 1)
    ratios = {
        "1. t": (
            ratio(np.full(n2, 1 / n2), _centred(n2) / (n2 - 1) / n2, losses),
            (n2 * 0.2 + 0.8) / 0.8,
        ),
        "2. resampled t": (ratio(mean, spread / J, values), 1 + J * rho / (1 - rho)),
        "3. 5×2 t": (ratio(np.eye(10)[0], _within(5) / 5, halves(5, part, rho)), 1 / (1 - part)),
        "6. corrected resampled t": (
            ratio(mean, (1 / J + n2 / n1) * spread, values),
            (1 + J * rho / (1 - rho)) / (1 + J * n2 / n1),
        ),
    }
    # R means of J further values each: their covariances are ρ, as that of any two of the J.
    R = 40
    share = (1 + (J - 1) * rho) / J
    means = np.full((R, R), rho) + (share - rho) * np.eye(R)
    boot = share / float(np.trace(_centred(R) / (R - 1) @ means))
    ratios["5. bootstrap"] = (boot, 1 + J * rho / (1 - rho))
    ratios["7. corrected bootstrap"] = (
        boot / (1 + J * n2 / n1),
        (1 + J * rho / (1 - rho)) / (1 + J * n2 / n1),
    )
    cells = [_cell(name, "Var μ̂/E σ̂²", source, ours) for name, (ours, source) in ratios.items()]
    note = "From covariance matrices: J = 15, n1 = 90, n2 = 10, ρ = .3, σ3/σ0 = .2, σ4/σ1 = .4."
    return Table(name="table-1", title="NB table 1", note=note, cells=cells)


def r19_table_5_1() -> Table:
    """The shares of [0, ½]² where three variance estimates are too large, by their expectations."""
    cells = []
    rho1 = (np.arange(2000) + 0.5) / 4000
    for m in (3, 5, 7, 9):
        source = {"V1": (3 * m - 5) / (4 * (m - 1)), "V2": (4 * m - 5) / (4 * (m - 1)), "V3": 1.0}
        for name, lam2 in (("V1", 0.0), ("V2", (m - 1) / m), ("V3", (m + 1) / m)):

            def bias(rho2: float, m: int = m, lam2: float = lam2) -> Floats:
                mean = components.weighted_variance_mean(m, rho1, rho2, lam1=m / 2, lam2=lam2)
                return np.asarray(mean - gaussian.variance_of_mean(m, rho1, rho2))

            end = bias(0.0) / (bias(0.0) - bias(0.5)) / 2  # linear in ρ2: where it is 0
            share = float(np.clip(end, 0, 0.5).mean() * 2)
            cells.append(_cell(f"m = {m}", name, source[name], round(share, 5)))
    note = "From E V − Var μ̂, which is linear in ρ2."
    return Table(name="5.1", title="R19 table 5.1", note=note, cells=cells)


def r19_table_5_5() -> Table:
    """Expected lengths of 95 % intervals with very many repetitions, σ = 1."""
    cells = []
    m = 100_000
    u = float(stats.norm.isf(0.025))
    for rho1, rho2 in POINTS:
        paired = (
            2
            * sqrt(1 - rho1)
            * float(special.poch(m / 2, 0.5))
            * sqrt(2 / m)
            * -special.stdtrit(m, 0.025)
        )
        combined = paired / sqrt(2 * m)
        ours = (
            float(gaussian.expected_sigma_hat(m, rho1, rho2))
            * -special.stdtrit(2 * m - 1, 0.025)
            * 2
        )
        for name, length, limit in (
            ("98paired", paired, 2 * sqrt(1 - rho1) * u),
            ("13comb", combined, 0.0),
            ("14blocked", ours, 2 * sqrt(1 - rho2) * u),
            ("bmx2", ours * float(gaussian.c_hat(m)), 2 * sqrt(1 - rho2) * u),
        ):
            source = printed(f"{limit:.1f}" if limit == 0 else f"{limit:.2f}")
            cells.append(
                Cell(
                    row=name,
                    column=f"ρ = ({rho1}, {rho2})",
                    source=source,
                    ours=float(length),
                    se=0.0,
                )
            )
    return Table(
        name="5.5", title="R19 table 5.5", note=f"Expected lengths, exact, at m = {m}.", cells=cells
    )


def _errors(n: int, train: Sequence[int]) -> dict[int, Floats]:
    """Of the mean as a predictor: y_i − ȳ_train as weights on y, for every test example."""
    mean = np.zeros(n)
    mean[list(train)] = 1 / len(train)
    return {i: np.eye(n)[i] - mean for i in range(n) if i not in set(train)}


def _covariances(
    first: dict[int, Floats], second: dict[int, Floats]
) -> dict[tuple[int, int], float]:
    return {
        (i, j): round(2 * float(a @ b) ** 2, 12)
        for i, a in first.items()
        for j, b in second.items()
    }


def r19_structure(figure: str, n: int, first: Sequence[int], second: Sequence[int]) -> Table:
    """Figures 2.1 and 3.1: two splits have four covariances of losses."""
    covariances = _covariances(_errors(n, first), _errors(n, second))
    both = set(range(n)) - set(first) - set(second)
    kinds: dict[str, set[float]] = {}
    for (i, j), value in covariances.items():
        kind = "τ"
        if i in both and j in both:
            kind = "σ²" if i == j else "ω"
        elif i not in both and j not in both:
            kind = "γ"
        kinds.setdefault(kind, set()).add(value)
    here = ", ".join(f"{kind} {sorted(values)[0]:.4f}" for kind, values in kinds.items())
    holds = len(kinds) == 4 and all(len(values) == 1 for values in kinds.values())
    says = (
        f"figure {figure}: the losses of two splits have four covariances, by who tests and trains"
    )
    note = f"Squared errors of the mean of normal values, n = {n}; exact."
    return Table(
        name=f"figure-{figure}", title=f"R19 figure {figure}", note=note,
        claims=[Claim(says=says, holds=holds, here=here)],
    )  # fmt: skip


def r19_figure_5_7() -> Table:
    """Two shapes of f, one of g, from the exact covariance of the mean model."""
    shapes = {}
    for n in (12, 200):
        f = normal_mean(n)
        x = np.linspace(0, n / 2, 101)
        y = f.alpha2 * x**2 + f.alpha1 * x + f.alpha0
        g = (y + y[::-1]) / 2
        shapes[n] = (np.diff(y), np.diff(y, 2), g)
    convex = all((bend > 0).all() for _, bend, _ in shapes.values())
    even = all(np.allclose(g, g[::-1]) and g.argmin() == 50 for _, _, g in shapes.values())
    rises = bool((shapes[200][0] > 0).all())
    claims = [
        Claim(says="figure 5.7: g is symmetric and convex, least at n/4", holds=even and convex,
              here="both"),
        Claim(says="figure 5.7: f can rise throughout", holds=rises, here="n = 200"),
        Claim(
            says="figure 5.7: or fall at first and then rise",
            holds=bool(shapes[12][0][0] < 0 < shapes[12][0][-1]), here="n = 12",
        ),
    ]  # fmt: skip
    note = "The mean as predictor of normal values (R19 5.9.4); exact."
    return Table(name="figure-5.7", title="R19 figure 5.7", note=note, claims=claims)


def r19_example_5_1() -> Table:
    """ρ1 and ρ2 of the mean, from the weights themselves."""
    cells = []
    for n in (12, 40, 200):
        quarter = n // 4
        halves_ = (range(n // 2), range(n // 2, n))
        across = [*range(quarter), *range(n // 2, n // 2 + quarter)]

        def cov(a: Sequence[int], b: Sequence[int], n: int = n) -> float:
            return float(np.mean(list(_covariances(_errors(n, a), _errors(n, b)).values())))

        variance = cov(halves_[0], halves_[0])
        rho1, rho2 = (cov(halves_[0], other) / variance for other in (halves_[1], across))
        cells += [
            _cell(f"n = {n}", "ρ1", 8 / (n + 6), rho1),
            _cell(f"n = {n}", "ρ2", (n + 5) / (2 * n + 12), rho2),
        ]
    return Table(name="example-5.1", title="R19 example 5.1", note="Exact.", cells=cells)


def g13_tables() -> Iterator[Table]:
    """Biases of the naive estimators (table 1) and of θ1–θ4 (table 2), from expected parts."""
    K, M = 4, 5
    N = K * M
    rng = np.random.default_rng(13)
    mu, s2, omega = rng.normal(size=K), rng.uniform(1, 2, K), rng.normal(size=K)
    gamma = rng.normal(size=(K, K))
    gamma = (gamma + gamma.T) / 2
    off = ~np.eye(K, dtype=bool)
    e_s, e_o, e_g = s2 + mu**2, omega + mu**2, gamma + np.outer(mu, mu)
    plain = e_s.sum() / (K**2 * M) + (M - 1) / (K**2 * M) * e_o.sum()
    theta = s2.sum() / (K**2 * M) + (M - 1) / (K**2 * M) * omega.sum() + gamma[off].sum() / K**2
    products = np.outer(mu, mu)
    spread = (mu**2).sum() - products[off].sum() / (K - 1)
    biases = {
        "ω_k = 0": (
            plain + e_g[off].sum() / K**2 - e_o[0] - theta,
            -omega[0] + products.sum() / K**2 - mu[0] ** 2,
        ),
        "γ_kl = 0": (
            plain + e_g[off].sum() / K**2 - e_g[0, 1] - theta,
            -gamma[0, 1] + products.sum() / K**2 - mu[0] * mu[1],
        ),
        "all ω_k = 0": (
            e_s.sum() / (K**2 * M)
            + (M - 1 - K * M) / (K**2 * M) * e_o.sum()
            + e_g[off].sum() / K**2
            - theta,
            -omega.sum() / K + (1 - K) / K**2 * spread,
        ),
        "all γ_kl = 0": (
            plain - e_g[off].sum() / (K**2 * (K - 1)) - theta,
            -gamma[off].sum() / (K * (K - 1)) + spread / K**2,
        ),
    }
    cells = [_cell(name, "bias", source, ours) for name, (ours, source) in biases.items()]
    note = "From the expectations of s^σ², s^ω and s^γ at random moments, K = 4, M = 5."
    yield Table(name="table-1", title="G13 table 1", note=note, cells=cells)
    m, v, o, c = 0.7, 1.5, 0.4, -0.2
    example, within, across = v + m**2, o + m**2, c + m**2
    true = v / N + (M - 1) / N * o + (N - M) / N * c
    biases = {
        "θ1": (example / N + (M - 1) / N * within + (N - M) / N * across - true, m**2),
        "θ2": (example / N - (N + 1 - M) / N * within + (N - M) / N * across - true, -o),
        "θ3": (example / N + (M - 1) / N * within - M / N * across - true, -c),
        "θ4": (example / N - within / N - true, -M / N * o - (N - M) / N * c),
    }
    cells = [_cell(name, "bias", source, ours) for name, (ours, source) in biases.items()]
    note = (
        "From the expectations of s1, s2 and s3 at μ = .7, σ² = 1.5, ω = .4, γ = −.2, K = 4, M = 5."
    )
    yield Table(name="table-2", title="G13 table 2", note=note, cells=cells)


def g13_figure_1() -> Table:
    """
    The covariance matrix of errors where sources are left out.

    The mean as predictor of normal values.
    """
    sources = np.repeat(np.arange(3), 4)
    n = len(sources)
    scale = np.sqrt(np.array([1.0, 2.0, 3.0])[sources])
    vectors = [
        (np.eye(n)[i] - (sources != sources[i]) / (sources != sources[i]).sum()) * scale
        for i in range(n)
    ]
    blocks: dict[str, set[float]] = {}
    for i in range(n):
        for j in range(n):
            k, other = sorted((int(sources[i]), int(sources[j])))
            kind = f"ω_{k}" if k == other else f"γ_{k}{other}"
            kind = f"σ²_{k}" if i == j else kind
            blocks.setdefault(kind, set()).add(round(2 * float(vectors[i] @ vectors[j]) ** 2, 12))
    holds = len(blocks) == 9 and all(len(values) == 1 for values in blocks.values())
    says = (
        "figure 1: one variance and one covariance for each source, one covariance for each "
        "pair of sources"
    )
    claim = Claim(says=says, holds=holds, here=f"{len(blocks)} values for three sources")
    note = "Squared errors of the mean of the other sources, normal values; exact."
    return Table(name="figure-1", title="G13 figure 1", note=note, claims=[claim])


R19: tuple[Callable[[], Table], ...] = (
    r19_table_5_1,
    r19_table_5_5,
    lambda: r19_structure("2.1", 14, range(8), [0, 1, 2, 3, 8, 9, 10, 11]),
    lambda: r19_structure("3.1", 12, range(6), [0, 1, 2, 6, 7, 8]),
    r19_figure_5_7,
    r19_example_5_1,
)
