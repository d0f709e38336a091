"""A TOML text as statements with their places, so that something can be added while the rest stays."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|"
    r"(?P<comment>#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<end>\n)|(?P<equals>=)|(?P<blank>[^\S\n]+)|"
    r"""[^"'#\[\]{}\n=\s]+|["']""",
    re.DOTALL,
)
Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """`[a.b]` (a header) or `c.d = value`: where it stands, and the whole path that it speaks of.

    `table` is the path of the header above it. `close` is where the last bracket of the value stands and
    `last` the end of what stands before it, so that something can be put between; both are -1 without one.
    """

    start: int
    end: int
    header: bool
    path: Path
    table: Path
    close: int
    last: int


def statements(text: str) -> Iterator[Statement]:
    """The headers and keys of a valid TOML text, in their order; blank lines and comments are left out."""
    table: Path = ()
    for start, end in _spans(text):
        source = text[start:end]
        if source.lstrip().startswith("["):
            table = _path(tomllib.loads(source))
            yield Statement(start, end, True, table, table, -1, -1)
        elif (equals := _equals(source)) is not None:
            path = (*table, *_path(tomllib.loads(source[:equals] + "= 0")))
            close, last = _closing(source)
            yield Statement(start, end, False, path, table, start + close if close >= 0 else -1, start + last)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """From the start of a line to the first line end outside of brackets."""
    depth, start = 0, 0
    for token in TOKEN.finditer(text):
        depth += (token["open"] is not None) - (token["close"] is not None)
        if token["end"] and not depth:
            yield start, token.end()
            start = token.end()
    if start < len(text):
        yield start, len(text)


def _equals(source: str) -> int | None:
    """Where the key ends; None for a line without one."""
    return next((token.start() for token in TOKEN.finditer(source) if token["equals"]), None)


def _closing(source: str) -> tuple[int, int]:
    """Where the last bracket stands, and the end of the last thing before it that is no comment."""
    seen: list[re.Match[str]] = [
        token for token in TOKEN.finditer(source) if not (token["comment"] or token["blank"] or token["end"])
    ]
    if len(seen) < 2 or seen[-1]["close"] is None:
        return -1, -1
    return seen[-1].start(), seen[-2].end()


def _path(mapping: object) -> Path:
    """The keys from the outermost to the innermost of nested tables with one key each."""
    found = []
    while isinstance(mapping, dict) and mapping:
        name, mapping = next(iter(mapping.items()))
        found.append(name)
    return tuple(found)
