"""What all tests share."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from evenfold.core.environment import is_installed

# How fast a busy machine draws an example is nobody's promise; examples are the same in every run.
settings.register_profile(
    "evenfold", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("evenfold")

# An sdist of evenfold is tested without the laboratory, which is a distribution of its own.
collect_ignore = ["fuzz/test_lab.py", "fuzz/test_rest.py"]
if is_installed("evenfold_lab"):
    collect_ignore = []


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is computed once, such as truths of populations, out of the user's cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


_STATES: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def _the_same_draws_in_any_order(request: pytest.FixtureRequest) -> None:
    """Let every test find its module's generator as it was after import, in any order of tests."""
    module = getattr(request.node, "module", None)
    rng = getattr(module, "RNG", None)
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = _STATES.setdefault(str(module), rng.bit_generator.state)
