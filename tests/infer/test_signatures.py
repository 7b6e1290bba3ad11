"""What editors and type checkers see of the methods and of the front door."""

import re
import subprocess
import sys
from inspect import cleandoc, getsource, signature, unwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest

import evenfold as ef
from evenfold.core.inputs import JudgeKeywords, PlanKeywords

ROOT = Path(__file__).parents[2]
CALLS = """
import numpy as np
import evenfold as ef

d = np.zeros((3, 2))
reveal_type(ef.infer.mx2_t)
reveal_type(ef.infer.corrected_resampled_t([0.1, 0.2], n_train=90, n_test=10, null=0.1))
reveal_type(ef.infer.cv_theta5([[0.1, 0.2], [0.3, 0.4]]).bias)
reveal_type(ef.infer.tango_exact(9, 4, 100, alternative="less").pvalue)
reveal_type(ef.run.UnderSampled)
reveal_type(ef.testing.check_method)
reveal_type(ef.judge({}, rows="data sets"))
reveal_type(ef.judge({}, rows="examples"))
reveal_type(ef.plan(0.02, rows="runs", sigma=0.01).runs)
reveal_type(ef.plan(0.02, sigma=0.01, n=500).repetitions)
ef.infer.mx2_t(d, nul=0.1)  # wrong: no such keyword
ef.infer.mx2_t(d, alternative="bigger")  # wrong: no such side
ef.infer.mx2_t()  # wrong: no data
ef.infer.corrected_resampled_t(d)  # wrong: sizes are needed
ef.infer.cv_theta5([d]).pvalue  # wrong: a variance has none
ef.infer.mx2_tt(d)  # wrong: no such method
ef.compair  # wrong: no such name
ef.compare([], d, d, levle=0.1)  # wrong: no such keyword
ef.compare([], d, d, alternative="bigger")  # wrong: no such side
ef.judge({}, rows="rows")  # wrong: no such rows
"""
REVEALED = [
    r"def \(d: .*, \*, null: float =, alternative: .*greater.* =\) -> .*\.PivotEstimate",
    r"evenfold\.core\.estimate\.PivotEstimate",
    r"(builtins\.)?str",
    r"numpy\.ndarray\[.*, numpy\.dtype\[numpy\.float64\]\]",
    r"def \(.*\) -> evenfold\.run\.undersampled\.UnderSampled",
    r"def \(key: .*\)",
    r"evenfold\.comparison\.across\.AcrossDataSets",
    r"evenfold\.comparison\.result\.Comparison",
    r".*int.*None.*",
    r".*int.*None.*",
]


def test_python_knows_the_same_signature() -> None:
    own = signature(ef.infer.corrected_resampled_t)
    assert list(own.parameters) == ["d", "n_train", "n_test", "null", "alternative"]
    assert own.parameters["null"].default == 0.0
    assert own.return_annotation.__name__ == "PivotEstimate"


@pytest.mark.parametrize("key", ef.infer.methods())
def test_a_method_has_the_signature_and_the_docstring_of_its_source(key: str) -> None:
    function = ef.infer.methods()[key].function
    plain: Any = function.__wrapped__  # type: ignore[attr-defined]  # as functools.wraps leaves it
    assert signature(function) == signature(plain)
    assert not hasattr(plain, "__signature__")
    source = cleandoc(getsource(plain))
    assert cleandoc(plain.__doc__).splitlines()[0] in source
    parameters = re.split(r"^(?:Parameters|Returns)\n-+\n", cleandoc(plain.__doc__), flags=re.M)[1]
    told = re.findall(r"^([\w, ]+) : ", parameters, flags=re.MULTILINE)
    assert [name for names in told for name in names.split(", ")] == list(
        signature(plain).parameters
    )


DATA = {"X", "y", "table", "data_sets", "groups", "order", "features", "sample_weight", "positive"}
DATA |= {"candidate", "baseline", "fresh"}  # tables of keep


@pytest.mark.parametrize(
    "name", ["across", "board", "compare", "judge", "keep", "load", "plan", "reopen", "runs"]
)
def test_only_data_may_be_anything_at_the_front_door(name: str) -> None:
    own = signature(getattr(ef, name))
    assert {one.name for one in own.parameters.values() if one.annotation is Any} <= DATA
    assert own.return_annotation is not Any


def test_the_keywords_of_overloads_are_those_of_the_function() -> None:
    for function, keywords, others in (
        (ef.judge, JudgeKeywords, {"table", "rows"}),
        (ef.plan, PlanKeywords, {"difference", "pilot", "rows", "differ", "accuracy"}),
    ):
        own = signature(function).parameters
        assert {*own} == {*keywords.__annotations__} | others
        shared = {name: own[name].annotation for name in keywords.__annotations__}
        namespace = SimpleNamespace(__annotations__=shared)
        types = get_type_hints(namespace, unwrap(function).__globals__)
        for name, annotation in keywords.__annotations__.items():
            assert annotation == types[name], name


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What mypy says of each line of the calls."""
    script = tmp_path_factory.mktemp("typed") / "typed_calls.py"
    script.write_text(CALLS, encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(script)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1, done.stdout + done.stderr
    # a cached answer names the folder of an earlier test
    lines = re.findall(
        r"typed_calls\.py:(\d+): (error.*|note: Revealed.*)$", done.stdout, re.MULTILINE
    )
    return {int(number): words for number, words in lines}


def test_mypy_sees_what_a_call_takes_and_returns(said: dict[int, str]) -> None:
    places = [i for i, line in enumerate(CALLS.splitlines(), 1) if line.startswith("reveal_type")]
    for place, expected in zip(places, REVEALED, strict=True):
        assert re.search(f'Revealed type is "{expected}"', said[place]), said[place]


def test_mypy_refuses_every_wrong_call_and_no_right_one(said: dict[int, str]) -> None:
    wrong = {i for i, line in enumerate(CALLS.splitlines(), 1) if "# wrong" in line}
    assert {place for place, words in said.items() if words.startswith("error")} == wrong
