"""The command as other programs meet it: a process with arguments, streams and an exit code."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evenfold.cli import loading

pytestmark = pytest.mark.faults

TWO = ("--a", "sklearn.dummy:DummyClassifier", "--b", "sklearn.naive_bayes:GaussianNB")


def process(*words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``evenfold`` as the installed command does."""
    command = [sys.executable, "-c", "from evenfold.cli import main; main()", *map(str, words)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        check=False,
    )


def test_verdict_on_stdout_notes_on_stderr(numbers: Path) -> None:
    folder = numbers.parent
    done = process("compare", numbers.name, "--target", "y", *TWO, "--markdown", "r.md", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("GaussianNB is better than DummyClassifier")
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr.splitlines()[0] == "r.md written"
    wrong = process("compare", "none.csv", "--target", "y", *TWO, cwd=folder)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "evenfold: data must be a file, but there is no file none.csv.\n"


def test_own_modules_in_worker_processes(numbers: Path) -> None:
    folder = numbers.parent
    (folder / "own.py").write_text(
        "from sklearn.base import BaseEstimator, ClassifierMixin\n"
        "class Sign(ClassifierMixin, BaseEstimator):\n"
        "    def __init__(self, column=0): self.column = column\n"
        "    def fit(self, X, y): return self\n"
        "    def predict(self, X): return 1 * (X[:, self.column] > 0)\n"
    )
    words = ("--a", TWO[1], "--b", "own:Sign(column=0)", "--jobs", 2, "--fail-unless", "better")
    done = process("compare", numbers.name, "--target", "y", *words, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("import sys; sys.exit(0)", "Module 'leaves' cannot be imported: SystemExit: 0."),
        (
            "class Leaves:\n"
            "    def __init__(self): raise SystemExit(0)\n"
            "    def fit(self, X, y): return self\n"
            "    def predict(self, X): return X[:, 0]\n",
            "cannot be made: SystemExit: 0",
        ),
    ],
)
def test_who_ends_the_program_does_not_pass_the_gate(numbers: Path, code: str, part: str) -> None:
    folder = numbers.parent
    (folder / "leaves.py").write_text(code)
    words = ("--a", TWO[1], "--b", "leaves:Leaves", "--fail-unless", "better", "--seed", 0)
    done = process("compare", numbers.name, "--target", "y", *words, cwd=folder)
    assert done.returncode == 2
    assert part in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_fit_that_ends_the_program_does_not_pass_the_gate(numbers: Path) -> None:
    folder = numbers.parent
    (folder / "quits.py").write_text(
        "from sklearn.base import BaseEstimator, ClassifierMixin\n"
        "class Quits(ClassifierMixin, BaseEstimator):\n"
        "    def fit(self, X, y): raise SystemExit(0)\n"
        "    def predict(self, X): return X[:, 0]\n"
    )
    words = ("--a", TWO[1], "--b", "quits:Quits", "--fail-unless", "better", "--seed", 0)
    done = process("compare", numbers.name, "--target", "y", *words, cwd=folder)
    assert done.returncode == 1
    assert "SystemExit" in done.stderr or "sys.exit(0)" in done.stderr
    assert "quits was imported from this folder" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("leave", "part"),
    [
        ("os._exit(0)", "ended by itself with code 0"),
        pytest.param(
            "os.kill(os.getpid(), 9)",
            "was ended by signal 9",
            marks=pytest.mark.skipif(os.name != "posix", reason="signals are codes elsewhere"),
        ),
    ],
)
def test_a_process_that_ends_without_an_answer_does_not_pass_the_gate(
    numbers: Path, leave: str, part: str
) -> None:
    folder = numbers.parent
    (folder / "vanishes.py").write_text(
        "import os\n"
        "from sklearn.base import BaseEstimator, ClassifierMixin\n"
        "class Vanishes(ClassifierMixin, BaseEstimator):\n"
        f"    def fit(self, X, y): {leave}\n"
        "    def predict(self, X): return X[:, 0]\n"
    )
    words = ("--a", TWO[1], "--b", "vanishes:Vanishes", "--fail-unless", "better", "--seed", 0)
    done = process("compare", numbers.name, "--target", "y", *words, cwd=folder)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == f"evenfold: the process {part} before it had an answer; nothing was decided"


def test_a_terminal_without_unicode(tmp_path: Path) -> None:
    done = process("design", "holdout:0.7", "--n", 9, cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "overlap of two training sets   \\u2013" in done.stdout


def test_completion_knows_methods_and_designs(tmp_path: Path) -> None:
    for words, found in (("--method mx2-s", "mx2-sequential-t"), ("--design nes", "nested-rlt")):
        line = f"evenfold compare {words}"
        done = process(
            cwd=tmp_path,
            _EVENFOLD_COMPLETE="complete_zsh",
            _TYPER_COMPLETE_ARGS=line,
        )
        assert found in done.stdout, done.stderr


def test_help_loads_no_heavy_library(tmp_path: Path) -> None:
    heavy = ("sklearn", "pandas", "joblib", "sqlalchemy", "matplotlib", "jinja2", "evenfold.infer")
    code = (
        "import sys, atexit; from evenfold.cli import main\n"
        f"atexit.register(lambda: print([m for m in {heavy!r} if m in sys.modules]))\n"
        "sys.argv[1:] = ['compare', '--help']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(os.name != "posix", reason="pipes are closed so on POSIX only")
def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m evenfold methods | true"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_seen_enough_is_no_mistake() -> None:
    command = [sys.executable, "-m", "evenfold", "methods"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


INTERRUPTED = (
    "evenfold: interrupted. Nothing is kept. With --store runs.db and --seed 0 the same "
    "command could continue."
)


def test_ctrl_c_while_libraries_are_loaded_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    done = process(
        "methods", cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    )
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (130, "", [INTERRUPTED])


KEPT = (
    "evenfold: interrupted. Finished fits are in the store. "
    "Give the same command again, with the same --seed, to continue."
)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("store", [(), ("--store", "runs.db")], ids=["no store", "store"])
def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(
    numbers: Path, store: tuple[str, ...]
) -> None:
    (numbers.parent / "waits.py").write_text(
        "import os, pathlib, signal\n"
        "from sklearn.naive_bayes import BernoulliNB\n"
        "class Waits(BernoulliNB):\n"
        "    def fit(self, X, y):\n"
        "        count = pathlib.Path('count')\n"
        "        count.write_text(count.read_text() + '.' if count.exists() else '.')\n"
        "        if count.read_text() == '...':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "        return super().fit(X, y)\n"
    )
    words = [
        "compare",
        numbers.name,
        "--target",
        "y",
        "--a",
        TWO[1],
        "--b",
        "waits:Waits",
        "--seed",
        "0",
    ]
    words += ["--design", "kfold:5", "--jobs", "1", *store]
    ended = process(*words, cwd=numbers.parent)
    assert ended.returncode == 130, ended.stderr
    assert ended.stdout == ""
    assert ended.stderr.splitlines()[-1] == (KEPT if store else INTERRUPTED)
    again = process(*words, cwd=numbers.parent)
    assert again.returncode == 0, again.stderr
    assert ("reused" in again.stdout) is bool(store)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("gate", [(), ("--fail-unless", "inconclusive")], ids=["plain", "gate"])
@pytest.mark.parametrize("times", [1, 6])
def test_an_interrupt_that_somebody_swallows_is_one_still(
    numbers: Path, gate: tuple[str, ...], times: int
) -> None:
    (numbers.parent / "swallows.py").write_text(
        "import os, signal\n"
        "from sklearn.dummy import DummyClassifier\n"
        "class Swallows(DummyClassifier):\n"
        "    def fit(self, X, y):\n"
        f"        for _ in range({times}):\n"
        "            try:\n"
        "                os.kill(os.getpid(), signal.SIGINT)\n"
        "            except BaseException:\n"
        "                pass\n"
        "        return super().fit(X, y)\n"
    )
    words = (
        "compare",
        numbers.name,
        "--target",
        "y",
        "--a",
        TWO[1],
        "--b",
        "swallows:Swallows",
        *gate,
    )
    done = process(*words, "--design", "kfold:3", "--jobs", 1, cwd=numbers.parent)
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines().count(INTERRUPTED) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="streams are closed so on POSIX only")
@pytest.mark.parametrize("gate", ["", "--fail-unless inconclusive"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback(tmp_path: Path, gate: str, closed: str) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "0.5,0.6\n0.6,0.5\n" * 5)
    words = f"judge t.csv --rows examples --higher-is-better {gate}"
    command = f"'{sys.executable}' -m evenfold {words} {closed}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


SIGN = (
    "from sklearn.base import BaseEstimator, ClassifierMixin\n"
    "class Sign(ClassifierMixin, BaseEstimator):\n"
    "    def fit(self, X, y): return self\n"
    "    def predict(self, X): return 1 * (X[:, 0] > 0)\n"
)


def test_files_beside_the_data_are_not_imported_unless_they_are_named(numbers: Path) -> None:
    folder = numbers.parent
    for name in ("bottleneck", "numexpr", "lz4", "xlrd", "cupy", "numba_cuda", "typing_extensions"):
        (folder / f"{name}.py").write_text(
            "import pathlib; pathlib.Path(__file__ + '.ran').touch()\n"
        )
    (folder / "own.py").write_text("import pandas, joblib\n" + SIGN)
    words = (
        "compare",
        numbers.name,
        "--target",
        "y",
        "--a",
        TWO[1],
        "--b",
        "own:Sign",
        "--jobs",
        "2",
    )
    command = [sys.executable, "-m", "evenfold", *words, "--design", "kfold:3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    assert "own was imported from this folder" in done.stderr
    assert [file.name for file in folder.glob("*.ran")] == []


def test_what_a_named_module_imports_from_the_folder_must_be_trusted(numbers: Path) -> None:
    folder = numbers.parent
    (folder / "helpers.py").write_text(SIGN)
    (folder / "own.py").write_text("from helpers import Sign\n")
    words = ("compare", numbers.name, "--target", "y", "--a", TWO[1], "--b", "own:Sign")
    done = process(*words, cwd=folder)
    assert done.returncode == 2
    assert "Use --trust helpers to have it imported" in done.stderr
    trusted = process(*words, "--trust", "helpers", "--jobs", 2, cwd=folder)
    assert trusted.returncode == 0, trusted.stderr
    assert "helpers was imported from this folder" in trusted.stderr


def test_what_listens_for_ctrl_c_first_loads_nothing_that_takes_time() -> None:
    tree = ast.parse(Path(loading.__file__).read_text())
    imports = [
        one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names
    ]
    assert imports == ["os", "signal", "sys"]
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))


def test_the_package_loads_nothing_that_takes_time_before_the_command_listens() -> None:
    """Both doors of the command: the package's own file, and that of ``python -m evenfold``."""
    home = Path(loading.__file__).parents[1]
    for name, allowed in (("__init__.py", {"importlib"}), ("__main__.py", {"os", "sys"})):
        tree = ast.parse((home / name).read_text(encoding="utf-8"))
        loaded = {
            one.name for node in tree.body if isinstance(node, ast.Import) for one in node.names
        }
        loaded |= {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
        assert loaded == allowed
