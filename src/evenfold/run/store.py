"""
A store: finished cells in a database, found again by what they were computed from.

Hold-out values sit in columns and are read by the hundred thousand; predictions are ``.npy`` bytes, read
one by one when somebody asks.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, Select, Table, select
from sqlalchemy.exc import DBAPIError

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.core.partition import Partition
from evenfold.run.cells import Cell, Fault
from evenfold.run.claims import Claims, Key, delete_at, insert_new, near, rows_at, transact
from evenfold.run.keys import split_keys
from evenfold.run.measures import Evaluated
from evenfold.run.npy import from_bytes, to_bytes
from evenfold.run.progress import log
from evenfold.run.records import save_record, target_array
from evenfold.run.results import Finished, Result
from evenfold.run.schema import answers, cells, faults, measured, open_database, reading, translated

_UNWRITTEN_SECONDS = 0.05  # how much work may wait to be written together
_UNWRITTEN_CELLS = 256
_FEW = 500  # cells that are looked up one by one rather than by reading whole series


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """One measure as the store knows it: under ``name`` in this run, under ``key`` in the database."""

    name: str
    key: str | None
    responses: list[str]  # by algorithm: the answer it can be computed from


Measure = Callable[[Cell, str, Any], "Evaluated | Fault"]  # cell, name, answer


class Stored:
    """The shelf of one run in a database; ``series`` and ``splits`` are the hashes of its cells."""

    def __init__(
        self, store: str | Path, *, series: list[bytes], wanted: Sequence[Wanted], measure: Measure
    ) -> None:
        self.name = store
        self.engine = open_database(store)
        self.series = series
        self.splits: list[bytes] = []
        self._wanted = wanted
        self._measure = measure
        self._claims = Claims(self.engine)
        self._closed = False
        self._announced: set[Key] = set()
        self._unwritten: list[Finished] = []
        self._unwritten_seconds = 0.0

    def extend(self, partition: Partition) -> None:
        """Hash the splits that are new."""
        self.splits += split_keys(partition, start=len(self.splits))

    def _key(self, cell: Cell) -> Key:
        return self.series[cell.algorithm], self.splits[cell.split]

    def find(self, cells: Sequence[Cell]) -> dict[Cell, Result]:
        """Return the results of those cells that the store has all measures of, or the answers for them."""
        if not cells:
            return {}
        keys = {self._key(cell): cell for cell in cells}
        with translated(self.name):
            found = self._read(keys)
            self._derive(found, keys)
        names = {one.name for one in self._wanted}
        complete = {key: result for key, result in found.items() if result.measured.keys() >= names}
        self._announce({key: keys[key] for key in found.keys() - complete.keys()})
        return {keys[key]: result for key, result in complete.items()}

    def _announce(self, incomplete: dict[Key, Cell]) -> None:
        """Say, once, which finished cells must be fitted again because nobody asked for an answer before."""
        new = incomplete.keys() - self._announced
        if new:
            self._announced |= new
            asked = {one.responses[incomplete[key].algorithm] for key in new for one in self._wanted}
            what = " or ".join(sorted(response.partition(" ")[0] for response in asked))
            log.warning("%d stored cells are fitted again: their %s was not asked for before", len(new), what)

    def _read(self, keys: dict[Key, Cell]) -> dict[Key, Result]:
        same = (cells.c.series == measured.c.series) & (cells.c.split == measured.c.split)
        columns = (cells, measured.c.measure, measured.c.value, measured.c.tp, measured.c.fp, measured.c.fn)
        query = select(*columns).select_from(cells.outerjoin(measured, same))
        names = {one.key: one.name for one in self._wanted if one.key is not None}
        found: dict[Key, Result] = {}
        with reading(self.engine) as connection:
            rows = connection.execute(self._only(query, cells, keys)).all()
        for series, split, fit, predict, key, value, tp, fp, fn in rows:
            place = bytes(series), bytes(split)
            if place not in keys:
                continue
            result = found.get(place)
            if result is None:
                result = found[place] = Result(fit, predict)
            if key in names:
                result.measured[names[key]] = Evaluated(value, None if tp is None else (tp, fp, fn))
        return found

    def _only(self, query: Select[Any], table: Table, keys: dict[Key, Cell]) -> Select[Any]:
        if len(keys) <= _FEW:
            return near(query, table, keys)
        return query.where(table.c.series.in_({series for series, _ in keys}))

    def _derive(self, found: dict[Key, Result], keys: dict[Key, Cell]) -> None:
        """Compute the measures that the store lacks from the answers it has, and keep them."""
        rows = []
        for one in self._wanted:
            lacking = {key: keys[key] for key, result in found.items() if one.name not in result.measured}
            for key, answer in self._answers(lacking, one):
                value = self._measure(keys[key], one.name, answer)
                found[key].measured[one.name] = value
                if one.key is not None and isinstance(value, Evaluated):
                    rows.append(_measured_row(key, one.key, value))
        if rows:
            rows.sort(key=lambda row: (row["series"], row["split"], row["measure"]))
            with suppress(DBAPIError), self.engine.begin() as connection:  # a convenience, not a result
                connection.execute(insert_new(measured, self.engine), rows)

    def _answers(self, keys: dict[Key, Cell], one: Wanted) -> Iterable[tuple[Key, Any]]:
        if not keys:
            return
        query = self._only(select(answers), answers, keys)
        with reading(self.engine) as connection:
            for row in connection.execute(query.where(answers.c.response.in_(set(one.responses)))):
                key = bytes(row.series), bytes(row.split)
                if key in keys and row.response == one.responses[keys[key].algorithm]:
                    yield key, from_bytes(row.npy)

    def claim(self, cells: Sequence[Cell]) -> set[Cell]:
        keys = {self._key(cell): cell for cell in cells}
        with translated(self.name):
            return {keys[key] for key in self._claims.take(list(keys))}

    def put(self, finished: Finished) -> None:
        """Keep a cell; it is written with others at once when they are worth 50 ms of work."""
        self._unwritten.append(finished)
        self._unwritten_seconds += finished.result.fit_seconds + finished.result.predict_seconds
        if self._unwritten_seconds >= _UNWRITTEN_SECONDS or len(self._unwritten) >= _UNWRITTEN_CELLS:
            self.flush()

    def flush(self) -> None:
        """Write everything that waits, in one transaction."""
        if not self._unwritten:
            return
        with translated(self.name):
            transact(self.engine, self._write)
        self._unwritten.clear()
        self._unwritten_seconds = 0.0

    def _write(self, connection: Connection) -> None:
        waiting = sorted(self._unwritten, key=lambda one: self._key(one.outcome.cell))
        done = [one for one in waiting if one.outcome.fault is None]
        failed = [one for one in waiting if one.outcome.fault is not None]
        keys = [self._key(one.outcome.cell) for one in waiting]
        for table, rows in (
            (cells, [self._cell_row(one) for one in done]),
            (answers, [row for one in done for row in self._answer_rows(one)]),
            (measured, [row for one in done for row in self._measured_rows(one)]),
        ):
            if rows:
                connection.execute(insert_new(table, self.engine), rows)
        connection.execute(delete_at(faults), rows_at(keys))
        if failed:
            connection.execute(insert_new(faults, self.engine), [self._fault_row(one) for one in failed])
        self._claims.give_back(connection, keys)

    def _place(self, finished: Finished) -> dict[str, Any]:
        series, split = self._key(finished.outcome.cell)
        return {"series": series, "split": split}

    def _cell_row(self, finished: Finished) -> dict[str, Any]:
        result = finished.result
        times = {"fit_seconds": result.fit_seconds, "predict_seconds": result.predict_seconds}
        return self._place(finished) | times

    def _answer_rows(self, finished: Finished) -> list[dict[str, Any]]:
        place = self._place(finished)
        return [
            place | {"response": response, "npy": to_bytes(answer)}
            for response, answer in sorted(finished.outcome.answers.items())
        ]

    def _measured_rows(self, finished: Finished) -> list[dict[str, Any]]:
        key = self._key(finished.outcome.cell)
        values = finished.result.measured
        return [
            _measured_row(key, one.key, value)
            for one in sorted(self._wanted, key=lambda one: one.key or "")
            if one.key is not None and isinstance(value := values[one.name], Evaluated)
        ]

    def _fault_row(self, finished: Finished) -> dict[str, Any]:
        return self._place(finished) | finished.outcome.fault._asdict()  # type: ignore[union-attr]  # failed

    def answer(self, cell: Cell, response: str) -> Any:
        try:
            with translated(self.name):
                return read_answer(self.engine, self._key(cell), response)
        finally:
            if self._closed:
                self.engine.dispose()

    def record(self, losses: Mapping[str, Losses], about: dict[str, Any], y: Any) -> str | None:
        """Keep the run as a snapshot; a store that cannot be written has given all it could."""
        splits = self.splits[: len(next(iter(losses.values())).partition)]
        extra = {"series": _as_array(self.series), "splits": _as_array(splits), "y": target_array(y)}
        responses = {one.name: one.responses for one in self._wanted}
        with suppress(DBAPIError):
            return save_record(self.engine, losses, {**about, "responses": responses}, extra)
        return None

    def close(self) -> None:
        """Give back the claims and close all connections; one is opened again to read a prediction."""
        self._closed = True
        try:
            with translated(self.name):
                self._claims.release()
        finally:
            self.engine.dispose()


def _measured_row(key: Key, measure: str, value: Evaluated) -> dict[str, Any]:
    tp, fp, fn = value.counts or (None, None, None)
    place = {"series": key[0], "split": key[1], "measure": measure}
    return place | {"value": value.value, "tp": tp, "fp": fp, "fn": fn}


def _as_array(keys: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)


def read_answer(engine: Engine, key: Key, response: str) -> Any:
    """Read one prediction."""
    where = answers.c.series == key[0], answers.c.split == key[1], answers.c.response == response
    with reading(engine) as connection:
        content = connection.scalar(select(answers.c.npy).where(*where))
    if content is None:
        raise NotApplicable(f"the store has no {response} of this cell: it failed")
    return from_bytes(content)
