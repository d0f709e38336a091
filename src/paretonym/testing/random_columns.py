"""Random quasi-identifiers of every kind: an entry for the schema, and the values that rows may hold.

What is drawn does not depend on the spelling: the same generator gives the same column in another spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, TypeAlias

from paretonym.testing.random_spelling import Spelling


@dataclass(frozen=True, slots=True)
class RandomColumn:
    """What the schema says of a column, and what its rows are drawn from."""

    entry: Mapping[str, Any]
    values: tuple[str, ...]


def random_column(
    generator: Random, spelling: Spelling, kinds: tuple[str, ...] | None = None
) -> RandomColumn:
    """A column of a kind that is drawn too (one of `COLUMN_KINDS`)."""
    kind = generator.choice(kinds or tuple(COLUMN_KINDS))
    return COLUMN_KINDS[kind](generator, spelling)


def sensitive_column(generator: Random, spelling: Spelling) -> RandomColumn:
    """A sensitive column of a few ordered values, with a tree above them."""
    tree = _tree(generator, spelling)
    order = _leaves(tree.entry["hierarchy"]["tree"])
    return RandomColumn({"role": "sensitive", "order": order, **tree.entry}, tree.values)


def class_column(generator: Random, spelling: Spelling) -> RandomColumn:
    """A column whose label a recipient wants to predict."""
    values = tuple(spelling.text(i) for i in range(generator.randint(1, 4)))
    return RandomColumn({"role": "class", "kept": "yes"}, values)


def _flat(generator: Random, spelling: Spelling) -> RandomColumn:
    values = tuple(spelling.text(i) for i in range(generator.randint(1, 5)))
    return RandomColumn({"hierarchy": {"flat": True}}, values)


def _order(generator: Random, spelling: Spelling) -> RandomColumn:
    listed = [spelling.text(i) for i in range(generator.randint(2, 6))]
    generator.shuffle(listed)
    return RandomColumn({"order": listed}, _some(generator, listed))


def _tree(generator: Random, spelling: Spelling) -> RandomColumn:
    """Ragged trees, one to three sets deep, with leaves that may not occur."""
    numbers = iter(range(100))
    leaves: list[str] = []

    def leaf() -> str:
        leaves.append(spelling.text(next(numbers)))
        return leaves[-1]

    def below(depth: int) -> list[Any]:
        children = range(generator.randint(1, 3))
        return [leaf() if depth == 0 or generator.random() < 0.35 else node(depth) for _ in children]

    def node(depth: int) -> dict[str, Any]:
        return {f"set {next(numbers)}": below(depth - 1)}

    tree = below(generator.randint(1, 3))
    return RandomColumn({"hierarchy": {"tree": tree}}, _some(generator, leaves))


def _leaves(tree: list[Any]) -> list[str]:
    found: list[str] = []
    for child in tree:
        found += (
            [child]
            if isinstance(child, str)
            else [leaf for below in child.values() for leaf in _leaves(below)]
        )
    return found


def _intervals(generator: Random, spelling: Spelling) -> RandomColumn:
    widths = generator.choice([(2,), (3,), (2, 4), (5, 10), (2, 6, 12), (30,)])
    origin = generator.choice([0, 0, 1, -3])
    entry = {
        "intervals": [width * spelling.factor for width in widths],
        "origin": spelling.number(origin),
    }
    return RandomColumn({"hierarchy": entry}, _numbers(generator, spelling))


def _breaks(generator: Random, spelling: Spelling) -> RandomColumn:
    finer = sorted(generator.sample(range(-5, 20), generator.randint(2, 4)))
    coarser = sorted(generator.sample(finer, generator.randint(1, len(finer) - 1)))
    levels = [finer, coarser] if generator.random() < 0.6 else [finer]
    entry = {"breaks": [[spelling.number(cut) for cut in cuts] for cuts in levels]}
    return RandomColumn({"hierarchy": entry}, _numbers(generator, spelling))


def _mask(generator: Random, spelling: Spelling) -> RandomColumn:
    return RandomColumn({"hierarchy": {"mask": generator.randint(1, 3)}}, _words(generator, spelling))


def _keep(generator: Random, spelling: Spelling) -> RandomColumn:
    kept = generator.choice([[1], [2], [2, 1], [3, 1]])
    return RandomColumn({"hierarchy": {"keep": kept}}, _words(generator, spelling))


def _numbers(generator: Random, spelling: Spelling) -> tuple[str, ...]:
    drawn = generator.sample(range(-8, 24), generator.randint(1, 7))
    return tuple(str(spelling.number(number)) for number in drawn)


def _words(generator: Random, spelling: Spelling) -> tuple[str, ...]:
    """Words of different lengths."""
    every = [letters for length in (1, 2, 3) for letters in product(range(3), repeat=length)]
    drawn = generator.sample(every, generator.randint(1, 7))
    return tuple(spelling.word(letters) for letters in drawn)


def _some(generator: Random, values: list[str]) -> tuple[str, ...]:
    return tuple(generator.sample(values, generator.randint(1, len(values))))


Maker: TypeAlias = Callable[[Random, Spelling], RandomColumn]
COLUMN_KINDS: Mapping[str, Maker] = {
    "flat": _flat,
    "order": _order,
    "tree": _tree,
    "intervals": _intervals,
    "breaks": _breaks,
    "mask": _mask,
    "keep": _keep,
}
