"""A connection to a PostgreSQL server, through ADBC: one transaction, which Ctrl-C cancels on the server too.

Passwords are libpq's business (PGPASSWORD, ~/.pgpass). No message of the server gets out as it is, since it
may quote values: errors are recognized by their codes, and phrased here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
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
WRITING = "begin"
# What is wrong, and what to do.
Words: TypeAlias = tuple[str, str]
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

    def copy(self, schema: str, table: str, rows: Any) -> None:
        """Append the rows of an Arrow reader to a table, in their order."""
        with closing(self._connection.cursor()) as cursor:
            how = {"mode": "append", "db_schema_name": schema}
            _waited(cursor, self._beside.submit(cursor.adbc_ingest, table, rows, **how))

    def commit(self) -> None:
        """Ctrl-C comes too late for this, unless it comes a second time."""
        with closing(self._connection.cursor()) as cursor:
            asked = self._beside.submit(cursor.execute, "commit")
            try:
                _looked_at(asked)
            except KeyboardInterrupt:
                _looked_at(asked)

    @contextmanager
    def _executed(self, statement: str) -> Iterator[Any]:
        with closing(self._connection.cursor()) as cursor:
            _waited(cursor, self._beside.submit(cursor.execute, statement))
            yield cursor


@contextmanager
def transaction(address: DataAddress, begin: str, refusal: Refusal) -> Iterator[Transaction]:
    """A connection in a transaction, closed afterwards: what was not committed leaves no trace."""
    require("postgres", address.shown)
    import adbc_driver_manager

    try:
        with (
            ThreadPoolExecutor(1) as beside,
            closing(beside.submit(_connection, address.secret, begin).result()) as connection,
        ):
            yield Transaction(connection, beside)
    except (adbc_driver_manager.Error, Unexplained) as error:
        raise refusal(error) from None


def refused(error: Any, address: DataAddress, place: str, own: Mapping[str, Words]) -> InputError:
    """What the server could not do, in our words. `own` are those for some of its codes, or of their first
    two characters; "" is for all others."""
    state = error.sqlstate
    if state is None:
        return InputError.of(address.shown, *_unconnected(str(error)))
    known = (own.get(state), STATES.get(state), own.get(state[:2]), CLASSES.get(state[:2]))
    return InputError.of(place, *next(filter(None, known), own[""]))


def is_lost(state: str | None) -> bool:
    """Whether an error with this code means that what was asked last may have happened or not."""
    return state is None or state[:2] in ("08", "57")


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


def _connection(secret: str, begin: str) -> Any:
    from adbc_driver_postgresql import dbapi

    connection = dbapi.connect(_uri(secret), autocommit=True)
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute(begin)
    except BaseException:
        connection.close()
        raise
    return connection


def _uri(secret: str) -> str:
    """The address for libpq; a server that does not answer is not waited for without end."""
    if "connect_timeout=" in secret or "PGCONNECT_TIMEOUT" in os.environ:
        return secret
    return f"{secret}{'&' if '?' in secret else '?'}connect_timeout={SECONDS_TO_CONNECT}"


# What libpq says of a connection that does not come about, and what that means.
CONNECTING = (
    ("password authentication failed", "the server does not accept this user with this password", "password"),
    ("no password supplied", "the server wants a password", "password"),
    ("Connection refused", "no server answers there", "address"),
    ("timeout expired", f"no server answered within {SECONDS_TO_CONNECT} seconds", "address"),
    ("could not translate host name", "there is no host with this name", "address"),
    ("No such file or directory", "no server answers there", "address"),
    ("database ", "the server has no such database", "address"),
    ("role ", "the server knows no such user", "address"),
    ("no pg_hba.conf entry", "the server admits nobody like this from here", "administrator"),
    ("SSL", "the connection could not be encrypted as asked", "administrator"),
    ("too many", "the server admits no more connections", "later"),
)
REMEDIES = {
    "password": "check the user, and give the password in PGPASSWORD or ~/.pgpass",
    "address": "check the address: postgresql://USER@HOST:PORT/DATABASE",
    "administrator": "ask the server's administrator",
    "later": "try again later",
}
STATES: Mapping[str, Words] = {
    "53100": ("the server's disk is full", "ask the server's administrator"),
    "53200": ("the server has too little memory", "ask the server's administrator"),
}
LOST: Words = ("the connection to the server was lost", "try again")
CLASSES: Mapping[str, Words] = {
    "08": LOST,
    "53": ("the server has run out of something", "ask the server's administrator"),
    "57": ("the server is being stopped", "try again later"),
}


def _unconnected(text: str) -> Words:
    if "Failed to connect" not in text:
        return LOST
    for words, wrong, remedy in CONNECTING:
        if words in text:
            return wrong, REMEDIES[remedy]
    return "there is no connection to this server", REMEDIES["address"]
