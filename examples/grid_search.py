"""
A design inside GridSearchCV
============================

Every design is a scikit-learn cross-validator. So the search for hyper-parameters can use even
halvings, too, and a search is an estimator like any other: compare it as a whole. The search then
happens inside every training set, and no test example has a say in it.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:300, :10], y[:300]
tree = DecisionTreeClassifier(random_state=0)

# %%
# As ``cv=`` of scikit-learn: scores come repetition by repetition, first half then second.

cv = ef.Mx2BCV(3, balance="labels", random_state=0)
print(cross_val_score(tree, X, y, cv=cv).reshape(3, 2).round(3))

# %%
# Inside a search, and the search inside a comparison. Does it pay to tune the depth of a tree?

search = GridSearchCV(tree, {"max_depth": [1, 2, 3, None]}, cv=cv)
c = ef.compare({"full tree": tree, "tuned tree": search}, X, y, random_state=0)
print(c.verdict)

# %%
# The search on all data, once the question is answered:

print(search.fit(X, y).best_params_)

# %% After nine repetitions another partition of the data would hardly change the verdict: the
# interval holds zero. The cost of a search is certain, its gain is not.

figure = c.plot()
