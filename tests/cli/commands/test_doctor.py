"""``evenfold doctor``: what is installed, what a file holds."""

import json
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import write_csv

import evenfold as package
from evenfold.core.environment import EXTRAS


def _promptfoo(path: Path) -> Path:
    rows = [
        {
            "provider": {"id": name},
            "vars": {"q": str(i)},
            "success": bool((i + j) % 3),
            "score": 0.5,
            "prompt": {"raw": "{{q}}"},
        }
        for i in range(30)
        for j, name in enumerate(("gpt-a", "gpt-b"))
    ]
    path.write_text(json.dumps({"results": {"results": rows}}))
    return path


def test_without_a_file_it_says_what_is_installed_and_what_works(
    evenfold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "skrub", None)
    done = evenfold("doctor")
    assert done.exit_code == 0
    first, *lines = done.stdout.splitlines()
    assert first.startswith(
        f"evenfold {package.__version__} on Python {platform.python_version()}, "
    )
    rows = {line[:13].strip(): line[13:].strip() for line in lines}
    assert list(rows) == ["needed", *dict.fromkeys(EXTRAS.values()), "laboratory", "engines"]
    assert f"numpy {version('numpy')}" in rows["needed"]
    assert rows["report"] == f"matplotlib {version('matplotlib')}, Jinja2 {version('Jinja2')}"
    assert rows["tables"].endswith('skrub not installed: pip install "evenfold[tables]"')
    assert rows["engines"].startswith("serial works; threads work; processes work; dask")


def test_an_engine_that_does_not_start_is_said_to_fail(
    evenfold: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError("no semaphores here")

    monkeypatch.setattr("evenfold.run.engines.loky.Processes.submit", refuse)
    monkeypatch.setitem(sys.modules, "distributed", None)  # another engine, which starts slowly
    assert "processes fail (OSError: no semaphores here)" in evenfold("doctor").stdout


def test_a_log_is_recognised_and_the_next_command_works(evenfold: Any, tmp_path: Path) -> None:
    done = evenfold("doctor", _promptfoo(tmp_path / "results.json"))
    assert done.exit_code == 0, done.stderr
    assert "1 log of promptfoo" in done.stdout
    assert "gpt-a, gpt-b" in done.stdout
    command = done.stdout.split("next ")[1].strip()
    assert evenfold(*shlex.split(command)[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("columns", "held", "option"),
    [
        (
            {"algorithm": ["a", "a", "b", "b"], "example": [1, 2, 1, 2], "value": [0, 1, 1, 1]},
            "2 examples",
            "accuracy",
        ),
        (
            {"algorithm": ["a", "a", "b", "b"], "run": [1, 2, 1, 2], "value": [0.1, 1, 2, 1]},
            "2 runs",
            "higher",
        ),
        (
            {
                "model": ["a", "b"] * 4,
                "task": ["law"] * 4 + ["code"] * 4,
                "id": [1, 1, 2, 2] * 2,
                "score": [1, 0] * 4,
            },
            "8 rows, 2 tasks, 4 examples",
            "--measure accuracy",
        ),
        (
            {"example": [1, 2, 3], "truth": [0, 1, 1], "prediction": [0, 1, 0]},
            "truth and predictions",
            "OTHER.csv",
        ),
    ],
)
def test_a_table_says_what_it_can_answer(
    evenfold: Any, tmp_path: Path, columns: Any, held: str, option: str
) -> None:
    done = evenfold("doctor", write_csv(tmp_path / "t.csv", columns))
    assert done.exit_code == 0, done.stderr
    assert held in done.stdout
    assert option in done.stdout


def test_a_path_without_a_file_gets_a_diagnosis_too(evenfold: Any, tmp_path: Path) -> None:
    done = evenfold("doctor", tmp_path / "none.csv")
    assert done.exit_code == 2
    assert done.stderr == ""
    assert f"there is no file {tmp_path / 'none.csv'}" in done.stdout


def _data(count: int = 40) -> dict[str, list[Any]]:
    return {
        "customer": [f"c{i}" for i in range(count)],
        "age": [20 + 7 * i % 50 for i in range(count)],
        "income": [1000.5 + 31 * i % 977 for i in range(count)],
        "churn": ["yes" if 7 * i % 5 > 2 else "no" for i in range(count)],
    }


@pytest.mark.parametrize(
    ("name", "changed", "target"),
    [
        ("churn.csv", {}, "churn"),
        ("data.csv", {}, "churn"),
        ("data.csv", {"target": [i % 2 for i in range(40)]}, "target"),
        ("data.csv", {"row": list(range(40))}, "churn"),
        (
            "data.csv",
            {"id": list(range(40)), "customer": [0.5] * 40, "churn": [1, 0] * 20},
            "churn",
        ),
    ],
)
def test_a_table_of_data_gets_the_command_that_learns_from_it(
    evenfold: Any, tmp_path: Path, name: str, changed: Any, target: str
) -> None:
    path = write_csv(tmp_path / name, _data() | changed)
    done = evenfold("doctor", path)
    assert done.exit_code == 0, done.stderr
    assert "40 rows" in done.stdout
    assert f"the target is probably {target!r}" in done.stdout
    command = shlex.split(done.stdout.split("next ")[1])
    assert command[:5] == ["evenfold", "compare", str(path), "--target", target]
    assert "sklearn.linear_model:LogisticRegression" in command


def test_the_command_for_data_works(evenfold: Any, tmp_path: Path) -> None:
    sizes = {"x": [i % 7 + 0.5 for i in range(40)], "size": [i / 3 for i in range(40)]}
    for columns in (_data(), sizes):
        done = evenfold("doctor", write_csv(tmp_path / "t.csv", columns))
        command = shlex.split(done.stdout.split("next ")[1])
        assert evenfold(*command[1:], "--design", "kfold:2").exit_code == 0


JUNK: dict[str, tuple[bytes, str]] = {
    "empty.csv": (b"", "an empty file"),
    "empty.txt": (b"", "an empty file"),
    "x.json": (b"{}", "JSON of no program"),
    "list.json": (b'[{"model": "a", "id": 1, "correct": true}]', "one object per line"),
    "half.json": (b'{"a": ', "begins like JSON but is none"),
    "answer.json": (b'{"evenfold": 3}', "ef.load"),
    "one.csv": (b"x\n1\n2\n", "no table that can be read"),
    "ragged.csv": (b"a,b\n1,2,3\n4\n", "no table that can be read"),
    "table.txt": (b"a;b\n1;2\n3;4\n", "rename it to table.csv"),
    "letter.txt": (b"Dear all,\nnothing here\nis a table\n", "a text without columns"),
    "page.html": (b"<html><body>1, 2</body></html>", "HTML"),
    "noise.bin": (bytes(range(256)) * 4, "bytes that are no text"),
    "noise.csv": (bytes(range(256)) * 4, "no table that can be read"),
    "book.xlsx": (b"PK\x03\x04 and more", "Excel"),
    "model.pkl": (b"\x80\x04 and more", "pickle"),
    "other.db": (b"SQLite format 3\0 and more", "no store of evenfold"),
    "lines.jsonl": (b'{"a": 1}\nnonsense\n', "one JSON object per line"),
    "gap.csv": (b"model,id,correct\na,1,1\na,1,0\nb,1,1\n", "nothing yet"),
}


@pytest.mark.parametrize("name", JUNK)
def test_every_file_gets_a_diagnosis_and_none_a_refusal(
    evenfold: Any, tmp_path: Path, name: str
) -> None:
    content, said = JUNK[name]
    (tmp_path / name).write_bytes(content)
    done = evenfold("doctor", tmp_path / name)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    assert said in done.stdout


@pytest.mark.parametrize("name", ["half.json", "ragged.csv", "lines.jsonl"])
def test_the_words_of_a_parser_are_no_answer(evenfold: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(JUNK[name][0])
    said = evenfold("doctor", tmp_path / name).stdout
    assert "  answers " not in said
    assert "mend the file" in said


def test_folders_and_stores_get_a_diagnosis_too(evenfold: Any, tmp_path: Path) -> None:
    assert "a folder without tables" in evenfold("doctor", tmp_path).stdout
    data = write_csv(tmp_path / "a.csv", {"x": list(range(40)), "y": [0, 1] * 20})
    assert "a folder with 1 table: a.csv" in evenfold("doctor", tmp_path).stdout
    store = tmp_path / "runs.db"
    models = ("--a", "sklearn.dummy:DummyClassifier", "--b", "sklearn.naive_bayes:GaussianNB")
    evenfold("compare", data, "--target", "y", *models, "--design", "kfold:2", "--store", store)
    done = evenfold("doctor", store)
    assert "a store of evenfold" in done.stdout
    assert "1 run" in done.stdout


def test_show_versions_prints_what_doctor_prints_of_packages(
    evenfold: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    package.show_versions()
    shown = capsys.readouterr().out.splitlines()
    assert shown == evenfold("doctor").stdout.splitlines()[: len(shown)]
    assert shown[-1].startswith("  laboratory")
