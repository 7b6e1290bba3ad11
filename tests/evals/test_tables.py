"""Tables of leaderboards, whatever their size."""

import pytest

from evenfold.core.errors import InvalidInput
from evenfold.evals.tables import read_board
from evenfold.read.plain_tables import PlainTable


@pytest.mark.parametrize("n", [3, 10_000])
def test_a_model_that_stands_in_two_rows_is_refused(n: int) -> None:
    names = ["m1", *(f"m{i}" for i in range(1, n))]
    values = [i / n for i in range(n)]
    table = PlainTable.of({"model": names, "x": values, "y": values})
    with pytest.raises(InvalidInput, match=r"different name in every row.* m1 several times"):
        read_board(table)
