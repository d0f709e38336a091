"""Every measure of a finished table, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from paretonym.audits.sql_classes import (
    Counted,
    Reference,
    class_values,
    ordered_distance,
    recursive_diversity,
    release_reference,
    tree_distance,
)
from paretonym.audits.sql_formulas import DISTANCES, LINES, RELEASE, alias, line_of, names_of
from paretonym.errors import Field

RECURSIVE, ORDERED, TREE, FLAT = "l-recursive", "t-ordered", "t-tree", "t"
CONSTANT = 3.0
SIZES = names_of(lambda line: line.source == "sizes")
# Of sensitive columns: what the file alone tells, and what needs the input or the schema.
FROM_THE_FILE = names_of(lambda line: line.source == "values") + tuple(
    f"{name}{RELEASE}" for name in DISTANCES
)
FROM_THE_INPUT = (
    *(name for name in names_of(lambda line: line.source == "reference") if not name.endswith(RELEASE)),
    *(ORDERED, TREE, f"{ORDERED}{RELEASE}", f"{TREE}{RELEASE}"),
)


_GIVE = f"give {Field('original')} and {Field('schema')}"
OMIT = "omit this requirement"
# Why a measure of each source cannot be measured, and what helps; and why not, if an original is given.
LACKING: Mapping[str, tuple[str, str, str]] = {
    "input": ("it compares the file with its input", _GIVE, "this original and manifest do not show it"),
    "households": (
        "the file does not say which rows belong to one household",
        _GIVE,
        "the schema has no column of role household, or the release does not show in which class a row is",
    ),
    "population": (
        "it needs a table of the population",
        f"give {Field('population_file')} and {Field('schema')}",
        "",
    ),
    "estimate": (
        "the file shows neither weights nor a sampling fraction to estimate it from",
        _GIVE,
        "the schema has no column of role weight and the manifest no sampling fraction, or the release does "
        "not show in which class a row is",
    ),
    "weights": (
        "the file does not say what weights the suppressed rows had",
        _GIVE,
        "the schema has no column of role weight, or the release does not show in which class a row is",
    ),
}


def class_number(name: str) -> str:
    """The column with what one class alone has of a measure of sensitive values; empty if there is none."""
    line = line_of(name)
    if line is None or line.source == "sizes":
        return ""
    if line.source != "reference":
        return line.of_class
    return next(alias(own) for own, formula in DISTANCES.items() if formula == line.sql)


class NotMeasurable(Exception):
    """A measure that cannot be computed here, why, and what would help, if that is known."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy


class KnownMeasures(Protocol):
    """Whatever knows measures by name. `further` holds what was measured elsewhere."""

    @property
    def further(self) -> Mapping[str, float]: ...

    def value(self, name: str) -> float: ...


@dataclass(frozen=True, eq=False)
class Watched:
    """A sensitive column: its name and its column in the counts.

    What only the input says: the distribution there, and tables with the places of all values in their order
    and with their sets at each level of a tree below its top.
    """

    name: str
    column: str
    reference: Reference | None = None
    order: str | None = None
    tree: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Measurer:
    """Measures of counted classes. `further` holds what was measured elsewhere, by name."""

    counted: Counted
    watched: tuple[Watched, ...]
    settings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    further: Mapping[str, float] = field(default_factory=dict)
    # Whether an original is known: what it does not show, nothing will.
    beside: bool = False

    @property
    def known(self) -> tuple[str, ...]:
        """The names that have an answer here."""
        names = [*SIZES, *(FROM_THE_FILE if self.watched else ())]
        names += [name for name in FROM_THE_INPUT if self._answered(name)]
        columns = [one.name for one in self.watched] if len(self.watched) > 1 else []
        own = [f"{name}@{column}" for name in names if name not in SIZES for column in columns]
        return (*names, *own, *self.further)

    def _answered(self, name: str) -> bool:
        """Whether the input has said what a distance needs."""
        if not all(one.reference for one in self.watched) or not self.watched:
            return False
        return not name.startswith(ORDERED) or all(one.order for one in self.watched)

    def value(self, name: str) -> float:
        """The value of a measure, for one sensitive column (`l@diagnosis`) or the worst of all."""
        if name in self.further:
            return self.further[name]
        measure, at, column = name.partition("@")
        if measure in SIZES and not at:
            return self.counted.engine.number(f"select {LINES[measure].sql} from {self.counted.name}")
        if measure not in (*FROM_THE_FILE, *FROM_THE_INPUT):
            raise self._lacking(measure)
        asked = [one for one in self.watched if not at or one.name == column]
        if not asked:
            raise NotMeasurable(f"no column '{column}' is sensitive" if at else "no column is sensitive")
        return LINES[measure].worst([self._of_column(measure, one) for one in asked])

    def _lacking(self, measure: str) -> NotMeasurable:
        """What is missing for a measure that the classes of a file do not show."""
        line = line_of(measure)
        if line is None or line.source not in LACKING:
            return NotMeasurable("unknown measure of a finished table")
        why, remedy, otherwise = LACKING[line.source]
        return NotMeasurable(otherwise, OMIT) if self.beside and otherwise else NotMeasurable(why, remedy)

    def _of_column(self, measure: str, one: Watched) -> float:
        if measure == RECURSIVE:
            constant = float(self.settings.get(RECURSIVE, {}).get("c", CONSTANT))
            return self._extreme("min(value)", recursive_diversity(self.counted, one.column, constant))
        if LINES[measure].source == "values":
            return self._extreme(LINES[measure].sql, self._own_values[one.column][1])
        distance = measure.removesuffix(RELEASE)
        own, values = self._own_values[one.column]
        reference = own if measure.endswith(RELEASE) else one.reference
        if reference is None:
            raise NotMeasurable(f"it is measured against the input: give {Field('original')}")
        if distance == ORDERED:
            if one.order is None:
                raise NotMeasurable("the order of the values is not known")
            return self._farthest(ordered_distance(self.counted, one.column, reference, one.order))
        if distance == TREE and one.tree:
            return self._farthest(tree_distance(self.counted, one.column, reference, one.tree))
        if distance == TREE and one.reference is None:
            raise NotMeasurable(f"the tree of the values is not known: give {Field('original')}")
        if reference is not own:
            values = class_values(self.counted, one.column, reference)
        # A tree of one level is none: all values are equally far apart.
        return self._extreme(f"max({class_number(FLAT if distance == TREE else distance)})", values)

    def _farthest(self, query: str) -> float:
        return self._extreme("max(value)", query)

    def _extreme(self, expression: str, source: str) -> float:
        table = f"({source})" if source.startswith("select") else source
        return self.counted.engine.number(f"select {expression} from {table}")

    @cached_property
    def _own_values(self) -> dict[str, tuple[Reference, str]]:
        """For each sensitive column the release's own distribution, and the classes compared with it."""
        made = {}
        for one in self.watched:
            reference = release_reference(self.counted, one.column)
            made[one.column] = reference, class_values(self.counted, one.column, reference)
        return made
