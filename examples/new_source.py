"""
Groups: the error on a new source
=================================

Sixteen hospitals measure the same thing, each with its own devices. The model will be used in a
seventeenth. Random folds put examples of every hospital into training *and* test: the model meets
old acquaintances, and the error looks small. Leaving one hospital out at a time asks the question
that matters.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef

rng = np.random.default_rng(1)
hospital = np.repeat(np.arange(16), 40)
# every hospital shifts every measurement in its own way
device = rng.normal(scale=3.0, size=(16, 6))
habit = rng.normal(scale=2.0, size=16)  # and has many or few of the severe cases
y = (rng.normal(size=len(hospital)) + habit[hospital] > 0).astype(int)
X = rng.normal(size=(len(y), 6)) + device[hospital] + y[:, None]

# %%
# With ``groups`` the design is leave-one-source-out, and the interval is about a *new* source: its
# width comes from how much hospitals differ, not from how many patients there are.

logistic = LogisticRegression()
new = ef.compare({"logistic": logistic}, X, y, groups=hospital)
print(new.pairs[0].sentence)

# %%
# Random folds of the same size are too optimistic about it.

folds = ef.compare({"logistic": logistic}, X, y, design=ef.KFold(16, random_state=0))
print(folds.pairs[0].sentence)

# %%
# They mislead comparisons, too. Nearest neighbours recognise the hospital and predict what is usual
# there. That helps in random folds only. (With other draws of these hospitals the second answer is
# often "no decision": sixteen sources are few.)

algorithms = {"logistic": logistic, "3-nn": KNeighborsClassifier(3)}
print(
    "random folds:",
    ef.compare(algorithms, X, y, design=ef.KFold(16, random_state=0), random_state=0).verdict,
)
c = ef.compare(algorithms, X, y, groups=hospital)
print("a new source:", c.verdict)

# %%
# Every dot is a hospital.

figure = c.plot()
