"""
Regression and squared error
============================

With regressors the measure is the squared error and halves are balanced on the target: both halves
of every repetition get their share of small and of large values.
"""

from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import evenfold as ef

X, y = load_diabetes(return_X_y=True)
algorithms = {"tree": DecisionTreeRegressor(min_samples_leaf=5), "ridge": Ridge(0.1)}
c = ef.compare(algorithms, X, y, random_state=0)
print(c.verdict)

# %%
# Another loss is one word away. ``absolute`` is in the units of the target, which people find
# easier to read.

absolute = ef.compare(algorithms, X, y, measure="absolute", random_state=0)
print(absolute.verdict)

# %%
# Any function of truth and prediction serves as well; :func:`evenfold.run.measure` says which
# direction is better. Here: by which share of the true value is a prediction off?


def relative(y_true, y_pred):
    """Relative error of every example."""
    return abs(y_pred - y_true) / y_true


measure = ef.run.measure(relative, name="relative error", higher_is_better=False)
shares = ef.compare(algorithms, X, y, measure=measure, random_state=0)
print(shares.verdict)

# %%
# Each dot is a half of the data, tested by a model that was trained on the other half.

figure = c.plot()
