"""What the figures show, and that they can be drawn without a display or global state."""

import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from tests.report.conftest import twenty

from evenfold.core.facts.comparison import Facts
from evenfold.core.ranking import cliques
from evenfold.report import plot
from evenfold.report.figures.base import BLUE, GREEN, GROUND, INK, MUTED, ORANGE, Axis, draw
from evenfold.report.figures.drawing import to_svg
from evenfold.report.figures.infos import OverlapInfo, infos, infos_of_pairs
from evenfold.report.figures.many import ForestInfo, GroupsInfo, MatrixInfo
from evenfold.report.figures.pair import DifferencesInfo, PathInfo, PosteriorInfo

Scenario = Callable[[str], Facts]
SHOWN = {
    "sequential": [PathInfo, DifferencesInfo],
    "bayes": [PosteriorInfo],
    "many": [GroupsInfo, ForestInfo],
    "ranked": [GroupsInfo, ForestInfo],
    "single": [DifferencesInfo],
    "failing": [DifferencesInfo],
    "one_sided": [DifferencesInfo],
    "hostile": [GroupsInfo, ForestInfo],
}


@pytest.mark.parametrize("name", SHOWN)
def test_the_right_pictures_are_chosen(scenario: Scenario, name: str) -> None:
    assert [type(info) for info in infos(scenario(name))] == SHOWN[name]


def test_differences_are_grouped_by_repetition(scenario: Scenario) -> None:
    facts = scenario("sequential")
    info = DifferencesInfo.of(facts, facts.pairs[0])
    assert info is not None
    assert info.by == "repetition"
    assert [len(group) for group in info.groups] == [2, 2, 2, 2]
    assert info.groups[0] == facts.pairs[0].differences[:2]
    assert (info.value, info.low, info.high) == (-0.021, -0.034, -0.008)


def test_failed_cells_are_left_out_of_the_differences(scenario: Scenario) -> None:
    facts = scenario("failing")
    info = DifferencesInfo.of(facts, facts.pairs[0])
    assert info is not None
    assert [len(group) for group in info.groups] == [1, 2, 1, 2]
    nothing = replace(facts.pairs[0], differences=(math.nan,) * 8)
    assert DifferencesInfo.of(facts, nothing) is None


def test_a_single_repetition_is_shown_by_split(scenario: Scenario) -> None:
    facts = scenario("sequential")
    facts = replace(facts, design=replace(facts.design, repetition=(0,) * 8, fold=tuple(range(8))))
    info = DifferencesInfo.of(facts, facts.pairs[0])
    assert info is not None
    assert info.by == "split"
    assert len(info.groups) == 8


def test_the_path_knows_where_it_stopped(scenario: Scenario) -> None:
    facts = scenario("sequential")
    info = PathInfo.of(facts, facts.pairs[0])
    assert info is not None
    assert (info.m, info.stopped_at, info.most) == ((3, 4), 4, 9)
    assert info.axis.null == 0.0
    assert "after 3 repetitions −0.022, CI −0.046 to 0.002" in info.alt


def test_the_axis_says_who_is_better_where(scenario: Scenario) -> None:
    lower, higher = scenario("sequential"), scenario("bayes")
    axis = Axis.of(lower, lower.pairs[0])
    assert (axis.low_side, axis.high_side) == ("forest better", "tree better")
    axis = Axis.of(higher, higher.pairs[0])
    assert (axis.low_side, axis.high_side) == ("crf better", "lstm better")


def test_posteriors_keep_the_curves(scenario: Scenario) -> None:
    facts = scenario("bayes")
    info = PosteriorInfo.of(facts, facts.pairs[0])
    assert info is not None
    assert [curve.name for curve in info.curves] == ["crf", "lstm"]
    assert "crf mean 0.842" in info.alt


def test_the_forest_has_every_pair_that_was_judged(scenario: Scenario) -> None:
    facts = scenario("many")
    info = ForestInfo.of(facts)
    assert info is not None
    assert info.names[0] == "forest − tree"
    assert info.outcomes == tuple(pair.outcome for pair in facts.pairs)
    assert info.axis.margin == 0.005
    lost = replace(facts.pairs[0], value=math.nan, outcome="not applicable")
    shorter = ForestInfo.of(replace(facts, pairs=(lost, *facts.pairs[1:])))
    assert shorter is not None
    assert len(shorter.names) == 5


def test_many_pairs_are_read_in_a_square() -> None:
    facts = twenty()
    first, square = infos(facts)
    assert isinstance(first, GroupsInfo)
    assert isinstance(square, MatrixInfo)
    assert first.names == square.names
    assert len(set(square.names)) == 20
    assert square.names[0].startswith("1 Gradient")
    outcomes = square.outcomes
    reverse = {"better": "worse", "worse": "better"}
    assert all(outcomes[i][i] is None for i in range(20))
    assert all(
        outcomes[j][i] == reverse.get(said := str(outcomes[i][j]), said)
        for i, j in combinations(range(20), 2)
    )
    assert outcomes[1][0] == facts.pairs[0].outcome


def test_a_square_of_a_few_or_too_many_is_not_drawn(scenario: Scenario) -> None:
    assert MatrixInfo.of(scenario("many")) is None
    crowd = replace(twenty(), candidates=twenty().candidates * 3)
    assert MatrixInfo.of(crowd) is None


def test_not_worse_has_no_reverse(scenario: Scenario) -> None:
    facts = scenario("ranked")
    pair = replace(facts.pairs[0], outcome="not worse")  # forest against tree
    square = MatrixInfo.of(replace(facts, pairs=(pair,)))
    assert square is not None
    assert (square.outcomes[1][3], square.outcomes[3][1]) == ("not worse", None)


def test_groups_join_what_was_not_told_apart(scenario: Scenario) -> None:
    info = GroupsInfo.of(scenario("many"))
    assert info is not None
    assert info.names == ("boosting", "forest", "knn", "tree")
    assert info.groups == ((0, 1), (1, 2))
    assert "Tied: boosting and forest; forest and knn." in info.alt


def test_there_are_no_groups_without_all_pairs_or_all_cells(scenario: Scenario) -> None:
    facts = scenario("many")
    assert GroupsInfo.of(replace(facts, pairs=facts.pairs[:3])) is None
    broken = ((math.nan, *facts.values[0][1:]), *facts.values[1:])
    assert GroupsInfo.of(replace(facts, values=broken)) is None


def test_the_means_of_a_figure_are_those_of_the_facts(scenario: Scenario) -> None:
    facts = scenario("many")
    moved = replace(facts, values=tuple(tuple(x + 0.1 for x in row) for row in facts.values))
    info = GroupsInfo.of(moved)
    assert info is not None
    assert info.means == tuple(sorted(one.mean for one in moved.summaries))
    assert info.means[0] > min(one.mean for one in facts.summaries) + 0.09


@pytest.mark.parametrize("seed", range(20))
def test_cliques_are_all_the_largest_joined_sets(seed: int) -> None:
    import numpy as np

    table = np.triu(np.random.default_rng(seed).random((6, 6)) < 0.6, 1)
    joined = [set(map(int, np.flatnonzero(row))) for row in table | table.T]

    def is_joined(group: tuple[int, ...]) -> bool:
        return all(j in joined[i] for i, j in combinations(group, 2))

    sets = [g for size in range(1, 7) for g in combinations(range(6), size) if is_joined(g)]
    largest = {g for g in sets if not any(set(g) < set(h) for h in sets)}
    assert set(cliques(joined)) == largest


def test_overlaps_are_shown_where_they_can_be_read(scenario: Scenario) -> None:
    facts = scenario("sequential")
    info = OverlapInfo.of(facts)
    assert info is not None
    assert "share 0 to 142 of 285 examples" in info.alt
    assert OverlapInfo.of(replace(facts, design=replace(facts.design, overlaps=()))) is None


def test_few_pairs_are_shown_in_detail(scenario: Scenario) -> None:
    assert infos_of_pairs(scenario("sequential")) == ()
    names = [name for name, _ in infos_of_pairs(scenario("many"))]
    assert names[:2] == ["forest − tree", "boosting − tree"]


def test_every_answer_can_be_drawn(facts: Facts) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        figure = plot(facts)
        figure.canvas.draw()
    assert len(figure.axes) >= len(infos(facts))


def test_nothing_to_draw_is_said(scenario: Scenario) -> None:
    facts = scenario("failing")
    pair = replace(facts.pairs[0], differences=())
    assert "nothing to draw" in plot(replace(facts, pairs=(pair,))).texts[0].get_text()


def test_names_are_never_mathematics(scenario: Scenario) -> None:
    info = GroupsInfo.of(scenario("hostile"))
    assert info is not None
    svg = to_svg(draw(info), name="x", alt="y")
    assert "决策树 $x$" in svg
    assert "&lt;script" in svg
    assert "<script" not in svg


def test_svg_follows_the_theme_and_is_always_the_same(scenario: Scenario) -> None:
    info = infos(scenario("sequential"))[0]
    first, second = (to_svg(draw(info), name="a", alt="in words & more") for _ in range(2))
    assert first == second
    assert 'aria-label="in words &amp; more"' in first
    assert "var(--ink)" in first
    assert not any(colour in first for colour in (INK, MUTED, GROUND, BLUE, GREEN, ORANGE))
    assert "http" not in first


def test_settings_of_the_user_change_nothing_and_are_left_alone(scenario: Scenario) -> None:
    import matplotlib

    info = infos(scenario("sequential"))[0]
    plain = to_svg(draw(info), name="a", alt="")
    mine: dict[Any, Any] = {
        "text.usetex": True,
        "axes.grid": False,
        "font.size": 30,
        "savefig.bbox": "tight",
    }
    with matplotlib.rc_context(mine):
        assert to_svg(draw(info), name="a", alt="") == plain
        assert {key: matplotlib.rcParams[key] for key in mine} == mine


def test_ids_of_two_figures_differ(scenario: Scenario) -> None:
    import re

    info = infos(scenario("sequential"))[0]
    one, two = (set(re.findall(r' id="([^"]+)"', to_svg(draw(info), name=n, alt=""))) for n in "ab")
    assert one
    assert not one & two


def test_pyplot_is_not_loaded() -> None:
    code = (
        "import sys; from evenfold.report import plot; from evenfold.report.sample import sample;"
        "from evenfold.report.formats.html import to_html;"
        "assert not {'matplotlib', 'jinja2', 'pandas'} & set(sys.modules);"
        "plot(sample()); to_html(sample()); print('matplotlib.pyplot' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_the_path_shows_how_likely_the_verdict_was_to_last(scenario: Scenario) -> None:
    facts = scenario("sequential")
    pair = facts.pairs[0]
    looks = tuple(
        replace(look, replicability=chance)
        for look, chance in zip(pair.path, (0.61, 1.0), strict=True)
    )
    pair = replace(pair, path=looks)
    facts = replace(facts, pairs=(pair,), goal=0.8)
    info = PathInfo.of(facts, pair)
    assert info is not None
    assert (info.replicability, info.goal) == ((0.61, 1.0), 0.8)
    assert "how likely the verdict was to be the same on another partition" in info.title
    assert "same verdict 61%" in info.alt
    assert "same verdict 98%" in info.alt
    upper, lower = draw(info).axes
    assert lower.get_ylabel() == "same verdict"
    assert [label.get_text() for label in lower.get_yticklabels()] == ["50%", "goal 80%", "100%"]
    assert [text.get_text() for text in lower.texts][:2] == ["61%", "98%"]
    assert upper.get_xlim() == lower.get_xlim()
    assert PathInfo.of(facts, replace(pair, path=looks[1:])) is None  # one look is no path
