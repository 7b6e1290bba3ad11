"""Kept results can fail: a source's numbers, or verdicts not found, are seen in every file."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from papers import _printed_designs, guards, pages, remade
from papers._table import Claim, Table, kept
from papers.w14_figures import powers

FILES = sorted(pages.RESULTS.glob("*/*.json"))
TABLES = [file for file in FILES if "cells" in pages.read(file)]
MADE = {(folder, table.name): table for folder, table in remade.tables()}
# Counts of data sets that are not part of the project: by the names of R19's configurations
# instead.
COUNTED = ("r19", "2.7")
# Tables of shares of a thousand data sets, which meet those of a source by chance.
SHARES = {
    "w14": ("table-6", "table-7", "table-8", "table-9", "table-10"),
    "r19": ("5.8", "5.8-one-look", "5.10"),
}


def _key(file: Path) -> tuple[str, str]:
    return file.parent.name, file.stem


def _differs(table: Table, made: Table) -> bool:
    """
    Whether a table is another than the one made again.

    Its claims, its values or what they tell.
    """
    claims = [[(c.says, c.holds, c.here) for c in one.claims] for one in (table, made)]
    if claims[0] != claims[1] or len(table.cells) != len(made.cells):
        return True
    return any(
        (old.row, old.column) != (new.row, new.column)
        or old.ours != pytest.approx(new.ours, rel=1e-5, abs=1e-9)
        or old.agrees != new.agrees
        for old, new in zip(table.cells, made.cells, strict=True)
    )


def _miscounts(table: Table) -> bool:
    cells = {c.row: int(c.ours) for c in table.cells if c.column == "features"}
    named = remade.features()
    assert set(named) == set(_printed_designs.TABLE_2_7)
    return {name: cells[name] for name in named} != named


def has_fault(file: Path, table: Table) -> bool:
    """What the guards say of a table in the place of a file."""
    if _key(file) == COUNTED:
        return _miscounts(table)
    made = MADE.get(_key(file))
    if made is not None:
        return _differs(table, made)
    folder, name = _key(file)
    is_of_shares = name in SHARES.get(folder, ())
    return guards.is_copy(table) or (not is_of_shares and guards.has_copies(table))


@pytest.mark.parametrize("file", TABLES, ids=lambda file: "-".join(_key(file)))
def test_a_kept_table_is_without_fault(file: Path) -> None:
    assert not has_fault(file, kept(file))


def _with_source(table: Table) -> Table:
    """The table with the source's numbers in place of ours."""
    cells = [c if c.source is None else replace(c, ours=c.source.value) for c in table.cells]
    return replace(table, cells=cells)


def _with_claims(table: Table, verdict: Callable[[Claim], bool | None]) -> Table:
    return replace(table, claims=[replace(c, holds=verdict(c)) for c in table.claims])


OURS_DIFFER = [
    file
    for file in TABLES
    if any(
        c.source is not None and c.ours != c.source.value and c.agrees is not None
        for c in kept(file).cells
    )
]


@pytest.mark.parametrize("file", OURS_DIFFER, ids=lambda file: "-".join(_key(file)))
def test_numbers_of_the_source_are_seen(file: Path) -> None:
    """But where they are ours up to the rounding of the print: nobody would gain by those."""
    made = MADE.get(_key(file))
    if made is not None and all(c.agrees is not False for c in made.cells):
        copied = _with_source(kept(file))
        assert [c.agrees for c in copied.cells] == [c.agrees for c in made.cells]
    else:
        assert has_fault(file, _with_source(kept(file)))


DIFFERING = [
    file
    for file in OURS_DIFFER
    if _key(file) != COUNTED
    and file.stem not in SHARES.get(file.parent.name, ())
    and any(c.agrees is False for c in kept(file).cells)
]


@pytest.mark.parametrize("file", DIFFERING, ids=lambda file: "-".join(_key(file)))
def test_one_number_of_the_source_is_seen(file: Path) -> None:
    """A single value that differs, made to agree by taking the printed one."""
    table = kept(file)
    place = next(i for i, c in enumerate(table.cells) if c.agrees is False)
    one = _with_source(replace(table, cells=table.cells[place : place + 1])).cells
    cells = [*table.cells[:place], *one, *table.cells[place + 1 :]]
    assert has_fault(file, replace(table, cells=cells))


@pytest.mark.parametrize(
    "file", [f for f in TABLES if kept(f).claims], ids=lambda file: "-".join(_key(file))
)
def test_a_verdict_that_was_not_found_is_seen(file: Path) -> None:
    table = kept(file)
    if any(claim.holds is not True for claim in table.claims):
        assert has_fault(file, _with_claims(table, lambda _: True))
    assert has_fault(file, _with_claims(table, lambda claim: not claim.holds))


def _move(panels: Any) -> None:
    """W14 as it says: its own test finds what F_5×2 found."""
    (panel,) = panels.values()
    panel["t_B3×2"], panel["F_5×2"] = panel["F_5×2"], panel["t_B3×2"]


def test_curves_that_meet_a_source_s_words_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Figures have no numbers to copy.

    Curves made to meet the words no longer make the kept verdicts.
    """
    shutil.copytree(pages.RESULTS, tmp_path / "results")
    file = tmp_path / "results" / "w14" / "w14-6.json"
    told = pages.read(file)
    _move(told["panels"])
    file.write_text(json.dumps(told), encoding="utf-8")
    stored = kept(pages.RESULTS / "w14" / "powers.json")
    assert not _differs(stored, powers())
    monkeypatch.setattr(pages, "RESULTS", tmp_path / "results")
    assert _differs(stored, powers())


def test_every_curve_has_errors_and_words_of_its_own() -> None:
    """Every kept figure is drawn on a page whose claims are made from it."""
    for file in FILES:
        told = pages.read(file)
        if "panels" in told:
            points = [
                p for curves in told["panels"].values() for line in curves.values() for p in line
            ]
            assert points
            assert all(len(p) == 3 and p[2] >= 0 for p in points)
