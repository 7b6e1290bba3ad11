"""
What the other files of this folder do not ask.

a right call of each function, then one argument spoiled.

The last test lists all public names: each is asked nonsense somewhere, or there is a reason why
not.
"""

import os
from collections.abc import Callable, Mapping
from inspect import Parameter, isclass, ismodule, signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from tests.cli.conftest import write_csv
from tests.fuzz import test_designs, test_infer
from tests.fuzz.refusals import asked
from tests.fuzz.test_lab import NONSENSE, STUDIES, TAGGERS, TEXTS
from typer.main import get_command
from typer.testing import CliRunner

import evenfold as ef
import evenfold_lab.cli
from evenfold.cli import app

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 20
X = np.random.default_rng(0).normal(size=(40, 2))
y = np.tile([0, 1], 20)
PAIR = {"a": DummyClassifier(), "b": GaussianNB()}
NUMBERS = np.linspace(0, 1, 40)
HALVES = ef.Mx2BCV(3, random_state=0).partition(40)
TAGS = [["B-X", "I-X"], ["O"]]
POPULATION: Any = ef.lab.population("two-gaussians")
FEW: dict[str, Any] = {"replications": 20, "random_state": 0}


def _undersampled(estimator: Any, **options: Any) -> Any:
    return ef.run.run([ef.run.UnderSampled(estimator, **options)], HALVES, X, y, seed=0)


Calls = Mapping[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]


def _scores() -> Any:
    """Three models on eight tasks."""
    rng = np.random.default_rng(0)
    models = np.repeat(["a", "b", "c"], 8)
    tasks = np.tile([f"t{k}" for k in range(8)], 3)
    return pd.DataFrame({"model": models, "task": tasks, "value": rng.random(24)})


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    """Right calls of the functions that need files, and of all others."""
    folder = tmp_path_factory.mktemp("right")
    store, table = (
        folder / "runs.db",
        write_csv(folder / "t.csv", {"x": X[:, 0].tolist(), "y": y.tolist()}),
    )
    done: Any = ef.compare(PAIR, X, y, random_state=0, store=store)
    run_id = ef.runs(store)[0].id
    (folder / "c.json").write_text(done.to_json())
    (folder / "t.conll").write_text("a B-X\nb I-X\n\nc O\n")
    (folder / "words.txt").write_text("a/N b/V\nc/N\n")
    first, second = POPULATION.algorithms()[:2]
    return {
        "load": (ef.load, (folder / "c.json",), {}),
        "runs": (ef.runs, (store,), {}),
        "reopen": (ef.reopen, (store, run_id), {}),
        "run.load": (ef.run.load, (store, run_id), {}),
        "run.run": (
            ef.run.run,
            (PAIR, HALVES, X, y),
            {"seed": 0, "measures": "zero-one", "n_jobs": 1},
        ),
        "run.grow": (
            ef.run.grow,
            (PAIR, lambda before: HALVES if before is None else None, X, y),
            {"stop": lambda run: True, "seed": 0},  # noqa: ARG005  (never asks)
        ),
        "run.measure": (ef.run.measure, (np.subtract,), {"higher_is_better": True, "name": "m"}),
        "run.chunk_counts": (ef.run.chunk_counts, (TAGS, TAGS), {"scheme": "IOB2"}),
        "run.fpa": (ef.run.fpa, (y, NUMBERS), {}),
        "run.cost": (ef.run.cost, ([[0, 1], [5, 0]],), {}),
        "run.f_beta": (ef.run.f_beta, (2.0,), {}),
        "run.kappa": (ef.run.kappa, ("linear",), {}),
        "run.partial_auc": (ef.run.partial_auc, (0.2,), {}),
        "run.pinball": (ef.run.pinball, (0.3,), {}),
        "lab.calibrate": (
            ef.lab.calibrate,
            (PAIR, X, y),
            {**FEW, "methods": ["mx2-t"], "n_jobs": 1},
        ),
        "lab.truth": (ef.lab.truth, (POPULATION, first, 12), dict(FEW)),
        "lab.truth_of_difference": (
            ef.lab.truth_of_difference,
            (POPULATION, first, second, 12),
            dict(FEW),
        ),
        "board": (ef.board, (_scores(),), {"higher_is_better": True}),
        "run.left_out": (ef.run.left_out, (Ridge(), X, NUMBERS), {}),
        "run.UnderSampled": (_undersampled, (GaussianNB(),), {"random_state": 0}),
        "read.estimator_from": (ef.read.estimator_from, ("sklearn.dummy:DummyClassifier()",), {}),
        "read.read_table": (ef.read.read_table, (table,), {"target": "y"}),
        "read.read_conll": (ef.read.read_conll, (folder / "t.conll",), {}),
        "read.read_words": (ef.read.read_words, (folder / "words.txt",), {}),
        "report.to_fragment": (ef.report.to_fragment, (done.facts,), {}),
        "report.plot": (ef.report.plot, (done.facts,), {}),
    }


NAMES = [
    *(
        "load",
        "runs",
        "reopen",
        "run.load",
        "run.run",
        "run.grow",
        "run.measure",
        "run.chunk_counts",
        "run.fpa",
    ),
    "board",
    *("run.cost", "run.f_beta", "run.kappa", "run.partial_auc", "run.pinball", "run.left_out"),
    *(
        "run.UnderSampled",
        "lab.calibrate",
        "lab.truth",
        "lab.truth_of_difference",
        "read.estimator_from",
    ),
    *("read.read_table", "read.read_conll", "read.read_words", "report.to_fragment", "report.plot"),
]
COSTLY = ("n_jobs", "device", "progress")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=pytest.mark.guarantee) if one == "lab.calibrate" else one
        for one in NAMES
    ],
)
def test_one_argument_is_nonsense(
    name: str, calls: Calls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # many a word is the name of a store
    rng = np.random.default_rng(sum(map(ord, name)))
    function, given, named = calls[name]
    assert function(*given, **named) is not None
    known = [
        p.name for p in signature(function).parameters.values() if p.kind is Parameter.KEYWORD_ONLY
    ]
    places: list[Any] = [*range(len(given)), *(one for one in known if one not in COSTLY)]
    for _ in range(CALLS):
        right, options = list(given), dict(named)
        place, value = places[rng.integers(len(places))], NONSENSE[rng.integers(len(NONSENSE))]
        if name in ("run.grow", "board") and callable(value):
            continue  # what a function of the caller's raises is the caller's
        if isinstance(place, int):
            right[place] = value
        else:
            options[place] = value
        found = asked(function, *right, **options)
        assert not isinstance(found, float) or not np.isnan(found), (place, value)


LAB: Any = get_command(evenfold_lab.cli.lab)
WORDS = [
    "",
    "x",
    "0",
    "-1",
    "3",
    "0.5",
    "nan",
    "inf",
    "9" * 20,
    "mx2-t",
    "f1",
    "kfold:3",
    "normal-mean",
    "a,b",
    "/",
]


# a line for users, no fault
@pytest.mark.filterwarnings("ignore::evenfold.core.errors.EvenfoldWarning")
@pytest.mark.parametrize("name", [*LAB.commands])
def test_commands_of_the_lab(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(sum(map(ord, name)))
    write_csv(tmp_path / "t.csv", {"x": X[:, 0].tolist(), "y": y.tolist()})
    params = LAB.commands[name].params
    options = [
        word for p in params for word in p.opts if word.startswith("--") and word not in SLOW
    ]
    right = {
        "calibrate": ["t.csv", "--target", "y", "--a", DUMMY, "--b", BAYES],
        "populations": [],
        "cards": [],
        "bench": [*("results.csv", "--population", "coin", "--test", "mx2-t"), *ONE_ROW],
    }
    for _ in range(CALLS // 10):
        words = [*right.get(name, ["normal-mean"])]
        words += ["--replications", "3"] if "--replications" in options else []
        words += ["--seed", "0"] if "--seed" in options else []
        for _ in range(rng.integers(1, 3)):
            words += [str(rng.choice([*options, "--unknown"])), WORDS[rng.integers(len(WORDS))]]
        done = CliRunner().invoke(app, ["lab", name, *words])
        assert done.exit_code in {0, 1, 2, 3, 4}, words
        assert isinstance(done.exception, (SystemExit, type(None))), (words, done.exception)
        if done.exit_code == 2:
            assert done.stderr.splitlines()[-1].startswith("evenfold: "), (words, done.stderr)


SLOW = ("--jobs", "--device", "--help")
ONE_ROW = ("--pair", "majority/tree", "--n", "20", "--data-sets", "2")
DUMMY, BAYES = "sklearn.dummy:DummyClassifier", "sklearn.naive_bayes:GaussianNB"


def _name(thing: Any) -> str:
    return str(thing.__name__)


FUZZED = {
    *NAMES,
    *("compare", "across", "plan"),  # test_compare
    "judge",  # test_judge
    *(f"lab.{_name(one)}" for one in STUDIES),
    "lab.population",  # test_lab
    *(f"text.{_name(one)}" for one in (*TEXTS, *TAGGERS)),
    *(f"design.{_name(one)}" for one in (*test_designs.DESIGNS, *test_designs.FUNCTIONS)),
    *(f"infer.{name}" for name in test_infer.PUBLIC),
}
RETURNED = "is what functions return, or what they raise"
AUTHORS = (
    "is for authors of measures, designs, stores, formats; contract kits check what they write"
)
LISTS = "has no argument"
REASONS = {
    **dict.fromkeys(
        ("AcrossDataSets", "Comparison", "EvenfoldError", "KeepResult", "NotApplicable"), RETURNED
    ),
    "Plan": RETURNED,
    **dict.fromkeys(
        ("ComparisonDisplay", "RankingDisplay"), "test_displays makes them of what is no comparison"
    ),
    "show_versions": "takes no argument",
    "keep": "evals/test_keep tears its file and gives it nonsense",
    **dict.fromkeys(("run.calibration_error", "run.ndcg"), "is a measure, asked by its key"),
    **dict.fromkeys(
        ("design.Certificate", "design.Partition", "run.Predictions", "run.Evaluated"), RETURNED
    ),
    **dict.fromkeys(
        ("run.LeftOut", "run.Quantity", "run.Run", "read.Table", "read.TaggedText"), RETURNED
    ),
    **dict.fromkeys(
        ("report.AcrossFacts", "report.BoardFacts", "report.Facts", "report.Format"),
        "test_files damages their JSON",
    ),
    **dict.fromkeys(
        ("lab.Calibration", "lab.Correlations", "lab.Covariance", "lab.Sample"), RETURNED
    ),
    **dict.fromkeys(("lab.Splits", "lab.Study", "lab.Truth", "testing.BrokenContract"), RETURNED),
    **dict.fromkeys(("design.BalancedDesign", "design.Design", "design.StratifiedDesign"), AUTHORS),
    **dict.fromkeys(("run.Measure", "run.Ratio", "run.Score", "run.Smooth", "run.Store"), AUTHORS),
    **dict.fromkeys(("lab.Algorithm", "lab.Population", "lab.Refitted", "report.format"), AUTHORS),
    **dict.fromkeys(("infer.method",), AUTHORS),
    **dict.fromkeys((f"testing.{one}" for one in ef.testing.__all__), AUTHORS),
    **dict.fromkeys(("run.measures", "run.stores", "lab.populations", "report.formats"), LISTS),
    "lab.Options": "is a type",
    "lab.check_population": AUTHORS,
    **dict.fromkeys((f"extend.{one}" for one in ef.extend.__all__), AUTHORS),
    **dict.fromkeys(("Board", "Note", "Outcome", "PairResult", "Verdict"), RETURNED),
    **dict.fromkeys(("EvenfoldWarning", "InvalidInput"), "is raised, not called"),
}


def test_every_public_name_is_asked_nonsense_or_has_a_reason() -> None:
    public = set()
    for name in (*ef.__all__, "lab"):
        thing = getattr(ef, name)
        public |= {f"{name}.{inner}" for inner in thing.__all__} if ismodule(thing) else {name}
    results = {
        f"infer.{name}"
        for name in ef.infer.__all__
        if isclass(thing := getattr(ef.infer, name)) or ismodule(thing) or not callable(thing)
    }
    shortcuts = {one.__name__ for one in test_designs.DESIGNS}  # also at the top
    assert public - FUZZED - results - shortcuts - set(REASONS) == set()
    assert set(REASONS) - public == set()
    assert set(REASONS) & FUZZED == set()
