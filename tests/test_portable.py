"""
What stands in for Windows and macOS.

Signals, fork, locales, homes and letters are taken away.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.without import run_without

from evenfold.core import processes
from evenfold.evals.keep import ledger as ledgers
from evenfold.run.cells import TimedOut
from evenfold.run.engines import time_limits as limits

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[1]
GATES = ROOT / "examples" / "ci"
# What the module signal has on POSIX and lacks on Windows; os likewise.
SIGNALS = [
    *("SIGALRM", "SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "ITIMER_REAL", "setitimer", "alarm"),
    *("pthread_sigmask", "SIG_BLOCK", "SIG_UNBLOCK", "sigwait", "pause"),
]
NO_SIGNALS = [f"signal.{name}" for name in SIGNALS]
NO_POSIX = [*NO_SIGNALS, "os.fork", "os.forkpty", "os.getuid", "os.geteuid"]

COMPARISON = """
import sys, time
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
import evenfold as ef

def spin():
    while True:
        pass

def sleep():
    time.sleep(600)

class Slow(DummyClassifier):
    def fit(self, X, y):
        {"no": int, "spin": spin, "sleep": sleep}[sys.argv[1]]()
        return super().fit(X, y)

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    c = ef.compare({"slow": Slow(), "bayes": GaussianNB()}, X, y, design=ef.Mx2BCV(3),
                   random_state=0, n_jobs=2, timeout=float(sys.argv[2]), on_failure="record")
    # On a busy machine the other may be late, too, and a worker too late to say so itself.
    slow = [f for f in c.failures if f.algorithm == "slow"]
    print(len(slow), sorted({f"{f.kind}: {f.message.partition(',')[0]}" for f in slow}))
"""


@pytest.mark.parametrize(
    ("how", "limit", "found"),
    [
        ("no", 60.0, "0 []"),
        ("spin", 1.0, "6 ['timeout: the fit took more than 1.0 seconds']"),
        (
            "sleep",
            0.5,
            "6 ['timeout: the fit took more than 0.5 seconds and did not react to signals']",
        ),
    ],
)
def test_a_time_limit_needs_no_signal(how: str, limit: float, found: str, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(COMPARISON, encoding="utf-8")
    # psutil ends processes by a signal on POSIX and by a call of the system on Windows.
    hidden: Any = {"attributes": NO_SIGNALS, "packages": ["psutil"]}
    done = run_without("slow.py", how, limit, folder=tmp_path, **hidden)
    assert done.stdout.strip() == found, done.stderr


def spin() -> None:
    with limits.time_limit(0.05):
        while True:
            sum(range(100))


def test_an_alarm_without_signals_rings_once_and_only_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("signal.SIGALRM")
    # the watchdog, which would end these tests, too
    monkeypatch.setattr(limits, "hard_limit", lambda _: 600.0)
    with pytest.raises(TimedOut, match=r"the fit took more than 0\.05 seconds"):
        spin()
    for _ in range(200):  # it rings at about the end: inside the limit or not at all
        try:
            with limits.time_limit(0.001):
                sum(range(40_000))
        except TimedOut:
            pass
        sum(range(1000))


def test_a_gate_needs_no_fork_and_no_signals(tmp_path: Path) -> None:
    words = [
        "-m",
        "evenfold",
        "judge",
        "--baseline",
        GATES / "main.csv",
        "--candidate",
        GATES / "candidate.csv",
    ]
    words += ["--measure", "accuracy", "--margin", "0.05", "--fail-unless", "not-worse"]
    there = run_without(*words, folder=tmp_path)
    without = run_without(*words, folder=tmp_path, attributes=NO_POSIX)
    assert (without.returncode, without.stdout) == (there.returncode, there.stdout), without.stderr
    assert without.returncode == 0


def test_a_fit_that_ends_the_process_passes_no_gate_without_fork(tmp_path: Path) -> None:
    (tmp_path / "vanishes.py").write_text(
        "import os\n"
        "class Vanishes:\n"
        "    def fit(self, X, y): os._exit(0)\n"
        "    def predict(self, X): return X[:, 0]\n",
        encoding="utf-8",
    )
    rows = [f"{i % 7},{i % 2}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *rows]), encoding="utf-8")
    words = ["compare", "t.csv", "--target", "y", "--fail-unless", "better", "--seed", "0"]
    words += ["--a", "sklearn.dummy:DummyClassifier", "--b", "vanishes:Vanishes"]
    done = run_without("-m", "evenfold", *words, folder=tmp_path, attributes=NO_POSIX)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "evenfold: the process ended by itself with code 0 before it had an answer; nothing was "
        "decided"
    )


ENGINES = """
import numpy as np
from joblib import parallel_config
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
import evenfold as ef

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    two = {"a": DummyClassifier(), "b": GaussianNB()}
    for backend, jobs in (("loky", 1), ("loky", 2), ("threading", 2)):
        with parallel_config(backend):
            store = f"runs {backend} {jobs}.db"
            c = ef.compare(two, X, y, design=ef.Mx2BCV(3), random_state=0, n_jobs=jobs, store=store)
            print(c.verdict)
"""


def test_every_engine_and_a_store_work_without_posix(tmp_path: Path) -> None:
    (tmp_path / "engines.py").write_text(ENGINES, encoding="utf-8")
    done = run_without("engines.py", folder=tmp_path, attributes=NO_POSIX)
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.splitlines())) == 1


def test_whether_a_process_lives_is_asked_on_windows_without_killing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There ``os.kill(pid, 0)`` sends Ctrl-C."""
    asked = []

    def opened(right: int, inherited: bool, pid: int) -> int:  # noqa: ARG001  (Windows' signature)
        if pid == 1:
            raise OSError("no such process")
        if pid == 2:
            raise PermissionError("of another user")
        asked.append(pid)
        return pid

    waiting = {3: 0x102, 4: 0}
    fake = SimpleNamespace(
        OpenProcess=opened, WaitForSingleObject=lambda h, _: waiting[h], CloseHandle=asked.append
    )
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "_winapi", fake)
    monkeypatch.setattr("os.kill", None)
    assert [processes.is_alive(pid) for pid in (1, 2, 3, 4)] == [False, True, True, False]
    assert asked == [3, 3, 4, 4]  # what is opened is closed


def test_a_ledger_is_locked_by_what_windows_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = []
    busy = [True, False]

    def locking(number: int, how: int, size: int) -> None:
        calls.append((how, size))
        if busy.pop(0):
            raise OSError(f"{number} is locked by another")

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(
        ledgers, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2), raising=False
    )
    monkeypatch.setattr(ledgers, "fcntl", None)
    with ledgers.lock_file(tmp_path / "k.json"):
        assert calls == [(2, 1), (2, 1)]  # it waited once


C_LOCALE = {"LC_ALL": "C", "LANG": "C"}  # which Python itself takes for UTF-8
ASCII = {**C_LOCALE, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # and where it must not
ODD = "Früh stück (1) ß"


def test_a_folder_and_files_of_any_name_in_a_locale_of_none(tmp_path: Path) -> None:
    """A path and names of algorithms with spaces and umlauts, and an ASCII locale."""
    folder = tmp_path / ODD
    folder.mkdir()
    rows = "".join(
        f"{a},{i},{int((i * k) % 7 < 3 + k)}\n"
        for k, a in enumerate(["grün", "βeta"])
        for i in range(60)
    )
    (folder / "täble 1.csv").write_text(f"algorithm,example,value\n{rows}", encoding="utf-8")
    words = ["-m", "evenfold", "judge", "täble 1.csv", "--measure", "accuracy"]
    for form in ("json", "html", "markdown", "latex"):
        words += [f"--{form}", f"ergebnis ü.{form}"]
    done = run_without(*words, folder=folder, variables=ASCII)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == 4  # one line for each file
    found = json.loads((folder / "ergebnis ü.json").read_text(encoding="utf-8"))
    assert {found["pairs"][0]["baseline"], found["pairs"][0]["challenger"]} == {"grün", "βeta"}
    for form in ("html", "markdown"):
        assert "grün" in (folder / f"ergebnis ü.{form}").read_text(encoding="utf-8")


def test_a_store_and_a_kept_ledger_lie_where_the_path_has_umlauts(tmp_path: Path) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    (folder / "engines.py").write_text(ENGINES.replace("runs ", "läufe "), encoding="utf-8")
    done = run_without("engines.py", folder=folder, variables=C_LOCALE)
    assert done.returncode == 0, done.stderr
    listed = run_without(
        "-m", "evenfold", "runs", "läufe loky 1.db", folder=folder, variables=C_LOCALE
    )
    assert "b" in listed.stdout, listed.stderr


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old mac"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "with a byte order mark"])
def test_line_ends_and_marks_change_nothing(ending: str, mark: str, tmp_path: Path) -> None:
    import evenfold as ef

    lines = ["algorithm,example,value"]
    lines += [f"{a},{i},{(i + k) % 3 // 2}" for k, a in enumerate("ab") for i in range(30)]
    path = tmp_path / "t.csv"
    path.write_bytes((mark + ending.join(lines) + ending).encode())
    c: Any = ef.judge(path, measure="accuracy")
    assert (c.pairs[0].baseline, c.pairs[0].challenger) == ("a", "b")
    assert c.estimate.value == pytest.approx(0.0, abs=1e-12)


def test_a_home_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    """A cache below a file can never be made, not even by root."""
    nowhere = tmp_path / "file"
    nowhere.write_text("", encoding="utf-8")
    home = {
        "HOME": str(nowhere),
        "USERPROFILE": str(nowhere),
        "XDG_CACHE_HOME": str(nowhere / "cache"),
    }
    home |= {"MPLCONFIGDIR": str(tmp_path)}  # matplotlib's own folder, of which it would speak
    done = run_without("-m", "evenfold", "demo", folder=tmp_path, variables=home)
    assert done.returncode == 0, done.stderr
    assert "is better than" in done.stdout


def test_no_text_is_read_or_written_in_the_encoding_of_the_locale(tmp_path: Path) -> None:
    """Python can warn where an encoding is not said; only our own lines count."""
    (tmp_path / "engines.py").write_text(ENGINES, encoding="utf-8")
    judge = [
        "-m",
        "evenfold",
        "judge",
        "--baseline",
        GATES / "main.csv",
        "--candidate",
        GATES / "candidate.csv",
    ]
    files = ["--json", "n.json", "--html", "n.html", "--markdown", "n.md"]
    for words in (["engines.py"], [*judge, *files]):
        options = ["-X", "warn_default_encoding", "-W", "always::EncodingWarning"]
        done = run_without(*words, folder=tmp_path, options=options)
        assert done.returncode == 0, done.stderr
        assert not re.search(r"evenfold.*EncodingWarning", done.stderr)


def test_nothing_that_we_use_is_deprecated(tmp_path: Path) -> None:
    """Workers and stores with every warning an error; the other tests run so anyway."""
    (tmp_path / "engines.py").write_text(ENGINES, encoding="utf-8")
    done = run_without("engines.py", folder=tmp_path, options=["-W", "error"])
    assert (done.returncode, done.stderr) == (0, "")


RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{k}" for port in ("com", "lpt") for k in range(1, 10)),
}


def test_every_file_can_be_checked_out_on_any_system() -> None:
    """
    No two names that differ in case alone, none that Windows reserves or forbids.

    Nor does git write other line ends there, which would change what is hashed and compared.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    names = [name for name in listed.stdout.decode().split("\0") if name]
    if names:
        asked = ["git", "check-attr", "text", "src/evenfold/__init__.py"]
        said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
        assert said.stdout.endswith("text: unset\n")
    else:  # of an sdist
        names = [path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*")]
    folded = [name.lower() for name in names]
    assert len(set(folded)) == len(folded)
    for name in names:
        parts = name.split("/")
        assert not any(part.split(".")[0].lower() in RESERVED for part in parts), name
        assert not any(re.search(r'[<>:"\\|?*\x00-\x1f]|[. ]$', part) for part in parts), name
        assert len(name) < 160, name  # of the 260 that a path may have there
