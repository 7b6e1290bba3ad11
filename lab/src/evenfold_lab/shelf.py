"""Keep the draws of a study in a store, chunk by chunk, so that the study can be resumed."""

from typing import Any

from evenfold.run.records.encoding import Arrays, from_npz, to_npz
from evenfold.run.stores import add_checksums, check_and_strip_checksums, open_store


class ChunkShelf:
    """Finished chunks in a store: a path (SQLite), a URL or a Store."""

    def __init__(self, store: Any) -> None:
        self._store = open_store(store)
        self._closes = self._store is not store

    def find(self, study: bytes, chunks: int) -> dict[int, Arrays]:
        """Return those of a study's first ``chunks`` chunks that are stored and undamaged."""
        keys = {_key(study, chunk): chunk for chunk in range(chunks)}
        whole = check_and_strip_checksums("chunks", self._store.read("chunks", keys.keys()))
        return {keys[key]: from_npz(npz) for key, npz in whole.items()}

    def keep(self, study: bytes, chunk: int, arrays: Arrays) -> None:
        """Write a chunk, unless another process has written the same one already."""
        self._store.write(add_checksums({("chunks", _key(study, chunk)): to_npz(arrays)}))

    def close(self) -> None:
        """Close the store, unless it is the caller's."""
        if self._closes:
            self._store.close()


def _key(study: bytes, chunk: int) -> bytes:
    return study + chunk.to_bytes(8, "big")
