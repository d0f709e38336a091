"""A solution: one recoding, what it protects and what it costs; and in words, how each column is shown, which
rows are suppressed, and what each column loses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from paretonym.base.errors import InputError, Phrase, UnknownName, did_you_mean, in_python, phrased
from paretonym.base.language import _, format_number, ngettext
from paretonym.base.number_text import number_to_json
from paretonym.base.sentence_parts import several
from paretonym.engine.frontier.microdata import Microdata
from paretonym.engine.frontier.release_facts import ShownColumn
from paretonym.engine.measures import CLASS_SIZE, SUPPRESSION, card_of, measured, written
from paretonym.engine.recoding import ClassCondition, Keep, Recoding
from paretonym.engine.risk import HouseholdRisk, SuppressedGroup
from paretonym.tables.schema import PEOPLE, Schema, Unit
from paretonym.tables.schema.hierarchies import NOT_SHOWN, UNCHANGED, LevelWords, level_words


@dataclass(frozen=True, slots=True)
class Rival:
    """Nodes that could still dominate a solution after a search was stopped: how many there are,
    and the best value of each objective that any of them could reach."""

    nodes: int
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Solution:
    """`values` holds every objective, and k, gl, sl and loss; `suppressed` counts rows; `space` is the name
    of the space that the recoding belongs to."""

    id: str
    values: Mapping[str, float]
    suppressed: int
    recoding: Recoding
    rival: Rival | None = None
    space: str = ""

    def __getitem__(self, measure: str) -> float:
        if measure not in self.values:
            wrong, remedy = f"'{measure}' was not measured", did_you_mean(measure, self.values)
            raise UnknownName.of(f"solution {self.id}", wrong, remedy)
        return self.values[measure]

    def __repr__(self) -> str:
        """One line, because the recoding may be long and contains values."""
        gone = several(self.suppressed, "row", "rows")
        values = ", ".join(f"{name} {measured(name, value)}" for name, value in self.values.items())
        return f"<Solution {self.id}: {values}, {gone} suppressed>"

    def __str__(self) -> str:
        return f"{repr(self)[1:-1]}."

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        entry: dict[str, Any] = {
            "id": self.id,
            "values": {name: number_to_json(value) for name, value in self.values.items()},
            "suppressed": self.suppressed,
            "recoding": self.recoding.as_json(),
        }
        if self.rival is not None:
            values = {name: number_to_json(value) for name, value in self.rival.values.items()}
            entry["rival"] = {"nodes": self.rival.nodes, "values": values}
        return entry

    @classmethod
    def from_json(
        cls, entry: Mapping[str, Any], space: str, read: Callable[[Mapping[str, Any]], Recoding]
    ) -> Solution:
        """Read back what `as_json` gave of a release in some space."""
        recoding = read(entry["recoding"])
        values = {name: float(value) for name, value in entry["values"].items()}
        rival = entry.get("rival")
        if rival is not None:
            reach = {name: float(value) for name, value in rival["values"].items()}
            rival = Rival(rival["nodes"], reach)
        return cls(entry["id"], values, entry["suppressed"], recoding, rival, space)


@dataclass(frozen=True, slots=True)
class Description:
    """A release in words. `reason` says why the loss per column is missing, if it is; `suppressed` are the
    groups of rows that lose most, `households` is the risk of households if it is known."""

    id: str
    values: Mapping[str, float]
    columns: tuple[ShownColumn, ...]
    left_out: str
    reason: str = ""
    suppressed: tuple[SuppressedGroup, ...] = ()
    households: HouseholdRisk | None = None

    @property
    def note(self) -> str:
        """Why the loss per column is missing, as Python says it."""
        return phrased(self.reason)

    @property
    def shown(self) -> str:
        """The generalization in one sentence; columns that are shown alike are named together.

        Generalized columns come first, those that are not shown last.
        """
        alike: dict[LevelWords, list[str]] = {}
        for column in self.columns:
            alike.setdefault(column.words, []).append(column.name)
        ends = (LevelWords(UNCHANGED), LevelWords(NOT_SHOWN))
        link = _(" and ")
        parts = [f"{link.join(names)} {words}" for words, names in alike.items() if words not in ends]
        parts += [f"{', '.join(alike[words])} {words}" for words in ends if words in alike]
        return "; ".join(parts)

    def __str__(self) -> str:
        return f"{self.shown}. {self.left_out}" if self.columns else self.left_out

    def as_json(self, phrase: Phrase = in_python) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        note = phrased(self.reason, phrase)
        columns = [
            {"name": c.name, "shown": str(c.words), "loss": c.loss} for c in self.columns
        ]  # fmt: skip
        suppressed = [{**group._asdict(), "share": group.share} for group in self.suppressed]
        return {
            "text": str(self),
            "columns": columns,
            "left_out": self.left_out,
            "note": note,
            **({"suppressed": suppressed} if suppressed else {}),
            **({"households": self.households._asdict()} if self.households else {}),
        }


def describe(solution: Solution, data: Microdata | None) -> Description:
    """Description of a solution in words; without its data everything but the loss per column."""
    columns, note = _columns(solution, data)
    facts = None if data is None or note else data.facts(solution.recoding)
    unit = PEOPLE if data is None else data.unit
    description = Description(solution.id, solution.values, columns, left_out(solution, unit), note)
    return (
        description
        if facts is None
        else replace(description, suppressed=facts.suppressed, households=facts.households)
    )


def _columns(solution: Solution, data: Microdata | None) -> tuple[tuple[ShownColumn, ...], str]:
    """The columns as they are shown, and why their losses are missing, if they are."""
    if data is None:
        return (), _("the table of this solution is not known")
    try:
        return data.facts(solution.recoding).columns, ""
    except InputError as error:
        return _from_schema(solution, data.schema), error.said(str)


def _from_schema(solution: Solution, schema: Schema) -> tuple[ShownColumn, ...]:
    """The columns as the recoding alone shows them: at their levels, if it has any."""
    levels = solution.recoding.known_levels.items()
    return tuple(ShownColumn(name, level_words(schema.column(name), level)) for name, level in levels)


def left_out(solution: Solution, unit: Unit = PEOPLE) -> str:
    """Words for how many rows a release suppresses, and why."""
    if not solution.suppressed:
        return _("No row is suppressed.")
    classes = suppressed_classes(solution.recoding.keep, unit)
    if SUPPRESSION not in solution.values:
        return ngettext(
            "{number} row is suppressed: {classes}.",
            "{number} rows are suppressed: {classes}.",
            solution.suppressed,
            classes=classes,
        )
    return ngettext(
        "{number} row is suppressed ({share}): {classes}.",
        "{number} rows are suppressed ({share}): {classes}.",
        solution.suppressed,
        share=measured(SUPPRESSION, solution.values[SUPPRESSION]),
        classes=classes,
    )


def suppressed_classes(keep: Keep, unit: Unit = PEOPLE) -> str:
    """The classes that a release suppresses, given what a class must have to stay.

    >>> from paretonym.engine.recoding.suppression import parse_keep
    >>> suppressed_classes(parse_keep({"k": ">=5", "l": ">=3"}))
    'equivalence classes of fewer than 5 rows, or with l below 3'
    """
    conditions = _(", or ").join(_left_out(condition, unit) for condition in keep)
    return _("equivalence classes {conditions}", conditions=conditions)


def suppression_reasons(keep: Keep) -> str:
    """Why classes were suppressed, without a number: some thresholds depend on the input.

    >>> from paretonym.engine.recoding.suppression import parse_keep
    >>> suppression_reasons(parse_keep({"k": ">=5", "t": "<=0.3"}))
    'was too small, or had sensitive values too different from those of the whole table'
    """
    cards = [card_of(name) for condition in keep for name in condition.measures]
    return _(", or ").join(dict.fromkeys(_(card.shortfall) for card in cards if card is not None))


def _left_out(condition: ClassCondition, unit: Unit = PEOPLE) -> str:
    """
    >>> _left_out(ClassCondition.parsed("k,l-distinct", ">=20,4"))
    'with k below 20, or with k 20 and l-distinct below 4'
    """
    name, bound = condition.measures[0], condition.written[0]
    if not condition.single:
        second, then = condition.measures[1], condition.written[1]
        return _(
            "with {name} below {bound}, or with {name} {bound} and {second} below {then}",
            name=name,
            bound=format_number(bound),
            second=second,
            then=format_number(then),
        )
    if name == CLASS_SIZE:
        size = written(CLASS_SIZE, condition.bounds[0])
        return _("of fewer than {size} {many}", size=size, many=_("people" if unit.several_rows else "rows"))
    if condition.sense == "at-least":
        return _("with {name} below {bound}", name=name, bound=format_number(bound))
    return _("with {name} above {bound}", name=name, bound=format_number(bound))
