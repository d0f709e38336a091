"""Names and values as TOML writes them."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

WIDTH = 110
BARE = re.compile(r"[A-Za-z0-9_-]+")


def quoted(text: str) -> str:
    r"""A text in quotes, on one line.

    >>> print(quoted('5" \\ é\n'))
    "5\" \\ é\n"
    """
    return "".join(map(_escaped, json.dumps(text, ensure_ascii=False)))


def key(name: str) -> str:
    """A key, in quotes only where it needs them."""
    return name if BARE.fullmatch(name) else quoted(name)


def header(name: str, *further: str) -> str:
    return f"[{'.'.join(['columns', key(name), *further])}]"


def listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"


def comment(text: str) -> list[str]:
    """A comment of as many lines as it needs."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def one_line(text: str) -> str:
    """A text for a comment: characters that would break the line are escaped."""
    return quoted(text)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _escaped(character: str) -> str:
    # JSON leaves these unescaped, but a line of TOML must not contain them, or an editor would break it, or a
    # terminal obey it, or the text be shown in another order than it has.
    if character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 1 << 16 else f"\\U{ord(character):08x}"


def statements(mapping: Mapping[str, Any]) -> Iterator[str]:
    """A line for each key, with dots where a table is inside.

    >>> list(statements({"role": "quasi", "hierarchy": {"tree": [{"a": ["b", "c"]}]}, "top": 90}))
    ['role = "quasi"', 'hierarchy.tree = [{ a = ["b", "c"] }]', 'top = 90']
    """
    for name, value in mapping.items():
        if isinstance(value, Mapping):
            yield from (f"{key(name)}.{line}" for line in statements(value))
        else:
            yield f"{key(name)} = {_value(value, 0)}"


def _value(value: Any, depth: int) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key(name)} = {_value(inner, depth)}' for name, inner in value.items())} }}"
    if not isinstance(value, list):
        return str(value)
    entries = [_value(entry, depth + 1) for entry in value]
    line = f"[{', '.join(entries)}]"
    if len(line) <= WIDTH:
        return line
    indent = "  " * (depth + 1)
    return "[\n" + "".join(f"{indent}{entry},\n" for entry in entries) + "  " * depth + "]"
