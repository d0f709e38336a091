"""A linear regression that the user names, on the original and on a release: how far the confidence intervals
overlap (Karr, Kohnen, Oganian, Reiter & Sanil 2006).

In a release a number is the mean of the values that a row shows, and a category the share of a row in each
group, as an analyst would take them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.arrays import Floats, Integers
from paretonym.counts import Cube
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.measures import Realized
from paretonym.measures.estimates import (
    Spread,
    analyst_columns,
    leaf_numbers,
    mean_numbers,
    quasi_shares,
    released_spread,
    unchanged_spread,
)

_NORMAL = 1.959963984540054


class Interval(NamedTuple):
    """An estimate and its 95 % confidence interval."""

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.4g} ({self.low:.4g} to {self.high:.4g})"


class Coefficient(NamedTuple):
    """A coefficient before and after; `after` is None where the release does not show the column, or not the
    outcome. `overlap` is 1 for equal intervals, and 0 for those that are apart or not shown."""

    name: str
    before: Interval
    after: Interval | None
    overlap: float


class Regression(NamedTuple):
    formula: str
    coefficients: tuple[Coefficient, ...]

    @property
    def overlap(self) -> float:
        """The mean over the coefficients."""
        overlaps = [coefficient.overlap for coefficient in self.coefficients]
        return sum(overlaps) / max(len(overlaps), 1)


def regressed(realized: Realized, formula: str) -> Regression:
    outcome, predictors = _parsed(formula, realized.cube)
    before = _fitted(realized.cube, unchanged_spread(realized.cube), outcome, predictors)
    after = _fitted(realized.cube, released_spread(realized), outcome, predictors)
    coefficients = []
    for name, original in before.items():
        if original is not None:
            released = after.get(name)
            overlap = 0.0 if released is None else _overlap(original, released)
            coefficients.append(Coefficient(name, original, released, overlap))
    return Regression(formula, tuple(coefficients))


def _parsed(formula: str, cube: Cube) -> tuple[str, list[str]]:
    outcome, tilde, right = formula.partition("~")
    names = [term.strip() for term in right.split("+")]
    place = Field("regression")
    if not tilde or not outcome.strip() or not all(names):
        raise InputError.of(
            place,
            f"'{formula}' is not a formula",
            "write one such as 'income ~ age + sex'",
        )
    quasi, sensitive = [axis.name for axis in cube.axes], [margin.name for margin in cube.sensitive]
    for name, known in ((outcome.strip(), [*quasi, *sensitive]), *((each, quasi) for each in names)):
        if name not in known:
            wrong = f"'{name}' is not a quasi-identifier or sensitive column"
            if known is quasi:
                wrong = f"'{name}' is not a quasi-identifier"
            raise InputError.of(place, wrong, did_you_mean(name, known))
    if len({outcome.strip(), *names}) <= len(names):
        raise InputError.of(place, f"'{formula}' names a column twice", "name each column once")
    return outcome.strip(), names


def _fitted(cube: Cube, spread: Spread, outcome: str, predictors: list[str]) -> dict[str, Interval | None]:
    """The coefficients of weighted least squares; None where the column does not vary, or not the outcome."""
    names, columns = _design(cube, spread, predictors)
    values, rows, places = _outcome(cube, spread, outcome)
    design = np.column_stack([np.ones(len(spread.rows)), *columns])[places]
    names = ["(constant)", *names]
    if np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return dict.fromkeys(names)
    varies = [0, *(j for j in range(1, len(names)) if np.ptp(design[:, j]) > 1e-12)]
    x = design[:, varies]
    inverse = np.linalg.pinv((x * rows[:, None]).T @ x)
    beta = inverse @ ((x * rows[:, None]).T @ values)
    free = max(rows.sum() - len(varies), 1.0)
    variance = float((rows * (values - x @ beta) ** 2).sum() / free)
    errors = np.sqrt(np.maximum(np.diagonal(inverse) * variance, 0.0))
    found: dict[str, Interval | None] = dict.fromkeys(names)
    for place, j in enumerate(varies):
        half = _NORMAL * float(errors[place])
        middle = float(beta[place])
        found[names[j]] = Interval(
            *(float(f"{bound:.6g}") for bound in (middle, middle - half, middle + half))
        )
    return found


def _design(cube: Cube, spread: Spread, predictors: list[str]) -> tuple[list[str], list[Floats]]:
    """A number is one column; a category one for each of its groups but the first that occurs."""
    names: list[str] = []
    columns: list[Floats] = []
    shares = quasi_shares(cube, spread)
    for column in analyst_columns(cube):
        if column.name not in predictors:
            continue
        axis = next(candidate for candidate in cube.of_values.axes if candidate.name == column.name)
        numbers = leaf_numbers(axis)
        if numbers is not None:
            names.append(column.name)
            columns.append(mean_numbers(cube, spread, column.name, numbers))
            continue
        occurs = np.flatnonzero(axis.rows(column.level))
        for group in occurs[1:].tolist():
            names.append(f"{column.name} = {column.labels[group]}")
            columns.append(shares[:, column.place + group])
    return names, columns


def _outcome(cube: Cube, spread: Spread, name: str) -> tuple[Floats, Floats, Integers]:
    """The numbers to explain, how many rows have each, and which region each belongs to."""
    for axis in cube.of_values.axes:
        if axis.name == name:
            numbers = leaf_numbers(axis)
            if numbers is None:
                break
            return mean_numbers(cube, spread, name, numbers), spread.rows, np.arange(len(spread.rows))
    for margin in cube.sensitive:
        if margin.name == name:
            try:
                values = np.array([float(label) for label in margin.labels])
            except ValueError:
                break
            cells = spread.cells_of(cube, name)
            places, codes = np.nonzero(cells > 0)
            return values[codes], cells[places, codes], places
    raise InputError.of(Field("regression"), f"'{name}' has values that are no numbers", "explain a number")


def _overlap(first: Interval, second: Interval) -> float:
    """The mean of the shares of the two intervals that the intersection covers; 1 for equal points, 0 for
    intervals that are apart."""
    common = min(first.high, second.high) - max(first.low, second.low)
    widths = [interval.high - interval.low for interval in (first, second)]
    if min(widths) <= 0:
        return 1.0 if common >= 0 and max(widths) <= 0 else 0.0
    return max(0.0, round(sum(common / width for width in widths) / 2, 6))
