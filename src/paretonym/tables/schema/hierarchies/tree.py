"""A tree of sets over listed leaves, of any depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from paretonym.base.errors import MOST_VALUES_SHOWN, InputError, Problem
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyKind, LoadFile
from paretonym.tables.schema.hierarchies.level_table import LevelTable
from paretonym.tables.schema.toml_section import Section, described, leaf

DEEPEST_TREE = 100
PLACE = "hierarchy.tree"


@dataclass(frozen=True, slots=True)
class Node:
    """An inner node of a tree: a set with a label, over leaves (texts) and further nodes."""

    label: str
    children: tuple[Node | str, ...]


@dataclass(frozen=True, slots=True)
class Tree(HierarchyKind):
    """A tree of any depth, also ragged; its root is implicit and shown as `*`. `above` are the labels of the
    inner nodes above each leaf, the outermost first."""

    key = "tree"
    takes_order = True
    set_noun = "group"

    children: tuple[Node | str, ...]
    above: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "above", dict(_paths(self.children, ())))

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Tree | None:
        return cls.of(table.mapping["tree"], secret)

    @classmethod
    def of(cls, value: object, secret: bool = False, ready: str = "") -> Tree:
        """The tree that nested tables and lists hold; problems never name a value where `secret`.

        >>> Tree.of({"Low": ["a", "b"], "c": []}).children
        (Node(label='Low', children=('a', 'b')), 'c')
        """
        children = tuple(_children(value, 1))
        if not children:
            raise cls.refusal("it has no leaves", 'list them: Label = ["value", "value"]')
        problems = [
            *_twice((text for text, _ in _paths(children, ())), "leaf", secret),
            *_twice(_labels(children), "set", secret),
        ]
        if problems:
            raise InputError(problems)
        return cls(children, ready=ready)

    def to_mapping(self) -> dict[str, Any]:
        return {"tree": _as_lists(self.children)}

    @property
    def height(self) -> int:
        return max(map(len, self.above.values()))

    @property
    def leaves(self) -> tuple[str, ...]:
        return tuple(self.above)

    def labels(self, texts: Sequence[str], level: int) -> list[str]:
        """Level i shows the ancestor at depth H - i, or the leaf itself where it lies higher; the root lies
        at depth 0. A set with the label of such a leaf is named with its level."""
        depth = self.height - level + 1
        alone = {text for text, nodes in self.above.items() if len(nodes) < depth}
        names = (
            nodes[depth - 1] if len(nodes) >= depth else "" for nodes in map(self.above.__getitem__, texts)
        )
        return [
            text if text in alone else f"{name} (level {level})" if name in alone else name
            for text, name in zip(texts, names, strict=True)
        ]


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
            children = tuple(_children(below, depth + 1))
            yield Node(str(label), children) if children else str(label)
    elif isinstance(value, list | tuple):
        for entry in value:
            if isinstance(entry, Mapping):
                yield from _children(entry, depth)
            elif (text := leaf(entry)) is not None:
                yield text
            else:
                wrong = f"{described(entry)} is in a list of leaves"
                raise InputError.of(PLACE, wrong, "write each leaf in quotes")
    else:
        raise InputError.of(PLACE, f"{described(value)} is where leaves belong", "make it a list of texts")


def _labels(children: tuple[Node | str, ...]) -> Iterator[str]:
    for child in children:
        if isinstance(child, Node):
            yield child.label
            yield from _labels(child.children)


def _paths(children: tuple[Node | str, ...], above: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each leaf with the labels of the inner nodes above it, the outermost first."""
    for child in children:
        if isinstance(child, Node):
            yield from _paths(child.children, (*above, child.label))
        else:
            yield child, above


def _twice(texts: Iterable[str], what: str, secret: bool) -> list[Problem]:
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
