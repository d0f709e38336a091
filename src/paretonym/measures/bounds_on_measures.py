"""Bounds on measures that can be meant: within the measure's own range, and a percentage only of a share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import SupportsFloat

from paretonym.errors import Field, InputError, Place
from paretonym.measures.card import Measure
from paretonym.measures.registry import card_of
from paretonym.recoding import parse_fraction


def check_bounds(at_least: Mapping[str, float], at_most: Mapping[str, float]) -> None:
    """Refuse bounds that cannot be meant."""
    for place, bounds in ((Field("at_least"), at_least), (Field("at_most"), at_most)):
        for name, bound in bounds.items():
            check_bound(name, float(bound), place)


def read_bounds(bounds: Mapping[str, float | str] | None, place: Place) -> dict[str, float]:
    """Bounds as numbers; percentages may be texts, as on the command line.

    >>> read_bounds({"loss": "25%", "k": 5}, "at_most")
    {'loss': 0.25, 'k': 5.0}
    """
    if not isinstance(bounds, Mapping | None):
        raise InputError.of(place, "it is no mapping", 'give for example {"loss": "25%"}')
    read: dict[str, float] = {}
    for name, bound in (bounds or {}).items():
        if not isinstance(name, str) or isinstance(bound, bool) or not isinstance(bound, str | SupportsFloat):
            raise InputError.of(
                place, f"{name!r} is not a measure with a number", 'give for example {"loss": "25%"}'
            )
        text = bound if isinstance(bound, str) else ""
        read[name] = float(parse_fraction(bound, place)) if isinstance(bound, str) else float(bound)
        check_bound(name, read[name], place, text)
    return read


def check_bound(name: str, bound: float, place: Place, written: str = "") -> None:
    """Refuse a bound that the measure cannot have; `written` is how it was given. A name that is unknown is
    for others to tell."""
    card = card_of(name)
    if card is None:
        return
    text = written.strip() or f"{bound:g}"
    check_percentage(name, bound, place, written)
    low = float("-inf") if card.lowest is None else card.lowest
    high = float("inf") if card.highest is None else card.highest
    if not low <= bound <= high:
        raise InputError.of(
            place, f"{name} {_range(card)}, and {text} {_not(card)}", _advice(card, text, bound)
        )


def check_percentage(name: str, number: float, place: Place, written: str) -> None:
    """Refuse a percentage of a measure that is no share. A name that is unknown is for others to report."""
    card, text = card_of(name), written.strip()
    if card is None or not text.endswith("%") or card.takes_percentage:
        return
    if card.unit == "count":
        meant = f"{name}={text.removesuffix('%').strip()}"
        raise InputError.of(place, f"{name} is a count, and {text} is a percentage", f"did you mean {meant}?")
    raise InputError.of(
        place, f"{name} is no share, and {text} is a percentage", f"did you mean {name}={number:g}?"
    )


def _range(card: Measure) -> str:
    if card.highest is None:
        return f"is at least {card.lowest:g}"
    return f"lies between {card.lowest:g} and {card.highest:g}"


def _not(card: Measure) -> str:
    return "is not" if card.highest is None else "does not"


def _advice(card: Measure, text: str, bound: float) -> str:
    if card.highest == 1 and not text.endswith("%") and 1 < bound <= 100:
        return f"did you mean {text}%?"
    return "give a number in that range"
