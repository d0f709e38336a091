"""Columns of few texts, grouped in DuckDB by the places of their texts in a list.

A place takes four bytes and is compared at once; a text takes sixteen and is hashed byte by byte. DuckDB
looks up each text of a dictionary in a Parquet file once, not once a row. Ten million rows with eight columns
of text are grouped in half the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.arrow import pa, pc
from paretonym.source.engines.duckdb_session import Session

# A list is searched from its beginning.
MOST_TEXTS = 250


@dataclass(frozen=True, slots=True)
class TextCodes:
    """The texts of some of the columns c0, c1, … of a query, by the column's place in it. The same texts are
    variables of the session."""

    columns: int
    texts: Mapping[int, list[str]]

    @classmethod
    def of(cls, engine: Session, columns: int, texts: Mapping[int, list[str]]) -> TextCodes:
        few = {place: each for place, each in texts.items() if 0 < len(each) <= MOST_TEXTS}
        for place, each in few.items():
            engine.run(f"set variable texts{place} = ?", [each])
        return cls(columns, few)

    def count(self, engine: Session, query: str, name: str) -> TextCodes:
        """Make a table of the distinct rows of a query and their counts. Returned are the columns that are
        places of texts in it: those of which all texts were known."""
        cells = ", ".join(f"{self._cell(place)} as c{place}" for place in range(self.columns))
        engine.run(f"create temp table {name} as select {cells}, count(*) as n from ({query}) group by all")
        known = self._known(engine, query, name)
        if len(known) == len(self.texts):
            return self
        engine.run(f"drop table {name}")
        return TextCodes(self.columns, known).count(engine, query, name)

    def _known(self, engine: Session, query: str, name: str) -> Mapping[int, list[str]]:
        """The columns without texts that are on no list. These have no place, nor has a null."""
        without = self._where(engine, f"from {name}", self.texts, "c{place} is null")
        wrong = "{cell} is null and c{place} is not null"
        strays = self._where(engine, f"from ({query})", without, wrong)
        return {place: texts for place, texts in self.texts.items() if place not in strays}

    def _where(self, engine: Session, source: str, places: Iterable[int], condition: str) -> list[int]:
        """The columns that meet a condition in some row."""
        asked = [condition.format(cell=self._cell(place), place=place) for place in places]
        if not asked:
            return []
        found = engine.row(f"select {', '.join(f'bool_or({each})' for each in asked)} {source}")
        return [place for place, met in zip(places, found, strict=True) if met]

    def _cell(self, place: int) -> str:
        return f"list_position(getvariable('texts{place}'), c{place})" if place in self.texts else f"c{place}"

    def read(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Counted rows with their texts again, in dictionaries."""
        dictionaries = {place: pa.array(texts, pa.string()) for place, texts in self.texts.items()}
        for batch in batches:
            cells = batch.columns
            for place, texts in dictionaries.items():
                indices = pc.subtract(cells[place], 1).cast(pa.int32())
                cells[place] = pa.DictionaryArray.from_arrays(indices, texts)
            yield pa.record_batch(cells, names=batch.schema.names)
