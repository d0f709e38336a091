"""A tree of sets over listed leaves, of any depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Self

from paretonym.errors import MOST_VALUES_SHOWN, InputError, Problem
from paretonym.schema.hierarchies.hierarchy_kind import HierarchyColumn, HierarchyKind, LoadFile
from paretonym.schema.hierarchies.level_table import LevelTable, Values
from paretonym.schema.hierarchies.listed_levels import SetOfLevel, listed_table
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

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        """Level i shows the ancestor at depth H - i, or the leaf itself where it lies higher."""
        paths = list(_paths(self.children, ()))
        # The root lies at depth 0, so a leaf below n inner nodes lies at depth n + 1.
        depths = range(max(len(nodes) for _, nodes in paths), 0, -1)
        rows = [
            (leaf, [nodes[depth - 1] if len(nodes) >= depth else (None, leaf) for depth in depths])
            for leaf, nodes in paths
        ]
        return listed_table(rows, column.order, values, "the leaves of the tree", "not in the tree")

    def words(self, level: int) -> str | None:
        return f"at level {level} of its hierarchy"


def as_tree(table: LevelTable) -> list[Any]:
    """The sets of a table as a schema's tree lists them. The top is left out where it is one set, and a value
    that is alone at every level up to a set lies directly in that. Of sets that lie in one another and have
    one label, only the outer is there: a tree has no two of them."""
    height = len(table.levels) - 1
    return _sets(table, height - (len(table.levels[-1].labels) == 1), range(len(table.leaves)))


def _sets(table: LevelTable, level: int, leaves: Iterable[int]) -> list[Any]:
    """The sets of a level that these leaves are in, each with what is in it."""
    if level <= 0:
        return [table.leaves[leaf] for leaf in leaves]
    sets: list[Any] = []
    for group, members in groupby(leaves, key=lambda leaf: int(table.levels[level].groups[leaf])):
        inside, label = list(members), table.levels[level].labels[group]
        below = {one.labels[one.groups[inside[0]]] for one in table.levels[: level + 1]}
        if len(inside) == 1 and below == {label}:
            sets.append(label)
            continue
        children = _sets(table, level - 1, inside)
        flat = [child[label] if isinstance(child, dict) and label in child else [child] for child in children]
        sets.append({label: [member for members_of in flat for member in members_of]})
    return sets


def _children(value: object, depth: int) -> Iterator[Node | str]:
    if depth > DEEPEST_TREE:
        raise InputError.of(PLACE, f"it is deeper than {DEEPEST_TREE} levels", "use fewer levels")
    if isinstance(value, Mapping):
        for label, below in value.items():
            yield _labelled(str(label), below, depth)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _entry(entry, depth)
    else:
        raise InputError.of(PLACE, f"{described(value)} is where leaves belong", "make it a list of texts")


def _labelled(label: str, below: object, depth: int) -> Node | str:
    children = tuple(_children(below, depth + 1))
    return Node(label, children) if children else label


def _entry(entry: object, depth: int) -> Iterator[Node | str]:
    if isinstance(entry, Mapping):
        yield from _children(entry, depth)
    elif (text := leaf(entry)) is not None:
        yield text
    else:
        raise InputError.of(PLACE, f"{described(entry)} is in a list of leaves", "write each leaf in quotes")


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


def _paths(
    children: tuple[Node | str, ...], above: tuple[SetOfLevel, ...]
) -> Iterator[tuple[str, tuple[SetOfLevel, ...]]]:
    """Each leaf with the inner nodes above it, the outermost first, which are told apart by their places."""
    for place, child in enumerate(children):
        if isinstance(child, Node):
            key = (above[-1][0] if above else None, place)
            yield from _paths(child.children, (*above, (key, child.label)))
        else:
            yield child, above
