"""Split the rows recursively so that little detail is lost: the readable twin of `improved_partition.c`,
function by function."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tests.naive import partition as plain

# How the split of a part is chosen when one is tried out: the most gain, or the most of a gain that is
# multiplied by a drawn number.
GAIN, DRAWN = RULES = (0, 1)
MASK = (1 << 64) - 1
ENDLESS = (1 << 63) - 1


class Cut(NamedTuple):
    """A split of a part along an axis: at the boundary `middle`, or, where that is -1, into the children of a
    node; and by how much the rows of the part then lose less."""

    axis: int
    middle: int
    node: int
    gain: int


class Part(NamedTuple):
    """The tuples of a part, by their places in `order`, the units that it holds, and a rule."""

    start: int
    stop: int
    low: tuple[int, ...]
    high: tuple[int, ...]
    rule: int = GAIN

    def piece(self, axis: int, low: int, high: int, ends: tuple[int, int]) -> Part:
        return self._replace(
            start=ends[0],
            stop=ends[1],
            low=(*self.low[:axis], low, *self.low[axis + 1 :]),
            high=(*self.high[:axis], high, *self.high[axis + 1 :]),
            rule=GAIN,
        )


class Question:
    """Everything that a part is split with; `least` rows, or persons, are required of every part, and no more
    than that if `sizes_only`."""

    def __init__(self, splits: Any, asked: Any, own: Any, more: Any, k: Any) -> None:
        self.splits, self.asked, self.own, self.more, self.k = splits, asked, own, more, k
        sizes = [bound for which, bound in zip(asked.which, asked.bounds, strict=True) if which < 0]
        self.least = max([1, *(math.ceil(bound) for bound in sizes)])
        self.sizes_only = len(sizes) == len(asked.which)

    def size_of(self, j: int, low: int, high: int) -> int:
        """The number of values in a set; a value outside the hierarchy is shown as everything."""
        before = self.splits.leaves_before[j]
        size = int(before[high // 4] - before[low // 4])
        return size if size > 0 else int(self.splits.domains[j])

    def price(self, j: int) -> int:
        return int(self.more.prices[j])

    def cost_of_row(self, part: Part) -> int:
        """What a row of a part loses."""
        ends = enumerate(zip(part.low, part.high, strict=True))
        return sum(self.price(j) * (self.size_of(j, low, high) - 1) for j, (low, high) in ends)

    def rows_of(self, part: Part) -> int:
        return int(self.own.counts[self.own.order[part.start : part.stop]].sum())

    def tally(self, part: Part, j: int) -> tuple[list[int], list[int]]:
        """The units that occur in a part, ascending, and the rows of each."""
        tuples = self.own.order[part.start : part.stop]
        units, place = np.unique(self.own.groups[tuples, j], return_inverse=True)
        rows = np.zeros(len(units), dtype=np.int64)
        np.add.at(rows, place.reshape(-1), self.own.counts[tuples])
        return units.tolist(), rows.tolist()

    def gain_of_children(
        self, node: int, units: list[int], rows: list[int], j: int, low: int, high: int
    ) -> int:
        """By how much a part loses less once a node of a tree falls into its children; -1 if a child is too
        small."""
        splits, whole, gain = self.splits, self.size_of(j, low, high), 0
        for child in range(splits.child[node], splits.child_after[node]):
            first, after = int(splits.first[child]), int(splits.after[child])
            inside = sum(n for unit, n in zip(units, rows, strict=True) if first <= unit < after)
            if 0 < inside < self.least:
                return -1
            if inside:
                gain += inside * (whole - self.size_of(j, max(low, 4 * first), min(high, 4 * after)))
        return gain * self.price(j)

    def tally_persons(self, part: Part, j: int, units: list[int]) -> tuple[list[int], list[int]]:
        """Of each unit that occurs, how many persons have it as their first, and how many as their last: a
        cut has those below it who begin below, and those above it who do not end below."""
        members, own = self.asked.members, self.own
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for row in own.order[part.start : part.stop]:
            unit = int(own.groups[row, j])
            for who in members.ids[members.begins[row] : members.begins[row + 1]].tolist():
                first[who], last[who] = min(first.get(who, unit), unit), max(last.get(who, unit), unit)
        arriving, leaving = list(first.values()), list(last.values())
        return [arriving.count(unit) for unit in units], [leaving.count(unit) for unit in units]

    def cuts_of_line(
        self,
        node: int,
        units: list[int],
        rows: list[int],
        j: int,
        low: int,
        high: int,
        persons: tuple[list[int], list[int]] | None = None,
    ) -> list[Cut]:
        """Cuts of a part on a line: the one with the most gain, the one nearest to the median, the middle one
        of all that leave enough rows, or persons, on both sides."""
        start, end = max(low, 4 * int(self.splits.first[node])), min(high, 4 * int(self.splits.after[node]))
        whole, below, total = self.size_of(j, low, high), 0, sum(rows)
        found: list[Cut] = []
        nearest: list[int] = []

        def gain(middle: int) -> int:
            less = below * (whole - self.size_of(j, start, middle))
            return self.price(j) * (less + (total - below) * (whole - self.size_of(j, middle, end)))

        for i in range(len(units) - 1):
            below += rows[i]
            if persons is not None and not self.enough(persons, i):
                continue
            middle = int(plain.shown_cut(self.splits, j, units[i], units[i + 1], self.k))
            if min(below, total - below) < self.least or middle < 0:
                continue
            found.append(Cut(j, middle, node, gain(middle)))
            nearest.append(abs(total - 2 * below))
        if not found:
            return []
        best, median = max(found, key=lambda each: each.gain), found[nearest.index(min(nearest))]
        return list({each.middle: each for each in (best, median, found[len(found) // 2])}.values())

    def enough(self, persons: tuple[list[int], list[int]], place: int) -> bool:
        """Whether there are enough persons on both sides of a cut behind the unit at a place."""
        arriving, leaving = persons
        return bool(min(sum(arriving[: place + 1]), sum(leaving[place + 1 :])) >= self.least)

    def divide(self, cut: Cut, part: Part) -> int:
        """Put every tuple of a part into its piece; return the number of pieces."""
        own, splits, j = self.own, self.splits, cut.axis
        pieces = plain.children(splits, own, cut.node) if cut.middle < 0 else 2
        if cut.middle >= 0:
            own.piece_low[0], own.piece_high[1] = 4 * splits.first[cut.node], 4 * splits.after[cut.node]
            own.piece_high[0] = own.piece_low[1] = cut.middle
        own.piece_low[:pieces] = np.maximum(own.piece_low[:pieces], part.low[j])
        own.piece_high[:pieces] = np.minimum(own.piece_high[:pieces], part.high[j])
        tuples = own.order[part.start : part.stop]
        units = own.groups[tuples, j]
        piece = own.unit_piece[units] if cut.middle < 0 else units >= cut.middle // 4
        own.piece[part.start : part.stop] = piece
        own.piece_rows[:pieces] = 0
        np.add.at(own.piece_rows, own.piece[part.start : part.stop], own.counts[tuples])
        return pieces

    def pieces(self, cut: Cut, part: Part) -> list[Part | None]:
        """The pieces of a part, None for those without tuples, put together in `order`."""
        own, count = self.own, self.divide(cut, part)
        plain.regroup(own.order, part.start, part.stop, count, own)
        return [
            part.piece(cut.axis, int(own.piece_low[i]), int(own.piece_high[i]), (start, stop))
            if start < stop
            else None
            for i, (start, stop) in enumerate(
                zip(own.ends[:count].tolist(), own.ends[1:].tolist(), strict=False)
            )
        ]

    def cuts_of(self, part: Part, j: int) -> list[Cut]:
        """Splits of a part on one axis after which every piece meets the requirements, the one with the most
        gain first."""
        units, rows = self.tally(part, j)
        if len(units) < 2:
            return []
        node = int(plain.holding(self.splits, j, units[0], units[-1]))
        whose = self.asked.members
        if self.splits.line[node]:
            persons = None if whose is None else self.tally_persons(part, j, units)
            found = self.cuts_of_line(node, units, rows, j, part.low[j], part.high[j], persons)
        else:
            gain = self.gain_of_children(node, units, rows, j, part.low[j], part.high[j])
            has_children = self.splits.child[node] < self.splits.child_after[node]
            found = [Cut(j, -1, node, gain)] if gain >= 0 and has_children else []
        if self.sizes_only and (whose is None or self.splits.line[node]):
            return found
        return [cut for cut in found if self.all_meet(cut, part)]

    def all_meet(self, cut: Cut, part: Part) -> bool:
        own, pieces = self.own, self.divide(cut, part)
        return bool(plain.all_meet(own.counts, self.asked, own, own.order, part.start, part.stop, pieces))

    def drawn(self, part: Part, axis: int) -> int:
        """A number from 2,048 to 6,143, the same for the same part, axis and seed."""
        mixed = int(self.more.seed)
        for word in (part.start, part.stop, axis):
            mixed = ((mixed ^ word) * 0x9E3779B97F4A7C15) & MASK
            mixed ^= mixed >> 32
        return 2048 + (mixed & 4095)

    def is_last(self, part: Part) -> bool:
        """Whether a part can be split once only: its pieces are too small. Then the most gain is best."""
        return bool(self.rows_of(part) < 3 * self.least)

    def choose(self, rule: int, part: Part) -> Cut | None:
        """The split that a rule chooses for a part."""
        most, chosen = -1, None
        if self.rows_of(part) < 2 * self.least:
            return None
        rule = GAIN if self.is_last(part) else rule
        for j in range(self.own.axes):
            if found := self.cuts_of(part, j):
                value = found[0].gain * (self.drawn(part, j) if rule == DRAWN else 1)
                if value > most:
                    most, chosen = value, found[0]
        return chosen

    def tried_out(self, rule: int, part: Part, bound: int) -> int:
        """What the rows of a part lose if it is split by a rule until nothing can be split; `bound` if that
        is no less."""
        waiting, cost = [part], 0
        while waiting:
            here = waiting.pop()
            chosen = self.choose(rule, here)
            if chosen is None:
                cost += self.rows_of(here) * self.cost_of_row(here)
                if cost >= bound:
                    return bound
                continue
            waiting += [piece for piece in self.pieces(chosen, here) if piece is not None]
        return cost

    def tried_split(self, cut: Cut, part: Part, bound: int) -> tuple[int, list[int]]:
        """What the pieces of a split lose once they are split further, each by the better rule, and these
        rules; `bound` or more if that is no less."""
        total, rules = 0, []
        for piece in self.pieces(cut, part):
            if total >= bound:
                break
            rules.append(GAIN)
            if piece is None:
                continue
            least = bound - total
            for rule in RULES[:1] if self.is_last(piece) else RULES:
                cost = self.tried_out(rule, piece, least)
                if cost < least:
                    least, rules[-1] = cost, rule
            total += least
        return total, rules

    def best_split(self, own_split: Cut, part: Part) -> tuple[Cut, list[int]]:
        """The split of a part after which its rows lose least, all of them tried out, and the rules of its
        pieces. A part of more than `most` tuples, or that can be split only once, is split by its rule."""
        if part.stop - part.start > self.more.most or self.is_last(part):
            return own_split, [GAIN] * int(self.own.pieces)
        best, (least, rules) = own_split, self.tried_split(own_split, part, ENDLESS)
        for j in range(self.own.axes):
            for cut in self.cuts_of(part, j):
                if (j, cut.middle) == (own_split.axis, own_split.middle):
                    continue
                cost, own_rules = self.tried_split(cut, part, least)
                if cost < least:
                    best, least, rules = cut, cost, own_rules
        return best, rules


def improved_partition(splits: Any, asked: Any, own: Any, more: Any, waiting: int, k: Any) -> int:
    """Split until nothing can be split. As `partition`, with the initial parts at the end of `low` and
    `high`."""
    question, parts = Question(splits, asked, own, more, k), 0
    todo = [
        Part(int(start), int(stop), tuple(low.tolist()), tuple(high.tolist()))
        for start, stop, low, high in zip(
            own.starts[waiting:], own.stops[waiting:], own.low[waiting:], own.high[waiting:], strict=True
        )
    ][::-1]
    while todo:
        part = todo.pop()
        chosen = question.choose(part.rule, part)
        if chosen is None:
            own.low[parts], own.high[parts] = part.low, part.high
            own.of_tuple[own.order[part.start : part.stop]] = parts
            parts += 1
            continue
        best, rules = question.best_split(chosen, part)
        pieces = zip(question.pieces(best, part), rules, strict=False)
        todo += [piece._replace(rule=rule) for piece, rule in pieces if piece is not None][::-1]
    return parts
