"""The keys of a schema file: one table that says what each accepts, and both reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from paretonym.tables.schema.hierarchies.number_line import plain_number
from paretonym.tables.schema.toml_section import all_of, leaf, number, positive, text, whole
from paretonym.tables.source import ColumnType

Missing: TypeAlias = Literal["drop", "value"]
DecimalMark: TypeAlias = Literal[".", ","]
# What is suppressed with a row: itself alone, all rows of its person, or all rows of its household.
SuppressUnit: TypeAlias = Literal["row", "person", "household"]
MOST_INTEGERS = 1_000_000


def _unchanged(value: Any) -> Any:
    return value


class Key(NamedTuple):
    """A key. `read` returns the value that `attribute` holds, or None for what is not accepted; `expected`
    says what is accepted; `write` returns the value as it is written in a file."""

    attribute: str
    read: Callable[[Any], Any]
    expected: str
    write: Callable[[Any], Any] = _unchanged


def _one_of(attribute: str, choices: Mapping[str, Any]) -> Key:
    """A key that accepts these texts alone, each of which stands for a value."""
    expected = "one of " + ", ".join(f'"{choice}"' for choice in choices)
    names = {value: choice for choice, value in choices.items()}
    return Key(
        attribute, lambda value: choices.get(value) if isinstance(value, str) else None, expected, names.get
    )


def _literal(attribute: str, choices: Any) -> Key:
    return _one_of(attribute, {choice: choice for choice in get_args(choices)})


def _importance(value: object) -> Fraction | None:
    """The importance of a column beside the others; beyond these bounds one column would count alone."""
    exact = number(value)
    return Fraction(exact) if exact is not None and Decimal("1e-6") <= exact <= Decimal("1e6") else None


def _rounding(value: object) -> Decimal | None:
    """The step to multiples of which weights are rounded."""
    exact = number(value)
    return exact if exact is not None and Decimal("1e-9") <= exact <= Decimal("1e9") else None


def _levels(value: object) -> tuple[int, int] | None:
    ends = all_of(whole)(value) or ()
    return (ends[0], ends[1]) if len(ends) == 2 and ends[0] <= ends[1] else None


def _domain(value: object) -> tuple[int, int] | None:
    """The lowest and the highest integer that can occur."""
    ends = all_of(number)(value) or ()
    if len(ends) != 2 or any(end != end.to_integral_value() for end in ends):
        return None
    lowest, highest = map(int, ends)
    return (lowest, highest) if lowest <= highest < lowest + MOST_INTEGERS else None


def _boolean(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _from_one(value: object) -> int | None:
    return whole(value) or None


TEXTS = "a list of texts in quotes"
SCHEMA_KEYS: Mapping[str, Key] = {
    "null": Key("null", all_of(leaf), TEXTS, list),
    "missing": _literal("missing", Missing),
    "rows": _one_of("rows", {"people": "people", "events": "events"}),
    "decimal": _literal("decimal", DecimalMark),
    "encoding": Key("encoding", text, "a text in quotes"),
    "separator": Key("separator", text, "a text in quotes"),
    "sheet": Key("sheet", text, "a text in quotes"),
    "header_row": Key("header_row", _from_one, "the number of a row, 1 or above"),
    "footer_rows": Key("footer_rows", whole, "a whole number, 0 or above"),
}
COLUMN_KEYS: Mapping[str, Key] = {
    "type": _literal("type", ColumnType),
    "bottom": Key("bottom", number, "a number", plain_number),
    "top": Key("top", number, "a number", plain_number),
    "levels": Key("levels", _levels, "the lowest and the highest level, such as [1, 3]", list),
    "importance": Key(
        "importance",
        _importance,
        "a number from 0.000001 to 1000000, such as 2 for twice as important as a column without one",
        plain_number,
    ),
    "granularity": Key("granularity", positive, "a number above 0", plain_number),
    "domain": Key(
        "domain",
        _domain,
        f"the lowest and the highest integer, such as [17, 90], at most {MOST_INTEGERS:,} apart",
        list,
    ),
    "format": Key("format", text, "a text in quotes"),
    "decimal": _literal("decimal", DecimalMark),
    "missing": _literal("missing", Missing),
    "unknown": _one_of("unknown_to_top", {"top": True}),
    "level": Key("level", whole, "a whole number, 0 or above"),
    "release_level": Key("release_level", whole, "a whole number, 0 or above"),
    "release": Key("release", _boolean, "true or false"),
    "round": Key("round", _rounding, "a number such as 10", plain_number),
    "default": Key("default", _from_one, "a whole number, 1 or above"),
    "kept": _one_of("kept", {"yes": True, "no": False}),
    "null": Key("null", all_of(leaf), TEXTS, list),
    "order": Key("order", all_of(leaf), TEXTS, list),
}
