"""A stable name goes with a warning, and is gone in time."""

import pkgutil
from importlib import import_module

import pytest

import evenfold
from evenfold.core.errors import DEPRECATED, EvenfoldDeprecation, deprecated, is_overdue


def test_a_deprecated_function_works_and_names_what_replaces_it() -> None:
    @deprecated(since="0.2", instead="ef.compare")
    def confront(a: int, *, b: int = 1) -> int:
        """Add."""
        return a + b

    name = next(key for key in DEPRECATED if key.endswith("confront"))
    try:
        with pytest.warns(EvenfoldDeprecation, match=r"goes in 0\.3\. Use ef\.compare instead"):
            assert confront(1, b=2) == 3
        assert confront.__doc__ == "Add."
    finally:
        del DEPRECATED[name]


def test_no_deprecated_name_is_overdue() -> None:
    for info in pkgutil.walk_packages(evenfold.__path__, "evenfold."):
        if not info.name.endswith(("__main__", "plugin")):
            import_module(info.name)
    version = evenfold.__version__
    assert not [name for name, since in DEPRECATED.items() if is_overdue(since, version)]
