"""Fit every learner on every split of a few data sets, and keep what the tests need."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.rng import stream
from evenfold.run.measures.rankings.auc import Contest
from evenfold_lab.arrays import Array, Place, array_like, namespace, to_numpy
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.families import Family
from evenfold_lab.bench.learners import CLASSIFIERS, REGRESSORS, Learner, LearningTask
from evenfold_lab.bench.populations import BenchPopulation

Floats = np.ndarray[Any, np.dtype[np.float64]]
LEAST_CHANCE = 1e-6  # probabilities are kept so far from 0 and 1 before their logarithm is taken
_LEVELS = 2**20  # scores that are nearer than one of so many levels are ties in the AUC
CHUNK = 50  # data sets that share their random cuts
FRESH = 1000  # examples on which the models of whole data sets are tested
MEASURES_OF_CLASSES = ("zero-one", "log", "brier", "auc")
MEASURES_OF_NUMBERS = ("squared", "absolute")
_RUNS_OF_NESTED = (3, 10)


def measures_of(learner: Learner, classes: bool) -> tuple[str, ...]:
    """Return a learner's measures; without probabilities it has no log loss or Brier score."""
    if not classes:
        return MEASURES_OF_NUMBERS
    return MEASURES_OF_CLASSES if learner.probabilities else ("zero-one", "auc")


def losses(measure: str, score: Array, y: Array) -> Array:
    """Losses (R, S, n) of scores, in single precision."""
    xp = namespace(score)
    truth = y[:, None, :]
    if measure == "zero-one":
        loss = (score > 0.5) != (truth > 0.5)
    elif measure == "brier":
        loss = (score - truth) ** 2
    elif measure == "log":
        chance = xp.clip(xp.where(truth > 0.5, score, 1 - score), min=LEAST_CHANCE)
        loss = -xp.log(chance)
    elif measure == "squared":
        loss = (score - truth) ** 2
    else:
        loss = xp.abs(score - truth)
    return xp.astype(loss, xp.float32)


def auc(score: Array, y: Array, tests: Array) -> Array:
    """
    Return 1 − AUC (R, S) of the tested examples; it is NaN if a class is missing.

    The examples are sorted by score twice: positives come last among ties, then first. The mean of
    the two counts each tie as half.
    """
    xp = namespace(score)
    tested = tests[None, ...] > 0
    level = xp.astype(xp.round(xp.clip(score, min=0.0, max=1.0) * _LEVELS), xp.int64)
    positive = xp.astype(y[:, None, :] > 0.5, xp.int64) + xp.zeros_like(level)
    beaten: Any = 0.0
    for last in (1, 0):
        mark = positive if last else 1 - positive
        key = xp.where(tested, 4 * level + 2 * mark + positive, xp.full_like(level, 8 * _LEVELS))
        ordered = xp.sort(key, axis=-1)
        here = ordered < 8 * _LEVELS
        up = xp.astype(here & (ordered % 2 == 1), xp.float64)
        down = xp.astype(here & (ordered % 2 == 0), xp.float64)
        seen = xp.cumulative_sum(up, axis=-1)
        beaten = beaten + xp.sum(seen * down, axis=-1) / 2
    ups = xp.sum(up, axis=-1)
    downs = xp.sum(down, axis=-1)
    both = ups * downs
    return xp.where(
        both > 0, beaten / xp.where(both > 0, both, xp.ones_like(both)), xp.full_like(both, np.nan)
    )


def ranked_examples(score: Floats, y: Floats, tests: Any) -> Floats:
    """
    Return 1 − AUC by example (R, S/2, n), as ``compare`` reads it, of halves in pairs.

    It is NaN where a half has fewer than two examples of a class.
    """
    R, S, n = score.shape
    ranked = np.full((R, S // 2, n), np.nan)
    for r in range(R):
        positive = y[r] > 0.5
        for s in range(S):
            here = tests[s] > 0
            if min(positive[here].sum(), (~positive[here]).sum()) > 1:
                contest = Contest(score[r, s, here].astype(float), positive[here], None)
                ranked[r, s // 2, here] = 1 - contest.values()
    return ranked


@dataclass(frozen=True, eq=False, kw_only=True)
class Material:
    """
    What the tests see of one learner, or of two learners' difference, in one measure.

    There are R data sets of n examples.

    Attributes
    ----------
    n : int
        Examples of a data set.
    classes, single : bool
        Whether targets are classes, and whether the material is of one learner.
    measure : str
        The measure's name.
    values : mapping of str to arrays (R, S)
        Means over the test sets of each family of splits.
    parts : mapping of str to arrays
        ``halvings`` (R, 9, n), ``later-halvings`` (R, 22, n), ``folds`` (R, n) of the first run,
        ``holdout`` (R, n_test),
        ``left-out`` (R, n): losses of single examples; ``outside`` (R, n) and (R,) under
        ``outside-mean``: what the bootstrap's delta method needs; ``nested-3`` and ``nested-10``
        (R, 2): estimate and standard error.
    whole : array (R,)
        True risk, on fresh examples, of the models of all n examples.
    sizes : mapping of str to (n_train, n_test)
        Sizes of the first split of each family.
    """

    n: int
    classes: bool
    single: bool
    measure: str
    values: Mapping[str, Floats]
    parts: Mapping[str, Floats]
    whole: Floats
    sizes: Mapping[str, tuple[int, int]]

    @property
    def sides(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which examples the first half of each halving tests."""
        return kinds.sides(self.n)

    @property
    def all_sides(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which examples the first half tests, for the later halvings too."""
        return kinds.all_sides(self.n)


class Chunk:
    """
    The scores of all learners on the splits of a few data sets, turned into losses at once.

    ``partition`` numbers the partitions of the same data sets. Examples are exchangeable, so that
    another partition of a data set is the same one of its examples in another order.
    """

    def __init__(
        self,
        population: BenchPopulation,
        n: int,
        number: int,
        *,
        wanted: Sequence[str],
        subjects: Sequence[tuple[str, ...]],
        measures: Sequence[str] = (*MEASURES_OF_CLASSES, *MEASURES_OF_NUMBERS),
        sets: int = CHUNK,
        fresh: int = FRESH,
        seed: int = 0,
        place: Place | None = None,
        makers: Mapping[str, kinds.Make] = kinds.FAMILIES,
        partition: int = 0,
    ) -> None:
        self.population = population
        self.n = n
        self.address = (seed, "bench", population.key, n, number)
        self.partition = partition
        place = place or Place.of(None)
        rng = stream(*self.address, "sample")
        X, y = population.sample(n, fresh, sets, rng)
        if partition > 0:
            _reorder(X, y, n, stream(*self.address, "order", partition))
        self.X = place.put(X)
        self.y = place.put(y)
        cuts = stream(*self.address, "cuts")
        self.families: dict[str, Family] = {key: makers[key](n, cuts) for key in wanted}
        known = CLASSIFIERS if population.classes else REGRESSORS
        self.subjects = list(subjects)
        self.wanted = measures
        self.learners: dict[str, Learner] = {
            key: known[key] for subject in subjects for key in subject
        }
        self.tests = {key: place.put(f.tests) for key, f in self.families.items()}
        self.edges = population.edges()
        self.scores: dict[str, dict[str, Array]] = {}
        self.on_fresh: dict[str, Array] = {}
        for key, learner in self.learners.items():
            self._fit(key, learner, place)

    def _fit(self, key: str, learner: Learner, place: Place) -> None:
        """Fit a learner on all families together, and on the whole data sets."""
        families = [
            f for f in self.families.values() if not (learner.heavy and f.key in LIGHT_FAMILIES)
        ]
        task = LearningTask(
            classes=self.population.classes,
            edges=self.edges,
            rng=stream(*self.address, "learner", learner.luck or key, *self._again()),
        )
        X, y = self.X[:, : self.n, :], self.y[:, : self.n]
        self.scores[key] = {}
        for batch in _batches(families):
            w = place.put(np.concatenate([f.trains for f in batch]).astype(float))
            scores = _fit_in_pieces(learner, X, y, w, task)
            start = 0
            for f in batch:
                stop = start + len(f.trains)
                self.scores[key][f.key] = scores[:, start:stop, :]
                start = stop
        everybody = np.zeros((1, self.X.shape[1]))
        everybody[:, : self.n] = 1
        self.on_fresh[key] = learner.fit(self.X, self.y, place.put(everybody), task)[:, :, self.n :]

    def _again(self) -> tuple[str | int, ...]:
        """Return the end of the random address that another partition of the data needs."""
        return ("partition", self.partition) if self.partition else ()

    def measures(self, learner: str) -> tuple[str, ...]:
        """Return the measures that are wanted and that a learner has."""
        known = measures_of(self.learners[learner], self.population.classes)
        return tuple(measure for measure in known if measure in self.wanted)

    def kept(self) -> "Kept":
        """Return the losses of every learner and measure, and the nested folds of every pair."""
        singles: dict[tuple[str, str], dict[str, Any]] = {}
        nested: dict[tuple[str, str], dict[str, Array]] = {}
        for key in self.learners:
            for measure in self.measures(key):
                singles[key, measure], nested[key, measure] = self._values_of_learner(key, measure)
        pairs = {}
        if "nested" in self.families:
            fold = self._nested_folds()
            for subject in self.subjects:
                for measure in _shared_measures(subject, nested):
                    d = _difference([nested[key, measure] for key in subject])
                    pairs[subject, measure] = nested_statistics(d["outer"], d["inner"], fold)
        return Kept(singles=singles, nested=pairs)

    def _nested_folds(self) -> Array:
        """Return indicators (runs, K, n) of each example's fold in each nested run."""
        per_run = kinds.NESTED_FOLDS + len(kinds.nested_pairs())
        n = self.n
        tests = self.tests["nested"]
        xp = namespace(tests)
        shaped = xp.reshape(tests, (-1, per_run, n))
        return shaped[:, : kinds.NESTED_FOLDS, :]

    def _values_of_learner(self, key: str, measure: str) -> tuple[dict[str, Any], dict[str, Array]]:
        y = self.y[:, : self.n]
        fresh = self.y[:, self.n :]
        values: dict[str, Any] = {}
        parts: dict[str, Array] = {}
        ones = namespace(y).ones_like(fresh[:1, :])
        score = self.on_fresh[key]
        if measure == "auc":
            values["whole"] = to_numpy(auc(score, fresh, ones)[:, 0])
        else:
            values["whole"] = to_numpy(
                namespace(y).mean(losses(measure, score, fresh)[:, 0, :], axis=-1)
            )
        for name, scored in self.scores[key].items():
            tests = self.tests[name]
            if measure == "auc":
                if name not in ("nested", "holdout", "left-out", "bootstraps", "fast-bootstrap"):
                    values[name] = to_numpy(auc(scored, y, tests))
                if name in HALVINGS:
                    values[f"part {name}"] = ranked_examples(
                        to_numpy(scored), to_numpy(y), self.families[name].tests
                    )
                continue
            loss = losses(measure, scored, y)
            xp = namespace(loss)
            total = xp.sum(loss * tests, axis=-1)
            values[name] = to_numpy(total / xp.sum(tests, axis=-1))
            kept = self._kept_values(name, loss)
            if name == "nested":
                parts = kept
            else:
                values |= {part: to_numpy(value) for part, value in kept.items()}
        return values, parts

    def _kept_values(self, name: str, loss: Array) -> dict[str, Array]:
        """Return what is kept of single examples in a family."""
        xp = namespace(loss)
        R, S, n = loss.shape
        tests = self.tests[name]
        if name in HALVINGS:
            halves = xp.reshape(loss * tests, (R, S // 2, 2, n))
            return {f"part {name}": halves[:, :, 0, :] + halves[:, :, 1, :]}
        if name == "folds":
            first = (loss * tests)[:, : kinds.FOLDS, :]
            return {"part folds": xp.sum(first, axis=1)}
        if name == "left-out":
            return {"part left-out": xp.sum(loss * tests, axis=1)}
        if name == "holdout":
            where = array_like(loss, np.flatnonzero(self.families[name].tests[0]))
            return {"part holdout": xp.take(loss[:, 0, :], where, axis=1)}
        if name == "bootstraps":
            mean, delta = outside_bag(loss, array_like(loss, self.families[name].trains))
            return {"part outside-mean": mean, "part outside": delta}
        if name == "nested":
            return self._nested(loss, tests)
        return {}

    def _nested(self, loss: Array, tests: Array) -> dict[str, Array]:
        """
        Return the outer (R, runs, n) and inner (R, runs, K, n) losses of nested runs.

        Inner losses are 0 in the fold that is left out.
        """
        xp = namespace(loss)
        R, _, n = loss.shape
        K = kinds.NESTED_FOLDS
        pairs = kinds.nested_pairs()
        shaped = xp.reshape(loss * tests, (R, -1, K + len(pairs), n))
        fold = self._nested_folds()
        outer = xp.sum(shaped[:, :, :K, :], axis=2)
        inner: list[Any] = [0.0] * K
        for at, (k, j) in enumerate(pairs):
            model = shaped[:, :, K + at, :]
            inner[k] = inner[k] + model * fold[:, j, :]
            inner[j] = inner[j] + model * fold[:, k, :]
        return {"outer": outer, "inner": xp.stack(inner, axis=2)}


def _reorder(X: Floats, y: Floats, n: int, rng: np.random.Generator) -> None:
    """Put the n examples of each data set into another order, in place."""
    order = rng.random((len(y), n)).argsort(axis=1)
    X[:, :n] = np.take_along_axis(X[:, :n], order[..., None], axis=1)
    y[:, :n] = np.take_along_axis(y[:, :n], order, axis=1)


HALVINGS = ("halvings", "later-halvings")  # the only ones whose examples are ranked for AUC
LIGHT_FAMILIES = ("left-out", "fast-bootstrap")  # learners with heavy fits are left out of these


def _batches(families: Sequence[Family]) -> Iterator[list[Family]]:
    """Yield families that are fitted together: all but the large ones."""
    small = [f for f in families if f.key not in LIGHT_FAMILIES]
    if small:
        yield small
    for f in families:
        if f.key in LIGHT_FAMILIES:
            yield [f]


def _fit_in_pieces(learner: Learner, X: Array, y: Array, w: Array, task: LearningTask) -> Array:
    """Fit all splits at once, or as many as fit into memory."""
    xp = namespace(X)
    R, n, p = X.shape
    room = 2**24 if isinstance(X, np.ndarray) else 2**30
    per_split = R * max(n * (40 if learner.heavy or learner.key == "tree" else 6), 3 * p * p)
    step = max(1, room // per_split)
    pieces = [
        xp.astype(learner.fit(X, y, w[s : s + step, :], task), xp.float32)
        for s in range(0, w.shape[0], step)
    ]
    return pieces[0] if len(pieces) == 1 else xp.concat(pieces, axis=1)


def outside_bag(loss: Array, counts: Array) -> tuple[Array, Array]:
    """
    Return the mean loss outside the bag (R,) and its delta-method contributions D (R, n).

    The contributions are linear in the losses. By equations 36 to 40 of Efron & Tibshirani (1997),
    the standard error is √Σ D_i².
    """
    xp = namespace(loss)
    n = loss.shape[-1]
    outside = xp.astype(counts == 0, xp.float32)
    often = xp.clip(xp.sum(outside, axis=0), min=1.0)
    each = xp.sum(loss * outside, axis=1) / often
    mean = xp.mean(each, axis=-1)
    of_sample = xp.sum(loss * outside, axis=-1) / n  # (R, S)
    away = counts - xp.mean(counts, axis=0)
    influence = xp.matmul(of_sample, away) / often
    return mean, (2 + 1 / (n - 1)) * (each - mean[:, None]) / n + influence


def nested_statistics(outer: Array, inner: Array, fold: Array) -> dict[str, Floats]:
    """
    Return mlr3inferr's estimate and standard error (R, 2) of nested CV after 3 and 10 runs.

    ``outer`` has shape (R, runs, n) and ``inner`` (R, runs, K, n); ``fold`` (runs, K, n) holds
    indicators.
    """
    xp = namespace(outer)
    outer = xp.astype(outer, xp.float64)
    inner = xp.astype(inner, xp.float64)
    fold = xp.astype(fold, xp.float64)
    _, runs, n = outer.shape
    K = fold.shape[1]
    size = xp.sum(fold, axis=-1)  # (runs, K)
    by_fold = outer[:, :, None, :] * fold
    mean = xp.sum(by_fold, axis=-1) / size
    square = xp.sum(by_fold * outer[:, :, None, :], axis=-1)
    b = (square - size * mean * mean) / (size - 1) / size
    total = xp.sum(inner, axis=-1)
    a = (total / (n - size) - mean) ** 2
    statistics = {}
    for count in _RUNS_OF_NESTED:
        if count > runs:
            continue
        few = slice(0, count)
        entries = count * n * (K - 1)
        err_in = xp.sum(total[:, few, :], axis=(1, 2)) / entries
        err_out = xp.mean(outer[:, few, :], axis=(1, 2))
        squares = xp.sum(inner[:, few, ...] ** 2, axis=(1, 2, 3))
        spread = xp.sqrt(xp.clip((squares - entries * err_in**2) / (entries - 1), min=0.0))
        least = spread / np.sqrt(n)
        mse = (K - 1) / K * xp.mean((a - b)[:, few, :], axis=(1, 2))
        error = xp.sqrt(xp.clip(mse, min=0.0))
        error = xp.maximum(least, xp.minimum(error, least * np.sqrt(K)))
        estimate = err_in - (1 + (K - 2) / K) * (err_in - err_out)
        statistics[f"nested-{count}"] = to_numpy(xp.stack([estimate, error], axis=-1))
    return statistics


def _shared_measures(subject: Sequence[str], known: Mapping[tuple[str, str], Any]) -> list[str]:
    """Return the measures that all learners of a subject have."""
    measures = [*MEASURES_OF_CLASSES, *MEASURES_OF_NUMBERS]
    return [m for m in measures if all(known.get((key, m)) for key in subject)]


def _difference(sides: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return B − A for two learners, and a single learner's values as they are."""
    if len(sides) == 1:
        return dict(sides[0])
    first, second = sides
    return {key: second[key] - first[key] for key in second if key in first}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Kept:
    """What is kept of data sets, by (learner, measure) or, for nested folds, (subject, measure)."""

    singles: Mapping[tuple[str, str], Mapping[str, Any]]
    nested: Mapping[tuple[tuple[str, ...], str], Mapping[str, Any]]

    @classmethod
    def of(cls, parts: "Sequence[Kept]") -> "Kept":
        """Concatenate the data sets of chunks."""
        return cls(
            singles={key: _join_parts([p.singles[key] for p in parts]) for key in parts[0].singles},
            nested={key: _join_parts([p.nested[key] for p in parts]) for key in parts[0].nested},
        )

    def material(
        self, subject: tuple[str, ...], measure: str, *, n: int, classes: bool, sizes: Any
    ) -> Material | None:
        """Return what tests see of a subject; None if a learner lacks the measure."""
        if any((key, measure) not in self.singles for key in subject):
            return None
        differences = _difference([self.singles[key, measure] for key in subject])
        parts = {key[5:]: value for key, value in differences.items() if key.startswith("part ")}
        parts |= self.nested.get((subject, measure), {})
        return Material(
            n=n,
            classes=classes,
            single=len(subject) == 1,
            measure=measure,
            values={key: differences[key] for key in sizes if key in differences},
            parts=parts,
            whole=differences["whole"],
            sizes=sizes,
        )


def _join_parts(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: np.concatenate([p[key] for p in parts]) for key in parts[0]}
