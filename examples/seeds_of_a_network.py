"""
Seeds of a network: these seeds, or the learning procedure?
===========================================================

Five seeds of each of two learning procedures. With one score per seed the answer is about new seeds
on this very test set. With the values of the test examples it is about the learning procedure on
new examples.
"""

import numpy as np

import evenfold as ef

rng = np.random.default_rng(3)
seeds, n = 5, 600
hard = rng.normal(size=n)
right = {
    recipe: skill + 0.15 * rng.normal(size=(seeds, 1)) - hard + rng.normal(size=(seeds, n)) > 0
    for recipe, skill in (("plain", 0.5), ("warm-up", 0.7))
}

# %%
# One accuracy per seed, and nothing else.

scores = {recipe: values.mean(axis=1) for recipe, values in right.items()}
print(ef.judge(scores, rows="runs", measure="accuracy").verdict)

# %%
# Right and wrong of every example, runs × examples.

c = ef.judge(right, measure="accuracy")
print(c.verdict)
print(c.facts.estimand)
