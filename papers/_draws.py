"""Cross-validate many data sets drawn from the reviews, and look at the losses as G13 do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import evenfold as ef
from evenfold.core.rng import stream
from evenfold.infer.theory.blocks import variance_parts
from papers._reviews import Floats, Reviews, fold_errors, out_of_source, presence

SEED = 2013
DESIGNS = ("sources", "folds")
Draw = Callable[[np.random.Generator], Reviews]
Blocks = list[Floats]  # one array (data sets, M_k) per source or fold


@dataclass(frozen=True, eq=False, kw_only=True)
class Errors:
    """
    Losses of naive Bayes on many data sets.

    The losses are those by source, those by random folds, and the first less those on presence.
    """

    sources: Blocks
    folds: Blocks
    difference: Blocks  # presence − counts, by source


def errors(
    draw: Draw, replications: int, name: str, *, folds: bool = False, pair: bool = False
) -> Errors:
    """
    Draw data sets and cross-validate each.

    Random folds and the second algorithm are run only if they are asked for.
    """
    rows: list[list[Blocks]] = [[], [], []]
    for r in range(replications):
        rng = stream(SEED, name, r)
        data = draw(rng)
        losses = fold_errors(data, data.source, data.K)
        rows[0].append(_parts(losses, data.source, data.K))
        if folds:
            mixed = rng.permutation(data.source)
            rows[1].append(_parts(fold_errors(data, mixed, data.K), mixed, data.K))
        if pair:
            other = fold_errors(presence(data), data.source, data.K)
            rows[2].append(_parts(other - losses, data.source, data.K))
    sources, random, difference = (
        [np.stack(block) for block in zip(*kind, strict=True)] for kind in rows
    )
    return Errors(sources=sources, folds=random, difference=difference)


def _parts(values: Floats, folds: NDArray[Any], K: int) -> Blocks:
    return [values[folds == k] for k in range(K)]


@dataclass(frozen=True, eq=False, kw_only=True)
class Biases:
    """
    Estimates by source and by random folds, and the true error on a left-out domain.

    Each is an array (draws, data sets).
    """

    sources: Floats
    folds: Floats
    truth: Floats

    def gap(self, design: str) -> tuple[float, float]:
        """Mean of μ̂ − truth, and its standard error over draws of domains."""
        gap = (getattr(self, design) - self.truth).mean(axis=1)
        return float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(len(gap)))

    def spread(self, design: str) -> float:
        """Standard deviation of μ̂ within a draw of domains."""
        return float(np.sqrt(getattr(self, design).var(axis=1, ddof=1).mean()))


def out_of_source_errors(
    reviews: Reviews, K: int, M: int, draws: int, repeats: int, *, again: bool = False
) -> Biases:
    """Draw K training domains and one test domain, then data sets of them (G13 section 6.1)."""
    means = np.empty((3, draws, repeats))
    for d in range(draws):
        rng = stream(SEED, "domains", K, d)
        order = rng.permutation(reviews.K)[: K + 1].tolist()
        chosen, new = reviews.only(order[:K]), reviews.only(order[K:])
        for r in range(repeats):
            data = chosen.sample([M] * K, rng, again=again)
            mixed = rng.permutation(data.source)
            means[0, d, r] = _mean_of_means(fold_errors(data, data.source, K), data.source, K)
            means[1, d, r] = _mean_of_means(fold_errors(data, mixed, K), mixed, K)
            means[2, d, r] = out_of_source(data, new)
    return Biases(sources=means[0], folds=means[1], truth=means[2])


def _mean_of_means(values: Floats, folds: NDArray[Any], K: int) -> float:
    return float(np.mean([block.mean() for block in _parts(values, folds, K)]))


@dataclass(frozen=True, eq=False, kw_only=True)
class Components:
    """Σσ_k², Σω_k and Σγ_kl as they enter Var μ̂ (G13 eq. 7), and the spread of ω_k and γ_kl."""

    sigma: float
    omega: float
    gamma: float
    omega_spread: float
    gamma_spread: float

    @property
    def total(self) -> float:
        """Var μ̂."""
        return self.sigma + self.omega + self.gamma


def components(blocks: Blocks) -> Components:
    """Estimate the three parts of Var μ̂ from many data sets of equal sources."""
    parts = variance_parts(blocks)
    sigma, within, between = parts.shares
    return Components(
        sigma=sigma,
        omega=within,
        gamma=between,
        omega_spread=float(parts.omega.std(ddof=1)),
        gamma_spread=float(parts.gamma[~np.isnan(parts.gamma)].std(ddof=1)),
    )


def with_error(
    function: Callable[[Blocks], Floats], blocks: Blocks, batches: int = 20
) -> tuple[Floats, Floats]:
    """Return a statistic of all data sets, and its standard error by leaving out batches."""
    R = blocks[0].shape[0]
    part = np.arange(R) % batches
    without = np.array([function([block[part != b] for block in blocks]) for b in range(batches)])
    spread = np.sqrt((batches - 1) / batches * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    return function(blocks), spread


INTERVALS = ("θA with z", "sources-these-t", "sources-new-t", "sources-new-corrected-t")


def intervals(blocks: Blocks) -> Iterator[tuple[Floats, Floats]]:
    """Yield the limits of the 95 % intervals named in INTERVALS."""
    centre = np.mean([block.mean(axis=1) for block in blocks], axis=0)
    reach = stats.norm.ppf(0.975) * np.sqrt(ef.infer.sources_theta_a(blocks).value)
    yield centre - reach, centre + reach
    yield ef.infer.sources_these_t(blocks).confidence_interval()
    yield ef.infer.sources_new_t(blocks).confidence_interval()
    yield ef.infer.sources_new_corrected_t(blocks).confidence_interval()


def coverage(blocks: Blocks, truth: float) -> list[tuple[float, float]]:
    """Return how often each interval holds the truth, and its mean width."""
    return [
        (float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low)))
        for low, high in intervals(blocks)
    ]
