"""Values put into a schema's text, next to their like and with a mark; the rest stays as it was written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paretonym.schema.drafting.spelling import header, key, quoted
from paretonym.schema.drafting.statements import Statement, statements


def add_to_tree(text: str, column: str, values: Sequence[str], mark: str) -> str | None:
    """The text with new leaves right below the tree's top; None where there is no place to be found."""
    tree = ("columns", column, "hierarchy", "tree")
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
        section = [header(column, "hierarchy", "tree") + "\n", *_leaves("", values, mark)]
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
    """Behind the last key of a section."""
    inside = [one for one in found if one.table == head.path and one.start >= head.start]
    return inside[-1].end


def _insert(text: str, place: int, lines: Iterable[str]) -> str:
    before = text[:place]
    # The last line of a file may lack its end.
    gap = "" if not before or before.endswith("\n") else "\n"
    return before + gap + "".join(lines) + text[place:]
