"""
Scores of folds that scikit-learn has computed
==============================================

``cross_validate`` has run already. Its ten scores per algorithm are no ten independent values:
training sets overlap. The splitter says by how much, and the corrected test allows for it.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evenfold as ef

X, y = load_breast_cancer(return_X_y=True)
cv = StratifiedKFold(10, shuffle=True, random_state=0)
algorithms = {
    "bayes": GaussianNB(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
scores = {name: cross_validate(algorithm, X, y, cv=cv) for name, algorithm in algorithms.items()}

# %%
# The dicts as they came, the splitter, and how many examples it cut.

c = ef.judge(scores, cv=cv, n=len(y), measure="accuracy")
print(c)

# %%
# Ten numbers without a word are refused: they could be ten examples.

try:
    ef.judge({name: score["test_score"] for name, score in scores.items()}, measure="accuracy")
except ef.EvenfoldError as reason:
    print(reason)
