"""
F1 of a rare class
==================

One example in ten is positive. An error rate of 10% is then worth nothing, and precision, recall
and F1 of the rare class are asked for. They are ratios of counts, so evenfold does not average them
over splits: it adds up true positives, false positives and false negatives over seven halvings,
reads off the single examples how much the score would move with other data, and computes posterior
distributions.
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

X, y = make_classification(800, 12, n_informative=5, weights=[0.9], class_sep=1.0, random_state=3)
algorithms = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
c = ef.compare(algorithms, X, y, measure="f1", method="influence-f1", positive=1, random_state=0)
print(c.verdict)

# %%
# The posterior answers every question, not only the one of the verdict. How probable is a gain of
# more than 0.05?

print(f"P(gain > 0)    = {c.estimate.probability():.3f}")
print(f"P(gain > 0.05) = {c.estimate.probability(0.05):.3f}")

# %%
# The published posterior of the same counts is surer, and wrong to be: it does not know that
# another training set would give another model. It says so itself.

published = ef.compare(
    algorithms, X, y, measure="f1", positive=1, method="bayes-f1", random_state=0
)
print(published.verdict)
for note in published.facts.notes:
    print(note)

# %%
# Precision, from the same fits if there is a store.

print(ef.compare(algorithms, X, y, measure="precision", positive=1, random_state=0).verdict)

# %%
# Both posteriors: the curves of two scores, each with its credible interval.

figure = c.plot()
