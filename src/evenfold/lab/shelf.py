"""Where the draws of a study are kept: chunk by chunk in a database, so that a study can be resumed."""

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Integer, LargeBinary, MetaData, Table, insert, select

from evenfold.run.schema import open_database, reading, translated

_tables = MetaData()
_chunks = Table(
    "lab_chunks",
    _tables,
    Column("study", LargeBinary(16), primary_key=True),
    Column("chunk", Integer, primary_key=True, autoincrement=False),
    Column("npz", LargeBinary, nullable=False),
)

Arrays = dict[str, NDArray[Any]]


class Shelf:
    """Finished chunks in the store of a path (SQLite) or an SQLAlchemy URL."""

    def __init__(self, store: str | Path) -> None:
        self._name = store
        self._engine = open_database(store)
        with translated(store), self._engine.begin() as connection:
            _tables.create_all(connection)

    def find(self, study: bytes, chunks: int) -> dict[int, Arrays]:
        """Return those of the first ``chunks`` chunks of a study that are there."""
        query = select(_chunks.c.chunk, _chunks.c.npz).where(
            _chunks.c.study == study, _chunks.c.chunk < chunks
        )
        with translated(self._name), reading(self._engine) as connection:
            return {chunk: _unpacked(npz) for chunk, npz in connection.execute(query)}

    def keep(self, study: bytes, chunk: int, arrays: Arrays) -> None:
        """Write a chunk, unless another process was first: it wrote the same."""
        row = {"study": study, "chunk": chunk, "npz": _packed(arrays)}
        there = select(_chunks.c.chunk).where(_chunks.c.study == study, _chunks.c.chunk == chunk)
        with translated(self._name), self._engine.begin() as connection:
            if connection.execute(there).first() is None:
                connection.execute(insert(_chunks).values(row))

    def close(self) -> None:
        """Let the database go."""
        self._engine.dispose()


def _packed(arrays: Arrays) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _unpacked(npz: bytes) -> Arrays:
    with np.load(BytesIO(npz), allow_pickle=False) as arrays:
        return dict(arrays)
