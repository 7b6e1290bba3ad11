"""
Connections to PostgreSQL that do not wait for ever.

A stopped server, or a network that loses packets, gives no error and no answer. The limits of the
server do not help then. Those of TCP do not help either, because the machine of a stopped server
still acknowledges packets. So the client counts the seconds.
"""

from collections.abc import Generator
from time import monotonic
from typing import Any

from psycopg import Connection, OperationalError
from psycopg.abc import RV

_SILENCE_SECONDS = 30.0  # longer than the longest wait for a lock, which is silent too
# for one lock, and inside a transaction
_LOCK_SECONDS = 10
_IDLE_SECONDS = 30
DEFAULTS = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    # milliseconds for what was sent; TCP's own patience is a quarter of an hour
    "tcp_user_timeout": 30_000,
}


class ConnectionWithTimeout(Connection[Any]):
    """A connection that is closed if its server does not answer for half a minute."""

    def wait(self, gen: Generator[Any, Any, RV], *arguments: Any, **options: Any) -> RV:
        """Wait for an answer as long as parts of it come."""
        return super().wait(self._count_silence(gen), *arguments, **options)

    def _count_silence(self, answer: Generator[Any, Any, RV]) -> Generator[Any, Any, RV]:
        """Wait for the socket, and raise an error if it has been silent for too long."""
        until = monotonic() + _SILENCE_SECONDS
        try:
            wish = next(answer)
            while True:
                ready = yield wish
                if ready:
                    until = monotonic() + _SILENCE_SECONDS
                elif monotonic() > until:
                    self.close()
                    raise OperationalError(
                        f"the server has said nothing for {_SILENCE_SECONDS:g} seconds"
                    )
                wish = answer.send(ready)
        except StopIteration as end:
            value: RV = end.value
            return value


def connect(dialect: Any, record: Any, arguments: Any, options: Any) -> Any:  # noqa: ARG001  (SQLAlchemy's signature)
    """Open a connection with limits on waiting for a lock, and on idle transactions."""
    connection = ConnectionWithTimeout.connect(*arguments, **options)
    connection.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'")
    connection.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
    connection.commit()
    return connection
