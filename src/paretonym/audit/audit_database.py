"""The database of an audit: private, within a memory limit, gone afterwards, and with answers that are plain
values. The reader of tables counts with the same engine; what is asked here is the audit's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

# Classes of a release of ten million rows fit; what does not goes to a private folder.
MEMORY = "1200MB"


class Database:
    """A connection that answers with plain values."""

    def __init__(self, session: Any) -> None:
        self._session = session

    @classmethod
    @contextmanager
    def opened(cls, memory: str | None = None) -> Iterator[Database]:
        """A database that is removed afterwards, with everything that it may have written."""
        from paretonym.tables.source.engines import counting_session

        with counting_session("the audit", MEMORY if memory is None else memory) as session:
            yield cls(session)

    def run(self, query: str) -> None:
        self._session.run(query)

    def make(self, table: str, query: str) -> str:
        """Make a temporary table of what a query selects; returns its name."""
        self.run(f"create or replace temp table {table} as {query}")
        return table

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        answer: list[tuple[Any, ...]] = self._session.rows(query)
        return answer

    def row(self, query: str) -> tuple[Any, ...]:
        """The only row of an answer."""
        (row,) = self.rows(query)
        return row

    def number(self, query: str) -> float:
        """The only number of an answer; none is 0."""
        return float(self.row(query)[0] or 0)

    def count(self, query: str) -> int:
        """The only whole number of an answer; none is 0."""
        return int(self.row(query)[0] or 0)

    def arrow(self, query: str) -> Any:
        """An answer as an Arrow table."""
        return self._session.batches(query).read_all()

    def load(self, table: str, columns: Mapping[str, Any]) -> str:
        """Make a table of Arrow or numpy arrays of one length; returns its name. Dictionaries become
        texts."""
        import pyarrow as pa

        arrays = pa.table({name: pa.array(array) for name, array in columns.items()})
        cells = [
            f'"{field.name}"{"::varchar" if pa.types.is_dictionary(field.type) else ""} as "{field.name}"'
            for field in arrays.schema
        ]
        with self._session.streaming("arrays", arrays.schema, iter(arrays.to_batches())):
            return self.make(table, f"select {listed(cells)} from arrays")


def listed(columns: Sequence[str]) -> str:
    return ", ".join(columns)
