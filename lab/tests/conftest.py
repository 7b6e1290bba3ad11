"""What the tests of the laboratory share; they stand alone, as its sdist does."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from evenfold.cli import app

Run = Callable[..., Any]
_STATES: dict[str, Any] = {}


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep truths of populations out of the user's cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _the_same_draws_in_any_order(request: pytest.FixtureRequest) -> None:
    """Let every test find its module's generator as it was after import, in any order of tests."""
    module = getattr(request.node, "module", None)
    rng = getattr(module, "RNG", None)
    if isinstance(rng, np.random.Generator):
        rng.bit_generator.state = _STATES.setdefault(str(module), rng.bit_generator.state)


@pytest.fixture
def evenfold() -> Run:
    """Call ``evenfold`` in this process; the result has exit_code, stdout and stderr."""
    runner = CliRunner()

    def call(*words: object) -> Any:
        return runner.invoke(app, [str(word) for word in words])

    return call


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """A CSV file in which x decides y and noise does not."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=64)
    noise = rng.normal(size=64)
    path = tmp_path / "numbers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "noise", "y"])
        writer.writerows(zip(x, noise, (x > 0).astype(int), strict=True))
    return path
