"""
Several sources: a new one, or these?
=====================================

Reviews of twelve kinds of products. "Small" praises a phone and damns a pizza: every kind of
product has words that mean something only there. Naive Bayes or a support vector machine? There are
two questions in this one, and they have two answers: how will they do on a kind of product *not
seen yet*, and how do they do on *these twelve*?
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import evenfold as ef

rng = np.random.default_rng(4)
words = np.array([f"w{i}" for i in range(300)])
everywhere = rng.normal(scale=0.5, size=300)  # how much a word praises, wherever it is used
texts, liked, kind = [], [], []
for k in range(12):
    here = (everywhere + rng.normal(scale=0.7, size=300)) * rng.uniform(
        0.5, 1.5
    )  # and how much it praises here
    common = rng.normal(scale=1.0, size=300)
    for _ in range(100):
        good = rng.integers(2)
        p = np.exp(common + (good - 0.5) * here)
        texts.append(" ".join(rng.choice(words, 12, p=p / p.sum())))
        liked.append(good)
        kind.append(f"kind {k + 1}")

algorithms = {
    "naive Bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
    "svm": make_pipeline(CountVectorizer(), LinearSVC(C=0.03)),
}

# %%
# Random folds are refused: with ``groups`` given, a design that tears them apart is a mistake.

try:
    ef.compare(algorithms, texts, liked, groups=kind, design=ef.KFold(12, random_state=0))
except ef.EvenfoldError as mistake:
    print(mistake)

# %%
# **A new kind of product.** One kind is left out at a time. Kinds differ, and twelve are few: the
# interval is as wide as their spread makes it, however many reviews each of them has.

new = ef.compare(algorithms, texts, liked, groups=kind, random_state=0)
print(new)

# %%
# **These twelve.** The same fits, the same difference, another question: only other *reviews* are
# imagined, not other products.

these = ef.compare(algorithms, texts, liked, groups=kind, method="sources-these-t", random_state=0)
print(these)

# %% Which of the two intervals is the wider one? For the *error* of one algorithm it is the first:
# some kinds are simply harder than others. For a *difference* both algorithms meet the same hard
# kinds, which cancels, and the second, whose variance is doubled to allow for shared training sets,
# may be the wider.

for method in ("sources-new-t", "sources-these-t"):
    alone = ef.compare(
        {"naive Bayes": algorithms["naive Bayes"]},
        texts,
        liked,
        groups=kind,
        method=method,
        random_state=0,
    )
    print(alone.pairs[0].sentence)

# %% How optimistic are folds that ignore the sources? Ask for them by name, as a contrast, and the
# answer says what it is not.

folds = ef.compare(
    algorithms,
    texts,
    liked,
    groups=kind,
    design=ef.design.SourceSizedKFold(random_state=0),
    random_state=0,
)
for name, left_out, mixed in zip(
    algorithms, new.losses.values.mean(axis=1), folds.losses.values.mean(axis=1), strict=True
):
    print(f"{name}: error {left_out:.3f} on a kind left out, {mixed:.3f} in random folds")
print(folds.facts.notes[-1])

# %%
# Every dot is a kind of product.

figure = new.plot()
