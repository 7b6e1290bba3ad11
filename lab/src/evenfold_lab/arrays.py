"""
Arrays of any library with the array API: NumPy, or PyTorch and CuPy on a GPU.

Data sets are always drawn with NumPy and then moved, so that every device gets the same ones.
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from evenfold.core.checks import refuse, short_repr

Array = Any  # of NumPy, PyTorch, CuPy, ...: the libraries share no type
ON_HOST = 2**21  # numbers in the work space of one piece, which about fill a cache
ON_DEVICE = 2**24  # the same on a GPU, a small part of its memory
_BYTES = 256  # memory for each number of a piece, with all intermediate results


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Place:
    """
    Where arrays live.

    Attributes
    ----------
    xp : module
        The library, with the names of the array API.
    device : object
        One of the library's devices; None is its default.
    """

    xp: Any
    device: Any = None

    @classmethod
    def of(cls, name: str | None) -> "Place":
        """
        Find the place of a name.

        None and ``"cpu"`` are NumPy. ``"cuda"`` and ``"cuda:1"`` are GPUs, used by PyTorch, or by
        CuPy if there is no PyTorch. Any other name is a library, with one of its devices after a
        colon: ``"torch:cpu"``.
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
                f"device must be available to PyTorch but got {short_repr(name)}.",
                "PyTorch finds no GPU on this machine. Use device='cpu'.",
            )
        return cls(xp=_compatible(library), device=device or None)

    @property
    def is_host(self) -> bool:
        """Whether the library is NumPy."""
        return self.xp is np

    @property
    def words(self) -> str:
        """The names of device and library: ``"NVIDIA H200, torch 2.11.0"``."""
        library = self.xp.__name__.rpartition(".")[2]
        version = import_module(library).__version__
        if str(self.device).startswith("cuda"):
            return (
                f"{import_module('torch').cuda.get_device_name(self.device)}, {library} {version}"
            )
        return f"{library} {version}"

    def put(self, x: np.ndarray) -> Array:
        """Move an array to this place."""
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
    """Return the library of an array, with the names of the array API."""
    if isinstance(x, np.ndarray):
        return np
    from array_api_compat import array_namespace

    return array_namespace(x)


def array_like(x: Array, values: Any, dtype: Any = None) -> Array:
    """Return ``values`` as an array of the library and on the device of ``x``."""
    if isinstance(x, np.ndarray):
        return np.asarray(values, dtype=dtype)
    from array_api_compat import device

    return namespace(x).asarray(values, dtype=dtype, device=device(x))


def counting(x: Array, stop: int) -> Array:
    """Return 0, 1, 2, ... below ``stop``, on the device of ``x``."""
    xp = namespace(x)
    return xp.arange(stop, dtype=xp.int64, device=x.device)


def to_numpy(x: Array) -> np.ndarray:
    """Move an array to NumPy."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "cpu"):  # PyTorch
        return np.asarray(x.cpu())
    if hasattr(x, "get"):  # CuPy
        return np.asarray(x.get())
    return np.from_dlpack(x)


def room(x: Array) -> int:
    """
    Return how many numbers a piece of work may hold on the device of ``x``.

    On a GPU, it depends on the memory that is free.
    """
    if isinstance(x, np.ndarray):
        return ON_HOST
    if getattr(x, "is_cuda", False):
        free, _ = import_module("torch").cuda.mem_get_info(x.device)
        return max(ON_DEVICE, int(free) // _BYTES)
    return ON_DEVICE
