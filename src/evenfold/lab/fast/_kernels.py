"""
Descents that take many short steps, for NVIDIA GPUs: each model is one program that runs to its end.

By the array API every step of all models is a dozen launches, which take longer than the work. Triton comes
with PyTorch; the descents are those of ``svm`` and ``penalized``, to the same tolerance.
"""

from importlib.util import find_spec
from typing import Any

from evenfold.lab.arrays import Array

_WIDEST = 4096  # numbers of one model that a program holds in registers


def usable(x: Array, width: int) -> bool:
    """Whether a model with so many numbers can be solved by a program, where ``x`` is."""
    return bool(getattr(x, "is_cuda", False)) and width <= _WIDEST and find_spec("triton") is not None


def solve_svm(K: Array, sign: Array, C: float, tol: float, flat: float, most: int) -> tuple[Array, Array]:
    """β (P, a) and intercepts (P,) of the duals with kernels K (P, a, a)."""
    from evenfold.lab.fast import _triton

    P, a = sign.shape
    beta, start = sign.new_empty((P, a)), sign.new_empty((P,))
    settings = sign.new_tensor([C, tol, flat])  # numbers that are no tensors would be rounded to 32 bits
    told = (K.contiguous(), sign.contiguous(), beta, start, settings, a, most)
    _triton.svm[(P,)](*told, **_shape(a))
    return beta, start


def descend_lasso(gram: Array, moment: Array, alpha: float, tol: float, sweeps: int) -> Array:
    """Slopes (P, p) at the minima of ½ wᵀGw − mᵀw + α|w|₁, for G (P, p, p) and m (P, p)."""
    from evenfold.lab.fast import _triton

    P, p = moment.shape
    slopes = moment.new_empty((P, p))
    told = (gram.contiguous(), moment.contiguous(), slopes, moment.new_tensor([alpha, tol]), p, sweeps * p)
    _triton.lasso[(P,)](*told, **_shape(p))
    return slopes


def _shape(width: int) -> dict[str, Any]:
    block = max(32, 1 << (width - 1).bit_length())
    return {"BLOCK": block, "num_warps": max(1, min(8, block // 128))}
