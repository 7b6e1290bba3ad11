"""
Arrays of any library that speaks the array API: NumPy, or PyTorch and CuPy on a GPU.

Data sets are always drawn with NumPy from their addresses, then moved, so every device sees the
same ones.
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from evenfold.core.checks import refuse, short_repr

Array = Any  # of NumPy, PyTorch, CuPy, ...: the libraries share no type
# Numbers in the work space of one piece: about a cache, and a small part of a GPU's memory.
ON_HOST = 2**21
ON_DEVICE = 2**24
_BYTES = 256  # of memory for a number of a piece, with all that is made of it on the way


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Place:
    """
    Where arrays live.

    Attributes
    ----------
    xp : module
        The library, by the names of the array API.
    device : object
        One of the library's devices; None is its usual one.
    """

    xp: Any
    device: Any = None

    @classmethod
    def of(cls, name: str | None) -> "Place":
        """
        Find the place of a name.

        None and ``"cpu"`` are NumPy; ``"cuda"`` or ``"cuda:1"`` a GPU by PyTorch, or by CuPy
        without PyTorch; any other name is a library, with one of its devices after a colon:
        ``"torch:cpu"``.
        """
        if name is None or name == "cpu":
            return cls(xp=np)
        library, _, device = (_gpu(name) if name.startswith("cuda") else name).partition(":")
        if not (library.isidentifier() and find_spec(library) and find_spec("array_api_compat")):
            known = name.startswith("cuda")
            if known:
                rule = "'cpu' unless PyTorch or CuPy is installed"
            else:
                rule = "'cpu', 'cuda' or an array library"
            refuse(
                "device",
                f"device must be {rule} but got {short_repr(name)}.",
                'Install one with pip install "evenfold-lab[gpu]".',
            )
        by_torch = library == "torch" and device.startswith("cuda")
        if by_torch and not import_module("torch").cuda.is_available():
            refuse(
                "device",
                f"device must be one that PyTorch sees but got {short_repr(name)}.",
                "This machine shows it no GPU.",
            )
        return cls(xp=_compatible(library), device=device or None)

    @property
    def is_host(self) -> bool:
        """Whether it is NumPy."""
        return self.xp is np

    @property
    def words(self) -> str:
        """What it is called, with the library: ``"NVIDIA H200, torch 2.11.0"``."""
        library = self.xp.__name__.rpartition(".")[2]
        version = import_module(library).__version__
        if str(self.device).startswith("cuda"):
            return (
                f"{import_module('torch').cuda.get_device_name(self.device)}, {library} {version}"
            )
        return f"{library} {version}"

    def put(self, x: np.ndarray) -> Array:
        """Move an array there."""
        if self.device:
            return self.xp.asarray(x, device=self.device)
        return self.xp.asarray(x)


def _gpu(name: str) -> str:
    if find_spec("torch") is not None:
        return f"torch:{name}"
    return "cupy"


def _compatible(library: str) -> Any:
    if find_spec(f"array_api_compat.{library}") is not None:
        return import_module(f"array_api_compat.{library}")
    return import_module(library)


def namespace(x: Array) -> Any:
    """The library of an array, by the names of the array API."""
    if isinstance(x, np.ndarray):
        return np
    from array_api_compat import array_namespace

    return array_namespace(x)


def array_like(x: Array, values: Any, dtype: Any = None) -> Array:
    """``values`` as an array of the library and on the device of ``x``."""
    if isinstance(x, np.ndarray):
        return np.asarray(values, dtype=dtype)
    from array_api_compat import device

    return namespace(x).asarray(values, dtype=dtype, device=device(x))


def counting(x: Array, stop: int) -> Array:
    """0, 1, 2, ... below ``stop``, where ``x`` is."""
    xp = namespace(x)
    return xp.arange(stop, dtype=xp.int64, device=x.device)


def to_numpy(x: Array) -> np.ndarray:
    """Bring an array back."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "cpu"):  # PyTorch
        return np.asarray(x.cpu())
    if hasattr(x, "get"):  # CuPy
        return np.asarray(x.get())
    return np.from_dlpack(x)


def room(x: Array) -> int:
    """
    How many numbers a piece of work may hold where ``x`` is.

    On a GPU by the memory that is free.
    """
    if isinstance(x, np.ndarray):
        return ON_HOST
    if getattr(x, "is_cuda", False):
        free, _ = import_module("torch").cuda.mem_get_info(x.device)
        return max(ON_DEVICE, int(free) // _BYTES)
    return ON_DEVICE
