"""What every level of a schema shows for every value, from the dict of the schema and the rows alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = str | None
Shown: TypeAlias = frozenset[Value]
Level: TypeAlias = Mapping[Value, Shown]
Rows: TypeAlias = Sequence[Mapping[str, Value]]


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier: for every level, the set of domain values that each value is shown as."""

    name: str
    levels: tuple[Level, ...]
    domain: int
    lowest: int
    highest: int
    importance: Fraction


def kept_rows(rows: Rows, schema: Mapping[str, Any]) -> list[Mapping[str, Value]]:
    """Without the rows in which a value is missing, where the schema says so."""
    names = schema["columns"]
    drop = schema.get("missing") == "drop"
    return [row for row in rows if not (drop and any(row[name] is None for name in names))]


def quasis(rows: Rows, schema: Mapping[str, Any]) -> list[Quasi]:
    """The quasi-identifiers, in the schema's order."""
    return [
        _quasi(name, entry, [row[name] for row in rows])
        for name, entry in schema["columns"].items()
        if entry["role"] == "quasi"
    ]


def sensitives(
    rows: Rows, schema: Mapping[str, Any]
) -> list[tuple[str, tuple[Value, ...], tuple[Level, ...]]]:
    """Name, ordered values and levels of the sensitive columns."""
    found = []
    for name, entry in schema["columns"].items():
        if entry["role"] == "sensitive":
            tree = {"hierarchy": entry["hierarchy"]}
            column = _quasi(name, tree, [row[name] for row in rows])
            found.append((name, tuple(entry["order"]), column.levels))
    return found


def _quasi(name: str, entry: Mapping[str, Any], cells: Sequence[Value]) -> Quasi:
    occurring = sorted({cell for cell in cells if cell is not None})
    domain, keys, numeric = _kind(entry, occurring)
    levels = [_sets(domain, key) for key in keys]
    missing = None in cells
    everything: list[Value] = [*domain, *([None] if missing else [])]
    # What is one set already needs no top above it, but numbers get one in any case.
    if not numeric and len(levels) > 1 and len(set(levels[-1].values())) == 1:
        levels.pop()
    elif not numeric and len(everything) == 1:
        levels = []
    alone: dict[Value, Shown] = {None: frozenset([None])} if missing else {}
    top = _sets(everything, lambda value: 0)
    finished = (*({**level, **alone} for level in levels), top)
    lowest, highest = entry.get("levels", (0, len(finished) - 1))
    importance = Fraction(str(entry.get("importance", 1)))
    return Quasi(name, finished, len(everything), lowest, highest, importance)


def _sets(domain: Sequence[Value], key: Callable[[Any], Hashable]) -> Level:
    """Values with the same key are shown as one set."""
    groups: dict[Hashable, set[Value]] = {}
    for value in domain:
        groups.setdefault(key(value), set()).add(value)
    return {value: frozenset(groups[key(value)]) for value in domain}


Keys: TypeAlias = list[Callable[[str], Hashable]]


def _kind(entry: Mapping[str, Any], occurring: list[str]) -> tuple[list[str], Keys, bool]:
    """The domain; what tells sets apart at level 0, 1, …; and whether a top is added in any case."""
    if "order" in entry:
        return list(entry["order"]), [str], False
    ((kind, setting), *_) = entry["hierarchy"].items()
    if kind == "flat":
        return occurring, [str], False
    if kind == "tree":
        paths = dict(_leaves(setting, ()))
        height = 1 + max(len(path) for path in paths.values())
        return list(paths), [_ancestor(paths, height - level) for level in range(height)], False
    if kind == "intervals":
        origin = Decimal(entry["hierarchy"].get("origin", 0))
        return occurring, [Decimal, *(_interval(Decimal(width), origin) for width in setting)], True
    if kind == "breaks":
        return occurring, [Decimal, *(_band(cuts) for cuts in setting)], True
    if kind == "mask":
        return occurring, [str, *(_masked(stars) for stars in range(1, setting + 1))], False
    if kind == "keep":
        return occurring, [str, *(_beginning(count) for count in setting)], False
    raise ValueError(kind)


def _leaves(tree: Any, path: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    if isinstance(tree, Mapping):
        return [found for label, below in tree.items() for found in _leaves(below, (*path, label))]
    if isinstance(tree, str):
        return [(tree, path)]
    return [found for child in tree for found in _leaves(child, path)]


def _ancestor(paths: Mapping[str, tuple[str, ...]], depth: int) -> Callable[[str], Hashable]:
    """The set at this depth above a leaf (the leaves of a deepest path lie at the full height)."""

    def key(leaf: str) -> Hashable:
        path = paths[leaf]
        return ("set", path[:depth]) if len(path) >= depth else ("leaf", leaf)

    return key


def _interval(width: Decimal, origin: Decimal) -> Callable[[str], Hashable]:
    return lambda text: (Fraction(text) - Fraction(origin)) // Fraction(width)


def _band(cuts: Sequence[float]) -> Callable[[str], Hashable]:
    return lambda text: sum(Decimal(text) >= cut for cut in cuts)


def _masked(stars: int) -> Callable[[str], Hashable]:
    return lambda text: (text[:-stars], len(text)) if len(text) > stars else ""


def _beginning(count: int) -> Callable[[str], Hashable]:
    return lambda text: text[:count]
