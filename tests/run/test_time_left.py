"""Progress says how long the rest will take, where that is worth saying."""

import pytest

from evenfold.run import progress


def test_the_time_left_is_that_of_the_fits_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    said: list[str] = []
    lines = progress.Lines("fits", said.append)
    lines.expect(10)
    now[0] = 40.0
    lines.step()
    assert said == ["1 of 10 fits, about 6 min 0 s left"]
    lines.step(reused=8)
    assert lines.time_left == ", about 40.0 s left"
    lines.aim("", most=12)
    assert lines.time_left == ", at most about 2 min 0 s left"
