"""The table of pairs as a data frame."""

from dataclasses import fields
from typing import TYPE_CHECKING

from evenfold.core.facts.across import AcrossFacts, AcrossPair
from evenfold.core.facts.comparison import Facts, Pair
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)

if TYPE_CHECKING:
    import pandas as pd

_TEXT_COLUMNS = ("baseline", "challenger", "outcome")
_LEFT_OUT = {"sentence", "differences", "path", "curves"}  # no single values
_PAIR_COLUMNS = tuple(field.name for field in fields(Pair) if field.name not in _LEFT_OUT)
_ACROSS_COLUMNS = tuple(field.name for field in fields(AcrossPair) if field.name not in _LEFT_OUT)


@format("frame")
def to_frame(facts: Facts) -> "pd.DataFrame":
    """
    Return one row for each pair, and again for each further measure.

    Returns
    -------
    pandas.DataFrame
        Names and verdict, the estimate B − A with its interval and level, test or posterior quantities
        (NaN where the method has none), and measure, method and training size, so that frames of several
        comparisons can be stacked.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> frame = to_frame(sample())
    >>> print(frame[["baseline", "challenger", "outcome", "value"]])
      baseline challenger outcome  value
    0     tree     forest  better -0.021
    """
    import pandas as pd

    columns = {
        name: pd.Series(
            [getattr(pair, name) for pair in facts.pairs],
            dtype=object if name in _TEXT_COLUMNS else float,
        )
        for name in _PAIR_COLUMNS
    }
    frame = pd.DataFrame(columns).assign(
        measure=facts.measure, method=facts.method.key, n_train=facts.design.n_train, margin=facts.margin
    )
    return pd.concat([frame, *map(to_frame, facts.others)], ignore_index=True) if facts.others else frame


@format("frame", of=AcrossFacts)
def over_data_sets(facts: AcrossFacts) -> "pd.DataFrame":
    """Return one row for each pair."""
    import pandas as pd

    rows = [{name: getattr(pair, name) for name in _ACROSS_COLUMNS} for pair in facts.pairs]
    return pd.DataFrame(rows, columns=list(_ACROSS_COLUMNS)).assign(
        measure=facts.measure, test=facts.test, data_sets=len(facts.data_sets)
    )
