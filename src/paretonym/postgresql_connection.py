"""A connection to a PostgreSQL server, through ADBC: one transaction, which Ctrl-C cancels on the server too.

Passwords are libpq's business (PGPASSWORD, ~/.pgpass). No message of the server gets out as it is, since it
may quote values: only the codes of errors do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from typing import Any, TypeAlias

from paretonym.arrow import pa
from paretonym.data_address import DataAddress
from paretonym.errors import InputError
from paretonym.extras import require

SECONDS_TO_CONNECT = 15
SECONDS_BETWEEN_LOOKS = 0.2
READING = "begin isolation level repeatable read read only"
# Phrases an error of the server; its code is in `sqlstate`.
Refusal: TypeAlias = Callable[[Any], BaseException]


class Unexplained(Exception):
    """The server refused something, and there is only its text to say what: nothing to be shown."""

    sqlstate = "unknown"


class Transaction:
    """What may be asked of a server: everything happens in another thread, so that Ctrl-C is noticed."""

    def __init__(self, connection: Any, beside: ThreadPoolExecutor) -> None:
        self._connection, self._beside = connection, beside

    def run(self, statement: str) -> None:
        with self._executed(statement):
            pass

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._executed(query) as cursor:
            found: list[tuple[Any, ...]] = _waited(cursor, self._beside.submit(cursor.fetchall))
            return found

    def batches(self, query: str) -> Iterator[Any]:
        """The answer to a query in Arrow, batch by batch."""
        with self._executed(query) as cursor:
            reader = _reader(cursor)
            while (batch := _waited(cursor, self._beside.submit(_next_batch, reader))) is not None:
                yield batch

    def columns(self, query: str) -> Any:
        """The columns of a query in Arrow."""
        with self._executed(query) as cursor:
            return cursor.fetch_record_batch().schema

    @contextmanager
    def _executed(self, statement: str) -> Iterator[Any]:
        with closing(self._connection.cursor()) as cursor:
            _waited(cursor, self._beside.submit(cursor.execute, statement))
            yield cursor


@contextmanager
def transaction(address: DataAddress, refusal: Refusal) -> Iterator[Transaction]:
    """A connection in a transaction, closed afterwards: what was not committed leaves no trace."""
    require("postgres", address.shown)
    import adbc_driver_manager

    try:
        with (
            ThreadPoolExecutor(1) as beside,
            closing(beside.submit(_connection, address.secret).result()) as connection,
        ):
            yield Transaction(connection, beside)
    except (adbc_driver_manager.Error, Unexplained) as error:
        raise refusal(error) from None


def refused(error: Any, address: DataAddress, place: str) -> InputError:
    """What the server could not do. Its own words may quote values, except those about names and words of a
    query (class 42 of its codes); of all others only the code gets out."""
    state = error.sqlstate
    if state is None:
        return InputError.of(
            address.shown,
            "there is no connection to this server, or it was lost",
            "try the address in psql, which says more; a password belongs in PGPASSWORD or ~/.pgpass",
        )
    words = re.search(r"ERROR:\s+(.*)", str(error)) if state.startswith("42") else None
    wrong = f"PostgreSQL refuses to read it ({state})" + (f": {words[1].strip()}" if words else "")
    return InputError.of(place, wrong, "try the query in psql, which says more")


def type_name(field: Any) -> str:
    """The server's own name of the type of a column in Arrow."""
    found = (field.metadata or {}).get(b"POSTGRESQL:type")
    return "unknown" if found is None else str(found.decode())


def _reader(cursor: Any) -> Any:
    """The answer, batch by batch. The driver's own reader keeps the server's code of an error, Arrow's has
    only its text."""
    plain = cursor.fetch_record_batch()
    return getattr(getattr(cursor, "_results", None), "reader", plain)


def _next_batch(reader: Any) -> Any:
    try:
        return reader.read_next_batch()
    except StopIteration:
        return None
    except (pa.ArrowException, OSError):
        raise Unexplained from None


def _waited(cursor: Any, asked: Future[Any]) -> Any:
    """What another thread waits for, so that Ctrl-C is noticed here: then the server is asked to stop. In
    this thread the driver would take Ctrl-C for itself."""
    try:
        return _looked_at(asked)
    except KeyboardInterrupt:
        cursor.adbc_cancel()
        wait([asked], SECONDS_TO_CONNECT)
        raise


def _looked_at(asked: Future[Any]) -> Any:
    while not wait([asked], SECONDS_BETWEEN_LOOKS).done:
        continue
    return asked.result()


def _connection(secret: str) -> Any:
    from adbc_driver_postgresql import dbapi

    connection = dbapi.connect(_uri(secret), autocommit=True)
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute(READING)
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(secret: str) -> str:
    """The address for libpq; a server that does not answer is not waited for without end."""
    if "connect_timeout=" in secret or "PGCONNECT_TIMEOUT" in os.environ:
        return secret
    return f"{secret}{'&' if '?' in secret else '?'}connect_timeout={SECONDS_TO_CONNECT}"
