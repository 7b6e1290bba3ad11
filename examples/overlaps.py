"""
How even are the overlaps?
==========================

Two training sets that share many examples give two results that repeat each other. Random halvings
share by chance: some pairs much, some little. A block-regularized design makes every pair share a
quarter of the data.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer

import evenfold as ef

X, y = load_breast_cancer(return_X_y=True)
n, m = len(y), 7
designs = {
    f"{m}×2 BCV, balanced on labels": ef.Mx2BCV(m, balance="labels", random_state=1),
    f"random {m}×2": ef.design.Mx2(m, random_state=1),
}
partitions = {name: design.partition(n, y=y) for name, design in designs.items()}

# %%
# Count the examples that the training sets of different repetitions share, and the malignant cases
# in them.

for name, partition in partitions.items():
    other = partition.repetition[:, None] != partition.repetition
    shared = partition.overlaps()[other]
    malignant = [int((y[train] == 0).sum()) for train in partition.train]
    print(f"{name}: {shared.min()} to {shared.max()} shared examples (n/4 is {n / 4}),")
    print(f"    {min(malignant)} to {max(malignant)} malignant cases in a training set")

# %%
# A partition certifies its own evenness: what was reached, beside a bound that no halving of this
# many examples beats. Chance would be off by more.

sure = partitions[f"{m}×2 BCV, balanced on labels"].certificate
print("worst deviation from n/4:", sure.overlap_error, "  at least:", sure.overlap_bound)
print("random halvings, on average:", round(ef.design.random_overlap_error(n), 2))

# %%
# All 14 training sets of both designs on one scale of colours.

figure = Figure(figsize=(9.6, 4.8), layout="constrained")
axes = figure.subplots(1, 2)
for axis, (name, partition) in zip(axes, partitions.items(), strict=True):
    same = partition.repetition[:, None] == partition.repetition
    image = axis.imshow(
        np.ma.masked_where(same, partition.overlaps() - n / 4), cmap="PuOr_r", vmin=-11, vmax=11
    )
    axis.set_title(name, loc="left", fontsize=10)
    axis.set_xticks(np.arange(m) * 2 + 0.5, range(1, m + 1))
    axis.set_yticks(np.arange(m) * 2 + 0.5, range(1, m + 1))
    axis.set_facecolor("#e4e4e4")
    axis.set_xlabel("repetition (grey: the same repetition)")
bar = figure.colorbar(image, ax=axes, shrink=0.8)
bar.set_label("shared examples, difference from n/4")
