"""
Many algorithms against a baseline
==================================

With more than two algorithms every pair is a question of its own, and the questions share the error
level. Holm's procedure does the sharing. If only one question matters, "what beats what I use
today?", name the baseline: five algorithms then make four questions instead of ten, and each has
more of the level to itself.
"""

from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]
algorithms = {
    "tree": DecisionTreeClassifier(),
    "bayes": GaussianNB(),
    "ridge": RidgeClassifier(),
    "lda": LinearDiscriminantAnalysis(),
    "5-nn": KNeighborsClassifier(),
}
design = ef.Mx2BCV(7, balance="labels", random_state=0)
c = ef.compare(algorithms, X, y, baseline="tree", design=design, random_state=0)
for pair in c.pairs:
    print(pair.sentence, end="\n\n")

# %%
# One row per question. The adjusted p-value is the one to compare with the level; the interval has
# the level that Holm's procedure left for it, so that interval and decision never contradict each
# other.

print(
    c.to_frame()[["challenger", "outcome", "value", "low", "high", "adjusted_pvalue"]].to_string(
        index=False
    )
)

# %%
# With several questions there is no single verdict, and asking for one says so.

try:
    print(c.verdict)
except ef.EvenfoldError as reason:
    print(reason)

# %% Who may be the best? All that no other beats beyond chance. And how good is the winner? The
# interval allows for its having been chosen because it looked best.

print("the best is among", " and ".join(c.best_set))
print(f"{c.winner.name}: {c.winner.value:.3f} ({c.winner.low:.3f} to {c.winner.high:.3f})")

# %% "max-t" lets pairs that hang together on the same splits share the level more generously than
# Holm's first step does, and its intervals hold all together.

together = ef.compare(
    algorithms, X, y, baseline="tree", design=design, adjust="max-t", random_state=0
)
for pair in together.pairs:
    low, high = pair.estimate.confidence_interval()
    print(f"{pair.challenger:6} {low:.3f} to {high:.3f}, p {pair.adjusted_pvalue:.4f}")

# %%
# A forest of intervals: those that do not touch the line at zero are decided. Below, the algorithms
# from best to worst; filled dots may be the best.

figure = together.plot()
