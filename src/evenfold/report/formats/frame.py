"""The table of pairs as a data frame."""

from typing import TYPE_CHECKING

from evenfold.core.across import AcrossFacts
from evenfold.core.facts import Facts
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)

if TYPE_CHECKING:
    import pandas as pd

_PAIR_COLUMNS = (
    "baseline",
    "challenger",
    "outcome",
    "value",
    "low",
    "high",
    "level",
    "standard_error",
    "statistic",
    "df",
    "pvalue",
    "adjusted_pvalue",
    "probability",
)
_TEXT_COLUMNS = ("baseline", "challenger", "outcome")
_ACROSS_COLUMNS = (
    "baseline", "challenger", "outcome", "wins", "ties", "losses", "rank_difference", "median_difference",
    "pvalue", "adjusted_pvalue", "better", "same", "worse", "value", "low", "high", "tau", "predicted_low",
    "predicted_high",
)  # fmt: skip


@format("frame")
def to_frame(facts: Facts) -> "pd.DataFrame":
    """
    Return one row for each pair, and again for each further measure.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

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
