"""JSON lines, one object per line. Every cell is text, as in a CSV file: numbers as they are written, true
and false; null, an empty text and a key that is not there are missing. Faults are reported by line, never by
content."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from paretonym.arrow import pa
from paretonym.errors import InputError
from paretonym.source.text_stream import TextFile

ENDINGS = (".json", ".jsonl", ".ndjson")
FIRST_OBJECT = re.compile(rb'\{\s*(?:"|\}|\Z)')
ONE_OBJECT = "write one object per line, with texts, numbers, true, false or null as its values"
# Rows that are held at a time.
BATCH = 1 << 15
Record: TypeAlias = dict[str, Any]


class Fault(ValueError):
    """What is wrong with a line."""


def is_json_lines(text: TextFile) -> bool:
    """Whether a text begins with an object of JSON; any other JSON is refused."""
    sample, whole = text.sample()
    start = sample.lstrip()
    line = start.partition(b"\n")[0].rstrip()
    objects = FIRST_OBJECT.match(start) is not None
    document = start.startswith(b"[") and text.path.name.lower().endswith(ENDINGS)
    if document or (whole and _is_document(start) and not (objects and _is_document(line))):
        raise InputError.of(
            str(text.path),
            "this is one JSON document, and rows are read from JSON lines: one object per line",
            "write it as JSON lines (jq -c '.[]' FILE), as CSV or as Parquet",
        )
    return objects


def _is_document(content: bytes) -> bool:
    try:
        return isinstance(json.loads(content), dict | list)
    except (ValueError, RecursionError):
        return False


def json_records(text: TextFile) -> Iterator[Record]:
    """The objects of a file."""
    with text.open() as stream, io.TextIOWrapper(stream, "utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, text.first_line):
            if line.strip():
                try:
                    yield _record(line)
                except Fault as fault:
                    raise InputError.of(f"{text.path}, line {number}", str(fault), ONE_OBJECT) from None


def json_names(text: TextFile) -> tuple[str, ...]:
    """All keys of a file, in the order of their first appearance."""
    names: dict[str, None] = {}
    for record in json_records(text):
        names.update(dict.fromkeys(record))
    return tuple(names)


def json_batches(text: TextFile, names: Sequence[str]) -> Iterator[list[Any]]:
    """Some columns, as Arrow arrays of texts, some rows at a time."""
    records = json_records(text)
    while rows := list(islice(records, BATCH)):
        yield [pa.array([row.get(name) for row in rows], pa.string()) for name in names]


def _record(line: str) -> Record:
    try:
        record = json.loads(
            line, object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=_constant
        )
    except Fault:
        raise
    except (ValueError, RecursionError):
        raise Fault("this line is not JSON") from None
    if not isinstance(record, dict):
        raise Fault("this line is JSON, but not an object")
    return {name: _cell(value) for name, value in record.items()}


def _object(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise Fault("a key occurs twice")
    return record


def _constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(name)


def _cell(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        raise Fault("a value is a list or an object")
    if value and "\ud800" <= max(value) <= "\udfff":
        raise Fault("a text contains half a character")
    return value or None
