"""
The test at the full training size, groups and other looks.

``python -m papers.sharp.full RAW LONG``.

RAW holds the files of ``lab.py``, LONG those of ``lab.py --looks 3 7 11 15``. Writes
``results/full.csv``, ``results/full_one.csv``, ``results/groups.csv`` and ``results/looks.csv`` and
prints their tables.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from papers.sharp.analyse import (
    HALF,
    HALVES,
    LOOKS,
    RESULTS,
    Arrays,
    Run,
    _rates,
    _variances,
    enemy,
    load,
    parts_of,
    sharp,
    t_quantile,
    write,
)
from papers.sharp.reference import full_size_variance

FORMS = [
    (10, 1, 9),
    (10, 1, 7),
    (10, 1, 5),
    (10, 1, 3),
    (5, 1, 9),
    (10, 3, 9),
    (5, 3, 9),
]  # folds, runs, halvings


def _first(raw: Arrays, row: int, look: int, sets: int) -> Arrays:
    cut = {k: v[:, :sets] for k, v in raw.items() if k.startswith("halves.")}
    return parts_of(cut, row, look)  # type: ignore[return-value]


def full_rows(data: dict[str, Arrays], *, alone: bool) -> Iterator[Arrays]:
    for case, half in HALF.items():
        if case not in data or "folds10.mean" not in data[case]:
            continue
        raw = data[case]
        for row, subject in enumerate(raw["subjects"]):
            name = str(subject)
            if ("/" in name) == alone:
                continue
            record: Arrays = {
                "population": case,
                "half": half,
                "n": int(case.rsplit("-", 1)[1]),
                "subject": name,
            }
            record["enemy"] = "" if alone else enemy(case, name)
            for K, r, m in FORMS:
                record |= _form(raw, row, K, r, m, alone=alone)
            if not alone:
                record |= _simple(raw, row)
            yield record


def _form(raw: Arrays, row: int, K: int, r: int, m: int, *, alone: bool) -> Arrays:
    value = raw[f"folds{K}.mean"][row, :, r - 1].astype(float)
    T, W = np.moveaxis(_variances(raw[f"folds{K}.log"][row, :, r - 1]), -1, 0)
    f = np.maximum(raw[f"folds{K}.rest"][row, :, r - 1].astype(float), 1)
    p = _first(raw, row, LOOKS.index(m), len(value))
    V, df = full_size_variance(T, f, W / r if r > 1 else 0.0, p)  # type: ignore[arg-type]
    reach = t_quantile(df, 0.025) * np.sqrt(V)
    key = f"{r}x{K}+{m}"
    if alone:
        return {key: float((np.abs(value - value.mean()) <= reach).mean())}
    error, power = _rates(value, reach, value.mean(), value.std(), ~p.few & (V > 0))  # type: ignore[attr-defined]
    return {f"{key} error": error, f"{key} power": power}


def _simple(raw: Arrays, row: int) -> Arrays:
    """T_F + R_H with three runs of ten folds and nine halvings, Satterthwaite's df."""
    value = raw["folds10.mean"][row, :, 2].astype(float)
    T, f = (
        _variances(raw["folds10.log"][row, :, 2, 0]),
        np.maximum(raw["folds10.rest"][row, :, 2].astype(float), 1),
    )
    R = _variances(raw["halves.log"][row, : len(value), 3, 1])
    V = T + R
    df = V**2 / np.maximum(T**2 / f + R**2 / 8, 1e-300)
    error, power = _rates(
        value, t_quantile(df, 0.025) * np.sqrt(V), value.mean(), value.std(), V > 0
    )
    return {"T_F+R_H error": error, "T_F+R_H power": power}


def group_rows(data: dict[str, Arrays]) -> Iterator[Arrays]:
    """Clusters as units, and as if examples were independent."""
    for case in ("groups-200", "groups-400", "groups-300"):
        if case not in data:
            continue
        for row, name in enumerate(data[case]["subjects"]):
            if "/" in str(name):
                rates = {
                    tag: sharp(Run(data[case], row, tag=tag)) for tag in ("halves", "ungrouped")
                }
                yield {
                    "population": case, "pair": str(name), "error": rates["halves"]["error"],
                    "power": rates["halves"]["power"],
                    "error if ignored": rates["ungrouped"]["error"],
                }  # fmt: skip


def look_rows(long: dict[str, Arrays], data: dict[str, Arrays]) -> Iterator[Arrays]:
    """The rule (m/M)² with other looks."""
    for case, raw in long.items():
        for row, name in enumerate(raw["subjects"]):
            if "/" not in str(name):
                continue
            record: Arrays = {
                "population": case,
                "pair": str(name),
                "enemy": enemy(case, str(name)),
            }
            record |= _looks("3 7 11 15", Run(raw, row, (3, 7, 11, 15)))
            record |= _looks("3 5 7 9", Run(data[case], row))
            for chosen in ((3, 9), (5, 9), (3, 7), (3, 5, 7)):
                index = [LOOKS.index(m) for m in chosen]
                cut = {k: v[:, :, index] for k, v in data[case].items() if k.startswith("halves.")}
                record |= _looks(" ".join(map(str, chosen)), Run(cut, row, chosen))
            yield record


def _looks(name: str, run: Run) -> Arrays:
    rates = sharp(run)
    return {f"{name} {k}": rates[k] for k in ("error", "power", "fits")}


def _print(rows: list[Arrays], keys: list[str], title: str) -> None:
    print(f"\n{title}: {len(rows)} pairs")
    for key in keys:
        e, power = (np.array([r[f"{key} {k}"] for r in rows]) for k in ("error", "power"))
        fits = np.mean([r[f"{key} fits"] for r in rows]) if f"{key} fits" in rows[0] else np.nan
        errors = f"{e.mean():.3f} / {np.quantile(e, 0.95):.3f} / {e.max():.3f}"
        print(f"{key}: {fits:.1f} | {errors} | {power.mean():.3f}")


def main(folder: str, long: str) -> None:
    data = load(Path(folder))
    rows = list(full_rows(data, alone=False))
    write(RESULTS / "full.csv", rows)
    keys = [f"{r}x{K}+{m}" for K, r, m in FORMS]
    for half in HALVES:
        _print(
            [r for r in rows if r["half"] == half and not r["enemy"]],
            [*keys, "T_F+R_H"],
            f"{half}, no enemies",
        )
        _print(
            [r for r in rows if r["half"] == half and r["enemy"]],
            [*keys, "T_F+R_H"],
            f"{half}, enemies",
        )
    alone = list(full_rows(data, alone=True))
    write(RESULTS / "full_one.csv", alone)
    for half in HALVES:
        covers = np.array([[r[k] for k in keys] for r in alone if r["half"] == half])
        print(half, keys, covers.mean(axis=0).round(3), covers.min(axis=0).round(3),
              ((covers >= 0.93) & (covers <= 0.98)).mean(axis=0).round(2))  # fmt: skip
    groups = list(group_rows(data))
    write(RESULTS / "groups.csv", groups)
    for case in sorted({r["population"] for r in groups}):
        e, p, x = (np.array([r[k] for r in groups if r["population"] == case]) for k in
                   ("error", "power", "error if ignored"))  # fmt: skip
        print(
            f"{case}: {e.mean():.3f} / {e.max():.3f}, {p.mean():.3f}; ignored {x.mean():.3f} / "
            f"{x.max():.3f}"
        )
    others = list(look_rows(load(Path(long)), data))
    write(RESULTS / "looks.csv", others)
    names = ["3 5 7 9", "3 7 11 15", "3 9", "5 9", "3 7", "3 5 7"]
    _print([r for r in others if not r["enemy"]], names, "looks, no enemies")
    _print([r for r in others if r["enemy"]], names, "looks, enemies")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
