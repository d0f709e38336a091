"""What a release protects against and what not, by the three questions of the Article 29 Working Party."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from paretonym.measures.card import Measure
from paretonym.measures.registry import MEASURES
from paretonym.measures.wording import measured, written

SOURCE = (
    "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP 216), 2014"
)

NOT_PROTECTED = (
    "Other knowledge: columns that the schema does not call quasi-identifiers may single people out, and "
    "who knows what a person does not have learns more.",
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
    sensitive: tuple[str, ...],
    events: bool,
    public: bool = False,
    required: Mapping[str, float] | None = None,
    all_alone: bool = False,
) -> tuple[Protection, ...]:
    """The three dangers for one release. `required` is what each of its parts or buckets keeps; `all_alone`
    says that everybody looks like nobody else."""
    k = measured("k", values["k"])
    alone = values["k"] <= 1
    return (
        Protection(
            "Singling out: can a row be told to be one person's?",
            f"Nothing: {'all' if all_alone else 'some'} people are alone in their group."
            if alone
            else f"By the quasi-identifiers everybody is one of at least {k} people who look the same.",
            "Columns that are kept as they are, and rows of one person: k counts rows, "
            + ("and here rows are events, not people." if events else "which the schema says are people."),
        ),
        Protection(
            "Linking: can rows about one person be joined, here or with another table?",
            "Nothing: a unique combination can be joined."
            if alone
            else f"A join by the quasi-identifiers finds at least {k} rows, never one.",
            "Two releases of the same people can be joined with each other; groups can always be linked.",
        ),
        _inference(values, sensitive, public, required or {}),
    )


def _about_values(values: Mapping[str, float]) -> Iterator[tuple[Measure, str, float]]:
    """The measures of sensitive values among these."""
    for name, value in values.items():
        card = MEASURES.get(name.partition("@")[0])
        if card is not None and card.over == "sensitive":
            yield card, name, value


def _inference(
    values: Mapping[str, float], sensitive: tuple[str, ...], public: bool, required: Mapping[str, float]
) -> Protection:
    """Measures of sensitive values, where some were asked for or required."""
    danger = "Inference: can a sensitive value be learned about a person?"
    told = [
        f"{name} = {measured(name, value)} ({card.question.rstrip('?').lower()})"
        for card, name, value in _about_values(values)
    ]
    kept = [
        f"{name} at {'least' if card.direction == 'max' else 'most'} {written(name, bound)} "
        f"({card.question.rstrip('?').lower()})"
        for card, name, bound in _about_values(required)
    ]
    if not sensitive:
        return Protection(danger, "No column is called sensitive.", "Any column may be, to somebody.")
    if not told and not kept:
        return Protection(
            danger,
            "Nothing was asked for: if all people of a group share a sensitive value, it is known.",
            "Sensitive values themselves are in the release."
            if public
            else "Explore with a measure of sensitive values (l, t, alpha, delta) to see and to limit this.",
        )
    return Protection(
        danger,
        " ".join(
            f"{words}: {'; '.join(each)}."
            for words, each in (
                ("Required of every group of rows", kept),
                ("Measured over all groups", told),
            )
            if each
        ),
        "What holds for most people of a group is learned about each of them.",
    )
