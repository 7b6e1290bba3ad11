"""
The study of the conservative t, small.

Student's laws err less than the normal one, and it runs.
"""

from papers.studies.conservative_t import sizes

import evenfold as ef
from evenfold_lab.populations import MeanLine


def test_wider_references_err_less() -> None:
    found = {tuple(row[:3]): row[3] for row in sizes(MeanLine(), n=40, replications=200)}
    assert len(found) == 18
    for what in ("A", "B", "B − A"):
        for level in (0.1, 0.05):
            assert (
                found[what, "t, M", level]
                <= found[what, "t, 2M", level]
                <= found[what, "normal", level]
            )
        assert found[what, "t, M", 0.05] <= 0.05


def test_its_card_says_that_it_errs_less_than_the_z_and_keeps_the_level() -> None:
    t, z = (ef.infer.methods()[key].card for key in ("conservative-t", "conservative-z"))
    assert t is not None
    assert z is not None
    normal = {row["population"]: row["size"] for row in z["measured"]}
    for row in t["measured"]:
        assert row["size"] + 3 * row["size_se"] < 0.05
        assert row["size"] < normal[row["population"]]
