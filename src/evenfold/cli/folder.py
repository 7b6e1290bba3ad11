"""``evenfold compare FOLDER``: every file of a folder is one data set."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenfold.cli.names import label
from evenfold.cli.output import note
from evenfold.cli.prepared import features, prepared
from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError, InvalidInput
from evenfold.read import read_table
from evenfold.read.tables import SUFFIXES


def folder(
    path: Path,
    subjects: Mapping[str, Any],
    reading: Mapping[str, Any],
    asked: Mapping[str, Any],
    *,
    positive: str | None,
    undersample: bool,
    test: str,
    call: str,
) -> Any:
    """Compare the algorithms on every file, and then over all of them."""
    from evenfold.corridor.across.api import summarise
    from evenfold.corridor.across.pairs import AcrossAsked
    from evenfold.corridor.comparing import in_full

    over = AcrossAsked(
        test=test,
        adjust=None if asked["adjust"] == "holm" else asked["adjust"],
        margin=asked["margin"],
        level=asked["level"],
        baseline=asked["baseline"],
    )
    over.check(len(subjects))
    if asked["alternative"] != "two-sided":
        refuse("--alternative", "two-sided over a folder", asked["alternative"])
    done, left_out = {}, {}
    for name, file in files(path).items():
        note(f"{name} ...")
        try:
            table = read_table(file, **reading)
            done[name] = in_full(
                prepared(table, subjects, undersample=undersample),
                table.X,
                table.y,
                positive=label(positive, table.y),
                groups=table.groups,
                order=table.order,
                sample_weight=table.weights,
                features=features(table, asked["design"], asked=bool(reading["balance"])),
                **{**asked, "margin": 0.0, "adjust": "holm"},
            )
        except EvenfoldError as error:
            left_out[file.name] = " ".join(str(error).split())
            note(f"evenfold: {file.name} is left out: {left_out[file.name]}")
    if len(done) < 2:
        first = next(f"{name}: {reason}" for name, reason in left_out.items())
        raise InvalidInput(
            f"data must be a folder with two files of use or more but got {len(done)}; {first}"
        )
    result = summarise(done, over, call=call)
    said = tuple(f"{name} is left out: {reason}" for name, reason in left_out.items())
    return replace(result, facts=replace(result.facts, notes=(*result.facts.notes, *said)))


def files(path: Path) -> dict[str, Path]:
    """Return the data files of a folder by name, in order."""
    found = sorted(one for one in path.iterdir() if one.is_file() and one.name.lower().endswith(SUFFIXES))
    if len(found) < 2:
        refuse("data", f"a folder with at least two files that end in {', '.join(SUFFIXES)}", str(path))
    stems = [one.name.split(".")[0] for one in found]
    unique = len(set(stems)) == len(stems)
    return dict(zip(stems if unique else [one.name for one in found], found, strict=True))
