"""The influence contrasts of an m×2 BCV: what the methods of our own read off the single examples."""

import numpy as np

from evenfold.core.estimate import Floats


def influence_contrasts(f: Floats) -> Floats:
    """
    Return 2ḡ_k − f_kk for each repetition k, from contrasts ``f`` of shape (..., m, m).

    f[r, k] is half the difference, in repetition r, between the test points of the two halves of repetition
    k, and ḡ_k its mean over r ≠ k. As test points the halves count alike in all repetitions; in k itself they
    have also trained the models of each other, with the opposite sign: so twice the former less the latter
    is the contrast of what examples are worth in both roles.
    """
    own = np.einsum("...kk->...k", f)
    others = (np.einsum("...rk->...k", f) - own) / (f.shape[-1] - 1)
    contrasts: Floats = 2 * others - own
    return contrasts
