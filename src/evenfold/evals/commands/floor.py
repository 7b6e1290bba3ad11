"""``evenfold floor FILES`` measures how far apart measurements of the same version are."""

from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli import options as o
from evenfold.cli.output import note, show, writable

Files = Annotated[
    list[Path],
    o.argument(
        metavar="FILES",
        help="At least 38 files of pytest-benchmark, hyperfine, Google Benchmark or asv that "
        "measure one version, or a folder of them.",
    ),
]
Out = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="The file that keeps the noise floor.")
]


def floor(files: Files, out: Out = Path("floor.json")) -> None:
    """Measure how far apart two measurements of the same version are, per benchmark."""
    from evenfold.evals.floors import measure_floor, write_floor

    writable("out", out)
    measured = measure_floor(files)
    write_floor(out, measured)
    show(measured)
    note(f"{out} written")
