"""
Two files of predictions, and which examples changed
====================================================

A submission in the style of a competition: one file per model with an id, the truth and the
prediction. Files are joined by their ids, whatever the order of rows, and every measure is computed
from them.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import evenfold as ef

rng = np.random.default_rng(1)
n = 900
truth = rng.random(n) < 0.3
folder = Path(tempfile.mkdtemp())
files = {}
for name, noise in (("main", 0.9), ("branch", 0.75)):
    score = truth + noise * rng.normal(size=n)
    rows = pd.DataFrame({"id": np.arange(n), "truth": truth, "prediction": score > 0.5})
    files[name] = folder / f"{name}.csv"
    rows.sample(frac=1, random_state=len(name)).to_csv(files[name], index=False)

# %%
# One file per algorithm; ``columns`` says that ``id`` is the example.

c = ef.judge(files, columns={"example": "id"}, measure="f1", positive="True")
print(c.verdict)

# %%
# What the branch fixed and what it broke, by id.

print(c.flips, "- first fixed:", c.flips.fixed[:5])

# %%
# Is it at least not worse by more than one point of accuracy?

gate = ef.judge(
    files, columns={"example": "id"}, measure="accuracy", margin=0.01, alternative="not-worse"
)
print(gate.verdict.outcome)
for file in (*files.values(), folder):
    file.rmdir() if file.is_dir() else file.unlink()
