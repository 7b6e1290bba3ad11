"""A pull request cannot change the gate that judges it, nor the files that its base recorded."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evals.pr.conftest import GATE, TIMES, Repository
from typer.testing import CliRunner

from evenfold.cli import app
from evenfold.cli.gate import GATE_FAILED, PASSED, UNDECIDED
from evenfold.core.errors import InvalidInput
from evenfold.evals.pr import commits
from evenfold.evals.pr.api import judge_pull_request
from evenfold.evals.pr.comment import write_comment
from evenfold.evals.pr.commits import files_in, find_commit
from evenfold.evals.pr.facts import PullRequestFacts, State

IN_PROJECT = GATE.replace("[pr]", "[tool.evenfold.pr]").replace("[[pr.", "[[tool.evenfold.pr.")
WIDE = GATE.replace("0.05", "0.5")
PATTERN = TIMES.replace("base.json", "base/run-*.json").replace("head.json", "head/run-*.json")


def why(facts: PullRequestFacts) -> str:
    reason = facts.checks[0].findings[0].why
    assert reason is not None
    return reason.code


def google(path: Path, hour: int, time: float) -> None:
    """Write one run of one benchmark as Google Benchmark does."""
    plain = {
        "context": {"date": f"2026-01-01T{hour:02}:00:00+00:00", "host_name": "a", "num_cpus": 2},
        "benchmarks": [
            {"name": "parse", "run_type": "iteration", "real_time": time, "time_unit": "s"}
        ],
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(plain), encoding="utf-8")


@pytest.fixture
def runs(tmp_path: Path) -> Repository:
    """Return a repository whose base recorded six runs in a folder; the head takes 30% longer."""
    made = Repository(tmp_path)
    made.configure(PATTERN)
    for k, time in enumerate(made.slower(1.0, 1, 6)):
        google(tmp_path / "base" / f"run-{k}.json", 2 * k, time)
    for k, time in enumerate(made.slower(1.3, 2, 6)):
        google(tmp_path / "head" / f"run-{k}.json", 2 * k + 1, time)
    return made


# The configuration.


def test_a_gate_under_another_name_does_not_replace_that_of_the_base(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    Path("evenfold.toml").unlink()
    Path("pyproject.toml").write_text(IN_PROJECT, encoding="utf-8")
    base = repository.commit()
    Path("pyproject.toml").unlink()
    repository.configure(WIDE)
    done = CliRunner().invoke(app, ["pr", "--base-commit", base])
    assert done.exit_code == GATE_FAILED
    assert "The pull request changes pyproject.toml." in done.output


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("text", ["[pr\n", GATE.replace("margin", "marign"), ""])
def test_a_configuration_of_the_base_that_cannot_be_read_is_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, text: str, named: bool
) -> None:
    monkeypatch.chdir(repository.folder)
    repository.configure(text)
    base = repository.commit()
    repository.configure(WIDE)
    with pytest.raises(InvalidInput, match=f"The base {base[:10]} has an invalid configuration"):
        judge_pull_request(Path("evenfold.toml") if named else None, base_commit=base)


def test_two_configurations_of_the_base_are_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    Path("pyproject.toml").write_text(IN_PROJECT, encoding="utf-8")
    base = repository.commit()
    Path("pyproject.toml").unlink()
    with pytest.raises(InvalidInput, match="one file"):
        judge_pull_request(base_commit=base)


def test_a_link_as_the_configuration_of_the_base_is_refused(repository: Repository) -> None:
    (repository.folder / "evenfold.toml").rename(repository.folder / "gate.toml")
    (repository.folder / "evenfold.toml").symlink_to("gate.toml")
    base = repository.commit()
    with pytest.raises(InvalidInput, match=r"evenfold\.toml must be a file"):
        repository.judge(base_commit=base)


def test_it_is_said_that_the_configuration_of_the_head_decides(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder)
    Path("evenfold.toml").unlink()
    Path("pyproject.toml").write_text("[project]\nname = 'a'\n", encoding="utf-8")
    base = repository.commit()
    repository.configure(GATE)
    for path in (None, Path("evenfold.toml")):
        facts = judge_pull_request(path, base_commit=base)
        assert facts.code == GATE_FAILED
        assert [one.code for one in facts.notes] == ["configuration-of-head"]
        assert "evenfold.toml of the pull request decided" in write_comment(facts)
    assert judge_pull_request().notes == ()


# The files of the base.


def rename_all(folder: Path) -> None:
    for k, path in enumerate(sorted(folder.glob("run-*.json"))):
        path.rename(folder / f"run-x{k}.json")


def add_one(folder: Path) -> None:
    google(folder / "run-9.json", 20, 1.3)


def delete_one(folder: Path) -> None:
    (folder / "run-0.json").unlink()


def delete_all(folder: Path) -> None:
    for path in folder.glob("run-*.json"):
        path.unlink()


def change_one(folder: Path) -> None:
    google(folder / "run-0.json", 0, 1.3)


@pytest.mark.parametrize("change", [rename_all, add_one, delete_one, delete_all, change_one])
@pytest.mark.parametrize(("wish", "code"), [("", 4), ("pass", 4), ("fail", 3)])
def test_recorded_files_are_the_same_set_with_the_same_contents(
    runs: Repository, change: Callable[[Path], None], wish: str, code: int
) -> None:
    runs.configure(PATTERN + (f'unknown = "{wish}"\n' if wish else ""))
    base = runs.commit()
    assert runs.judge(base_commit=base).code == GATE_FAILED
    change(runs.folder / "base")
    facts = runs.judge(base_commit=base)
    assert (facts.code, why(facts)) == (code, "baseline-changed")


def test_a_folder_that_became_a_link_is_refused(runs: Repository) -> None:
    base = runs.commit()
    (runs.folder / "base").rename(runs.folder / "other")
    (runs.folder / "base").symlink_to("other")
    facts = runs.judge(base_commit=base)
    assert facts.code == 2
    assert "behind the link base" in facts.checks[0].refused


def test_files_of_another_repository_inside_of_this_one_are_refused(runs: Repository) -> None:
    base = runs.commit()
    runs.git("rm", "-q", "-r", "--cached", "base")
    runs.git("update-index", "--add", "--cacheinfo", f"160000,{base},base")
    runs.git("commit", "-q", "-m", "results of another repository")
    facts = runs.judge(base_commit=runs.git("rev-parse", "HEAD"))
    assert facts.code == 2
    assert "behind the link base" in facts.checks[0].refused


def test_a_rewritten_floor_is_not_trusted(timed: Repository) -> None:
    timed.configure(TIMES + 'floor = "floor.json"\nunknown = "pass"\n')
    floor = timed.folder / "floor.json"
    floor.write_text("{}", encoding="utf-8")
    base = timed.commit()
    for text in ("{} ", None):
        if text is None:
            floor.unlink()
        else:
            floor.write_text(text, encoding="utf-8")
        facts = timed.judge(base_commit=base)
        assert (facts.code, why(facts)) == (UNDECIDED, "baseline-changed")


def test_only_a_baseline_that_the_base_lacks_as_well_passes(repository: Repository) -> None:
    (repository.folder / "base.csv").unlink()
    repository.configure(GATE + 'unknown = "pass"\n')
    assert repository.judge().code == UNDECIDED  # whether the base has it is not known
    facts = repository.judge(base_commit=repository.commit())
    assert (facts.code, why(facts)) == (PASSED, "no-baseline")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a/*.json", {"sub/a/1.json", "sub/a/2.json"}),
        ("**/*.json", {"sub/0.json", "sub/a/1.json", "sub/a/2.json", "sub/a/b/[1].json"}),
        ("a/?.json", {"sub/a/1.json", "sub/a/2.json"}),
        ("a/b/[1].json", {"sub/a/b/[1].json"}),
        ("../*.json", {"top.json"}),
        ("a/../0.json", {"sub/0.json"}),
        ("../../*.json", set()),
        ("/*.json", set()),
    ],
)
def test_a_pattern_means_the_same_in_a_commit_as_in_a_folder(
    repository: Repository, pattern: str, expected: set[str]
) -> None:
    names = ("top.json", "sub/0.json", "sub/a/1.json", "sub/a/2.json", "sub/a/b/[1].json", "sub/x")
    for name in names:
        path = repository.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")
    commit = find_commit("base", repository.commit(), repository.folder)
    assert commit is not None
    assert set(files_in(commit, repository.folder / "sub", pattern)) == expected


def test_line_ends_that_git_converts_change_nothing(repository: Repository) -> None:
    (repository.folder / ".gitattributes").write_text("*.csv text\n", encoding="utf-8")
    base = repository.commit()
    path = repository.folder / "base.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert repository.judge(base_commit=base).checks[0].state is State.REGRESSION


def test_an_encoding_cannot_hide_other_bytes_from_git(repository: Repository) -> None:
    """To git, +AGE- in UTF-7 is the answer a; who reads the file sees another one."""
    rows = [f"q{i},a,a" for i in range(300)]
    for name in ("base.csv", "head.csv"):
        repository.rows(name, rows, "example,truth,prediction")
    base = repository.commit()
    attributes = "base.csv working-tree-encoding=UTF-7\n"
    (repository.folder / ".gitattributes").write_text(attributes, encoding="utf-8")
    hidden = [row.removesuffix("a") + "+AGE-" for row in rows]
    repository.rows("base.csv", hidden, "example,truth,prediction")
    repository.rows(
        "head.csv", [f"q{i},a,{'ab'[i % 2]}" for i in range(300)], "example,truth,prediction"
    )
    facts = repository.judge(base_commit=base)
    assert facts.code == 2
    assert "must not have the attribute working-tree-encoding" in facts.checks[0].refused


def test_what_git_cannot_say_is_not_taken_for_absent(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit()
    base = repository.commit(date="2026-01-02T00:00:00Z")
    blob = repository.git("rev-parse", f"{base}:evenfold.toml")
    kept = repository.folder / ".git" / "objects" / blob[:2] / blob[2:]
    kept.rename(repository.folder / "away")
    with pytest.raises(InvalidInput, match="'git cat-file' cannot read the repository"):
        repository.judge(base_commit=base)
    (repository.folder / "away").rename(kept)

    real = subprocess.run

    def slow(words: list[str], **keywords: Any) -> Any:
        if "ls-tree" in words:
            raise subprocess.TimeoutExpired(words, 30)
        return real(words, **keywords)

    commits._entries.cache_clear()
    monkeypatch.setattr(subprocess, "run", slow)
    with pytest.raises(InvalidInput, match="'git ls-tree' cannot read the repository"):
        repository.judge(base_commit=base)


# The head's commit, and what is said first.


def measure(repository: Repository, base: str, head: str) -> None:
    """Write three runs of each side that name their commits."""
    for side, factor, commit in (("base", 1.0, base), ("head", 1.3, head)):
        for k in range(3):
            stats = {"data": repository.slower(factor, seed=k + int(10 * factor), runs=5)}
            plain = {
                "machine_info": {},
                "commit_info": {"id": commit},
                "datetime": f"2026-01-{k + 1:02}T{int(10 * factor)}:00:00+00:00",
                "benchmarks": [{"name": "parse", "fullname": "parse", "stats": stats}],
            }
            path = repository.folder / f"{side}-{k}.json"
            path.write_text(json.dumps(plain), encoding="utf-8")


def test_a_head_that_was_measured_at_another_commit_is_refused(repository: Repository) -> None:
    repository.configure(TIMES.replace("base.", "base-*.").replace("head.", "head-*."))
    base = repository.commit()
    repository.git("checkout", "-q", "-b", "branch")
    branch = repository.commit(date="2026-01-02T00:00:00Z")
    repository.git("checkout", "-q", base)
    main = repository.commit(date="2026-01-03T00:00:00Z")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", branch, date="2026-01-04T00:00:00Z")
    merge = repository.git("rev-parse", "HEAD")
    for head, measured, code in (
        (merge, merge, 3),
        (merge, branch, 3),
        (merge, base, 2),
        (branch, base, 2),
        (main, branch, 2),
        (main, "1" * 40, 2),
    ):
        measure(repository, base, measured)
        facts = repository.judge(base_commit=base, head_commit=head)
        assert facts.code == code, (head, measured)
        assert ("another commit" in facts.checks[0].refused) is (measured == base)
        assert ("measured at its commit" in facts.checks[0].refused) is (
            code == 2 and measured != base
        )
    measure(repository, "", main)
    assert "measured at its commit" in (
        repository.judge(base_commit=main, head_commit=merge).checks[0].refused
    )


def test_a_regression_is_named_beside_a_check_that_cannot_be_judged(
    repository: Repository,
) -> None:
    second = GATE.removeprefix("[pr]\n").replace("answers", "other").replace("head.csv", "no.csv")
    repository.configure(GATE + second)
    facts = repository.judge()
    assert facts.code == 2
    first, *_ = write_comment(facts).splitlines()
    assert first.startswith("### ✗ regression in answers: accuracy lower by 0.3")
    assert first.endswith("; other cannot be judged")
    repository.write("head.csv", repository.right)
    first, *_ = write_comment(repository.judge()).splitlines()
    assert first == "### ✗ nothing decided: other cannot be judged"
