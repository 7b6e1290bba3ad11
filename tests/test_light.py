"""Without an extra everything else works, and what does not says in one line what to install."""

import json
from pathlib import Path

import pytest
from tests.without import run_without

from evenfold.core.environment import EXTRAS

pytestmark = pytest.mark.faults

GATES = Path(__file__).parents[1] / "examples" / "ci"
PACKAGES = {
    extra: [one for one, home in EXTRAS.items() if home == extra] for extra in EXTRAS.values()
}
# which would step in, or hang on it
ALIKE = {"tables": ["polars", "fastparquet"], "dask": ["dask"]}

# Every use with the extras that it needs, in the order in which it asks for them.
NEEDS = {
    "compare": (),
    "words": (),
    "json": (),
    "markdown": (),
    "latex": (),
    "notebook": (),
    "csv": (),
    "tsv": (),
    "gz": (),
    "jsonl": (),
    "gate": (),
    "keep": (),
    "board": (),
    "plan": (),
    "load": (),
    "doctor": (),
    "html": ("report",),
    "plot": ("report",),
    "plan plot": ("report",),
    "frame": ("tables",),
    "board frame": ("tables",),
    "parquet": ("tables",),
    "learn from a file": ("tables",),
    "dates": ("tables",),
    "store": ("store",),
    "runs": ("store",),
    "postgres": ("store", "postgres"),
    "tagger": ("text",),
    "mlflow": ("mlflow",),
}

USES = """
import gzip, json, sys
from pathlib import Path
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
import evenfold as ef
from evenfold.core.errors import NotInstalled, StoreError
from evenfold.comparison.doctor import diagnose

rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 2)), rng.integers(2, size=60)
rows = [{"algorithm": a, "example": i, "value": int((i * k) % 7 < 3 + k)}
        for k, a in enumerate("ab", 1) for i in range(60)]

def write(path, sign):
    lines = [sign.join(rows[0]), *(sign.join(map(str, row.values())) for row in rows)]
    Path(path).write_text("\\n".join(lines) + "\\n", encoding="utf-8")

write("t.csv", ",")
write("t.tsv", "\\t")
Path("t.csv.gz").write_bytes(gzip.compress(Path("t.csv").read_bytes()))
Path("t.jsonl").write_text("\\n".join(map(json.dumps, rows)), encoding="utf-8")
Path("t.parquet").write_bytes(b"PAR1")
scores = [f"{m},{t},{(7 * k + 3 * t) % 11 / 10}" for k, m in enumerate("abc") for t in range(12)]
Path("board.csv").write_text("\\n".join(["model,task,value", *scores]), encoding="utf-8")
alone = [{name: row[name] for name in ("example", "value")} for row in rows[:60]]
Path("one.jsonl").write_text("\\n".join(map(json.dumps, alone)), encoding="utf-8")

def judge(path):
    c = ef.judge(path, measure="accuracy")
    answers.append((c.estimate.value, c.estimate.pvalue))

def postgres():
    try:
        ef.runs("postgresql://nobody@127.0.0.1:1/none")
    except StoreError:
        pass

def parquet():
    try:
        ef.judge("t.parquet", measure="accuracy")
    except ef.EvenfoldError as error:
        if isinstance(error, NotInstalled):
            raise

def dates():
    order = np.array([f"2024-01-{1 + i % 28:02}" for i in range(60)])
    ef.compare(two, X, y, order=order, random_state=0)

two = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
answers, found, made = [], {}, {}

def compare():
    made["c"] = ef.compare(two, X, y, design=ef.Mx2BCV(3), random_state=0)

def keep():
    ef.keep("k.json", baseline="one.jsonl", measure="accuracy", shown="decisions")
    ef.keep("k.json", candidate="one.jsonl")

plan = lambda: ef.plan(0.1, sigma=0.5, n=200)
uses = {
    "compare": compare,
    "words": lambda: str(made["c"]),
    "json": lambda: made["c"].to_json("c.json"),
    "markdown": lambda: made["c"].to_markdown(),
    "latex": lambda: made["c"].to_latex(),
    "notebook": lambda: made["c"]._repr_html_(),
    "csv": lambda: judge("t.csv"),
    "tsv": lambda: judge("t.tsv"),
    "gz": lambda: judge("t.csv.gz"),
    "jsonl": lambda: judge("t.jsonl"),
    "gate": lambda: ef.judge(
        "t.csv", measure="accuracy", margin=0.3, alternative="not-worse"
    ).verdict,
    "keep": keep,
    "board": lambda: str(ef.board("board.csv", higher_is_better=True)),
    "board frame": lambda: ef.board("board.csv", higher_is_better=True).to_frame(),
    "plan": plan,
    "load": lambda: ef.load("c.json"),
    "doctor": lambda: str(diagnose(Path("t.csv"))),
    "html": lambda: made["c"].to_html(),
    "plot": lambda: made["c"].plot(),
    "plan plot": lambda: plan().plot(),
    "frame": lambda: made["c"].to_frame(),
    "parquet": parquet,
    "learn from a file": lambda: ef.read.read_table("t.csv", target="algorithm"),
    "dates": dates,
    "store": lambda: ef.compare(two, X, y, design=ef.Mx2BCV(3), random_state=0, store="r.db"),
    "runs": lambda: ef.runs("r.db"),
    "postgres": postgres,
    "tagger": lambda: ef.text.CRFTagger(max_iterations=2).fit([["a", "b"]] * 4, [["O", "O"]] * 4),
    "mlflow": lambda: ef.judge("mlflow:none", measure="accuracy"),
}
for name in json.loads(sys.argv[1]):
    try:
        uses[name]()
    except NotInstalled as error:
        found[name] = str(error)
assert len(set(answers)) == 1, answers
print(json.dumps(found))
"""


def hidden(extras: list[str]) -> list[str]:
    return [one for extra in extras for one in (*PACKAGES[extra], *ALIKE.get(extra, ()))]


@pytest.mark.parametrize(
    "lacking", [*([extra] for extra in PACKAGES), list(PACKAGES)], ids=",".join
)
def test_what_works_without_an_extra(lacking: list[str], tmp_path: Path) -> None:
    (tmp_path / "uses.py").write_text(USES, encoding="utf-8")
    # No server and no experiment is asked for; without an extra that is refused before.
    outside = ("postgres", "mlflow")
    asked = [use for use, needs in NEEDS.items() if use not in outside or set(needs) & set(lacking)]
    done = run_without("uses.py", json.dumps(asked), folder=tmp_path, packages=hidden(lacking))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    first = {use: [extra for extra in NEEDS[use] if extra in lacking] for use in asked}
    assert set(found) == {use for use, extras in first.items() if extras}
    for use, message in found.items():
        assert message.endswith(f'not installed: pip install "evenfold[{first[use][0]}]"'), use
        assert "\n" not in message


def test_the_demo_without_any_extra_says_the_verdict_and_one_line(tmp_path: Path) -> None:
    done = run_without("-m", "evenfold", "demo", folder=tmp_path, packages=hidden(list(PACKAGES)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("logistic regression is better than LDA")
    assert (
        done.stderr.splitlines()[-1] == 'for the report as a page: pip install "evenfold[report]"'
    )
    assert not (tmp_path / "report.html").exists()


def test_a_gate_without_any_extra(tmp_path: Path) -> None:
    words = [
        "-m",
        "evenfold",
        "judge",
        "--baseline",
        GATES / "main.csv",
        "--candidate",
        GATES / "candidate.csv",
    ]
    words += [
        "--measure",
        "accuracy",
        "--margin",
        "0.05",
        "--fail-unless",
        "not-worse",
        "--json",
        "n.json",
    ]
    words += ["--summary", "s.md", "--flips", "f.csv"]
    done = run_without(*words, folder=tmp_path, packages=hidden(list(PACKAGES)))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "n.json").read_text(encoding="utf-8"))["pairs"]


def test_a_page_is_refused_before_the_first_fit(tmp_path: Path) -> None:
    words = ["-m", "evenfold", "judge", "no-such-file.csv", "--html", "x.html"]
    done = run_without(*words, folder=tmp_path, packages=hidden(["report"]))
    assert done.returncode == 2
    assert done.stderr == (
        "evenfold: format 'html' needs jinja2, which is not installed: pip install "
        '"evenfold[report]"\n'
    )


def test_nothing_heavy_is_loaded_by_a_gate(tmp_path: Path) -> None:
    """What need not be there need not be loaded where it is."""
    code = (
        "import sys; from evenfold.comparison.judge.api import judge; judge(sys.argv[1], "
        "measure='accuracy');"
    )
    code += f"print(sorted(set({[*EXTRAS]}) & set(sys.modules)))"
    rows = [f"{a},{i},{(i * k) % 3 // 2}" for k, a in enumerate("ab", 1) for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["algorithm,example,value", *rows]), encoding="utf-8")
    done = run_without("-c", code, "t.csv", folder=tmp_path)
    assert done.stdout.strip() == "[]", done.stderr
