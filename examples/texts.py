"""
Texts and sparse features
=========================

``X`` may be a sparse matrix or simply a list of texts. With a list the vectoriser belongs into the
pipeline: it is then fitted on the training half only, as it will be in use.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import evenfold as ef

# %%
# Made-up reviews of two kinds: each draws its words from its own mixture of 300 words.

rng = np.random.default_rng(0)
words = np.array([f"word{i}" for i in range(300)])
common = rng.dirichlet(np.full(300, 0.3))
mixtures = [rng.dirichlet(np.full(300, 0.3)) for _ in range(2)]
y = rng.integers(2, size=300)
texts = [
    " ".join(rng.choice(words, size=25, p=0.6 * common + 0.4 * mixtures[label])) for label in y
]
labels = np.where(y == 1, "praise", "complaint")

# %%
# Texts in, verdict out.

algorithms = {
    "logistic": make_pipeline(TfidfVectorizer(), LogisticRegression()),
    "bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
}
c = ef.compare(algorithms, texts, labels, random_state=0)
print(c.verdict)

# %%
# A sparse matrix stays sparse. With equal class frequencies the two halves also share their
# vocabulary more evenly when the design is told the word counts: ``features`` are counts of levels
# in every example.

counts = CountVectorizer().fit_transform(texts)
topics = np.array([[np.isin(text.split(), words[:150]).sum(), 25] for text in texts])
topics[:, 1] -= topics[:, 0]
design = ef.Mx2BCV(7, balance=("labels", "features"), random_state=0)
bayes, smooth = MultinomialNB(), MultinomialNB(alpha=10.0)
c = ef.compare(
    {"alpha=1": bayes, "alpha=10": smooth},
    counts,
    labels,
    design=design,
    features=topics,
    margin=0.05,
    random_state=0,
)
print(c.verdict)
print(type(counts).__name__, counts.shape)

figure = c.plot()
