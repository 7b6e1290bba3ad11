"""
A leaderboard with ties
=======================

Seven models on 500 examples. A rank is an estimate too: each has an interval, all of which hold
together, and models that are tied share a letter.
"""

import numpy as np

import evenfold as ef

rng = np.random.default_rng(5)
n = 500
hard = rng.normal(size=n)
skills = {"ada": 1.0, "bell": 0.95, "cray": 0.6, "dag": 0.58, "eve": 0.55, "fox": 0.2, "hal": -0.4}
table = {name: skill - hard + 0.5 * rng.normal(size=n) > 0 for name, skill in skills.items()}

c = ef.judge(table, rows="examples", measure="accuracy")
print("may be the best:", ", ".join(c.best_set))
for entry in c.ranking:
    ranks = f"ranks {entry.first} to {entry.last}"
    print(f"{entry.rank:2d}  {entry.name:5} {entry.value:.3f}  {ranks}  {entry.ties}")
