"""
A margin, and "just as good"
============================

"Not significantly different" does not mean "the same": it may only mean "too few data". To be able
to say *just as good*, say first which difference would matter. Then an interval that lies between
−margin and margin is an answer: equivalent.
"""

from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge

import evenfold as ef

X, y = load_diabetes(return_X_y=True)
penalty = {"ols": LinearRegression(), "ridge": Ridge(0.01)}

# %%
# Without a margin the answer is that there is no answer, and how large a difference had to be to be
# found.

c = ef.compare(penalty, X, y, measure="absolute", random_state=0)
print(c.verdict)

# %%
# A doctor would not care about 2 points of a disease score that runs from 25 to 346. Now the same
# data do give an answer: whichever of the two is ahead, it is ahead by less than anybody cares for.

c = ef.compare(penalty, X, y, measure="absolute", margin=2.0, random_state=0)
print(c.verdict)

# %%
# The margin works both ways. "Better" now means better by more than the margin.

design = ef.Mx2BCV(7, balance="counts", random_state=0)
for margin in (0.0, 10.0, 20.0):
    c = ef.compare(
        {"mean": DummyRegressor(), "ridge": Ridge(0.1)},
        X,
        y,
        measure="absolute",
        margin=margin,
        design=design,
        random_state=0,
    )
    print(f"margin {margin:4.1f}: {c.verdict.outcome.value}")

# %%
# Choose the margin before you look at the data. A margin that was chosen afterwards can be made to
# say anything.

low, high = c.estimate.confidence_interval()
print(f"the difference of mean absolute errors is {low:.1f} to {high:.1f}")

figure = c.plot()
