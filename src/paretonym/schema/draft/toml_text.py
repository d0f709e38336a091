"""Names and values as TOML writes them."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

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


TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|"
    r"(?P<comment>#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<end>\n)|(?P<equals>=)|(?P<blank>[^\S\n]+)|"
    r"""[^"'#\[\]{}\n=\s]+|["']""",
    re.DOTALL,
)
Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """`[a.b]` (a header) or `c.d = value`: where it is, and its whole path.

    `table` is the path of the header above it. `close` is the place of the last bracket of the value and
    `last` the end of what is before it, so that something can be inserted between; both are -1 if there is no
    bracket.
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
    """The place of the last bracket, and the end of what is before it, comments excluded."""
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


def add_leaves(text: str, tree: Path, values: Sequence[str], mark: str) -> str | None:
    """The text with new leaves right below the top of the tree at a path; None if no place is found."""
    found = list(statements(text))
    for one in found:
        if one.path == tree and not one.header:
            return _add_inside(text, one, values, mark)
    for one in found:
        if one.path == tree:
            return _insert(text, _end_of_section(text, found, one), _leaves("", values, mark))
    below = [one for one in found if one.path[: len(tree)] == tree]
    if not below:
        return None
    if below[0].header:
        section = [header(*tree[1:]) + "\n", *_leaves("", values, mark)]
        return _insert(text, below[0].start, section)
    prefix = "".join(f"{key(part)}." for part in tree[len(below[0].table) :])
    return _insert(text, below[-1].end, _leaves(prefix, values, mark))


def add_to_order(text: str, column: str, values: Sequence[str], mark: str) -> str | None:
    path = ("columns", column, "order")
    found = next((one for one in statements(text) if one.path == path and not one.header), None)
    return None if found is None else _add_inside(text, found, values, mark)


def add_comment(text: str, path: tuple[str, ...], mark: str) -> str | None:
    """The text with a comment above the key of this path."""
    found = next((one for one in statements(text) if one.path == path and not one.header), None)
    return None if found is None else _insert(text, found.start, [f"{mark}\n"])


def _leaves(prefix: str, values: Iterable[str], mark: str) -> list[str]:
    return [f"{prefix}{quoted(value)} = []  {mark}\n" for value in values]


def _add_inside(text: str, one: Statement, values: Sequence[str], mark: str) -> str | None:
    """New entries at the end of a list, or of a table in braces."""
    if one.close < 0:
        return None
    comma = "" if text[one.last - 1] in ",[{" else ","
    if text[one.close] == "}":
        entries = ", ".join(f"{quoted(value)} = []" for value in values)
        inside = f"{text[: one.last]}{comma} {entries} {text[one.close :]}"
        return _insert(inside, one.start, [f"{mark}: {', '.join(map(quoted, values))}\n"])
    before = text[: one.last] + comma + text[one.last : one.close].rstrip(" \t")
    lines = "".join(f"  {quoted(value)},  {mark}\n" for value in values)
    return before + ("" if before.endswith("\n") else "\n") + lines + text[one.close :]


def _end_of_section(text: str, found: list[Statement], head: Statement) -> int:
    """The place after the last key of a section."""
    inside = [one for one in found if one.table == head.path and one.start >= head.start]
    return inside[-1].end


def _insert(text: str, place: int, lines: Iterable[str]) -> str:
    before = text[:place]
    # The last line of a file may lack its line end.
    gap = "" if not before or before.endswith("\n") else "\n"
    return before + gap + "".join(lines) + text[place:]
