"""Split the rows recursively, as long as every piece meets the requirements: the readable twin of
`mondrian.c`, function by function."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from paretonym.engine.counts import Link


def partition(splits: Any, asked: Any, own: Any, waiting: int, k: Any) -> int:
    """Split until nothing can be split. `own.of_tuple` gets the part of each tuple, `own.low` and `own.high`
    the boundaries of each part from and up to. Returns how many parts there are.

    Waiting parts are at the end of `low` and `high`, the next one first: there are never more parts, finished
    and waiting, than tuples. The initial parts are already there, from `waiting` on: part i holds the tuples
    `order[starts[i] : stops[i]]`.
    """
    groups, counts, order, low, high = own.groups, own.counts, own.order, own.low, own.high
    parts = 0
    while waiting < len(counts):
        start, stop = own.starts[waiting], own.stops[waiting]
        axis, pieces = split(groups, counts, splits, asked, k, own, order, start, stop)
        if pieces == 0:
            low[parts] = low[waiting]
            high[parts] = high[waiting]
            own.of_tuple[order[start:stop]] = parts
            parts += 1
            waiting += 1
            continue
        regroup(order, start, stop, pieces, own)
        own_low, own_high = low[waiting].copy(), high[waiting].copy()
        waiting += 1
        for piece in range(pieces - 1, -1, -1):
            if own.ends[piece] < own.ends[piece + 1]:
                waiting -= 1
                own.starts[waiting], own.stops[waiting] = own.ends[piece], own.ends[piece + 1]
                low[waiting] = own_low
                high[waiting] = own_high
                low[waiting, axis] = max(own_low[axis], own.piece_low[piece])
                high[waiting, axis] = min(own_high[axis], own.piece_high[piece])
    return parts


def split(groups, counts, splits, asked, k, space, order, start, stop):
    """The first axis, widest span first, along which a part can be split, and into how many pieces; 0 pieces
    if there is none. The piece of every tuple is left in `space`."""
    axes = groups.shape[1]
    for j in range(axes):
        measure_span(groups, counts, splits, space, order, start, stop, j)
    for _ in range(axes):
        widest = 0
        for j in range(1, axes):
            if space.spans[j] > space.spans[widest]:
                widest = j
        if space.spans[widest] < 0.0:
            break
        space.spans[widest] = -1.0
        pieces = cut(groups, counts, splits, asked, k, space, order, start, stop, widest)
        if pieces > 0:
            return widest, pieces
    return 0, 0


def occurring(groups, counts, space, order, start, stop, j):
    """Count the rows of each unit; the first and the last unit that occur."""
    first, last = groups[order[start], j], groups[order[start], j]
    for i in range(start, stop):
        unit = groups[order[i], j]
        first, last = min(first, unit), max(last, unit)
    space.unit_rows[first : last + 1] = 0
    for i in range(start, stop):
        space.unit_rows[groups[order[i], j]] += counts[order[i]]
    return first, last


def measure_span(groups, counts, splits, space, order, start, stop, j):
    """How much of its domain a part spans on axis j; below 0 if it cannot be split there."""
    first, last = groups[order[start], j], groups[order[start], j]
    for i in range(start, stop):
        unit = groups[order[i], j]
        first, last = min(first, unit), max(last, unit)
    space.spans[j] = -1.0
    if first == last:
        return
    node = holding(splits, j, first, last)
    space.nodes[j] = node
    before = splits.leaves_before[j]
    if splits.line[node]:
        size = before[last + 1] - before[first]
    else:
        size = before[splits.after[node]] - before[splits.first[node]]
    space.spans[j] = max(size - 1, 0) / max(splits.domains[j] - 1, 1)


def holding(splits, j, first, last):
    """The smallest node of axis j that holds both units."""
    node = splits.roots[j]
    found = True
    while found:
        found = False
        for child in range(splits.child[node], splits.child_after[node]):
            if splits.first[child] <= first and last < splits.after[child]:
                node, found = child, True
                break
    return node


def cut(groups, counts, splits, asked, k, space, order, start, stop, j):
    """Cut a part along one axis if every piece meets the requirements; return the number of pieces, 0 if it
    was not cut."""
    first, last = occurring(groups, counts, space, order, start, stop, j)
    node = space.nodes[j]
    if splits.line[node]:
        pieces = 2
        middle = median(splits, k, space, j, first, last)
        if middle < 0:
            return 0
        halves(splits, space, node, first, last, middle)
    else:
        pieces = children(splits, space, node)
    space.piece_rows[:pieces] = 0
    for i in range(start, stop):
        space.piece[i] = space.unit_piece[groups[order[i], j]]
        space.piece_rows[space.piece[i]] += counts[order[i]]
    return pieces if all_meet(counts, asked, space, order, start, stop, pieces) else 0


def children(splits, space, node):
    """One piece for each child."""
    pieces = 0
    for child in range(splits.child[node], splits.child_after[node]):
        space.unit_piece[splits.first[child] : splits.after[child]] = pieces
        space.piece_low[pieces] = 4 * splits.first[child]
        space.piece_high[pieces] = 4 * splits.after[child]
        pieces += 1
    return pieces


def halves(splits, space, node, first, last, middle):
    """Two pieces, on both sides of a boundary."""
    space.unit_piece[first : middle // 4] = 0
    space.unit_piece[middle // 4 : last + 1] = 1
    space.piece_low[0], space.piece_high[1] = 4 * splits.first[node], 4 * splits.after[node]
    space.piece_high[0] = space.piece_low[1] = middle


def shown_cut(splits, j, before, behind, k):
    """The boundary between two units, 4 · gap + what it is: an edge (0), the roundest point (1), the value
    behind the cut (2), the next one after the value before it (3). -1 if it cannot be shown."""
    gaps = range(before + 1, behind + 1)
    edges = [(splits.edge_ranks[j, gap], gap) for gap in gaps if splits.edge_ranks[j, gap] >= 0]
    if edges:
        return 4 * max(edges)[1]
    sizes = splits.sizes[j, before], splits.sizes[j, behind]
    followed = splits.whole[j] and splits.followed[j, before]
    if sizes[1] < k[0] and not (sizes[0] >= k[0] and followed):
        return -1
    if min(sizes) >= k[1]:
        return 4 * max((splits.round_ranks[j, gap], gap) for gap in gaps)[1] + 1
    return 4 * behind + 2 if sizes[1] >= k[1] else 4 * (before + 1) + 3


def median(splits, k, space, j, first, last):
    """The boundary that makes both halves as equal as possible (the lower of two equal ones), none empty;
    with binary splits the first behind the median row. -1 if no cut can be shown."""
    units = [unit for unit in range(first, last + 1) if space.unit_rows[unit]]
    total, done, middle = sum(space.unit_rows[unit] for unit in units), 0, -1
    best = total
    for before, behind in pairwise(units):
        done += space.unit_rows[before]
        place = shown_cut(splits, j, before, behind, k)
        if splits.binary:
            if place >= 0 and 2 * done >= total:
                return place
        elif place >= 0 and abs(2 * done - total) < best:
            best, middle = abs(2 * done - total), place
    return middle


def all_meet(counts, asked, space, order, start, stop, pieces):
    """Whether every piece with rows meets the requirements, counted in persons if these are known."""
    if asked.members is not None:
        return all_persons_meet(asked, space, order, start, stop, pieces)
    return all_rows_meet(asked, space, order, start, stop, pieces)


def all_rows_meet(asked, space, order, start, stop, pieces):
    """Whether every piece with rows meets the requirements."""
    sizes_only = True
    for i in range(len(asked.which)):
        if asked.which[i] < 0:
            for piece in range(pieces):
                if 0 < space.piece_rows[piece] < asked.bounds[i]:
                    return False
        else:
            sizes_only = False
    if sizes_only:
        return True
    cells = np.zeros((pieces, asked.width), dtype=np.int64)
    for i in range(start, stop):
        piece, row = space.piece[i], order[i]
        for place in range(asked.begins[row], asked.begins[row + 1]):
            cells[piece, asked.values[place]] += asked.counts[place]
    for piece in range(pieces):
        if space.piece_rows[piece] > 0 and not met(asked, cells[piece], space.piece_rows[piece]):
            return False
    return True


def all_persons_meet(asked, space, order, start, stop, pieces):
    """Whether every piece meets the requirements, counted in persons: one may have rows in several pieces."""
    for piece in range(pieces):
        tuples = [order[i] for i in range(start, stop) if space.piece[i] == piece]
        if not tuples:
            continue
        cells = np.zeros(asked.width, dtype=np.int64)
        seen = set()
        for row in tuples:
            for place in range(asked.begins[row], asked.begins[row + 1]):
                if asked.members.holders[place] not in seen:
                    seen.add(asked.members.holders[place])
                    cells[asked.values[place]] += 1
        if not met(asked, cells, len(persons_of(asked.members, tuples))):
            return False
    return True


def persons_of(members, tuples):
    """The different persons who have some tuples."""
    return {who for row in tuples for who in members.ids[members.begins[row] : members.begins[row + 1]]}


def regroup(order, start, stop, pieces, space):
    """Put the tuples of each piece together, in their order; `ends` says where each piece begins."""
    ends = space.ends
    ends[: pieces + 1] = 0
    for i in range(start, stop):
        ends[space.piece[i] + 1] += 1
    ends[0] = start
    for piece in range(pieces):
        ends[piece + 1] += ends[piece]
    for i in range(start, stop):
        space.sorted[ends[space.piece[i]]] = order[i]
        ends[space.piece[i]] += 1
    for piece in range(pieces, 0, -1):
        ends[piece] = ends[piece - 1]
    ends[0] = start
    for i in range(start, stop):
        order[i] = space.sorted[i]


def met(asked, cells, size):
    """Whether a part of this size with these counts of values meets the requirement."""
    for which, link, at_least, bound in zip(
        asked.which.tolist(), asked.links.tolist(), asked.at_least, asked.bounds, strict=True
    ):
        value = (
            float(size) if which < 0 else value_of(asked, asked.statistics[which], Link(link), cells, size)
        )
        if not (value >= bound if at_least else value <= bound):
            return False
    return True


def value_of(asked, statistic, link, cells, size):
    place = [margin.name for margin in asked.margins].index(statistic.column)
    margin, counts = asked.margins[place], cells[asked.starts[place] : asked.starts[place + 1]]
    sizes = None if margin.holders is None else np.array([size])
    return float(link.of(statistic.of_classes(margin, counts[None, :], margin.shares, sizes))[0])
