"""What a release claims: measures of the file alone, of the values as they stand in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from paretonym.arrays import Codes, Floats, Integers
from paretonym.factorize import distinct_rows
from paretonym.measures.registry import MEASURES
from paretonym.release.released_rows import Released
from paretonym.risk.reidentification import RISKS_OF_PEOPLE
from paretonym.rounding import rounded

OF_SIZES = ("k", "risk-highest", "risk-average", "uniques")
OF_VALUES = ("l", "l-distinct", "l-entropy", "alpha", "t-release", "t-js-release", "delta-release")


def claims(released: Released, names: Mapping[str, str] | None = None) -> dict[str, float]:
    """Every claim, by name. With several sensitive columns each has its own (`l@diagnosis`), and the worst
    stands under the plain name. `names` says what columns are called in the file, if otherwise than here.
    Where rows are not people nothing is claimed about how likely a person is found."""
    codes, counts = released.distinct()
    quasi = released.with_role("quasi")
    sizes = [len(released.columns[place]) + 1 for place in quasi]
    _, classes, _ = distinct_rows([codes[place] for place in quasi], sizes)
    result = _of_sizes(np.rint(np.bincount(classes, weights=counts)).astype(np.int64))
    if not released.unit.is_person:
        result = {name: value for name, value in result.items() if name not in RISKS_OF_PEOPLE}
    each = {
        released.columns[place].name: _of_values(_cells(classes, codes[place], counts))
        for place in released.with_role("sensitive")
    }
    for name in OF_VALUES if each else ():
        worst = min if MEASURES[name].direction == "max" else max
        result[name] = worst(values[name] for values in each.values())
        for column, values in each.items() if len(each) > 1 else ():
            result[f"{name}@{(names or {}).get(column, column)}"] = values[name]
    return {name: float(rounded(np.array([value]))[0]) for name, value in result.items()}


def _of_sizes(sizes: Integers) -> dict[str, float]:
    smallest = int(sizes.min())
    return {
        "k": smallest,
        "risk-highest": 1 / smallest,
        "risk-average": len(sizes) / int(sizes.sum()),
        "uniques": int((sizes == 1).sum()),
    }


@dataclass(frozen=True, eq=False)
class Cells:
    """The values that occur in each class: class, share in the class, share in the release, by cell. There is
    no cell for a value that a class has not: a column may have more values than fit beside each class."""

    classes: Integers
    counts: Integers
    sizes: Integers
    shares: Floats
    whole: Floats
    values: int

    def summed(self, terms: Floats) -> Floats:
        """The sum over the cells of each class."""
        sums: Floats = np.bincount(self.classes, weights=terms, minlength=len(self.sizes)).astype(np.float64)
        return sums


def _cells(classes: Integers, values: Codes, counts: Integers) -> Cells:
    size = int(values.max()) + 1
    keys, inverse = np.unique(classes * size + values, return_inverse=True)
    cells = np.rint(np.bincount(inverse, weights=counts)).astype(np.int64)
    of_class, of_value = keys // size, keys % size
    sizes = np.rint(np.bincount(of_class, weights=cells)).astype(np.int64)
    totals = np.bincount(of_value, weights=cells)
    return Cells(
        of_class,
        cells,
        sizes,
        cells / sizes[of_class],
        totals[of_value] / cells.sum(),
        int((totals > 0).sum()),
    )


def _of_values(cells: Cells) -> dict[str, float]:
    largest = np.zeros(len(cells.sizes), dtype=np.int64)
    np.maximum.at(largest, cells.classes, cells.counts)
    distinct = np.bincount(cells.classes, minlength=len(cells.sizes))
    entropy = -cells.summed(cells.shares * np.log(cells.shares))
    return {
        "l": float((cells.sizes / largest).min()),
        "l-distinct": int(distinct.min()),
        "l-entropy": float(np.exp(entropy.min())),
        "alpha": float((largest / cells.sizes).max()),
        # What a class has too much of is what it has too little of elsewhere: no other value needs a look.
        "t-release": float(cells.summed(np.maximum(cells.shares - cells.whole, 0)).max()),
        "t-js-release": _divergence(cells),
        "delta-release": _ratio(cells, distinct),
    }


def _divergence(cells: Cells) -> float:
    """Jensen–Shannon; a value that a class has not adds half its share in the release times ln 2."""
    middle = (cells.shares + cells.whole) / 2
    terms = cells.shares * np.log(cells.shares / middle) + cells.whole * np.log(cells.whole / middle)
    lacking = 1 - cells.summed(cells.whole)
    return max(float((cells.summed(terms) + lacking * math.log(2)).max() / 2), 0.0)


def _ratio(cells: Cells, distinct: Integers) -> float:
    if int(distinct.min()) < cells.values:
        return math.inf
    return float(np.abs(np.log(cells.shares / cells.whole)).max())
