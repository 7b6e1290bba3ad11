"""
How many examples would it take?
================================

A study that decided nothing is a good pilot for the next one. It knows how much the hold-out
differences scatter, and from that follows how large a difference it could have found, and how many
repetitions or examples would find a smaller one.
"""

from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

X, y = load_wine(return_X_y=True)
c = ef.compare({"bayes": GaussianNB(), "lda": LinearDiscriminantAnalysis()}, X, y, random_state=0)
print(c.verdict)

# %%
# Suppose that one percent of error matters. More repetitions cannot find it: they cut the same
# examples again and again, and what they have in common does not average out.

plan = ef.plan(0.01, pilot=c)
print(plan)
figure = plan.plot()

# %%
# What could be found with the examples at hand? The power for several differences.

for difference in (0.01, 0.02, 0.04, 0.08):
    (power,) = ef.plan(difference, pilot=c).power()
    print(f"{difference:.2f}: power {power:.2f}")
