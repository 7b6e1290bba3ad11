"""The algorithms of the command line, made ready for the columns of a table."""

from collections.abc import Mapping
from typing import Any

from evenfold.core.checks import refuse


def prepared(table: Any, subjects: Mapping[str, Any], *, undersample: bool) -> dict[str, Any]:
    """Put before each algorithm what a table needs, and if asked for the drawing of equal classes."""
    ready = {name: table.prepared(subject) for name, subject in subjects.items()}
    return _undersampled(ready) if undersample else ready


def _undersampled(algorithms: dict[str, Any]) -> dict[str, Any]:
    """Draw equal classes before all that is learned from a training set: gaps, scales, the model."""
    from sklearn.base import is_regressor

    from evenfold.run import UnderSampled

    for name, algorithm in algorithms.items():
        if is_regressor(algorithm):
            refuse("--undersample", "left out: there are no classes to draw from for a regressor,", name)
    return {name: UnderSampled(algorithm) for name, algorithm in algorithms.items()}


def features(table: Any, design: Any, *, asked: bool) -> Any:
    """Hand level counts to a design that balances them; to others, which refuse them, only if asked for."""
    names = getattr(design, "balance", None) or ()
    balanced = design is None or "features" in ((names,) if isinstance(names, str) else names)
    return table.features if asked or balanced else None
