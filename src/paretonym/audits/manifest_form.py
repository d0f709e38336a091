"""The form of a manifest: a JSON document read so that nothing in it is passed over.

What has a wrong type cannot be read and is refused. A key that has no meaning, or one that occurs twice, is a
fault of a manifest that can be read: somebody may have put it there, and readers may disagree on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from paretonym.errors import printable

# What an entry may be; it complains by raising `Misshapen`, and adds faults to the list.
Form: TypeAlias = Callable[[Any, str, "list[str]"], None]

# A whole number that every reader of JSON understands alike.
LARGEST = 2**53
DIGEST = re.compile(r"[0-9a-f]{64}")
VERSION = re.compile(r"[0-9]{1,6}(\.[0-9a-z]{1,8}){0,5}([+-][0-9a-z.]{1,20})?")
LONGEST_DOCUMENT = 1 << 26
LONGEST_QUOTE = 60


class Misshapen(Exception):
    """An entry that cannot be read, and why."""


def parse(content: bytes) -> tuple[dict[str, Any], list[str]]:
    """The document, and its faults so far: keys that occur twice."""
    if len(content) > LONGEST_DOCUMENT:
        raise Misshapen("it is longer than any manifest")
    faults: list[str] = []

    def entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                faults.append(f"the key {_quoted(key)} occurs twice")
            found[key] = value
        return found

    try:
        text = content.decode("utf-8")
        document = json.loads(text, object_pairs_hook=entries, parse_constant=_no_constant)
        # Half a character is in no text; a message that quotes it could not be written.
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise Misshapen("it is not UTF-8") from None
    except UnicodeEncodeError:
        raise Misshapen("a text holds half a character") from None
    except (ValueError, RecursionError):
        raise Misshapen("it is not JSON") from None
    if not isinstance(document, dict):
        raise Misshapen(f"{_kind(document)} stands where an object is expected")
    return document, faults


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def text(value: Any, place: str, faults: list[str]) -> None:
    _require(isinstance(value, str), value, place, "a text")


def count(value: Any, place: str, faults: list[str]) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST
    _require(whole, value, place, "a whole number from 0 on")


def anything(value: Any, place: str, faults: list[str]) -> None:
    """What is judged elsewhere."""


def digest(value: Any, place: str, faults: list[str]) -> None:
    text(value, place, faults)
    if not DIGEST.fullmatch(value):
        faults.append(f"{place} is no sha256")


def version(value: Any, place: str, faults: list[str]) -> None:
    text(value, place, faults)
    if not VERSION.fullmatch(value):
        faults.append(f"{place} is no version")


def texts(value: Any, place: str, faults: list[str]) -> None:
    listed = isinstance(value, list) and all(isinstance(each, str) for each in value)
    _require(listed, value, place, "a list of texts")


def each(form: Form) -> Form:
    """An object whose keys are names, with one kind of value."""

    def check(value: Any, place: str, faults: list[str]) -> None:
        _require(isinstance(value, dict), value, place, "an object")
        for key, entry in value.items():
            form(entry, f"{place}.{_quoted(key)}", faults)

    return check


def keys(needed: Mapping[str, Form], further: Mapping[str, Form] | None = None) -> Form:
    """An object with these keys and no others, save the further ones."""
    known = {**needed, **(further or {})}

    def check(value: Any, place: str, faults: list[str]) -> None:
        _require(isinstance(value, dict), value, place, "an object")
        for key in needed:
            if key not in value:
                raise Misshapen(f"it has no '{f'{place}.{key}'.lstrip('.')}'")
        for key, entry in value.items():
            if key not in known:
                inside = f" of '{place}'" if place else ""
                faults.append(f"the key {_quoted(key)}{inside} has no meaning")
            else:
                known[key](entry, f"{place}.{key}".lstrip("."), faults)

    return check


def _require(right: bool, value: Any, place: str, expected: str) -> None:
    if not right:
        raise Misshapen(f"{_kind(value)} stands at '{place}' where {expected} is expected")


def _quoted(key: str) -> str:
    short = key if len(key) <= LONGEST_QUOTE else f"{key[:LONGEST_QUOTE]}…"
    return f"'{printable(short)}'"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number of another kind")
