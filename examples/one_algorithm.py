"""
How good is one algorithm?
==========================

Give one algorithm, and the answer is an interval for its own error. It is about models trained on
half of the data; with all of the data the model will usually be better than that.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

X, y = load_breast_cancer(return_X_y=True)
c = ef.compare({"bayes": GaussianNB()}, X, y, random_state=0)
print(c.pairs[0].sentence)

# %%
# Larger training sets need another design. ``BRLT`` takes any training size and keeps the overlaps
# of its training sets even.

for size in (0.5, 0.7, 0.9):
    design = ef.BRLT(15, size, balance="labels", random_state=0)
    print(
        ef.compare({"bayes": GaussianNB()}, X, y, design=design, random_state=0).pairs[0].sentence
    )

# %%
# The hold-out values themselves are in ``losses``, algorithm by split.

print(c.losses.values.reshape(-1, 2).round(3))
figure = c.plot()
