"""JSON lines: one object per line. Every cell is text, as in a CSV file: numbers as they are written, true
and false; null, an empty text and a key that is not there are missing. Faults are reported by line, never by
content."""

from __future__ import annotations

import array
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from paretonym.arrow import pa
from paretonym.errors import InputError
from paretonym.source.data_source import NULL
from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.table import Column, Table
from paretonym.source.text_stream import TextFile

# A longer line is not a row of a table.
LONGEST_LINE = 1 << 27
ENDINGS = (".json", ".jsonl", ".ndjson")
BLANK = b" \t\r\n"
FIRST_OBJECT = re.compile(rb'\{\s*(?:"|\}|\Z)')
Record: TypeAlias = dict[str, str | None]


class Fault(Exception):
    """What is wrong with a line."""


class Twice(ValueError):
    """A key occurs twice in an object."""


def is_json_lines(text: TextFile) -> bool:
    """Whether a text begins with an object of JSON; any other JSON is refused."""
    sample, whole = text.sample()
    start = sample.lstrip(BLANK)
    if FIRST_OBJECT.match(start):
        if not _is_object(start.splitlines()[0], whole) and _is_document(start, whole):
            raise _one_document(text)
        return True
    if start.startswith(b"[") and (text.path.name.lower().endswith(ENDINGS) or _is_document(start, whole)):
        raise _one_document(text)
    return False


def _is_object(line: bytes, whole: bool) -> bool:
    return not whole or isinstance(_parsed(line), dict)


def _is_document(content: bytes, whole: bool) -> bool:
    """Whether this is JSON that spans lines, as far as the beginning of a long one shows that."""
    if whole:
        return isinstance(_parsed(content), dict | list)
    return bool(re.match(rb'[\[{]\s*(?:\{\s*)?"[^"\n]*"\s*:', content)) or content.startswith(b"[")


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _one_document(text: TextFile) -> InputError:
    return InputError.of(
        str(text.path),
        "this is one JSON document, and rows are read from JSON lines: one object per line",
        "write it as JSON lines (jq -c '.[]' FILE), as CSV or as Parquet",
    )


class Objects(NamedTuple):
    """The objects of some lines: the cells of each."""

    records: list[Record]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for record in self.records for name in record))


def blocks(text: TextFile, size: int = 1 << 15) -> Iterator[Objects]:
    """The rows of a file, some at a time."""
    held: list[Record] = []
    for number, line in _lines(text):
        try:
            held.append(_record(line))
        except Fault as fault:
            remedy = "write one object per line, with texts, numbers, true, false or null as its values"
            raise InputError.of(f"{text.path}, line {number}", str(fault), remedy) from None
        if len(held) == size:
            yield Objects(held)
            held = []
    if held:
        yield Objects(held)


def read_json_lines(text: TextFile) -> Table:
    """The table in a file of JSON lines; its columns are all keys, in the order of their first appearance."""
    with ThreadPoolExecutor(1) as beside:
        fingerprint = beside.submit(text.file.fingerprint)
        columns, rows = _columns(text)
    text.file.check_unchanged(fingerprint.result())
    check_shape(str(text.path), [column.name for column in columns], rows)
    path = str(text.path)
    return Table(text.path.name, rows, columns, fingerprint.result(), path=path, unordered=True)


def names_in(text: TextFile) -> tuple[str, ...]:
    """All keys of a file, in the order of their first appearance."""
    names: dict[str, None] = {}
    for block in blocks(text):
        names.update(dict.fromkeys(block.names))
    return tuple(names)


def cells_of(block: Objects, names: Sequence[str]) -> list[Any]:
    """Some columns of a block, as Arrow arrays of texts."""
    return [pa.array([record.get(name) for record in block.records], pa.string()) for name in names]


def _columns(text: TextFile) -> tuple[tuple[Column, ...], int]:
    codes: dict[str, array.array[int]] = {}
    known: dict[str, dict[str, int]] = {}
    rows = 0
    for block in blocks(text):
        for name in block.names:
            if name not in codes:
                codes[name], known[name] = array.array("i", [NULL]) * rows, {}
        for name, column in codes.items():
            places, add = known[name], column.append
            for record in block.records:
                cell = record.get(name)
                add(NULL if cell is None else places.setdefault(cell, len(places)))
        rows += len(block.records)
    return tuple(_column(name, known[name], column) for name, column in codes.items()), rows


def _column(name: str, known: dict[str, int], codes: array.array[int]) -> Column:
    texts = tuple(known)
    return Column(name, "text", pa.array(texts, pa.string()), texts, np.array(codes, dtype=np.int32))


def _lines(text: TextFile) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    number, held = text.first_line, b""
    for piece in text.pieces():
        *lines, held = (held + piece).split(b"\n")
        for line in lines:
            if line.strip(BLANK):
                yield number, line
            number += 1
        if len(held) > LONGEST_LINE:
            wrong = "the line is too long for a row of a table"
            raise InputError.of(
                f"{text.path}, line {number}",
                wrong,
                "write one object per line",
            )
    if held.strip(BLANK):
        yield number, held


def _record(line: bytes) -> Record:
    try:
        found = json.loads(
            line, object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=_constant
        )
    except Twice:
        raise Fault("a key occurs twice") from None
    except UnicodeDecodeError:
        raise Fault("some bytes are not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise Fault("this line is not JSON") from None
    if not isinstance(found, dict):
        raise Fault("this line is JSON, but not an object")
    return {name: _cell(name, value) for name, value in found.items()}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Twice
    return found


def _constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(name)


def _cell(name: str, value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        raise Fault("a value is a list or an object")
    if value and not _is_text(value):
        raise Fault("a text contains half a character")
    return value or None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
