"""Facts that were counted for candidates: everything that a measure may depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats
from paretonym.engine.counts import Counted, Kind, Statistic
from paretonym.engine.measures.cell_costs import CostRule, StayingCost

Counts: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Facts:
    """Counts of many candidates at once, one entry each. `rows` is N, before any suppression.

    `smallest` is the size of the smallest class that stays, `gone` the number of suppressed rows; `classes`,
    `squares` and `unique` are the number of classes that stay, the sum of their squared sizes, and the number
    of them with one row; `all_squares` the squared sizes before suppression; `sizes` and `all_sizes` sum the
    sizes of the classes that stay and of all classes, `row_squares` the squared rows of those that stay.
    Sizes are numbers of rows or, where a column says whose a row is, of persons. `statistics` holds what was
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
    sizes: Counts
    all_sizes: Counts
    row_squares: Counts
    costs: Mapping[str, StayingCost]
    statistics: Mapping[Statistic, Floats]
    scope: tuple[Statistic, ...] = ()
    seen: Mapping[str, Floats] = field(default_factory=dict)
    asked: str = ""

    @classmethod
    def of_sizes(cls, rows: int, every: Counts, stays: Counts, rows_left: Counts | None = None) -> Facts:
        """The facts of one candidate that follow from sizes: those of all classes and of those that stay, and
        the rows of these, if sizes are persons."""
        left = stays if rows_left is None else rows_left

        def one(count: int | np.integer) -> Counts:
            return np.array([count], dtype=np.int64)

        return cls(
            rows,
            one(0),
            one(stays.min()),
            one(rows - left.sum()),
            one(len(stays)),
            one((stays**2).sum()),
            one((every**2).sum()),
            one((stays == 1).sum()),
            one(stays.sum()),
            one(every.sum()),
            one((left**2).sum()),
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
        sums = counted.facts.T[6:9] if persons else (rows - gone, np.full_like(gone, rows), squares)
        sizes, all_sizes, row_squares = sums
        return cls(
            rows,
            counted.nodes,
            smallest,
            gone,
            classes,
            squares,
            all_squares,
            unique,
            sizes,
            all_sizes,
            row_squares,
            costs,
            {statistic: counted.statistics[:, i] for i, statistic in enumerate(statistics)},
        )

    def __len__(self) -> int:
        return len(self.node)

    @property
    def staying(self) -> Counts:
        """The rows that stay."""
        return self.rows - self.gone

    def with_nothing_suppressed(self, statistics: Mapping[Statistic, Floats]) -> Facts:
        """Facts that decide a measure of rows if every class stays, given the statistics over all classes."""
        nothing = np.zeros_like(self.gone)
        whole = self.all_squares
        return replace(self, gone=nothing, squares=whole, row_squares=whole, statistics=statistics)

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
