"""The package of docs/extending, installed into an empty place: evenfold knows its six things."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PACKAGE = Path(__file__).parents[1] / "docs" / "extending" / "package"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the package beside ours and return the variables of a process that sees both."""
    place = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(place), str(PACKAGE)], check=True, capture_output=True)
    paths = [str(place), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def run(environment: dict[str, str], *words: str, where: Path) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        env=environment,
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_kits_pass_all_six(environment: dict[str, str], tmp_path: Path) -> None:
    run(
        environment,
        "-c",
        "import evenfold as ef\n"
        "from evenfold_extras.shoebox import Shoebox\n"
        "ef.testing.check_method('cautious-kfold-t')\n"
        "ef.testing.check_measure(ef.run.measures()['capped'])\n"
        "ef.testing.check_design(ef.design.design_from('interleaved:5'))\n"
        "ef.testing.check_store(Shoebox)\n"
        "ef.testing.check_format('line')\n"
        "ef.testing.check_reader('tally', 'main 1101\\nbranch 1111')\n",
        where=tmp_path,
    )


def test_the_command_line_knows_them(environment: dict[str, str], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    rows = "".join(f"{a},{a + b}\n" for a, b in zip(x, rng.normal(size=60), strict=True))
    (tmp_path / "data.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    assert "cautious-kfold-t" in run(environment, "-m", "evenfold", "methods", where=tmp_path)
    said = run(
        environment, "-m", "evenfold", "compare", "data.csv", "--target", "y",
        "--a", "sklearn.dummy:DummyRegressor", "--b", "sklearn.linear_model:LinearRegression",
        "--measure", "capped", "--design", "interleaved:5", "--method", "cautious-kfold-t",
        "--seed", "0", "--write", "line=answer.txt", where=tmp_path,
    )  # fmt: skip
    assert "capped error" in said
    assert "LinearRegression" in (tmp_path / "answer.txt").read_text(encoding="utf-8")


def test_the_default_test_reads_the_measure_and_a_store_keeps_the_run(
    environment: dict[str, str], tmp_path: Path
) -> None:
    said = run(
        environment,
        "-c",
        "import numpy as np, evenfold as ef\n"
        "from sklearn.dummy import DummyRegressor\n"
        "from sklearn.linear_model import LinearRegression\n"
        "X = np.random.default_rng(0).normal(size=(60, 1)); y = X[:, 0] + np.sin(9 * X[:, 0])\n"
        "both = {'mean': DummyRegressor(), 'line': LinearRegression()}\n"
        "asked = dict(measure='capped', random_state=0, store='shoebox://one')\n"
        "first = ef.compare(both, X, y, **asked)\n"
        "again = ef.compare(both, X, y, **asked)\n"
        "print(again.fits, again.reused == first.fits, first.losses.examples is not None)\n",
        where=tmp_path,
    )
    assert said.split() == ["0", "True", "True"]


def test_extensions_import_evenfold_extend_alone() -> None:
    page = (PACKAGE.parent / "index.md").read_text(encoding="utf-8")
    prompted = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    for code in [*(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")), *prompted]:
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("evenfold"):
                assert node.module == "evenfold.extend" or [one.name for one in node.names] == [
                    "extend"
                ]
            elif isinstance(node, ast.Import):
                assert not [one.name for one in node.names if one.name.startswith("evenfold.")]


@pytest.fixture(scope="module")
def with_trimmed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Copy evenfold, add the module of the page and nothing else, and return its variables."""
    place = tmp_path_factory.mktemp("source")
    source = PACKAGE.parents[2] / "src" / "evenfold"
    shutil.copytree(source, place / "evenfold", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE.parent / "method" / "trimmed.py", place / "evenfold" / "infer")
    return {**os.environ, "PYTHONPATH": str(place)}


def test_a_module_is_all_that_a_method_needs(with_trimmed: dict[str, str], tmp_path: Path) -> None:
    said = run(
        with_trimmed,
        "-c",
        "import numpy as np, evenfold as ef\n"
        "from sklearn.dummy import DummyRegressor\n"
        "from sklearn.linear_model import LinearRegression\n"
        "print('trimmed_resampled_t' in ef.infer.__all__)\n"
        "entry = ef.infer.methods()['trimmed-resampled-t']\n"
        "print(entry.function is ef.infer.trimmed_resampled_t)\n"
        "X = np.random.default_rng(0).normal(size=(60, 1)); y = X[:, 0] + np.sin(9 * X[:, 0])\n"
        "both = {'mean': DummyRegressor(), 'line': LinearRegression()}\n"
        "c = ef.compare(both, X, y, method='trimmed-resampled-t', random_state=0)\n"
        "print(c.estimate.method, c.estimate.card)\n",
        where=tmp_path,
    )
    assert said.split() == ["True", "True", "trimmed-resampled-t", "None"]
    listed = run(with_trimmed, "-m", "evenfold", "methods", where=tmp_path)
    assert "trimmed-resampled-t" in [line.split()[0] for line in listed.splitlines()]


def test_the_tests_of_the_page_pass_as_written(
    with_trimmed: dict[str, str], tmp_path: Path
) -> None:
    page = (PACKAGE.parent / "method.md").read_text(encoding="utf-8")
    (tests,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    code = (
        "import sys\n"
        "tests = {}\n"
        "exec(sys.argv[1], tests)\n"
        "print(len([test() for name, test in tests.items() if name.startswith('test_')]))\n"
    )
    assert run(with_trimmed, "-c", code, tests, where=tmp_path).split() == ["2"]
