"""``evenfold plan``."""

import re
from pathlib import Path

from tests.cli.conftest import Run


def test_from_numbers(evenfold: Run) -> None:
    done = evenfold("plan", "0.05", "--sigma", "0.02", "--n", "500")
    assert done.exit_code == 0
    assert "5 repetitions suffice, which are at most 20 fits" in done.output
    assert "from 9 repetitions on, it is less than 1%." in " ".join(done.output.split())


def test_from_a_stored_run(evenfold: Run, tmp_path: Path) -> None:
    from sklearn.datasets import load_iris

    data, store = tmp_path / "iris.csv", tmp_path / "runs.db"
    load_iris(as_frame=True).frame.to_csv(data, index=False)
    done = evenfold(
        "compare", str(data), "--target", "target", "--a", "sklearn.naive_bayes:GaussianNB", "--b",
        "sklearn.neighbors:KNeighborsClassifier", "--store", str(store), "--seed", "0",
    )  # fmt: skip
    run = re.findall(r"\b[0-9a-f]{12}\b", done.output)[0]
    planned = evenfold("plan", "0.02", "--run", run, "--store", str(store))
    assert planned.exit_code == 0
    assert "on 150 examples" in planned.output


def test_mistakes(evenfold: Run) -> None:
    done = evenfold("plan", "0.02")
    assert done.exit_code == 2
    assert "Give one of --run, --differ and --rows, or --sigma together with --n" in done.output
    assert "--run needs --store" in evenfold("plan", "0.02", "--run", "x").output


def test_runs_and_test_examples_without_a_pilot(evenfold: Run) -> None:
    done = evenfold("plan", "0.02", "--rows", "runs", "--sigma", "0.0096")
    assert done.output.endswith(
        "(the t-test on the scores of the runs, level 0.05, two-sided), 5 runs suffice.\n"
    )
    graded = ("--rows", "examples", "--sigma", "0.3")
    done = evenfold("plan", "0.02", *graded, "--power", "0.9", "--alternative", "not-worse")
    assert (
        "(the paired t-test on single examples, level 0.05, one-sided), 1,930 examples suffice"
        in done.output
    )


def test_right_and_wrong_answers_are_planned_without_a_pilot(evenfold: Run) -> None:
    done = evenfold(
        "plan",
        "0.02",
        "--differ",
        "0.04",
        "--power",
        "0.9",
        "--level",
        "0.01",
        "--alternative",
        "less",
    )
    assert done.exit_code == 0
    assert "where 4% of the answers differ, about 1,230 answers suffice" in done.output
    gate = evenfold("plan", "0", "--differ", "0.04", "--margin", "0.02", "--power", "0.9")
    assert "To pass an unchanged model as not worse by more than 0.02" in gate.output


def test_known_correlations_say_whether_the_level_is_kept(evenfold: Run) -> None:
    asked = ("plan", "0.05", "--sigma", "0.02", "--n", "500", "--rho1", "0.5")
    done = evenfold(*asked, "--rho2", "0.5")
    assert done.exit_code == 0
    assert "ρ2 = 0.5 the m×2 cv t-test errs more often than its level" in " ".join(
        done.output.split()
    )
    alone = evenfold(*asked)
    assert alone.exit_code == 2
    assert "given together" in alone.output
