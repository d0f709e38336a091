"""Combinations that are refused: questions, tables and spaces, in one table of refusals.

Some combinations make no sense in any space. Others need a feature that a space may lack; then the space
gives the reason (`supports`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from paretonym.base.errors import Field, InputError
from paretonym.base.number_text import format_fraction
from paretonym.engine.counts import Cube
from paretonym.engine.measures import WEIGHTS, Measure, card_of
from paretonym.engine.recoding import DEFAULT_SUPPRESSION, Feature
from paretonym.engine.spaces.space import Question, Space
from paretonym.engine.spaces.space_registry import supporting
from paretonym.tables.schema import PEOPLE, Unit


class Table(Protocol):
    """Table as a combination depends on it, besides the question; `unit` says what a row is."""

    @property
    def cube(self) -> Cube: ...
    @property
    def unit(self) -> Unit: ...


class CubeAlone(NamedTuple):
    """A table of which only the cube is known."""

    cube: Cube
    unit: Unit = PEOPLE


class Combination(NamedTuple):
    """Fault of an option, `wrong`, and its `remedy`. `met` gives the words that both texts name, None if
    a question to a table is not of this kind. With a `feature` it is refused in spaces that lack that alone:
    {space}, for its {reason}; {able} are the others."""

    option: str
    met: Callable[[Question, Table], Mapping[str, str] | None]
    wrong: str
    remedy: str
    feature: Feature | None = None


def check_table(question: Question, table: Table) -> None:
    """Refuse what can be answered in no space."""
    for combination in COMBINATIONS:
        words = None if combination.feature else combination.met(question, table)
        if words is not None:
            raise _refusal(combination, words)


def check_space(space: Space, question: Question, cube: Cube, alone: bool = True) -> None:
    """Refuse a space that lacks what a question needs; `alone`, also a suppression rule that would mean
    nothing in it."""
    for combination in COMBINATIONS:
        feature = combination.feature
        if feature is None or not space.lacks(feature) or (feature is Feature.SUPPRESSION and not alone):
            continue
        if combination.met(question, CubeAlone(cube)) is not None:
            able = " or ".join(str(Field("space", name)) for name in supporting(feature))
            raise _refusal(
                combination, {"space": space.name, "reason": space.supports[feature], "able": able}
            )


def _refusal(combination: Combination, words: Mapping[str, str]) -> InputError:
    wrong, remedy = (text.format(**words) for text in (combination.wrong, combination.remedy))
    return InputError.of(Field(combination.option), wrong, remedy)


def _measure(question: Question, kind: Callable[[Measure], bool]) -> dict[str, str] | None:
    """The first measure of a kind that is an objective or limited."""
    cards = ((name, card_of(name)) for name in question.names)
    return _first(name for name, card in cards if card is not None and kind(card))


def _first(names: Iterable[str]) -> dict[str, str] | None:
    return next(({"measure": name} for name in names), None)


def _whole_units(question: Question, table: Table) -> dict[str, str] | None:
    units = None if question.suppress.is_nothing else table.cube.units
    return None if units is None else {"unit": "person" if units.persons else "household"}


def _every_threshold_of_units(question: Question, table: Table) -> dict[str, str] | None:
    words = _whole_units(question, table) if question.suppress.every_threshold else None
    return None if words is None else words | {"rule": str(question.suppress)}


def _persons_and_households(question: Question, table: Table) -> dict[str, str] | None:
    words = _whole_units(question, table)
    return None if words is None or None in (table.cube.persons, table.cube.households) else words


def _estimate_of_units(question: Question, table: Table) -> dict[str, str] | None:
    words = _whole_units(question, table)
    weighted = (name for name in question.names if question.settings.get(name, {}).get(WEIGHTS))
    measure = _measure(question, lambda card: card.needs == "estimate") or _first(weighted)
    return None if words is None or measure is None else words | measure


def _risk_of_people(question: Question, table: Table) -> dict[str, str] | None:
    return None if table.unit.is_person else _measure(question, lambda card: card.published.of_people)


def _persons(question: Question, table: Table) -> dict[str, str] | None:
    return None if table.cube.persons is None else {}


def _population_of_persons(question: Question, table: Table) -> dict[str, str] | None:
    return None if table.cube.sample.population is None else _persons(question, table)


def _own_suppression(question: Question, table: Table) -> dict[str, str] | None:
    return None if question.suppress == DEFAULT_SUPPRESSION or question.suppress.is_nothing else {}


def _limit_of_problem(question: Question, table: Table) -> dict[str, str] | None:
    """A limit of suppression for a problem of the trade-offs paper that says itself what is suppressed."""
    if "problem" not in question.space_options:
        return None
    # Here, so that only who asks for a problem loads the space of cuts.
    from paretonym.engine.spaces.cuts.four_problems import PaperProblem

    problem, rule = PaperProblem.of_options(question.space_options), question.suppress
    if problem is None or not problem.own_suppression or rule == DEFAULT_SUPPRESSION:
        return None
    if rule.is_nothing and problem.number == 1:
        return None
    limit = Field("at_most", f"sl={format_fraction(100 * rule.fraction)}%")
    return {"number": str(problem.number), "suppresses": problem.own_suppression, "limit": str(limit)}


COMBINATIONS = (
    Combination(
        "objectives",
        _risk_of_people,
        "{measure} is a risk of people, and the schema says that rows are events",
        "ask for k, which counts rows; give the role person to the column that says which person a row "
        "belongs to; or give a table with one row per person",
    ),
    Combination(
        "population_file",
        _population_of_persons,
        "a population is counted in rows, and the schema has a column of role person",
        "omit it, or give a table with one row per person",
    ),
    Combination(
        "suppress",
        _every_threshold_of_units,
        "'{rule}' tries every threshold, and the schema says suppress.unit = \"{unit}\"",
        f'give a limit such as {Field("suppress", "0.01")}, or set suppress.unit = "row"',
    ),
    Combination(
        "suppress",
        _persons_and_households,
        'the schema says suppress.unit = "{unit}", and the schema has persons with several rows and '
        "households",
        'set suppress.unit = "row", or give one of these columns the role "drop"',
    ),
    Combination(
        "suppress",
        _estimate_of_units,
        'the schema says suppress.unit = "{unit}", and {measure} is estimated for single rows',
        'omit {measure}, suppress nothing, or set suppress.unit = "row"',
    ),
    Combination(
        "space",
        _persons,
        "the schema has a column of role person, and the space {space} counts rows, not persons: {reason}",
        "use {able}",
        Feature.PERSONS,
    ),
    Combination(
        "suppress",
        _whole_units,
        "the schema suppresses whole persons or households, and the space {space} suppresses equivalence "
        "classes: {reason}",
        "use {able}",
        Feature.UNITS,
    ),
    Combination(
        "objectives",
        lambda question, table: _measure(question, lambda card: card.needs == "population"),
        "measures of the population are not known in the space {space}: {reason}",
        "use {able}",
        Feature.POPULATION,
    ),
    Combination(
        "suppress",
        _limit_of_problem,
        "problem {number} {suppresses}, whatever the limit",
        "omit it; {limit} excludes releases that suppress more",
    ),
    Combination("suppress", _own_suppression, "{reason}", "omit it", Feature.SUPPRESSION),
)
