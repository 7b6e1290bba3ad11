"""
What a GPU makes cheap of the sources, at full size: ``python -m papers.gpu FOLDER OUT``.

Parts are run in this order, some at a time, until the time is over; each writes its tables and
curves when it is done, and ``log.json`` says how long each took and on what.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, time
from traceback import print_exc

import numpy as np

import evenfold as ef
from evenfold_lab import arrays
from papers import curves, nb, r19, r19_gains, w14, w14_figures
from papers._table import Machine, publish, use
from papers.r19_draws import Run


def jobs(folder: str, scale: float, out: Path) -> dict[str, Callable[[], None]]:
    """The parts by name, in order of worth."""
    run = Run(folder=folder, scale=scale, store=None)

    def table(part: str) -> Callable[[], None]:
        return lambda: publish(list(r19.PARTS[part](run)))

    def gain(part: str) -> Callable[[], None]:
        return lambda: publish(list(r19_gains.PARTS[part](run)))

    def curve(part: str) -> Callable[[], None]:
        return lambda: curves.run([part], folder, scale, out / part.partition("-")[0])

    def w14_table(number: int) -> Callable[[], None]:
        if number in (2, 3):
            return lambda: publish([w14.table_2_or_3(number, folder, scale, None)])
        return lambda: publish([w14.table_6_or_7(number, folder, scale, None)])

    def table_4(key: str) -> Callable[[], None]:
        return lambda: publish([w14.table_4(key, scale, None)])

    return {
        "nb-figures-letters": curve("nb-letters"),
        "nb-figures-gaussians": curve("nb-gaussians"),
        "nb-figures-regression": curve("nb-regression"),
        "nb-bootstrap": curve("nb-bootstrap"),
        **{f"r19-{part}": gain(part) for part in r19_gains.PARTS},
        "r19-variance-estimates": table("variance-estimates"),
        "w14-first": curve("w14-first"),
        **{f"w14-4-{key}": table_4(key) for key in ("nb", "svm", "cr")},
        "r19-2.4": curve("r19-2.4"),
        "r19-3.2": curve("r19-3.2"),
        "r19-2.3": curve("r19-2.3"),
        **{f"r19-partitions-{d}": table(f"partitions-{d}") for d in _PARTITIONS},
        **{f"r19-designs-{d}": table(f"designs-{d}") for d in _DESIGNS},
        "w14-2": w14_table(2),
        "r19-letters": table("letters"),
        "w14-trees": lambda: publish([w14_figures.other_trees(folder, scale)]),
        "r19-coefficients-SREG": table("coefficients-SREG"),
        "r19-coefficients-SCLA": table("coefficients-SCLA"),
        "r19-partitions-WQ": table("partitions-WQ"),
        "r19-figures-toy": curve("r19-toy"),
        "r19-figures-letters": curve("r19-letters"),
        "r19-example-6.1": table("example-6.1"),
        "w14-6": w14_table(6),
        "w14-7": w14_table(7),
        "w14-3": w14_table(3),
        "w14-powers": curve("w14-powers"),
        "nb-gaussians": lambda: publish(nb.reproduce("gaussians", folder, scale, None)),
        "nb-letters": lambda: publish(nb.reproduce("letters", folder, scale, None)),
        "nb-regression": lambda: publish(nb.reproduce("regression", folder, scale, None)),
    }


_PARTITIONS = ("SCLA", "LETTER", "CON", "ADULT", "AQ", "SREG")
_DESIGNS = (
    "iris", "glass", "wdbc", "krvskp", "wave", "pageblock", "spambase", "optdigits", "yeast",
    "SCLA",
    "letter", "SREG",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Stream:
    """One of several processes that share a GPU: while one draws and cuts, others fit."""

    folder: str
    out: Path
    device: str
    jobs: int
    scale: float
    until: float

    def part(self, name: str) -> float | str:
        """Run one part, if there is time; return its seconds, or why it has none."""
        if time() > self.until:
            return "no time left"
        start = perf_counter()
        use(
            Machine(
                device=self.device,
                jobs=self.jobs,
                full=True,
                results=self.out / name.partition("-")[0],
            )
        )
        try:
            jobs(self.folder, self.scale, self.out)[name]()
        except Exception as error:  # the other parts are still worth their time
            print_exc()
            return repr(error)[:300]
        return round(perf_counter() - start, 1)


def share_memory(streams: int) -> None:
    """Leave each of several processes its part of the memory."""
    arrays._BYTES *= streams


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
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=500.0)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--skip", nargs="*", default=[])
    options = parser.parse_args()
    stream = Stream(
        folder=options.folder, out=options.out, device=options.device, jobs=options.jobs,
        scale=options.scale,
        until=time() + options.seconds,
    )  # fmt: skip
    about = {
        "device": device_name(options.device),
        "evenfold": ef.__version__,
        "numpy": np.__version__,
    }
    log: dict[str, object] = {
        **about,
        "python": sys.version.split()[0],
        "scale": options.scale,
        "parts": {},
    }
    parts: dict[str, object] = {}
    names = options.only or [
        n for n in jobs(options.folder, options.scale, options.out) if n not in options.skip
    ]
    context = get_context("spawn")
    options.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(
        options.streams, mp_context=context, initializer=share_memory, initargs=(options.streams,)
    ) as pool:
        running = {pool.submit(stream.part, name): name for name in names}
        for done in as_completed(running):
            name = running[done]
            parts[name] = done.result()
            print(f"--- {name}: {parts[name]}", flush=True)
            log["parts"] = parts
            (options.out / "log.json").write_text(
                json.dumps(log, indent=1) + "\n", encoding="utf-8"
            )


if __name__ == "__main__":
    main()
