"""A tree of sets over listed leaves, of any depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from paretonym.errors import MOST_VALUES_SHOWN, InputError, Problem, shown
from paretonym.schema.hierarchies.hierarchy_draft import (
    NOT_LISTED,
    Draft,
    Shown,
    Values,
    as_is,
    places,
    runs,
)
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.toml_section import Section, described, leaf

DEEPEST_TREE = 100
PLACE = "hierarchy.tree"


@dataclass(frozen=True, slots=True)
class Node:
    """An inner node of a tree: a set with a label, over leaves (texts) and further nodes."""

    label: str
    children: tuple[Node | str, ...]


@dataclass(frozen=True, slots=True)
class Tree(HierarchyKind):
    """A tree of any depth, also ragged; its root is implicit and shown as `*`."""

    key = "tree"
    takes_order = True
    set_noun = "group"

    children: tuple[Node | str, ...]

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        return cls.of(table.mapping["tree"], secret)

    @classmethod
    def of(cls, value: object, secret: bool = False) -> Self:
        """The tree that nested tables and lists hold; problems never name a value where `secret`.

        >>> Tree.of({"Low": ["a", "b"], "c": []})
        Tree(children=(Node(label='Low', children=('a', 'b')), 'c'))
        """
        tree = cls(tuple(_children(value, 1)))
        if not tree.children:
            raise cls.refusal("it has no leaves", 'list them: Label = ["value", "value"]')
        problems = [
            *_twice(_leaves(tree.children), "leaf", secret),
            *_twice(_labels(tree.children), "set", secret),
        ]
        if problems:
            raise InputError(problems)
        return tree

    def to_mapping(self) -> dict[str, Any]:
        return {"tree": _as_lists(self.children)}

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        """Level i shows the ancestor at depth H - i, or the leaf itself where it lies higher."""
        paths = list(_paths(self.children))
        if column.order is not None:
            paths = in_order(paths, column.order, values)
        leaves = tuple(path.leaf for path in paths)
        codes = places(values.texts, leaves)
        values.require(codes >= 0, "not in the tree", NOT_LISTED, "hierarchy")
        # The root lies at depth 0, so a leaf below n inner nodes lies at depth n + 1.
        height = 1 + max(len(path.nodes) for path in paths)
        levels = tuple(_level(paths, depth) for depth in range(height - 1, 0, -1))
        return Draft(leaves, (as_is(leaves), *levels), codes, "the leaves of the tree", listed=True)

    def words(self, level: int) -> str | None:
        return f"at level {level} of its hierarchy"

    def listed(self, values: Values) -> frozenset[str]:
        return frozenset(_leaves(self.children))

    def extended(self, leaves: Sequence[str], values: Values) -> Tree:
        return Tree((*self.children, *leaves))


def _children(value: object, depth: int) -> Iterator[Node | str]:
    if depth > DEEPEST_TREE:
        raise InputError.of(
            PLACE,
            f"it is deeper than {DEEPEST_TREE} levels",
            "use fewer levels",
        )
    if isinstance(value, Mapping):
        for label, below in value.items():
            yield _labelled(str(label), below, depth)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _entry(entry, depth)
    else:
        raise InputError.of(
            PLACE,
            f"{described(value)} is where leaves belong",
            "make it a list of texts",
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
            PLACE,
            f"{described(entry)} is in a list of leaves",
            "write each leaf in quotes",
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
    return [
        Problem(
            PLACE,
            f"a {what} is in two places" if secret else f"the {what} '{text}' is in two places",
            f"give each {what} one place",
        )
        for text in repeated[:MOST_VALUES_SHOWN]
    ]


def _as_lists(children: tuple[Node | str, ...]) -> list[Any]:
    """Lists of leaves and one-key tables: the one form that keeps any order of leaves and subtrees."""
    return [
        {child.label: _as_lists(child.children)} if isinstance(child, Node) else child for child in children
    ]


@dataclass(frozen=True, slots=True)
class Path:
    """A leaf and the inner nodes above it, the outermost first. Nodes are distinguished by number, since two
    may have one label."""

    leaf: str
    nodes: tuple[tuple[int, str], ...]


def in_order(paths: list[Path], order: tuple[str, ...], values: Values) -> list[Path]:
    """The leaves in the order that the schema gives, which must keep every set of the tree together."""
    by_leaf = {path.leaf: path for path in paths}
    problems = [
        *_difference(values, order, by_leaf, "in order, but not in the hierarchy"),
        *_difference(values, by_leaf, order, "in the hierarchy, but not in order"),
    ]
    if not problems:
        problems = _torn(paths, {leaf: position for position, leaf in enumerate(order)}, values)
    if problems:
        raise InputError(problems)
    return [by_leaf[leaf] for leaf in order]


def _paths(children: tuple[Node | str, ...]) -> list[Path]:
    found: list[Path] = []
    numbers = iter(range(1_000_000_000))

    def walk(below: tuple[Node | str, ...], above: tuple[tuple[int, str], ...]) -> None:
        for child in below:
            if isinstance(child, Node):
                walk(child.children, (*above, (next(numbers), child.label)))
            else:
                found.append(Path(child, above))

    walk(children, ())
    return found


def _level(paths: list[Path], depth: int) -> Shown:
    """What is at a depth above each leaf: a node, or the leaf itself, which no other leaf shares."""
    at_depth = [path.nodes[depth - 1] if len(path.nodes) >= depth else (None, path.leaf) for path in paths]
    numbers = np.array(
        [-1 - i if node[0] is None else node[0] for i, node in enumerate(at_depth)], dtype=np.int64
    )
    groups, first = runs(numbers[1:] != numbers[:-1], len(paths))
    return Shown(groups, tuple(at_depth[index][1] for index in first.tolist()))


def _difference(values: Values, these: Iterable[str], those: Iterable[str], what: str) -> list[Problem]:
    known = set(those)
    extra = [text for text in these if text not in known]
    if not extra:
        return []
    remedy = "list exactly the leaves in order"
    return [
        Problem(
            values.place,
            f"{what}: {values.counted(extra)}",
            remedy,
            "order",
        )
    ]


def _torn(paths: list[Path], position: dict[str, int], values: Values) -> list[Problem]:
    """The inner nodes whose leaves are not consecutive in the order."""
    members: dict[tuple[int, str], list[int]] = {}
    for path in paths:
        for node in path.nodes:
            members.setdefault(node, []).append(position[path.leaf])
    torn = [label for (_, label), at in members.items() if max(at) - min(at) + 1 != len(at)]
    if not torn:
        return []
    named = f"{len(torn)} sets" if values.secret else f"the sets {shown(torn)}"
    wrong = f"the values of {named} are not adjacent in order"
    return [Problem(values.place, wrong, "list the values of a set next to each other", "order")]
