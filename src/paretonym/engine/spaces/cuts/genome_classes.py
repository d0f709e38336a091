"""The classes of a genome, which of them stay in each of its candidates, and what these show: groups are
made by values, then classes stay or go, then what stays decides the labels.

Groups between two cuts in which nothing stays join others, and every cut that is left is shown where the
boundary rule puts it (`recoding.boundaries`); groups of names are shown as if values that go did not exist.
Persons are counted here, one genome after the other: they may be in several classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers, Mask
from paretonym.base.factorize import distinct_rows, group_sums
from paretonym.engine.counts import Cube
from paretonym.engine.measures import Realized
from paretonym.engine.recoding import Atoms, Classes, run_labels
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.tables.schema.hierarchies import TOP_LABEL


@dataclass(frozen=True, eq=False)
class ShownGroups:
    """The groups of atoms that one column shows, from `first` up to but excluding `after`, with the points at
    which each begins and ends on a line (None: it is open). `of_made` is the group shown in place of each one
    made; `hidden` are the gaps (gap i lies behind atom i) with cuts that cannot be shown."""

    first: Integers
    after: Integers
    ends: tuple[tuple[int | None, int | None], ...]
    of_made: Integers
    hidden: Mask
    whole: bool = False

    @classmethod
    def of(cls, column: Atoms, starts: Integers, staying: Integers, k: int) -> ShownGroups:
        """`starts` are the first atoms of the groups made, `staying` counts the rows (persons) of each atom
        that stay."""
        made = np.searchsorted(starts, np.arange(len(column)), side="right") - 1
        if column.gaps.numeric:
            return _Walk(column, staying, k).along(made)
        return cls._of_names(column, made, staying)

    @classmethod
    def _of_names(cls, column: Atoms, made: Integers, staying: Integers) -> ShownGroups:
        """The groups of a column of names, as if only the values existed that stay or that the schema lists:
        who sees a name does not learn from it that others were left out."""
        present = np.flatnonzero((staying > 0) | column.listed)
        runs: list[tuple[int, int]] = []
        shown_as = np.full(int(made[-1]) + 1, -1, dtype=np.int64)
        begins = np.flatnonzero(np.diff(made[present], prepend=-1)).tolist()
        for begin, end in pairwise([*begins, len(present)]):
            atoms = present[begin:end]
            if staying[atoms].any():
                before = int(present[begin - 1]) if begin else -1
                behind = int(present[end]) if end < len(present) else len(column)
                shown_as[made[atoms[0]]] = len(runs)
                runs.append(column.named_run(int(atoms[0]), int(atoms[-1]), before, behind))
        firsts, afters = np.array(runs, dtype=np.int64).T
        places = np.maximum.accumulate(np.maximum(shown_as, 0))
        nowhere = np.zeros(len(column) - 1, dtype=np.bool_)
        return cls(firsts, afters, ((None, None),) * len(runs), places, nowhere)

    def labels(self, column: Atoms) -> tuple[str, ...]:
        axis = column.axis
        if axis.cutting.line is None:
            return run_labels(axis, self.first, self.after)
        # Also the only value that occurs: whether there are others, which go, is not told.
        return column.gaps.labels(self.first, self.after, self.ends, self.whole, TOP_LABEL)


class _Walk:
    """Goes along the atoms of a line that stay, and ends a group where the next one begins."""

    def __init__(self, column: Atoms, staying: Integers, k: int) -> None:
        self.gaps, self.staying, self.k = column.gaps, staying, k
        self.atoms, self.line = len(column), column.gaps.length
        self.there = np.flatnonzero(staying)
        on_line = self.there[self.there < self.line]
        self.whole = bool(column.gaps.whole[on_line].all())
        self.groups: list[tuple[int, int, int | None, int | None]] = []
        self.hidden = np.zeros(self.atoms - 1, dtype=np.bool_)

    def along(self, made: Integers) -> ShownGroups:
        first, low = 0, None
        shown_as = np.full(int(made[-1]) + 1, -1, dtype=np.int64)
        last = int(self.there[0])
        shown_as[made[last]] = 0
        for atom in self.there[1:].tolist():
            if made[atom] != made[last]:
                cut, point = self._cut(last, atom)
                self.groups.append((first, cut, low, point))
                first, low = (cut, point) if atom < self.line else (atom, None)
                shown_as[made[atom]] = len(self.groups)
            last = atom
        end = self.atoms if first == 0 else self.line
        self.groups.append((first, last + 1 if first >= self.line else end, low, None))
        columns = list(zip(*self.groups, strict=True))
        return ShownGroups(
            np.array(columns[0], dtype=np.int64),
            np.array(columns[1], dtype=np.int64),
            tuple((group[2], group[3]) for group in self.groups),
            np.maximum.accumulate(np.maximum(shown_as, 0)),
            self.hidden,
            self.whole,
        )

    def _cut(self, last: int, atom: int) -> tuple[int, int | None]:
        """In front of which atom the cut between two that stay is shown, and where on the line."""
        if atom >= self.line:
            return (self.line if last < self.line else last + 1), None
        cut = self.gaps.shown(last, atom, self.staying, self.k, self.whole)
        if cut is None:
            self.hidden[last:atom] = True
            return atom, None
        return cut.gap, self.gaps.point(cut)


def made_classes(cube: Cube, columns: Sequence[Atoms], starts: Sequence[Integers]) -> Classes:
    """The classes that some cuts make, before anything is suppressed and without labels; `starts` are the
    first atoms of the groups of each column."""
    groups: list[npt.NDArray[np.integer]] = []
    for j, (column, begins) in enumerate(zip(columns, starts, strict=True)):
        of_atom = np.searchsorted(begins, np.arange(len(column)), side="right") - 1
        groups.append(of_atom[column.atom_of_group][cube.groups[:, j]])
    sets = (
        column.sets(begins, np.append(begins[1:], len(column)))
        for column, begins in zip(columns, starts, strict=True)
    )
    return Classes.by_column(cube, groups, tuple(sets))


def as_shown(
    cube: Cube, columns: Sequence[Atoms], starts: Sequence[Integers], made: Classes, stays: Mask
) -> tuple[Classes, Mask]:
    """The classes of some cuts with the sets that they show, given which of them stay, and the gaps of all
    columns with cuts that cannot be shown."""
    stay, k = stays[made.of_tuple], int(made.sizes[stays].min())
    groups_shown, sets, hidden = [], [], [np.empty(0, dtype=np.bool_)]
    for j, (column, begins) in enumerate(zip(columns, starts, strict=True)):
        groups = ShownGroups.of(column, begins, staying_sizes(cube, column, j, stay), k)
        hidden.append(groups.hidden)
        groups_shown.append(groups.of_made[made.shown[:, j]])
        labels = None if groups.hidden.any() else groups.labels(column)
        sets.append(replace(column.sets(groups.first, groups.after, labels), ends=groups.ends))
    classes = replace(made, shown=np.stack(groups_shown, axis=1), sets=tuple(sets))
    return classes, np.concatenate(hidden)


def staying_sizes(cube: Cube, column: Atoms, place: int, stay: Mask) -> Integers:
    """Number of rows, or different persons, of each atom that stay."""
    atoms: npt.NDArray[np.integer] = column.atom_of_group[cube.groups[:, place]]
    if cube.persons is None:
        return group_sums(atoms, np.where(stay, cube.counts, 0), len(column))
    persons = cube.persons
    staying = stay[persons.tuples]
    pairs = [persons.ids[staying], atoms[persons.tuples[staying]].astype(np.int64)]
    first, _, _ = distinct_rows(pairs, [persons.number, len(column)])
    return np.bincount(pairs[1][first], minlength=len(column)).astype(np.int64)


def candidates_of(problem: CutsProblem, genome: npt.NDArray[np.bool_]) -> Floats:
    """The candidates of one genome, measured from its classes: rows as those of `CutsProblem.table`."""
    made = genome_classes(problem, genome)
    goodness, tables = goodness_of(problem, made), []
    for stays in staying(problem, made, goodness):
        visible, hidden = shown_classes(problem, genome, made, stays)
        facts = Realized(problem.cube, visible, stays).facts(problem.counted_for)
        facts = problem.with_key_sums(facts, np.array([int((made.rows * goodness[0]).sum())]))
        tables.append(problem.table(facts, np.array([hidden.sum()])))
    return np.concatenate(tables)


def genome_classes(problem: CutsProblem, genome: npt.NDArray[np.bool_]) -> Classes:
    """The classes that one genome makes, without labels."""
    return made_classes(problem.cube, problem.space.axes, problem.space.starts_of_groups(genome))


def shown_classes(
    problem: CutsProblem, genome: npt.NDArray[np.bool_], made: Classes, stays: Mask
) -> tuple[Classes, Mask]:
    """Classes as a genome shows them if some stay, and its cuts that cannot be shown."""
    starts = problem.space.starts_of_groups(genome)
    classes, hidden = as_shown(problem.cube, problem.space.axes, starts, made, stays)
    return classes, hidden & genome


def goodness_of(problem: CutsProblem, classes: Classes) -> list[Floats]:
    """The value of each key for each class; more is better."""
    values = [
        key.of_classes(problem.cube, classes) * (1 if key.direction == "max" else -1) for key in problem.keys
    ]
    return [np.floor(goodness) for goodness in values] if problem.rule.whole else values


def staying(problem: CutsProblem, classes: Classes, goodness: list[Floats]) -> list[Mask]:
    """Which classes stay, for each candidate of the rule."""
    rows, allowed = classes.rows, problem.suppressible
    if problem.rule.kind == "mean":
        return [goodness[0] * problem.cube.rows >= (goodness[0] * rows).sum()]
    if problem.rule.kind == "order":
        return [_in_order(rows, goodness, allowed)]
    masks: dict[bytes, Mask] = {}
    for limits in product(*(np.unique(values) for values in goodness)):
        mask = np.all([values >= limit for values, limit in zip(goodness, limits, strict=True)], axis=0)
        if mask.any() and rows[~mask].sum() <= allowed:
            masks.setdefault(mask.tobytes(), mask)
    return list(masks.values())


def classes_that_stay(problem: CutsProblem, classes: Classes, values: Mapping[str, float]) -> Mask:
    """Which classes stay in the candidate of a genome that has these values."""
    goodness = goodness_of(problem, classes)
    if problem.rule.kind != "any":
        return staying(problem, classes, goodness)[0]
    least = [(1 if key.direction == "max" else -1) * values[key.name] for key in problem.keys]
    return np.asarray(np.all(np.stack(goodness, axis=1) >= least, axis=1), dtype=np.bool_)


def _in_order(rows: npt.NDArray[np.int64], goodness: list[Floats], allowed: int) -> Mask:
    """Suppress the lowest first, equal ones together, as long as few enough rows are suppressed."""
    stays = np.ones(len(rows), dtype=np.bool_)
    pairs = list(zip(*(values.tolist() for values in goodness), strict=True))
    for pair in sorted(set(pairs)):
        without = stays & np.array([other != pair for other in pairs])
        if rows[~without].sum() > allowed:
            break
        stays = without
    return stays
