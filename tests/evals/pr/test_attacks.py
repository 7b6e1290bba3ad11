"""Ways to make a bad pull request pass; none of them does."""

import json
import os
import shutil
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.evals.pr.conftest import GATE, TIMES, N, Repository

from evenfold.cli.gate import GATE_FAILED, PASSED
from evenfold.core.errors import InvalidInput
from evenfold.evals.pr.comment import write_comment
from evenfold.evals.pr.facts import State

Attack = Callable[[Repository], dict[str, str] | None]
ATTACKS: dict[str, Attack] = {}


def attack(function: Attack) -> Attack:
    """Put an attack on the list."""
    ATTACKS[function.__name__] = function
    return function


def lines(repository: Repository, name: str = "head.csv") -> list[str]:
    return (repository.folder / name).read_text(encoding="utf-8").splitlines()[1:]


# What is done to the results of the head.


@attack
def leave_the_answers_as_bad_as_they_are(repository: Repository) -> None:
    pass


@attack
def leave_out_the_wrong_answers(repository: Repository) -> None:
    repository.rows("head.csv", [line for line in lines(repository) if line.endswith("1")])


@attack
def add_easy_questions(repository: Repository) -> None:
    repository.rows("head.csv", [*lines(repository), *(f"easy{i},1" for i in range(900))])


@attack
def answer_other_questions(repository: Repository) -> None:
    repository.rows("head.csv", [f"other{i},1" for i in range(N)])


@attack
def answer_wrong_questions_again(repository: Repository) -> None:
    wrong = [line for line in lines(repository) if line.endswith("0")]
    repository.rows("head.csv", [*lines(repository), *(f"{one[:-1]}1" for one in wrong)])


@attack
def repeat_a_right_answer(repository: Repository) -> None:
    repository.rows("head.csv", [*lines(repository), lines(repository)[-1]])


@attack
def write_nothing(repository: Repository) -> None:
    (repository.folder / "head.csv").write_text("", encoding="utf-8")


@attack
def write_only_a_header(repository: Repository) -> None:
    repository.rows("head.csv", [])


@attack
def delete_the_results(repository: Repository) -> None:
    (repository.folder / "head.csv").unlink()


@attack
def put_a_folder_in_the_place_of_the_results(repository: Repository) -> None:
    (repository.folder / "head.csv").unlink()
    (repository.folder / "head.csv").mkdir()


@attack
def link_to_the_results_of_the_base(repository: Repository) -> None:
    (repository.folder / "head.csv").unlink()
    (repository.folder / "head.csv").symlink_to("base.csv")


@attack
def make_a_second_name_of_the_file_of_the_base(repository: Repository) -> None:
    (repository.folder / "head.csv").unlink()
    os.link(repository.folder / "base.csv", repository.folder / "head.csv")


@attack
def leave_wrong_answers_empty(repository: Repository) -> None:
    repository.rows("head.csv", [line.replace(",0", ",") for line in lines(repository)])


@attack
def write_nan_for_wrong_answers(repository: Repository) -> None:
    repository.rows("head.csv", [line.replace(",0", ",nan") for line in lines(repository)])


@attack
def write_infinite_scores(repository: Repository) -> None:
    repository.rows("head.csv", [line.replace(",1", ",inf") for line in lines(repository)])


@attack
def count_right_answers_twice(repository: Repository) -> None:
    repository.rows("head.csv", [line.replace(",1", ",2") for line in lines(repository)])


@attack
def write_per_cents(repository: Repository) -> None:
    repository.rows("head.csv", [line.replace(",1", ",100") for line in lines(repository)])


@attack
def write_words_for_scores(repository: Repository) -> None:
    repository.rows("head.csv", [line.replace(",0", ",passed") for line in lines(repository)])


@attack
def give_wrong_answers_no_weight(repository: Repository) -> None:
    rows = [f"{line},{line[-1]}" for line in lines(repository)]
    repository.rows("head.csv", rows, "example,value,weight")


@attack
def add_runs_of_the_best(repository: Repository) -> None:
    rows = [f"{line},{run}" for run in range(5) for line in lines(repository)]
    repository.rows("head.csv", rows, "example,value,run")


@attack
def put_a_second_model_into_the_file(repository: Repository) -> None:
    rows = [f"{line},{name}" for name in ("good", "bad") for line in lines(repository)]
    repository.rows("head.csv", rows, "example,value,model")


@attack
def group_all_questions(repository: Repository) -> None:
    rows = [f"{line},one" for line in lines(repository)]
    repository.rows("head.csv", rows, "example,value,group")


@attack
def name_the_scores_otherwise(repository: Repository) -> None:
    repository.rows("head.csv", lines(repository), "example,loss")


@attack
def leave_out_the_ids(repository: Repository) -> None:
    for name in ("base.csv", "head.csv"):
        repository.rows(name, [line.split(",")[1] for line in lines(repository, name)], "value")


@attack
def sort_the_answers_and_number_them_anew(repository: Repository) -> None:
    values = sorted(line.split(",")[1] for line in lines(repository))
    repository.rows("head.csv", [f"q{i},{value}" for i, value in enumerate(values)])


@attack
def cut_the_file_off(repository: Repository) -> None:
    path = repository.folder / "head.csv"
    path.write_bytes(path.read_bytes()[:1500])


@attack
def write_bytes_that_are_no_text(repository: Repository) -> None:
    (repository.folder / "head.csv").write_bytes(bytes(range(256)) * 20)


@attack
def edit_the_truth(repository: Repository) -> None:
    for name, wrong in (("base.csv", ""), ("head.csv", "edited")):
        rows = [
            f"{key},{'a' if value == '1' or wrong else 'b'},a"
            for key, value in (line.split(",") for line in lines(repository, name))
        ]
        repository.rows(name, rows, "example,truth,prediction")


# What is done to the baseline.


@attack
def delete_the_baseline(repository: Repository) -> None:
    (repository.folder / "base.csv").unlink()


@attack
def empty_the_baseline(repository: Repository) -> None:
    repository.rows("base.csv", [])


@attack
def record_a_worse_baseline(repository: Repository) -> dict[str, str]:
    base = repository.commit()
    shutil.copy(repository.folder / "head.csv", repository.folder / "base.csv")
    repository.rows("base.csv", lines(repository)[::-1])
    return {"base_commit": base}


@attack
def measure_a_base_that_is_newer_than_the_head(repository: Repository) -> dict[str, str]:
    head = repository.commit(date="2026-01-01T00:00:00Z")
    repository.configure(GATE + "\n")
    return {"head_commit": head, "base_commit": repository.commit(date="2026-02-01T00:00:00Z")}


@attack
def name_a_commit_that_is_none(repository: Repository) -> dict[str, str]:
    repository.commit()
    return {"base_commit": "0123456789abcdef0123456789abcdef01234567"}


@attack
def give_git_an_option_in_the_place_of_a_commit(repository: Repository) -> dict[str, str]:
    repository.commit()
    return {"base_commit": "--output=hacked"}


# What is done to the gate.


@attack
def widen_the_margin_in_the_pull_request(repository: Repository) -> dict[str, str]:
    base = repository.commit()
    repository.configure(GATE.replace("0.05", "0.5"))
    return {"base_commit": base}


@attack
def break_the_gate_in_the_pull_request(repository: Repository) -> dict[str, str]:
    base = repository.commit()
    repository.configure("")
    return {"base_commit": base}


def changed_gate(name: str, old: str, new: str) -> None:
    """Put a change of the configuration on the list."""

    def change(repository: Repository) -> None:
        assert old in GATE
        repository.configure(GATE.replace(old, new))

    ATTACKS[name] = change


changed_gate("misspell the margin", "margin = 0.05", "marign = 0.9")
changed_gate("misspell a key of the whole", "[pr]\n", "[pr]\nlevl = 0.4\n")
changed_gate("a margin as large as the accuracy", "0.05", "0.9")
changed_gate("a margin of per cents", "0.05", "5")
changed_gate("a negative margin", "0.05", "-0.05")
changed_gate("an infinite margin", "0.05", "inf")
changed_gate("a margin that is no number", "0.05", "nan")
changed_gate("a margin that is a text", "0.05", '"0.05"')
changed_gate("a level near 1", "[pr]\n", "[pr]\nlevel = 0.99\n")
changed_gate("a level of 0", "[pr]\n", "[pr]\nlevel = 0.0\n")
changed_gate("the other direction", "margin", 'direction = "lower"\nmargin')
changed_gate("a direction that is none", "margin", 'direction = "better"\nmargin')
changed_gate("a share above 1", "margin", "share = 1.5\nmargin")
changed_gate("no share", "margin", "share = 0\nmargin")
changed_gate("a negative share", "margin", "share = -0.5\nmargin")
changed_gate("a share that is true", "margin", "share = true\nmargin")
changed_gate("an open answer that is ignored", "margin", 'undecided = "ignore"\nmargin')
changed_gate("no checks", GATE, "[pr]\nchecks = []\n")
changed_gate("no gate", GATE, "")
changed_gate("a gate of another kind", GATE, "pr = 3")
changed_gate("a file that is no TOML", GATE, "[pr\n")
changed_gate("a check without a name", 'name = "answers"\n', "")
changed_gate("a name of two lines", '"answers"', '"a\\n### ✓ passed"')
changed_gate("a check without a head", 'head = "head.csv"\n', "")
changed_gate("the base as the head", "head.csv", "base.csv")
changed_gate("the base as the head by another way", "head.csv", "./base.csv")
changed_gate("a pattern of both sides", "head.csv", "*.csv")
changed_gate("a head elsewhere", "head.csv", "/nowhere/head.csv")
changed_gate("the same check twice", GATE, GATE + GATE.replace("[pr]\n", ""))
changed_gate("tasks of another kind", "margin", 'tasks = "any"\nmargin')
changed_gate("columns that are none", "margin", 'columns = ["value"]\nmargin')


# What is done to measured times.

TIMED: dict[str, Attack] = {}


def timed_attack(function: Attack) -> Attack:
    """Put an attack on a check of times on the list."""
    TIMED[function.__name__] = function
    return function


def both(repository: Repository, parse: Sequence[float] | Sequence[str]) -> None:
    """Write the head's times of both benchmarks."""
    repository.times("head.json", parse=parse, show=repository.slower(1.0, 4))


@timed_attack
def leave_the_times_as_bad_as_they_are(repository: Repository) -> None:
    pass


@timed_attack
def delete_the_slow_benchmark(repository: Repository) -> None:
    repository.times("head.json", show=repository.slower(1.0, 4))


@timed_attack
def rename_the_slow_benchmark(repository: Repository) -> None:
    repository.times("head.json", parse2=repository.slower(1.3), show=repository.slower(1.0, 4))


@timed_attack
def keep_the_two_fastest_runs(repository: Repository) -> None:
    both(repository, [0.99, 1.0])


@timed_attack
def write_a_negative_time(repository: Repository) -> None:
    both(repository, [-1.0, *repository.slower(0.9)])


@timed_attack
def write_a_time_of_zero(repository: Repository) -> None:
    both(repository, [0.0, *repository.slower(0.9)])


@timed_attack
def write_nan_times(repository: Repository) -> None:
    both(repository, [float("nan"), *repository.slower(0.9)])


@timed_attack
def write_the_same_time_again_and_again(repository: Repository) -> None:
    both(repository, [1.0] * 12)


@timed_attack
def copy_the_times_of_the_base(repository: Repository) -> None:
    both(repository, repository.slower(1.0, 1))


@timed_attack
def write_times_as_texts(repository: Repository) -> None:
    both(repository, ["0.9"] * 5)


@timed_attack
def write_no_times(repository: Repository) -> None:
    both(repository, [])


@timed_attack
def let_the_slow_command_fail_fast(repository: Repository) -> None:
    path = repository.folder / "head.json"
    plain = json.loads(path.read_text(encoding="utf-8"))
    plain["results"][0] |= {"times": repository.slower(0.1), "exit_codes": [1] * 12}
    path.write_text(json.dumps(plain), encoding="utf-8")


@timed_attack
def use_a_table_for_times(repository: Repository) -> None:
    repository.write("head.csv", repository.right)
    repository.configure(TIMES.replace("head.json", "head.csv"))


@timed_attack
def use_another_tool_for_the_head(repository: Repository) -> None:
    rows = [
        {"name": name, "real_time": 1.0 + i / 100, "time_unit": "ms", "repetition_index": i}
        for name in ("parse", "show")
        for i in range(12)
    ]
    plain = {"context": {"num_cpus": 2}, "benchmarks": rows}
    (repository.folder / "head.json").write_text(json.dumps(plain), encoding="utf-8")


@timed_attack
def cut_the_measurements_off(repository: Repository) -> None:
    path = repository.folder / "head.json"
    path.write_bytes(path.read_bytes()[:-20])


@timed_attack
def delete_the_measured_baseline(repository: Repository) -> None:
    (repository.folder / "base.json").unlink()


@timed_attack
def delete_the_measured_head(repository: Repository) -> None:
    (repository.folder / "head.json").unlink()


@timed_attack
def name_a_floor_that_is_none(repository: Repository) -> None:
    repository.configure(TIMES + 'floor = "floor.json"\n')


@timed_attack
def invent_a_floor(repository: Repository) -> None:
    repository.configure(TIMES + 'floor = "floor.json"\n')
    plain = {"kind": "noise floor", "entries": {"parse": {"floor": 2.0, "runs": 99}}}
    (repository.folder / "floor.json").write_text(json.dumps(plain), encoding="utf-8")


@timed_attack
def leave_no_margin_and_no_floor(repository: Repository) -> None:
    repository.configure(TIMES.replace("margin = 0.05\n", ""))


@timed_attack
def turn_the_direction_of_times(repository: Repository) -> None:
    repository.configure(TIMES + 'direction = "higher"\n')


@timed_attack
def name_a_measure_of_times(repository: Repository) -> None:
    repository.configure(TIMES + 'measure = "accuracy"\n')


@timed_attack
def change_the_recorded_times_of_the_base(repository: Repository) -> dict[str, str]:
    base = repository.commit()
    repository.times("base.json", parse=repository.slower(1.3), show=repository.slower(1.0, 2))
    return {"base_commit": base}


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) + len(TIMED) >= 80


@pytest.mark.parametrize("name", TIMED)
def test_a_slower_pull_request_never_passes(name: str, timed: Repository) -> None:
    commits = TIMED[name](timed) or {}
    try:
        facts = timed.judge(**commits)
    except InvalidInput:
        return
    assert facts.code != PASSED
    assert not write_comment(facts).startswith("### ✓")


def test_times_are_judged_worst_first_and_the_same_times_pass(timed: Repository) -> None:
    facts = timed.judge()
    assert facts.code == GATE_FAILED
    assert [one.name for one in facts.checks[0].findings] == ["parse", "show"]
    assert "regression in times: parse takes 29.6% more time" in write_comment(facts)
    both(timed, timed.slower(1.0, 5))
    assert timed.judge().code == PASSED
    both(timed, timed.slower(0.7, 5))
    facts = timed.judge()
    assert facts.code == PASSED
    assert facts.checks[0].findings[0].state is State.IMPROVEMENT


@pytest.mark.parametrize("name", ATTACKS)
def test_a_bad_pull_request_never_passes(name: str, repository: Repository) -> None:
    commits = ATTACKS[name](repository) or {}
    try:
        facts = repository.judge(**commits)
    except InvalidInput:  # the command line says why in one line and exits with 2
        return
    assert facts.code != PASSED
    assert not write_comment(facts).startswith("### ✓")


def test_the_bad_pull_request_is_a_regression_and_the_same_results_pass(
    repository: Repository,
) -> None:
    assert repository.judge().code == GATE_FAILED
    repository.write("head.csv", repository.breaks(1))
    facts = repository.judge()
    assert facts.code == PASSED
    assert facts.checks[0].state in (State.NOT_WORSE, State.UNCHANGED)


def test_a_name_cannot_speak_for_the_gate(repository: Repository) -> None:
    """Names that strangers choose stay in their cells."""
    evil = "a | ✓ | @team <script>x</script> <!-- evenfold pr -->"
    repository.configure(GATE.replace('"answers"', f"'{evil}'"))
    comment = write_comment(repository.judge())
    assert "<script>" not in comment
    assert "@team" not in comment
    assert comment.count("<!--") == 1


def test_shuffled_rows_change_nothing(repository: Repository) -> None:
    before = repository.judge().checks[0].findings[0]
    rows = np.array(lines(repository))
    repository.rows("head.csv", np.random.default_rng(0).permutation(rows).tolist())
    after = repository.judge().checks[0].findings[0]
    assert (before.value, before.low, before.high) == (after.value, after.low, after.high)
