"""Measures that nobody asked of a run when it was made, computed from the predictions in the store."""

from typing import Any

import numpy as np

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Failure, Losses
from evenfold.run.cells import Fault
from evenfold.run.data import Target, as_target
from evenfold.run.measures import Answer, Evaluated, Measure, require_weighable, resolve_measures
from evenfold.run.records.answers import Answers
from evenfold.run.records.described import Record
from evenfold.run.records.encoding import Arrays
from evenfold.run.records.records import partition_from, target_from
from evenfold.run.single import Single, evaluate

_USUAL_SCHEME = "IOB2"


def derive(record: Record, arrays: Arrays, answers: Answers, asked: str) -> Losses:
    """Return the losses of a measure by its name, or say which answers the store would need for it."""
    target = as_target(target_from(arrays["y"]))
    known = next((one for one in record.asked.values() if one is not None), None)
    positive, scheme = (known.positive, known.scheme) if known else (None, _USUAL_SCHEME)
    [measure] = resolve_measures(asked, target, positive=positive, scheme=scheme)
    if "weights" in arrays:
        require_weighable([measure], target)
    return _Derived(record, arrays, answers, target, measure).losses()


class _Derived:
    """One measure of all cells of a run."""

    def __init__(
        self, record: Record, arrays: Arrays, answers: Answers, target: Target, measure: Measure
    ) -> None:
        self.record = record
        self.arrays = arrays
        self.answers = answers
        self.target = target
        self.measure = measure
        self.partition = partition_from(record.partition, arrays)
        self.weights = arrays.get("weights")
        self.failed = {(one.algorithm, one.split): one for one in record.measures[0].failures}

    def losses(self) -> Losses:
        names = self.record.algorithms
        responses = [self._response(a) for a in range(len(names))]
        values = np.full((len(names), len(self.partition)), np.nan)
        failures = []
        counts: list[Any] = []
        whole = False
        for a, name in enumerate(names):
            for j in range(len(self.partition)):
                found = self._value(a, j, responses[a])
                if isinstance(found, Evaluated):
                    values[a, j] = found.value
                    whole |= found.whole
                else:
                    failures.append(Failure(algorithm=name, split=j, **found._asdict()))
                counts.append(getattr(found, "counts", None))
        return self._as_losses(values, tuple(failures), counts, responses, whole=whole)

    def _response(self, algorithm: int) -> str:
        """Return an answer that the measure can use and the store has of all fits that did not fail."""
        name = self.record.algorithms[algorithm]
        splits = [j for j in range(len(self.partition)) if not self._fault(algorithm, j)]
        for response in self.measure.responses if splits else ():
            if all(self._has(algorithm, j, response) for j in splits):
                return response
        if not splits:
            return self.measure.responses[0]
        wanted = " or ".join(self.measure.responses)
        raise NotApplicable(
            f"the store has no {wanted} of {name!r} for measure {self.measure.name!r}; "
            "compare again with this measure, which fits what is missing"
        )

    def _has(self, algorithm: int, split: int, response: str) -> bool:
        try:
            self.answers(algorithm, split, response)
        except NotApplicable:
            return False
        return True

    def _fault(self, algorithm: int, split: int) -> Fault | None:
        """Return why a cell has no answers; what only another measure could not do is none."""
        one = self.failed.get((self.record.algorithms[algorithm], split))
        if one is None or one.kind == "measure":
            return None
        return Fault(one.kind, one.message, one.traceback)

    def _value(self, algorithm: int, split: int, response: str) -> Evaluated | Fault:
        if fault := self._fault(algorithm, split):
            return fault
        test = self.partition.cut.test(split)
        seconds = [float(self.arrays[name][algorithm, split]) for name in ("fit_seconds", "predict_seconds")]
        answer = Answer(response, self.answers(algorithm, split, response), *seconds)
        weights = None if self.weights is None else self.weights[test]
        return evaluate(self.measure, self.target.take(test), answer, weights)

    def _as_losses(
        self,
        values: Any,
        failures: tuple[Failure, ...],
        counts: list[Any],
        responses: list[str],
        *,
        whole: bool,
    ) -> Losses:
        given = "none" if whole else self.measure.quantity.per_example
        single = Single(
            measure=lambda: self.measure,
            responses=responses,
            answer=self.answers,
            target=self.target,
            cut=self.partition.cut,
            weights=self.weights,
        )
        tables = [one or (np.nan, np.nan, np.nan) for one in counts]
        return Losses(
            quantity=self.measure.about(weighted=self.weights is not None, per_example=given).quantity,
            algorithms=self.record.algorithms,
            partition=self.partition,
            values=values,
            failures=failures,
            fit_seconds=self.arrays["fit_seconds"],
            predict_seconds=self.arrays["predict_seconds"],
            counts=np.array(tables, dtype=float).reshape(*values.shape, 3) if any(counts) else None,
            weights=self.weights,
            clusters=self.arrays.get("clusters"),
            **({} if given == "none" else single.of(given)),
        )
