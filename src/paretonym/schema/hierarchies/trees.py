"""Hierarchies that list their leaves in the schema: a flat set, an order, a tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from paretonym.errors import InputError, Problem, shown
from paretonym.schema.hierarchies.hierarchy_draft import Draft, Shown, Values, as_is, places, runs
from paretonym.schema.hierarchies.specifications import Node, Tree

NOT_LISTED = 'add them, or say unknown = "top"'


@dataclass(frozen=True, slots=True)
class Path:
    """A leaf and the inner nodes above it, the outermost first. Nodes are told apart by number, since two may
    have one label."""

    leaf: str
    nodes: tuple[tuple[int, str], ...]


def build_flat(values: Values) -> Draft:
    """The values that occur, in the order of their texts."""
    leaves = tuple(sorted(values.texts))
    return Draft(leaves, (as_is(leaves),), places(values.texts, leaves), "the distinct values that occur")


def build_order(order: tuple[str, ...], values: Values) -> Draft:
    """The listed values, in the listed order."""
    codes = places(values.texts, order)
    values.require(codes >= 0, "without a place in order", NOT_LISTED, "order")
    return Draft(order, (as_is(order),), codes, "the values listed in order", listed=True)


def build_tree(kind: Tree, order: tuple[str, ...] | None, values: Values) -> Draft:
    """Level i shows the ancestor at depth H - i, or the leaf itself where it lies higher."""
    paths = _paths(kind.children)
    if order is not None:
        paths = in_order(paths, order, values)
    leaves = tuple(path.leaf for path in paths)
    codes = places(values.texts, leaves)
    values.require(codes >= 0, "without a place in the tree", NOT_LISTED, "hierarchy")
    # The root lies at depth 0, so a leaf below n inner nodes lies at depth n + 1.
    height = 1 + max(len(path.nodes) for path in paths)
    levels = tuple(_level(paths, depth) for depth in range(height - 1, 0, -1))
    return Draft(leaves, (as_is(leaves), *levels), codes, "the leaves of the tree", listed=True)


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
    """What stands at a depth above each leaf: a node, or the leaf itself, which no other leaf shares."""
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
    remedy = "let order list exactly the leaves"
    return [Problem(values.place, f"{what}: {values.counted(extra)}", remedy, "order")]


def _torn(paths: list[Path], position: dict[str, int], values: Values) -> list[Problem]:
    """The inner nodes whose leaves do not stand together in the order."""
    members: dict[tuple[int, str], list[int]] = {}
    for path in paths:
        for node in path.nodes:
            members.setdefault(node, []).append(position[path.leaf])
    torn = [label for (_, label), at in members.items() if max(at) - min(at) + 1 != len(at)]
    if not torn:
        return []
    named = f"{len(torn)} sets" if values.secret else f"the sets {shown(torn)}"
    wrong = f"{named} do not stand together in order"
    return [Problem(values.place, wrong, "list the values of a set in a row", "order")]
