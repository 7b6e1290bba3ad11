"""
Many algorithms against a baseline
==================================

With more than two algorithms every pair is a question of its own, and the questions share the error
level: each pair is tested at one smaller level (max-t). If only one question matters, "what beats
what I use today?", name the baseline: five algorithms then make four questions instead of ten, and
each has more of the level to itself.
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
# One row per question. The adjusted p-value is the one to compare with the level; the intervals
# hold all together, and an interval excludes zero exactly where its adjusted p-value is at most the
# level.

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

# %% Who may be the best? That needs all pairs, so no baseline is named. The set holds every
# algorithm that no other beats beyond chance. The winner's interval is its own; it was not chosen
# beforehand, so its value is somewhat optimistic.

together = ef.compare(algorithms, X, y, design=design, random_state=0)
print("the best is among", " and ".join(together.best_set))
winner = together.winner
print(f"{winner.name}: {winner.value:.3f} ({winner.low:.3f} to {winner.high:.3f})")

# %%
# A forest of intervals: those that do not touch the line at zero are decided. Below, the algorithms
# from best to worst; filled dots may be the best.

figure = together.plot()
