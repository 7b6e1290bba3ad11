"""
Learners that fit thousands of training sets at once, in PyTorch.

Every learner takes data ``X`` (B, n, p), ``y`` (B, n) and the same S splits for all B data sets,
``train`` (S, a) and ``test`` (S, c), and returns its predictions (B, S, c). ``check.py`` compares
with scikit-learn.
"""

import math
from collections.abc import Callable
from typing import Any

import torch

Tensor = Any  # torch has types of its own; where it is not installed they are not known
Learner = Callable[..., Any]

_ELEMENTS = {"cuda": 120_000_000, "cpu": 4_000_000}


def rows_at_once(X: Tensor, per_set: int) -> int:
    """How many data sets fit into one pass, where each takes ``per_set`` elements."""
    return max(1, _ELEMENTS[X.device.type] // max(per_set, 1))


def chunked(fit: Learner) -> Learner:
    """Let a learner see a few data sets at a time."""

    def fitted(X: Tensor, y: Tensor, train: Tensor, test: Tensor, **settings: Any) -> Tensor:
        S, a = train.shape
        step = rows_at_once(X, S * (a + test.shape[1]) * X.shape[2])
        parts = [
            fit(X[i : i + step], y[i : i + step], train, test, **settings)
            for i in range(0, len(X), step)
        ]
        return torch.cat(parts)

    return fitted


# Trees ------------------------------------------------------------------------------------------


@chunked
def tree(
    X: Tensor,
    y: Tensor,
    train: Tensor,
    test: Tensor,
    *,
    classes: int = 2,
    depth: int = 64,
    bootstrap: Any = None,
) -> Tensor:
    """
    Fit CART with Gini and exact midpoints, until leaves are pure or at ``depth``.

    ``bootstrap`` is a generator that resamples the training sets.
    """
    B, _, p = X.shape
    S, a = train.shape
    c = test.shape[1]
    x_test = X[:, test].reshape(B * S, c, p)
    x, label = X[:, train].reshape(B * S, a, p), y[:, train].reshape(B * S, a)
    if bootstrap is not None:
        drawn = torch.randint(a, (B * S, a), generator=bootstrap, device=X.device)
        x, label = x.gather(1, drawn[..., None].expand(-1, -1, p)), label.gather(1, drawn)
    return _grow(x.transpose(1, 2).contiguous(), label, x_test, classes, depth).reshape(B, S, c)


def _grow(x: Tensor, label: Tensor, x_test: Tensor, classes: int, depth: int) -> Tensor:
    """
    Grow all trees a level at a time.

    A node is named by where its examples start in all orders.
    """
    trees, _, a = x.shape
    dev = x.device
    result = torch.zeros((trees, x_test.shape[1]), dtype=torch.int64, device=dev)
    alive = torch.arange(trees, device=dev)
    order = x.argsort(dim=2)
    start = torch.zeros((trees, a), dtype=torch.int64, device=dev)  # of the node at each place
    node, node_test = torch.zeros_like(start), torch.zeros_like(result)
    for _ in range(depth):
        split, feature, threshold, left = _best(x, label, order, start, classes)
        growing = split.any(dim=1)
        if not bool(growing.all()) and float(growing.float().mean()) < 0.7:
            done = ~growing
            result[alive[done]] = _leaves(label[done], node[done], node_test[done], classes)
            if not bool(growing.any()):
                return result
            state = (
                alive,
                x,
                label,
                x_test,
                order,
                start,
                node,
                node_test,
                split,
                feature,
                threshold,
                left,
            )
            (
                alive,
                x,
                label,
                x_test,
                order,
                start,
                node,
                node_test,
                split,
                feature,
                threshold,
                left,
            ) = (s[growing] for s in state)
        value = x.gather(1, feature.gather(1, node)[:, None]).squeeze(1)
        right = split.gather(1, node) & (value > threshold.gather(1, node))
        value = x_test.gather(2, feature.gather(1, node_test)[..., None]).squeeze(2)
        right_test = split.gather(1, node_test) & (value > threshold.gather(1, node_test))
        size_left = left.gather(1, start)
        order = _partition(order, right, start, size_left)
        place = torch.arange(a, device=dev)
        beyond = split.gather(1, start) & (place - start >= size_left)
        start = start + torch.where(beyond, size_left, 0)
        node = node + torch.where(right, left.gather(1, node), 0)
        node_test = node_test + torch.where(right_test, left.gather(1, node_test), 0)
    result[alive] = _leaves(label, node, node_test, classes)
    return result


def _best(
    x: Tensor, label: Tensor, order: Tensor, start: Tensor, classes: int
) -> tuple[Tensor, ...]:
    """Best split of every node: whether there is one, feature, threshold and left size."""
    trees, p, a = x.shape
    dev = x.device
    xs, ys = x.gather(2, order), label[:, None].expand(-1, p, -1).gather(2, order)
    place = torch.arange(a, device=dev)
    size = torch.zeros_like(start).scatter_add_(1, start, torch.ones_like(start))  # by node
    n_left = (place - start + 1).float()[:, None]
    n_right = size.gather(1, start).float()[:, None] - n_left
    from_, score, pure = (
        start[:, None].expand(-1, p, -1),
        0.0,
        torch.zeros_like(start, dtype=torch.bool),
    )
    for k in range(classes):
        hit = (ys == k).float()
        total = hit.cumsum(2)
        inside = total - (total - hit).gather(2, from_)
        of_node = torch.zeros((trees, a), device=dev).scatter_add_(1, start, hit[:, 0])
        whole = of_node.gather(1, start)
        pure = pure | (whole == n_left[:, 0] + n_right[:, 0])
        score = score + inside**2 / n_left + (whole[:, None] - inside) ** 2 / n_right.clamp(min=1)
        del hit, total, inside
    valid = torch.zeros_like(score, dtype=torch.bool)
    valid[..., :-1] = (xs[..., 1:] > xs[..., :-1] + 1e-7) & (
        start[:, None, 1:] == start[:, None, :-1]
    )
    score = torch.where(valid & ~pure[:, None], score, -math.inf)
    value, feature = score.max(dim=1)
    best = torch.full((trees, a), -math.inf, device=dev).scatter_reduce_(1, start, value, "amax")
    is_best = (value == best.gather(1, start)) & (value > -math.inf)
    at = torch.full((trees, a), a - 1, device=dev)
    at.scatter_reduce_(1, start, torch.where(is_best, place, a - 1), "amin")
    split = best > -math.inf
    feature = feature.gather(1, at)
    low, high = (_of_feature(xs, feature, q) for q in (at, (at + 1).clamp(max=a - 1)))
    threshold = torch.where((low + high) / 2 >= high, low, (low + high) / 2)
    return split, feature, threshold, torch.where(split, at - place + 1, 0)


def _of_feature(xs: Tensor, feature: Tensor, at: Tensor) -> Tensor:
    trees, p, a = xs.shape
    return xs.reshape(trees, p * a).gather(1, feature * a + at)


def _partition(order: Tensor, right: Tensor, start: Tensor, size_left: Tensor) -> Tensor:
    """Left examples first in every node, in every feature's order, else as they were."""
    p, a = order.shape[1:]
    goes = right[:, None].expand(-1, p, -1).gather(2, order)
    before = goes.long().cumsum(2) - goes.long()
    from_ = start[:, None].expand(-1, p, -1)
    before = before - before.gather(2, from_)  # to the right, in the node, before this place
    inside = torch.arange(a, device=order.device) - from_
    place = from_ + torch.where(goes, size_left[:, None] + before, inside - before)
    return torch.empty_like(order).scatter_(2, place, order)


def _leaves(label: Tensor, node: Tensor, node_test: Tensor, classes: int) -> Tensor:
    votes = [
        torch.zeros_like(node).scatter_add_(1, node, (label == k).long()) for k in range(classes)
    ]
    return torch.stack(votes).argmax(dim=0).gather(1, node_test)


def bagged(
    X: Tensor,
    y: Tensor,
    train: Tensor,
    test: Tensor,
    *,
    classes: int = 2,
    trees: int = 9,
    seed: int = 0,
) -> Tensor:
    """Majority of trees on bootstrap samples."""
    generator = torch.Generator(device=X.device).manual_seed(seed)
    votes: Any = 0
    for _ in range(trees):
        predicted = tree(X, y, train, test, classes=classes, bootstrap=generator)
        votes = votes + torch.nn.functional.one_hot(predicted, classes).to(torch.int8)
    return votes.argmax(dim=-1)


# Neighbours -------------------------------------------------------------------------------------


def neighbours(
    X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, k: int = 1, classes: int = 2
) -> Tensor:
    """K nearest neighbours, Euclidean; classes = 0: the mean of their targets."""
    n = X.shape[1]
    step = rows_at_once(X, 3 * n * n)
    votes = []
    for i in range(0, len(X), step):
        x, target = X[i : i + step], y[i : i + step]
        distance = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")
        nearest = distance.argsort(dim=2, stable=True)
        del distance
        votes.append(_votes(nearest, target, train, test, k, classes))
    return torch.cat(votes)


def _votes(
    nearest: Tensor, target: Tensor, train: Tensor, test: Tensor, k: int, classes: int
) -> Tensor:
    n = nearest.shape[1]
    answers = []
    for s in range(len(train)):
        of = nearest[:, test[s]]
        member = torch.zeros(n, dtype=torch.bool, device=of.device)
        member[train[s]] = True
        taken = member[of]
        taken &= taken.to(torch.int16).cumsum(2) <= k
        values = target[:, None].expand(-1, of.shape[1], -1).gather(2, of)
        if classes == 0:
            answers.append((values * taken).sum(2) / k)
        else:
            votes = torch.stack([((values == c) & taken).sum(2) for c in range(classes)])
            answers.append(votes.argmax(dim=0))
    return torch.stack(answers, dim=1)


# Linear and Gaussian ----------------------------------------------------------------------------


@chunked
def naive_bayes(X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, classes: int = 2) -> Tensor:
    """Gaussian naive Bayes."""
    x, label, z = X[:, train].double(), y[:, train], X[:, test].double()
    smoothing = 1e-9 * x.var(dim=2, correction=0).amax(dim=-1)[..., None]
    scores = []
    for k in range(classes):
        w = (label == k).double()[..., None]
        count = w.sum(dim=2)
        mean = (w * x).sum(dim=2) / count.clamp(min=1)
        var = (w * (x - mean[:, :, None]) ** 2).sum(dim=2) / count.clamp(min=1) + smoothing
        gauss = ((z - mean[:, :, None]) ** 2 / var[:, :, None] + var[:, :, None].log()).sum(dim=-1)
        scores.append(count.log() - gauss / 2)
    return torch.stack(scores).argmax(dim=0)


@chunked
def lda(X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, classes: int = 2) -> Tensor:
    """Linear discriminants with the pooled covariance."""
    x, label, z = X[:, train].double(), y[:, train], X[:, test].double()
    a, p = x.shape[2:]
    means, counts, centred = [], [], x
    for k in range(classes):
        w = (label == k).double()[..., None]
        count = w.sum(dim=2)
        mean = (w * x).sum(dim=2) / count.clamp(min=1)
        centred = centred - w * mean[:, :, None]
        means.append(mean)
        counts.append(count)
    pooled = centred.transpose(2, 3) @ centred / (a - classes)
    pooled = pooled + 1e-9 * torch.eye(p, device=x.device, dtype=x.dtype) * pooled.diagonal(
        dim1=2, dim2=3
    ).mean(dim=-1)[..., None, None].clamp(min=1e-6)
    scores = []
    for mean, count in zip(means, counts, strict=True):
        direction = torch.linalg.solve(pooled, mean[..., None])
        offset = count[..., 0].log() - (mean[..., None] * direction).sum(dim=(2, 3)) / 2
        scores.append((z @ direction)[..., 0] + offset[..., None])
    return torch.stack(scores).argmax(dim=0)


def _with_one(x: Tensor) -> Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)


@chunked
def logistic(
    X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, C: float = 1.0, steps: int = 12
) -> Tensor:
    """Two classes, penalty ‖w‖²/(2C) without the intercept, Newton steps."""
    x, label = _with_one(X[:, train].double()), y[:, train].double()
    p = x.shape[-1]
    penalty = torch.ones(p, device=x.device, dtype=x.dtype) / C
    penalty[-1] = 1e-8
    w = torch.zeros((*x.shape[:2], p, 1), device=x.device, dtype=x.dtype)
    for _ in range(steps):
        prob = torch.sigmoid(x @ w)
        gradient = x.transpose(2, 3) @ (prob - label[..., None]) + penalty[:, None] * w
        hessian = x.transpose(2, 3) @ (prob * (1 - prob) * x) + torch.diag(penalty)
        w = w - torch.linalg.solve(hessian, gradient)
    return ((_with_one(X[:, test].double()) @ w)[..., 0] > 0).long()


@chunked
def linear(
    X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, ridge: float = 0.0, classify: bool = False
) -> Tensor:
    """Least squares with an intercept, ``ridge``·‖w‖² added; classify: above ½ or not."""
    x, target = X[:, train].double(), y[:, train].double()
    centre, level = x.mean(dim=2, keepdim=True), target.mean(dim=2, keepdim=True)
    x, target = x - centre, target - level
    p = x.shape[-1]
    gram = x.transpose(2, 3) @ x + (ridge + 1e-9) * torch.eye(p, device=x.device, dtype=x.dtype)
    w = torch.linalg.solve(gram, x.transpose(2, 3) @ target[..., None])
    predicted = ((X[:, test].double() - centre) @ w)[..., 0] + level
    return (predicted > 0.5).long() if classify else predicted


@chunked
def lasso(
    X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, alpha: float = 0.1, sweeps: int = 60
) -> Tensor:
    """Coordinate descent on ‖y − Xw‖²/(2a) + alpha·|w|₁, with an intercept."""
    x, target = X[:, train].double(), y[:, train].double()
    a, p = x.shape[2:]
    centre, level = x.mean(dim=2, keepdim=True), target.mean(dim=2, keepdim=True)
    x, target = x - centre, target - level
    gram, moment = x.transpose(2, 3) @ x / a, (x.transpose(2, 3) @ target[..., None])[..., 0] / a
    w = torch.zeros_like(moment)
    for _ in range(sweeps):
        for j in range(p):
            rest = moment[..., j] - (gram[..., j, :] * w).sum(dim=-1) + gram[..., j, j] * w[..., j]
            w[..., j] = rest.sign() * (rest.abs() - alpha).clamp(min=0) / gram[..., j, j]
    return ((X[:, test].double() - centre) @ w[..., None])[..., 0] + level


def mean(X: Tensor, y: Tensor, train: Tensor, test: Tensor) -> Tensor:
    """The mean of the training targets."""
    del X
    return y[:, train].double().mean(dim=2, keepdim=True).expand(-1, -1, test.shape[1])


@chunked
def soft_threshold(
    X: Tensor, y: Tensor, train: Tensor, test: Tensor, *, cut: float = 0.1
) -> Tensor:
    """
    Return the loss ‖z − θ̂‖²/p of the soft-thresholded mean vector; ``y`` is not used.

    This is a loss, not a prediction.
    """
    del y
    centre = X[:, train].double().mean(dim=2)
    centre = centre.sign() * (centre.abs() - cut).clamp(min=0)
    return ((X[:, test].double() - centre[:, :, None]) ** 2).mean(dim=-1)


def failing(base: Learner, *, rate: float, seed: int) -> Learner:
    """The learner ``base``, whose models now and then say the rarer class (1) of everything."""

    def fitted(X: Tensor, y: Tensor, train: Tensor, test: Tensor, **settings: Any) -> Tensor:
        predicted = base(X, y, train, test, **settings)
        generator = torch.Generator(device=X.device).manual_seed(seed)
        fails = torch.rand(predicted.shape[:2], generator=generator, device=X.device) < rate
        return torch.where(fails[..., None], torch.ones_like(predicted), predicted)

    return fitted
