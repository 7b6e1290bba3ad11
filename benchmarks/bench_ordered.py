"""Tests of forecasts: 1000 series of 500 times, p-value and interval, in less than a second."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import evenfold as ef
from benchmarks._timing import seconds
from evenfold.core.rng import stream
from evenfold_lab.populations import Forecasters

SERIES, TIMES, HORIZON, MOST = 1000, 500, 4, 1.0


def both(estimate: Any) -> None:
    """Ask for what is computed when asked for."""
    _ = estimate.pvalue, estimate.confidence_interval()


def main() -> None:
    d = Forecasters(horizon=HORIZON).draw_path(TIMES, SERIES, stream(0, "speed"))
    within, three = np.tanh(d), np.stack([d, d[::-1], np.roll(d, 1, axis=0)], axis=1)
    tests: dict[str, Callable[[], Any]] = {
        "diebold-mariano": lambda: both(ef.infer.diebold_mariano(d, horizon=HORIZON)),
        "giacomini-white": lambda: both(ef.infer.giacomini_white(d, horizon=HORIZON)),
        "giacomini-white-conditional": lambda: (
            ef.infer.giacomini_white_conditional(d, horizon=HORIZON).pvalue
        ),
        "anytime, drift": lambda: both(ef.infer.anytime(within, low=-1, high=1)),
        "model-confidence-set of three": lambda: (
            ef.infer.model_confidence_set(three, horizon=HORIZON).pvalues
        ),
    }
    print(f"{SERIES} series × {TIMES} times, horizon {HORIZON}; the goal is {MOST:g} s")
    for name, test in tests.items():
        took = seconds(test, clock=perf_counter)
        print(f"{name:30} {took:.3f} s {'' if took < MOST else 'MISSED'}")


if __name__ == "__main__":
    main()
