"""
Is B better than A?
===================

Two estimators, one data set, one call. The answer is a sentence that you can quote: which one is
better, by how much, how sure, for training sets of which size, and what it cost.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import evenfold as ef

X, y = load_breast_cancer(return_X_y=True)
algorithms = {"lda": LinearDiscriminantAnalysis(), "svm": make_pipeline(StandardScaler(), SVC())}

# %%
# The first algorithm is the baseline A, the second the challenger B. Halvings of the data are
# added, from three to at most nine, until the difference is clear.

c = ef.compare(algorithms, X, y, random_state=0)
print(c)

# %%
# Everything in that text is also a value.

low, high = c.estimate.confidence_interval()
print(c.verdict.outcome.value, f"{c.estimate.value:.3f} [{low:.3f}, {high:.3f}]", c.fits, "fits")

# %%
# Differences are always B − A in the units of the measure. An error that falls is a negative
# difference.

figure = c.plot()

# %%
# ``c.to_html("report.html")`` writes the same as one self-contained page; ``to_markdown``,
# ``to_latex``, ``to_frame`` and ``to_json`` write tables.

print(c.to_markdown())
