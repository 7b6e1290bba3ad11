"""
Kernels for the processor, compiled by Numba.

What goes example by example, and so is slow in whole arrays.

They are used by themselves on NumPy's arrays where Numba is installed (``pip install
"evenfold-lab[fast]"``); without it, and for every other library, the same numbers come from arrays.
A kernel is a module of this package that is loaded where it is used, after :func:`usable` has
agreed, because loading Numba takes half a second.
"""

from importlib.util import find_spec

import numpy as np

from evenfold_lab.arrays import Array


def usable(x: Array) -> bool:
    """Whether what is done with ``x`` may be left to a kernel of this package."""
    return isinstance(x, np.ndarray) and find_spec("numba") is not None
