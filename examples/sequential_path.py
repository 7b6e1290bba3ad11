"""
Watching the sequential test
============================

The default looks after 5, 7, 9, 15, 23 and 31 repetitions. It stops when another random partition
of the same data would give the same verdict with a probability of at least 80%.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

X, y = load_breast_cancer(return_X_y=True)
logistic = make_pipeline(StandardScaler(), LogisticRegression())
c = ef.compare({"tree": DecisionTreeClassifier(), "logistic": logistic}, X, y, random_state=0)
print(c.verdict)

# %%
# The path: estimate and interval after each look, up to the one at which the verdict is stable.

for look in c.facts.pairs[0].path:
    print(f"m = {look.m}: {look.value:+.4f}  [{look.low:+.4f}, {look.high:+.4f}]")

# %% A test by hand, one repetition at a time, as a program would use it that runs its own fits and
# knows nothing of single examples: ``mx2-sequential-t``, whose boundary is calibrated for a look
# after every repetition.

design = ef.Mx2BCV(9, balance="labels", random_state=0)
whole = ef.compare(
    {"tree": DecisionTreeClassifier(), "logistic": logistic}, X, y, design=design, random_state=0
)
differences = whole.losses.differences().reshape(-1, 2)
test = ef.infer.SequentialTest(M=9, level=0.05)
for first, second in differences:
    test = test.feed(first, second)
    print(test.decision)
    if test.stopped:
        break

# %%
# Other boundaries are there for comparison. ``per-look`` forgets that it looks many times and stops
# earlier; its overall error is about .1.

for boundary in ("calibrated", "per-look"):
    test = ef.infer.SequentialTest(M=9, level=0.05, boundary=boundary)
    for first, second in differences:
        if not test.stopped:
            test = test.feed(first, second)
    print(f"{boundary:10}  stops after {int(test.estimate.stopped_at)} repetitions")

# %%
figure = c.plot()
