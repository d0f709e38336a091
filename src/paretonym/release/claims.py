"""The claims of a release: measures of the file alone, of the values that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.counts import Statistic
from paretonym.errors import Bug
from paretonym.factorize import distinct_rows
from paretonym.measures import MEASURES, Facts, Measure
from paretonym.release.released_rows import Released
from paretonym.rounding import rounded
from paretonym.schema import Unit

# The number of counts of values that are laid out at once.
_MOST_CELLS = 1 << 21


def claims(released: Released, names: Mapping[str, str] | None = None) -> dict[str, float]:
    """Every claim, by name. With several sensitive columns, each has its own (`l@diagnosis`), and the plain
    name has the worst. `names` are the columns' names in the file, if they differ. If rows are not people, no
    risk of people is claimed."""
    codes, counts = released.codes, released.counts
    quasi = released.with_role("quasi")
    widths = [len(released.columns[place]) + 1 for place in quasi]
    _, classes, _ = distinct_rows([codes[place] for place in quasi], widths)
    sizes = np.rint(np.bincount(classes, weights=counts)).astype(np.int64)
    facts = Facts.of_sizes(int(sizes.sum()), sizes, sizes)
    result = {card.name: card.value(facts) for card in claimed_of_sizes(_of_people(released.unit))}
    cells = {
        released.columns[place].name: _cells(classes, codes[place], counts)
        for place in released.with_role("sensitive")
    }
    for card in claimed_of_values() if cells else ():
        asked = [_statistic(card, column) for column in cells]
        measured = {s: np.array([cells[s.column].value(s)]) for s in asked}
        known = replace(facts, statistics=measured)
        result[card.name] = card.value(known.scoped(asked))
        for one in asked if len(asked) > 1 else ():
            column = (names or {}).get(one.column, one.column)
            result[f"{card.name}@{column}"] = card.value(known.scoped([one]))
    return {name: float(rounded(value)[0]) for name, value in result.items()}


def _of_people(unit: Unit) -> bool:
    """Whether every row of a file is a person: a risk of people can then be computed from the file."""
    return unit.is_person and not unit.several_rows


def claimed_of_sizes(people: bool = True) -> list[Measure]:
    """The claims about the sizes of classes; risks of people only if rows are people."""
    claimed = [card for card in MEASURES.values() if card.published.claimed and card.counted.over is None]
    return [card for card in claimed if people or not card.published.of_people]


def claimed_of_values() -> list[Measure]:
    """The claims about the values of sensitive columns."""
    return [card for card in MEASURES.values() if card.published.claimed and card.counted.over is not None]


def _statistic(card: Measure, column: str) -> Statistic:
    statistic = card.counted.statistic
    if statistic is None:
        raise Bug(f"{card.name} has no statistic of classes")
    return Statistic(statistic, column, card.counted.against == "release")


@dataclass(frozen=True, eq=False)
class Cells:
    """The values that occur in each class, class by class: how often in the class, how often in the release.
    There is no cell for a value that a class does not have: classes × values may not fit into memory.
    `distinct` counts the cells of each class."""

    counts: Integers
    totals: Integers
    distinct: Integers
    rows: int

    def value(self, statistic: Statistic) -> float:
        """A statistic combined over all classes, against the release's own distribution."""
        values = [statistic.exact(None, counts, totals / self.rows) for counts, totals in self._tables()]
        return statistic.combined(np.concatenate(values))

    def _tables(self) -> Iterator[tuple[Integers, Integers]]:
        """Counts and totals as tables, one row for a class, classes of about as many values together. The
        last column represents all values that the class does not have: no statistic distinguishes these."""
        starts = np.cumsum(self.distinct) - self.distinct
        for places in self._alike():
            width = int(self.distinct[places].max())
            inside = np.arange(width) < self.distinct[places][:, None]
            cells = np.where(inside, starts[places][:, None] + np.arange(width), 0)
            counts = np.where(inside, self.counts[cells], 0)
            totals = np.where(inside, self.totals[cells], 0)
            lacking = self.rows - totals.sum(axis=1, keepdims=True)
            yield np.append(counts, np.zeros_like(lacking), axis=1), np.append(totals, lacking, axis=1)

    def _alike(self) -> Iterator[Integers]:
        """Places of classes whose numbers of values differ by less than a factor of two."""
        scale = np.frexp(self.distinct.astype(np.float64))[1]
        for exponent in np.unique(scale).tolist():
            places = np.flatnonzero(scale == exponent)
            step = max(_MOST_CELLS >> exponent, 1)
            yield from (places[start : start + step] for start in range(0, len(places), step))


def _cells(classes: Integers, values: Codes, counts: Integers) -> Cells:
    size = int(values.max()) + 1
    keys, inverse = np.unique(classes * size + values, return_inverse=True)
    cells = np.rint(np.bincount(inverse, weights=counts)).astype(np.int64)
    totals = np.rint(np.bincount(keys % size, weights=cells)).astype(np.int64)
    return Cells(cells, totals[keys % size], np.bincount(keys // size), int(cells.sum()))
