"""The options, the setup and the result of every study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from evenfold.core.checks import integer, one_of, refuse, short_repr
from evenfold.core.environment import require
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import MX2_BCV
from evenfold.core.rng import seed_from
from evenfold.core.words import align_columns
from evenfold.design import Design
from evenfold.infer import methods, recommended
from evenfold_lab.algorithm import Algorithm, Refitted
from evenfold_lab.arrays import Place
from evenfold_lab.draws import DesignRequest, Draws, Effort, draw
from evenfold_lab.populations import LossPopulation, population
from evenfold_lab.populations._base import Population
from evenfold_lab.studies.answers import design_of, design_request, methods_for
from evenfold_lab.truth import Truth, truth, truth_of_difference
from evenfold_lab.value_world import ValueWorld
from evenfold_lab.world import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Row = dict[str, Any]

_LARGEST = 10**9  # examples of a data set, and data sets, which no computer can handle


class Options(TypedDict, total=False):
    """
    The options of every study.

    Attributes
    ----------
    algorithms : sequence or mapping of Algorithm or scikit-learn estimators
        One or two, the baseline A first; by default those of the population's source.
    n : int
        Examples per data set, 200 by default.
    measure : str
        The measure; by default the population's.
    replications : int
        Number of independent data sets, 1000 by default.
    random_state : None, int or numpy generator
        The seed, which is recorded. It gives the same draws on any number of workers.
    n_jobs : int
        Worker processes, as in joblib.
    store : path or URL
        Where finished draws are kept, so that an interrupted study can be resumed.
    progress : bool
        Show a bar; by default on terminals and in notebooks.
    device : str
        Where models are fitted: ``"cpu"`` by default, or ``"cuda"`` for a GPU (extra ``gpu``). The
        data sets are the same on every device, and results agree but for rounding.
    """

    algorithms: Any
    n: int
    measure: str | None
    replications: int
    random_state: Any
    n_jobs: int | None
    store: str | Path | None
    progress: bool | None
    device: str | None


_VALUES_ALONE = Quantity(name="value", lower_is_better=True)
_BESIDE = ("mx2-sequential-t", "mx2-t", "5x2-t", "corrected-resampled-t")


def with_defaults(defaults: Sequence[str], beside: Sequence[str] = _BESIDE) -> list[str]:
    """Return the recommended methods, then tests that they are often compared with."""
    return list(dict.fromkeys([*defaults, *beside]))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class StudySetup:
    """A study that is about to be run: its world, number of data sets, effort and start."""

    world: World | ValueWorld
    replications: int
    effort: Effort
    began: float = field(default_factory=perf_counter)

    def draw(self, designs: Sequence[DesignRequest]) -> list[Draws]:
        """Draw for each request; a design that is requested twice is run once."""
        merged: dict[str, DesignRequest] = {}
        for request in designs:
            known = merged.get(repr(request.design), request)
            merged[repr(request.design)] = DesignRequest(
                design=request.design,
                examples=request.examples or known.examples,
                reruns=max(request.reruns, known.reruns),
            )
        drawn = draw(self.world, list(merged.values()), self.replications, self.effort)
        by_design = dict(zip(merged, drawn, strict=True))
        return [by_design[repr(request.design)] for request in designs]

    def for_methods(self, wanted: "Methods") -> dict[str, Draws]:
        """Draw what each method needs, on the requested design or its usual one."""
        chosen = self._designs(wanted)
        if not chosen:
            refuse("methods", f"methods must name at least one but got {short_repr(wanted)}.")
        drawn = self.draw([design_request(key, design) for key, design in chosen.items()])
        return dict(zip(chosen, drawn, strict=True))

    def _designs(self, wanted: "Methods") -> dict[str, Design]:
        if isinstance(wanted, Mapping):
            return {
                _method(key): a_design(f"methods[{key!r}]", design)
                for key, design in wanted.items()
            }
        if wanted is not None and not isinstance(wanted, str | list | tuple):
            refuse(
                "methods",
                "methods must be keys of ef.infer.methods(), or a mapping of them to "
                f"designs, but got {short_repr(wanted)}.",
            )
        named = [wanted] if isinstance(wanted, str) else wanted
        keys = self.methods_for() if named is None else named
        return {key: design_of(_method(key), self.world.n) for key in keys}

    def methods_for(self, *, reruns: bool = False) -> list[str]:
        """
        Return the methods that can judge this study.

        With ``reruns``, they include bootstrap tests, at 16 times the cost.
        """
        if isinstance(self.world, ValueWorld):
            return self.world.methods_for()
        grouped = self.world.sample(0).groups is not None
        count = len(self.world.algorithms)
        keys = methods_for(measure=self.world.measure, algorithms=count, grouped=grouped)
        return [key for key in keys if reruns or "reruns" not in methods()[key].inputs]

    def default_methods(self) -> list[str]:
        """Return the tests of halvings, fixed and sequential, and their usual competitors."""
        about = self.world.quantity if isinstance(self.world, World) else _VALUES_ALONE
        return with_defaults(
            [recommended(MX2_BCV, measure=about, sequential=looks) for looks in (False, True)]
        )

    def truth(self, draws: Draws, method: str) -> Truth:
        """Return the true difference, or value, at the training size of a method."""
        world = self.world
        partition = draws.losses.partition
        n_train = methods()[method].n_train(partition)
        if isinstance(world, ValueWorld):
            return Truth(value=world.population.mean, se=0.0)
        if partition.kind == "sources":
            trained_on = world.population.without_one_source()
        else:
            trained_on = world.population
        if len(world.algorithms) == 1:
            return truth(
                trained_on, world.algorithms[0], n_train, world.measure, device=self.effort.device
            )
        a, b = world.algorithms
        return truth_of_difference(
            trained_on, a, b, n_train, world.measure, device=self.effort.device
        )

    def about(self) -> Row:
        """Return the setting in plain values, with the seconds that the study took."""
        return {
            "population": repr(self.world.population),
            "algorithms": tuple(a.name for a in self.world.algorithms),
            "measure": self.world.measure,
            "n": self.world.n,
            "replications": self.replications,
            "seed": self.world.seed,
            "seconds": perf_counter() - self.began,
        }


def _method(key: object) -> str:
    if not isinstance(key, str):
        refuse("methods", f"methods must be keys of ef.infer.methods() but got {short_repr(key)}.")
    return str(methods()[key].key)


def a_design(name: str, design: object) -> Design:
    """Return a design, or refuse a value that is none."""
    if not isinstance(design, Design):
        refuse(name, f"{name} must be a design such as ef.KFold(10) but got {short_repr(design)}.")
    return design


Methods = Sequence[str] | Mapping[str, Design] | str | None


def prepare(name: "str | Population | LossPopulation", **options: Unpack[Options]) -> StudySetup:
    """Check the population and the options of a study, and set it up."""
    for option in options:
        one_of("option", option, Options.__annotations__)
    chosen = population(name) if isinstance(name, str) else name
    seed = seed_from(options.get("random_state"))
    n = integer("n", options.get("n", 200), low=8, high=_LARGEST)
    replications = integer("replications", options.get("replications", 1000), low=2, high=_LARGEST)
    effort = Effort(
        n_jobs=options.get("n_jobs"),
        store=options.get("store"),
        progress=options.get("progress"),
        device=options.get("device"),
    )
    Place.of(effort.device)  # refuse a missing library before anything is drawn
    if isinstance(chosen, LossPopulation):
        return StudySetup(
            world=ValueWorld(population=chosen, n=n, seed=seed),
            replications=replications,
            effort=effort,
        )
    if not isinstance(chosen, Population):
        refuse(
            "population",
            f"population must be a name or a Population but got {short_repr(chosen)}.",
            "ef.lab.populations() lists the names.",
        )
    chosen = chosen.at(n)
    algorithms = options.get("algorithms")
    measure = options.get("measure")
    world = World(
        population=chosen,
        algorithms=chosen.algorithms() if algorithms is None else algorithms_from(algorithms),
        measure=chosen.measure if measure is None else measure,
        n=n,
        seed=seed,
    )
    return StudySetup(world=world, replications=replications, effort=effort)


def algorithms_from(estimators: Any) -> tuple[Algorithm, ...]:
    """Turn one or two estimators or algorithms, named or not, into algorithms of the lab."""
    if isinstance(estimators, Mapping):
        named = [(str(name), estimator) for name, estimator in estimators.items()]
    else:
        listed = estimators if isinstance(estimators, list | tuple) else [estimators]
        named = [(getattr(e, "name", type(e).__name__), e) for e in listed]
    if not 1 <= len(named) <= 2:
        refuse("algorithms", f"algorithms must be one or two but got {len(named)}.")
    algorithms = []
    for name, estimator in named:
        is_of_lab = hasattr(estimator, "fast")
        can_learn = hasattr(estimator, "predict") and (is_of_lab or hasattr(estimator, "fit"))
        if isinstance(estimator, type) or not can_learn:
            refuse(
                "algorithms",
                "algorithms must be estimators with fit and predict, or algorithms of "
                f"the lab, but got {short_repr(estimator)}.",
            )
        algorithms.append(estimator if is_of_lab else Refitted(name=name, prototype=estimator))
    return tuple(algorithms)


def share(hits: Any) -> tuple[float, float]:
    """
    Return a proportion of data sets and its Monte Carlo standard error.

    One hit and one miss are added for the error, so that it is not 0 if all data sets agree.
    """
    near = (np.sum(hits) + 1) / (len(hits) + 2)
    return float(np.mean(hits)), float(np.sqrt(near * (1 - near) / len(hits)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """
    The result of a study: a table of numbers, each with its Monte Carlo standard error.

    Attributes
    ----------
    kind : str
        The study's name.
    rows : tuple of dict
        The rows of the table; see :meth:`to_frame`.
    about : dict
        Population, algorithms, measure, n, replications, seed and seconds.
    draws : mapping of str to Losses
        The raw draws, by method or design; ``values`` has shape (algorithms, data sets, splits).
    reference : float or None
        The value of a good method: the level, or the nominal coverage.
    """

    kind: str
    rows: tuple[Row, ...]
    about: Row
    draws: Mapping[str, Losses]
    reference: float | None = None

    def to_frame(self) -> "DataFrame":
        """Return the table as a pandas frame."""
        require("pandas", "to_frame()")
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    def plot(self) -> "Figure":
        """Draw the table, with bars of two Monte Carlo standard errors."""
        from evenfold_lab.studies.figures import draw_study

        return draw_study(self)

    def __str__(self) -> str:
        about = self.about
        head = (
            f"{self.kind}: {about['population']}, n={about['n']}, "
            f"{' vs '.join(about['algorithms'])}, "
            f"{about['measure']}; {about['replications']} data sets, seed {about['seed']}, "
            f"{about['seconds']:.1f} s"
        )
        return f"{head}\n{_text_table(self.rows)}"


def _text_table(rows: Sequence[Row]) -> str:
    if not rows:
        return "no method has an answer"
    columns = list(rows[0])
    cells = [columns, *[[_cell(row[c]) for c in columns] for row in rows]]
    lines = align_columns(cells, [not isinstance(rows[0][c], str) for c in columns])
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
