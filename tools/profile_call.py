"""
Count what one warm call passes through: modules, record types and functions of evenfold.

    python -m tools.profile_call [--names]

Two calls are counted, ``print(ef.compare(two, X, y))`` and ``print(ef.judge(table))``, each the
second time that it is made, when everything is loaded and cached. A module counts if one of its
functions is called, a record type if one of its dataclasses is constructed. Comprehensions are
functions up to Python 3.11. ``--names`` lists everything.
"""

import argparse
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, is_dataclass
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import evenfold as ef

PACKAGE = Path(ef.__file__).parent
Call = Callable[[], Any]


@dataclass(frozen=True, kw_only=True)
class Passed:
    """What a call passed through, by name."""

    modules: tuple[str, ...]
    records: tuple[str, ...]
    functions: tuple[str, ...]


def profile(call: Call) -> Passed:
    """Make a call twice, and return what the second one passed through."""
    call()
    codes: set[CodeType] = set()
    records: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(str(PACKAGE)):
            codes.add(code)
        elif code.co_name == "__init__":  # dataclasses have one that stands in no file
            made = type(frame.f_locals.get("self"))
            if is_dataclass(made) and made.__module__.startswith("evenfold."):
                records.add(f"{made.__module__}.{made.__qualname__}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return Passed(
        modules=tuple(sorted({_module(code) for code in codes})),
        records=tuple(sorted(records)),
        functions=tuple(sorted({f"{_module(code)}.{code.co_qualname}" for code in codes})),
    )


def _module(code: CodeType) -> str:
    path = Path(code.co_filename).relative_to(PACKAGE.parent).with_suffix("")
    return ".".join(path.parts).removesuffix(".__init__")


def compare_two() -> None:
    """Compare two classifiers on a table that scikit-learn bundles, by the default."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    two = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}
    X, y = load_breast_cancer(return_X_y=True)
    with redirect_stdout(StringIO()):
        print(ef.compare(two, X, y, random_state=0))


def judge_table() -> None:
    """Judge a long frame of right and wrong answers of two models."""
    import pandas as pd

    rng = np.random.default_rng(0)
    parts = [
        pd.DataFrame({"algorithm": name, "example": range(200), "value": rng.random(200) < share})
        for name, share in (("a", 0.6), ("b", 0.8))
    ]
    table = pd.concat(parts).astype({"value": int})
    with redirect_stdout(StringIO()):
        print(ef.judge(table, higher_is_better=True))


CALLS = {"print(ef.compare(two, X, y))": compare_two, "print(ef.judge(table))": judge_table}


def main() -> None:
    """Print the counts of both calls."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    parser.add_argument("--names", action="store_true", help="list them")
    names = parser.parse_args().names
    print(f"{'':30}{'modules':>8}{'records':>9}{'functions':>11}")
    for words, call in CALLS.items():
        counts = profile(call)
        numbers = len(counts.modules), len(counts.records), len(counts.functions)
        print("{:30}{:8}{:9}{:11}".format(words, *numbers))
        if names:
            listed = [*counts.modules, *counts.records, *counts.functions]
            print("\n".join(f"    {entry}" for entry in listed))


if __name__ == "__main__":
    main()
