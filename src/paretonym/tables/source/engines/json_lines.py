"""JSON lines, one object per line, whose cells DuckDB extracts as texts. Faults are reported by line, never
by content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.sql_literals import sql_text
from paretonym.tables.arrow import pa
from paretonym.tables.source.data_source import TableForm
from paretonym.tables.source.dictionary_encoding import check_shape
from paretonym.tables.source.engines.duckdb_session import DuckdbRelation, Session
from paretonym.tables.source.file_set import FileSet
from paretonym.tables.source.text_stream import TextFile

# Every key with the first line that has it; that of lines that are not as they should be is null.
KEYS = """
select key, min(place) from (select place, unnest(case
    when not json_valid(line) then [null]
    when json_type(line) <> 'OBJECT' or list_has_any(json_type(line, '$.*'), ['ARRAY', 'OBJECT']) then [null]
    when len(json_keys(line)) > len(list_distinct(json_keys(line))) then [null]
    else json_keys(line) end) as key from stream)
group by key
"""
# The lines of a file are numbered from a multiple of it.
MOST_LINES = 1 << 40


class JsonRelation(DuckdbRelation):
    """Rows of JSON lines, whose columns are the keys of all files in the order that is wanted, else by name:
    in which order keys appear depends on the rows."""

    def __init__(self, engine: Session, files: FileSet, form: TableForm, order: Sequence[str]) -> None:
        self._files, self._form = files, form
        folders = {f"f{place}": pa.string() for place in range(len(files.partitions))}
        self._schema = pa.schema({"place": pa.int64(), "line": pa.string(), **folders})
        with engine.streaming("stream", self._schema, self._lines()):
            first = dict(engine.rows(KEYS))
        if None in first:
            part, line = divmod(first[None], MOST_LINES)
            remedy = (
                "write one object per line, with texts, numbers, true, false or null under different keys"
            )
            place = f"{files.parts[part].path}, line {line}"
            raise InputError.of(place, "this line is not a JSON object of single values", remedy)
        header = in_order(first, order)
        check_shape(files.path, header, rows=1)
        files.check_partitions(header)
        pointers = (f"/{key.replace('~', '~0').replace('/', '~1')}" for key in header)
        extracted = f"json_extract_string(line, [{', '.join(map(sql_text, pointers))}]) as cells"
        cells = {name: f"cells[{place}]" for place, name in enumerate(header, 1)}
        cells |= {name: f"f{place}" for place, name in enumerate(files.partitions)}
        source = f"(select {', '.join([extracted, *folders])} from stream)"
        super().__init__(engine, files.path, source, dict.fromkeys(cells, pa.string()), cells)

    def reading(self, names: Sequence[str]) -> Any:
        return self._engine.streaming("stream", self._schema, self._lines())

    def _lines(self) -> Iterator[Any]:
        """The lines that are not blank, with their places."""
        for number, part in enumerate(self._files.parts):
            text = TextFile.of(part.file, self._form)
            for first, lines in text.lines():
                places = [place for place, line in enumerate(lines) if line.strip()]
                try:
                    content = pa.array([lines[place] for place in places], pa.string())
                except pa.ArrowInvalid:
                    text.check_decoded()
                    raise
                numbers = pa.array([number * MOST_LINES + first + place for place in places], pa.int64())
                folders = part.cells({"line": content}, self._files.partitions)
                yield pa.record_batch([numbers, content, *folders], schema=self._schema)


def in_order(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in a given order, those that are not in it last, by themselves.

    >>> in_order(["z", "b", "y", "a"], ["a", "b"])
    ['a', 'b', 'y', 'z']
    """
    places = {name: place for place, name in enumerate(order)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))
