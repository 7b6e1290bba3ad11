"""
Nothing is fitted twice
=======================

With a store every finished fit is kept. A study that was killed goes on where it stopped, a further
algorithm costs only its own fits, and another measure costs none.
"""

import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

X, y = load_wine(return_X_y=True)
folder = tempfile.TemporaryDirectory()
store = Path(folder.name) / "runs.db"
studies = {}

# %%
# A first study: seven halvings, two algorithms, 28 fits.

design = ef.Mx2BCV(7, balance="labels", random_state=0)
two = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}
c = ef.compare(two, X, y, design=design, random_state=0, store=store)
studies["first study"] = c
print(c.fits, "fits,", c.reused, "reused")

# %%
# The same again runs nothing. Fits are found by content: data, estimator, parameters, split and
# seed.

c = ef.compare(two, X, y, design=design, random_state=0, store=store)
studies["again"] = c
print(c.fits, "fits,", c.reused, "reused")

# %%
# A third algorithm: only its 14 fits are run.

three = {**two, "5-nn": KNeighborsClassifier()}
c = ef.compare(three, X, y, design=design, random_state=0, store=store)
studies["one more algorithm"] = c
print(c.fits, "fits,", c.reused, "reused")

# %%
# Another measure of the same predictions costs no fit at all.

c = ef.compare(two, X, y, design=design, measure="f1", positive=0, random_state=0, store=store)
studies["another measure"] = c
print(c.fits, "fits,", c.reused, "reused")

# %%
# More repetitions continue the design; the first seven stay as they are.

longer = ef.Mx2BCV(9, balance="labels", random_state=0)
c = ef.compare(two, X, y, design=longer, random_state=0, store=store)
studies["two more repetitions"] = c
print(c.fits, "fits,", c.reused, "reused")
folder.cleanup()

# %%
# What each study cost, and what it found in the store.

figure = Figure(figsize=(6.4, 2.6), layout="constrained")
axis = figure.subplots()
names, fits = list(studies), [c.fits for c in studies.values()]
axis.barh(names, fits, color="#b2452f", label="fits")
axis.barh(names, [c.reused for c in studies.values()], left=fits, color="#c9d3dd", label="reused")
axis.invert_yaxis()
axis.legend()
