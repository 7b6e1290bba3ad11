"""The tools that count lines and words, profile calls and record numbers."""

import doctest
import json
import sys
from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest
from tools import count_lines, count_words, profile_call, record_calls
from tools.calls import all_calls


@pytest.mark.parametrize("module", [count_lines, count_words, record_calls])
def test_the_examples_of_a_tool_hold(module: ModuleType) -> None:
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_rooms_sum_to_the_package() -> None:
    files = count_lines.present_files()  # the package comes first; the rest would take long
    package = takewhile(lambda file: file[0].is_relative_to(count_lines.PACKAGE), files)
    found = count_lines.count(package)
    rooms = [lines for row, (lines, _) in found.items() if row.startswith("src/evenfold/")]
    assert len(rooms) >= 10
    lines, modules = found["src/evenfold"]
    assert sum(rooms) + found["src/evenfold (files)"][0] == lines
    assert lines > 10_000
    assert modules == len([*(count_lines.ROOT / "src" / "evenfold").rglob("*.py")])


@pytest.mark.parametrize(
    ("call", "modules", "records"),
    [(profile_call.compare_two, 42, 29), (profile_call.judge_table, 34, 25)],
)
def test_a_warm_call_passes_no_more_than_now(
    call: profile_call.Call, modules: int, records: int
) -> None:
    found = profile_call.profile(call)
    assert "evenfold.comparison.result" in found.modules
    assert "evenfold.comparison.result.Comparison" in found.records
    assert len(found.modules) <= modules
    assert len(found.records) <= records


def test_names_of_calls_are_many_and_lead_to_their_kind() -> None:
    names = [*all_calls()]
    assert len(names) >= 300
    kinds = {name.split("/")[0] for name in names}
    assert {"compare", "judge", "across", "board", "keep", "infer", "plan", "shell"} <= kinds


def test_two_recordings_of_one_version_are_the_same_but_for_what_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "old.json", tmp_path / "new.json"]
    for file in files:
        monkeypatch.setattr(sys, "argv", ["", "record", str(file), "--only", "*/values*"])
        record_calls.main()
    old, new = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    assert old == new
    numbers = new["calls"]["judge/values"]["numbers"]
    numbers["a | b.value"] += 1e-6
    files[1].write_text(json.dumps(new), encoding="utf-8")
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["", "compare", *map(str, files), "--words"])
    with pytest.raises(SystemExit, match="True"):
        record_calls.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("judge/values: a | b.value: ")
    assert lines[-1] == "1 difference"


def test_a_refusal_is_recorded() -> None:
    made = record_calls.record("judge/right-missing")["calls"]["judge/right-missing"]
    assert made["numbers"] == {"refused": "InvalidInput"}
    assert "on_missing='drop'" in made["words"]["refused"]
