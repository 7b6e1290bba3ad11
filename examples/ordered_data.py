"""
Forecasts: data that come in an order
=====================================

Days are not interchangeable: a model that has seen Wednesday knows something of Tuesday. So models
are tested on later times than they were trained on, and differences that are alike from day to day
are not taken for independent ones. First forecasters of whom we know that they are equally good,
then a real series.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import cbook
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

import evenfold as ef

# %% **A known answer.** Two forecasters look four days ahead. Each sees one of two halves of what
# makes the outcome: they are equally good, and never the same. Their errors are sums of the
# surprises of four days, so that neighbouring days are alike. A thousand such series of 200 days,
# each tested at .05:

series = ef.lab.population("forecasters", horizon=4).draw_path(200, 1000, np.random.default_rng(0))
by_t = ef.infer.paired_t(series).pvalue < 0.05
by_path = ef.infer.diebold_mariano(series, horizon=4).pvalue < 0.05
wrong = f"ordinary t {by_t.mean():.3f}, diebold-mariano {by_path.mean():.3f}"
print(f"equal forecasters called different: {wrong}")

# %% **A real series**: how many shares of Google were traded on each day from 2004 to 2008, on a
# logarithmic scale. What is known the evening before: the volume of the day, the mean of the week,
# of the month.

prices = cbook.get_sample_data("goog.npz")["price_data"]
volume = pd.Series(np.log10(prices["volume"]), index=pd.DatetimeIndex(prices["date"]))
known = {"day": volume, "week": volume.rolling(5).mean(), "month": volume.rolling(22).mean()}
X = pd.DataFrame(known).shift(1).iloc[22:]
y = volume.iloc[22:]

# %% With ``order`` models are trained on the past and tested on what came after. The verdict is
# about these forecasts along this path. Which design that was is said. Each window gives one value
# of the difference, for the days of one window share a model.

models = {"15 like it": KNeighborsRegressor(15), "line": LinearRegression()}
c = ef.compare(models, X, y, order=X.index, measure="squared", random_state=0)
print(c)

# %%
# The difference from window to window, in the order of time:

c.plot()
plt.show()

# %% With windows of one length the question may be about the *methods* when they learn from the
# latest 250 days, whatever the days:

rolling = ef.design.RollingWindow(250, 20)
c = ef.compare(models, X, y, design=rolling, method="giacomini-white", random_state=0)
print(c.verdict)

# %%
# Without ``order`` the days are shuffled, and the answer says that this is another question.

c = ef.compare(models, X, y, measure="squared", random_state=0)
print(c.verdict, *c.facts.notes, sep="\n")
