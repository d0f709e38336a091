"""Declared analyses of a release beside the original: coefficients, shares, means and quantiles, and how far
each has moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from paretonym.base.arrays import Floats, Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.factorize import distinct_rows
from paretonym.base.language import _, format_number
from paretonym.base.number_text import number_to_json, significant
from paretonym.base.rounding import meets, round_one
from paretonym.engine.counts import AnalysedRows, Cube, Purpose
from paretonym.engine.measures.estimates.purpose_reader import PurposeReader, ReadRows, original_rows
from paretonym.engine.measures.estimates.regression_model import Interval, Model
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.tables.schema import Analysis

# A number of weighted values, and the unit that differences of it are measured in.
Statistic: TypeAlias = Callable[[Floats, Floats], tuple[float, float]]
# Of these values more is better; of all others less.
MORE_IS_BETTER = frozenset({"ci-overlap", "sign-kept"})
_WORST = float("inf")
_MOST_KEPT = 20_000
_MOST_COEFFICIENTS = 400
# Shares of weights that rounding may have moved past a quantile.
_TINY = 1e-9


class Figure(NamedTuple):
    """One number of an analysis, in the original and in a release; None where that does not have it."""

    name: str
    before: Interval | float
    after: Interval | float | None

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.before}, {'not shown' if self.after is None else self.after} in the release"
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON: a number, or an interval with its ends."""

        def plain(value: Interval | float | None) -> Any:
            return value._asdict() if isinstance(value, Interval) else value

        return {"name": self.name, "before": plain(self.before), "after": plain(self.after)}


class Result(NamedTuple):
    """An analysis of a release: its values by measure, its figures, and why a value is the worst there is, if
    that has a reason of its own."""

    analysis: Analysis
    values: Mapping[str, float]
    make_figures: Callable[[], tuple[Figure, ...]] = tuple
    remark: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The numbers that were compared; made when they are shown, since most releases are only measured."""
        return self.make_figures()

    @property
    def met(self) -> bool:
        """True if every value is within its tolerance."""
        return self.shortfall <= 0

    @property
    def shortfall(self) -> float:
        """By how much the worst value misses its tolerance; 0 or less if none does."""
        return max(missed(name, self.values[name], float(limit)) for name, limit in self.analysis.tolerance)

    @property
    def missed_measures(self) -> tuple[str, ...]:
        """The measures whose values are not within their tolerance."""
        limits = self.analysis.tolerance
        return tuple(name for name, limit in limits if missed(name, self.values[name], float(limit)) > 0)

    @property
    def misses(self) -> tuple[str, ...]:
        """For each value that is not within its tolerance, the one that would let it pass."""
        limits = dict(self.analysis.tolerance)
        return tuple(
            _(
                "{measure} {value} instead of {limit} in {analysis}",
                measure=name,
                value=format_number(significant(self.values[name])),
                limit=format_number(f"{limits[name]:f}"),
                analysis=self.analysis,
            )
            for name in self.missed_measures
        )

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "analysis": str(self.analysis),
            "kind": self.analysis.kind,
            "met": self.met,
            "values": {name: number_to_json(value) for name, value in self.values.items()},
            "tolerance": {name: float(limit) for name, limit in self.analysis.tolerance},
            "figures": [figure.as_json() for figure in self.figures],
            **({"remark": self.remark} if self.remark else {}),
        }


def missed(name: str, value: float, limit: float) -> float:
    """By how much a value misses its limit; 0 if it is met."""
    more = name in MORE_IS_BETTER
    if meets(np.array([value]), "at-least" if more else "at-most", limit)[0]:
        return 0.0
    return limit - value if more else value - limit


@dataclass(frozen=True, eq=False)
class DeclaredAnalysis:
    """One analysis of a table, ready to be compared with releases of it."""

    rows: AnalysedRows
    # Values of releases that show the same to this analysis, by digest: many nodes do.
    results: dict[bytes, Result] = field(default_factory=dict)

    @cached_property
    def reader(self) -> PurposeReader:
        return PurposeReader(self.rows)

    @cached_property
    def original(self) -> ReadRows:
        return original_rows(self.rows)

    @property
    def analysis(self) -> Analysis:
        return self.rows.analysis

    @cached_property
    def model(self) -> Model:
        return Model.of(self.rows, self.original)

    @cached_property
    def coefficients(self) -> tuple[Interval, ...]:
        """The coefficients of the original; an error if there are none to compare."""
        column, model = self.rows.columns[0], self.model
        wrong, remedy = "", ""
        if column.numbers is None and model.outcomes is None:
            wrong = f"column '{column.name}' is neither a number nor has it two values"
            remedy = "explain a column of numbers, or one with two values"
        elif not model.names:
            wrong, remedy = "its terms do not vary in the table", "use columns with several values"
        elif len(model.names) > _MOST_COEFFICIENTS:
            wrong = f"it has {len(model.names):,} coefficients"
            remedy = f"use columns with fewer values, at most {_MOST_COEFFICIENTS} coefficients"
        fitted = None if wrong else model.fit(self.original)
        if fitted is None:
            raise InputError.of(
                f"purpose '{self.analysis.purpose}', regression '{self.analysis}'",
                wrong
                or "the table does not determine its coefficients: terms depend on one another, or a value "
                "decides the outcome",
                remedy or "omit a term",
            )
        return fitted

    def check(self) -> None:
        """Refuse an analysis that the original itself does not allow."""
        if self.analysis.kind == "regression":
            _ = self.coefficients
        if not len(self.original.weights):
            raise InputError.of(
                f"purpose '{self.analysis.purpose}'", f"no row has every value of {self.analysis}", "omit it"
            )

    def least_shortfall(self, hidden: frozenset[str]) -> float:
        """The least by which every release that does not show some columns at all misses the tolerances."""
        varying = {column.name for column in self.rows.columns if len(column.labels) > 1} & hidden
        if not varying:
            return 0.0
        best = dict.fromkeys(self.analysis.measures, _WORST)
        if self.analysis.kind == "table":
            best = {"table-error": 1.0}
        elif self.analysis.kind == "regression":
            outcome = self.analysis.outcome in varying
            left = [not outcome and not used & varying for used in self.model.used]
            pairs = zip(left, self.coefficients, strict=True)
            signs = [shows for shows, interval in pairs if interval.significant]
            best = {
                "ci-overlap": sum(left) / len(left),
                "sign-kept": sum(signs) / len(signs) if signs else 1.0,
            }
        limits = self.analysis.tolerance
        return max(missed(name, round_one(best[name]), float(limit)) for name, limit in limits)

    def table_excess(self, seen: Seen) -> tuple[float, float]:
        """By how much a table is beyond its tolerance, less than 0 within it; and how many rows it has."""
        rows = float(self.reader.released(seen).weights.sum())
        limit = float(dict(self.analysis.tolerance)["table-error"])
        return self.result(seen).values["table-error"] - limit, max(rows, 1.0)

    def result(self, seen: Seen) -> Result:
        """The analysis of the classes that stay, beside the original."""
        released = self.reader.released(seen)
        key = released.digest
        if key not in self.results:
            if len(self.results) >= _MOST_KEPT:
                self.results.clear()
            self.results[key] = self.compared(released)
        return self.results[key]

    def compared(self, released: ReadRows) -> Result:
        """The analysis of rows that a release shows, beside the original."""
        compare = {
            "regression": self._regression,
            "table": self._table,
            "mean": self._mean,
            "quantile": self._quantile,
        }[self.analysis.kind]
        result = compare(released)
        hidden = [name for name in self.analysis.used if name in released.hidden]
        remark = _("column '{column}' is not shown at all", column=hidden[0]) if hidden else result.remark
        return result._replace(
            values={name: round_one(value) for name, value in result.values.items()}, remark=remark
        )

    def _regression(self, released: ReadRows) -> Result:
        before, model = self.coefficients, self.model
        outcome_hidden = self.analysis.outcome in released.hidden
        fitted = None if outcome_hidden else model.fit(released)
        after: list[Interval | None] = [
            None if fitted is None or used & released.hidden else fitted[i]
            for i, used in enumerate(model.used)
        ]
        pairs = list(zip(before, after, strict=True))
        overlaps = [0.0 if b is None else a.overlap(b) for a, b in pairs]
        signs = [b is not None and a.keeps_sign(b) for a, b in pairs if a.significant]
        return Result(
            self.analysis,
            {
                "ci-overlap": sum(overlaps) / len(overlaps),
                "sign-kept": sum(signs) / len(signs) if signs else 1.0,
            },
            lambda: tuple(Figure(name, a, b) for name, (a, b) in zip(model.names, pairs, strict=True)),
            ""
            if fitted is not None or outcome_hidden
            else _("the release does not determine the coefficients"),
        )

    def _table(self, released: ReadRows) -> Result:
        first, before, after = _aligned(self.original, released)
        hidden = not released.hidden.isdisjoint(self.analysis.used)
        error = 1.0 if hidden else min(float(np.abs(before - after).sum()) / 2, 1.0)

        def figures() -> tuple[Figure, ...]:
            """The cells of the original, those that change most first."""
            cells = np.flatnonzero(before)
            cells = cells[np.argsort(-np.abs(before - after)[cells], kind="stable")]
            names = (
                ", ".join(self._label(c, int(codes[row])) for c, codes in enumerate(self.original.codes))
                for row in first[cells].tolist()
            )
            numbers = zip(names, before[cells].tolist(), after[cells].tolist(), strict=True)
            return tuple(Figure(*numbers_of_cell) for numbers_of_cell in numbers)

        return Result(self.analysis, {"table-error": error}, figures)

    def _label(self, column: int, code: int) -> str:
        labels = self.rows.columns[column].labels
        return labels[code] if code < len(labels) else "?"

    def _mean(self, released: ReadRows) -> Result:
        return self._of_groups(released, "mean-error", _mean_and_error)

    def _quantile(self, released: ReadRows) -> Result:
        share = float(self.analysis.share)

        def quantile_and_range(values: Floats, weights: Floats) -> tuple[float, float]:
            spread = _weighted_quantile(values, weights, 0.75) - _weighted_quantile(values, weights, 0.25)
            return _weighted_quantile(values, weights, share), spread

        return self._of_groups(released, "quantile-error", quantile_and_range)

    def _of_groups(self, released: ReadRows, name: str, statistic: Statistic) -> Result:
        """The largest difference over the groups of the original, in units that the original gives."""
        before = {group: statistic(*part) for group, part in _groups(self.original)}
        after = {group: statistic(*part) for group, part in _groups(released)}
        hidden = not released.hidden.isdisjoint(self.analysis.used)
        figures, worst = [], 0.0
        for group, (value, unit) in before.items():
            other = after[group][0] if group in after and not hidden else None
            figures.append(Figure(self._group_name(group), value, other))
            worst = max(worst, _WORST if other is None else _in_units(abs(value - other), unit, value))
        return Result(self.analysis, {name: worst}, lambda: tuple(figures))

    def _group_name(self, group: tuple[int, ...]) -> str:
        names = (self._label(place, code) for place, code in enumerate(group, 1))
        return ", ".join(names) or self.analysis.outcome


def _in_units(difference: float, unit: float, value: float) -> float:
    """A difference in a unit; where that is 0, the numbers are equal or not."""
    if unit > 0:
        return difference / unit
    return 0.0 if difference <= _TINY * max(1.0, abs(value)) else _WORST


def _aligned(original: ReadRows, released: ReadRows) -> tuple[Integers, Floats, Floats]:
    """The combinations of values that occur in either, by their first row in both together, and the share of
    each in both."""
    both = (original, released)
    codes = [np.concatenate(pair) for pair in zip(*(rows.codes for rows in both), strict=True)]
    sizes = list(map(max, original.sizes, released.sizes))
    first, numbers, _combinations = distinct_rows(codes, sizes)
    of_original = np.arange(len(numbers)) < len(original.weights)
    shares = np.concatenate([rows.weights / max(rows.weights.sum(), 1e-300) for rows in both])
    before, after = (
        np.asarray(np.bincount(numbers, np.where(side, shares, 0.0), len(first)), dtype=np.float64)
        for side in (of_original, ~of_original)
    )
    return first, before, after


def _groups(rows: ReadRows) -> Iterator[tuple[tuple[int, ...], tuple[Floats, Floats]]]:
    """The numbers of the first column with their weights, by the values of the others."""
    numbers = rows.numbers[0]
    values = np.zeros(len(rows.weights)) if numbers is None else numbers[rows.codes[0]]
    if len(rows.codes) == 1:
        if len(values):
            yield (), (values, rows.weights)
        return
    groups, place = np.unique(np.stack(rows.codes[1:]), axis=1, return_inverse=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(place.reshape(-1), minlength=groups.shape[1]))[:-1]
    for group, places in zip(groups.T.tolist(), np.split(order, ends), strict=True):
        yield tuple(group), (values[places], rows.weights[places])


def _mean_and_error(values: Floats, weights: Floats) -> tuple[float, float]:
    """The mean and its standard error; 0 for a single row."""
    rows = weights.sum()
    mean = float(weights @ values) / rows
    variance = float(weights @ (values - mean) ** 2) / (rows - 1) if rows > 1 else 0.0
    return mean, float(np.sqrt(variance / rows))


def _weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The smallest value that at least this share of the rows does not exceed."""
    order = np.argsort(values, kind="stable")
    running = np.cumsum(weights[order])
    place = int(np.searchsorted(running, share * running[-1] - _TINY * running[-1]))
    return float(values[order[min(place, len(values) - 1)]])


def declared(cube: Cube, names: Sequence[str]) -> tuple[DeclaredAnalysis, ...]:
    """The analyses of some purposes, counted once for each table."""
    wanted = (purpose for purpose in cube.purposes if purpose.name in names)
    return tuple(analysis for purpose in wanted for analysis in _of(cube, purpose))


def _of(cube: Cube, purpose: Purpose) -> tuple[DeclaredAnalysis, ...]:
    return cube.once(
        ("purpose", purpose.name), lambda: tuple(DeclaredAnalysis(rows) for rows in purpose.count(cube))
    )


def check_purposes(cube: Cube) -> None:
    """Refuse analyses that the table does not allow, before a long search."""
    if cube.units is not None:
        raise InputError.of(
            Field("suppress"),
            "the schema suppresses whole persons or households, and declared analyses are measured where "
            "rows are suppressed by class",
            'set suppress.unit = "row", or suppress nothing',
        )
    for analysis in declared(cube, [purpose.name for purpose in cube.purposes]):
        analysis.check()
