"""
Connections to PostgreSQL that wait for nobody for ever.

A server that was stopped, or a network that swallows packets, gives no error: there is just no
answer. The server's own limits do not help then, nor do those of TCP, because the machine of a
stopped server still acknowledges what it gets. So the client counts the seconds.
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
    """A connection that is closed when its server says nothing for half a minute."""

    def wait(self, gen: Generator[Any, Any, RV], *arguments: Any, **options: Any) -> RV:
        """Wait for an answer as long as parts of it come."""
        return super().wait(self._count_silence(gen), *arguments, **options)

    def _count_silence(self, answer: Generator[Any, Any, RV]) -> Generator[Any, Any, RV]:
        """Pass on what is asked of the socket, and count how long it has had nothing to say."""
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
    """Open a connection on which nobody waits for ever, for a lock or a stopped process."""
    connection = ConnectionWithTimeout.connect(*arguments, **options)
    connection.execute(f"SET lock_timeout = '{_LOCK_SECONDS}s'")
    connection.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE_SECONDS}s'")
    connection.commit()
    return connection
