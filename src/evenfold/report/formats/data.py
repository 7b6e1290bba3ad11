"""Facts for other programs: as JSON, and the table of pairs as a data frame."""

from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from evenfold.core.environment import require
from evenfold.core.facts.across import AcrossFacts, AcrossPair
from evenfold.core.facts.answers import Pair
from evenfold.core.facts.comparison import Facts
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@format("json", suffix=".json", of=AcrossFacts)
@format("json", suffix=".json")
def to_json(facts: Facts | AcrossFacts) -> str:
    """
    Return all facts as JSON, for ``Facts.from_json``.

    Parameters
    ----------
    facts : Facts
        What a comparison found.
    """
    return facts.to_json()


_SINGLE = {str, float, int, bool, NoneType}  # types that fit into a cell


def _columns(pair: type) -> dict[str, Any]:
    """Return the type of each column of a table of pairs: all single values except the sentence."""
    kinds = {name: set(get_args(hint) or (hint,)) for name, hint in get_type_hints(pair).items()}
    return {
        name: object if str in of else float
        for name, of in kinds.items()
        if of <= _SINGLE and name != "sentence"
    }


@format("frame", needs=["pandas"])
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
        Names and verdict, the estimate B − A with its interval and level, test or posterior
        quantities (NaN where the method has none), and measure, method and training size, so that
        frames of several comparisons can be stacked.

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
        name: pd.Series([getattr(pair, name) for pair in facts.pairs], dtype=kind)
        for name, kind in _columns(Pair).items()
    }
    frame = pd.DataFrame(columns).assign(**_shared_columns(facts))
    if facts.others:
        return pd.concat([frame, *map(to_frame, facts.others)], ignore_index=True)
    return frame


def to_arrow(facts: Facts) -> "pa.Table":
    """Return the table of :func:`to_frame` for Arrow, in which missing values are null."""
    require("pyarrow", "the Arrow stream of a comparison")
    import pyarrow as pa

    text = pa.string()
    columns = {
        name: pa.array(
            [getattr(pair, name) for pair in facts.pairs], text if kind is object else pa.float64()
        )
        for name, kind in _columns(Pair).items()
    }
    for name, value in _shared_columns(facts).items():
        columns[name] = pa.array([value] * len(facts.pairs))
    return pa.concat_tables([pa.table(columns), *map(to_arrow, facts.others)])


def _shared_columns(facts: Facts) -> dict[str, Any]:
    """Return the columns that have one value for all rows of a measure."""
    return {
        "measure": facts.measure,
        "method": facts.method.key,
        "n_train": facts.design.n_train,
        "margin": float(facts.margin),
    }


@format("frame", of=AcrossFacts, needs=["pandas"])
def across_frame(facts: AcrossFacts) -> "pd.DataFrame":
    """Return one row for each pair."""
    import pandas as pd

    names = list(_columns(AcrossPair))
    rows = [{name: getattr(pair, name) for name in names} for pair in facts.pairs]
    return pd.DataFrame(rows, columns=names).assign(
        measure=facts.measure, test=facts.test, data_sets=len(facts.data_sets)
    )
