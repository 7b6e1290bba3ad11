"""
Populations of the study: how a data set is drawn, which learners meet on it, and its half.

``half`` was fixed before any result was looked at: formulas are tuned on "tune" and judged on
"judge". What the judges showed led to one more term, so a third set, "exam", was written afterwards
and run once, with the formula fixed before it was drawn. Tables of real data are populations from
which examples are drawn with replacement.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import torch

from papers.sharp import learners

Tensor = Any
SEVEN = ("tree", "tree3", "bayes", "lda", "nn1", "nn7", "bag")
ODD_PAIRS = (
    ("bag", "bag2"),
    ("lda", "fails"),
    ("lda", "logit"),
    ("logit", "logit2"),
    ("lda", "lsq"),
)
CHEAP = ("tree3", "bayes", "lda")


def classifiers(classes: int) -> dict[str, learners.Learner]:
    """The learners by name; the odd ones are for two classes."""
    k = {"classes": classes}
    return {
        "tree": partial(learners.tree, **k),
        "tree3": partial(learners.tree, depth=3, **k),
        "bayes": partial(learners.naive_bayes, **k),
        "lda": partial(learners.lda, **k),
        "nn1": partial(learners.neighbours, k=1, **k),
        "nn7": partial(learners.neighbours, k=7, **k),
        "bag": partial(learners.bagged, seed=11, **k),
        "bag2": partial(learners.bagged, seed=12, **k),
        "fails": learners.failing(partial(learners.lda, **k), rate=0.1, seed=13),
        "logit": learners.logistic,
        "logit2": partial(learners.logistic, C=0.1),
        "lsq": partial(learners.linear, classify=True),
    }


REGRESSORS: dict[str, learners.Learner] = {
    "mean": learners.mean,
    "ols": learners.linear,
    "ridge": partial(learners.linear, ridge=20.0),
    "lasso": partial(learners.lasso, alpha=0.1),
    "lasso2": partial(learners.lasso, alpha=0.12),
    "nn7": partial(learners.neighbours, k=7, classes=0),
}
SOFT: dict[str, learners.Learner] = {
    "soft0": partial(learners.soft_threshold, cut=0.0),
    "soft10": partial(learners.soft_threshold, cut=0.10),
    "soft11": partial(learners.soft_threshold, cut=0.11),
    "soft20": partial(learners.soft_threshold, cut=0.20),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A population at one size.

    Its ``loss`` is zero-one, squared, or as given by the learners themselves.
    """

    name: str
    half: str
    n: int
    draw: Callable[..., tuple[Tensor, Tensor]]
    classes: int = 2
    loss: str = "zero-one"
    names: tuple[str, ...] = SEVEN
    odd: tuple[tuple[str, str], ...] = ODD_PAIRS
    sets: int = 2000
    stratified: bool = False
    full: bool = True  # also folds, for the full training size
    nested: int = 0  # data sets that also get nested cross-validation
    group: int = 1  # examples per group; groups are never cut
    extra: dict[str, Any] = field(default_factory=dict)

    def fits(self) -> dict[str, learners.Learner]:
        known = {"zero-one": classifiers(self.classes), "squared": REGRESSORS, "own": SOFT}[
            self.loss
        ]
        wanted = dict.fromkeys([*self.names, *(x for pair in self.odd for x in pair)])
        return {name: known[name] for name in wanted}

    def pairs(self) -> list[tuple[str, str]]:
        return [*combinations(self.names, 2), *self.odd]


def _normal(g: Any, *shape: int) -> Tensor:
    return torch.randn(shape, generator=g, device=g.device)


def _uniform(g: Any, *shape: int) -> Tensor:
    return torch.rand(shape, generator=g, device=g.device)


def gaussians(
    g: Any, B: int, n: int, *, p: int = 8, shift: float = 0.5, share: float = 0.5
) -> tuple[Tensor, Tensor]:
    """Two unit Gaussians, ``shift`` apart in every coordinate."""
    y = (_uniform(g, B, n) < share).long()
    return _normal(g, B, n, p) + shift * y[..., None], y


def correlated(g: Any, B: int, n: int, *, p: int = 5, scale: float = 1.5) -> tuple[Tensor, Tensor]:
    """Correlation .5^|i−j|, class 1 wider and .6 away in the even coordinates."""
    y = (_uniform(g, B, n) < 0.5).long()
    lag = torch.arange(p, device=g.device)
    root = torch.linalg.cholesky(0.5 ** (lag[:, None] - lag).abs().float())
    x = _normal(g, B, n, p) @ root.T
    away = 0.6 * (lag % 2 == 0).float()
    return torch.where(y[..., None] > 0, scale * x + away, x), y


def xor(g: Any, B: int, n: int, *, p: int = 4, noise: float = 0.1) -> tuple[Tensor, Tensor]:
    """Class by the sign of x1·x2, a tenth of the labels wrong."""
    x = _normal(g, B, n, p)
    y = (x[..., 0] * x[..., 1] > 0) ^ (_uniform(g, B, n) < noise)
    return x, y.long()


def heavy(g: Any, B: int, n: int, *, p: int = 6) -> tuple[Tensor, Tensor]:
    """Student's t with two degrees of freedom in every coordinate, 1 apart in half of them."""
    y = (_uniform(g, B, n) < 0.5).long()
    radius = (-2 * torch.log(_uniform(g, B, n, p).clamp(min=1e-12)) / 2).sqrt()
    x = _normal(g, B, n, p) / radius
    return x + (torch.arange(p, device=g.device) % 2 == 0).float() * y[..., None], y


def sparse(g: Any, B: int, n: int, *, p: int = 20, outliers: float = 0.0) -> tuple[Tensor, Tensor]:
    """Linear regression, a quarter of coefficients .3, noise 1, a share of it ten times as wide."""
    x = _normal(g, B, n, p)
    beta = 0.3 * (torch.arange(p, device=g.device) < p // 4).float()
    noise = _normal(g, B, n) * torch.where(_uniform(g, B, n) < outliers, 10.0, 1.0)
    return x, x @ beta + noise


def cubic(g: Any, B: int, n: int, *, p: int = 4) -> tuple[Tensor, Tensor]:
    """Regression with a curve and noise of Student's t with five degrees of freedom."""
    x = _normal(g, B, n, p)
    chi = (_normal(g, B, n, 5) ** 2).sum(dim=-1) / 5
    return x, x[..., 0] + 0.3 * x[..., 1] ** 2 + _normal(g, B, n) / chi.sqrt()


def means(g: Any, B: int, n: int, *, p: int = 10, at: float = 0.1) -> tuple[Tensor, Tensor]:
    """Z ~ N(θ, I): half of θ is 0, half ``at``, where soft thresholds cut."""
    theta = at * (torch.arange(p, device=g.device) % 2 == 0).float()
    z = _normal(g, B, n, p) + theta
    return z, torch.zeros(z.shape[:2], device=z.device)


def grouped(g: Any, B: int, n: int, *, p: int = 6, size: int = 5) -> tuple[Tensor, Tensor]:
    """Groups of ``size`` that share a class, a place and so much of their fate."""
    y = (_uniform(g, B, n // size) < 0.5).long()
    centre = _normal(g, B, n // size, p) + 0.7 * y[..., None]
    x = centre.repeat_interleave(size, dim=1) + 0.5 * _normal(g, B, n, p)
    return x, y.repeat_interleave(size, dim=1)


def rings(g: Any, B: int, n: int, *, p: int = 3, noise: float = 0.1) -> tuple[Tensor, Tensor]:
    """Class by the distance from the origin, a tenth of the labels wrong."""
    x = _normal(g, B, n, p)
    return x, (((x**2).sum(dim=-1) > 2.4) ^ (_uniform(g, B, n) < noise)).long()


def laplace(g: Any, B: int, n: int, *, p: int = 6) -> tuple[Tensor, Tensor]:
    """Laplace features, a logistic rule on their sum of squares and first coordinate."""
    u = _uniform(g, B, n, p) - 0.5
    x = -u.sign() * torch.log1p(-2 * u.abs().clamp(max=0.4999999))
    score = x[..., 0] + 0.3 * (x[..., 1] ** 2 - 2) + 0.5 * x[..., 2] * x[..., 3]
    return x, (_uniform(g, B, n) < torch.sigmoid(1.5 * score)).long()


def friedman(g: Any, B: int, n: int, *, p: int = 7) -> tuple[Tensor, Tensor]:
    """Friedman's first regression function with unit noise, scaled down."""
    x = _uniform(g, B, n, p)
    y = 10 * torch.sin(torch.pi * x[..., 0] * x[..., 1]) + 20 * (x[..., 2] - 0.5) ** 2
    return x - 0.5, (y + 10 * x[..., 3] + 5 * x[..., 4]) / 5 + _normal(g, B, n)


def table(g: Any, B: int, n: int, *, X: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Rows of a table, with replacement."""
    rows = torch.randint(len(y), (B, n), generator=g, device=g.device)
    return torch.as_tensor(X, device=g.device)[rows], torch.as_tensor(y, device=g.device)[
        rows
    ].long()


def cases(data: dict[str, Any]) -> list[Case]:
    """All populations; ``data`` holds X and y of the real tables by name."""

    def real(name: str, half: str, n: int, **more: Any) -> Case:
        draw = partial(table, X=data[f"{name}.X"], y=data[f"{name}.y"])
        classes = int(data[f"{name}.y"].max()) + 1
        odd = ODD_PAIRS if classes == 2 else (("bag", "bag2"),)
        return Case(name=f"{name}-{n}", half=half, n=n, draw=draw, classes=classes, odd=odd, **more)

    def made(name: str, half: str, n: int, draw: Any, **more: Any) -> Case:
        return Case(name=f"{name}-{n}", half=half, n=n, draw=draw, **more)

    rare12 = partial(gaussians, p=6, shift=0.9, share=0.12)
    rare3 = partial(gaussians, p=5, shift=1.3, share=0.03)
    regression: dict[str, Any] = {"loss": "squared", "names": tuple(REGRESSORS), "odd": ()}
    soft: dict[str, Any] = {"loss": "own", "names": tuple(SOFT), "odd": ()}
    units: dict[str, Any] = {"names": SEVEN[:6], "odd": (), "full": False}
    large: dict[str, Any] = {"names": ("tree", *CHEAP, "nn7"), "odd": ODD_PAIRS[1:], "full": False}
    few: dict[str, Any] = {"names": CHEAP, "odd": ODD_PAIRS[1:]}
    return [
        made("gauss8", "tune", 200, gaussians, nested=500),
        real("letters", "tune", 200),
        made("xor", "tune", 200, xor, nested=500),
        made("soft", "tune", 200, means, **soft),
        made("sparse", "tune", 200, sparse, **regression),
        made("gauss8", "tune", 50, gaussians, stratified=True),
        real("wine", "tune", 200),
        made("rare3", "tune", 400, rare3, stratified=True),
        made("heavy", "tune", 100, heavy),
        made("outliers", "tune", 200, partial(sparse, p=8, outliers=0.05), **regression),
        made("rare12", "tune", 100, rare12, stratified=True),
        made("correlated", "tune", 300, correlated),
        made("gauss8", "tune", 1000, gaussians, **large),
        made("groups", "tune", 200, grouped, group=5, **units),
        made("rare12", "judge", 200, rare12, nested=500),
        real("pages", "judge", 200, stratified=True),
        real("defects", "judge", 200, nested=500),
        made("xor", "judge", 400, xor),
        real("pima", "judge", 200),
        real("waves", "judge", 200),
        made("soft", "judge", 400, partial(means, p=20), **soft),
        made("lasso", "judge", 100, partial(sparse, p=40), **regression),
        made("cubic", "judge", 100, cubic, **regression),
        made("outliers", "judge", 100, partial(sparse, p=5, outliers=0.05), **regression),
        made("correlated", "judge", 30, correlated, stratified=True),
        made("gauss8", "judge", 100, gaussians),
        made("rare3", "judge", 200, rare3, stratified=True),
        made("heavy", "judge", 200, heavy),
        real("wine", "judge", 100),
        real("letters", "judge", 400),
        made("sparse", "judge", 50, partial(sparse, p=6), **regression),
        made("groups", "judge", 400, partial(grouped, size=4), group=4, **units),
        made("xor", "judge", 1000, xor, **large),
        made("correlated", "judge", 1000, correlated, **large),
        made("gauss8", "judge", 5000, gaussians, full=False, **few),
        made("rings", "exam", 200, rings, nested=500),
        made("laplace", "exam", 500, laplace),
        made("gauss20", "exam", 60, partial(gaussians, p=20, shift=0.35), stratified=True),
        made("rare5", "exam", 300, partial(gaussians, p=4, shift=1.2, share=0.05), stratified=True),
        made("quadratic", "exam", 30, partial(correlated, p=3, scale=2.0), stratified=True),
        made("rings", "exam", 100, partial(rings, p=4)),
        made("xor2", "exam", 150, partial(xor, p=2)),
        made("xor6", "exam", 500, partial(xor, p=6), names=SEVEN[:6], odd=ODD_PAIRS[1:],
             full=False),
        real("spam", "exam", 200, nested=500),
        real("vehicle", "exam", 200),
        real("yeast", "exam", 300),
        real("adult", "exam", 200),
        real("pc1", "exam", 200, stratified=True),
        real("digits", "exam", 100),
        made("friedman", "exam", 150, friedman, **regression),
        made("sparse", "exam", 60, partial(sparse, p=10), **regression),
        made("mild", "exam", 200, partial(sparse, p=6, outliers=0.01), **regression),
        made("soft", "exam", 100, partial(means, p=5, at=0.2), **soft),
        made("rings", "exam", 2000, rings, full=False, **few),
        made("groups", "exam", 300, partial(grouped, size=3, p=4), group=3, **units),
    ]  # fmt: skip
