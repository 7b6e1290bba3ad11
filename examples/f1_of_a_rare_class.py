"""
F1 of a rare class
==================

One example in ten is positive. An error rate of 10 % is then worth nothing, and precision, recall
and F1 of the rare class are asked for. They are ratios of counts, so evenfold does not average them
over splits: it adds up true positives, false positives and false negatives over three halvings,
discounts them because the same examples were tested three times, and computes posterior
distributions.
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

X, y = make_classification(800, 12, n_informative=5, weights=[0.9], class_sep=1.0, random_state=3)
algorithms = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
c = ef.compare(algorithms, X, y, measure="f1", positive=1, random_state=0)
print(c.verdict)

# %%
# The posterior answers every question, not only the one of the verdict. How probable is a gain of
# more than 0.05?

print(f"P(gain > 0)    = {c.estimate.probability():.3f}")
print(f"P(gain > 0.05) = {c.estimate.probability(0.05):.3f}")

# %%
# The method says itself how far to trust it: its intervals for recall and F1 are too short when
# labels are random, because the counts do not know that another training set would give another
# model. Read a probability of 0.95 as "likely".

for note in c.facts.notes:
    print(note)

# %%
# Precision does not have this problem.

print(ef.compare(algorithms, X, y, measure="precision", positive=1, random_state=0).verdict)

# %%
# Both posteriors: the curves of two scores, each with its credible interval.

figure = c.plot()
