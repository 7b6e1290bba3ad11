"""
Displays, as scikit-learn has them: made from models or results, drawn on anybody's axes.

A display draws the figures of reports; it adds only where they are drawn.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from evenfold.comparison.compare import compare
from evenfold.comparison.judge.api import judge
from evenfold.comparison.result import Comparison
from evenfold.core.checks import refuse
from evenfold.core.environment import require
from evenfold.core.errors import NotApplicable
from evenfold.core.inputs import Algorithms
from evenfold.report.figures.base import INTERVAL, POINT, Info
from evenfold.report.figures.infos import infos
from evenfold.report.figures.many import LeaderInfo

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

Style = Mapping[str, Any]


class _Display(ABC):
    """
    What all displays do.

    Attributes
    ----------
    comparison : Comparison
        The answer that is shown.
    """

    ax_: "Axes"
    axes_: "list[Axes]"
    figure_: "Figure"
    points_: "list[Line2D]"
    intervals_: "list[Line2D]"

    def __init__(self, *, comparison: Comparison) -> None:
        self.comparison = comparison

    @abstractmethod
    def _infos(self) -> Sequence[Info]:
        """Return the pictures, the most telling first."""

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison | Any,
        *,
        ax: "Axes | None" = None,
        point_kw: Style | None = None,
        interval_kw: Style | None = None,
    ) -> Self:
        """
        Draw an answer of :func:`evenfold.compare` or :func:`evenfold.judge`.

        Parameters
        ----------
        comparison : Comparison
            The answer.
        ax, point_kw, interval_kw
            As in :meth:`plot`.

        Returns
        -------
        display
            With the figure drawn.
        """
        if not isinstance(comparison, Comparison):
            refuse(
                "comparison",
                f"comparison must be a Comparison but got a {type(comparison).__name__}.",
                "Make one with ef.compare or ef.judge.",
            )
        display = cls(comparison=comparison)
        return display.plot(ax, point_kw=point_kw, interval_kw=interval_kw)

    @classmethod
    def from_estimators(
        cls,
        estimators: Algorithms,
        X: Any,
        y: Any,
        *,
        ax: "Axes | None" = None,
        point_kw: Style | None = None,
        interval_kw: Style | None = None,
        **keywords: Any,
    ) -> Self:
        """
        Compare estimators on data and draw the answer.

        Parameters
        ----------
        estimators : list or mapping of estimators
            What is compared.
        X, y
            The data.
        ax, point_kw, interval_kw
            As in :meth:`plot`.
        **keywords
            Those of :func:`evenfold.compare`, for example ``scoring`` and ``random_state``.

        Returns
        -------
        display
            With the figure drawn; the answer is its ``comparison``.
        """
        comparison = compare(estimators, X, y, **keywords)
        return cls.from_comparison(comparison, ax=ax, point_kw=point_kw, interval_kw=interval_kw)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Any,
        *,
        ax: "Axes | None" = None,
        point_kw: Style | None = None,
        interval_kw: Style | None = None,
        **keywords: Any,
    ) -> Self:
        """
        Judge results of cross-validation and draw the answer.

        Parameters
        ----------
        cv_results : mapping, or a fitted search
            What ``cross_validate`` returned, by algorithm, or the ``cv_results_`` of a search.
        ax, point_kw, interval_kw
            As in :meth:`plot`.
        **keywords
            Those of :func:`evenfold.judge`, for example ``cv`` and ``n``.

        Returns
        -------
        display
            With the figure drawn; the answer is its ``comparison``.
        """
        comparison = judge(cv_results, **keywords)
        return cls.from_comparison(comparison, ax=ax, point_kw=point_kw, interval_kw=interval_kw)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        point_kw: Style | None = None,
        interval_kw: Style | None = None,
    ) -> Self:
        """
        Draw the answer.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where the most telling picture is drawn. By default all pictures are drawn on a new
            figure of pyplot.
        point_kw, interval_kw : mapping, optional
            Keywords of matplotlib's ``Line2D`` for the estimates and for their intervals.

        Returns
        -------
        self
        """
        require("matplotlib", f"{type(self).__name__}.plot")
        from matplotlib import pyplot

        from evenfold.report.figures.drawing import NotebookFigure, draw_figure, draw_on

        shown = self._infos()
        if ax is None:
            make = partial(pyplot.figure, FigureClass=NotebookFigure)
            self.axes_ = list(draw_figure(shown, titles=True, make=make).axes)
        else:
            self.axes_ = draw_on(ax, shown)
        self.ax_ = self.axes_[0]
        self.figure_ = self.ax_.figure.figure
        self.points_ = self._style(POINT, point_kw)
        self.intervals_ = self._style(INTERVAL, interval_kw)
        return self

    def _style(self, label: str, style: Style | None) -> "list[Line2D]":
        """Return the lines with a label, after they got the user's style."""
        lines = [line for ax in self.axes_ for line in ax.lines if line.get_label() == label]
        for line in lines:
            line.set(**(style or {}))
        return lines


class ComparisonDisplay(_Display):
    """
    The figures of an answer, as :meth:`Comparison.plot` draws them.

    For two algorithms they are the estimate at each look and the hold-out differences, for more
    the ranking and every pair.

    Parameters
    ----------
    comparison : Comparison
        The answer that is shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the most telling picture.
    axes_ : list of matplotlib Axes
        Those of all pictures.
    figure_ : matplotlib Figure
        The figure that holds them.
    points_, intervals_ : list of matplotlib Line2D
        The estimates, and their intervals.

    See Also
    --------
    RankingDisplay : Every candidate against the leader.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> two = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    >>> display = ef.ComparisonDisplay.from_estimators(two, X, y, random_state=0)
    >>> display.ax_.get_ylabel()
    'error: bayes − dummy'
    >>> display.comparison.verdict.outcome.value
    'better'
    """

    def _infos(self) -> Sequence[Info]:
        shown = infos(self.comparison.facts)
        if not shown:
            raise NotApplicable("The comparison has no usable values, so there is nothing to draw.")
        return shown


class RankingDisplay(_Display):
    """
    Every candidate against the leader, with the set of those that may be the best.

    The candidate with the best value leads. The others stand below it with their distance from it
    and its interval, which holds for all pairs together. Candidates that may be the best have
    filled markers.

    Parameters
    ----------
    comparison : Comparison
        The answer about more than two algorithms, without a baseline.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    axes_ : list of matplotlib Axes
        The same, as a list.
    figure_ : matplotlib Figure
        The figure that holds it.
    points_, intervals_ : list of matplotlib Line2D
        The estimates, and their intervals.

    See Also
    --------
    ComparisonDisplay : The figures of any comparison.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> three = [DummyClassifier(), GaussianNB(), DecisionTreeClassifier()]
    >>> names = ["dummy", "bayes", "tree"]
    >>> models = dict(zip(names, three))
    >>> display = ef.RankingDisplay.from_estimators(models, X, y, random_state=0)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['bayes', 'tree', 'dummy']
    """

    def _infos(self) -> Sequence[Info]:
        leader = self.comparison.winner  # refuses where nobody leads
        info = LeaderInfo.of(self.comparison.facts)
        if info is None or len(info.names) < 2:
            raise NotApplicable(f"No other algorithm was compared with {leader.name!r}.")
        return (info,)
