"""What was counted for candidates: everything that a measure may depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats
from paretonym.counts import Counted, Kind, Statistic
from paretonym.measures.cell_costs import CostRule, StayingCost

Counts: TypeAlias = npt.NDArray[np.int64]


class PersonSums(NamedTuple):
    """The persons of the classes that stay, summed over classes; those of all classes; and the squared
    numbers of rows of the classes that stay."""

    staying: Counts
    every: Counts
    row_squares: Counts


@dataclass(frozen=True, eq=False)
class Facts:
    """Counts of many candidates at once, one entry each. `rows` is N, before any suppression.

    `smallest` is the size of the smallest class that stays, `gone` the number of suppressed rows; `classes`,
    `squares` and `unique` are the number of classes that stay, the sum of their squared sizes, and the number
    of them with one row; `all_squares` the squared sizes before suppression. Where a column says whose a row
    is, sizes are numbers of persons; then `by_persons` holds what else depends on whether rows or persons are
    counted. `statistics` holds what was
    counted of the values of further columns, combined over the classes that stay. `seen` holds what was
    measured from the classes themselves, by objective; `asked` is the objective in question.
    """

    rows: int
    node: Counts
    smallest: Counts
    gone: Counts
    classes: Counts
    squares: Counts
    all_squares: Counts
    unique: Counts
    costs: Mapping[str, StayingCost]
    statistics: Mapping[Statistic, Floats]
    scope: tuple[Statistic, ...] = ()
    seen: Mapping[str, Floats] = field(default_factory=dict)
    asked: str = ""
    by_persons: PersonSums | None = None

    @classmethod
    def of_sizes(cls, rows: int, every: Counts, stays: Counts) -> Facts:
        """The facts of one candidate that follow from sizes: those of all classes and of those that stay."""

        def one(count: int | np.integer) -> Counts:
            return np.array([count], dtype=np.int64)

        return cls(
            rows,
            one(0),
            one(stays.min()),
            one(every.sum() - stays.sum()),
            one(len(stays)),
            one((stays**2).sum()),
            one((every**2).sum()),
            one((stays == 1).sum()),
            {},
            {},
        )

    @classmethod
    def of_cells(cls, cells: Sequence[Sequence[int]], kind: Kind, parameter: float = 0.0) -> Facts:
        """The facts of one small release in which every class stays, given how often each value occurs in
        each class, for a measure of one statistic. For trying measures out."""
        table = np.array(cells, dtype=np.int64)
        sizes, totals = table.sum(axis=1), table.sum(axis=0)
        statistic = Statistic(kind, "", parameter=parameter)
        values = statistic.exact(None, table, totals / totals.sum())
        facts = cls.of_sizes(int(sizes.sum()), sizes, sizes)
        counted = {statistic: np.array([statistic.combined(values)])}
        return replace(facts, statistics=counted, scope=(statistic,))

    @classmethod
    def of_cost(
        cls, name: str, staying: int, most: int, whole: int, sizes: Sequence[int], stays: Sequence[int]
    ) -> Facts:
        """The facts of one small release, given the sizes of its classes and of those that stay, for a
        measure of one cost in plain numbers: to try measures with."""
        every, left = (np.array(each, dtype=np.int64) for each in (sizes, stays))
        facts = cls.of_sizes(int(every.sum()), every, left)
        return replace(facts, costs={name: StayingCost(np.array([staying]), most, whole)})

    @classmethod
    def of_counted(
        cls,
        rows: int,
        counted: Counted,
        rules: Mapping[str, CostRule],
        statistics: Sequence[Statistic],
        persons: bool,
    ) -> Facts:
        """Name what was counted: the costs of all rules stand side by side, and so do the statistics. The
        costs are those of the rows that were counted. `persons`: sizes are numbers of persons."""
        costs = {name: rule.staying_cost(counted.costs[:, i]) for i, (name, rule) in enumerate(rules.items())}
        smallest, gone, classes, squares, all_squares, unique = counted.facts.T[:6]
        return cls(
            rows,
            counted.nodes,
            smallest,
            gone,
            classes,
            squares,
            all_squares,
            unique,
            costs,
            {statistic: counted.statistics[:, i] for i, statistic in enumerate(statistics)},
            by_persons=PersonSums(*counted.facts.T[6:9]) if persons else None,
        )

    @classmethod
    def of_persons(cls, rows: tuple[Counts, Counts], persons: tuple[Counts, Counts]) -> Facts:
        """The facts of one candidate, given the rows and the persons of all classes and of those that
        stay."""
        (every, left), (sizes, stays) = rows, persons
        sums = (stays.sum(), sizes.sum(), (left**2).sum())
        return replace(
            cls.of_sizes(int(every.sum()), sizes, stays),
            gone=np.array([every.sum() - left.sum()], dtype=np.int64),
            by_persons=PersonSums(*(np.array([each], dtype=np.int64) for each in sums)),
        )

    def __len__(self) -> int:
        return len(self.node)

    @property
    def staying(self) -> Counts:
        """The rows that stay."""
        return self.rows - self.gone

    @property
    def sizes_staying(self) -> Counts:
        """The sum of the sizes of the classes that stay: rows, or persons."""
        return self.staying if self.by_persons is None else self.by_persons.staying

    @property
    def all_sizes(self) -> Counts | int:
        """The sum of the sizes of all classes."""
        return self.rows if self.by_persons is None else self.by_persons.every

    @property
    def row_squares(self) -> Counts:
        """The squared numbers of rows of the classes that stay, summed."""
        return self.squares if self.by_persons is None else self.by_persons.row_squares

    def with_nothing_suppressed(self, statistics: Mapping[Statistic, Floats]) -> Facts:
        """What decides a measure of rows if every class stays, given the statistics over all classes."""
        nothing = np.zeros_like(self.gone)
        return replace(self, gone=nothing, squares=self.all_squares, statistics=statistics)

    def scoped(self, statistics: Sequence[Statistic], asked: str = "") -> Facts:
        """These facts for a measure of the given statistics, one for each column that it is about."""
        return replace(self, scope=tuple(statistics), asked=asked)

    def least(self) -> Floats:
        """The minimum over the columns in scope."""
        least: Floats = np.min([self.statistics[statistic] for statistic in self.scope], axis=0)
        return least

    def most(self) -> Floats:
        """The maximum over the columns in scope."""
        most: Floats = np.max([self.statistics[statistic] for statistic in self.scope], axis=0)
        return most
