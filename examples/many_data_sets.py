"""
Is it better in general? Many data sets
=======================================

A result on one data set is about that kind of data. For a claim in general take several data sets;
each counts once, however many folds were run on it.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

data_sets = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
}
X, y = load_digits(return_X_y=True)
for a, b in [(1, 7), (1, 8), (2, 3), (3, 8), (3, 9), (5, 9), (8, 9)]:
    rows = np.flatnonzero((y == a) | (y == b))[:200]
    data_sets[f"{a} or {b}"] = X[rows][:, ::3], y[rows]

algorithms = {
    "tree": DecisionTreeClassifier(),
    "bayes": GaussianNB(),
    "lda": LinearDiscriminantAnalysis(),
    "5-nn": KNeighborsClassifier(),
}
a = ef.across(algorithms, data_sets, design=ef.Mx2BCV(3), random_state=0)
print(a)

# %%
# The critical-difference diagram: mean ranks, and bars over algorithms that are tied.

figure = a.plot()

# %%
# Ranks say who, not by how much. The mean difference over data sets uses each data set's own
# standard error; "predicted" is what a new data set would measure, and it is much wider than
# the interval of the mean: data sets differ.

print(a.summary.round(3).to_string(index=False))

# %% Two algorithms, and a margin of one percent: how probable is it that one is better, as good,
# worse?

two = {name: algorithms[name] for name in ("tree", "lda")}
a = ef.across(two, data_sets, design=ef.Mx2BCV(3), margin=0.01, random_state=0)
pair = a.pairs[0]
print(pair.sentence)
print(f"P(lda better) {pair.better:.2f}, P(as good) {pair.same:.2f}, P(worse) {pair.worse:.2f}")
figure = a.plot()

# %%
# Folds of one data set are no data sets: they share examples, and a test that takes them for
# independent finds differences that are not there. They are refused.

try:
    ef.infer.friedman(a.comparisons["iris"].losses)
except ef.NotApplicable as reason:
    print(reason)
