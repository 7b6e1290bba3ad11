"""
Software defects: rank the modules, find the defective ones
===========================================================

Code metrics of four hundred modules, and the defects found in them later. Two questions come up in
every project: in which *order* should modules be inspected, and *which* of them are defective? The
first is about counts, whose distribution has a long tail; the second about a rare class. Both have
a way to go wrong before any statistics begins.
"""

import numpy as np
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, PoissonRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import evenfold as ef

rng = np.random.default_rng(1)
n = 400
size = rng.lognormal(4, 1, n)  # what all metrics measure in their own way
branching = rng.normal(size=n)  # what some of them know besides
metrics = np.column_stack(
    [
        size**p * np.exp(s * branching + 0.3 * rng.normal(size=n))
        for p in (0.5, 0.8, 1.0)
        for s in (0, 0.3)
    ]
)
expected = 0.01 * size * np.exp(0.3 * branching)
defects = rng.negative_binomial(1.0, 1 / (1 + expected))
print(
    f"{defects.sum()} defects in {np.sum(defects > 0)} of {n} modules, {defects.max()} in the worst"
)

# %% **Order.** The fault-percentile average asks how much of all defects the modules with the
# highest predictions hold. A random halving may put the two worst modules into one half; with a
# numeric measure evenfold deals modules to the halves by their counts, so the halves are alike.
# Does the first principal component, "size", matter?


def without_first(scores):
    """Leave out the first component."""
    return scores[:, 1:]


def model(*steps):
    """Principal components of logarithms, then a regression for counts."""
    return make_pipeline(
        FunctionTransformer(np.log), StandardScaler(), PCA(4), *steps, PoissonRegressor(alpha=1e-3)
    )


algorithms = {
    "all components": model(),
    "without the first": model(FunctionTransformer(without_first)),
}
ranking = ef.compare(algorithms, metrics, defects, measure="fpa", random_state=0)
print(ranking)

# %% **Which.** Modules with two defects or more are rare, so models are often trained on equally
# many of both kinds. The sample must be drawn from each *training* set. ``UnderSampled`` does that:
# it draws when it is fitted, and test sets keep the rare class as rare as it is.

faulty = (defects >= 2).astype(int)
plain = {
    "logistic": make_pipeline(FunctionTransformer(np.log), StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(50),
}
drawn = {name: ef.run.UnderSampled(algorithm) for name, algorithm in plain.items()}
inside = ef.compare(drawn, metrics, faulty, measure="f1", random_state=0)
print(f"{faulty.mean():.0%} of the modules are faulty")
print(inside.verdict)

# %% Drawn *before* the split, the test sets are half faulty as well. Nothing looks wrong, every
# number is higher, and none of them is about the modules of this project: precision, and with it
# F1, depends on how rare the class is. evenfold cannot know where equal classes come from, but it
# asks.

rare, common = np.flatnonzero(faulty), np.flatnonzero(faulty == 0)
even = np.concatenate([rare, rng.choice(common, len(rare), replace=False)])
before = ef.compare(plain, metrics[even], faulty[even], measure="f1", random_state=0)
for name, value in (("inside the folds", inside), ("before the split", before)):
    means = value.losses.values.mean(axis=1)
    print(
        f"drawn {name}: "
        + ", ".join(f"F1 of {a} {m:.2f}" for a, m in zip(plain, means, strict=True))
    )
print(before.facts.notes[-1])

# %%
# The picture of the first question: every dot is a half of the modules.

figure = ranking.plot()
