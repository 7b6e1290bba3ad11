"""
What a GPU makes cheap of the sources, at full size: ``python -m benchmarks.reproduce.gpu FOLDER OUT``.

Parts are run in this order until the time is over; each writes its tables and curves when it is done, and
``log.json`` says how long each took and on what.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from traceback import print_exc

import numpy as np

import evenfold as ef
from benchmarks.reproduce import curves, nb, r19, r19_tests, w14, w14_figures
from benchmarks.reproduce._table import Machine, publish, use
from benchmarks.reproduce.r19_draws import Run


def jobs(folder: str, scale: float, out: Path) -> dict[str, Callable[[], None]]:
    """The parts by name, in order of worth."""
    run = Run(folder=folder, scale=scale, store=None)

    def table(part: str) -> Callable[[], None]:
        return lambda: publish(list(r19.PARTS[part](run)), None)

    def curve(part: str) -> Callable[[], None]:
        return lambda: curves.run([part], folder, scale, out / part.partition("-")[0])

    def w14_table(number: int) -> Callable[[], None]:
        if number in (2, 3):
            return lambda: publish([w14.table_2_or_3(number, folder, scale, None)], None)
        return lambda: publish([w14.table_6_or_7(number, folder, scale, None)], None)

    return {
        "w14-2": w14_table(2),
        "r19-letters": table("letters"),
        "w14-trees": lambda: publish([w14_figures.other_trees(folder, scale)], None),
        "r19-coefficients-SREG": table("coefficients-SREG"),
        "r19-coefficients-SCLA": table("coefficients-SCLA"),
        "r19-partitions-WQ": table("partitions-WQ"),
        "r19-partitions-AQ": table("partitions-AQ"),
        "r19-designs-iris": table("designs-iris"),
        "r19-designs-wdbc": table("designs-wdbc"),
        "nb-figures-letters": curve("nb-letters"),
        "w14-4-nb": lambda: publish([w14.table_4(scale, None, only=["nb"])], None),
        "r19-5.6": lambda: publish(list(r19_tests.variance_estimates(run, ("5.6", "5.6-p30"))), None),
        "r19-figures-toy": curve("r19-toy"),
        "w14-4": lambda: publish([w14.table_4(scale, None)], None),
        "r19-variance-estimates": table("variance-estimates"),
        "nb-figures-gaussians": curve("nb-gaussians"),
        "w14-first": curve("w14-first"),
        "r19-figures-letters": curve("r19-letters"),
        "r19-designs-glass": table("designs-glass"),
        "r19-partitions-SREG": table("partitions-SREG"),
        **{f"r19-designs-{d}": table(f"designs-{d}") for d in ("krvskp", "wave", "spambase", "pageblock")},
        "nb-figures-regression": curve("nb-regression"),
        "r19-partitions-SCLA": table("partitions-SCLA"),
        "r19-partitions-LETTER": table("partitions-LETTER"),
        "r19-3.2": curve("r19-3.2"),
        "r19-2.3": curve("r19-2.3"),
        "r19-2.4": curve("r19-2.4"),
        "r19-designs-SREG": table("designs-SREG"),
        **{f"r19-designs-{d}": table(f"designs-{d}") for d in ("SCLA", "letter", "optdigits", "yeast")},
        "r19-partitions-CON": table("partitions-CON"),
        "r19-partitions-ADULT": table("partitions-ADULT"),
        "r19-example-6.1": table("example-6.1"),
        "w14-4-labels": lambda: publish([w14.table_4(scale, None, balance="labels")], None),
        "w14-6": w14_table(6),
        "w14-7": w14_table(7),
        "w14-3": w14_table(3),
        "w14-powers": curve("w14-powers"),
        "nb-gaussians": lambda: publish(nb.reproduce("gaussians", folder, scale, None), None),
        "nb-letters": lambda: publish(nb.reproduce("letters", folder, scale, None), None),
        "nb-regression": lambda: publish(nb.reproduce("regression", folder, scale, None), None),
    }


def device_name(device: str) -> str:
    """What the device is called."""
    if device.startswith("cuda"):
        import torch

        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    return device


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=16)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=500.0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--skip", nargs="*", default=[])
    told = parser.parse_args()
    began = perf_counter()
    about = {"device": device_name(told.device), "evenfold": ef.__version__, "numpy": np.__version__}
    log: dict[str, object] = {**about, "python": sys.version.split()[0], "scale": told.scale, "parts": {}}
    parts: dict[str, object] = {}
    for name, job in jobs(told.folder, told.scale, told.out).items():
        if (told.only and name not in told.only) or name in told.skip:
            continue
        if perf_counter() - began > told.seconds:
            parts[name] = "no time left"
            continue
        start = perf_counter()
        source = told.out / name.partition("-")[0]
        use(Machine(device=told.device, jobs=told.jobs, full=True, results=source))
        try:
            job()
            parts[name] = round(perf_counter() - start, 1)
        except Exception as error:  # the other parts are still worth their time
            print_exc()
            parts[name] = repr(error)[:300]
        print(f"--- {name}: {parts[name]}", flush=True)
        log["parts"] = parts
        told.out.mkdir(parents=True, exist_ok=True)
        (told.out / "log.json").write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
