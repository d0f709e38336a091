"""The JSON Schema of schema files, made from the table of their keys: editors complete and check by it.

    .venv/bin/python scripts/make_schema_format.py    # writes docs/reference/formats/schema-file.json

A key of the table that nothing here describes is an error, so the two cannot part.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from paretonym.tables.schema.hierarchies.dates import SPANS
from paretonym.tables.schema.hierarchies.hierarchy_builder import HIERARCHY_KINDS
from paretonym.tables.schema.hierarchies.ready import ready_codes
from paretonym.tables.schema.purposes import KINDS, MEASURED
from paretonym.tables.schema.roles import ROLES
from paretonym.tables.schema.schema_keys import COLUMN_KEYS, SCHEMA_KEYS, Key, SuppressUnit

FILE = Path(__file__).parents[1] / "docs/reference/formats/schema-file.json"
TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer", "minimum": 0}
LEAVES = {"type": "array", "items": {"type": ["string", "integer"]}}
PAIR = {"type": "array", "minItems": 2, "maxItems": 2}
# By the name of the function that reads a value; choices are in what the table says is expected.
SHAPES: Mapping[str, dict[str, Any]] = {
    "number": NUMBER,
    "positive": {"type": "number", "exclusiveMinimum": 0},
    "text": TEXT,
    "whole": WHOLE,
    "_from_one": {"type": "integer", "minimum": 1},
    "_levels": {**PAIR, "items": WHOLE},
    "_domain": {**PAIR, "items": {"type": "number"}},
    "_importance": {"type": "number", "minimum": 1e-6, "maximum": 1e6},
    "_rounding": {"type": "number", "minimum": 1e-9, "maximum": 1e9},
    "_boolean": {"type": "boolean"},
}
NUMBERS = {"type": "array", "items": NUMBER}
TREE = {"type": ["object", "array", "string", "integer"]}
KINDS_OF_HIERARCHY: Mapping[str, dict[str, Any]] = {
    "intervals": {**NUMBERS, "minItems": 1},
    "breaks": {"type": "array", "items": {"anyOf": [NUMBER, NUMBERS]}},
    "mask": {"type": "integer", "minimum": 1},
    "keep": {"type": "array", "items": WHOLE, "minItems": 1},
    "date": {"type": "array", "items": {"enum": list(SPANS)}, "minItems": 1},
    "file": TEXT,
    "flat": {"const": True},
    "tree": TREE,
    "ready": {"enum": list(ready_codes())},
}
FURTHER = {"origin": NUMBER}


def shape(key: Key) -> dict[str, Any]:
    """The values of a key: those of its reader, and the words of the table."""
    described = {"description": key.expected}
    if key.expected.startswith("one of "):
        return {"enum": re.findall(r'"([^"]+)"', key.expected), **described}
    if key.expected == "a list of texts in quotes":
        return {**LEAVES, **described}
    return {**SHAPES[key.read.__name__], **described}


def closed(properties: dict[str, Any], **further: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, **further}


def hierarchy() -> dict[str, Any]:
    further = {key for kind in HIERARCHY_KINDS.values() for key in kind.further_keys}
    kinds = {key: KINDS_OF_HIERARCHY[key] for key in HIERARCHY_KINDS}
    choice = [{"required": [key]} for key in HIERARCHY_KINDS]
    return closed({**kinds, **{key: FURTHER[key] for key in sorted(further)}}, oneOf=choice)


def purpose() -> dict[str, Any]:
    limits = {name: {"type": "number", "minimum": 0} for names in MEASURED.values() for name in names}
    analyses: dict[str, Any] = {
        "regression": TEXT, "table": LEAVES, "mean": TEXT, "quantile": {**PAIR, "items": {}},
    }  # fmt: skip
    named: dict[str, Any] = {kind: analyses[kind] for kind in KINDS}
    properties: dict[str, Any] = {"name": TEXT, **named, "by": LEAVES}
    return closed(
        {**properties, "tolerance": closed(limits)},
        required=["name", "tolerance"],
        oneOf=[{"required": [kind]} for kind in KINDS],
    )


def schema_format() -> dict[str, Any]:
    column = {
        "role": {"enum": list(ROLES), "description": "what the column is"},
        "hierarchy": hierarchy(),
        **{name: shape(key) for name, key in COLUMN_KEYS.items()},
    }
    properties: dict[str, Any] = {
        **{name: shape(key) for name, key in SCHEMA_KEYS.items()},
        "suppress": closed({"unit": {"enum": list(get_args(SuppressUnit))}}),
        "purpose": {"type": "array", "items": purpose()},
        "columns": {"type": "object", "additionalProperties": closed(column, required=["role"])},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:paretonym:schema-file",
        "title": "what the columns of a table mean (paretonym)",
        **closed(properties, required=["columns"]),
    }


def text() -> str:
    return json.dumps(schema_format(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
