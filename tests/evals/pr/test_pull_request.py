"""The gate of a pull request: its configuration, its comment, and its exit code."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.evals.pr.conftest import GATE, TIMES, N, Repository
from typer.testing import CliRunner

import evenfold as ef
from evenfold.cli import app
from evenfold.core.errors import InvalidInput
from evenfold.evals.pr.comment import MARKER, write_comment
from evenfold.evals.pr.config import find_configuration, read_configuration
from evenfold.evals.pr.facts import ORDER, State
from evenfold.evals.pr.plan import plan_gate
from evenfold.infer import tango_exact

SECOND = """
[[pr.checks]]
name = "other"
base = "base.csv"
head = "other.csv"
measure = "accuracy"
margin = 0.05
"""


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        (("", ""), (0.5, 0.5)),
        (("share = 0.8", ""), (0.8, 0.2)),
        (("share = 0.8", "share = 0.1"), (0.8, 0.1)),
        (("share = 0.5", "share = 0.5"), (0.5, 0.5)),
    ],
)
def test_checks_without_a_share_split_the_rest(
    shares: tuple[str, str], expected: tuple[float, float]
) -> None:
    text = f"{GATE}{shares[0]}\n{SECOND}{shares[1]}\n"
    configuration = read_configuration(Path("evenfold.toml"), text.encode())
    assert [check.share for check in configuration.checks] == pytest.approx(expected)
    levels = [configuration.level_of(check) for check in configuration.checks]
    assert sum(levels) <= 0.05 + 1e-12


@pytest.mark.parametrize(("first", "second"), [("share = 0.7", "share = 0.4"), ("share = 1.0", "")])
def test_shares_that_leave_nothing_are_refused(first: str, second: str) -> None:
    text = f"{GATE}{first}\n{SECOND}{second}\n"
    with pytest.raises(InvalidInput, match=r"shares (of all checks must add up|must leave a part)"):
        read_configuration(Path("evenfold.toml"), text.encode())


def test_unknown_keys_are_named_with_the_nearest() -> None:
    text = GATE.replace("margin", "marign").encode()
    with pytest.raises(InvalidInput, match=r"key of check 'answers'.*Did you mean 'margin'"):
        read_configuration(Path("evenfold.toml"), text)


def test_a_configuration_is_found_in_one_of_two_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\[tool.evenfold.pr\]"):
        find_configuration(tmp_path)
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.other]\nx = 1\n", encoding="utf-8")
    own = tmp_path / "evenfold.toml"
    own.write_text(GATE, encoding="utf-8")
    assert find_configuration(tmp_path) == own
    text = GATE.replace("[pr]", "[tool.evenfold.pr]").replace("[[pr.", "[[tool.evenfold.pr.")
    project.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match="one file"):
        find_configuration(tmp_path)
    own.unlink()
    assert read_configuration(find_configuration(tmp_path)).checks[0].name == "answers"


def test_a_check_is_judged_at_its_share_of_the_level(repository: Repository) -> None:
    repository.configure(GATE + "share = 0.4\n")
    finding = repository.judge().checks[0].findings[0]
    files = {side: repository.folder / f"{side}.csv" for side in ("base", "head")}
    answer = ef.judge(
        files,
        baseline="base",
        measure="accuracy",
        margin=0.05,
        level=0.4 * 0.05,
        alternative="not-worse",
    )
    pair = answer.pairs[0]
    assert (finding.value, finding.low, finding.high) == (pair.value, pair.low, pair.high)


@pytest.mark.parametrize(
    ("breaks", "other", "code"),
    [
        (1, 1, 0),
        (90, 1, 3),
        (1, 14, 4),
        (90, 14, 3),
        (90, None, 2),
        (1, None, 2),
    ],
)
def test_the_worst_code_wins(
    repository: Repository, breaks: int, other: int | None, code: int
) -> None:
    repository.configure(GATE + SECOND)
    repository.write("head.csv", repository.breaks(breaks))
    if other is not None:
        repository.write("other.csv", repository.breaks(other))
    assert repository.judge().code == code
    assert ORDER == (2, 1, 3, 4, 0)


@pytest.mark.parametrize(("counted", "code"), [("", 4), ("pass", 0), ("fail", 3)])
def test_undecided_and_unknown_count_as_the_configuration_says(
    repository: Repository, counted: str, code: int
) -> None:
    said = f'undecided = "{counted}"\nunknown = "{counted}"\n' if counted else ""
    repository.configure(GATE + said)
    repository.write("head.csv", repository.breaks(14))
    facts = repository.judge()
    assert facts.checks[0].state is State.UNDECIDED
    assert facts.code == code
    (repository.folder / "base.csv").unlink()
    facts = repository.judge(base_commit=repository.commit())
    assert facts.checks[0].state is State.UNKNOWN
    assert facts.code == code
    assert "no baseline" in write_comment(facts)


def test_the_worst_regression_is_first_and_improvements_come_after(
    repository: Repository,
) -> None:
    third = SECOND.replace('"other"', '"third"').replace("other.csv", "third.csv")
    repository.configure(GATE + SECOND + third)
    repository.write("other.csv", repository.breaks(150))
    repository.write("third.csv", np.ones(N, dtype=bool))
    comment = write_comment(repository.judge())
    first, *_ = comment.splitlines()
    assert first.startswith("### ✗ regression in other: accuracy lower by 0.5")
    rows = [line.split("|")[1].strip() for line in comment.splitlines() if line.startswith("| ")]
    assert rows[2:] == ["other", "answers", "third"]
    assert comment.count("all 300 ids match") == 3
    assert comment.endswith(MARKER)


def test_commits_are_named_with_their_age(repository: Repository) -> None:
    repository.write("head.csv", repository.right)
    base = repository.commit(date="2026-01-01T00:00:00Z")
    repository.write("extra.csv", repository.right)
    head = repository.commit(date="2026-01-04T12:00:00Z")
    comment = write_comment(repository.judge(base_commit=base, head_commit=head))
    assert f"Baseline: commit {base[:10]}, 3 days older than the head, {head[:10]}." in comment


def test_the_base_decides_which_checks_there_are(repository: Repository) -> None:
    base = repository.commit()
    repository.configure(GATE.replace("0.05", "0.6"))
    facts = repository.judge(base_commit=base)
    assert facts.code == 3
    assert "takes effect when it is merged" in write_comment(facts)


@pytest.mark.parametrize(
    ("margin", "counted", "said"),
    [
        ("0.005", "", "can hardly pass"),
        ("0.01", 'undecided = "pass"\n', "can hardly fail"),
        ("0.6", "", "more than half"),
    ],
)
def test_margins_that_do_not_fit_are_named(
    repository: Repository, margin: str, counted: str, said: str
) -> None:
    repository.configure(GATE.replace("0.05", margin) + counted)
    repository.write("head.csv", repository.breaks(12))
    shown, _ = write_comment(repository.judge()).split("<details>", 1)
    assert said in shown


def test_from_the_shell(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository.folder)
    summary = repository.folder / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    words = ["pr", "--markdown", "comment.md", "--json", "facts.json", "--summary", "summary.md"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 3
    assert done.output.startswith("### ✗ regression in answers")
    comment = (repository.folder / "comment.md").read_text(encoding="utf-8")
    assert summary.read_text(encoding="utf-8") == f"before\n{comment}"
    facts = json.loads((repository.folder / "facts.json").read_text(encoding="utf-8"))
    assert (facts["evenfold"], facts["code"]) == ("pull-request-1", 3)
    assert facts["checks"][0]["state"] == "regression"
    assert facts["checks"][0]["matched"] == N
    repository.configure(GATE + "marign = 1\n")
    done = CliRunner().invoke(app, ["pr"])
    assert done.exit_code == 2
    assert len(done.output.strip().splitlines()) == 1


def test_the_same_quality_in_less_time_is_said_first(
    repository: Repository, timed: Repository
) -> None:
    times = "[[pr.checks]]" + TIMES.split("[[pr.checks]]")[1]
    repository.configure(GATE + times)
    repository.write("head.csv", repository.right)
    timed.times("head.json", parse=timed.slower(0.62, 3), show=timed.slower(1.0, 4))
    first, *_ = write_comment(repository.judge()).splitlines()
    assert first.startswith("### ✓ same quality within 0.05, 3")
    assert "% less time (98.75% CI" in first


def test_a_noise_that_is_wider_than_the_margin_is_named(timed: Repository) -> None:
    timed.configure(TIMES.replace("0.05", "0.001"))
    timed.times("head.json", parse=timed.slower(1.0, 3), show=timed.slower(1.0, 4))
    facts = timed.judge()
    assert facts.code == 4
    assert "can hardly pass" in write_comment(facts)


def test_a_ratio_without_bounds_is_undecided(timed: Repository) -> None:
    """Three runs from 1e-140 to 1e140 seconds: the interval's limits are 0 and infinite."""
    for side, factor in (("base.json", 1.0), ("head.json", 2.0)):
        wild = [factor, factor * 1e140, factor * 1e-140]
        timed.times(side, parse=wild, show=wild)
    facts = timed.judge()
    assert facts.code == 4
    assert [(one.low, one.high) for one in facts.checks[0].findings] == [(0, math.inf)] * 2
    assert "can hardly pass" in write_comment(facts)
    assert plan_gate(timed.folder / "evenfold.toml") == ()


def test_a_baseline_of_another_commit_is_refused(repository: Repository) -> None:
    """What a tool recorded of its commit and what the pipeline says must agree."""
    repository.configure(TIMES)
    for side, factor in (("base", 1.0), ("head", 1.3)):
        for k in range(3):
            stats = {"data": repository.slower(factor, seed=k + int(10 * factor), runs=5)}
            plain = {
                "machine_info": {},
                "commit_info": {"id": "0" * 40 if side == "base" else "1" * 40},
                "datetime": f"2026-01-{k + 1:02}T{int(10 * factor)}:00:00+00:00",
                "benchmarks": [{"name": "parse", "fullname": "parse", "stats": stats}],
            }
            path = repository.folder / f"{side}-{k}.json"
            path.write_text(json.dumps(plain), encoding="utf-8")
    text = TIMES.replace("base.json", "base-*.json").replace("head.json", "head-*.json")
    repository.configure(text)
    assert repository.judge().code == 3
    facts = repository.judge(base_commit=repository.commit())
    assert facts.code == 2
    assert "measured at its commit" in facts.checks[0].refused


def test_a_plan_says_what_margin_the_items_carry(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50 questions cannot carry the margin of a bar that was calibrated on 1319."""
    monkeypatch.chdir(repository.folder)
    for name, breaks in (("base.csv", 0), ("head.csv", 2)):
        repository.write(name, repository.breaks(breaks)[:50])
    repository.configure(GATE.replace("0.05", "0.01"))
    (small,) = plan_gate(Path("evenfold.toml"))
    assert small.items == 50
    assert small.passes < 0.1
    assert small.enough_margin > 0.05
    done = CliRunner().invoke(app, ["plan", "--gate", "evenfold.toml", "--margin", "0.05"])
    assert done.exit_code == 0
    assert done.output.startswith("answers: with 50 items and a margin of 0.01, a candidate")
    assert "a margin of 0.05 needs about" in done.output
    assert CliRunner().invoke(app, ["plan", "0.1", "--gate", "evenfold.toml"]).exit_code == 2
    assert CliRunner().invoke(app, ["plan"]).exit_code == 2


def test_the_planned_number_of_items_lets_unchanged_candidates_pass(
    repository: Repository,
) -> None:
    """Of 400 unchanged candidates on as many items as the plan says, about 80% pass."""
    (plan,) = plan_gate(repository.folder / "evenfold.toml", margin=0.05)
    assert plan.items is not None
    n = int(plan.items * plan.times)
    rng = np.random.default_rng(5)
    differ = 90 / N  # of the recorded head
    n10, n01, _ = rng.multinomial(n, [differ / 2, differ / 2, 1 - differ], size=400).T
    passed = tango_exact(n10, n01, n, null=-0.05, alternative="greater").pvalue <= 0.05
    assert passed.mean() == pytest.approx(0.8, abs=0.07)


def test_a_plan_of_times_says_how_many_runs_a_margin_needs(timed: Repository) -> None:
    plans = plan_gate(timed.folder / "evenfold.toml", margin=0.005)
    assert [plan.items for plan in plans] == [None, None]
    assert all(plan.passes > 0.99 and plan.times > 2 for plan in plans)
    assert "times as many runs" in str(plans[0])
