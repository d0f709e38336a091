"""Where the risk of a table comes from, before any release: uniques, class sizes, columns, combinations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from paretonym.base.arrays import Codes, Floats, Integers
from paretonym.base.errors import Field, InputError
from paretonym.base.language import _, format_number, ngettext
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.number_text import parse_fraction
from paretonym.base.sentence_parts import percent, percentage
from paretonym.engine.counts import Cube, Persons, Weights
from paretonym.engine.measures import Realized, individual_risk
from paretonym.engine.recoding import Classes
from paretonym.engine.risk.household_risk import HouseholdRisk, household_risk
from paretonym.engine.risk.minimal_uniques import MinimalUniques, checked_size, class_sizes, minimal_uniques
from paretonym.engine.risk.population_uniqueness import RULE, PopulationUniques, SampleCounts
from paretonym.engine.risk.reidentification import Risk
from paretonym.tables.schema import Unit

FORMAT = "paretonym.risk/1"


class ColumnRisk(NamedTuple):
    """Risk by one quasi-identifier. `values` is the number of its different values, `alone` that of rows
    unique by it alone, `score` its share of all SUDA2 scores. `without` are the uniques if it were dropped,
    `smallest_without` and `average_without` the smallest class and the marketer risk then."""

    name: str
    values: int
    alone: int
    score: float
    without: int
    smallest_without: int
    average_without: float


class CombinationRisk(NamedTuple):
    """Columns that together make rows unique: the number of rows of which they are a minimal sample unique,
    and their share of all SUDA2 scores."""

    columns: tuple[str, ...]
    rows: int
    score: float


# Weights with a lower mean were probably scaled to the number of people in the table.
LEAST_MEAN = 1.01


@dataclass(frozen=True)
class SampleRisk:
    """Estimates of the population from a sampling fraction or weights; none of them is proven.

    `population` is the number of people in it, `smallest` the estimated k-map: the fewest of them that a
    class stands for, but not fewer than are in the table. `weights` says whether these numbers come from
    weights, and whether they were scaled to the sampling fraction.
    """

    fraction: float
    expected: float
    rows: int
    uniques: PopulationUniques
    population: float
    smallest: float
    weights: Literal["given", "scaled"] | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about what weights do not say."""
        if self.weights != "given" or self.fraction < 1 / LEAST_MEAN:
            return ()
        return (
            _(
                "The weights add up to hardly more than the {rows} people in the table, or to fewer, as if "
                "these were the whole population. If weights were scaled to their number, give the sampling "
                "fraction, too.",
                rows=format_number(f"{self.rows:,}"),
            ),
        )

    @property
    def share(self) -> float:
        """The share of the rows that is expected to be re-identified."""
        return self.expected / self.rows

    @classmethod
    def of(cls, risk: Risk, fraction: float) -> SampleRisk:
        sizes, counts = np.array(risk.sizes, dtype=np.float64).T
        expected = float((sizes * counts * individual_risk(sizes, sizes / fraction)).sum())
        uniques = PopulationUniques.of(SampleCounts(dict(risk.sizes), fraction))
        return cls(fraction, expected, risk.rows, uniques, risk.rows / fraction, risk.smallest / fraction)

    @classmethod
    def by_weights(cls, risk: Risk, sizes: Integers, weights: Floats, fraction: float | None) -> SampleRisk:
        """Estimates from the sums of weights of classes with these sizes. With a sampling fraction, weights
        only say who stands for more people than others: they are scaled to that population."""
        total = float(weights.sum())
        share = min(1.0, risk.rows / total) if fraction is None else fraction
        people = weights if fraction is None else weights * (risk.rows / fraction / total)
        uniques = PopulationUniques.of(SampleCounts(dict(risk.sizes), share))
        smallest = float(np.maximum(people, sizes).min())
        expected = float((sizes * individual_risk(sizes.astype(np.float64), people)).sum())
        kind: Literal["given", "scaled"] = "given" if fraction is None else "scaled"
        return cls(share, expected, risk.rows, uniques, float(people.sum()), smallest, kind)

    def as_json(self) -> dict[str, Any]:
        models = {
            estimate.model: {
                "uniques": estimate.uniques,
                "assumes": estimate.assumes,
                "reference": estimate.reference,
            }
            for estimate in self.uniques.estimates
        }
        return {
            "sampling_fraction": self.fraction,
            "expected_reidentifications": self.expected,
            "share": self.share,
            "weights": self.weights,
            "population": self.population,
            "estimated_k_map": self.smallest,
            "population_uniques": {
                "trusted": self.uniques.trusted,
                "uniques": self.uniques.uniques,
                "rule": RULE,
                "models": models,
            },
        }


@dataclass(frozen=True, repr=False)
class TableRisk:
    """Where the risk of a table comes from. For the publisher alone: it describes the table itself, which is
    confidential. It holds no values of columns and nothing about single rows.

    `by_size` says for each size how many rows, or persons, have their smallest minimal sample unique of that
    many columns.
    """

    read: int
    classes: Risk
    size: int
    by_size: tuple[int, ...]
    columns: tuple[ColumnRisk, ...]
    combinations: tuple[CombinationRisk, ...]
    sample: SampleRisk | None = None
    cautions: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        cube: Cube,
        unit: Unit,
        size: int | None = None,
        fraction: float | None = None,
        threads: int = 1,
        weights: Weights | None = None,
    ) -> TableRisk:
        """The risk of a table that was counted, with minimal sample uniques of at most `size` columns and, if
        a sampling fraction or the weights of its values are given, estimates for the population."""
        counted = cube.finest or cube
        sizes = counted.class_sizes(np.arange(counted.tuples), counted.counts)
        persons = counted.persons if counted.persons and not counted.persons.one_tuple_each else None
        codes = np.ascontiguousarray(counted.groups.T, dtype=np.int32)
        names = [axis.name for axis in counted.axes]
        uniques = minimal_uniques(codes, sizes, checked_size(size, len(names)), threads, persons)
        whole = max(uniques.total, 1)
        combinations = [
            CombinationRisk(
                tuple(names[j] for j in members), count, uniques.weight(len(members)) * count / whole
            )
            for members, count in uniques.counts.items()
        ]
        sample = replace(
            counted.sample,
            fraction=None if fraction is None else Fraction(fraction),
            weights=None if weights is None else lambda _: weights,
        )
        sampled = replace(counted, sample=sample)
        smallest_of_each = None if persons is None else persons.least(sizes)
        risk = Risk.of_sizes(sizes, unit, smallest_of_each=smallest_of_each)
        classes = replace(risk, households=_households(sampled, unit))
        return cls(
            counted.read,
            classes,
            uniques.size,
            _by_smallest(uniques, persons),
            tuple(_column(j, name, codes, sizes, uniques, persons) for j, name in enumerate(names)),
            tuple(sorted(combinations, key=lambda each: (-each.score, len(each.columns), each.columns))),
            None
            if persons is not None
            else _sample(
                classes, sizes, fraction, None if weights is None else weights.people / weights.unit
            ),
            () if persons is None else _of_several(persons, fraction is not None or weights is not None),
        )

    @property
    def unit(self) -> Unit:
        """The unit of a row."""
        return self.classes.unit

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that must be known before any number is used."""
        return (*self.unit.warnings, *self.cautions, *(self.sample.warnings if self.sample else ()))

    @property
    def uniques(self) -> int:
        """The number of rows that are unique in all quasi-identifiers together."""
        return self.classes.below(2)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        rows = [
            (one.name, f"{one.values:,}", f"{one.alone:,}", percentage(one.score), f"{one.without:,}")
            for one in sorted(self.columns, key=lambda column: (-column.score, column.without))
        ]
        heads = ("column", "values", "unique by it alone", "share of the score", "unique without it")
        return NotebookView([str(self), str(self.classes)], heads, rows, self.cautions).html()

    def __str__(self) -> str:
        rows, unit = self.classes.rows, self.unit
        text = ngettext(
            "{people} of {rows} ({share}) is unique in the quasi-identifiers together",
            "{people} of {rows} ({share}) are unique in the quasi-identifiers together",
            self.uniques,
            people=unit.count(self.uniques),
            rows=format_number(f"{rows:,}"),
            share=percent(self.uniques / rows),
        )
        if not self.size or not self.uniques:
            return f"{text}."
        alone = format_number(f"{sum(self.by_size):,}")
        if self.size == 1:
            return _("{text}; {alone} already by one quasi-identifier.", text=text, alone=alone)
        return _("{text}; {alone} already by at most {size} of them.", text=text, alone=alone, size=self.size)

    def as_json(self) -> dict[str, Any]:
        """One document with every number."""
        risk = self.classes
        people = {"highest": risk.prosecutor, "average": risk.marketer} if self.unit.is_person else None
        return {
            "format": FORMAT,
            "audience": "publisher",
            "unit": self.unit.many,
            "warnings": list(self.warnings),
            "read": self.read,
            "rows": risk.rows,
            "classes": risk.classes,
            "k": risk.smallest,
            "uniques": self.uniques,
            "unique_share": self.uniques / risk.rows,
            "risk": people,
            "sizes": [list(size) for size in risk.sizes],
            "suda": {"size": self.size, "rows_by_smallest": list(self.by_size)},
            "columns": [column._asdict() for column in self.columns],
            "combinations": [combination._asdict() for combination in self.combinations],
            **({} if risk.households is None else {"households": risk.households._asdict()}),
            "sample": None if self.sample is None else self.sample.as_json(),
        }


def _households(cube: Cube, unit: Unit) -> HouseholdRisk | None:
    """The risk of the households of the table as it is."""
    if cube.households is None or not unit.is_person:
        return None
    unchanged = Classes.at_levels(cube, {axis.name: axis.lowest for axis in cube.axes})
    return household_risk(Realized.of_classes(cube, unchanged, ()))


def _sample(risk: Risk, sizes: Integers, fraction: float | None, weights: Floats | None) -> SampleRisk | None:
    if weights is not None:
        return SampleRisk.by_weights(risk, sizes, weights, fraction)
    return None if fraction is None else SampleRisk.of(risk, fraction)


def _of_several(persons: Persons, asked: bool) -> tuple[str, ...]:
    """Sentences on what the figures mean if rows of one person have different quasi-identifiers."""
    facts = persons.facts
    figures = ngettext(
        "{number} of {people} people has rows with different quasi-identifiers, and is unique by columns in "
        "which nobody else has the same values. Combinations of columns count person-groups: a person once "
        "for each different combination of values.",
        "{number} of {people} people have rows with different quasi-identifiers. A person is unique by "
        "columns in which nobody else has the same values. Combinations of columns count person-groups: a "
        "person once for each different combination of values.",
        facts.differing,
        people=format_number(f"{facts.number:,}"),
    )
    none = _("The population is not estimated: there, too, such a person would be in several classes.")
    return (figures, none) if asked else (figures,)


def _by_smallest(uniques: MinimalUniques, persons: Persons | None) -> tuple[int, ...]:
    """For each size, the number of rows (or different persons) whose smallest MSU has so many columns."""
    if persons is None or not uniques.per_tuple:
        return uniques.rows_by_smallest()
    marked = np.stack([counts > 0 for counts in uniques.per_tuple])
    smallest = np.where(marked.any(axis=0), marked.argmax(axis=0), len(marked))
    numbers = np.bincount(persons.least(smallest), minlength=len(marked))
    return tuple(numbers[: len(marked)].tolist())


def _column(
    j: int, name: str, codes: Codes, counts: Integers, found: MinimalUniques, persons: Persons | None
) -> ColumnRisk:
    others = np.delete(codes, j, axis=0)
    rest = class_sizes(others, counts, persons)
    # The parts of a class's tuples add up to 1, and with them the classes, and the people in each.
    part = 1 / class_sizes(others, np.ones_like(counts))
    alone = class_sizes(codes[j : j + 1], counts, persons)
    number = (lambda marked: int(marked.sum())) if persons is None else persons.among
    return ColumnRisk(
        name,
        len(np.unique(codes[j])),
        number(alone == 1),
        found.of_column(j) / max(found.total, 1),
        number(rest == 1),
        int(rest.min()),
        round(float(part.sum())) / round(float((rest * part).sum())),
    )


def sampling_share(given: str | float | Fraction, unit: Unit) -> Fraction:
    """A sampling fraction of people: above 0, at most 1.

    >>> from paretonym.tables.schema.row_unit import PEOPLE
    >>> sampling_share("2%", PEOPLE)
    Fraction(1, 50)
    """
    place = Field("sampling_fraction", str(given))
    fraction = given if isinstance(given, Fraction) else parse_fraction(str(given), place)
    if not 0 < fraction <= 1:
        raise InputError.of(place, "a sampling fraction is above 0 and at most 1", "give, for example, 2%")
    if not unit.is_person:
        raise InputError.of(
            place,
            "it is the share of a population of people, and the schema says that rows are events",
            "omit it, or give a table with one row per person",
        )
    return fraction
