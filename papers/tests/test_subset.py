"""The part of the benchmark that two cores can run is what its files have."""

from dataclasses import replace
from pathlib import Path

from papers.bench.lasting import AGREEMENT, REAL, read
from papers.bench.subset import parts, run


def test_kept_rows_are_those_of_the_parts() -> None:
    for name, path in (("agreement", AGREEMENT), ("real", REAL)):
        part = parts()[name]
        for row in read(path):
            assert row["population"] in part.populations
            assert part.pairs is None or row["pair"] in part.pairs
            assert row["test"] in part.tests
            assert row["measure"] in part.measures
            assert row["data_sets"] in ("0", str(part.data_sets[int(row["n"])]))


def test_a_part_runs_what_a_file_lacks(tmp_path: Path) -> None:
    part = replace(
        parts()["agreement"],
        populations=("coin",),
        pairs=("majority/ridge",),
        measures=("zero-one", "brier"),
        data_sets={40: 25},
        tests=("kfold-t",),
    )
    path = tmp_path / "results.csv"
    run(part, path)
    rows = read(path)
    assert {row["pair"] for row in rows} == {"majority/ridge"}
    assert {row["measure"] for row in rows} == {"zero-one", "brier"}
    assert all(row["agreement_2.8"] for row in rows)
    before = path.read_text("utf-8")
    run(part, path)
    assert path.read_text("utf-8") == before
