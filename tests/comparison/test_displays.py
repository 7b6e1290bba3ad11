"""Displays keep scikit-learn's convention, and draw what the figures of reports draw."""

import inspect
import math
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef

mpl.use("Agg")
from matplotlib import pyplot

RNG = np.random.default_rng(0)
y = np.tile([0, 1], 40)
X = RNG.normal(size=(80, 3)) + 1.2 * y[:, None]
MODELS: dict[str, Any] = {
    "dummy": DummyClassifier(),
    "bayes": GaussianNB(),
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(random_state=0, max_depth=1),
}
TWO = {name: MODELS[name] for name in ("dummy", "bayes")}
DISPLAYS = [ef.ComparisonDisplay, ef.RankingDisplay]
Display = type[ef.ComparisonDisplay | ef.RankingDisplay]


@pytest.fixture(scope="module")
def four() -> ef.Comparison:
    return ef.compare(MODELS, X, y, design=ef.Mx2BCV(3), random_state=0)


@pytest.fixture(scope="module")
def two() -> ef.Comparison:
    return ef.compare(TWO, X, y, design=ef.Mx2BCV(3), random_state=0)


@pytest.fixture(autouse=True)
def _no_figures_are_left() -> Any:
    yield
    pyplot.close("all")


def xy(line: Any) -> Any:
    return np.asarray(line.get_xydata())


# What scikit-learn asks of its own displays (metrics/_plot/tests/test_common_curve_display.py and
# model_selection/tests/test_plot.py).


@pytest.mark.parametrize("display", DISPLAYS)
def test_named_constructors_make_the_subclass(display: Display, four: ef.Comparison) -> None:
    class SubclassOfDisplay(display):  # type: ignore[misc, valid-type]
        pass

    folds = KFold(5, shuffle=True, random_state=0)
    results = {name: cross_validate(model, X, y, cv=folds) for name, model in MODELS.items()}
    made = (
        SubclassOfDisplay.from_comparison(four),
        SubclassOfDisplay.from_estimators(MODELS, X, y, cv=5, scoring="accuracy", random_state=0),
        SubclassOfDisplay.from_cv_results(results, cv=folds, n=80, higher_is_better=True),
    )
    assert all(isinstance(one, SubclassOfDisplay) for one in made)
    assert made[1].comparison.losses.measure == "accuracy"


@pytest.mark.parametrize("display", DISPLAYS)
def test_plot_returns_the_display_with_its_axes_and_figure(
    display: Display, four: ef.Comparison
) -> None:
    shown = display(comparison=four)
    assert not hasattr(shown, "ax_")
    assert shown.plot() is shown
    assert isinstance(shown.ax_, mpl.axes.Axes)
    assert shown.figure_ is pyplot.gcf()
    assert shown.ax_ in shown.figure_.axes


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_axes_of_the_user_are_drawn_on(display: Display, four: ef.Comparison) -> None:
    figure, (left, right) = pyplot.subplots(1, 2)
    shown = display.from_comparison(four, ax=right)
    assert (shown.ax_, shown.figure_, shown.axes_) == (right, figure, [right])
    assert not left.lines
    assert right.lines
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize("display", DISPLAYS)
def test_plot_can_be_called_again_elsewhere(display: Display, four: ef.Comparison) -> None:
    shown = display.from_comparison(four)
    first = shown.figure_
    shown.plot(point_kw={"color": "red"})
    assert shown.figure_ is not first
    assert {line.get_color() for line in shown.points_} == {"red"}


@pytest.mark.parametrize("display", DISPLAYS)
def test_keywords_of_matplotlib_reach_points_and_intervals(
    display: Display, four: ef.Comparison
) -> None:
    shown = display.from_comparison(
        four, point_kw={"marker": "D", "ms": 4}, interval_kw={"c": "black", "lw": 5}
    )
    assert {(str(one.get_marker()), one.get_markersize()) for one in shown.points_} == {("D", 4)}
    assert {(one.get_color(), one.get_linewidth()) for one in shown.intervals_} == {("black", 5)}
    with pytest.raises(AttributeError, match="no_such"):
        shown.plot(point_kw={"no_such": 1})
    with pytest.raises(TypeError, match="color"):
        shown.plot(point_kw={"c": "red", "color": "blue"})


@pytest.mark.parametrize("display", DISPLAYS)
def test_settings_of_the_user_are_left_alone(display: Display, four: ef.Comparison) -> None:
    with mpl.rc_context({"axes.grid": True, "font.size": 30}):
        display.from_comparison(four)
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.parametrize("display", DISPLAYS)
def test_signatures_are_those_of_a_display(display: Display) -> None:
    plot = inspect.signature(display.plot).parameters
    assert list(plot)[:2] == ["self", "ax"]
    for name in ("from_comparison", "from_estimators", "from_cv_results"):
        parameters = inspect.signature(getattr(display, name)).parameters
        assert {"ax", "point_kw", "interval_kw"} <= set(parameters)
        assert parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY


# What is drawn.


def test_a_comparison_is_drawn_as_its_plot(four: ef.Comparison, two: ef.Comparison) -> None:
    for c in (four, two):
        shown = ef.ComparisonDisplay.from_comparison(c)
        usual = c.plot()
        assert len(shown.axes_) == len(usual.axes)
        for ours, theirs in zip(shown.axes_, usual.axes, strict=True):
            assert (ours.get_xlabel(), ours.get_ylabel()) == (
                theirs.get_xlabel(),
                theirs.get_ylabel(),
            )
            mine = [xy(line) for line in ours.lines]
            assert all(
                np.array_equal(one, xy(other))
                for one, other in zip(mine, theirs.lines, strict=True)
            )


def test_points_and_intervals_are_those_of_the_answer(two: ef.Comparison) -> None:
    shown = ef.ComparisonDisplay.from_comparison(two)
    point = xy(shown.points_[-1])
    ends = xy(shown.intervals_[-1])
    assert point[0, 1] == two.value
    assert ends[:, 1].tolist() == list(two.interval)


def test_everybody_stands_below_the_leader_with_the_distance_from_it(four: ef.Comparison) -> None:
    shown = ef.RankingDisplay.from_comparison(four)
    names = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert names == [one.name for one in four.ranking]
    leader = four.winner.name
    places = [xy(line)[0, 0] for line in shown.points_]
    pairs = [four[leader, name] for name in names[1:]]
    assert places == [0.0, *(pair.value for pair in pairs)]
    ends = [xy(line)[:, 0].tolist() for line in shown.intervals_]
    assert ends == [[pair.low, pair.high] for pair in pairs]
    filled = [
        name
        for name, line in zip(names, shown.points_, strict=True)
        if line.get_markerfacecolor() == line.get_color()
    ]
    assert tuple(filled) == four.best_set
    assert "dummy" not in filled


def test_ratios_are_turned_as_ratios(two: ef.Comparison) -> None:
    from evenfold.report.figures.many import _turned

    assert _turned(2.0, 1.6, 4.0, ratio=True) == (0.5, 0.25, 0.625)
    assert _turned(2.0, 0.0, 4.0, ratio=True) == (0.5, 0.25, math.inf)
    assert _turned(0.2, -0.1, 0.5, ratio=False) == (-0.2, -0.5, 0.1)
    assert two.facts.quantity.ratio is False


def test_a_ranking_needs_three_that_were_all_compared(two: ef.Comparison) -> None:
    with pytest.raises(ef.InvalidInput, match="at least three algorithms"):
        ef.RankingDisplay.from_comparison(two)
    c = ef.compare(MODELS, X, y, design=ef.Mx2BCV(3), random_state=0, baseline="dummy")
    with pytest.raises(ef.InvalidInput, match="Leave baseline out"):
        ef.RankingDisplay.from_comparison(c)


@pytest.mark.parametrize("display", DISPLAYS)
def test_what_is_no_comparison_is_refused(display: Display) -> None:
    with pytest.raises(ef.InvalidInput, match="comparison must be a Comparison but got a dict"):
        display.from_comparison({})
