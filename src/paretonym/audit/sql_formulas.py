"""Facts of an audit about each measure: one line each, written for the audit alone.

The second opinion shares no list of measures with the search; tests compare this table with the cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

RELEASE = "-release"
Source: TypeAlias = Literal["sizes", "values", "reference", "input", "population", "households"]


@dataclass(frozen=True, slots=True)
class Line:
    """One measure. `sql` is an aggregate over all classes (of their `size`) or, for a measure of sensitive
    values, what one class has, over its different values: n rows have a value, p is its share in the class,
    q in the reference; the classes together have `over` of these. Without `sql`, the measure is computed
    elsewhere.

    `lowest` and `highest` bound it; `worst` of several columns counts. `conditional`: a condition on classes
    may be about it. `claimed`: a manifest must claim it; `of_people`: but not where rows
    are no people. `stated`: a manifest must state it. `also`: another name of it.
    """

    source: Source
    sql: str = ""
    over: str = "max"
    lowest: float = 0
    highest: float | None = None
    worst: Callable[[list[float]], float] = max
    conditional: bool = False
    claimed: bool = False
    of_people: bool = False
    stated: bool = False
    also: str = ""

    @property
    def is_share(self) -> bool:
        """True if it lies between 0 and 1, so that a bound may be a percentage."""
        return (self.lowest, self.highest) == (0, 1)

    @property
    def is_count(self) -> bool:
        return self.lowest == 1


_TOTAL_VARIATION = "(1 + sum(abs(p - q) - q)) / 2"
_JENSEN_SHANNON = (
    "(sum(p * ln(2 * p / (p + q))) + sum(if(q > 0, q * ln(2 * q / (p + q)), 0)) + (1 - sum(q)) * ln(2)) / 2"
)
_LARGEST_RATIO = "if(min(q) = 0, 'inf'::double, max(abs(ln(p / q))))"
_LN_2 = 0.6931471805599454

# Distances of a class from a reference; measured against the release they are what a file shows by itself.
_DISTANCES: Mapping[str, Line] = {
    "t": Line("reference", _TOTAL_VARIATION, highest=1, claimed=True),
    "t-js": Line("reference", _JENSEN_SHANNON, highest=_LN_2, claimed=True, also="privacy-loss"),
    "delta": Line("reference", _LARGEST_RATIO, claimed=True),
    # Claimed since it exists; manifests that were written before hold without it.
    "beta": Line("reference", "greatest(max(if(q > 0, (p - q) / q, 'inf'::double)), 0)"),
    # An order and a tree of the values are in the schema only.
    "t-ordered": Line("input", highest=1),
    "t-tree": Line("input", highest=1),
}

LINES: Mapping[str, Line] = {
    "k": Line("sizes", "min(size)", lowest=1, conditional=True, claimed=True),
    "risk-highest": Line("sizes", "1 / min(size)", highest=1, claimed=True, of_people=True),
    "risk-average": Line("sizes", "count(*) / sum(size)", highest=1, claimed=True, of_people=True),
    "uniques": Line("sizes", "count(*) filter (size = 1)", claimed=True),
    "average-class": Line("sizes", "sum(size) / count(*)", lowest=1),
    "spread-k": Line("sizes", "sum(size * size)", lowest=1),
    "l": Line("values", "any_value(size) / max(n)", "min", 1, worst=min, conditional=True, claimed=True),
    "l-distinct": Line("values", "count(*)", "min", 1, worst=min, conditional=True, claimed=True),
    "l-entropy": Line("values", "exp(-sum(p * ln(p)))", "min", 1, worst=min, conditional=True, claimed=True),
    "alpha": Line("values", "max(n) / any_value(size)", highest=1, conditional=True, claimed=True),
    "spread-l": Line("values", "sum(n * n)", "sum", 1, worst=min),
    "l-recursive": Line("values", over="min", worst=min),
    **{
        label: replace(line, claimed=False)
        for name, line in _DISTANCES.items()
        for label in (name, line.also)
        if label
    },
    **{f"{name}{RELEASE}": line for name, line in _DISTANCES.items()},
    "weighted-k": Line("input", lowest=1),
    "k-map": Line("population", lowest=1, worst=min),
    "presence-max": Line("population", highest=1),
    "presence-min": Line("population", highest=1, worst=min),
    "k-household": Line("households", lowest=1, worst=min),
    "loss": Line("input", highest=1, stated=True),
    "gl": Line("input", highest=1, stated=True),
    "sl": Line("input", highest=1, stated=True),
    "discernibility": Line("input", lowest=1),
    "classification-error": Line("input", highest=1),
    "precision-loss": Line("input", highest=1),
    "entropy-loss": Line("input", highest=1),
}


def names_of(keep: Callable[[Line], bool]) -> tuple[str, ...]:
    """The measures whose lines have something, in the order of the table."""
    return tuple(name for name, line in LINES.items() if keep(line))


def line_of(name: str) -> Line | None:
    """The line of a measure as it was asked for (`l`, `l@diagnosis`)."""
    return LINES.get(name.partition("@")[0])


def alias(name: str) -> str:
    """Name of the column of SQL with the values of a measure.

    >>> alias("t-js")
    't_js'
    """
    return name.replace("-", "_")


# What a class has of each measure of values that is an expression, by the name of the measure.
OF_CLASS: Mapping[str, str] = {
    name: line.sql
    for name, line in LINES.items()
    if line.sql and line.source in ("values", "reference") and not name.endswith(RELEASE)
}
# The distances of a class from a reference, by the name of the measure.
DISTANCES = tuple(name for name, line in _DISTANCES.items() if line.sql)
