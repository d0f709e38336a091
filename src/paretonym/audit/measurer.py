"""Every measure of a finished table, by name, from its counted classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paretonym.audit.checks import Check, Requirement, same
from paretonym.audit.class_counts import ClassCounts
from paretonym.audit.sql_formulas import DISTANCES, LINES, RELEASE, alias, line_of, names_of
from paretonym.base.errors import Field, InputError, did_you_mean

RECURSIVE, ORDERED, TREE, FLAT = "l-recursive", "t-ordered", "t-tree", "t"
CONSTANT = 3.0
SIZES = names_of(lambda line: line.source == "sizes")
# Of sensitive columns: measures of the file alone, and those that need the input or the schema.
FROM_THE_FILE = names_of(lambda line: line.source == "values") + tuple(
    f"{name}{RELEASE}" for name in DISTANCES
)
FROM_THE_INPUT = (
    *(name for name in names_of(lambda line: line.source == "reference") if not name.endswith(RELEASE)),
    *(ORDERED, TREE, f"{ORDERED}{RELEASE}", f"{TREE}{RELEASE}"),
)
_GIVE = f"give {Field('original')} and {Field('schema')}"
_OMIT = "omit this requirement"
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
}


class NotMeasurable(Exception):
    """A measure that cannot be computed, why, and what would help, if that is known."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy


@dataclass(frozen=True, eq=False)
class Watched:
    """A sensitive column: its name and its column in the counts. Known from the input only: the distribution
    there, and tables of all values in their order and of their sets at each level of a tree below its top."""

    name: str
    column: str
    reference: str | None = None
    order: str | None = None
    tree: tuple[str, ...] = ()

    @property
    def distances(self) -> tuple[str, ...]:
        """The distances from the input that can be told."""
        further = ((ORDERED, self.order), (TREE, self.tree))
        return (*DISTANCES, *(name for name, known in further if known))

    def of_classes(self, counted: ClassCounts, measure: str) -> str:
        """A query for what every class has of a measure: class and value."""
        distance = measure.removesuffix(RELEASE)
        by_file = measure.endswith(RELEASE) or LINES[measure].source == "values"
        reference = counted.own_distribution(self.column) if by_file else self.reference
        if reference is None:
            raise NotMeasurable(f"it is measured against the input: give {Field('original')}")
        if measure == RECURSIVE:
            return counted.recursive(self.column, CONSTANT)
        if distance == ORDERED:
            if self.order is None:
                raise NotMeasurable("the order of the values is not known")
            return counted.ordered_distance(self.column, reference, self.order)
        if distance == TREE and self.tree:
            return counted.tree_distance(self.column, reference, self.tree)
        if distance == TREE and self.reference is None:
            raise NotMeasurable(f"the tree of the values is not known: give {Field('original')}")
        # A tree of one level is none: all values are equally far apart.
        named = alias(FLAT if distance == TREE else distance)
        return f"select class, {named} as value from {counted.numbers(self.column, reference)}"


@dataclass(frozen=True, eq=False)
class Measurer:
    """Measures of counted classes. `further` holds what was measured elsewhere, by name; `unknown` says why
    nothing but that is known. Sizes may be those of other classes: people who look the same, in buckets."""

    counted: ClassCounts
    watched: tuple[Watched, ...] = ()
    further: Mapping[str, float] = field(default_factory=dict)
    # Whether an original is known: what it does not show, nothing will.
    beside: bool = False
    sizes: ClassCounts | None = None
    unknown: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The measures that have an answer."""
        of_values = [*(FROM_THE_FILE if self.watched else ())]
        of_values += [name for name in FROM_THE_INPUT if self._is_answered(name)]
        columns = [one.name for one in self.watched] if len(self.watched) > 1 else []
        by_column = [f"{name}@{column}" for name in of_values for column in columns]
        return (*SIZES, *of_values, *by_column, *self.further)

    def _is_answered(self, name: str) -> bool:
        if not self.watched or not all(one.reference for one in self.watched):
            return False
        return not name.startswith(ORDERED) or all(one.order for one in self.watched)

    def value(self, name: str) -> float:
        """The value of a measure, for one sensitive column (`l@diagnosis`) or the worst of all."""
        if name in self.further:
            return self.further[name]
        if self.unknown:
            raise NotMeasurable(self.unknown, _OMIT)
        measure, at, column = name.partition("@")
        if measure in SIZES and not at:
            return (self.sizes or self.counted).extreme(LINES[measure].sql)
        if measure not in (*FROM_THE_FILE, *FROM_THE_INPUT):
            raise self._lacking(measure)
        columns = [one for one in self.watched if not at or one.name == column]
        if not columns:
            raise NotMeasurable(f"no column '{column}' is sensitive" if at else "no column is sensitive")
        line = LINES[measure]
        queries = [one.of_classes(self.counted, measure) for one in columns]
        return line.worst([self.counted.extreme(f"{line.over}(value)", query) for query in queries])

    def _lacking(self, measure: str) -> NotMeasurable:
        """The reason why the classes of a file do not show a measure, and the remedy."""
        line = line_of(measure)
        if line is None or line.source not in LACKING:
            return NotMeasurable("unknown measure of a finished table")
        reason, remedy, otherwise = LACKING[line.source]
        return NotMeasurable(otherwise, _OMIT) if self.beside and otherwise else NotMeasurable(reason, remedy)


def chosen(file: Measurer, original: Measurer | None, name: str, costs: bool = False) -> Measurer:
    """The measurer for a name: the original gives the distribution of values in the input, and the costs."""
    if original is None:
        return file
    needed = name.partition("@")[0] in FROM_THE_INPUT or (costs and name in original.further)
    return original if needed else file


def check_claim(measurer: Measurer, name: str, stated: float) -> Check:
    """Check that a claim of the manifest is what is measured; one that cannot be measured fails."""
    try:
        value = measurer.value(name)
    except NotMeasurable as reason:
        return Check("claim", name, stated, None, False, f"cannot be measured: {reason}")
    return Check("claim", name, stated, value, same(stated, value))


def check_requirement(measurer: Measurer, requirement: Requirement, names: tuple[str, ...]) -> Check:
    """Check that what is measured is what somebody requires; `names` are those that could be meant."""
    name = requirement.measure
    try:
        value = measurer.value(name)
    except NotMeasurable as reason:
        remedy = reason.remedy or did_you_mean(name.partition("@")[0], sorted(set(names)))
        wrong = f"'{name}' cannot be measured: {reason}"
        raise InputError.of(Field("require", str(requirement)), wrong, remedy) from None
    return Check("requirement", str(requirement), None, value, requirement.holds(value))
