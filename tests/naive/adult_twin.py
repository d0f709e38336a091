"""Every node of the Adult lattice by numpy alone: level maps from the schema file, classes by np.unique.

Only the files of the example are the package's. Every node is evaluated once; its class sizes and the cost of
its classes serve every limit. Costs are whole numbers over one denominator, so that comparing is exact.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from paretonym.base.arrays import Integers

ROWS_READ = 32_561
MOST_SUPPRESSED = 0.11


@dataclass(frozen=True, eq=False)
class Column:
    """`groups[l][v]` and `sizes[l][v]`: the set that value v is shown as at level l, and how large it is."""

    values: Integers
    groups: tuple[Integers, ...]
    sizes: tuple[Integers, ...]
    domain: int


@dataclass(frozen=True, eq=False)
class Node:
    """Class sizes of a node, rising, and what the rows of each class cost together, for the classes that a
    limit may reach; `total` is the cost of all classes."""

    sizes: Integers
    costs: Integers
    total: int


@dataclass(frozen=True, eq=False)
class Adult:
    """All nodes. A row that costs all it can costs `most`."""

    rows: int
    most: int
    nodes: tuple[Node, ...]


def adult(folder: Path) -> Adult:
    schema = tomllib.loads((folder / "adult.toml").read_text(encoding="utf-8"))
    frame = pandas.read_parquet(folder / "adult.parquet").iloc[:ROWS_READ].astype(str)
    roles = {name: entry["role"] for name, entry in schema["columns"].items()}
    needed = [name for name, role in roles.items() if role in ("quasi", "sensitive")]
    frame = frame[~frame[needed].isin(["", "?"]).any(axis=1)]
    columns = [
        column(frame[name], schema["columns"][name]["hierarchy"])
        for name, role in roles.items()
        if role == "quasi"
    ]
    unit = lcm(*(column.domain - 1 for column in columns))
    return Adult(len(frame), unit * len(columns), tuple(nodes(columns, unit)))


def nodes(columns: list[Column], unit: int) -> Iterator[Node]:
    tuples, counts = np.unique(np.stack([c.values for c in columns], axis=1), axis=0, return_counts=True)
    costs = [[(size - 1) * (unit // (c.domain - 1)) for size in c.sizes] for c in columns]
    yield from below(columns, costs, 0, tuples, np.zeros(len(tuples), dtype=np.int64), counts)


def below(
    columns: list[Column],
    costs: list[list[Integers]],
    j: int,
    shown: Integers,
    cost: Integers,
    rows: Integers,
) -> Iterator[Node]:
    """All nodes with the levels of the first j columns; of what they show, equal tuples are one."""
    if j == len(columns):
        yield node(rows, cost)
        return
    for groups, own in zip(columns[j].groups, costs[j], strict=True):
        recoded, spent = shown.copy(), cost + own[shown[:, j]]
        recoded[:, j] = groups[shown[:, j]]
        key = np.ravel_multi_index(tuple(recoded.T), tuple(recoded.max(axis=0) + 1))
        _, first, ids = np.unique(key, return_index=True, return_inverse=True)
        together = np.bincount(ids, weights=rows).astype(np.int64)
        yield from below(columns, costs, j + 1, recoded[first], spent[first], together)


def node(sizes: Integers, cost: Integers) -> Node:
    order = np.argsort(sizes)
    sizes, together = sizes[order], (cost * sizes)[order]
    reached = int(np.sum(np.cumsum(sizes) - sizes <= MOST_SUPPRESSED * sizes.sum()))
    return Node(sizes[:reached].copy(), together[:reached].copy(), int(together.sum()))


def column(cells: pandas.Series[str], hierarchy: Mapping[str, Any]) -> Column:
    """Values in codes, and for each level the set of each value, told apart by a key."""
    if "intervals" in hierarchy:
        domain = sorted(set(cells), key=int)
        keys = [[int(v) for v in domain], *([int(v) // w for v in domain] for w in hierarchy["intervals"])]
    elif "tree" in hierarchy:
        paths = dict(leaves(hierarchy["tree"], ()))
        domain = list(paths)
        height = 1 + max(len(path) for path in paths.values())
        keys = [[(*paths[v], v)[: height - level] for v in domain] for level in range(height)]
    else:
        domain = sorted(set(cells))
        keys = [list(domain)]
    keys.append([0] * len(domain))
    groups = tuple(codes(level) for level in keys)
    sizes = tuple(np.bincount(group)[group].astype(np.int64) for group in groups)
    place = {value: i for i, value in enumerate(domain)}
    values = np.array([place[cell] for cell in cells], dtype=np.int64)
    return Column(values, groups, sizes, len(domain))


def codes(keys: list[Any]) -> Integers:
    numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def leaves(tree: Any, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            yield from leaves(below, (*path, label))
    else:
        for leaf in tree:
            yield leaf, path


def frontier(table: Adult, rule: str, fraction: Fraction) -> set[tuple[Fraction, Fraction]]:
    """The vectors (k, loss) that no other beats."""
    limit = int(fraction * table.rows)
    cheapest: dict[int, int] = {}
    for found in table.nodes:
        for k, loss in candidates(table, found, limit, rule):
            cheapest[k] = min(loss, cheapest.get(k, loss))
    return {
        (Fraction(k), Fraction(loss, table.rows * table.most))
        for k, loss in cheapest.items()
        if not any(other >= k and cheapest[other] <= loss and other != k for other in cheapest)
    }


def candidates(table: Adult, found: Node, limit: int, rule: str) -> Iterator[tuple[int, int]]:
    """For each threshold that the limit allows, k and the numerator of the loss."""
    starts = np.flatnonzero(np.diff(found.sizes, prepend=0))
    gone = np.concatenate([[0], np.cumsum(found.sizes)])[starts]
    spent = np.concatenate([[0], np.cumsum(found.costs)])[starts]
    allowed = np.flatnonzero(gone <= limit)
    for place in allowed if rule == "any" else allowed[-1:]:
        loss = found.total - int(spent[place]) + int(gone[place]) * table.most
        yield int(found.sizes[starts[place]]), loss
