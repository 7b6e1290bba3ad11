"""Warnings of algorithms are counted and told in one line, in whatever engine they were fitted."""

import warnings
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.run.cells import note_warnings

RNG = np.random.default_rng(0)
y = np.tile([0, 1], 30)
X = RNG.normal(size=(60, 3)) + y[:, None]


class Loud(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Warns in every fit, twice of the same, and of something else in every prediction."""

    def fit(self, X: Any, y: Any) -> "Loud":
        self.classes_ = np.unique(y)
        self.inner_ = GaussianNB().fit(X, y)
        for _ in range(2):
            warnings.warn("it did not converge", UserWarning, stacklevel=1)
        return self

    def predict(self, X: Any) -> Any:
        warnings.warn("and it is slow", RuntimeWarning, stacklevel=1)
        return self.inner_.predict(X)


TWO: dict[str, Any] = {"bayes": GaussianNB(), "loud": Loud()}


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.filterwarnings("default::UserWarning", "default::RuntimeWarning")
def test_one_line_says_who_warned_and_in_how_many_fits(
    n_jobs: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    c = ef.compare(TWO, X, y, design=ef.Mx2BCV(3), random_state=0, n_jobs=n_jobs)
    (said,) = [one for one in c.notes if one.code == "fits-warned"]
    assert (
        str(said)
        == "loud warned in 6 fits: UserWarning: it did not converge (and gave 1 other warning)"
    )
    assert "converge" not in capfd.readouterr().err
    loaded = ef.Comparison.from_json(c.to_json())
    assert said in loaded.notes


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_what_is_ignored_is_not_told() -> None:
    c = ef.compare(TWO, X, y, design=ef.Mx2BCV(3), random_state=0)
    assert not [one for one in c.notes if one.code == "fits-warned"]


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_warning_that_is_an_error_fails_the_fit() -> None:
    c = ef.compare(TWO, X, y, design=ef.Mx2BCV(3), random_state=0)
    assert len(c.failures) == 6
    assert "it did not converge" in c.failures[0].message


@pytest.mark.filterwarnings("always::UserWarning")
def test_what_others_warn_of_is_shown_as_before() -> None:
    before = warnings.showwarning
    with note_warnings() as seen:
        with note_warnings() as inner:
            warnings.warn("inner", UserWarning, stacklevel=1)
        warnings.warn("outer", UserWarning, stacklevel=1)
    assert (seen, inner) == (["UserWarning: outer"], ["UserWarning: inner"])
    assert warnings.showwarning is before
    with pytest.warns(UserWarning, match="afterwards"):
        warnings.warn("afterwards", UserWarning, stacklevel=1)


class Broken(Loud):
    """Warns of the reason, and then fails."""

    def fit(self, X: Any, y: Any) -> "Broken":
        warnings.warn(f"the reason of {len(X)} and {len(y)}", UserWarning, stacklevel=1)
        raise ValueError("bad")


@pytest.mark.filterwarnings("always")
def test_a_fit_that_fails_keeps_what_it_warned_of() -> None:
    c = ef.compare({"bayes": GaussianNB(), "broken": Broken()}, X, y, random_state=0)
    (warned,) = [note for note in c.notes if note.code == "fits-warned"]
    assert "the reason" in str(warned)


@pytest.mark.filterwarnings("always")
def test_warnings_work_on_when_another_thread_puts_the_own_function_back() -> None:
    entered = Event()
    leave = Event()

    def fit() -> None:
        with note_warnings():
            entered.set()
            leave.wait(10)

    thread = Thread(target=fit)
    thread.start()
    entered.wait(10)
    with warnings.catch_warnings():
        leave.set()
        thread.join()
    with note_warnings() as seen:
        warnings.warn("within", UserWarning, stacklevel=1)
    assert seen == ["UserWarning: within"]
    with pytest.warns(UserWarning, match="after"):
        warnings.warn("after", UserWarning, stacklevel=1)
