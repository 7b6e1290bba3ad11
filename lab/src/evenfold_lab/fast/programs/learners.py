"""
Programs for a GPU that fit one model each, in many short steps.

Symbols are those of ``svm``, ``penalized`` and ``networks``.
"""
# mypy: disable-error-code="misc,no-untyped-def,untyped-decorator,no-untyped-call"
# Triton compiles these functions from its own language, to which Python's types do not apply.

import triton
import triton.language as tl


@triton.jit
def svm(K, sign, beta_out, start_out, settings, a, most, BLOCK: tl.constexpr):
    """
    Solve the dual of one support vector machine, a pair at a time.

    ``settings`` are C, tol and flat.
    """
    C = tl.load(settings)
    tol = tl.load(settings + 1)
    flat = tl.load(settings + 2)
    model = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < a
    rows = K + model * a * a
    y = tl.load(sign + model * a + at, mask=inside, other=0.0)
    low = tl.where(y < 0, -C, 0.0)
    high = tl.where(y > 0, C, 0.0)
    diagonal = tl.load(rows + at * (a + 1), mask=inside, other=0.0)
    beta = tl.zeros_like(y)
    f = y
    gap = tl.max(tl.abs(y), axis=0) + 2 * tol
    step = 0
    while (gap > tol) & (step < most):
        up = tl.where(beta < high, f, float("-inf"))
        down = tl.where(beta > low, f, float("inf"))
        i = tl.argmax(up, axis=0)
        top = tl.max(up, axis=0)
        gap = top - tl.min(down, axis=0)
        row = tl.load(rows + i * a + at, mask=inside, other=0.0)
        curve_i = tl.sum(tl.where(at == i, diagonal, 0.0), axis=0)
        curve = tl.maximum(curve_i + diagonal - 2 * row, flat)
        ahead = tl.where(beta > low, top - f, -1.0)
        gain = tl.where(ahead > 0, ahead * ahead / curve, -1.0)
        j = tl.argmax(gain, axis=0)
        other = tl.load(rows + j * a + at, mask=inside, other=0.0)
        room_i = tl.sum(tl.where(at == i, high - beta, 0.0), axis=0)
        room_j = tl.sum(tl.where(at == j, beta - low, 0.0), axis=0)
        move = tl.sum(tl.where(at == j, ahead / curve, 0.0), axis=0)
        move = tl.minimum(tl.minimum(move, room_i), room_j)
        move = tl.where(gap > tol, move, 0.0)
        f -= move * (row - other)
        # A step to a bound must land on it: rounding would keep the example in play for ever.
        beta = tl.where(at == i, tl.where(move == room_i, high, beta + move), beta)
        beta = tl.where(at == j, tl.where(move == room_j, low, beta - move), beta)
        step += 1
    free = (beta < high) & (beta > low)
    count = tl.sum(tl.where(free, 1.0, 0.0), axis=0)
    mean = tl.sum(tl.where(free, f, 0.0), axis=0) / tl.maximum(count, 1.0)
    highest = tl.max(tl.where(beta < high, f, float("-inf")), axis=0)
    lowest = tl.min(tl.where(beta > low, f, float("inf")), axis=0)
    start = tl.where(count > 0, mean, (highest + lowest) / 2)
    tl.store(beta_out + model * a + at, beta, mask=inside)
    tl.store(start_out + model, start)


@triton.jit
def lasso(gram, moment, slopes, settings, p, most, BLOCK: tl.constexpr):
    """Fit the lasso, moving the farthest coordinate first; ``settings`` are α and tol."""
    alpha = tl.load(settings)
    tol = tl.load(settings + 1)
    model = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < p
    rows = gram + model * p * p
    rest = tl.load(moment + model * p + at, mask=inside, other=0.0)
    curve = tl.load(rows + at * (p + 1), mask=inside, other=0.0)
    safe = tl.where(curve > 0, curve, 1.0)
    w = tl.zeros_like(rest)
    far = tl.max(tl.abs(rest), axis=0) + 1.0
    step = 0
    while (far > tol * tl.max(tl.abs(w), axis=0)) & (step < most):
        pull = rest + curve * w
        size = tl.maximum(tl.abs(pull) - alpha, 0.0) / safe
        new = tl.where(curve > 0, tl.where(pull > 0, size, -size), 0.0)
        away = tl.abs(new - w)
        j = tl.argmax(away, axis=0)
        far = tl.max(away, axis=0)
        moved = tl.sum(tl.where(at == j, new - w, 0.0), axis=0)
        rest -= moved * tl.load(rows + j * p + at, mask=inside, other=0.0)
        w = tl.where(at == j, new, w)
        step += 1
    tl.store(slopes + model * p + at, w, mask=inside)


@triton.jit
def perceptron(
    rows, sign, trains, counts, slopes, starts, settings, J, n, p, epochs, patience,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Train the perceptron of one training set, example by example; ``settings`` is tol."""
    tol = tl.load(settings)
    model = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < p
    rows = rows + model * n * p
    trains = trains + model * n
    sign = sign + (model // J) * n
    least = tol * tl.load(counts + model)
    w = tl.load(rows + at, mask=inside, other=0.0) * 0.0
    start = tol * 0.0
    best = tol * 0.0 + float("inf")
    waited = 0
    epoch = 0
    while (waited < patience) & (epoch < epochs):
        total = tol * 0.0
        for i in range(n):
            row = tl.load(rows + (i * p + at), mask=inside, other=0.0)
            side = tl.load(sign + i)
            margin = side * (tl.sum(w * row, axis=0) + start)
            step = tl.where(margin <= 0, tl.load(trains + i), 0.0)
            total -= step * margin
            w += step * side * row
            start += step * side
        waited = tl.where(total > best - least, waited + 1, 0)
        best = tl.minimum(best, total)
        epoch += 1
    tl.store(slopes + model * p + at, w, mask=inside)
    tl.store(starts + model, start)
