"""
Kernels for the processor, compiled by Numba, for work that goes example by example.

They are used automatically on NumPy's arrays if Numba is installed (``pip install
"evenfold-lab[fast]"``). Without it, and for every other library, the same numbers come from arrays.
A kernel is a module of this package that is imported where it is used, and only if :func:`usable`
is true, because loading Numba takes half a second.
"""

from importlib.util import find_spec

import numpy as np

from evenfold_lab.arrays import Array


def usable(x: Array) -> bool:
    """Say whether work on ``x`` may be left to a kernel of this package."""
    return isinstance(x, np.ndarray) and find_spec("numba") is not None
