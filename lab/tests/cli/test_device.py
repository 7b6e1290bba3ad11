"""``evenfold lab --device``: the same study where models are fitted elsewhere."""

from ..conftest import Run


def test_a_study_on_a_device_is_the_same(evenfold: Run) -> None:
    asked = ["lab", "type1", "mean-line", "--methods", "mx2-t", "--n", "40", "--replications", "50"]
    asked += ["--seed", "1"]
    here, there = evenfold(*asked), evenfold(*asked, "--device", "array_api_strict")
    # the first line tells the seconds
    assert here.stdout.splitlines()[1:] == there.stdout.splitlines()[1:]


def test_a_device_that_is_not_there_is_bad_usage(evenfold: Run) -> None:
    done = evenfold("lab", "type1", "mean-line", "--device", "no_such_library")
    assert done.exit_code == 2
    assert "device must be" in done.stderr
