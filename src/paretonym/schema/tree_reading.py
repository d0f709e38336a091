"""A tree written as nested tables and lists: `Low = ["Preschool", "1st-4th"]`.

A table holds labelled subtrees, a list holds leaves; a list may also hold tables, and a label with an empty
list is a leaf at that depth, so a tree may be ragged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from paretonym.errors import MOST_VALUES_SHOWN, InputError, Problem
from paretonym.schema.kinds import DEEPEST_TREE, Node, Tree
from paretonym.schema.section import described, leaf

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
