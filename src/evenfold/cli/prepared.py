"""Data and algorithms of the command line, made ready for each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenfold.cli.names import label
from evenfold.core.checks import refuse


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Preparing:
    """How tables and algorithms are made ready; balanced: columns to be balanced were named."""

    positive: str | None
    undersample: bool
    balanced: bool

    @property
    def said(self) -> dict[str, Any]:
        """What was said, by option."""
        given = {"positive": self.positive, "undersample": self.undersample}
        return {option: value for option, value in given.items() if value}

    def keywords(self, table: Any, algorithms: Mapping[str, Any], design: Any) -> dict[str, Any]:
        """Return what a comparison takes of a table: algorithms, examples and what is known of each."""
        return {
            "algorithms": self._ready({name: table.prepared(one) for name, one in algorithms.items()}),
            "X": table.X,
            "y": table.y,
            "positive": label(self.positive, table.y),
            "groups": table.groups,
            "sample_weight": table.weights,
            "order": table.order,
            "features": self._features(table, design),
        }

    def _ready(self, algorithms: dict[str, Any]) -> dict[str, Any]:
        """Draw equal classes before all that is learned from a training set: gaps, scales, the model."""
        if not self.undersample:
            return algorithms
        from sklearn.base import is_regressor

        from evenfold.run import UnderSampled

        for name, algorithm in algorithms.items():
            if is_regressor(algorithm):
                refuse("--undersample", "left out: there are no classes to draw from for a regressor,", name)
        return {name: UnderSampled(algorithm) for name, algorithm in algorithms.items()}

    def _features(self, table: Any, design: Any) -> Any:
        """Hand level counts to a design that balances them; to others, which refuse them, if asked for."""
        names = getattr(design, "balance", None) or ()
        wanted = design is None or "features" in ((names,) if isinstance(names, str) else names)
        return table.features if self.balanced or wanted else None
