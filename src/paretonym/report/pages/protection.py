"""What a release protects against and what not, by the three questions of the Article 29 Working Party."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from paretonym.measures.card import Measure
from paretonym.measures.formatting import listed, measured, written
from paretonym.measures.registry import CLASS_SIZE, MEASURES, card_of
from paretonym.schema.row_unit import Unit

SOURCE = (
    "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP 216), 2014"
)

NOT_PROTECTED = (
    "Other knowledge: columns that the schema does not call quasi-identifiers may single people out, and "
    "somebody who knows what a person does not have learns more.",
    "Membership: that a person is in the table at all is not hidden by this method.",
    "Several releases: this release together with another one of the same people can say more than both.",
    "The future: tables that appear later may hold columns that make people known again.",
    "No number in this report is a legal judgement that the table is anonymous.",
)


class Protection(NamedTuple):
    """One of the three dangers: what the release does against it, and what remains."""

    danger: str
    done: str
    remains: str


def protections(
    values: Mapping[str, float],
    unit: Unit,
    inference: Inference,
    all_alone: bool = False,
) -> tuple[Protection, ...]:
    """The three dangers for one release; `all_alone` says that nothing in it looks like anything else."""
    k = measured(CLASS_SIZE, values[CLASS_SIZE])
    alone = values[CLASS_SIZE] <= 1
    mine = "" if unit.is_person else "; all of them may be one person's"
    return (
        Protection(
            "Singling out: can a row be told to be one person's?",
            f"Nothing: {'all' if all_alone else 'some'} {unit.many} are alone in their group."
            if alone
            else f"By the quasi-identifiers {unit.every} is one of at least {k} {unit.many} {unit.who} look "
            f"the same{mine}.",
            "Columns that are kept as they are, and rows of one person: k counts rows, "
            + (
                "which the schema says are people."
                if unit.is_person
                else "and here rows are events, not people."
            ),
        ),
        Protection(
            "Linking: can rows about one person be joined, here or with another table?",
            "Nothing: a unique combination can be joined."
            if alone
            else f"A join by the quasi-identifiers finds at least {k} rows, never one{mine}.",
            "Two releases of the same people can be joined with each other; groups can always be linked.",
        ),
        Protection(
            "Inference: can a sensitive value be learned about a person?", *inference.told(values, unit)
        ),
    )


@dataclass(frozen=True, slots=True)
class Inference:
    """What a release does about sensitive values. `asked` are the measures of them that were asked for,
    `required` is what each part or bucket keeps, or every release had to have; `known` are the columns of
    which a value is certain for some."""

    sensitive: tuple[str, ...]
    asked: tuple[str, ...]
    required: Mapping[str, float]
    known: tuple[str, ...]
    public: bool = False

    def told(self, values: Mapping[str, float], unit: Unit) -> tuple[str, str]:
        """What is done, and what remains."""
        if not self.sensitive:
            return "No column is called sensitive.", "Any column may be, to somebody."
        done = " ".join([*self._measures(values), *self._withheld(values)])
        if not done:
            done = "Nothing was asked for: if all of a group share a sensitive value, it is known."
        return done, self._remains(unit)

    def _measures(self, values: Mapping[str, float]) -> Iterator[str]:
        """What was required and what was found. In public only what the table itself shows."""
        required = [
            f"{name} at {'least' if card.direction == 'max' else 'most'} {written(name, bound)} "
            f"({_asks(card)})"
            for card, name, bound in _about_values(self.required)
        ]
        found = [
            f"{name} = {measured(name, value)} ({_asks(card)})" for card, name, value in _about_values(values)
        ]
        if required:
            yield f"Required of every group of rows: {'; '.join(required)}."
        if found:
            yield f"Measured over all groups: {'; '.join(found)}."

    def _withheld(self, values: Mapping[str, float]) -> Iterator[str]:
        """Measures that were asked for and have no number here."""
        names = [name for name in self.asked if name not in values and name not in self.required]
        if names:
            asked = "; ".join(f"{name} ({_asks(MEASURES[name.partition('@')[0]])})" for name in names)
            why = " The value is not published: beside the table it could reveal rows that were left out."
            yield f"Asked for: {asked}.{why if self.public else ''}"

    def _remains(self, unit: Unit) -> str:
        if self.known:
            return (
                f"For some {unit.many} the value of {listed(list(self.known))} is certain: all of their "
                "group have the same."
            )
        if not self.asked and not self.public:
            return "Explore with a measure of sensitive values (l, t, alpha, delta) to limit this."
        return f"What holds for most {unit.many} of a group is learned about each of them."


def _asks(card: Measure) -> str:
    return card.question.rstrip("?").lower()


def _about_values(values: Mapping[str, float]) -> Iterator[tuple[Measure, str, float]]:
    """The measures of sensitive values among these."""
    for name, value in values.items():
        card = card_of(name)
        if card is not None and card.limits_inference:
            yield card, name, value
