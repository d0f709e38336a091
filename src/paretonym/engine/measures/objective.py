"""An objective: a measure that is optimized, with the columns that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats
from paretonym.base.errors import Field, InputError, Place, did_you_mean
from paretonym.base.number_text import number_to_json
from paretonym.base.random_seed import checked_seed
from paretonym.base.rounding import rounded
from paretonym.engine.counts import Cube, Kind, Margin, Purpose, Statistic
from paretonym.engine.measures.candidate_facts import Facts
from paretonym.engine.measures.card import Measure, MeasureName, Parameter, Reach
from paretonym.engine.measures.estimates.declared_analyses import check_purposes
from paretonym.engine.measures.estimates.released_regions import Seen
from paretonym.engine.measures.estimates.squared_error import value_numbers
from paretonym.engine.measures.limit import Limit, Most
from paretonym.engine.measures.registry import MEASURES, PURPOSE, as_set
from paretonym.engine.recoding import ClassCondition, Classes

# The parameters of measures, `{"l-recursive": {"c": 2}}`; as Python gives them shares may be texts, "5%".
Settings: TypeAlias = Mapping[str, Mapping[str, float | str]]


@dataclass(frozen=True, slots=True)
class Objective:
    """`name` is as asked (`l`, `l@diagnosis`); `statistics` holds one statistic for each column. `columns`
    are for measures from classes."""

    name: str
    card: Measure
    statistics: tuple[Statistic, ...]
    columns: tuple[str, ...] = ()
    parameters: tuple[tuple[str, float | str], ...] = ()

    @classmethod
    def of(
        cls, name: str, cube: Cube, settings: Settings | None = None, place: Place = Field("objectives")
    ) -> Objective:
        """The objective that a name such as `l` or `l@diagnosis` means for this table."""
        asked = MeasureName.parsed(name)
        measure, column = asked.measure, asked.column or ""
        plain = known_measure(measure, place)
        parameters = {**plain.defaults, **(settings or {}).get(measure, {})}
        card = as_set(plain, parameters)
        if asked.column is not None and card.counted.over is None:
            raise InputError.of(
                place,
                f"'{name}' names a column, but {measure} does not take one",
                f"use {measure}",
            )
        _check_needs(card, cube, place)
        margins = _margins(card, cube, column, place)
        return cls.over(name, card, margins, parameters)

    @classmethod
    def over(
        cls,
        name: str,
        card: Measure,
        margins: Sequence[Margin | Purpose],
        parameters: Mapping[str, float | str],
    ) -> Objective:
        """A measure of these columns, with these parameters."""
        kind, columns = card.counted.statistic, tuple(margin.name for margin in margins)
        if kind is None:
            return cls(name, card, (), columns, tuple(parameters.items()))
        constant = next(iter(parameters.values()), 0.0)
        # A choice is its place among those that there are.
        choices = next((p for p in card.parameters.values() if isinstance(p, tuple)), ())
        constant = float(choices.index(constant) if constant in choices else constant)
        released = card.counted.against == "release"
        statistics = tuple(Statistic(kind, column, released, constant) for column in columns)
        return cls(name, card, statistics, parameters=tuple(parameters.items()))

    @classmethod
    def several(
        cls, names: Iterable[str], cube: Cube, settings: Settings | None = None
    ) -> tuple[Objective, ...]:
        """The objectives with these names: at least one, and none twice."""
        wanted, place = list(names), Field("objectives")
        if not any(wanted):
            raise InputError.of(place, "no objective is given", "give at least one, such as k,loss")
        for name in wanted:
            if wanted.count(name) > 1:
                raise InputError.of(place, f"'{name}' is given twice", "give each objective once")
        return tuple(cls.of(name, cube, settings, place) for name in wanted)

    @property
    def direction(self) -> str:
        return self.card.direction

    def threshold(self, bound: float) -> ClassCondition:
        """The condition that a class is not worse than a bound, if the measure belongs to one class alone."""
        usual = self.card.defaults
        changed = (f"{name}={value}" for name, value in self.parameters if value != usual[name])
        return ClassCondition.best_side(self.name, self.direction, number_to_json(bound), next(changed, ""))

    @property
    def is_of_classes(self) -> bool:
        """True if it is measured from all that classes show, candidate by candidate."""
        return self.card.counted.from_classes is not None

    @property
    def reach(self) -> Reach | None:
        """The reach of the classes of a node: what they say about its specializations."""
        return self.card.algebra.reach

    def of_classes(self, cube: Cube, classes: Classes) -> Floats:
        """The value of a class-wise measure for each class, rounded as solutions are."""
        margins = {s: cube.margin(s.column) for s in self.statistics}
        values = {
            s: s.of_every_class(margin, classes.of_tuple, len(classes), margin.shares, classes.sizes)
            for s, margin in margins.items()
        }
        sizes, nothing = classes.sizes, np.zeros(len(classes), dtype=np.int64)
        squares, alone = sizes**2, (sizes == 1).astype(np.int64)
        counts = (sizes, nothing, nothing + 1, squares, squares, alone, sizes, sizes, classes.rows**2)
        facts = Facts(cube.rows, nothing, *counts, {}, values)
        return rounded(self.value(facts))

    def value(self, facts: Facts) -> Floats:
        return self.card.value(facts.scoped(self.statistics, self.name))

    def of_statistics(self, counted: Sequence[Floats]) -> Floats:
        """The values that follow from the statistics of each column, the worst column's: for measures of
        single classes."""
        least = self.statistics[0].least_counts
        worst = np.min(counted, axis=0) if least else np.max(counted, axis=0)
        return self.card.counted.link.of(worst)

    def from_classes(self, seen: Seen) -> float | None:
        """The value if it is computed from the classes themselves; None if counts are enough."""
        function = self.card.counted.from_classes
        return None if function is None else function(seen, self.columns, dict(self.parameters))


def known_measure(name: str, place: Place) -> Measure:
    """The measure of that name; the error for an unknown name lists the known ones."""
    if name not in MEASURES:
        raise InputError.of(place, f"unknown measure '{name}'", did_you_mean(name, MEASURES))
    return MEASURES[name]


class Need(NamedTuple):
    """Facts of a table that some measures need, what is wrong without them ({measure}), and the remedy.
    What `counts` it is asked at once: its own mistakes are reported before a long search."""

    known: Callable[[Cube], bool]
    wrong: str
    remedy: str
    counts: Callable[[Cube], object] = lambda cube: None


_NEEDS: Mapping[str, Need] = {
    "population": Need(
        lambda cube: cube.sample.population is not None,
        "{measure} needs a table of the population that the rows were drawn from",
        f"give {Field('population_file', 'FILE')}, or omit {{measure}}",
        lambda cube: cube.population,
    ),
    "estimate": Need(
        lambda cube: cube.sample.weights is not None or cube.sample.fraction is not None,
        "{measure} estimates a population from weights or a sampling fraction, and neither is known",
        f'give the column of the weights role = "weight", or give {Field("sampling_fraction", "2%")}',
        lambda cube: None if cube.sample.weights is None else cube.weights,
    ),
    "weights": Need(
        lambda cube: cube.sample.weights is not None,
        "{measure} counts every row by its sampling weight, and the table has none",
        'give the column of the weights role = "weight" (and rows that are people), or omit {measure}',
        lambda cube: cube.weights,
    ),
    "households": Need(
        lambda cube: cube.households is not None,
        "{measure} needs a column of role household, but the schema has none",
        'give the column that says which rows belong together role = "household", or omit {measure}',
    ),
    "required": Need(
        lambda cube: cube.required is not None,
        "{measure} needs a column of role required-k, but the schema has none",
        'give the column that says which k everybody requires role = "required-k", or omit {measure}',
    ),
    "numbers": Need(
        lambda cube: any(value_numbers(axis) is not None for axis in cube.axes),
        "{measure} is about numbers, and no quasi-identifier has only numbers",
        "omit {measure}, or use loss",
    ),
    "purposes": Need(
        lambda cube: bool(cube.purposes),
        "{measure} compares declared analyses, and the schema declares none",
        "add [[purpose]] to the schema, or omit {measure}",
        check_purposes,
    ),
}


def _check_needs(card: Measure, cube: Cube, place: Place) -> None:
    need = None if card.needs is None else _NEEDS[card.needs]
    if need is None:
        return
    if not need.known(cube):
        name = card.name
        raise InputError.of(place, need.wrong.format(measure=name), need.remedy.format(measure=name))
    need.counts(cube)


def _margins(
    card: Measure, cube: Cube, column: str, place: Place
) -> tuple[Margin, ...] | tuple[Purpose, ...]:
    role = card.counted.over
    if role is None:
        return ()
    if role == "purposes":
        return _purposes(card, cube, column, place)
    margins = cube.sensitive if role == "sensitive" else cube.classes
    if not margins:
        raise InputError.of(
            place,
            f"{card.name} needs a column of role '{role}', but the schema has none",
            f'give a column role = "{role}", or omit {card.name}',
        )
    names = [margin.name for margin in margins]
    if column and column not in names:
        raise InputError.of(
            place,
            f"'{column}' is not a column of role '{role}'",
            did_you_mean(column, names),
        )
    if role == "class" and len(margins) > 1 and not column:
        raise InputError.of(
            place,
            f"{card.name} takes one class column, but there are several",
            f"choose one: {card.name}@{names[0]}",
        )
    chosen = tuple(margin for margin in margins if not column or margin.name == column)
    if card.counted.statistic is Kind.ORDERED:
        _check_ordered(card, chosen, place)
    return chosen


def _purposes(card: Measure, cube: Cube, name: str, place: Place) -> tuple[Purpose, ...]:
    """The purposes with analyses that a measure compares; one alone if it is named."""
    measured = {
        purpose.name: purpose
        for purpose in cube.purposes
        if card.name == PURPOSE or any(card.name in each.measures for each in purpose.analyses)
    }
    if name and name not in measured:
        wrong = f"'{name}' is not a purpose that {card.name} compares"
        raise InputError.of(place, wrong, did_you_mean(name, measured))
    if not measured:
        wrong = f"the schema declares no analysis that {card.name} compares"
        raise InputError.of(place, wrong, f"add such a [[purpose]], or omit {card.name}")
    return tuple(purpose for purpose in measured.values() if name in ("", purpose.name))


def _check_ordered(card: Measure, margins: tuple[Margin, ...], place: Place) -> None:
    for margin in margins:
        if not margin.ordered:
            raise InputError.of(
                place,
                f"{card.name} needs ordered values, but column '{margin.name}' has no order",
                "give the column an order in the schema, or use t",
            )


def with_seed(settings: Settings, seed: int) -> Settings:
    """These settings with the seed for every measure that draws numbers."""
    if not seed:
        return settings
    drawn = (name for name, card in MEASURES.items() if "seed" in card.parameters)
    return {**settings, **{name: {"seed": float(seed), **settings.get(name, {})} for name in drawn}}


def parse_settings(entries: Iterable[str]) -> dict[str, dict[str, float | str]]:
    """Read `l-recursive.c=2`: a measure's parameter."""
    settings: dict[str, dict[str, float | str]] = {}
    for entry in entries:
        name, equals, text = entry.partition("=")
        measure, dot, parameter = name.strip().rpartition(".")
        if not (equals and dot):
            raise InputError.of(
                Field("settings"),
                f"'{entry}' is not of the form MEASURE.PARAMETER=VALUE",
                "use, for example, l-recursive.c=2",
            )
        settings.setdefault(measure, {})[parameter] = _value(measure, parameter, text.strip())
    return settings


def settings_of(given: Settings | None) -> dict[str, dict[str, float | str]]:
    """Parameters of measures as Python gives them; shares may be texts, as on the command line.

    >>> settings_of({"query-error": {"sel": "5%", "qd": 3}})
    {'query-error': {'sel': 0.05, 'qd': 3}}
    """
    entries = {} if given is None else given
    if not isinstance(entries, Mapping) or not all(isinstance(each, Mapping) for each in entries.values()):
        wrong = "it is not a mapping of measures to their parameters"
        raise InputError.of(Field("settings"), wrong, 'use, for example, {"l-recursive": {"c": 2}}')
    return {
        measure: {name: _value(measure, name, value) for name, value in parameters.items()}
        for measure, parameters in entries.items()
    }


def _value(measure: str, parameter: str, value: float | str) -> float | str:
    """The value of a parameter: one of its choices, or a number; a text is read."""
    kind = _parameter(measure, parameter)
    if parameter == "seed":
        return float(checked_seed(value, Field("settings", f"{measure}.seed")))
    if not isinstance(kind, tuple):
        return _positive(f"{measure}.{parameter}={value}", value, kind) if isinstance(value, str) else value
    for choice in kind:
        if str(value) == str(choice) or value == choice:
            return choice
    raise InputError.of(
        Field("settings"),
        f"{measure}.{parameter} is {value}",
        f"give {' or '.join(map(str, kind))}",
    )


def _parameter(measure: str, parameter: str) -> Parameter:
    """The default or the choices of a parameter."""
    card = known_measure(measure, Field("settings"))
    if parameter not in card.parameters:
        known = ", ".join(card.parameters) or "none"
        raise InputError.of(
            Field("settings"),
            f"{measure} has no parameter '{parameter}'",
            f"it has: {known}",
        )
    return card.parameters[parameter]


def _positive(entry: str, text: str, usual: float) -> float:
    """A number above 0; a percentage where the parameter is a share."""
    share = text.endswith("%") and 0 < usual < 1
    try:
        value = float(text.removesuffix("%")) / 100 if share else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise InputError.of(
            Field("settings"),
            f"'{entry}' does not give a number above 0",
            "use, for example, l-recursive.c=2",
        )
    return value


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit that every solution must meet, on a measure of one table."""

    objective: Objective
    limit: Limit

    @classmethod
    def of(cls, limit: Limit, cube: Cube, settings: Settings | None = None) -> Requirement:
        """A limit on a measure of this table, with these settings."""
        return cls(Objective.of(limit.name, cube, settings, limit.place), limit)

    def met(self, facts: Facts) -> npt.NDArray[np.bool_]:
        return self.limit.meets(rounded(self.objective.value(facts)))

    @property
    def worst_cost(self) -> float:
        """The last unrounded value that meets it once it is rounded, as a cost."""
        return (-1.0 if self.objective.direction == "max" else 1.0) * self.limit.farthest

    def most(self, cube: Cube) -> Most | None:
        """The highest value that a measure with a lower limit can have in any release of a table, if that is
        known: nothing has more households than the table, and no class more people, rows or values."""
        people = None if cube.persons is None else cube.people
        households = None if cube.households is None else cube.households.number
        return self.limit.most(cube.rows, people, households)

    @property
    def prunes(self) -> bool:
        """True if it requires good values of its measure."""
        return self.limit.is_good_side

    def __str__(self) -> str:
        return self.limit.text
