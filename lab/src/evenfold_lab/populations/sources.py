"""Data that come from several sources with different distributions (G13)."""

from dataclasses import replace

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.registry import Count, NotNegative
from evenfold_lab import estimators
from evenfold_lab.populations._base import Population, Sample, population_facts


@population_facts(
    "hierarchical-sources",
    "data from sources that differ, naive Bayes",
    "G13 3",
    measure="zero-one",
    learners=(estimators.naive_bayes,),
    further=(estimators.linear_svm,),
)
class HierarchicalSources(Population):
    """
    K sources drawn from a population of sources, then examples from each; zero-one loss (G13 3, 6).

    A source has an offset o ~ N(0, ``offset``²·I) and a difference of its classes δ ~
    N(``distance``/√p·1, ``spread``²·I); Y is a fair coin and X|Y ~ N(o + (Y − ½)·δ, I). Every data
    set has new sources, of equal size up to one, in the order of ``groups``.

    The truth is the error on new sources of an algorithm trained on n_train examples of ``sources``
    sources. A design that leaves one of K sources out trains on K − 1 sources; its truth is that of
    :meth:`without_one_source` at n·(K − 1)/K.

    G13 uses ten product domains of reviews, 1000 positive and 1000 negative each, and naive Bayes
    (a linear SVM agrees): 200 draws of domains × 100 pairs of data sets for bias and spread as
    functions of the number K of sources and M of examples per source (figures 2, 3); 1000 data sets
    from all ten domains for the parts of the variance and its estimators (figures 4–6). Random
    folds (CVR) are optimistic there.
    """

    sources: Count = 10
    p: Count = 5
    distance: NotNegative = 2.0
    spread: NotNegative = 0.5
    offset: NotNegative = 0.5

    def draw(self, n: int, replications: int, rng: np.random.Generator) -> Sample:
        """Draw ``replications`` data sets of ``n`` examples from fresh sources each."""
        integer("n", n, low=self.sources, remedy=f"There are {self.sources} sources.")
        group = np.arange(n) * self.sources // n
        each = (replications, self.sources, self.p)
        offset = self.offset * rng.standard_normal(each)
        delta = self.distance / np.sqrt(self.p) + self.spread * rng.standard_normal(each)
        y = rng.integers(0, 2, size=(replications, n)).astype(float)
        noise = rng.standard_normal((replications, n, self.p))
        X = offset[:, group] + (y[..., None] - 0.5) * delta[:, group] + noise
        return Sample(X, y, np.tile(group, (replications, 1)))

    def without_one_source(self) -> "HierarchicalSources":
        """Return the population with one source fewer."""
        return replace(self, sources=self.sources - 1)
