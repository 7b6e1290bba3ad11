"""Random generators by address: the same seed and address give the same generator anywhere."""

from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from evenfold.core.checks import is_integer, refuse_value

_SEED_BITS = 63
# the largest word of NumPy's seeds, and the number of bits that a seed is filled up to
_WORD = 2**32 - 1
_POOL = 128


def stream(seed: int, *address: int | str) -> np.random.Generator:
    """
    Return the generator that lives at ``address`` below ``seed``.

    Parameters
    ----------
    seed : int
        A non-negative integer.
    *address : int or str
        Where the randomness is used, for example ``("fit", "tree", 3)``.

    Returns
    -------
    numpy.random.Generator
        Independent of the generators at all other addresses, whatever the order of calls.

    Examples
    --------
    >>> stream(7, "block", 2).integers(1000) == stream(7, "block", 2).integers(1000)
    np.True_
    """
    seed = int(seed)
    low = [seed >> shift & _WORD for shift in range(0, max(seed.bit_length(), _POOL), 32)]
    words = [word for part in address for word in _words(part)]
    # SeedSequence(seed, spawn_key=words) would make the same entropy but takes longer.
    return np.random.default_rng(np.random.SeedSequence(np.array([*low, *words], dtype=np.uint32)))


@lru_cache(maxsize=4096, typed=True)  # most parts of an address recur
def _words(part: int | str) -> tuple[int, ...]:
    """Hash one part of an address to 32-bit words; the type is hashed too, so 1 and "1" differ."""
    digest = blake2b(f"{type(part).__name__}:{part}".encode(), digest_size=8).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in (0, 4))


def check_random_state(random_state: object) -> None:
    """Refuse what no seed can be made from."""
    if random_state is None or isinstance(
        random_state, np.random.Generator | np.random.RandomState
    ):
        return
    if not is_integer(random_state) or random_state < 0:
        refuse_value("random_state", random_state, "None, an integer ≥ 0 or a numpy generator")


def seed_from(random_state: Any) -> int:
    """
    Turn what users call ``random_state`` into a seed that can be recorded.

    ``None`` draws a fresh seed from the operating system, an integer is the seed itself, and a
    numpy ``Generator`` or ``RandomState`` draws one.
    """
    check_random_state(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**_SEED_BITS, dtype=np.int64))
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**_SEED_BITS))
    return int(random_state)
