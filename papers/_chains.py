"""
Many linear-chain CRFs at once, on any array library.

One corpus, each model has its training sentences.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold_lab.arrays import Array, Place, namespace

Ints = NDArray[np.int64]
RATE, C2 = 0.1, 0.1  # of Adam, falling to 0 in a line; penalty on squared weights


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """
    Sentences by position, so that all of them take a step at once.

    Attributes
    ----------
    features, turned : sparse matrices, shapes (tokens, F) and (F, tokens)
        Which features each token has; of scipy or of PyTorch.
    tags : int array, shape (T, S)
        Tags by position and sentence, −1 beyond the end; sentences are sorted, the longest first.
    alive : list of int
        How many sentences have a token at each position; they are the first ones.
    tag_count : int
        C, the number of tags.
    """

    features: Any
    turned: Any
    tags: Array
    alive: list[int]
    tag_count: int


def corpus(place: Place, features: Any, tags: Ints, tag_count: int) -> Corpus:
    """Put a corpus in a place; tokens come position by position, the longest sentence first."""
    alive = np.count_nonzero(tags >= 0, axis=1).tolist()
    turned = features.T.tocsr()
    if not place.is_host:
        features, turned = (_sparse(place, matrix) for matrix in (features, turned))
    return Corpus(
        features=features, turned=turned, tags=place.put(tags), alive=alive, tag_count=tag_count
    )


def _sparse(place: Place, matrix: Any) -> Any:
    import torch

    parts = (torch.as_tensor(x.astype(np.int64)) for x in (matrix.indptr, matrix.indices))
    values = torch.as_tensor(matrix.data.astype(np.float32))
    return torch.sparse_csr_tensor(*parts, values, size=matrix.shape).to(place.device)


@dataclass(frozen=True, eq=False, kw_only=True)
class Weights:
    """Weights of features (F, C, B) and of transitions (C, C, B) of B models."""

    emit: Array
    move: Array


def fit(corpus: Corpus, trains: Array, steps: int) -> Weights:
    """
    Maximise the penalised likelihood of each model by Adam.

    Parameters
    ----------
    corpus : Corpus
        The sentences.
    trains : float array, shape (S, B)
        1 for the sentences that train a model.
    steps : int
        Steps, each on the whole training set.
    """
    xp = namespace(trains)
    F, C, B = corpus.features.shape[1], corpus.tag_count, trains.shape[1]
    weights = [xp.zeros((F, C * B), dtype=trains.dtype, device=trains.device)]
    weights += [xp.zeros((C, C, B), dtype=trains.dtype, device=trains.device)]
    first, second = [xp.zeros_like(w) for w in weights], [xp.zeros_like(w) for w in weights]
    for t in range(1, steps + 1):
        slopes = _slopes(corpus, trains, *weights)
        rate = RATE * (1 - (t - 1) / steps) * (1 - 0.999**t) ** 0.5 / (1 - 0.9**t)
        for i, slope in enumerate(slopes):
            first[i] = 0.9 * first[i] + 0.1 * slope
            second[i] = 0.999 * second[i] + 0.001 * slope * slope
            weights[i] = weights[i] - rate * first[i] / (xp.sqrt(second[i]) + 1e-8)
    return Weights(emit=weights[0], move=weights[1])


def _slopes(corpus: Corpus, trains: Array, emit: Array, move: Array) -> tuple[Array, Array]:
    """Derivatives of the penalised negative log-likelihood, by the forward-backward algorithm."""
    xp = namespace(trains)
    C, B = corpus.tag_count, trains.shape[1]
    scores, alive = _scores(corpus, emit, B), corpus.alive
    power, step = [xp.exp(s - xp.max(s, axis=1, keepdims=True)) for s in scores], xp.exp(move)
    ahead = [power[0] / xp.sum(power[0], axis=1, keepdims=True)]
    for t in range(1, len(power)):
        now = _through(ahead[-1][: alive[t]], step) * power[t]
        ahead.append(now / xp.sum(now, axis=1, keepdims=True))
    behind = xp.ones_like(ahead[-1])
    off: list[Array] = [None] * len(power)
    pairs = xp.zeros_like(move)
    for t in range(len(power) - 1, -1, -1):
        if t + 1 < len(power):
            inside = power[t + 1] * behind
            pairs = pairs + _pairs(corpus, trains, ahead[t][: alive[t + 1]], inside, step, t)
            back = _back(inside, step)
            back = back / xp.sum(back, axis=1, keepdims=True)
            behind = xp.concat([back, xp.ones_like(ahead[t][alive[t + 1] :])], axis=0)
        likely = ahead[t] * behind
        off[t] = trains[: alive[t], None, :] * (
            likely / xp.sum(likely, axis=1, keepdims=True) - _hot(corpus, t, trains)
        )
    slope = corpus.turned @ xp.reshape(xp.concat(off, axis=0), (-1, C * B))
    return slope + 2 * C2 * emit, pairs + 2 * C2 * move


def _scores(corpus: Corpus, emit: Array, B: int) -> list[Array]:
    """Scores of tags by position, (sentences alive, C, B)."""
    xp = namespace(emit)
    flat = corpus.features @ emit
    ends = np.cumsum(corpus.alive)
    return [
        xp.reshape(flat[end - count : end, :], (count, corpus.tag_count, B))
        for end, count in zip(ends.tolist(), corpus.alive, strict=True)
    ]


def _hot(corpus: Corpus, t: int, like: Array) -> Array:
    xp = namespace(like)
    tags = corpus.tags[t, : corpus.alive[t]]
    kinds = xp.arange(corpus.tag_count, dtype=tags.dtype, device=like.device)
    return xp.astype(tags[:, None] == kinds, like.dtype)[..., None]


def _through(now: Array, step: Array) -> Array:
    """Sum over the tag before: Σ_i now[s, i, b]·step[i, j, b]."""
    xp = namespace(now)
    return xp.sum(now[:, :, None, :] * step[None], axis=1)


def _back(inside: Array, step: Array) -> Array:
    xp = namespace(inside)
    return xp.sum(inside[:, None, :, :] * step[None], axis=2)


def _pairs(
    corpus: Corpus, trains: Array, before: Array, inside: Array, step: Array, t: int
) -> Array:
    """Expected less observed transitions from position t to t + 1, (C, C, B)."""
    xp = namespace(before)
    each = before[:, :, None, :] * step[None] * inside[:, None, :, :]
    each = each / xp.sum(each, axis=(1, 2), keepdims=True)
    first, second = _hot(corpus, t, trains)[: len(inside)], _hot(corpus, t + 1, trains)
    return xp.sum(
        trains[: len(inside), None, None, :] * (each - first[:, :, None] * second[:, None]), axis=0
    )


def decode(corpus: Corpus, weights: Weights) -> list[Array]:
    """The likeliest tags (Viterbi) by position, (sentences alive, B) each."""
    xp = namespace(weights.move)
    B = weights.move.shape[-1]
    scores, alive = _scores(corpus, weights.emit, B), corpus.alive
    best, came = scores[0], []
    for t in range(1, len(scores)):
        each = best[: alive[t], :, None, :] + weights.move[None]
        came.append(xp.argmax(each, axis=1))
        best = xp.concat([xp.max(each, axis=1) + scores[t], best[alive[t] :]], axis=0)
    last = xp.argmax(best, axis=1)  # of every sentence, at its own end
    kinds = xp.arange(corpus.tag_count, dtype=last.dtype, device=last.device)[None, :, None]
    tags = [last[: alive[-1]]]
    for t in range(len(scores) - 2, -1, -1):
        before = xp.sum(came[t] * xp.astype(kinds == tags[0][:, None, :], came[t].dtype), axis=1)
        tags.insert(0, xp.concat([before, last[alive[t + 1] : alive[t]]], axis=0))
    return tags


def chunk_counts(
    truth: list[Array],
    predicted: list[Array],
    tests: Array,
    starts: tuple[int, ...],
    goes_on: int,
    closes: int,
) -> Array:
    """
    TP, FP and FN of each model on its test sentences, (3, B).

    Parameters
    ----------
    truth, predicted : lists of int arrays, shapes (alive, 1) and (alive, B)
        Tags by position.
    tests : float array, shape (S, B)
        1 for the sentences that test a model.
    starts : tuple of int
        Tags that open a chunk; the last of them, if there are two, is a chunk of its own (S).
    goes_on, closes : int
        The tag inside a chunk, and the one at its end (the same where a chunk ends by itself, as in
        IOB2).
    """
    xp = namespace(tests)
    total = [xp.zeros_like(tests[0]) for _ in range(3)]
    ends_true, ends_found = (_ends(tags, starts, goes_on, closes) for tags in (truth, predicted))
    for a, b in zip(ends_true, ends_found, strict=True):
        weight = tests[: len(b)]
        both, real, claimed = (a >= 0) & (a == b), a >= 0, b >= 0
        for i, which in enumerate((both, claimed & ~both, real & ~both)):
            total[i] = total[i] + xp.sum(weight * xp.astype(which, weight.dtype), axis=0)
    return xp.stack(total)


def _ends(tags: list[Array], starts: tuple[int, ...], goes_on: int, closes: int) -> list[Array]:
    """Where the chunk that starts at a position ends, −1 where none starts or it is broken off."""
    xp = namespace(tags[0])
    alone = (
        goes_on == closes
    )  # a chunk of one token needs no tag of its own, and ends where it stops going on
    ends: list[Array] = []
    rest = xp.full_like(tags[-1], -1)
    for t in range(len(tags) - 1, -1, -1):
        now = tags[t]
        rest = xp.concat([rest, xp.full_like(now[len(rest) :], -1)], axis=0)
        opened = xp.where((rest < 0) & alone, xp.full_like(now, t), rest)
        end = xp.where(now == starts[0], opened, xp.full_like(now, -1))
        if len(starts) > 1:
            end = xp.where(now == starts[1], xp.full_like(now, t), end)
        ends.insert(0, end)
        inside = opened if alone else rest
        rest = xp.where(now == goes_on, inside, xp.full_like(now, -1))
        if not alone:
            rest = xp.where(now == closes, xp.full_like(now, t), rest)
    return ends
