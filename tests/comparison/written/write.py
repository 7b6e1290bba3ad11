"""
Write the files that later versions must still read: answers, loops, histories and stores.

    PYTHONPATH=. python tests/comparison/written/write.py

The files in ``0.2`` were written by version 0.2.0; ``index.json`` holds the numbers and the
sentences that they had then. All are packed with xz. **They must never be written again by a later
version**: they are what users of version 0.2 have on their disks. The script stays so that one can
see how they were made; it refuses to run on any other version.
"""

import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tools.calls import all_calls, fitting, shell, tables
from tools.record_calls import numbers_of, words_of
from typer.testing import CliRunner

import evenfold as ef
from evenfold.cli import app

VERSION = "0.2.0"
FOLDER = Path(__file__).parent / "0.2"
ANSWERS = (
    *(f"compare/{name}" for name in (
        "one", "two", "two-far", "three", "eight", "baseline", "best", "full", "full-three",
        "full-margin", "curve", "margin", "margin-near", "not-worse", "not-worse-three", "greater",
        "adjust-bonferroni", "adjust-benjamini-hochberg", "max-t-five", "several-measures",
        "measure-log", "measure-f1", "measure-auc", "measure-balanced-accuracy", "scorer",
        "weighted", "numbers-squared", "numbers-rmse", "design-mx2-bcv-5", "design-kfold-10",
        "design-loo", "design-rlt", "design-brlt", "design-holdout", "design-nested",
        "design-three", "method-mx2-t", "method-mx2-sequential-t", "method-5x2-t",
        "method-bayes-correlated-t", "method-bayes-f1", "method-mcnemar", "groups-many",
        "groups-few", "ordered", "ordered-three", "failed-some", "failed-all",
        "failed-some-of-two",
    )),
    *(f"across/{name}" for name in ("two", "baseline", "partial")),
    *(f"judge/{name}" for name in (
        "right", "right-margin", "right-one", "right-four", "right-baseline", "right-unpaired",
        "right-clusters", "right-dropped", "right-permutation", "right-bounded-mean",
        "right-anytime", "gate-good", "gate-bad", "gate-early", "values", "values-three",
        "values-max-t", "values-not-worse", "values-unpaired", "values-weighted",
        "predictions-several", "predictions-f1", "predictions-auc", "labelled", "times", "runs",
        "runs-paired", "runs-crossed", "trials-pass@2", "folds", "folds-three", "folds-bayes",
        "splits", "data-sets", "data-sets-two", "battles", "tasks", "tasks-each", "slices",
    )),
    *(f"board/{name}" for name in ("tasks", "dropped", "battles", "trials")),
)  # fmt: skip


def write_file(name: str, content: bytes) -> None:
    """Write one file, packed."""
    (FOLDER / f"{name}.xz").write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


def write_answers() -> dict[str, Any]:
    """Write an answer of every kind, and return what each of them says."""
    calls = all_calls()
    index = {}
    for name in ANSWERS:
        answer = calls[name]()
        file = name.replace("/", "-") + ".json"
        write_file(file, answer.to_json().encode("utf-8"))
        index[file] = said(answer)
    return index


def said(answer: Any) -> dict[str, Any]:
    """Return the numbers and the words of an answer."""
    return {"numbers": numbers_of(answer), "words": words_of(answer)}


def write_loops(folder: Path) -> dict[str, Any]:
    """Write loops of proposals, one of them with items that are held back."""
    index = {}
    for name in ("decisions", "held-back"):
        file = folder / f"keep-{name}.json"
        options = {"shown": "decisions", "horizon": 20}
        if name == "held-back":
            options["hold_back"] = 0.3
        tables.propose(file, options)
        write_file(file.name, file.read_bytes())
        index[file.name] = {"words": str(ef.keep(file)), "numbers": numbers_of(ef.keep(file))}
    return index


def write_history(folder: Path) -> dict[str, Any]:
    """Write a history of two nights, the last of which is worse."""
    shell.write_tables(folder)
    file = folder / "history.json"
    for name in ("good", "bad"):
        words = [*shell.JUDGE, f"{name}.csv", "--history", "history.json"]
        given = [f"{folder}/{word}" if "." in word else word for word in words]
        printed = CliRunner().invoke(app, given).stdout
    write_file(file.name, file.read_bytes())
    lines = [line for line in printed.splitlines() if "nights" in line]
    return {file.name: {"words": lines, "nights": json.loads(file.read_bytes())}}


def write_stores(folder: Path) -> dict[str, Any]:
    """Write stores of runs: by the default, of a race, of several kinds, and of a stopped run."""
    made: dict[str, Callable[[Path], None]] = {
        "default": lambda store: _run(fitting.TWO, store),
        "race": lambda store: _run(fitting.FIVE, store, question="best"),
        "several": _run_several,
        "stopped": _run_and_stop,
    }
    index = {}
    for name, make in made.items():
        store = folder / f"store-{name}.db"
        make(store)
        write_file(store.name, store.read_bytes())
        index[store.name] = {
            "runs": [[one.id, *one.cells[2:]] for one in ef.runs(store)],
            "reopened": {
                one.id: said(ef.reopen(store, one.id))
                for one in ef.runs(store)
                if one.verdict != "unfinished"
            },
        }
    return index


def _run(algorithms: Any, store: Path, **options: Any) -> None:
    fitting.compare(algorithms, store=store, **options)


def _run_several(store: Path) -> None:
    """Three algorithms, a design of a fixed size, one algorithm alone, two measures."""
    _run(fitting.THREE, store, baseline="bayes", adjust="bonferroni")
    _run(fitting.TWO, store, design=ef.KFold(5), margin=0.1)
    _run({"bayes": fitting.LEARNERS["bayes"]}, store, design=ef.Mx2BCV(3))
    _run(fitting.FAR, store, measure=["zero-one", "log"])


def _run_and_stop(store: Path) -> None:
    """Be interrupted at the first look, when three repetitions are in the store."""
    with patch("evenfold.run.api.run_from", side_effect=KeyboardInterrupt):
        try:
            _run(fitting.TWO, store)
        except KeyboardInterrupt:
            return
    sys.exit("the run was not stopped")


def main() -> None:
    """Write all files and their index."""
    if ef.__version__ != VERSION:
        sys.exit(f"these files are of version {VERSION}, but this is {ef.__version__}")
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        index = {
            **write_answers(),
            **write_loops(Path(folder)),
            **write_history(Path(folder)),
            **write_stores(Path(folder)),
        }
    text = json.dumps(index, indent=1, sort_keys=True, ensure_ascii=False)
    write_file("index.json", f"{text}\n".encode())
    print(f"{len(index)} files")


if __name__ == "__main__":
    main()
