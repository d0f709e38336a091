"""The `hierarchy` table and the `order` list of a column: from what stands in the file to checked values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.errors import MOST_VALUES_SHOWN, ColumnPlace, InputError, Place, Problem, inside
from paretonym.schema.hierarchies.specifications import (
    DEEPEST_TREE,
    Breaks,
    Dates,
    Flat,
    HierarchyFile,
    Intervals,
    Keep,
    Kind,
    Mask,
    Node,
    Tree,
)
from paretonym.schema.toml_section import Section, described, leaf, number

LoadFile: TypeAlias = Callable[[str], str]


def read_kind(section: Section, load: LoadFile, secret: bool) -> Kind | None:
    """The column's hierarchy, or None where it has none (or a wrong one: see the section's problems)."""
    table = section.inner("hierarchy", inside(section.place, "hierarchy"))
    if table is None:
        return None
    table.refuse_unknown((*KINDS, "origin"))
    given = [key for key in KINDS if key in table.mapping]
    if len(given) != 1:
        wrong = f"{' and '.join(given)} are given together" if given else "it names no kind"
        table.complain(wrong, f"give one of {', '.join(KINDS)}")
        return None
    if "origin" in table.mapping and given != ["intervals"]:
        table.complain("origin has no meaning here", "use it with intervals, or leave it out")
    return _made(table, lambda: KINDS[given[0]](table, load, secret))


def read_order(section: Section, secret: bool) -> tuple[str, ...] | None:
    """The leaves in their order; each once."""
    order = section.texts("order")
    if order is None:
        return None
    if not order:
        section.complain("order is an empty list", "list all values, or leave it out", "order")
        return None
    twice = [value for value, count in Counter(order).items() if count > 1]
    for value in twice[:MOST_VALUES_SHOWN]:
        named = "a value" if secret else f"'{value}'"
        section.complain(f"order lists {named} twice", "list each value once", "order")
    return None if twice else order


def _made(table: Section, make: Callable[[], Kind | None]) -> Kind | None:
    """What `make` gives; a value that refuses itself becomes problems of this column."""
    try:
        return make()
    except InputError as error:
        table.problems.extend(Problem(_kind(table, p), p.wrong, p.remedy) for p in error.problems)
        return None


def _kind(table: Section, problem: Problem) -> Place:
    """Where a problem of a hierarchy lies: what refuses itself has named its kind."""
    place = table.place
    return replace(place, within=str(problem.place)) if isinstance(place, ColumnPlace) else problem.place


def _intervals(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    widths, origin = table.numbers("intervals"), table.number("origin")
    if widths is None:
        return None
    return Intervals(widths) if origin is None else Intervals(widths, origin)


def _breaks(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    bands = table.read(
        "breaks", _lists_of_numbers, "a list of numbers for each level, such as [[10, 20], [20]]"
    )
    return None if bands is None else Breaks(bands)


def _lists_of_numbers(value: Any) -> Any:
    """Lists of numbers; one plain list of numbers is one level."""
    if not isinstance(value, list | tuple):
        return None
    rows = value if all(isinstance(row, list | tuple) for row in value) else [value]
    bands = tuple(tuple(number(entry) for entry in row) for row in rows)
    return None if any(entry is None for row in bands for entry in row) else bands


def _mask(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    characters = table.whole("mask")
    return None if characters is None else Mask(characters)


def _keep(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    characters = table.wholes("keep")
    return None if characters is None else Keep(characters)


def _dates(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    units = table.texts("date")
    return None if units is None else Dates(units)


def _file(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    name = table.read("file", _file_name, "the file's name in quotes")
    return None if name is None else HierarchyFile(name, load(name))


def _file_name(value: object) -> str | None:
    if isinstance(value, Path):
        return str(value)
    return value if isinstance(value, str) and value else None


def _flat(table: Section, load: LoadFile, secret: bool) -> Kind | None:
    flat = table.read("flat", lambda value: value if value is True else None, "true, or leave it out")
    return None if flat is None else Flat()


def _tree(table: Section, load: LoadFile, secret: bool) -> Tree | None:
    return read_tree(table.mapping["tree"], secret)


KINDS: Mapping[str, Callable[[Section, LoadFile, bool], Kind | None]] = {
    "intervals": _intervals,
    "breaks": _breaks,
    "mask": _mask,
    "keep": _keep,
    "date": _dates,
    "file": _file,
    "flat": _flat,
    "tree": _tree,
}


PLACE = "hierarchy.tree"


def read_tree(value: object, secret: bool = False) -> Tree:
    """The tree that nested tables and lists hold; problems never name a value where `secret`.

    >>> read_tree({"Low": ["a", "b"], "c": []})
    Tree(children=(Node(label='Low', children=('a', 'b')), 'c'))
    """
    tree = Tree(tuple(_children(value, 1)))
    if not tree.children:
        raise InputError.of(PLACE, "it has no leaves", 'list them: Label = ["value", "value"]')
    problems = [
        *_twice(_leaves(tree.children), "leaf", secret),
        *_twice(_labels(tree.children), "set", secret),
    ]
    if problems:
        raise InputError(problems)
    return tree


def _children(value: object, depth: int) -> Iterator[Node | str]:
    if depth > DEEPEST_TREE:
        raise InputError.of(PLACE, f"it is deeper than {DEEPEST_TREE} levels", "make it flatter")
    if isinstance(value, Mapping):
        for label, below in value.items():
            yield _labelled(str(label), below, depth)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _entry(entry, depth)
    else:
        raise InputError.of(
            PLACE, f"{described(value)} stands where leaves belong", "make it a list of texts"
        )


def _labelled(label: str, below: object, depth: int) -> Node | str:
    children = tuple(_children(below, depth + 1))
    return Node(label, children) if children else label


def _entry(entry: object, depth: int) -> Iterator[Node | str]:
    if isinstance(entry, Mapping):
        yield from _children(entry, depth)
    elif (text := leaf(entry)) is not None:
        yield text
    else:
        raise InputError.of(
            PLACE, f"{described(entry)} stands in a list of leaves", "write each leaf in quotes"
        )


def _leaves(children: tuple[Node | str, ...]) -> Iterator[str]:
    for child in children:
        if isinstance(child, Node):
            yield from _leaves(child.children)
        else:
            yield child


def _labels(children: tuple[Node | str, ...]) -> Iterator[str]:
    for child in children:
        if isinstance(child, Node):
            yield child.label
            yield from _labels(child.children)


def _twice(texts: Iterator[str], what: str, secret: bool) -> list[Problem]:
    repeated = [text for text, count in Counter(texts).items() if count > 1]
    named = [f"a {what}" if secret else f"the {what} '{text}'" for text in repeated[:MOST_VALUES_SHOWN]]
    return [Problem(PLACE, f"{name} stands in two places", f"give each {what} one place") for name in named]
