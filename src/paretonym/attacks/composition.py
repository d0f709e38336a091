"""Composition: several releases of one table, attacked without the original.

A row of one file and a row of the other may belong to one person if they agree in every column that both show
unchanged, and if the sets that they show for every quasi-identifier overlap. A person whose quasi-identifiers
lie in a class of each file has rows that agree. If all classes of one file that overlap a class of the other
lie inside it, their rows can be subtracted: the rest belongs to people whom one file contains and the other
suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers, Mask
from paretonym.attacks.class_overlap import Overlap, overlap
from paretonym.attacks.findings import Attack, Disclosure, Matching, Rules
from paretonym.attacks.possible_worlds import numbered, paired
from paretonym.attacks.published_file import Published, same_rows
from paretonym.audits import SchemaLike
from paretonym.errors import Field, InputError


@dataclass(frozen=True, eq=False)
class Fit:
    """Rows of two files that agree: for each pair of classes, the rows of either tally, and their values in
    the columns of both."""

    between: Overlap
    pair: Integers
    first: Integers
    second: Integers


@dataclass(frozen=True)
class Learned:
    """Rows whose value of a sensitive column is known, or likely, by two files together."""

    column: str
    known: int
    likely: int


def attack_rows(
    releases: Sequence[Published], alone: Sequence[Attack], schema: SchemaLike | None, rules: Rules
) -> Attack:
    """What pairs of files disclose together, in addition to what each discloses alone."""
    if schema is None:
        raise InputError.of(
            Field("schema"),
            "the schema says which labels of two releases overlap",
            f"give {Field('schema', 'SCHEMA')}, or attack each release separately",
        )
    if bucketed := [release for release in releases if release.description.bucket is not None]:
        raise InputError.of(
            bucketed[0].place,
            "a release in buckets can be attacked together with one of another kind only if the "
            "original is given",
            f"give {Field('original', 'DATA')}, or attack each release separately",
        )
    found = [match(one, other, schema, rules) for one, other in combinations(releases, 2)]
    matchings = tuple(matching for matching, _ in found)
    learned = [each for _, several in found for each in several]
    narrowed = max(max(m.narrowed) for m in matchings)
    most = max(alone, key=lambda one: one.people)
    open_rows = 0 if _is_settled(matchings) else most.people
    return replace(
        most,
        files=tuple(name for one in alone for name in one.files),
        everywhere=0,
        reidentified=max(narrowed, *(one.reidentified for one in alone)),
        smallest=min(one.smallest for one in alone),
        at_least=min(one.at_least for one in alone),
        shared=0,
        undecided=max(open_rows, *(one.undecided for one in alone)),
        disclosures=tuple(_together(name, alone, learned, open_rows) for name in _columns(alone)),
        matchings=matchings,
    )


def _is_settled(matchings: Sequence[Matching]) -> bool:
    """Whether everything that can be subtracted was, as for two files whose classes are nested. The
    difference of more files, or of classes that overlap crosswise, is not searched for here."""
    different = [matching for matching in matchings if not matching.same]
    return len(different) < 2 and all(matching.nested for matching in different)


def _columns(alone: Sequence[Attack]) -> list[str]:
    return list(dict.fromkeys(each.column for one in alone for each in one.disclosures))


def _together(name: str, alone: Sequence[Attack], learned: Sequence[Learned], open_rows: int) -> Disclosure:
    """The most that any file or pair of files discloses; all together may disclose more about this many
    rows."""
    own = [each for one in alone for each in one.disclosures if each.column == name]
    pairs = [each for each in learned if each.column == name]
    known = max(each.known for each in own)
    return replace(
        own[0],
        known=max([known, *(each.known for each in pairs)]),
        likely=max([*(each.likely for each in own), *(each.likely for each in pairs)]),
        pinned=max([0, *(each.known - known for each in pairs)]),
        undecided=max(open_rows, *(each.undecided for each in own)),
        gain=max(each.gain or 0.0 for each in own),
        surest=1.0 if any(each.known for each in pairs) else max(each.surest for each in own),
    )


def match(
    first: Published, second: Published, schema: SchemaLike, rules: Rules
) -> tuple[Matching, list[Learned]]:
    """Match the rows of two releases."""
    files = first.place, second.place
    sizes = int(first.sizes.sum()), int(second.sizes.sum())
    if same_rows(first, second):
        # A copy of the same file discloses nothing, however few rows fit a row of the other copy.
        return Matching(files, sizes, (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (), same=True), []
    between = overlap(first, second, schema)
    fit = _fit(first, second, between)
    sides = (_Side(first, fit.first, fit.second, second), _Side(second, fit.second, fit.first, first))
    single, alone, smallest = zip(*(side.fitting() for side in sides), strict=True)
    left = np.minimum(*(side.left(fit) for side in sides))
    below = [side.rows_where(left < rules.rows, fit) for side in sides]
    subtracted = [
        subtract(first, second, between.first, between.second, between.second_inside),
        subtract(second, first, between.second, between.first, between.first_inside),
    ]
    odd = [rest.rows_of_fewer_than(rules.rows) for rest in subtracted]
    matching = Matching(
        files,
        sizes,
        single,
        alone,
        smallest,
        (below[0] + odd[0], below[1] + odd[1]),
        (int(subtracted[0].n.sum()), int(subtracted[1].n.sum())),
        between.not_compared,
        nested=not between.not_compared and bool((between.first_inside | between.second_inside).all()),
    )
    return matching, [
        _learned(name, sides, fit, subtracted, rules) for name in _shared_secrets(first, second)
    ]


def _shared_secrets(first: Published, second: Published) -> list[str]:
    return [name for name in first.description.named("sensitive") if name in second.description.kept]


def _fit(first: Published, second: Published, between: Overlap) -> Fit:
    """Every pair of overlapping classes with the rows of both that agree."""
    one, other = first.tallies[0], second.tallies[0]
    shared = [name for name in one.columns if name in other.columns]
    left, right = numbered(np.column_stack([between.first]), np.column_stack([one.group]))
    pair, row = paired(left, right)
    own = one.cells[row][:, [one.columns.index(name) for name in shared]]
    their = other.cells[:, [other.columns.index(name) for name in shared]]
    left, right = numbered(
        np.column_stack([between.second[pair], own]), np.column_stack([other.group, their])
    )
    which, partner = paired(left, right)
    return Fit(between, pair[which], row[which], partner)


@dataclass(frozen=True, eq=False)
class _Side:
    """One of two files: its rows that agree with rows of the other, by place in their tallies."""

    release: Published
    own: Integers
    other: Integers
    partner: Published

    @property
    def n(self) -> Integers:
        return self.release.tallies[0].n

    def fitting(self) -> tuple[int, int, int]:
        """Rows that fit one row of the other file, rows that fit none, and the least number that fits."""
        fits = np.bincount(self.own, self.partner.tallies[0].n[self.other], len(self.n)).astype(np.int64)
        with_partner = fits[fits > 0]
        least = int(with_partner.min()) if len(with_partner) else 0
        return int(self.n[fits == 1].sum()), int(self.n[fits == 0].sum()), least

    def left(self, fit: Fit) -> Integers:
        """For each pair of classes, how many rows of this file agree with a row of the other."""
        pairs = np.unique(np.column_stack([fit.pair, self.own]), axis=0)
        return np.bincount(pairs[:, 0], self.n[pairs[:, 1]], len(fit.between.first)).astype(np.int64)

    def rows_where(self, pairs: Mask, fit: Fit) -> int:
        """Rows whose possible pairs of classes are all among the given ones."""
        every = np.bincount(self.own, minlength=len(self.n))
        good = np.bincount(self.own[pairs[fit.pair]], minlength=len(self.n))
        return int(self.n[(every > 0) & (good == every)].sum())


@dataclass(frozen=True, eq=False)
class Remainder:
    """What remains of classes after subtracting the rows of others inside them: `n` rows of a group with the
    values `cells` in the columns that both show."""

    columns: tuple[str, ...]
    group: Integers
    cells: Integers
    n: Integers

    def rows_of_fewer_than(self, number: int) -> int:
        total = np.bincount(self.group, self.n)
        return int(total[(total > 0) & (total < number)].sum())

    def shares(self, column: str, measured: int) -> tuple[Integers, npt.NDArray[np.float64]]:
        """The rows of every group, and the share of the most frequent value in it."""
        if not len(self.n):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        value = self.cells[:, self.columns.index(column)]
        cells = np.zeros((int(self.group.max()) + 1, measured))
        np.add.at(cells, (self.group, value), self.n)
        total = cells.sum(axis=1)
        return total.astype(np.int64), cells.max(axis=1) / np.maximum(total, 1)


def subtract(
    whole: Published, part: Published, whole_class: Integers, part_class: Integers, inside: Mask
) -> Remainder:
    """The rows of classes of `whole` that no class of `part` can have, where every class of `part` that
    overlaps such a class lies inside it."""
    one, other = whole.tallies[0], part.tallies[0]
    columns = tuple(name for name in one.columns if name in other.columns)
    number = len(whole.classes)
    cut = np.bincount(whole_class[~inside], minlength=number) > 0
    met = np.bincount(whole_class, minlength=number) > 0
    of_part = np.full(len(part.classes), -1, dtype=np.int64)
    of_part[part_class[inside]] = whole_class[inside]
    own = one.cells[:, [one.columns.index(name) for name in columns]]
    their = other.cells[:, [other.columns.index(name) for name in columns]]
    group = of_part[other.group]
    here = group >= 0
    keys = np.concatenate([np.column_stack([one.group, own]), np.column_stack([group[here], their[here]])])
    rows, which = np.unique(keys, axis=0, return_inverse=True)
    n = np.bincount(which.reshape(-1), np.concatenate([one.n, -other.n[here]]), len(rows)).astype(np.int64)
    wrong = np.bincount(rows[:, 0][n < 0], minlength=number) > 0
    good = (met & ~cut & ~wrong)[rows[:, 0]] & (n > 0)
    return Remainder(columns, rows[good, 0], rows[good, 1:], n[good])


def _learned(
    name: str, sides: tuple[_Side, _Side], fit: Fit, subtracted: Sequence[Remainder], rules: Rules
) -> Learned:
    """Rows whose value is known by both files together: by matching, or by subtracting."""
    first = sides[0].release.tallies[0]
    value = first.cells[fit.first, first.columns.index(name)]
    width = int(value.max(initial=0)) + 1
    weight = np.minimum(first.n[fit.first], sides[1].n[fit.second])
    key, which = np.unique(fit.pair * width + value, return_inverse=True)
    cells, pair = np.bincount(which, weight, len(key)), key // width
    total = np.bincount(pair, cells, len(fit.between.first))
    share = np.zeros(len(total))
    np.maximum.at(share, pair, cells / np.maximum(total[pair], 1))
    known = max(side.rows_where(share == 1, fit) for side in sides)
    sure = max(side.rows_where(share > rules.certain, fit) for side in sides)
    for rest in subtracted:
        rows, most = rest.shares(name, int(max(rest.cells.max(initial=0), 0)) + 1)
        known += int(rows[most == 1].sum())
        sure += int(rows[(most == 1) | (most > rules.certain)].sum())
    return Learned(name, known, max(sure - known, 0))
