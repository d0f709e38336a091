"""How tuples are laid out for counting under many cuts, and the memory that one thread needs for it.

Columns are taken together in a few parts. A part has far fewer distinct combinations of atoms than there
are tuples, so what a genome makes of a part is worked out once for each combination, and a tuple needs one
look-up for a part instead of one for a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.counting import distinct_rows
from paretonym.cube.cube import Margin
from paretonym.cube.requests import Requests
from paretonym.cube.staircase import Stairs, stairs_space

Integers: TypeAlias = npt.NDArray[np.int64]
Small: TypeAlias = npt.NDArray[np.int32]
Unsigned: TypeAlias = npt.NDArray[np.uint32]
Floats: TypeAlias = npt.NDArray[np.float64]

# A part's columns can be recoded in at most so many ways, so that a small table tells them apart.
MOST_CODES = 1 << 16
# Classes are found by place in a table of this length where they fit, by hashing where they do not.
TABLE = 1 << 18
FACTS = 7


class Tuples(NamedTuple):
    """What stays the same over all genomes. Atoms of all axes are numbered behind one another.

    `costs[c, cost_starts[j] + first * (atoms of j + 1) + after]` is what a row costs in that group of axis j.
    `combinations` lists the atoms of each combination of a part, part after part; `parts[s, t]` is the
    combination of tuple t. `values` and `value_counts` hold the further columns' values of each tuple,
    sparsely.
    """

    atom_starts: Integers
    cost_starts: Integers
    costs: Floats
    atom_rows: Integers
    axes: Integers
    part_axes: Integers
    combinations: Unsigned
    combination_starts: Integers
    atom_places: Integers
    parts: Unsigned
    atoms: Small
    counts: Integers
    value_starts: Integers
    values: Small
    value_counts: Small
    rows: int


class Scratch(NamedTuple):
    """Memory of one thread. `dense`, `table` and `hashed` are filled with -1 between genomes."""

    group_of: Small
    unit: Floats
    groups: Integers
    weighted: npt.NDArray[np.uint32]
    codes: Integers
    slots: Integers
    dense: Small
    table: Small
    hashed: Small
    keys: Integers
    touched: Integers
    class_of: Small
    shown_by: Small
    histogram: Integers
    stays: npt.NDArray[np.bool_]
    held: Held
    stairs: Stairs
    totals: Floats


class Held(NamedTuple):
    """The classes of one genome, in the shape that the staircase of thresholds reads: one row."""

    counts: Integers
    costs: Floats
    cells: Small
    lengths: Integers


class Staircase(NamedTuple):
    """What the staircase needs to know of a layout, and where its memory is."""

    suppressible: int
    stairs: Stairs


@dataclass(frozen=True, eq=False)
class Batch:
    """Tuples laid out, with the statistics that are wanted of their further columns."""

    tuples: Tuples
    requests: Requests
    width: int

    def scratch(self, suppressible: int) -> Scratch:
        tuples, costs = self.tuples, len(self.tuples.costs)
        length, atoms = len(tuples.counts), len(tuples.atom_rows)
        slots = 1 << max(4, int(2 * length - 1).bit_length())
        return Scratch(
            group_of=np.zeros(atoms, dtype=np.int32),
            unit=np.zeros((costs, atoms)),
            groups=np.zeros(len(tuples.axes), dtype=np.int64),
            weighted=np.zeros(atoms, dtype=np.uint32),
            slots=np.zeros(length, dtype=np.int64),
            codes=np.zeros(int(tuples.combination_starts[-1]), dtype=np.int64),
            dense=np.full(MOST_CODES, -1, dtype=np.int32),
            table=np.full(TABLE, -1, dtype=np.int32),
            hashed=np.full(slots, -1, dtype=np.int32),
            keys=np.zeros(slots, dtype=np.int64),
            touched=np.zeros(max(length, MOST_CODES), dtype=np.int64),
            class_of=np.zeros(length, dtype=np.int32),
            shown_by=np.zeros(length, dtype=np.int32),
            histogram=np.zeros(suppressible + 2, dtype=np.int64),
            stays=np.zeros(length, dtype=np.bool_),
            held=Held(
                np.zeros((1, length), dtype=np.int64),
                np.zeros((1, costs, length)),
                np.zeros((1, length, self.width), dtype=np.int32),
                np.zeros(1, dtype=np.int64),
            ),
            stairs=stairs_space(length, len(self.requests.kinds), costs, max(self.width, 1)),
            totals=np.zeros(costs),
        )


def lay_out_batch(
    atoms: Sequence[npt.NDArray[np.integer]],
    sizes: Sequence[int],
    counts: Integers,
    costs: Sequence[Sequence[Floats]],
    margins: Sequence[Margin],
    requests: Requests,
) -> Batch:
    """`atoms[j][t]` is the atom of axis j in tuple t, `sizes[j]` how many there are; `costs[c][j]` holds what
    a row costs in each group of axis j, for every first atom and every last."""
    first, merged, _ = distinct_rows(list(atoms), list(sizes))
    rows = np.zeros(len(first), dtype=np.int64)
    np.add.at(rows, merged, counts)
    columns = [np.asarray(column)[first].astype(np.int32) for column in atoms]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    atom_rows = np.concatenate(
        [
            np.bincount(column, weights=rows, minlength=size)
            for column, size in zip(columns, sizes, strict=True)
        ]
    )
    lengths = [(size + 1) ** 2 for size in sizes]
    chosen = _parts(columns, sizes)
    combinations, combination_starts, places, parts = _combine(columns, starts, chosen)
    value_starts, values, value_counts = _values(margins, merged, len(first))
    tuples = Tuples(
        atom_starts=starts,
        cost_starts=np.concatenate([[0], np.cumsum(lengths)])[:-1].astype(np.int64),
        costs=np.array([np.concatenate([c.ravel() for c in cost]) for cost in costs]).reshape(len(costs), -1),
        atom_rows=np.rint(atom_rows).astype(np.int64),
        axes=np.array([j for part in chosen for j in part], dtype=np.int64),
        part_axes=np.concatenate([[0], np.cumsum([len(part) for part in chosen])]).astype(np.int64),
        combinations=combinations,
        combination_starts=combination_starts,
        atom_places=places,
        parts=parts,
        atoms=np.stack(
            [column + start for column, start in zip(columns, starts, strict=False)], axis=1
        ).astype(np.int32),
        counts=rows,
        value_starts=value_starts,
        values=values,
        value_counts=value_counts,
        rows=int(rows.sum()),
    )
    return Batch(tuples, requests, sum(len(margin.labels) for margin in margins))


def _parts(columns: list[Small], sizes: Sequence[int]) -> list[list[int]]:
    """Columns in parts, the largest first: a column joins the part where it makes the fewest combinations."""
    few = max(64, len(columns[0]) // 8)
    parts: list[list[int]] = []
    for j in sorted(range(len(columns)), key=lambda j: (-sizes[j], j)):
        best, fewest = None, few
        for place, part in enumerate(parts):
            ways = int(np.prod([sizes[i] for i in (*part, j)], dtype=object))
            if ways <= MOST_CODES:
                made = len(distinct_rows([columns[i] for i in (*part, j)], [sizes[i] for i in (*part, j)])[0])
                if made <= fewest:
                    best, fewest = place, made
        if best is None:
            parts.append([j])
        else:
            parts[best].append(j)
    return parts


def _combine(
    columns: list[Small], starts: Integers, chosen: list[list[int]]
) -> tuple[Unsigned, Integers, Integers, Unsigned]:
    listed, combination_starts, places, parts = [], [0], [0], []
    for part in chosen:
        sizes = [int(columns[j].max()) + 1 for j in part]
        first, which, _ = distinct_rows([columns[j] for j in part], sizes)
        listed.append(np.stack([columns[j][first] + starts[j] for j in part], axis=1).ravel())
        parts.append(which + combination_starts[-1])
        combination_starts.append(combination_starts[-1] + len(first))
        places.append(places[-1] + len(first) * len(part))
    return (
        np.concatenate(listed).astype(np.uint32),
        np.array(combination_starts, dtype=np.int64),
        np.array(places, dtype=np.int64),
        np.stack(parts).astype(np.uint32),
    )


def _values(margins: Sequence[Margin], merged: Integers, tuples: int) -> tuple[Integers, Small, Small]:
    """The values of all further columns, side by side, for each tuple."""
    nothing = np.empty(0, dtype=np.int64)
    if not margins:
        return np.zeros(tuples + 1, dtype=np.int64), nothing.astype(np.int32), nothing.astype(np.int32)
    before = np.cumsum([0, *(len(margin.labels) for margin in margins)])
    owners = np.concatenate([merged[margin.tuples] for margin in margins])
    values = np.concatenate([m.values + start for m, start in zip(margins, before, strict=False)])
    first, which, _ = distinct_rows([owners, values], [tuples, int(before[-1])])
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, which, np.concatenate([margin.counts for margin in margins]))
    starts = np.searchsorted(owners[first], np.arange(tuples + 1)).astype(np.int64)
    return starts, values[first].astype(np.int32), counts.astype(np.int32)
